/* Pipes that other processes write to. */
#ifndef ABR_FILES_PIPE_H
#define ABR_FILES_PIPE_H

#include "abridge.h"
#include "base/private.h"

ABR_PRIVATE_BEGIN

/* Read into a block until it is full or nothing is left; *ended: nothing came and nothing will. 0, or an
 * errno when nothing came; EAGAIN: there is nothing now. On a blocking descriptor this waits until the block
 * is full. */
int abr_read_some(int fd, char *block, size_t size, size_t *got, bool *ended);

/* Make a pipe hold 1 MiB, so that its writers wait less often; false where the system refuses. */
bool abr_widen_pipe(int fd);

/* Does a pipe or file hold unread bytes? Reads nothing and never waits. */
bool abr_has_unread(int fd);

/* Would a write to it fail, since nobody holds the other end? Writes nothing and never waits. */
bool abr_has_no_reader(int fd);

ABR_PRIVATE_END

#endif
