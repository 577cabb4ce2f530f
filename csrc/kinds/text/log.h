/* Is a text the log of a command at work, or something written, in which a log may start: `cat x.c; make`? */
#ifndef ABR_KINDS_TEXT_LOG_H
#define ABR_KINDS_TEXT_LOG_H

#include "base/private.h"
#include "base/tiny.h"
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

enum { ABR_TEXT_BLOCK = ABR_OR_TINY(64 * 1024, 256) /* bytes of a text examined together */ };

typedef struct {
    uint64_t from; /* bytes before the line where reading as a log starts */
    uint64_t sign; /* bytes before the line that revealed it */
    bool printed;  /* that line starts a stretch of printed lines; else it is of a failure */
} abr_late_log;

/* Is it a failure, amid text that looks written? */
static inline bool abr_fails_amid(const abr_late_log *log)
{
    return log->sign > 0 && !log->printed;
}

/* Is there a log in the otherwise written (p, n): a failure, however short, or a stretch of printed lines?
 * `out` gets its sign; zero if there is none. Allocates nothing; uses 32 KiB of stack. */
bool abr_find_log(const char *p, size_t n, abr_late_log *out);

/* Does a log start in one of the whole blocks of (p, n)? Only a sample of lines is examined, unless it
 * suggests one: a long text takes little more time than counting its lines. *at: bytes before that block, or
 * of all blocks; `out` counts from there. */
bool abr_log_in_blocks(const char *p, size_t n, size_t *at, abr_late_log *out);

/* Does one start in the end of a text, its last whole block and the bytes after it? All lines are examined.
 * `starts`: a line starts at p. */
bool abr_log_in_end(bool starts, const char *p, size_t n, abr_late_log *out);

/* The same for a whole text that is written up to byte `told`, the end of a block or 0. */
bool abr_find_late_log(const char *p, size_t n, size_t told, abr_late_log *out);

ABR_PRIVATE_END

#endif
