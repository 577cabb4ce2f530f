/* What a priority cut keeps. */
#ifndef ABR_PRIORITY_CHOICE_H
#define ABR_PRIORITY_CHOICE_H

#include "abridge.h"
#include "base/private.h"
#include "budget/span.h"
#include "budget/view.h"
#include "priority/retain.h"

ABR_PRIVATE_BEGIN

/* What was found in a log, but for its parts that are written. Where such a part is next to another one, some lines of it
 * may count: of a long text the counts of every n-th line are known. */
abr_found abr_log_found(const abr_view *view);

/* The cut of ABR_PRIORITY of a source that is over a budget; the allowance is that of content and markers,
 * format_len is 0 for no marker. *found: it has a hit, or a line that is odd; else nothing is cut. */
abr_code abr_cut_priority(const abr_view *view, const abr_opts *opts, const abr_allowance *allowance,
                          const char *format, size_t format_len, abr_cut *cut, bool *found);

ABR_PRIVATE_END

#endif
