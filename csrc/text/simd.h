/* The choice of kernels. */
#ifndef ABR_TEXT_SIMD_H
#define ABR_TEXT_SIMD_H

#include "abridge.h"
#include "base/private.h"
#include "text/kernels.h"

ABR_PRIVATE_BEGIN

enum { ABR_MOST_KERNELS = 3 };

/* The sets that this processor has, the best one first; returns their number. May take microseconds. */
size_t abr_kernels_here(const abr_kernels *sets[ABR_MOST_KERNELS]);

/* The set that ABRIDGE_SIMD=`wanted` asks for; the best one if it is NULL or no set of this processor. */
const abr_kernels *abr_choose_kernels(const char *wanted);

/* The set in use, chosen at the first call. */
const abr_kernels *abr_kernels_now(void);

ABR_PRIVATE_END

#endif
