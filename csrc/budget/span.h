/* The text kept on one side of a source, within an allowance. */
#ifndef ABR_BUDGET_SPAN_H
#define ABR_BUDGET_SPAN_H

#include "abridge.h"
#include "base/private.h"

ABR_PRIVATE_BEGIN

/* The head's part of a count: rounded down, as the pipeline document's int(limit * head_ratio). */
uint64_t abr_head_share(uint64_t count, double head_ratio);

typedef enum { ABR_FRONT, ABR_BACK } abr_side;

/* One side of the source: bytes from its start on, or up to its end. */
typedef struct {
    const char *p;
    size_t n;
    bool whole; /* they reach the source's other end too */
} abr_edge;

/* The things a cost counts besides bytes. */
typedef struct {
    bool chars;
    bool replace; /* invalid bytes show as U+FFFD, which takes more bytes */
} abr_measure;

typedef struct {
    size_t n;       /* bytes of the source */
    uint64_t lines; /* lines chosen; a line cut anywhere counts */
    uint64_t chars; /* counted if the measure says so */
    uint64_t shown; /* bytes as shown */
    bool partial;   /* the span's inner end lies inside a line */
} abr_span;

/* The most that a span may cost; ABR_UNLIMITED: no limit. */
typedef struct {
    uint64_t lines;
    uint64_t chars;
    uint64_t shown;
} abr_allowance;

extern const abr_span abr_no_span; /* the empty span */

/* The rest of a budget after `used`, at least 0; ABR_UNLIMITED stays. */
uint64_t abr_budget_left(uint64_t budget, uint64_t used);

/* Add the cost of (p, n) to the span: its chars and bytes as shown. */
void abr_add_cost(const abr_measure *measure, const char *p, size_t n, abr_span *span);

/* Add whole lines to a span of whole lines for as long as they stay within the allowance. The newline after
 * the last line of a front span is not part of it; a final newline is part of a back span. */
void abr_add_lines(const abr_edge *edge, abr_side side, const abr_measure *measure,
                   const abr_allowance *allowance, abr_span *span);

/* The most chars of a side within the allowance. */
abr_span abr_fit_chars(const abr_edge *edge, abr_side side, const abr_measure *measure,
                       const abr_allowance *allowance);

/* Size, without its newline, of the first or the last line of an edge. */
uint64_t abr_line_size(const abr_edge *edge, abr_side side);

ABR_PRIVATE_END

#endif
