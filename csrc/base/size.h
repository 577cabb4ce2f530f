/* Numbers: the smaller of two, and in decimal. */
#ifndef ABR_BASE_SIZE_H
#define ABR_BASE_SIZE_H

#include "abridge.h"
#include "base/private.h"

ABR_PRIVATE_BEGIN

static inline uint64_t abr_at_most(uint64_t value, uint64_t most)
{
    return value < most ? value : most;
}

/* The same for bytes at hand. */
static inline size_t abr_bytes_at_most(size_t n, uint64_t most)
{
    return n < most ? n : (size_t)most;
}

#define ABR_COUNT_DIGITS 20 /* digits of any uint64_t */

/* Print a number in decimal, without a NUL; returns its digits. */
size_t abr_print_count(uint64_t value, char dst[ABR_COUNT_DIGITS]);

ABR_PRIVATE_END

#endif
