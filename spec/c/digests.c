/*
 * Prints what cuts of random texts come to, a line each: `make check-x87` compares those of three builds. Scores of
 * lines, values and records are floats; an x87 or fused operations would compute them in more bits, which shows in
 * about one cut of 90,000, so whether an expression has more is looked at first.
 *   digests CASES
 */
#include "check.h"

enum { TEXT_MOST = 64 * 1024, JSON_MOST = 400 * 1024, ROOM = 1024 * 1024, LINE_ROOM = 200, SHAPES = 4 };

static const char *const lines[] = {
    "error: cannot open file x.c:12\n",
    "ok test_%u\n",
    "warning: deprecated call %u\n",
    "compiling part %u of 90\n",
    "Traceback (most recent call last):\n  File \"a.py\", line %u, in f\n    x()\nValueError: bad\n",
    "[2024-01-01 10:00:%02u] INFO request done\n",
    "    at foo (bar.js:%u:2)\n",
    "words of prose, %u of them\n",
    "\n",
    "FAIL: t%u expected 3 got 4\n",
    "make: *** [all] Error %u\n",
    "GET /pay 500 %ums\n",
};

/* ---- JSON ---- */

typedef struct {
    char *p;
    size_t n;
    size_t indent; /* blanks a level; 0: none, nor newlines */
} document;

static void put(document *d, const char *format, unsigned number)
{
    d->n += (size_t)snprintf(d->p + d->n, LINE_ROOM, format, number);
}

static void break_line(document *d, size_t depth)
{
    if (d->indent > 0)
        d->n += (size_t)sprintf(d->p + d->n, "\n%*s", (int)(d->indent * depth), "");
}

static void put_scalar(document *d)
{
    static const char *const scalars[] = {
        "%u",
        "-%u.5e3",
        "true",
        "null",
        "\"ok\"",
        "\"failed: %u\"",
        "\"\\u00e9\\ud83d\\ude00 %u\"",
        "\"name-%u\"",
        "\"\"",
        "\"error: cannot open x.c:%u\"",
    };
    const unsigned number = (unsigned)pick(900); /* drawn in one order by every compiler */
    put(d, scalars[pick(sizeof scalars / sizeof *scalars)], number);
}

/* Of chars and escapes, or of base64. */
static void put_long_string(document *d)
{
    const bool data = pick(2) == 0;
    put(d, "\"", 0);
    for (size_t i = pick(60) * pick(60); i > 0; i--)
        put(d, data ? "QUJDREVG" : pick(9) ? "words " : "\\n\\ud83d\\ude00 %u", (unsigned)i);
    put(d, "\"", 0);
}

static void put_value(document *d, size_t depth, size_t most)
{
    static const char *const keys[] = {"\"id\": ",    "\"name\": ", "\"status\":", "\"...\":",
                                       "\"a/b~\" : ", "\"k%u\":",   "\"items\":",  "\"a\\u0062c\":"};
    if (depth > 0 && (depth > 14 || pick(3) > 0)) {
        if (pick(60) == 0)
            put_long_string(d);
        else
            put_scalar(d);
        return;
    }
    const bool object = pick(2);
    const size_t count = pick(depth == 0 ? 900 : pick(20) ? 12 : 300);
    put(d, object ? "{" : "[", 0);
    for (size_t i = 0; i < count && d->n < most; i++) {
        if (i > 0)
            put(d, ",", 0);
        break_line(d, depth + 1);
        if (object) {
            const unsigned number = (unsigned)pick(400);
            put(d, keys[pick(sizeof keys / sizeof *keys)], number);
        }
        put_value(d, depth + 1, most);
    }
    break_line(d, depth);
    put(d, object ? "}" : "]", 0);
}

static size_t make_json(char *p)
{
    document d = {p, 0, pick(2) * pick(8)};
    put(&d, pick(4) ? "" : "\n  ", 0);
    put_value(&d, 0, pick(JSON_MOST));
    put(&d, pick(2) ? "" : "\n", 0);
    return d.n;
}

/* A log, JSON, records or a table. Returns the bytes. */
static size_t make_text(char *p)
{
    if (pick(2) == 0)
        return make_json(p);
    static const char *const rows[SHAPES] = {
        NULL,
        ",{\"id\": %u, \"status\": \"%s\", \"ms\": %u.5}\n",
        "{\"id\": %u, \"level\": \"%s\", \"ms\": %u}\n",
        "%u,%s,%u\n",
    };
    static const char *const starts[SHAPES] = {"", "[{}", "", "id,state,ms\n"};
    const size_t shape = pick(SHAPES);
    const size_t most = LINE_ROOM + pick(TEXT_MOST - 2 * LINE_ROOM);
    size_t n = (size_t)snprintf(p, LINE_ROOM, "%s", starts[shape]);
    while (n < most) {
        const unsigned number = (unsigned)pick(1000);
        const unsigned last = shape > 0 ? (unsigned)pick(3000) : 0;
        if (shape > 0)
            n += (size_t)snprintf(p + n, LINE_ROOM, rows[shape], number, pick(20) ? "ok" : "failed", last);
        else
            n += (size_t)snprintf(p + n, LINE_ROOM, lines[pick(pick(3) ? 8 : sizeof lines / sizeof *lines)],
                                  number % 60);
    }
    return n + (size_t)snprintf(p + n, LINE_ROOM, "%s", shape == 1 ? "]" : "");
}

static abr_opts make_opts(void)
{
    static const abr_strategy strategies[] = {ABR_HEAD_TAIL, ABR_PIPELINE, ABR_PRIORITY, ABR_AUTO, ABR_AUTO};
    abr_opts o = ABR_OPTS_INIT;
    o.strategy = strategies[pick(5)];
    o.head_ratio = (double)pick(101) / 100; /* of round budgets: those are next to an integer */
    o.token_safety = pick(2) ? o.token_safety : (double)(1 + pick(3000)) / 1000;
    o.max.lines = pick(3) ? o.max.lines : pick(400);
    o.max.chars = o.strategy == ABR_PIPELINE || pick(4) == 0 ? 100 * pick(200) : o.max.chars;
    o.max.tokens = pick(3) ? o.max.tokens : 100 * pick(40);
    o.max.bytes = pick(20000);
    return o;
}

/* The cut of the text, or of a stream of it in chunks. */
static abr_code cut_text(const char *text, size_t n, const abr_opts *o, abr_stream **stream, abr_cut *cut)
{
    *stream = NULL;
    if (pick(2) == 0 || o->strategy == ABR_PIPELINE)
        return abr_cut_text(text, n, o, cut, NULL);
    if (abr_stream_open(o, NULL, NULL, stream, NULL) != ABR_OK)
        return ABR_ENOMEM;
    const size_t most = 1 + pick(pick(2) ? 64 * 1024 : 40);
    for (size_t i = 0, size; i < n; i += size) {
        size = n - i < most ? n - i : most;
        if (abr_stream_write(*stream, text + i, size) != ABR_OK)
            return ABR_ENOMEM;
    }
    return abr_stream_finish(*stream, NULL, cut, NULL);
}

/* Is an expression the sum of its parts, each rounded to a float? */
static bool is_rounded(void)
{
    for (int i = 0; i < 1000; i++) {
        const volatile float a = (float)(1 + pick(1 << 24));
        const volatile float b = (float)(1 + pick(1 << 24));
        const volatile float product = a * b;
        const volatile float sum = product + a;
        if (a * b + a > sum || a * b + a < sum)
            return false;
    }
    return true;
}

ABR_WRAPS int main(int argc, char **argv)
{
    static char text[ROOM];
    const long cases = argc == 2 ? strtol(argv[1], NULL, 10) : 0;
    if (!is_rounded()) {
        fprintf(stderr, "digests: an expression has more bits than a float\n");
        return 1;
    }
    for (long i = 0; i < cases; i++) {
        const size_t n = make_text(text);
        const abr_opts o = make_opts();
        abr_stream *stream;
        abr_cut cut;
        if (cut_text(text, n, &o, &stream, &cut) != ABR_OK)
            return 1;
        char *content = content_of(&cut);
        uint32_t digest = 0;
        for (size_t k = 0; k < cut.content_bytes; k++)
            digest = digest * 31 + (unsigned char)content[k];
        printf("%ld: strategy %d, kind %d, %zu of %zu bytes, by %d, %d lines: %08lx\n", i, (int)o.strategy,
               (int)cut.kind, cut.content_bytes, n, (int)cut.truncated_by, (int)cut.output_lines,
               (unsigned long)digest);
        free(content);
        abr_cut_free(&cut);
        abr_stream_close(stream);
    }
    return cases > 0 ? 0 : 2;
}
