/* Filling the remaining budgets. */
#ifndef ABR_PRIORITY_FILL_H
#define ABR_PRIORITY_FILL_H

#include "base/private.h"
#include "line/line_score.h"
#include "priority/chooser.h"

ABR_PRIVATE_BEGIN

/* Is the line useless without the one above it: an excerpt, its caret, its gutter? Its own text starts at
 * `text`. */
bool abr_leans(abr_line_kind kind, const char *p, size_t n, size_t text);

/* List the stretches of the kept lines, and fill the remaining budgets. */
void abr_fill_kept(abr_chooser *x);

ABR_PRIVATE_END

#endif
