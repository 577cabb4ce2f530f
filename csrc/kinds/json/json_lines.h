/* Is it JSON: one document, or one per line? */
#ifndef ABR_KINDS_JSON_JSON_LINES_H
#define ABR_KINDS_JSON_JSON_LINES_H

#include "base/private.h"
#include "base/tiny.h"
#include "line/lines.h"

ABR_PRIVATE_BEGIN

enum { ABR_JSON_JUDGED = ABR_OR_TINY(ABR_KIND_BYTES, 512) }; /* bytes examined */

/* Is (p, n), of at most ABR_JSON_JUDGED bytes, one object, array or string, apart from blanks around it? If
 * the text is not whole: may it become one? A BOM is skipped. */
bool abr_is_json(const char *p, size_t n, bool whole);

/* Is (p, n), of at most ABR_JSON_JUDGED bytes, an object or array per line, except for a few lines, or more
 * of several lines than there may be parts? A single document doesn't count. If the text is not whole, its
 * last record counts only if it ends. */
bool abr_is_json_lines(const char *p, size_t n, bool whole);

/* The state within a record: most are a line. One of several lines starts with one that is only its bracket,
 * as in the output of jq, and ends with the first line that is not indented. */
typedef struct {
    bool goes_on; /* the line before was not its last */
    bool alone;   /* the open line may be only a bracket, by its bytes so far */
    char first;   /* byte of the open line; 0: none yet */
} abr_json_record;

/* Is the line that (p, n) starts with, with its newline, only the bracket that opens a record? */
static inline bool abr_json_opens_record(const char *p, size_t n)
{
    return (*p == '{' || *p == '[') && abr_without_newline(p, n).n == 1;
}

/* The bytes of the open record in (p, n), and whether it ends with them; then the state is that of the next
 * one. */
size_t abr_json_record_skip(abr_json_record *state, const char *p, size_t n, bool *ends);

/* The size of the object or array that (p, n) starts with; 0 if there is none, or it is deeper than 1,024.
 * *read gets the number of bytes read. */
size_t abr_json_document_size(const char *p, size_t n, size_t *read);

ABR_PRIVATE_END

#endif
