/* Oracles that look at one byte at a time, and texts that are hard on code that looks at more. */
#ifndef NAIVE_H
#define NAIVE_H

#include "check.h"

/* Bytes that differ from '\n' in one bit, or by one, beside it: what a carry between bytes would spoil. */
static inline void fill_near_newlines(char *p, size_t n)
{
    static const char near[] = "\n\n\n\x0B\x09\x8A\x1A\x08\x0E\x4A\x2A\x02\x00\xFFz";
    for (size_t i = 0; i < n; i++)
        p[i] = near[pick(sizeof near - 1)];
}

/* Decode by the definition: read the number, then ask whether it is a scalar value in its shortest form. */
static inline size_t naive_char_size(const unsigned char *u, size_t n)
{
    static const uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
    size_t size = u[0] < 0x80 ? 1 : u[0] < 0xC0 ? 0 : u[0] < 0xE0 ? 2 : u[0] < 0xF0 ? 3 : u[0] < 0xF8 ? 4 : 0;
    if (size < 2 || size > n)
        return 1;
    uint32_t code = u[0] & (0x7Fu >> size);
    for (size_t i = 1; i < size; i++) {
        if (u[i] < 0x80 || u[i] > 0xBF)
            return 1;
        code = code * 64 + (u[i] & 0x3Fu);
    }
    bool surrogate = code >= 0xD800 && code <= 0xDFFF;
    return code >= smallest[size] && code <= 0x10FFFF && !surrogate ? size : 1;
}

static inline size_t naive_char_size_of(const char *p, size_t n)
{
    return naive_char_size((const unsigned char *)p, n);
}

/* Bytes at the edges of every range that UTF-8 tells apart. */
static const unsigned char edges[] = {0x00, 0x0A, 0x41, 0x7F, 0x80, 0x81, 0x8F, 0x90, 0x9F,
                                      0xA0, 0xA1, 0xBF, 0xC0, 0xC2, 0xE0, 0xED, 0xF4, 0xFF};
enum { EDGES = sizeof edges };

#endif
