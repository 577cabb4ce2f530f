/* Chars of ASCII, whatever the locale. */
#ifndef ABR_BASE_ASCII_H
#define ABR_BASE_ASCII_H

#include "abridge.h"
#include "base/private.h"

ABR_PRIVATE_BEGIN

/* Controls, by their names in ASCII. */
enum { ABR_BEL = 0x07, ABR_BS = 0x08, ABR_CAN = 0x18, ABR_SUB = 0x1A, ABR_ESC = 0x1B, ABR_DEL = 0x7F };

/* Is it a visible char or a blank? */
static inline bool abr_is_printable(char c)
{
    return c >= ' ' && c < ABR_DEL;
}

/* Is it a control that no text has? Text has tabs, newlines, carriage returns, and escapes of a terminal. */
static inline bool abr_is_odd_control(char c)
{
    return (unsigned char)c < ' ' && c != '\t' && c != '\n' && c != '\r' && c != ABR_ESC;
}

static inline bool abr_is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static inline bool abr_is_upper(char c)
{
    return c >= 'A' && c <= 'Z';
}

/* The small letter of a capital; any other char as it is. */
static inline char abr_to_lower(char c)
{
    return (char)(c | (abr_is_upper(c) ? ' ' : 0));
}

static inline bool abr_is_lower(char c)
{
    return c >= 'a' && c <= 'z';
}

static inline bool abr_is_letter(char c)
{
    return abr_is_lower(abr_to_lower(c));
}

/* Is it a char of names in source: a letter, a digit, an underscore? */
static inline bool abr_is_word(char c)
{
    return abr_is_letter(c) || abr_is_digit(c) || c == '_';
}

static inline bool abr_is_hex(char c)
{
    return abr_is_digit(c) || (abr_to_lower(c) >= 'a' && abr_to_lower(c) <= 'f');
}

ABR_PRIVATE_END

#endif
