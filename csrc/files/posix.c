/* The functions of portable.h by POSIX. Pipes are as wide as the system allows. */
#if !defined(_GNU_SOURCE)
#define _GNU_SOURCE /* pread, st_mtim, O_CLOEXEC; F_SETPIPE_SZ, if available */
#endif
#include "files/portable.h"

#ifndef _WIN32
#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { WIDE_PIPE = 1024 * 1024 /* the most that Linux allows anyone */ };

/* ---- files that are only read ---- */

/* The time of the last change, of a struct stat. */
#ifdef __APPLE__
#define ABR_CHANGED_AT(st) ((st)->st_mtimespec)
#else
#define ABR_CHANGED_AT(st) ((st)->st_mtim)
#endif

static int check_regular(const struct stat *st, const char **other)
{
    if (S_ISREG(st->st_mode))
        return 0;
    if (S_ISDIR(st->st_mode))
        return EISDIR;
    *other = S_ISFIFO(st->st_mode) ? "fifo" : S_ISSOCK(st->st_mode) ? "socket" : "device";
    return ABR_NOT_REGULAR;
}

static abr_identity identity_of(const struct stat *st)
{
    const struct timespec *changed = &ABR_CHANGED_AT(st);
    return (abr_identity){(uint64_t)st->st_dev, (uint64_t)st->st_ino, (uint64_t)st->st_size,
                          (int64_t)changed->tv_sec, changed->tv_nsec};
}

/* Checked before it is opened: opening a device may do something, opening a FIFO may wait. */
int abr_open_regular(const char *path, abr_handle *file, abr_identity *of, const char **other)
{
    struct stat st;
    int fd;
    if (stat(path, &st) != 0)
        return errno;
    int failed = check_regular(&st, other);
    if (failed != 0)
        return failed;
    do
        fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    while (fd < 0 && errno == EINTR);
    if (fd < 0)
        return errno;
    failed = fstat(fd, &st) != 0 ? errno : check_regular(&st, other);
    if (failed != 0) {
        close(fd);
        return failed;
    }
    *file = fd;
    *of = identity_of(&st);
    return 0;
}

int abr_identify(abr_handle file, abr_identity *of)
{
    struct stat st;
    if (fstat((int)file, &st) != 0)
        return errno;
    *of = identity_of(&st);
    return 0;
}

double abr_age(const abr_identity *of)
{
    struct timespec now;
    if (clock_gettime(CLOCK_REALTIME, &now) != 0)
        return 0;
    return (double)(now.tv_sec - of->seconds) + (double)(now.tv_nsec - of->nanoseconds) / 1e9;
}

int abr_read_once(abr_handle file, char *dst, size_t n, uint64_t at, size_t *got)
{
    ssize_t came;
    do
        came = pread((int)file, dst, abr_io_size(n), (off_t)at);
    while (came < 0 && errno == EINTR);
    *got = came > 0 ? (size_t)came : 0;
    return came < 0 ? errno : 0;
}

void abr_close_handle(abr_handle file)
{
    close((int)file);
}

/* ---- pipes that other processes write to ---- */

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
    return fcntl(fd, F_SETPIPE_SZ, WIDE_PIPE) >= WIDE_PIPE;
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
    struct pollfd end = {fd, POLLOUT, 0}; /* macOS checks nothing without an event to wait for */
    return poll(&end, 1, 0) > 0 && (end.revents & (POLLERR | POLLHUP)) != 0;
}

#endif
