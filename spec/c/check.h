/* What every C test shares: facts that are checked, and texts in blocks of their exact size, so that a
 * read past their end is an error under ASan. */
#ifndef CHECK_H
#define CHECK_H

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "abridge.h"
#include "base/private.h"

static unsigned check_failures; /* of the test that runs */
static unsigned check_passed;
static unsigned check_failed;

#define CHECK(fact) check_that((fact), #fact, __FILE__, __LINE__)
#define CHECK_COUNT(want, got) check_count((uint64_t)(want), (uint64_t)(got), #got, __FILE__, __LINE__)
#define CHECK_TEXT(want, got, got_n)                                                                         \
    check_text((want), strlen(want), (got), (got_n), #got, __FILE__, __LINE__)
#define CHECK_BYTES(want, want_n, got, got_n)                                                                \
    check_text((want), (want_n), (got), (got_n), #got, __FILE__, __LINE__)
#define RUN(test) check_run((test), #test)

static inline bool check_that(bool fact, const char *what, const char *file, int line)
{
    enum { SHOWN = 10 }; /* a loop that fails, fails often */
    if (!fact && check_failures++ < SHOWN)
        fprintf(stderr, "%s:%d: %s\n", file, line, what);
    return fact;
}

static inline bool check_count(uint64_t want, uint64_t got, const char *what, const char *file, int line)
{
    if (want != got)
        fprintf(stderr, "expected %" PRIu64 ", got %" PRIu64 ": ", want, got);
    return check_that(want == got, what, file, line);
}

static inline bool check_text(const char *want, size_t want_n, const char *got, size_t got_n,
                              const char *what, const char *file, int line)
{
    bool equal = want_n == got_n && (want_n == 0 || memcmp(want, got, want_n) == 0);
    if (!equal)
        fprintf(stderr, "expected \"%.*s\", got \"%.*s\": ", (int)want_n, want, (int)got_n,
                got_n > 0 ? got : "");
    return check_that(equal, what, file, line);
}

static inline void check_run(void (*test)(void), const char *name)
{
    check_failures = 0;
    test();
    if (check_failures == 0) {
        check_passed++;
        return;
    }
    check_failed++;
    fprintf(stderr, "FAILED: %s (%u facts)\n", name, check_failures);
}

/* The closing line; what main() returns. */
static inline int check_end(void)
{
    printf("%u passed, %u failed\n", check_passed, check_failed);
    return check_failed == 0 ? 0 : 1;
}

/* How many of `n` random cases are tried: a tenth; ABRIDGE_CASES says how many times all of them. As in Lua, the rest
 * is for `make check`. */
static inline size_t check_cases(size_t n)
{
    const char *times = getenv("ABRIDGE_CASES");
    const double share = times ? strtod(times, NULL) : 0.1;
    return (double)n * share < 1 ? 1 : (size_t)((double)n * share);
}

/* A copy of (p, n) in a block of n bytes, to be freed. */
static inline char *exact(const char *p, size_t n)
{
    char *copy = malloc(n);
    if (!copy && n > 0)
        exit(2);
    if (n > 0)
        memcpy(copy, p, n);
    return copy;
}

/* Random numbers that are the same everywhere, so that a failure comes back. */
static uint64_t check_seed = 88172645463325252u;

static inline size_t pick(size_t n)
{
    check_seed ^= check_seed << 13;
    check_seed ^= check_seed >> 7;
    check_seed ^= check_seed << 17;
    return (size_t)(check_seed % n);
}

/* Fill n bytes with newlines, ASCII, well-formed sequences and loose bytes. */
static inline void random_text(char *p, size_t n)
{
    static const char *const parts[] = {"\n",
                                        "a",
                                        "bc",
                                        "\r\n",
                                        "\xC3\xA9",
                                        "\xE2\x82\xAC",
                                        "\xF0\x9F\x98\x80",
                                        "\xFF",
                                        "\xE2\x82",
                                        "\xA9",
                                        "plain ascii text "};
    enum { PARTS = sizeof parts / sizeof *parts };
    size_t plain = pick(3); /* some texts are mostly ASCII */
    for (size_t i = 0; i < n;) {
        const char *part = plain > 0 && pick(4) > 0 ? parts[PARTS - 1] : parts[pick(PARTS)];
        size_t size = strlen(part) < n - i ? strlen(part) : n - i;
        memcpy(p + i, part, size);
        i += size;
    }
}

/* A cut's content in a block of its exact size, to be freed. */
static inline char *content_of(const abr_cut *cut)
{
    char *content = malloc(cut->content_bytes);
    if (!content && cut->content_bytes > 0)
        exit(2);
    abr_cut_write(cut, content);
    return content;
}

/* Cut a C string, held in an exact block, and compare the content; leaves the ledger in *cut, already
 * freed. */
static inline void expect_cut(const char *text, const abr_opts *opts, const char *want, abr_cut *cut,
                              const char *file, int line)
{
    size_t n = strlen(text);
    char *copy = exact(text, n);
    abr_error error = {ABR_OK, NULL, 0};
    if (check_that(abr_cut_text(copy, n, opts, cut, &error) == ABR_OK, "abr_cut_text", file, line)) {
        char *content = content_of(cut);
        check_text(want, strlen(want), content, cut->content_bytes, "content", file, line);
        check_that(cut->output_bytes + cut->omitted_bytes == cut->total_bytes, "bytes add up", file, line);
        check_that(cut->output_lines + cut->omitted_lines == cut->total_lines, "lines add up", file, line);
        free(content);
    }
    abr_cut_free(cut);
    free(copy);
}

#define EXPECT_CUT(text, opts, want, cut) expect_cut((text), (opts), (want), (cut), __FILE__, __LINE__)

#endif
