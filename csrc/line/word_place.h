/* The place of a word among its neighbours. */
#ifndef ABR_LINE_WORD_PLACE_H
#define ABR_LINE_WORD_PLACE_H

#include "base/private.h"
#include "line/evidence.h"

ABR_PRIVATE_BEGIN

/* Is the word the last of joined capitals that lead a message, "TEST-UNEXPECTED-FAIL | a.html",
 * "[BUILD-FAIL]", "TEST_FAILED: undo"? A known or expected failure means nothing. */
bool abr_leads_joined(const abr_evidence *l, const abr_sign *s);

/* Is the word in a constant of SQL with its type, 'failed'::text or '{failed,lost}'::text[]? */
bool abr_in_constant(const abr_evidence *l, const abr_sign *s);

/* Is the word part of a name: of an identifier, a path, an option? */
bool abr_in_name(const abr_evidence *l, const abr_sign *s);

/* Is the word in the title of a test: `Test "Payment failed" started.`? */
bool abr_in_title(const abr_evidence *l, const abr_sign *s);

/* The number before a word; -1 if there is none. In "0 of 14 tests failed" it is the first. */
int64_t abr_number_before(const abr_evidence *l, size_t at);

/* The number after a word and a colon or the like, as in failed=0; -1 if there is none. */
int64_t abr_number_after(const abr_evidence *l, size_t at, bool needs_sign);

/* Is the sign negated: "no errors", "without any failure", "no fatal errors"? */
bool abr_is_negated(const abr_evidence *l, const abr_sign *s);

/* Does a code follow the word: "error TS2304", "Error 1", "error[E0308]"? */
bool abr_has_code(const abr_evidence *l, const abr_sign *s);

/* Does the word stand in brackets, "[FAILED]", "==FAILED=="? */
bool abr_in_brackets(const abr_evidence *l, const abr_sign *s);

ABR_PRIVATE_END

#endif
