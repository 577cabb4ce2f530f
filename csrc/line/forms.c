/* Forms of lines that more than one judge asks for. */
#include <string.h>

#include "line/forms.h"
#include "abridge.h"
#include "base/ascii.h"

static bool is_among(char c, const char *set)
{
    return c != '\0' && strchr(set, c);
}

bool abr_is_mode_row(const char *p, size_t n)
{
    enum { NUMBERS = 2, MODE = 10, LEAST = 7 /* of a mode that is cut off */ };
    size_t at = 0;
    if (n <= MODE)
        return false;
    for (size_t numbers = 0; numbers < NUMBERS && at < n && abr_is_digit(p[at]); numbers++) {
        while (at < n && (abr_is_digit(p[at]) || p[at] == '.'))
            at++;
        while (at < n && is_among(p[at], " \t"))
            at++;
    }
    if (n - at <= MODE || !is_among(p[at], "-dlbcpsh"))
        return false;
    size_t end = at + 1;
    while (end < n && is_among(p[end], "-rwxsStT"))
        end++;
    const bool is_rule = memcmp(p + at, "---", 3) == 0 && p[end - 1] == '-' && end - at > MODE;
    return end - at >= LEAST && end < n && is_among(p[end], " +.") && !is_rule;
}

/* Types of the convention that most projects follow; `labels`: programs label their output so, too. */
static const struct {
    char name[10];
    bool labels;
} subject_types[] = {{"build", true},     {"chore", false},  {"ci", true},    {"deps", false},
                     {"docs", false},     {"feat", false},   {"fix", false},  {"perf", false},
                     {"refactor", false}, {"revert", false}, {"style", true}, {"test", true},
                     {"tests", true}};

abr_subject abr_commit_subject(const char *p, size_t n)
{
    size_t size = 0;
    while (size < n && abr_is_letter(p[size]))
        size++;
    for (size_t i = 0; i < sizeof subject_types / sizeof *subject_types; i++) {
        const char *name = subject_types[i].name;
        if (size == 0 || abr_to_lower(*p) != *name || size != strlen(name) ||
            memcmp(p + 1, name + 1, size - 1) != 0)
            continue;
        size_t end = size;
        const bool scoped = end < n && p[end] == '(';
        while (scoped && end < n && p[end] != ')')
            end++;
        end += scoped && end < n;
        end += end < n && p[end] == '!';
        if (n - end < 2 || p[end] != ':' || p[end + 1] != ' ')
            return ABR_SUBJECT_NONE;
        return subject_types[i].labels && !scoped ? ABR_SUBJECT_MAYBE : ABR_SUBJECT_SURE;
    }
    return ABR_SUBJECT_NONE;
}
