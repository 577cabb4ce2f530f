/* The memory of streams under ABR_AUTO and ABR_PRIORITY: at most 64 times the budget and 1 MiB, whatever flows
 * through. Each family of texts fills one store of one reader, or several at once, with parts of some size. */
#include "ledger.h"

enum { KB = 1024, MB = 1024 * 1024, PIECE = 256 * KB };

/* A text that goes on: a start, pieces numbered from 0, an end. */
typedef struct {
    const char *name;
    abr_kind kind;
    const char *start;
    size_t (*piece)(char *dst, unsigned i, size_t size);
    const char *end;
    size_t size; /* of what the piece repeats */
} family;

/* How much of a family's text there is. */
typedef struct {
    size_t bytes;  /* with what is around it; 0: enough to fill what a reader retains */
    unsigned deep; /* strings around it, each in a document of its own */
} extent;

static const extent alone = {0, 0};

/* ---- pieces ---- */

static size_t put(char *dst, const char *text)
{
    const size_t n = strlen(text);
    memcpy(dst, text, n);
    return n;
}

static size_t fill(char *dst, char c, size_t n)
{
    memset(dst, c, n);
    return n;
}

static size_t put_number(char *dst, const char *format, unsigned i)
{
    return (size_t)sprintf(dst, format, i, i, i, i);
}

/* A number of many digits that differs from its neighbours. */
ABR_WRAPS static unsigned mixed(unsigned i)
{
    return i * 2654435761u;
}

/* A hunk whose lines have `size` bytes in all. */
static size_t put_hunk(char *dst, unsigned i, size_t size)
{
    enum { LINE = 60 };
    const size_t lines = size / LINE + 1;
    size_t n = (size_t)sprintf(dst, "@@ -%u,0 +%u,%zu @@\n", i + 1, i + 1, lines);
    for (size_t k = 0; k < lines; k++) {
        n += (size_t)sprintf(dst + n, "+x%u", mixed(i));
        const size_t line = k + 1 < lines ? LINE : size % LINE;
        if (line > 16)
            n += fill(dst + n, 'y', line - 16);
        dst[n++] = '\n';
    }
    return n;
}

static size_t put_file(char *dst, unsigned i, size_t name, const char *end)
{
    size_t n = (size_t)sprintf(dst, "diff --git a/%u", i);
    n += fill(dst + n, 'n', name);
    n += (size_t)sprintf(dst + n, "%s b/x\n--- a/x\n+++ b/%u", end, i);
    n += fill(dst + n, 'n', name);
    return n + (size_t)sprintf(dst + n, "%s\n", end);
}

static size_t put_commit(char *dst, unsigned i, size_t size)
{
    enum { LINE = 72 };
    size_t n = (size_t)sprintf(dst, "commit %040x\nAuthor: A <a@b.c>\n\n", mixed(i));
    for (size_t left = size; left > 0;) {
        const size_t line = left < LINE ? left : LINE;
        n += put(dst + n, "    ");
        n += fill(dst + n, 'm', line);
        dst[n++] = '\n';
        left -= line;
    }
    dst[n++] = '\n';
    return n;
}

static size_t files(char *dst, unsigned i, size_t size)
{
    const size_t n = put_file(dst, i, size, i % 7 == 0 ? ".c" : ".py");
    return n + put_hunk(dst + n, i, 10);
}

static size_t machine_files(char *dst, unsigned i, size_t size)
{
    const size_t n = put_file(dst, i, size, ".lock");
    return n + put_hunk(dst + n, i, 10);
}

static size_t bare_files(char *dst, unsigned i, size_t size)
{
    size_t n = (size_t)sprintf(dst, "diff --git a/%u b/%u", i, i);
    n += fill(dst + n, 'n', size);
    return n + put(dst + n, "\nold mode 100644\nnew mode 100755\n");
}

static size_t files_of_hunks(char *dst, unsigned i, size_t size)
{
    size_t n = put_file(dst, i, 8, i % 2 ? ".lock" : ".c");
    for (unsigned k = 0; k < 8; k++)
        n += put_hunk(dst + n, i + k, size);
    return n;
}

static size_t commits(char *dst, unsigned i, size_t size)
{
    enum { EACH = 8 };
    size_t n = put_commit(dst, i, size);
    return n + (i % EACH == 0 ? files(dst + n, i, 0) : 0);
}

static size_t lines_of_text(char *dst, unsigned i, size_t size)
{
    size_t n = put_file(dst, i, 4, ".c");
    n += put_hunk(dst + n, i, 1);
    n += put_number(dst + n, "note %u ", i);
    n += fill(dst + n, 't', size);
    dst[n++] = '\n';
    return n;
}

/* Everything that a diff may have, so that all its stores are full. */
static size_t history(char *dst, unsigned i, size_t size)
{
    size_t n = put_commit(dst, i, size);
    n += put_file(dst + n, i, size / 8 + 1, ".c");
    n += put_hunk(dst + n, i, size);
    n += put_hunk(dst + n, i, 30);
    n += put_file(dst + n, i, size / 8 + 1, ".lock");
    return n + put_hunk(dst + n, i, size);
}

/* The same, and after some of it one hunk that is open to the end. */
static size_t history_then_hunk(char *dst, unsigned i, size_t size)
{
    enum { BEFORE = 400 };
    if (i < BEFORE)
        return history(dst, i, size);
    if (i == BEFORE)
        return put_file(dst, i, 4, ".c") + put(dst + put_file(dst, i, 4, ".c"), "@@ -0,0 +1,9999999 @@\n");
    size_t n = put_number(dst, "+%u", mixed(i));
    n += fill(dst + n, 'x', 4 * KB);
    dst[n++] = '\n';
    return n;
}

static size_t one_hunk(char *dst, unsigned i, size_t size)
{
    if (i == 0)
        return put(dst, "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -0,0 +1,9999999 @@\n");
    size_t n = put_number(dst, "+%u", mixed(i));
    n += fill(dst + n, 'x', size);
    dst[n++] = '\n';
    return n;
}

static size_t comma(char *dst, unsigned i)
{
    *dst = ',';
    return i > 0;
}

static size_t numbers(char *dst, unsigned i, size_t size)
{
    size_t n = 0;
    for (unsigned k = 0; k < 1000; k++)
        n += (size_t)sprintf(dst + n, "%s%u", i + k > 0 ? "," : "", size > 1 ? mixed(i * 1000 + k) : 1);
    return n;
}

static size_t brackets(char *dst, unsigned i, size_t size)
{
    size_t n = comma(dst, i);
    for (unsigned k = 0; k < 500; k++)
        n += put(dst + n, k == 0 ? "[[]]" : size > 1 ? ",{}" : ",[]");
    return n;
}

static size_t objects(char *dst, unsigned i, size_t size)
{
    size_t n = comma(dst, i);
    n += (size_t)sprintf(dst + n, "{\"id\":%u,\"level\":\"error\",\"message\":\"failed %u ", i, mixed(i));
    n += fill(dst + n, 'v', size);
    return n + put(dst + n, "\"}");
}

static size_t keys(char *dst, unsigned i, size_t size)
{
    size_t n = comma(dst, i);
    n += put_number(dst + n, "\"k%u", i);
    n += fill(dst + n, 'k', size);
    return n + (size_t)sprintf(dst + n, "\":%u", i % 3);
}

/* Objects of distinct paths, each large. */
static size_t paths(char *dst, unsigned i, size_t size)
{
    size_t n = comma(dst, i);
    n += put_number(dst + n, "\"k%u\":{", i);
    for (unsigned k = 0; k < 60; k++) {
        n += (size_t)sprintf(dst + n, "%s\"p%u", k > 0 ? "," : "", mixed(i * 64 + k));
        n += fill(dst + n, 'p', size);
        n += put(dst + n, k % 8 ? "\":0" : "\":\"fatal error\"");
    }
    return n + put(dst + n, "}");
}

/* Levels around levels, each with something in it. */
static size_t levels(char *dst, unsigned i, size_t size)
{
    const unsigned deep = size < KB ? 190 : 120;
    size_t n = comma(dst, i);
    for (unsigned k = 0; k < deep; k++) {
        n += (size_t)sprintf(dst + n, "{\"error%u\":\"failed\",\"", mixed(i));
        n += fill(dst + n, 'k', size);
        n += put(dst + n, "\":");
    }
    n += put(dst + n, "1");
    n += fill(dst + n, '}', deep);
    return n;
}

/* Large values, each in another level, that begin with many brackets. */
static size_t nodes(char *dst, unsigned i, size_t size)
{
    size_t n = comma(dst, i);
    n += fill(dst + n, '[', size);
    n += put(dst + n, "\"fatal error\",\"");
    n += fill(dst + n, 'w', 2 * KB);
    n += put(dst + n, "\"");
    return n + fill(dst + n, ']', size);
}

static size_t strings(char *dst, unsigned i, size_t size)
{
    size_t n = comma(dst, i);
    n += put_number(dst + n, "\"error %u ", i);
    n += fill(dst + n, 's', size);
    return n + put(dst + n, "\"");
}

static size_t escapes(char *dst, unsigned i, size_t size)
{
    size_t n = comma(dst, i);
    n += put(dst + n, "\"");
    for (size_t k = 0; k < size; k++)
        n += put(dst + n, k % 3 ? "\\n" : "\\ud83d\\ude00");
    return n + put(dst + n, "\"");
}

/* One string, as long as the text. */
static size_t one_string(char *dst, unsigned i, size_t size)
{
    return fill(dst, (char)('a' + i % 26), size);
}

static size_t deeper(char *dst, unsigned i, size_t size)
{
    return i < 200 ? fill(dst, '[', size) : fill(dst, ' ', size);
}

static size_t records(char *dst, unsigned i, size_t size)
{
    size_t n = put_number(dst, "{\"id\":%u,\"level\":\"error\",\"message\":\"failed ", i);
    n += fill(dst + n, 'r', size);
    return n + (size_t)sprintf(dst + n, " %u\"}\n", mixed(i));
}

static size_t records_of_numbers(char *dst, unsigned i, size_t size)
{
    size_t n = put_number(dst, "{\"id\":%u,\"level\":\"error\",\"all\":[1", i);
    for (size_t k = 0; k < size; k++)
        n += put(dst + n, ",1");
    return n + put(dst + n, "]}\n");
}

/* The same, after short records. */
static size_t records_then_numbers(char *dst, unsigned i, size_t size)
{
    enum { BEFORE = 4000 };
    return i < BEFORE ? put_number(dst, "{\"id\":%u}\n", i) : records_of_numbers(dst, i, size);
}

static size_t records_of_paths(char *dst, unsigned i, size_t size)
{
    size_t n = put_number(dst, "{\"id\":%u", i);
    for (size_t k = 0; k < size; k++)
        n += (size_t)sprintf(dst + n, ",\"p%u\":{\"error\":\"failed\"}", mixed(i + (unsigned)k));
    return n + put(dst + n, "}\n");
}

static size_t empty_records(char *dst, unsigned i, size_t size)
{
    size_t n = put(dst, i == 0 ? "{\"a\":1}\n" : "");
    for (size_t k = 0; k < size; k++)
        n += put(dst + n, "{}\n");
    return n;
}

static size_t rows(char *dst, unsigned i, size_t size)
{
    size_t n = i == 0 ? put(dst, "id,name,state\n") : 0;
    n += (size_t)sprintf(dst + n, "%u,failed", i);
    n += fill(dst + n, 'r', size);
    return n + put(dst + n, i % 3 ? ",error\n" : ",ok\n");
}

static size_t columns(char *dst, unsigned i, size_t size)
{
    size_t n = 0;
    for (size_t k = 0; k < size; k++)
        n += (size_t)sprintf(dst + n,
                             i == 0   ? "%scol%zu"
                             : k % 50 ? "%sv%zu"
                                      : "%sfailed %zu",
                             k > 0 ? "," : "", k);
    dst[n++] = '\n';
    return n;
}

static size_t quoted(char *dst, unsigned i, size_t size)
{
    size_t n = i == 0 ? put(dst, "id,name,state\n") : 0;
    n += (size_t)sprintf(dst + n, "%u,\"error\n", i);
    n += fill(dst + n, 'q', size);
    return n + put(dst + n, "\",x\n");
}

static size_t open_quote(char *dst, unsigned i, size_t size)
{
    size_t n = 0;
    if (i < 40)
        return rows(dst, i, 10);
    n += put(dst, i == 40 ? "41,\"" : "\n");
    return n + fill(dst + n, 'q', size);
}

static size_t aligned(char *dst, unsigned i, size_t size)
{
    if (i == 0)
        return put(dst, "NAME                    READY   STATUS             RESTARTS   AGE\n");
    size_t n =
        (size_t)sprintf(dst, "pod-%010u          0/1     CrashLoopBackOff   %-8u   2d", mixed(i), i % 90);
    n += fill(dst + n, ' ', size);
    return n + put(dst + n, "\n");
}

static size_t drawn(char *dst, unsigned i, size_t size)
{
    size_t n = i == 0 ? put(dst, " id | name | state \n----+------+-------\n") : 0;
    n += (size_t)sprintf(dst + n, " %u | n%u", mixed(i), i);
    n += fill(dst + n, 'r', size);
    return n + put(dst + n, " | failed\n");
}

static size_t lines(char *dst, unsigned i, size_t size)
{
    size_t n = (size_t)sprintf(dst, "%u error %u", mixed(i), i);
    n += fill(dst + n, (char)('a' + i % 26), size);
    return n + put(dst + n, "\n");
}

static size_t blank_lines(char *dst, unsigned i, size_t size)
{
    (void)i;
    return fill(dst, '\n', size);
}

static size_t short_lines(char *dst, unsigned i, size_t size)
{
    for (size_t k = 0; k < size; k++) {
        dst[2 * k] = (char)('!' + (mixed(i + (unsigned)k) >> 16) % 90);
        dst[2 * k + 1] = '\n';
    }
    return 2 * size;
}

static size_t traces(char *dst, unsigned i, size_t size)
{
    size_t n = put(dst, "Traceback (most recent call last):\n");
    for (size_t k = 0; k < size; k++)
        n += (size_t)sprintf(dst + n, "  File \"/srv/a%u.py\", line %zu, in f%u\n    return g%u()\n",
                             mixed(i), k, i, i);
    return n + (size_t)sprintf(dst + n, "ValueError: %u\n", i);
}

static size_t prose(char *dst, unsigned i, size_t size)
{
    size_t n = 0;
    for (size_t k = 0; k < size; k++)
        n += put(dst + n, (i + k) % 5 ? "the quick brown fox " : "jumps over the lazy dog. ");
    return n + put(dst + n, "\n");
}

static size_t bytes(char *dst, unsigned i, size_t size)
{
    return fill(dst, (char)(i % 7), size);
}

/* A member that is a log of some size, and then many others. */
static size_t log_in_string(char *dst, unsigned i, size_t size)
{
    size_t n = 0;
    if (i > 0)
        return put_number(dst, ",\"k%u\":[%u,{\"a\":%u}]", i);
    n += put(dst, "\"stdout\":\"");
    for (unsigned line = 0; n < size; line++)
        n += put_number(dst + n,
                        line % 9 == 0 ? "src/x%u.c:%u: error: no '%u'\\n" : "step %u of %u done, %u\\n",
                        mixed(line));
    return n + put(dst + n, "\"");
}

/* The same, of a document that is short. */
static size_t log_in_short(char *dst, unsigned i, size_t size)
{
    return log_in_string(dst, i, size);
}

/* Several such strings, in a document that is just short enough to be at hand whole. */
static size_t logs_in_short(char *dst, unsigned i, size_t size)
{
    size_t n = comma(dst, i);
    n += put_number(dst + n, "\"out%u\":\"", i);
    for (unsigned line = 0; n < size; line++)
        n += put_number(dst + n,
                        line % 9 == 0 ? "src/x%u.c:%u: error: no '%u'\\n" : "step %u of %u done, %u\\n",
                        mixed(line + i));
    return n + put(dst + n, "\"");
}

/* An element that is a line of a log, some as short as any that are joined. */
static size_t log_line(char *dst, unsigned i, size_t size)
{
    size_t n = put(dst, i > 0 ? ",\"" : "\"");
    n += put_number(dst + n, i % 900 == 0 ? "src/x%u.c:%u: error: no '%u'" : "step %u of %u, %u", mixed(i));
    return n + fill(dst + n, 'x', size) + put(dst + n + size, "\"");
}

/* The same, in a document that is short. */
static size_t line_in_short(char *dst, unsigned i, size_t size)
{
    return log_line(dst, i, size);
}

/* Elements that are the lines of a diff's hunks. */
static size_t diff_lines(char *dst, unsigned i, size_t size)
{
    size_t n = put_number(dst, ",\"@@ -%u +%u @@\",\"-old", i + 1);
    n += fill(dst + n, 'x', size);
    n += put_number(dst + n, "\",\"+new%u", mixed(i));
    return n + fill(dst + n, 'y', size) + put(dst + n + size, "\"");
}

/* A record with such a line. */
static size_t log_record(char *dst, unsigned i, size_t size)
{
    size_t n = put_number(dst, i > 0 ? ",{\"n\":%u,\"log\":\"" : "{\"n\":%u,\"log\":\"", i);
    n += put_number(dst + n, i % 900 == 0 ? "src/x%u.c:%u: error: no '%u'" : "step %u of %u, %u", mixed(i));
    return n + fill(dst + n, 'x', size) + put(dst + n + size, "\"}");
}

/* Source, in which every hundredth piece is a message of a program that failed. */
static size_t source(char *dst, unsigned i, size_t size)
{
    size_t n = 0;
    for (unsigned k = 0; k < 100; k++)
        n += put_number(dst + n,
                        "    if (x[%u] == 7 && call(y, \"text\")) return z->member; /* why, as it is */\n",
                        i + k);
    return n + (size > 0 && i % 100 == 99
                    ? put_number(dst + n, "tar: Error is not recoverable %u: exiting now\n", i)
                    : 0);
}

/* Source and work by turns. */
static size_t source_and_work(char *dst, unsigned i, size_t size)
{
    size_t n = 0;
    if (i / size % 2 == 0)
        return source(dst, i, 0);
    for (unsigned k = 0; k < 100; k++)
        n += put_number(dst + n, "2026-11-26T10:00:00Z INFO [worker-%u] request %u done in %u ms\n",
                        mixed(i + k));
    return n;
}

/* A document, a diff and the log of a build that fails, each of some size, by turns. */
static size_t outputs(char *dst, unsigned i, size_t size)
{
    static const char *const starts[] = {"{\n  \"0\": 0", "diff --git a/x b/x\n--- a/x\n+++ b/x\n", "make\n"};
    static const char *const formats[] = {
        ",\n  \"k%u\": [%u, {\"a\": \"%u failed\"}]",
        "@@ -%u,2 +%u,2 @@\n-x\n+y%u\n z\n",
        "src/x%u.c:%u: error: no '%u'\n",
    };
    static const char *const ends[] = {"\n}\n", "", "make: *** Error 1\n"};
    size_t n = put(dst, starts[i % 3]);
    for (unsigned k = 0; n < size; k++)
        n += put_number(dst + n, formats[i % 3], mixed(i + k));
    return n + put(dst + n, ends[i % 3]);
}

/* Is its kind told by its bytes, not by the options? */
static bool is_told(const family *f)
{
    return f->piece == source || f->piece == source_and_work || f->piece == outputs;
}

static const family families[] = {
    {"files", ABR_KIND_DIFF, "", files, "", 0},
    {"files, named", ABR_KIND_DIFF, "", files, "", 40},
    {"files, long names", ABR_KIND_DIFF, "", files, "", 1500},
    {"machine-made files", ABR_KIND_DIFF, "", machine_files, "", 1},
    {"machine-made files, named", ABR_KIND_DIFF, "", machine_files, "", 40},
    {"bare files", ABR_KIND_DIFF, "", bare_files, "", 0},
    {"bare files, named", ABR_KIND_DIFF, "", bare_files, "", 60},
    {"small hunks", ABR_KIND_DIFF, "diff --git a/x b/x\n--- a/x\n+++ b/x\n", put_hunk, "", 1},
    {"hunks", ABR_KIND_DIFF, "diff --git a/x b/x\n--- a/x\n+++ b/x\n", put_hunk, "", 200},
    {"large hunks", ABR_KIND_DIFF, "diff --git a/x b/x\n--- a/x\n+++ b/x\n", put_hunk, "", 3000},
    {"huge hunks", ABR_KIND_DIFF, "diff --git a/x b/x\n--- a/x\n+++ b/x\n", put_hunk, "", 100 * KB},
    {"files of small hunks", ABR_KIND_DIFF, "", files_of_hunks, "", 1},
    {"files of hunks", ABR_KIND_DIFF, "", files_of_hunks, "", 900},
    {"one hunk", ABR_KIND_DIFF, "", one_hunk, "", 60},
    {"one hunk of long lines", ABR_KIND_DIFF, "", one_hunk, "", 50 * KB},
    {"commits", ABR_KIND_DIFF, "", commits, "", 1},
    {"commits with messages", ABR_KIND_DIFF, "", commits, "", 300},
    {"commits with long messages", ABR_KIND_DIFF, "", commits, "", 20 * KB},
    {"text between files", ABR_KIND_DIFF, "", lines_of_text, "", 1},
    {"history", ABR_KIND_DIFF, "", history, "", 40},
    {"history of much", ABR_KIND_DIFF, "", history, "", 700},
    {"history, then a hunk", ABR_KIND_DIFF, "", history_then_hunk, "", 100},
    {"history of much, then a hunk", ABR_KIND_DIFF, "", history_then_hunk, "", 700},
    {"a log in a string", ABR_KIND_JSON, "{", log_in_string, "}", 60 * KB},
    {"a long log in a string", ABR_KIND_JSON, "{", log_in_string, "}", 90 * KB},
    {"a longer log in a string", ABR_KIND_JSON, "{", log_in_string, "}", 240 * KB},
    {"a log in a short document", ABR_KIND_JSON, "{", log_in_short, "}", 50 * KB},
    {"a long log in a short document", ABR_KIND_JSON, "{", log_in_short, "}", 115 * KB},
    {"logs in a short document", ABR_KIND_JSON, "{", logs_in_short, "}", 36 * KB},
    {"long logs in a short document", ABR_KIND_JSON, "{", logs_in_short, "}", 60 * KB},
    {"longer logs in a short document", ABR_KIND_JSON, "{", logs_in_short, "}", 120 * KB},
    {"lines of a log in a short array", ABR_KIND_JSON, "[", line_in_short, "]", 8},
    {"longer lines of a log in a short array", ABR_KIND_JSON, "[", line_in_short, "]", 60},
    {"lines of a log in an array", ABR_KIND_JSON, "[", log_line, "]", 8},
    {"longer lines of a log in an array", ABR_KIND_JSON, "[", log_line, "]", 60},
    {"long lines of a log in an array", ABR_KIND_JSON, "[", log_line, "]", 1200},
    {"lines of a log in records", ABR_KIND_JSON, "[", log_record, "]", 8},
    {"numbers", ABR_KIND_JSON, "[", numbers, "]", 1},
    {"large numbers", ABR_KIND_JSON, "[", numbers, "]", 9},
    {"empty arrays", ABR_KIND_JSON, "[", brackets, "]", 1},
    {"empty objects", ABR_KIND_JSON, "[", brackets, "]", 2},
    {"objects", ABR_KIND_JSON, "[", objects, "]", 1},
    {"objects of 2 KB", ABR_KIND_JSON, "[", objects, "]", 1900},
    {"large objects", ABR_KIND_JSON, "[", objects, "]", 3000},
    {"keys", ABR_KIND_JSON, "{", keys, "}", 0},
    {"keys, named", ABR_KIND_JSON, "{", keys, "}", 60},
    {"long keys", ABR_KIND_JSON, "{", keys, "}", 2000},
    {"longer keys", ABR_KIND_JSON, "{", keys, "}", 5000},
    {"paths", ABR_KIND_JSON, "{", paths, "}", 1},
    {"paths, named", ABR_KIND_JSON, "{", paths, "}", 90},
    {"levels", ABR_KIND_JSON, "[", levels, "]", 1},
    {"levels, named", ABR_KIND_JSON, "[", levels, "]", 900},
    {"nodes", ABR_KIND_JSON, "[", nodes, "]", 1},
    {"nodes in nodes", ABR_KIND_JSON, "[", nodes, "]", 150},
    {"strings", ABR_KIND_JSON, "[", strings, "]", 30},
    {"long strings", ABR_KIND_JSON, "[", strings, "]", 2500},
    {"longer strings", ABR_KIND_JSON, "[", strings, "]", 60 * KB},
    {"escapes", ABR_KIND_JSON, "[", escapes, "]", 20},
    {"long escapes", ABR_KIND_JSON, "[", escapes, "]", 4000},
    {"one string", ABR_KIND_JSON, "\"", one_string, "\"", 10 * KB},
    {"levels, long names", ABR_KIND_JSON, "[", levels, "]", 4000},
    {"ever deeper", ABR_KIND_TEXT, "[", deeper, "", 4 * KB}, /* no JSON, as it has no end */
    {"empty records", ABR_KIND_JSON_LINES, "", empty_records, "", 500},
    {"records", ABR_KIND_JSON_LINES, "", records, "", 1},
    {"records of 1 KB", ABR_KIND_JSON_LINES, "", records, "", 900},
    {"long records", ABR_KIND_JSON_LINES, "", records, "", 60 * KB},
    {"longer records", ABR_KIND_JSON_LINES, "", records, "", 200 * KB},
    {"records of numbers", ABR_KIND_JSON_LINES, "", records_of_numbers, "", 1000},
    {"long records of numbers", ABR_KIND_JSON_LINES, "", records_of_numbers, "", 32000},
    {"short records, then long ones of numbers", ABR_KIND_JSON_LINES, "", records_then_numbers, "", 32000},
    {"records of paths", ABR_KIND_JSON_LINES, "", records_of_paths, "", 50},
    {"long records of paths", ABR_KIND_JSON_LINES, "", records_of_paths, "", 1600},
    {"rows", ABR_KIND_TABLE, "", rows, "", 0},
    {"rows of 100 bytes", ABR_KIND_TABLE, "", rows, "", 90},
    {"long rows", ABR_KIND_TABLE, "", rows, "", 4000},
    {"longer rows", ABR_KIND_TABLE, "", rows, "", 50 * KB},
    {"columns", ABR_KIND_TABLE, "", columns, "", 60},
    {"many columns", ABR_KIND_TABLE, "", columns, "", 3000},
    {"quoted rows", ABR_KIND_TABLE, "", quoted, "", 30},
    {"an open quote", ABR_KIND_TABLE, "", open_quote, "", 1000},
    {"aligned rows", ABR_KIND_TABLE, "", aligned, "", 0},
    {"lines", ABR_KIND_LOG, "", lines, "", 0},
    {"lines of 60 bytes", ABR_KIND_LOG, "", lines, "", 40},
    {"lines of 300 bytes", ABR_KIND_LOG, "", lines, "", 280},
    {"long lines", ABR_KIND_LOG, "", lines, "", 3000},
    {"longer lines", ABR_KIND_LOG, "", lines, "", 90 * KB},
    {"blank lines", ABR_KIND_LOG, "", blank_lines, "", 1000},
    {"short lines", ABR_KIND_LOG, "", short_lines, "", 1000},
    {"traces", ABR_KIND_LOG, "", traces, "", 30},
    {"prose", ABR_KIND_LOG, "", prose, "", 10},
    {"bytes", ABR_KIND_BINARY, "", bytes, "", 1000},
    {"source", ABR_KIND_TEXT, "", source, "", 0},
    {"source, then a failure", ABR_KIND_LOG, "", source, "tar: Error is not recoverable: exiting now\n", 0},
    {"source and work", ABR_KIND_LOG, "", source_and_work, "", 50},
    {"source and work, by short turns", ABR_KIND_LOG, "", source_and_work, "", 2},
    {"outputs", ABR_KIND_MIXED, "", outputs, "", 20 * KB},
    {"large outputs", ABR_KIND_MIXED, "", outputs, "", 60 * KB},
    {"small outputs", ABR_KIND_MIXED, "", outputs, "", 1500},
};

enum { FAMILIES = sizeof families / sizeof *families };

/* Documents in strings, some of them in strings of strings. */
static const family documents[] = {
    {"files", ABR_KIND_JSON, "", files, "", 0},
    {"small hunks", ABR_KIND_JSON, "diff --git a/x b/x\n--- a/x\n+++ b/x\n", put_hunk, "", 1},
    {"hunks", ABR_KIND_JSON, "diff --git a/x b/x\n--- a/x\n+++ b/x\n", put_hunk, "", 200},
    {"commits", ABR_KIND_JSON, "", commits, "", 1},
    {"history", ABR_KIND_JSON, "", history, "", 40},
    {"objects", ABR_KIND_JSON, "[", objects, "]", 1},
    {"numbers", ABR_KIND_JSON, "[", numbers, "]", 9},
    {"keys", ABR_KIND_JSON, "{", keys, "}", 0},
    {"levels", ABR_KIND_JSON, "[", levels, "]", 1},
    {"strings", ABR_KIND_JSON, "[", strings, "]", 2500},
    {"records", ABR_KIND_JSON, "", records, "", 1},
    {"rows", ABR_KIND_JSON, "", rows, "", 0},
    {"aligned rows", ABR_KIND_JSON, "", aligned, "", 0},
    {"drawn rows", ABR_KIND_JSON, "", drawn, "", 0},
    {"lines", ABR_KIND_JSON, "", lines, "", 0},
    {"lines of a diff in an array", ABR_KIND_JSON, "[\"diff --git a/x b/x\",\"--- a/x\",\"+++ b/x\"",
     diff_lines, "]", 16},
    {"outputs", ABR_KIND_JSON, "", outputs, "", 9 * KB},
};

enum { DOCUMENTS = sizeof documents / sizeof *documents, DEEPEST = 3 };

/* ---- streams ---- */

static char piece[2 * PIECE];

/* Put a text as so many strings around it spell it; it has no backslashes. */
static size_t put_spelled(char *dst, const char *p, size_t n, unsigned deep)
{
    if (deep == 0) {
        memcpy(dst, p, n);
        return n;
    }
    size_t used = 0;
    for (size_t i = 0; i < n; i++) {
        const bool breaks = p[i] == '\n';
        const size_t before = breaks ? (size_t)1 << (deep - 1) : p[i] == '"' ? ((size_t)1 << deep) - 1 : 0;
        used += fill(dst + used, '\\', before);
        dst[used++] = (char)(breaks ? 'n' : p[i]);
    }
    return used;
}

/* The next part of a family's text, and the strings around it if it is the first or the last one. */
static size_t put_part(char *dst, const family *f, unsigned i, size_t flown, const extent *of)
{
    static const char opens[] = "{\"out\":\"";
    static const char ends[] = "\"}";
    static char text[2 * PIECE];
    size_t n = 0;
    for (unsigned k = 0; k < of->deep && i == 0; k++)
        n += put_spelled(dst + n, opens, sizeof opens - 1, k);
    size_t text_n = i == 0 ? put(text, f->start) : 0;
    text_n += f->piece(text + text_n, i, f->size);
    n += put_spelled(dst + n, text, text_n, of->deep);
    if (flown + n < of->bytes)
        return n;
    n += put_spelled(dst + n, f->end, strlen(f->end), of->deep);
    for (unsigned k = of->deep; k-- > 0;)
        n += put_spelled(dst + n, ends, sizeof ends - 1, k);
    return n;
}

/* Write a family's text in chunks, look now and then, and finish. The most bytes that were
 * allocated at once. */
static size_t peak_of(const family *f, abr_opts o, const extent *of, size_t chunk, abr_kind *kind)
{
    const size_t flow = of->bytes;
    enum { LOOKS = 5 };
    ledger l = {0};
    const abr_alloc alloc = ledger_alloc(&l);
    char *buffer = malloc(chunk);
    abr_stream *s = NULL;
    abr_cut cut;
    o.alloc = &alloc;
    if (o.strategy == ABR_AUTO && f->kind != ABR_KIND_TEXT && (of->deep > 0 || !is_told(f)))
        o.kind = f->kind;
    if (!buffer)
        exit(2);
    CHECK(abr_stream_open(&o, NULL, NULL, &s, NULL) == ABR_OK);
    size_t used = 0;
    size_t looked = 0;
    for (size_t flown = 0, i = 0; flown < flow; i++) {
        const size_t n = put_part(piece, f, (unsigned)i, flown, of);
        flown += n;
        for (size_t at = 0; at < n;) {
            const size_t part = n - at < chunk - used ? n - at : chunk - used;
            memcpy(buffer + used, piece + at, part);
            used += part;
            at += part;
            if (used < chunk && !(flown >= flow && at == n))
                continue;
            CHECK(abr_stream_write(s, buffer, used) == ABR_OK);
            used = 0;
        }
        if (flown / (flow / LOOKS + 1) <= looked)
            continue;
        looked++;
        CHECK(abr_stream_snapshot(s, NULL, &cut, NULL) == ABR_OK);
        abr_cut_free(&cut);
    }
    CHECK(abr_stream_finish(s, NULL, &cut, NULL) == ABR_OK);
    *kind = cut.kind;
    abr_cut_free(&cut);
    abr_stream_close(s);
    CHECK_COUNT(0, l.blocks);
    free(buffer);
    return l.peak;
}

static const size_t chunks[] = {64 * KB, MB, 3000};

enum { CHUNKS = sizeof chunks / sizeof *chunks };

/* ABRIDGE_CASES over 1: every budget of a ladder up to 1 MiB. */
static bool takes_long(void)
{
    const char *cases = getenv("ABRIDGE_CASES");
    return cases && strtod(cases, NULL) > 1;
}

/* Is the peak within the bound of so many bytes? Texts are long enough to fill what a reader retains. */
static void check_peak(const family *f, const abr_opts *o, size_t bytes, size_t chunk, extent of)
{
    enum { LEAST = 600 * KB, PER_BYTE = 20, PER_BYTE_MOST = 24 };
    const size_t most = 64 * bytes + MB;
    const size_t any = LEAST + bytes * (takes_long() ? PER_BYTE_MOST : PER_BYTE);
    /* some texts are all at hand */
    const size_t flow = f->piece == outputs                                     ? 200 * KB
                        : f->piece == logs_in_short                             ? 216 * KB
                        : f->piece == log_in_short || f->piece == line_in_short ? 120 * KB
                                                                                : any;
    abr_kind kind;
    if (of.bytes == 0)
        of.bytes = flow;
    const size_t peak = peak_of(f, *o, &of, chunk, &kind);
    if (!CHECK(peak <= most))
        fprintf(stderr, "%s, %u deep, %zu bytes, budget of %zu, chunks of %zu: %zu bytes, %zu over\n",
                f->name, of.deep, of.bytes, bytes, chunk, peak, peak - most);
    if (o->strategy == ABR_AUTO && o->max.bytes < LEAST && !CHECK(kind == f->kind))
        fprintf(stderr, "%s: kind %d\n", f->name, (int)kind);
}

static abr_opts options(abr_strategy strategy, uint64_t bytes)
{
    abr_opts o = ABR_OPTS_INIT;
    o.strategy = strategy;
    o.max.bytes = bytes;
    return o;
}

static void every_family_keeps_to_the_bound(void)
{
    static const size_t budgets[] = {200, 640, 4 * KB, 30 * KB};
    for (size_t f = 0; f < FAMILIES && !takes_long(); f++)
        for (size_t b = 0; b < sizeof budgets / sizeof *budgets; b++) {
            const abr_opts o = options(ABR_AUTO, budgets[b]);
            check_peak(&families[f], &o, budgets[b], chunks[(f + b) % CHUNKS], alone);
        }
    for (size_t f = 0; f < FAMILIES && takes_long(); f++)
        for (size_t budget = 200, b = 0; budget <= MB; budget += budget, b++) {
            const abr_opts o = options(ABR_AUTO, budget);
            check_peak(&families[f], &o, budget, chunks[(f + b) % CHUNKS], alone);
        }
}

/* In strings of 30 to 300 KB: some are short enough for all of the text to be at hand, others are held. */
static void documents_in_strings_keep_to_it_too(void)
{
    static const size_t budgets[] = {200, 640, 4 * KB, 30 * KB, 64 * KB};
    static const size_t flows[] = {30 * KB, 60 * KB, 105 * KB, 125 * KB, 200 * KB, 300 * KB};
    enum { BUDGETS = sizeof budgets / sizeof *budgets, FLOWS = sizeof flows / sizeof *flows, SOME = 7 };
    size_t turn = 0;
    for (size_t d = 0; d < DOCUMENTS; d++)
        for (unsigned deep = 1; deep <= DEEPEST; deep++)
            for (size_t i = 0; i < FLOWS * BUDGETS; i++, turn++) {
                const abr_opts o = options(ABR_AUTO, budgets[i % BUDGETS]);
                const extent of = {flows[i / BUDGETS], deep};
                if (takes_long() || turn % SOME == 0)
                    check_peak(&documents[d], &o, budgets[i % BUDGETS], chunks[turn % CHUNKS], of);
            }
}

static void markers_that_do_not_count_keep_to_it_too(void)
{
    enum { BUDGET = 3000 };
    for (size_t f = 0; f < FAMILIES; f++)
        for (int marker = ABR_MARKER_INSIDE + 1; marker <= ABR_MARKER_NONE; marker++) {
            abr_opts o = options(ABR_AUTO, BUDGET);
            o.marker = (abr_marker)marker;
            if (takes_long() || f % 3 == (size_t)marker % 3)
                check_peak(&families[f], &o, BUDGET, chunks[f % CHUNKS], alone);
        }
}

static void priority_has_the_same_bound(void)
{
    for (size_t f = 0; f < FAMILIES; f++)
        for (size_t budget = 300; budget < 40 * KB; budget *= 10) {
            const abr_opts o = options(ABR_PRIORITY, budget);
            if (families[f].kind == ABR_KIND_LOG)
                check_peak(&families[f], &o, budget, chunks[f % CHUNKS], alone);
        }
}

static void chars_count_four_bytes_and_tokens_sixteen(void)
{
    enum { CHARS = 1500, TOKENS = 300, BYTES_PER_CHAR = 4, BYTES_PER_TOKEN = 16 };
    for (size_t f = 0; f < FAMILIES; f += takes_long() ? 1 : 5) {
        abr_opts o = options(ABR_AUTO, ABR_UNLIMITED);
        o.max.chars = CHARS;
        check_peak(&families[f], &o, (size_t)CHARS * BYTES_PER_CHAR, chunks[0], alone);
        o.max.chars = ABR_UNLIMITED;
        o.max.tokens = TOKENS;
        check_peak(&families[f], &o, (size_t)TOKENS * BYTES_PER_TOKEN, chunks[0], alone);
    }
}

static void lines_alone_are_a_budget_of_bytes(void)
{
    static const abr_strategy strategies[] = {ABR_AUTO, ABR_PRIORITY, ABR_HEAD, ABR_TAIL, ABR_HEAD_TAIL};
    for (size_t i = 0; i < sizeof strategies / sizeof *strategies; i++) {
        abr_opts o = options(strategies[i], ABR_UNLIMITED);
        abr_stream *s = NULL;
        abr_cut cut;
        o.max.lines = 100;
        CHECK(abr_stream_open(&o, NULL, NULL, &s, NULL) == ABR_OK);
        for (unsigned line = 0; line < 200; line++)
            CHECK(abr_stream_write(s, piece, lines(piece, line, 10 * KB)) == ABR_OK);
        CHECK(abr_stream_finish(s, NULL, &cut, NULL) == ABR_OK);
        CHECK_COUNT(i < 2 ? 256 * KB : MB, cut.max.bytes);
        CHECK(cut.truncated && cut.content_bytes <= cut.max.bytes);
        abr_cut_free(&cut);
        abr_stream_close(s);
    }
}

int main(void)
{
    RUN(every_family_keeps_to_the_bound);
    RUN(documents_in_strings_keep_to_it_too);
    RUN(markers_that_do_not_count_keep_to_it_too);
    RUN(priority_has_the_same_bound);
    RUN(chars_count_four_bytes_and_tokens_sixteen);
    RUN(lines_alone_are_a_budget_of_bytes);
    return check_end();
}
