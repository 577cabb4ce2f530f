/* Did a person write the file that a diff changes? */
#ifndef ABR_KINDS_DIFF_DIFF_ORIGIN_H
#define ABR_KINDS_DIFF_DIFF_ORIGIN_H

#include "abridge.h"
#include "base/private.h"
#include "base/tiny.h"
#include "line/lines.h"

ABR_PRIVATE_BEGIN

/* Does the line of a header name a lock file, or a built, minified or vendored file or a snapshot? */
bool abr_names_machine_made(abr_text_line header);

/* Does a line of a hunk say that its file is generated? Long lines are ignored. */
bool abr_says_generated(abr_text_line line);

enum { ABR_COMMENT_MOST = ABR_OR_TINY(200, 24) }; /* bytes of a line that may say so */

ABR_PRIVATE_END

#endif
