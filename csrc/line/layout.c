/*
 * How a line is laid out.
 *
 * A logger's prefix is not part of the message: a time, a level, the name of a service. The tool's own text
 * starts after it, and its indent counts from there.
 */
#include <string.h>

#include "line/layout.h"
#include "abridge.h"
#include "base/ascii.h"
#include "base/word.h"
#include "line/char_set.h"
#include "line/escape.h"
#include "line/rule.h"

enum {
    STAMP_MOST = 40,
    TIME_LEAST = 8,
    CI_TIME = 29,
    SYSLOG_TIME = 16,
    JOB_MOST = 64,
    PREFIXES = 4, /* in a row: a time, a level, ... */
    RULE_LEAST = 4
};

/* ---- times ---- */

/* A digit, or one of : - . , / + T Z, most of which come next to digits in ASCII. */
static inline bool is_of_stamp(char c)
{
    return (c >= '+' && c <= ':') || c == 'T' || c == 'Z';
}

/* Are eight bytes all from '+' to ':'? */
static inline bool are_of_stamp(const char *p)
{
    return abr_bytes_in(abr_load_word(p), '+', ':') == UINT64_C(0x8080808080808080);
}

/* Does the line start with a time as CI services write it, "2026-03-01T10:00:00.0000000Z "? */
static bool has_ci_time(const char *p, size_t n)
{
    return n > CI_TIME && p[CI_TIME - 1] == ' ' && p[CI_TIME - 2] == 'Z' && p[10] == 'T' && p[4] == '-' &&
           abr_is_digit(p[5]) && p[13] == ':' && abr_is_digit(p[14]) && are_of_stamp(p) &&
           are_of_stamp(p + 2) && are_of_stamp(p + 11) && are_of_stamp(p + 19);
}

/* Does the line start with a time as syslog writes it, "Nov  7 10:03:01 "? */
static bool has_syslog_time(const char *p, size_t n)
{
    return n > SYSLOG_TIME && p[3] == ' ' && p[6] == ' ' && p[9] == ':' && p[12] == ':' &&
           p[SYSLOG_TIME - 1] == ' ' && abr_is_digit(p[5]) && abr_is_digit(p[8]) && abr_is_digit(p[14]);
}

/* Bytes of that time, a host and a program, "Nov  7 10:03:01 web sshd[812]: ". */
static size_t syslog_size(const char *p, size_t n)
{
    size_t at = SYSLOG_TIME;
    for (unsigned words = 0; words < 2; words++) {
        while (at < n && at < JOB_MOST && p[at] > ' ')
            at++;
        if (at == n || p[at] != ' ')
            return SYSLOG_TIME;
        at++;
    }
    return p[at - 2] == ':' ? at : SYSLOG_TIME;
}

/* May it be a time or date in digits, perhaps in brackets? Most brackets are steps of a build. */
static inline bool may_be_time(const char *p, size_t n)
{
    if (n <= TIME_LEAST || *p != '[')
        return n > TIME_LEAST && abr_is_digit(*p);
    return abr_is_digit(p[1]) && (p[3] == ':' || p[5] == '-' || p[5] == '/');
}

/* Bytes of one time or date. */
static size_t time_size(const char *p, size_t n)
{
    const size_t bracket = *p == '[';
    size_t i = bracket;
    unsigned marks = 0;
    if (has_ci_time(p, n))
        return CI_TIME;
    const size_t most = n < STAMP_MOST ? n : STAMP_MOST;
    for (; i < most && (is_of_stamp(p[i]) || (bracket && p[i] == ' ')); i++)
        marks += i > 0 && abr_is_digit(p[i]) && (p[i - 1] == ':' || p[i - 1] == '-' || p[i - 1] == '/');
    if (bracket && (i == n || p[i++] != ']'))
        return 0;
    return marks >= 2 && i >= TIME_LEAST && i < n && p[i] == ' ' ? i + 1 : 0;
}

/* Bytes of times and dates, one after another. */
static size_t times_size(const char *p, size_t n)
{
    enum { MOST = 4 }; /* that of a CI service, a date, a time, and one more */
    size_t at = 0;
    for (size_t size = 1, i = 0; size > 0 && i < MOST && may_be_time(p + at, n - at); i++)
        at += size = time_size(p + at, n - at);
    return at;
}

/* Bytes of the names of a job and a step before the time, as `gh run view --log` prints them. */
static size_t job_size(const char *p, size_t n)
{
    size_t at = 0;
    for (unsigned names = 0; names < 2; names++) {
        const char *tab = memchr(p + at, '\t', n - at < JOB_MOST ? n - at : JOB_MOST);
        if (!tab)
            return 0;
        at = (size_t)(tab - p) + 1;
    }
    const size_t stamp = times_size(p + at, n - at);
    return stamp > 0 ? at + stamp : 0;
}

/* Bytes of the time and date at a line's start, with the blank after them; 0 if there are none. */
static size_t stamp_size(const char *p, size_t n)
{
    if (n == 0)
        return 0;
    if (!abr_is_letter(*p))
        return may_be_time(p, n) ? times_size(p, n) : 0;
    const size_t named = has_syslog_time(p, n) ? syslog_size(p, n) : job_size(p, n);
    return named > 0 ? named + times_size(p + named, n - named) : 0;
}

/* ---- sources ---- */

/* Is it the name of a service or a task, and no level? */
static bool is_source_name(const char *p, size_t n)
{
    size_t level = 0;
    return abr_past((abr_text_line){p, n}, 0, abr_joined(ABR_WORD_CHARS, ABR_SET("@./-:#"))) == n &&
           abr_level_at(p, n, &level) == ABR_LEVEL_NONE;
}

/* Bytes of fields with a bar after them, as the log of Ansible has them, "p=812 u=shop n=ansible | ". */
static size_t fields_size(const char *p, size_t n)
{
    const abr_text_line start = {p, n < STAMP_MOST ? n : (size_t)STAMP_MOST};
    size_t at = 0;
    for (bool is_field = true; is_field;) {
        const size_t from = at;
        at = abr_past(start, at, abr_joined(ABR_WORD_CHARS, ABR_SET("@./-")));
        is_field = at > from && at < n && p[at] == '=';
        while (is_field && at < start.n && p[at] > ' ')
            at++;
        if (!is_field || at == n || p[at] != ' ')
            return 0;
        at++;
        if (at + 1 < n && p[at] == '|' && p[at + 1] == ' ')
            return at + 2;
    }
    return 0;
}

/* Bytes of a service's name with a bar, as docker compose, foreman and honcho print them, "web-1  | "; or of
 * the names of a package and a task, as turbo and nx print them, "@shop/web:test: ". */
static size_t named_size(const char *p, size_t n)
{
    const char *blank = memchr(p, ' ', n < STAMP_MOST ? n : STAMP_MOST);
    const size_t name = blank ? (size_t)(blank - p) : 0;
    if (name < 2)
        return 0;
    if (p[name - 1] == ':') {
        const char *colon = memchr(p, ':', name - 1);
        return colon && abr_is_letter(colon[1]) && is_source_name(p, name) ? name + 1 : 0;
    }
    const size_t bar = abr_past((abr_text_line){p, n}, name, ABR_SET(" "));
    if (bar == n || bar > STAMP_MOST || p[bar] != '|' || (bar + 1 < n && p[bar + 1] != ' ') ||
        !is_source_name(p, name))
        return 0;
    return bar + 1 < n ? bar + 2 : n;
}

/* Do a colon and a number end the name? */
static bool ends_with_number(const char *p, size_t n)
{
    const size_t i = abr_back(p, n, ABR_DIGITS);
    return i < n && i > 0 && p[i - 1] == ':';
}

/* Bytes of the name of a process among many, as torchrun prints it, "[rank0]: ", after which what the process
 * writes itself may follow at once; or of a step and the number of its line, as drone prints them,
 * "[build:28] ". */
static size_t bracketed_size(const char *p, size_t n)
{
    const char *end = n > 1 && abr_is_lower(p[1]) ? memchr(p, ']', n < STAMP_MOST ? n : STAMP_MOST) : NULL;
    const size_t name = end ? (size_t)(end - p) : 0;
    if (name == 0 || name + 2 >= n || !is_source_name(p + 1, name - 1))
        return 0;
    if (p[name + 1] == ' ')
        return ends_with_number(p, name) ? name + 2 : 0;
    return p[name + 1] == ':' && ABR_HAS(" [", p[name + 2]) ? name + 2 + (p[name + 2] == ' ') : 0;
}

/* Bytes of the name of a line's stream, after its time: "stdout F " in the logs of containers, "00O " or
 * "00O+" in those of GitLab. */
static size_t stream_size(const char *p, size_t n)
{
    enum { NAME = 9, SHORT = 4 };
    if (n < NAME)
        return 0;
    if (ABR_HAS("OE", p[2]) && ABR_HAS(" +", p[3]))
        return abr_is_hex(abr_to_lower(p[0])) && abr_is_hex(abr_to_lower(p[1])) ? SHORT : 0;
    const bool named = abr_starts_with(p, n, "stdout ") || abr_starts_with(p, n, "stderr ");
    return named && ABR_HAS("FP", p[7]) && p[8] == ' ' ? NAME : 0;
}

/* Bytes of a line's number as `cat -n` prints it. */
static size_t numbered_size(const char *p, size_t n)
{
    enum { WIDTH = 6 };
    const abr_text_line line = {p, n < STAMP_MOST ? n : (size_t)STAMP_MOST};
    if (n <= WIDTH || !abr_is_digit(p[WIDTH - 1]))
        return 0;
    const size_t end = abr_past(line, abr_past(line, 0, ABR_SET(" ")), ABR_DIGITS);
    return end >= WIDTH && end < n && p[end] == '\t' ? end + 1 : 0;
}

/* Bytes that another program added to a line it passed on; 0 if there are none. */
static size_t source_size(const char *p, size_t n)
{
    enum { GUTTER = 4 };
    if (n <= GUTTER)
        return 0;
    if (abr_is_lower(*p) || *p == '@')
        return p[1] == '=' ? fields_size(p, n) : named_size(p, n);
    if (*p == '[')
        return bracketed_size(p, n);
    const size_t number = !abr_is_digit(*p) ? 0 : p[1] == '|' ? 2 : p[2] == '|' ? 3 : 0;
    if (number > 0) { /* of pm2: "0|web  | " */
        const size_t named = named_size(p + number, n - number);
        return named > 0 ? number + named : 0;
    }
    if (*p == ' ' || abr_is_digit(*p))
        return numbered_size(p, n);
    return abr_starts_with(p, n, "\xE2\x94\x82 ") ? GUTTER : 0;
}

abr_lead abr_lead_of(const char *p, size_t n)
{
    const size_t time = stamp_size(p, n);
    size_t source = time > 0 ? stream_size(p + time, n - time) : 0;
    if (source == 0)
        source = source_size(p + time, n - time);
    if (source == 0)
        return (abr_lead){time, time > 0};
    const size_t at = time + source;
    const size_t next = stamp_size(p + at, n - at);
    return (abr_lead){at + next, time + next > 0};
}

/* ---- places of rows ---- */

size_t abr_row_place(const char *p, size_t n)
{
    size_t at = 0;
    for (unsigned numbers = 0; numbers < 2; numbers++) {
        const size_t from = at;
        at = abr_past((abr_text_line){p, n}, at, ABR_DIGITS);
        if (at == from || at == n || p[at] != (numbers == 0 ? ':' : ' '))
            return 0;
        at++;
    }
    return abr_past((abr_text_line){p, n}, at, ABR_SET(" "));
}

bool abr_is_row(const abr_layout *layout, const char *p, size_t n)
{
    return layout->indent > 0 && abr_row_place(p + layout->text, n - layout->text) > 0;
}

/* ---- prefixes ---- */

/* The first letters of a level, which rule out most words at once. */
static inline uint32_t level_key(const char *p)
{
    return (uint32_t)abr_to_lower(p[0]) | (uint32_t)abr_to_lower(p[1]) << 8 |
           (uint32_t)abr_to_lower(p[2]) << 16;
}

enum { LEVEL_KEY = 3 };

/* Is the word at p, whose first letters match, this level? */
static bool is_level(const char *p, size_t n, const char *name, size_t size)
{
    size_t k = LEVEL_KEY;
    while (k < size && k < n && abr_to_lower(p[k]) == name[k])
        k++;
    return k == size && (k == n || !abr_is_letter(p[k]));
}

abr_level abr_level_without(const char *p, size_t n, unsigned rule, size_t *size)
{
    if (n < LEVEL_KEY)
        return ABR_LEVEL_NONE;
    const uint32_t key = level_key(p);
    unsigned row = ABR_RULE_LEVEL;
#define LEVEL(name, level, program, proof)                                                                   \
    if (key == level_key(name) && row != rule && is_level(p, n, name, sizeof(name) - 1)) {                   \
        *size = sizeof(name) - 1;                                                                            \
        return ABR_LEVEL_##level;                                                                            \
    }                                                                                                        \
    row++;
#include "line/levels.def"
#undef LEVEL
    return ABR_LEVEL_NONE;
}

abr_level abr_level_at(const char *p, size_t n, size_t *size)
{
    return abr_level_without(p, n, ABR_NO_RULE, size);
}

/* The same for levels of loggers. */
static abr_level logger_level(const char *p, size_t n, size_t *size)
{
    const abr_level level = abr_level_at(p, n, size);
    return level == ABR_LEVEL_NOTE ? ABR_LEVEL_NONE : level;
}

/* Bytes of the number of a job or a test that printed the line, "12: ". */
static size_t number_prefix(const char *p, size_t n)
{
    const size_t i = abr_past((abr_text_line){p, n}, 0, ABR_DIGITS);
    return i > 0 && i <= 4 && i + 1 < n && p[i] == ':' && p[i + 1] == ' ' ? i + 2 : 0;
}

/* Bytes of the escape sequences at p. */
static size_t escapes_at(const char *p, size_t n)
{
    size_t at = 0;
    for (size_t size = n > 0 && *p == '\x1B'; size > 0; at += size)
        size = abr_escape_size(p + at, n - at);
    return at;
}

/* A level or a number in brackets: "[INFO]", "[ 12%]", "[10:03:07]". */
static size_t bracket_size(const char *p, size_t n, uint8_t *level)
{
    const char *end = memchr(p, ']', n < STAMP_MOST ? n : STAMP_MOST);
    if (!end)
        return 0;
    const size_t size = (size_t)(end - p) + 1;
    size_t from = abr_past((abr_text_line){p, size}, 1, ABR_SET(" "));
    size_t name = 0;
    from += escapes_at(p + from, size - from);
    if (from >= size)
        return 0;
    const abr_level found = logger_level(p + from, size - from, &name);
    if (found == ABR_LEVEL_NONE && !abr_is_digit(p[from]))
        return 0;
    if (found != ABR_LEVEL_NONE)
        *level = (uint8_t)found;
    return size;
}

/* A level in capitals: "ERROR: ", "INFO ". */
static size_t capitals_size(const char *p, size_t n, uint8_t *level)
{
    size_t name = 0;
    const abr_level found = logger_level(p, n, &name);
    if (found == ABR_LEVEL_NONE || !abr_is_upper(p[name - 1]))
        return 0;
    *level = (uint8_t)found;
    return name + (name < n && p[name] == ':');
}

/* Bytes of the prefix at p, with the blank after it; 0 if there is none. */
static size_t prefix_size(const char *p, size_t n, uint8_t *level)
{
    size_t size = 0;
    if (n == 0)
        return 0;
    if (p[0] == '[') {
        size = bracket_size(p, n, level);
        if (size == 0)
            return abr_lead_of(p, n).n;
    } else if (*p == 'n' && (abr_starts_with(p, n, "npm ERR!") || abr_starts_with(p, n, "npm error"))) {
        *level = ABR_LEVEL_ERROR; /* the latter of npm 10 and later */
        size = p[4] == 'E' ? 8 : 9;
    } else if (abr_is_upper(p[0])) {
        size = capitals_size(p, n, level);
    } else {
        size = number_prefix(p, n);
        return size > 0 ? size : abr_lead_of(p, n).n;
    }
    return size > 0 && size < n && p[size] == ' ' ? size + 1 : size;
}

/* ---- heads ---- */

/* Bytes of the sign that rules are drawn with at p; 0 if there is none. */
static size_t rule_sign(const char *p, size_t n)
{
    const bool drawn = n >= 3 && p[0] == '\xE2' && (p[1] == '\x8E' || p[1] == '\x94' || p[1] == '\x95');
    return drawn ? 3 : n > 0 && ABR_HAS("-=_*#~+>", p[0]);
}

/* Length of a rule of one repeated sign at the line's start; 0 if there is none. */
static size_t rule_size(const char *p, size_t n)
{
    const size_t sign = rule_sign(p, n);
    size_t i = sign;
    while (sign > 0 && i + sign <= n && memcmp(p + i, p, sign) == 0)
        i += sign;
    return i >= RULE_LEAST * sign ? i : 0;
}

static abr_look look_of(const char *p, size_t n)
{
    n -= n > 0 && p[n - 1] == '\r';
    size_t rule = rule_size(p, n);
    if (rule > 0) {
        size_t i = rule;
        while (i < n && (p[i] == p[0] || p[i] == ' '))
            i++;
        if (i == n)
            return ABR_LOOK_RULE;
        const size_t sign = rule_sign(p, n);
        if (memcmp(p + n - sign, p, sign) == 0 && (sign > 1 || ABR_HAS("_=-", p[0])))
            return p[0] == '_' ? ABR_LOOK_HEAD : ABR_LOOK_RULE;
    }
    const size_t i = abr_past((abr_text_line){p, n}, 0, ABR_DIGITS);
    if (i > 0 && i < 5 && i + 1 < n && (p[i] == ')' || p[i] == '.') && p[i + 1] == ' ')
        return ABR_LOOK_HEAD;
    if (abr_starts_with(p, n, "--- FAIL") || abr_starts_with(p, n, "\xE2\x97\x8F ") ||
        abr_starts_with(p, n, "FAIL ") || abr_starts_with(p, n, "FAIL: ") ||
        abr_starts_with(p, n, "ERROR: test") || abr_starts_with(p, n, "---- "))
        return ABR_LOOK_HEAD;
    return ABR_LOOK_TEXT;
}

bool abr_states_level(const char *p, size_t n, unsigned rule)
{
    size_t size = 0;
    const abr_level level = abr_level_without(p, n, rule, &size);
    const bool is_stated =
        abr_starts_with(p + size, n - size, ":") || abr_starts_with(p + size, n - size, " - ");
    return is_stated && (level == ABR_LEVEL_ERROR || level == ABR_LEVEL_WARNING);
}

char abr_kotlin_level(const char *p, size_t n)
{
    const bool leads = (abr_starts_with(p, n, "e: ") || abr_starts_with(p, n, "w: ")) &&
                       (abr_starts_with(p + 3, n - 3, "/") || abr_starts_with(p + 3, n - 3, "file:"));
    return (char)(leads ? *p : '\0');
}

void abr_read_layout(const char *p, size_t n, abr_layout *out)
{
    size_t at = 0;
    out->level = ABR_LEVEL_NONE;
    out->indent = 0;
    for (unsigned i = 0; i < PREFIXES; i++) {
        at += escapes_at(p + at, n - at);
        size_t size = prefix_size(p + at, n - at, &out->level);
        if (size == 0)
            break;
        at += size;
    }
    if (at + 4 < n && (p[at] == '>' || p[at] == 'E') && memcmp(p + at + 1, "   ", 3) == 0) {
        at++; /* pytest marks a line of its excerpt */
        out->indent = 1;
    }
    for (size_t escapes = 1; escapes > 0; at += escapes) {
        for (; at < n && (p[at] == ' ' || p[at] == '\t' || p[at] == '\r'); at++)
            out->indent++;
        escapes = escapes_at(p + at, n - at);
    }
    out->text = at;
    size_t name = 0;
    if (out->level == ABR_LEVEL_NONE && abr_level_at(p + at, n - at, &name) == ABR_LEVEL_WARNING)
        out->level = ABR_LEVEL_WARNING;
    out->look = (uint8_t)(at == n ? ABR_LOOK_BLANK : look_of(p + at, n - at));
}
