/* Display cells. */
#ifndef ABR_TEXT_WIDTH_H
#define ABR_TEXT_WIDTH_H

#include "abridge.h"
#include "base/private.h"

ABR_PRIVATE_BEGIN

/* Cells of the char of `size` bytes at p, as abr_char_size() gives them. */
uint32_t abr_char_cells(const char *p, size_t size);

ABR_PRIVATE_END

#endif
