/* Reporting a failure to the caller. */
#include "base/error.h"
#include "abridge.h"

abr_code abr_fail(abr_error *error, abr_code code, const char *message)
{
    if (error) {
        error->code = code;
        error->message = message;
        error->position = 0;
    }
    return code;
}

abr_code abr_no_memory(abr_error *error)
{
    return abr_fail(error, ABR_ENOMEM, "out of memory");
}
