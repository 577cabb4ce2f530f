/* Words that mean trouble only in certain phrases. */
#ifndef ABR_LINE_PHRASES_H
#define ABR_LINE_PHRASES_H

#include "abridge.h"
#include "base/private.h"
#include "line/evidence.h"

ABR_PRIVATE_BEGIN

/* "out of ", "range", "" */
typedef struct {
    const char *before;
    const char *word;
    const char *after;
} abr_phrase;

/* The phrase of trouble that contains the word, or NULL. */
const abr_phrase *abr_find_phrase(const abr_evidence *l, const abr_sign *s);

/* The point at which a message in a script beyond ASCII tells of trouble, or the line's end; *size gets the
 * bytes of the stem there. */
size_t abr_find_foreign(const abr_evidence *l, size_t *size);

ABR_PRIVATE_END

#endif
