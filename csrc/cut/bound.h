/* The budget that bound a cut, for truncated_by. */
#ifndef ABR_CUT_BOUND_H
#define ABR_CUT_BOUND_H

#include "abridge.h"
#include "base/private.h"
#include "budget/span.h"
#include "cut/joint.h"

ABR_PRIVATE_BEGIN

/* The budgets less the reserve; tokens set no bound here, since those of parts do not add up. */
abr_allowance abr_full_allowance(const abr_cutter *j);

/* The first budget, from `from` on, that the text exceeds, with or without its final newline. */
abr_unit abr_exceeded(abr_cutter *j, abr_unit from, bool without_newline);

/* The text kept at the two ends of a source, and the cost of the joint at its widest, if it counts. */
typedef struct {
    abr_span head;
    abr_span tail;
    abr_span joint;
} abr_ends;

/* The first budget that forbids the line next to the text kept on a side; ABR_BY_NONE if none does. */
abr_unit abr_forbids_line(abr_cutter *j, abr_side side, const abr_ends *ends);

/* The budget that bound a cut of both ends with its ledger filled in; `by` is the first the text exceeds. */
abr_unit abr_bound_ends(abr_cutter *j, const abr_ends *ends, const abr_cut *cut, abr_unit by);

/* The same for a cut with any number of gaps. */
abr_unit abr_bound_pieces(abr_cutter *j, const abr_cut *cut, abr_unit by);

ABR_PRIVATE_END

#endif
