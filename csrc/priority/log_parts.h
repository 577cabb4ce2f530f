/* The parts of a text that is read as a log: the ones that commands printed as they worked, and written
 * ones. */
#ifndef ABR_PRIORITY_LOG_PARTS_H
#define ABR_PRIORITY_LOG_PARTS_H

#include "abridge.h"
#include "base/private.h"

ABR_PRIVATE_BEGIN

/* A few whole lines at hand, whatever was retained. */
typedef struct {
    uint64_t line; /* number of the first, 0-based */
    uint64_t at;   /* bytes before it */
    uint64_t chars;
    const char *p;
    size_t n; /* bytes, with the newline of each line */
    size_t lines;
} abr_lines_at_hand;

typedef struct {
    uint64_t line; /* its first, 0-based; it extends to the next part, the last one to the text's end */
    bool written;  /* source, prose, a listing: a word of trouble says nothing in it */
    abr_lines_at_hand head;
    abr_lines_at_hand tail; /* empty for the last part and for written ones */
} abr_log_part;

/* At least two, printed and written in turn; the first one starts at the start of the text. */
typedef struct abr_log_parts {
    const abr_log_part *list;
    size_t count;
} abr_log_parts;

ABR_PRIVATE_END

#endif
