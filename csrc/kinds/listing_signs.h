/* Signs that a line is an entry of a listing. */
#ifndef ABR_KINDS_LISTING_SIGNS_H
#define ABR_KINDS_LISTING_SIGNS_H

#include "abridge.h"
#include "base/private.h"
#include "kinds/lines.h"

ABR_PRIVATE_BEGIN

/* How sure it is, 0 to 1. `line` is not empty; `bare` is it without the blanks around it. */
float abr_listing_signs(abr_text_line line, abr_text_line bare);

ABR_PRIVATE_END

#endif
