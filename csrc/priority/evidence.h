/* A line being read: its bytes, what its words say, and how much that counts. */
#ifndef ABR_PRIORITY_EVIDENCE_H
#define ABR_PRIORITY_EVIDENCE_H

#include <string.h>

#include "abridge.h"
#include "base/private.h"
#include "priority/words.h"

ABR_PRIVATE_BEGIN

/* Weights, on a scale where a clear error has 11. */
#define ABR_CLEAR 11.0F /* a form that only an error has */
#define ABR_BAD 6.0F    /* wrong in most sentences */
#define ABR_WEAK 1.5F
#define ABR_WARNED 2.0F
#define ABR_EXPECTS 3.0F /* added to these: what was expected */
#define ABR_SUMS_UP 3.5F /* counts of what ran */
#define ABR_CAUSED 5.0F  /* a reason */
#define ABR_AGAIN 3.0F   /* a second clear word */

/* A line that is read. */
typedef struct {
    const char *p;
    size_t n;
    const abr_line_words *words;
    unsigned quiet; /* groups that are switched off */
    float strong;   /* of the best word */
    float expected;
    float summary;
    bool passed;
    bool low_level;
    bool stepped;
    bool is_clear;
    size_t at; /* of the best word */
} abr_said;

static inline char byte_at(const abr_said *l, size_t at)
{
    if (at < l->n)
        return l->p[at];
    return '\n';
}

static inline char byte_before(const abr_said *l, size_t at)
{
    if (at > 0)
        return l->p[at - 1];
    return '\n';
}

static inline bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static inline bool is_upper(char c)
{
    return c >= 'A' && c <= 'Z';
}

static inline bool is_alnum(char c)
{
    return is_digit(c) || is_upper(c) || (c >= 'a' && c <= 'z') || (unsigned char)c >= 0x80;
}

static inline bool is_one_of(char c, const char *set)
{
    for (; *set != '\0'; set++) /* no call of a library for a few bytes */
        if (*set == c)
            return true;
    return false;
}

static inline size_t skip(const abr_said *l, size_t at, const char *set)
{
    while (at < l->n && is_one_of(l->p[at], set))
        at++;
    return at;
}

static inline size_t skip_digits(const abr_said *l, size_t at)
{
    while (at < l->n && is_digit(l->p[at]))
        at++;
    return at;
}

static inline bool starts_with(const abr_said *l, size_t at, const char *text)
{
    size_t n = strlen(text);
    return at + n <= l->n && memcmp(l->p + at, text, n) == 0;
}

static inline size_t end_of(const abr_sign *s)
{
    return (size_t)s->at + s->n;
}

static inline bool all_caps(const abr_said *l, const abr_sign *s)
{
    return is_upper(l->p[s->at]) && is_upper(l->p[s->at + s->n - 1]);
}

static inline bool is_word(const abr_said *l, const abr_sign *s, const char *word)
{
    size_t n = strlen(word);
    for (size_t i = 0; i < n; i++)
        if (s->n != n || (l->p[s->at + i] | ' ') != word[i])
            return false;
    return true;
}

static inline bool is_first(const abr_said *l, const abr_sign *s)
{
    return s->at == l->words->first;
}

ABR_PRIVATE_END

#endif
