/* How rare a line's words are in the text. */
#ifndef ABR_PRIORITY_RARITY_H
#define ABR_PRIORITY_RARITY_H

#include "abridge.h"
#include "base/private.h"
#include "line/lexicon.h"
#include "line/words.h"

ABR_PRIVATE_BEGIN

enum {
    ABR_WORD_COUNTS = 1 << ABR_PLAIN_BITS,    /* counts of words, a power of two, */
    ABR_WORD_COUNTS_FEW = ABR_WORD_COUNTS / 4 /* fewer if memory is scarce */
};

/* How often each plain word was seen, by its hash; words with the same hash are counted together. */
typedef struct {
    uint16_t *seen; /* at most UINT16_MAX each */
    size_t count;   /* ABR_WORD_COUNTS, or ABR_WORD_COUNTS_FEW */
} abr_word_counts;

/* The count of a plain word, by its hash. */
static inline uint16_t *abr_word_count(const abr_word_counts *c, uint16_t plain)
{
    return &c->seen[plain & (c->count - 1)];
}

/* Count a plain word so many times. */
static inline void abr_count_word(abr_word_counts *c, uint16_t plain, size_t times)
{
    uint16_t *seen = abr_word_count(c, plain);
    *seen = (uint16_t)(times < (size_t)(UINT16_MAX - *seen) ? *seen + times : UINT16_MAX);
}

/* Count the plain words of a line: `count` hashes. */
static inline void abr_count_words(abr_word_counts *c, const uint16_t *plain, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        abr_count_word(c, plain[i], 1);
}

/* How rare the plain words of (p, n) are in a text of so many lines: halfway between their mean and the
 * rarest one, each the binary logarithm of the lines per time it was seen. 0: it has none. */
float abr_rarity(const abr_word_counts *c, const abr_lexicon *lexicon, const char *p, size_t n,
                 uint64_t lines);

ABR_PRIVATE_END

#endif
