/*
 * The outline of a line, which tells runs of similar lines: lines of one outline differ only in names and
 * numbers.
 *
 * The line is split at its blanks. A token that is a name (it has a digit, or beside its letters a sign used
 * in names, or capitals amid small letters, or it is quoted) counts as a mark, any other with all its bytes.
 * The line is read in blocks that end with a whole token; only one longer than a block is split, and counts
 * as a name. Escape sequences count as blanks, and so does the indent, which runs compare.
 *
 * In a header, since it is computed along with the words of a line (words.c).
 */
#ifndef ABR_LINE_OUTLINE_H
#define ABR_LINE_OUTLINE_H

#include "abridge.h"
#include "base/private.h"
#include "base/word.h"
#include "line/bits.h"
#include "text/kernels.h"

ABR_PRIVATE_BEGIN

/* The outline so far. All zero before the first block. */
typedef struct {
    uint64_t hash;
    uint64_t names;
    bool in_name; /* the last block ended inside a token, so that is a name */
} abr_outline;

/* The bytes of a block that make a token a name. */
static ABR_INLINE uint64_t abr_name_signs(const abr_classes *m)
{
    uint64_t mixed = m->upper & (m->letters << 1) & (m->letters & ~m->upper) >> 1; /* aB, and the B of AABb */
    uint64_t word = m->letters | m->high;
    uint64_t quotes = m->quotes & ~m->high;
    uint64_t opens = quotes & (word >> 1) & ~(m->letters << 1);
    uint64_t curly = m->quotes & m->high & (m->letters >> 1) & ~(m->letters << 1);
    uint64_t closes = quotes & (word << 1) & ~(word >> 1);
    return m->digits | (m->marks & (word << 1 | word >> 1)) | opens | curly | closes | mixed;
}

ABR_WRAPS static ABR_INLINE uint64_t abr_mix_outline(uint64_t hash, uint64_t value)
{
    uint64_t x = (hash ^ value) * UINT64_C(0x9E3779B97F4A7C15);
    return x ^ x >> 32;
}

/* A hash of all bytes of a token: the last ones, and those before them. */
ABR_WRAPS static ABR_INLINE uint64_t abr_token_hash(const char *p, size_t n)
{
    const size_t word = sizeof(uint64_t);
    const size_t lacks = n < word ? word - n : 0;
    const uint64_t last = abr_load_word(p + n + lacks - word) << 8 * lacks;
    uint64_t hash = n ^ last * UINT64_C(0xD6E8FEB86659FD93);
    for (; n > word; p += word, n -= word)
        hash = abr_mix_outline(hash, abr_load_word(p));
    return hash;
}

/* Add the first n bytes of a block to the outline: each plain token, with the number of names before it. A
 * sum carries the signs of a name to the end of its token. `more`: the line goes on. */
ABR_WRAPS static ABR_INLINE void abr_add_to_outline(const char *p, const abr_classes *m, size_t n, bool more,
                                                    abr_outline *outline)
{
    const uint64_t tokens = ~m->blanks & low_bits(n);
    const bool splits = more && tokens >> (n - 1) != 0;
    const uint64_t signs = abr_name_signs(m) | outline->in_name | (uint64_t)splits << (n - 1);
    const uint64_t named = (signs & tokens) | ~(tokens + (signs & tokens));
    const uint64_t ends = tokens & ~(tokens >> 1);
    const uint64_t names = ends & named & ~((uint64_t)splits << (n - 1)); /* counted where it ends */
    uint64_t hash = outline->hash;
    outline->names += outline->in_name && !(tokens & 1);
    for (uint64_t plain = ends & ~named; plain != 0; plain &= plain - 1) {
        const unsigned last = lowest(plain);
        const uint64_t before = (UINT64_C(1) << last) - 1;
        const unsigned first = width_of(~tokens & before);
        const uint64_t names_before = outline->names + bit_count(names & before);
        hash = abr_mix_outline(hash, abr_token_hash(p + first, last + 1 - first) + (names_before << 32));
    }
    outline->hash = hash;
    outline->names += bit_count(names);
    outline->in_name = splits;
}

ABR_PRIVATE_END

#endif
