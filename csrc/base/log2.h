/* A logarithm that is the same on every machine. */
#ifndef ABR_BASE_LOG2_H
#define ABR_BASE_LOG2_H

#include <string.h>

#include "abridge.h"
#include "base/private.h"

ABR_PRIVATE_BEGIN

/* Binary logarithm, exact at powers of two and linear between them: the same on every machine. x > 0. */
static inline float abr_log2(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return (float)((int)(bits >> 23) - 127) + (float)(bits & 0x7FFFFF) / (float)0x800000;
}

ABR_PRIVATE_END

#endif
