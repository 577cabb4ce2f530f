/*
 * What it costs to read a file, for the page table of `make bench`.
 *   file pread PATH    a bare loop of pread(2), 256 KiB each: what no reader of the whole file can beat by much. It says
 *                      how many bytes it read.
 *   file page PATH     that loop and a first page of the file, with its totals, in turns: medians, and that of the ratios
 */
#if !defined(_GNU_SOURCE)
#define _GNU_SOURCE /* pread, O_CLOEXEC */
#endif
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "measure.h"

enum { BLOCK = 256 * 1024, ROUNDS = 31 };

/* Bytes of the file, or 0. */
static uint64_t read_bare(const char *path)
{
    static char block[BLOCK];
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    uint64_t at = 0;
    ssize_t n = -1;
    if (fd < 0)
        return 0;
    while ((n = pread(fd, block, sizeof block, (off_t)at)) > 0)
        at += (uint64_t)n;
    close(fd);
    return n < 0 ? 0 : at;
}

/* Bytes of the file as its first page tells them, or 0. */
static uint64_t read_page(const char *path)
{
    abr_page_opts opts = ABR_PAGE_OPTS_INIT;
    opts.cut.max.lines = 2000;
    opts.cut.max.bytes = 30 * 1024;
    abr_page *page;
    abr_page_lines lines;
    abr_cut cut;
    if (abr_page_open(path, &opts, &page, NULL) != ABR_OK)
        return 0;
    uint64_t bytes = abr_page_cut(page, NULL, &cut, &lines, NULL) == ABR_OK ? cut.total_bytes : 0;
    abr_cut_free(&cut);
    abr_page_close(page);
    return bytes;
}

static int compare(const char *path)
{
    static double bare[ROUNDS];
    static double page[ROUNDS];
    static double ratio[ROUNDS];
    for (size_t r = 0; r < ROUNDS; r++) {
        double start = seconds_now();
        uint64_t bytes = read_bare(path);
        double middle = seconds_now();
        if (bytes == 0 || read_page(path) != bytes)
            return 1;
        bare[r] = middle - start;
        page[r] = seconds_now() - middle;
        ratio[r] = page[r] / bare[r];
    }
    printf("pread(2) in a loop %.2f ms, a first page %.2f ms, %.3f x\n", median(bare, ROUNDS) * 1e3,
           median(page, ROUNDS) * 1e3, median(ratio, ROUNDS));
    return 0;
}

int main(int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[1], "page") == 0)
        return compare(argv[2]);
    if (argc == 3 && strcmp(argv[1], "pread") == 0) {
        uint64_t bytes = read_bare(argv[2]);
        printf("%" PRIu64 "\n", bytes);
        return bytes == 0;
    }
    fprintf(stderr, "usage: file pread|page PATH\n");
    return 2;
}
