/* What a text was told to be. */
#ifndef ABR_KINDS_TELLING_H
#define ABR_KINDS_TELLING_H

#include "abridge.h"
#include "base/private.h"

ABR_PRIVATE_BEGIN

typedef struct {
    abr_kind kind;
    const char *media_type; /* of what is binary, NULL where it is not known */
    char delimiter;         /* of a table's fields, 0 where its columns are aligned */
    size_t header_lines;    /* of an aligned table: lines before its first row */
} abr_telling;

ABR_PRIVATE_END

#endif
