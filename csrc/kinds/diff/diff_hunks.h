/* Which hunks are shown. */
#ifndef ABR_KINDS_DIFF_DIFF_HUNKS_H
#define ABR_KINDS_DIFF_DIFF_HUNKS_H

#include "abridge.h"
#include "base/private.h"
#include "kinds/diff/diff_gather.h"

ABR_PRIVATE_BEGIN

/* A choice being made. */
typedef struct {
    abr_diff_gathered *g;
    abr_diff_plan *plan;
    uint64_t bytes; /* the most */
    uint64_t used;
    uint64_t small;            /* a hunk, or a line, of no more bytes with its header is not shown in part */
    uint32_t *order;           /* of hunks that may be shown: people's before machines', by level */
    size_t count;              /* of these */
    bool *closed;              /* of files: the next hunk is over what is left */
    abr_shown_hunk **defining; /* of files: the hunk with most news */
    bool *parted;              /* of files: a hunk is shown in part */
} abr_diff_choice;

/* Show a part that is not shown yet, if that keeps to `limit` bytes in all. */
bool abr_diff_add_part(abr_diff_choice *x, size_t part, uint64_t limit);

/* Show hunks within what is left. False: no memory. */
bool abr_diff_choose_hunks(abr_diff_choice *x);

ABR_PRIVATE_END

#endif
