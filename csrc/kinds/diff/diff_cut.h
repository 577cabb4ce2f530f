/* Diffs, cut file by file and hunk by hunk. */
#ifndef ABR_KINDS_DIFF_DIFF_CUT_H
#define ABR_KINDS_DIFF_DIFF_CUT_H

#include "base/private.h"
#include "kinds/reader.h"

ABR_PRIVATE_BEGIN

extern const abr_reader_methods abr_diff_methods;

ABR_PRIVATE_END

#endif
