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
    ABR_LIST_FINE_AFTER     /* or after one that was expected, or is a limit */
} abr_list;

/* The next word of a list from *row on, which starts with 0; NULL: there is none. */
const char *abr_next_listed(const abr_lexicon *x, abr_list list, unsigned *row);

/* Does a word of the first list end at byte `at` of the line, or one of the second start at `end`? */
bool abr_is_between_listed(const abr_evidence *l, size_t at, size_t end, abr_list before, abr_list after);

/* Does a word of the list start at byte `at` of the line? */
bool abr_starts_listed(const abr_evidence *l, size_t at, abr_list list);

ABR_PRIVATE_END

#endif
