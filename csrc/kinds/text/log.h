/* Is a text the log of a command at work, or something written? */
#ifndef ABR_KINDS_TEXT_LOG_H
#define ABR_KINDS_TEXT_LOG_H

#include "abridge.h"
#include "base/private.h"
#include "line/form.h"

ABR_PRIVATE_BEGIN

/* What a line, not a blank one, says beside the one before it: a word that starts both says that they were
 * printed in a loop. `before`: the first word of that one, then of this; empty at first. */
abr_form_told abr_line_says(const abr_forms *forms, abr_text_line line, abr_text_line *before);

/* Is (p, n) written: source, prose, markup, a listing? Everything else is a log, as are unclear texts. A
 * sample of its lines is examined. */
bool abr_is_written(const char *p, size_t n);

/* The same for a few KiB of a longer text; `surely`: false if it could be a log. In a log only a line or two
 * are examined. `forms`: all of them. */
bool abr_stretch_is_written(const abr_forms *forms, const char *p, size_t n, bool surely);

/* Is such a stretch positively a log, rather than written or neither? */
bool abr_stretch_is_printed(const abr_forms *forms, const char *p, size_t n);

/* Find the first stretch of (p, n), some 8 KiB of whole lines, that is not written. Returns its start, n if
 * there is none. */
size_t abr_find_printed(const char *p, size_t n);

ABR_PRIVATE_END

#endif
