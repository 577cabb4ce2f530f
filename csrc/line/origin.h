/* Did the people at work write a file, the one that a diff changes or a frame is in? */
#ifndef ABR_LINE_ORIGIN_H
#define ABR_LINE_ORIGIN_H

#include "abridge.h"
#include "base/private.h"
#include "base/tiny.h"
#include "line/lines.h"

ABR_PRIVATE_BEGIN

/* Does the line of a header name a lock file, or a built, minified or vendored file or a snapshot? */
bool abr_names_machine_made(abr_text_line header);

/* Is the frame of a stack in a file of a language or a package? */
bool abr_is_frame_elsewhere(abr_text_line frame);

/* Does a line of a hunk say that its file is generated? Long lines are ignored. */
bool abr_says_generated(abr_text_line line);

enum { ABR_COMMENT_MOST = ABR_OR_TINY(200, 24) }; /* bytes of a line that may say so */

ABR_PRIVATE_END

#endif
