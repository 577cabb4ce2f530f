/*
 * Prints what cuts of random texts come to, a line each: `make check-x87` compares those of two builds. Scores of
 * lines, values and records are floats, which an x87 and fused operations compute in more bits; no cut may show it.
 *   digests CASES
 */
#include "check.h"

enum { TEXT_MOST = 64 * 1024, LINE_ROOM = 200, SHAPES = 4 };

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

/* A log, JSON, records or a table. Returns the bytes. */
static size_t make_text(char *p)
{
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
        if (shape > 0)
            n += (size_t)snprintf(p + n, LINE_ROOM, rows[shape], number, pick(20) ? "ok" : "failed",
                                  (unsigned)pick(3000));
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

int main(int argc, char **argv)
{
    static char text[TEXT_MOST];
    const long cases = argc == 2 ? strtol(argv[1], NULL, 10) : 0;
    for (long i = 0; i < cases; i++) {
        const size_t n = make_text(text);
        const abr_opts o = make_opts();
        abr_cut cut;
        if (abr_cut_text(text, n, &o, &cut, NULL) != ABR_OK)
            return 1;
        char *content = content_of(&cut);
        uint32_t digest = 0;
        for (size_t k = 0; k < cut.content_bytes; k++)
            digest = digest * 31 + (unsigned char)content[k];
        printf("%ld: strategy %d, kind %d, %zu of %zu bytes, by %d: %08lx\n", i, (int)o.strategy,
               (int)cut.kind, cut.content_bytes, n, (int)cut.truncated_by, (unsigned long)digest);
        free(content);
        abr_cut_free(&cut);
    }
    return cases > 0 ? 0 : 2;
}
