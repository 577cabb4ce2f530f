/* How often a shape was seen. */
#ifndef ABR_PRIORITY_SHAPE_H
#define ABR_PRIORITY_SHAPE_H

#include "abridge.h"
#include "base/private.h"
#include "base/tiny.h"

ABR_PRIVATE_BEGIN

enum {
    ABR_SHAPE_SETS = ABR_OR_TINY(2048, 2),    /* a power of 2 */
    ABR_SHAPE_SETS_FEW = ABR_OR_TINY(512, 2), /* the same if memory is scarce */
    ABR_SHAPE_WAYS = 4
};

typedef struct {
    uint32_t shape[ABR_SHAPE_WAYS];
    uint32_t seen[ABR_SHAPE_WAYS];
} abr_shape_set;

typedef struct {
    abr_shape_set *sets; /* zeroed to start with */
    uint32_t count;      /* ABR_SHAPE_SETS, or ABR_SHAPE_SETS_FEW */
} abr_shapes;

/* Count a shape so many times. Returns how often it was seen before. */
uint32_t abr_shapes_add(abr_shapes *t, uint32_t shape, uint32_t times);

/* How often it was seen; 0 if it is not remembered. */
uint32_t abr_shapes_seen(const abr_shapes *t, uint32_t shape);

ABR_PRIVATE_END

#endif
