/* The texts of errno numbers, the same in every locale. */
#ifndef ABR_FILES_ERRNO_TEXT_H
#define ABR_FILES_ERRNO_TEXT_H

#include "base/private.h"

ABR_PRIVATE_BEGIN

/* Its short name ("ENOSPC"), and a sentence. */
const char *abr_errno_name(int number);
const char *abr_errno_text(int number);

ABR_PRIVATE_END

#endif
