/* Cuts of a text in memory, with reasons. */
#ifndef ABR_CUT_CUT_TEXT_H
#define ABR_CUT_CUT_TEXT_H

#include "abridge.h"
#include "base/private.h"
#include "budget/view.h"
#include "priority/told_line.h"

ABR_PRIVATE_BEGIN

/* abr_cut_text() that also tells why lines show or don't, until abr_cut_free(). It tells nothing unless it
 * chose line by line, as ABR_PRIORITY does if there is a hit and room for more than the end. */
abr_code abr_explain_text(const char *p, size_t n, const abr_opts *opts, abr_cut *cut, abr_told_lines *told,
                          abr_error *error);

/* abr_cut_text() for a text inside another one: a string that was decoded, or with `part`, a part of it. */
abr_code abr_cut_text_inside(const char *p, size_t n, const abr_opts *opts, const abr_view *in, bool part,
                             abr_cut *cut);

ABR_PRIVATE_END

#endif
