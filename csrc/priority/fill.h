/* Filling the remaining budgets. */
#ifndef ABR_PRIORITY_FILL_H
#define ABR_PRIORITY_FILL_H

#include "base/private.h"
#include "priority/chooser.h"

ABR_PRIVATE_BEGIN

/* List the stretches of the kept lines, and fill the remaining budgets. */
void abr_fill_kept(abr_chooser *x);

ABR_PRIVATE_END

#endif
