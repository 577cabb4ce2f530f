/* The kinds that are cut part by part, within all budgets. */
#ifndef ABR_KINDS_PARTS_H
#define ABR_KINDS_PARTS_H

#include "base/private.h"
#include "budget/span.h"
#include "budget/view.h"

ABR_PRIVATE_BEGIN

/* Cut the text that view->reader has read; the allowance is for content and markers. `cut` has its options
 * and totals. ABR_OK, ABR_ENOMEM or ABR_ECOUNT. */
abr_code abr_cut_parts(const abr_view *view, const abr_opts *opts, const abr_allowance *allowance,
                       abr_cut *cut);

ABR_PRIVATE_END

#endif
