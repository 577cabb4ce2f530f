/* The parts of a diff that may be shown within a budget, in the order of the source. */
#ifndef ABR_KINDS_DIFF_DIFF_GATHER_H
#define ABR_KINDS_DIFF_DIFF_GATHER_H

#include "base/private.h"
#include "kinds/diff/diff_show.h"
#include "kinds/diff/diff_store.h"
#include "priority/sort.h"

ABR_PRIVATE_BEGIN

typedef struct {
    const abr_alloc *alloc;
    abr_shown_hunk *hunks; /* in order */
    size_t hunk_count;
    abr_shown_text *texts;
    size_t text_count;
    const abr_candidate **lists[ABR_DIFF_LISTS];
    abr_key *keys;     /* for sorting: twice as many as the longest list */
    uint64_t known[2]; /* all hunks below this level are here: people's, machines' */
    const abr_diff_place *places;
    size_t place_count;
    abr_shown_hunk start; /* of the plan, if it has one */
    abr_diff_plan plan;
} abr_diff_gathered;

/* Gather the parts that would be retained with `keep`, no larger than the store's, into g, whose places and
 * plan's ends and total are already set; nothing is shown yet. False: out of memory. */
bool abr_diff_gather(abr_diff_gathered *g, abr_diff_store *store, size_t keep);

void abr_diff_gathered_free(abr_diff_gathered *g);

ABR_PRIVATE_END

#endif
