/*
 * How often each shape of line was seen, in a table of fixed size: sets of a few ways, in which a new shape
 * takes the place of the one seen least. A forgotten shape counts as rare, so that its lines are at worst
 * kept.
 */
#include "priority/shape.h"
#include "abridge.h"

static uint32_t set_of(uint32_t shape)
{
    return shape % ABR_SHAPE_SETS;
}

static uint32_t tag_of(uint32_t shape)
{
    return shape == 0 ? 1 : shape; /* 0 marks an empty way */
}

uint32_t abr_shapes_add(abr_shapes *t, uint32_t shape, uint32_t times)
{
    uint32_t set = set_of(shape);
    uint32_t tag = tag_of(shape);
    unsigned least = 0;
    for (unsigned way = 0; way < ABR_SHAPE_WAYS; way++) {
        if (t->shape[set][way] == tag) {
            uint32_t seen = t->seen[set][way];
            t->seen[set][way] = times < UINT32_MAX - seen ? seen + times : UINT32_MAX;
            return seen;
        }
        if (t->seen[set][way] < t->seen[set][least])
            least = way;
    }
    t->shape[set][least] = tag;
    t->seen[set][least] = times;
    return 0;
}

uint32_t abr_shapes_seen(const abr_shapes *t, uint32_t shape)
{
    uint32_t set = set_of(shape);
    for (unsigned way = 0; way < ABR_SHAPE_WAYS; way++)
        if (t->shape[set][way] == tag_of(shape))
            return t->seen[set][way];
    return 0;
}
