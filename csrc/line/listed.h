/* Lists of words that a rule about a word of trouble looks for around it. */
#ifndef ABR_LINE_LISTED_H
#define ABR_LINE_LISTED_H

#include "base/private.h"
#include "line/evidence.h"
#include "line/lexicon.h"

ABR_PRIVATE_BEGIN

typedef enum {
    ABR_LIST_EMPTY,         /* values that say there is none: "errors: none" */
    ABR_LIST_SETTING,       /* parts of the names of settings: fail_on_error */
    ABR_LIST_STATE,         /* parts of names whose value is a state: status=error */
    ABR_LIST_REMEDY,        /* remedies for a missing thing: "..., skipping" */
    ABR_LIST_COMMAND,       /* commands and jobs: "build failed" */
    ABR_LIST_ADVISES,       /* names before "warning" of programs whose warnings are advice */
    ABR_LIST_DENIED_BEFORE, /* denials before a word of trouble, in any language */
    ABR_LIST_DENIED_AFTER,  /* the same after it */
    ABR_LIST_FINE_BEFORE,   /* what stands before a word of trouble that is no failure of its own */
    ABR_LIST_FINE_AFTER,    /* or after one that was expected, or is a limit */
    ABR_LIST_SETUP,         /* starts of messages about setting up a machine, with no failure in them */
    ABR_LIST_HARNESS,       /* starts of a runner's lines that look like comments */
    ABR_LIST_REPORT,        /* starts of reports without a word of trouble */
    ABR_LIST_STATEMENT,     /* words that start a statement of source: such words start sentences, too */
    ABR_LIST_QUOTED,        /* those of them that a quotation follows */
    ABR_LIST_BLOCK,         /* those of them that open a block with a colon */
    ABR_LIST_COMMIT,        /* verbs that start the subject of a commit */
    ABR_LIST_TITLE,         /* verbs that start the indented title of a test */
    ABR_LIST_SPOKEN_AFTER,  /* words after one of trouble that is spoken of: "errors are", */
    ABR_LIST_SPOKEN_BEFORE, /* right before it: "any error", */
    ABR_LIST_SPOKEN_FAR,    /* or some words before it: "returns an error" */
    ABR_LIST_REPORT_AFTER,  /* words after a bare "error" that is reported: "error while", */
    ABR_LIST_REPORT_BEFORE  /* or before it: "syntax error" */
} abr_list;

/* The next word of a list from *row on, which starts with 0; NULL: there is none. */
const char *abr_next_listed(const abr_lexicon *x, abr_list list, unsigned *row);

/* Does a word of the first list end at byte `at` of the line, or one of the second start at `end`? */
bool abr_is_between_listed(const abr_evidence *l, size_t at, size_t end, abr_list before, abr_list after);

/* Does a word of the list start at byte `at` of the line? */
bool abr_starts_listed(const abr_evidence *l, size_t at, abr_list list);

/* Bytes of the whole word at byte `at` if it is in the list, its first letter in either case, or 0. */
size_t abr_listed_word(const abr_evidence *l, size_t at, abr_list list);

ABR_PRIVATE_END

#endif
