#include <string.h>

#include "line/test_span.h"
#include "abridge.h"
#include "base/ascii.h"
#include "line/char_set.h"
#include "line/lines.h"
#include "line/rule.h"

static const struct {
    abr_text_line start;
    abr_text_line within;
    abr_text_line end;
    abr_text_line passed;
    abr_text_line later;
    abr_text_line passed_end;
    abr_text_line failed;
    bool named;
} spans[] = {
#define SPAN_TEXT(literal)                                                                                   \
    {                                                                                                        \
        literal, sizeof(literal) - 1                                                                         \
    }
#define NAMED true
#define UNNAMED false
#define SPAN(start, within, end, named, passed, later, passed_end, failed, program, opening, closing)        \
    {SPAN_TEXT(start), SPAN_TEXT(within),     SPAN_TEXT(end),    SPAN_TEXT(passed),                          \
     SPAN_TEXT(later), SPAN_TEXT(passed_end), SPAN_TEXT(failed), named},
#include "line/test_spans.def"
#undef SPAN
#undef UNNAMED
#undef NAMED
#undef SPAN_TEXT
};

enum { TEST_SPANS = sizeof spans / sizeof *spans };

_Static_assert(TEST_SPANS <= 32, "a row has a bit");

static bool opens_with(abr_text_line line, abr_text_line text)
{
    return text.n == 0 || (line.n >= text.n && *line.p == *text.p && memcmp(line.p, text.p, text.n) == 0);
}

static bool closes_with(abr_text_line line, abr_text_line text)
{
    return text.n == 0 || (line.n >= text.n && line.p[line.n - 1] == text.p[text.n - 1] &&
                           memcmp(line.p + line.n - text.n, text.p, text.n) == 0);
}

static bool holds_text(abr_text_line line, abr_text_line text)
{
    return text.n == 0 || abr_contains(line, text.p, text.n);
}

bool abr_opens_test(abr_text_line line, unsigned without, abr_open_test *out)
{
    *out = (abr_open_test){.rows = 0};
    for (unsigned i = 0; i < TEST_SPANS; i++) {
        const size_t around = spans[i].start.n + spans[i].end.n;
        if (!opens_with(line, spans[i].start) || !closes_with(line, spans[i].end) || line.n <= around ||
            without == ABR_RULE_TEST_SPAN + i)
            continue;
        const abr_text_line name = {line.p + spans[i].start.n, line.n - around};
        const bool is_word = spans[i].end.n != 1 || !memchr(name.p, ' ', name.n);
        if (!is_word || !holds_text(name, spans[i].within) || (out->rows != 0 && name.n != out->name.n))
            continue;
        out->name = name;
        out->rows |= UINT32_C(1) << i;
    }
    return out->rows != 0;
}

/* Can the byte at i, if there is one, be no part of a test's name? */
static bool ends_name(abr_text_line line, size_t i)
{
    return i >= line.n || !(abr_is_word(line.p[i]) || ABR_HAS("/.-:$", line.p[i]));
}

/* Does the line have this name, and not only as a part of another one? */
static bool has_name(abr_text_line line, abr_text_line name)
{
    for (const char *p = line.p; (p = memchr(p, *name.p, (size_t)(line.p + line.n - p))) != NULL; p++) {
        const size_t at = (size_t)(p - line.p);
        if (abr_has_at(line, at, name.p, name.n) && ends_name(line, at + name.n) &&
            (at == 0 || ends_name(line, at - 1)))
            return true;
        if (at + 1 >= line.n)
            return false;
    }
    return false;
}

/* Does the line say by the i-th row that the test passed? */
static bool passes_by(unsigned i, abr_text_line line, abr_text_line name)
{
    if (!opens_with(line, spans[i].passed) || !closes_with(line, spans[i].passed_end))
        return false;
    const abr_text_line rest = {line.p + spans[i].passed.n, line.n - spans[i].passed.n};
    if (spans[i].named && spans[i].passed.n == 0)
        return line.n == name.n + spans[i].passed_end.n && abr_has_at(line, 0, name.p, name.n);
    if (spans[i].named)
        return holds_text(rest, spans[i].later) && has_name(rest, name);
    if (spans[i].later.n > 0)
        return holds_text(rest, spans[i].later);
    return rest.n == 0 || (*rest.p == ' ' && rest.p[-1] == ' ');
}

bool abr_passes_test(abr_text_line line, const abr_open_test *test)
{
    for (unsigned i = 0; i < TEST_SPANS; i++)
        if (test->rows >> i & 1 && passes_by(i, line, test->name))
            return true;
    return false;
}

bool abr_fails_test(abr_text_line line, const abr_open_test *test)
{
    for (unsigned i = 0; i < TEST_SPANS; i++)
        if (test->rows >> i & 1 && spans[i].failed.n > 0 && opens_with(line, spans[i].failed))
            return true;
    return false;
}
