/* Memory: the allocator in use, and blocks that start on a page. */
#ifndef ABR_BASE_MEMORY_H
#define ABR_BASE_MEMORY_H

#include "abridge.h"
#include "base/private.h"

ABR_PRIVATE_BEGIN

/* The allocator to use if a caller gave `alloc`, which is NULL for libc. */
const abr_alloc *abr_allocator(const abr_alloc *alloc);

/* Memory of `size` bytes with the contents of p, a block of old_size bytes, unless p is NULL. NULL if there
 * is no memory; p is then unchanged. */
void *abr_resize(const abr_alloc *alloc, void *p, size_t old_size, size_t size);

/* Grow the block that *array points to; `array` is the address of an object pointer of any type. It has *have
 * units of `unit` bytes (none if it is NULL), and gets `wanted` of them or more by doubling, but at most
 * `most`: at once if over half of that is wanted, so that it never takes more than one and a half times
 * `most`, even while it moves. False if there is no memory; nothing changes then. */
bool abr_grow(const abr_alloc *alloc, void *array, size_t *have, size_t wanted, size_t most, size_t unit);

/* Leave `wanted` of the units, unless most of them are in use. False if there is no memory to move them to;
 * nothing changes then. */
bool abr_shrink(const abr_alloc *alloc, void *array, size_t *have, size_t wanted, size_t unit);

/* Free p, unless it is NULL. */
void abr_release(const abr_alloc *alloc, void *p);

/* Blocks that descriptors are read into start on a page. The kernel copies from pages, and some processors
 * copy several times slower to a place a few bytes further into its page, such as the start of malloc()'s
 * large blocks. */
enum { ABR_ALIGNED = 4096 };

/* Bytes from p to the next page, 0 at the start of one. */
size_t abr_to_page(const char *p);

/* Memory of `size` bytes to read into, on a page whatever the allocator returns; NULL if there is no memory.
 * It takes up to a page more, can only be released by abr_block_free(), and cannot be reallocated. */
char *abr_block_new(const abr_alloc *alloc, size_t size);
void abr_block_free(const abr_alloc *alloc, char *block); /* NULL is fine */

ABR_PRIVATE_END

#endif
