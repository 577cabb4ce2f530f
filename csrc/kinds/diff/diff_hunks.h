/* Choose the hunks to show. */
#ifndef ABR_KINDS_DIFF_DIFF_HUNKS_H
#define ABR_KINDS_DIFF_DIFF_HUNKS_H

#include "base/private.h"
#include "kinds/diff/diff_gather.h"
#include "kinds/diff/diff_show.h"

ABR_PRIVATE_BEGIN

/* A choice being made. */
typedef struct {
    abr_diff_gathered *g;
    abr_diff_plan *plan;
    uint64_t bytes; /* the most */
    uint64_t used;
    /* a hunk with its header, or a line, of no more bytes is never shown in part */
    uint64_t small;
    uint32_t *order;           /* of hunks that may be shown: people's before machines', by level */
    size_t count;              /* hunks in `order` */
    bool *closed;              /* per file: the next hunk exceeds the remaining room */
    abr_shown_hunk **defining; /* per file: the hunk with most news */
    bool *parted;              /* per file: a hunk is shown in part */
    char *scratch;             /* for hunks in part */
} abr_diff_choice;

/* Show a part as it is now in place of the `had` bytes at it before, if the total keeps to `limit`. */
bool abr_diff_put_part(abr_diff_choice *x, size_t part, uint64_t had, uint64_t limit);

/* Show hunks in the remaining room. False: out of memory. */
bool abr_diff_choose_hunks(abr_diff_choice *x);

ABR_PRIVATE_END

#endif
