/*
 * stat and its kin for the cores of `make dist`. glibc has had symbols for them since 2.33; older ones linked a
 * copy into each program. On 64-bit machines the kernel itself fills struct stat.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

int fstatat(int folder, const char *restrict path, struct stat *restrict st, int flags)
{
    return (int)syscall(SYS_newfstatat, folder, path, st, flags);
}

int stat(const char *restrict path, struct stat *restrict st)
{
    return fstatat(AT_FDCWD, path, st, 0);
}

int lstat(const char *restrict path, struct stat *restrict st)
{
    return fstatat(AT_FDCWD, path, st, AT_SYMLINK_NOFOLLOW);
}

int fstat(int fd, struct stat *st)
{
    return (int)syscall(SYS_fstat, fd, st);
}
