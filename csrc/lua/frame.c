/* An allocator whose first kilobyte is in the caller's frame. */
#include <stdlib.h>
#include <string.h>

#include "lua/frame.h"
#include "abridge.h"

static bool is_of_frame(const abr_frame *frame, const void *p)
{
    const uintptr_t start = (uintptr_t)frame->room.bytes;
    return (uintptr_t)p >= start && (uintptr_t)p < start + sizeof frame->room;
}

static void *frame_malloc(void *ctx, size_t size)
{
    enum { ALIGNED = 16 };
    abr_frame *frame = ctx;
    if (size > sizeof frame->room - frame->used) {
        frame->spilled = true;
        return malloc(size);
    }
    void *p = frame->room.bytes + frame->used;
    size_t taken = (size + ALIGNED - 1) / ALIGNED * ALIGNED;
    frame->used = taken < sizeof frame->room - frame->used ? frame->used + taken : sizeof frame->room;
    return p;
}

static void *frame_realloc(void *ctx, void *p, size_t old_size, size_t size)
{
    if (!is_of_frame(ctx, p))
        return realloc(p, size);
    void *grown = frame_malloc(ctx, size);
    if (grown)
        memcpy(grown, p, old_size < size ? old_size : size);
    return grown;
}

static void frame_free(void *ctx, void *p)
{
    if (!is_of_frame(ctx, p))
        free(p);
}

void abr_frame_begin(abr_frame *frame)
{
    frame->alloc =
        (abr_alloc){.malloc = frame_malloc, .realloc = frame_realloc, .free = frame_free, .ctx = frame};
    frame->used = 0;
    frame->spilled = false;
}
