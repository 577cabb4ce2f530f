/* Retains lines of a text as it goes by. */
#ifndef ABR_PRIORITY_RETAIN_H
#define ABR_PRIORITY_RETAIN_H

#include "abridge.h"
#include "base/private.h"
#include "base/tiny.h"
#include "priority/candidates.h"
#include "priority/failure.h"
#include "priority/told_line.h"
#include "line/hits.h"
#include "line/lexicon.h"
#include "line/line_score.h"
#include "priority/sort.h"

ABR_PRIVATE_BEGIN

/* The allowance for retained lines, and more for each byte of the budget. */
enum { ABR_RETAIN_LEAST = ABR_OR_TINY(88 * 1024, 2048), ABR_RETAIN_PER_BYTE = 9 };

enum { ABR_FAILED_LAST = 64 /* last lines whose failures are known though the lines were not retained */ };

/* Reads a text and retains the lines that a priority cut may keep. */
typedef struct abr_retainer abr_retainer;

typedef struct {
    const char *text; /* the whole text, which stays where it is; NULL: chunks are copied */
    size_t keep;      /* abr_bytes_to_keep() of the budgets */
    bool chars;       /* count chars */
    uint64_t (*count)(const char *p, size_t n); /* counts these in place of chars; NULL: chars */
    bool inside; /* the text stands inside another one, which takes memory too: less is retained */
    size_t (*decode)(const char *p, size_t n,
                     char *dst);  /* writes the line that the bytes stand for; NULL: they are the line */
    const abr_lexicon *lexicon;   /* those of the text around it, which must stay; NULL: its own, */
    const abr_patterns *patterns; /* made from these hits, which are copied */
    const abr_hit *hits;
    size_t hit_count;
    unsigned quiet_groups;
    const abr_alloc *alloc;
    uint64_t bytes_before; /* bytes of the text before the start of reading; a line starts there */
    uint64_t lines_before;
    uint64_t chars_before;
} abr_retainer_opts;

abr_code abr_retainer_open(const abr_retainer_opts *opts, abr_retainer **out);

/* Get memory for a chunk of n bytes with so many newlines; false changes nothing. */
bool abr_retainer_reserve(abr_retainer *q, uint64_t newlines, size_t n);

/* Read a chunk for which memory was reserved. */
void abr_retainer_write(abr_retainer *q, const char *p, size_t n);

/* The failure that a line is part of, if it is one of the last ABR_FAILED_LAST that were read; else 0. */
uint32_t abr_retainer_failure_at(const abr_retainer *q, uint64_t line);

/* The output of passing tests; *count: stretches of it. */
const abr_passed_lines *abr_retainer_passed(const abr_retainer *q, size_t *count);

/* A retained line, and the number of lines of its shape, 0 if that was forgotten. */
typedef struct {
    const abr_candidate *c;
    uint32_t seen;
} abr_retained_line;

/* The lines retained at one moment. */
typedef struct {
    abr_retained_line *lines; /* unsorted, including some that were left out again */
    size_t used;              /* lines used */
    abr_key *keys;            /* of the lines that count; room for twice as many as there are lines */
    size_t count;             /* keys used */
    abr_found found;          /* in the whole text */
} abr_retained;

/* Sort the keys by line; the sort is stable. */
void abr_sort_retained(abr_retained *r);

/* The most lines that can be retained now. */
size_t abr_retainer_most_lines(abr_retainer *q);

/* The lines that would have been retained with `keep`, no larger than the one given to abr_retainer_open(),
 * if the text ended here; `out` has memory for abr_retainer_most_lines(). Valid until the next call. */
void abr_retainer_lines(abr_retainer *q, size_t keep, abr_retained *out);

/* Are the lines from `first` to `last` all alike, as far as remembered, as of the last call of
 * abr_retainer_lines()? */
bool abr_retainer_alike(const abr_retainer *q, uint64_t first, uint64_t last);

/* The text by which a line, or part of one, is judged: itself, or its decoded form. Valid until the next
 * call. */
const char *abr_retainer_judged(const abr_retainer *q, const char *p, size_t *n);

/* Read a single line, or the first segment of a long one. */
void abr_retainer_read_line(abr_retainer *q, const char *p, size_t n, abr_reading *out);

/* How rare the words of a line, or of its start, are in the text so far; see abr_rarity(). */
float abr_retainer_rarity(const abr_retainer *q, const char *p, size_t n);

/* Hits and failures so far, including the unfinished line's. */
abr_found abr_retainer_found(abr_retainer *q);

void abr_retainer_close(abr_retainer *q);

/* Hits and failures in lines from..end - 1, which are most of those asked for. */
typedef struct {
    uint64_t from;
    uint64_t end;
    abr_found found;
    uint64_t number; /* of the last failure before `end` */
} abr_found_within;

void abr_retainer_found_within(const abr_retainer *q, uint64_t from, uint64_t end, abr_found_within *out);

ABR_PRIVATE_END

#endif
