/* Numbers in decimal. */
#ifndef ABR_BASE_SIZE_H
#define ABR_BASE_SIZE_H

#include "abridge.h"
#include "base/private.h"

ABR_PRIVATE_BEGIN

#define ABR_COUNT_DIGITS 20 /* digits of any uint64_t */

/* Print a number in decimal, without a NUL; returns its digits. */
size_t abr_print_count(uint64_t value, char dst[ABR_COUNT_DIGITS]);

ABR_PRIVATE_END

#endif
