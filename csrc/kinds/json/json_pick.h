/* Pick the values of a document to show. */
#ifndef ABR_KINDS_JSON_JSON_PICK_H
#define ABR_KINDS_JSON_JSON_PICK_H

#include "base/private.h"
#include "kinds/json/json_cost.h"
#include "kinds/json/json_queue.h"

ABR_PRIVATE_BEGIN

/* Show the message of a record, in part if it is long. */
void abr_json_pick_message(abr_json_costs *x);

/* Show values that report trouble, and values unlike the others. */
void abr_json_pick_trouble(abr_json_costs *x, uint64_t limit, abr_json_queue *q);

/* Show what the shown elements of lists are called. */
void abr_json_pick_labels(abr_json_costs *x, uint64_t limit);

/* Show whole the members of the document that hold a few short values: its totals, its version. */
void abr_json_pick_summaries(abr_json_costs *x);

/* Show the keys of objects whose members all hold values, in half the room left: they say what is listed. */
void abr_json_pick_keys(abr_json_costs *x);

/* Show ids, names and codes: every object's first one before second ones, from both ends of lists. */
void abr_json_pick_names(abr_json_costs *x, uint64_t limit, abr_json_queue *q);

/* Show both ends of objects and arrays. */
void abr_json_pick_ends(abr_json_costs *x, abr_json_queue *q);

/* Show more of the strings, or only of those that are `apart`: see abr_json_is_kept_apart(). */
void abr_json_pick_text(abr_json_costs *x, bool apart, uint64_t limit, abr_json_queue *q);

ABR_PRIVATE_END

#endif
