/*
 * Where systems differ in what POSIX says of files.
 *
 * With ABR_PORTABLE the sources use nothing that Linux or glibc alone has, here and wherever they ask for it,
 * so that the tests can run on Linux what other systems run.
 */
#ifndef ABR_FILES_PORTABLE_H
#define ABR_FILES_PORTABLE_H

#include <errno.h>
#include <sys/stat.h>

#include "base/private.h"

ABR_PRIVATE_BEGIN

/* The most bytes of one read or write. macOS refuses over INT_MAX, where others take a part. */
#ifdef ABR_PORTABLE
enum { ABR_IO_MOST = 48 * 1024 /* few, so that tests see the second call; whole pages */ };
#else
enum { ABR_IO_MOST = 1 << 30 };
#endif

static inline size_t abr_io_size(size_t n)
{
    return n < ABR_IO_MOST ? n : ABR_IO_MOST;
}

/* What a struct stat says of the last change. */
#ifdef __APPLE__
#define ABR_CHANGED_AT(st) ((st)->st_mtimespec)
#else
#define ABR_CHANGED_AT(st) ((st)->st_mtim)
#endif

/* The errno of an open with O_NOFOLLOW: ELOOP where a link is, whatever a system calls that. */
static inline int abr_open_errno(int number)
{
#ifdef EFTYPE /* NetBSD */
    if (number == EFTYPE)
        return ELOOP;
#endif
    return number == EMLINK ? ELOOP : number; /* FreeBSD */
}

ABR_PRIVATE_END

#endif
