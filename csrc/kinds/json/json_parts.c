/*
 * The retained parts of a JSON document, in arrays that are swept once they hold a fifth more than the
 * allowance.
 */
#include <string.h>

#include "kinds/json/json_parts.h"
#include "base/memory.h"
#include "base/size.h"
#include "kinds/json/json_source.h"
#include "kinds/json/json_string.h"
#include "kinds/json/json_values.h"
#include "line/words.h"

enum {
    STRING_HALF = ABR_OR_TINY(1024 + 32, 128),  /* bytes retained of either end of any string, */
    STRING_LEAST = 2 * STRING_HALF,             /* and of both, */
    STRING_PER_KEEP = 48,                       /* and this part of the budget on top */
    STEP = 512,                                 /* bytes of budget; all grows in steps, or none does */
    HALF_MOST = 16 * 1024 * 1024,               /* of either end, at most: allocated at once */
    LAST = 4,                                   /* part of the allowance for the units that came last */
    UNIT_BYTES = 3,                             /* bytes of a document per unit, at least, */
    UNITS_MORE = 2 * ABR_JSON_SHOWN_DEPTH + 16, /* not counting those of the open levels */
    NODE_BYTES = 8,                             /* and per node, */
    NODES_MORE = 256,
    UNITS_LAST = 16,                               /* units over the allowance */
    UNIT_KEYS = 2 * sizeof(abr_key) + sizeof(bool) /* bytes to sort a unit and to note that it is chosen */
};

/* The most that a unit with a name is, for it to be retained while its node is open: the metadata of a pod, as
 * kubectl prints them, have 1.1 KB and 21 values. */
enum {
    NAME_BYTES = ABR_OR_TINY(1280, 24),
    NAME_VALUES = ABR_OR_TINY(28, 2),
    NAMES_COST = ABR_JSON_NAMES_MOST *
                 (ABR_JSON_BYTE_COST * NAME_BYTES + ABR_JSON_UNIT_COST + ABR_JSON_VALUE_COST * NAME_VALUES)
};

/* Of the weight of a unit in trouble, for those of what it belongs to: at all of it, one of 20 long messages
 * lost its name; at 0.7, a pod did in 2 KB. */
static const float part_around = 0.8F;

/* Nodes at one depth don't overlap, and each is larger than ABR_JSON_SMALL with the brackets of all inside
 * it. The parts before and after a child make two units of a node. */
enum { NODES_AGAIN = ABR_JSON_SMALL + 2 * ABR_JSON_SHOWN_DEPTH };
_Static_assert(ABR_JSON_SHOWN_DEPTH *(size_t)NODE_BYTES <= NODES_AGAIN, "memory is reserved for all nodes");
_Static_assert(ABR_JSON_SHOWN_DEPTH *(size_t)2 * UNIT_BYTES <= NODES_AGAIN, "and for all units");

_Static_assert(STRING_HALF > ABR_JSON_DATA_READ + 1, "a long string keeps the bytes that tell its data");
_Static_assert(STRING_HALF > ABR_JSON_READ + ABR_PADDING, "and those read for trouble");
/* Four thirds of a budget for the last string and for the heaviest, half of that for the next, and so on. */
enum { HARMONIC_SUM_3 = 1834, HARMONIC_SUM_16 = 3381, HARMONIC_ONE = 1000 };
enum {
    THREE = 3 * HARMONIC_ONE,
    SET_ASIDE = ABR_JSON_BYTE_COST * 4 * (HARMONIC_ONE + HARMONIC_SUM_16), /* per 3000 bytes of budget */
    SET_ASIDE_OF_RECORD = ABR_JSON_BYTE_COST * 4 * (HARMONIC_ONE + HARMONIC_SUM_3),
    LONG_COST = ABR_JSON_UNIT_COST + ABR_JSON_VALUE_COST + ABR_JSON_BYTE_COST * STRING_LEAST,
    LONG_COST_OF_RECORD = LONG_COST - ABR_JSON_VALUE_COST + ABR_JSON_RECORD_VALUE_COST
};
_Static_assert(ABR_JSON_RANKS == 16 && SET_ASIDE <= THREE * ABR_JSON_PER_BYTE,
               "the allowance grows faster than what is set aside for long strings,");
_Static_assert(ABR_JSON_RECORD_RANKS == 3 && SET_ASIDE_OF_RECORD <= THREE * ABR_JSON_RECORD_PER_BYTE,
               "a record's, too,");
_Static_assert((int64_t)ABR_JSON_BYTE_COST *ABR_JSON_LEAST *THREE <=
                   (int64_t)STRING_PER_KEEP * (THREE * ABR_JSON_PER_BYTE - SET_ASIDE) * LONG_COST,
               "and what is left of it by a larger factor than the cost of a long string;");
_Static_assert((int64_t)ABR_JSON_BYTE_COST *ABR_JSON_RECORD_LEAST *THREE <=
                   (int64_t)STRING_PER_KEEP * (THREE * ABR_JSON_RECORD_PER_BYTE - SET_ASIDE_OF_RECORD) *
                       LONG_COST_OF_RECORD,
               "a record's, too");
_Static_assert(ABR_JSON_RECORD_PER_BYTE >= ABR_JSON_BYTE_COST * ABR_JSON_REACH,
               "a value is out of reach only if its keys take more than any budget");

size_t abr_json_allowance(size_t keep, bool is_record)
{
    const size_t most = SIZE_MAX / 4;
    if (keep > (most - ABR_JSON_LEAST) / ABR_JSON_PER_BYTE - STEP)
        return most;
    keep = (keep + STEP - 1) / STEP * STEP;
    return is_record ? ABR_JSON_RECORD_LEAST + ABR_JSON_RECORD_PER_BYTE * keep
                     : ABR_JSON_LEAST + ABR_JSON_PER_BYTE * keep;
}

/* ---- long strings ---- */

/* The budget of an allowance. */
static size_t keep_of_allowance(const abr_json_parts *x, size_t allowance)
{
    const size_t least = x->is_record ? ABR_JSON_RECORD_LEAST : ABR_JSON_LEAST;
    const size_t per_byte = x->is_record ? ABR_JSON_RECORD_PER_BYTE : ABR_JSON_PER_BYTE;
    return allowance > least ? (allowance - least) / per_byte / STEP * STEP : 0;
}

/* Bytes of either end of any string, and of one with a rank, counted from 0. */
static size_t any_half(const abr_json_parts *x, size_t allowance)
{
    const size_t half = STRING_HALF + keep_of_allowance(x, allowance) / STRING_PER_KEEP / 2;
    return half < HALF_MOST ? half : HALF_MOST;
}

static size_t ranked_half(const abr_json_parts *x, size_t rank, size_t allowance)
{
    const size_t shown = keep_of_allowance(x, allowance) / (rank + 1);
    const size_t half = STRING_HALF + shown / 3 * 2; /* two thirds of a shown string are its start */
    return half < HALF_MOST ? half : HALF_MOST;
}

size_t abr_json_longest_half(const abr_json_parts *x)
{
    return ranked_half(x, 0, x->allowance);
}

size_t abr_json_half_of(const abr_json_parts *x, const abr_json_unit *u, size_t allowance)
{
    if (x->longer_count > 0 && x->last_longer_at == u->at)
        return ranked_half(x, 0, allowance);
    for (size_t rank = 0; rank < x->longer_count; rank++)
        if (x->longer[rank].at == u->at)
            return ranked_half(x, rank, allowance);
    return any_half(x, allowance);
}

void abr_json_parts_rank(abr_json_parts *x, uint64_t at, uint64_t n, float weight)
{
    const size_t most = x->is_record ? ABR_JSON_RECORD_RANKS : ABR_JSON_RANKS;
    const size_t last = x->longer_count < most ? x->longer_count : most - 1;
    const bool is_full = x->longer_count == most;
    if (n <= STRING_LEAST)
        return;
    x->last_longer_at = at;
    x->longer_count += !is_full;
    size_t i = last;
    if (!is_full || x->longer[last].weight < weight) {
        for (; i > 0 && x->longer[i - 1].weight < weight; i--)
            x->longer[i] = x->longer[i - 1];
        x->longer[i] = (abr_json_longer){at, weight};
    }
    if (!is_full || x->longest[last] < n) {
        for (i = last; i > 0 && x->longest[i - 1] < n; i--)
            x->longest[i] = x->longest[i - 1];
        x->longest[i] = n;
    }
}

/* Bytes retained of a string of n bytes for its rank, beyond those of any string. */
static size_t more_of(const abr_json_parts *x, uint64_t n, size_t rank, size_t allowance)
{
    const size_t most = 2 * ranked_half(x, rank, allowance);
    return (n < most ? (size_t)n : most) - STRING_LEAST;
}

/* The allowance for the units, as if the heaviest strings and the last one were the longest: so it never
 * grows as the document goes by, nor shrinks as the allowance grows. */
static size_t allowance_for_units(const abr_json_parts *x, size_t allowance)
{
    size_t more = x->longer_count > 0 ? more_of(x, x->longest[0], 0, allowance) : 0;
    for (size_t rank = 0; rank < x->longer_count; rank++)
        more += more_of(x, x->longest[rank], rank, allowance);
    return allowance - more * ABR_JSON_BYTE_COST - (x->is_record ? 0 : NAMES_COST);
}

/* ---- memory ---- */

static bool grow_units(abr_json_parts *x, size_t more)
{
    const size_t most = ABR_JSON_WITH_SLACK(x->allowance) / ABR_JSON_UNIT_COST + UNITS_LAST;
    return abr_grow(x->alloc, &x->units, &x->unit_size, x->unit_count + more, most, sizeof *x->units) &&
           abr_grow(x->alloc, &x->keys, &x->key_size, x->unit_size, most, UNIT_KEYS);
}

static bool grow_nodes(abr_json_parts *x, size_t more)
{
    const size_t most = ABR_JSON_WITH_SLACK(x->allowance) / ABR_JSON_NODE_COST + NODES_MORE;
    return abr_grow(x->alloc, &x->nodes, &x->node_size, x->node_count + more, most, sizeof *x->nodes);
}

bool abr_json_parts_reserve(abr_json_parts *x, size_t n, size_t beside)
{
    const size_t most =
        (ABR_JSON_WITH_SLACK(x->allowance) + x->allowance / ABR_JSON_REACH) / ABR_JSON_BYTE_COST;
    if (n > most)
        n = most;
    return abr_grow(x->alloc, &x->copies, &x->copy_size, x->copied + n + beside, most + beside, 1) &&
           grow_units(x, n / UNIT_BYTES + UNITS_MORE) && grow_nodes(x, n / NODE_BYTES + NODES_MORE);
}

bool abr_json_parts_settle(abr_json_parts *x)
{
    return abr_shrink(x->alloc, &x->units, &x->unit_size, x->unit_count, sizeof *x->units) &&
           abr_shrink(x->alloc, &x->keys, &x->key_size, x->unit_count, UNIT_KEYS) &&
           abr_shrink(x->alloc, &x->nodes, &x->node_size, x->node_count, sizeof *x->nodes) &&
           abr_shrink(x->alloc, &x->copies, &x->copy_size, x->copied, 1);
}

void abr_json_parts_free(abr_json_parts *x)
{
    const abr_alloc *a = x->alloc;
    abr_release(a, x->units);
    abr_release(a, x->keys);
    abr_release(a, x->nodes);
    abr_release(a, x->copies);
}

/* ---- the choice ---- */

/* The cost of a value besides its bytes. */
static uint64_t value_cost(const abr_json_parts *x)
{
    return x->is_record ? ABR_JSON_RECORD_VALUE_COST : ABR_JSON_VALUE_COST;
}

/* The cost of a unit that is so many values in a tree, with `half` of either end of a long string, without
 * the nodes around it. */
static uint64_t cost_as(const abr_json_parts *x, const abr_json_unit *u, size_t half, uint32_t values)
{
    size_t bytes = u->n;
    if (u->chars > 0)
        bytes = u->lead + abr_bytes_at_most(u->n + u->tail_n - u->lead, 2 * half);
    return (uint64_t)bytes * ABR_JSON_BYTE_COST + ABR_JSON_UNIT_COST + value_cost(x) * values;
}

static void unmark(const abr_json_parts *x)
{
    for (size_t i = 0; i < x->node_count; i++)
        x->nodes[i].mark = 0;
}

/* Mark a node and those around it; returns the cost of those that were not marked. */
static uint64_t mark_around(const abr_json_parts *x, uint32_t node)
{
    uint64_t cost = 0;
    for (; node != ABR_JSON_NONE && !x->nodes[node].mark; node = x->nodes[node].parent) {
        x->nodes[node].mark = 1;
        cost += x->nodes[node].cost;
    }
    return cost;
}

/* The cost of a unit, and of the nodes around it that no unit has paid for since unmark(). */
static uint64_t unit_cost(const abr_json_parts *x, const abr_json_unit *u, size_t half)
{
    return cost_as(x, u, half, abr_json_tree_values(x, u)) + mark_around(x, u->node);
}

/* Are the keys around its values longer than any content with this allowance? */
static bool is_beyond(const abr_json_node *node, size_t allowance)
{
    return node->chain - (uint32_t)ABR_JSON_NODE_COST * node->depth > allowance / ABR_JSON_REACH;
}

bool abr_json_may_show(const abr_json_parts *x, const abr_json_node *node)
{
    return !node->ghost && !is_beyond(node, x->asked);
}

static bool is_within_reach(const abr_json_parts *x, const abr_json_unit *u, size_t allowance)
{
    return u->node == ABR_JSON_NONE || !is_beyond(&x->nodes[u->node], allowance);
}

static bool is_excluded(const abr_json_parts *x, const abr_json_unit *u)
{
    return x->excludes &&
           (u->weight != x->excluded_weight ? u->weight < x->excluded_weight : u->at >= x->excluded_at);
}

/* The number of units before the last ones, which are retained whatever their weight. A unit isn't one of the
 * last if a unit after it was dropped. */
static size_t before_last(const abr_json_parts *x, size_t allowance, size_t reach)
{
    const size_t most = allowance_for_units(x, allowance) / LAST;
    const size_t half = any_half(x, allowance);
    uint64_t cost = 0;
    size_t i = x->unit_count;
    unmark(x);
    while (i > 0 && x->units[i - 1].at >= x->dropped_at) {
        if (is_within_reach(x, &x->units[i - 1], reach))
            cost += unit_cost(x, &x->units[i - 1], half);
        if (cost > most)
            break;
        i--;
    }
    return i;
}

/* The place of the choice: after the keys for sorting. */
static bool *chosen_of(const abr_json_parts *x)
{
    return (bool *)(void *)(x->keys + 2 * x->unit_count);
}

/* The unit that starts at a byte. */
static abr_json_unit *find_unit(const abr_json_parts *x, uint64_t at)
{
    size_t from = 0;
    size_t to = x->unit_count;
    while (from < to) {
        const size_t middle = from + (to - from) / 2;
        if (x->units[middle].at < at)
            from = middle + 1;
        else
            to = middle;
    }
    return &x->units[from];
}

/* Choose units within an allowance, of those within reach of another one, by their weight or as the last;
 * returns the heaviest one not chosen, or SIZE_MAX. */
static size_t choose_by_weight(const abr_json_parts *x, size_t allowance, size_t reach, bool *chosen)
{
    abr_key *keys = x->keys;
    const size_t before = before_last(x, allowance, reach);
    const size_t all = allowance_for_units(x, allowance);
    const uint64_t most = all - all / LAST;
    const size_t half = any_half(x, allowance);
    uint64_t cost = 0;
    size_t n = 0;
    unmark(x);
    for (size_t i = 0; i < x->unit_count; i++) {
        const abr_json_unit *u = &x->units[i];
        chosen[i] = (i >= before || !is_excluded(x, u)) && is_within_reach(x, u, reach);
        if (i >= before || !chosen[i])
            continue;
        keys[n++] = (abr_key){~abr_float_key(u->weight), (uint32_t)i};
        cost += unit_cost(x, u, half);
    }
    if (cost <= most)
        return SIZE_MAX;
    cost = 0;
    unmark(x);
    memset(chosen, 0, before * sizeof *chosen);
    abr_sort_keys(keys, n, keys + n);
    for (size_t i = 0; i < n; i++) {
        const abr_json_unit *u = &x->units[keys[i].index];
        cost += unit_cost(x, u, half);
        if (cost > most)
            return keys[i].index;
        chosen[keys[i].index] = true;
    }
    return SIZE_MAX;
}

/* The same, and names of open nodes. */
static size_t choose_units(const abr_json_parts *x, size_t allowance, size_t reach, bool *chosen)
{
    const size_t heaviest = choose_by_weight(x, allowance, reach, chosen);
    for (size_t i = 0; i < x->name_count; i++) {
        const abr_json_unit *u = find_unit(x, x->names[i].at);
        chosen[u - x->units] = is_within_reach(x, u, reach);
    }
    return heaviest;
}

const bool *abr_json_parts_choose(abr_json_parts *x, size_t allowance, size_t reach, bool coarse)
{
    bool *chosen = chosen_of(x);
    x->asked = reach;
    x->coarse = coarse;
    choose_units(x, allowance, reach, chosen);
    return chosen;
}

/* ---- sweeping ---- */

static void exclude_unit(abr_json_parts *x, const abr_json_unit *u)
{
    if (is_excluded(x, u))
        return;
    x->excludes = true;
    x->excluded_weight = u->weight;
    x->excluded_at = u->at;
}

/* Keep no more of the ends of a long string than its rank has. */
static void trim_string(abr_json_unit *u, size_t half)
{
    if (u->n - u->lead + u->tail_n <= 2 * half)
        return;
    if (u->tail_n == 0) {
        u->tail = u->place;
        u->tail_n = u->n;
    }
    u->n = abr_bytes_at_most(u->n, u->lead + half);
    u->tail += u->tail_n - abr_bytes_at_most(u->tail_n, half);
    u->tail_n = abr_bytes_at_most(u->tail_n, half);
}

/* Drop the units that are not chosen, and mark the nodes that stay. */
static void sweep_units(abr_json_parts *x, const bool *chosen)
{
    size_t kept = 0;
    unmark(x);
    x->cost = x->depth > 0 ? mark_around(x, x->open[x->depth - 1]) : 0;
    if (x->node_count > 0 && x->nodes[0].parent == ABR_JSON_NONE)
        x->cost += mark_around(x, 0); /* the document itself */
    for (size_t i = 0; i < x->unit_count; i++) {
        if (!chosen[i])
            continue;
        abr_json_unit *u = &x->units[kept++];
        *u = x->units[i];
        const size_t half = abr_json_half_of(x, u, x->allowance);
        if (u->chars > 0)
            trim_string(u, half);
        x->cost += unit_cost(x, u, half);
    }
    x->unit_count = kept;
}

static void move_copy(abr_json_parts *x, size_t *place, size_t n)
{
    if (*place != x->copied)
        memmove(x->copies + x->copied, x->copies + *place, n);
    *place = x->copied;
    x->copied += n;
}

static void move_node(abr_json_parts *x, size_t from, size_t to)
{
    abr_json_node *node = &x->nodes[from];
    node->mark = (uint32_t)to;
    if (!node->ghost)
        move_copy(x, &node->place, (size_t)(node->start + 1 - node->at));
    if (node->parent != ABR_JSON_NONE)
        node->parent = x->nodes[node->parent].mark;
}

/* Move copies together; they are in the order of units and nodes. */
static void sweep_copies(abr_json_parts *x)
{
    size_t node = 0;
    size_t nodes = 0;
    x->copied = 0;
    for (size_t i = 0; i <= x->unit_count; i++) {
        abr_json_unit *u = &x->units[i];
        for (; node < x->node_count && (i == x->unit_count || x->nodes[node].at <= u->at); node++)
            if (x->nodes[node].mark)
                move_node(x, node, nodes++);
            else
                x->nodes[node].at = UINT64_MAX;
        if (i == x->unit_count)
            break;
        move_copy(x, &u->place, u->n);
        if (u->tail_n > 0)
            move_copy(x, &u->tail, u->tail_n);
    }
}

static void sweep_nodes(abr_json_parts *x)
{
    size_t kept = 0;
    for (size_t i = 0; i < x->unit_count; i++)
        if (x->units[i].node != ABR_JSON_NONE)
            x->units[i].node = x->nodes[x->units[i].node].mark;
    for (size_t i = 0; i < x->depth; i++)
        x->open[i] = x->nodes[x->open[i]].mark;
    for (size_t i = 0; i < x->node_count; i++)
        if (x->nodes[i].at != UINT64_MAX)
            x->nodes[kept++] = x->nodes[i];
    x->node_count = kept;
}

/* Drop the parts that are not retained. */
static void sweep(abr_json_parts *x)
{
    bool *chosen = chosen_of(x);
    const size_t heaviest = choose_units(x, x->allowance, x->allowance, chosen);
    if (heaviest != SIZE_MAX)
        exclude_unit(x, &x->units[heaviest]);
    size_t before = before_last(x, x->allowance, x->allowance);
    while (before > 0 && chosen[before - 1])
        before--;
    if (before > 0 && x->units[before - 1].at > x->dropped_at)
        x->dropped_at = x->units[before - 1].at;
    sweep_units(x, chosen);
    sweep_copies(x);
    sweep_nodes(x);
}

static void make_room(abr_json_parts *x, size_t text_n)
{
    if (x->cost > ABR_JSON_WITH_SLACK(x->allowance) || x->unit_count == x->unit_size ||
        x->node_count == x->node_size || text_n > x->copy_size - x->copied)
        sweep(x);
}

/* ---- new parts ---- */

abr_json_node *abr_json_parts_open(abr_json_parts *x, size_t text_n)
{
    make_room(x, text_n);
    const uint32_t parent = x->depth > 0 ? x->open[x->depth - 1] : ABR_JSON_NONE;
    abr_json_node *node = &x->nodes[x->node_count];
    *node = (abr_json_node){.parent = parent, .place = x->copied};
    node->cost = node->chain = ABR_JSON_NODE_COST + (uint32_t)(text_n * ABR_JSON_BYTE_COST);
    node->depth = (uint8_t)(x->depth + 1);
    if (parent != ABR_JSON_NONE) {
        node->chain += x->nodes[parent].chain;
        node->ghost = x->nodes[parent].ghost;
    }
    node->ghost = node->ghost || is_beyond(node, x->allowance);
    x->cost += node->cost;
    x->copied += node->ghost ? 0 : text_n;
    x->open[x->depth++] = (uint32_t)x->node_count++;
    return node;
}

/* Is it an open node, but for the document itself? */
static bool is_open_inside(const abr_json_parts *x, uint32_t node)
{
    for (size_t i = x->depth; i > 1; i--)
        if (x->open[i - 1] == node)
            return true;
    return false;
}

/* Raise the units in the open nodes, of those before the last one that any budget retains. */
static void raise_units_near(const abr_json_parts *x, float weight, bool outside)
{
    const size_t least = abr_json_allowance(0, x->is_record);
    uint64_t cost = 0;
    uint32_t node = ABR_JSON_NONE;
    for (size_t i = x->unit_count; i-- > 0;) {
        abr_json_unit *u = &x->units[i];
        cost += cost_as(x, u, STRING_HALF, u->values);
        cost += u->node != node && u->node != ABR_JSON_NONE ? x->nodes[u->node].chain : 0;
        node = u->node;
        if (cost > least / LAST)
            return;
        if (u->weight < weight && !(outside && node == x->open[x->depth - 1]) && is_open_inside(x, node))
            u->weight = weight;
    }
}

void abr_json_parts_raise(abr_json_parts *x, bool outside)
{
    const float weight = x->units[x->unit_count - 1].weight;
    raise_units_near(x, part_around * weight, outside);
    for (size_t i = 0; i < x->name_count; i++) {
        if (!x->names[i].open || x->names[i].weight >= weight)
            continue;
        x->names[i].weight = weight;
        abr_json_unit *u = find_unit(x, x->names[i].at);
        u->weight = u->weight > weight ? u->weight : weight;
    }
    if (x->depth > 0 && x->nodes[x->open[x->depth - 1]].weight < weight)
        x->nodes[x->open[x->depth - 1]].weight = weight;
}

void abr_json_parts_name(abr_json_parts *x)
{
    abr_json_unit *u = &x->units[x->unit_count - 1];
    if (x->depth < 2 || !x->nodes[u->node].object)
        return;
    if (u->weight < x->nodes[u->node].weight)
        u->weight = x->nodes[u->node].weight;
    if (x->is_record || u->n > NAME_BYTES || u->values > NAME_VALUES)
        return;
    while (x->name_count > 0 && !x->names[x->name_count - 1].open)
        x->name_count--;
    if (x->name_count > 0 && x->names[x->name_count - 1].depth == x->depth)
        return;
    if (x->name_count == ABR_JSON_NAMES_MOST)
        memmove(x->names, x->names + 1, --x->name_count * sizeof *x->names);
    x->names[x->name_count++] = (abr_json_name){u->at, u->weight, (uint16_t)x->depth, true};
}

abr_json_unit *abr_json_parts_add(abr_json_parts *x, uint32_t values, size_t text_n)
{
    make_room(x, text_n);
    abr_json_unit *u = &x->units[x->unit_count++];
    *u = (abr_json_unit){
        .values = values, .place = x->copied, .node = x->depth > 0 ? x->open[x->depth - 1] : ABR_JSON_NONE};
    x->cost += (uint64_t)text_n * ABR_JSON_BYTE_COST + ABR_JSON_UNIT_COST + value_cost(x) * values;
    x->copied += text_n;
    return u;
}

void abr_json_parts_say_nothing(abr_json_parts *x, uint32_t siblings)
{
    abr_json_unit *u = &x->units[x->unit_count - 1];
    const char *p = abr_json_text(x, u->place);
    if (!x->coarse || x->depth == 0 || x->depth + u->values > ABR_JSON_SHOWN_DEPTH ||
        abr_json_has_data(p, u->n))
        return;
    u->plain = siblings;
    /* elements of the document that begin lines are shown one by one */
    u->runs = x->depth == 1 && memchr(p, '\n', u->n) ? siblings : 1;
    x->cost -= value_cost(x) * (u->values - u->runs);
}
