/* The output of passing tests: no trouble, whatever it says. */
#ifndef ABR_PRIORITY_PASSED_H
#define ABR_PRIORITY_PASSED_H

#include "abridge.h"
#include "base/private.h"
#include "base/tiny.h"
#include "line/line_score.h"
#include "line/lines.h"
#include "line/test_span.h"
#include "priority/candidates.h"
#include "priority/failure.h"
#include "priority/told_line.h"

ABR_PRIVATE_BEGIN

enum {
    ABR_TEST_NAME_MOST = ABR_OR_TINY(200, 20), /* bytes; no line has the start of a longer name as its name */
    ABR_PASSED_MOST =
        ABR_OR_TINY(128, 4) /* stretches of lines that are remembered; later ones count as trouble */
};

/* All zero before the first line. */
typedef struct {
    uint32_t rows; /* of the open test, see test_span.h; 0: none is open */
    char name[ABR_TEST_NAME_MOST];
    size_t name_n;
    uint64_t from;    /* line that opened it */
    abr_found before; /* that line */
    abr_passed_lines list[ABR_PASSED_MOST];
    size_t count;
    uint64_t joined;      /* tests passed without a gap from the last of these lines up to here, */
    uint64_t hits_joined; /* with so many hits before them */
} abr_passed;

/* Read the next line, number `at`, with `found` before it; `own` is the line without its lead and indent.
 * True if it says that the open test passed, and the test printed hits: they are none, and `found` is set to
 * what was found before. */
bool abr_passed_takes(abr_passed *x, abr_text_line own, const abr_reading *r, uint64_t at, unsigned without,
                      abr_found *found);

/* Does it tell that no test is open, or that the open one failed: a test's result, a failed command? */
static inline bool abr_leaves_test(const abr_reading *r)
{
    return r->asked || r->result != ABR_RESULT_NONE || r->command != ABR_COMMAND_NONE ||
           (r->hit && r->lists_again);
}

/* Can the line change anything? Most can't. */
static inline bool abr_passed_may_take(const abr_passed *x, abr_text_line own, const abr_reading *r)
{
    return abr_may_open_test(own) ||
           (x->rows != 0 && (r->hit || abr_leaves_test(r) || abr_may_close_test(own)));
}

/* Was it printed by a test that passed? */
bool abr_passed_has(const abr_passed *x, uint64_t line);

/* Make a line that was printed by such a test one that tells of no trouble. */
void abr_excuse(abr_candidate *c);

ABR_PRIVATE_END

#endif
