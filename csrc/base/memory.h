/* Memory: the allocator in use, and blocks that start on a page. */
#ifndef ABR_BASE_MEMORY_H
#define ABR_BASE_MEMORY_H

#include "abridge.h"
#include "base/private.h"

ABR_PRIVATE_BEGIN

/* The allocator to use where a caller gave `alloc`, or NULL for libc. */
const abr_alloc *abr_allocator(const abr_alloc *alloc);

/* Memory of `size` bytes that begins with what was at p, a block of old_size bytes, or with nothing where p
 * is NULL. NULL where there is none; p is then as before. */
void *abr_resize(const abr_alloc *alloc, void *p, size_t old_size, size_t size);

/* Grow *p, which has *have units of `unit` bytes, or none where it is NULL, to `wanted` of them or more, by
 * doubling it, but to `most` at the largest: at once if over half of that is wanted, so that it never takes more
 * than one and a half times `most`, also while it moves. False: there is no memory, and nothing changes. */
bool abr_grow(const abr_alloc *alloc, void **p, size_t *have, size_t wanted, size_t most, size_t unit);

/* Where descriptors are read into starts on a page. The kernel copies from pages, and some processors
 * copy several times slower to a place a few bytes further into its page, which is where large blocks
 * of malloc() start. */
enum { ABR_ALIGNED = 4096 };

/* Bytes from p to the next page, 0 where it starts one. */
size_t abr_to_page(const char *p);

/* Memory of `size` bytes to read into, on a page whatever the allocator returns; NULL where there is none. It
 * takes up to a page more, is released by abr_block_free() alone, and cannot be reallocated. */
char *abr_block_new(const abr_alloc *alloc, size_t size);
void abr_block_free(const abr_alloc *alloc, char *block); /* NULL is fine */

ABR_PRIVATE_END

#endif
