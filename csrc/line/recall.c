/*
 * Lines read before: the same line means the same again.
 *
 * Tools print many lines twice, or with other numbers. The meaning of a line seldom depends on the values of
 * its digits: a rule that does look at them says so, with tell_digits() or tell_zeros(). Any other line means
 * the same with other digits, so it is compared folded, with every digit a zero. Bytes are compared, not just
 * hashes: a recalled reading is the same as a new one.
 */
#include <string.h>

#include "line/recall.h"
#include "abridge.h"
#include "base/ascii.h"
#include "base/private.h"
#include "base/word.h"
#include "line/char_set.h"
#include "line/layout.h"
#include "line/line_score.h"

enum { WORD_BYTES = sizeof(uint64_t) };

/* A hash of a folded line. */
ABR_WRAPS static uint64_t hash_line(const char *p, size_t n)
{
    uint64_t hash = n;
    for (; n >= WORD_BYTES; p += WORD_BYTES, n -= WORD_BYTES)
        hash = (hash << 13 | hash >> 51) ^ abr_load_word(p);
    if (n > 0)
        hash = (hash << 13 | hash >> 51) ^ (abr_load_word(p) & ((UINT64_C(1) << 8 * n) - 1));
    return hash * UINT64_C(0x9E3779B97F4A7C15);
}

/* Is a number zero? */
static bool is_zero(const char *digits, size_t n)
{
    return abr_back(digits, n, ABR_SET("0")) == 0;
}

/* Do two texts differ only in digits, with the same numbers zero, and the same ones starting with a zero? */
static bool agree_in_zeros(const char *a, const char *b, size_t n)
{
    for (size_t at = 0; (at += abr_same_bytes(a + at, b + at, n - at)) < n;) {
        const size_t from = abr_back(a, at, ABR_DIGITS);
        while (at < n && abr_is_digit(a[at]) && abr_is_digit(b[at]))
            at++;
        if ((at < n && a[at] != b[at]) || (a[from] == '0') != (b[from] == '0') ||
            is_zero(a + from, at - from) != is_zero(b + from, at - from))
            return false;
    }
    return true;
}

/* Is it the line at this place? A line that depends on its digits is kept as it is, others folded. */
static bool is_there(const abr_recall *x, unsigned place, const char *p, const char *folded, size_t n)
{
    const abr_recalled *line = &x->lines[place];
    if (x->sizes[place] != n + 1)
        return false;
    if (line->reading.digits == ABR_DIGITS_ANY)
        return memcmp(line->text, folded, n) == 0;
    return memcmp(line->text, p, n) == 0 ||
           (line->reading.digits == ABR_DIGITS_ZERO && agree_in_zeros(line->text, p, n));
}

void abr_recall_line(abr_recall *x, const abr_lexicon *lexicon, const abr_patterns *patterns, const char *p,
                     const char *folded, size_t n, bool escapes, abr_reading *out)
{
    const abr_lead lead = abr_lead_of(p, n);
    p += lead.n;
    folded += lead.n;
    n -= lead.n;
    const bool fits = n <= ABR_RECALLED_BYTES;
    const unsigned place = fits ? (unsigned)(hash_line(folded, n) >> 48) & (x->count - 1) : 0;
    abr_recalled *line = &x->lines[place];
    if (fits && is_there(x, place, p, folded, n)) {
        *out = line->reading;
    } else {
        abr_read_unstamped(lexicon, patterns, p, n, escapes, out);
        if (fits) {
            x->sizes[place] = (uint16_t)(n + 1);
            memcpy(line->text, out->digits == ABR_DIGITS_ANY ? folded : p, n);
            line->reading = *out;
        }
    }
    abr_add_lead(out, lead);
}
