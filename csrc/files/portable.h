/*
 * System calls the core needs: files that are only read, and pipes. In posix.c, on Windows in windows.c.
 * Errors have the numbers of errno on both; ENOTSUP: not supported on Windows.
 *
 * With ABR_PORTABLE the sources use nothing specific to Linux or glibc, here and in every other file, so that
 * the tests on Linux run the code of other systems.
 */
#ifndef ABR_FILES_PORTABLE_H
#define ABR_FILES_PORTABLE_H

#include <errno.h>

#include "abridge.h"
#include "base/private.h"

ABR_PRIVATE_BEGIN

/* The most bytes of one read or write. macOS refuses over INT_MAX, while others take a part. */
#ifdef ABR_PORTABLE
enum { ABR_IO_MOST = 48 * 1024 /* few, so that tests see the second call; whole pages */ };
#else
enum { ABR_IO_MOST = 1 << 30 };
#endif

static inline size_t abr_io_size(size_t n)
{
    return n < ABR_IO_MOST ? n : ABR_IO_MOST;
}

/* The errno of an open with O_NOFOLLOW: ELOOP for a link, whatever number the system uses. */
static inline int abr_open_errno(int number)
{
#ifdef EFTYPE /* NetBSD */
    if (number == EFTYPE)
        return ELOOP;
#endif
    return number == EMLINK ? ELOOP : number; /* FreeBSD */
}

/* ---- files that are only read ---- */

typedef intptr_t abr_handle; /* an open file: a descriptor, on Windows a HANDLE */

enum {
    ABR_NO_FILE = -1,    /* no handle */
    ABR_NOT_REGULAR = -1 /* in place of an errno: neither a file nor a folder */
};

/* The identity of a file, and its state. */
typedef struct {
    uint64_t device;
    uint64_t inode;
    uint64_t size;
    int64_t seconds; /* of its last change */
    long nanoseconds;
} abr_identity;

/* Open a regular file; never waits. 0 or an errno: EISDIR for a folder; or ABR_NOT_REGULAR, and *other is
 * "fifo", "socket" or "device". */
int abr_open_regular(const char *path, abr_handle *file, abr_identity *of, const char **other);

/* 0 or an errno. */
int abr_identify(abr_handle file, abr_identity *of);

/* Seconds since the file's last change, by the system's clock; negative if that change is yet to come. */
double abr_age(const abr_identity *of);

/* Read up to n bytes from byte `at` on; none are left if *got is 0. 0 or an errno. */
int abr_read_once(abr_handle file, char *dst, size_t n, uint64_t at, size_t *got);

void abr_close_handle(abr_handle file);

/* ---- pipes that other processes write to ---- */

/* Read into a block until it is full or nothing is left; *ended: nothing came and nothing will. 0, or an
 * errno if nothing came; EAGAIN: there is nothing now. On a blocking descriptor this waits until the block is
 * full. */
int abr_read_some(int fd, char *block, size_t size, size_t *got, bool *ended);

/* Make a pipe hold 1 MiB, so that its writers wait less often; false if the system refuses. */
bool abr_widen_pipe(int fd);

/* Does a pipe or file hold unread bytes? Reads nothing and never waits. */
bool abr_has_unread(int fd);

/* Would a write to it fail, since nobody holds the other end? Writes nothing and never waits. */
bool abr_has_no_reader(int fd);

ABR_PRIVATE_END

#endif
