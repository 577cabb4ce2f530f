/* The priority cut: what counts as a hit, what is kept, and that budgets, ledger, chunks and memory hold
 * for any text. */
#include "ledger.h"
#include "made.h"

enum { KB = 1024, MB = 1024 * 1024 };

static abr_opts options(uint64_t max_bytes)
{
    abr_opts o = ABR_OPTS_INIT;
    o.strategy = ABR_PRIORITY;
    o.max.bytes = max_bytes;
    return o;
}

/* The content of a cut with a NUL after it, to be freed. */
static char *cut_of(const char *p, size_t n, const abr_opts *o, abr_cut *cut)
{
    abr_error error = {ABR_OK, NULL, 0};
    char *copy = exact(p, n);
    char *content = NULL;
    if (CHECK(abr_cut_text(copy, n, o, cut, &error) == ABR_OK)) {
        content = malloc(cut->content_bytes + 1);
        if (!content)
            exit(2);
        abr_cut_write(cut, content);
        content[cut->content_bytes] = '\0';
    }
    free(copy);
    return content ? content : calloc(1, 1);
}

static void expect_within(made *t, uint64_t max_bytes, const char *const wanted[])
{
    const abr_opts o = options(max_bytes);
    abr_cut cut;
    char *content = cut_of(t->p, t->n, &o, &cut);
    CHECK(strlen(content) <= max_bytes);
    for (size_t i = 0; wanted[i]; i++)
        if (!CHECK(strstr(content, wanted[i]) != NULL))
            fprintf(stderr, "not kept: %s\n", wanted[i]);
    free(content);
    abr_cut_free(&cut);
}

/* ---- what is kept ---- */

static void a_flood_of_names_hides_no_failure(void)
{
    made t = {0};
    add_lines(&t, 10000, "test foo_error_handling_# ... ok");
    add_line(&t, "src/cart.rs:40: assertion failed: total == 7");
    add_lines(&t, 10000, "test foo_error_handling_# ... ok");
    add_line(&t, "test run over");
    expect_within(
        &t, 2 * KB,
        (const char *const[]){"src/cart.rs:40: assertion failed: total == 7", "test run over", NULL});
    free(t.p);
}

static void a_flood_of_zeros_hides_no_failure(void)
{
    made t = {0};
    add_lines(&t, 200, "suite #: 12 passed, 0 failed");
    add_line(&t, "suite cart: 11 passed, 1 failed");
    add_lines(&t, 200, "suite #: 12 passed, 0 failed");
    expect_within(
        &t, 2 * KB,
        (const char *const[]){"suite cart: 11 passed, 1 failed", "suite 199: 12 passed, 0 failed", NULL});
    free(t.p);
}

static void a_flood_of_false_hits_leaves_the_first_error_and_the_end(void)
{
    made t = {0};
    add_line(&t, "main.c:7:3: error: use of undeclared identifier 'zork'");
    for (size_t i = 0; i < 10000; i++) {
        char line[128];
        snprintf(line, sizeof line, "%c%c%c could not %c%c: cannot open %zu, failed", (int)('a' + i % 26),
                 (int)('a' + i / 26 % 26), (int)('a' + i / 676 % 26), (int)('a' + i % 7), (int)('a' + i % 11),
                 i);
        add_line(&t, line);
    }
    add_line(&t, "the very last line");
    expect_within(&t, 2 * KB,
                  (const char *const[]){"main.c:7:3: error: use of undeclared", "the very last line", NULL});
    free(t.p);
}

static void what_belongs_together_stays_together(void)
{
    made t = {0};
    add_lines(&t, 500, "GET /items/# 200");
    add_line(&t, "Traceback (most recent call last):");
    add_line(&t, "  File \"/app/jobs.py\", line 41, in run");
    add_line(&t, "    result = self.step(item)");
    add_line(&t, "  File \"/app/steps.py\", line 12, in step");
    add_line(&t, "    amount = payload[\"amount\"]");
    add_line(&t, "app.core.QuotaReached: limit 100 reached");
    add_lines(&t, 500, "GET /items/# 200");
    add_line(&t, "parse.c:88:12: error: 'ctx' undeclared");
    add_line(&t, "   88 |     return ctx->fail;");
    add_line(&t, "      |            ^~~");
    add_lines(&t, 500, "GET /items/# 200");
    expect_within(&t, 2 * KB,
                  (const char *const[]){"line 41, in run\n    result", "line 12, in step\n    amount",
                                        "\napp.core.QuotaReached: limit 100 reached\n",
                                        "undeclared\n   88 |     return ctx->fail;\n      |            ^~~\n",
                                        NULL});
    free(t.p);
}

static void each_gap_is_marked_with_its_lines(void)
{
    made t = {0};
    add_lines(&t, 100, "step #");
    add_line(&t, "fatal: it broke");
    add_lines(&t, 100, "step #");
    abr_opts o = options(300);
    abr_cut cut;
    char *content = cut_of(t.p, t.n, &o, &cut);
    uint64_t told = 0;
    for (const char *at = content; (at = strstr(at, "... [")) != NULL; at++) {
        CHECK(at == content || at[-1] == '\n');
        CHECK(strncmp(strchr(at, ' ') + 1, "[", 1) == 0);
        told += strtoull(at + 5, NULL, 10);
    }
    CHECK_COUNT(cut.omitted_lines, told);
    CHECK(told > 0);
    free(content);
    abr_cut_free(&cut);

    o.marker_text = "<{lines}|{bytes}|{chars}>";
    o.marker_text_len = strlen(o.marker_text);
    content = cut_of(t.p, t.n, &o, &cut);
    uint64_t bytes = 0;
    uint64_t chars = 0;
    for (const char *at = content; (at = strchr(at, '<')) != NULL; at++) {
        at = strchr(at, '|');
        bytes += strtoull(at + 1, NULL, 10);
        at = strchr(at + 1, '|');
        chars += strtoull(at + 1, NULL, 10);
    }
    CHECK_COUNT(cut.omitted_bytes, bytes);
    CHECK_COUNT(cut.omitted_bytes, chars);
    free(content);
    abr_cut_free(&cut);

    o = options(300);
    o.marker = ABR_MARKER_NONE;
    content = cut_of(t.p, t.n, &o, &cut);
    CHECK(strstr(content, "...") == NULL && strstr(content, "\nfatal: it broke\n"));
    free(content);
    abr_cut_free(&cut);
    free(t.p);
}

static void a_long_line_is_cut_around_what_it_says(void)
{
    enum { LONG = 50000 };
    made t = {0};
    char *line = malloc(2 * LONG + 64);
    memset(line, 'x', 2 * LONG);
    memcpy(line + LONG, " ERROR: disk full ", 18);
    line[2 * LONG] = '\0';
    add_lines(&t, 300, "step #");
    add_line(&t, line);
    add_lines(&t, 300, "step #");
    expect_within(&t, 1000, (const char *const[]){"xx ... xx", " ERROR: disk full xx", "step 299", NULL});
    free(line);
    free(t.p);
}

/* A line is read in segments of 4 KiB, and what is kept around its sign may end where a segment does. */
static void a_long_line_is_cut_between_chars(void)
{
    enum { SEGMENT = 4096, LONG = 3 * SEGMENT };
    char *line = malloc(LONG + 1);
    for (size_t shift = 0; shift < 2; shift++) {
        made t = {0};
        for (size_t i = 0; i < LONG; i++)
            line[i] = (i + shift) % 2 == 0 ? '\xC3' : '\xA9';
        line[0] = 'x';
        memcpy(line + SEGMENT - 96, " ERROR: disk full ", 18);
        line[LONG - 1] = 'x';
        line[LONG] = '\0';
        add_lines(&t, 20, "step #");
        add_line(&t, line);
        add_lines(&t, 300, "step #");
        for (uint64_t budget = 400; budget < 3000; budget += 50) {
            const abr_opts o = options(budget);
            abr_cut cut;
            uint64_t invalid = 0;
            char *content = cut_of(t.p, t.n, &o, &cut);
            abr_count_chars(content, cut.content_bytes, &invalid);
            CHECK(strstr(content, "disk full") && invalid <= 2 /* beside "x" and the sign */);
            free(content);
            abr_cut_free(&cut);
        }
        free(t.p);
    }
    free(line);
}

static void without_a_hit_it_is_head_tail(void)
{
    static const char marker[] = "... [{lines} lines left out] ...";
    made t = {0};
    add_lines(&t, 1000, "line # of a quiet text");
    add_lines(&t, 1000, "test_error_# ... ok");
    for (uint64_t budget = 0; budget < 4000; budget += 173) {
        abr_opts o = options(budget);
        o.marker_text = marker;
        o.marker_text_len = sizeof marker - 1;
        abr_cut cut;
        char *content = cut_of(t.p, t.n, &o, &cut);
        CHECK(cut.strategy == ABR_PRIORITY);
        CHECK_COUNT(0, cut.hits_found);
        abr_cut_free(&cut);
        o.strategy = ABR_HEAD_TAIL;
        char *want = cut_of(t.p, t.n, &o, &cut);
        CHECK_TEXT(want, content, strlen(content));
        abr_cut_free(&cut);
        free(want);
        free(content);
    }
    free(t.p);
}

/* ---- what counts as a hit ---- */

static uint64_t hits_in(const char *line)
{
    const abr_opts o = options(100 * KB);
    abr_cut cut;
    free(cut_of(line, strlen(line), &o, &cut));
    uint64_t found = cut.hits_found;
    CHECK_COUNT(found, cut.hits_kept);
    abr_cut_free(&cut);
    return found;
}

static void these_are_hits(void)
{
    static const char *const lines[] = {
        "src/a.c:3:1: error: expected ';'",
        "error[E0502]: cannot borrow `v` as mutable",
        "a.cpp(42,17): error C2065: 'foo': undeclared identifier",
        "app.ts(3,9): error TS2322: Type 'string' is not assignable",
        "  14:7   error    'total' is not defined  no-undef",
        "make: *** [Makefile:120: a.o] Error 1",
        "b.c:(.text+0x1e): undefined reference to `frobnicate'",
        "FAILED tests/test_cart.py::test_total",
        "--- FAIL: TestTotal (0.00s)",
        "not ok 12 - total is right",
        "[  FAILED  ] Cart.Total (0 ms)",
        "E       assert 6 == 7",
        "3 tests, 1 failure",
        "java.lang.NullPointerException: oh",
        "TypeError: Cannot read properties of undefined",
        "panic: runtime error: index out of range",
        "thread 'main' panicked at src/main.rs:2:5:",
        "==77==ERROR: AddressSanitizer: heap-use-after-free on address 0x60",
        "Segmentation fault (core dumped)",
        "cp: cannot stat 'x': No such file or directory",
        "bash: foo: command not found",
        "CONFLICT (content): Merge conflict in a.c",
        "npm ERR! code ERESOLVE",
        "ERROR 1452 (23000) at line 771: Cannot add or update a child row",
        "  \xE2\x9C\x95 totals (5 ms)",
        "./deploy.sh: line 31: TARGET: unbound variable",
        "2026-03-01T10:00:00Z ERROR app.jobs job 77 crashed",
        "exited with code 2",
    };
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        if (!CHECK(hits_in(lines[i]) == 1))
            fprintf(stderr, "no hit: %s\n", lines[i]);
}

static void these_are_not(void)
{
    static const char *const lines[] = {
        "0 errors, 0 warnings",
        "no failures",
        "12 passed, 0 failed, 0 skipped",
        "failures: 0, errors: 0",
        "ok=3 changed=1 unreachable=0 failed=0",
        "gcc -Wall -Werror -Wno-error=unused -c src/error_handler.c -o error_handler.o",
        "test foo_error_handling ... ok",
        "ok 7 - throws TypeError when the token is missing",
        "PASS src/error.test.js",
        "    \xE2\x9C\x93 should fail with an error (3ms)",
        "[       OK ] ErrorTest.Fails (0 ms)",
        "--- PASS: TestErrorHandling (0.00s)",
        "=== RUN   TestUnmarshalTypeError",
        "tests/test_errors.py::test_failure PASSED   [ 12%]",
        "checking for error.h... no",
        "copying src/exceptions/error.py",
        "Without errors it went on",
        "INFO: no errors found",
        "> Task :checkKotlinGradlePluginConfigurationErrors SKIPPED",
        "  28:     0x5633e43785db - <core[c1f1]::panic::unwind_safe::AssertUnwindSafe>::call_once",
    };
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        if (!CHECK(hits_in(lines[i]) == 0))
            fprintf(stderr, "a hit: %s\n", lines[i]);
}

/* A name of any length, so that its colon stands at any place of the blocks that lines are read in. */
static void a_place_is_seen_wherever_its_number_stands(void)
{
    for (size_t n = 1; n < 300; n++) {
        char line[400];
        for (size_t i = 0; i < n; i++)
            line[i] = i % 2 == 0 ? 'd' : '/';
        snprintf(line + n, sizeof line - n, ".c:12: expected 3, got 4");
        if (!CHECK(hits_in(line) == 1))
            fprintf(stderr, "no hit: %s\n", line);
    }
}

static void hits_left_out_are_counted(void)
{
    made t = {0};
    add_lines(&t, 300, "job #: error: no disk");
    const abr_opts o = options(1000);
    abr_cut cut;
    free(cut_of(t.p, t.n, &o, &cut));
    CHECK_COUNT(300, cut.hits_found);
    CHECK_COUNT(cut.output_lines, cut.hits_kept);
    abr_cut_free(&cut);
    free(t.p);
}

static void patterns_of_the_caller_are_hits(void)
{
    static const struct {
        abr_hit hit;
        const char *line;
        uint64_t found;
    } cases[] = {
        {{"OUT", 3, 1, false, false}, "the OUTs came", 1},
        {{"OUT", 3, 1, true, false}, "the OUTs came", 0},
        {{"OUT", 3, 1, true, false}, "the OUT came", 1},
        {{"OUT", 3, 1, true, false}, "(OUT)", 1},
        {{"queue", 5, 1, false, false}, "the QUEUE came", 0},
        {{"queue", 5, 1, false, true}, "the QUEUE came", 1},
        {{"depth * over", 12, 1, false, false}, "depth 9000 is over", 1},
        {{"depth * over", 12, 1, false, false}, "over depth 9000", 0},
        {{"ab*ab", 5, 1, false, false}, "ab", 0},
        {{"ab*ab", 5, 1, true, false}, "abx ab yab ab", 1},
        {{"*", 1, 1, false, false}, "anything", 1},
        {{"error:", 6, 0, false, false}, "x: error: known and fine", 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        abr_opts o = options(100);
        o.hits = &cases[i].hit;
        o.hit_count = 1;
        abr_cut cut;
        free(cut_of(cases[i].line, strlen(cases[i].line), &o, &cut));
        if (!CHECK_COUNT(cases[i].found, cut.hits_found))
            fprintf(stderr, "case %zu\n", i);
        abr_cut_free(&cut);
    }
}

/* In chars as in bytes, the end does not take all the room. */
static void the_end_has_its_share(void)
{
    char steps[8192];
    size_t n = 0;
    for (int i = 0; i < 300; i++)
        n += (size_t)snprintf(steps + n, sizeof steps - n,
                              i == 150 ? "a.c:1: error: no 'x'\n" : "step %d of all\n", i);
    for (int unit = 0; unit < 2; unit++) {
        abr_opts o = options(unit == 0 ? 600 : ABR_UNLIMITED);
        o.max.chars = unit == 0 ? ABR_UNLIMITED : 600;
        abr_cut cut;
        free(cut_of(steps, n, &o, &cut));
        CHECK_COUNT(1, cut.hits_found);
        CHECK_COUNT(1, cut.hits_kept);
        CHECK_COUNT(n, cut.pieces[cut.piece_count - 1].last_byte);
        abr_cut_free(&cut);
    }
}

static void groups_can_be_quiet(void)
{
    abr_opts o = options(1000);
    o.quiet_groups = ABR_GROUPS;
    static const char line[] = "error: fatal: FAILED: cannot open: TypeError: x\nE   assert\nnot ok 1\n";
    abr_cut cut;
    free(cut_of(line, strlen(line), &o, &cut));
    CHECK_COUNT(0, cut.hits_found);
    abr_cut_free(&cut);
}

static void wrong_hits_are_refused(void)
{
    abr_hit hit = {"", 0, 1, false, false};
    abr_opts o = options(10);
    abr_cut cut;
    abr_error error;
    o.hits = &hit;
    o.hit_count = 1;
    CHECK(abr_cut_text("x", 1, &o, &cut, &error) == ABR_EINVAL);
    hit = (abr_hit){"x", 1, -1, false, false};
    CHECK(abr_cut_text("x", 1, &o, &cut, &error) == ABR_EINVAL);
    hit.weight = 1;
    o.hit_count = ABR_HITS_MOST + 1;
    CHECK(abr_cut_text("x", 1, &o, &cut, &error) == ABR_EINVAL);
}

/* ---- rules that hold for any text ---- */

static const char *const pieces[] = {"error: ",
                                     "FAILED ",
                                     "0 errors",
                                     "Traceback (most recent call last):\n",
                                     "\n",
                                     "\n",
                                     "plain words here ",
                                     "\xC3\xA9\xE2\x82\xAC",
                                     "\xFF",
                                     "at f (a.js:1:2)\n",
                                     "src/a.c:12:3: ",
                                     "warning: unused ",
                                     "12345 ",
                                     "\t",
                                     "ok 1 - fine\n",
                                     "KeyError: 'x'\n",
                                     "\r\n",
                                     "    ",
                                     "expected: 7\n",
                                     "a_very_long_name_of_things/and/paths.c "};

static made any_text(size_t most)
{
    made t = {0};
    size_t wanted = pick(most) + 1;
    t.p = malloc(wanted + 8 * KB);
    while (t.n < wanted) {
        const char *piece = pieces[pick(sizeof pieces / sizeof *pieces)];
        memcpy(t.p + t.n, piece, strlen(piece));
        t.n += strlen(piece);
        if (pick(400) == 0) { /* a long line */
            size_t n = pick(6 * KB);
            memset(t.p + t.n, 'l', n);
            t.n += n < wanted + KB - t.n ? n : 0;
        }
    }
    return t;
}

static abr_opts any_options(void)
{
    static const uint64_t budgets[] = {0, 1, 20, 97, 130, 300, 900, 3000, 9000};
    abr_opts o = options(ABR_UNLIMITED);
    uint64_t budget = budgets[pick(sizeof budgets / sizeof *budgets)];
    switch (pick(5)) {
    case 0:
        o.max.chars = budget;
        break;
    case 1:
        o.max.tokens = budget / 3;
        break;
    case 2:
        o.max.lines = budget / 20;
        o.max.bytes = 5000;
        break;
    default:
        o.max.bytes = budget;
    }
    if (pick(3) == 0)
        o.max.lines = pick(60);
    o.utf8_replace = pick(2) == 0;
    o.marker = (abr_marker)pick(3);
    if (pick(3) == 0) {
        o.marker_text = "<{lines}, {chars}>";
        o.marker_text_len = strlen(o.marker_text);
    }
    if (pick(3) == 0) {
        o.reserve = "[cut]";
        o.reserve_len = 5;
    }
    return o;
}

static void check_ledger(const abr_cut *cut, const char *p, size_t n)
{
    uint64_t at = 0;
    uint64_t bytes = 0;
    for (size_t i = 0; i < cut->piece_count; i++) {
        const abr_piece *piece = &cut->pieces[i];
        CHECK(piece->n > 0);
        if (!piece->source)
            continue;
        CHECK(piece->first_byte > at && piece->last_byte <= n);
        CHECK_COUNT(piece->n, piece->last_byte - piece->first_byte + 1);
        CHECK_BYTES(p + piece->first_byte - 1, piece->n, piece->p, piece->n);
        CHECK_COUNT(abr_count_lines(p, (size_t)piece->first_byte), piece->first_line);
        at = piece->last_byte;
        bytes += piece->n;
    }
    CHECK_COUNT(bytes, cut->output_bytes);
    CHECK_COUNT(n - bytes, cut->omitted_bytes);
    CHECK_COUNT(cut->total_lines, cut->output_lines + cut->omitted_lines);
    CHECK(cut->hits_kept <= cut->hits_found);
    CHECK(cut->failures_kept <= cut->failures_found && cut->failures_found <= cut->hits_found);
}

static void check_budgets(const abr_cut *cut, const abr_opts *o, const char *content)
{
    uint64_t reserve = cut->truncated ? o->reserve_len : 0;
    if (o->marker == ABR_MARKER_OUTSIDE)
        return;
    CHECK(cut->content_bytes + reserve <= o->max.bytes || cut->content_bytes == 0);
    CHECK(cut->output_lines <= o->max.lines);
    CHECK(o->max.chars == ABR_UNLIMITED || cut->content_bytes == 0 ||
          abr_count_chars(content, cut->content_bytes, NULL) + reserve <= o->max.chars);
    CHECK(o->max.tokens == ABR_UNLIMITED || cut->content_bytes == 0 ||
          abr_weigh_tokens(content, cut->content_bytes, o->token_safety) <= o->max.tokens);
}

/* The same through a stream of larger budgets in random chunks, lowered at the end. */
static void check_stream(const made *t, const abr_opts *o, const abr_cut *want, const char *content)
{
    abr_opts wide = *o;
    if (pick(2) == 0 && o->max.bytes != ABR_UNLIMITED)
        wide.max.bytes = o->max.bytes * 3 + pick(50000);
    abr_stream *s = NULL;
    abr_cut cut;
    CHECK(abr_stream_open(&wide, NULL, NULL, &s, NULL) == ABR_OK);
    size_t most = pick(3) == 0 ? 3 : pick(2) == 0 ? 100 : 5000;
    for (size_t at = 0; at < t->n;) {
        size_t n = pick(most) + 1;
        n = n < t->n - at ? n : t->n - at;
        char *chunk = exact(t->p + at, n);
        CHECK(abr_stream_write(s, chunk, n) == ABR_OK);
        free(chunk);
        at += n;
        if (pick(50) == 0 && abr_stream_snapshot(s, NULL, &cut, NULL) == ABR_OK)
            abr_cut_free(&cut);
    }
    const abr_narrow narrow = {o->max, NULL, 0, ABR_LONG_DEFAULT, false, false};
    if (CHECK(abr_stream_finish(s, &narrow, &cut, NULL) == ABR_OK)) {
        char *got = content_of(&cut);
        CHECK_BYTES(content, want->content_bytes, got, cut.content_bytes);
        CHECK_COUNT(want->hits_found, cut.hits_found);
        CHECK_COUNT(want->hits_kept, cut.hits_kept);
        CHECK_COUNT(want->failures_found, cut.failures_found);
        CHECK_COUNT(want->failures_kept, cut.failures_kept);
        CHECK_COUNT(want->output_lines, cut.output_lines);
        CHECK_COUNT(want->piece_count, cut.piece_count);
        check_ledger(&cut, t->p, t->n);
        free(got);
    }
    abr_cut_free(&cut);
    abr_stream_close(s);
}

static void any_text_in_any_chunks(void)
{
    const size_t rounds = check_cases(1200);
    for (size_t i = 0; i < rounds && check_failures == 0; i++) {
        made t = any_text(pick(4) == 0 ? 60000 : 6000);
        const abr_opts o = any_options();
        abr_cut cut;
        uint64_t seed = check_seed;
        char *copy = exact(t.p, t.n);
        if (CHECK(abr_cut_text(copy, t.n, &o, &cut, NULL) == ABR_OK)) {
            char *content = content_of(&cut);
            check_ledger(&cut, t.p, t.n);
            check_budgets(&cut, &o, content);
            check_stream(&t, &o, &cut, content);
            free(content);
        }
        if (check_failures > 0)
            fprintf(stderr, "round %zu, seed %" PRIu64 "\n", i, seed);
        abr_cut_free(&cut);
        free(copy);
        free(t.p);
    }
}

static void nearly_all_of_the_budget_is_used(void)
{
    for (size_t i = 0; i < 60; i++) {
        made t = {0};
        size_t lines = 2000 + pick(3000);
        for (size_t k = 0; k < lines; k++)
            add_line(&t, pick(20) == 0  ? "x.c:1: error: something else"
                         : pick(2) == 0 ? "a line of words"
                                        : "and another one");
        const abr_opts o = options(1500 + pick(20000));
        abr_cut cut;
        free(cut_of(t.p, t.n, &o, &cut));
        CHECK(cut.content_bytes <= o.max.bytes && cut.content_bytes * 100 >= o.max.bytes * 95);
        abr_cut_free(&cut);
        free(t.p);
    }
}

static void a_gap_that_is_filled_costs_all_its_newlines(void)
{
    for (uint64_t budget = 100; budget < 250; budget++) {
        for (int n = 40; n < 100; n++) {
            made t = {0};
            abr_cut cut;
            char line[128];
            abr_opts o = options(budget);
            o.marker = ABR_MARKER_OUTSIDE;
            add_lines(&t, 3, "compiling a#.c");
            snprintf(line, sizeof line, "compiling %0*d.c", n, 0);
            add_line(&t, line);
            add_line(&t, "a.c:3:5: error: expected ;");
            add_line(&t, "   ^");
            add_lines(&t, 3, "x.#");
            free(cut_of(t.p, t.n, &o, &cut));
            CHECK(cut.output_bytes <= budget);
            abr_cut_free(&cut);
            free(t.p);
        }
    }
}

static made text_of(const char *p)
{
    return (made){exact(p, strlen(p)), strlen(p), 0};
}

/* What a stream gives for a text that comes a byte at a time. */
static void expect_stream(const made *t, const abr_opts *o, const char *content, size_t n)
{
    abr_stream *s = NULL;
    abr_cut cut;
    CHECK(abr_stream_open(o, NULL, NULL, &s, NULL) == ABR_OK);
    for (size_t i = 0; i < t->n; i++)
        CHECK(abr_stream_write(s, t->p + i, 1) == ABR_OK);
    if (CHECK(abr_stream_finish(s, NULL, &cut, NULL) == ABR_OK)) {
        char *got = content_of(&cut);
        CHECK_BYTES(content, n, got, cut.content_bytes);
        free(got);
        abr_cut_free(&cut);
    }
    abr_stream_close(s);
}

/* Every budget near the size of a text. */
static void expect_near_size(const char *p)
{
    made t = text_of(p);
    for (uint64_t budget = t.n - 40; budget < t.n + 5; budget++) {
        abr_opts o = options(budget);
        for (unsigned i = 0; i < 4; i++) {
            abr_cut cut;
            o.marker = i % 2 == 0 ? ABR_MARKER_INSIDE : ABR_MARKER_NONE;
            o.max.chars = i < 2 ? ABR_UNLIMITED : budget;
            o.max.bytes = i < 2 ? budget : ABR_UNLIMITED;
            char *content = cut_of(t.p, t.n, &o, &cut);
            CHECK((i < 2 ? cut.content_bytes : abr_count_chars(content, cut.content_bytes, NULL)) <= budget);
            CHECK(cut.content_bytes <= t.n);
            expect_stream(&t, &o, content, cut.content_bytes);
            free(content);
            abr_cut_free(&cut);
        }
    }
    free(t.p);
}

/* Room that closed gaps gave back was given to a line, and the gaps were opened anew. */
static void a_long_line_is_shown_whole_beside_gaps_that_stay_closed(void)
{
    expect_near_size("AILEDa0\n\n\n"
                     "zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz\n"
                     "pLEDaazzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzprogress 10%err");
    expect_near_size("error: xzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz\n"
                     "zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz\n"
                     "zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz");
}

/* The room for its end was counted without the " ..." that still stood there. */
static void a_first_line_that_is_cut_is_widened_within_the_budget(void)
{
    expect_near_size("                       FAILED\xC3\xA9"
                     "error: xprogress 10%eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee"
                     "zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz\n"
                     "\xC3\xA9                                                      \n"
                     "\r\n"
                     "                                                          ");
}

/* It was retained whole, but its newline was not. */
static void a_line_widened_to_its_end_is_not_marked_as_cut(void)
{
    made t = {0};
    add_line(
        &t,
        "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeezzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz"
        "zzzzzzzzzzzzzzzzzzzzzz                        zzzzzzzzzzzzzzzzzzzzz");
    add_line(&t, "error: xqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqq");
    add_line(&t, "xxxxxxxxxxxxxxxxxxxxxxxxxFAILEDxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx");
    add_line(&t, "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee");
    add_line(&t, "\xC3\xA9\n\na b c\n");
    for (uint64_t budget = 96; budget < t.n; budget++) {
        const abr_opts o = options(budget);
        abr_cut cut;
        char *content = cut_of(t.p, t.n, &o, &cut);
        CHECK(strstr(content, "error: xqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqq ...") == NULL);
        free(content);
        abr_cut_free(&cut);
    }
    free(t.p);
}

/* A line may start or end just where what is at hand of the text's end or start does. */
static void a_whole_line_is_never_marked_as_cut(void)
{
    made t = {0};
    char line[512];
    memset(line, 'x', sizeof line);
    memcpy(line + 200, " FAILED ", 8);
    line[sizeof line - 1] = '\0';
    add_line(&t, line);
    add_lines(&t, 400, "y");
    add_line(&t, line);
    for (uint64_t budget = 96; budget < 300; budget++)
        for (int outside = 0; outside < 2; outside++) {
            abr_opts o = options(budget);
            o.marker = outside ? ABR_MARKER_OUTSIDE : ABR_MARKER_INSIDE;
            abr_cut cut;
            char *content = cut_of(t.p, t.n, &o, &cut);
            CHECK(strstr(content, "\n... y\n") == NULL && strstr(content, "\ny ...\n") == NULL);
            expect_stream(&t, &o, content, cut.content_bytes);
            free(content);
            abr_cut_free(&cut);
        }
    free(t.p);
}

/* 26 bytes of marker for three lines of 9 would be a loss. */
static void a_gap_smaller_than_its_marker_is_closed(void)
{
    made t = {0};
    add_line(&t, "error: one");
    add_lines(&t, 3, "y#");
    add_line(&t, "error: two, of which a good deal more is known than of one");
    add_lines(&t, 20, "a line that is left out, number #");
    add_line(&t, "the end");
    const abr_opts o = options(150);
    abr_cut cut;
    char *content = cut_of(t.p, t.n, &o, &cut);
    CHECK(strstr(content, "error: one\ny1\ny2\ny3\nerror: two") != NULL);
    free(content);
    abr_cut_free(&cut);
    free(t.p);
}

static bool count_bytes(void *ctx, const char *p, size_t n, uint64_t *tokens)
{
    (void)ctx;
    (void)p;
    *tokens = n;
    return true;
}

static void a_marker_outside_costs_no_tokens(void)
{
    made t = {0};
    abr_cut cut;
    abr_opts o = options(ABR_UNLIMITED);
    add_lines(&t, 20, "error: of line #");
    add_line(&t, "the end");
    o.max.tokens = 40;
    o.count_tokens = count_bytes;
    o.marker = ABR_MARKER_OUTSIDE;
    free(cut_of(t.p, t.n, &o, &cut));
    CHECK(cut.output_bytes <= 40 && cut.output_bytes > 30);
    abr_cut_free(&cut);
    free(t.p);
}

/* A marker may take nearly all the room there is. */
static void the_end_comes_before_all_else(void)
{
    made t = {0};
    abr_cut cut;
    abr_opts o = options(120);
    add_line(&t, "a\nerror: x");
    add_lines(&t, 9, "a line that is left out, number #");
    add_line(&t, "the last line, of which not all fits beside the marker and the start");
    o.marker_text =
        "... {lines} lines are left out here, as there is no room for what they say to anyone ...";
    o.marker_text_len = strlen(o.marker_text);
    char *content = cut_of(t.p, t.n, &o, &cut);
    CHECK(cut.content_bytes <= 120 && cut.content_bytes > 110);
    CHECK_TEXT("and the start\n", content + cut.content_bytes - 14, 14);
    free(content);
    abr_cut_free(&cut);
    free(t.p);
}

/* What is retained of either end may begin or end with half a char. */
static void no_char_is_split_where_what_is_at_hand_ends(void)
{
    for (uint64_t budget = 96; budget < 400; budget++) {
        made t = {0};
        abr_cut cut;
        char line[512];
        size_t n = budget % 2;
        memcpy(line, "xx", 2);
        for (; n + 2 < sizeof line; n += 2)
            memcpy(line + n, "\xC3\xA9", 2);
        line[n] = '\0';
        add_line(&t, line);
        add_line(&t, "error: x");
        line[150 + budget % 2] = '\0';
        add_line(&t, line);
        const abr_opts o = options(budget);
        char *content = cut_of(t.p, t.n, &o, &cut);
        uint64_t invalid;
        abr_count_chars(content, cut.content_bytes, &invalid);
        CHECK_COUNT(0, invalid);
        free(content);
        abr_cut_free(&cut);
        free(t.p);
    }
}

static void the_last_line_is_always_there(void)
{
    for (size_t i = 0; i < 60; i++) {
        made t = {0};
        add_lines(&t, 3000, "x#.c:#: error: no such thing as #");
        add_line(&t, "THE END");
        const abr_opts o = options(60 + pick(4000));
        abr_cut cut;
        char *content = cut_of(t.p, t.n, &o, &cut);
        CHECK_TEXT("THE END\n", content + cut.content_bytes - 8, 8);
        free(content);
        abr_cut_free(&cut);
        free(t.p);
    }
}

/* ---- memory ---- */

static void memory_is_bounded(void)
{
    static const uint64_t budgets[] = {0, 200, 2 * KB, 30 * KB, 128 * KB};
    made t = {0};
    add_lines(&t, 4000, "x: error #: cannot open file #, no such file or directory, giving up on number #");
    add_lines(&t, 4000, "#");
    for (size_t i = 0; i < sizeof budgets / sizeof *budgets; i++) {
        ledger l = {0};
        const abr_alloc alloc = ledger_alloc(&l);
        abr_opts o = options(budgets[i]);
        o.alloc = &alloc;
        abr_stream *s = NULL;
        abr_cut cut;
        CHECK(abr_stream_open(&o, NULL, NULL, &s, NULL) == ABR_OK);
        for (size_t k = 0; k < 20; k++)
            CHECK(abr_stream_write(s, t.p, t.n) == ABR_OK);
        CHECK(abr_stream_finish(s, NULL, &cut, NULL) == ABR_OK);
        if (!CHECK(l.peak <= 64 * budgets[i] + MB))
            fprintf(stderr, "%zu bytes with a budget of %" PRIu64 "\n", l.peak, budgets[i]);
        abr_cut_free(&cut);
        abr_stream_close(s);
        CHECK_COUNT(0, l.blocks);
    }
    free(t.p);
}

static void a_budget_of_megabytes_retains_no_more_lines(void)
{
    const size_t n = 12 * MB;
    const uint64_t budgets[] = {MB, 4 * MB, n - 10};
    char *p = malloc(n);
    if (!p)
        exit(2);
    for (size_t i = 0; i < n; i++)
        p[i] = "ab\n"[i % 3];
    memcpy(p + n / 2, "\nerror: it broke\n", 17);
    for (size_t i = 0; i < sizeof budgets / sizeof *budgets; i++) {
        ledger l = {0};
        const abr_alloc alloc = ledger_alloc(&l);
        abr_opts o = options(budgets[i]);
        abr_cut cut;
        o.alloc = &alloc;
        CHECK(abr_cut_text(p, n, &o, &cut, NULL) == ABR_OK);
        CHECK(cut.content_bytes <= budgets[i] && cut.content_bytes > budgets[i] / 100 * 99);
        CHECK_COUNT(1, cut.hits_kept);
        CHECK(l.peak < budgets[i] + 32 * MB);
        abr_cut_free(&cut);
    }
    free(p);
}

/* Hits that show only since a gap was filled, in the lines that a small budget does not retain. */
static void hits_that_fill_a_gap_are_kept_ones(void)
{
    made t = {0};
    for (size_t i = 0; i < 3000; i++)
        add_lines(&t, 1, i % 2 == 0 ? "src/file.c:12: error: 'x' undeclared" : "");
    const abr_opts o = options(30 * KB);
    abr_cut cut;
    char *content = cut_of(t.p, t.n, &o, &cut);
    size_t shown = 0;
    for (const char *at = content; (at = strstr(at, "src/file.c:12: error")) != NULL; at++)
        shown++;
    CHECK(shown > 600);
    CHECK(cut.hits_kept <= shown && cut.hits_kept + 4 >= shown);
    CHECK(cut.failures_kept <= cut.failures_found);
    free(content);
    abr_cut_free(&cut);
    free(t.p);
}

/* Lines that come again and again are passed over in one chunk, and read one by one in chunks of a byte. */
static void a_flood_passed_over_leaves_what_its_lines_would(void)
{
    static const char *const lines[] = {
        "",          "  ",    "x",           "ok 1",   "done in 3s",
        "error: no", "retry", "\tat f(f:1)", "Error:", "Traceback (most recent call last):"};
    for (size_t i = check_cases(60); i > 0 && check_failures == 0; i--) {
        made t = {0};
        const size_t budget = pick(2) == 0 ? 200 + pick(1000) : 0;
        for (size_t flood = 0; flood < 12; flood++) {
            const char *line = lines[pick(sizeof lines / sizeof *lines)];
            for (size_t k = pick(3) == 0 ? 20000 : pick(30); k > 0; k--)
                add_line(&t, line);
            add_lines(&t, pick(4), "worker # failed to start");
        }
        abr_opts o = options(budget > 0 ? budget : t.n / 2 + 1);
        abr_cut cut;
        abr_cut streamed;
        abr_stream *s = NULL;
        char *whole = cut_of(t.p, t.n, &o, &cut);
        CHECK(abr_stream_open(&o, NULL, NULL, &s, NULL) == ABR_OK);
        for (size_t k = 0; k < t.n; k++)
            abr_stream_write(s, t.p + k, 1);
        CHECK(abr_stream_finish(s, NULL, &streamed, NULL) == ABR_OK);
        char *content = content_of(&streamed);
        CHECK_BYTES(whole, cut.content_bytes, content, streamed.content_bytes);
        CHECK_COUNT(streamed.hits_kept, cut.hits_kept);
        CHECK_COUNT(streamed.failures_kept, cut.failures_kept);
        CHECK_COUNT(streamed.hits_found, cut.hits_found);
        free(whole);
        free(content);
        abr_cut_free(&cut);
        abr_cut_free(&streamed);
        abr_stream_close(s);
        free(t.p);
    }
}

static void every_failure_to_allocate_is_survived(void)
{
    made t = {0};
    add_lines(&t, 40, "step #");
    add_line(&t, "a: error: b");
    add_lines(&t, 40, "step #");
    abr_hit hit = {"step 7", 6, 1, false, false};
    for (size_t fail_at = 1;; fail_at++) {
        ledger l = {.fail_at = fail_at};
        const abr_alloc alloc = ledger_alloc(&l);
        abr_opts o = options(200);
        o.max.tokens = 60;
        o.hits = &hit;
        o.hit_count = 1;
        o.alloc = &alloc;
        abr_cut cut;
        abr_error error = {ABR_OK, NULL, 0};
        abr_code code = abr_cut_text(t.p, t.n, &o, &cut, &error);
        CHECK(code == ABR_OK || (code == ABR_ENOMEM && error.code == ABR_ENOMEM));
        abr_cut_free(&cut);
        CHECK_COUNT(0, l.blocks);
        if (l.calls < fail_at)
            break;
        CHECK(code == ABR_ENOMEM);
    }
    for (size_t fail_at = 1;; fail_at++) {
        ledger l = {.fail_at = fail_at};
        const abr_alloc alloc = ledger_alloc(&l);
        abr_opts o = options(200);
        o.alloc = &alloc;
        abr_stream *s = NULL;
        abr_cut cut = {0};
        abr_code code = abr_stream_open(&o, NULL, NULL, &s, NULL);
        for (size_t at = 0; at < t.n && code == ABR_OK; at += 100)
            code = abr_stream_write(s, t.p + at, t.n - at < 100 ? t.n - at : 100);
        if (code == ABR_OK)
            code = abr_stream_finish(s, NULL, &cut, NULL);
        abr_cut_free(&cut);
        abr_stream_close(s);
        CHECK_COUNT(0, l.blocks);
        CHECK(code == (l.calls < fail_at ? ABR_OK : ABR_ENOMEM));
        if (l.calls < fail_at)
            break;
    }
    free(t.p);
}

int main(void)
{
    RUN(a_flood_of_names_hides_no_failure);
    RUN(a_flood_of_zeros_hides_no_failure);
    RUN(a_flood_of_false_hits_leaves_the_first_error_and_the_end);
    RUN(what_belongs_together_stays_together);
    RUN(each_gap_is_marked_with_its_lines);
    RUN(a_long_line_is_cut_around_what_it_says);
    RUN(a_long_line_is_cut_between_chars);
    RUN(without_a_hit_it_is_head_tail);
    RUN(these_are_hits);
    RUN(these_are_not);
    RUN(a_place_is_seen_wherever_its_number_stands);
    RUN(hits_left_out_are_counted);
    RUN(patterns_of_the_caller_are_hits);
    RUN(the_end_has_its_share);
    RUN(groups_can_be_quiet);
    RUN(wrong_hits_are_refused);
    RUN(any_text_in_any_chunks);
    RUN(nearly_all_of_the_budget_is_used);
    RUN(a_gap_that_is_filled_costs_all_its_newlines);
    RUN(a_long_line_is_shown_whole_beside_gaps_that_stay_closed);
    RUN(a_first_line_that_is_cut_is_widened_within_the_budget);
    RUN(a_line_widened_to_its_end_is_not_marked_as_cut);
    RUN(a_whole_line_is_never_marked_as_cut);
    RUN(a_gap_smaller_than_its_marker_is_closed);
    RUN(a_marker_outside_costs_no_tokens);
    RUN(the_end_comes_before_all_else);
    RUN(no_char_is_split_where_what_is_at_hand_ends);
    RUN(the_last_line_is_always_there);
    RUN(memory_is_bounded);
    RUN(a_budget_of_megabytes_retains_no_more_lines);
    RUN(hits_that_fill_a_gap_are_kept_ones);
    RUN(a_flood_passed_over_leaves_what_its_lines_would);
    RUN(every_failure_to_allocate_is_survived);
    return check_end();
}
