/* Chars of ASCII, whatever the locale. */
#ifndef ABR_KINDS_CHARS_H
#define ABR_KINDS_CHARS_H

#include "abridge.h"
#include "base/private.h"

ABR_PRIVATE_BEGIN

static inline bool abr_is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static inline bool abr_is_upper(char c)
{
    return c >= 'A' && c <= 'Z';
}

static inline bool abr_is_lower(char c)
{
    return c >= 'a' && c <= 'z';
}

static inline bool abr_is_alpha(char c)
{
    return abr_is_lower(c) || abr_is_upper(c);
}

/* Of names in source: letters, digits, underscores. */
static inline bool abr_is_word(char c)
{
    return abr_is_alpha(c) || abr_is_digit(c) || c == '_';
}

static inline bool abr_is_hex(char c)
{
    return abr_is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

ABR_PRIVATE_END

#endif
