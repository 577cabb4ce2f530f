/* A cut being made: the joint between its two sides, and the cost of the whole content. */
#ifndef ABR_CUT_JOINT_H
#define ABR_CUT_JOINT_H

#include "abridge.h"
#include "base/private.h"
#include "budget/marker.h"
#include "budget/span.h"
#include "budget/view.h"

ABR_PRIVATE_BEGIN

typedef struct {
    const abr_opts *opts;
    const abr_alloc *alloc;
    const abr_view *view;
    abr_measure measure;
    const char *format; /* the marker's; format_len 0: no marker */
    size_t format_len;
    bool alike;    /* the gap is that of lines like the one below */
    bool splits;   /* a line that would leave a tenth of the budgets unused is split */
    char *scratch; /* for markers at their widest and for the caller's counter */
    size_t scratch_size;
    abr_code failure; /* the first one; while set, every count returns 0, so that the work ends soon */
} abr_cutter;

/* The byte budget, with the bound that a token budget sets. */
uint64_t abr_byte_budget(const abr_budget *max);

/* The rest of an allowance. */
abr_allowance abr_allowance_left(const abr_allowance *allowance, const abr_span *used);

/* Is a marker on a line of its own? Yes with snap=line; then, without a marker, each side still has lines of
 * its own. */
bool abr_marker_on_own_line(const abr_cutter *j);

/* Print the joint to dst (NULL measures). Returns the bytes. */
size_t abr_print_joint(const abr_cutter *j, const abr_span *head, const abr_span *tail,
                       const abr_omitted *omitted, char *dst);

/* Does the joint count in the budgets? A marker asked for outside does not; the newline of two sides without
 * a marker always does. */
bool abr_joint_counts(const abr_cutter *j);

/* The cost of the joint at its widest: with the source's totals for its numbers. */
abr_span abr_joint_cost(abr_cutter *j, const abr_span *head, const abr_span *tail);

/* Tokens of the two sides as the model would see them; with `full` the joint and the reserve too. */
uint64_t abr_content_tokens(abr_cutter *j, const abr_span *head, const abr_span *tail, bool full);

/* Tokens of the source that a cut keeps. */
uint64_t abr_kept_tokens(abr_cutter *j, const abr_cut *cut);

/* Tokens of (p, n), 0 once something failed. */
uint64_t abr_text_tokens(abr_cutter *j, const char *p, size_t n);

ABR_PRIVATE_END

#endif
