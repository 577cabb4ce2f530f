/*
 * Lines read before: a line says the same again.
 *
 * Tools print many lines twice, or with other numbers. What a line says seldom depends on which digits it
 * has: a rule for which it does says so, by tell_digits() or tell_zeros(). Any other line is the same with
 * other digits. The bytes are compared, not their hash alone: what is recalled is what would be
 * read.
 */
#include <string.h>

#include "line/recall.h"
#include "abridge.h"
#include "base/ascii.h"
#include "base/word.h"
#include "line/layout.h"
#include "line/line_score.h"

enum { WORD_BYTES = sizeof(uint64_t) };

/* What tells the bytes of a word apart that have the bit of letters. */
static inline uint64_t letters_of(uint64_t x)
{
    const uint64_t letters = x & UINT64_C(0x4040404040404040);
    return x & (letters - (letters >> 6));
}

/* A hash of a line that digits are no part of. */
static uint64_t hash_of(const char *p, size_t n)
{
    uint64_t hash = n;
    for (; n >= WORD_BYTES; p += WORD_BYTES, n -= WORD_BYTES)
        hash = (hash << 13 | hash >> 51) ^ letters_of(abr_load_word(p));
    if (n > 0)
        hash = (hash << 13 | hash >> 51) ^ letters_of(abr_load_word(p) & ((UINT64_C(1) << 8 * n) - 1));
    return hash * UINT64_C(0x9E3779B97F4A7C15);
}

/* Do two texts differ in digits alone? The WORD_BYTES bytes after each can be read. */
static bool differ_in_digits(const char *a, const char *b, size_t n)
{
    for (size_t at = 0; at < n; at += WORD_BYTES) {
        const uint64_t x = abr_load_word(a + at);
        uint64_t other = x ^ abr_load_word(b + at);
        if (n - at < WORD_BYTES)
            other &= (UINT64_C(1) << 8 * (n - at)) - 1;
        if (other == 0)
            continue;
        const uint64_t digits = abr_bytes_in(x, '0', '9') & abr_bytes_in(x ^ other, '0', '9');
        if (other & ~((digits << 1) - (digits >> 7)))
            return false;
    }
    return true;
}

/* Of two texts that differ in digits alone, are the same numbers zero, and do the same ones start with a zero? */
static bool agree_in_zeros(const char *a, const char *b, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (!abr_is_digit(a[i]))
            continue;
        bool zero = a[i] == '0';
        bool other = b[i] == '0';
        if (zero != other)
            return false;
        for (; i + 1 < n && abr_is_digit(a[i + 1]); i++) {
            zero = zero && a[i + 1] == '0';
            other = other && b[i + 1] == '0';
        }
        if (zero != other)
            return false;
    }
    return true;
}

static bool is_there(const abr_recall *x, unsigned place, const char *p, size_t n)
{
    const abr_recalled *line = &x->lines[place];
    if (x->sizes[place] != n + 1)
        return false;
    if (memcmp(line->text, p, n) == 0)
        return true;
    return line->reading.digits < ABR_DIGITS_EXACT && differ_in_digits(line->text, p, n) &&
           (line->reading.digits == ABR_DIGITS_ANY || agree_in_zeros(line->text, p, n));
}

void abr_recall_line(abr_recall *x, const abr_lexicon *lexicon, const abr_patterns *patterns, const char *p,
                     size_t n, bool escapes, abr_reading *out)
{
    const size_t stamp = abr_stamp_size(p, n);
    p += stamp;
    n -= stamp;
    const bool fits = n <= ABR_RECALLED_BYTES;
    const unsigned place = fits ? (unsigned)(hash_of(p, n) >> 48) & (x->count - 1) : 0;
    abr_recalled *line = &x->lines[place];
    if (fits && is_there(x, place, p, n)) {
        *out = line->reading;
    } else {
        abr_read_unstamped(lexicon, patterns, p, n, escapes, out);
        if (fits) {
            x->sizes[place] = (uint16_t)(n + 1);
            memcpy(line->text, p, n);
            line->reading = *out;
        }
    }
    abr_add_stamp(out, stamp);
}
