/*
 * Kernels in portable C: eight bytes at a time in a word. The vector kernels call them for what is left at
 * the end of a text, and to find the exact place in a block.
 */
#include "text/kernels_scalar.h"
#include "abridge.h"
#include "base/ascii.h"
#include "base/private.h"
#include "base/word.h"
#include "text/kernels.h"
#include "text/utf8.h"

#define ONES UINT64_C(0x0101010101010101)
#define HIGH UINT64_C(0x8080808080808080)

enum { WORD_SIZE = sizeof(uint64_t) };

/* ---- newlines ---- */

/* 1 in each byte of the word at p that is c, else 0. */
ABR_WRAPS static uint64_t equal_in_word(const char *p, char c)
{
    uint64_t x = abr_load_word(p) ^ (ONES * (unsigned char)c);
    /* the high bit of each byte that is not zero, without carries between bytes */
    uint64_t nonzero = (((x & ~HIGH) + ~HIGH) | x) & HIGH;
    return (~nonzero & HIGH) >> 7;
}

ABR_WRAPS static uint64_t count_in_word(const char *p, char c)
{
    return (equal_in_word(p, c) * ONES) >> 56;
}

static uint64_t count_scalar(const char *p, size_t n, char c)
{
    uint64_t count = 0;
    size_t i = 0;
    for (; n - i >= WORD_SIZE; i += WORD_SIZE)
        count += count_in_word(p + i, c);
    for (; i < n; i++)
        count += p[i] == c;
    return count;
}

static size_t nth_newline_scalar(const char *p, size_t n, uint64_t *left)
{
    size_t i = 0;
    for (; n - i >= WORD_SIZE; i += WORD_SIZE) {
        uint64_t here = count_in_word(p + i, '\n');
        if (here >= *left)
            break;
        *left -= here;
    }
    while (i<n && * left> 0)
        *left -= p[i++] == '\n';
    return i;
}

static size_t nth_newline_back_scalar(const char *p, size_t n, uint64_t *left)
{
    size_t end = n;
    for (; end >= WORD_SIZE; end -= WORD_SIZE) {
        uint64_t here = count_in_word(p + end - WORD_SIZE, '\n');
        if (here >= *left)
            break;
        *left -= here;
    }
    while (end > 0 && *left > 0)
        *left -= p[--end] == '\n';
    return end;
}

/* ---- UTF-8 ---- */

static size_t well_formed_scalar(const char *p, size_t n, uint64_t *chars)
{
    size_t i = 0;
    while (i < n) {
        if (n - i >= WORD_SIZE && !(abr_load_word(p + i) & HIGH)) {
            *chars += WORD_SIZE;
            i += WORD_SIZE;
            continue;
        }
        size_t size = abr_char_size(p + i, n - i);
        if (size == 1 && (unsigned char)p[i] >= 0x80)
            break;
        ++*chars;
        i += size;
    }
    return i;
}

/* ---- plain text ---- */

/* May a byte of a word be under 0x20, DEL, or not ASCII? Never wrongly false, but sometimes wrongly true. */
ABR_WRAPS static bool looks_special(uint64_t x)
{
    return (((x - ONES * 0x20) | (x + ONES) | x) & HIGH) != 0;
}

/* Bytes of the plain char at p, 0 where it is none. */
static size_t plain_char(const char *p, size_t n)
{
    unsigned char c = (unsigned char)p[0];
    if (c < 0x80)
        return (c >= 0x20 && c < ABR_DEL) || c == '\n' || c == '\t';
    size_t size = abr_char_size(p, n);
    bool c1 = c == 0xC2 && size == 2 && (unsigned char)p[1] < 0xA0;
    return size == 1 || c1 ? 0 : size;
}

static size_t plain_scalar(const char *p, size_t n)
{
    for (size_t i = 0, size; i < n; i += size) {
        if (n - i >= WORD_SIZE && !looks_special(abr_load_word(p + i))) {
            size = WORD_SIZE;
            continue;
        }
        size = plain_char(p + i, n - i);
        if (size == 0)
            return i;
    }
    return n;
}

/* ---- classes ---- */

/* The high bits of a word, a bit a byte. */
ABR_WRAPS static uint64_t high_bits(uint64_t x)
{
    return ((x & HIGH) >> 7) * UINT64_C(0x0102040810204080) >> 56;
}

/* The high bit of each byte in the `count` values from `first` on, all ASCII. Nothing is carried from byte to
 * byte. */
static uint64_t in_range_scalar(uint64_t x, uint64_t first, uint64_t count)
{
    uint64_t ascii = x & ~HIGH;
    uint64_t from = ascii + ONES * (0x80 - first);
    uint64_t after = ascii + ONES * (0x80 - first - count);
    return from & ~after & ~x & HIGH;
}

static void classify_scalar(const char *p, abr_classes *out)
{
    abr_classes c = {0};
    for (unsigned i = 0; i < ABR_CLASSIFIED; i += WORD_SIZE) {
        uint64_t x = abr_load_word(p + i);
        c.letters |= high_bits(in_range_scalar(x | ONES * ' ', 'a', 26)) << i;
        c.upper |= high_bits(in_range_scalar(x, 'A', 26)) << i;
        c.digits |= high_bits(in_range_scalar(x, '0', 10)) << i;
        c.blanks |= high_bits(in_range_scalar(x, ' ', 1) | in_range_scalar(x, '\t', 1)) << i;
        c.colons |= high_bits(in_range_scalar(x, ':', 1) | in_range_scalar(x, '(', 1)) << i;
        c.high |= high_bits(x) << i;
        c.marks |=
            high_bits(in_range_scalar(x, '_', 1) | in_range_scalar(x, '\\', 1) | in_range_scalar(x, '=', 1) |
                      in_range_scalar(x, '@', 1) | in_range_scalar(x, '-', 3) | in_range_scalar(x, '$', 2))
            << i;
        c.quotes |= high_bits(in_range_scalar(x, '"', 1) | in_range_scalar(x, '\'', 1) |
                              in_range_scalar(x, '`', 1) | in_range_scalar(x, '<', 1) |
                              (in_range_scalar(x ^ HIGH, 0x18, 1) | in_range_scalar(x ^ HIGH, 0x1C, 1)))
                    << i;
    }
    *out = c;
}

static size_t fold_scalar(const char *p, size_t n, char *to, uint16_t *newlines)
{
    const uint64_t of_digit = 15; /* the bits in which digits differ, none of which a zero has */
    size_t count = 0;
    for (size_t at = 0; at < n; at += WORD_SIZE) {
        const uint64_t x = abr_load_word(p + at);
        abr_store_word(to + at, x & ~((in_range_scalar(x, '0', 10) >> 7) * of_digit));
        for (unsigned i = 0; equal_in_word(p + at, '\n') != 0 && i < WORD_SIZE; i++)
            if (p[at + i] == '\n')
                newlines[count++] = (uint16_t)(at + i);
    }
    return count;
}

const abr_kernels abr_scalar = {"scalar",           count_scalar, nth_newline_scalar, nth_newline_back_scalar,
                                well_formed_scalar, plain_scalar, classify_scalar,    fold_scalar};
