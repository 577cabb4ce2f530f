/* What is made of the words of a line, for people who ask why it is a hit, or why it is none. */
#ifndef ABR_LINE_TRACE_H
#define ABR_LINE_TRACE_H

#include "abridge.h"
#include "base/private.h"
#include "line/words.h"

ABR_PRIVATE_BEGIN

/* Where a rule stands. */
typedef enum {
    ABR_TABLE_WORDS = 0, /* words.def */
    ABR_TABLE_ENDINGS,   /* endings.def */
    ABR_TABLE_PHRASES,   /* phrases.def */
    ABR_TABLE_STEMS,     /* stems.def */
    ABR_TABLE_FORMS,     /* a form that only an error has, in line_score.c */
    ABR_TABLE_HITS       /* a pattern of the caller */
} abr_rule_table;

/* Why a word of trouble tells of none. */
typedef enum {
    ABR_DENIED_NOT = 0,
    ABR_DENIED_NOTHING,  /* its value is empty, zero, false or null: "error": null, errors=[] */
    ABR_DENIED_SETTING,  /* it says what to do about errors: fail_on_error: true, log_level=error */
    ABR_DENIED_NAME,     /* it is part of a name: error_handler.c, -Werror */
    ABR_DENIED_NEGATED,  /* no failures, without errors */
    ABR_DENIED_ZERO,     /* 0 errors */
    ABR_DENIED_DEALT,    /* it names what deals with trouble: error handler */
    ABR_DENIED_WRITTEN,  /* the line is source, a commit's subject, help, a heading */
    ABR_DENIED_SPOKEN,   /* a sentence speaks of it: an error if the file is missing */
    ABR_DENIED_ARGUMENT, /* a call has it as its argument: error("no such file") */
    ABR_DENIED_PATTERN   /* a pattern of the caller with weight 0 */
} abr_denial;

/* A word, a phrase or a form in a line. */
typedef struct {
    uint64_t at; /* bytes of the line before it */
    uint32_t n;
    abr_rule_table table;
    abr_denial denial;
    const char *form; /* the form's name, NULL for a word */
    float score;      /* that it gave the line; 0: it was denied */
} abr_traced;

enum { ABR_TRACED = ABR_SIGNS + 8 };

typedef struct abr_trace {
    abr_traced list[ABR_TRACED];
    unsigned count;
    bool stepped;   /* the line says what is being done */
    bool low_level; /* it has a low log level */
    bool remarks;   /* a compiler's "warning:" or "note:", whatever it is about */
    bool echoed;    /* a command that a shell prints as it runs it */
} abr_trace;

/* Note a word or a form; one at the same place is noted once: as denied, or with its best score. */
void abr_trace_add(abr_trace *trace, const abr_traced *what);

/* The word or form that gave a line its score, or NULL. */
const abr_traced *abr_trace_best(const abr_trace *trace);

/* The first word of trouble that was denied, or NULL. */
const abr_traced *abr_trace_denied(const abr_trace *trace);

enum { ABR_ROW_MOST = 80 };

/* Print which row of its table a word of the line p is to dst: "error", "attempt to", "-Exception". Returns
 * its bytes. */
size_t abr_trace_row(const abr_traced *what, const char *p, char dst[ABR_ROW_MOST]);

/* "words", "nothing" */
const char *abr_rule_table_name(abr_rule_table table);
const char *abr_denial_name(abr_denial denial);

ABR_PRIVATE_END

#endif
