/* Are the names of many members all different? */
#ifndef ABR_PAGE_UNIQUE_H
#define ABR_PAGE_UNIQUE_H

#include "abridge.h"
#include "base/private.h"

ABR_PRIVATE_BEGIN

/* Hashes of names. */
typedef struct {
    uint64_t *slots; /* 0: free */
    size_t room;
    size_t count;
} abr_unique;

/* Add a name. *is_new: it was certainly not there, and there is room for more. False if there is no memory.
 * */
bool abr_unique_add(abr_unique *set, const abr_alloc *alloc, const char *name, size_t n, bool *is_new);
void abr_unique_free(abr_unique *set, const abr_alloc *alloc);

ABR_PRIVATE_END

#endif
