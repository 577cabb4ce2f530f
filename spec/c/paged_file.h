/* The file that a test or a target of the fuzzers pages. */
#ifndef PAGED_FILE_H
#define PAGED_FILE_H

#include "temporary.h"

static char folder[256];
static char path[sizeof folder + 8];

static void remove_paged_file(void)
{
    remove(path);
    remove_folder(folder);
}

/* The file that is paged; long ago, so that an index of it is kept, and each time a little later. */
static inline void write_file(const char *p, size_t n)
{
    enum { LONG_AGO = 1000000000, STEP = 100 /* nanoseconds, of which Windows knows hundreds */ };
    static long writes = 0;
    if (!folder[0]) {
        if (!make_folder(folder, sizeof folder, "page") || atexit(remove_paged_file) != 0)
            exit(2);
        snprintf(path, sizeof path, "%s/page", folder);
    }
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(p, 1, n, file) != n || fclose(file) != 0 ||
        !set_changed(path, LONG_AGO, ++writes * STEP))
        exit(2);
}

#endif
