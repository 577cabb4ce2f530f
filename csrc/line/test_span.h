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
    const char *p = line.p;
    return line.n >= SHORTEST_OPENING &&
           (ABR_HAS(" TR", p[line.n - 1]) || (*p == '=' && p[4] != '=') ||
            (*p == '[' && (p[2] == 'R' || p[7] == 'R')) || (*p == 'R' && p[1] == 'u') ||
            (*p == 'T' && (p[5] == 'C' || p[5] == 'S')) || (*p == '#' && p[2] == 'S') ||
            (*p == 'f' && p[7] == '['));
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
