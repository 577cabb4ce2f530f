/* A failure amid what was written. */
#ifndef ABR_KINDS_FAILING_H
#define ABR_KINDS_FAILING_H

#include "abridge.h"
#include "base/private.h"
#include "line/form.h"
#include "line/lexicon.h"

ABR_PRIVATE_BEGIN

/* What a failure is found by, some 45 KiB. To fill it takes as long as to read some 40 lines. */
typedef struct {
    abr_lexicon lexicon;
    abr_forms forms; /* all of them */
} abr_failure_rules;

void abr_failure_rules_open(abr_failure_rules *rules);

/* Find a failure in (p, n), however short: a diagnostic, a traceback, what a run of tests says, amid lines that were
 * printed with it. In source, prose, listings and search results a word of trouble alone is none. Returns where a line
 * of it starts, n if there is none. Nothing is allocated. */
size_t abr_find_failure_by(const abr_failure_rules *rules, const char *p, size_t n);

/* The same with rules of its own, on the stack. */
size_t abr_find_failure(const char *p, size_t n);

ABR_PRIVATE_END

#endif
