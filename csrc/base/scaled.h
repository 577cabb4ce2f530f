/* A count times a factor, in integers: the same on processors that compute with more bits than a double
 * has. */
#ifndef ABR_BASE_SCALED_H
#define ABR_BASE_SCALED_H

#include "abridge.h"
#include "base/private.h"

ABR_PRIVATE_BEGIN

/* (double)count * factor, rounded to a double as IEEE 754 does, then down to an integer: int(10 * 0.3) is 3,
 * though 0.3 is a little less than that. count is at most ABR_COUNT_MAX; factor is finite, at least 0, and
 * the product less than 2^64. */
uint64_t abr_scaled_down(uint64_t count, double factor);

/* The same rounded up to an integer. */
uint64_t abr_scaled_up(uint64_t count, double factor);

/* Is a / b less than c / d? b and d are not 0. */
bool abr_is_less_share(uint64_t a, uint64_t b, uint64_t c, uint64_t d);

ABR_PRIVATE_END

#endif
