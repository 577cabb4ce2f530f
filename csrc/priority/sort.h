/* Items sorted by a key. */
#ifndef ABR_PRIORITY_SORT_H
#define ABR_PRIORITY_SORT_H

#include <string.h>

#include "abridge.h"
#include "base/private.h"

ABR_PRIVATE_BEGIN

/* The sort key of an item. */
typedef struct {
    uint64_t key;
    uint32_t index; /* of the item */
} abr_key;

/* Sort by key, the lowest first; the sort is stable. `scratch` is as large as `keys`. */
void abr_sort_keys(abr_key *keys, size_t n, abr_key *scratch);

/* A float, not NaN, as a key of the same order. */
static inline uint64_t abr_float_key(float x)
{
    uint32_t bits;
    x += 0.0F; /* -0 is 0 */
    memcpy(&bits, &x, sizeof bits);
    return bits >> 31 ? ~bits : bits | UINT32_C(1) << 31;
}

ABR_PRIVATE_END

#endif
