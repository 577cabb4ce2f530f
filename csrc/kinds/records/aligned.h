/* Columns under a header, as ps, kubectl get and dpkg -l align them. */
#ifndef ABR_KINDS_RECORDS_ALIGNED_H
#define ABR_KINDS_RECORDS_ALIGNED_H

#include "abridge.h"
#include "base/private.h"

ABR_PRIVATE_BEGIN

/* Is (p, n) rows under a header? *header is the number of lines before the first row: titles, the names of
 * the columns and their ruling. If the text is not whole, its last line may be incomplete. */
bool abr_is_aligned(const char *p, size_t n, bool whole, size_t *header);

ABR_PRIVATE_END

#endif
