/* The chars of a JSON string. */
#include <string.h>

#include "kinds/json/json_string.h"
#include "base/ascii.h"
#include "kinds/json/json_text.h"
#include "line/words.h"
#include "text/base64.h"
#include "text/utf8.h"

enum {
    PAIR = 12,
    SCHEME_READ = 64, /* bytes of a data URL without a blank */
    DOTS_LEAST = 3,
    DOTS_MOST = DOTS_LEAST + 63
};

static unsigned hex_value(char c)
{
    return c <= '9' ? (unsigned)(c - '0') : (unsigned)((c | ' ') - 'a') + 10;
}

/* The code unit of \uXXXX. */
static unsigned unit_at(const char *p)
{
    unsigned unit = 0;
    for (size_t i = 2; i < ABR_JSON_ESCAPE; i++)
        unit = unit << 4 | hex_value(p[i]);
    return unit;
}

/* ---- counting ---- */

static void count_unit(abr_json_chars *c, unsigned unit)
{
    const bool second = c->high && abr_is_low_surrogate(unit);
    c->chars += !second;
    c->high = !second && abr_is_high_surrogate(unit);
}

/* Count one byte of an escape. */
static void count_escape(abr_json_chars *c, char byte)
{
    if (c->escaped) {
        c->escaped = false;
        c->left = byte == 'u' ? 4 : 0;
        c->unit = 0;
        c->chars += (uint64_t)(byte != 'u');
        c->high = c->high && byte == 'u';
        return;
    }
    c->unit = (uint16_t)((unsigned)c->unit << 4 | hex_value(byte));
    if (--c->left == 0)
        count_unit(c, c->unit);
}

static uint64_t count_starts(const char *p, size_t n)
{
    uint64_t count = 0;
    for (size_t i = 0; i < n; i++)
        count += !abr_is_continuation((unsigned char)p[i]);
    return count;
}

void abr_json_count_chars(abr_json_chars *c, const char *p, size_t n)
{
    for (size_t i = 0; i < n;) {
        if (c->escaped || c->left > 0) {
            count_escape(c, p[i++]);
            continue;
        }
        const size_t plain_end = abr_json_plain_end(p, n, i);
        if (plain_end > i) {
            c->chars += plain_end - i;
            c->high = false;
            i = plain_end;
            continue;
        }
        if (p[i] == '\\' && n - i > 1 && p[i + 1] != 'u') {
            c->chars++;
            c->high = false;
            i += 2;
            continue;
        }
        if (p[i] == '\\' && n - i >= ABR_JSON_ESCAPE) {
            count_unit(c, unit_at(p + i));
            i += ABR_JSON_ESCAPE;
            continue;
        }
        if (p[i] == '\\') {
            c->escaped = true;
            i++;
            continue;
        }
        const char *escape = memchr(p + i, '\\', n - i);
        const size_t end = escape ? (size_t)(escape - p) : n;
        c->chars += count_starts(p + i, end - i);
        c->high = false;
        i = end;
    }
}

uint64_t abr_json_char_count(const char *p, size_t n)
{
    abr_json_chars counter = {0};
    abr_json_count_chars(&counter, p, n);
    return counter.chars;
}

/* ---- places ---- */

size_t abr_json_char_size(const char *p, size_t n)
{
    if (*p != '\\')
        return (unsigned char)*p < 0x80 ? 1 : abr_char_size(p, n);
    if (n < 2 || p[1] != 'u')
        return 2;
    if (n < PAIR || p[ABR_JSON_ESCAPE] != '\\' || p[ABR_JSON_ESCAPE + 1] != 'u' ||
        !abr_is_high_surrogate(unit_at(p)) || !abr_is_low_surrogate(unit_at(p + ABR_JSON_ESCAPE)))
        return ABR_JSON_ESCAPE;
    return PAIR;
}

size_t abr_json_sure_place(const char *p, size_t n, size_t from)
{
    size_t plain = 0;
    for (size_t i = 0; i < n; i++) {
        if (i >= from && plain >= PAIR && !abr_is_continuation((unsigned char)p[i]))
            return i;
        plain = p[i] == '\\' ? 0 : plain + 1;
    }
    return n;
}

/* Is the backslash at p the start of a complete escape? */
static bool is_escape(const char *p, size_t n)
{
    if (n < 2 || p[1] != 'u')
        return n >= 2;
    for (size_t i = 2; i < ABR_JSON_ESCAPE; i++)
        if (i >= n || !abr_is_hex(p[i]))
            return false;
    return true;
}

size_t abr_json_whole_char(const char *p, size_t n)
{
    if (*p != '\\')
        return abr_json_char_size(p, n);
    if (!is_escape(p, n))
        return 0;
    const bool may_go_on = p[1] == 'u' && n < PAIR && abr_is_high_surrogate(unit_at(p));
    return may_go_on ? 0 : abr_json_char_size(p, n);
}

/* ---- data ---- */

bool abr_json_is_data(const char *p, size_t n)
{
    static const char scheme[] = "data:";
    if (n <= ABR_JSON_DATA_LEAST)
        return false;
    if (n > ABR_JSON_DATA_READ)
        n = ABR_JSON_DATA_READ;
    if (memcmp(p, scheme, sizeof scheme - 1) == 0)
        return memchr(p, ',', n) != NULL && memchr(p, ' ', n < SCHEME_READ ? n : SCHEME_READ) == NULL;
    for (size_t i = 0; i < n; i++) {
        if (abr_is_base64(p[i]))
            continue;
        if (p[i] != '\\' || (i + 1 < n && p[i + 1] != 'n' && p[i + 1] != 'r' && p[i + 1] != '/'))
            return false;
        i++;
    }
    return true;
}

bool abr_json_has_data(const char *p, size_t n)
{
    const char *quote = n > ABR_JSON_DATA_LEAST ? memchr(p, '"', n) : NULL;
    for (size_t i = 0; quote; quote = memchr(p + i, '"', n - i)) {
        i = abr_json_string_end(p, n, (size_t)(quote - p));
        if (abr_json_is_data(quote + 1, (size_t)(p + i - quote) - ABR_JSON_QUOTES))
            return true;
    }
    return false;
}

/* ---- decoding ---- */

static char named_char(char name)
{
    return (char)(name == 'n'   ? '\n'
                  : name == 't' ? '\t'
                  : name == 'r' ? '\r'
                  : name == 'b' ? '\b'
                  : name == 'f' ? '\f'
                                : name);
}

static size_t decode_escape(const char *p, size_t n, char *dst)
{
    if (p[1] != 'u') {
        dst[0] = named_char(p[1]);
        return 1;
    }
    uint32_t c = unit_at(p);
    if (n == PAIR)
        c = abr_join_surrogates(c, unit_at(p + ABR_JSON_ESCAPE));
    else if (abr_is_high_surrogate(c) || abr_is_low_surrogate(c))
        c = 0xFFFD;
    return abr_put_char(c, dst);
}

size_t abr_json_decode(const char *p, size_t n, char *dst)
{
    size_t used = 0;
    for (size_t i = 0; i < n;) {
        if (p[i] == '\\' && is_escape(p + i, n - i)) {
            const size_t size = abr_json_char_size(p + i, n - i);
            used += decode_escape(p + i, size, dst + used);
            i += size;
            continue;
        }
        const char *next = memchr(p + i + 1, '\\', n - i - 1);
        const size_t size = (next ? (size_t)(next - p) : n) - i;
        memmove(dst + used, p + i, size);
        used += size;
        i += size;
    }
    return used;
}

size_t abr_json_decode_line(const char *p, size_t n, char *dst)
{
    size_t used = abr_json_decode(p, n, dst);
    used -= used > 0 && dst[used - 1] == '\n';
    used -= used > 0 && dst[used - 1] == '\r';
    memset(dst + used, 0, ABR_PADDING);
    return used;
}

size_t abr_json_place_of(const char *p, size_t n, size_t place)
{
    char decoded[ABR_JSON_DECODED_MOST];
    size_t i = 0;
    while (i < n) {
        const size_t size = abr_json_char_size(p + i, n - i);
        if (size > n - i)
            break;
        const size_t used = abr_json_decode(p + i, size, decoded);
        if (used > place)
            break;
        place -= used;
        i += size;
    }
    return i;
}

uint64_t abr_json_dots(const char *p)
{
    static const char dot[] = "\\u002";
    size_t dots = 0;
    for (p++; *p != '"'; dots++) {
        if (*p == '.')
            p++;
        else if (strncmp(p, dot, sizeof dot - 1) == 0 && (p[5] | ' ') == 'e')
            p += ABR_JSON_ESCAPE;
        else
            return 0;
    }
    return dots < DOTS_LEAST || dots > DOTS_MOST ? 0 : UINT64_C(1) << (dots - DOTS_LEAST);
}
