/* Is it JSON: one document, or one per line? */
#ifndef ABR_KINDS_JSON_JSON_LINES_H
#define ABR_KINDS_JSON_JSON_LINES_H

#include "abridge.h"
#include "base/private.h"
#include "base/tiny.h"

ABR_PRIVATE_BEGIN

enum { ABR_JSON_JUDGED = ABR_OR_TINY(ABR_KIND_BYTES, 512) }; /* bytes examined */

/* Is (p, n), of at most ABR_JSON_JUDGED bytes, one object, array or string, apart from blanks around it? If
 * the text is not whole: may it become one? A BOM is skipped. */
bool abr_is_json(const char *p, size_t n, bool whole);

/* Is (p, n), of at most ABR_JSON_JUDGED bytes, an object or array per line, except for a few lines? A single
 * document doesn't count. If the text is not whole, its last line counts only if it ends. */
bool abr_is_json_lines(const char *p, size_t n, bool whole);

/* The size of the object or array that (p, n) starts with; 0 if there is none, or it is deeper than 1,024.
 * *read gets the number of bytes read. */
size_t abr_json_document_size(const char *p, size_t n, size_t *read);

ABR_PRIVATE_END

#endif
