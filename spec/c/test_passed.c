/* What tests print that pass is no trouble. */
#include "check.h"
#include "line/lexicon.h"
#include "line/rule.h"
#include "priority/passed.h"
#include "priority/retain.h"

/* How many hits has a text of these lines, read with a lexicon? */
static uint64_t hits_of(const abr_lexicon *lexicon, const char *const *lines)
{
    char text[1024] = {0};
    for (; *lines; lines++) {
        strcat(text, *lines);
        strcat(text, "\n");
    }
    const abr_retainer_opts opts = {.keep = 1000, .lexicon = lexicon};
    abr_retainer *q;
    if (!CHECK(abr_retainer_open(&opts, &q) == ABR_OK))
        return UINT64_MAX;
    CHECK(abr_retainer_reserve(q, ABR_UNLIMITED, sizeof text));
    abr_retainer_write(q, text, strlen(text));
    const uint64_t hits = abr_retainer_found(q).hits;
    abr_retainer_close(q);
    return hits;
}
#define HITS_OF(lexicon, ...) hits_of(lexicon, (const char *const[]){__VA_ARGS__, NULL})

static const char trouble[] = "error: the total is wrong";

/* Every row of test_spans.def earns its place. */
static void an_error_of_a_test_that_passed_is_none_by_its_row_alone(void)
{
    static const struct {
        const char *program, *opening, *closing;
    } rows[] = {
#define SPAN(start, within, end, named, passed, later, passed_end, failed, program, opening, closing)        \
    {program, opening, closing},
#include "line/test_spans.def"
#undef SPAN
    };
    static abr_lexicon lexicon;
    abr_lexicon_open(&lexicon, 0);
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        lexicon.without = ABR_NO_RULE;
        const uint64_t with_it = HITS_OF(&lexicon, rows[i].opening, trouble, rows[i].closing, "done");
        lexicon.without = ABR_RULE_TEST_SPAN + i;
        const uint64_t without_it = HITS_OF(&lexicon, rows[i].opening, trouble, rows[i].closing, "done");
        if (!CHECK(with_it == 0 && without_it > 0 && *rows[i].program))
            fprintf(stderr, "test_spans.def: its lines prove nothing: %s\n", rows[i].opening);
    }
}

static void an_error_of_any_other_test_counts(void)
{
    static abr_lexicon lexicon;
    abr_lexicon_open(&lexicon, 0);
    CHECK(HITS_OF(&lexicon, "=== RUN   TestTax", trouble, "--- FAIL: TestTax (0.01s)") == 2);
    CHECK(HITS_OF(&lexicon, "=== RUN   TestTax", trouble, "--- PASS: TestTotal (0.01s)") == 1);
    CHECK(HITS_OF(&lexicon, "=== RUN   TestTax", trouble) == 1);
    CHECK(HITS_OF(&lexicon, trouble, "--- PASS: TestTax (0.01s)") == 1);
    CHECK(HITS_OF(&lexicon, trouble, "=== RUN   TestTax", trouble, "--- PASS: TestTax (0.01s)", trouble) ==
          2);
}

static void tests_within_a_test_pass_with_it(void)
{
    static abr_lexicon lexicon;
    abr_lexicon_open(&lexicon, 0);
    CHECK(HITS_OF(&lexicon, "=== RUN   TestTax", trouble, "=== RUN   TestTax/none", trouble,
                  "--- PASS: TestTax (0.01s)", "    --- PASS: TestTax/none (0.00s)") == 0);
}

static void the_failure_of_a_test_beside_it_counts(void)
{
    static abr_lexicon lexicon;
    abr_lexicon_open(&lexicon, 0);
    CHECK(HITS_OF(&lexicon, "=== CONT  TestTotal", "--- FAIL: TestTax (0.01s)", trouble,
                  "--- PASS: TestTotal (0.02s)") == 2);
    CHECK(HITS_OF(&lexicon, "TEST-START | a.html", "TEST-UNEXPECTED-FAIL | a.html | got 12, expected 13",
                  "TEST-OK | a.html | took 2ms") == 1);
    CHECK(HITS_OF(&lexicon, "Running shop.CartTest",
                  "Tests run: 3, Failures: 1, Errors: 0, Time elapsed: 1 s - in shop.Tax", trouble,
                  "Tests run: 2, Failures: 0, Errors: 0, Time elapsed: 1 s - in shop.CartTest") == 2);
}

static void a_failure_between_two_tests_that_passed_counts(void)
{
    static abr_lexicon lexicon;
    abr_lexicon_open(&lexicon, 0);
    CHECK(HITS_OF(&lexicon, "=== RUN   TestTax", trouble, "--- PASS: TestTax (0.01s)",
                  "--- FAIL: TestCart (0.1s)", "=== RUN   TestTotal", trouble,
                  "--- PASS: TestTotal (0.01s)") == 1);
    const abr_retainer_opts opts = {.keep = 1000, .lexicon = &lexicon};
    static const char text[] =
        "=== RUN   TestTax\nerror: a\n--- PASS: TestTax (0.01s)\n--- FAIL: TestCart (0.1s)\n"
        "=== RUN   TestTotal\nerror: b\n--- PASS: TestTotal (0.01s)\n\n";
    abr_retainer *q;
    if (!CHECK(abr_retainer_open(&opts, &q) == ABR_OK))
        return;
    CHECK(abr_retainer_reserve(q, ABR_UNLIMITED, sizeof text));
    abr_retainer_write(q, text, sizeof text - 1);
    size_t count;
    const abr_passed_lines *passed = abr_retainer_passed(q, &count);
    CHECK(count == 2 && passed[0].end == 2 && passed[1].from == 4);
    abr_retainer_close(q);
}

static void a_name_is_no_part_of_another_one(void)
{
    static abr_lexicon lexicon;
    abr_lexicon_open(&lexicon, 0);
    CHECK(HITS_OF(&lexicon, "=== CONT  TestTax", trouble, "--- PASS: TestTaxes (0.02s)") == 1);
    CHECK(HITS_OF(&lexicon, "=== CONT  TestTax", trouble, "    --- PASS: TestTax/none (0.02s)") == 1);
    CHECK(HITS_OF(&lexicon, "CartTest STANDARD_ERROR", trouble, "CartTest > total() PASSED") == 1);
    CHECK(HITS_OF(&lexicon, "  Compiling shop::cart ", trouble, "PASSED   [ 50%]") == 1);
    CHECK(HITS_OF(&lexicon, "t/cart.t .. ", trouble, "ok 1") == 1);
}

static void lines_may_end_with_CR(void)
{
    static abr_lexicon lexicon;
    abr_lexicon_open(&lexicon, 0);
    CHECK(HITS_OF(&lexicon, "t/cart.t .. \r", "error: x\r", "ok\r") == 0);
    CHECK(HITS_OF(&lexicon, "Cart > total() STANDARD_OUT\r", "error: x\r", "Cart > total() PASSED\r") == 0);
}

static void what_a_sanitizer_reports_counts(void)
{
    static const char *const reports[] = {
        "SUMMARY: ThreadSanitizer: data race src/cart.cc:61:3 in total",
        "src/cart.cc:3:4: runtime error: signed integer overflow: 2147483647 + 1",
        "==12== Invalid read of size 4"};
    static abr_lexicon lexicon;
    abr_lexicon_open(&lexicon, 0);
    for (unsigned i = 0; i < sizeof reports / sizeof *reports; i++)
        CHECK(HITS_OF(&lexicon, "[ RUN      ] Cart.Total", reports[i], "[       OK ] Cart.Total (2 ms)") ==
              1);
}

static void a_name_of_any_length_is_read(void)
{
    static abr_lexicon lexicon;
    static char opening[2 * ABR_TEST_NAME_MOST + 32];
    static char closing[sizeof opening];
    abr_lexicon_open(&lexicon, 0);
    for (size_t n = 1; n <= (size_t)2 * ABR_TEST_NAME_MOST; n++) {
        memset(opening, 'a', sizeof opening);
        memset(closing, 'a', sizeof closing);
        memcpy(opening, "=== RUN   ", 10);
        memcpy(closing, "--- PASS: ", 10);
        opening[10 + n] = closing[10 + n] = '\0';
        CHECK(HITS_OF(&lexicon, opening, trouble, closing) == (n > ABR_TEST_NAME_MOST));
    }
}

/* Stretches with a hit between them are remembered up to a number; what comes later counts. */
static void no_more_stretches_are_remembered_than_there_is_room_for(void)
{
    static abr_lexicon lexicon;
    static const char test[] = "=== RUN   TestTax\nerror: a\n--- PASS: TestTax (0.01s)\nerror: b\n\n\n";
    abr_lexicon_open(&lexicon, 0);
    const abr_retainer_opts opts = {.keep = 1000, .lexicon = &lexicon};
    abr_retainer *q;
    if (!CHECK(abr_retainer_open(&opts, &q) == ABR_OK))
        return;
    enum { MORE = 3, TESTS = ABR_PASSED_MOST + MORE };
    for (unsigned i = 0; i < TESTS; i++) {
        CHECK(abr_retainer_reserve(q, ABR_UNLIMITED, sizeof test));
        abr_retainer_write(q, test, sizeof test - 1);
    }
    size_t count;
    const abr_passed_lines *passed = abr_retainer_passed(q, &count);
    CHECK(count == ABR_PASSED_MOST);
    CHECK(passed[0].from == 0 && passed[0].end == 2);
    CHECK(abr_retainer_found(q).hits == TESTS + MORE);
    abr_retainer_close(q);
}

int main(void)
{
    RUN(an_error_of_a_test_that_passed_is_none_by_its_row_alone);
    RUN(an_error_of_any_other_test_counts);
    RUN(tests_within_a_test_pass_with_it);
    RUN(the_failure_of_a_test_beside_it_counts);
    RUN(a_failure_between_two_tests_that_passed_counts);
    RUN(a_name_is_no_part_of_another_one);
    RUN(lines_may_end_with_CR);
    RUN(what_a_sanitizer_reports_counts);
    RUN(a_name_of_any_length_is_read);
    RUN(no_more_stretches_are_remembered_than_there_is_room_for);
    return check_end();
}
