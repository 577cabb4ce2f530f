/*
 * The ends of a pipe, for the stream table of `make bench`.
 *   pipe produce BYTES   writes log lines
 *   pipe read            a bare loop of read(2): what no reader of a pipe can beat
 *   pipe tail            a stream of 2000 lines / 30KB, from the same loop
 * The readers say what they counted.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "abridge.h"

enum { BLOCK = 1024 * 1024, CHUNK = 64 * 1024, MAX_LINES = 2000, MAX_BYTES = 30 * 1024 };

/* Fill a block with whole lines; returns their bytes. */
static size_t fill(char *block)
{
    static const char *const levels[] = {"INFO", "INFO", "DEBUG", "WARN"};
    size_t n = 0;
    for (unsigned i = 0;; i++) {
        char line[160];
        int size = snprintf(line, sizeof line,
                            "2026-03-%02u 10:%02u:%02u.%03u [%s] worker-%u: request %u took %u ms%s\n",
                            i % 28 + 1, i % 60, i * 7 % 60, i % 1000, levels[i % 4], i % 16, i, i * 31 % 900,
                            i % 3 == 0 ? " key=value retried" : "");
        if (size < 0 || n + (size_t)size > BLOCK)
            return n;
        memcpy(block + n, line, (size_t)size);
        n += (size_t)size;
    }
}

static int produce(uint64_t left)
{
    static char block[BLOCK];
    size_t size = fill(block);
    size_t at = 0;
    while (left > 0) {
        size_t n = size - at < CHUNK ? size - at : CHUNK;
        ssize_t written = write(STDOUT_FILENO, block + at, n < left ? n : (size_t)left);
        if (written < 0)
            return errno == EPIPE ? 0 : 1;
        left -= (uint64_t)written;
        at = (at + (size_t)written) % size;
    }
    return 0;
}

static int read_bare(void)
{
    static char chunk[CHUNK];
    uint64_t total = 0;
    ssize_t n;
    while ((n = read(STDIN_FILENO, chunk, sizeof chunk)) > 0)
        total += (uint64_t)n;
    printf("%" PRIu64 "\n", total);
    return n < 0;
}

static int read_tail(void)
{
    static char chunk[CHUNK];
    abr_opts o = ABR_OPTS_INIT;
    abr_stream *s;
    abr_cut cut;
    ssize_t n;
    o.strategy = ABR_TAIL;
    o.max.lines = MAX_LINES;
    o.max.bytes = MAX_BYTES;
    if (abr_stream_open(&o, NULL, NULL, &s, NULL) != ABR_OK)
        return 1;
    while ((n = read(STDIN_FILENO, chunk, sizeof chunk)) > 0)
        if (abr_stream_write(s, chunk, (size_t)n) != ABR_OK)
            return 1;
    if (abr_stream_finish(s, NULL, &cut, NULL) != ABR_OK)
        return 1;
    printf("%" PRIu64 "\n", cut.total_bytes);
    abr_cut_free(&cut);
    abr_stream_close(s);
    return n < 0;
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    if (strcmp(what, "produce") == 0 && argc == 3)
        return produce(strtoull(argv[2], NULL, 10));
    if (strcmp(what, "read") == 0)
        return read_bare();
    if (strcmp(what, "tail") == 0)
        return read_tail();
    fprintf(stderr, "usage: pipe produce BYTES | pipe read | pipe tail\n");
    return 2;
}
