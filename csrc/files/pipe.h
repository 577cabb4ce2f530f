/* Descriptors that others write to. */
#ifndef ABR_FILES_PIPE_H
#define ABR_FILES_PIPE_H

#include "abridge.h"
#include "base/private.h"

ABR_PRIVATE_BEGIN

/* Read what there is into a block, until it is full; *ended: nothing came and nothing will. 0, or an errno when nothing
 * came; EAGAIN: there is nothing now. A descriptor that is not non-blocking is waited for until the block is full. */
int abr_read_some(int fd, char *block, size_t size, size_t *got, bool *ended);

/* Make a pipe hold 1 MiB, so that who writes to it waits less often; false where the system does not. */
bool abr_widen_pipe(int fd);

/* Is there something in a pipe or file that nobody has read? Nothing is read, and nothing waits. */
bool abr_has_unread(int fd);

ABR_PRIVATE_END

#endif
