/* Patterns of the caller. */
#ifndef ABR_LINE_HITS_H
#define ABR_LINE_HITS_H

#include "abridge.h"
#include "base/private.h"

ABR_PRIVATE_BEGIN

/* Patterns of the caller, copied. */
typedef struct {
    const abr_hit *patterns;
    size_t count;
    void *memory;
} abr_patterns;

/* Is the pattern in (p, n)? *at: its start. */
bool abr_hit_matches(const abr_hit *hit, const char *p, size_t n, size_t *at);

abr_code abr_patterns_open(abr_patterns *out, const abr_hit *hits, size_t count, const abr_alloc *alloc);
void abr_patterns_close(abr_patterns *x, const abr_alloc *alloc);

ABR_PRIVATE_END

#endif
