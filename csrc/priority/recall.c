/*
 * Lines read before: a line says the same again.
 *
 * Tools print many lines twice, or with other numbers. What is said by most lines does not depend on their
 * digits (abr_reading has `exact` where it does), so these are looked up with every digit folded to 0. The
 * bytes are compared, not their hash alone: what is recalled is what would be read.
 */
#include <string.h>

#include "priority/recall.h"
#include "abridge.h"
#include "base/word.h"
#include "priority/layout.h"
#include "priority/line_score.h"

/* Eight bytes with '0' for each digit. */
static inline uint64_t fold_digits(uint64_t x)
{
    const uint64_t ones = UINT64_C(0x0101010101010101);
    const uint64_t high = ones << 7;
    uint64_t t = x ^ ones * '0';
    uint64_t digits = ~(((t & ~high) + ones * (0x80 - 10)) | t) & high;
    return x & ~((digits >> 3) - (digits >> 7));
}

/* Copy a line with its digits folded; returns its hash. */
static uint64_t fold_line(const char *p, size_t n, uint64_t *to)
{
    const size_t word = sizeof *to;
    uint64_t hash = n;
    for (size_t at = 0; at < n; at += word) {
        uint64_t x = abr_load_word(p + at);
        if (n - at < word)
            x &= (UINT64_C(1) << 8 * (n - at)) - 1;
        x = fold_digits(x);
        *to++ = x;
        hash = ((hash << 5 | hash >> 59) ^ x) * UINT64_C(0x9E3779B97F4A7C15);
    }
    return hash;
}

void abr_recall_line(abr_recall *x, const abr_lexicon *lexicon, const abr_patterns *patterns, const char *p,
                     size_t n, bool escapes, abr_reading *out)
{
    const size_t stamp = abr_stamp_size(p, n);
    p += stamp;
    n -= stamp;
    if (n > ABR_RECALLED_BYTES) {
        abr_read_unstamped(lexicon, patterns, p, n, escapes, out);
    } else {
        uint64_t folded[ABR_RECALLED_BYTES / sizeof(uint64_t)];
        const unsigned slot = (unsigned)(fold_line(p, n, folded) >> 32) % ABR_RECALLED;
        const size_t size = (n + sizeof *folded - 1) / sizeof *folded * sizeof *folded;
        abr_recalled *line = &x->lines[slot];
        if (x->sizes[slot] != n + 1 ||
            (line->reading.exact ? memcmp(line->text, p, n) != 0 : memcmp(line->text, folded, size) != 0)) {
            abr_read_unstamped(lexicon, patterns, p, n, escapes, &line->reading);
            x->sizes[slot] = (uint16_t)(n + 1);
            if (line->reading.exact)
                memcpy(line->text, p, n);
            else
                memcpy(line->text, folded, size);
        }
        *out = line->reading;
    }
    out->stamp = (uint32_t)stamp;
    out->at += (uint32_t)stamp;
}
