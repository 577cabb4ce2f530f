/*
 * How long the kind of a text takes to tell, for texts that are hard on one kind's evidence or another's: 256
 * KiB each, as no more is looked at. Prints the median of RUNS runs, and fails where one takes longer than
 * the contract allows.
 */
#if !defined(_GNU_SOURCE)
#define _GNU_SOURCE /* clock_gettime */
#endif
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "kinds/kind.h"

enum { SIZE = ABR_KIND_BYTES, RUNS = 25 };

static const double allowed = 2.0; /* ms */

typedef struct {
    const char *name;
    const char *first;  /* once, at the start */
    const char *repeat; /* as often as it fits; # is the number of the repetition */
    const char *last;   /* instead of the last bytes */
} shape;

static const shape shapes[] = {
    {"NUL", "", "", ""},
    {"newlines", "", "\n", ""},
    {"blank lines", "", " \n", ""},
    {"one line of x", "", "x", ""},
    {"one line of words", "", "word ", ""},
    {"one line of dots", "", ".", ""},
    {"one line of two bytes a char", "", "\xC3\xA9", ""},
    {"quotes", "", "\"", ""},
    {"a quote a line", "", "\"\n", ""},
    {"a quote, commas", "", "\",\n,", ""},
    {"CSV whose quotes never close", "a,b,c\n", "\"x,", ""},
    {"opening brackets", "", "[", ""},
    {"brackets a line", "", "[[[[[[[[\n", ""},
    {"opening braces and keys", "", "{\"a\":", ""},
    {"an array of numbers", "[0", ",#", ""},
    {"an array that breaks at its end", "[0", ",\"a string of some length\"\n", "!"},
    {"a line that breaks at its end", "[0", ",\"a string of some length\"", "!"},
    {"two lines, the first an array", "[[]", ",[]", "]\n{}"},
    {"objects a line", "", "{\"level\":\"info\",\"n\":#,\"text\":\"some words\"}\n", ""},
    {"small objects a line", "", "{}\n", ""},
    {"objects, one in six wrong", "", "{}\n{}\n{}\n{}\n{}\n{\n", ""},
    {"long objects that break", "", "{\"a\":[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22],\n",
     ""},
    {"backslashes", "\"", "\\\\", ""},
    {"CSV", "id,name,score\n", "#,\"a name\",12.5\n", ""},
    {"CSV, uneven at its end", "id,name,score\n", "#,a,b\n#,a,b\n#,a,b\n#,a,b\n#,a,b\n#,a,b\n#,a,b\n#,a\n",
     ""},
    {"CSV of many columns", "", "a#,b#;c#|d#\t", ""},
    {"commas", "", ",", ""},
    {"aligned", "NAME        READY   STATUS    AGE\n", "web-000001  1/1     Running   5d\n", ""},
    {"headers and no rows", "", "NAME   READY   STATUS\n", ""},
    {"headers of 32 names", "",
     "A  B  C  D  E  F  G  H  I  J  K  L  M  N  O  P  Q  R  S  T  U  V  W  X  Y  Z  A  B  C  D\n", ""},
    {"long aligned rows", "NAME        READY   STATUS    AGE\n",
     "web-000001  1/1     Running   5d      x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x "
     "x x\n",
     ""},
    {"rulings", "NAME  AGE\n", "----  ---\n", ""},
    {"rulings between other rows", "", "+--+--+\n| a | b | c |\n| a |\n", ""},
    {"a diff", "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1,99999 +1,99999 @@\n", "-a line\n+another\n", ""},
    {"hunks of no lines", "", "@@ -1,0 +1,0 @@\n", ""},
    {"file headers", "", "diff --git a/# b/#\n", ""},
    {"commits", "", "commit 0123456789abcdef0123456789abcdef01234567\n\n    words # of it\n\n", ""},
    {"source", "", "    if (x[#] == '\"' && call(y, \"text\")) return z->member; /* why, as it is */\n", ""},
    {"prose", "", "Some words about this and that, what it does and how it came to be so in the end\n", ""},
    {"log", "", "2026-01-02T03:04:05.678Z INFO [worker-#] request done in 12.5ms (3/4), status=200\n", ""},
    {"compiler output", "", "src/some/file.c:#:12: warning: unused variable 'x' [-Wunused-variable]\n", ""},
    {"lines just under the longest", "", /* 240 bytes with what no sign stops at early */
     "xxxx xxxx.xxxx:xxxx xxxx.xxxx:xxxx xxxx.xxxx:xxxx xxxx.xxxx:xxxx xxxx.xxxx:xxxx xxxx.xxxx:xxxx "
     "xxxx.xxxx:"
     "xxxx xxxx.xxxx:xxxx xxxx.xxxx:xxxx xxxx.xxxx:xxxx xxxx.xxxx:xxxx xxxx.xxxx:xxxx xxxx.xxxx:xxxx "
     "xxxx.xxx#\n",
     ""},
    {"numbers and colons", "",
     "1:1:1:1:1:1:1:1:1:1:1:1:1:1:1:1:1:1:1:1:1:1:1:1:1:1:1:1:1:1:1:1:1:1:1:1:1:1\n", ""},
    {"what nearly matches", "", "= PASSE FAILE  passe. leve. HTTP/0 exit cod npm ERR panicke =&+:<*`]\n", ""},
    {"letters of hashes", "", "abcdefabcdefabcdefabcdef abcdefabcdef abcdefabcdefabcdef\n", ""},
    {"tabs", "", "\t", ""},
    {"tabs and words", "", "a\tb\tc\td\te\tf\tg\th\ti\tj\tk\tl\tm\tn\to\tp\tq\tr\ts\tt\tu\tv\tw\tx\ty\tz\n",
     ""},
    {"escapes", "", "\x1B[31m#\x1B[0m\n", ""},
    {"carriage returns", "", "12%\r", ""},
    {"base64", "", "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGA\n", ""},
};

static void fill(char *text, const shape *s)
{
    memset(text, 0, SIZE);
    size_t n = strlen(s->first);
    memcpy(text, s->first, n);
    for (size_t number = 1; n < SIZE && *s->repeat; number++)
        for (const char *p = s->repeat; *p && n < SIZE; p++) {
            char digits[24];
            size_t size = 1;
            if (*p == '#')
                size = (size_t)snprintf(digits, sizeof digits, "%zu", number);
            else
                *digits = *p;
            size = size < SIZE - n ? size : SIZE - n;
            memcpy(text + n, digits, size);
            n += size;
        }
    memcpy(text + SIZE - strlen(s->last), s->last, strlen(s->last));
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static int by_time(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(const char *text, abr_kind *kind)
{
    double times[RUNS];
    for (size_t i = 0; i < RUNS; i++) {
        double start = now();
        *kind = abr_tell_kind(text, SIZE, i % 2).kind;
        times[i] = now() - start;
    }
    qsort(times, RUNS, sizeof *times, by_time);
    return times[RUNS / 2];
}

int main(void)
{
    char *text = malloc(SIZE);
    if (!text)
        return 2;
    double worst = 0;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        abr_kind kind;
        fill(text, &shapes[i]);
        double time = median(text, &kind);
        printf("%-34s %-10s %6.2f ms\n", shapes[i].name, abr_kind_name(kind), time);
        worst = time > worst ? time : worst;
    }
    free(text);
    printf("the longest: %.2f ms, %.0f allowed\n", worst, allowed);
    return worst > allowed;
}
