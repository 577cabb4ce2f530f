/* The choice of a priority cut. */
#ifndef ABR_PRIORITY_CHOICE_H
#define ABR_PRIORITY_CHOICE_H

#include "abridge.h"
#include "base/private.h"
#include "budget/span.h"
#include "budget/view.h"
#include "priority/retain.h"

ABR_PRIVATE_BEGIN

typedef struct {
    uint64_t hits;
    uint64_t failures;
    bool twice; /* they are told of in detail and listed, or listed twice */
} abr_log_counts;

/* Hits and failures in a log, without its written parts. At the edges of such a part some lines may still
 * count: in a long text, counts are known only at every n-th line. */
abr_log_counts abr_log_found(const abr_view *view);

/* The ABR_PRIORITY cut of a source that exceeds a budget; the allowance is for content and markers,
 * format_len is 0 for no marker. *found: it has a hit or an odd line; else nothing is cut. */
abr_code abr_cut_priority(const abr_view *view, const abr_opts *opts, const abr_allowance *allowance,
                          const char *format, size_t format_len, abr_cut *cut, bool *found);

ABR_PRIVATE_END

#endif
