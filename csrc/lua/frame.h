/* Memory of a call, in the frame of its C function. */
#ifndef ABR_LUA_FRAME_H
#define ABR_LUA_FRAME_H

#include "abridge.h"
#include "base/private.h"

ABR_PRIVATE_BEGIN

/*
 * For a core that needs little: a Lua error that jumps over the frame leaks nothing. What finds no room there
 * comes from malloc, as if there were no such frame.
 */
typedef struct {
    abr_alloc alloc; /* for the core */
    size_t used;
    bool spilled; /* something came from malloc */
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
