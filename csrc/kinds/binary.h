/* Is it text at all? */
#ifndef ABR_KINDS_BINARY_H
#define ABR_KINDS_BINARY_H

#include "abridge.h"
#include "base/private.h"

ABR_PRIVATE_BEGIN

/* The media type of a file that starts with (p, n), or NULL for text and unknown types. Some formats take the
 * first 300 bytes to recognize, Matroska's document type up to 4096. Names of files don't matter; SVG is
 * text. */
const char *abr_magic(const char *p, size_t n);

enum { ABR_BINARY_JUDGED = 8192 /* bytes examined from the start, besides signatures */ };

/* Is a text that starts with (p, n) binary: known by its first bytes, or with over a tenth of its first 8
 * KiB, and at least 32 bytes, being NUL, another control (not tab, newline, CR, ESC, DEL) or outside
 * well-formed UTF-8 (an ISO 8859-1 letter next to an ASCII one does not count)? *type is the media type, NULL
 * if unknown. Call it on the raw bytes, before `clean`. `whole`: nothing comes after these n bytes. */
bool abr_is_binary(const char *p, size_t n, bool whole, const char **type);

/* The same of a text that will be cleaned, which decodes UTF-16: with a byte order mark that is text. */
bool abr_is_binary_to_clean(const char *p, size_t n, bool whole);

enum { ABR_BINARY_LINE_MOST = 160 };

/* Print the line shown in place of binary data to dst: "Binary output (ELF, 147.8KB)". `type` may be NULL.
 * Returns its bytes. */
size_t abr_print_binary(const char *type, uint64_t size, char dst[ABR_BINARY_LINE_MOST]);

ABR_PRIVATE_END

#endif
