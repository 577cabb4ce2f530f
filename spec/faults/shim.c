/*
 * Faults on request, for Linux: preloaded into a host, it makes chosen system calls fail, come short,
 * wait, or find the file changed. Which ones is told while the host runs, by setenv("ABRIDGE_FAULTS_NOW",
 * rules): the variable is not set; ABRIDGE_FAULTS_FIRED then tells how often each rule of before came to
 * pass. A child of the host is clean, unless it is given LD_PRELOAD again; it then starts with the rules
 * of ABRIDGE_FAULTS.
 *
 *   rules:  CALL[>BYTES][@PATH][#FIRST[-[LAST]]]=ACTION[:N], separated by ";"
 *   CALL    open read pread write pwrite close ftruncate flock mkdir unlink opendir readdir pipe fork exec
 *           epoll clock
 *   >BYTES  of read and pread: calls alone that ask for more than so many bytes
 *   @PATH   a pattern of the path, or of what the descriptor is open on ("pipe:*"); anything unless given
 *   #2-     which of the calls that match: the second and all after it; #2 the second alone; all unless given
 *   ACTION  an errno by name; short:N, at most N bytes; truncate:N, the file is cut to N bytes before the
 *           call; remove, its name goes before the call; delay:N, milliseconds; add:N, seconds that the
 *           clock has gained
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <limits.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

enum { RULES = 8, NUMBER = 24 };

typedef enum {
    OPEN,
    READ,
    PREAD,
    WRITE,
    PWRITE,
    CLOSE,
    FTRUNCATE,
    FLOCK,
    MKDIR,
    UNLINK,
    OPENDIR,
    READDIR,
    PIPE,
    FORK,
    EXEC,
    EPOLL,
    CLOCK,
    CALLS
} call;

static const char *const call_names[CALLS] = {"open",      "read",  "pread", "write",  "pwrite",  "close",
                                              "ftruncate", "flock", "mkdir", "unlink", "opendir", "readdir",
                                              "pipe",      "fork",  "exec",  "epoll",  "clock"};

typedef enum { FAIL, SHORT, TRUNCATE, REMOVE, DELAY, ADD } action;

static const char *const action_names[] = {NULL, "short", "truncate", "remove", "delay", "add"};

static const struct {
    const char *name;
    int number;
} errors[] = {{"EACCES", EACCES}, {"EAGAIN", EAGAIN}, {"EDQUOT", EDQUOT}, {"EINTR", EINTR},
              {"EIO", EIO},       {"EMFILE", EMFILE}, {"ENOLCK", ENOLCK}, {"ENOMEM", ENOMEM},
              {"ENOSPC", ENOSPC}, {"EROFS", EROFS},   {"ENOENT", ENOENT}, {"ESTALE", ESTALE}};

typedef struct {
    call call;
    action action;
    long value;                /* errno, bytes, milliseconds or seconds */
    size_t above;              /* bytes that a call must ask for more than */
    unsigned long first, last; /* of the calls that match */
    unsigned long seen, fired;
    char path[PATH_MAX];
} rule;

static rule rules[RULES];
static int rule_count;

/* ---- rules ---- */

static void broken(const char *text)
{
    fprintf(stderr, "shim.c: no such rule: %s\n", text);
    _exit(99);
}

/* What stands in front of the first of these ends; the ends that were met go on in *rest. */
static void word(const char **rest, const char *ends, char *dst, size_t size)
{
    size_t n = strcspn(*rest, ends);
    if (n >= size)
        broken(*rest);
    memcpy(dst, *rest, n);
    dst[n] = '\0';
    *rest += n;
}

static void parse_action(rule *r, const char *text)
{
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
        if (strcmp(errors[i].name, text) == 0) {
            r->action = FAIL;
            r->value = errors[i].number;
            return;
        }
    for (size_t i = 1; i < sizeof action_names / sizeof *action_names; i++) {
        size_t n = strlen(action_names[i]);
        if (strncmp(action_names[i], text, n) == 0 && (text[n] == ':' || text[n] == '\0')) {
            r->action = (action)i;
            r->value = text[n] == ':' ? strtol(text + n + 1, NULL, 10) : 0;
            return;
        }
    }
    broken(text);
}

static void parse_rule(rule *r, const char **rest)
{
    char text[NUMBER];
    const char *start = *rest;
    memset(r, 0, sizeof *r);
    r->first = 1;
    r->last = ULONG_MAX;
    word(rest, ">@#=;", text, sizeof text);
    for (r->call = 0; r->call < CALLS && strcmp(call_names[r->call], text) != 0; r->call++)
        ;
    if (r->call == CALLS)
        broken(start);
    if (**rest == '>') {
        ++*rest;
        word(rest, "@#=;", text, sizeof text);
        r->above = strtoul(text, NULL, 10);
    }
    if (**rest == '@') {
        ++*rest;
        word(rest, "#=;", r->path, sizeof r->path);
    }
    if (**rest == '#') {
        char *end;
        ++*rest;
        word(rest, "=;", text, sizeof text);
        r->first = strtoul(text, &end, 10);
        r->last = *end != '-' ? r->first : end[1] == '\0' ? ULONG_MAX : strtoul(end + 1, NULL, 10);
    }
    if (**rest != '=')
        broken(start);
    ++*rest;
    word(rest, ";", text, sizeof text);
    parse_action(r, text);
    *rest += **rest == ';';
}

static void parse(const char *text)
{
    rule_count = 0;
    int n = 0;
    while (*text != '\0') {
        if (n == RULES)
            broken(text);
        parse_rule(&rules[n++], &text);
    }
    rule_count = n;
}

static int real_setenv(const char *name, const char *value, int overwrite)
{
    int (*next)(const char *, const char *, int);
    *(void **)&next = dlsym(RTLD_NEXT, "setenv");
    return next(name, value, overwrite);
}

int setenv(const char *name, const char *value, int overwrite)
{
    char fired[RULES * NUMBER] = "";
    size_t n = 0;
    if (strcmp(name, "ABRIDGE_FAULTS_NOW") != 0)
        return real_setenv(name, value, overwrite);
    for (int i = 0; i < rule_count; i++)
        n += (size_t)snprintf(fired + n, sizeof fired - n, "%lu ", rules[i].fired);
    parse(value);
    return real_setenv("ABRIDGE_FAULTS_FIRED", fired, 1);
}

__attribute__((constructor)) static void begin(void)
{
    const char *first = getenv("ABRIDGE_FAULTS");
    if (first && strcmp(program_invocation_short_name, "sh") == 0)
        return; /* a shell that a program is started with hands all this on to it */
    if (first)
        parse(first);
    unsetenv("LD_PRELOAD");
}

/* ---- which rule is due ---- */

static bool fits(const rule *r, const char *path, int fd)
{
    char link[64];
    char target[PATH_MAX];
    if (r->path[0] == '\0')
        return true;
    if (!path) {
        snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
        ssize_t n = readlink(link, target, sizeof target - 1);
        if (n < 0)
            return false;
        target[n] = '\0';
        path = target;
    }
    return fnmatch(r->path, path, 0) == 0;
}

/* What is done before the call itself. */
static void prepare(const rule *r, const char *path, int fd)
{
    char link[64];
    char target[PATH_MAX];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    if (r->action == DELAY)
        usleep((useconds_t)r->value * 1000);
    if (r->action == TRUNCATE && truncate(path ? path : link, r->value) != 0)
        broken("truncate");
    if (r->action == REMOVE) {
        ssize_t n = path ? -1 : readlink(link, target, sizeof target - 1);
        if (n >= 0)
            target[n] = '\0';
        if (syscall(SYS_unlinkat, AT_FDCWD, path ? path : target, 0) != 0)
            broken("remove");
    }
}

/* The rule of a call that is due now, or NULL. */
static const rule *due(call which, const char *path, int fd, size_t bytes)
{
    const rule *found = NULL;
    const int error = errno;
    for (int i = 0; i < rule_count; i++) {
        rule *r = &rules[i];
        if (r->call != which || (r->above > 0 && bytes <= r->above) || !fits(r, path, fd))
            continue;
        unsigned long n = __atomic_add_fetch(&r->seen, 1, __ATOMIC_RELAXED);
        if (!found && n >= r->first && n <= r->last) {
            __atomic_add_fetch(&r->fired, 1, __ATOMIC_RELAXED);
            prepare(r, path, fd);
            found = r;
        }
    }
    errno = error;
    return found;
}

/* Does a call fail? errno is set then. */
static bool fails(call which, const char *path, int fd)
{
    const rule *r = due(which, path, fd, 0);
    if (!r || r->action != FAIL)
        return false;
    errno = (int)r->value;
    return true;
}

/* The same for calls that move bytes; *n may become less. */
static bool transfer_fails(call which, int fd, size_t *n)
{
    const rule *r = due(which, NULL, fd, *n);
    if (r && r->action == SHORT && (size_t)r->value < *n)
        *n = (size_t)r->value;
    if (!r || r->action != FAIL)
        return false;
    errno = (int)r->value;
    return true;
}

/* ---- files ---- */

static int open_with(int dir, const char *path, int flags, va_list rest)
{
    mode_t mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(rest, mode_t) : 0;
    if (fails(OPEN, path, -1))
        return -1;
    return (int)syscall(SYS_openat, dir, path, flags, mode);
}

#define OPENER(name, params, dir)                                                                            \
    int name params                                                                                          \
    {                                                                                                        \
        va_list rest;                                                                                        \
        va_start(rest, flags);                                                                               \
        int fd = open_with(dir, path, flags, rest);                                                          \
        va_end(rest);                                                                                        \
        return fd;                                                                                           \
    }

OPENER(open, (const char *path, int flags, ...), AT_FDCWD)
OPENER(open64, (const char *path, int flags, ...), AT_FDCWD)
OPENER(openat, (int dir, const char *path, int flags, ...), dir)
OPENER(openat64, (int dir, const char *path, int flags, ...), dir)

ssize_t read(int fd, void *p, size_t n)
{
    return transfer_fails(READ, fd, &n) ? -1 : syscall(SYS_read, fd, p, n);
}

ssize_t pread(int fd, void *p, size_t n, off_t at)
{
    return transfer_fails(PREAD, fd, &n) ? -1 : syscall(SYS_pread64, fd, p, n, at);
}

ssize_t pread64(int fd, void *p, size_t n, off64_t at)
{
    return transfer_fails(PREAD, fd, &n) ? -1 : syscall(SYS_pread64, fd, p, n, at);
}

ssize_t write(int fd, const void *p, size_t n)
{
    return transfer_fails(WRITE, fd, &n) ? -1 : syscall(SYS_write, fd, p, n);
}

ssize_t pwrite(int fd, const void *p, size_t n, off_t at)
{
    return transfer_fails(PWRITE, fd, &n) ? -1 : syscall(SYS_pwrite64, fd, p, n, at);
}

ssize_t pwrite64(int fd, const void *p, size_t n, off64_t at)
{
    return transfer_fails(PWRITE, fd, &n) ? -1 : syscall(SYS_pwrite64, fd, p, n, at);
}

/* A descriptor is closed whatever is said of it, as Linux does. */
int close(int fd)
{
    bool failed = fails(CLOSE, NULL, fd);
    int error = errno;
    int closed = (int)syscall(SYS_close, fd);
    if (!failed)
        return closed;
    errno = error;
    return -1;
}

int ftruncate(int fd, off_t size)
{
    return fails(FTRUNCATE, NULL, fd) ? -1 : (int)syscall(SYS_ftruncate, fd, size);
}

int ftruncate64(int fd, off64_t size)
{
    return fails(FTRUNCATE, NULL, fd) ? -1 : (int)syscall(SYS_ftruncate, fd, size);
}

int flock(int fd, int operation)
{
    return fails(FLOCK, NULL, fd) ? -1 : (int)syscall(SYS_flock, fd, operation);
}

int mkdir(const char *path, mode_t mode)
{
    return fails(MKDIR, path, -1) ? -1 : (int)syscall(SYS_mkdirat, AT_FDCWD, path, mode);
}

int unlink(const char *path)
{
    return fails(UNLINK, path, -1) ? -1 : (int)syscall(SYS_unlinkat, AT_FDCWD, path, 0);
}

DIR *opendir(const char *path)
{
    DIR *(*next)(const char *);
    if (fails(OPENDIR, path, -1))
        return NULL;
    *(void **)&next = dlsym(RTLD_NEXT, "opendir");
    return next(path);
}

struct dirent64 *readdir64(DIR *dir)
{
    struct dirent64 *(*next)(DIR *);
    if (fails(READDIR, NULL, dirfd(dir)))
        return NULL;
    *(void **)&next = dlsym(RTLD_NEXT, "readdir64");
    return next(dir);
}

/* ---- processes ---- */

int pipe2(int ends[2], int flags)
{
    return fails(PIPE, NULL, -1) ? -1 : (int)syscall(SYS_pipe2, ends, flags);
}

pid_t fork(void)
{
    pid_t (*next)(void);
    if (fails(FORK, NULL, -1))
        return -1;
    *(void **)&next = dlsym(RTLD_NEXT, "fork");
    return next();
}

int execvp(const char *program, char *const *arguments)
{
    int (*next)(const char *, char *const *);
    if (fails(EXEC, program, -1))
        return -1;
    *(void **)&next = dlsym(RTLD_NEXT, "execvp");
    return next(program, arguments);
}

/* What libuv starts programs with since 1.52, in place of both. */
int posix_spawn(pid_t *restrict pid, const char *restrict program, const posix_spawn_file_actions_t *actions,
                const posix_spawnattr_t *restrict attributes, char *const *restrict arguments,
                char *const *restrict environment)
{
    int (*next)(pid_t *restrict, const char *restrict, const posix_spawn_file_actions_t *,
                const posix_spawnattr_t *restrict, char *const *restrict, char *const *restrict);
    if (fails(FORK, NULL, -1) || fails(EXEC, program, -1))
        return errno;
    *(void **)&next = dlsym(RTLD_NEXT, "posix_spawn");
    return next(pid, program, actions, attributes, arguments, environment);
}

int epoll_wait(int fd, struct epoll_event *events, int most, int timeout)
{
    return fails(EPOLL, NULL, fd) ? -1 : (int)syscall(SYS_epoll_pwait, fd, events, most, timeout, NULL, 8);
}

int epoll_pwait(int fd, struct epoll_event *events, int most, int timeout, const sigset_t *signals)
{
    return fails(EPOLL, NULL, fd) ? -1 : (int)syscall(SYS_epoll_pwait, fd, events, most, timeout, signals, 8);
}

/* ---- the wall clock; the one that never steps back is left alone ---- */

int clock_gettime(clockid_t id, struct timespec *now)
{
    int failed = (int)syscall(SYS_clock_gettime, id, now);
    if (failed == 0 && (id == CLOCK_REALTIME || id == CLOCK_REALTIME_COARSE)) {
        const rule *r = due(CLOCK, NULL, -1, 0);
        if (r && r->action == ADD)
            now->tv_sec += r->value;
    }
    return failed;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone)
{
    struct timespec precise;
    (void)zone;
    if (clock_gettime(CLOCK_REALTIME, &precise) != 0)
        return -1;
    now->tv_sec = precise.tv_sec;
    now->tv_usec = precise.tv_nsec / 1000;
    return 0;
}

time_t time(time_t *now)
{
    struct timespec precise;
    if (clock_gettime(CLOCK_REALTIME, &precise) != 0)
        return -1;
    if (now)
        *now = precise.tv_sec;
    return precise.tv_sec;
}
