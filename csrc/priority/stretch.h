/* How a line is shown, and the joints between kept stretches. */
#ifndef ABR_PRIORITY_STRETCH_H
#define ABR_PRIORITY_STRETCH_H

#include "abridge.h"
#include "base/private.h"
#include "budget/span.h"
#include "priority/chooser.h"

ABR_PRIVATE_BEGIN

/* Chars of (p, n) if chars are counted, else 0. */
uint64_t abr_chars_of(const abr_chooser *x, const char *p, size_t n);

/* Are the lines between two stretches, more than one, all like the one that b starts with? Either of them may
 * be NULL. */
bool abr_gap_is_alike(const abr_chooser *x, const abr_stretch *a, const abr_stretch *b);

/* Add the cost of the bytes between two stretches, either of which may be NULL for the text's end there: the
 * source's own newline if they follow each other, else a joint. If markers are outside the budget, a joint
 * only costs the newline that joins two lines once the gap is filled. */
void abr_add_joint_cost(abr_chooser *x, const abr_stretch *a, const abr_stretch *b, abr_span *cost);

/* The cost of the widest marker with its newline: the one with the source's totals. */
abr_span abr_widest_marker(abr_chooser *x);

/* Find the stretches that show a line. Returns how many. */
size_t abr_parts_of(const abr_chooser *x, const abr_shown_line *u, abr_stretch parts[ABR_LINE_PARTS]);

/* Set the cost of a line with its newline; 0 if no part of it could be shown. */
void abr_set_line_cost(const abr_chooser *x, abr_shown_line *u);

/* Fill in the ledger and the pieces of the kept stretches. */
abr_code abr_fill_ledger(abr_chooser *x, abr_cut *cut);

ABR_PRIVATE_END

#endif
