/* A hunk that is shown in part. */
#ifndef ABR_KINDS_DIFF_DIFF_PART_H
#define ABR_KINDS_DIFF_DIFF_PART_H

#include "abridge.h"
#include "base/private.h"
#include "kinds/diff/diff_show.h"

ABR_PRIVATE_BEGIN

/* Have all of it shown; false: not all is at hand. */
bool abr_diff_set_whole(const abr_diff_plan *plan, abr_shown_hunk *x);

/* Have its first and last lines, of two bytes at least in all, shown, about as many bytes of each, with
 * the marker at most `bytes`; false, and nothing changes, where these hold too little of it. `split`: lines
 * of more than `short_line` bytes may be cut. */
bool abr_diff_set_part(const abr_diff_plan *plan, abr_shown_hunk *x, uint64_t bytes, bool split,
                       uint64_t short_line);

ABR_PRIVATE_END

#endif
