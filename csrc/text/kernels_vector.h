/*
 * The kernels over vectors, written once. The file of each set of instructions includes this header after
 * defining
 *
 *   V(name)       the name with the set's suffix: all sets may stand in one translation unit
 *   SET           the set's name, a string
 *   KERNEL        the prefix of its functions, which compiles them for these instructions
 *   INLINE        the same for functions that become part of others, compiled for the values they get
 *   WIDTH         bytes of a vector
 *   SPREAD        bits a byte in a mask
 *   BYTES, FLAGS  vectors of uint8_t and of int8_t; a comparison gives flags, -1 for true
 *   LOOKUP        if it has V(lookup)
 *   SIGNS         if it has its own V(is_mark) and V(is_quote)
 *   CLASSIFY      if it has its own V(classify)
 *
 * and these functions:
 *
 *   V(mask)(FLAGS)   the lowest of SPREAD bits set for each true one
 *   V(bits)(FLAGS)   a bit for each, as a mask of SPREAD 1 is; not with CLASSIFY
 *   V(any)(FLAGS)    is one of them true?
 *   V(sum)(BYTES)    of all of them
 *
 * It undefines all of these macros at its end.
 *
 * Newlines are counted in lanes of 8 bits, summed before they overflow: faster than wider ones. Memory is
 * prefetched 4 KiB ahead, across the end of a page, where processors stop on their own.
 */
#include <string.h>

#define AHEAD 4096
#define LINE 64 /* bytes of a cache line */
#define UNROLLED ((size_t)4 * WIDTH)
#define MOST_ROUNDS (UINT8_MAX / 4) /* that a lane can count */
#define COUNTED 1024                /* bytes counted at once on the way to a newline far off */
#define WALKED 16                   /* newlines up to which walking from one to the next is as fast */
#define CHECKED ((size_t)2 * LINE)  /* bytes checked at once; a multiple of WIDTH */
#define MOST_BEFORE 3               /* bytes before one that may belong to its char */
#define VECTORS (ABR_CLASSIFIED / WIDTH)

INLINE BYTES V(load)(const char *p)
{
    BYTES x;
    memcpy(&x, p, sizeof x);
    return x;
}

INLINE void V(prefetch)(const char *p, size_t n)
{
    for (size_t line = 0; line < n; line += LINE)
        __builtin_prefetch(p + line);
}

/* ---- newlines ---- */

INLINE BYTES V(equal)(const char *p, BYTES wanted)
{
    return (BYTES)(V(load)(p) == wanted); /* 255 each */
}

KERNEL uint64_t V(count)(const char *p, size_t n, char c)
{
    const BYTES wanted = (BYTES){0} + (uint8_t)c;
    uint64_t count = 0;
    size_t i = 0;
    for (size_t rounds; (rounds = (n - i) / UNROLLED) > 0;) {
        if (rounds > MOST_ROUNDS)
            rounds = MOST_ROUNDS;
        size_t stop = i + rounds * UNROLLED;
        size_t ahead = n - stop >= AHEAD ? AHEAD : 0;
        BYTES lanes = {0};
        for (; i < stop; i += UNROLLED) {
            V(prefetch)(p + i + ahead, UNROLLED);
            lanes -=
                (V(equal)(p + i, wanted) + V(equal)(p + i + sizeof lanes, wanted)) +
                (V(equal)(p + i + 2 * sizeof lanes, wanted) + V(equal)(p + i + 3 * sizeof lanes, wanted));
        }
        count += V(sum)(lanes);
    }
    if (n < WIDTH)
        return abr_scalar.count(p, n, c);
    BYTES lanes = {0};
    for (; n - i >= WIDTH; i += WIDTH)
        lanes -= V(equal)(p + i, wanted);
    if (i < n) { /* the last vector begins in what was counted */
        uint64_t last = V(mask)(V(load)(p + n - WIDTH) == wanted);
        count += (uint64_t)__builtin_popcountll(last >> (WIDTH - (n - i)) * SPREAD);
    }
    return count + V(sum)(lanes);
}

KERNEL size_t V(nth_newline)(const char *p, size_t n, uint64_t *left)
{
    size_t i = 0;
    for (; *left > WALKED && n - i >= COUNTED; i += COUNTED) {
        uint64_t here = V(count)(p + i, COUNTED, '\n');
        if (here >= *left)
            break;
        *left -= here;
    }
    for (; n - i >= WIDTH; i += WIDTH)
        for (uint64_t found = V(mask)(V(load)(p + i) == '\n'); found != 0; found &= found - 1)
            if (--*left == 0)
                return i + (size_t)__builtin_ctzll(found) / SPREAD + 1;
    return i + abr_scalar.nth_newline(p + i, n - i, left);
}

KERNEL size_t V(nth_newline_back)(const char *p, size_t n, uint64_t *left)
{
    size_t end = n;
    for (; *left > WALKED && end >= COUNTED; end -= COUNTED) {
        uint64_t here = V(count)(p + end - COUNTED, COUNTED, '\n');
        if (here >= *left)
            break;
        *left -= here;
    }
    for (; end >= WIDTH; end -= WIDTH) {
        uint64_t found = V(mask)(V(load)(p + end - WIDTH) == '\n');
        while (found != 0) {
            unsigned top = 63 - (unsigned)__builtin_clzll(found);
            if (--*left == 0)
                return end - WIDTH + top / SPREAD;
            found ^= UINT64_C(1) << top;
        }
    }
    return abr_scalar.nth_newline_back(p, end, left);
}

/* ---- UTF-8 ---- */

/* Where (p, WIDTH), of bytes x, breaks the rules of table 3-7 of the Unicode standard: a continuation byte
 * stands where none is wanted, or another byte where one is; a byte is in no sequence at all; a second byte
 * is out of the narrower range that its lead has. The three bytes before p may be read. */
#ifdef LOOKUP
INLINE FLAGS V(malformed)(const char *p, BYTES x)
{
    BYTES before = V(load)(p - 1);
    BYTES pair = V(lookup)(abr_first_high, before >> 4) & V(lookup)(abr_first_low, before & 15) &
                 V(lookup)(abr_second_high, x >> 4);
    FLAGS two_before = (FLAGS)V(load)(p - 2);
    FLAGS three_before = (FLAGS)V(load)(p - 3);
    FLAGS third =
        (two_before & (two_before > -33)) | (three_before & (three_before > -17)); /* E0, F0 and more */
    return (FLAGS)pair ^ (third & INT8_MIN);
}
#else
INLINE FLAGS V(malformed)(const char *p, BYTES x)
{
    BYTES before = V(load)(p - 1);
    FLAGS continues = (FLAGS)x < -64;
    FLAGS wanted = (before >= 0xC0) | (V(load)(p - 2) >= 0xE0) | (V(load)(p - 3) >= 0xF0);
    FLAGS never = ((x & 0xFE) == 0xC0) | (x >= 0xF5);
    FLAGS to_8f = (FLAGS)x < -112;
    FLAGS to_9f = (FLAGS)x < -96;
    FLAGS narrower = ((before == 0xE0) & to_9f) | ((before == 0xED) & ~to_9f) | ((before == 0xF0) & to_8f) |
                     ((before == 0xF4) & ~to_8f);
    return (continues ^ wanted) | never | narrower;
}
#endif

/* Printable ASCII, newlines and tabs: with one added, 0x7F and what is not ASCII are negative, and 0xFF is 0.
 * The three exclude each other; a sum of them is what compilers make the best of. */
INLINE FLAGS V(is_plain)(BYTES x)
{
    return ((FLAGS)(x + 1) > ' ') + (x == '\n') + (x == '\t');
}

/* U+0080 to U+009F in (p, WIDTH), of bytes x, where it is well-formed. */
INLINE FLAGS V(c1_in)(const char *p, BYTES x)
{
    return (V(load)(p - 1) == 0xC2) & ((FLAGS)x < -96);
}

/* Length of the run of ASCII, or plain ASCII, at the start of (p, n); less than a vector may be left out. */
INLINE size_t V(ascii_run)(const char *p, size_t n, bool plain)
{
    size_t i = 0;
    for (; n - i >= WIDTH; i += WIDTH) {
        BYTES x = V(load)(p + i);
        uint64_t found = V(mask)(plain ? ~V(is_plain)(x) : (FLAGS)x < 0);
        if (found != 0)
            return i + (size_t)__builtin_ctzll(found) / SPREAD;
    }
    return i;
}

/* Is (p, CHECKED) well-formed, given the bytes before it, and if `plain` without C1? Then *chars grows by its
 * chars. */
INLINE bool V(is_fine)(const char *p, bool plain, uint64_t *chars)
{
    FLAGS wrong = {0};
    FLAGS c1 = {0};
    BYTES starts = {0};
    for (size_t i = 0; i < CHECKED; i += WIDTH) {
        BYTES x = V(load)(p + i);
        wrong |= V(malformed)(p + i, x);
        if (plain)
            c1 |= V(c1_in)(p + i, x);
        starts -= (BYTES)((FLAGS)x >= -64);
    }
    if (V(any)(wrong | c1))
        return false;
    *chars += V(sum)(starts);
    return true;
}

/* Length of a prefix that is well-formed, or plain: by blocks, and then as far as ASCII goes. A block of only
 * ASCII after another such block is looked at no further. The last sequence of a block is judged with the
 * bytes after it. */
INLINE size_t V(fine_run)(const char *p, size_t n, bool plain, uint64_t *chars)
{
    bool after_ascii = true;
    size_t i = 0;
    for (; n - i >= CHECKED; i += CHECKED) {
        V(prefetch)(p + i + (n - i >= AHEAD + CHECKED ? AHEAD : 0), CHECKED);
        BYTES high = {0};
        FLAGS allowed = ~(FLAGS){0}; /* by the high bit: every byte is plain or not ASCII */
        for (size_t j = 0; j < CHECKED; j += WIDTH) {
            BYTES x = V(load)(p + i + j);
            high |= x;
            if (plain)
                allowed &= V(is_plain)(x) | (FLAGS)x;
        }
        if (plain && V(any)(allowed >= 0))
            break;
        bool ascii = !V(any)((FLAGS)high < 0);
        if (ascii && after_ascii) {
            *chars += CHECKED;
            continue;
        }
        after_ascii = ascii;
        char first[MOST_BEFORE + CHECKED];
        const char *block = p + i;
        if (i == 0) { /* before which nothing can be read */
            memset(first, 0, MOST_BEFORE);
            block = memcpy(first + MOST_BEFORE, p, CHECKED);
        }
        if (!V(is_fine)(block, plain, chars))
            break;
    }
    for (size_t back = 1; back <= MOST_BEFORE && back <= i && (p[i - back] & 0x80); back++) {
        if ((unsigned char)p[i - back] >= 0xC0) {
            --*chars;
            return i - back;
        }
    }
    size_t run = V(ascii_run)(p + i, n - i, plain);
    *chars += run;
    return i + run;
}

KERNEL size_t V(well_formed)(const char *p, size_t n, uint64_t *chars)
{
    size_t i = V(fine_run)(p, n, false, chars);
    return i + abr_scalar.well_formed(p + i, n - i, chars);
}

KERNEL size_t V(plain)(const char *p, size_t n)
{
    uint64_t chars = 0;
    enum { CHAR = MOST_BEFORE + 1 };
    size_t i = V(ascii_run)(p, n < CHECKED ? n : CHECKED, true); /* between what is cleaned runs are short */
    if (i < n && abr_scalar.plain(p + i, n - i < CHAR ? n - i : (size_t)CHAR) == 0)
        return i;
    i += V(fine_run)(p + i, n - i, true, &chars);
    return i + abr_scalar.plain(p + i, n - i);
}

/* ---- classes ---- */

/* Bytes from `first` on, `count` of them: one comparison of signed numbers, which every processor has. */
INLINE FLAGS V(in_range)(BYTES x, uint8_t first, uint8_t count)
{
    return (FLAGS)(x - (uint8_t)(first + 128)) < (int8_t)(count - 128);
}

INLINE FLAGS V(is_digit)(BYTES x)
{
    return V(in_range)(x, '0', 10);
}

ABR_WRAPS KERNEL size_t V(fold)(const char *p, size_t n, char *to, uint16_t *newlines)
{
    enum { OF_DIGIT = 15 /* the bits in which digits differ, none of which a zero has */, AT_ONCE = 2 };
    size_t count = 0;
    for (size_t at = 0; at < n; at += WIDTH) {
        const BYTES x = V(load)(p + at);
        const BYTES folded = x & ~((BYTES)V(is_digit)(x) & OF_DIGIT);
        memcpy(to + at, &folded, sizeof folded);
        uint64_t found = V(mask)(x == '\n');
        /* few vectors have more than these, so they are noted without asking whether there are any */
        for (size_t i = 0; i < AT_ONCE || found != 0; i++) {
            newlines[count] = (uint16_t)(at + (size_t)__builtin_ctzll(found | UINT64_C(1) << 63) / SPREAD);
            count += found != 0;
            found &= found - 1;
        }
    }
    return count;
}

#ifndef CLASSIFY

INLINE FLAGS V(is_letter)(BYTES x)
{
    return V(in_range)(x | ' ', 'a', 26);
}

INLINE FLAGS V(is_upper)(BYTES x)
{
    return V(in_range)(x, 'A', 26);
}

INLINE FLAGS V(is_blank)(BYTES x)
{
    return (FLAGS)((x == ' ') | (x == '\t'));
}

INLINE FLAGS V(is_colon)(BYTES x)
{
    return (FLAGS)((x == ':') | (x == '('));
}

INLINE FLAGS V(is_high)(BYTES x)
{
    return (FLAGS)x < 0;
}

#ifndef SIGNS
INLINE FLAGS V(is_mark)(BYTES x)
{
    return (FLAGS)((x == '_') | (x == '\\') | (x == '=') | (x == '@')) | V(in_range)(x, '-', 3) |
           V(in_range)(x, '$', 2);
}

INLINE FLAGS V(is_quote)(BYTES x)
{
    return (FLAGS)((x == '"') | (x == '\'') | (x == '`') | (x == '<') | ((x & 0xFB) == 0x98));
}
#endif

/* Where `is` holds in the vectors, a bit a byte. The masks are kept apart: compilers would pack them into
 * vectors to store them, which takes longer than all the rest. */
INLINE uint64_t V(where)(const BYTES x[VECTORS], FLAGS (*is)(BYTES))
{
    uint64_t found = 0;
    for (unsigned i = 0; i < VECTORS; i++)
        found |= V(bits)(is(x[i])) << (i * WIDTH);
    __asm__ volatile("" : "+r"(found));
    return found;
}

KERNEL void V(classify)(const char *p, abr_classes *out)
{
    BYTES x[VECTORS];
    for (size_t i = 0; i < VECTORS; i++)
        x[i] = V(load)(p + i * WIDTH);
    out->letters = V(where)(x, V(is_letter));
    out->upper = V(where)(x, V(is_upper));
    out->digits = V(where)(x, V(is_digit));
    out->blanks = V(where)(x, V(is_blank));
    out->colons = V(where)(x, V(is_colon));
    out->high = V(where)(x, V(is_high));
    out->marks = V(where)(x, V(is_mark));
    out->quotes = V(where)(x, V(is_quote));
}
#endif

const abr_kernels V(abr) = {SET,      V(count),    V(nth_newline), V(nth_newline_back), V(well_formed),
                            V(plain), V(classify), V(fold)};

#undef V
#undef SET
#undef KERNEL
#undef INLINE
#undef WIDTH
#undef SPREAD
#undef BYTES
#undef FLAGS
#undef LOOKUP
#undef SIGNS
#undef CLASSIFY

#undef AHEAD
#undef LINE
#undef UNROLLED
#undef COUNTED
#undef WALKED
#undef MOST_ROUNDS
#undef CHECKED
#undef MOST_BEFORE
#undef VECTORS
