/* Pipes, read without waiting, and as wide as the system allows. */
#if !defined(_GNU_SOURCE)
#define _GNU_SOURCE /* F_SETPIPE_SZ, where there is one */
#endif
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "files/pipe.h"
#include "abridge.h"
#include "files/portable.h"

enum { WIDE = 1024 * 1024 /* what Linux allows anyone */ };

int abr_read_some(int fd, char *block, size_t size, size_t *got, bool *ended)
{
    *got = 0;
    *ended = false;
    while (*got < size) {
        ssize_t n = read(fd, block + *got, abr_io_size(size - *got));
        if (n > 0) {
            *got += (size_t)n;
        } else if (n == 0) {
            *ended = *got == 0;
            return 0;
        } else if (errno != EINTR) {
            return *got > 0 ? 0 : errno == EWOULDBLOCK ? EAGAIN : errno;
        }
    }
    return 0;
}

bool abr_widen_pipe(int fd)
{
#if defined(F_SETPIPE_SZ) && !defined(ABR_PORTABLE)
    return fcntl(fd, F_SETPIPE_SZ, WIDE) >= WIDE;
#else
    (void)fd;
    return false;
#endif
}

bool abr_has_unread(int fd)
{
#ifdef FIONREAD
    int bytes = 0;
    return ioctl(fd, FIONREAD, &bytes) == 0 && bytes > 0;
#else
    (void)fd;
    return false;
#endif
}

bool abr_has_no_reader(int fd)
{
    struct pollfd end = {fd, POLLOUT, 0}; /* macOS looks at nothing without an event to wait for */
    return poll(&end, 1, 0) > 0 && (end.revents & (POLLERR | POLLHUP)) != 0;
}
