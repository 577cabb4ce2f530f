/*
 * The cut of a JSON document: its retained parts become a tree, whose values are picked and printed.
 *
 * Its shape is picked first: each key path once, the cheap ones first. Children of shown values come next if
 * their path is new, or one in them. Elements share a path, so of those, the one with most new paths inside
 * comes next; paths found only in other elements are reached by opening these.
 */

#include "kinds/json/json_cut.h"
#include "base/memory.h"
#include "budget/options.h"
#include "kinds/json/json_cost.h"
#include "kinds/json/json_pick.h"
#include "kinds/json/json_print.h"
#include "kinds/json/json_string.h"

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

typedef struct {
    abr_json_costs *costs;
    abr_json_value *values;
    abr_json_queue *near; /* children with a new path, by their cost */
    abr_json_queue *far;  /* elements with new paths, by the average cost of a path */
    uint32_t stamp;
} shape;

/* ---- paths ---- */

static bool is_new(const abr_json_value *values, uint32_t v)
{
    return !values[values[v].path].covered;
}

/* The number of paths not shown yet in a value, including its own. */
static uint32_t new_paths(shape *s, uint32_t v)
{
    abr_json_value *values = s->values;
    uint32_t count = 0;
    s->stamp++;
    for (uint32_t i = v; i < v + values[v].span; i++) {
        abr_json_value *first = &values[values[i].path];
        if (first->covered || first->stamp == s->stamp)
            continue;
        first->stamp = s->stamp;
        count++;
    }
    return count;
}

/* Does the first new path in a value fit? An element alone says nothing. */
static bool fits_new(const shape *s, uint32_t v, uint64_t limit)
{
    for (uint32_t i = v; i < v + s->values[v].span; i++)
        if (is_new(s->values, i))
            return s->costs->used + abr_json_cost(s->costs, i) <= limit;
    return false;
}

/* Is a value's path new, or that of one in it? */
static bool leads_to_new(shape *s, uint32_t v)
{
    return is_new(s->values, v) || (abr_json_holds_values(&s->values[v]) && new_paths(s, v) > 0);
}

/* ---- the shape ---- */

static void put_near(shape *s, uint32_t v)
{
    enum { GAIN_MOST = 8, OUTERMOST = 3 };
    const bool outermost = s->values[v].parent == s->values[0].child;
    const uint32_t gain = outermost || s->values[v].span > GAIN_MOST ? GAIN_MOST : s->values[v].span;
    const uint64_t apart =
        s->values[v].role < ABR_JSON_CODE ? 4 : 16; /* outcomes and names come before others */
    const uint64_t cost = abr_json_cost(s->costs, v) * apart / (1 + gain);
    abr_json_queue_put(s->near, outermost ? cost / OUTERMOST : cost, v);
}

static void put_far(shape *s, uint32_t v, uint32_t gain)
{
    enum { PATH = 16 /* bytes of a path in it, roughly */ };
    abr_json_queue_put(s->far, ((abr_json_cost(s->costs, v) + (uint64_t)gain * PATH) << 16) / gain, v);
}

/* A value is shown: its children may be next. */
static void open_value(shape *s, uint32_t in)
{
    abr_json_value *values = s->values;
    uint32_t best = 0;
    uint32_t most = 0;
    if (s->costs->tree->hidden_paths == 0)
        return;
    if (!abr_json_is_list(&values[in])) {
        for (uint32_t c = values[in].child; c; c = values[c].next)
            if (leads_to_new(s, c))
                put_near(s, c);
        return;
    }
    for (uint32_t c = values[in].child; c; c = values[c].next) {
        const uint32_t gain = new_paths(s, c);
        if (gain > most) {
            most = gain;
            best = c;
        }
    }
    if (best)
        put_near(s, best);
    for (uint32_t c = values[in].child; c; c = values[c].next)
        if (c != best && abr_json_holds_values(&values[c]))
            abr_json_queue_put(s->far, 0, c);
}

static void show_value(shape *s, uint32_t v, uint64_t limit)
{
    if (s->costs->used + abr_json_cost(s->costs, v) > limit)
        return;
    abr_json_show(s->costs, v);
    if (abr_json_holds_values(&s->values[v]))
        open_value(s, v);
}

/* Show each key path once, within `limit` bytes. Both queues have room for every value. */
static void pick_shape(abr_json_costs *x, uint64_t limit, abr_json_queue *near, abr_json_queue *far)
{
    shape s = {x, x->tree->values, near, far, 0};
    uint64_t key;
    near->count = far->count = 0;
    open_value(&s, s.values[0].child);
    for (;;) {
        while (near->count > 0 && x->tree->hidden_paths > 0) {
            const uint32_t v = abr_json_queue_take(near, &key);
            if (!s.values[v].shown && leads_to_new(&s, v))
                show_value(&s, v, limit);
        }
        if (far->count == 0 || x->tree->hidden_paths == 0)
            return;
        const uint32_t v = abr_json_queue_take(far, &key);
        const uint32_t gain = s.values[v].shown ? 0 : new_paths(&s, v);
        if (gain == 0 || !fits_new(&s, v, limit))
            continue;
        if (s.values[v].room != gain) { /* it was queued when it had more */
            s.values[v].room = gain;
            put_far(&s, v, gain);
        } else {
            show_value(&s, v, limit);
        }
    }
}

/* ---- the cut ---- */

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
    pick_shape(x, little ? x->most / 4 : three_quarters(x->most), near, far);
    abr_json_pick_labels(x, x->most);
    abr_json_pick_summaries(x);
    abr_json_pick_keys(x);
    if (x->most > x->used)
        abr_json_pick_trouble(x, x->used + three_quarters(x->most - x->used), near);
    if (!x->tree->parts->coarse)
        abr_json_pick_names(x, little ? x->most : x->used + abr_budget_left(x->most, x->used) / 2, near);
    abr_json_pick_text(x, true, x->used + abr_budget_left(x->most, x->used) / 2, near);
    abr_json_pick_ends(x, near);
    abr_json_pick_text(x, false, x->most, near);
    return true;
}

/* The allowance beside strings that are held. One that is cut as a document takes memory too, and leaves less
 * room to the rest, but of the same units: what is out of reach took none of the room when it was read. */
static size_t allowance_beside(const abr_json_held *held, size_t allowance, size_t keep)
{
    switch (abr_json_held_at_all(held, keep)) {
    case ABR_JSON_HOLDS_NONE:
        return allowance;
    case ABR_JSON_HOLDS_TEXT:
        return allowance - allowance / 4;
    default:
        return allowance / 4;
    }
}

bool abr_json_cut(abr_json_parts *parts, const abr_json_values *says, const abr_json_held *held,
                  const abr_kind_request *q, abr_content *out)
{
    const size_t allowance = abr_json_allowance(q->keep, parts->is_record);
    const bool *chosen = abr_json_parts_choose(parts, allowance_beside(held, allowance, q->keep), allowance,
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
    abr_release(t.alloc, t.values);
    return fine;
}
