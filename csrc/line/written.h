/* Lines that are written, not reported. */
#ifndef ABR_LINE_WRITTEN_H
#define ABR_LINE_WRITTEN_H

#include "abridge.h"
#include "base/private.h"
#include "line/evidence.h"

ABR_PRIVATE_BEGIN

/* Is the line a comment, a commit's subject, a heading, a row of a file list, a traced step? Words of trouble
 * are harmless there. */
bool abr_reads_as_text(const abr_evidence *l);

/* Does Python say that a second traceback belongs to the one before it? The line itself tells of nothing. */
bool abr_joins_tracebacks(const char *p, size_t n);

/* Is the line, which isn't text, source code or the help of an option? */
bool abr_reads_as_source(const abr_evidence *l);

/* Is the word an argument of a call, such as the message of error("no such file")? */
bool abr_is_argument(const abr_evidence *l, const abr_sign *s);

/* Does a sentence speak of the word without saying that it happened: "an error if the file is missing", "on
 * failure", "errors are logged"? */
bool abr_is_spoken_of(const abr_evidence *l, const abr_sign *s);

/* Does a sentence with a bare "error" or "exception" report one: "syntax error near", "returned an error"? */
bool abr_is_reported(const abr_evidence *l, const abr_sign *s);

/* Past the number of a test and its stage at i, as Vader prints them: "( 1/13) [EXECUTE] "; i if there are
 * none. */
size_t abr_skip_number_of_test(const abr_evidence *l, size_t i);

ABR_PRIVATE_END

#endif
