/* How the words of a line were judged, to explain why it is or isn't a hit. */
#ifndef ABR_LINE_TRACE_H
#define ABR_LINE_TRACE_H

#include "abridge.h"
#include "base/private.h"
#include "line/words.h"

ABR_PRIVATE_BEGIN

/* The table of a rule. */
typedef enum {
    ABR_TABLE_WORDS = 0, /* words.def */
    ABR_TABLE_ENDINGS,   /* endings.def */
    ABR_TABLE_PHRASES,   /* phrases.def */
    ABR_TABLE_STEMS,     /* stems.def */
    ABR_TABLE_FORMS,     /* a form that only errors have, in line_score.c */
    ABR_TABLE_HITS       /* a pattern of the caller */
} abr_rule_table;

/* Why a word of trouble is harmless. */
typedef enum {
    ABR_DENIED_NOT = 0,
    ABR_DENIED_NOTHING,  /* its value is empty, zero, false or null: "error": null, errors=[] */
    ABR_DENIED_SETTING,  /* it says what to do about errors: fail_on_error: true, log_level=error */
    ABR_DENIED_NAME,     /* it is part of a name: error_handler.c, -Werror */
    ABR_DENIED_NEGATED,  /* no failures, without errors */
    ABR_DENIED_ZERO,     /* 0 errors */
    ABR_DENIED_DEALT,    /* it names something that deals with trouble: error handler */
    ABR_DENIED_WRITTEN,  /* the line is source, a commit's subject, help, a heading */
    ABR_DENIED_SPOKEN,   /* a sentence speaks of it: an error if the file is missing */
    ABR_DENIED_ARGUMENT, /* it is an argument of a call: error("no such file") */
    ABR_DENIED_PATTERN   /* a pattern of the caller with weight 0 */
} abr_denial;

/* A word, a phrase or a form in a line. */
typedef struct {
    uint64_t at; /* bytes of the line before it */
    uint32_t n;
    abr_rule_table table;
    abr_denial denial;
    const char *form; /* the form's name, NULL for a word */
    float score;      /* given to the line; 0: it was denied */
} abr_traced;

enum { ABR_TRACED = ABR_SIGNS + 8 };

typedef struct abr_trace {
    abr_traced list[ABR_TRACED];
    unsigned count;
    bool stepped;   /* it names a step in progress */
    bool low_level; /* it has a low log level */
    bool remarks;   /* a compiler's "warning:" or "note:", whatever it is about */
    bool echoed;    /* a command that a shell echoes */
} abr_trace;

/* Note a word or a form; one at the same place is noted once: as denied, or with its best score. */
void abr_trace_add(abr_trace *trace, const abr_traced *what);

/* The word or form that gave a line its score, or NULL. */
const abr_traced *abr_trace_best(const abr_trace *trace);

/* The first word of trouble that was denied, or NULL. */
const abr_traced *abr_trace_denied(const abr_trace *trace);

enum { ABR_ROW_MOST = 80 };

/* Print to dst the row of its table that a word of the line p matches: "error", "attempt to", "-Exception".
 * Returns its bytes. */
size_t abr_trace_row(const abr_traced *what, const char *p, char dst[ABR_ROW_MOST]);

/* "words", "nothing" */
const char *abr_rule_table_name(abr_rule_table table);
const char *abr_denial_name(abr_denial denial);

ABR_PRIVATE_END

#endif
