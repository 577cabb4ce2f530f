/* What one line says, read alone. */
#include "check.h"
#include "line/command.h"
#include "line/layout.h"
#include "line/line_score.h"
#include "line/line_window.h"
#include "line/recall.h"

static abr_reading read_of(const char *line)
{
    static abr_lexicon lexicon;
    static const abr_patterns none;
    abr_lexicon_open(&lexicon, 0);
    size_t n = strlen(line);
    char *copy = calloc(1, n + ABR_PADDING);
    memcpy(copy, line, n);
    abr_reading r;
    abr_read_line(&lexicon, &none, copy, n, &r);
    free(copy);
    return r;
}

static void expect_command(const char *line, abr_command want)
{
    if (!CHECK(read_of(line).command == want))
        fprintf(stderr, "%s\n", line);
}

static const char *const ends[] = {
    "Process exited with code 1",
    "make: *** [Makefile:3: all] Error 1",
    "make: *** [Makefile:3: all] Fehler 2",
    "make[2]: *** No rule to make target 'x'.  Stop.",
    "The command \"bundle exec rake\" exited with 1.",
    "##[error]Process completed with exit code 2.",
    "2026-03-01T10:00:00.1234567Z ##[error]Unable to find the package",
    "npm ERR! code ELIFECYCLE",
    "error Command failed with exit code 1.",
    "ERROR: Job failed: exit code 1",
    "Build step 'Execute shell' marked build as failure",
    "Exited with code exit status 1",
    "rake aborted!",
    "Error: Process completed with exit code 2.",
    "BUILD FAILED",
    "[INFO] BUILD FAILURE",
    "ninja: build stopped: subcommand failed.",
    "ERROR: InvocationError for command /x/bin/pytest (exited with code 1)",
    "Command exited with non-zero status 1",
    "script returned exit code 1",
    "FAILURE: Build failed with an exception.",
    "collect2: error: ld returned 1 exit status",
    "error: command 'gcc' failed with exit status 1",
    "The command '/bin/sh -c make' returned a non-zero code: 2",
    "exit status 1",
    " ELIFECYCLE  Command failed with exit code 1.",
    "** BUILD FAILED **",
    "Finished: FAILURE",
    "subprocess.CalledProcessError: Command '['make']' returned non-zero exit status 2.",
    "npm ERR! Exit status 1",
    "Error: failed to solve: process \"/bin/sh -c make\" did not complete successfully: exit code: 2",
    "Nonzero exit code: 1",
    "[error] Nonzero exit value: 2",
    "error: Process didn't exit successfully: `target/debug/x` (exit status: 101)",
    "lerna ERR! yarn run build exited 1 in 'core'",
};

static const char *const starts[] = {
    "$ cmd x",
    "+ make all",
    "++ dirname x",
    "##[group]Run make",
    "2026-03-01T10:00:00.1234567Z ##[group]Run make",
    "build\tstep\t2026-03-01T10:00:00.1234567Z ##[group]Run make",
    "travis_fold:start:x",
    "> Task :compileJava",
    "[Pipeline] sh",
    "==> default: Running",
    "Step 3/9 : RUN make",
    "::group::Building",
    "section_start:1700000000:build",
    "section_end:1700000009:build",
    "\033[0Ksection_end:1700000009:build\r\033[0K",
    "\033[32;1m$ make all\033[0;m",
    "##[section]Starting: Publish",
    "#7 [2/5] RUN make",
    "TASK [web : install] *****",
    "PS C:\\src> ./build.ps1",
    "C:\\src>nmake",
    "> mocha --reporter spec",
    "[INFO] --- maven-compiler-plugin:3.1:compile (default) @ x ---",
};

static const char *const neither[] = {
    "    exit 1",
    "+  where 3 = f()",
    "+ actual - expected ... Lines skipped",
    "+++ b/src/a.c",
    "[INFO] ------------------------------------------------------------------------",
    "> 12 |   code",
    "exit code 0",
    "Process exited with code 0",
    "exited with code 0",
    "Request failed with status code 404",
};

static void a_command_that_failed_is_seen_in_its_last_line(void)
{
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        expect_command(ends[i], ABR_COMMAND_FAILED);
        CHECK(read_of(ends[i]).hit);
    }
}

static void a_command_starts_where_it_is_echoed_or_a_section_is_named(void)
{
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
        expect_command(starts[i], ABR_COMMAND_STARTS);
}

static void other_lines_neither_start_nor_end_one(void)
{
    for (size_t i = 0; i < sizeof neither / sizeof *neither; i++)
        expect_command(neither[i], ABR_COMMAND_NONE);
}

/* ---- lines read before ---- */

ABR_WRAPS static uint32_t below(uint32_t n)
{
    static uint32_t state = 12345;
    state = state * 1664525 + 1013904223;
    return (state >> 8) % n;
}

static const char *const parts[] = {"error",
                                    "errors",
                                    "failed",
                                    "FAIL",
                                    "failures",
                                    "fatal",
                                    "panic",
                                    "cannot",
                                    "undefined",
                                    "timeout",
                                    "no",
                                    "not",
                                    "without",
                                    "never",
                                    "found",
                                    "such",
                                    "module",
                                    "exit",
                                    "exited",
                                    "status",
                                    "code",
                                    "returned",
                                    "exitcode",
                                    "make",
                                    "http",
                                    "HTTP/",
                                    "GET",
                                    "POST",
                                    "passed",
                                    "tests",
                                    "test",
                                    "total",
                                    "done",
                                    "finished",
                                    "ok",
                                    "not",
                                    "success",
                                    "Run",
                                    "Compiling",
                                    "Downloading",
                                    "expected",
                                    "got",
                                    "caused",
                                    "reason",
                                    "note",
                                    "see",
                                    "warning",
                                    "warnings",
                                    "deprecated",
                                    "null",
                                    "must",
                                    "info",
                                    "debug",
                                    "step",
                                    "Step",
                                    "group",
                                    "TASK",
                                    "cpu",
                                    "rip:",
                                    "loss",
                                    "memory",
                                    "range",
                                    "char",
                                    "TypeError",
                                    "Exception",
                                    "raise",
                                    "foo",
                                    "id",
                                    "x",
                                    "E",
                                    "SC",
                                    "T",
                                    "Z",
                                    "abcdef",
                                    "maxFailures",
                                    "handler",
                                    "not ok",
                                    " ",
                                    " ",
                                    " ",
                                    " ",
                                    " ",
                                    " ",
                                    ": ",
                                    "=",
                                    ": ",
                                    "/",
                                    ".",
                                    ".c:",
                                    ".ps1:",
                                    "(",
                                    ")",
                                    "[",
                                    "]",
                                    "-",
                                    "_",
                                    "#",
                                    "+",
                                    "$ ",
                                    "> ",
                                    ">&",
                                    "\t",
                                    ",",
                                    ";",
                                    "\"",
                                    "'",
                                    "{",
                                    "}",
                                    "|",
                                    "  | ",
                                    "%",
                                    "% packet ",
                                    "\033[",
                                    "m",
                                    "\033[31m",
                                    "*** ",
                                    "\xE2\x9C\x93 ",
                                    "00:0",
                                    " +",
                                    " of ",
                                    "exit_",
                                    "\xE9\x94\x99\xE8\xAF\xAF",
                                    "0 \xE4\xB8\xAA",
                                    "##[",
                                    "]",
                                    "::",
                                    "\xC3\xA9",
                                    "true",
                                    "false",
                                    "/x "};

/* Lines in which a rule looks at a number. */
static const char *const numbered[] = {
    "  a.py:3:4: one two three four five six seven or as many as it takes to be long E1101",
    "3 failed",
    "0 tests failed",
    "3 of 14 tests failed",
    "tests: 3, failed: 2",
    "errors 0 dropped 0",
    "failures=2",
    "\"errorCount\": 3",
    "exit code 1",
    "status=503",
    "ld returned 1 exit status",
    "GET /pay 500 31ms",
    "ran HTTP/1.1\" 404 12",
    "GET /x HTTP/1.1\" 404 12",
    "\xE9\x94\x99\xE8\xAF\xAF: 0",
    "0 \xE4\xB8\xAA\xE9\x94\x99\xE8\xAF\xAF",
    "rip: 0",
    "100% packet loss",
    "a.ps1:3 char:7",
    "echo failed >&2",
    "src/a.c:3:1: E501 too long",
    "warning 3 found",
    "5 warnings",
    "relative error: 3e-12",
    "Error 2",
    "0 errors, 3 warnings",
    "DL3008 found",
    "FAILED (failures=1)",
    "panic=1",
    "problems: (0)",
    "lastError: 3",
    "open(\"a.h\") = -1 ENOENT (No such file)"};

/* A line of parts and digits; ABR_PADDING bytes after it are readable. */
static size_t make_line(char *to)
{
    if (below(3) == 0) {
        size_t n = strlen(strcpy(to, numbered[below(sizeof numbered / sizeof *numbered)]));
        memset(to + n, 0, ABR_PADDING);
        return n;
    }
    char *end = to + (below(4) == 0 ? sprintf(to, "2026-03-01T10:00:0%u.1234567Z ", below(10)) : 0);
    for (uint32_t left = below(14); left > 0; left--)
        end += below(3) == 0 ? sprintf(end, "%u", below(1000))
                             : sprintf(end, "%s", parts[below(sizeof parts / sizeof *parts)]);
    memset(end, 0, ABR_PADDING);
    return (size_t)(end - to);
}

static void change_digits(char *p, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (p[i] >= '0' && p[i] <= '9' && below(2) == 0)
            p[i] = (char)(below(2) ? '0' + below(10) : '0');
}

static bool same_reading(const abr_reading *a, const abr_reading *b)
{
    return a->line_score == b->line_score && a->hit == b->hit && a->tells == b->tells &&
           a->placed == b->placed && a->warns == b->warns && a->digits == b->digits && a->kind == b->kind &&
           a->command == b->command && a->at == b->at && a->shape == b->shape && a->outline == b->outline &&
           a->words == b->words && a->tokens == b->tokens && a->plain_count == b->plain_count &&
           memcmp(a->plain, b->plain, a->plain_count * sizeof *a->plain) == 0 && a->indent == b->indent;
}

/* A line that is read only if it has a score has the same one, and is read as ever. */
static bool same_if_scored(const abr_lexicon *lexicon, const abr_patterns *patterns, const char *line,
                           size_t n, const abr_reading *whole)
{
    static const abr_reading none;
    abr_reading r;
    abr_read_if_scored(lexicon, patterns, line, n, &r);
    return same_reading(&r, whole->line_score > 0 ? whole : &none);
}

static void check_recall(const abr_patterns *patterns)
{
    enum { LINES = 100000, AGAIN = 3 };
    static char line[ABR_SEGMENT + ABR_PADDING];
    abr_recall *recall = calloc(1, sizeof *recall);
    recall->count = ABR_RECALLED;
    recall->lines = calloc(recall->count, sizeof *recall->lines);
    abr_lexicon *lexicon = calloc(1, sizeof *lexicon);
    abr_line_window *window = calloc(1, sizeof *window);
    abr_lexicon_open(lexicon, 0);
    for (unsigned i = 0; i < LINES; i++) {
        size_t n = make_line(line);
        for (unsigned k = 0; k < AGAIN; k++) {
            abr_reading fresh;
            abr_reading recalled;
            abr_read_line(lexicon, patterns, line, n, &fresh);
            abr_recall_line(recall, lexicon, patterns, line, abr_fold_line(window, line, n), n, true,
                            &recalled);
            if (!CHECK(same_reading(&fresh, &recalled) && same_if_scored(lexicon, patterns, line, n, &fresh)))
                fprintf(stderr, "%.*s\n", (int)n, line);
            change_digits(line, n);
        }
    }
    free(recall->lines);
    free(recall);
    free(lexicon);
    free(window);
}

static void the_place_of_a_pattern_counts_the_time_before_it(void)
{
    static abr_lexicon lexicon;
    const abr_hit hit = {.p = "7", .n = 1, .weight = 1};
    const abr_patterns one = {&hit, 1, NULL};
    char line[64 + ABR_PADDING] = "2026-03-01T10:00:00.1234567Z ab 7";
    abr_lexicon_open(&lexicon, 0);
    abr_reading r;
    abr_read_line(&lexicon, &one, line, strlen(line), &r);
    CHECK_COUNT(strlen(line) - 1, r.at);
}

static void what_is_recalled_is_what_is_read(void)
{
    const abr_patterns none = {NULL, 0, NULL};
    check_recall(&none);
    const abr_hit hit = {.p = "7", .n = 1, .weight = 1};
    const abr_patterns one = {&hit, 1, NULL};
    check_recall(&one);
}

static void the_layout_of_a_line_is_read_from_it_alone(void)
{
    static const char *const lines[] = {"[",        "[ ",    "[\x1B[1",    "[error",
                                        "\x1B[1m[", "12: [", "10:00:00 [", "npm ERR! ["};
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        abr_layout layout;
        const size_t n = strlen(lines[i]);
        char *line = exact(lines[i], n);
        abr_read_layout(line, n, &layout);
        CHECK(layout.text <= n);
        free(line);
    }
}

static void a_line_of_times_has_a_few_at_its_start(void)
{
    enum { TIMES = 8 * 1024 * 1024 };
    static const char time[] = "12:00:00 ";
    const size_t size = sizeof time - 1;
    char *line = malloc(TIMES * size);
    if (!line)
        exit(2);
    for (size_t i = 0; i < TIMES; i++)
        memcpy(line + i * size, time, size);
    const abr_lead lead = abr_lead_of(line, TIMES * size);
    CHECK(lead.stamped && lead.n <= 8 * size);
    free(line);
}

static void a_test_that_passes_is_seen_in_its_line(void)
{
    static const char *const passing[] = {
        "test_cart.py::test_total PASSED                                    [ 50%]",
        "--- PASS: TestCart (0.00s)",
        "test cart::adds ... ok",
        "Test Case '-[CartTests testTotal]' passed (0.002 seconds).",
        "\xE2\x9C\x94 Test adds() passed after 0.001 seconds.",
        " 9/80 Test # 9: cart_total ......................   Passed    2.00 sec",
        "12/12 cart:unit / total                   OK              0.02s",
        "Test 3: adds two ... passed",
        "  Passed CartTests.Adds [2 ms]",
        "        PASS [   0.08s] shop::journal tests::adds",
    };
    static const char *const others[] = {
        "3 passed",
        "Passed arguments are not checked",
        "the test has passed",
        "wait ... 12 passed, 1 failed",
        "OK: 12",
        "status OK  200",
    };
    for (size_t i = 0; i < sizeof passing / sizeof *passing; i++)
        if (!CHECK(read_of(passing[i]).kind == ABR_LINE_PASS))
            fprintf(stderr, "%s\n", passing[i]);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (!CHECK(read_of(others[i]).kind != ABR_LINE_PASS))
            fprintf(stderr, "%s\n", others[i]);
}

int main(void)
{
    RUN(a_command_that_failed_is_seen_in_its_last_line);
    RUN(a_command_starts_where_it_is_echoed_or_a_section_is_named);
    RUN(other_lines_neither_start_nor_end_one);
    RUN(a_test_that_passes_is_seen_in_its_line);
    RUN(the_place_of_a_pattern_counts_the_time_before_it);
    RUN(what_is_recalled_is_what_is_read);
    RUN(the_layout_of_a_line_is_read_from_it_alone);
    RUN(a_line_of_times_has_a_few_at_its_start);
    return check_end();
}
