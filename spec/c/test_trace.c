/* What is made of the words of a line: which row made it a hit, or why a word of trouble is none. */
#include "check.h"
#include "line/line_score.h"
#include "line/trace.h"

static const abr_patterns none;

static abr_reading read_traced(const char *line, const abr_patterns *patterns, abr_trace *trace)
{
    static abr_lexicon lexicon;
    abr_lexicon_open(&lexicon, 0);
    size_t n = strlen(line);
    char *copy = calloc(1, n + ABR_PADDING);
    memcpy(copy, line, n);
    abr_reading r;
    abr_reading alone;
    abr_read_line(&lexicon, patterns, copy, n, &alone);
    abr_trace_line(&lexicon, patterns, copy, n, &r, trace);
    CHECK(memcmp(&r.line_score, &alone.line_score, sizeof r.line_score) == 0 && r.hit == alone.hit &&
          r.at == alone.at);
    free(copy);
    return r;
}

/* The row that gave the line its score, "words error"; "" if none did. */
static const char *row_of(const char *line)
{
    static char text[ABR_ROW_MOST + 20];
    abr_trace trace;
    const abr_reading r = read_traced(line, &none, &trace);
    const abr_traced *best = abr_trace_best(&trace);
    if (!r.hit || !best)
        return "";
    char row[ABR_ROW_MOST];
    const size_t n = abr_trace_row(best, line, row);
    snprintf(text, sizeof text, "%s %.*s", abr_rule_table_name(best->table), (int)n, row);
    return text;
}

static const char *denial_of(const char *line)
{
    abr_trace trace;
    const abr_reading r = read_traced(line, &none, &trace);
    const abr_traced *denied = abr_trace_denied(&trace);
    return r.hit || !denied ? "" : abr_denial_name(denied->denial);
}

static void expect_text(const char *line, const char *got, const char *want)
{
    if (!CHECK(strcmp(got, want) == 0))
        fprintf(stderr, "%s: %s, not %s\n", line, got, want);
}

static void trace_names_the_row_of_a_hit(void)
{
    static const char *const hits[][2] = {
        {"main.c:3:1: error: expected ';' before '}' token", "words error"},
        {"2026-03-01 10:00:00 TypeError: x is not a function", "endings -Error"},
        {"cat: notes.txt: No such file or directory", "words no such"},
        {"lua: cart.lua:9: attempt to index a nil value (local 'cart')", "phrases attempt to "},
        {"bash: x : « inlib » a échoué", "stems échou"},
        {"not ok 3 - adds the tax", "forms not ok"},
        {"  \xE2\x9C\x97 adds the tax", "forms a cross leads it"},
        {"E  assert 3 == 4", "forms E leads a line of pytest"},
        {"the cart is in use at lib/Cart.pm line 20, <STDIN> line 4.", "forms a place ends it"},
        {"make: *** [Makefile:3: all] Error 1", "words make"},
    };
    for (size_t i = 0; i < sizeof hits / sizeof *hits; i++)
        expect_text(hits[i][0], row_of(hits[i][0]), hits[i][1]);
}

static void trace_tells_why_a_word_of_trouble_is_no_hit(void)
{
    static const char *const lines[][2] = {
        {"\"error\": null,", "nothing"},
        {"fail_on_error: true", "setting"},
        {"cc -c error_handler.c", "name"},
        {"Build finished without errors", "negated"},
        {"12 files, 0 errors", "zero"},
        {"Starting the error handler", "dealt"},
        {"    if (error) {", "written"},
        {"0123abc fix: the crash when a cart is empty", "written"},
        {"It is an error if the file is missing.", "spoken"},
    };
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        expect_text(lines[i][0], denial_of(lines[i][0]), lines[i][1]);
}

static void trace_says_what_makes_less_of_a_line(void)
{
    abr_trace trace;
    read_traced("DEBUG retry failed", &none, &trace);
    CHECK(trace.low_level && !trace.stepped && !trace.echoed);
    read_traced("+ grep failed build.log", &none, &trace);
    CHECK(trace.echoed && !trace.low_level);
    read_traced("a.c:3:1: warning: the cast failed", &none, &trace);
    CHECK(trace.remarks);
}

static void trace_names_patterns_of_the_caller(void)
{
    const abr_hit hits[] = {{.p = "tax", .n = 3, .weight = 2}, {.p = "cart", .n = 4, .weight = 0}};
    const abr_patterns one = {.patterns = hits, .count = 1};
    const abr_patterns off = {.patterns = hits + 1, .count = 1};
    abr_trace trace;
    CHECK(read_traced("the tax is 3", &one, &trace).hit);
    const abr_traced *best = abr_trace_best(&trace);
    CHECK(best && best->table == ABR_TABLE_HITS && best->at == 4);
    CHECK(!read_traced("error: no cart", &off, &trace).hit);
    CHECK(abr_trace_denied(&trace) != NULL);
}

/* More words than there is room for, in a line of any bytes. */
static void trace_has_an_end(void)
{
    static const char words[] = "error fail cannot 0 errors, \xFF\x01 TypeError: ";
    char line[4001];
    abr_trace trace;
    for (size_t i = 0; i < sizeof line - 1; i++)
        line[i] = words[i % (sizeof words - 1)];
    line[sizeof line - 1] = '\0';
    read_traced(line, &none, &trace);
    CHECK(trace.count > 0 && trace.count <= ABR_TRACED);
    for (unsigned i = 0; i < trace.count; i++)
        CHECK((size_t)trace.list[i].at + trace.list[i].n <= sizeof line - 1);
}

int main(void)
{
    RUN(trace_names_the_row_of_a_hit);
    RUN(trace_tells_why_a_word_of_trouble_is_no_hit);
    RUN(trace_says_what_makes_less_of_a_line);
    RUN(trace_names_patterns_of_the_caller);
    RUN(trace_has_an_end);
    return check_end();
}
