/* What a text is. */
#ifndef ABR_KINDS_KIND_H
#define ABR_KINDS_KIND_H

#include "abridge.h"
#include "base/private.h"
#include "base/tiny.h"

ABR_PRIVATE_BEGIN

enum { ABR_TOLD_BY = ABR_OR_TINY(ABR_KIND_BYTES, 512) }; /* bytes of a text that tell its kind */

typedef struct {
    abr_kind kind;
    const char *media_type; /* of what is binary, NULL where it is not known */
    char delimiter;         /* of a table's fields, 0 where its columns are aligned */
    size_t header_lines;    /* of an aligned table: lines before its first row */
} abr_telling;

/* Tell what (p, n) is by its first ABR_TOLD_BY, in time linear in these; the same however the text
 * came. `whole`: it ends with these n bytes. Nothing is allocated; 32 KiB of stack are used. */
abr_telling abr_tell_kind(const char *p, size_t n, bool whole);

/* The same of a text that its caller says is of `kind`; ABR_KIND_TEXT where it is not. */
abr_telling abr_tell_as(abr_kind kind, const char *p, size_t n, bool whole);

ABR_PRIVATE_END

#endif
