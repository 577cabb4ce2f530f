/*
 * The cost of showing values: their bytes, and the markers for the parts left out, at their widest.
 *
 * Every gap in an array has its marker; an object has one for everything it lacks. So the cost of a value
 * depends on its siblings, and is counted when it is shown.
 */
#include <string.h>

#include "kinds/json/json_cost.h"
#include "base/size.h"
#include "kinds/json/json_string.h"

enum { ROOMS = 8, TEXT_ROOM = 40, DATA_ROOM = 24 };

/* ---- markers ---- */

/* The object's keys that are all dots, as a bit for each number of dots. */
static uint64_t dots_of(const abr_json_costs *x, const abr_json_value *v)
{
    if (v->node != ABR_JSON_NONE)
        return x->tree->parts->nodes[v->node].dots;
    uint64_t dots = 0;
    for (uint32_t i = v->child; i; i = x->tree->values[i].next)
        dots |= abr_json_dots(x->tree->values[i].p + x->tree->values[i].lead);
    return dots;
}

static size_t put_words(char *dst, const char *text)
{
    const size_t n = strlen(text);
    memcpy(dst, text, n);
    return n;
}

static size_t put_counts(char *dst, uint64_t omitted, uint64_t total, const char *end)
{
    size_t n = abr_print_count(omitted, dst);
    n += put_words(dst + n, " of ");
    n += abr_print_count(total, dst + n);
    return n + put_words(dst + n, end);
}

size_t abr_json_print_marker(const abr_json_costs *x, const abr_json_value *v, uint64_t omitted, bool first,
                             char dst[ABR_JSON_MARKER_MOST])
{
    size_t n = 0;
    if (!abr_json_holds_values(v)) {
        n = put_words(dst, "... [");
        return n + put_counts(dst + n, omitted, v->count, " chars omitted] ...");
    }
    if (!first)
        dst[n++] = ',';
    if (v->type == ABR_JSON_ARRAY) {
        n += put_words(dst + n, "\"... ");
        return n + put_counts(dst + n, omitted, v->count, " omitted ...\"");
    }
    n += put_words(dst + n, "\"...");
    for (uint64_t dots = dots_of(x, v); dots & 1; dots >>= 1)
        dst[n++] = '.';
    n += put_words(dst + n, "\":\"");
    return n + put_counts(dst + n, omitted, v->count, " omitted\"");
}

uint64_t abr_json_marker_size(const abr_json_costs *x, const abr_json_value *v)
{
    char marker[ABR_JSON_MARKER_MOST];
    return x->pays ? abr_json_print_marker(x, v, v->count, false, marker) : 0;
}

/* ---- strings ---- */

size_t abr_json_half(const abr_json_costs *x, const abr_json_value *v)
{
    const abr_json_parts *parts = x->tree->parts;
    return abr_json_half_of(parts, &parts->units[v->origin], abr_json_allowance(x->keep, parts->is_record));
}

/* Only the two ends of a longer string are retained; a larger budget may have retained all of it. */
bool abr_json_may_be_whole(const abr_json_costs *x, const abr_json_value *v)
{
    return abr_json_own_size(v) <= 2 * (uint64_t)abr_json_half(x, v);
}

bool abr_json_is_kept_apart(const abr_json_costs *x, const abr_json_value *v)
{
    for (size_t i = 0; i < x->held->count; i++)
        if (x->held->strings[i].at == v->at + v->head + 1)
            return abr_json_held_as(x->held, i, x->keep) != ABR_JSON_UNHELD;
    return false;
}

uint64_t abr_json_most_room(const abr_json_costs *x, const abr_json_value *v)
{
    if (abr_json_may_be_whole(x, v) || x->held->document || abr_json_is_kept_apart(x, v))
        return abr_json_text_size(v);
    const uint64_t front = abr_json_half(x, v) - 1 - ABR_JSON_ESCAPE;
    return front + front / 2; /* two thirds of a shown string are its start */
}

static uint64_t least_room(const abr_json_costs *x, const abr_json_value *v)
{
    const uint64_t room = v->type == ABR_JSON_DATA ? DATA_ROOM : TEXT_ROOM;
    return room < x->most / ROOMS ? room : x->most / ROOMS;
}

/* Count the chars of a string that may be shown in part, since its marker mentions them. */
static void count_string_chars(const abr_json_costs *x, abr_json_value *v)
{
    const uint64_t n = abr_json_text_size(v);
    if (v->count == 0 && (v->type == ABR_JSON_DATA || n + ABR_JSON_QUOTES > x->part))
        v->count = abr_json_char_count(v->p + v->head + 1, (size_t)n);
}

/* Is a string shown in part? */
static bool in_part(const abr_json_costs *x, const abr_json_value *v)
{
    if (v->type == ABR_JSON_DATA)
        return true;
    const uint64_t n = abr_json_text_size(v);
    return v->type == ABR_JSON_TEXT &&
           (!abr_json_may_be_whole(x, v) ||
            (n + ABR_JSON_QUOTES > x->part && n > least_room(x, v) + abr_json_marker_size(x, v)));
}

/* ---- values ---- */

/* The cost of an empty object or array. */
static uint64_t brackets_cost(const abr_json_value *v)
{
    return (uint64_t)v->head_n + ABR_JSON_BRACKETS + v->close_lines;
}

/* The cost of a value by itself, with as little in it as possible. */
static uint64_t least_cost(const abr_json_costs *x, const abr_json_value *v)
{
    if (abr_json_holds_values(v))
        return brackets_cost(v) + (v->count > 0 ? abr_json_marker_size(x, v) : 0);
    if (in_part(x, v))
        return v->head_n + ABR_JSON_QUOTES + least_room(x, v) + abr_json_marker_size(x, v);
    return v->head_n + abr_json_own_size(v);
}

/* Are there two such siblings, next to each other, and is one of them shown? */
static bool join_shown(const abr_json_value *values, uint32_t first, uint32_t second)
{
    return first != 0 && second != 0 && (values[first].shown || values[second].shown) &&
           values[first].ordinal + abr_json_siblings(&values[first]) == values[second].ordinal;
}

/* The change in the cost of its parent's markers if a value is shown that is not yet. */
static int64_t marker_change(const abr_json_costs *x, uint32_t v)
{
    const abr_json_value *values = x->tree->values;
    const abr_json_value *it = &values[v];
    const abr_json_value *in = &values[it->parent];
    int64_t gaps;
    if (it->parent == 0)
        return 0;
    if (in->type == ABR_JSON_OBJECT) {
        gaps = in->kids + abr_json_siblings(it) == in->count ? -1 : 0;
    } else {
        const bool first = it->ordinal == 0 || join_shown(values, it->prev, v);
        const bool last = it->ordinal + abr_json_siblings(it) == in->count || join_shown(values, v, it->next);
        gaps = 1 - first - last;
    }
    return gaps == 0 ? 0 : gaps * (int64_t)abr_json_marker_size(x, in);
}

void abr_json_cost_all(abr_json_costs *x)
{
    abr_json_value *values = x->tree->values;
    for (uint32_t i = x->tree->count; i-- > 1;) {
        abr_json_value *v = &values[i];
        if (v->type == ABR_JSON_TEXT || v->type == ABR_JSON_DATA)
            count_string_chars(x, v);
        uint64_t whole = abr_json_holds_values(v) ? brackets_cost(v) : least_cost(x, v);
        uint64_t children = 0;
        v->cut = !abr_json_holds_values(v) && whole < v->head_n + abr_json_own_size(v);
        for (uint32_t c = v->child; c; c = values[c].next) {
            v->cut = v->cut || values[c].cut;
            children += abr_json_siblings(&values[c]);
            whole = values[c].whole == UINT32_MAX ? UINT32_MAX : whole + values[c].whole;
            if (whole >= UINT32_MAX)
                break;
        }
        const bool lacks = abr_json_holds_values(v) && children < v->count;
        v->whole = lacks || whole > UINT32_MAX ? UINT32_MAX : (uint32_t)whole;
    }
}

/* The cost of showing the values around a value. */
static int64_t cost_around(const abr_json_costs *x, uint32_t v)
{
    const abr_json_value *values = x->tree->values;
    int64_t cost = marker_change(x, v);
    for (uint32_t in = values[v].parent; !values[in].shown; in = values[in].parent)
        cost += (int64_t)least_cost(x, &values[in]) + marker_change(x, in);
    return cost;
}

static uint64_t at_least_none(int64_t cost)
{
    return cost > 0 ? (uint64_t)cost : 0;
}

uint64_t abr_json_cost(const abr_json_costs *x, uint32_t v)
{
    return at_least_none((int64_t)least_cost(x, &x->tree->values[v]) + cost_around(x, v));
}

uint64_t abr_json_cost_whole(const abr_json_costs *x, uint32_t v)
{
    const uint32_t whole = x->tree->values[v].whole;
    return whole == UINT32_MAX ? UINT64_MAX : at_least_none((int64_t)whole + cost_around(x, v));
}

/* ---- showing ---- */

static void mark_shown(abr_json_costs *x, uint32_t v)
{
    abr_json_value *values = x->tree->values;
    abr_json_value *it = &values[v];
    it->shown = true;
    values[it->parent].kids += abr_json_siblings(it);
    x->tree->hidden_paths -= !values[it->path].covered;
    values[it->path].covered = true;
    it->full = !in_part(x, it);
    it->room = it->full ? 0 : (uint32_t)least_room(x, it);
}

static void show_alone(abr_json_costs *x, uint32_t v)
{
    x->used =
        (uint64_t)((int64_t)x->used + (int64_t)least_cost(x, &x->tree->values[v]) + marker_change(x, v));
    mark_shown(x, v);
}

static void show_around(abr_json_costs *x, uint32_t v)
{
    const abr_json_value *values = x->tree->values;
    uint32_t hidden = values[v].parent;
    for (; !values[values[v].parent].shown; hidden = values[v].parent) {
        while (!values[values[hidden].parent].shown)
            hidden = values[hidden].parent;
        show_alone(x, hidden);
    }
}

void abr_json_show(abr_json_costs *x, uint32_t v)
{
    show_around(x, v);
    show_alone(x, v);
}

void abr_json_show_whole(abr_json_costs *x, uint32_t v)
{
    abr_json_value *values = x->tree->values;
    show_around(x, v);
    x->used = (uint64_t)((int64_t)x->used + values[v].whole + marker_change(x, v));
    for (uint32_t i = v; i < v + values[v].span; i++)
        mark_shown(x, i);
}

void abr_json_give_room(abr_json_costs *x, uint32_t v, uint64_t room)
{
    abr_json_value *it = &x->tree->values[v];
    const uint64_t n = abr_json_text_size(it);
    const uint64_t most = abr_json_most_room(x, it);
    const uint64_t marker = abr_json_marker_size(x, it);
    room = room < most ? room : most;
    if (room + marker >= n && abr_json_may_be_whole(x, it)) {
        x->used = x->used + n - it->room - marker;
        it->full = true;
        return;
    }
    x->used += room - it->room;
    it->room = (uint32_t)room;
}
