/* The lines around the output of a test. */
#ifndef ABR_LINE_TEST_SPAN_H
#define ABR_LINE_TEST_SPAN_H

#include "abridge.h"
#include "base/private.h"
#include "line/char_set.h"
#include "line/lines.h"

ABR_PRIVATE_BEGIN

/* A test that a line opened. */
typedef struct {
    uint32_t rows; /* of test_spans.def that may close it, a bit each; 0: none is open */
    abr_text_line name;
} abr_open_test;

/* Lines are meant without their lead, their indent and their CR. */

/* Can it open a test? Most lines can't, by their first bytes and the last one. */
static inline bool abr_may_open_test(abr_text_line line)
{
    enum { SHORTEST_OPENING = 8 };
    if (line.n < SHORTEST_OPENING)
        return false;
    switch (line.p[line.n - 1]) {
    case ' ':
    case 'T':
    case 'R':
        return true;
    default:
        break;
    }
    switch (*line.p) {
    case '=':
        return line.p[4] != '=';
    case '[':
        return line.p[2] == 'R' || line.p[7] == 'R';
    case 'R':
        return line.p[1] == 'u';
    case 'T':
        return line.p[5] == 'C' || line.p[5] == 'S';
    case '#':
        return line.p[2] == 'S';
    case 'f':
        return line.p[7] == '[';
    default:
        return false;
    }
}

/* Can it tell the result of a test in the words of such a program? Most lines can't. */
static inline bool abr_may_close_test(abr_text_line line)
{
    return line.n > 0 && (ABR_HAS("-[TonPF.", *line.p) || line.p[line.n - 1] == 'D');
}

/* Does the line open a test? Not by that rule, see rule.h. */
bool abr_opens_test(abr_text_line line, unsigned without, abr_open_test *out);

/* Does the line say that the test passed? */
bool abr_passes_test(abr_text_line line, const abr_open_test *test);

/* Does the line tell of a failure of the test, or of one beside it, in the words of the program that opened
 * it? */
bool abr_fails_test(abr_text_line line, const abr_open_test *test);

ABR_PRIVATE_END

#endif
