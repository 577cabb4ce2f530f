/*
 * Reads a file and does nothing with it, for the page table of `make bench`.
 *   file pread PATH    a bare loop of pread(2), 256 KiB each: what no reader of the whole file can beat by much
 * It says how many bytes it read.
 */
#if !defined(_GNU_SOURCE)
#define _GNU_SOURCE /* pread, O_CLOEXEC */
#endif
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { BLOCK = 256 * 1024 };

static int read_bare(const char *path)
{
    static char block[BLOCK];
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    uint64_t at = 0;
    ssize_t n = -1;
    if (fd < 0)
        return 1;
    while ((n = pread(fd, block, sizeof block, (off_t)at)) > 0)
        at += (uint64_t)n;
    close(fd);
    printf("%" PRIu64 "\n", at);
    return n < 0;
}

int main(int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[1], "pread") == 0)
        return read_bare(argv[2]);
    fprintf(stderr, "usage: file pread PATH\n");
    return 2;
}
