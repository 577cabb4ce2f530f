/* Omission markers: formats with {lines}, {bytes} and {chars}; any other text in braces stands for itself. */
#include <string.h>

#include "internal.h"

static size_t put(const char *from, size_t n, char *dst, size_t at)
{
    if (dst)
        memcpy(dst + at, from, n);
    return at + n;
}

static bool names(const char *p, size_t n, const char *field)
{
    size_t len = strlen(field);
    return n >= len && memcmp(p, field, len) == 0;
}

size_t abr_print_marker(const char *format, size_t n, const abr_omitted *omitted, char *dst)
{
    const struct {
        const char *name;
        uint64_t value;
    } fields[] = {{"{lines}", omitted->lines}, {"{bytes}", omitted->bytes}, {"{chars}", omitted->chars}};
    char digits[ABR_COUNT_DIGITS];
    size_t out = 0;
    for (size_t i = 0; i < n;) {
        const char *brace = memchr(format + i, '{', n - i);
        size_t step = brace ? (size_t)(brace - format) - i : n - i;
        if (step > 0)
            out = put(format + i, step, dst, out);
        for (size_t f = 0; f < sizeof fields / sizeof *fields && step == 0; f++) {
            if (names(format + i, n - i, fields[f].name)) {
                out = put(digits, abr_print_count(fields[f].value, digits), dst, out);
                step = strlen(fields[f].name);
            }
        }
        if (step == 0)
            out = put(format + i, step = 1, dst, out);
        i += step;
    }
    return out;
}

bool abr_marker_tells_chars(const char *format, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (names(format + i, n - i, "{chars}"))
            return true;
    return false;
}

uint64_t abr_head_share(uint64_t count, double head_ratio)
{
    return count == ABR_UNLIMITED ? count : (uint64_t)((double)count * head_ratio);
}
