/* Does a line that a diff adds define something? */
#ifndef ABR_KINDS_DIFF_DIFF_DEFINES_H
#define ABR_KINDS_DIFF_DIFF_DEFINES_H

#include "abridge.h"
#include "base/private.h"
#include "base/tiny.h"
#include "line/lines.h"

ABR_PRIVATE_BEGIN

enum { ABR_DEFINED_WITHIN = ABR_OR_TINY(200, 24) }; /* bytes of a line that are examined */

/* Does the line, without its `+`, start the definition of a function, a class or a type, in any of the usual
 * languages? A reader of a diff looks for those. */
bool abr_defines(abr_text_line line);

ABR_PRIVATE_END

#endif
