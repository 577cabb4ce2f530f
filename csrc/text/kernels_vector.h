/*
 * The kernels over vectors, written once. The file of each set of instructions includes this after defining
 *
 *   KERNEL        the prefix of its functions, which makes them be compiled for these instructions
 *   INLINE        the same for functions that become part of others, compiled for the values they get
 *   WIDTH         bytes of a vector
 *   SPREAD        bits a byte in a mask
 *   bytes, flags  vectors of uint8_t and of int8_t; a comparison gives flags, -1 for true
 *   mask(flags)   the lowest of SPREAD bits set for each true one
 *   bits(flags)   a bit for each, as a mask of SPREAD 1 is; not with a classify() of its own
 *   any(flags)    is one of them true?
 *   sum(bytes)    of all of them
 *   CLASSIFY      it has its own classify()
 *
 * Newlines are counted in lanes of 8 bits, summed before they overflow: faster than wider ones. Memory is
 * prefetched 4 KiB ahead, across the end of a page, where processors stop on their own.
 */
#include <string.h>

enum {
    AHEAD = 4096,
    LINE = 64, /* bytes of a cache line */
    UNROLLED = 4 * WIDTH,
    MOST_ROUNDS = UINT8_MAX / 4, /* that a lane can count */
    COUNTED = 1024,              /* bytes counted at once on the way to a newline far off */
    WALKED = 16,                 /* newlines up to which walking from one to the next is as fast */
    CHECKED = 2 * LINE,          /* bytes checked at once; a multiple of WIDTH */
    MOST_BEFORE = 3,             /* bytes before one that may belong to its char */
    VECTORS = ABR_CLASSIFIED / WIDTH
};

INLINE bytes load(const char *p)
{
    bytes x;
    memcpy(&x, p, sizeof x);
    return x;
}

INLINE void prefetch(const char *p, size_t n)
{
    for (size_t line = 0; line < n; line += LINE)
        __builtin_prefetch(p + line);
}

/* ---- newlines ---- */

INLINE bytes newlines(const char *p)
{
    return (bytes)(load(p) == '\n'); /* 255 each */
}

KERNEL uint64_t count_newlines(const char *p, size_t n)
{
    uint64_t count = 0;
    size_t i = 0;
    for (size_t rounds; (rounds = (n - i) / UNROLLED) > 0;) {
        if (rounds > MOST_ROUNDS)
            rounds = MOST_ROUNDS;
        size_t stop = i + rounds * UNROLLED;
        size_t ahead = n - stop >= AHEAD ? AHEAD : 0;
        bytes lanes = {0};
        for (; i < stop; i += UNROLLED) {
            prefetch(p + i + ahead, UNROLLED);
            lanes -= (newlines(p + i) + newlines(p + i + sizeof lanes)) +
                     (newlines(p + i + 2 * sizeof lanes) + newlines(p + i + 3 * sizeof lanes));
        }
        count += sum(lanes);
    }
    if (n < WIDTH)
        return abr_scalar.count_newlines(p, n);
    bytes lanes = {0};
    for (; n - i >= WIDTH; i += WIDTH)
        lanes -= newlines(p + i);
    if (i < n) { /* the last vector begins in what was counted */
        uint64_t last = mask(load(p + n - WIDTH) == '\n');
        count += (uint64_t)__builtin_popcountll(last >> (WIDTH - (n - i)) * SPREAD);
    }
    return count + sum(lanes);
}

KERNEL size_t nth_newline(const char *p, size_t n, uint64_t *left)
{
    size_t i = 0;
    for (; *left > WALKED && n - i >= COUNTED; i += COUNTED) {
        uint64_t here = count_newlines(p + i, COUNTED);
        if (here >= *left)
            break;
        *left -= here;
    }
    for (; n - i >= WIDTH; i += WIDTH)
        for (uint64_t found = mask(load(p + i) == '\n'); found != 0; found &= found - 1)
            if (--*left == 0)
                return i + (size_t)__builtin_ctzll(found) / SPREAD + 1;
    return i + abr_scalar.nth_newline(p + i, n - i, left);
}

KERNEL size_t nth_newline_back(const char *p, size_t n, uint64_t *left)
{
    size_t end = n;
    for (; *left > WALKED && end >= COUNTED; end -= COUNTED) {
        uint64_t here = count_newlines(p + end - COUNTED, COUNTED);
        if (here >= *left)
            break;
        *left -= here;
    }
    for (; end >= WIDTH; end -= WIDTH) {
        uint64_t found = mask(load(p + end - WIDTH) == '\n');
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
/* What may be wrong with two bytes, a bit each, told by both halves of the first and the upper half of the
 * second; the algorithm is that of Keiser and Lemire, "Validating UTF-8 in less than one instruction per
 * byte" (2020). */
enum {
    ENDS_EARLY = 1 << 0, /* a lead, and no continuation byte */
    LOOSE = 1 << 1,      /* ASCII, and a continuation byte */
    LONG_2 = 1 << 2,     /* C0, C1 */
    LONG_3 = 1 << 3,     /* E0 80 to E0 9F */
    LONG_4 = 1 << 4,     /* F0 80 to F0 8F, and F5 to FF with these: */
    OVER_80 = LONG_4,
    OVER = 1 << 5,      /* F4 90 and more, F5 to FF with 90 and more */
    SURROGATE = 1 << 6, /* ED A0 to ED BF */
    CONTINUES = 1 << 7, /* two continuation bytes: right after a lead of three or four */
    ANY_LOW = ENDS_EARLY | LOOSE | CONTINUES,
    ANY_SECOND = LOOSE | LONG_2 | CONTINUES
};

static const uint8_t first_high[16] = {LOOSE,
                                       LOOSE,
                                       LOOSE,
                                       LOOSE,
                                       LOOSE,
                                       LOOSE,
                                       LOOSE,
                                       LOOSE,
                                       CONTINUES,
                                       CONTINUES,
                                       CONTINUES,
                                       CONTINUES,
                                       ENDS_EARLY | LONG_2,
                                       ENDS_EARLY,
                                       ENDS_EARLY | LONG_3 | SURROGATE,
                                       ENDS_EARLY | LONG_4 | OVER};
static const uint8_t first_low[16] = {ANY_LOW | LONG_2 | LONG_3 | LONG_4,
                                      ANY_LOW | LONG_2,
                                      ANY_LOW,
                                      ANY_LOW,
                                      ANY_LOW | OVER,
                                      ANY_LOW | OVER | OVER_80,
                                      ANY_LOW | OVER | OVER_80,
                                      ANY_LOW | OVER | OVER_80,
                                      ANY_LOW | OVER | OVER_80,
                                      ANY_LOW | OVER | OVER_80,
                                      ANY_LOW | OVER | OVER_80,
                                      ANY_LOW | OVER | OVER_80,
                                      ANY_LOW | OVER | OVER_80,
                                      ANY_LOW | OVER | OVER_80 | SURROGATE,
                                      ANY_LOW | OVER | OVER_80,
                                      ANY_LOW | OVER | OVER_80};
static const uint8_t second_high[16] = {ENDS_EARLY,
                                        ENDS_EARLY,
                                        ENDS_EARLY,
                                        ENDS_EARLY,
                                        ENDS_EARLY,
                                        ENDS_EARLY,
                                        ENDS_EARLY,
                                        ENDS_EARLY,
                                        ANY_SECOND | LONG_3 | LONG_4,
                                        ANY_SECOND | LONG_3 | OVER,
                                        ANY_SECOND | SURROGATE | OVER,
                                        ANY_SECOND | SURROGATE | OVER,
                                        ENDS_EARLY,
                                        ENDS_EARLY,
                                        ENDS_EARLY,
                                        ENDS_EARLY};

INLINE flags malformed(const char *p, bytes x)
{
    bytes before = load(p - 1);
    bytes pair =
        lookup(first_high, before >> 4) & lookup(first_low, before & 15) & lookup(second_high, x >> 4);
    flags two_before = (flags)load(p - 2);
    flags three_before = (flags)load(p - 3);
    flags third =
        (two_before & (two_before > -33)) | (three_before & (three_before > -17)); /* E0, F0 and more */
    return (flags)pair ^ (third & INT8_MIN);
}
#else
INLINE flags malformed(const char *p, bytes x)
{
    bytes before = load(p - 1);
    flags continues = (flags)x < -64;
    flags wanted = (before >= 0xC0) | (load(p - 2) >= 0xE0) | (load(p - 3) >= 0xF0);
    flags never = ((x & 0xFE) == 0xC0) | (x >= 0xF5);
    flags to_8f = (flags)x < -112;
    flags to_9f = (flags)x < -96;
    flags narrower = ((before == 0xE0) & to_9f) | ((before == 0xED) & ~to_9f) | ((before == 0xF0) & to_8f) |
                     ((before == 0xF4) & ~to_8f);
    return (continues ^ wanted) | never | narrower;
}
#endif

/* Printable ASCII, newlines and tabs: with one added, 0x7F and what is not ASCII are negative, and 0xFF is 0.
 * The three exclude each other; a sum of them is what compilers make the best of. */
INLINE flags is_plain(bytes x)
{
    return ((flags)(x + 1) > ' ') + (x == '\n') + (x == '\t');
}

/* U+0080 to U+009F in (p, WIDTH), of bytes x, where it is well-formed. */
INLINE flags c1_in(const char *p, bytes x)
{
    return (load(p - 1) == 0xC2) & ((flags)x < -96);
}

/* Length of the run of ASCII, or plain ASCII, at the start of (p, n); less than a vector may be left out. */
INLINE size_t ascii_run(const char *p, size_t n, bool plain)
{
    size_t i = 0;
    for (; n - i >= WIDTH; i += WIDTH) {
        bytes x = load(p + i);
        uint64_t found = mask(plain ? ~is_plain(x) : (flags)x < 0);
        if (found != 0)
            return i + (size_t)__builtin_ctzll(found) / SPREAD;
    }
    return i;
}

/* Is (p, CHECKED) well-formed, given the bytes before it, and if `plain` without C1? Then *chars grows by its
 * chars. */
INLINE bool is_fine(const char *p, bool plain, uint64_t *chars)
{
    flags wrong = {0};
    flags c1 = {0};
    bytes starts = {0};
    for (size_t i = 0; i < CHECKED; i += WIDTH) {
        bytes x = load(p + i);
        wrong |= malformed(p + i, x);
        if (plain)
            c1 |= c1_in(p + i, x);
        starts -= (bytes)((flags)x >= -64);
    }
    if (any(wrong | c1))
        return false;
    *chars += sum(starts);
    return true;
}

/* Length of a prefix that is well-formed, or plain: by blocks, and then as far as ASCII goes. A block of only
 * ASCII after another such block is looked at no further. The last sequence of a block is judged with the
 * bytes after it. */
INLINE size_t fine_run(const char *p, size_t n, bool plain, uint64_t *chars)
{
    bool after_ascii = true;
    size_t i = 0;
    for (; n - i >= CHECKED; i += CHECKED) {
        prefetch(p + i + (n - i >= AHEAD + CHECKED ? AHEAD : 0), CHECKED);
        bytes high = {0};
        flags allowed = ~(flags){0}; /* by the high bit: every byte is plain or not ASCII */
        for (size_t j = 0; j < CHECKED; j += WIDTH) {
            bytes x = load(p + i + j);
            high |= x;
            if (plain)
                allowed &= is_plain(x) | (flags)x;
        }
        if (plain && any(allowed >= 0))
            break;
        bool ascii = !any((flags)high < 0);
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
        if (!is_fine(block, plain, chars))
            break;
    }
    for (size_t back = 1; back <= MOST_BEFORE && back <= i && (p[i - back] & 0x80); back++) {
        if ((unsigned char)p[i - back] >= 0xC0) {
            --*chars;
            return i - back;
        }
    }
    size_t run = ascii_run(p + i, n - i, plain);
    *chars += run;
    return i + run;
}

KERNEL size_t well_formed(const char *p, size_t n, uint64_t *chars)
{
    size_t i = fine_run(p, n, false, chars);
    return i + abr_scalar.well_formed(p + i, n - i, chars);
}

KERNEL size_t plain(const char *p, size_t n)
{
    uint64_t chars = 0;
    enum { CHAR = MOST_BEFORE + 1 };
    size_t i = ascii_run(p, n < CHECKED ? n : CHECKED, true); /* between what is cleaned runs are short */
    if (i < n && abr_scalar.plain(p + i, n - i < CHAR ? n - i : (size_t)CHAR) == 0)
        return i;
    i += fine_run(p + i, n - i, true, &chars);
    return i + abr_scalar.plain(p + i, n - i);
}

/* ---- classes ---- */

/* Bytes from `first` on, `count` of them: one comparison of signed numbers, which every processor has. */
INLINE flags in_range(bytes x, uint8_t first, uint8_t count)
{
    return (flags)(x - (uint8_t)(first + 128)) < (int8_t)(count - 128);
}

INLINE flags is_digit(bytes x)
{
    return in_range(x, '0', 10);
}

KERNEL size_t fold(const char *p, size_t n, char *to, uint16_t *newlines)
{
    enum { OF_DIGIT = 15 /* the bits in which digits differ, none of which a zero has */, AT_ONCE = 2 };
    size_t count = 0;
    for (size_t at = 0; at < n; at += WIDTH) {
        const bytes x = load(p + at);
        const bytes folded = x & ~((bytes)is_digit(x) & OF_DIGIT);
        memcpy(to + at, &folded, sizeof folded);
        uint64_t found = mask(x == '\n');
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

INLINE flags is_letter(bytes x)
{
    return in_range(x | ' ', 'a', 26);
}

INLINE flags is_upper(bytes x)
{
    return in_range(x, 'A', 26);
}

INLINE flags is_blank(bytes x)
{
    return (flags)((x == ' ') | (x == '\t'));
}

INLINE flags is_colon(bytes x)
{
    return (flags)((x == ':') | (x == '('));
}

INLINE flags is_high(bytes x)
{
    return (flags)x < 0;
}

#ifdef LOOKUP
/* Each bit stands for a few bytes with one upper half: the lower four are marks, the others quotes. */
enum { DASHES = 1 << 0, EQUAL = 1 << 1, AT = 1 << 2, SLASHES = 1 << 3, MARKS = 15 };
enum { QUOTES = 1 << 4, CURLY = 1 << 5, OPENING = 1 << 6, TICK = 1 << 7 };
static const uint8_t sign_high[16] = {
    [2] = DASHES | QUOTES, [3] = EQUAL | OPENING, [4] = AT, [5] = SLASHES, [6] = TICK, [9] = CURLY | OPENING};
static const uint8_t sign_low[16] = {[0] = AT | TICK,
                                     [2] = QUOTES,
                                     [4] = DASHES,
                                     [5] = DASHES,
                                     [7] = QUOTES,
                                     [8] = CURLY,
                                     [12] = SLASHES | OPENING,
                                     [13] = DASHES | EQUAL,
                                     [14] = DASHES,
                                     [15] = DASHES | SLASHES};

INLINE bytes signs_of(bytes x)
{
    return lookup(sign_high, x >> 4) & lookup(sign_low, x & 15);
}

INLINE flags is_mark(bytes x)
{
    return (flags)((signs_of(x) & MARKS) != 0);
}

INLINE flags is_quote(bytes x)
{
    return (flags)(signs_of(x) > MARKS);
}
#else
INLINE flags is_mark(bytes x)
{
    return (flags)((x == '_') | (x == '\\') | (x == '=') | (x == '@')) | in_range(x, '-', 3) |
           in_range(x, '$', 2);
}

INLINE flags is_quote(bytes x)
{
    return (flags)((x == '"') | (x == '\'') | (x == '`') | (x == '<') | ((x & 0xFB) == 0x98));
}
#endif

/* Where `is` holds in the vectors, a bit a byte. The masks are kept apart: compilers would pack them into
 * vectors to store them, which takes longer than all the rest. */
INLINE uint64_t where(const bytes x[VECTORS], flags (*is)(bytes))
{
    uint64_t found = 0;
    for (unsigned i = 0; i < VECTORS; i++)
        found |= bits(is(x[i])) << (i * WIDTH);
    __asm__ volatile("" : "+r"(found));
    return found;
}

KERNEL void classify(const char *p, abr_classes *out)
{
    bytes x[VECTORS];
    for (size_t i = 0; i < VECTORS; i++)
        x[i] = load(p + i * WIDTH);
    out->letters = where(x, is_letter);
    out->upper = where(x, is_upper);
    out->digits = where(x, is_digit);
    out->blanks = where(x, is_blank);
    out->colons = where(x, is_colon);
    out->high = where(x, is_high);
    out->marks = where(x, is_mark);
    out->quotes = where(x, is_quote);
}
#endif
