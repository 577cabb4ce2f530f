/* The pointers of edits, sorted: by their steps, bytes before lengths, a path before those that go on from
 * it. */
#include <string.h>

#include "splice/route.h"
#include "abridge.h"
#include "base/error.h"

static int compare_names(const char *a, size_t a_len, const char *b, size_t b_len)
{
    const size_t n = a_len < b_len ? a_len : b_len;
    const int order = n > 0 ? memcmp(a, b, n) : 0;
    return order != 0 ? order : (a_len > b_len) - (a_len < b_len);
}

static int compare_routes(const abr_route *a, const abr_route *b)
{
    for (size_t i = 0; i < a->path.count && i < b->path.count; i++) {
        const abr_pointer_step *x = &a->path.steps[i];
        const abr_pointer_step *y = &b->path.steps[i];
        const int order = compare_names(x->name, x->n, y->name, y->n);
        if (order != 0)
            return order;
    }
    return (a->path.count > b->path.count) - (a->path.count < b->path.count);
}

/* A merge sort: those of one place stay in their order. */
static void sort_routes(abr_route *routes, size_t count, abr_route *scratch)
{
    for (size_t width = 1; width < count; width *= 2) {
        for (size_t low = 0; low < count; low += 2 * width) {
            const size_t middle = low + width < count ? low + width : count;
            const size_t high = middle + width < count ? middle + width : count;
            size_t a = low;
            size_t b = middle;
            for (size_t i = low; i < high; i++) {
                const bool first = b == high || (a < middle && compare_routes(&routes[a], &routes[b]) <= 0);
                scratch[i] = first ? routes[a++] : routes[b++];
            }
        }
        memcpy(routes, scratch, count * sizeof *routes);
    }
}

abr_code abr_read_routes(abr_edit *edits, size_t count, abr_route *routes, abr_route *scratch,
                         const abr_alloc *alloc, abr_error *error)
{
    for (size_t i = 0; i < count; i++) {
        abr_route *route = &routes[i];
        route->edit = &edits[i];
        route->number = i;
        edits[i].found = (abr_spliced){.type = ABR_SPLICED_NONE};
        abr_code code = abr_pointer_read(edits[i].pointer, edits[i].pointer_len, alloc, &route->path, error);
        for (size_t k = 0; code == ABR_OK && k < route->path.count; k++)
            if (route->path.steps[k].counted)
                code = abr_fail(error, ABR_EPOINTER, "~# is for pages");
        if (code == ABR_EPOINTER && error)
            error->position = i + 1;
        if (code != ABR_OK)
            return code;
    }
    sort_routes(routes, count, scratch);
    return ABR_OK;
}

void abr_free_routes(abr_route *routes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        abr_pointer_free(&routes[i].path);
}

/* The first route whose name after `steps` steps is not less than this one, or is greater. */
static size_t bound_of(const abr_route *routes, abr_route_range range, size_t steps, const char *name,
                       size_t n, bool greater)
{
    while (range.low < range.high) {
        const size_t middle = range.low + (range.high - range.low) / 2;
        const abr_pointer *path = &routes[middle].path;
        const int order =
            path->count == steps ? -1 : compare_names(path->steps[steps].name, path->steps[steps].n, name, n);
        if (order < 0 || (greater && order == 0))
            range.low = middle + 1;
        else
            range.high = middle;
    }
    return range.low;
}

abr_route_range abr_routes_by(const abr_route *routes, abr_route_range range, size_t steps, const char *name,
                              size_t n)
{
    range.low = bound_of(routes, range, steps, name, n, false);
    range.high = bound_of(routes, range, steps, name, n, true);
    return range;
}

size_t abr_routes_own(const abr_route *routes, abr_route_range range, size_t steps)
{
    while (range.low < range.high) {
        const size_t middle = range.low + (range.high - range.low) / 2;
        if (routes[middle].path.count == steps)
            range.low = middle + 1;
        else
            range.high = middle;
    }
    return range.low;
}
