/*
 * Edits of one JSON document, in one pass.
 *
 * The walk goes down with the pointers of the edits: as long as some go on below a value, it has a node, with
 * the range of those routes. Values below no route are passed token by token. Each edit that changes
 * something becomes a patch, a range of the document and its new text; they come in the document's order, and
 * two that overlap are an error. Writing copies the bytes between them.
 *
 * Commas: an element that goes takes the comma before it along if an element before it stays, else the comma
 * after it.
 */
#include <string.h>

#include "abridge.h"
#include "base/error.h"
#include "base/memory.h"
#include "kinds/json/json_string.h"
#include "splice/json_walk.h"
#include "splice/route.h"

/* Bytes [from, to) of the document and the edit with their new text; without one they go. */
typedef struct {
    size_t from;
    size_t to;
    const abr_edit *edit;         /* NULL: nothing */
    const abr_pointer_step *name; /* of a new member; or NULL */
    bool comma_before;
    bool comma_after;
} patch;

/* A value on the way to those that edits mean, and its elements so far, once it is open. */
typedef struct {
    abr_route_range routes; /* that lead to it or go on below it */
    size_t own;             /* the end of those that lead to it */
    size_t start;           /* with its name, if it is a member */
    size_t name_len;
    size_t at;
    bool inserted; /* something, before it */
    bool changed;
    bool object;
    size_t elements; /* that began */
    bool kept;       /* one of them stays, or one was added */
    size_t end;      /* of the last one; if there is none, the bracket's */
    patch *leading;  /* of the last element, if it and all before it go: the comma after it goes too */
} node;

struct abr_splice {
    abr_json_walk walk; /* first */
    abr_route *routes;
    size_t count;
    patch *patches; /* one an edit at most */
    size_t patched;
    node *nodes; /* as many as the longest pointer has steps, and one */
    size_t open; /* of them; the next one is the value under way */
    char *name;  /* a key, decoded */
    size_t longest_name;
};

enum { NAME_ESCAPED = 6 }; /* bytes of a key that may stand for one */

/* ---- patches ---- */

static abr_code fail_edit(abr_error *error, abr_code code, const char *message, const abr_route *route)
{
    return abr_fail_at(error, code, message, route->number + 1);
}

static abr_code put_patch(abr_splice *s, abr_route *route, patch made, abr_error *error)
{
    if (s->patched > 0 && s->patches[s->patched - 1].to > made.from)
        return fail_edit(error, ABR_EINVAL, "an edit lies in what another one changes", route);
    if (route->edit->act != ABR_EDIT_REMOVE)
        made.edit = route->edit;
    s->patches[s->patched++] = made;
    route->done = true;
    return ABR_OK;
}

/* The element under way goes; `parent` has it. */
static abr_code remove_element(abr_splice *s, abr_route *route, node *parent, const node *x, size_t end,
                               abr_error *error)
{
    const patch made = {.from = parent->kept ? parent->end : x->start, .to = end};
    const abr_code code = put_patch(s, route, made, error);
    if (code == ABR_OK && !parent->kept)
        parent->leading = &s->patches[s->patched - 1];
    return code;
}

/* ---- values ---- */

/* The routes to the next element of an array. */
static abr_route_range routes_by_index(const abr_splice *s, const node *array)
{
    char digits[24];
    size_t n = sizeof digits;
    size_t index = array->elements;
    do
        digits[--n] = (char)('0' + index % 10);
    while ((index /= 10) > 0);
    return abr_routes_by(s->routes, array->routes, s->open - 1, digits + n, sizeof digits - n);
}

/* Insert before the element under way, which goes on in the document. */
static abr_code insert_before(abr_splice *s, node *x, abr_error *error)
{
    for (size_t i = x->routes.low; i < x->own; i++) {
        if (s->routes[i].edit->act != ABR_EDIT_INSERT)
            continue;
        x->inserted = true;
        const patch made = {.from = x->at, .to = x->at, .comma_after = true};
        const abr_code code = put_patch(s, &s->routes[i], made, error);
        if (code != ABR_OK)
            return code;
    }
    return ABR_OK;
}

/* The value under way begins; the name of a member was read. */
static abr_code begin_value(abr_splice *s, size_t at, abr_error *error)
{
    node *x = &s->nodes[s->open];
    node *parent = s->open > 0 ? x - 1 : NULL;
    x->at = at;
    x->inserted = false;
    if (!parent)
        x->routes = (abr_route_range){0, s->count};
    else if (!parent->object)
        x->routes = routes_by_index(s, parent);
    if (!parent || !parent->object)
        x->start = at;
    x->own = abr_routes_own(s->routes, x->routes, s->open);
    if (!parent)
        return ABR_OK;
    parent->elements++;
    if (parent->leading)
        parent->leading->to = x->start;
    parent->leading = NULL;
    return parent->object ? ABR_OK : insert_before(s, x, error);
}

static abr_spliced value_of(const abr_splice *s, const node *x, size_t end)
{
    abr_spliced value = {.type = abr_type_of_value(s->walk.p[x->at]), .at = x->at, .n = end - x->at};
    if (s->open > 0 && x[-1].object) {
        value.name_at = x->start + 1;
        value.name_len = x->name_len;
    }
    return value;
}

/* The value under way ends, and an edit of it changes it. */
static abr_code change_value(abr_splice *s, abr_route *route, const node *x, size_t end, abr_error *error)
{
    const bool removed = route->edit->act == ABR_EDIT_REMOVE;
    if (x->changed || (removed && x->inserted))
        return fail_edit(error, ABR_EINVAL, "two edits of one value", route);
    if (s->open == 0 && route->edit->act != ABR_EDIT_REPLACE)
        return fail_edit(error, ABR_EINVAL, "the document itself can only be replaced", route);
    if (removed)
        return remove_element(s, route, &s->nodes[s->open - 1], x, end, error);
    return put_patch(s, route, (patch){.from = x->at, .to = end}, error);
}

/* The value under way was read. */
static abr_code end_value(abr_splice *s, size_t end, abr_error *error)
{
    node *x = &s->nodes[s->open];
    bool removed = false;
    x->changed = false;
    for (size_t i = x->routes.low; i < x->own; i++) {
        abr_route *route = &s->routes[i];
        route->edit->found = value_of(s, x, end);
        if (route->edit->act == ABR_EDIT_LOOK || route->done)
            continue;
        const abr_code code = change_value(s, route, x, end, error);
        if (code != ABR_OK)
            return code;
        x->changed = true;
        removed = removed || route->edit->act == ABR_EDIT_REMOVE;
    }
    if (s->open > 0) {
        x[-1].kept = x[-1].kept || !removed;
        x[-1].end = end;
    }
    return ABR_OK;
}

/* ---- arrays and objects ---- */

/* The name of a member, from its opening quote on. */
static abr_code take_name(abr_splice *s, size_t start, size_t end, abr_error *error)
{
    node *x = &s->nodes[s->open];
    const size_t steps = s->open - 1;
    const size_t n = end - start - 2;
    x->start = start;
    x->name_len = n;
    x->routes = (abr_route_range){0, 0};
    if (n > s->longest_name * NAME_ESCAPED)
        return ABR_OK;
    const size_t size = abr_json_decode(s->walk.p + start + 1, n, s->name);
    x->routes = abr_routes_by(s->routes, x[-1].routes, steps, s->name, size);
    if (x->routes.low == x->routes.high)
        return ABR_OK;
    abr_route *first = &s->routes[x->routes.low];
    if (first->seen > steps)
        return abr_fail_at(error, ABR_EJSON, "a name stands twice in an object", start + 1);
    first->seen = steps + 1;
    return ABR_OK;
}

static void enter_value(abr_splice *s, size_t end)
{
    node *x = &s->nodes[s->open++];
    x->object = s->walk.p[x->at] == '{';
    x->elements = 0;
    x->kept = false;
    x->end = end;
    x->leading = NULL;
}

static bool is_same_name(const abr_pointer_step *a, const abr_pointer_step *b)
{
    return a->n == b->n && (a->n == 0 || memcmp(a->name, b->name, a->n) == 0);
}

/* The innermost array or object closes: make the insertions at its end. */
static abr_code leave_value(abr_splice *s, abr_error *error)
{
    node *x = &s->nodes[--s->open];
    const abr_pointer_step *added =
        NULL; /* the last new member; those of one name come one after the other */
    for (size_t i = x->own; i < x->routes.high; i++) {
        abr_route *route = &s->routes[i];
        const abr_pointer_step *step = &route->path.steps[s->open];
        if (route->edit->act != ABR_EDIT_INSERT || route->done || route->path.count != s->open + 1)
            continue;
        if (!x->object && step->index != x->elements && !(step->n == 1 && step->name[0] == '-'))
            continue;
        if (added && is_same_name(added, step))
            return fail_edit(error, ABR_EINVAL, "two edits of one value", route);
        patch made = {.from = x->end, .to = x->end, .comma_before = x->kept};
        added = made.name = x->object ? step : NULL;
        const abr_code code = put_patch(s, route, made, error);
        if (code != ABR_OK)
            return code;
        x->kept = true;
    }
    return ABR_OK;
}

static abr_code splice_token(abr_json_walk *walk, abr_json_token token, size_t start, size_t end,
                             abr_error *error)
{
    abr_splice *s = (abr_splice *)walk;
    const size_t depth = walk->scan.depth;
    abr_code code = ABR_OK;
    if (token == ABR_JSON_KEY)
        return depth == s->open ? take_name(s, start, end, error) : ABR_OK;
    if (token == ABR_JSON_OPEN) {
        if (depth != s->open + 1)
            return ABR_OK;
        code = begin_value(s, start, error);
        if (code == ABR_OK && s->nodes[s->open].own < s->nodes[s->open].routes.high)
            enter_value(s, end);
        return code;
    }
    if (token == ABR_JSON_CLOSE) {
        if (depth + 1 == s->open)
            code = leave_value(s, error);
    } else if (depth == s->open) {
        code = begin_value(s, start, error);
    }
    return code == ABR_OK && depth == s->open ? end_value(s, end, error) : code;
}

/* ---- writing ---- */

/* Put bytes at dst + n, unless it is NULL; returns the new n. */
static size_t put_bytes(char *dst, size_t n, const char *p, size_t size)
{
    if (dst && size > 0)
        memcpy(dst + n, p, size);
    return n + size;
}

static size_t put_name(char *dst, size_t n, const abr_pointer_step *name)
{
    static const char digits[] = "0123456789abcdef";
    n = put_bytes(dst, n, "\"", 1);
    for (size_t i = 0; i < name->n; i++) {
        const unsigned char c = (unsigned char)name->name[i];
        const char escape[6] = {'\\', 'u', '0', '0', digits[c >> 4], digits[c & 15]};
        if (c < ' ') {
            n = put_bytes(dst, n, escape, sizeof escape);
            continue;
        }
        if (c == '"' || c == '\\')
            n = put_bytes(dst, n, "\\", 1);
        n = put_bytes(dst, n, name->name + i, 1);
    }
    return put_bytes(dst, n, "\":", 2);
}

static size_t put_document(const abr_splice *s, char *dst)
{
    const char *p = s->walk.p;
    size_t n = 0;
    size_t at = 0;
    for (size_t i = 0; i < s->patched; i++) {
        const patch *x = &s->patches[i];
        n = put_bytes(dst, n, p + at, x->from - at);
        n = put_bytes(dst, n, ",", x->comma_before);
        if (x->name)
            n = put_name(dst, n, x->name);
        if (x->edit)
            n = put_bytes(dst, n, x->edit->json, x->edit->json_len);
        n = put_bytes(dst, n, ",", x->comma_after);
        at = x->to;
    }
    return put_bytes(dst, n, p + at, s->walk.n - at);
}

size_t abr_splice_size(const abr_splice *splice)
{
    return put_document(splice, NULL);
}

void abr_splice_write(const abr_splice *splice, char *dst)
{
    put_document(splice, dst);
}

/* ---- opening ---- */

static abr_code pass_token(abr_json_walk *walk, abr_json_token token, size_t start, size_t end,
                           abr_error *error)
{
    (void)walk, (void)token, (void)start, (void)end, (void)error;
    return ABR_OK;
}

/* The texts of edits and the names of new members are JSON. */
static abr_code check_edits(const abr_splice *s, abr_error *error)
{
    for (size_t i = 0; i < s->count; i++) {
        const abr_route *route = &s->routes[i];
        const abr_edit *edit = route->edit;
        if (edit->act != ABR_EDIT_REPLACE && edit->act != ABR_EDIT_INSERT)
            continue;
        abr_json_walk walk = {
            .p = edit->json, .n = edit->json_len, .alloc = s->walk.alloc, .take = pass_token};
        const abr_code code = abr_walk_json(&walk, error);
        if (code == ABR_EJSON)
            return fail_edit(error, ABR_EINVAL, "it is no JSON", route);
        uint64_t loose = 0;
        abr_count_chars(edit->pointer, edit->pointer_len, &loose);
        if (loose > 0)
            return fail_edit(error, ABR_EINVAL, "its name is no UTF-8", route);
        if (code != ABR_OK)
            return code;
    }
    return ABR_OK;
}

static abr_code make_nodes(abr_splice *s, abr_error *error)
{
    const abr_alloc *alloc = s->walk.alloc;
    size_t steps = 0;
    for (size_t i = 0; i < s->count; i++) {
        const abr_pointer *path = &s->routes[i].path;
        steps = path->count > steps ? path->count : steps;
        for (size_t k = 0; k < path->count; k++)
            s->longest_name = path->steps[k].n > s->longest_name ? path->steps[k].n : s->longest_name;
    }
    s->patches = alloc->malloc(alloc->ctx, (s->count + 1) * sizeof *s->patches);
    s->nodes = alloc->malloc(alloc->ctx, (steps + 1) * sizeof *s->nodes);
    s->name = alloc->malloc(alloc->ctx, s->longest_name * NAME_ESCAPED + 1);
    if (!s->patches || !s->nodes || !s->name)
        return abr_no_memory(error);
    memset(s->nodes, 0, (steps + 1) * sizeof *s->nodes);
    return ABR_OK;
}

/* The routes of all edits, read and sorted. */
static abr_code make_routes(abr_splice *s, abr_edit *edits, size_t count, abr_error *error)
{
    const abr_alloc *alloc = s->walk.alloc;
    if (count >= SIZE_MAX / sizeof *s->routes)
        return abr_no_memory(error);
    const size_t size = (count + 1) * sizeof *s->routes;
    s->routes = alloc->malloc(alloc->ctx, size);
    if (!s->routes)
        return abr_no_memory(error);
    memset(s->routes, 0, size);
    s->count = count;
    abr_route *scratch = alloc->malloc(alloc->ctx, size);
    if (!scratch)
        return abr_no_memory(error);
    const abr_code code = abr_read_routes(edits, count, s->routes, scratch, alloc, error);
    alloc->free(alloc->ctx, scratch);
    return code;
}

/* Every edit that changes something found its place. */
static abr_code check_done(const abr_splice *s, abr_error *error)
{
    for (size_t i = 0; i < s->count; i++)
        if (!s->routes[i].done && s->routes[i].edit->act != ABR_EDIT_LOOK)
            return fail_edit(error, ABR_EPOINTER, "it leads nowhere", &s->routes[i]);
    return ABR_OK;
}

abr_code abr_splice_open(const char *p, size_t n, abr_edit *edits, size_t count, const abr_alloc *alloc,
                         abr_splice **splice, abr_error *error)
{
    *splice = NULL;
    alloc = abr_allocator(alloc);
    abr_splice *s = alloc->malloc(alloc->ctx, sizeof *s);
    if (!s)
        return abr_no_memory(error);
    *s = (abr_splice){.walk = {.p = p, .n = n, .alloc = alloc, .take = splice_token}};
    abr_code code = make_routes(s, edits, count, error);
    if (code == ABR_OK)
        code = check_edits(s, error);
    if (code == ABR_OK)
        code = make_nodes(s, error);
    if (code == ABR_OK)
        code = abr_walk_json(&s->walk, error);
    if (code == ABR_OK)
        code = check_done(s, error);
    if (code == ABR_OK)
        *splice = s;
    else
        abr_splice_close(s);
    return code;
}

void abr_splice_close(abr_splice *s)
{
    if (!s)
        return;
    const abr_alloc *alloc = s->walk.alloc;
    if (s->routes)
        abr_free_routes(s->routes, s->count);
    void *const owned[] = {s->routes, s->patches, s->nodes, s->name, s};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++)
        if (owned[i])
            alloc->free(alloc->ctx, owned[i]);
}
