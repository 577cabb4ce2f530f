/* The rest of a diagnostic, apart from its place: its severity, and its sentence. */
#include <string.h>

#include "line/saying.h"
#include "abridge.h"
#include "base/ascii.h"
#include "line/layout.h"
#include "line/lines.h"

enum { CODE_MOST = 64 /* bytes of a diagnostic's code */ };

const char *abr_severity_name(abr_severity severity)
{
    switch (severity) {
    case ABR_SEVERITY_ERROR:
        return "error";
    case ABR_SEVERITY_WARNING:
        return "warning";
    case ABR_SEVERITY_NOTE:
        return "note";
    case ABR_SEVERITY_NONE:
        break;
    }
    return NULL;
}

/* ---- levels ---- */

/* Bytes of the level at p. */
static size_t level_word(const char *p, size_t n, abr_severity *severity)
{
    size_t size = 0;
    const abr_level level = abr_level_at(p, n, &size);
    if (level == ABR_LEVEL_NONE)
        return 0;
    *severity = level == ABR_LEVEL_ERROR     ? ABR_SEVERITY_ERROR
                : level == ABR_LEVEL_WARNING ? ABR_SEVERITY_WARNING
                                             : ABR_SEVERITY_NOTE;
    return size;
}

/* Bytes of the code in brackets at p: "[E0308]", "(W211)". */
static size_t bracketed_code(const char *p, size_t n)
{
    if (n < 3 || (p[0] != '[' && p[0] != '('))
        return 0;
    size_t at = 1;
    while (at < n && at < CODE_MOST && (abr_is_word(p[at]) || strchr("-./+=:#", p[at])) && p[at] != '\0')
        at++;
    return at > 1 && at < n && p[at] == (p[0] == '[' ? ']' : ')') ? at + 1 : 0;
}

/* Bytes of the code at p, a word with a digit and a colon after it: " TS2322:". */
static size_t plain_code(const char *p, size_t n)
{
    size_t at = 1;
    bool has_digit = false;
    if (n < 2 || p[0] != ' ')
        return 0;
    for (; at < n && at < CODE_MOST && (abr_is_word(p[at]) || p[at] == '-'); at++)
        has_digit |= abr_is_digit(p[at]);
    return has_digit && at < n && p[at] == ':' ? at : 0;
}

size_t abr_read_severity(const char *p, size_t n, abr_severity *severity)
{
    abr_severity found = ABR_SEVERITY_NONE;
    size_t at = level_word(p, n, &found);
    if (at == 0)
        return 0;
    if (at < n && p[at] == ' ') { /* fatal error */
        const size_t more = level_word(p + at + 1, n - at - 1, &found);
        at += more > 0 ? more + 1 : 0;
    }
    size_t code = bracketed_code(p + at, n - at);
    at += code > 0 ? code : plain_code(p + at, n - at);
    const bool ends =
        at == n || p[at] == ':' || p[at] == '\t' || (p[at] == ' ' && at + 1 < n && p[at + 1] == ' ');
    if (!ends)
        return 0;
    at += at < n && p[at] == ':';
    while (at < n && (p[at] == ' ' || p[at] == '\t'))
        at++;
    *severity = found;
    return at;
}

/* ---- sentences ---- */

abr_saying abr_trim(const char *p, size_t n)
{
    size_t from = 0;
    while (from < n && (p[from] == ' ' || p[from] == '\t' || p[from] == '\r'))
        from++;
    while (n > from && (p[n - 1] == ' ' || p[n - 1] == '\t' || p[n - 1] == '\r'))
        n--;
    return (abr_saying){p + from, n - from, ABR_SEVERITY_NONE};
}

/* A code's letter may tell the severity when no word does: (W211), (E011). */
static abr_severity code_severity(const char *code)
{
    if (!abr_is_digit(code[2]))
        return ABR_SEVERITY_NONE;
    return code[1] == 'E' ? ABR_SEVERITY_ERROR : code[1] == 'W' ? ABR_SEVERITY_WARNING : ABR_SEVERITY_NONE;
}

/* Bytes of the code in brackets at the end: "[-Wunused]", "(no-console)"; one word in parentheses may be part
 * of the sentence. */
static size_t last_code(const char *p, size_t n)
{
    size_t size = 1;
    if (n < 3 || (p[n - 1] != ']' && p[n - 1] != ')'))
        return 0;
    while (size < n && size < CODE_MOST && p[n - size - 1] != ' ')
        size++;
    const char *code = p + n - size;
    const bool is_code = *code == '[' || (*code == '(' && memchr(code, '-', size));
    return size < n && is_code && bracketed_code(code, size) == size ? size : 0;
}

abr_saying abr_read_saying(const char *p, size_t n)
{
    abr_severity severity = ABR_SEVERITY_NONE;
    abr_saying said = abr_trim(p, n);
    size_t size = abr_read_severity(said.p, said.n, &severity);
    said = abr_trim(said.p + size, said.n - size);
    size = bracketed_code(said.p, said.n);
    if (size > 0 && size < said.n && said.p[size] == ' ') {
        if (severity == ABR_SEVERITY_NONE)
            severity = code_severity(said.p);
        said = abr_trim(said.p + size, said.n - size);
    }
    said = abr_trim(said.p, said.n - last_code(said.p, said.n));
    said.severity = severity;
    return said;
}

/* Does (p, n) start with a few words that end in "error", before a colon or the end: "internal compiler
 * error: "? */
static bool names_error(const char *p, size_t n)
{
    static const char named[] = "error";
    enum { NAMED = sizeof named - 1, WORDS_MOST = 32 };
    size_t at = 0;
    while (at < n && at < WORDS_MOST && (abr_is_letter(p[at]) || p[at] == ' '))
        at++;
    return at > NAMED && (at == n || p[at] == ':') && p[at - NAMED - 1] == ' ' &&
           memcmp(p + at - NAMED + 1, named + 1, NAMED - 1) == 0 && abr_to_lower(p[at - NAMED]) == 'e';
}

abr_severity abr_type_severity(const char *p, size_t n)
{
    size_t size = 0;
    while (size < n && (abr_is_word(p[size]) || p[size] == '.' || p[size] == '$'))
        size++;
    if (size > 0 && names_error(p, n))
        return ABR_SEVERITY_ERROR;
    if (size < n && p[size] != ':' && !(p[size] == ' ' && size + 1 < n && p[size + 1] == '['))
        return ABR_SEVERITY_NONE;
    if (abr_ends_with(p, size, "Error") || abr_ends_with(p, size, "Exception"))
        return ABR_SEVERITY_ERROR;
    return abr_ends_with(p, size, "Warning") ? ABR_SEVERITY_WARNING : ABR_SEVERITY_NONE;
}
