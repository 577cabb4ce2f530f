/* Is it text at all? */
#ifndef ABR_KINDS_BINARY_H
#define ABR_KINDS_BINARY_H

#include "abridge.h"
#include "base/private.h"

ABR_PRIVATE_BEGIN

enum { ABR_BINARY_JUDGED = 8192 /* bytes from the start that are looked at, beside signatures */ };

/* Is what starts with (p, n) binary: known by its first bytes, or over a tenth of its first 8 KiB, and at
 * least 32 bytes of it, NUL, another control (not tab, newline, CR, ESC, DEL) or outside of well-formed
 * UTF-8 (a letter of ISO 8859-1 beside one of ASCII does not count)? *type is the media type, NULL where it
 * is not known. Asked of what came, before `clean`. `whole`: nothing comes after these n bytes. */
bool abr_is_binary(const char *p, size_t n, bool whole, const char **type);

enum { ABR_BINARY_LINE_MOST = 160 };

/* Print what is shown in place of something binary to dst: "Binary output (ELF, 147.8KB)". `type` may be
 * NULL. Returns the bytes. */
size_t abr_print_binary(const char *type, uint64_t size, char dst[ABR_BINARY_LINE_MOST]);

ABR_PRIVATE_END

#endif
