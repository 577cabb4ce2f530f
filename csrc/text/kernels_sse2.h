/* The kernels for SSE2. */
#ifndef ABR_TEXT_KERNELS_SSE2_H
#define ABR_TEXT_KERNELS_SSE2_H

#include "base/private.h"
#include "text/kernels.h"

ABR_PRIVATE_BEGIN

#ifdef ABR_HAS_SSE2
extern const abr_kernels abr_sse2;
#endif

ABR_PRIVATE_END

#endif
