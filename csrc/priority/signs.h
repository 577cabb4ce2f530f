/* What the words of a line say, each in its place. */
#ifndef ABR_PRIORITY_SIGNS_H
#define ABR_PRIORITY_SIGNS_H

#include "base/private.h"
#include "priority/evidence.h"

ABR_PRIVATE_BEGIN

/* Weigh the words of the lexicon that stand in the line, each in its place. */
void abr_weigh_signs(abr_said *l);

ABR_PRIVATE_END

#endif
