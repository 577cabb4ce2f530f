/* The steps in which a priority cut keeps lines. */
#ifndef ABR_PRIORITY_KEEP_H
#define ABR_PRIORITY_KEEP_H

#include "base/private.h"
#include "priority/chooser.h"

ABR_PRIVATE_BEGIN

/* Keep the ends, the failures and the lines worth most for their size, within the allowance. */
void abr_keep_best(abr_chooser *x);

ABR_PRIVATE_END

#endif
