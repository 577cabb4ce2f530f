/* Options of cuts: checks, and the amount of a source that they may need. */
#ifndef ABR_BUDGET_OPTIONS_H
#define ABR_BUDGET_OPTIONS_H

#include "abridge.h"
#include "base/private.h"

ABR_PRIVATE_BEGIN

/* The memory of a stream with ABR_AUTO or ABR_PRIORITY: a fixed amount, plus so many bytes per byte of
 * budget. The two ends of the text take two of these bytes; readers assert that they stay within the rest. */
enum {
    ABR_MEMORY_LEAST = 1024 * 1024,
    ABR_MEMORY_PER_BYTE = 64,
    ABR_MEMORY_UNIT = 1024,                                        /* bytes of budget; */
    ABR_MEMORY_UNITS = (ABR_MEMORY_PER_BYTE - 2) * ABR_MEMORY_UNIT /* most that a reader may take for them */
};

/* ABR_EINVAL and its message if an option is out of its range. */
abr_code abr_check_opts(const abr_opts *opts, abr_error *error);

/* If no budget bounds the bytes of a cut, set one: max->bytes of 1 MiB (256 KiB for ABR_AUTO and
 * ABR_PRIORITY), for a pipeline 1 Mi max->chars. */
void abr_set_default_budget(abr_strategy strategy, abr_budget *max);

/* Bytes of each end of a source that any cut within these budgets may need: those of the first budget set,
 * counting 4 for a char and 16 for a token, and a few more. If none is set, the default budget counts. */
size_t abr_bytes_to_keep(abr_strategy strategy, const abr_budget *max);

/* The largest budget of bytes for which abr_bytes_to_keep() is at most `keep`. */
uint64_t abr_bytes_kept_for(size_t keep);

/* `opts` with the budgets and the reserve of `narrow`, which may be NULL; ABR_EINVAL if it raises a
 * budget. */
abr_code abr_narrowed(const abr_opts *opts, const abr_narrow *narrow, abr_opts *out, abr_error *error);

/* Do these options need the source's chars counted? */
bool abr_wants_chars(const abr_opts *opts);

ABR_PRIVATE_END

#endif
