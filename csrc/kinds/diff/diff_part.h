/* A hunk shown in part. */
#ifndef ABR_KINDS_DIFF_DIFF_PART_H
#define ABR_KINDS_DIFF_DIFF_PART_H

#include "base/private.h"
#include "base/size.h"
#include "kinds/diff/diff_show.h"

ABR_PRIVATE_BEGIN

/* Show all of it. False: not all of it is at hand. */
bool abr_diff_set_whole(const abr_diff_plan *plan, abr_shown_hunk *x);

/* Memory to show a hunk in part within `bytes`: the slices at both its ends, in one piece each. */
static inline size_t abr_diff_part_scratch(uint64_t bytes)
{
    return 2 * abr_bytes_at_most((size_t)2 * ABR_DIFF_KEEP_MOST + (size_t)2 * ABR_DIFF_SLICE, bytes);
}

/* Show its first and last lines, about as many bytes of each, or more at the start if that shows the first
 * change whole, in at most `bytes` with the marker; the hunk has at least two bytes. False, with no change,
 * if that shows too little of it, or nothing that it changes. `split`: lines of more than `short_line` bytes
 * may be cut. `scratch` has abr_diff_part_scratch() bytes. */
bool abr_diff_set_part(const abr_diff_plan *plan, abr_shown_hunk *x, uint64_t bytes, bool split,
                       uint64_t short_line, char *scratch);

ABR_PRIVATE_END

#endif
