/*
 * Is it text at all? A few odd bytes do not make a text binary: `find -print0` has a NUL a name.
 */
#include "kinds/binary.h"
#include "abridge.h"
#include "kinds/magic.h"
#include "text/scan.h"
#include "text/utf8.h"

enum {
    JUDGED = 8192,
    MOST_ODD = 10, /* one byte in so many */
    ESC = 0x1B,
    DEL = 0x7F
};

static bool is_odd_control(unsigned char c)
{
    return c < ' ' && c != '\t' && c != '\n' && c != '\r' && c != ESC;
}

static size_t odd_bytes(const char *p, size_t n)
{
    size_t odd = 0;
    for (size_t i = 0; i < n;) {
        unsigned char c = (unsigned char)p[i];
        size_t size = c < 0x80 ? 1 : abr_char_size(p + i, n - i);
        odd += c < 0x80 ? is_odd_control(c) : size == 1;
        i += size;
    }
    return odd;
}

bool abr_is_binary(const char *p, size_t n, bool whole, const char **type)
{
    *type = n > 0 ? abr_magic(p, n) : NULL;
    if (*type)
        return true;
    size_t judged = n < JUDGED ? n : JUDGED;
    if (judged < n || !whole)
        judged -= abr_open_sequence(p, judged); /* which goes on after it */
    return odd_bytes(p, judged) > judged / MOST_ODD;
}
