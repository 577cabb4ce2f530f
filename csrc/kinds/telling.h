/* The kind of a text, as told. */
#ifndef ABR_KINDS_TELLING_H
#define ABR_KINDS_TELLING_H

#include "abridge.h"
#include "base/private.h"
#include "base/tiny.h"
#include "kinds/records/drawn.h"
#include "kinds/text/late_log.h"

ABR_PRIVATE_BEGIN

enum { ABR_TOLD_BY = ABR_OR_TINY(ABR_KIND_BYTES, 512) }; /* bytes of a text that tell its kind */

typedef struct {
    abr_kind kind;
    const char *media_type; /* of binary data; NULL if unknown */
    char delimiter;         /* of a table's fields; 0: its columns are aligned or drawn */
    abr_drawing drawn;      /* of a table */
    size_t header_lines;    /* of a table without delimiters: lines before its first row */
    abr_late_log late;      /* of a log after source, prose or a listing, or amid it; else zero */
} abr_telling;

ABR_PRIVATE_END

#endif
