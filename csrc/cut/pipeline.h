/* The two stages of the pipeline document. */
#ifndef ABR_CUT_PIPELINE_H
#define ABR_CUT_PIPELINE_H

#include "abridge.h"
#include "base/private.h"
#include "budget/view.h"

ABR_PRIVATE_BEGIN

/* The cut of a pipeline, into a cut whose options and totals are filled in. ABR_OK or ABR_ENOMEM. */
abr_code abr_pipeline_view(const abr_view *view, const abr_opts *opts, abr_cut *cut);

ABR_PRIVATE_END

#endif
