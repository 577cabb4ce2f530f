/* Is a text the log of a command at work, or something written? */
#ifndef ABR_KINDS_TEXT_LOG_H
#define ABR_KINDS_TEXT_LOG_H

#include "abridge.h"
#include "base/private.h"
#include "line/form.h"

ABR_PRIVATE_BEGIN

/* Is (p, n) written: source, prose, markup, a listing? Everything else, and what could be either, is a log. A
 * sample of its lines is looked at. */
bool abr_is_written(const char *p, size_t n);

/* The same of a few KiB of a longer text; `surely`: of what could be a log it is false. Of a log a line or two are looked
 * at. `forms`: all of them. */
bool abr_stretch_is_written(const abr_forms *forms, const char *p, size_t n, bool surely);

/* Does such a stretch tell of a log rather than of anything written, and not just of neither? */
bool abr_stretch_is_printed(const abr_forms *forms, const char *p, size_t n);

/* Find the first stretch of (p, n), of some 8 KiB of whole lines, that is not written. Returns where it starts, n if there
 * is none. */
size_t abr_find_printed(const char *p, size_t n);

ABR_PRIVATE_END

#endif
