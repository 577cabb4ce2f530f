/* How a line is shown, and what stands between what is kept. */
#ifndef ABR_PRIORITY_STRETCH_H
#define ABR_PRIORITY_STRETCH_H

#include "abridge.h"
#include "base/private.h"
#include "budget/span.h"
#include "priority/chooser.h"

ABR_PRIVATE_BEGIN

/* Chars of (p, n) where chars are counted, else 0. */
uint64_t abr_chars_of(const abr_chooser *x, const char *p, size_t n);

/* Add what stands between two stretches, either of which may be NULL for the text's end there: nothing but the source's
 * own newline where they go on; else a joint, of which where the marker is asked for outside only the newline counts that
 * joins two lines once the gap between them is filled. */
void abr_weigh_joint(abr_chooser *x, const abr_stretch *a, const abr_stretch *b, abr_span *cost);

/* The widest marker with its newline, by the source's totals. */
abr_span abr_widest_marker(abr_chooser *x);

/* The stretches a line is shown as; how many. */
size_t abr_parts_of(const abr_chooser *x, const abr_shown_line *u, abr_stretch parts[ABR_LINE_PARTS]);

/* What a unit costs, its newline too; nothing where no part of it could be shown. */
void abr_weigh_unit(const abr_chooser *x, abr_shown_line *u);

/* Fill the ledger and the pieces of what is kept. */
abr_code abr_settle_kept(abr_chooser *x, abr_cut *cut);

ABR_PRIVATE_END

#endif
