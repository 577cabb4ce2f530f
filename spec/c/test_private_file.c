/* Private files: who may read them, what a failing write leaves, what a log is after a crash. */
#if !defined(_GNU_SOURCE)
#define _GNU_SOURCE /* unshare */
#endif
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#if defined(__linux__)
#include <sched.h>
#include <sys/mount.h>
#endif

#include "files/errno_text.h"
#include "files/portable.h"
#include "files/private_file.h"
#include "ledger.h"

enum { KB = 1024, NOBODY = 65534 };

static char base[200]; /* this test's folder, mode 0700 */

/* A path below it, in one of a few buffers. */
static const char *at(const char *name)
{
    static char paths[4][600];
    static unsigned next;
    char *path = paths[next++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", base, name);
    return path;
}

static int remove_entry(const char *path, const struct stat *st, int kind, struct FTW *where)
{
    (void)st;
    (void)kind;
    (void)where;
    return remove(path);
}

/* MemorySanitizer does not see what libc writes into `st`. */
#ifdef __clang__
__attribute__((no_sanitize("memory")))
#endif
static int
open_entry(const char *path, const struct stat *st, int kind, struct FTW *where)
{
    (void)where;
    if (kind != FTW_SL && S_ISDIR(st->st_mode))
        return chmod(path, 0700);
    return 0;
}

static void start(void)
{
    const char *tmp = getenv("TMPDIR");
    snprintf(base, sizeof base, "%s/abridge-files-XXXXXX", tmp && tmp[0] != '\0' ? tmp : "/tmp");
    if (!mkdtemp(base))
        exit(2);
}

static void end(void)
{
    nftw(base, open_entry, 8, FTW_PHYS);
    nftw(base, remove_entry, 8, FTW_PHYS | FTW_DEPTH);
}

/* Run a test in a folder of its own. */
#define RUN_IN_FOLDER(test) (start(), RUN(test), end())

/* Run facts in a child, where limits, identity and mounts may be changed; its failures are the test's. A
 * child that ends with SKIPPED could not make the situation. */
enum { FAILED = 1, SKIPPED = 77 };

static bool in_child(void (*facts)(void))
{
    int status = 0;
    fflush(stdout);
    fflush(stderr);
    pid_t pid = fork();
    if (pid == 0) {
        facts();
        fflush(stderr);
        _exit(check_failures > 0 ? FAILED : 0);
    }
    if (pid < 0 || waitpid(pid, &status, 0) != pid)
        exit(2);
    if (WIFEXITED(status) && WEXITSTATUS(status) == SKIPPED)
        return false;
    if (WIFSIGNALED(status))
        fprintf(stderr, "killed by signal %d: ", WTERMSIG(status));
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    return true;
}

static void put(const char *path, const char *p, size_t n)
{
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(p, 1, n, file) != n || fclose(file) != 0)
        exit(2);
}

static char *slurp(const char *path, size_t *n)
{
    *n = 0;
    FILE *file = fopen(path, "rb");
    if (!file)
        return NULL;
    fseek(file, 0, SEEK_END);
    size_t size = (size_t)ftell(file);
    rewind(file);
    char *text = malloc(size + 1);
    if (!text)
        exit(2);
    *n = fread(text, 1, size, file);
    fclose(file);
    return text;
}

static void check_file(const char *path, const char *p, size_t n)
{
    size_t got;
    char *text = slurp(path, &got);
    if (CHECK(text != NULL))
        CHECK(got == n && memcmp(text, p, n) == 0);
    free(text);
}

static unsigned mode_of(const char *path)
{
    struct stat st;
    return lstat(path, &st) == 0 ? (unsigned)st.st_mode & 07777 : 0;
}

static bool exists(const char *path)
{
    struct stat st;
    return lstat(path, &st) == 0;
}

/* Open, expecting this errno (0: it opens). */
static abr_file *open_expecting(int expected, const char *dir, const char *name, abr_file_kind kind)
{
    abr_file *file = NULL;
    int failed = abr_file_open(dir, name, kind, NULL, &file);
    if (failed != expected)
        fprintf(stderr, "expected %s, got %s: ", abr_errno_name(expected), abr_errno_name(failed));
    CHECK(failed == expected);
    CHECK((file != NULL) == (failed == 0));
    return file;
}

static void refuse(int expected, const char *dir, const char *name, abr_file_kind kind)
{
    abr_file_close(open_expecting(expected, dir, name, kind));
}

/* ---- who may read ---- */

static void private_whatever_the_umask(void)
{
    static const mode_t masks[] = {0, 022, 077, 0277, 0377, 0777};
    for (size_t i = 0; i < sizeof masks / sizeof *masks; i++) {
        for (int kind = 0; kind < 2; kind++) {
            char dir[300];
            char path[700];
            snprintf(dir, sizeof dir, "%s/m%zu-%d", base, i, kind);
            mode_t old = umask(masks[i]);
            char deep[400];
            snprintf(deep, sizeof deep, "%s/a/b", dir);
            abr_file *file = open_expecting(0, deep, "f", kind == 0 ? ABR_FILE_NEW : ABR_FILE_LOG);
            umask(old);
            if (!file)
                continue;
            snprintf(path, sizeof path, "%s/f", deep);
            CHECK_TEXT(path, abr_file_path(file), strlen(abr_file_path(file)));
            CHECK_COUNT(0600, mode_of(path));
            CHECK_COUNT(0700, mode_of(deep));
            CHECK_COUNT(0700, mode_of(dir));
            CHECK(abr_file_close(file) == 0);
        }
    }
}

static void as_another_user(void)
{
    if (setgid(NOBODY) != 0 || setuid(NOBODY) != 0 || access(base, W_OK | X_OK) != 0)
        _exit(SKIPPED); /* the way to the temporary folder may be closed to others */
    private_whatever_the_umask();
}

static void private_whatever_the_umask_for_a_plain_user(void)
{
    if (geteuid() == 0 && chown(base, NOBODY, NOBODY) == 0)
        in_child(as_another_user);
    else
        private_whatever_the_umask();
}

static void a_folder_that_others_may_enter_is_refused(void)
{
    static const mode_t modes[] = {0701, 0710, 0704, 0750, 0755, 0770, 0777};
    mkdir(at("d"), 0700);
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        chmod(at("d"), modes[i]);
        refuse(EPERM, at("d"), "f", ABR_FILE_NEW);
        refuse(EPERM, at("d"), "f", ABR_FILE_LOG);
        CHECK(abr_private_folder(at("d")) == EPERM);
        CHECK(!exists(at("d/f")));
        CHECK_COUNT(modes[i], mode_of(at("d"))); /* it is not ours to change */
    }
    chmod(at("d"), 0700);
    CHECK(abr_private_folder(at("d")) == 0);
    abr_file_close(open_expecting(0, at("d"), "f", ABR_FILE_NEW));
}

static void a_folder_of_another_owner_is_refused(void)
{
    mkdir(at("d"), 0700);
    if (geteuid() != 0 || chown(at("d"), NOBODY, NOBODY) != 0)
        return; /* only root can make one */
    refuse(EPERM, at("d"), "f", ABR_FILE_NEW);
    refuse(EPERM, at("d"), "f", ABR_FILE_LOG);
    CHECK(!exists(at("d/f")));
}

static void a_link_is_no_folder(void)
{
    mkdir(at("d"), 0700);
    if (symlink("d", at("link")) != 0)
        exit(2);
    refuse(EPERM, at("link"), "f", ABR_FILE_NEW);
    refuse(EPERM, at("link/"), "f", ABR_FILE_NEW);
    refuse(EPERM, at("link//"), "f", ABR_FILE_LOG);
    CHECK(abr_private_folder(at("link")) == EPERM);
    CHECK(!exists(at("d/f")));
    if (symlink("nowhere", at("dangling")) != 0)
        exit(2);
    CHECK(abr_private_folder(at("dangling")) != 0);
    CHECK(!exists(at("nowhere")));
    /* on the way to the folder links are followed, as a home folder may be one */
    abr_file_close(open_expecting(0, at("link/below"), "f", ABR_FILE_NEW));
    CHECK(exists(at("d/below/f")));
}

static void what_is_no_folder_is_told(void)
{
    put(at("plain"), "x", 1);
    refuse(ENOTDIR, at("plain"), "f", ABR_FILE_NEW);
    refuse(ENOTDIR, at("plain/below"), "f", ABR_FILE_NEW);
    CHECK(abr_private_folder(at("plain")) == ENOTDIR);
    check_file(at("plain"), "x", 1);
    CHECK(abr_private_folder("") == EINVAL);
    char *path = malloc(2 * ABR_PATH_MOST);
    if (!path)
        exit(2);
    memset(path, 'a', 2 * ABR_PATH_MOST);
    path[2 * ABR_PATH_MOST - 1] = '\0';
    CHECK(abr_private_folder(path) == ENAMETOOLONG);
    path[0] = '/';
    path[300] = '\0'; /* one name of 299 bytes */
    CHECK(abr_private_folder(path) == ENAMETOOLONG);
    free(path);
}

static void in_a_folder_without_write_permission(void)
{
    if (geteuid() == 0 && (setgid(NOBODY) != 0 || setuid(NOBODY) != 0))
        _exit(SKIPPED);
    mkdir(at("d"), 0700);
    chmod(at("d"), 0500);
    refuse(EACCES, at("d"), "f", ABR_FILE_NEW);
    refuse(EACCES, at("d"), "f", ABR_FILE_LOG);
    refuse(EACCES, at("d/below"), "f", ABR_FILE_NEW);
    chmod(at("d"), 0000);
    refuse(EACCES, at("d"), "f", ABR_FILE_NEW);
}

static void a_folder_without_write_permission_is_told(void)
{
    if (geteuid() == 0 && chown(base, NOBODY, NOBODY) != 0)
        return;
    in_child(in_a_folder_without_write_permission);
}

/* ---- names and what stands there already ---- */

static void names_are_names_of_files(void)
{
    static const char *const wrong[] = {"", ".", "..", "a/b", "/", "/etc/x", "../x", "a/"};
    char name[257];
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        refuse(EINVAL, at("d"), wrong[i], ABR_FILE_NEW);
        refuse(EINVAL, at("d"), wrong[i], ABR_FILE_LOG);
    }
    CHECK(!exists(at("d"))); /* told before anything is made */
    memset(name, 'n', 256);
    name[256] = '\0';
    refuse(ENAMETOOLONG, at("d"), name, ABR_FILE_NEW);
    name[255] = '\0';
    abr_file_close(open_expecting(0, at("d"), name, ABR_FILE_NEW));
    abr_file_close(open_expecting(0, at("d"), "..a", ABR_FILE_NEW));
    abr_file_close(open_expecting(0, at("d"), "a b\n\xC3\xA9", ABR_FILE_NEW));
}

static void a_path_has_one_slash_before_the_name(void)
{
    char dir[300];
    snprintf(dir, sizeof dir, "%s/d/", base);
    abr_file *file = open_expecting(0, dir, "f", ABR_FILE_NEW);
    if (file)
        CHECK_TEXT(at("d/f"), abr_file_path(file), strlen(abr_file_path(file)));
    abr_file_close(file);
}

static void a_file_that_is_there_is_never_written(void)
{
    mkdir(at("d"), 0700);
    put(at("d/f"), "mine", 4);
    refuse(EEXIST, at("d"), "f", ABR_FILE_NEW);
    check_file(at("d/f"), "mine", 4);
    put(at("target"), "theirs", 6);
    if (symlink("../target", at("d/link")) != 0 || symlink("../new", at("d/dangling")) != 0)
        exit(2);
    refuse(EEXIST, at("d"), "link", ABR_FILE_NEW);
    refuse(EEXIST, at("d"), "dangling", ABR_FILE_NEW);
    refuse(ELOOP, at("d"), "link", ABR_FILE_LOG);
    refuse(ELOOP, at("d"), "dangling", ABR_FILE_LOG);
    check_file(at("target"), "theirs", 6);
    CHECK(!exists(at("new")));
}

static void a_log_is_a_private_file_of_ours(void)
{
    mkdir(at("d"), 0700);
    mkdir(at("d/folder"), 0700);
    refuse(EISDIR, at("d"), "folder", ABR_FILE_LOG);
    if (mkfifo(at("d/fifo"), 0600) != 0)
        exit(2);
    refuse(EPERM, at("d"), "fifo", ABR_FILE_LOG); /* and does not wait for a reader */
    put(at("d/wide"), "x\n", 2);
    chmod(at("d/wide"), 0644);
    refuse(EPERM, at("d"), "wide", ABR_FILE_LOG);
    check_file(at("d/wide"), "x\n", 2);
}

/* Descriptors of this process that a program it starts would inherit; -1 where one is not told. */
static int inherited(int *open_ones)
{
    int count = 0;
    *open_ones = 0;
    for (int fd = 3; fd < 256; fd++) {
        int flags = fcntl(fd, F_GETFD);
        *open_ones += flags >= 0;
        count += flags >= 0 && (flags & FD_CLOEXEC) == 0;
    }
    return count;
}

static void descriptors_are_closed_on_exec_and_at_the_end(void)
{
    int before;
    int during;
    int after;
    int leaked = inherited(&before);
    abr_file *file = open_expecting(0, at("d"), "f", ABR_FILE_NEW);
    abr_file *log = open_expecting(0, at("d"), "log", ABR_FILE_LOG);
    CHECK_COUNT(leaked, inherited(&during));
    CHECK_COUNT(before + 2, during); /* the folder's are closed again */
    CHECK(abr_file_close(file) == 0);
    CHECK(abr_file_close(log) == 0);
    CHECK(abr_file_close(NULL) == 0);
    refuse(EEXIST, at("d"), "f", ABR_FILE_NEW);
    refuse(EINVAL, at("d"), "a/b", ABR_FILE_NEW);
    chmod(at("d"), 0755);
    refuse(EPERM, at("d"), "g", ABR_FILE_NEW);
    inherited(&after);
    CHECK_COUNT(before, after);
}

static void without_memory_nothing_is_made(void)
{
    ledger l = {.fail_at = 1};
    const abr_alloc none = ledger_alloc(&l);
    abr_file *file = NULL;
    int before;
    int after;
    inherited(&before);
    CHECK(abr_file_open(at("d"), "f", ABR_FILE_NEW, &none, &file) == ENOMEM);
    CHECK(file == NULL && !exists(at("d/f")));
    inherited(&after);
    CHECK_COUNT(before, after);
}

/* ---- writing ---- */

static void what_is_written_is_in_the_file(void)
{
    static const size_t largest[] = {1, 7, 1000, 33 * KB, 100 * KB};
    enum { SIZE = 300 * KB };
    char *text = malloc(SIZE);
    if (!text)
        exit(2);
    for (size_t i = 0; i < SIZE; i++)
        text[i] = (char)(i * 31 + i / 256);
    for (size_t c = 0; c < sizeof largest / sizeof *largest; c++) {
        char name[20];
        char path[40];
        snprintf(name, sizeof name, "f%zu", c);
        snprintf(path, sizeof path, "d/%s", name);
        abr_file *file = open_expecting(0, at("d"), name, ABR_FILE_NEW);
        for (size_t done = 0; file && done < SIZE;) {
            size_t n = 1 + pick(largest[c]);
            if (n > SIZE - done)
                n = SIZE - done;
            CHECK(abr_file_write(file, text + done, n) == 0);
            done += n;
            struct stat st;
            CHECK(stat(at(path), &st) == 0);
            CHECK_COUNT(st.st_size, abr_file_size(file)); /* what is only in the buffer does not count */
        }
        CHECK(abr_file_flush(file) == 0);
        CHECK_COUNT(SIZE, abr_file_size(file));
        CHECK(abr_file_error(file) == 0);
        CHECK(abr_file_close(file) == 0);
        check_file(at(path), text, SIZE);
    }
    free(text);
}

/* ---- no room ---- */

static size_t size_on_disk(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 ? (size_t)st.st_size : 0;
}

/* Fill a file until it takes no more: from then on there is an error, and the size is what is on disk. */
static void fill_up(int expected, const char *dir, size_t chunk, size_t most)
{
    static char block[64 * KB];
    memset(block, 'x', sizeof block);
    abr_file *file = open_expecting(0, dir, "full", ABR_FILE_NEW);
    if (!file)
        return;
    char path[700];
    snprintf(path, sizeof path, "%s", abr_file_path(file));
    size_t written = 0;
    int failed = 0;
    while (failed == 0 && written < most) {
        failed = abr_file_write(file, block, chunk);
        written += chunk;
    }
    CHECK_COUNT(expected, failed != 0 ? failed : abr_file_flush(file));
    CHECK_COUNT(expected, abr_file_error(file));
    CHECK_COUNT(expected, abr_file_write(file, "y", 1)); /* nothing follows a gap */
    CHECK_COUNT(expected, abr_file_flush(file));
    uint64_t told = abr_file_size(file);
    CHECK(told > 0 && told < written);
    CHECK_COUNT(size_on_disk(path), told);
    CHECK_COUNT(expected, abr_file_close(file));
    CHECK_COUNT(told, size_on_disk(path));
    size_t n;
    char *text = slurp(path, &n);
    CHECK(text && memcmp(text, block, n < sizeof block ? n : sizeof block) == 0);
    free(text);
    unlink(path);
}

/* Records of 1000 bytes until one is refused: the log ends with a whole one. */
static void an_old_log_is_not_made(void)
{
    refuse(ENOENT, at("gone/below"), "log", ABR_FILE_OLD_LOG);
    CHECK(!exists(at("gone")));
    mkdir(at("d"), 0700);
    refuse(ENOENT, at("d"), "log", ABR_FILE_OLD_LOG);
    CHECK(!exists(at("d/log")));
    abr_file_close(open_expecting(0, at("d"), "log", ABR_FILE_LOG));
    abr_file_close(open_expecting(0, at("d"), "log", ABR_FILE_OLD_LOG));
}

static void append_until_full(int expected, abr_file *log, const char *path, size_t most)
{
    char record[1000];
    size_t whole = 0;
    int failed = 0;
    memset(record, 'r', sizeof record);
    record[sizeof record - 1] = '\n';
    while (failed == 0 && whole < most) {
        failed = abr_file_append(log, record, sizeof record);
        whole += failed == 0;
    }
    CHECK_COUNT(expected, failed);
    CHECK(whole > 0);
    CHECK_COUNT(whole * sizeof record, abr_file_size(log));
    CHECK_COUNT(whole * sizeof record, size_on_disk(path));
    CHECK_COUNT(expected, abr_file_append(log, record, sizeof record));
    CHECK_COUNT(whole * sizeof record, size_on_disk(path));
}

static void under_a_limit_on_file_sizes(void)
{
    struct rlimit limit = {10500, 10500};
    signal(SIGXFSZ, SIG_DFL);
    if (setrlimit(RLIMIT_FSIZE, &limit) != 0)
        _exit(SKIPPED);
    fill_up(EFBIG, at("d"), 1, 100 * KB);
    fill_up(EFBIG, at("d"), 700, 100 * KB);
    fill_up(EFBIG, at("d"), 64 * KB, 200 * KB);
    abr_file *log = open_expecting(0, at("d"), "log", ABR_FILE_LOG);
    append_until_full(EFBIG, log, at("d/log"), 100);
    CHECK_COUNT(0, abr_file_append(log, "short\n", 6)); /* a shorter record still fits */
    CHECK_COUNT(10006, size_on_disk(at("d/log")));
    abr_file_close(log);
    limit.rlim_cur = 0;
    if (setrlimit(RLIMIT_FSIZE, &limit) != 0)
        _exit(FAILED);
    log = open_expecting(0, at("d"), "log", ABR_FILE_LOG);
    CHECK_COUNT(EFBIG, abr_file_append(log, "x\n", 2));
    CHECK_COUNT(10006, size_on_disk(at("d/log")));
    abr_file_close(log);
}

static void a_limit_on_file_sizes_is_an_error_and_no_signal(void)
{
    in_child(under_a_limit_on_file_sizes);
}

#if defined(__linux__)
/* In a child: a small file system of its own, gone with the child. */
static void mount_small(const char *options)
{
    mkdir(at("d"), 0700);
    if (unshare(CLONE_NEWNS) != 0 || mount("none", "/", "none", MS_REC | MS_PRIVATE, NULL) != 0 ||
        mount("none", at("d"), "tmpfs", 0, options) != 0)
        _exit(SKIPPED);
}

static void on_a_full_disk(void)
{
    mount_small("size=64k,mode=0700");
    fill_up(ENOSPC, at("d"), 1, 200 * KB);
    fill_up(ENOSPC, at("d"), 5000, 200 * KB);
    fill_up(ENOSPC, at("d"), 64 * KB, 200 * KB);
    abr_file *log = open_expecting(0, at("d"), "log", ABR_FILE_LOG);
    abr_file *other = open_expecting(0, at("d"), "other", ABR_FILE_NEW);
    static char block[20 * KB];
    CHECK(abr_file_write(other, block, sizeof block) == 0);
    CHECK(abr_file_flush(other) == 0);
    append_until_full(ENOSPC, log, at("d/log"), 100);
    size_t before = size_on_disk(at("d/log"));
    /* once there is room again, the log goes on */
    abr_file_close(other);
    unlink(at("d/other"));
    memset(block, 'b', sizeof block);
    block[sizeof block - 1] = '\n';
    CHECK_COUNT(0, abr_file_append(log, block, 10000));
    CHECK_COUNT(before + 10000, size_on_disk(at("d/log")));
    CHECK_COUNT(before + 10000, abr_file_size(log));
    abr_file_close(log);
}

static void on_a_read_only_disk(void)
{
    mount_small("size=64k,mode=0700");
    if (mount("none", at("d"), "tmpfs", MS_REMOUNT | MS_RDONLY, "size=64k,mode=0700") != 0)
        _exit(SKIPPED);
    refuse(EROFS, at("d"), "f", ABR_FILE_NEW);
    refuse(EROFS, at("d"), "log", ABR_FILE_LOG);
    CHECK_COUNT(EROFS, abr_private_folder(at("d/below")));
    CHECK_COUNT(EROFS, abr_private_folder(at("d/below/deeper")));
}
#endif

static void a_full_disk_is_told(void)
{
#if defined(__linux__)
    if (!in_child(on_a_full_disk))
        fprintf(stderr, "skipped: no small file system can be mounted here\n");
#endif
}

static void a_read_only_disk_is_told(void)
{
#if defined(__linux__)
    if (!in_child(on_a_read_only_disk))
        fprintf(stderr, "skipped: no file system can be mounted here\n");
#endif
}

/* ---- logs ---- */

static void append(abr_file *log, const char *record)
{
    if (log)
        CHECK(abr_file_append(log, record, strlen(record)) == 0);
}

static void records_are_there_at_once(void)
{
    abr_file *log = open_expecting(0, at("d"), "log", ABR_FILE_LOG);
    append(log, "one\n");
    check_file(at("d/log"), "one\n", 4);
    append(log, "two\n");
    check_file(at("d/log"), "one\ntwo\n", 8);
    abr_file_close(log);
    log = open_expecting(0, at("d"), "log", ABR_FILE_LOG);
    CHECK_COUNT(8, abr_file_size(log));
    append(log, "three\n");
    abr_file_close(log);
    check_file(at("d/log"), "one\ntwo\nthree\n", 14);
}

static void a_torn_last_line_is_cut_off(void)
{
    static const char text[] = "one\n\ntwo and three\nfour\n";
    const size_t n = sizeof text - 1;
    mkdir(at("d"), 0700);
    for (size_t torn = 0; torn <= n; torn++) {
        size_t whole = torn;
        while (whole > 0 && text[whole - 1] != '\n')
            whole--;
        put(at("d/log"), text, torn);
        chmod(at("d/log"), 0600);
        abr_file *log = open_expecting(0, at("d"), "log", ABR_FILE_LOG);
        if (!log)
            continue;
        CHECK_COUNT(whole, abr_file_size(log));
        check_file(at("d/log"), text, whole);
        append(log, "next\n");
        abr_file_close(log);
        char want[sizeof text + 5];
        memcpy(want, text, whole);
        memcpy(want + whole, "next\n", 5);
        check_file(at("d/log"), want, whole + 5);
    }
}

/* A torn line longer than any buffer, and whole lines before it that end at each side of a buffer's edge. */
static void a_long_torn_line_is_cut_off(void)
{
    static const size_t wholes[] = {0, 1, 2, 100, 32 * KB - 1, 32 * KB, 32 * KB + 1, 64 * KB};
    static const size_t torn[] = {1, 32 * KB - 1, 32 * KB, 32 * KB + 1, 64 * KB, 100000};
    char *text = malloc(200 * KB);
    if (!text)
        exit(2);
    mkdir(at("d"), 0700);
    for (size_t w = 0; w < sizeof wholes / sizeof *wholes; w++) {
        for (size_t t = 0; t < sizeof torn / sizeof *torn; t++) {
            memset(text, 'x', 200 * KB);
            if (wholes[w] > 0)
                text[wholes[w] - 1] = '\n';
            put(at("d/log"), text, wholes[w] + torn[t]);
            chmod(at("d/log"), 0600);
            abr_file_close(open_expecting(0, at("d"), "log", ABR_FILE_LOG));
            check_file(at("d/log"), text, wholes[w]);
        }
    }
    free(text);
}

static abr_file *held;

static void open_a_held_log(void)
{
    refuse(EBUSY, at("d"), "log", ABR_FILE_LOG);
    abr_file_close(held); /* this process's share of it; the lock stays with the other's */
    refuse(EBUSY, at("d"), "log", ABR_FILE_LOG);
}

static void one_process_holds_a_log(void)
{
    abr_file *log = open_expecting(0, at("d"), "log", ABR_FILE_LOG);
    append(log, "one\n");
    refuse(EBUSY, at("d"), "log", ABR_FILE_LOG);
    held = log;
    CHECK(in_child(open_a_held_log));
    check_file(at("d/log"), "one\n", 4);
    append(log, "two\n");
    abr_file_close(log);
    abr_file_close(open_expecting(0, at("d"), "log", ABR_FILE_LOG));
}

/* A child that holds the log and says so, until it is killed. */
static pid_t hold_in_child(void)
{
    int ready[2];
    char byte = 0;
    if (pipe(ready) != 0)
        exit(2);
    pid_t pid = fork();
    if (pid == 0) {
        abr_file *log = NULL;
        if (abr_file_open(at("d"), "log", ABR_FILE_LOG, NULL, &log) != 0 ||
            abr_file_append(log, "held\ntorn", 9) != 0)
            _exit(FAILED);
        if (write(ready[1], "!", 1) != 1)
            _exit(FAILED);
        for (;;)
            pause();
    }
    close(ready[1]);
    if (pid < 0 || read(ready[0], &byte, 1) != 1)
        exit(2);
    close(ready[0]);
    return pid;
}

static void a_killed_holder_blocks_nobody(void)
{
    pid_t pid = hold_in_child();
    refuse(EBUSY, at("d"), "log", ABR_FILE_LOG);
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    abr_file *log = open_expecting(0, at("d"), "log", ABR_FILE_LOG);
    append(log, "mine\n");
    abr_file_close(log);
    check_file(at("d/log"), "held\nmine\n", 10);
}

/* ---- the full output of a stream ---- */

static void stream_into(const abr_opts *o, const char *name, const char *p, size_t n, size_t chunk,
                        bool expected)
{
    abr_stream *s = NULL;
    abr_cut cut;
    char path[100];
    snprintf(path, sizeof path, "full/%s", name);
    if (!CHECK(abr_stream_open(o, at("full"), name, &s, NULL) == ABR_OK))
        return;
    for (size_t done = 0; done < n; done += chunk)
        CHECK(abr_stream_write(s, p + done, n - done < chunk ? n - done : chunk) == ABR_OK);
    CHECK(abr_stream_finish(s, NULL, &cut, NULL) == ABR_OK);
    abr_full_output full = abr_stream_full_output(s);
    CHECK(cut.truncated == expected);
    CHECK(full.error == NULL && full.code == NULL);
    CHECK((full.path != NULL) == expected);
    CHECK(exists(at(path)) == expected);
    CHECK_COUNT(expected ? n : 0, full.bytes);
    if (full.path && expected) {
        CHECK_TEXT(at(path), full.path, strlen(full.path));
        check_file(at(path), p, n);
        CHECK_COUNT(0600, mode_of(at(path)));
        CHECK_COUNT(0700, mode_of(at("full")));
    }
    abr_cut_free(&cut);
    abr_stream_close(s);
    CHECK(exists(at(path)) == expected); /* closing leaves it there */
    unlink(at(path));
}

static void a_file_is_made_when_a_byte_is_about_to_be_lost(void)
{
    enum { N = 5000 };
    static const size_t chunks[] = {1, 3, 1000, N};
    char text[N];
    for (size_t i = 0; i < N; i++)
        text[i] = i % 10 == 9 ? '\n' : (char)('a' + i % 26);
    for (int strategy = ABR_HEAD; strategy <= ABR_HEAD_TAIL; strategy++) {
        for (size_t c = 0; c < sizeof chunks / sizeof *chunks; c++) {
            abr_opts o = ABR_OPTS_INIT;
            o.strategy = (abr_strategy)strategy;
            for (size_t budget = N - 12; budget <= N + 12; budget++) {
                o.max.bytes = budget;
                stream_into(&o, "bytes", text, N, chunks[c], budget < N - 1);
            }
            o.max.bytes = 0;
            stream_into(&o, "zero", text, N, chunks[c], true);
            o.max.bytes = ABR_UNLIMITED;
            for (o.max.lines = N / 10 - 1; o.max.lines <= N / 10 + 1; o.max.lines++)
                stream_into(&o, "lines", text, N, chunks[c], o.max.lines < N / 10);
            o.max.lines = ABR_UNLIMITED;
            o.max.chars = N - 2;
            stream_into(&o, "chars", text, N, chunks[c], true);
            o.max.chars = N;
            stream_into(&o, "all chars", text, N, chunks[c], false);
            o.max.chars = ABR_UNLIMITED;
            o.max.tokens = 100;
            stream_into(&o, "tokens", text, N, chunks[c], true);
            o.max.tokens = N;
            stream_into(&o, "all tokens", text, N, chunks[c], false);
        }
    }
}

static void a_file_that_is_cut_short_leaves_the_preview(void)
{
    struct rlimit limit = {5000, 5000};
    if (setrlimit(RLIMIT_FSIZE, &limit) != 0)
        _exit(SKIPPED);
    static const char line[] = "a line of the output\n";
    abr_opts o = ABR_OPTS_INIT;
    abr_stream *s = NULL;
    abr_cut cut;
    o.strategy = ABR_TAIL;
    o.max.lines = 2;
    if (!CHECK(abr_stream_open(&o, at("full"), "f", &s, NULL) == ABR_OK))
        return;
    o.max.bytes = 1000;
    abr_stream_close(s);
    if (!CHECK(abr_stream_open(&o, at("full"), "f", &s, NULL) == ABR_OK))
        return;
    for (int i = 0; i < 5000; i++)
        CHECK(abr_stream_write(s, line, sizeof line - 1) == ABR_OK);
    CHECK(abr_stream_finish(s, NULL, &cut, NULL) == ABR_OK);
    CHECK_COUNT(5000, cut.total_lines);
    char *content = content_of(&cut);
    CHECK_TEXT("a line of the output\na line of the output\n", content, cut.content_bytes);
    free(content);
    abr_cut_free(&cut);
    abr_full_output full = abr_stream_full_output(s);
    if (CHECK(full.code && full.error && full.path)) {
        CHECK_TEXT("EFBIG", full.code, strlen(full.code));
        CHECK_COUNT(5000, full.bytes);
        CHECK_COUNT(5000, size_on_disk(full.path));
    }
    abr_stream_close(s);
}

static void a_short_file_is_told(void)
{
    in_child(a_file_that_is_cut_short_leaves_the_preview);
}

/* Where there is no memory to open the file, the stream goes on and says so. */
static void no_memory_never_spoils_the_file(void)
{
    enum { N = 12000, CHUNK = 3000 };
    char text[N];
    for (size_t i = 0; i < N; i++)
        text[i] = i % 10 == 9 ? '\n' : (char)('a' + i % 26);
    for (int strategy = ABR_HEAD; strategy <= ABR_HEAD_TAIL; strategy++) {
        for (size_t which = 3; which < 12; which++) {
            ledger l = {.fail_at = which};
            const abr_alloc alloc = ledger_alloc(&l);
            abr_opts o = ABR_OPTS_INIT;
            abr_stream *s = NULL;
            abr_cut cut;
            o.strategy = (abr_strategy)strategy;
            o.max.bytes = 5000;
            o.alloc = &alloc;
            if (!CHECK(abr_stream_open(&o, at("full"), "f", &s, NULL) == ABR_OK))
                continue;
            for (size_t done = 0; done < N; done += CHUNK)
                if (abr_stream_write(s, text + done, CHUNK) != ABR_OK)
                    CHECK(abr_stream_write(s, text + done, CHUNK) == ABR_OK);
            if (abr_stream_finish(s, NULL, &cut, NULL) != ABR_OK)
                CHECK(abr_stream_finish(s, NULL, &cut, NULL) == ABR_OK);
            CHECK_COUNT(N, cut.total_bytes);
            abr_cut_free(&cut);
            abr_full_output full = abr_stream_full_output(s);
            if (full.path)
                check_file(at("full/f"), text, N);
            else
                CHECK(full.code && strcmp(full.code, "ENOMEM") == 0);
            abr_stream_close(s);
            unlink(at("full/f"));
        }
    }
}

static void a_finished_stream_holds_no_descriptor(void)
{
    abr_opts o = ABR_OPTS_INIT;
    abr_stream *s = NULL;
    abr_cut cut;
    int before;
    int after;
    inherited(&before);
    o.max.bytes = 3;
    if (!CHECK(abr_stream_open(&o, at("full"), "f", &s, NULL) == ABR_OK))
        return;
    CHECK(abr_stream_write(s, "abcdefghijklmnopqrstuvwxyz\n", 27) == ABR_OK);
    CHECK(abr_stream_finish(s, NULL, &cut, NULL) == ABR_OK);
    abr_cut_free(&cut);
    inherited(&after);
    CHECK_COUNT(before, after);
    abr_full_output full = abr_stream_full_output(s);
    CHECK(full.path && full.bytes == 27); /* but can still be asked */
    abr_stream_close(s);
}

static void an_errno_has_a_name_and_a_sentence(void)
{
    static const int numbers[] = {ENOSPC, EFBIG, EIO,    EROFS,  EACCES, EPERM,        EEXIST, ENOENT,
                                  ELOOP,  EBUSY, ENOMEM, EMFILE, EINVAL, ENAMETOOLONG, ENOTDIR};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        CHECK(abr_errno_name(numbers[i])[0] == 'E');
        CHECK(strlen(abr_errno_text(numbers[i])) > 5);
    }
    CHECK_TEXT("ENOSPC", abr_errno_name(ENOSPC), 6);
    CHECK_TEXT("no space left on device", abr_errno_text(ENOSPC), strlen(abr_errno_text(ENOSPC)));
    CHECK_TEXT("EIO", abr_errno_name(-1), 3);
}

static void a_link_is_told_by_any_system(void)
{
    CHECK(abr_open_errno(EMLINK) == ELOOP); /* as FreeBSD says it */
    CHECK(abr_open_errno(ELOOP) == ELOOP);
    CHECK(abr_open_errno(ENOENT) == ENOENT);
}

int main(void)
{
    RUN_IN_FOLDER(private_whatever_the_umask);
    RUN_IN_FOLDER(private_whatever_the_umask_for_a_plain_user);
    RUN_IN_FOLDER(a_folder_that_others_may_enter_is_refused);
    RUN_IN_FOLDER(a_folder_of_another_owner_is_refused);
    RUN_IN_FOLDER(a_link_is_no_folder);
    RUN_IN_FOLDER(what_is_no_folder_is_told);
    RUN_IN_FOLDER(a_folder_without_write_permission_is_told);
    RUN_IN_FOLDER(names_are_names_of_files);
    RUN_IN_FOLDER(a_path_has_one_slash_before_the_name);
    RUN_IN_FOLDER(a_file_that_is_there_is_never_written);
    RUN_IN_FOLDER(a_log_is_a_private_file_of_ours);
    RUN_IN_FOLDER(an_old_log_is_not_made);
    RUN_IN_FOLDER(descriptors_are_closed_on_exec_and_at_the_end);
    RUN_IN_FOLDER(without_memory_nothing_is_made);
    RUN_IN_FOLDER(what_is_written_is_in_the_file);
    RUN_IN_FOLDER(a_limit_on_file_sizes_is_an_error_and_no_signal);
    RUN_IN_FOLDER(a_full_disk_is_told);
    RUN_IN_FOLDER(a_read_only_disk_is_told);
    RUN_IN_FOLDER(records_are_there_at_once);
    RUN_IN_FOLDER(a_torn_last_line_is_cut_off);
    RUN_IN_FOLDER(a_long_torn_line_is_cut_off);
    RUN_IN_FOLDER(one_process_holds_a_log);
    RUN_IN_FOLDER(a_killed_holder_blocks_nobody);
    RUN_IN_FOLDER(a_file_is_made_when_a_byte_is_about_to_be_lost);
    RUN_IN_FOLDER(a_short_file_is_told);
    RUN_IN_FOLDER(no_memory_never_spoils_the_file);
    RUN_IN_FOLDER(a_finished_stream_holds_no_descriptor);
    RUN(an_errno_has_a_name_and_a_sentence);
    RUN(a_link_is_told_by_any_system);
    return check_end();
}
