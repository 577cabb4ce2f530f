/* Diffs cut as such, at once and in chunks: budgets, what is told of what is left out, and the same
 * whichever way. */
#include "input.h"

enum { TEXT_MOST = 16384 };

/* ---- a text from the input ---- */

static const char *const lines[] = {
    "diff --git a/src/x.c b/src/x.c\n",
    "diff --git a/yarn.lock b/yarn.lock\n",
    "--- a/x.c\n",
    "+++ b/x.c\n",
    "@@ -1,3 +1,4 @@ f\n",
    "@@ -7 +8,2 @@\n",
    "@@@ -1,2 -1,2 +1,3 @@@\n",
    "+function f() {\n",
    "-  old\n",
    " same\n",
    "++both\n",
    "\\ No newline at end of file\n",
    "commit 0123456789abcdef\n",
    "From 0123456789abcdef Mon\n",
    "Subject: it\n",
    "GIT binary patch\n",
    "literal 12\n",
    "Binary files a/x and b/x differ\n",
    "rename to dist/y.js\n",
    "Index: z\n",
    "===================\n",
    "-- \n",
    "    words of a message\n",
    "+++ /dev/null\n",
    "index 1234567..89abcde\n",
    "diff -r a/x b/x\n",
    "\n",
    "old mode 100644\n",
    "@@ -0,0 +1,90 @@\n",
    "+// @generated\n",
};

/* Lines of diffs, runs of them, long lines, and bytes as they are. */
static size_t expand_diff(const uint8_t *p, size_t n, char *text)
{
    enum { KINDS = sizeof lines / sizeof *lines, RUN = 200, LONG = 220 };
    size_t out = 0;
    for (size_t i = 0; i < n; i++) {
        const unsigned repeats = p[i] >= RUN && i + 2 < n ? p[i + 1] : 1;
        const bool is_long = p[i] >= LONG;
        const uint8_t what = repeats == 1 ? p[i] : p[i + 2];
        for (unsigned k = 0; k < repeats; k++) {
            const char *line = lines[what % KINDS];
            const size_t size = what < 128 && !is_long ? strlen(line) : 1;
            if (out + size > TEXT_MOST)
                return out;
            memcpy(text + out, size > 1 || what < 128 ? line : (const char *)&what, size);
            out += size;
        }
        i += repeats == 1 ? 0 : 2;
    }
    return out;
}

/* ---- rules ---- */

typedef struct {
    char *content;
    size_t n;
    abr_item items[3];
} result;

static uint64_t number_after(const char *p, const char *end, const char *unit)
{
    uint64_t sum = 0;
    const size_t n = strlen(unit);
    for (; p < end; p++) {
        uint64_t value = 0;
        const char *at = p;
        if (*p != '[')
            continue;
        for (at++; at < end && *at >= '0' && *at <= '9'; at++)
            value = value * 10 + (uint64_t)(*at - '0');
        if ((size_t)(end - at) >= n && memcmp(at, unit, n) == 0)
            sum += value;
    }
    return sum;
}

static void check_cut(const abr_cut *cut, const abr_opts *o, size_t n)
{
    uint64_t at = 0;
    uint64_t told = 0, files_told = 0;
    RULE(cut->content_bytes <= o->max.bytes && cut->total_bytes == n);
    for (size_t i = 0; i < cut->piece_count; i++) {
        const abr_piece *p = &cut->pieces[i];
        if (p->source) {
            RULE(p->first_byte > at && p->last_byte >= p->first_byte && p->last_byte <= n);
            RULE(p->last_byte - p->first_byte + 1 == p->n);
            at = p->last_byte;
        } else {
            told += number_after(p->p, p->p + p->n, " hunks");
            files_told += number_after(p->p, p->p + p->n, " files");
        }
    }
    const bool tells = cut->truncated && cut->content_bytes > 0 && o->marker == ABR_MARKER_INSIDE;
    for (size_t i = 0; i < cut->item_count; i++) {
        const abr_item *item = &cut->items[i];
        RULE(item->kept <= item->total);
        if (tells && item->unit == ABR_ITEM_HUNKS) {
            RULE(told + item->kept <= item->total);
            /* a gap that holds whole files is told by them alone */
            RULE(files_told > 0 || told + item->kept == item->total);
        }
    }
}

static result take_result(abr_cut *cut)
{
    result r = {.content = need(malloc(cut->content_bytes + 1)), .n = cut->content_bytes};
    abr_cut_write(cut, r.content);
    for (size_t i = 0; i < cut->item_count && i < 3; i++)
        r.items[i] = cut->items[i];
    abr_cut_free(cut);
    return r;
}

static void check_same(const result *a, abr_cut *cut)
{
    result b = take_result(cut);
    RULE(a->n == b.n && memcmp(a->content, b.content, a->n) == 0);
    for (size_t i = 0; i < 3; i++)
        RULE(a->items[i].total == b.items[i].total && a->items[i].kept == b.items[i].kept);
    free(b.content);
}

static void check_chunks(const char *text, size_t n, abr_opts o, uint64_t opened, size_t chunk,
                         const result *want)
{
    const abr_narrow narrow = {.max = o.max};
    abr_stream *s;
    abr_cut cut;
    o.max.bytes = opened;
    RULE(abr_stream_open(&o, NULL, NULL, &s, NULL) == ABR_OK);
    for (size_t at = 0; at < n; at += chunk)
        RULE(abr_stream_write(s, text + at, n - at < chunk ? n - at : chunk) == ABR_OK);
    RULE(abr_stream_snapshot(s, &narrow, &cut, NULL) == ABR_OK);
    check_same(want, &cut);
    RULE(abr_stream_finish(s, &narrow, &cut, NULL) == ABR_OK);
    check_same(want, &cut);
    abr_stream_close(s);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    input in = {data, size};
    abr_opts o = ABR_OPTS_INIT;
    o.strategy = ABR_AUTO;
    o.kind = ABR_KIND_DIFF;
    o.max.bytes = take_number(&in, 2) % 6000;
    o.marker = (abr_marker)take_below(&in, 2) == 0 ? ABR_MARKER_INSIDE : ABR_MARKER_NONE;
    const uint64_t opened = o.max.bytes * (1 + take_below(&in, 9));
    const size_t chunk = 1 + take_number(&in, 2) % 3000;
    char *text = need(malloc(TEXT_MOST));
    const size_t n = expand_diff(in.p, in.n, text);
    char *exact = need(malloc(n + 1));
    memcpy(exact, text, n);
    free(text);
    abr_cut cut;
    RULE(abr_cut_text(exact, n, &o, &cut, NULL) == ABR_OK);
    check_cut(&cut, &o, n);
    const bool is_diff = cut.kind == ABR_KIND_DIFF;
    const result r = take_result(&cut);
    if (is_diff && n > 0)
        check_chunks(exact, n, o, opened, chunk, &r);
    free(r.content);
    free(exact);
    return 0;
}
