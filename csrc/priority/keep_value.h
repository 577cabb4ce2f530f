/* How much each line matters for what is kept. */
#ifndef ABR_PRIORITY_KEEP_VALUE_H
#define ABR_PRIORITY_KEEP_VALUE_H

#include "base/private.h"
#include "priority/chooser.h"

ABR_PRIVATE_BEGIN

/* Add the first and the last lines, as far as they are at hand whole, to what was retained. */
void abr_add_edges(abr_chooser *x);

/* Give each line its keep value. Is one a hit, or odd? */
bool abr_set_keep_values(abr_chooser *x);

ABR_PRIVATE_END

#endif
