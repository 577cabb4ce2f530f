/* The start of a log in a text that began as source, prose or a listing: `cat x.c; make`. */
#ifndef ABR_KINDS_TEXT_LATE_LOG_H
#define ABR_KINDS_TEXT_LATE_LOG_H

#include "abridge.h"
#include "base/private.h"
#include "base/tiny.h"

ABR_PRIVATE_BEGIN

enum { ABR_TEXT_BLOCK = ABR_OR_TINY(64 * 1024, 256) /* bytes of a text that are looked at together */ };

typedef struct {
    uint64_t from; /* bytes before the line from which on the text is read as a log */
    uint64_t sign; /* and before the one that told so */
    bool printed;  /* which starts a stretch of printed lines; else it is of a failure */
} abr_late_log;

/* Is there a log in (p, n), which is written for the rest: a failure, however short, or a stretch of printed lines?
 * `out` gets its sign; zero if there is none. Nothing is allocated; 32 KiB of stack are used. */
bool abr_find_log(const char *p, size_t n, abr_late_log *out);

/* Does a log start in the block that is at p? Only lines of a sample are looked at, unless these tell of one: a long
 * text takes little more time than it takes to count its lines. `out` counts from p. */
bool abr_log_in_block(const char *p, abr_late_log *out);

/* Does it in the end of a text, all of whose lines are looked at: its last whole block and the bytes after it?
 * `starts`: a line starts at p. */
bool abr_log_in_end(bool starts, const char *p, size_t n, abr_late_log *out);

/* The same of a whole text that is written up to byte `told`, the end of a block. */
bool abr_find_late_log(const char *p, size_t n, size_t told, abr_late_log *out);

ABR_PRIVATE_END

#endif
