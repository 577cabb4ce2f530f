/* Is it JSON: one document, or one a line? */
#ifndef ABR_KINDS_JSON_JSON_LINES_H
#define ABR_KINDS_JSON_JSON_LINES_H

#include "abridge.h"
#include "base/private.h"
#include "base/tiny.h"

ABR_PRIVATE_BEGIN

enum { ABR_JSON_JUDGED = ABR_OR_TINY(ABR_KIND_BYTES, 512) }; /* bytes that are looked at */

/* Is (p, n), of at most ABR_JSON_JUDGED bytes, one object, array or string, blanks around it? Of a text that
 * is not whole: may it become one? A BOM is passed over. */
bool abr_is_json(const char *p, size_t n, bool whole);

/* Is (p, n), of at most ABR_JSON_JUDGED bytes, an object or array a line, a few lines excepted? One document
 * alone is none. Where the text is not whole, its last line counts only if it ends. */
bool abr_is_json_lines(const char *p, size_t n, bool whole);

/* The size of the object or array that starts (p, n); 0: there is none, or it is deeper than 1,024. *read gets the bytes
 * that show it. */
size_t abr_json_document_size(const char *p, size_t n, size_t *read);

ABR_PRIVATE_END

#endif
