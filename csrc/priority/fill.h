/* Filling the remaining budgets. */
#ifndef ABR_PRIORITY_FILL_H
#define ABR_PRIORITY_FILL_H

#include "base/private.h"
#include "line/line_score.h"
#include "priority/chooser.h"

ABR_PRIVATE_BEGIN

typedef enum {
    ABR_STANDS = 0,
    ABR_LEANS, /* it is useless without the line above it: an excerpt, its gutter */
    ABR_POINTS /* a caret: useless without the line above it, which is useless without its own */
} abr_leaning;

/* On what does a line depend whose own text starts at `text`? */
abr_leaning abr_leaning_of(abr_line_kind kind, const char *p, size_t n, size_t text);

/* List the stretches of the kept lines, and fill the remaining budgets. */
void abr_fill_kept(abr_chooser *x);

ABR_PRIVATE_END

#endif
