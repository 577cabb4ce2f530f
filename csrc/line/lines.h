/* The lines of a text, one after the other. In a header, since every kind is recognized by its lines. */
#ifndef ABR_LINE_LINES_H
#define ABR_LINE_LINES_H

#include <string.h>

#include "abridge.h"
#include "base/private.h"

ABR_PRIVATE_BEGIN

/* A line without its newline and the CR before that. */
typedef struct {
    const char *p;
    size_t n;
} abr_text_line;

/* The line of (p, n) that starts at *at; moves *at to the next one. False at the end. */
static inline bool abr_next_line(const char *p, size_t n, size_t *at, abr_text_line *line)
{
    if (*at >= n)
        return false;
    const char *newline = memchr(p + *at, '\n', n - *at);
    size_t end = newline ? (size_t)(newline - p) : n;
    line->p = p + *at;
    line->n = end - *at;
    *at = newline ? end + 1 : end;
    if (line->n > 0 && line->p[line->n - 1] == '\r')
        line->n--;
    return true;
}

/* A line without its newline, if that is here, and the CRs before it. */
static inline abr_text_line abr_without_newline(const char *p, size_t n)
{
    n -= n > 0 && p[n - 1] == '\n';
    while (n > 0 && p[n - 1] == '\r')
        n--;
    return (abr_text_line){p, n};
}

/* The line without the blanks and tabs at its two ends. */
static inline abr_text_line abr_trimmed(abr_text_line line)
{
    while (line.n > 0 && (line.p[line.n - 1] == ' ' || line.p[line.n - 1] == '\t'))
        line.n--;
    while (line.n > 0 && (*line.p == ' ' || *line.p == '\t')) {
        line.p++;
        line.n--;
    }
    return line;
}

static inline bool abr_has_at(abr_text_line line, size_t at, const char *text, size_t n)
{
    return n <= line.n && at <= line.n - n && memcmp(line.p + at, text, n) == 0;
}

static inline bool abr_starts_with(const char *p, size_t n, const char *text)
{
    const size_t size = strlen(text);
    return n >= size && memcmp(p, text, size) == 0;
}

static inline bool abr_ends_with(const char *p, size_t n, const char *text)
{
    const size_t size = strlen(text);
    return n >= size && memcmp(p + n - size, text, size) == 0;
}

static inline bool abr_contains(abr_text_line line, const char *text, size_t n)
{
    size_t at = *text == ' ' && n > 1; /* a blank is nearly everywhere */
    while (line.n >= n) {
        const char *p = memchr(line.p + at, text[at], line.n - n + 1);
        if (!p)
            return false;
        p -= at;
        if (memcmp(p, text, n) == 0)
            return true;
        line.n -= (size_t)(p + 1 - line.p);
        line.p = p + 1;
    }
    return false;
}

/* Does the line contain this literal? */
#define ABR_CONTAINS(line, literal) abr_contains((line), literal, sizeof(literal) - 1)

/* Does the line start with this literal? */
#define ABR_STARTS(line, literal) abr_has_at((line), 0, literal, sizeof(literal) - 1)

/* Does it end with it? */
#define ABR_ENDS(line, literal) abr_ends_with((line).p, (line).n, literal)

ABR_PRIVATE_END

#endif
