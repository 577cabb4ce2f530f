/* What a text is. */
#ifndef ABR_KINDS_KIND_H
#define ABR_KINDS_KIND_H

#include "abridge.h"
#include "base/private.h"

ABR_PRIVATE_BEGIN

typedef enum {
    ABR_KIND_LOG = 0, /* what a command prints while it works, and what could be that or text */
    ABR_KIND_TEXT,    /* source, prose, listings, markup */
    ABR_KIND_JSON,
    ABR_KIND_JSON_LINES,
    ABR_KIND_TABLE,
    ABR_KIND_DIFF,
    ABR_KIND_BINARY
} abr_text_kind;

enum { ABR_KIND_BYTES = 256 * 1024 }; /* of the start of a text, by which its kind is told */

typedef struct {
    abr_text_kind kind;
    const char *media_type; /* of what is binary, NULL where it is not known */
    char delimiter;         /* of a table's fields, 0 where its columns are aligned */
    size_t header_lines;    /* of an aligned table: lines before its first row */
} abr_telling;

/* Tell what (p, n) is by its first ABR_KIND_BYTES, in time linear in these; the same however the text came. `whole`: it
 * ends with these n bytes. Nothing is allocated; 32 KiB of stack are used. */
abr_telling abr_tell_kind(const char *p, size_t n, bool whole);

/* Its name in `cut.kind`: "log", "json_lines". */
const char *abr_kind_name(abr_text_kind kind);

ABR_PRIVATE_END

#endif
