/* Terminal escape sequences, which colour words and are not part of them. */
#ifndef ABR_LINE_ESCAPE_H
#define ABR_LINE_ESCAPE_H

#include <string.h>

#include "abridge.h"
#include "base/ascii.h"
#include "base/private.h"

ABR_PRIVATE_BEGIN

enum { ABR_ESCAPE_MOST = 32 /* bytes of a sequence */ };

/* Bytes of the sequence at p, ESC [ digits ; letter; 0 if there is none. */
static inline size_t abr_escape_size(const char *p, size_t n)
{
    if (n < 3 || p[0] != '\x1B' || p[1] != '[')
        return 0;
    size_t i = 2;
    while (i < n && i < ABR_ESCAPE_MOST && (abr_is_digit(p[i]) || p[i] == ';' || p[i] == '?'))
        i++;
    return i < n && i < ABR_ESCAPE_MOST && abr_is_letter(p[i]) ? i + 1 : 0;
}

/* The first ESC, or NULL. */
static inline const char *abr_find_escape(const char *p, size_t n)
{
    return memchr(p, '\x1B', n);
}

/* Copy (p, n) and `more` bytes after it, at least 2 * ABR_ESCAPE_MOST, with blanks in place of sequences,
 * from the first ESC on. */
static inline void abr_blank_escapes(const char *p, size_t n, size_t more, const char *escape, char *to)
{
    memcpy(to, p, n + more);
    while (escape) {
        size_t at = (size_t)(escape - p);
        const size_t size = abr_escape_size(escape, n - at);
        if (size > 0) { /* in constant sizes, which needs no loop */
            memset(to + at, ' ', ABR_ESCAPE_MOST);
            memcpy(to + at + size, p + at + size, ABR_ESCAPE_MOST);
        }
        at += size > 0 ? size : 1;
        escape = abr_find_escape(p + at, n - at);
    }
}

ABR_PRIVATE_END

#endif
