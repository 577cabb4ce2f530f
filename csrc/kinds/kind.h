/* The kind of a text, and the register of kinds. */
#ifndef ABR_KINDS_KIND_H
#define ABR_KINDS_KIND_H

#include "base/private.h"
#include "kinds/reader.h"

ABR_PRIVATE_BEGIN

/* Tell the kind of (p, n) by its first ABR_TOLD_BY bytes, in time linear in these; the answer does not depend
 * on how the text arrived. `whole`: it ends with these n bytes, so a log that starts later in a written text
 * is found too. Allocates nothing; uses 32 KiB of stack. */
abr_telling abr_tell_kind(const char *p, size_t n, bool whole);

/* The same for a text that the caller says is of `kind`; ABR_KIND_TEXT if it isn't. */
abr_telling abr_tell_as(abr_kind kind, const char *p, size_t n, bool whole);

/* The reader of a kind that is cut part by part; NULL for the others. */
const abr_reader_methods *abr_methods_of(abr_kind kind);

/* Does a screen with little room show the end of such an output, rather than its start? */
bool abr_shows_end(abr_kind kind);

enum { ABR_REASON_LINES = 3 /* lines named as examples */ };

/* Lines that speak for one side. */
typedef struct {
    uint64_t count;
    uint64_t line[ABR_REASON_LINES]; /* the surest of them, 1-based; 0: there are fewer */
    float sure[ABR_REASON_LINES];    /* 0 to 1 */
} abr_side_lines;

typedef struct {
    abr_telling told;
    /* the evidence: "signature", "bytes", "document", "documents", "hunks", "delimiter", "columns", "lines",
     * "failure", "log", "parts" */
    const char *by;
    size_t bytes; /* examined from the start */
    /* of the failure, or the stretch of printed lines, in a log that looks written; else 0 */
    uint64_t log_line;
    uint64_t lines;         /* this and the rest: for logs and texts only. Lines that are not blank, */
    abr_side_lines printed; /* those that look printed by a command at work, */
    abr_side_lines written; /* and those that look written */
} abr_kind_reason;

/* Tell the kind of (p, n), and why. All its lines up to ABR_TOLD_BY are examined; abr_tell_kind() only
 * samples them. */
void abr_reason_kind(const char *p, size_t n, abr_kind_reason *out);

ABR_PRIVATE_END

#endif
