/* Failures as blocks of lines. */
#ifndef ABR_PRIORITY_BLOCKS_H
#define ABR_PRIORITY_BLOCKS_H

#include "base/private.h"
#include "priority/chooser.h"

ABR_PRIVATE_BEGIN

/* Find the block of each line, and its part in it. */
void abr_grow_blocks(abr_chooser *x);

ABR_PRIVATE_END

#endif
