/* Why a text is of its kind, for people who ask. */
#ifndef ABR_KINDS_KIND_REASON_H
#define ABR_KINDS_KIND_REASON_H

#include "abridge.h"
#include "base/private.h"
#include "kinds/kind.h"

ABR_PRIVATE_BEGIN

enum { ABR_REASON_LINES = 3 /* that are named as examples */ };

/* Lines that speak for one side. */
typedef struct {
    uint64_t count;
    uint64_t line[ABR_REASON_LINES]; /* the surest of them, 1-based; 0: there are fewer */
    float sure[ABR_REASON_LINES];    /* 0 to 1 */
} abr_side_lines;

typedef struct {
    abr_telling told;
    const char
        *by; /* what decided: "signature", "bytes", "document", "documents", "hunks", "delimiter", "columns",
                       "lines", "failure", "log", "parts" */
    size_t bytes; /* of the start that were looked at */
    uint64_t
        log_line;   /* of the failure, or the stretch of printed lines, in a log that looks written; else 0 */
    uint64_t lines; /* the rest of logs and texts: lines that are not blank, */
    abr_side_lines printed; /* that look printed by a command at work, */
    abr_side_lines written; /* and that look written */
} abr_kind_reason;

/* Tell what (p, n) is, and why. Its lines up to ABR_TOLD_BY are all looked at, where abr_tell_kind() samples them. */
void abr_reason_kind(const char *p, size_t n, abr_kind_reason *out);

ABR_PRIVATE_END

#endif
