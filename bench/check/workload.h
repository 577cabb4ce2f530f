/* What the programs of `make bench-check` share: each is a set of workloads, of which one is run. Callgrind counts the
 * instructions of workload() and what it calls; what is prepared before, and printed after, does not count. */
#ifndef WORKLOAD_H
#define WORKLOAD_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "abridge.h"

enum { KB = 1024, MB = 1024 * KB };

typedef struct {
    const char *name;
    void (*prepare)(void); /* or NULL */
    void (*run)(void);
} workload_entry;

void workload(const workload_entry *entry);

/* Not inlined: callgrind knows it by its name. */
__attribute__((noinline)) void workload(const workload_entry *entry)
{
    entry->run();
}

static inline void workload_wants(bool fact, const char *what)
{
    if (!fact) {
        fprintf(stderr, "bench-check: %s\n", what);
        exit(1);
    }
}

#define WANTS(fact) workload_wants((fact), #fact)

static char *text; /* of the workload */
static size_t text_size;

static inline void make_room(size_t n)
{
    text = malloc(n);
    WANTS(text != NULL);
    text_size = 0;
}

/* Fill a text of n bytes with a line that is told its number, whole lines alone. */
static inline void repeat_line(size_t n, const char *format)
{
    char line[256];
    make_room(n);
    for (unsigned i = 0;; i++) {
        int size = snprintf(line, sizeof line, format, i, i * 7919u);
        if (size <= 0 || text_size + (size_t)size > n)
            return;
        memcpy(text + text_size, line, (size_t)size);
        text_size += (size_t)size;
    }
}

static inline void log_lines(size_t n)
{
    repeat_line(n, "2026-03-14 10:12:07.%03u [INFO] worker-7: request %u took 31 ms key=value\n");
}

/* No arguments: the names. One: that workload is run. */
static inline int workload_main(int argc, char **argv, const workload_entry *entries, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (argc < 2)
            puts(entries[i].name);
        else if (strcmp(argv[1], entries[i].name) == 0) {
            if (entries[i].prepare)
                entries[i].prepare();
            workload(&entries[i]);
            free(text);
            return 0;
        }
    }
    return argc < 2 ? 0 : 2;
}

#define WORKLOADS(entries)                                                                                   \
    int main(int argc, char **argv)                                                                          \
    {                                                                                                        \
        return workload_main(argc, argv, entries, sizeof(entries) / sizeof *(entries));                      \
    }

#endif
