/* The rest of a diagnostic, apart from its place: its severity, and its sentence. */
#include <string.h>

#include "line/saying.h"
#include "abridge.h"
#include "base/ascii.h"
#include "line/char_set.h"
#include "line/layout.h"
#include "line/lines.h"

enum { CODE_MOST = 64 /* bytes of a diagnostic's code */ };

const char *abr_severity_name(abr_severity severity)
{
    static const char *const names[] = {NULL, "error", "warning", "note"};
    return names[severity];
}

/* ---- levels ---- */

abr_severity abr_severity_of(abr_level level)
{
    return level == ABR_LEVEL_ERROR     ? ABR_SEVERITY_ERROR
           : level == ABR_LEVEL_WARNING ? ABR_SEVERITY_WARNING
           : level == ABR_LEVEL_NONE    ? ABR_SEVERITY_NONE
                                        : ABR_SEVERITY_NOTE;
}

/* Bytes of the level at p. */
static size_t level_word(const char *p, size_t n, abr_severity *severity)
{
    size_t size = 0;
    const abr_level level = abr_level_at(p, n, &size);
    if (level == ABR_LEVEL_NONE)
        return 0;
    *severity = abr_severity_of(level);
    return size;
}

/* Bytes of the code in brackets at p: "[E0308]", "(W211)". */
static size_t bracketed_code(const char *p, size_t n)
{
    if (n < 3 || (p[0] != '[' && p[0] != '('))
        return 0;
    const size_t most = n < CODE_MOST ? n : (size_t)CODE_MOST;
    const size_t at = abr_past((abr_text_line){p, most}, 1, abr_joined(ABR_WORD_CHARS, ABR_SET("-./+=:#")));
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
    *severity = found;
    return abr_past((abr_text_line){p, n}, at, ABR_SET(" \t"));
}

/* ---- sentences ---- */

abr_saying abr_trim(const char *p, size_t n)
{
    const abr_char_set blanks = ABR_SET(" \t\r");
    const size_t from = abr_past((abr_text_line){p, n}, 0, blanks);
    return (abr_saying){p + from, abr_back(p + from, n - from, blanks), ABR_SEVERITY_NONE};
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
    enum { WORDS_MOST = 32 };
    const size_t at = abr_past((abr_text_line){p, n}, 0, abr_joined(ABR_LETTERS, ABR_SET(" ")));
    return at <= WORDS_MOST && (at == n || p[at] == ':') &&
           (abr_ends_with(p, at, " error") || abr_ends_with(p, at, " Error"));
}

abr_severity abr_type_severity(const char *p, size_t n)
{
    const size_t size = abr_past((abr_text_line){p, n}, 0, abr_joined(ABR_WORD_CHARS, ABR_SET(".$")));
    if (size > 0 && names_error(p, n))
        return ABR_SEVERITY_ERROR;
    if (size < n && p[size] != ':' && !(p[size] == ' ' && size + 1 < n && p[size + 1] == '['))
        return ABR_SEVERITY_NONE;
    if (abr_ends_with(p, size, "Error") || abr_ends_with(p, size, "Exception"))
        return ABR_SEVERITY_ERROR;
    return abr_ends_with(p, size, "Warning") ? ABR_SEVERITY_WARNING : ABR_SEVERITY_NONE;
}
