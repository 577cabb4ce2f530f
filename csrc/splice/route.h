/* The pointers of edits, sorted, so that those that go on from some place are a range. */
#ifndef ABR_SPLICE_ROUTE_H
#define ABR_SPLICE_ROUTE_H

#include "abridge.h"
#include "base/private.h"
#include "page/pointer.h"

ABR_PRIVATE_BEGIN

/* An edit and its pointer. */
typedef struct {
    abr_edit *edit;
    size_t number; /* of the edit, from 0 */
    abr_pointer path;
    size_t seen; /* steps of the longest prefix that was met, of those for which this is the first route */
    bool done;
} abr_route;

/* The routes from `low` on and before `high`. */
typedef struct {
    size_t low;
    size_t high;
} abr_route_range;

/* Read the pointers of edits into as many routes, which are zeroed, and sort them; `scratch` is as large.
 * What was read is released by abr_free_routes(), also after a failure: ABR_EPOINTER, ABR_ENOMEM. */
abr_code abr_read_routes(abr_edit *edits, size_t count, abr_route *routes, abr_route *scratch,
                         const abr_alloc *alloc, abr_error *error);
void abr_free_routes(abr_route *routes, size_t count);

/* Of routes that share `steps` steps those that go on with this one. */
abr_route_range abr_routes_by(const abr_route *routes, abr_route_range range, size_t steps, const char *name,
                              size_t n);

/* Of routes that share `steps` steps those that end there come first: the end of these. */
size_t abr_routes_own(const abr_route *routes, abr_route_range range, size_t steps);

ABR_PRIVATE_END

#endif
