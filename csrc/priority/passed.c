/*
 * Tests print errors that they expect, and runners show them between a line that opens the test and one that
 * says it passed. Only then is it known that these were none, so the lines are found again by their numbers.
 *
 * One test is open at a time: the last one opened, of tests that run side by side. A failure of any test, or
 * of a command, leaves none open, so that it is not taken for the output of a test that passed.
 */
#include <string.h>

#include "priority/passed.h"
#include "abridge.h"
#include "base/ascii.h"
#include "line/command.h"
#include "line/line_score.h"
#include "line/lines.h"
#include "line/score.h"
#include "line/test_span.h"

enum { BETWEEN_TESTS = 2 /* lines from one test that passed to the next */ };

static void add_passed(abr_passed *x, bool joins, uint64_t end)
{
    if (joins)
        x->list[x->count - 1].end = end;
    else
        x->list[x->count++] = (abr_passed_lines){x->from, end};
}

/* Does a sanitizer or valgrind report what the test did not notice? */
static bool is_of_sanitizer(abr_text_line own)
{
    return (ABR_STARTS(own, "==") && own.n > 2 && abr_is_digit(own.p[2])) ||
           ABR_CONTAINS(own, "Sanitizer: ") || ABR_CONTAINS(own, ": runtime error: ");
}

/* Is it one of the tests within the open one, "TestTotal/empty" within "TestTotal"? */
static bool is_within(const abr_passed *x, const abr_open_test *test)
{
    return x->rows == test->rows && test->name.n > x->name_n && test->name.p[x->name_n] == '/' &&
           memcmp(test->name.p, x->name, x->name_n) == 0;
}

bool abr_passed_takes(abr_passed *x, abr_text_line own, const abr_reading *r, uint64_t at, unsigned without,
                      abr_found *found)
{
    abr_open_test test;
    if (abr_may_open_test(own) && abr_opens_test(own, without, &test)) {
        if (is_within(x, &test))
            return false;
        x->rows = test.rows;
        x->name_n = test.name.n < ABR_TEST_NAME_MOST ? test.name.n : (size_t)ABR_TEST_NAME_MOST;
        memcpy(x->name, test.name.p, x->name_n);
        x->from = at;
        x->before = *found;
        return false;
    }
    if (x->rows == 0)
        return false;
    test = (abr_open_test){x->rows, {x->name, x->name_n}};
    if (!abr_passes_test(own, &test)) {
        if (abr_leaves_test(r) || abr_fails_test(own, &test) || (r->hit && is_of_sanitizer(own)))
            x->rows = 0;
        return false;
    }
    x->rows = 0;
    const bool noisy = found->hits > x->before.hits;
    const bool joins = x->count > 0 && x->from <= x->joined && x->before.hits == x->hits_joined;
    if (noisy && (joins || x->count < ABR_PASSED_MOST)) {
        add_passed(x, joins, at);
        x->joined = at + BETWEEN_TESTS;
        x->hits_joined = x->before.hits;
        *found = x->before;
        return true;
    }
    if (joins)
        x->joined = at + BETWEEN_TESTS;
    return false;
}

bool abr_passed_has(const abr_passed *x, uint64_t line)
{
    size_t from = 0;
    for (size_t end = x->count; from < end;) {
        const size_t middle = from + (end - from) / 2;
        if (x->list[middle].end <= line)
            from = middle + 1;
        else
            end = middle;
    }
    return from < x->count && x->list[from].from <= line;
}

void abr_excuse(abr_candidate *c)
{
    c->hit = c->placed = false;
    c->tells = ABR_TELLS_NOTHING;
    c->failure = 0;
    c->line_score = c->line_score < ABR_SCORE_WEAK ? c->line_score : ABR_SCORE_WEAK;
    c->kind = c->kind == ABR_LINE_BLANK ? ABR_LINE_BLANK : ABR_LINE_PASS;
}
