/* What is kept on one side of a source, within a room. */
#ifndef ABR_BUDGET_SPAN_H
#define ABR_BUDGET_SPAN_H

#include "abridge.h"
#include "base/private.h"

ABR_PRIVATE_BEGIN

/* The head's part of a count: rounded down, as the pipeline document's int(limit * head_ratio). */
uint64_t abr_head_share(uint64_t count, double head_ratio);

typedef enum { ABR_FRONT, ABR_BACK } abr_side;

/* One side of the source: bytes that start where the source starts, or end where it ends. */
typedef struct {
    const char *p;
    size_t n;
    bool whole; /* they reach the source's other end too */
} abr_edge;

/* What costs are needed beside bytes: chars, and the growth of invalid bytes shown as U+FFFD. */
typedef struct {
    bool chars;
    bool replace;
} abr_scale;

typedef struct {
    size_t n;       /* bytes of the source */
    uint64_t lines; /* lines chosen; a line cut anywhere counts */
    uint64_t chars; /* counted on a scale with chars */
    uint64_t shown; /* bytes as shown */
    bool partial;   /* the span's inner end lies inside a line */
} abr_span;

/* How much a span may take; ABR_UNLIMITED where nothing forbids. */
typedef struct {
    uint64_t lines;
    uint64_t chars;
    uint64_t shown;
} abr_room;

/* `from` less `taken`, at least 0; ABR_UNLIMITED stays. */
uint64_t abr_less(uint64_t from, uint64_t taken);

/* Add the cost of (p, n) to the span. */
void abr_weigh(const abr_scale *scale, const char *p, size_t n, abr_span *span);

/* Add whole lines to a span of whole lines for as long as they stay within the room. The newline after the last
 * line of a front span is not part of it; a final newline is part of a back span. */
void abr_grow_lines(const abr_edge *edge, abr_side side, const abr_scale *scale, const abr_room *room,
                    abr_span *span);

/* The most chars of a side within the room. */
abr_span abr_take_chars(const abr_edge *edge, abr_side side, const abr_scale *scale, const abr_room *room);

/* Size, without its newline, of the first or the last line of an edge. */
uint64_t abr_line_size(const abr_edge *edge, abr_side side);

ABR_PRIVATE_END

#endif
