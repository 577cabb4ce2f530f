/* The version of the library. */
#include "abridge.h"

const char *abr_version(void)
{
    return ABR_VERSION;
}
