/* ABR_AUTO: each kind is told and cut the same in one call and in any chunks, snapshots and lower budgets
 * included, in bounded memory, whatever allocation fails. */
#include "ledger.h"
#include "ranges.h"

enum { KB = 1024, LARGE = 700 * KB };

typedef void (*line_fn)(char *dst, size_t size, size_t i);

static void log_line(char *dst, size_t size, size_t i)
{
    if (i % 97 == 50)
        snprintf(dst, size, "src/unit%zu.c:8:12: error: no member named 'x%zu'\n", i, i);
    else
        snprintf(dst, size, "[%zu/9000] cc -O2 -Wall -c src/unit%zu.c -o obj/unit%zu.o\n", i, i, i);
}

static void source_line(char *dst, size_t size, size_t i)
{
    static const char *const lines[] = {"static int add%zu(int a, int b)\n",
                                        "{\n",
                                        "    int sum = a + b; /* the %zuth */\n",
                                        "    return sum;\n",
                                        "}\n",
                                        "\n"};
    snprintf(dst, size, lines[i % 6], i);
}

static void json_line(char *dst, size_t size, size_t i)
{
    snprintf(dst, size, "%s{\"id\": %zu, \"name\": \"unit %zu\", \"status\": \"%s\"}",
             i == 0 ? "[\n  " : ",\n  ", i, i, i % 331 == 100 ? "failed" : "passed");
}

static void record_line(char *dst, size_t size, size_t i)
{
    snprintf(dst, size, "{\"id\":%zu,\"level\":\"%s\",\"text\":\"step %zu\"}\n", i,
             i % 331 == 100 ? "error" : "info", i);
}

static void row_line(char *dst, size_t size, size_t i)
{
    if (i == 0)
        snprintf(dst, size, "id,name,state\n");
    else
        snprintf(dst, size, "%zu,\"unit, %zu\",%s\n", i, i, i % 331 == 100 ? "FAILED" : "OK");
}

static void diff_line(char *dst, size_t size, size_t i)
{
    if (i % 8 == 0)
        snprintf(dst, size,
                 "diff --git a/f%zu.c b/f%zu.c\nindex 83db48f..bf269f4 100644\n--- a/f%zu.c\n+++ b/f%zu.c\n",
                 i / 8, i / 8, i / 8, i / 8);
    else
        snprintf(dst, size, "@@ -%zu,3 +%zu,3 @@\n before %zu\n-old %zu\n+new %zu\n after\n", i * 10, i * 10,
                 i, i, i);
}

static void noise_line(char *dst, size_t size, size_t i)
{
    snprintf(dst, size, "%s\x01\x02\x03%zu\x04\xFF\xFE",
             i == 0 ? "\x7F"
                      "ELF"
                    : "\x02",
             i);
}

typedef struct {
    const char *name;
    abr_kind kind;
    line_fn line;
    const char *end; /* of the text */
} sample;

static const sample samples[] = {
    {"log", ABR_KIND_LOG, log_line, ""},         {"text", ABR_KIND_TEXT, source_line, ""},
    {"json", ABR_KIND_JSON, json_line, "\n]\n"}, {"json_lines", ABR_KIND_JSON_LINES, record_line, ""},
    {"table", ABR_KIND_TABLE, row_line, ""},     {"diff", ABR_KIND_DIFF, diff_line, ""},
    {"binary", ABR_KIND_BINARY, noise_line, ""},
};

enum { SAMPLES = sizeof samples / sizeof *samples };

typedef struct {
    char *p;
    size_t n;
} text;

/* A text of about n bytes; longer than that by less than a line. */
static text make(const sample *s, size_t n)
{
    text t = {malloc(n + 4 * KB), 0};
    if (!t.p)
        exit(2);
    for (size_t i = 0; t.n < n; i++) {
        s->line(t.p + t.n, 2 * KB, i);
        t.n += strlen(t.p + t.n);
    }
    memcpy(t.p + t.n, s->end, strlen(s->end));
    t.n += strlen(s->end);
    return t;
}

static abr_opts opts_of(uint64_t bytes)
{
    abr_opts o = ABR_OPTS_INIT;
    o.strategy = ABR_AUTO;
    o.max.bytes = bytes;
    return o;
}

/* ---- the same however it came ---- */

/* The next range that is kept, of one piece or of several on end; first_byte is 0 after the last. */
static abr_piece next_range(const abr_cut *cut, size_t *at)
{
    abr_piece range = {.first_byte = 0};
    for (; *at < cut->piece_count; ++*at) {
        const abr_piece *p = &cut->pieces[*at];
        if (!p->source)
            continue;
        if (range.first_byte == 0)
            range = *p;
        else if (p->first_byte != range.last_byte + 1)
            break;
        range.last_byte = p->last_byte;
        range.last_line = p->last_line;
    }
    return range;
}

static void check_same(const abr_cut *want, const abr_cut *got)
{
    char *a = content_of(want);
    char *b = content_of(got);
    CHECK_COUNT(want->kind, got->kind);
    CHECK_BYTES(a, want->content_bytes, b, got->content_bytes);
    size_t i = 0;
    size_t k = 0;
    abr_piece x;
    abr_piece y;
    do {
        x = next_range(want, &i);
        y = next_range(got, &k);
        CHECK_COUNT(x.first_byte, y.first_byte);
        CHECK_COUNT(x.last_byte, y.last_byte);
        CHECK_COUNT(x.first_line, y.first_line);
        CHECK_COUNT(x.last_line, y.last_line);
    } while (x.first_byte == y.first_byte && x.first_byte > 0);
    CHECK(want->truncated == got->truncated && want->compact == got->compact);
    CHECK_COUNT(want->truncated_by, got->truncated_by);
    CHECK_COUNT(want->total_lines, got->total_lines);
    CHECK_COUNT(want->output_lines, got->output_lines);
    CHECK_COUNT(want->output_bytes, got->output_bytes);
    CHECK_COUNT(want->omitted_bytes, got->omitted_bytes);
    CHECK_COUNT(want->hits_found, got->hits_found);
    CHECK_COUNT(want->hits_kept, got->hits_kept);
    CHECK_COUNT(want->failures_found, got->failures_found);
    CHECK_COUNT(want->failures_kept, got->failures_kept);
    CHECK_COUNT(want->item_count, got->item_count);
    for (i = 0; i < want->item_count && i < got->item_count; i++) {
        CHECK_COUNT(want->items[i].unit, got->items[i].unit);
        CHECK_COUNT(want->items[i].total, got->items[i].total);
        CHECK_COUNT(want->items[i].kept, got->items[i].kept);
        CHECK_BYTES(want->items[i].of, want->items[i].of_len, got->items[i].of, got->items[i].of_len);
    }
    free(a);
    free(b);
}

static void check_ledger(const abr_cut *cut, const text *t, const abr_opts *o)
{
    CHECK(cut->content_bytes <= o->max.bytes);
    CHECK_COUNT(t->n, cut->total_bytes);
    CHECK_COUNT(cut->total_bytes, cut->output_bytes + cut->omitted_bytes);
    CHECK_COUNT(cut->total_lines, cut->output_lines + cut->omitted_lines);
    uint64_t last = 0;
    for (size_t i = 0; i < cut->piece_count; i++) {
        const abr_piece *p = &cut->pieces[i];
        if (!p->source)
            continue;
        CHECK(p->first_byte > last);
        CHECK(shows_range(t->p, cut, p));
        last = p->last_byte;
    }
}

/* Write a text in chunks, of `step` bytes or, for 0, of any size. */
static void write_in_chunks(abr_stream *s, const text *t, size_t step)
{
    for (size_t at = 0; at < t->n;) {
        size_t n = step > 0 ? step : 1 + pick(pick(2) ? 100 : 90 * KB);
        n = n < t->n - at ? n : t->n - at;
        CHECK(abr_stream_write(s, t->p + at, n) == ABR_OK);
        at += n;
    }
}

static void check_stream(const text *t, const abr_opts *o, size_t step, const abr_cut *want)
{
    abr_stream *s = NULL;
    abr_cut cut;
    if (!CHECK(abr_stream_open(o, NULL, NULL, &s, NULL) == ABR_OK))
        return;
    write_in_chunks(s, t, step);
    CHECK(abr_stream_snapshot(s, NULL, &cut, NULL) == ABR_OK);
    check_same(want, &cut);
    abr_cut_free(&cut);
    CHECK(abr_stream_finish(s, NULL, &cut, NULL) == ABR_OK);
    check_same(want, &cut);
    check_ledger(&cut, t, o);
    abr_cut_free(&cut);
    abr_stream_close(s);
}

/* A stream takes no more memory than it may. */
static void check_peak(const text *t, const char *name)
{
    ledger l = {0};
    const abr_alloc alloc = ledger_alloc(&l);
    abr_opts o = opts_of(4 * KB);
    abr_stream *s = NULL;
    abr_cut cut;
    o.alloc = &alloc;
    CHECK(abr_stream_open(&o, NULL, NULL, &s, NULL) == ABR_OK);
    write_in_chunks(s, t, 16 * KB);
    CHECK(abr_stream_finish(s, NULL, &cut, NULL) == ABR_OK);
    abr_cut_free(&cut);
    if (!CHECK(l.peak <= 64 * o.max.bytes + 1024 * KB))
        fprintf(stderr, "%s: %zu bytes\n", name, l.peak);
    abr_stream_close(s);
    CHECK_COUNT(0, l.blocks);
}

static void chunks_change_nothing(void)
{
    static const size_t sizes[] = {0, 1, 60, 3000, ABR_KIND_BYTES - 100, ABR_KIND_BYTES + 5000, LARGE};
    static const uint64_t budgets[] = {0, 1, 2, 40, 300, 2000, 8 * KB, 64 * KB, 512 * KB};
    for (size_t i = 0; i < SAMPLES; i++)
        for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
            const text t = make(&samples[i], sizes[k]);
            for (size_t b = 0; b < sizeof budgets / sizeof *budgets; b++) {
                const abr_opts o = opts_of(budgets[b]);
                abr_cut cut;
                CHECK(abr_cut_text(t.p, t.n, &o, &cut, NULL) == ABR_OK);
                if (sizes[k] >= 3000)
                    CHECK_COUNT(samples[i].kind, cut.kind);
                check_ledger(&cut, &t, &o);
                check_stream(&t, &o, 0, &cut);
                abr_cut_free(&cut);
            }
            free(t.p);
        }
}

/* The chunk that brings the last byte by which the kind is told, and the byte after it. */
static void the_border_changes_nothing(void)
{
    for (size_t i = 0; i < SAMPLES; i++) {
        text t = make(&samples[i], ABR_KIND_BYTES + 10);
        const abr_opts o = opts_of(4 * KB);
        for (size_t more = 0; more < 3; more++) {
            const text part = {t.p, ABR_KIND_BYTES - 1 + more};
            abr_cut cut;
            CHECK(abr_cut_text(part.p, part.n, &o, &cut, NULL) == ABR_OK);
            check_stream(&part, &o, ABR_KIND_BYTES - 1, &cut);
            check_stream(&part, &o, ABR_KIND_BYTES, &cut);
            check_stream(&part, &o, ABR_KIND_BYTES / 2 + 1, &cut);
            abr_cut_free(&cut);
        }
        free(t.p);
    }
}

static void a_lower_budget_at_the_end_is_that_budget(void)
{
    static const uint64_t lower[] = {0, 2, 50, 900, 5000, 20 * KB};
    for (size_t i = 0; i < SAMPLES; i++) {
        const text t = make(&samples[i], i % 2 ? LARGE : LARGE / 10);
        const abr_opts o = opts_of(64 * KB);
        abr_stream *s = NULL;
        CHECK(abr_stream_open(&o, NULL, NULL, &s, NULL) == ABR_OK);
        write_in_chunks(s, &t, 7000);
        for (size_t k = 0; k < sizeof lower / sizeof *lower; k++) {
            const abr_narrow narrow = {.max = {ABR_UNLIMITED, lower[k], ABR_UNLIMITED, ABR_UNLIMITED}};
            const abr_opts own = opts_of(lower[k]);
            abr_cut want;
            abr_cut got;
            CHECK(abr_cut_text(t.p, t.n, &own, &want, NULL) == ABR_OK);
            CHECK(abr_stream_finish(s, &narrow, &got, NULL) == ABR_OK);
            check_same(&want, &got);
            abr_cut_free(&want);
            abr_cut_free(&got);
        }
        abr_stream_close(s);
        free(t.p);
    }
}

/* ---- every budget ---- */

static void every_budget_is_hard(void)
{
    for (size_t i = 0; i < SAMPLES; i++) {
        const text t = make(&samples[i], 40 * KB);
        for (unsigned k = 0; k < 60; k++) {
            abr_opts o = opts_of(pick(2) ? ABR_UNLIMITED : pick(9000));
            abr_cut cut;
            if (pick(2) || o.max.bytes == ABR_UNLIMITED)
                o.max.chars = pick(9000);
            if (pick(3) == 0)
                o.max.lines = pick(100);
            if (pick(3) == 0)
                o.max.tokens = pick(2000);
            CHECK(abr_cut_text(t.p, t.n, &o, &cut, NULL) == ABR_OK);
            char *content = content_of(&cut);
            CHECK(cut.content_bytes <= o.max.bytes);
            CHECK(abr_count_chars(content, cut.content_bytes, NULL) <= o.max.chars);
            CHECK(abr_weigh_tokens(content, cut.content_bytes, ABR_TOKEN_SAFETY) <= o.max.tokens);
            CHECK((cut.kind == ABR_KIND_JSON ? abr_count_lines(content, cut.content_bytes)
                                             : cut.output_lines) <= o.max.lines);
            free(content);
            abr_cut_free(&cut);
        }
        free(t.p);
    }
}

/* ---- patterns ---- */

/* A stream has its own copy of the caller's patterns. */
static void patterns_may_go_once_a_stream_is_open(void)
{
    for (unsigned large = 0; large < 2; large++) {
        const text t = make(&samples[0], large ? LARGE : 30 * KB);
        char *words = exact("unit77.c", 8);
        abr_hit *hit = malloc(sizeof *hit);
        if (!hit)
            exit(2);
        *hit = (abr_hit){.p = words, .n = 8, .weight = 3};
        abr_opts o = opts_of(2 * KB);
        abr_stream *s = NULL;
        abr_cut want;
        abr_cut cut;
        o.hits = hit;
        o.hit_count = 1;
        CHECK(abr_cut_text(t.p, t.n, &o, &want, NULL) == ABR_OK);
        CHECK(abr_stream_open(&o, NULL, NULL, &s, NULL) == ABR_OK);
        free(hit);
        free(words);
        write_in_chunks(s, &t, 5000);
        CHECK(abr_stream_finish(s, NULL, &cut, NULL) == ABR_OK);
        check_same(&want, &cut);
        abr_cut_free(&want);
        abr_cut_free(&cut);
        abr_stream_close(s);
        free(t.p);
    }
}

/* ---- kinds that are given, and those that end ---- */

static void a_kind_may_be_given(void)
{
    static const char prose[] = "Only words.\nAnd more of them.\n";
    for (abr_kind kind = ABR_KIND_LOG; kind <= ABR_KIND_BINARY; kind++) {
        abr_opts o = opts_of(20);
        abr_cut cut;
        o.kind = kind;
        CHECK(abr_cut_text(prose, strlen(prose), &o, &cut, NULL) == ABR_OK);
        const bool is_none = kind == ABR_KIND_JSON || kind == ABR_KIND_TABLE || kind == ABR_KIND_DIFF;
        CHECK_COUNT(is_none ? ABR_KIND_TEXT : kind, cut.kind);
        CHECK(cut.content_bytes <= 20);
        abr_cut_free(&cut);
    }
}

static void json_that_breaks_late_is_text(void)
{
    static const sample broken = {"json", ABR_KIND_JSON, json_line, "\n}\n"};
    static const sample longer = {"json", ABR_KIND_JSON, json_line, "\n] more\n"};
    static const sample open = {"json", ABR_KIND_JSON, json_line, ""};
    const sample *const all[] = {&broken, &longer, &open};
    const abr_opts o = opts_of(3000);
    for (size_t i = 0; i < 3; i++) {
        const text t = make(all[i], LARGE);
        abr_cut cut;
        CHECK(abr_cut_text(t.p, t.n, &o, &cut, NULL) == ABR_OK);
        CHECK_COUNT(ABR_KIND_TEXT, cut.kind);
        check_ledger(&cut, &t, &o);
        check_stream(&t, &o, 0, &cut);
        abr_cut_free(&cut);
        free(t.p);
    }
}

/* The log below a long text of another kind: a failure amid so many lines of work. */
static void add_failing_log(text *t, size_t work_lines, const char *error)
{
    t->p = realloc(t->p, t->n + 2 * work_lines * 64 + strlen(error) + 64);
    if (!t->p)
        exit(2);
    for (size_t line = 0; line <= 2 * work_lines; line++) {
        char *end = t->p + t->n;
        t->n += (size_t)(line == work_lines ? sprintf(end, "%s", error)
                                            : sprintf(end, "[%zu/9] compiling x.c\n", line));
    }
}

/* A log below a document or a diff is one, however long that is and wherever its blocks end: its failure
 * shows. Up to a few lines below a diff are part of it. */
static void a_log_below_a_long_text_of_another_kind_is_one(void)
{
    static const char error[] = "src/cart.c:12:5: error: expected ';' before 'return'\n";
    static const size_t work_lines[] = {1, 30, 900, 5000};
    static const sample before[] = {{"json", ABR_KIND_JSON, json_line, "\n]\n"},
                                    {"diff", ABR_KIND_DIFF, diff_line, ""}};
    for (size_t i = 0; i < 4; i++)
        for (size_t shift = 0; shift < 6; shift++) {
            const sample *s = &before[shift % 2];
            text t = make(s, LARGE + shift / 2 * 21 * KB);
            const abr_opts o = opts_of(4 * KB);
            abr_cut cut;
            add_failing_log(&t, work_lines[i], error);
            CHECK(abr_cut_text(t.p, t.n, &o, &cut, NULL) == ABR_OK);
            CHECK_COUNT(s->kind == ABR_KIND_DIFF && i == 0 ? ABR_KIND_DIFF : ABR_KIND_LOG, cut.kind);
            char *content = content_of(&cut);
            CHECK(strstr(content, error) != NULL);
            free(content);
            check_stream(&t, &o, 0, &cut);
            check_stream(&t, &o, t.n, &cut);
            abr_cut_free(&cut);
            check_peak(&t, "a log below a text of another kind");
            free(t.p);
        }
}

/* Of a string that went by little is at hand, and under a few bytes, without markers, there is room for none
 * of it: it is not taken for one that shows whole. */
static void a_string_is_not_printed_past_its_ends_at_hand(void)
{
    text t = {malloc(3000 * KB), 3000 * KB};
    if (!t.p)
        exit(2);
    for (int data = 0; data < 2; data++) {
        for (size_t i = 0; i < t.n; i++)
            t.p[i] = data || i % 8 ? 'x' : ' '; /* one long word is taken for base64 */
        t.p[0] = t.p[t.n - 1] = '"';
        for (int none = 0; none < 2; none++) {
            const abr_marker marker = none ? ABR_MARKER_NONE : ABR_MARKER_INSIDE;
            for (uint64_t bytes = 0; bytes < 12; bytes++) {
                abr_opts o = opts_of(bytes);
                o.marker = marker;
                o.kind = ABR_KIND_JSON;
                abr_cut cut;
                CHECK(abr_cut_text(t.p, t.n, &o, &cut, NULL) == ABR_OK);
                CHECK(cut.output_bytes <= bytes);
                check_stream(&t, &o, 64 * KB, &cut);
                abr_cut_free(&cut);
            }
            abr_opts o = opts_of(ABR_UNLIMITED);
            o.marker = marker;
            o.kind = ABR_KIND_JSON;
            o.max.lines = 0;
            abr_cut cut;
            CHECK(abr_cut_text(t.p, t.n, &o, &cut, NULL) == ABR_OK);
            CHECK_COUNT(0, cut.output_bytes);
            check_stream(&t, &o, 64 * KB, &cut);
            abr_cut_free(&cut);
        }
    }
    free(t.p);
}

static void something_binary_is_one_line(void)
{
    const text t = make(&samples[SAMPLES - 1], 3000);
    abr_opts o = opts_of(10 * KB);
    abr_cut cut;
    CHECK(abr_cut_text(t.p, t.n, &o, &cut, NULL) == ABR_OK);
    char *content = content_of(&cut);
    CHECK_TEXT("Binary output (ELF, 2.9KB)", content, cut.content_bytes);
    CHECK(cut.truncated);
    CHECK_COUNT(ABR_BY_NONE, cut.truncated_by);
    free(content);
    abr_cut_free(&cut);
    o.max.bytes = 25;
    CHECK(abr_cut_text(t.p, t.n, &o, &cut, NULL) == ABR_OK);
    CHECK_COUNT(0, cut.content_bytes);
    CHECK_COUNT(ABR_BY_BYTES, cut.truncated_by);
    abr_cut_free(&cut);
    free(t.p);
}

/* ---- previews ---- */

/* What may still change shows, and leaves nothing behind. */
static void a_preview_leaves_no_trace(void)
{
    for (size_t i = 0; i < SAMPLES; i++)
        for (unsigned large = 0; large < 2; large++) {
            const text t = make(&samples[i], large ? LARGE : 20 * KB);
            const abr_opts o = opts_of(4 * KB);
            abr_stream *s = NULL;
            abr_cut want;
            abr_cut cut;
            CHECK(abr_stream_open(&o, NULL, NULL, &s, NULL) == ABR_OK);
            for (size_t at = 0; at < t.n; at += 9000) {
                CHECK(abr_stream_write(s, t.p + at, t.n - at < 9000 ? t.n - at : 9000) == ABR_OK);
                CHECK(abr_stream_preview(s, "the end", 7) == ABR_OK);
                CHECK(abr_stream_snapshot(s, NULL, &cut, NULL) == ABR_OK);
                CHECK(cut.content_bytes <= o.max.bytes);
                abr_cut_free(&cut);
            }
            CHECK(abr_stream_finish(s, NULL, &cut, NULL) == ABR_OK);
            CHECK(abr_cut_text(t.p, t.n, &o, &want, NULL) == ABR_OK);
            check_same(&want, &cut);
            abr_cut_free(&want);
            abr_cut_free(&cut);
            abr_stream_close(s);
            free(t.p);
        }
}

/* ---- memory ---- */

static void memory_is_bounded(void)
{
    for (size_t i = 0; i < SAMPLES; i++) {
        const text t = make(&samples[i], 4 * LARGE);
        check_peak(&t, samples[i].name);
        free(t.p);
    }
}

static bool again(abr_code code)
{
    CHECK(code == ABR_OK || code == ABR_ENOMEM);
    return code == ABR_ENOMEM;
}

/* Cut a stream under an allocator of which one call fails; what failed is tried again. Was there such a
 * call? */
static bool survives(const text *t, abr_opts o, size_t fail_at, const abr_cut *want)
{
    ledger l = {.fail_at = fail_at};
    const abr_alloc alloc = ledger_alloc(&l);
    abr_stream *s = NULL;
    abr_cut cut;
    o.alloc = &alloc;
    if (again(abr_stream_open(&o, NULL, NULL, &s, NULL)))
        CHECK(abr_stream_open(&o, NULL, NULL, &s, NULL) == ABR_OK);
    for (size_t at = 0; at < t->n; at += 90 * KB) {
        const size_t n = t->n - at < 90 * KB ? t->n - at : 90 * KB;
        if (again(abr_stream_write(s, t->p + at, n)))
            CHECK(abr_stream_write(s, t->p + at, n) == ABR_OK);
    }
    if (again(abr_stream_finish(s, NULL, &cut, NULL)))
        CHECK(abr_stream_finish(s, NULL, &cut, NULL) == ABR_OK);
    check_same(want, &cut);
    abr_cut_free(&cut);
    abr_stream_close(s);
    CHECK_COUNT(0, l.blocks);
    return l.calls >= fail_at;
}

static void every_allocation_may_fail(void)
{
    for (size_t i = 0; i < SAMPLES; i++)
        for (unsigned large = 0; large < 2; large++) {
            const text t = make(&samples[i], large ? ABR_KIND_BYTES + 20 * KB : 20 * KB);
            const abr_opts o = opts_of(2 * KB);
            abr_cut want;
            CHECK(abr_cut_text(t.p, t.n, &o, &want, NULL) == ABR_OK);
            for (size_t fail_at = 1; survives(&t, o, fail_at, &want); fail_at++)
                ;
            abr_cut_free(&want);
            for (size_t fail_at = 1;; fail_at++) {
                ledger l = {.fail_at = fail_at};
                const abr_alloc alloc = ledger_alloc(&l);
                abr_opts own = o;
                abr_cut cut;
                own.alloc = &alloc;
                const abr_code code = abr_cut_text(t.p, t.n, &own, &cut, NULL);
                CHECK(code == (l.calls >= fail_at ? ABR_ENOMEM : ABR_OK));
                abr_cut_free(&cut);
                CHECK_COUNT(0, l.blocks);
                if (l.calls < fail_at)
                    break;
            }
            free(t.p);
        }
}

int main(void)
{
    RUN(chunks_change_nothing);
    RUN(the_border_changes_nothing);
    RUN(a_lower_budget_at_the_end_is_that_budget);
    RUN(every_budget_is_hard);
    RUN(patterns_may_go_once_a_stream_is_open);
    RUN(a_kind_may_be_given);
    RUN(json_that_breaks_late_is_text);
    RUN(a_log_below_a_long_text_of_another_kind_is_one);
    RUN(a_string_is_not_printed_past_its_ends_at_hand);
    RUN(something_binary_is_one_line);
    RUN(a_preview_leaves_no_trace);
    RUN(memory_is_bounded);
    RUN(every_allocation_may_fail);
    return check_end();
}
