/* Which lines of a text are retained as it goes by. */
#ifndef ABR_PRIORITY_RETAIN_H
#define ABR_PRIORITY_RETAIN_H

#include "abridge.h"
#include "base/private.h"
#include "base/tiny.h"
#include "priority/candidates.h"
#include "line/hits.h"
#include "line/lexicon.h"
#include "line/line_score.h"
#include "priority/sort.h"

ABR_PRIVATE_BEGIN

/* The allowance for what is retained, and more of it by the budget. */
enum { ABR_RETAIN_LEAST = ABR_OR_TINY(88 * 1024, 2048), ABR_RETAIN_PER_BYTE = 9 };

/* Reads a text and retains the lines that a priority cut may keep. */
typedef struct abr_retainer abr_retainer;

typedef struct {
    const char *text; /* the whole text, which stays where it is; NULL: chunks are copied */
    size_t keep;      /* abr_bytes_to_keep() of the budgets */
    bool chars;       /* count chars */
    bool inside;      /* the text stands in another one, which takes memory, too: less is retained */
    size_t (*decode)(const char *p, size_t n,
                     char *dst);  /* writes what a line stands for; NULL: it says it itself */
    const abr_lexicon *lexicon;   /* those of the text around it, which stay; NULL: it has its own, */
    const abr_patterns *patterns; /* by these hits, which are copied */
    const abr_hit *hits;
    size_t hit_count;
    unsigned quiet_groups;
    const abr_alloc *alloc;
    uint64_t bytes_before; /* of the text: it is read from here on, where a line starts */
    uint64_t lines_before;
    uint64_t chars_before;
} abr_retainer_opts;

abr_code abr_retainer_open(const abr_retainer_opts *opts, abr_retainer **out);

/* Get memory for a chunk of n bytes with so many newlines; false changes nothing. */
bool abr_retainer_reserve(abr_retainer *q, uint64_t newlines, size_t n);

/* Read a chunk for which memory was reserved. */
void abr_retainer_write(abr_retainer *q, const char *p, size_t n);

/* A line that is retained, and how many lines of its shape there were, 0 where that was forgotten. */
typedef struct {
    const abr_candidate *c;
    uint32_t seen;
} abr_retained_line;

/* What says that something is wrong, counted. */
typedef struct {
    uint64_t hits; /* lines */
    uint64_t failures;
} abr_found;

/* What is retained at one moment. */
typedef struct {
    abr_retained_line *lines; /* unsorted, with some that were left out again */
    size_t used;              /* of the lines */
    abr_key *keys;            /* of those that count; room for twice as many as there are lines */
    size_t count;             /* of the keys */
    abr_found found;          /* in the whole text */
} abr_retained;

/* Sort the keys by line; of one line those that came first stay first. */
void abr_sort_retained(abr_retained *r);

/* No more lines than this can be retained now. */
size_t abr_retainer_most_lines(const abr_retainer *q);

/* The lines that would have been retained with `keep`, no larger than the one it was opened with, if the text
 * ended here; `out` has memory for abr_retainer_most_lines(). Valid until the next call. */
void abr_retainer_lines(abr_retainer *q, size_t keep, abr_retained *out);

/* Are the lines from `first` to `last` all of one form, as far as is remembered? Of the moment that
 * abr_retainer_lines() was called. */
bool abr_retainer_alike(const abr_retainer *q, uint64_t first, uint64_t last);

/* What a line, or part of one, is judged by: itself, or what it stands for. Valid until the next one is. */
const char *abr_retainer_judged(const abr_retainer *q, const char *p, size_t *n);

/* Read a single line, its first segment where it is long. */
void abr_retainer_read_line(abr_retainer *q, const char *p, size_t n, abr_reading *out);

/* How rare the words of a line, or of its start, are in what was read so far; see abr_rarity(). */
float abr_retainer_rarity(const abr_retainer *q, const char *p, size_t n);

/* What was found so far; the line that has not ended counts too. */
abr_found abr_retainer_found(abr_retainer *q);

void abr_retainer_close(abr_retainer *q);

/* What was found in lines from..end - 1, which are most of those asked for. */
typedef struct {
    uint64_t from;
    uint64_t end;
    abr_found found;
    uint64_t number; /* of the last failure up to there */
} abr_found_within;

void abr_retainer_found_within(const abr_retainer *q, uint64_t from, uint64_t end, abr_found_within *out);

ABR_PRIVATE_END

#endif
