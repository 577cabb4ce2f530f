/* The one place that decides which text is kept. */
#ifndef ABR_CUT_CUT_H
#define ABR_CUT_CUT_H

#include "abridge.h"
#include "base/private.h"
#include "budget/view.h"

ABR_PRIVATE_BEGIN

/* abr_cut_text() for a source, given a view of it. An edge that is not whole must hold more bytes than the
 * first budget set of max.bytes, 4 * max.chars and 16 * max.tokens. */
abr_code abr_cut_view(const abr_view *view, const abr_opts *opts, abr_cut *cut, abr_error *error);

ABR_PRIVATE_END

#endif
