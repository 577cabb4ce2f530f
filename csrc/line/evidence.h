/* A line being read: its bytes, its words, and their findings so far. */
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

enum { ABR_LEADS_WITHIN = 24 /* a word leads a line within so many bytes of its start */ };

/* The answer to a question about the whole line, found when first asked. */
typedef enum { ABR_ANSWER_UNASKED = 0, ABR_ANSWER_NO, ABR_ANSWER_YES } abr_answer;

/* How a reading depends on the digits of a line. */
typedef enum {
    ABR_DIGITS_ANY = 0, /* it is the same with other digits, */
    ABR_DIGITS_ZERO,    /* as long as the same numbers are zero, */
    ABR_DIGITS_EXACT    /* or it may differ */
} abr_digits;

typedef struct {
    const char *p;
    size_t n;
    const abr_line_words *words;
    abr_answer as_text;   /* it is written, not reported: no word counts */
    abr_answer as_source; /* a word that labels a message still counts */
    const abr_lexicon *lexicon;
    float strong;       /* score of the best word */
    float expected;     /* score of an expectation, or a reason */
    float summary;      /* score of counts and results */
    bool passed;        /* it says that something went well */
    bool low_level;     /* it has a low log level */
    bool stepped;       /* it names a step in progress */
    bool counted;       /* it counts failures */
    bool warns;         /* a compiler's "warning:" */
    bool remarks;       /* a compiler's "warning:" or "note:", whatever it is about */
    bool only_remarks;  /* the same, before any word in a form that only errors have */
    bool notes;         /* a compiler's "note:" at a place, which explains the diagnostic before it */
    bool advises;       /* a warning of a program whose warnings are advice */
    bool exited;        /* with a status other than 0 */
    bool is_clear;      /* it has a form that only errors have */
    size_t at;          /* of the best word */
    abr_digits *digits; /* how the reading depends on digits so far */
    abr_trace *trace;   /* NULL: not wanted */
} abr_evidence;

/* Note the score that n bytes at `at` give the line. */
static inline void note_score(const abr_evidence *l, size_t at, size_t n, abr_rule_table table, float score)
{
    if (l->trace)
        abr_trace_add(l->trace, &(abr_traced){.at = at, .n = (uint32_t)n, .table = table, .score = score});
}

/* The same for a form that is not a word. */
static inline void note_form(const abr_evidence *l, size_t at, const char *form, float score)
{
    if (l->trace)
        abr_trace_add(l->trace,
                      &(abr_traced){.at = at, .table = ABR_TABLE_FORMS, .form = form, .score = score});
}

/* Note the reason if `denied`, and return it. */
static inline bool deny(const abr_evidence *l, const abr_sign *s, abr_denial why, bool denied)
{
    if (denied && l->trace)
        abr_trace_add(l->trace, &(abr_traced){.at = s->at,
                                              .n = s->n,
                                              .table = s->type ? ABR_TABLE_ENDINGS : ABR_TABLE_WORDS,
                                              .denial = why});
    return denied;
}

/* A rule is about to look at the value of a digit: see recall.c. */
static inline void tell_digits(const abr_evidence *l)
{
    *l->digits = ABR_DIGITS_EXACT;
}

/* A rule is about to check whether a number is zero, or starts with a zero. */
static inline void tell_zeros(const abr_evidence *l)
{
    if (*l->digits == ABR_DIGITS_ANY)
        *l->digits = ABR_DIGITS_ZERO;
}

/* Does the line start with a place, as a diagnostic does? */
static inline bool leads_with_place(const abr_evidence *l)
{
    const abr_line_words *w = l->words;
    return w->located < l->n && (w->located <= w->indent || w->located <= ABR_LEADS_WITHIN);
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

/* Does `text` stand right before `at`? */
static inline bool preceded_by(const abr_evidence *l, size_t at, const char *text)
{
    const size_t n = strlen(text);
    return at >= n && memcmp(l->p + at - n, text, n) == 0;
}

/* A letter, a digit, or a byte of a char beyond ASCII. */
static inline bool is_alnum(char c)
{
    return abr_is_digit(c) || abr_is_letter(c) || (unsigned char)c >= 0x80;
}

static inline size_t skip(const abr_evidence *l, size_t at, abr_char_set set)
{
    return abr_past((abr_text_line){l->p, l->n}, at, set);
}

/* The same for chars of a set, letters, digits and bytes beyond ASCII. */
static inline size_t skip_name(const abr_evidence *l, size_t at, abr_char_set set)
{
    while (at < l->n && (is_alnum(l->p[at]) || abr_has_char(set, l->p[at])))
        at++;
    return at;
}

/* The start of these that end at `at`. */
static inline size_t skip_name_back(const abr_evidence *l, size_t at, abr_char_set set)
{
    while (at > 0 && (is_alnum(l->p[at - 1]) || abr_has_char(set, l->p[at - 1])))
        at--;
    return at;
}

/* Does the text stand at `at` or later? */
static inline bool has_from(const abr_evidence *l, size_t at, const char *text)
{
    return abr_contains((abr_text_line){l->p + at, l->n - at}, text, strlen(text));
}

static inline bool starts_with(const abr_evidence *l, size_t at, const char *text)
{
    if (byte_at(l, at) != *text) /* most lines */
        return false;
    const size_t n = strlen(text);
    return at + n <= l->n && memcmp(l->p + at, text, n) == 0;
}

/* Does the text of n small letters stand at `at`, in either case? */
static inline bool stands_at(const abr_evidence *l, size_t at, const char *text, size_t n)
{
    size_t i = 0;
    while (i < n && abr_to_lower(byte_at(l, at + i)) == text[i])
        i++;
    return i == n;
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

static inline size_t end_without_blanks(const abr_evidence *l)
{
    return abr_back(l->p, l->n, ABR_SET(" \t\r"));
}

static inline const abr_sign *signs_end(const abr_evidence *l)
{
    return l->words->signs + l->words->count;
}

static inline const abr_sign *next_sign(const abr_evidence *l, const abr_sign *s, size_t within)
{
    return s + 1 < signs_end(l) && s[1].at - end_of(s) <= within ? s + 1 : NULL;
}

static inline const abr_sign *previous_sign(const abr_evidence *l, const abr_sign *s)
{
    return s > l->words->signs ? s - 1 : NULL;
}

ABR_PRIVATE_END

#endif
