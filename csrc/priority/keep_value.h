/* How much each line matters for a cut. */
#ifndef ABR_PRIORITY_KEEP_VALUE_H
#define ABR_PRIORITY_KEEP_VALUE_H

#include "base/private.h"
#include "priority/chooser.h"

ABR_PRIVATE_BEGIN

/* Add the first and the last lines that are at hand whole to the retained ones. */
void abr_add_edges(abr_chooser *x);

/* Give each line its keep value. Is one a hit, or odd? */
bool abr_set_keep_values(abr_chooser *x);

ABR_PRIVATE_END

#endif
