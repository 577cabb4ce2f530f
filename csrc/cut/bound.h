/* The budget that bound: the one that a cut names. */
#ifndef ABR_CUT_BOUND_H
#define ABR_CUT_BOUND_H

#include "abridge.h"
#include "base/private.h"
#include "budget/span.h"
#include "cut/joint.h"

ABR_PRIVATE_BEGIN

/* The budgets less the reserve; tokens, which are no sum of parts, set no bound here. */
abr_room abr_whole_room(const abr_cutter *j);

/* The first budget in order, `from` or after it, that the text exceeds, with or without its final newline. */
abr_unit abr_exceeded(abr_cutter *j, abr_unit from, bool without_newline);

/* What is kept at the two ends of a source, whole lines or with a part of one, and what costs beside it: markers that
 * count, at their widest. */
typedef struct {
    abr_span head;
    abr_span tail;
    abr_span joint;
} abr_ends;

/* The first budget that forbids the line next to what is kept on a side; ABR_BY_NONE where none does. */
abr_unit abr_forbids_line(abr_cutter *j, abr_side side, const abr_ends *ends);

/* The budget that bound a cut of both ends whose pieces and counts are filled in; `by` is the first the text exceeds. */
abr_unit abr_bound_ends(abr_cutter *j, const abr_ends *ends, const abr_cut *cut, abr_unit by);

/* The same of a cut that may have any number of gaps. */
abr_unit abr_bound_pieces(abr_cutter *j, const abr_cut *cut, abr_unit by);

ABR_PRIVATE_END

#endif
