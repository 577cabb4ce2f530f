/*
 * Files for the full output of a stream, and for logs.
 *
 * Private by construction: a folder of mode 0700 that is ours, opened once and used by descriptor, and files
 * of mode 0600, newly created (a full output) or opened under a lock (a log), never through a link. A failed
 * write keeps everything written before it, is reported once, and ends the writing. It never raises a signal:
 * the limit on file sizes is checked before the kernel would send one.
 */
#if !defined(_GNU_SOURCE)
#define _GNU_SOURCE /* flock */
#endif
#include "files/private_file.h"

#ifndef _WIN32 /* on Windows, windows.c refuses them */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "abridge.h"
#include "base/memory.h"
#include "base/tiny.h"
#include "files/line_index.h"
#include "files/portable.h"
#include "text/scan.h"

enum {
    FILE_MODE = 0600,
    FOLDER_MODE = 0700,
    OTHERS = 0077,
    BUFFER = ABR_OR_TINY(32 * 1024, 16),
    NAME_MOST = 255
};

struct abr_file {
    char buffer[BUFFER];
    const abr_alloc *alloc;
    int fd;
    int error;        /* errno of the first write that failed, 0 for none */
    bool append;      /* a log: half a record left by a failed write is taken back */
    bool linked;      /* a log had a name when it was opened, by its link count */
    uint64_t size;    /* bytes in the file */
    uint64_t whole;   /* of a log: bytes up to the end of its last whole record */
    size_t buffered;  /* bytes of `buffer` not yet in the file */
    size_t path_size; /* with its NUL */
    char *path;       /* in the same block, after the struct */
};

/* ---- folders ---- */

/* Give the owner of a new folder the bits that a umask took away. */
static void open_to_owner(const char *path)
{
    struct stat st;
    if (lstat(path, &st) == 0 && S_ISDIR(st.st_mode) && (st.st_mode & FOLDER_MODE) != FOLDER_MODE)
        (void)chmod(path, FOLDER_MODE);
}

/* Make path, and every missing folder on the way to it; 0 or an errno. */
static int make_folders(char *path)
{
    size_t n = strlen(path);
    for (size_t i = 1; i <= n; i++) {
        if (path[i] != '/' && path[i] != '\0')
            continue;
        path[i] = '\0';
        int failed = mkdir(path, FOLDER_MODE) == 0 ? 0 : errno;
        if (failed == 0)
            open_to_owner(path);
        else if (failed == EROFS ? access(path, F_OK) != 0 : failed != EEXIST && failed != EISDIR)
            return failed; /* some systems say EROFS for an existing folder */
        if (i < n)
            path[i] = '/';
    }
    return 0;
}

/* The reason why an existing folder cannot be opened as one. */
static int not_a_folder(const char *path, int number)
{
    struct stat st;
    if (number != ELOOP && number != ENOTDIR)
        return number;
    return lstat(path, &st) == 0 && S_ISLNK(st.st_mode) ? EPERM : ENOTDIR;
}

/* A descriptor of the folder, created if missing and `make`; negative: an errno. */
static int open_folder(const char *dir, bool make)
{
    char path[ABR_PATH_MOST];
    struct stat st;
    size_t n = strlen(dir);
    if (n == 0 || n >= sizeof path)
        return n == 0 ? -EINVAL : -ENAMETOOLONG;
    memcpy(path, dir, n + 1);
    while (n > 1 && path[n - 1] == '/')
        path[--n] = '\0'; /* with a trailing slash, a link would be followed */
    int failed = make ? make_folders(path) : 0;
    if (failed != 0)
        return -failed;
    int fd;
    do
        fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    while (fd < 0 && errno == EINTR);
    if (fd < 0)
        return -not_a_folder(path, abr_open_errno(errno));
    if (fstat(fd, &st) != 0)
        failed = errno;
    else if (st.st_uid != geteuid() || (st.st_mode & OTHERS) != 0)
        failed = EPERM;
    if (failed == 0)
        return fd;
    close(fd);
    return -failed;
}

int abr_private_folder(const char *dir)
{
    int fd = open_folder(dir, true);
    if (fd < 0)
        return -fd;
    close(fd);
    return 0;
}

/* ---- files ---- */

static abr_file *new_file(const abr_alloc *alloc, const char *dir, const char *name)
{
    size_t dir_size = strlen(dir); /* the folder could be opened: it is under ABR_PATH_MOST */
    size_t name_size = strlen(name);
    size_t path_size = dir_size + 1 + name_size + 1;
    abr_file *file = (void *)abr_block_new(alloc, sizeof *file + path_size);
    if (!file)
        return NULL;
    memset(file, 0, sizeof *file);
    file->alloc = alloc;
    file->fd = -1;
    file->path = (char *)(file + 1);
    file->path_size = path_size;
    bool slash = dir_size > 0 && dir[dir_size - 1] == '/';
    memcpy(file->path, dir, dir_size);
    if (!slash)
        file->path[dir_size++] = '/';
    memcpy(file->path + dir_size, name, name_size + 1);
    return file;
}

/* Truncate a file, and go on writing there. */
static int end_at(abr_file *file, uint64_t size)
{
    int failed;
    do
        failed = ftruncate(file->fd, (off_t)size);
    while (failed != 0 && errno == EINTR);
    if (failed != 0 || lseek(file->fd, (off_t)size, SEEK_SET) < 0)
        return errno;
    file->size = size;
    return 0;
}

/* Cut off a torn last line, left by a killed process. */
static int mend(abr_file *file)
{
    off_t end = lseek(file->fd, 0, SEEK_END);
    if (end < 0)
        return errno;
    const abr_source log = {file->fd, NULL, (uint64_t)end};
    uint64_t size = log.size;
    while (size > 0) {
        uint64_t from = size > BUFFER ? size - BUFFER : 0;
        size_t got;
        int failed = abr_read_at(&log, from, file->buffer, (size_t)(size - from), &got);
        if (failed != 0)
            return failed == ABR_ENDED_EARLY ? EIO : failed;
        const char *newline = abr_find_last_newline(file->buffer, got);
        size = newline ? from + (uint64_t)(newline - file->buffer) + 1 : from;
        if (newline)
            break;
    }
    file->whole = size;
    return end_at(file, size);
}

/* Lock a log, and check that it is ours and still has that name: it may have been removed before the lock. */
static int lock(abr_file *file, int folder, const char *name)
{
    struct stat st;
    struct stat named;
    if (fstat(file->fd, &st) != 0)
        return errno;
    if (!S_ISREG(st.st_mode) || st.st_uid != geteuid() || (st.st_mode & OTHERS) != 0)
        return EPERM;
    if (flock(file->fd, LOCK_EX | LOCK_NB) != 0)
        return errno == EWOULDBLOCK ? EBUSY : errno;
    if (fstatat(folder, name, &named, AT_SYMLINK_NOFOLLOW) != 0 || named.st_ino != st.st_ino ||
        named.st_dev != st.st_dev)
        return EBUSY;
    (void)fchmod(file->fd, FILE_MODE); /* whatever the umask took away */
    file->linked = st.st_nlink > 0;
    return mend(file);
}

int abr_file_open(const char *dir, const char *name, abr_file_kind kind, const abr_alloc *alloc,
                  abr_file **out)
{
    *out = NULL;
    if (strlen(name) > NAME_MOST)
        return ENAMETOOLONG;
    if (name[0] == '\0' || strchr(name, '/') || strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
        return EINVAL;
    int folder = open_folder(dir, kind != ABR_FILE_OLD_LOG);
    if (folder < 0)
        return -folder;
    abr_file *file = new_file(abr_allocator(alloc), dir, name);
    int failed = file ? 0 : ENOMEM;
    if (file) {
        static const int flags_of[] = {O_WRONLY | O_CREAT | O_EXCL, O_RDWR | O_CREAT, O_RDWR};
        int flags = O_NOFOLLOW | O_CLOEXEC | flags_of[kind];
        file->append = kind != ABR_FILE_NEW;
        do
            file->fd = openat(folder, name, flags, FILE_MODE);
        while (file->fd < 0 && errno == EINTR);
        if (file->fd < 0)
            failed = abr_open_errno(errno);
        else if (file->append)
            failed = lock(file, folder, name);
        else
            (void)fchmod(file->fd, FILE_MODE);
    }
    close(folder);
    if (failed != 0) {
        abr_file_close(file);
        return failed;
    }
    *out = file;
    return 0;
}

/* The number of n bytes that the limit on file sizes allows; the kernel would send a signal for the rest. */
static size_t allowed(const abr_file *file, size_t n)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
        return n;
    uint64_t most = (uint64_t)limit.rlim_cur;
    uint64_t left = most > file->size ? most - file->size : 0;
    return n > left ? (size_t)left : n;
}

static void buffer_bytes(abr_file *file, const char *p, size_t n)
{
    while (n > 0 && file->error == 0) {
        size_t most = allowed(file, n);
        ssize_t written = most > 0 ? write(file->fd, p, abr_io_size(most)) : -1;
        if (written > 0) {
            file->size += (uint64_t)written;
            p += written;
            n -= (size_t)written;
        } else if (most == 0) {
            file->error = EFBIG;
        } else if (written == 0) {
            file->error = EIO; /* it would never take anything */
        } else if (errno != EINTR) {
            file->error = errno;
        }
    }
}

int abr_file_flush(abr_file *file)
{
    size_t n = file->buffered;
    file->buffered = 0;
    buffer_bytes(file, file->buffer, n);
    return file->error;
}

int abr_file_finish(abr_file *file)
{
    if (file->fd < 0)
        return file->error;
    abr_file_flush(file);
    /* some file systems report a full disk only here */
    if (close(file->fd) != 0 && errno != EINTR && file->error == 0)
        file->error = errno;
    file->fd = -1;
    return file->error;
}

int abr_file_write(abr_file *file, const char *p, size_t n)
{
    if (file->error != 0)
        return file->error;
    if (n < sizeof file->buffer - file->buffered) {
        memcpy(file->buffer + file->buffered, p, n);
        file->buffered += n;
        return 0;
    }
    abr_file_flush(file);
    buffer_bytes(file, p, n);
    return file->error;
}

/* Was a log deleted while it was open? Then nobody would ever see its records. */
static bool is_deleted(const abr_file *file)
{
    struct stat st;
    return file->linked && fstat(file->fd, &st) == 0 && st.st_nlink == 0;
}

int abr_file_append(abr_file *file, const char *p, size_t n)
{
    file->error = 0; /* there may be room again */
    /* Try again to take back half a record; if it has to stay, it becomes a line of its own. */
    if (file->size != file->whole && end_at(file, file->whole) != 0)
        buffer_bytes(file, "\n", 1);
    buffer_bytes(file, p, n);
    if (file->error == 0) {
        file->whole = file->size;
        return is_deleted(file) ? ENOENT : 0;
    }
    (void)end_at(file, file->whole); /* if even this fails, the reader skips the half record */
    return file->error;
}

int abr_file_error(const abr_file *file)
{
    return file->error;
}

uint64_t abr_file_size(const abr_file *file)
{
    return file->size;
}

const char *abr_file_path(const abr_file *file)
{
    return file->path;
}

int abr_file_close(abr_file *file)
{
    if (!file)
        return 0;
    int failed = abr_file_finish(file);
    abr_block_free(file->alloc, (char *)file);
    return failed;
}

void abr_file_remove(abr_file *file)
{
    if (!file)
        return;
    abr_file_finish(file);
    (void)unlink(file->path);
    abr_file_close(file);
}

#endif
