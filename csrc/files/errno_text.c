/* Names and texts of errno numbers. */
#if !defined(_GNU_SOURCE)
#define _GNU_SOURCE /* EDQUOT */
#endif
#include <errno.h>

#include "files/errno_text.h"
#include "abridge.h"

static const struct {
    int number;
    const char *name;
    const char *text;
} errors[] = {
    {ENOSPC, "ENOSPC", "no space left on device"},
#ifdef EDQUOT
    {EDQUOT, "EDQUOT", "disk quota exceeded"},
#endif
    {EFBIG, "EFBIG", "file too large"},
    {EIO, "EIO", "input/output error"},
    {EROFS, "EROFS", "read-only file system"},
    {EACCES, "EACCES", "permission denied"},
    {EPERM, "EPERM", "not private: another owner, a wider mode or a link"},
    {EEXIST, "EEXIST", "file exists"},
    {ENOENT, "ENOENT", "no such file or directory"},
    {ENOTDIR, "ENOTDIR", "not a directory"},
    {EISDIR, "EISDIR", "is a directory"},
    {ELOOP, "ELOOP", "a symbolic link stands there"},
    {EMFILE, "EMFILE", "too many open files"},
    {ENFILE, "ENFILE", "too many open files in the system"},
    {ENAMETOOLONG, "ENAMETOOLONG", "file name too long"},
    {EINVAL, "EINVAL", "invalid name"},
    {EBUSY, "EBUSY", "another process is writing it"},
    {ENOMEM, "ENOMEM", "out of memory"},
    {EAGAIN, "EAGAIN", "resource temporarily unavailable"},
    {ENOLCK, "ENOLCK", "no locks available"},
#ifdef ESTALE
    {ESTALE, "ESTALE", "stale file handle"},
#endif
    {ETIMEDOUT, "ETIMEDOUT", "connection timed out"},
    {EBADF, "EBADF", "not an open file"},
#ifdef _WIN32
    {ENOTSUP, "ENOTSUP", "not supported on Windows"},
#endif
};

const char *abr_errno_name(int number)
{
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
        if (errors[i].number == number)
            return errors[i].name;
    return "EIO";
}

const char *abr_errno_text(int number)
{
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
        if (errors[i].number == number)
            return errors[i].text;
    return "input/output error";
}
