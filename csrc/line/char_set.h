/* Sets of chars, and the chars of a line: rules that need a char skip lines without it. */
#ifndef ABR_LINE_CHAR_SET_H
#define ABR_LINE_CHAR_SET_H

#include "abridge.h"
#include "base/private.h"
#include "line/lines.h"

ABR_PRIVATE_BEGIN

/* One bit per char. DEL also stands for everything outside ASCII. */
typedef struct {
    uint64_t low; /* the chars before '@' */
    uint64_t high;
} abr_char_set;

/* The set of the chars of a literal: at most 18, all of them ASCII. */
#define ABR_SET(literal) ((abr_char_set){ABR_EACH(literal, ABR_BIT_LOW), ABR_EACH(literal, ABR_BIT_HIGH)})
#ifndef ABR_EACH /* make lint-cppcheck has one that is short */
#define ABR_EACH(literal, bit)                                                                               \
    (bit(literal, 0) | bit(literal, 1) | bit(literal, 2) | bit(literal, 3) | bit(literal, 4) |               \
     bit(literal, 5) | bit(literal, 6) | bit(literal, 7) | bit(literal, 8) | bit(literal, 9) |               \
     bit(literal, 10) | bit(literal, 11) | bit(literal, 12) | bit(literal, 13) | bit(literal, 14) |          \
     bit(literal, 15) | bit(literal, 16) | bit(literal, 17))
#endif
#define ABR_NTH(literal, i) ((literal)[(i) < sizeof(literal) - 1 ? (i) : 0])
#define ABR_BIT_LOW(literal, i) ((uint64_t)(ABR_NTH(literal, i) < 64) << ABR_NTH(literal, i) % 64)
#define ABR_BIT_HIGH(literal, i) ((uint64_t)(ABR_NTH(literal, i) >= 64) << ABR_NTH(literal, i) % 64)

#define ABR_DIGITS ABR_SET("0123456789")
#define ABR_CAPITALS ((abr_char_set){0, (uint64_t)0x07FFFFFE})
#define ABR_SMALL_LETTERS ((abr_char_set){0, (uint64_t)0x07FFFFFE << 32})
#define ABR_LETTERS ((abr_char_set){0, (uint64_t)0x07FFFFFE << 32 | 0x07FFFFFE})
#define ABR_HEX_DIGITS ((abr_char_set){(uint64_t)0x03FF << 48, (uint64_t)0x7E << 32 | 0x7E})
#define ABR_WORD_CHARS abr_joined(abr_joined(ABR_LETTERS, ABR_DIGITS), ABR_SET("_")) /* as abr_is_word() */

/* Is the char in the set of a literal? */
#define ABR_HAS(literal, c) abr_has_char(ABR_SET(literal), (c))

static inline bool abr_has_char(abr_char_set set, char c)
{
    unsigned char at = (unsigned char)c;
    return (at < 0x80) & ((at < 64 ? set.low : set.high) >> at % 64);
}

/* The end of the chars of a set from `at` on. */
static inline size_t abr_past(abr_text_line line, size_t at, abr_char_set set)
{
    while (at < line.n && abr_has_char(set, line.p[at]))
        at++;
    return at;
}

/* The start of the chars of a set that end at p + at. */
static inline size_t abr_back(const char *p, size_t at, abr_char_set set)
{
    while (at > 0 && abr_has_char(set, p[at - 1]))
        at--;
    return at;
}

static inline abr_char_set abr_set_of_char(char c)
{
    const unsigned char at = (unsigned char)c;
    return (abr_char_set){(uint64_t)(at < 64) << at % 64, (uint64_t)(at >= 64 && at < 128) << at % 64};
}

static inline bool abr_has_any(abr_char_set set, abr_char_set of)
{
    return ((set.low & of.low) | (set.high & of.high)) != 0;
}

static inline bool abr_has_only(abr_char_set set, abr_char_set of)
{
    return ((set.low & ~of.low) | (set.high & ~of.high)) == 0;
}

static inline abr_char_set abr_joined(abr_char_set a, abr_char_set b)
{
    return (abr_char_set){a.low | b.low, a.high | b.high};
}

/* Does the line, of these chars, contain this literal? Blanks aren't checked, as the chars may be those of
 * the line without the blanks around it. */
#define ABR_HOLDS(line, chars, literal)                                                                      \
    (abr_has_only(ABR_SET(literal), (abr_char_set){(chars).low | ABR_BIT_LOW(" ", 0), (chars).high}) &&      \
     ABR_CONTAINS(line, literal))

ABR_PRIVATE_END

#endif
