/* A record that is shown in part. */
#ifndef ABR_KINDS_RECORDS_RECORD_PART_H
#define ABR_KINDS_RECORDS_RECORD_PART_H

#include "base/private.h"
#include "kinds/content.h"
#include "kinds/reader.h"

ABR_PRIVATE_BEGIN

/* A record: all of it is at hand, or its start and its end. */
typedef struct {
    uint64_t at;    /* bytes before it */
    uint64_t line;  /* newlines before it */
    uint64_t size;  /* with its newline */
    uint64_t lines; /* newlines in it, the last one too */
    uint64_t sign;  /* bytes of it before its worst value */
    const char *p;
    const char *end; /* the last end_n bytes; some may be among the first n, too */
    size_t n;
    uint32_t end_n;
    bool ends_line; /* its last byte is a newline */
    bool by_lines;  /* each of its lines is shown whole or not at all */
    bool json;      /* it is an object or array, if all of it is at hand */
} abr_record_bytes;

/* Put a record that exceeds `limit` into `out` in at most so many bytes, as JSON that parses or like a long
 * line, with its newline. */
void abr_show_part(const abr_record_bytes *r, size_t limit, const abr_kind_request *q, abr_content *out);

ABR_PRIVATE_END

#endif
