/* The values of the retained parts: units are read again, nodes stand around them. */
#include <string.h>

#include "kinds/json/json_tree.h"
#include "base/memory.h"
#include "base/size.h"
#include "kinds/json/json_string.h"
#include "kinds/json/json_text.h"
#include "line/score.h"
#include "line/words.h"
#include "text/scan.h"

enum { COUNTED = 48 };

static const float odd_score = 2.5F;

/* The state of reading a unit. */
typedef struct {
    abr_json_tree *t;
    const abr_json_unit *unit;
    uint32_t origin;
    uint32_t in; /* value whose children come next */
    uint32_t depth;
    const char *p;
    size_t i;
    size_t from; /* end of the last child */
    uint64_t ordinal;
} unit_reading;

/* ---- values ---- */

/* The end of the string or byte at i. */
static size_t part_end(const char *p, size_t n, size_t i)
{
    return p[i] == '"' ? abr_json_string_end(p, n, i) : i + 1;
}

/* Is it a child of the document, but not the first? If so, the source's newlines before it are shown. */
static bool may_begin_line(const abr_json_tree *t, const abr_json_value *v)
{
    return !t->one_line && v->parent == 1 && v->ordinal > 0;
}

bool abr_json_next_shown(const abr_json_tree *t, const abr_json_value *v, size_t *i, size_t *n)
{
    for (; *i < v->head; ++*i) {
        const char c = v->p[*i];
        if (abr_json_is_blank(c) && !(c == '\n' && *i < v->lead && may_begin_line(t, v)))
            continue;
        size_t end = part_end(v->p, v->head, *i);
        while (c != '\n' && end < v->head && !abr_json_is_blank(v->p[end]))
            end = part_end(v->p, v->head, end);
        *n = end - *i;
        return true;
    }
    return false;
}

static uint32_t head_size(const abr_json_tree *t, const abr_json_value *v)
{
    size_t size = 0;
    for (size_t i = 0, n; abr_json_next_shown(t, v, &i, &n); i += n)
        size += n;
    return (uint32_t)size;
}

static uint32_t add(abr_json_tree *t, uint32_t parent, const abr_json_value *value)
{
    const uint32_t v = t->count++;
    abr_json_value *new = &t->values[v];
    *new = *value;
    new->parent = parent;
    new->span = 1;
    if (v == 0)
        return v;
    new->head_n = head_size(t, new);
    abr_json_value *in = &t->values[parent];
    new->prev = in->last;
    if (in->last)
        t->values[in->last].next = v;
    else
        in->child = v;
    in->last = v;
    return v;
}

static size_t scalar_end(const char *p, size_t n, size_t i)
{
    if (p[i] == '"')
        return abr_json_string_end(p, n, i);
    while (i < n && !abr_json_is_blank(p[i]) && p[i] != ',' && p[i] != ']' && p[i] != '}')
        i++;
    return i;
}

static size_t skip_lead(const char *p, size_t n, size_t i, char separator)
{
    while (i < n && (abr_json_is_blank(p[i]) || p[i] == separator))
        i++;
    return i;
}

/* The end of an object or array. */
static size_t skip_value(const char *p, size_t n, size_t i)
{
    size_t depth = 0;
    for (; i < n; i++) {
        if (p[i] == '"')
            i = abr_json_string_end(p, n, i) - 1;
        else if (p[i] == '{' || p[i] == '[')
            depth++;
        else if ((p[i] == '}' || p[i] == ']') && --depth == 0)
            return i + 1;
    }
    return n;
}

/* The end of the child at i. */
static size_t child_end(const char *p, size_t n, size_t i, bool is_member)
{
    if (is_member)
        i = skip_lead(p, n, abr_json_string_end(p, n, i), ':');
    return p[i] == '{' || p[i] == '[' ? skip_value(p, n, i) : scalar_end(p, n, i);
}

/* ---- a unit ---- */

/* Newlines between the last child and the closing bracket. */
static uint8_t close_lines(const unit_reading *r)
{
    const size_t n = r->i - r->from;
    return n < ABR_JSON_CLOSE_MOST ? (uint8_t)abr_count_newlines(r->p + r->from, n) : 0;
}

static void read_close(unit_reading *r)
{
    abr_json_value *v = &r->t->values[r->in];
    v->end = r->unit->at + r->i + 1;
    v->close_lines = close_lines(r);
    v->span = r->t->count - r->in;
    r->in = v->parent;
    r->depth--;
    r->from = ++r->i;
}

static abr_json_type type_of(const char *p, size_t n)
{
    if (*p == '{')
        return ABR_JSON_OBJECT;
    if (*p == '[')
        return ABR_JSON_ARRAY;
    if (*p != '"')
        return ABR_JSON_SCALAR;
    return abr_json_is_data(p + 1, n - 2) ? ABR_JSON_DATA : ABR_JSON_TEXT;
}

static uint64_t next_ordinal(unit_reading *r)
{
    abr_json_value *in = &r->t->values[r->in];
    return r->depth == 0 ? r->ordinal++ : in->count++;
}

static void read_value(unit_reading *r, uint32_t base)
{
    const size_t n = r->unit->n;
    abr_json_value v = {
        .p = r->p + r->from, .at = r->unit->at + r->from, .origin = r->origin, .node = ABR_JSON_NONE};
    v.lead = (uint32_t)(r->i - r->from);
    if (r->t->values[r->in].type == ABR_JSON_OBJECT)
        r->i = skip_lead(r->p, n, abr_json_string_end(r->p, n, r->i), ':');
    v.head = (uint32_t)(r->i - r->from);
    v.ordinal = next_ordinal(r);
    const bool opens = r->p[r->i] == '{' || r->p[r->i] == '[';
    if (base + r->depth >= ABR_JSON_SHOWN_DEPTH) {
        r->from = r->i = child_end(r->p, n, r->i, false);
        return;
    }
    const size_t start = r->i;
    r->i = opens ? start + 1 : r->unit->chars > 0 ? n : scalar_end(r->p, n, start);
    v.type = (uint8_t)type_of(r->p + start, r->i - start);
    v.end = r->unit->chars > 0 ? r->unit->end : r->unit->at + r->i;
    v.count = r->unit->chars;
    r->from = r->i;
    const uint32_t new = add(r->t, r->in, &v);
    if (opens) {
        r->in = new;
        r->depth++;
    }
}

/* ---- runs ---- */

/* Add a unit as a run, or as one for each child if they begin lines that may be shown. */
static void add_runs(abr_json_tree *t, uint32_t origin, uint32_t parent)
{
    const abr_json_unit *u = &t->parts->units[origin];
    const char *p = abr_json_text(t->parts, u->place);
    const bool apart = u->runs > 1 && !t->one_line && parent == 1;
    const bool has_keys = t->values[parent].type == ABR_JSON_OBJECT;
    uint64_t ordinal = u->ordinal;
    for (size_t i = 0, end; i < u->n; i = end, ordinal++) {
        const size_t start = skip_lead(p, u->n, i, ',');
        end = apart ? child_end(p, u->n, start, has_keys) : u->n;
        const abr_json_value v = {.type = ABR_JSON_RUN,
                                  .p = p + i,
                                  .at = u->at + i,
                                  .end = u->at + end,
                                  .ordinal = ordinal,
                                  .count = apart ? 1 : u->plain,
                                  .lead = (uint32_t)(start - i),
                                  .head = (uint32_t)(end - i),
                                  .origin = origin,
                                  .node = ABR_JSON_NONE};
        add(t, parent, &v);
    }
}

/* Read a unit inside `parent`, `base` levels deep. */
static void read_unit(abr_json_tree *t, uint32_t origin, uint32_t parent, uint32_t base)
{
    const abr_json_unit *u = &t->parts->units[origin];
    if (t->parts->coarse && u->plain > 0) {
        add_runs(t, origin, parent);
        return;
    }
    unit_reading r = {.t = t, .unit = u, .origin = origin, .in = parent, .ordinal = u->ordinal};
    r.p = abr_json_text(t->parts, u->place);
    for (;;) {
        r.i = skip_lead(r.p, u->n, r.i, ',');
        if (r.i >= u->n)
            break;
        if (r.p[r.i] == '}' || r.p[r.i] == ']')
            read_close(&r);
        else
            read_value(&r, base);
    }
}

/* ---- nodes ---- */

static void add_node(abr_json_tree *t, uint32_t node, uint32_t *of_node)
{
    const abr_json_node *x = &t->parts->nodes[node];
    const uint32_t parent = x->parent == ABR_JSON_NONE ? 0 : of_node[x->parent];
    const size_t n = (size_t)(x->start - x->at);
    abr_json_value v = {
        .p = abr_json_text(t->parts, x->place), .at = x->at, .end = x->end, .ordinal = x->ordinal};
    v.head = (uint32_t)n;
    v.lead = (uint32_t)skip_lead(v.p, n, 0, ',');
    v.type = x->object ? ABR_JSON_OBJECT : ABR_JSON_ARRAY;
    v.count = x->count;
    v.close_lines = x->close_lines;
    v.node = node;
    of_node[node] = add(t, parent, &v);
}

static uint32_t depth_of(const abr_json_tree *t, uint32_t v)
{
    uint32_t depth = 0;
    for (; v != 0; v = t->values[v].parent)
        depth++;
    return depth;
}

/* Mark the nodes around chosen units, and the document's own. */
static void mark_nodes(const abr_json_parts *x, const bool *chosen, uint32_t *of_node)
{
    memset(of_node, 0, x->node_count * sizeof *of_node);
    for (size_t i = 0; i < x->unit_count; i++)
        for (uint32_t node = x->units[i].node; chosen[i] && node != ABR_JSON_NONE && !of_node[node];
             node = x->nodes[node].parent)
            of_node[node] = 1;
    if (x->node_count == 0 || x->nodes[0].parent != ABR_JSON_NONE || x->nodes[0].ghost)
        return;
    of_node[0] = 1;
    /* only brackets, nested too deep to be shown; each is all that is in the one around it */
    for (size_t i = 1; i < x->node_count && !x->met_units && x->nodes[i].parent == i - 1; i++)
        of_node[i] = of_node[i - 1] && x->nodes[i - 1].count == 1 && abr_json_may_show(x, &x->nodes[i]);
}

static void read_parts(abr_json_tree *t, const bool *chosen, uint32_t *of_node)
{
    const abr_json_parts *x = t->parts;
    uint32_t node = 0;
    uint32_t in = ABR_JSON_NONE;
    uint32_t depth = 0;
    for (uint32_t i = 0; i <= x->unit_count; i++) {
        for (; node < x->node_count && (i == x->unit_count || x->nodes[node].at < x->units[i].at); node++)
            if (of_node[node])
                add_node(t, node, of_node);
        if (i == x->unit_count || !chosen[i])
            continue;
        const uint32_t parent = x->units[i].node == ABR_JSON_NONE ? 0 : of_node[x->units[i].node];
        if (parent != in)
            depth = depth_of(t, parent);
        in = parent;
        read_unit(t, i, parent, depth);
    }
}

/* ---- facts about each value ---- */

static void set_path(abr_json_tree *t, abr_json_value *v)
{
    const abr_json_value *in = &t->values[v->parent];
    if (v->parent == 0) { /* the document */
        v->hash = in->hash;
    } else if (in->type == ABR_JSON_OBJECT && in->count <= ABR_JSON_MAP) {
        const size_t n = v->head - v->lead;
        v->hash = abr_json_key_path(
            in->hash, abr_json_hash(v->p + v->lead + 1, abr_json_string_end(v->p + v->lead, n, 0) - 2));
    } else {
        v->hash = abr_json_any_path(in->hash);
    }
}

/* Is it in a list of an element of a list? Elements that have some of it differ from those that have none. */
static bool is_in_lists(const abr_json_value *values, const abr_json_value *v)
{
    unsigned lists = 0;
    for (; v->parent != 0; v = &values[v->parent])
        lists += abr_json_is_list(&values[v->parent]);
    return lists > 1;
}

/* The score of (p, n), which has no padding after it. */
static float score_of_bytes(const abr_json_values *says, const abr_json_path *path, const char *p, size_t n)
{
    char read[ABR_JSON_READ + ABR_PADDING];
    n = n < ABR_JSON_READ ? n : ABR_JSON_READ;
    memcpy(read, p, n);
    memset(read + n, 0, ABR_PADDING);
    return abr_json_trouble(says, path, read, n);
}

static void set_score(const abr_json_values *says, const abr_json_value *values, abr_json_value *v)
{
    const abr_json_path *path = abr_json_find_path(says, v->hash);
    const char *p = v->p + v->head;
    const size_t n = (size_t)abr_json_own_size(v);
    abr_json_saying found = {0};
    if (v->type == ABR_JSON_SCALAR && n <= ABR_JSON_SHORT_NUMBER)
        found = abr_json_look_up(says, path, abr_json_hash(p, n));
    else if (v->type == ABR_JSON_TEXT && n <= COUNTED + 2)
        found = abr_json_look_up(says, path, abr_json_hash(p + 1, n - 2));
    v->score = found.score;
    if (v->type == ABR_JSON_TEXT && abr_json_is_shared(says, path, values[v->parent].hash) &&
        !is_in_lists(values, v))
        v->score = 0;
    else if (v->type == ABR_JSON_TEXT && found.score == 0 && n > 2)
        v->score = score_of_bytes(says, path, p + 1, n - 2);
    else if (v->type == ABR_JSON_SCALAR && v->head > v->lead) { /* "ExitCode": 137 */
        v->score = score_of_bytes(says, NULL, v->p + v->lead, v->head - v->lead + n);
        if (v->score < ABR_SCORE_HIT) /* a sum */
            v->score = 0;
        const float meant = abr_json_scalar_trouble(says, path, p, n);
        if (v->score < meant)
            v->score = meant;
    }
    if (found.odd && v->score < odd_score)
        v->score = odd_score;
}

/* An element has the role of its array, a run none. */
static void set_role(const abr_json_value *values, abr_json_value *v)
{
    const abr_json_value *in = &values[v->parent];
    v->role = ABR_JSON_OTHER;
    if (v->type == ABR_JSON_RUN)
        return;
    if (in->type == ABR_JSON_OBJECT)
        v->role = (uint8_t)abr_json_role_of(v->p + v->lead,
                                            abr_json_string_end(v->p + v->lead, v->head - v->lead, 0));
    else if (v->parent > 0 && !abr_json_holds_values(v))
        v->role = in->role;
    if (v->role == ABR_JSON_OTHER && v->type == ABR_JSON_TEXT &&
        abr_json_is_code(v->p + v->head + 1, (size_t)abr_json_own_size(v) - 2))
        v->role = ABR_JSON_CODE;
}

/* Does the object have the same plain value at the path of v? Of a long string its start tells, which any
 * budget retains: its middle may not be at hand. */
static bool has_same(const abr_json_value *values, uint32_t in, const abr_json_value *v)
{
    for (uint32_t c = values[in].child; c; c = values[c].next)
        if (values[c].hash == v->hash)
            return !abr_json_holds_values(&values[c]) &&
                   abr_json_own_size(&values[c]) == abr_json_own_size(v) &&
                   memcmp(values[c].p + values[c].head, v->p + v->head,
                          (size_t)abr_at_most(abr_json_own_size(v), ABR_JSON_READ)) == 0;
    return false;
}

/* Note the paths at which a list's element differs from the one before it. */
static void note_varying(abr_json_value *values, uint32_t element)
{
    const uint32_t before = values[element].prev;
    if (before == 0 || values[before].type == ABR_JSON_RUN ||
        values[values[element].parent].type != ABR_JSON_ARRAY)
        return;
    for (uint32_t c = values[element].child; c; c = values[c].next)
        if (!abr_json_holds_values(&values[c]) && !has_same(values, before, &values[c]))
            values[values[c].path].varies = true;
}

/* Is it a short value that may tell its element from others of the list? */
static bool tells_apart(const abr_json_value *values, const abr_json_value *v)
{
    enum { SHORT = 48 };
    return values[v->path].varies && !abr_json_holds_values(v) && abr_json_own_size(v) <= SHORT;
}

/* Of two members: by the role of their keys, then plain values before those that hold some, those that tell
 * elements of a list apart before those that don't, then short before long. */
static bool is_earlier(const abr_json_value *values, const abr_json_value *a, const abr_json_value *b)
{
    if (a->role != b->role)
        return a->role < b->role;
    if (abr_json_holds_values(a) != abr_json_holds_values(b))
        return abr_json_holds_values(b);
    if (tells_apart(values, a) != tells_apart(values, b))
        return tells_apart(values, a);
    return a->end - a->at < b->end - b->at;
}

/* Order the members of an object. */
static void order_members(abr_json_value *values, uint32_t in)
{
    values[in].last = 0;
    for (uint32_t c = values[in].child; c; c = values[c].next) {
        uint32_t *place = &values[in].last;
        while (*place && !is_earlier(values, &values[c], &values[*place]))
            place = &values[*place].prev;
        values[c].prev = *place;
        *place = c;
    }
}

/* Find the first value of each path. */
static bool set_paths(abr_json_tree *t)
{
    const size_t size = (size_t)t->count + t->count / 2 + 64;
    uint32_t *slots = t->alloc->malloc(t->alloc->ctx, size * sizeof *slots);
    if (!slots)
        return false;
    memset(slots, 0, size * sizeof *slots);
    for (uint32_t i = 1; i < t->count; i++) {
        abr_json_value *v = &t->values[i];
        set_path(t, v);
        size_t slot = (v->hash >> 16) % size;
        while (slots[slot] && t->values[slots[slot]].hash != v->hash)
            slot = (slot + 1) % size;
        if (!slots[slot]) {
            slots[slot] = i;
            t->hidden_paths++;
        }
        v->path = slots[slot];
    }
    t->alloc->free(t->alloc->ctx, slots);
    return true;
}

/* Blanks before the document are not part of it; only its own closing bracket may begin a line. */
static void trim_document(abr_json_tree *t)
{
    abr_json_value *v = &t->values[1];
    v->p += v->head;
    v->at += v->head;
    v->lead = v->head = 0;
    if (t->one_line || v->count == 0)
        v->close_lines = 0;
    for (uint32_t i = 2; i < t->count; i++)
        t->values[i].close_lines = 0;
}

bool abr_json_tree_make(abr_json_tree *t, const abr_json_parts *parts, const bool *chosen,
                        const abr_json_values *says)
{
    size_t count = 1 + parts->node_count;
    for (size_t i = 0; i < parts->unit_count; i++)
        count += chosen[i] ? abr_json_tree_values(parts, &parts->units[i]) : 0;
    t->parts = parts;
    t->values = t->alloc->malloc(t->alloc->ctx, count * (sizeof *t->values + sizeof *t->near.due));
    uint32_t *of_node = t->alloc->malloc(t->alloc->ctx, (parts->node_count + 1) * sizeof *of_node);
    if (t->values && of_node) {
        t->near.due = (abr_json_due *)(void *)(t->values + count);
        t->far = (abr_json_queue){.due = t->near.due + count - 1, .backwards = true};
        const abr_json_value place = {
            .type = ABR_JSON_ARRAY, .count = 1, .hash = ABR_JSON_ROOT, .node = ABR_JSON_NONE};
        mark_nodes(parts, chosen, of_node);
        add(t, 0, &place);
        t->values[0].shown = true;
        read_parts(t, chosen, of_node);
        if (t->count > 1)
            trim_document(t);
    }
    const bool fine = t->values && of_node && set_paths(t);
    abr_release(t->alloc, of_node);
    for (uint32_t i = t->count; fine && i-- > 1;) {
        abr_json_value *in = &t->values[t->values[i].parent];
        const uint32_t span = i + t->values[i].span - t->values[i].parent;
        if (in->span < span)
            in->span = span;
    }
    for (uint32_t i = 1; fine && i < t->count; i++) {
        set_score(says, t->values, &t->values[i]);
        set_role(t->values, &t->values[i]);
    }
    for (uint32_t i = 1; fine && i < t->count; i++)
        if (!abr_json_is_list(&t->values[i]))
            note_varying(t->values, i);
    for (uint32_t i = 1; fine && i < t->count; i++)
        if (!abr_json_is_list(&t->values[i]))
            order_members(t->values, i);
    return fine;
}
