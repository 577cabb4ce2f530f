/* Omission markers: formats with {lines}, {bytes} and {chars}; any other text in braces stands for itself. */
#include <string.h>

#include "budget/marker.h"
#include "abridge.h"
#include "base/size.h"

static const char line_marker[] = "... [{lines} lines, {bytes} bytes omitted] ...";
/* Used instead if no whole line is left out. */
static const char in_line_marker[] = "... [{bytes} bytes omitted] ...";
static const char priority_marker[] = "... [{lines} lines omitted] ...";
static const char alike_marker[] = "... [{lines} lines like the one below omitted] ...";
static const char char_marker[] = "\n\n... [{chars} characters truncated] ...\n\n";

const char *abr_marker_format(const abr_opts *o, size_t *n)
{
    *n = 0;
    const bool marked =
        o->strategy == ABR_HEAD_TAIL || o->strategy == ABR_PRIORITY || o->strategy == ABR_AUTO;
    if (!marked || o->marker == ABR_MARKER_NONE)
        return "";
    const char *own = o->strategy == ABR_PRIORITY ? priority_marker
                      : o->snap == ABR_SNAP_LINE  ? line_marker
                                                  : char_marker;
    *n = o->marker_text ? o->marker_text_len : strlen(own);
    return o->marker_text ? o->marker_text : own;
}

const char *abr_marker_for(const char *format, const abr_omitted *omitted, size_t *n)
{
    if ((format == line_marker || format == priority_marker) && *n > 0 && omitted->lines == 0) {
        *n = sizeof in_line_marker - 1;
        return in_line_marker;
    }
    if (format == priority_marker && *n > 0 && omitted->alike) {
        *n = sizeof alike_marker - 1;
        return alike_marker;
    }
    return format;
}

size_t abr_alike_more(const char *format, size_t n)
{
    return format == priority_marker && n > 0 ? sizeof alike_marker - sizeof priority_marker : 0;
}

static size_t put_at(const char *from, size_t n, char *dst, size_t at)
{
    if (dst)
        memcpy(dst + at, from, n);
    return at + n;
}

enum { FIELD = sizeof "{lines}" - 1 }; /* bytes of each field's name, with its braces */

static bool names(const char *p, size_t n, const char field[FIELD])
{
    return n >= FIELD && memcmp(p, field, FIELD) == 0;
}

/* The value of the field that (p, n) begins with, or NULL. */
static const uint64_t *field_at(const char *p, size_t n, const abr_omitted *omitted)
{
    if (names(p, n, "{lines}"))
        return &omitted->lines;
    if (names(p, n, "{bytes}"))
        return &omitted->bytes;
    return names(p, n, "{chars}") ? &omitted->chars : NULL;
}

/* Bytes up to the next brace after the first byte, or up to the end. */
static size_t to_next_brace(const char *p, size_t n)
{
    const char *brace = memchr(p + 1, '{', n - 1);
    return brace ? (size_t)(brace - p) : n;
}

size_t abr_print_marker(const char *format, size_t n, const abr_omitted *omitted, char *dst)
{
    char digits[ABR_COUNT_DIGITS];
    size_t out = 0;
    for (size_t i = 0; i < n;) {
        const uint64_t *value = field_at(format + i, n - i, omitted);
        size_t step = value ? FIELD : to_next_brace(format + i, n - i);
        out = value ? put_at(digits, abr_print_count(*value, digits), dst, out)
                    : put_at(format + i, step, dst, out);
        i += step;
    }
    return out;
}

bool abr_marker_tells_chars(const char *format, size_t n)
{
    for (size_t i = 0; i < n; i += to_next_brace(format + i, n - i))
        if (names(format + i, n - i, "{chars}"))
            return true;
    return false;
}
