/* Options of cuts: which are valid, and how much of a source they may need. */
#ifndef ABR_BUDGET_OPTIONS_H
#define ABR_BUDGET_OPTIONS_H

#include "abridge.h"
#include "base/private.h"

ABR_PRIVATE_BEGIN

/* The memory of a stream by ABR_AUTO or ABR_PRIORITY: so much, and so many bytes for each of the budget. Readers
 * prove by assertions that the most they may take is within it: beside what the budget is for, and for so many
 * bytes of it, of which the two ends of the text have two each. */
enum {
    ABR_MEMORY_LEAST = 1024 * 1024,
    ABR_MEMORY_PER_BYTE = 64,
    ABR_MEMORY_UNIT = 1024,                                        /* bytes of budget; */
    ABR_MEMORY_UNITS = (ABR_MEMORY_PER_BYTE - 2) * ABR_MEMORY_UNIT /* what a reader may take for them */
};

/* ABR_EINVAL and its message when an option is out of its range. */
abr_code abr_check_opts(const abr_opts *opts, abr_error *error);

/* Where no budget bounds the bytes of a cut, set one: max->bytes of 1 MiB, for a pipeline as
 * many max->chars. */
void abr_set_default_budget(abr_strategy strategy, abr_budget *max);

/* How many bytes of each end of a source any cut within these budgets may need: those of the first
 * budget that is set, a char taken as 4 and a token as 16, and a few more. Where none is set, the
 * default budget counts. */
size_t abr_bytes_to_keep(abr_strategy strategy, const abr_budget *max);

/* `opts` with the budgets and the reserve of `narrow`, which may be NULL; ABR_EINVAL where it
 * raises a budget. */
abr_code abr_narrowed(const abr_opts *opts, const abr_narrow *narrow, abr_opts *out, abr_error *error);

/* Do these options need the source's chars counted? */
bool abr_wants_chars(const abr_opts *opts);

ABR_PRIVATE_END

#endif
