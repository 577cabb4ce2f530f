/*
 * How often each shape of line was seen, in a table of fixed size: sets of a few ways, where a new shape
 * replaces the one seen least. A forgotten shape counts as rare, so that at worst its lines are kept.
 */
#include "priority/shape.h"
#include "abridge.h"

static abr_shape_set *set_of(const abr_shapes *t, uint32_t shape)
{
    return &t->sets[shape & (t->count - 1)];
}

static uint32_t tag_of(uint32_t shape)
{
    return shape == 0 ? 1 : shape; /* 0 marks an empty way */
}

/* The way of a set that has the tag, or ABR_SHAPE_WAYS. All are compared, which takes no branch. */
static inline unsigned way_of(const abr_shape_set *set, uint32_t tag)
{
    unsigned way = ABR_SHAPE_WAYS;
    for (unsigned i = 0; i < ABR_SHAPE_WAYS; i++)
        way = set->shape[i] == tag ? i : way;
    return way;
}

uint32_t abr_shapes_add(abr_shapes *t, uint32_t shape, uint32_t times)
{
    abr_shape_set *set = set_of(t, shape);
    const unsigned way = way_of(set, tag_of(shape));
    if (way < ABR_SHAPE_WAYS) {
        const uint32_t seen = set->seen[way];
        set->seen[way] = times < UINT32_MAX - seen ? seen + times : UINT32_MAX;
        return seen;
    }
    unsigned least = 0;
    for (unsigned i = 1; i < ABR_SHAPE_WAYS; i++)
        if (set->seen[i] < set->seen[least])
            least = i;
    set->shape[least] = tag_of(shape);
    set->seen[least] = times;
    return 0;
}

uint32_t abr_shapes_seen(const abr_shapes *t, uint32_t shape)
{
    const abr_shape_set *set = set_of(t, shape);
    const unsigned way = way_of(set, tag_of(shape));
    return way < ABR_SHAPE_WAYS ? set->seen[way] : 0;
}
