/* The cut of a JSON document: its retained parts become a tree, whose values are picked and printed. */
#include <string.h>

#include "kinds/json/json_cut.h"
#include "abridge.h"
#include "budget/options.h"
#include "kinds/content.h"
#include "kinds/json/json_cost.h"
#include "kinds/json/json_parts.h"
#include "kinds/json/json_pick.h"
#include "kinds/json/json_print.h"
#include "kinds/json/json_queue.h"
#include "kinds/json/json_shape.h"
#include "kinds/json/json_string.h"
#include "kinds/json/json_tree.h"

enum {
    PART = 50,        /* a string larger than this part of the budget may be shown in part */
    FEW_BYTES = 4096, /* in budgets below so many bytes, names come before shape */
    LEAST = 4,        /* bytes needed to show more than brackets or quotes */
};

/* Bytes that a document takes per bytes of budget while its tree is made and shown: its copies, the two ends
 * of a long string and the bytes held back for them, the values, and the content. */
_Static_assert(ABR_JSON_COPIES_MEMORY(ABR_JSON_PER_BYTE *ABR_MEMORY_UNIT) +
                       ABR_JSON_PARTS_MEMORY(ABR_JSON_PER_BYTE * ABR_MEMORY_UNIT) +
                       ABR_JSON_TREE_MEMORY(ABR_JSON_PER_BYTE * ABR_MEMORY_UNIT) + ABR_MEMORY_UNIT * 10 / 3 +
                       ABR_CONTENT_MEMORY(ABR_MEMORY_UNIT) <=
                   ABR_MEMORY_UNITS,
               "a document takes no more than a stream may for its budget");

static uint64_t three_quarters(uint64_t n)
{
    return n - n / 4;
}

/* Show only the document's brackets or quotes, with a marker in them if that fits. */
static void show_empty(abr_json_costs *x)
{
    char marker[ABR_JSON_MARKER_MOST];
    abr_json_value *root = &x->tree->values[x->tree->values[0].child];
    if (!abr_json_holds_values(root) && root->count == 0)
        root->count = abr_json_char_count(root->p + 1, (size_t)abr_json_text_size(root));
    const size_t n = abr_json_print_marker(x, root, root->count, true, marker);
    x->marks = x->marks && root->count > 0 && (!x->pays || ABR_JSON_BRACKETS + n <= x->most);
    root->shown = true;
}

/* Pick the values to show. False: not even the empty document fits. */
static bool pick(abr_json_costs *x)
{
    abr_json_queue *near = &x->tree->near;
    abr_json_queue *far = &x->tree->far;
    const uint32_t root = x->tree->values[0].child;
    abr_json_cost_all(x);
    if (x->most < LEAST || abr_json_cost(x, root) > x->most)
        return false;
    abr_json_show(x, root);
    const bool little = x->most < FEW_BYTES;
    if (x->tree->parts->is_record)
        abr_json_pick_message(x);
    abr_json_pick_shape(x, little ? x->most / 4 : three_quarters(x->most), near, far);
    abr_json_pick_labels(x, x->most);
    abr_json_pick_summaries(x);
    abr_json_pick_keys(x);
    if (x->most > x->used)
        abr_json_pick_trouble(x, x->used + three_quarters(x->most - x->used), near);
    if (little)
        abr_json_pick_names(x, near);
    abr_json_pick_ends(x, near);
    abr_json_pick_text(x, near);
    return true;
}

bool abr_json_cut(abr_json_parts *parts, const abr_json_values *says, const abr_json_held *held,
                  const abr_kind_request *q, abr_content *out)
{
    const size_t allowance = abr_json_allowance(q->keep, parts->is_record);
    /* a long string that is cut as a document takes memory too, and leaves less room to the rest, but of the
     * same units: what is out of reach took none of the room when it was read */
    const bool *chosen =
        abr_json_parts_choose(parts, abr_json_holds_any(held, q->keep) ? allowance / 4 : allowance, allowance,
                              abr_json_is_coarse(q->bytes, parts->is_record));
    abr_json_tree t = {.alloc = parts->alloc, .one_line = q->one_line};
    if (q->bytes < ABR_JSON_BRACKETS)
        return true;
    const bool fine = abr_json_tree_make(&t, parts, chosen, says);
    if (fine && t.count > 1) {
        const abr_marker marker = q->opts->marker;
        abr_json_costs costs = {.tree = &t,
                                .held = held,
                                .most = q->bytes,
                                .part = q->bytes / PART,
                                .keep = q->keep,
                                .marks = marker != ABR_MARKER_NONE,
                                .pays = marker == ABR_MARKER_INSIDE};
        abr_view view = *q->view;
        abr_kind_request inside = *q;
        if (!pick(&costs))
            show_empty(&costs);
        view.held += (uint64_t)t.count * ABR_JSON_VALUE_COST; /* they stay while a text inside is cut */
        inside.view = &view;
        abr_json_print(&costs, &inside, out);
    }
    abr_json_tree_free(&t);
    return fine;
}
