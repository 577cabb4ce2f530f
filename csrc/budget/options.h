/* Options of cuts: which are fine, and how much of a source a cut by them may need. */
#ifndef ABR_BUDGET_OPTIONS_H
#define ABR_BUDGET_OPTIONS_H

#include "abridge.h"
#include "base/private.h"

ABR_PRIVATE_BEGIN

/* ABR_EINVAL and its message when an option is out of its range. */
abr_code abr_check_opts(const abr_opts *opts, abr_error *error);

/* The bytes that the first budget set comes to, 4 a char and 16 a token, and a little more; budgets in lines alone get
 * max->bytes of 1 MiB, those of a pipeline as many max->chars. As much of an edge lets any cut within these budgets be
 * made. */
size_t abr_keep(abr_strategy strategy, abr_budget *max);

/* `opts` with the budgets and the reserve of `narrow`, which may be NULL; ABR_EINVAL where it raises a budget. */
abr_code abr_narrowed(const abr_opts *opts, const abr_narrow *narrow, abr_opts *out, abr_error *error);

/* Do these options need the source's chars counted? */
bool abr_wants_chars(const abr_opts *opts);

ABR_PRIVATE_END

#endif
