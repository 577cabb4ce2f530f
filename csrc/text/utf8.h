/* One char of UTF-8. In a header, since every loop over chars uses it. */
#ifndef ABR_TEXT_UTF8_H
#define ABR_TEXT_UTF8_H

#include "abridge.h"
#include "base/private.h"

ABR_PRIVATE_BEGIN

static inline bool abr_is_continuation(unsigned char byte)
{
    return (byte & 0xC0) == 0x80;
}

/* Is a well-formed sequence of 2 to 4 bytes at p? */
static inline bool abr_is_sequence(const char *p, size_t n)
{
    const unsigned char *u = (const unsigned char *)p;
    unsigned char lead = u[0];
    if (lead < 0xC2 || lead > 0xF4)
        return false;
    if (lead < 0xE0)
        return n >= 2 && abr_is_continuation(u[1]);
    if (n < 3 || !abr_is_continuation(u[1]) || !abr_is_continuation(u[2]))
        return false;
    if (lead < 0xF0) /* no overlong form, no surrogate */
        return (lead != 0xE0 || u[1] >= 0xA0) && (lead != 0xED || u[1] < 0xA0);
    /* no overlong form, nothing over U+10FFFF */
    return n >= 4 && abr_is_continuation(u[3]) && (lead != 0xF0 || u[1] >= 0x90) &&
           (lead != 0xF4 || u[1] < 0x90);
}

/* Bytes of the char that starts at p: 2 to 4 for a well-formed sequence that ends by p + n, else 1. n > 0. */
static inline size_t abr_char_size(const char *p, size_t n)
{
    if (!abr_is_sequence(p, n))
        return 1;
    unsigned char lead = (unsigned char)p[0];
    return lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
}

/* Encode a code point, not a surrogate; returns its bytes, 4 at most. */
static inline size_t abr_put_char(uint32_t c, char *dst)
{
    if (c < 0x80) {
        dst[0] = (char)c;
        return 1;
    }
    const size_t n = c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    static const unsigned char leads[] = {0, 0, 0xC0, 0xE0, 0xF0};
    for (size_t i = n - 1; i > 0; i--, c >>= 6)
        dst[i] = (char)(0x80 | (c & 0x3F));
    dst[0] = (char)(leads[n] | c);
    return n;
}

/* The halves of a char over U+FFFF in UTF-16. */
static inline bool abr_is_high_surrogate(uint32_t unit)
{
    return unit >> 10 == 0xD800 >> 10;
}

static inline bool abr_is_low_surrogate(uint32_t unit)
{
    return unit >> 10 == 0xDC00 >> 10;
}

/* The char of both halves. */
static inline uint32_t abr_join_surrogates(uint32_t high, uint32_t low)
{
    return 0x10000 + ((high & 0x3FF) << 10) + (low & 0x3FF);
}

/* Bytes at the start of (p, n) that may belong to a char before it. */
static inline size_t abr_rest_of_char(const char *p, size_t n)
{
    enum { MOST = 3 };
    size_t rest = 0;
    while (rest < MOST && rest < n && abr_is_continuation((unsigned char)p[rest]))
        rest++;
    return rest;
}

ABR_PRIVATE_END

#endif
