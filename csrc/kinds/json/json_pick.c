/* Pick the values to show after the shape: those in trouble, both ends, and more of long strings. */
#include <string.h>

#include "kinds/json/json_pick.h"
#include "base/ascii.h"
#include "base/size.h"
#include "kinds/json/json_called.h"
#include "kinds/json/json_tree.h"
#include "kinds/json/json_values.h"
#include "line/lines.h"
#include "line/score.h"
#include "priority/sort.h"

enum {
    VALUE_SHARE = 4,  /* a value in trouble may take this part of the remaining room with everything in it */
    SMALL = 6,        /* a small value takes at most this part of the budget */
    WHOLE = 4,        /* an element of a long list may take so many times the bytes of its name */
    LITTLE = 16,      /* this part of the budget may stay unused rather than show a value in part */
    MESSAGE = 4,      /* a record's message leaves this part of the budget to the rest */
    SAID = 300,       /* bytes of a text beside a value in trouble that is shown whole */
    NAMED_AROUND = 4, /* elements around a value whose names are shown */
    SUMMARIES = 8,    /* the totals of a document take at most this part of the budget */
    KEYED = 8,        /* members of an object whose keys all show, at least, */
    KEYS_SHARE = 2,   /* in this part of the room left */
    LABEL = 12        /* a label takes at most this part of the budget */
};

static bool show_if(abr_json_costs *x, uint32_t v, uint64_t limit)
{
    if (x->used + abr_json_cost(x, v) > limit)
        return false;
    abr_json_show(x, v);
    return true;
}

/* The most bytes that one value may take with everything in it. */
static uint64_t share_of(const abr_json_costs *x, uint64_t limit)
{
    const uint64_t share = limit > x->used ? (limit - x->used) / VALUE_SHARE : 0;
    return share > x->part ? share : x->part;
}

/* Show a value with everything in it, in at most `share` bytes. */
static bool show_whole_if(abr_json_costs *x, uint32_t v, uint64_t share, uint64_t limit)
{
    const uint64_t cost = abr_json_cost_whole(x, v);
    if (cost > share || x->used > limit || cost > limit - x->used)
        return false;
    abr_json_show_whole(x, v);
    return true;
}

/* Show at most so many bytes more of a text that is shown in part. */
static void show_more_of(abr_json_costs *x, uint32_t v, uint64_t more, uint64_t limit)
{
    const abr_json_value *it = &x->tree->values[v];
    if (it->type == ABR_JSON_TEXT && !it->full && x->used < limit)
        abr_json_give_room(x, v, it->room + abr_at_most(more, limit - x->used));
}

/* Show the members of an object that are not shown yet. */
static void show_members(abr_json_costs *x, uint32_t in, uint64_t limit)
{
    const abr_json_value *values = x->tree->values;
    for (uint32_t c = values[in].child; c; c = values[c].next)
        if (!values[c].shown)
            show_if(x, c, limit);
}

/* Is it an object, but no map, whose members all hold values, or of which none does? */
static bool is_object_of(const abr_json_value *values, uint32_t v, bool holders)
{
    if (values[v].type != ABR_JSON_OBJECT || abr_json_is_list(&values[v]))
        return false;
    for (uint32_t c = values[v].child; c; c = values[c].next)
        if (abr_json_holds_values(&values[c]) != holders)
            return false;
    return true;
}

/* ---- the message of a record ---- */

static bool is_string(const abr_json_value *v)
{
    return !abr_json_holds_values(v) && v->p[v->head] == '"';
}

/* Has it one of these keys, up to a NULL? */
static bool has_key_of(const abr_json_value *v, const char *const *keys)
{
    const abr_text_line key = abr_json_key(v);
    for (; *keys; keys++)
        if (key.n == strlen(*keys) && memcmp(key.p, *keys, key.n) == 0)
            return true;
    return false;
}

/* Is it a string with the key `message`, or an abbreviation of it? */
static bool is_message(const abr_json_value *v)
{
    static const char *const keys[] = {"message", "msg", "Message", "MESSAGE", NULL};
    return is_string(v) && has_key_of(v, keys);
}

/* Is it a string whose key says that it is an error? */
static bool is_error(const abr_json_value *v)
{
    const abr_text_line key = abr_json_key(v);
    return is_string(v) && v->score > 0 && abr_role_of(key.p, key.n) == ABR_ROLE_BAD;
}

/* The least nested string of this meaning; 0: none. */
static uint32_t find_meant(const abr_json_tree *t, bool (*is_meant)(const abr_json_value *))
{
    uint32_t found = 0;
    size_t least = SIZE_MAX;
    for (uint32_t i = 2; i < t->count; i++) {
        size_t depth = 0;
        if (!is_meant(&t->values[i]))
            continue;
        for (uint32_t in = t->values[i].parent; in != 0 && depth < least; in = t->values[in].parent)
            depth++;
        if (depth < least) {
            least = depth;
            found = i;
        }
    }
    return found;
}

/* The shortest string that repeats a message and goes on, as a compiler renders it; 0: none. */
static uint32_t find_rendered(const abr_json_costs *x, uint32_t message)
{
    enum { LEAST = 8 };
    const abr_json_value *values = x->tree->values;
    const abr_json_value *it = &values[message];
    const size_t n = (size_t)abr_json_text_size(it);
    uint32_t found = 0;
    if (it->type != ABR_JSON_TEXT || n < LEAST || !abr_json_may_be_whole(x, it))
        return 0;
    for (uint32_t i = 2; i < x->tree->count; i++) {
        const abr_json_value *v = &values[i];
        if (v->type != ABR_JSON_TEXT || abr_json_text_size(v) <= n ||
            (found && abr_json_text_size(v) >= abr_json_text_size(&values[found])))
            continue;
        const uint64_t size = abr_json_may_be_whole(x, v) ? abr_json_text_size(v) : abr_json_half(x, v) - 1;
        const abr_text_line text = {.p = v->p + v->head + 1, .n = (size_t)size};
        if (abr_contains(text, it->p + it->head + 1, n))
            found = i;
    }
    return found;
}

/* Show a string, if there is one, in part if it is long: up to `more` if it fits at all. */
static void show_told(abr_json_costs *x, uint32_t v, uint64_t more, uint64_t limit)
{
    if (v && !x->tree->values[v].shown && show_if(x, v, limit))
        show_more_of(x, v, UINT64_MAX, more);
}

void abr_json_pick_message(abr_json_costs *x)
{
    const uint64_t limit = x->most - x->most / MESSAGE;
    const uint32_t v = find_meant(x->tree, is_message);
    const uint32_t rendered = v ? find_rendered(x, v) : 0;
    const uint32_t error = find_meant(x->tree, is_error);
    show_told(x, v, error ? x->most / 2 : limit, limit);
    show_told(x, rendered, limit, limit);
    show_told(x, error, limit, x->most);
}

/* ---- trouble ---- */

/* The element that a value belongs to: the innermost around it, or itself. */
static uint32_t element_of(const abr_json_value *values, uint32_t v)
{
    const uint32_t itself = v;
    for (; values[v].parent != 0; v = values[v].parent) {
        if (abr_json_is_list(&values[values[v].parent]))
            return v;
    }
    return values[itself].parent != 0 ? values[itself].parent : itself;
}

/* Show the short values in a shown value, in at most `share` bytes. */
static void show_short(abr_json_costs *x, uint32_t in, uint64_t share, uint64_t limit)
{
    const abr_json_value *values = x->tree->values;
    const uint64_t most = x->used + share;
    for (uint32_t c = abr_json_first(values, in); c; c = abr_json_after(values, c))
        if (!values[c].shown && !abr_json_holds_values(&values[c]))
            show_if(x, c, most < limit ? most : limit);
}

/* Show a label, more of it than of another long text. */
static void show_label(abr_json_costs *x, uint32_t v, uint64_t limit)
{
    const abr_json_value *it = &x->tree->values[v];
    if (it->shown || !show_if(x, v, limit) || it->type != ABR_JSON_TEXT || it->full)
        return;
    const uint64_t most = x->most / LABEL;
    const uint64_t all = abr_json_text_size(it);
    const uint64_t room = all < most ? all : most;
    if (room > it->room && x->used + room - it->room <= limit)
        abr_json_give_room(x, v, room);
}

/* What the elements around a value that are not shown yet are called, the innermost first. */
typedef struct {
    abr_json_calling by[NAMED_AROUND];
    size_t count;
    uint64_t cost; /* of all that, without the elements */
} callings;

/* The cost of a value, or of none, without the element around it. */
static uint64_t cost_beside(const abr_json_costs *x, uint32_t v, uint64_t around)
{
    const uint64_t cost = v ? abr_json_cost(x, v) : 0;
    return cost > around ? cost - around : 0;
}

static callings callings_around(const abr_json_costs *x, uint32_t v)
{
    const abr_json_value *values = x->tree->values;
    callings all = {.count = 0};
    for (uint32_t in = element_of(values, v); all.count < NAMED_AROUND;
         in = element_of(values, values[in].parent)) {
        if (values[in].shown || !abr_json_is_list(&values[values[in].parent]))
            break;
        const abr_json_calling by = all.by[all.count++] = abr_json_called(values, in);
        const uint64_t around = abr_json_cost(x, in);
        all.cost += by.name == v ? 0 : cost_beside(x, by.name, around);
        all.cost += by.label == v || by.label == by.name ? 0 : cost_beside(x, by.label, around);
    }
    return all;
}

static void show_callings(abr_json_costs *x, const callings *all, uint64_t limit)
{
    for (size_t i = 0; i < all->count; i++) {
        const abr_json_calling by = all->by[i];
        if (by.name && !x->tree->values[by.name].shown)
            show_if(x, by.name, limit);
        if (by.label)
            show_label(x, by.label, limit);
    }
}

/* Show a value with what the elements around it are called, or neither. */
static bool show_with_callings(abr_json_costs *x, uint32_t v, const callings *all, uint64_t limit)
{
    if (x->used + abr_json_cost(x, v) + all->cost > limit)
        return false;
    abr_json_show(x, v);
    show_callings(x, all, limit);
    return true;
}

/* Show the rest of the texts beside a value in trouble that are shown in part, such as the reason beside a
 * failed state. */
static void show_said(abr_json_costs *x, uint32_t v, uint64_t limit)
{
    const abr_json_value *values = x->tree->values;
    if (values[v].score < ABR_SCORE_HIT)
        return;
    for (uint32_t c = abr_json_first(values, values[v].parent); c; c = abr_json_after(values, c)) {
        if (!values[c].shown || values[c].type != ABR_JSON_TEXT || values[c].full)
            continue;
        const uint64_t all = abr_json_text_size(&values[c]);
        if (all <= SAID && x->used + all <= limit + values[c].room)
            abr_json_give_room(x, c, all);
    }
}

/* The number of a line of source in an element, without its lists of several; 0: none. */
static uint32_t find_line_number(const abr_json_value *values, uint32_t element)
{
    static const char *const keys[] = {"line", "startLine", "line_number", "lineNumber", "lineno", NULL};
    enum { WITHIN = 64 };
    const uint32_t span = values[element].span < WITHIN ? values[element].span : WITHIN;
    for (uint32_t i = element + 1; i < element + span; i++) {
        if (values[i].type == ABR_JSON_ARRAY && values[i].count > 1)
            i += values[i].span - 1;
        else if (!abr_json_holds_values(&values[i]) && abr_is_digit(values[i].p[values[i].head]) &&
                 has_key_of(&values[i], keys))
            return i;
    }
    return 0;
}

static void show_trouble(abr_json_costs *x, uint32_t v, uint64_t limit)
{
    const abr_json_value *values = x->tree->values;
    const uint32_t element = element_of(values, v);
    if (!values[v].shown && x->used + abr_json_cost(x, v) > limit)
        return;
    const callings around = callings_around(x, v);
    if (!values[element].shown && show_whole_if(x, element, share_of(x, limit), limit)) {
        show_callings(x, &around, limit);
        return;
    }
    if (!values[v].shown && !show_with_callings(x, v, &around, limit))
        return;
    const uint32_t line = find_line_number(values, element);
    if (line && !values[line].shown)
        show_if(x, line, limit);
    if (values[v].parent != element)
        show_short(x, values[v].parent, share_of(x, limit), limit);
    if (abr_json_holds_values(&values[element]))
        show_short(x, element, share_of(x, limit), limit);
}

/* Show more of the element around a value in trouble, and of the value. */
static void show_around_trouble(abr_json_costs *x, uint32_t v, uint64_t limit)
{
    const abr_json_value *values = x->tree->values;
    const uint32_t element = element_of(values, v);
    if (!values[v].shown)
        return;
    for (uint32_t c = abr_json_first(values, element); c; c = abr_json_after(values, c))
        if (!values[c].shown)
            show_whole_if(x, c, share_of(x, limit), limit);
    show_more_of(x, v, share_of(x, limit), limit);
}

static void queue_trouble(abr_json_costs *x, abr_json_queue *q)
{
    enum { KINDS = 1024 };
    const float again = 0.35F;
    const abr_json_value *values = x->tree->values;
    uint16_t seen[KINDS] = {0};
    q->count = 0;
    for (uint32_t i = 1; i < x->tree->count; i++) {
        const abr_json_value *v = &values[i];
        if (v->score <= 0)
            continue;
        const uint64_t n = v->end - v->at - v->head;
        const uint64_t what = abr_json_hash(v->p + v->head, n < ABR_JSON_MAP ? (size_t)n : ABR_JSON_MAP);
        uint16_t *nth = &seen[abr_json_mix(v->hash, what) % KINDS];
        const float weight = v->score / (1 + again * (float)*nth);
        *nth = (uint16_t)(*nth + (*nth < UINT16_MAX));
        abr_json_queue_put(q, ~abr_float_key(weight), i);
    }
}

void abr_json_pick_trouble(abr_json_costs *x, uint64_t limit, abr_json_queue *q)
{
    /* all of it comes before more of any */
    static void (*const rounds[])(abr_json_costs *, uint32_t, uint64_t) = {show_trouble, show_said,
                                                                           show_around_trouble};
    for (size_t i = 0; i < sizeof rounds / sizeof *rounds; i++) {
        queue_trouble(x, q);
        for (uint64_t key; q->count > 0 && x->used < limit;)
            rounds[i](x, abr_json_queue_take(q, &key), limit);
    }
}

/* ---- names ---- */

/* A value's distance from the nearer end of its list, counted from 1, or that of an enclosing value if
 * larger; 0: it is in no list. The parent's `stamp` is already set. */
static uint32_t distance_of(const abr_json_value *in, const abr_json_value *v)
{
    if (v->parent == 0 || !(abr_json_is_list(in) || abr_json_has_code_for_key(v)))
        return in->stamp;
    const uint64_t back = in->count - v->ordinal;
    const uint64_t place = v->ordinal + 1 < back ? v->ordinal + 1 : back;
    return place > in->stamp ? (uint32_t)place : in->stamp;
}

/* The number of names in its object that come before a value; those that identify come before labels. */
static uint32_t names_ahead(const abr_json_value *values, uint32_t v)
{
    uint32_t count = 0;
    const uint32_t in = values[v].parent;
    const bool labels = !abr_json_identifies(&values[v]);
    bool before = true;
    if (abr_json_is_list(&values[in]) || abr_json_holds_values(&values[v]))
        return 0;
    for (uint32_t c = abr_json_first(values, in); c && (before || labels); c = abr_json_after(values, c)) {
        before = before && c != v;
        count +=
            abr_json_is_called(&values[c]) && (abr_json_identifies(&values[c]) != labels ? before : labels);
    }
    return count;
}

/* Show a list's element whole rather than this name of it: if that costs no more, or little more in a list
 * too long for the names of all elements. */
static bool show_element_if(abr_json_costs *x, uint32_t element, uint32_t name, uint64_t limit)
{
    const uint32_t list = x->tree->values[element].parent;
    const uint64_t cost = abr_json_cost(x, name);
    const uint64_t around = x->tree->values[list].shown ? 0 : abr_json_cost(x, list);
    const uint64_t alone = cost > around ? cost - around : 1;
    const bool is_long = x->tree->values[list].count > x->most / alone;
    if (x->tree->values[element].cut)
        return false; /* a piece of a long string says less than another name */
    return show_whole_if(x, element, is_long ? WHOLE * cost : cost, limit);
}

void abr_json_pick_labels(abr_json_costs *x, uint64_t limit)
{
    const abr_json_value *values = x->tree->values;
    for (uint32_t i = 2; i < x->tree->count; i++) {
        if (!values[i].shown || values[i].type != ABR_JSON_OBJECT ||
            !abr_json_is_list(&values[values[i].parent]))
            continue;
        const callings all = {.by = {abr_json_called(values, i)}, .count = 1};
        show_callings(x, &all, limit);
    }
}

void abr_json_pick_names(abr_json_costs *x, uint64_t limit, abr_json_queue *q)
{
    abr_json_value *values = x->tree->values;
    q->count = 0;
    values[0].stamp = values[0].back = 0;
    for (uint32_t i = 1; i < x->tree->count; i++) {
        const abr_json_value *in = &values[values[i].parent];
        const uint32_t depth = values[i].back = in->back + 1;
        values[i].stamp = distance_of(in, &values[i]);
        const bool is_outcome = values[i].role == ABR_JSON_OUTCOME && values[i].stamp == 0;
        if (abr_json_is_called(&values[i]) || (is_outcome && !abr_json_holds_values(&values[i])))
            abr_json_queue_put(q, (uint64_t)(depth + names_ahead(values, i)) << 32 | values[i].stamp, i);
    }
    for (uint64_t key; q->count > 0;) {
        const uint32_t v = abr_json_queue_take(q, &key);
        const uint32_t element = element_of(values, v);
        const bool is_element = abr_json_is_list(&values[values[element].parent]);
        if (values[v].shown ||
            (is_element && !values[element].shown && show_element_if(x, element, v, limit)))
            continue;
        if (x->used + abr_json_cost(x, v) > limit)
            continue;
        const callings around = callings_around(x, v);
        show_with_callings(x, v, &around, limit);
    }
}

/* ---- summaries ---- */

/* Show the values in an object that are not shown yet, or none of them. */
static void show_all_of(abr_json_costs *x, uint32_t in, uint64_t limit)
{
    const abr_json_value *values = x->tree->values;
    uint64_t cost = x->used;
    for (uint32_t c = values[in].child; c; c = values[c].next)
        cost += values[c].shown ? 0 : abr_json_own_size(&values[c]) + values[c].head_n;
    cost += values[in].shown ? 0 : abr_json_cost(x, in);
    if (cost <= limit)
        show_members(x, in, limit);
}

void abr_json_pick_summaries(abr_json_costs *x)
{
    const abr_json_value *values = x->tree->values;
    const uint64_t most = x->used + x->most / SUMMARIES;
    const uint64_t limit = most < x->most ? most : x->most;
    const uint32_t document = values[0].child;
    if (values[document].type != ABR_JSON_OBJECT || abr_json_is_list(&values[document]))
        return;
    for (uint32_t c = abr_json_first(values, document); c; c = abr_json_after(values, c))
        if (!values[c].cut && is_object_of(values, c, false)) /* no value is too long to show whole */
            show_all_of(x, c, limit);
}

/* ---- keys ---- */

void abr_json_pick_keys(abr_json_costs *x)
{
    const abr_json_value *values = x->tree->values;
    for (uint32_t i = 1; i < x->tree->count; i++) {
        if (!values[i].shown || values[i].count < KEYED || !is_object_of(values, i, true))
            continue;
        uint64_t cost = 0;
        for (uint32_t c = values[i].child; c; c = values[c].next)
            cost += values[c].shown ? 0 : abr_json_cost(x, c);
        if (cost <= (x->most - abr_at_most(x->used, x->most)) / KEYS_SHARE)
            show_members(x, i, x->most);
    }
}

/* ---- both ends ---- */

/* The next child; for a list, from the front and the back in turn; 0: none. */
static uint32_t next_of(abr_json_value *values, uint32_t in)
{
    abr_json_value *it = &values[in];
    const bool back = abr_json_is_list(it) && it->stamp++ % 2 == 1;
    const uint32_t c = back ? it->back : it->front;
    if (it->front == it->back)
        it->front = it->back = 0;
    else if (back)
        it->back = values[c].prev;
    else
        it->front = abr_json_after(values, c);
    return c;
}

/* The key of the values queued at the start. */
#define FIRST (UINT64_MAX / 2)

/* Queue the shown values that lack something. */
static void queue_shown(abr_json_costs *x, abr_json_queue *q)
{
    abr_json_value *values = x->tree->values;
    q->count = 0;
    for (uint32_t i = 1; i < x->tree->count; i++) {
        values[i].stamp = 0;
        values[i].front = abr_json_first(values, i);
        values[i].back = abr_json_is_list(&values[i]) ? values[i].last : 0;
        if (values[i].shown && values[i].kids < values[i].count && values[i].front)
            abr_json_queue_put(q, FIRST, i);
    }
}

/* The first value in `v` that holds none, preferring plain values at each level; 0: it is not retained. */
static uint32_t first_leaf(const abr_json_value *values, uint32_t v)
{
    while (values[v].child) {
        uint32_t c = abr_json_first(values, v);
        while (c && abr_json_holds_values(&values[c]))
            c = abr_json_after(values, c);
        v = c ? c : abr_json_first(values, v);
    }
    return abr_json_holds_values(&values[v]) && values[v].count > 0 ? 0 : v;
}

/* Show a value with as little in it as still says something. The values that hold more are queued, the
 * innermost first: keys count down from *key. */
static void open_if(abr_json_costs *x, uint32_t v, uint64_t *key, abr_json_queue *q)
{
    const abr_json_value *values = x->tree->values;
    const uint32_t leaf = first_leaf(values, v);
    if (leaf == 0 || !show_if(x, leaf, x->most))
        return;
    *key -= ABR_JSON_SHOWN_DEPTH;
    const uint64_t innermost = *key;
    for (uint32_t in = leaf; in != v;) {
        in = values[in].parent;
        show_short(x, in, x->most - x->used, x->most);
        abr_json_queue_put(q, (*key)++, in);
    }
    *key = innermost;
}

/* Show small values whole, each in turn. Unless `cut`, only elements without a long string, which would show
 * in part, of lists that have others with one. */
static void show_whole_ends(abr_json_costs *x, abr_json_queue *q, bool cut)
{
    const uint64_t small = x->most / SMALL > x->part ? x->most / SMALL : x->part;
    abr_json_value *values = x->tree->values;
    queue_shown(x, q);
    while (q->count > 0) {
        uint64_t step;
        const uint32_t in = abr_json_queue_take(q, &step);
        const uint32_t c = next_of(values, in);
        const bool comes = cut || (!values[c].cut && values[in].cut && abr_json_is_list(&values[in]));
        if (!values[c].shown && comes)
            show_whole_if(x, c, small, x->most);
        if (values[in].front)
            abr_json_queue_put(q, step + 1, in);
    }
}

/* Show the others as far as they fit, one after another; in part only while there is much room left. */
static void show_rest(abr_json_costs *x, abr_json_queue *q)
{
    uint64_t last = FIRST; /* the latest one opened comes first */
    abr_json_value *values = x->tree->values;
    queue_shown(x, q);
    while (q->count > 0) {
        uint64_t key;
        const uint32_t in = abr_json_queue_take(q, &key);
        const uint32_t c = next_of(values, in);
        if (values[in].front)
            abr_json_queue_put(q, key, in);
        if (!values[c].shown && !show_whole_if(x, c, x->most, x->most) &&
            x->used < x->most - x->most / LITTLE)
            open_if(x, c, &last, q);
    }
}

void abr_json_pick_ends(abr_json_costs *x, abr_json_queue *q)
{
    if (x->tree->values[x->tree->values[0].child].cut)
        show_whole_ends(x, q, false);
    show_whole_ends(x, q, true);
    show_rest(x, q);
}

/* ---- strings ---- */

void abr_json_pick_text(abr_json_costs *x, bool apart, uint64_t limit, abr_json_queue *q)
{
    const abr_json_value *values = x->tree->values;
    q->count = 0;
    for (uint32_t i = 1; i < x->tree->count; i++)
        if (values[i].shown && values[i].type == ABR_JSON_TEXT && !values[i].full &&
            (!apart || abr_json_is_kept_apart(x, &values[i])))
            abr_json_queue_put(q, abr_json_most_room(x, &values[i]), i);
    while (q->count > 0 && x->used < limit) {
        uint64_t most;
        const uint64_t share = (limit - x->used) / q->count;
        const uint32_t v = abr_json_queue_take(q, &most);
        abr_json_give_room(x, v, values[v].room + share);
    }
}
