/* The file that a test or a target of the fuzzers pages. */
#ifndef PAGED_FILE_H
#define PAGED_FILE_H

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[256];
static char path[sizeof folder + 8];

static void remove_folder(void)
{
    unlink(path);
    rmdir(folder);
}

/* The file that is paged; long ago, so that an index of it is kept. */
static inline void write_file(const char *p, size_t n)
{
    static long writes = 0;
    const char *tmp = getenv("TMPDIR");
    if (!folder[0]) {
        snprintf(folder, sizeof folder, "%s/abridge-page-XXXXXX", tmp ? tmp : "/tmp");
        if (!mkdtemp(folder) || atexit(remove_folder) != 0)
            exit(2);
        snprintf(path, sizeof path, "%s/page", folder);
    }
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    const struct timespec old[2] = {{1000000000, 1}, {1000000000, ++writes}};
    if (fd < 0 || write(fd, p, n) != (ssize_t)n || futimens(fd, old) != 0 || close(fd) != 0)
        exit(2);
}

#endif
