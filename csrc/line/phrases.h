/* Words that tell of trouble in one phrase alone. */
#ifndef ABR_LINE_PHRASES_H
#define ABR_LINE_PHRASES_H

#include "abridge.h"
#include "base/private.h"
#include "line/evidence.h"

ABR_PRIVATE_BEGIN

/* What stands before the word in a phrase that tells of trouble: "out of " of "index out of range"; NULL if it is in
 * none. */
const char *abr_find_phrase(const abr_evidence *l, const abr_sign *s);

/* Where a message in a script beyond ASCII tells of trouble, or its end. */
size_t abr_find_foreign(const abr_evidence *l);

ABR_PRIVATE_END

#endif
