/* Signs that a line is an entry of a listing. */
#ifndef ABR_KINDS_TEXT_LISTING_SIGNS_H
#define ABR_KINDS_TEXT_LISTING_SIGNS_H

#include "abridge.h"
#include "base/private.h"
#include "line/char_set.h"
#include "line/lines.h"

ABR_PRIVATE_BEGIN

/* Is it one for sure? `bare` is the line without the blanks around it, and not empty; `chars` are those of
 * it. */
bool abr_is_listed(abr_text_line line, abr_text_line bare, abr_char_set chars);

/* How sure it is where it is not: 0 to 1, and in ASCII at most 0.9. */
float abr_listing_signs(abr_text_line line, abr_text_line bare, abr_char_set chars);

ABR_PRIVATE_END

#endif
