/* Omission markers: formats with {lines}, {bytes} and {chars}; any other text in braces stands for itself. */
#include <string.h>

#include "internal.h"

static size_t put(const char *from, size_t n, char *dst, size_t at)
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

/* Bytes up to the brace behind the first one, or up to the end. */
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
        out =
            value ? put(digits, abr_print_count(*value, digits), dst, out) : put(format + i, step, dst, out);
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

uint64_t abr_head_share(uint64_t count, double head_ratio)
{
    return count == ABR_UNLIMITED ? count : (uint64_t)((double)count * head_ratio);
}
