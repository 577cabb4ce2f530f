/* The counts between two places of a diff, as a difference of the counts before each. */
#ifndef ABR_KINDS_DIFF_DIFF_TALLY_H
#define ABR_KINDS_DIFF_DIFF_TALLY_H

#include "abridge.h"
#include "base/private.h"

ABR_PRIVATE_BEGIN

/* Counts before a place. */
typedef struct {
    uint64_t commits;
    uint64_t files;
    uint64_t hunks;
    uint64_t added; /* lines in hunks */
    uint64_t removed;
    uint64_t lines; /* lines of text outside of files */
} abr_diff_tally;

static inline abr_diff_tally abr_tally_between(const abr_diff_tally *from, const abr_diff_tally *to)
{
    return (abr_diff_tally){to->commits - from->commits, to->files - from->files,
                            to->hunks - from->hunks,     to->added - from->added,
                            to->removed - from->removed, to->lines - from->lines};
}

ABR_PRIVATE_END

#endif
