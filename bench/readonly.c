/*
 * What a scan of memory costs beside reading it: each round reads the same text with one instruction a vector and
 * nothing else to do, and then scans it; said are the medians, the median of the ratios of rounds, and the ratio of the
 * least times.
 *   readonly [MB [ROUNDS]]     100 MB, 15 rounds
 *   ABRIDGE_SIMD=sse2 readonly the same with other kernels
 */
#if !defined(_GNU_SOURCE)
#define _GNU_SOURCE /* clock_gettime */
#endif
#include <stdio.h>
#include <string.h>

#include "measure.h"

enum { MB = 1024 * 1024, MOST_ROUNDS = 1001 };

typedef uint64_t (*scan)(const char *p, size_t n);

/* ---- the limit: a pass that only reads ---- */

typedef uint64_t vector __attribute__((vector_size(32)));

#if defined(__x86_64__) && defined(__GNUC__)
#define READER __attribute__((target("avx2"))) static
#else
#define READER static
#endif

READER inline __attribute__((always_inline)) vector load(const char *p)
{
    vector x;
    memcpy(&x, p, sizeof x);
    return x;
}

READER uint64_t read_only(const char *p, size_t n)
{
    enum { STEP = 4 * sizeof(vector) };
    vector a = {0};
    vector b = {0};
    vector c = {0};
    vector d = {0};
    for (size_t i = 0; n - i >= STEP; i += STEP) {
        a |= load(p + i);
        b |= load(p + i + sizeof a);
        c |= load(p + i + 2 * sizeof a);
        d |= load(p + i + 3 * sizeof a);
    }
    a |= b | c | d;
    return a[0] | a[1] | a[2] | a[3];
}

/* ---- the scans ---- */

static void fail(const char *what)
{
    fprintf(stderr, "readonly: %s failed\n", what);
    exit(1);
}

static uint64_t cut(const char *p, size_t n, abr_strategy strategy)
{
    abr_opts opts = ABR_OPTS_INIT;
    opts.strategy = strategy;
    opts.max.lines = 2000;
    opts.max.bytes = 30 * 1024;
    abr_cut result;
    if (abr_cut_text(p, n, &opts, &result, NULL) != ABR_OK)
        fail("abr_cut_text");
    uint64_t lines = result.total_lines;
    abr_cut_free(&result);
    return lines;
}

static uint64_t cut_tail(const char *p, size_t n)
{
    return cut(p, n, ABR_TAIL);
}

static uint64_t cut_head(const char *p, size_t n)
{
    return cut(p, n, ABR_HEAD);
}

static uint64_t count_chars(const char *p, size_t n)
{
    return abr_count_chars(p, n, NULL);
}

static uint64_t clean(const char *p, size_t n)
{
    const abr_clean_opts all = {0, NULL};
    abr_cleaned cleaned;
    if (abr_clean_text(p, n, &all, &cleaned, NULL) != ABR_OK || cleaned.changed)
        fail("abr_clean_text");
    abr_cleaned_free(&cleaned);
    return n;
}

static const struct {
    const char *name;
    scan run;
} scans[] = {{"a cut of the last 2000 lines", cut_tail},
             {"a cut of the first 2000 lines", cut_head},
             {"abr_count_chars", count_chars},
             {"abr_clean_text", clean}};

enum { SCANS = sizeof scans / sizeof *scans };

/* ---- measuring ---- */

static double seconds_of(scan run, const char *p, size_t n)
{
    static volatile uint64_t result; /* so that no pass is left out */
    double start = seconds_now();
    result = run(p, n);
    (void)result;
    return seconds_now() - start;
}

/* Each scan in turn, a read before it: what slows the machine for a while slows both. */
static void measure(const char *what, const char *p, size_t n, size_t rounds)
{
    static double reads[SCANS * MOST_ROUNDS];
    static double times[SCANS][MOST_ROUNDS];
    static double ratios[SCANS][MOST_ROUNDS];
    for (size_t r = 0; r < rounds; r++) {
        for (size_t s = 0; s < SCANS; s++) {
            double bare = seconds_of(read_only, p, n);
            times[s][r] = seconds_of(scans[s].run, p, n);
            reads[r * SCANS + s] = bare;
            ratios[s][r] = times[s][r] / bare;
        }
    }
    double bare = median(reads, rounds * SCANS); /* sorted, as are the others: the least is the first */
    printf("%s, %zu MB %36s %8s %9s\n", what, n / MB, "GB/s", "ratio", "of least");
    printf("  %-32s %8.2f ms %6.1f\n", "a pass that only reads", bare * 1e3, (double)n / bare / 1e9);
    for (size_t s = 0; s < SCANS; s++) {
        double took = median(times[s], rounds);
        printf("  %-32s %8.2f ms %6.1f %8.2f %9.2f\n", scans[s].name, took * 1e3, (double)n / took / 1e9,
               median(ratios[s], rounds), times[s][0] / reads[0]);
    }
}

/* Repeat a line with a number in it over the whole text. */
static void fill(char *p, size_t n, const char *format)
{
    char line[256];
    size_t at = 0;
    for (unsigned i = 0; at < n; i++) {
        int size = snprintf(line, sizeof line, format, i, i * 7919u);
        size_t part = (size_t)size < n - at ? (size_t)size : n - at;
        memcpy(p + at, line, part);
        at += part;
    }
    p[n - 1] = p[n - 2] = p[n - 3] = '\n'; /* no char ends in its middle */
    p[n - 4] = '.';
}

int main(int argc, char **argv)
{
    size_t n = (argc > 1 ? (size_t)strtoul(argv[1], NULL, 10) : 100) * MB;
    size_t rounds = argc > 2 ? (size_t)strtoul(argv[2], NULL, 10) : 15;
    char *p = n > 0 ? malloc(n) : NULL;
    if (!p || rounds == 0 || rounds > MOST_ROUNDS) {
        fprintf(stderr, "usage: readonly [MB [ROUNDS]]\n");
        return 2;
    }
    printf("kernels: %s\n", abr_simd());
    fill(p, n, "2026-03-14 10:12:%02u.123 [INFO] worker-7: request %u took 31 ms key=value\n");
    measure("log lines", p, n, rounds);
    fill(p, n,
         "%u \xD0\xB7\xD0\xB0\xD0\xBF\xD1\x80\xD0\xBE\xD1\x81 \xE2\x94\x82 \xE4\xBD\xA0\xE5\xA5\xBD %u\n");
    measure("text of which a third is not ASCII", p, n, rounds);
    free(p);
    return 0;
}
