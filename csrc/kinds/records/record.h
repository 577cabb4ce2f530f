/* One record: where it ends, and how it shows in part. */
#ifndef ABR_KINDS_RECORDS_RECORD_H
#define ABR_KINDS_RECORDS_RECORD_H

#include <string.h>

#include "base/private.h"
#include "kinds/content.h"
#include "kinds/json/json_lines.h"
#include "kinds/reader.h"
#include "line/lines.h"

ABR_PRIVATE_BEGIN

/* The position in a record with quotes. */
typedef enum {
    ABR_FIELD_START = 0,
    ABR_FIELD_PLAIN,
    ABR_FIELD_QUOTED,
    ABR_FIELD_QUOTE /* it may end the field or be doubled */
} abr_place_in_record;

/* The state within the open record; zeroed before the first one. */
typedef struct {
    abr_place_in_record field;
    abr_open_row row;
    abr_json_record document;
} abr_record_state;

/* A line's bytes in (p, n), with its newline, and whether it ends there. */
static inline size_t abr_skip_record_line(const char *p, size_t n, bool *ends)
{
    const char *newline = memchr(p, '\n', n);
    *ends = newline != NULL;
    return newline ? (size_t)(newline - p) + 1 : n;
}

/* The bytes of the open record in (p, n), and whether it ends with them. */
size_t abr_skip_record(const abr_telling *told, abr_record_state *state, const char *p, size_t n, bool *ends);

/* Does a line, with its newline if any, hold no part of a record? */
static inline bool abr_is_empty_row(const abr_telling *told, const char *p, size_t n)
{
    const abr_text_line line = abr_without_newline(p, n);
    if (told->drawn.bar)
        return !abr_is_row_line(line);
    return (told->delimiter ? line : abr_trimmed(line)).n == 0;
}

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
