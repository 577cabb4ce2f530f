/* Choose the parts of a diff to show. */
#ifndef ABR_KINDS_DIFF_DIFF_CHOICE_H
#define ABR_KINDS_DIFF_DIFF_CHOICE_H

#include "base/private.h"
#include "kinds/diff/diff_gather.h"

ABR_PRIVATE_BEGIN

/* Choose among the gathered parts within so many bytes; *used gets the bytes taken. False: out of memory. */
bool abr_diff_choose(abr_diff_gathered *g, uint64_t bytes, uint64_t *used);

ABR_PRIVATE_END

#endif
