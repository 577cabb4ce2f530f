/*
 * What a line says, read alone: a score, and what kind of line it is.
 *
 * Each word of the lexicon is weighed where it stands. In a name (error_handler.c, -Werror, foo_error_test) or negated
 * (0 errors, no failures) it says nothing; in a form that only an error has ("error:", "FAILED", "TypeError:") it is
 * clear; elsewhere it may be prose. The best word counts, with a little more for an expectation, a summary and a place.
 * A line that says that something went well says nothing, whatever words it has.
 */
#include <string.h>

#include "priority.h"

/* Weights, on a scale where a clear error has 11. */
static const float clear = 11.0F;
static const float bad = 6.0F;
static const float weak = 1.5F;
static const float warned = 2.0F;
static const float expects = 3.0F;
static const float sums_up = 3.5F;
static const float caused = 5.0F;
static const float placed = 2.0F;
static const float diagnosed = 4.0F; /* a line that starts with a place */
static const float hit_from = 4.0F;  /* score of a line that counts as a hit */
static const float again = 3.0F;     /* for a second clear word */
static const float stepping = 0.35F; /* factor of lines that say what is done now */
static const float quiet = 0.4F;     /* factor of lines of a low log level */

enum {
    NEAR = 16,        /* bytes between a negation and what it negates */
    LEVEL_WITHIN = 64, /* bytes of a line in which its log level stands */
    LEFT_WITHIN = 24
};

typedef struct {
    const char *p;
    size_t n;
    const abr_line_words *words;
    unsigned quiet;  /* groups that are switched off */
    float strong;   /* of the best word */
    float expected;
    float summary;
    bool passed;
    bool low_level;
    bool stepped;
    bool is_clear;
    size_t at;      /* of the best word */
} line;

/* ---- bytes ---- */

static char byte_at(const line *l, size_t at)
{
    return at < l->n ? l->p[at] : '\n';
}

static char byte_before(const line *l, size_t at)
{
    return at > 0 ? l->p[at - 1] : '\n';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_upper(char c)
{
    return c >= 'A' && c <= 'Z';
}

static bool is_alnum(char c)
{
    return is_digit(c) || is_upper(c) || (c >= 'a' && c <= 'z') || (unsigned char)c >= 0x80;
}

static bool is_one_of(char c, const char *set)
{
    return c != '\0' && strchr(set, c) != NULL;
}

static size_t skip(const line *l, size_t at, const char *set)
{
    while (at < l->n && is_one_of(l->p[at], set))
        at++;
    return at;
}

static bool starts_with(const line *l, size_t at, const char *text)
{
    size_t n = strlen(text);
    return at + n <= l->n && memcmp(l->p + at, text, n) == 0;
}

static size_t end_of(const abr_sign *s)
{
    return (size_t)s->at + s->n;
}

static bool all_caps(const line *l, const abr_sign *s)
{
    return is_upper(l->p[s->at]) && is_upper(l->p[s->at + s->n - 1]);
}

static bool is_word(const line *l, const abr_sign *s, const char *word)
{
    size_t n = strlen(word);
    for (size_t i = 0; i < n; i++)
        if (s->n != n || (l->p[s->at + i] | ' ') != word[i])
            return false;
    return true;
}

static bool is_first(const line *l, const abr_sign *s)
{
    return s->at == l->words->first;
}

/* ---- places of words ---- */

/* Is the word part of a name: of an identifier, a path, an option? */
static bool in_name(const line *l, const abr_sign *s)
{
    char before = byte_before(l, s->at);
    char after = byte_at(l, end_of(s));
    char then = byte_at(l, end_of(s) + 1);
    if (is_one_of(before, "_/\\$@") || is_one_of(after, "_/\\"))
        return true;
    if (before == '-' && s->at >= 2 && l->p[s->at - 2] != '-' && l->p[s->at - 2] != ' ')
        return true;
    if (before == '-' && (s->at < 2 || l->p[s->at - 2] == ' ') && is_alnum(after))
        return true;
    if (before == '.' && !s->type && s->at >= 2 && is_alnum(l->p[s->at - 2]))
        return true;
    if (before == '-' && s->at >= 2 && l->p[s->at - 2] == '-')
        return after != '-' && after != ' '; /* an option --error=..., and a heading "--error--" */
    if (is_one_of(after, ".-") && is_alnum(then))
        return !(s->type && after == '.');
    if (is_digit(after) && !all_caps(l, s))
        return true;
    return after == '(' && then != 's' && !s->type;
}

/* The number before a word: -1 where there is none. */
static int64_t number_before(const line *l, size_t at)
{
    size_t end = at;
    while (end > 0 && is_one_of(l->p[end - 1], " \t("))
        end--;
    size_t start = end;
    while (start > 0 && is_digit(l->p[start - 1]) && end - start < 15)
        start--;
    if (start == end || (end == at) || is_one_of(byte_before(l, start), ".:-_") || is_alnum(byte_before(l, start)))
        return -1;
    int64_t value = 0;
    for (size_t i = start; i < end; i++)
        value = value * 10 + (l->p[i] - '0');
    return value;
}

/* The number after a word and a colon or the like, as in failed=0; -1 where there is none. */
static int64_t number_after(const line *l, size_t at, bool needs_sign)
{
    size_t i = skip(l, at, " \t\"')");
    size_t sign = skip(l, i, ":=,");
    if (sign == i && needs_sign)
        return -1;
    i = skip(l, sign, " \t\"'");
    size_t start = i;
    int64_t value = 0;
    while (i < l->n && is_digit(l->p[i]) && i - start < 15)
        value = value * 10 + (l->p[i++] - '0');
    bool whole = i > start && !is_alnum(byte_at(l, i)) && !(byte_at(l, i) == '.' && is_digit(byte_at(l, i + 1)));
    return whole ? value : -1;
}

/* Is the sign at index i negated: "no errors", "without any failure"? */
static bool negated(const line *l, unsigned i)
{
    if (i == 0)
        return false;
    const abr_sign *before = &l->words->signs[i - 1];
    const abr_sign *s = &l->words->signs[i];
    if (before->class != ABR_W_NO || s->at - end_of(before) > NEAR || is_word(l, before, "not"))
        return false;
    for (size_t at = end_of(before); at < s->at; at++)
        if (is_one_of(l->p[at], ":;,."))
            return false;
    return !in_name(l, before);
}

static void say(line *l, const abr_sign *s, float weight, bool is_clear)
{
    if (is_clear && l->is_clear && l->strong < clear + again)
        l->strong += again;
    if (weight > l->strong) {
        l->strong = weight;
        l->at = s->at;
    }
    l->is_clear = l->is_clear || is_clear;
}

static const abr_sign *next_sign(const line *l, unsigned i, size_t within)
{
    const abr_line_words *w = l->words;
    if (i + 1 < w->count && w->signs[i + 1].at - end_of(&w->signs[i]) <= within)
        return &w->signs[i + 1];
    return NULL;
}

/* Is a code behind the word: "error TS2304", "Error 1", "error[E0308]"? */
static bool has_code(const line *l, const abr_sign *s)
{
    size_t i = end_of(s);
    if (byte_at(l, i) == '[')
        return is_upper(byte_at(l, i + 1)) || byte_at(l, i + 1) == ']';
    i = skip(l, i, " #");
    size_t start = i;
    while (i < l->n && is_upper(l->p[i]) && i - start < 8)
        i++;
    return i > end_of(s) && is_digit(byte_at(l, i));
}

static bool in_brackets(const line *l, const abr_sign *s)
{
    size_t start = s->at;
    while (start > 0 && l->p[start - 1] == ' ')
        start--;
    size_t end = skip(l, end_of(s), " ");
    return is_one_of(byte_before(l, start), "[(<*|=") && is_one_of(byte_at(l, end), "])>*|=");
}

/* ---- the classes ---- */

static void weigh_error(line *l, unsigned i)
{
    const abr_sign *s = &l->words->signs[i];
    const abr_sign *next = next_sign(l, i, 2);
    const abr_sign *before = i > 0 ? s - 1 : NULL;
    bool names_test = s->type && (l->stepped || starts_with(l, s->at, "Test") || starts_with(l, s->at, "test"));
    if (in_name(l, s) || negated(l, i) || names_test)
        return;
    int64_t count = number_before(l, s->at);
    int64_t after = number_after(l, end_of(s), true);
    if (count == 0 || (after == 0 && !s->type)) {
        l->summary = l->summary > weak ? l->summary : weak;
        return;
    }
    if (next && next->class == ABR_W_NAMING) {
        say(l, s, weak, false);
        return;
    }
    bool source = before && before->class == ABR_W_CODE && s->at - end_of(before) <= 8;
    char c = byte_at(l, end_of(s));
    if (s->type && (source || c == '(')) {
        say(l, s, warned, false);
        return;
    }
    if (count > 0)
        l->summary = sums_up;
    bool ends = c == '\n' || c == '\r';
    bool is_clear = c == ':' || c == '!' || has_code(l, s) || all_caps(l, s) || in_brackets(l, s) ||
                    (is_first(l, s) && !source) || (s->type && (ends || c == ' '));
    if (!is_clear && i > 0 && before->class == ABR_W_LACK)
        is_clear = false;
    say(l, s, is_clear ? clear : bad, is_clear);
}

static void weigh_fail(line *l, unsigned i)
{
    const abr_sign *s = &l->words->signs[i];
    if (in_name(l, s) || negated(l, i))
        return;
    int64_t count = number_before(l, s->at);
    int64_t after = number_after(l, end_of(s), true);
    if (after < 0 && byte_at(l, end_of(s)) == ' ' && (is_first(l, s) || byte_before(l, l->words->first) == ' '))
        after = number_after(l, end_of(s), false); /* "# fail 0" */
    if (count == 0 || after == 0) {
        l->summary = l->summary > weak ? l->summary : weak;
        return;
    }
    if (count > 0 || after > 0)
        l->summary = sums_up;
    bool named = s->type || is_word(l, s, "failed") || is_word(l, s, "failure") || is_word(l, s, "failures");
    bool is_clear = all_caps(l, s) || (named && is_upper(l->p[s->at])) || in_brackets(l, s) ||
                    (byte_at(l, end_of(s)) == ':' && named) || (count > 0 && s->at < LEFT_WITHIN) || is_first(l, s);
    say(l, s, is_clear ? clear : named || count > 0 ? bad : warned, is_clear);
}

static void weigh_fatal(line *l, unsigned i)
{
    const abr_sign *s = &l->words->signs[i];
    if (in_name(l, s) || negated(l, i))
        return;
    const abr_sign *next = next_sign(l, i, 4);
    char c = byte_at(l, end_of(s));
    if (is_word(l, s, "bug")) {
        if (c == ':' && all_caps(l, s))
            say(l, s, clear, true);
        return;
    }
    if (is_word(l, s, "race") || is_word(l, s, "conflict") || is_word(l, s, "segmentation") || is_word(l, s, "oops")) {
        bool is_clear = all_caps(l, s) || (next && is_word(l, next, "fault")) || c == ':';
        say(l, s, is_clear ? clear : weak, is_clear);
        return;
    }
    if (number_before(l, s->at) == 0 || number_after(l, end_of(s), true) == 0)
        return;
    say(l, s, c == '(' ? bad : clear, c != '(');
}

static void weigh_bad(line *l, unsigned i)
{
    const abr_sign *s = &l->words->signs[i];
    const abr_sign *next = next_sign(l, i, 12);
    if (in_name(l, s) || negated(l, i) || number_before(l, s->at) == 0 || number_after(l, end_of(s), true) == 0)
        return;
    bool is_clear = (next && next->class == ABR_W_SYMBOL && is_word(l, s, "undefined")) ||
                    (byte_before(l, s->at) == '*' && !is_digit(byte_at(l, end_of(s)))) ||
                    (next && next->class == ABR_W_FAIL);
    say(l, s, is_clear ? clear : bad, is_clear);
}

/* "not found", "no such file", "did not match" */
static void weigh_lack(line *l, unsigned i)
{
    const abr_sign *s = &l->words->signs[i];
    const abr_sign *before = i > 0 ? s - 1 : NULL;
    if (!before || before->class != ABR_W_NO || s->at - end_of(before) > NEAR || in_name(l, s))
        return;
    say(l, before, bad, false);
}

static void weigh_expectation(line *l, unsigned i)
{
    const abr_sign *s = &l->words->signs[i];
    char c = byte_at(l, end_of(s));
    if (in_name(l, s))
        return;
    bool tells = is_one_of(c, ":=") || (is_first(l, s) && (c == ' ' || c == '\t'));
    for (unsigned k = i + 1; k < l->words->count && !tells; k++)
        tells = l->words->signs[k].class == ABR_W_EXPECT || l->words->signs[k].class == ABR_W_LACK;
    tells = tells || (is_word(l, s, "expected") && c != '\n');
    if (tells && l->expected < expects)
        l->expected = expects;
}

static void weigh_cause(line *l, unsigned i)
{
    const abr_sign *s = &l->words->signs[i];
    char c = byte_at(l, end_of(s));
    bool tells = c == ':' || (is_word(l, s, "caused") && is_first(l, s));
    if (in_name(l, s) || !tells || (is_word(l, s, "summary") && !all_caps(l, s)))
        return;
    float weight = is_first(l, s) ? caused + 1 : expects;
    if (l->expected < weight)
        l->expected = weight;
}

static void weigh_count(line *l, unsigned i)
{
    const abr_sign *s = &l->words->signs[i];
    if (in_name(l, s))
        return;
    if (number_before(l, s->at) >= 0 || number_after(l, end_of(s), true) >= 0) {
        l->summary = l->summary > sums_up ? l->summary : sums_up;
        return;
    }
    if (all_caps(l, s) && is_word(l, s, "passed"))
        l->passed = true;
}

static void weigh_exit(line *l, unsigned i)
{
    const abr_sign *s = &l->words->signs[i];
    int64_t number = number_after(l, end_of(s), false);
    if (in_name(l, s) || number < 0)
        return;
    bool exits = is_word(l, s, "exited") || is_word(l, s, "exit") ||
                 (i > 0 && (s[-1].class == ABR_W_EXIT) && s->at - end_of(s - 1) < NEAR);
    if (!exits && !is_word(l, s, "returned"))
        return;
    if (number > 0)
        say(l, s, bad, false);
    l->summary = l->summary > warned ? l->summary : warned;
}

static void weigh_done(line *l, unsigned i)
{
    const abr_sign *s = &l->words->signs[i];
    char c = byte_at(l, end_of(s));
    if (in_name(l, s))
        return;
    bool tells = c == ':' || (c == ' ' && (s->at == l->words->first || is_digit(byte_at(l, end_of(s) + 1)) ||
                                           memcmp(l->p + end_of(s), " in ", 4) == 0));
    if (tells && l->summary < warned)
        l->summary = warned;
}

static void weigh_pass(line *l, unsigned i)
{
    const abr_sign *s = &l->words->signs[i];
    char after = byte_at(l, end_of(s));
    if (is_one_of(after, "_.-/(") && is_alnum(byte_at(l, end_of(s) + 1)))
        return;
    size_t end = skip(l, end_of(s), " \t\r");
    bool last = end >= l->n;
    size_t start = s->at;
    while (start > 0 && l->p[start - 1] == ' ')
        start--;
    bool dotted = start >= 2 && l->p[start - 1] == '.' && l->p[start - 2] == '.';
    if (is_first(l, s) || (last && dotted) || in_brackets(l, s) ||
        (all_caps(l, s) && s->n >= 2 && is_one_of(after, " \t:[\n\r")))
        l->passed = true;
}

static void weigh_http(line *l, unsigned i)
{
    const abr_sign *s = &l->words->signs[i];
    size_t at = end_of(s);
    if (byte_at(l, at) != '/' || !is_digit(byte_at(l, at + 1)))
        return;
    at = skip(l, at, "/.0123456789");
    at = skip(l, at, "\" ");
    bool status = is_digit(byte_at(l, at + 1)) && is_digit(byte_at(l, at + 2)) && !is_alnum(byte_at(l, at + 3));
    if (status && byte_at(l, at) == '5')
        say(l, s, bad, false);
    else if (status && byte_at(l, at) == '4')
        say(l, s, warned, false);
}

static void weigh_sign(line *l, unsigned i)
{
    const abr_sign *s = &l->words->signs[i];
    switch (s->class) {
    case ABR_W_ERROR:
        weigh_error(l, i);
        return;
    case ABR_W_FAIL:
        weigh_fail(l, i);
        return;
    case ABR_W_FATAL:
        weigh_fatal(l, i);
        return;
    case ABR_W_BAD:
        weigh_bad(l, i);
        return;
    case ABR_W_LACK:
        weigh_lack(l, i);
        return;
    case ABR_W_DOUBT:
        if (!in_name(l, s) && !negated(l, i))
            say(l, s, (is_word(l, s, "can") || is_word(l, s, "could")) && byte_at(l, end_of(s)) == '\'' ? bad : weak, false);
        return;
    case ABR_W_WARN:
        if (!in_name(l, s) && !negated(l, i) && number_before(l, s->at) != 0 && number_after(l, end_of(s), true) != 0)
            say(l, s, warned, false);
        return;
    case ABR_W_EXPECT:
        weigh_expectation(l, i);
        return;
    case ABR_W_CAUSE:
        weigh_cause(l, i);
        return;
    case ABR_W_NOTE:
        if (!in_name(l, s) && byte_at(l, end_of(s)) == ':' && l->expected < weak)
            l->expected = weak;
        return;
    case ABR_W_COUNT:
        weigh_count(l, i);
        return;
    case ABR_W_EXIT:
        weigh_exit(l, i);
        return;
    case ABR_W_DONE:
        weigh_done(l, i);
        return;
    case ABR_W_PASS:
        weigh_pass(l, i);
        return;
    case ABR_W_STEP:
        l->stepped = l->stepped || is_first(l, s);
        return;
    case ABR_W_QUIET:
        l->low_level = l->low_level || (s->at < LEVEL_WITHIN && !in_name(l, s));
        return;
    case ABR_W_HTTP:
        weigh_http(l, i);
        return;
    default:
        return;
    }
}

/* ---- signs that are no words ---- */

/* Ticks and crosses. */
static void weigh_mark(line *l)
{
    size_t at = l->words->mark;
    bool leads = at <= l->words->indent + 12 && at <= l->words->first;
    if (starts_with(l, at, "\xE2\x9C\x93") || starts_with(l, at, "\xE2\x9C\x94") || starts_with(l, at, "\xE2\x9C\x85")) {
        l->passed = l->passed || leads;
    } else if (leads && !(l->quiet & ABR_GROUP_FAILURES) && (starts_with(l, at, "\xE2\x9C\x95") || starts_with(l, at, "\xE2\x9C\x96") ||
                         starts_with(l, at, "\xE2\x9C\x97") || starts_with(l, at, "\xE2\x9C\x98") ||
                         starts_with(l, at, "\xE2\x9D\x8C") || starts_with(l, at, "\xC3\x97 ") ||
                         starts_with(l, at, "\xE2\xA8\xAF") || starts_with(l, at, "\xE2\x97\x8F "))) {
        if (l->strong < clear) {
            l->strong = clear;
            l->at = at;
        }
        l->is_clear = true;
    }
}

/* Is this a line of a diagnostic's excerpt: "  12 |   code", "     |  ^~~~", "    ^"? */
static bool is_excerpt(const line *l)
{
    char c = byte_at(l, l->words->indent);
    if (!is_digit(c) && c != '|' && c != '^' && c != '~' && c != '-')
        return false;
    size_t i = skip(l, l->words->indent, "0123456789");
    size_t bar = skip(l, i, " \t");
    if (byte_at(l, bar) == '|' && (bar > 0) && (i > l->words->indent || byte_at(l, bar + 1) == ' '))
        return true;
    return l->words->words == 0 && byte_at(l, skip(l, l->words->indent, "|~ \t-")) == '^';
}

/* Is this a frame of a stack? */
static bool is_frame(const line *l)
{
    size_t i = l->words->indent;
    char c = byte_at(l, i);
    if (c != 'a' && c != 'F' && c != 'f' && c != '#' && !is_digit(c))
        return false;
    if (starts_with(l, i, "at ") || starts_with(l, i, "File \"") || starts_with(l, i, "from "))
        return i > 0;
    if (starts_with(l, i, "#"))
        return is_digit(byte_at(l, i + 1)) && starts_with(l, skip(l, i + 1, "0123456789"), " ");
    size_t number = skip(l, i, "0123456789");
    return i > 0 && number > i && starts_with(l, number, ": ") && is_alnum(byte_at(l, number + 2));
}

/* What stands at the line's start. */
static void weigh_start(line *l)
{
    size_t i = l->words->indent;
    const abr_line_words *w = l->words;
    if (!(l->quiet & ABR_GROUP_ERRORS) && byte_at(l, i) == 'E' && starts_with(l, i, "E  ") && i == 0 && w->words > 1) {
        l->is_clear = true;
        if (l->strong < clear) {
            l->strong = clear;
            l->at = 0;
        }
    }
    bool failures = !(l->quiet & ABR_GROUP_FAILURES);
    if (failures && w->count > 1 && is_first(l, &w->signs[0]) && is_word(l, &w->signs[0], "not") && is_word(l, &w->signs[1], "ok")) {
        l->passed = false;
        l->is_clear = true;
        l->strong = clear;
        l->at = w->first;
    }
    if (starts_with(l, i, "*** ") && w->first < l->n) {
        l->strong = l->strong > bad ? l->strong : bad;
    }
}

/* ---- the line ---- */

static abr_kind kind_of(const line *l)
{
    const abr_line_words *w = l->words;
    if (w->indent == l->n)
        return ABR_K_BLANK;
    if (l->passed)
        return ABR_K_PASS;
    if (is_excerpt(l))
        return ABR_K_EXCERPT;
    if (!l->is_clear && is_frame(l))
        return ABR_K_FRAME;
    if (l->is_clear && w->count > 0 && is_word(l, &w->signs[0], "traceback") && byte_at(l, l->n - 1) == ':')
        return ABR_K_TRACE;
    return l->stepped ? ABR_K_STEP : ABR_K_PLAIN;
}

/* Does the line start with a place, as a diagnostic does? */
static bool leads_with_place(const line *l)
{
    const abr_line_words *w = l->words;
    return w->located < l->n && (w->located <= w->indent || w->located <= LEFT_WITHIN);
}

/* A diagnostic without a word for it: an assertion that tells what it expected, a linter's code for an error. */
static void weigh_diagnostic(line *l)
{
    const abr_line_words *w = l->words;
    if (!leads_with_place(l) || l->strong >= bad || l->low_level || l->quiet & ABR_GROUP_ERRORS)
        return;
    bool coded = w->code < l->n && is_one_of(l->p[w->code], "EF") && is_digit(byte_at(l, w->code + 1));
    if (l->expected >= expects || coded) {
        l->strong = bad;
        l->at = coded ? w->code : w->located;
    }
}

static float total(const line *l)
{
    const abr_line_words *w = l->words;
    float score = l->strong + l->expected + l->summary;
    if (w->located < l->n) {
        bool leads = leads_with_place(l);
        if (score > 0)
            score += placed;
        if (leads && !l->low_level && w->indent == 0 && score < diagnosed)
            score = diagnosed - (l->strong > 0 ? 1.0F : 0.5F);
    }
    if (l->stepped)
        score *= stepping;
    if (l->low_level)
        score *= l->is_clear ? 0.6F : quiet;
    if (byte_at(l, 0) == '+' && is_one_of(byte_at(l, 1), "+ "))
        score *= 0.5F; /* a traced command */
    return score;
}

/* A line with a pattern of the caller is a hit of its weight, or with none no hit at all. */
static void apply_pattern(const abr_hit *hit, uint32_t mark, const char *p, size_t n, abr_reading *out)
{
    size_t at = 0;
    if (!abr_hit_matches(hit, p, n, &at))
        return;
    float score = (float)hit->weight * clear;
    if (hit->weight <= 0) {
        out->score = 0;
        out->hit = false;
        out->kind = ABR_K_PASS;
    } else if (score > out->score) {
        out->score = score;
        out->at = (uint32_t)at;
    }
    out->shape ^= mark; /* what the caller looks for is unlike lines that look the same */
    if (hit->weight > 0) {
        out->hit = true;
        out->kind = ABR_K_PLAIN;
    }
}

void abr_read_line(const abr_lexicon *lexicon, const abr_patterns *patterns, const char *p, size_t n,
                   abr_reading *out)
{
    abr_line_words words;
    abr_read_words(lexicon, p, n, &words);
    line l = {.p = p, .n = n, .words = &words, .quiet = lexicon->quiet};
    for (unsigned i = 0; i < words.count; i++)
        weigh_sign(&l, i);
    if (words.mark < n)
        weigh_mark(&l);
    weigh_start(&l);
    weigh_diagnostic(&l);
    memset(out, 0, sizeof *out);
    out->kind = kind_of(&l);
    out->shape = words.shape;
    out->words = words.words;
    out->indent = words.indent;
    out->at = (uint32_t)l.at;
    if (out->kind != ABR_K_PASS && out->kind != ABR_K_EXCERPT && out->kind != ABR_K_BLANK)
        out->score = total(&l);
    if (out->kind == ABR_K_FRAME)
        out->score = 0;
    out->hit = out->score >= hit_from && l.strong >= hit_from;
    /* "0 failed" a hundred times is another shape than "1 failed" */
    out->shape ^= (uint32_t)out->hit + 2 * (uint32_t)l.is_clear;
    for (size_t i = 0; i < patterns->count; i++)
        apply_pattern(&patterns->patterns[i], (uint32_t)(i + 1) << 8, p, n, out);
}
