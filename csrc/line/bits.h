/* Blocks of a line as masks, one bit per byte. */
#ifndef ABR_LINE_BITS_H
#define ABR_LINE_BITS_H

#include "abridge.h"
#include "base/private.h"
#include "text/kernels.h"

ABR_PRIVATE_BEGIN

/* A function inlined into a variant of a loop over blocks is compiled for that variant's processors. */
#if defined(__GNUC__)
#define ABR_INLINE inline __attribute__((always_inline))
#else
#define ABR_INLINE inline
#endif

enum { BLOCK = ABR_CLASSIFIED };

/* Index of the lowest bit of a mask that is not 0. */
static ABR_INLINE unsigned lowest(uint64_t mask)
{
#if defined(__GNUC__)
    return (unsigned)__builtin_ctzll(mask);
#else
    unsigned i = 0;
    for (; !(mask & 1); mask >>= 1)
        i++;
    return i;
#endif
}

/* Index of the highest bit of a mask, plus 1; 0 if the mask is 0. */
static ABR_INLINE unsigned width_of(uint64_t mask)
{
#if defined(__GNUC__)
    return BLOCK - (unsigned)__builtin_clzll(mask | 1) - (mask == 0);
#else
    unsigned n = 0;
    for (; mask != 0; mask >>= 1)
        n++;
    return n;
#endif
}

static ABR_INLINE unsigned bit_count(uint64_t mask)
{
#if defined(__GNUC__)
    return (unsigned)__builtin_popcountll(mask);
#else
    unsigned n = 0;
    for (; mask != 0; mask &= mask - 1)
        n++;
    return n;
#endif
}

/* Length of the run of bits from bit 0 on. */
static ABR_INLINE unsigned run_length(uint64_t mask)
{
    return ~mask == 0 ? BLOCK : lowest(~mask);
}

/* The lowest n bits, n <= 64. */
static ABR_INLINE uint64_t low_bits(size_t n)
{
    return n < BLOCK ? (UINT64_C(1) << n) - 1 : ~UINT64_C(0);
}

/* Bytes of a block to read at once, of the `left` bytes of the line: up to the last blank, so that no token
 * is split; without a blank, up to the last byte that is not a letter. */
static ABR_INLINE size_t whole_tokens(const abr_classes *m, size_t left)
{
    if (left <= BLOCK)
        return left;
    if (m->blanks != 0)
        return width_of(m->blanks);
    return ~m->letters != 0 ? width_of(~m->letters) : BLOCK;
}

ABR_PRIVATE_END

#endif
