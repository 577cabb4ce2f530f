/* Memory of a call, in the frame of its C function. */
#ifndef ABR_LUA_FRAME_H
#define ABR_LUA_FRAME_H

#include "abridge.h"
#include "base/private.h"

ABR_PRIVATE_BEGIN

/*
 * For calls that need little memory: a Lua error that jumps over the frame leaks nothing. Larger allocations
 * come from malloc as usual.
 */
typedef struct {
    abr_alloc alloc; /* for the core */
    size_t used;
    bool spilled; /* some memory came from malloc */
    union {
        char bytes[1024];
        double aligned_as;
        void *and_as;
        uint64_t or_as;
    } room;
} abr_frame;

void abr_frame_begin(abr_frame *frame);

ABR_PRIVATE_END

#endif
