/* The value of a failure's lines. */
#ifndef ABR_PRIORITY_BLOCKS_H
#define ABR_PRIORITY_BLOCKS_H

#include "base/private.h"
#include "priority/chooser.h"

ABR_PRIVATE_BEGIN

/* Raise the keep value of lines that belong to a failure; x->lines have their own values and layouts, and
 * x->failed is known. */
void abr_raise_blocks(abr_chooser *x);

ABR_PRIVATE_END

#endif
