/* Memory: the allocator in use, and blocks that start on a page. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "abridge.h"
#include "base/private.h"

static void *libc_malloc(void *ctx, size_t size)
{
    (void)ctx;
    return malloc(size);
}

static void *libc_realloc(void *ctx, void *ptr, size_t old_size, size_t size)
{
    (void)ctx;
    (void)old_size;
    return realloc(ptr, size);
}

static void libc_free(void *ctx, void *ptr)
{
    (void)ctx;
    free(ptr);
}

static const abr_alloc libc_alloc = {libc_malloc, libc_realloc, libc_free, NULL};

const abr_alloc *abr_allocator(const abr_alloc *alloc)
{
    return alloc ? alloc : &libc_alloc;
}

void *abr_resize(const abr_alloc *alloc, void *p, size_t old_size, size_t size)
{
    return p ? alloc->realloc(alloc->ctx, p, old_size, size) : alloc->malloc(alloc->ctx, size);
}

void abr_release(const abr_alloc *alloc, void *p)
{
    if (p)
        alloc->free(alloc->ctx, p);
}

/* Move the block of *array, a pointer of any type, to `wanted` units. */
static bool resize_array(const abr_alloc *alloc, void *array, size_t *have, size_t wanted, size_t unit)
{
    void *p;
    memcpy(&p, array, sizeof p);
    p = abr_resize(alloc, p, *have * unit, wanted * unit);
    if (!p)
        return false;
    memcpy(array, &p, sizeof p);
    *have = wanted;
    return true;
}

bool abr_grow(const abr_alloc *alloc, void *array, size_t *have, size_t wanted, size_t most, size_t unit)
{
    if (wanted > most)
        wanted = most;
    if (wanted <= *have)
        return true;
    if (wanted < *have * 2)
        wanted = *have * 2;
    if (wanted > most / 2)
        wanted = most;
    return wanted <= SIZE_MAX / unit && resize_array(alloc, array, have, wanted, unit);
}

bool abr_shrink(const abr_alloc *alloc, void *array, size_t *have, size_t wanted, size_t unit)
{
    if (wanted == 0)
        wanted = 1;
    return wanted > *have / 2 || resize_array(alloc, array, have, wanted, unit);
}

ABR_WRAPS size_t abr_to_page(const char *p)
{
    return (size_t)(0 - (uintptr_t)p) % ABR_ALIGNED;
}

char *abr_block_new(const abr_alloc *alloc, size_t size)
{
    char *memory; /* its address is stored before the block */
    const size_t more = sizeof memory + ABR_ALIGNED - 1;
    memory = size <= SIZE_MAX - more ? alloc->malloc(alloc->ctx, size + more) : NULL;
    if (!memory)
        return NULL;
    char *block = memory + sizeof memory;
    block += abr_to_page(block);
    memcpy(block - sizeof memory, &memory, sizeof memory);
    return block;
}

void abr_block_free(const abr_alloc *alloc, char *block)
{
    char *memory;
    if (!block)
        return;
    memcpy(&memory, block - sizeof memory, sizeof memory);
    alloc->free(alloc->ctx, memory);
}
