/* What the words of a line say, each in its place. */
#ifndef ABR_LINE_SIGNS_H
#define ABR_LINE_SIGNS_H

#include "base/private.h"
#include "line/evidence.h"

ABR_PRIVATE_BEGIN

/* Note what the words of the lexicon say in the line, each in its place. */
void abr_read_signs(abr_evidence *l);

ABR_PRIVATE_END

#endif
