/* Outputs of several kinds: each part is cut by its own kind, under one budget. */
#ifndef ABR_KINDS_MIXED_MIXED_H
#define ABR_KINDS_MIXED_MIXED_H

#include "base/private.h"
#include "kinds/reader.h"

ABR_PRIVATE_BEGIN

/* Is (p, n) an output of several kinds? Such a text has at most ABR_TOLD_BY bytes. */
bool abr_is_mixed(const char *p, size_t n, bool whole);

/* For a text that is all at hand. */
extern const abr_reader_methods abr_mixed_methods;

ABR_PRIVATE_END

#endif
