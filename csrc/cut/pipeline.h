/* The two stages of the pipeline document. */
#ifndef ABR_CUT_PIPELINE_H
#define ABR_CUT_PIPELINE_H

#include "abridge.h"
#include "base/private.h"
#include "budget/view.h"

ABR_PRIVATE_BEGIN

/* Fill in a cut by a pipeline, which has its options and totals already. ABR_OK or ABR_ENOMEM. */
abr_code abr_cut_pipeline(const abr_view *view, const abr_opts *opts, abr_cut *cut);

ABR_PRIVATE_END

#endif
