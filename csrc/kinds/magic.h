/* The type of a file by its first bytes. */
#ifndef ABR_KINDS_MAGIC_H
#define ABR_KINDS_MAGIC_H

#include "abridge.h"
#include "base/private.h"

ABR_PRIVATE_BEGIN

/* The media type of a file that starts with (p, n), or NULL for text and unknown types. Some formats take the
 * first 300 bytes to recognize, Matroska's document type up to 4096. Names of files don't matter; SVG is
 * text. */
const char *abr_magic(const char *p, size_t n);

ABR_PRIVATE_END

#endif
