/* Numbers in decimal, and sizes as people write them. */
#include <stdint.h>
#include <string.h>

#include "base/size.h"
#include "abridge.h"
#include "base/ascii.h"
#include "base/private.h"

static const char *const units[] = {"B", "KB", "MB", "GB", "TB", "PB"};

#define UNIT_COUNT (sizeof units / sizeof *units)
#define UNIT_STEP UINT64_C(1024)

/* Two digits at a time, each pair into its place. */
ABR_WRAPS size_t abr_print_count(uint64_t value, char dst[ABR_COUNT_DIGITS])
{
    static const char pairs[] = "00010203040506070809101112131415161718192021222324"
                                "25262728293031323334353637383940414243444546474849"
                                "50515253545556575859606162636465666768697071727374"
                                "75767778798081828384858687888990919293949596979899";
    size_t n = 1;
    for (uint64_t most = 9; value > most && n < ABR_COUNT_DIGITS; n++)
        most = most * 10 + 9;
    size_t i = n;
    for (; i >= 2; value /= 100)
        memcpy(dst + (i -= 2), pairs + 2 * (value % 100), 2);
    if (i > 0)
        dst[0] = (char)('0' + value);
    return n;
}

size_t abr_format_size(uint64_t n, char dst[ABR_SIZE_MAX])
{
    size_t unit = 0;
    uint64_t scale = 1;
    uint64_t tenths = n * 10;
    while (tenths >= UNIT_STEP * 10 && unit + 1 < UNIT_COUNT) {
        scale *= UNIT_STEP;
        unit++;
        /* half a tenth is scale / 20 of a byte count; in whole numbers n * 20 / scale, plus one, halved */
        tenths = (n / scale) * 10 + ((n % scale) * 20 / scale + 1) / 2;
    }
    char digits[ABR_COUNT_DIGITS];
    size_t len = abr_print_count(tenths / 10, digits);
    memcpy(dst, digits, len);
    if (tenths % 10 != 0) {
        dst[len++] = '.';
        dst[len++] = (char)('0' + tenths % 10);
    }
    size_t name = strlen(units[unit]);
    memcpy(dst + len, units[unit], name + 1);
    return len + name;
}

/* The scale of a unit's name ("", "B", "kb"), or 0. */
static uint64_t unit_scale(const char *p, size_t n)
{
    uint64_t scale = 1;
    for (size_t unit = 0; unit < UNIT_COUNT; unit++, scale *= UNIT_STEP) {
        size_t i = 0;
        while (i < n && units[unit][i] != '\0' &&
               (p[i] == units[unit][i] || p[i] == units[unit][i] + ('a' - 'A')))
            i++;
        if (i == n && units[unit][i] == '\0')
            return scale;
    }
    return n == 0 ? 1 : 0;
}

#define FRACTION_DIGITS 6 /* more cannot matter to a size in practice and would overflow */

bool abr_parse_size(const char *p, size_t n, uint64_t *size)
{
    size_t i = 0;
    uint64_t whole = 0;
    for (; i < n && abr_is_digit(p[i]); i++) {
        whole = whole * 10 + (uint64_t)(p[i] - '0');
        if (whole > ABR_COUNT_MAX)
            return false;
    }
    if (i == 0)
        return false;
    uint64_t fraction = 0;
    uint64_t divisor = 1;
    if (i < n && p[i] == '.') {
        size_t first = ++i;
        for (; i < n && abr_is_digit(p[i]); i++) {
            if (i - first == FRACTION_DIGITS)
                return false;
            fraction = fraction * 10 + (uint64_t)(p[i] - '0');
            divisor *= 10;
        }
        if (i == first)
            return false;
    }
    if (i + 1 < n && p[i] == ' ')
        i++;
    uint64_t scale = unit_scale(p + i, n - i);
    if (scale == 0 || whole > ABR_COUNT_MAX / scale)
        return false;
    /* the fraction of a large unit in two steps: scale is at most 2^50, fraction below 10^6 */
    uint64_t part = scale / divisor * fraction + scale % divisor * fraction / divisor;
    *size = whole * scale + part;
    return *size <= ABR_COUNT_MAX;
}
