/* Signs that a line was printed by a command at work. */
#ifndef ABR_KINDS_TEXT_LOG_SIGNS_H
#define ABR_KINDS_TEXT_LOG_SIGNS_H

#include "abridge.h"
#include "base/private.h"
#include "line/char_set.h"
#include "line/lines.h"

ABR_PRIVATE_BEGIN

/* How sure it is, 0 to 1. `bare` is the line without the blanks around it, and not empty; `chars` are those
 * of it. */
float abr_log_signs(abr_text_line line, abr_text_line bare, abr_char_set chars);

ABR_PRIVATE_END

#endif
