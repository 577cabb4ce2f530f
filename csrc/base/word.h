/* Bytes read as machine words. */
#ifndef ABR_BASE_WORD_H
#define ABR_BASE_WORD_H

#include <string.h>

#include "abridge.h"
#include "base/private.h"

ABR_PRIVATE_BEGIN

/* Eight bytes, the first one lowest. */
static inline uint64_t abr_load_word(const char *p)
{
    uint64_t word;
    memcpy(&word, p, sizeof word);
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    return word;
}

/* Four bytes, the first one lowest. */
static inline uint32_t abr_load_half(const char *p)
{
    uint32_t half;
    memcpy(&half, p, sizeof half);
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    half = __builtin_bswap32(half);
#endif
    return half;
}

static inline void abr_store_word(char *p, uint64_t word)
{
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    memcpy(p, &word, sizeof word);
}

/* How many bytes at the start of two texts of n bytes are the same? */
static inline size_t abr_same_bytes(const char *a, const char *b, size_t n)
{
    size_t i = 0;
    while (n - i >= sizeof(uint64_t) && abr_load_word(a + i) == abr_load_word(b + i))
        i += sizeof(uint64_t);
    while (i < n && a[i] == b[i])
        i++;
    return i;
}

/* The top bits of the bytes of a word that are in from..to, both ASCII. */
static inline uint64_t abr_bytes_in(uint64_t word, char from, char to)
{
    const uint64_t ones = UINT64_C(0x0101010101010101);
    const uint64_t tops = ones << 7;
    const uint64_t least = (word & ~tops) + ones * (uint64_t)(0x80 - from);
    const uint64_t more = (word & ~tops) + ones * (uint64_t)(0x80 - to - 1);
    return least & ~more & ~word & tops;
}

/* The lowest top bit set is that of a byte that does not stand for itself in a JSON string: a quote, a
 * backslash, a control, or a byte outside ASCII. Bytes after it may be marked in error. */
ABR_WRAPS static inline uint64_t abr_special_bytes(uint64_t word)
{
    const uint64_t ones = UINT64_C(0x0101010101010101);
    const uint64_t quote = word ^ ones * '"';
    const uint64_t backslash = word ^ ones * '\\';
    return ((word - ones * ' ') | (quote - ones) | (backslash - ones) | word) & ones << 7;
}

ABR_PRIVATE_END

#endif
