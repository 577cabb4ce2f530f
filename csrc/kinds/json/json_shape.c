/*
 * The shape of a document: each key path once, the cheap ones first.
 *
 * Children of shown values come next if their path is new. Elements share a path, so of those, the one with
 * most new paths inside comes next; paths found only in other elements are reached by opening these.
 */
#include "kinds/json/json_shape.h"
#include "abridge.h"
#include "kinds/json/json_cost.h"
#include "kinds/json/json_queue.h"
#include "kinds/json/json_role.h"
#include "kinds/json/json_tree.h"

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

/* ---- the choice ---- */

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
            if (is_new(values, c))
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

void abr_json_pick_shape(abr_json_costs *x, uint64_t limit, abr_json_queue *near, abr_json_queue *far)
{
    shape s = {x, x->tree->values, near, far, 0};
    uint64_t key;
    near->count = far->count = 0;
    open_value(&s, s.values[0].child);
    for (;;) {
        while (near->count > 0 && x->tree->hidden_paths > 0) {
            const uint32_t v = abr_json_queue_take(near, &key);
            if (!s.values[v].shown && is_new(s.values, v))
                show_value(&s, v, limit);
        }
        if (far->count == 0 || x->tree->hidden_paths == 0)
            return;
        const uint32_t v = abr_json_queue_take(far, &key);
        const uint32_t gain = s.values[v].shown ? 0 : new_paths(&s, v);
        if (gain == 0)
            continue;
        if (s.values[v].room != gain) { /* it was queued when it had more */
            s.values[v].room = gain;
            put_far(&s, v, gain);
        } else {
            show_value(&s, v, limit);
        }
    }
}
