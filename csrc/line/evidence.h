/* A line being read: its bytes, its words, and what they have said so far. */
#ifndef ABR_LINE_EVIDENCE_H
#define ABR_LINE_EVIDENCE_H

#include <string.h>

#include "abridge.h"
#include "base/ascii.h"
#include "base/private.h"
#include "line/char_set.h"
#include "line/trace.h"
#include "line/words.h"

ABR_PRIVATE_BEGIN

enum { ABR_LEADS_WITHIN = 24 /* what stands in so many bytes at a line's start leads it */ };

/* The answer to a question about the whole line, found once, when it is asked. */
typedef enum { ABR_ANSWER_UNASKED = 0, ABR_ANSWER_NO, ABR_ANSWER_YES } abr_answer;

/* What a reading depends on, of the digits of a line. */
typedef enum {
    ABR_DIGITS_ANY = 0, /* with other digits it says the same, */
    ABR_DIGITS_ZERO,    /* as long as the same numbers are zero, */
    ABR_DIGITS_EXACT    /* or it may say something else */
} abr_digits;

typedef struct {
    const char *p;
    size_t n;
    const abr_line_words *words;
    abr_answer as_text;   /* it is written, not reported: no word counts */
    abr_answer as_source; /* a word that labels a message counts still */
    const abr_lexicon *lexicon;
    float strong;       /* score of the best word */
    float expected;     /* score of what was expected, or why */
    float summary;      /* score of counts and results */
    bool passed;        /* it says that something went well */
    bool low_level;     /* it has a low log level */
    bool stepped;       /* it says what is being done */
    bool counted;       /* some failed, in number */
    bool warns;         /* a compiler's "warning:" */
    bool remarks;       /* a compiler's "warning:" or "note:", whatever it is about */
    bool exited;        /* with a status that is not 0 */
    bool is_clear;      /* a form was found that only an error has */
    size_t at;          /* of the best word */
    abr_digits *digits; /* what the reading depends on so far */
    abr_trace *trace;   /* NULL: nobody asks */
} abr_evidence;

/* Note what n bytes at `at` are worth to the line. */
static inline void note_score(const abr_evidence *l, size_t at, size_t n, abr_rule_table table, float score)
{
    if (l->trace)
        abr_trace_add(l->trace, &(abr_traced){.at = at, .n = (uint32_t)n, .table = table, .score = score});
}

/* The same of a form that is no word. */
static inline void note_form(const abr_evidence *l, size_t at, const char *form, float score)
{
    if (l->trace)
        abr_trace_add(l->trace,
                      &(abr_traced){.at = at, .table = ABR_TABLE_FORMS, .form = form, .score = score});
}

/* `denied`, noted with its reason. */
static inline bool deny(const abr_evidence *l, const abr_sign *s, abr_denial why, bool denied)
{
    if (denied && l->trace)
        abr_trace_add(l->trace, &(abr_traced){.at = s->at,
                                              .n = s->n,
                                              .table = s->type ? ABR_TABLE_ENDINGS : ABR_TABLE_WORDS,
                                              .denial = why});
    return denied;
}

/* A rule is about to look at which digit it is, not just that it is one: see recall.c. */
static inline void tell_digits(const abr_evidence *l)
{
    *l->digits = ABR_DIGITS_EXACT;
}

/* A rule is about to look whether a number is zero, or starts with a zero. */
static inline void tell_zeros(const abr_evidence *l)
{
    if (*l->digits == ABR_DIGITS_ANY)
        *l->digits = ABR_DIGITS_ZERO;
}

static inline char byte_at(const abr_evidence *l, size_t at)
{
    if (at < l->n)
        return l->p[at];
    return '\n';
}

static inline char byte_before(const abr_evidence *l, size_t at)
{
    if (at > 0)
        return l->p[at - 1];
    return '\n';
}

/* A letter, a digit, or a byte of a char beyond ASCII. */
static inline bool is_alnum(char c)
{
    return abr_is_digit(c) || abr_is_letter(c) || (unsigned char)c >= 0x80;
}

static inline size_t skip(const abr_evidence *l, size_t at, abr_char_set set)
{
    while (at < l->n && abr_has_char(set, l->p[at]))
        at++;
    return at;
}

static inline size_t skip_digits(const abr_evidence *l, size_t at)
{
    while (at < l->n && abr_is_digit(l->p[at]))
        at++;
    return at;
}

static inline bool starts_with(const abr_evidence *l, size_t at, const char *text)
{
    size_t n = strlen(text);
    return at + n <= l->n && memcmp(l->p + at, text, n) == 0;
}

static inline size_t end_of(const abr_sign *s)
{
    return (size_t)s->at + s->n;
}

static inline bool all_caps(const abr_evidence *l, const abr_sign *s)
{
    return abr_is_upper(l->p[s->at]) && abr_is_upper(l->p[s->at + s->n - 1]);
}

static inline bool is_word(const abr_evidence *l, const abr_sign *s, const char *word)
{
    size_t n = strlen(word);
    if (s->n != n)
        return false;
    for (size_t i = 0; i < n; i++)
        if ((l->p[s->at + i] | ' ') != word[i])
            return false;
    return true;
}

static inline bool is_first(const abr_evidence *l, const abr_sign *s)
{
    return s->at == l->words->first;
}

ABR_PRIVATE_END

#endif
