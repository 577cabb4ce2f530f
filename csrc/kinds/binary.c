/*
 * Is it text at all? A few odd bytes don't make a text binary: `find -print0` prints a NUL per name. Neither
 * does ISO 8859-1, whose letters stand next to ASCII letters.
 */
#include <string.h>

#include "kinds/binary.h"
#include "abridge.h"
#include "base/ascii.h"
#include "clean/utf16.h"
#include "kinds/magic.h"
#include "text/scan.h"
#include "text/utf8.h"

enum {
    MOST_ODD = 10, /* one byte in so many */
    LEAST_ODD = 32 /* bytes: fewer may be a damaged text, and a reader loses little by them */
};

static bool is_odd_control(unsigned char c)
{
    return c < ' ' && c != '\t' && c != '\n' && c != '\r' && c != ABR_ESC;
}

/* Is the byte at i an ISO 8859-1 letter next to an ASCII letter? */
static bool is_latin_letter(const char *p, size_t n, size_t i)
{
    enum { FIRST_CAPITAL = 0xC0, TIMES = 0xD7, DIVIDED_BY = 0xF7 };
    const unsigned char c = (unsigned char)p[i];
    return c >= FIRST_CAPITAL && c != TIMES && c != DIVIDED_BY &&
           ((i > 0 && abr_is_letter(p[i - 1])) || (i + 1 < n && abr_is_letter(p[i + 1])));
}

static bool is_odd(const char *p, size_t n)
{
    const size_t most = n / MOST_ODD >= LEAST_ODD ? n / MOST_ODD : LEAST_ODD - 1;
    size_t odd = 0;
    for (size_t i = abr_plain_run(p, n); i < n && odd <= most; i += abr_plain_run(p + i, n - i)) {
        unsigned char c = (unsigned char)p[i];
        size_t size = c < 0x80 ? 1 : abr_char_size(p + i, n - i);
        odd += c < 0x80 ? is_odd_control(c) : size == 1 && !is_latin_letter(p, n, i);
        i += size;
    }
    return odd > most;
}

bool abr_is_binary(const char *p, size_t n, bool whole, const char **type)
{
    *type = n > 0 ? abr_magic(p, n) : NULL;
    if (*type)
        return true;
    size_t judged = n < ABR_BINARY_JUDGED ? n : ABR_BINARY_JUDGED;
    if (judged < n || !whole)
        judged -= abr_open_sequence(p, judged); /* it continues past `judged` */
    return is_odd(p, judged);
}

bool abr_is_binary_uncleaned(const char *p, size_t n, bool whole)
{
    const char *type;
    return !abr_is_utf16(p, n) && abr_is_binary(p, n, whole, &type);
}

/* Print the common name of a media type: its last word, in capitals if short. Returns its bytes. */
static size_t print_name(const char *type, char *dst)
{
    enum { MOST = 96, CAPITALS = 4 };
    size_t n = 0;
    const char *name = strchr(type, '/');
    name = name ? name + 1 : type;
    if (strncmp(name, "x-", 2) == 0)
        name += 2;
    if (strncmp(name, "vnd.", 4) == 0)
        name += 4;
    for (; n < MOST && name[n] != '\0'; n++)
        dst[n] = name[n];
    for (size_t i = 0; i < n && n <= CAPITALS; i++)
        dst[i] = (char)(abr_is_lower(dst[i]) ? dst[i] - 'a' + 'A' : dst[i]);
    return n;
}

size_t abr_print_binary(const char *type, uint64_t size, char dst[ABR_BINARY_LINE_MOST])
{
    static const char before[] = "Binary output (";
    static const char unknown[] = "data";
    size_t n = sizeof before - 1;
    char printed[ABR_SIZE_MAX];
    memcpy(dst, before, n);
    if (type) {
        n += print_name(type, dst + n);
    } else {
        memcpy(dst + n, unknown, sizeof unknown - 1);
        n += sizeof unknown - 1;
    }
    dst[n++] = ',';
    dst[n++] = ' ';
    const size_t digits = abr_format_size(size, printed);
    memcpy(dst + n, printed, digits);
    n += digits;
    dst[n++] = ')';
    return n;
}
