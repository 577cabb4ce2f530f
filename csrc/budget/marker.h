/* Omission markers, shown in a gap. */
#ifndef ABR_BUDGET_MARKER_H
#define ABR_BUDGET_MARKER_H

#include "abridge.h"
#include "base/private.h"

ABR_PRIVATE_BEGIN

#define ABR_INNER_MARKER " ... " /* shown in a gap inside a line */
enum { ABR_INNER_SIZE = sizeof ABR_INNER_MARKER - 1 };

/* The numbers a marker may give. */
typedef struct {
    uint64_t lines;
    uint64_t bytes;
    uint64_t chars;
    bool alike; /* every line of the gap is like the one after it, whose start shows */
} abr_omitted;

/* The format that the options ask for, of *n bytes; "" for none. */
const char *abr_marker_format(const abr_opts *opts, size_t *n);

/* The format for this gap: our own ones mention no lines if no whole line is left out, and say if the lines
 * are alike. */
const char *abr_marker_for(const char *format, const abr_omitted *omitted, size_t *n);

/* The extra bytes of ASCII that a marker of this format may take for similar lines. */
size_t abr_alike_more(const char *format, size_t n);

/* Print a marker format, {lines}, {bytes} and {chars} replaced, to dst (NULL measures). Returns the bytes. */
size_t abr_print_marker(const char *format, size_t n, const abr_omitted *omitted, char *dst);

/* Does the format give chars, so that they have to be counted? */
bool abr_marker_tells_chars(const char *format, size_t n);

ABR_PRIVATE_END

#endif
