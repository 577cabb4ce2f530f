#include <string.h>

#include "line/test_span.h"
#include "abridge.h"
#include "base/ascii.h"
#include "line/char_set.h"
#include "line/lines.h"
#include "line/rule.h"

typedef struct {
    const char *p;
    size_t n;
} span_text;

static const struct {
    span_text start;
    span_text within;
    span_text end;
    span_text passed;
    span_text later;
    span_text passed_end;
    bool named;
} spans[] = {
#define SPAN_TEXT(literal)                                                                                   \
    {                                                                                                        \
        literal, sizeof(literal) - 1                                                                         \
    }
#define NAMED true
#define UNNAMED false
#define SPAN(start, within, end, named, passed, later, passed_end, program, opening, closing)                \
    {SPAN_TEXT(start), SPAN_TEXT(within),     SPAN_TEXT(end), SPAN_TEXT(passed),                             \
     SPAN_TEXT(later), SPAN_TEXT(passed_end), named},
#include "line/test_spans.def"
#undef SPAN
#undef UNNAMED
#undef NAMED
#undef SPAN_TEXT
};

enum { TEST_SPANS = sizeof spans / sizeof *spans };

_Static_assert(TEST_SPANS <= 32, "a row has a bit");

static bool opens_with(abr_text_line line, span_text text)
{
    return text.n == 0 || (line.n >= text.n && *line.p == *text.p && memcmp(line.p, text.p, text.n) == 0);
}

static bool closes_with(abr_text_line line, span_text text)
{
    return text.n == 0 || (line.n >= text.n && line.p[line.n - 1] == text.p[text.n - 1] &&
                           memcmp(line.p + line.n - text.n, text.p, text.n) == 0);
}

/* The line without its CR. */
static abr_text_line without_cr(abr_text_line line)
{
    line.n -= line.n > 0 && line.p[line.n - 1] == '\r';
    return line;
}

static bool holds_text(abr_text_line line, span_text text)
{
    return text.n == 0 || abr_contains(line, text.p, text.n);
}

bool abr_opens_test(abr_text_line line, unsigned without, abr_open_test *out)
{
    *out = (abr_open_test){.rows = 0};
    line = without_cr(line);
    for (unsigned i = 0; i < TEST_SPANS; i++) {
        const size_t around = spans[i].start.n + spans[i].end.n;
        if (!opens_with(line, spans[i].start) || !closes_with(line, spans[i].end) || line.n <= around ||
            without == ABR_RULE_TEST_SPAN + i)
            continue;
        const abr_text_line name = {line.p + spans[i].start.n, line.n - around};
        if (!holds_text(name, spans[i].within) || (out->rows != 0 && name.n != out->name.n))
            continue;
        out->name = name;
        out->rows |= UINT32_C(1) << i;
    }
    return out->rows != 0;
}

static bool names_word(abr_text_line line)
{
    size_t i = 0;
    while (i < line.n && !abr_is_letter(line.p[i]))
        i++;
    return i < line.n;
}

bool abr_passes_test(abr_text_line line, const abr_open_test *test)
{
    line = without_cr(line);
    for (unsigned i = 0; i < TEST_SPANS; i++) {
        if (!(test->rows >> i & 1) || !opens_with(line, spans[i].passed) ||
            !closes_with(line, spans[i].passed_end))
            continue;
        const abr_text_line rest = {line.p + spans[i].passed.n, line.n - spans[i].passed.n};
        if (spans[i].named
                ? holds_text(rest, spans[i].later) && abr_contains(rest, test->name.p, test->name.n)
            : spans[i].later.n > 0 ? holds_text(rest, spans[i].later)
                                   : !names_word(rest))
            return true;
    }
    return false;
}

bool abr_tells_result_of(abr_text_line line, const abr_open_test *test)
{
    line = without_cr(line);
    for (unsigned i = 0; i < TEST_SPANS; i++)
        if (test->rows >> i & 1 && spans[i].passed.n > 0 && opens_with(line, spans[i].passed))
            return true;
    return false;
}
