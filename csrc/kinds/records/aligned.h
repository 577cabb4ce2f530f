/* Columns under a header, as ps, kubectl get and dpkg -l align them. */
#ifndef ABR_KINDS_RECORDS_ALIGNED_H
#define ABR_KINDS_RECORDS_ALIGNED_H

#include "abridge.h"
#include "base/private.h"

ABR_PRIVATE_BEGIN

/* Is (p, n) rows under a header? *header is the number of lines before the first row: titles, the names of
 * the columns and their ruling. If the text is not whole, its last line may be incomplete. */
bool abr_is_aligned(const char *p, size_t n, bool whole, size_t *header);

/* Bytes of the table whose names are the first line of (p, n), whatever comes after it; 0: none starts there.
 * `clear`: only if they are hard to mistake, whatever the rows say. *read: bytes that were looked at, and in
 * which no other one starts. */
size_t abr_aligned_extent(const char *p, size_t n, bool clear, size_t *read);

ABR_PRIVATE_END

#endif
