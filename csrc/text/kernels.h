/*
 * Kernels: the few loops that every byte of a text goes through, written for each set of instructions.
 *
 * All sets give the same result on every input; they differ in speed alone. None reads a byte outside (p, n).
 * p may be NULL when n is 0.
 */
#ifndef ABR_TEXT_KERNELS_H
#define ABR_TEXT_KERNELS_H

#include "abridge.h"
#include "base/private.h"

ABR_PRIVATE_BEGIN

#if defined(__x86_64__) && defined(__GNUC__)
#define ABR_HAS_SSE2 1
#define ABR_HAS_AVX2 1
#elif defined(__aarch64__) && defined(__GNUC__) && !defined(__AARCH64EB__)
#define ABR_HAS_NEON 1
#endif

enum { ABR_CLASSIFIED = 64, ABR_FOLDED_MOST = 64 * 1024 };

/* The classes of 64 bytes, a bit a byte, the first one lowest. */
typedef struct {
    uint64_t letters; /* of ASCII */
    uint64_t upper;   /* the capitals of these */
    uint64_t digits;
    uint64_t blanks; /* and tabs */
    uint64_t colons; /* and opening parentheses: they precede line numbers */
    uint64_t high;   /* not ASCII */
    uint64_t marks;  /* _ / . - \ $ @ % =, which names have */
    uint64_t quotes; /* " ' ` <, and the last bytes of opening quotes: 98, 9C */
} abr_classes;

typedef struct {
    const char *name; /* what ABRIDGE_SIMD calls it */

    /* How many of the bytes (p, n) are c? */
    uint64_t (*count)(const char *p, size_t n, char c);

    /* Bytes of (p, n) up to and with its newline number *left, counted from 1, and 0 in *left. With fewer
     * newlines: n, and how many are missing. */
    size_t (*nth_newline)(const char *p, size_t n, uint64_t *left);

    /* The same from the end: bytes before the newline number *left from the end; with fewer, 0. */
    size_t (*nth_newline_back)(const char *p, size_t n, uint64_t *left);

    /* Bytes of the longest prefix of (p, n) that is well-formed UTF-8; *chars grows by its chars. */
    size_t (*well_formed)(const char *p, size_t n, uint64_t *chars);

    /* The same of plain text: well-formed UTF-8 that cleaning leaves alone, without controls (ASCII or C1)
     * but newline and tab. */
    size_t (*plain)(const char *p, size_t n);

    /* Classify the ABR_CLASSIFIED bytes at p. */
    void (*classify)(const char *p, abr_classes *out);

    /* Copy n bytes, whole blocks of ABR_CLASSIFIED and ABR_FOLDED_MOST at most, each digit as a zero. Returns
     * how many newlines there are; newlines[i] gets the place of each, and the one after the last gets
     * anything. */
    size_t (*fold)(const char *p, size_t n, char *to, uint16_t *newlines);
} abr_kernels;

ABR_PRIVATE_END

#endif
