/* The meaning of a line's words, each in its place. */
#ifndef ABR_LINE_SIGNS_H
#define ABR_LINE_SIGNS_H

#include "base/private.h"
#include "line/evidence.h"

ABR_PRIVATE_BEGIN

/* Note the meaning of the line's lexicon words, each in its place. */
void abr_read_signs(abr_evidence *l);

ABR_PRIVATE_END

#endif
