/* Base64 in a text, by its alphabet. */
#ifndef ABR_TEXT_BASE64_H
#define ABR_TEXT_BASE64_H

#include <stdbool.h>
#include <stddef.h>

#include "base/private.h"

ABR_PRIVATE_BEGIN

/* Is this a char of base64 or of base64url, or its padding? */
bool abr_is_base64(char c);

/* Bytes of a text in runs of more than `least` such chars that have a letter: a rule of dashes does not
 * count. One pass. */
size_t abr_base64_bytes(const char *p, size_t n, size_t least);

ABR_PRIVATE_END

#endif
