/* Which version this is. */
#include "abridge.h"

const char *abr_version(void)
{
    return ABR_VERSION;
}
