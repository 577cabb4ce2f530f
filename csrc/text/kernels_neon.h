/* The kernels for NEON. */
#ifndef ABR_TEXT_KERNELS_NEON_H
#define ABR_TEXT_KERNELS_NEON_H

#include "base/private.h"
#include "text/kernels.h"

ABR_PRIVATE_BEGIN

#ifdef ABR_HAS_NEON
extern const abr_kernels abr_neon;
#endif

ABR_PRIVATE_END

#endif
