/*
 * How fast texts of many families are cut, each under small budgets, large ones, and nearly its own size: what a
 * tool prints is not ours to choose, so none may take longer than others by much, nor by more than its size.
 * A row is a family and a way to cut it; the columns are budgets, each in MB/s of processor time for the
 * largest size, `!` after one below the pace wanted, `^` after one whose time grew by more than its size did.
 * The slowest are listed last.
 *   make bench-families FAMILIES="git csv"    those with one of these words in their name
 */
#if !defined(_GNU_SOURCE)
#define _GNU_SOURCE /* clock_gettime */
#endif
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "abridge.h"

enum { KB = 1024, MB = 1024 * KB, SIZE = 4 * MB, DOUBLINGS = 2, CHUNK = 64 * KB, RUNS = 3, WORST = 40 };
enum { REPEAT_MOST = 512 /* bytes of a repetition */, CLOSING_MOST = 8 };

static const double wanted = 100;    /* MB/s */
static const double doubling = 2.15; /* the longest that twice the text may take, in times */

/* ---- texts ---- */

/* \1 is the number of the repetition, \2 a hash of it, \3 a word by it. */
typedef struct {
    const char *name;
    const char *first;
    const char *repeat;
} family;

#define QUOTE "a \\\"quote\\\" \\n \\u00e9 "

static const family families[] = {
    {"newlines", "", "\n"},
    {"CRLF", "", "\r\n"},
    {"blanks", "", " "},
    {"tabs", "", "\t"},
    {"blank lines", "", "  \n"},
    {"a byte a line", "", "x\n"},
    {"one line of x", "", "x"},
    {"one line of words", "", "word \3 "},
    {"lines of 1 KB", "", "\2\2\2\2\2\2\2\2\2\2\2\2 \2\2\2\2\2\2\2\2\2\2\2\2\n"},
    {"diff: --- a/x", "", "--- a/x\n"},
    {"diff: +++ b/x", "", "+++ b/x\n"},
    {"diff: --- and +++", "", "--- a/x\n+++ b/x\n"},
    {"diff: @@", "", "@@ -1 +1 @@\n"},
    {"diff: @@ in a file", "--- a/x\n+++ b/x\n", "@@ -1 +1 @@\n-a\n+b\n"},
    {"diff: @@ of no lines", "--- a/x\n+++ b/x\n", "@@ -1,0 +1,0 @@\n"},
    {"diff: diff --git", "", "diff --git a/x b/x\n"},
    {"diff: diff --git, distinct", "", "diff --git a/\1 b/\1\n"},
    {"diff: index", "diff --git a/x b/x\n", "index 1234567..89abcde 100644\n"},
    {"diff: renames", "", "diff --git a/\1 b/\2\nsimilarity index 100%\nrename from \1\nrename to \2\n"},
    {"diff: files", "",
     "diff --git a/\3/\1 b/\3/\1\nindex 1234567..89abcde 100644\n--- a/\3/\1\n+++ b/\3/\1\n"
     "@@ -\1,3 +\1,3 @@ void f(void)\n a\n-b \1\n+c \3\n d\n"},
    {"diff: one hunk", "--- a/x\n+++ b/x\n@@ -1,99999999 +1,99999999 @@\n", "-a \3\n+b \1\n c\n"},
    {"diff: additions", "--- a/x\n+++ b/x\n@@ -0,0 +1,99999999 @@\n", "+a line \1 of \3\n"},
    {"diff: commit", "", "commit \2\n"},
    {"git log", "",
     "commit \2\nAuthor: A U Thor <a@b.example>\nDate:   Thu Jan 1 00:00:00 1970 +0000\n\n    \3 the \3 of "
     "\1\n\n"},
    {"git log -p", "",
     "commit \2\nAuthor: A U Thor <a@b.example>\nDate:   Thu Jan 1 00:00:00 1970 +0000\n\n    \3 the \3 of "
     "\1\n\n"
     "diff --git a/src/\3 b/src/\3\nindex 1234567..89abcde 100644\n--- a/src/\3\n+++ b/src/\3\n"
     "@@ -\1,3 +\1,4 @@ int \3(int \3)\n a\n-b \1\n+c \3\n+c \2\n d\n\n"},
    {"git log --stat", "",
     "commit \2\nAuthor: A U Thor <a@b.example>\nDate:   Thu Jan 1 00:00:00 1970 +0000\n\n    \3 the \3 of "
     "\1\n\n"
     " src/\3.c | 12 +++++++-----\n 1 file changed, 7 insertions(+), 5 deletions(-)\n\n"},
    {"git log --oneline", "", "\1 \3: the \3 is \3 now\n"},
    {"git message without end", "commit 0123456789abcdef0123456789abcdef01234567\n\n",
     "    words \3 of it\n"},
    {"json: {", "", "{"},
    {"json: [", "", "["},
    {"json: [] in an array", "[[]", ",[]"},
    {"json: {} in an array", "[{}", ",{}"},
    {"json: [[]] in an array", "[[[]]", ",[[]]"},
    {"json: \" ", "", "\""},
    {"json: {\"a\":", "", "{\"a\":"},
    {"json: keys", "{\"k\":0", ",\"\1\":0"},
    {"json: one key again", "{\"k\":0", ",\"k\":0"},
    {"json: numbers", "[0", ",\1"},
    {"json: digits", "[", "9"},
    {"json: a string", "[\"", "some words "},
    {"json: strings", "[\"\"", ",\"\3 and \3\""},
    {"json: small strings", "[\"\"", ",\"\""},
    {"json: escapes", "[\"\"", ",\"" QUOTE "\""},
    {"json: one string of escapes", "[\"", QUOTE},
    {"json: objects", "[{}",
     ",{\"id\":\1,\"name\":\"\3\",\"tags\":[\"a\",\"\3\"],\"at\":{\"host\":\"h\",\"ok\":true}}"},
    {"json: pretty", "[\n {}",
     ",\n {\n  \"id\": \1,\n  \"name\": \"\3\",\n  \"at\": {\n   \"ok\": true\n  }\n }"},
    {"json: objects of objects", "{\"\":0", ",\"\2\":{\"a\":{\"b\":{\"c\":[1,2,\1]}}}"},
    {"json: arrays of ten", "[[]", ",[1,2,3,4,5,6,7,8,9,10]"},
    {"json: blanks", "[", " "},
    {"json: commas", "[", ","},
    {"json lines", "", "{\"level\":\"info\",\"n\":\1,\"text\":\"\3 and \3\"}\n"},
    {"json lines: {}", "", "{}\n"},
    {"json lines: []", "", "[]\n"},
    {"json lines: errors", "", "{\"level\":\"error\",\"n\":\1,\"text\":\"failed: \3\"}\n"},
    {"csv", "id,name,score\n", "\1,\"a \3\",12.5\n"},
    {"csv: one column", "id\n", "\1\n"},
    {"csv: 40 columns", "a,b,c,d,e,f,g,h,i,j,k,l,m,n,o,p,q,r,s,t,a,b,c,d,e,f,g,h,i,j,k,l,m,n,o,p,q,r,s,t\n",
     "\1,b,c,d,e,f,g,h,i,j,k,l,m,n,o,p,q,r,s,t,\3,b,c,d,e,f,g,h,i,j,k,l,m,n,o,p,q,r,s,t\n"},
    {"csv: newlines in quotes", "id,name,score\n", "\1,\"a\n\3\nb\",12.5\n"},
    {"csv: a quote that never ends", "a,b,c\n1,2,3\n4,5,6\n", "7,\"x\n"},
    {"csv: commas", "", ","},
    {"csv: commas, lines", "", ",,,\n"},
    {"tsv", "id\tname\tscore\n", "\1\ta \3\t12.5\n"},
    {"tsv: short", "a\tb\n", "1\t2\n"},
    {"aligned", "NAME        READY   STATUS    AGE\n", "web-000001  1/1     Running   5d\n"},
    {"dpkg -l",
     "||/ Name           Version      Architecture Description\n"
     "+++-==============-============-============-=================================\n",
     "ii  libabc         1.2.3-4      amd64        a library of \3 and \3\n"},
    {"ps", "USER         PID %CPU %MEM    VSZ   RSS TTY      STAT START   TIME COMMAND\n",
     "root           1  0.0  0.1 168140 11324 ?        Ss   10:00   0:01 /sbin/init \3\n"},
    {"drawn: psql", "  id  |   name   | score \n------+----------+-------\n", " \1 | \3 |  12.5\n"},
    {"drawn: box",
     "\xE2\x94\x82 id \xE2\x94\x82 name \xE2\x94\x82\n"
     "\xE2\x94\x9C\xE2\x94\x80\xE2\x94\xBC\xE2\x94\x80\xE2\x94\xA4\n",
     "\xE2\x94\x82 \1 \xE2\x94\x82 \3 \xE2\x94\x82\n"},
    {"drawn: rulings", "| a | b |\n|---|---|\n| 1 | 2 |\n", "|---|---|\n"},
    {"drawn: rows that go on", " a | b \n---+---\n 1 | 2\n", "   | \3 +\n"},
    {"drawn: expanded", "", "-[ RECORD \1 ]---\nid   | \1\nname | \3\n"},
    {"log", "", "2026-01-02T03:04:05.678Z INFO [worker-\1] request done in 12.5ms, status=200\n"},
    {"log: distinct", "", "2026-01-02T03:04:05.678Z INFO \3 \3: the \3 of \3 is \3 in \3\n"},
    {"log: build", "", "cc -O2 -Wall -c src/\3_\1.c -o build/\3_\1.o\n"},
    {"log: warnings", "", "src/\3.c:\1:12: warning: unused variable '\3' [-Wunused-variable]\n"},
    {"log: one error", "", "error: failed\n"},
    {"log: errors", "", "src/\3.c:\1:12: error: '\3' undeclared\n"},
    {"log: tracebacks", "",
     "Traceback (most recent call last):\n  File \"/a/\3.py\", line \1, in \3\n    \3()\nValueError: \3\n"},
    {"log: a traceback without end", "Traceback (most recent call last):\n",
     "  File \"/a/\3.py\", line \1, in \3\n    \3(\1)\n"},
    {"log: frames of Java", "java.lang.IllegalStateException: x\n", "\tat org.example.\3.\3(\3.java:\1)\n"},
    {"log: go test", "", "=== RUN   Test\3\n--- PASS: Test\3 (0.00s)\n"},
    {"log: go failures", "",
     "=== RUN   Test\3\n    \3_test.go:\1: got 1, want 2\n--- FAIL: Test\3 (0.00s)\n"},
    {"log: summaries", "", "\1 passed, 1 failed in 3.2s\n"},
    {"log: dots", "",
     "....................................F........................................ [ 12%]\n"},
    {"log: progress of CRs", "", "downloading \1 of 99999\r"},
    {"log: progress lines", "", "downloading \1 of 99999\n"},
    {"log: SGR", "", "\x1B[32mok\x1B[0m \3 \1\n"},
    {"escapes", "", "\x1B[31m"},
    {"ESC", "", "\x1B"},
    {"an OSC without end", "\x1B]0;", "title "},
    {"moves", "", "\x1B[A\x1B[2K\3 \1\n"},
    {"backspaces", "", "a\b"},
    {"UTF-8", "", "\xD0\xBF\xD1\x80\xD0\xBE \xE4\xBD\xA0\xE5\xA5\xBD \1\n"},
    {"one line of UTF-8", "", "\xE4\xBD\xA0"},
    {"not UTF-8", "", "text \xE9\xE8 \3\n"},
    {"bytes 0xFF", "", "\xFF"},
    {"base64", "", "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGA\n"},
    {"hex dump", "", "00000010: 0123 4567 89ab cdef 0123 4567 89ab cdef  .#Eg.....#Eg....\n"},
    {"markdown", "# Title\n",
     "## A \3 of \1\n\nSome \3 `code` and *words*.\n\n- an item\n- a \3\n\n```\ncode\n```\n\n"},
    {"source", "",
     "static int \3_\1(const char *p, size_t n)\n{\n    if (p[n] == \1)\n        return \3(p);\n}\n\n"},
    {"prose", "", "The \3 is what \3 was before the \3 came to be as \3 as it is.\n"},
    {"names", "", "src/\3/\3_\1.c\n"},
    {"ls -l", "total 12\n", "-rw-r--r-- 1 root root 1234 Jan  1 00:00 \3_\1.c\n"},
    {"grep", "", "src/\3.c:\1:    return \3(p, n);\n"},
    {"xml", "<?xml version=\"1.0\"?>\n<list>\n", "  <item id=\"\1\"><name>\3</name></item>\n"},
    {"yaml", "list:\n", "  - name: \3\n    id: \1\n"},
    {"closing brackets", "", "]"},
    {"colons", "", ":"},
    {"digits", "", "1"},
    {"numbers, lines", "", "\1\n"},
    {"words of trouble", "", "error failed "},
    {"words of trouble, lines", "", "error failed\n\n"},
};

static uint64_t hashed(uint64_t n)
{
    n = (n ^ (n >> 31)) * UINT64_C(0x9E3779B97F4A7C15);
    n = (n ^ (n >> 29)) * UINT64_C(0xBF58476D1CE4E5B9);
    return n ^ (n >> 32);
}

static size_t print_code(char *at, char code, uint64_t number, uint64_t hash)
{
    if (code == '\1')
        return (size_t)sprintf(at, "%llu", (unsigned long long)number);
    if (code == '\2')
        return (size_t)sprintf(at, "%016llx%016llx%08x", (unsigned long long)hash,
                               (unsigned long long)hashed(hash), (unsigned)number);
    const size_t n = 3 + (size_t)(hash % 7);
    for (size_t i = 0; i < n; i++)
        at[i] = (char)('a' + (hash >> (8 + i * 5)) % 26);
    return n;
}

/* Print what closes a document of JSON that starts so; returns its bytes, 0 if it is none. */
static size_t print_closing(const char *first, char closing[CLOSING_MOST])
{
    size_t n = 0;
    const bool is_json = *first == '[' || *first == '{';
    for (; is_json && *first; first++) {
        if (n > 0 && *first == closing[CLOSING_MOST - n])
            n--;
        else if (*first == '[' || *first == '{' || *first == '"')
            closing[CLOSING_MOST - ++n] = (char)(*first == '[' ? ']' : *first == '{' ? '}' : '"');
    }
    memmove(closing, closing + CLOSING_MOST - n, n);
    return n;
}

/* Fill text, of n bytes and some room. A document has blanks before its end, up to n bytes. */
static void fill(char *text, size_t n, const family *f)
{
    size_t at = strlen(f->first);
    uint64_t hash = 1;
    char closing[CLOSING_MOST];
    const size_t last = print_closing(f->first, closing);
    const size_t most = n - last - (last > 0 ? REPEAT_MOST : 0);
    memcpy(text, f->first, at);
    for (uint64_t number = 1; at < most; number++)
        for (const char *p = f->repeat; *p && (at < n || last > 0); p++) {
            hash = hashed(hash + number);
            if (*p <= 3 && *p > 0)
                at += print_code(text + at, *p, number, hash);
            else
                text[at++] = *p;
        }
    if (last > 0) {
        memset(text + at, ' ', n - last - at);
        memcpy(text + n - last, closing, last);
    }
}

/* ---- ways ---- */

static const char *cut_text(const char *p, size_t n, const abr_opts *opts)
{
    abr_cut cut;
    const abr_code code = abr_cut_text(p, n, opts, &cut, NULL);
    abr_cut_free(&cut);
    return code == ABR_OK ? NULL : "abr_cut_text failed";
}

static bool write_stream(void *ctx, const char *p, size_t n)
{
    return abr_stream_write(ctx, p, n) == ABR_OK;
}

static const char *cut_stream(const char *p, size_t n, const abr_opts *opts, bool clean)
{
    const abr_clean_opts all = {.keep = 0};
    abr_stream *stream = NULL;
    abr_cleaner *cleaner = NULL;
    abr_cut cut = {0};
    bool fine = abr_stream_open(opts, NULL, NULL, &stream, NULL) == ABR_OK;
    fine = fine && (!clean || abr_cleaner_open(&all, write_stream, stream, &cleaner, NULL) == ABR_OK);
    for (size_t at = 0; fine && at < n; at += CHUNK) {
        const size_t part = n - at < CHUNK ? n - at : CHUNK;
        fine =
            clean ? abr_cleaner_write(cleaner, p + at, part) == ABR_OK : write_stream(stream, p + at, part);
    }
    fine = fine && (!clean || abr_cleaner_finish(cleaner, NULL) == ABR_OK);
    fine = fine && abr_stream_finish(stream, NULL, &cut, NULL) == ABR_OK;
    abr_cut_free(&cut);
    abr_cleaner_close(cleaner);
    abr_stream_close(stream);
    return fine ? NULL : "a stream failed";
}

typedef struct {
    const char *name;
    abr_strategy strategy;
    bool stream;
    bool clean;
} way;

static const way ways[] = {
    {"auto", ABR_AUTO, false, false},
    {"auto, stream", ABR_AUTO, true, false},
    {"auto, clean", ABR_AUTO, true, true},
    {"priority", ABR_PRIORITY, false, false},
    {"priority, stream", ABR_PRIORITY, true, false},
    {"head_tail", ABR_HEAD_TAIL, false, false},
    {"tail, stream", ABR_TAIL, true, false},
};

/* ---- budgets ---- */

static const char *const budgets[] = {"200B", "2KB", "30KB", "1MB", "half", "-10B"};

enum { BUDGETS = sizeof budgets / sizeof *budgets };

static uint64_t budget_of(size_t which, size_t n)
{
    const uint64_t bytes[] = {200, 2 * KB, 30 * KB, MB, n / 2, n - 10};
    return bytes[which];
}

/* ---- time ---- */

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static double run(const way *w, size_t budget, const char *text, size_t n)
{
    abr_opts opts = ABR_OPTS_INIT;
    opts.strategy = w->strategy;
    opts.max.bytes = budget_of(budget, n);
    const double start = now();
    const char *failure = w->stream ? cut_stream(text, n, &opts, w->clean) : cut_text(text, n, &opts);
    if (failure) {
        fprintf(stderr, "families: %s\n", failure);
        exit(1);
    }
    return now() - start;
}

typedef struct {
    const family *of;
    const way *by;
    size_t budget;
    double speed;  /* MB/s at the largest size */
    double growth; /* the most that a doubling took, in times */
} result;

/* The best of some runs; what is fast enough at once is not run again. */
static double best_of(const way *w, size_t budget, const char *text, size_t n, double least)
{
    double best = run(w, budget, text, n);
    for (int i = 1; i < RUNS && best > least; i++) {
        const double time = run(w, budget, text, n);
        best = time < best ? time : best;
    }
    return best;
}

static result measured(const family *f, const way *w, size_t budget, char *const *texts)
{
    result r = {f, w, budget, 0, 0};
    double before = 0;
    for (size_t i = 0; i <= DOUBLINGS; i++) {
        const size_t n = (size_t)SIZE << i;
        const double fine = (double)n / (wanted * 1.5) / 1e6;
        const double time =
            best_of(w, budget, texts[i], n, fine < before * 2 || before <= 0 ? fine : before * 2);
        if (before > 0 && time / before > r.growth && time > 0.04)
            r.growth = time / before;
        r.speed = (double)n / time / 1e6;
        before = time;
    }
    return r;
}

/* ---- what is said ---- */

static bool is_bad(const result *r)
{
    return r->speed < wanted || r->growth > doubling;
}

static int by_speed(const void *a, const void *b)
{
    const result *x = a;
    const result *y = b;
    return (x->speed > y->speed) - (x->speed < y->speed);
}

static void print_row(const result *r)
{
    printf("%-32s %-18s", r->of->name, r->by->name);
    for (size_t i = 0; i < BUDGETS; i++)
        printf(" %7.0f%c%c", r[i].speed, r[i].speed < wanted ? '!' : ' ', r[i].growth > doubling ? '^' : ' ');
    putchar('\n');
    fflush(stdout);
}

static bool is_named(const char *name, int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        if (strstr(name, argv[i]))
            return true;
    return argc < 2;
}

enum { FAMILIES = sizeof families / sizeof *families, WAYS = sizeof ways / sizeof *ways };

int main(int argc, char **argv)
{
    static result all[FAMILIES * WAYS * BUDGETS];
    size_t count = 0;
    char *texts[DOUBLINGS + 1]; /* of each size */
    for (size_t i = 0; i <= DOUBLINGS; i++)
        if (!(texts[i] = malloc(((size_t)SIZE << i) + KB)))
            return 2;
    printf("%-32s %-18s", "MB/s", "");
    for (size_t i = 0; i < BUDGETS; i++)
        printf(" %7s  ", budgets[i]);
    putchar('\n');
    for (const family *f = families; f < families + FAMILIES; f++) {
        if (!is_named(f->name, argc, argv))
            continue;
        for (size_t i = 0; i <= DOUBLINGS; i++)
            fill(texts[i], (size_t)SIZE << i, f);
        for (const way *w = ways; w < ways + WAYS; w++) {
            for (size_t i = 0; i < BUDGETS; i++)
                all[count + i] = measured(f, w, i, texts);
            print_row(&all[count]);
            count += BUDGETS;
        }
    }
    for (size_t i = 0; i <= DOUBLINGS; i++)
        free(texts[i]);
    qsort(all, count, sizeof *all, by_speed);
    size_t bad = 0;
    for (size_t i = 0; i < count; i++) {
        bad += is_bad(&all[i]);
        if (i < WORST)
            printf("%7.1f MB/s, x %.2f a doubling: %s, %s, %s\n", all[i].speed, all[i].growth,
                   all[i].of->name, all[i].by->name, budgets[all[i].budget]);
    }
    printf("%zu of %zu below %.0f MB/s, or over %.2f times a doubling\n", bad, count, wanted, doubling);
    return 0;
}
