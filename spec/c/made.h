/* Texts made piece by piece. */
#ifndef MADE_H
#define MADE_H

#include "check.h"

/* A text that grows from {0}; its bytes are to be freed. */
typedef struct {
    char *p;
    size_t n;
    size_t size;
} made;

static inline void add_bytes(made *text, const char *p, size_t n)
{
    if (text->n + n > text->size) {
        text->size = 2 * (text->n + n);
        text->p = realloc(text->p, text->size);
        if (!text->p)
            exit(2);
    }
    if (n > 0)
        memcpy(text->p + text->n, p, n);
    text->n += n;
}

static inline void add(made *text, const char *p)
{
    add_bytes(text, p, strlen(p));
}

static inline void add_line(made *text, const char *line)
{
    add(text, line);
    add_bytes(text, "\n", 1);
}

/* `count` lines of a format in which each # stands for the line's number, from 1 on. */
static inline void add_lines(made *text, size_t count, const char *format)
{
    for (size_t i = 1; i <= count; i++) {
        char number[24];
        const size_t digits = (size_t)snprintf(number, sizeof number, "%zu", i);
        for (const char *f = format; *f; f++)
            add_bytes(text, *f == '#' ? number : f, *f == '#' ? digits : 1);
        add_bytes(text, "\n", 1);
    }
}

#endif
