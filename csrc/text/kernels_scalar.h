/* The kernels in portable C. */
#ifndef ABR_TEXT_KERNELS_SCALAR_H
#define ABR_TEXT_KERNELS_SCALAR_H

#include "base/private.h"
#include "text/kernels.h"

ABR_PRIVATE_BEGIN

extern const abr_kernels abr_scalar;

ABR_PRIVATE_END

#endif
