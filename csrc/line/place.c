/*
 * A place in a line: a file, and a line of it.
 *
 * It is found by its number, which follows one of a few signs; the name is then read backwards. A name is
 * recognized by its extension or folder, since times, addresses and versions have numbers after colons, too.
 */
#include <string.h>

#include "line/place.h"
#include "abridge.h"
#include "base/ascii.h"
#include "base/private.h"
#include "line/char_set.h"
#include "line/lines.h"
#include "line/word_list.h"

enum {
    TRIED_MOST = 8,      /* numbers of a line to look at: each may read a long name */
    LNUM_DIGITS = 9,     /* most digits of a line or column: editors hold 32 bits */
    EXTENSION_MOST = 12, /* bytes: .properties */
    EXTENSION_DIGITS = 2 /* most digits at an extension's end: .mp3, .f90 */
};

/* How sure a name is by itself. */
typedef enum {
    NAME_NONE = 0,
    NAME_BARE, /* without extension: a number alone doesn't make it a place */
    NAME_SURE
} name_kind;

/* ---- names ---- */

static bool is_name_quote(char c)
{
    return c == '"' || c == '\'' || c == '`';
}

static bool is_slash(char c)
{
    return c == '/' || c == '\\';
}

static bool is_drive(const char *p, size_t n)
{
    return n > 2 && abr_is_letter(p[0]) && p[1] == ':' && is_slash(p[2]);
}

/* Is it the end of a host name? Host and port look like file and line. */
static bool is_domain(const char *extension, size_t n)
{
    static const char *const domains[] = {"com", "internal", "local", "net", "org"};
    return ABR_IS_ONE_OF(((abr_text_line){extension, n}), domains);
}

/* Bytes of the extension of a name without folder; 0 if it has none. */
static size_t extension_size(const char *p, size_t n)
{
    size_t size = 0;
    while (size < n && size <= EXTENSION_MOST && (abr_is_word(p[n - size - 1]) || p[n - size - 1] == '+'))
        size++;
    const bool ends = size > 0 && size <= EXTENSION_MOST && size < n && p[n - size - 1] == '.';
    return ends && abr_is_letter(p[n - size]) ? size : 0;
}

/* Are all bytes such that a name may have them? */
static bool has_odd_bytes(const char *p, size_t n)
{
    enum { URL = 7 };
    size_t at = abr_starts_with(p, n, "file://") && n > URL + 1 ? URL : is_drive(p, n) ? 2 : 0;
    bool in_folder = false;
    for (; at < n; at++) {
        in_folder |= is_slash(p[at]);
        if ((unsigned char)p[at] < ' ' || strchr(":<>|*?", p[at]) ||
            ((p[at] == '=' || p[at] == '@') && !in_folder))
            return true;
    }
    return false;
}

static name_kind name_kind_of(const char *p, size_t n)
{
    if (n == 0 || n > ABR_LOCATION_MOST || p[0] == '-' || has_odd_bytes(p, n))
        return NAME_NONE;
    size_t base = n;
    while (base > 0 && !is_slash(p[base - 1]))
        base--;
    const size_t extension = extension_size(p + base, n - base);
    if (extension > 0)
        return base > 0 || !is_domain(p + n - extension, extension) ? NAME_SURE : NAME_NONE;
    size_t letters = base;
    while (letters < n && !abr_is_letter(p[letters]))
        letters++;
    const bool named = n - base > 4 && abr_ends_with(p, n, "file"); /* Makefile, Dockerfile */
    return (base > 0 && letters < n) || (named && abr_is_letter(p[0])) ? NAME_BARE : NAME_NONE;
}

bool abr_is_file_name(const char *p, size_t n)
{
    const bool absolute = n > 0 && (p[0] == '/' || is_drive(p, n));
    if (!absolute && memchr(p, ' ', n))
        return false;
    return n > 0 && p[n - 1] != ' ' && name_kind_of(p, n) == NAME_SURE;
}

/* Start of the unquoted name that ends at `end`: brackets that it closes are its own. */
ABR_WRAPS static size_t plain_name_start(const char *p, size_t from, size_t end)
{
    size_t at = end;
    for (size_t open = 0; at > from && end - at <= ABR_LOCATION_MOST; at--) {
        const char c = p[at - 1];
        if ((unsigned char)c <= ' ' || is_name_quote(c) || strchr("<>|,;{}", c))
            break;
        if (c == ')' || c == ']')
            open++;
        else if ((c == '(' || c == '[') && open-- == 0)
            break;
    }
    return at;
}

/* Read the name that ends at `end`. */
static name_kind read_file_name(const char *p, size_t from, size_t end, abr_file_place *place)
{
    if (!is_name_quote(p[end - 1])) {
        place->start = place->file = plain_name_start(p, from, end);
        place->file_n = end - place->file;
        return name_kind_of(p + place->file, place->file_n);
    }
    size_t at = end - 1;
    while (at > from && p[at - 1] != p[end - 1] && end - at <= ABR_LOCATION_MOST + 1)
        at--;
    if (at == from || p[at - 1] != p[end - 1])
        return NAME_NONE;
    place->start = at - 1;
    place->file = at;
    place->file_n = end - 1 - at;
    const name_kind kind = name_kind_of(p + at, place->file_n);
    const bool is_sure = place->before == 'l' && kind != NAME_NONE;
    return is_sure ? NAME_SURE : kind == NAME_NONE ? NAME_NONE : NAME_BARE; /* "a.b":12 may be JSON */
}

/* ---- numbers ---- */

size_t abr_read_lnum(const char *p, size_t n, size_t at, uint64_t *value)
{
    size_t size = 0;
    uint64_t number = 0;
    for (; at + size < n && abr_is_digit(p[at + size]); size++) {
        if (size == LNUM_DIGITS)
            return 0;
        number = 10 * number + (uint64_t)(p[at + size] - '0');
    }
    *value = number;
    return size;
}

/* May the byte follow a place? */
static bool may_follow(const char *p, size_t n, size_t at)
{
    if (at == n)
        return true;
    if (p[at] == '.' || p[at] == '-' || p[at] == ':')
        return at + 1 == n || p[at] != '.' || !abr_is_word(p[at + 1]);
    return !abr_is_word(p[at]) && p[at] != '/' && p[at] != '\\' && p[at] != '%' && p[at] != '@';
}

/* name:12, name:12:5, and name:12.5-8 of bison. */
static bool read_after_colon(const char *p, size_t n, size_t at, name_kind kind, abr_file_place *place)
{
    uint64_t col = 0;
    at += abr_read_lnum(p, n, at, &place->lnum);
    const bool has_sign = at + 1 < n && (p[at] == ':' || p[at] == '.') && abr_is_digit(p[at + 1]);
    const size_t size = has_sign ? abr_read_lnum(p, n, at + 1, &col) : 0;
    const size_t end = at + 1 + size;
    const bool is_range = size > 0 && end + 1 < n && p[end] == '-' && abr_is_digit(p[end + 1]);
    if (size > 0 && may_follow(p, n, end) && (p[at] == ':' || is_range)) {
        place->col = col;
        place->end = is_range ? abr_past((abr_text_line){p, n}, end, ABR_SET("0123456789-.")) : end;
        return true;
    }
    place->end = at;
    return at < n && p[at] == ':' ? true : kind == NAME_SURE && may_follow(p, n, at);
}

/* name(12), name(12,5), name(12,5-9), name:[12,5] */
static bool read_in_brackets(const char *p, size_t n, size_t at, abr_file_place *place)
{
    const char close = place->before == '(' ? ')' : ']';
    at += abr_read_lnum(p, n, at, &place->lnum);
    if (at + 1 < n && (p[at] == ',' || p[at] == ':')) {
        at = abr_past((abr_text_line){p, n}, at + 1, ABR_SET(" "));
        at += abr_read_lnum(p, n, at, &place->col);
    }
    at = abr_past((abr_text_line){p, n}, at, ABR_SET("0123456789,-"));
    place->end = at + 1;
    return at < n && p[at] == close;
}

/* name, line 12, column 5 */
static bool read_after_word(const char *p, size_t n, size_t at, abr_file_place *place)
{
    enum { COLUMN = 9 };
    at += abr_read_lnum(p, n, at, &place->lnum);
    if (n - at > COLUMN && abr_starts_with(p + at, n - at, ", column "))
        at += COLUMN + abr_read_lnum(p, n, at + COLUMN, &place->col);
    place->end = at;
    return may_follow(p, n, at);
}

/* ---- places ---- */

/* May a name with an extension end at `end`? Times and most other numbers do not get past this. */
static bool may_end_name(const char *p, size_t end)
{
    size_t at = end;
    while (at > 0 && end - at < EXTENSION_DIGITS && abr_is_digit(p[at - 1]))
        at--;
    return at > 0 && (abr_is_letter(p[at - 1]) ||
                      (at == end && (is_name_quote(p[at - 1]) || p[at - 1] == '+' || p[at - 1] == '_' ||
                                     (unsigned char)p[at - 1] >= 0x80)));
}

/* The sign before the number at `at`, as in abr_file_place.before, and the end of the name; '\0': not a
 * place. */
static char sign_before(const char *p, size_t at, size_t *end)
{
    enum { LINE = 5 };
    const char c = p[at - 1];
    if (c == ':' || c == '(') {
        *end = at - 1;
        return (char)(may_end_name(p, *end) ? c : '\0');
    }
    if (c == '[') {
        *end = at > 2 ? at - 2 : 0;
        return (char)(at > 2 && p[at - 2] == ':' && may_end_name(p, *end) ? c : '\0');
    }
    if (c != ' ')
        return '\0';
    if (at > 3 && p[at - 2] == '@' && p[at - 3] == ' ') {
        *end = at - 3;
        return '@';
    }
    if (at <= LINE + 2 || !abr_ends_with(p, at, " line "))
        return '\0';
    *end = at - LINE - 1;
    if (*end > 3 && abr_ends_with(p, *end, " on"))
        *end -= 3;
    else if (p[*end - 1] == ',' || p[*end - 1] == ':')
        --*end;
    return (char)(*end > 0 ? 'l' : '\0');
}

static bool read_file_place(const char *p, size_t n, size_t from, size_t at, size_t end,
                            abr_file_place *place)
{
    if (end <= from)
        return false;
    place->lnum = place->col = 0;
    const name_kind kind = read_file_name(p, from, end, place);
    if (kind == NAME_NONE || (kind == NAME_BARE && (place->before == '(' || place->before == '@')))
        return false;
    const bool read = place->before == ':'                           ? read_after_colon(p, n, at, kind, place)
                      : place->before == '(' || place->before == '[' ? read_in_brackets(p, n, at, place)
                                                                     : read_after_word(p, n, at, place);
    return read && place->lnum > 0;
}

bool abr_find_place(const char *p, size_t n, size_t from, abr_file_place *place)
{
    for (size_t at = from + 1; at < n; at++) {
        size_t end;
        if (!abr_is_digit(p[at]) || !(place->before = sign_before(p, at, &end)))
            continue;
        if (place->tried++ == TRIED_MOST)
            return false;
        if (read_file_place(p, n, from, at, end, place))
            return true;
    }
    return false;
}

bool abr_may_have_place(const char *p, size_t n)
{
    size_t end;
    for (size_t at = 1; at < n; at++)
        if (abr_is_digit(p[at]) && !abr_is_digit(p[at - 1]) && sign_before(p, at, &end))
            return true;
    return false;
}
