/* The cost of showing values, and showing them. */
#ifndef ABR_KINDS_JSON_JSON_COST_H
#define ABR_KINDS_JSON_JSON_COST_H

#include "base/private.h"
#include "kinds/json/json_held.h"
#include "kinds/json/json_text.h"
#include "kinds/json/json_tree.h"

ABR_PRIVATE_BEGIN

enum { ABR_JSON_MARKER_MOST = 192, ABR_JSON_BRACKETS = 2 /* bytes */ };

typedef struct {
    abr_json_tree *tree;
    const abr_json_held *held;
    uint64_t most; /* bytes to use, of source and of markers that count */
    uint64_t used;
    uint64_t part; /* a longer string may be shown in part */
    size_t keep;   /* bytes of the budget for which strings are retained */
    bool marks;    /* there are markers */
    bool pays;     /* they count in the budget */
} abr_json_costs;

/* Print the marker for the parts left out of a value, with its comma unless it comes first; returns its
 * bytes. */
size_t abr_json_print_marker(const abr_json_costs *x, const abr_json_value *v, uint64_t omitted, bool first,
                             char dst[ABR_JSON_MARKER_MOST]);

/* Compute the cost of each value with everything in it. */
void abr_json_cost_all(abr_json_costs *x);

/* Bytes to show a value with as little in it as possible, and the values around it that are not shown yet. */
uint64_t abr_json_cost(const abr_json_costs *x, uint32_t v);

/* The same with everything in it; UINT64_MAX if unavailable. */
uint64_t abr_json_cost_whole(const abr_json_costs *x, uint32_t v);

/* Show a value that is not shown yet, with those around it. */
void abr_json_show(abr_json_costs *x, uint32_t v);
void abr_json_show_whole(abr_json_costs *x, uint32_t v);

/* Bytes of either end of a string that may be shown, with its quote. */
size_t abr_json_half(const abr_json_costs *x, const abr_json_value *v);

/* Is all of a string retained, in one piece? */
bool abr_json_may_be_whole(const abr_json_costs *x, const abr_json_value *v);

/* Bytes of a string's content. */
ABR_WRAPS static inline uint64_t abr_json_text_size(const abr_json_value *v)
{
    return abr_json_own_size(v) - ABR_JSON_QUOTES;
}

/* Is a string cut as a document, whatever is retained of the one around it? */
bool abr_json_is_kept_apart(const abr_json_costs *x, const abr_json_value *v);

/* How many of them may be shown. */
uint64_t abr_json_most_room(const abr_json_costs *x, const abr_json_value *v);

/* Bytes of a value's marker at its widest, if markers count. */
uint64_t abr_json_marker_size(const abr_json_costs *x, const abr_json_value *v);

/* Give a partly shown string so many bytes, or as many as may be shown of it. */
void abr_json_give_room(abr_json_costs *x, uint32_t v, uint64_t room);

ABR_PRIVATE_END

#endif
