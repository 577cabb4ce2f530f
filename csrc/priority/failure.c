/*
 * A failure is a tool's output about one thing that went wrong, from its head until the tool goes on.
 *
 * It starts at a hit. It includes frames, excerpts and lines indented deeper than its head, hits that follow
 * at once, and a few lines unlike the text before it or like those within earlier failures; also a few deeper
 * lines of shapes seen often before it, which tools print as they go on. It ends when the tool goes on: at a
 * test that passed, the next command, a line of a low log level or of a shape seen often, or the head of the
 * next failure. A command's report of its own failure ends its output.
 */
#include <string.h>

#include "priority/failure.h"
#include "abridge.h"
#include "base/ascii.h"
#include "priority/candidates.h"
#include "line/char_set.h"
#include "line/command.h"
#include "line/layout.h"
#include "line/line_score.h"
#include "line/lines.h"
#include "line/place.h"
#include "line/score.h"
#include "line/written.h"

enum {
    BLANKS_MOST = 2,      /* blank lines in a row within a failure */
    PLAIN_MOST = 8,       /* plain lines in a row */
    PLAIN_AFTER_BLANK = 2 /* a plain line after a blank one counts as so many more */
};

/* Does (p, n) start with the text, with more after it? */
static bool goes_on_after(const char *p, size_t n, const char *text)
{
    return n > 0 && abr_starts_with(p, n - 1, text);
}

bool abr_has_sign(const char *p, size_t n)
{
    return n > 2 && (*p == '+' || *p == '-') && (p[1] == ' ' || p[1] == '\t');
}

bool abr_ends_test(const char *p, size_t n)
{
    return goes_on_after(p, n, "--- FAIL") || goes_on_after(p, n, "[  FAILED");
}

bool abr_fails_in_tap(const char *p, size_t n)
{
    return goes_on_after(p, n, "not ok ");
}

/* Is it a result of a failed test of Node's? That of a suite stands below those of its tests, less deep. */
static bool fails_in_node(const char *p, size_t n)
{
    return goes_on_after(p, n, "\xE2\x9C\x96 ");
}

/* Does gtest say how long the failed test took? Otherwise it lists it. */
static bool tells_time(const char *p, size_t n)
{
    n -= n > 0 && p[n - 1] == '\r';
    return n > 4 && abr_ends_with(p, n, " ms)");
}

/* Is it the title of a failed test of Jest? Above the first one stand the names of its file and tests. */
static bool is_jest_title(const char *p, size_t n)
{
    return goes_on_after(p, n, "\xE2\x97\x8F ");
}

/* Is it Jest's title of the output that a file's tests logged, above the titles of its failed tests? */
static bool titles_log(const char *p, size_t n)
{
    n -= n > 0 && p[n - 1] == '\r';
    return n == 11 && abr_starts_with(p, n, "\xE2\x97\x8F Console");
}

/* Does the line refer back to the failure: name its cause, sum it up, head its stack, or say how much of the
 * stack is left out? */
static bool goes_back(const char *p, size_t n)
{
    static const char *const starts[] = {
        "... ",         "Backtrace:", "Caused by",        "Stack trace:",
        "Stack Trace:", "SUMMARY: ",  "stack traceback:", "stack backtrace:"};
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
        if (n > 0 && *p == *starts[i] && goes_on_after(p, n, starts[i]))
            return true;
    return false;
}

static bool has_shape(const uint32_t *shapes, unsigned n, uint32_t shape)
{
    for (unsigned i = 0; i < n; i++)
        if (shapes[i] == shape)
            return true;
    return false;
}

/* Take a line that more than its place puts here. */
static bool take_near(abr_failure *f)
{
    f->plain = 0;
    return true;
}

/* Take a line of the body. The line or two that a runner prints between it and the head is not routine. */
static bool take_body(abr_failure *f)
{
    for (unsigned i = 0; !f->body && f->above_count <= ABR_FAILURE_ABOVE && i < f->above_count; i++) {
        if (has_shape(f->enclosed, ABR_FAILURE_SHAPES, f->above[i]))
            continue;
        f->enclosed[f->oldest] = f->above[i];
        f->oldest = (f->oldest + 1) % ABR_FAILURE_SHAPES;
    }
    f->body = true;
    return take_near(f);
}

/* Is the line's shape one that was seen often before the failure, and not within failures? */
static bool is_routine(const abr_failure *f, const abr_reading *r, uint32_t nth)
{
    if (nth < ABR_OFTEN || r->plain_count == 0 || /* without a plain word, its shape says little */
        r->line_score >= ABR_SCORE_EXPECTS)       /* the expected value, and the actual one */
        return false;
    const unsigned have = f->lines < ABR_FAILURE_SHAPES ? f->lines : ABR_FAILURE_SHAPES;
    return !has_shape(f->shapes, have, r->shape) && !has_shape(f->enclosed, ABR_FAILURE_SHAPES, r->shape);
}

/* Is it a line that pytest marks as the error's, "E       KeyError: 'x'"? */
static bool is_marked(const char *p, const abr_layout *l)
{
    enum { BLANKS_LEAST = 3 };
    const size_t i = abr_back(p, l->text, ABR_SET(" "));
    return i > 0 && p[i - 1] == 'E' && l->text - i >= BLANKS_LEAST;
}

/* Is it the place that pytest prints below them, with the error's name alone: "a_test.py:9: KeyError"? */
static bool places_error(const abr_reading *r, const char *p, size_t n)
{
    abr_file_place place = {0};
    n -= n > 0 && p[n - 1] == '\r';
    const abr_char_set of_name = abr_joined(ABR_WORD_CHARS, ABR_SET("."));
    return r->placed && abr_find_place(p, n, 0, &place) && place.start == 0 && place.end + 2 < n &&
           memcmp(p + place.end, ": ", 2) == 0 &&
           abr_past((abr_text_line){p, n}, place.end + 2, of_name) == n;
}

static void start_failure(abr_failure *f, const abr_reading *r, const abr_layout *l)
{
    f->found++;
    f->open = true;
    f->counted = f->is_detailed = false;
    f->body = false;
    f->placed = r->placed;
    f->tracing = r->kind == ABR_LINE_TRACE;
    f->captions = r->kind == ABR_LINE_EXCERPT;
    f->level = l->level;
    f->blanks = f->plain = f->lines = f->above_count = 0;
    f->indent = l->indent;
}

/* Does a line that is neither blank, deeper nor a hit still belong to the failure? */
static bool takes_plain(abr_failure *f, const abr_reading *r, uint32_t nth, const abr_layout *l)
{
    bool both_errors = l->level == ABR_LEVEL_ERROR && f->level == ABR_LEVEL_ERROR;
    if ((l->look == ABR_LOOK_RULE && f->plain > 0) || (r->placed && f->placed) ||
        (f->captions && f->blanks > 1) || (l->level == ABR_LEVEL_LOW && f->level > l->level) ||
        ((l->level == ABR_LEVEL_WARNING || r->warns) && f->level != ABR_LEVEL_WARNING && f->body))
        return false;
    if (is_routine(f, r, nth) && (f->blanks > 0 || !both_errors))
        return false;
    f->plain += f->blanks > 0 ? 1 + PLAIN_AFTER_BLANK : 1;
    if (f->above_count < ABR_FAILURE_ABOVE)
        f->above[f->above_count] = r->shape;
    f->above_count += f->above_count <= ABR_FAILURE_ABOVE;
    return f->plain <= PLAIN_MOST;
}

/* Does the open failure take the line, which is not blank? *next: it starts another one. */
static bool takes(abr_failure *f, const abr_reading *r, uint32_t nth, const abr_layout *l, const char *p,
                  size_t n, bool *next)
{
    bool deeper = l->indent > f->indent;
    if (f->quoting && !deeper && *p == '+') /* the command PowerShell ran */
        return take_near(f);
    f->quoting = r->told.form == ABR_FORM_QUOTING;
    if (f->of_tap && *p == '#') { /* what TAP says of a test, or the next one */
        f->body = true;
        f->plain = 0;
        return !goes_on_after(p, n, "# Subtest: ");
    }
    *next = f->of_tap && deeper && abr_fails_in_tap(p, n); /* the first test of the next suite */
    if (*next || (f->of_tap && r->kind == ABR_LINE_PASS))
        return *next;
    if (f->compares && *p == '+') /* of one of two compared values, below the other */
        return take_near(f);
    bool passes = r->kind == ABR_LINE_PASS || r->kind == ABR_LINE_STEP;
    const bool apart = f->blanks > 0 && n > 1 && abr_is_upper(p[0]) && abr_is_upper(p[1]); /* of nextest */
    if (r->command == ABR_COMMAND_STARTS || (passes && (!deeper || apart)))
        return false;
    if (r->command == ABR_COMMAND_FAILED || titles_log(p, n))
        return take_near(f);
    const bool printed = f->indent > 0 || tells_time(p, n); /* within the test's output */
    if (printed && !f->of_test && abr_ends_test(p, n)) {
        f->of_test = true;
        return take_near(f);
    }
    const bool below_names = is_jest_title(p, n) && !f->titled;
    f->titled = f->titled || below_names;
    *next = l->look == ABR_LOOK_HEAD && (f->body || f->blanks > 0) && !f->tracing && !below_names;
    if (*next)
        return true;
    if (deeper && r->kind == ABR_LINE_PLAIN && !r->hit && is_routine(f, r, nth)) {
        f->body = true;
        return ++f->plain <= PLAIN_MOST;
    }
    *next = r->kind == ABR_LINE_EXCERPT && r->hit && f->body; /* a caret with a message of its own */
    if (r->kind == ABR_LINE_FRAME || r->kind == ABR_LINE_EXCERPT || r->told.form == ABR_FORM_REMARK ||
        deeper || goes_back(p, n))
        return take_body(f);
    if (abr_joins_tracebacks(p, n)) {
        f->tracing = true;
        return take_near(f);
    }
    if (r->hit) {
        const bool ends = f->marked && places_error(r, p, n);
        f->body = f->body || ends;
        *next = (!ends && !f->tracing && (f->body || f->blanks > 0)) || l->look == ABR_LOOK_HEAD;
        f->tracing = r->kind == ABR_LINE_TRACE;
        f->indent = l->indent < f->indent ? l->indent : f->indent;
        return take_near(f);
    }
    return takes_plain(f, r, nth, l);
}

/* Is it a compiler's diagnostic, or a row of a linter? Lines that Go's tests print are indented, and a log's
 * word on each poll is less clear. */
static bool diagnoses_alone(const abr_reading *r, const abr_layout *l, const char *p, size_t n)
{
    return r->hit &&
           ((r->placed && l->indent == 0 && r->line_score >= ABR_SCORE_CLEAR) || abr_is_row(l, p, n));
}

/* Count what the line tells. */
static void count_told(abr_failure *f, const abr_reading *r, abr_tells tells, bool diagnoses)
{
    const bool anew = tells == ABR_TELLS && f->open && f->diagnosed && diagnoses;
    f->told = anew ? ABR_TELLS_ANEW : tells;
    f->diagnosed = r->hit ? diagnoses : f->diagnosed && f->open;
    f->again = f->again || r->lists_again;
    f->count = (uint8_t)((f->again ? ABR_COUNT_AGAIN : ABR_COUNT_DETAILED) + (unsigned)r->result);
    if (f->told < ABR_TELLS)
        return;
    f->counts.of[ABR_COUNT_ALL] += !f->counted || anew;
    f->counted = true;
    f->counts.of[f->count] += r->result != ABR_RESULT_NONE || !f->is_detailed || anew;
    f->is_detailed = f->is_detailed || r->result == ABR_RESULT_NONE;
}

bool abr_failure_takes(abr_failure *f, const abr_reading *r, uint32_t nth, const char *p, size_t n)
{
    abr_layout l;
    bool next = false;
    abr_read_layout(p, n, &l);
    f->told = ABR_TELLS_NOTHING;
    if (l.look == ABR_LOOK_BLANK) {
        if (f->open && l.level == ABR_LEVEL_ERROR && f->level == ABR_LEVEL_ERROR)
            return true; /* "npm ERR!" alone: the failure goes on */
        f->compares = false;
        f->open = f->open && ++f->blanks <= BLANKS_MOST;
        return f->open;
    }
    if (f->open)
        f->open = takes(f, r, nth, &l, p + l.text, n - l.text, &next);
    if (next || (!f->open && r->hit)) {
        start_failure(f, r, &l);
        f->of_tap = abr_fails_in_tap(p + l.text, n - l.text);
        f->of_suite = f->of_tap && l.indent < f->tap_indent;
        f->tap_indent = f->of_tap ? l.indent : f->tap_indent;
        f->of_test = abr_ends_test(p + l.text, n - l.text);
        f->titled = is_jest_title(p + l.text, n - l.text);
    }
    const bool tells = r->tells && !(f->open && f->of_suite);
    const bool told = tells && r->command != ABR_COMMAND_FAILED && l.look != ABR_LOOK_RULE;
    const bool of_node = told && fails_in_node(p + l.text, n - l.text);
    const bool sums_up = r->lists_again || (of_node && l.indent < f->node_indent);
    f->node_indent = of_node ? l.indent : f->node_indent;
    const abr_tells tells_of = sums_up ? ABR_TELLS_SUM : ABR_TELLS;
    count_told(f, r, told ? tells_of : ABR_TELLS_NOTHING, diagnoses_alone(r, &l, p, n));
    f->blanks = 0;
    f->compares = f->open && abr_has_sign(p + l.text, n - l.text) && (p[l.text] == '-' || f->compares);
    if (r->hit)
        f->marked = is_marked(p, &l);
    if (f->open && !is_routine(f, r, nth))
        f->shapes[f->lines++ % ABR_FAILURE_SHAPES] = r->shape;
    return f->open;
}
