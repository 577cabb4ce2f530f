/* The kernels for AVX2. */
#ifndef ABR_TEXT_KERNELS_AVX2_H
#define ABR_TEXT_KERNELS_AVX2_H

#include "base/private.h"
#include "text/kernels.h"

ABR_PRIVATE_BEGIN

#ifdef ABR_HAS_AVX2
extern const abr_kernels abr_avx2;
#endif

ABR_PRIVATE_END

#endif
