/* What a file is by its first bytes. */
#ifndef ABR_KINDS_MAGIC_H
#define ABR_KINDS_MAGIC_H

#include "abridge.h"
#include "base/private.h"

ABR_PRIVATE_BEGIN

/* The media type of what starts with (p, n), or NULL for text and for what is not known; some formats show
 * only within the first 300 bytes, Matroska's document type within 4096. A name is never looked at; SVG is
 * text. */
const char *abr_magic(const char *p, size_t n);

ABR_PRIVATE_END

#endif
