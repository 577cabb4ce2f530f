/* Signs that a line was written: source, prose, markup, an entry of a listing. */
#ifndef ABR_KINDS_TEXT_TEXT_SIGNS_H
#define ABR_KINDS_TEXT_TEXT_SIGNS_H

#include "abridge.h"
#include "base/private.h"
#include "line/char_set.h"
#include "line/lines.h"

ABR_PRIVATE_BEGIN

/* How sure it is, 0 to 1. `bare` is the line without the blanks around it, and not empty; `chars` are those
 * of it. */
float abr_text_signs(abr_text_line line, abr_text_line bare, abr_char_set chars);

/* An upper bound of it, found with less work. */
float abr_most_text_signs(abr_text_line line, abr_text_line bare, abr_char_set chars);

ABR_PRIVATE_END

#endif
