/* A hunk that is shown in part. */
#ifndef ABR_KINDS_DIFF_DIFF_PART_H
#define ABR_KINDS_DIFF_DIFF_PART_H

#include "abridge.h"
#include "base/private.h"
#include "kinds/diff/diff_show.h"

ABR_PRIVATE_BEGIN

/* Is all of it retained? */
bool abr_diff_is_at_hand(const abr_shown_hunk *x);

/* Have all of it shown. */
void abr_diff_set_whole(abr_shown_hunk *x);

/* Have its first and last lines, of two bytes at least in all, shown, about as many bytes of each, with
 * the marker at most `bytes`; false, and nothing changes, where these hold too little of it. */
bool abr_diff_set_part(abr_shown_hunk *x, uint64_t bytes);

ABR_PRIVATE_END

#endif
