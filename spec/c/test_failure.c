/* Where a failure starts, and where the tool that printed it goes on. */
#include "check.h"
#include "priority/candidates.h"
#include "priority/failure.h"
#include "line/line_score.h"

static abr_failure failure;

static void start_text(void)
{
    failure = (abr_failure){0};
}

/* Does a failure take the line, which had `nth` of its shape before it? */
static bool takes(const char *line, uint32_t nth)
{
    static abr_lexicon lexicon;
    static const abr_patterns none;
    abr_lexicon_open(&lexicon, 0);
    size_t n = strlen(line);
    char *copy = calloc(1, n + ABR_PADDING);
    memcpy(copy, line, n);
    abr_reading r;
    abr_read_line(&lexicon, &none, copy, n, &r);
    bool taken = abr_failure_takes(&failure, &r, nth, copy, n);
    free(copy);
    return taken;
}

static void it_starts_at_a_hit(void)
{
    start_text();
    CHECK(!takes("making all", 0));
    CHECK(takes("a.c:3:1: error: 'x' undeclared", 0));
    CHECK(failure.found == 1);
}

static void it_goes_on_to_where_the_excerpt_ends(void)
{
    start_text();
    takes("a.c:3:1: error: 'x' undeclared", 0);
    CHECK(takes("    3 |   x++;", 0));
    CHECK(takes("      |   ^", 0));
    CHECK(takes("a.c:3:1: note: each identifier is reported once", 0));
    CHECK(!takes("$ make clean", 0));
}

static unsigned counted(void)
{
    return abr_count_failures(&failure.counts, false);
}

static void diagnostics_right_below_one_another_count_one_by_one(void)
{
    start_text();
    takes("a.go:3:2: undefined: total", 0);
    CHECK(takes("a.go:9:2: undefined: total", 1));
    CHECK(takes("b.go:3:2: undefined: total", 2));
    CHECK(counted() == 3);
    start_text();
    takes("    cart_test.go:7: Total failed: got 3, want 4", 0); /* what one test printed */
    takes("    cart_test.go:9: Count failed: got 1, want 2", 0);
    takes("--- FAIL: TestCart (0.1s)", 0);
    CHECK(counted() == 1);
    start_text();
    takes("ready.go:303: [debug] Deployment is not ready: shop. 0 out of 3 expected pods are ready", 0);
    takes("ready.go:303: [debug] Deployment is not ready: shop. 1 out of 3 expected pods are ready", 1);
    CHECK(counted() == 1);
}

static void rows_of_a_linter_count_one_by_one(void)
{
    start_text();
    takes("   3:9  error    'cart' is not defined  no-undef", 0);
    takes("  12:9  error    'cart' is not defined  no-undef", 1);
    takes("  14:9  warning  Unexpected any  no-any", 0);
    takes("   7:9  error    'cart' is not defined  no-undef", 2);
    CHECK(counted() == 3);
}

static void a_second_head_starts_another(void)
{
    start_text();
    takes("--- FAIL: TestA (0.1s)", 0);
    CHECK(takes("    a_test.go:7: got 3, want 4", 0));
    CHECK(takes("--- FAIL: TestB (0.1s)", 0));
    CHECK(failure.found == 2);
}

static void a_prefix_of_an_error_without_a_text_goes_on(void)
{
    start_text();
    takes("npm ERR! code ERESOLVE", 0);
    CHECK(takes("npm ERR! ", 0));
    CHECK(takes("npm ERR! Could not resolve dependency:", 0));
    CHECK(failure.found == 1);
}

static void the_place_below_pytests_error_with_only_its_name_belongs_to_it(void)
{
    start_text();
    takes("E       app.errors.TotalError: no total", 0);
    takes("\r", 0);
    CHECK(takes("tests/test_cart.py:9: app.errors.TotalError\r", 0));
    CHECK(failure.found == 1);
    takes("tests/test_cart.py:12: KeyError", 0); /* another one */
    CHECK(failure.found == 2);
    takes("", 0);
    takes("tests/test_cart.py:15: KeyError", 0); /* below no error of pytest's */
    CHECK(failure.found == 3);
    takes("E       KeyError: 'items'", 0);
    takes("", 0);
    takes("tests/test_cart.py:18: KeyError: 'items'", 0); /* more than its name */
    CHECK(failure.found == 4);
}

static void the_result_of_its_test_belongs_to_it(void)
{
    start_text();
    takes("cart_test.cc:10: Failure", 0);
    takes("Expected equality of these values:", 0);
    takes("  cart.total()", 0);
    CHECK(takes("[  FAILED  ] Cart.Total (0 ms)\r", 0));
    CHECK(failure.found == 1);
    CHECK(takes("[  FAILED  ] Cart.Total", 0)); /* in the list at the end */
    CHECK(failure.found == 2);
    takes("  [  FAILED  ] Cart.Count", 0);
    takes("cart_test.cc:10: Failure", 0);
    takes("  cart.total()", 0);
    CHECK(takes("[  FAILED  ] Cart.Count", 0)); /* no result of the test, which would tell its time */
    CHECK(failure.found >= 3);
}

static void tracebacks_that_Python_joins_are_one_failure(void)
{
    static const char *const joints[] = {
        "The above exception was the direct cause of the following exception:",
        "During handling of the above exception, another exception occurred:"};
    for (size_t i = 0; i < sizeof joints / sizeof *joints; i++) {
        start_text();
        takes("Traceback (most recent call last):", 0);
        takes("  File \"a.py\", line 6, in load", 0);
        takes("KeyError: 'tax'", 0);
        takes("", 0);
        CHECK(takes(joints[i], 0));
        takes("", 0);
        CHECK(takes("Traceback (most recent call last):", 1));
        takes("  File \"a.py\", line 9, in total", 1);
        CHECK(takes("shop.ConfigError: no tax", 0));
        CHECK(failure.found == 1);
        takes("", 0);
        takes("ERROR: test_total (a_test.CartTest)", 0);
        CHECK(failure.found == 2);
    }
}

static void entries_of_a_traceback_of_pytest_are_one_failure(void)
{
    enum { OFTEN = 1000 };
    start_text();
    takes("________________ ERROR at setup of test_total ________________", 0);
    takes("", 0);
    takes("self = <shop.Connection object at 0x7f5cc09ecdd0>", 0);
    takes("", 0);
    takes("    def connect(self):", OFTEN);
    takes(">       self.db = self.driver.connect(*args, **params)", OFTEN);
    takes("", 0);
    takes("/usr/lib/python3/dist-packages/shop/base.py:146: ", 0);
    CHECK(takes("_ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _", OFTEN));
    takes("    def connect(dsn=None, **params):", OFTEN);
    takes("E       shop.ConnectionError: connection failed", 0);
    CHECK(failure.found == 1);
}

static void a_title_below_the_names_of_a_file_and_its_tests_goes_on(void)
{
    start_text();
    takes("FAIL src/cart.test.js", 0);
    takes("  Cart", 0);
    takes("    \xE2\x9C\x95 totals (5 ms)", 0);
    takes("    \xE2\x9C\x95 counts (5 ms)", 0);
    takes("", 0);
    CHECK(takes("  \xE2\x97\x8F Cart > totals", 0));
    CHECK(failure.found == 1);
    takes("    Expected: 3", 0);
    takes("", 0);
    CHECK(takes("  \xE2\x97\x8F Cart > counts", 0));
    CHECK(failure.found == 2);
    start_text();
    takes("FAIL src/cart.test.js", 0);
    CHECK(takes("  \xE2\x97\x8F Console", 0)); /* what the file's tests logged */
    takes("", 0);
    takes("    console.error", 0);
    takes("", 0);
    CHECK(takes("  \xE2\x97\x8F Cart > totals", 0));
    CHECK(failure.found == 1);
    start_text();
    takes("  \xE2\x97\x8F Cart > totals", 0);
    takes("    Expected: 3", 0);
    takes("", 0);
    takes("  \xE2\x97\x8F Cart > counts", 0); /* no names are between */
    CHECK(failure.found == 2);
}

static void lines_that_runners_print_within_failures_belong_to_it(void)
{
    enum { TESTS = 20 };
    start_text();
    for (uint32_t i = 0; i < TESTS; i++) {
        takes("  Failed Cart.Total [5 ms]", i);
        CHECK(takes("  Error Message:", i));
        CHECK(takes("   Assert.Equal() Failure: Values differ", i));
        CHECK(takes("Expected: 3", i));
        CHECK(takes("     at Cart.Total() in /app/Cart.cs:line 9", i));
    }
    CHECK(failure.found == TESTS);
    start_text();
    for (uint32_t i = 0; i < TESTS; i++) { /* not what it prints as it goes on */
        takes("failed to load the cart", i);
        const bool taken = takes("the mirror holds another cart", i);
        CHECK(taken == (i < ABR_OFTEN));
        takes("", 0);
    }
}

static void a_hit_below_deeper_lines_seen_often_starts_another(void)
{
    enum { TIMES = 20 };
    start_text();
    for (uint32_t i = 0; i < TIMES; i++) {
        takes("could not fetch the cart", i);
        takes("    detail of a worker and more text", 2 * i);
        takes("    detail of a worker and more text", 2 * i + 1);
    }
    CHECK(failure.found == TIMES);
}

static void newer_npm_goes_on_after_a_line_without_a_message(void)
{
    start_text();
    takes("npm error code ERESOLVE", 0);
    CHECK(takes("npm error", 0));
    CHECK(takes("npm error", 0));
    CHECK(takes("npm error", 0));
    CHECK(takes("npm error Could not resolve dependency:", 0));
    CHECK(failure.found == 1);
}

static void what_powershell_ran_belongs_to_it(void)
{
    start_text();
    takes("Get-Cart : Cannot find path 'C:\\cart' because it does not exist.", 0);
    CHECK(takes("At C:\\src\\build.ps1:12 char:5", 0));
    CHECK(takes("+     Get-Cart -Path $path", 0));
    CHECK(takes("+     ~~~~~~~~~~~~~~~~~~~~", 0));
    CHECK(takes("    + CategoryInfo          : ObjectNotFound: (C:\\cart:String) [Get-Cart]", 0));
    CHECK(failure.found == 1);
    CHECK(!takes("+ make clean", 0));
}

static void what_the_second_of_two_values_has_is_no_command(void)
{
    start_text();
    takes("AssertionError: expected [ 1 ] to deeply equal [ 'build' ]", 0);
    CHECK(takes("- Expected", 0));
    CHECK(takes("+ Received", 0));
    CHECK(takes("- build", 0));
    CHECK(takes("+ 1", 0));
    CHECK(takes("+ 2", 1));
    CHECK(takes("  ]", 0));
    CHECK(!takes("+ make clean", 0));
    start_text();
    takes("AssertionError: expected 1 to be 2", 0);
    CHECK(!takes("+ make clean", 0));
}

static void what_a_test_tells_of_itself_belongs_to_it(void)
{
    enum { OFTEN = 1000, MANY = 20 };
    start_text();
    takes("not ok 2 - adds two", 0);
    for (unsigned i = 0; i < MANY; i++)
        CHECK(takes("#          got: '1'", OFTEN));
    CHECK(failure.found == 1);
}

static void a_compilers_warning_ends_an_error(void)
{
    start_text();
    takes("a.c:3:1: error: 'x' undeclared", 0);
    takes("    3 |   x++;", 0);
    CHECK(!takes("a.c:9:1: warning: unused variable 'y'", 0));
}

static void it_takes_a_few_deeper_lines_of_a_shape_seen_often_before(void)
{
    enum { OFTEN = 1000, MANY = 40 };
    unsigned taken = 0;
    start_text();
    takes("ERROR: could not write the order", 0);
    takes("  cause: connection refused", 0);
    for (uint32_t i = 0; i < MANY; i++)
        taken += takes("    built main from parts of source", OFTEN + i);
    CHECK(taken < MANY / 2);
}

static void it_takes_all_deeper_lines_of_a_new_shape(void)
{
    enum { MANY = 40 };
    start_text();
    takes("ERROR: the balance differs", 0);
    for (uint32_t i = 0; i < MANY; i++)
        CHECK(takes("    step has a balance that is expected", i));
}

int main(void)
{
    RUN(it_starts_at_a_hit);
    RUN(it_goes_on_to_where_the_excerpt_ends);
    RUN(diagnostics_right_below_one_another_count_one_by_one);
    RUN(rows_of_a_linter_count_one_by_one);
    RUN(a_second_head_starts_another);
    RUN(a_prefix_of_an_error_without_a_text_goes_on);
    RUN(the_place_below_pytests_error_with_only_its_name_belongs_to_it);
    RUN(the_result_of_its_test_belongs_to_it);
    RUN(tracebacks_that_Python_joins_are_one_failure);
    RUN(entries_of_a_traceback_of_pytest_are_one_failure);
    RUN(a_title_below_the_names_of_a_file_and_its_tests_goes_on);
    RUN(lines_that_runners_print_within_failures_belong_to_it);
    RUN(a_hit_below_deeper_lines_seen_often_starts_another);
    RUN(newer_npm_goes_on_after_a_line_without_a_message);
    RUN(what_powershell_ran_belongs_to_it);
    RUN(what_the_second_of_two_values_has_is_no_command);
    RUN(what_a_test_tells_of_itself_belongs_to_it);
    RUN(a_compilers_warning_ends_an_error);
    RUN(it_takes_a_few_deeper_lines_of_a_shape_seen_often_before);
    RUN(it_takes_all_deeper_lines_of_a_new_shape);
    return check_end();
}
