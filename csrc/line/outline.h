/* The outline of a line. */
#ifndef ABR_LINE_OUTLINE_H
#define ABR_LINE_OUTLINE_H

#include "abridge.h"
#include "base/private.h"

ABR_PRIVATE_BEGIN

/* A outline once it was asked for. */
typedef struct {
    uint32_t hash;
    bool known;
} abr_outline;

/* A hash of (p, n): lines of one outline differ in names and numbers alone. ABR_PADDING bytes after it must
 * be readable. */
uint32_t abr_outline_of(const char *p, size_t n);

ABR_PRIVATE_END

#endif
