/* The value of a word of trouble. */
#ifndef ABR_LINE_NOTHING_H
#define ABR_LINE_NOTHING_H

#include "abridge.h"
#include "base/private.h"
#include "line/evidence.h"
#include "line/lexicon.h"
#include "line/lines.h"

ABR_PRIVATE_BEGIN

typedef enum {
    ABR_VALUE_NONE = 0, /* the word is not a name, or a sentence follows */
    ABR_VALUE_NOTHING, /* empty, zero, false, null ("error": null, errors=[], failed: false, ERRORS (0)), or a
                           measure (relative error: 3e-12) */
    ABR_VALUE_SETTING, /* the name says what to do about errors: fail_on_error: true, max_failures=3 */
    ABR_VALUE_TROUBLE  /* a count, true, or a text: failures=2, "errorCount": 3, last_error: "gone" */
} abr_value;

/* Is it null, none, off, or another word for nothing, in either case, perhaps in angle brackets? */
bool abr_is_empty_word(const abr_lexicon *x, abr_text_line word);

/* The meaning of the name that contains the word, judged by its value. */
abr_value abr_value_of(const abr_evidence *l, const abr_sign *s);

/* Is the word the value of a setting (log_level=error, "no-undef": "error"), not of a status? */
bool abr_is_setting(const abr_evidence *l, const abr_sign *s);

ABR_PRIVATE_END

#endif
