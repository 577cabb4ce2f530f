/* The form of a line. */
#ifndef ABR_LINE_FORM_H
#define ABR_LINE_FORM_H

#include "abridge.h"
#include "base/private.h"

ABR_PRIVATE_BEGIN

/* A form once it was asked for. */
typedef struct {
    uint32_t hash;
    bool known;
} abr_form;

/* A hash of (p, n): lines of one form differ in names and numbers alone. ABR_PADDING bytes after it must
 * be readable. */
uint32_t abr_form_of(const char *p, size_t n);

ABR_PRIVATE_END

#endif
