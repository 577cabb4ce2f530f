/* The lines that may be kept of a text that goes by. */
#ifndef ABR_PRIORITY_RETAIN_H
#define ABR_PRIORITY_RETAIN_H

#include "abridge.h"
#include "base/private.h"
#include "priority/candidates.h"
#include "priority/line_score.h"
#include "priority/sort.h"

ABR_PRIVATE_BEGIN

/* What is retained of a text for a priority cut. */
typedef struct abr_priority abr_priority;

typedef struct {
    const char *text;    /* the whole text, which stays; NULL: chunks are copied */
    size_t keep;         /* abr_keep() of the budgets */
    bool chars;          /* chars are counted */
    const abr_hit *hits; /* copied */
    size_t hit_count;
    unsigned quiet_groups;
    const abr_alloc *alloc;
} abr_priority_opts;

abr_code abr_priority_open(const abr_priority_opts *opts, abr_priority **out);

/* Memory for a chunk with so many newlines; false changes nothing. */
bool abr_priority_reserve(abr_priority *q, uint64_t newlines, size_t n);

/* Read a chunk for which memory was reserved. */
void abr_priority_write(abr_priority *q, const char *p, size_t n);

/* A line that is retained, and how many lines of its shape there were, where that is known. */
typedef struct {
    const abr_candidate *c;
    uint32_t seen;
} abr_retained_line;

/* What is retained at one moment. */
typedef struct {
    abr_retained_line *lines; /* in no order, and more than are left */
    size_t used;              /* of the lines */
    uint32_t *order;          /* those that are left, by line */
    size_t count;
    abr_key *keys; /* to sort them: twice as many as there are lines */
    uint64_t hits; /* in all of the text */
} abr_retained;

/* At most how many lines there are. */
size_t abr_priority_most(const abr_priority *q);

/* The lines that would have been retained with `keep`, no larger than the one it was opened with, if the text ended
 * here; `out` has room for abr_priority_most() of them. Valid until the next call. */
void abr_priority_retained(abr_priority *q, size_t keep, abr_retained *out);
/* Read a line, as far as lines are read at once. */
void abr_priority_read(abr_priority *q, const char *p, size_t n, abr_reading *out);

/* Lines that tell of something wrong, the open one too. */
uint64_t abr_priority_hits(abr_priority *q);
void abr_priority_close(abr_priority *q);

ABR_PRIVATE_END

#endif
