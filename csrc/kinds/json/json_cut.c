/* The cut of a JSON document: what is retained becomes a tree, of which values are picked and printed. */
#include <string.h>

#include "kinds/json/json_cut.h"
#include "abridge.h"
#include "base/memory.h"
#include "budget/options.h"
#include "kinds/content.h"
#include "kinds/json/json_cost.h"
#include "kinds/json/json_parts.h"
#include "kinds/json/json_pick.h"
#include "kinds/json/json_print.h"
#include "kinds/json/json_queue.h"
#include "kinds/json/json_shape.h"
#include "kinds/json/json_tree.h"
#include "text/scan.h"

enum {
    PART = 50, /* a string that is over the budget divided by this may be shown in part */
    LEAST = 4, /* bytes that show more than brackets or quotes */
    BRACKETS = 2
};

/* Bytes that a document takes for so many of the budget while its tree is made and shown: what is copied of it,
 * the two ends of a long string and what is held back for them, the values, and the content. */
_Static_assert(ABR_JSON_COPIES_MEMORY(ABR_JSON_PER_BYTE *ABR_MEMORY_UNIT) +
                       ABR_JSON_PARTS_MEMORY(ABR_JSON_PER_BYTE * ABR_MEMORY_UNIT) +
                       ABR_JSON_TREE_MEMORY(ABR_JSON_PER_BYTE * ABR_MEMORY_UNIT) + ABR_MEMORY_UNIT * 10 / 3 +
                       ABR_MEMORY_UNIT + ABR_CONTENT_MEMORY(ABR_MEMORY_UNIT) <=
                   ABR_MEMORY_UNITS,
               "a document takes no more than a stream may for its budget");

static uint64_t three_quarters(uint64_t n)
{
    return n - n / 4;
}

/* Show nothing of the document but its brackets or quotes, with a marker in them where that fits. */
static void print_empty(const abr_json_costs *x, char *copy, abr_content *out)
{
    const abr_json_tree *t = x->tree;
    const abr_json_value *root = &t->values[t->values[0].child];
    const abr_json_parts *parts = t->parts;
    char marker[ABR_JSON_MARKER_MOST];
    static const char closing[] = {
        [ABR_JSON_TEXT] = '"', [ABR_JSON_DATA] = '"', [ABR_JSON_ARRAY] = ']', [ABR_JSON_OBJECT] = '}'};
    const uint64_t first = root->at;
    uint64_t line;
    uint64_t end_line;
    if (root->node != ABR_JSON_NONE) {
        const abr_json_node *node = &parts->nodes[root->node];
        line = node->line + abr_count_newlines(abr_json_text(parts, node->place), (size_t)(first - node->at));
        end_line = node->close_line + abr_count_newlines(node->close, node->close_n);
    } else {
        const abr_json_unit *u = &parts->units[root->origin];
        const char *p = abr_json_text(parts, u->place);
        line = u->line + abr_count_newlines(p, (size_t)(first - u->at));
        end_line = u->chars > 0 ? line : u->line + abr_count_newlines(p, u->n);
    }
    copy[0] = *root->p;
    copy[1] = closing[root->type];
    const size_t n = root->count > 0 ? abr_json_print_marker(x, root, root->count, true, marker) : 0;
    abr_content_keep(out, parts->text ? parts->text + first : copy, 1, first, line);
    if (x->marks && (!x->pays || BRACKETS + n <= x->most))
        abr_content_mark(out, marker, n);
    abr_content_keep(out, parts->text ? parts->text + root->end - 1 : copy + 1, 1, root->end - 1, end_line);
    abr_json_tell_empty(root, out);
}

/* Pick what is shown. False: not even the document with nothing in it fits. */
static bool pick(abr_json_costs *x, abr_json_queue *near, abr_json_queue *far)
{
    const uint32_t root = x->tree->values[0].child;
    abr_json_cost_all(x);
    if (x->most < LEAST || abr_json_cost(x, root) > x->most)
        return false;
    abr_json_show(x, root);
    if (x->tree->parts->is_record)
        abr_json_pick_message(x);
    abr_json_pick_shape(x, three_quarters(x->most), near, far);
    if (x->most > x->used)
        abr_json_pick_trouble(x, x->used + three_quarters(x->most - x->used), near);
    abr_json_pick_ends(x, near);
    abr_json_pick_text(x, near);
    return true;
}

static bool cut(abr_json_parts *parts, abr_json_tree *t, const abr_kind_request *q, abr_content *out)
{
    const abr_alloc *a = parts->alloc;
    const abr_marker marker = q->opts->marker;
    abr_json_costs costs = {.tree = t,
                            .most = q->bytes,
                            .part = q->bytes / PART,
                            .half = abr_json_string_most(parts, parts->asked) / 2,
                            .marks = marker != ABR_MARKER_NONE,
                            .pays = marker == ABR_MARKER_INSIDE};
    abr_json_due *due = a->malloc(a->ctx, (size_t)t->count * sizeof *due);
    if (!due)
        return false;
    abr_json_queue near = {.due = due}; /* no value is in both, so one place for each is enough */
    abr_json_queue far = {.due = due + t->count - 1, .backwards = true};
    if (q->bytes < BRACKETS || t->count < 2)
        ;
    else if (pick(&costs, &near, &far))
        abr_json_print(&costs, parts->text ? NULL : parts->printed, out);
    else
        print_empty(&costs, parts->printed, out);
    a->free(a->ctx, due);
    return true;
}

static bool make_room(abr_json_parts *x, uint64_t bytes)
{
    const size_t wanted = x->text ? 2 : (size_t)bytes + 2;
    if (wanted <= x->printed_size)
        return true;
    char *p = abr_resize(x->alloc, x->printed, x->printed_size, wanted);
    if (!p)
        return false;
    x->printed = p;
    x->printed_size = wanted;
    return true;
}

bool abr_json_cut(abr_json_parts *parts, const abr_json_values *says, const abr_kind_request *q,
                  abr_content *out)
{
    const bool *chosen = abr_json_parts_choose(parts, abr_json_allowance(q->keep, parts->is_record));
    abr_json_tree t = {.alloc = parts->alloc};
    const bool fine =
        make_room(parts, q->bytes) && abr_json_tree_make(&t, parts, chosen, says) && cut(parts, &t, q, out);
    abr_json_tree_free(&t);
    return fine;
}
