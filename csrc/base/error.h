/* Reporting a failure to the caller. */
#ifndef ABR_BASE_ERROR_H
#define ABR_BASE_ERROR_H

#include "abridge.h"
#include "base/private.h"

ABR_PRIVATE_BEGIN

/* Fill *error (unless NULL) and return code. */
abr_code abr_fail(abr_error *error, abr_code code, const char *message);

/* The same for lack of memory. */
abr_code abr_no_memory(abr_error *error);

ABR_PRIVATE_END

#endif
