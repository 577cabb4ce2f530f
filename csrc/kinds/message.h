/* A line that reports a failure by itself. */
#ifndef ABR_KINDS_MESSAGE_H
#define ABR_KINDS_MESSAGE_H

#include "base/private.h"
#include "base/tiny.h"
#include "kinds/agreeing.h"
#include "line/form.h"
#include "line/lexicon.h"
#include "line/line_score.h"
#include "line/lines.h"

ABR_PRIVATE_BEGIN

enum {
    ABR_LONGEST_MESSAGE = ABR_OR_TINY(1000, 100), /* bytes; longer lines are those of files */
    ABR_PROSE_WORDS = 2                           /* of a line of trouble; one alone is a name */
};

/* The rules that find a failure, some 45 KiB. Filling them takes as long as reading some 40 lines. */
typedef struct {
    abr_lexicon lexicon;
    abr_forms forms; /* all of them */
} abr_failure_rules;

void abr_failure_rules_open(abr_failure_rules *rules);

/* Read a line that may report trouble, of a text that ends at `end`; false if it is no hit. */
bool abr_read_trouble(const abr_failure_rules *rules, abr_text_line line, const char *end,
                      abr_reading *reading);

/* Is it all that a shell says of a program that a signal ended? */
bool abr_tells_signal(abr_text_line line);

/* Does a runner count failures in this hit? */
bool abr_counts_failures(const abr_failure_rules *rules, abr_text_line line, const abr_reading *hit);

/* Does this hit tell of trouble, or count it? */
bool abr_says_trouble(abr_text_line line, const abr_reading *hit);

/* Is this line of trouble a message that reports a failure wherever it stands? Does not look at its form. */
bool abr_is_failing_message(const abr_failure_rules *rules, const abr_trouble_line *trouble,
                            const abr_reading *hit);

ABR_PRIVATE_END

#endif
