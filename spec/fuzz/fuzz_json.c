/* Cuts of JSON: documents made of the input, so that all of them parse, in one piece, as a stream, and
 * with a budget lowered at its end. */
#include "../c/ranges.h"
#include "input.h"

enum { DOCUMENT_MOST = 96 * 1024, DEPTH_MOST = 260, CONTENT_MOST = 256 * 1024 };

typedef struct {
    char text[DOCUMENT_MOST + 8 * DEPTH_MOST];
    size_t n;
    bool object[DEPTH_MOST];
    size_t depth;
    bool first;
} document;

static document made;

static void put(document *d, const char *text)
{
    const size_t n = strlen(text);
    memcpy(d->text + d->n, text, n);
    d->n += n;
}

ABR_WRAPS static void put_string(document *d, input *in)
{
    static const char *const parts[] = {"a",
                                        "error: ",
                                        "\\n",
                                        "\\u00e9",
                                        "\\ud83d\\ude00",
                                        "\\\"",
                                        "\\ud800",
                                        "\xC3\xA9",
                                        ".",
                                        "...",
                                        "abcDEF0189+/",
                                        "data:image/png;base64,",
                                        " ",
                                        "\\\\",
                                        "failed",
                                        "\xF0\x9F\x98\x80"};
    size_t times = take_below(in, 8);
    const char *part = parts[take_below(in, 16)];
    if (take_below(in, 12) == 0)
        times *= 1 + take_below(in, 255) * 4;
    put(d, "\"");
    while (times-- > 0 && d->n < DOCUMENT_MOST)
        put(d, part);
    put(d, parts[take_below(in, 16)]);
    put(d, "\"");
}

static void put_blanks(document *d, input *in)
{
    static const char *const blanks[] = {"", "", "", " ", "\n  ", "\t\r\n"};
    put(d, blanks[take_below(in, 6)]);
}

/* An element that is a line of a log, or a record with one, or something else. */
static void put_line(document *d, input *in, unsigned form, unsigned i)
{
    static const char *const ends[] = {"",         "\\n", "\\r\\n", "\\u001b[0m", "\\\\", "\\ud83d\\ude00",
                                       "\xC3\xA9", "\\t"};
    static const char *const forms[][2] = {
        {"\"", "\""},
        {"{\"log\":\"", "\"}"},
        {"{\"n\":[1,{\"log\":\"x\"}], \"log\" : \"", "\",\"e\":\"error\"\n}"}};
    static const char *const others[] = {"7", "[\"error: x\", [null]]", "{}", "\"\""};
    char text[96];
    const unsigned what = take_byte(in);
    if (what >= 250) {
        put(d, others[what % 4]);
        return;
    }
    put(d, forms[form][0]);
    snprintf(text, sizeof text,
             what % 16 == 1 ? "src/x%u.c:%u:1: error: no member named 'x'"
                            : "2026-11-26T10:00:00Z INFO [worker-%u] step %u of the build",
             i % 4, i);
    put(d, text);
    for (unsigned times = what % 32 == 2 ? take_byte(in) : 0; times > 0 && d->n < DOCUMENT_MOST; times--)
        put(d, "\\nerror: xy");
    put(d, ends[what % 8]);
    put(d, forms[form][1]);
}

static void put_lines(document *d, input *in)
{
    const unsigned form = take_below(in, 3);
    const unsigned count = take_byte(in) * 4;
    const input before = *in;
    put(d, "[");
    for (unsigned i = 0; i < count && d->n < DOCUMENT_MOST; i++) {
        if (i % 64 == 0)
            *in = before;
        put(d, i > 0 ? "," : "");
        if (form > 0 && take_below(in, 8) == 0)
            put_blanks(d, in);
        put_line(d, in, form, i);
    }
    put(d, "]");
}

static void put_value(document *d, input *in)
{
    static const char *const scalars[] = {"0",  "-1.5e+3", "null", "true", "123456789012345678901234567890",
                                          "{}", "[]"};
    const unsigned what = take_below(in, 16);
    if (what < 5 && d->depth < DEPTH_MOST - 1) {
        const bool object = what % 2 == 0;
        d->object[d->depth++] = object;
        put(d, object ? "{" : "[");
        d->first = true;
        return;
    }
    if (what < 9)
        put_string(d, in);
    else if (what == 15)
        put_lines(d, in);
    else
        put(d, scalars[what % 7]);
    d->first = false;
}

/* One step: a value, or the end of what is open. */
static void step(document *d, input *in)
{
    put_blanks(d, in);
    if (take_below(in, 5) == 0) {
        put(d, d->object[--d->depth] ? "}" : "]");
        d->first = false;
        return;
    }
    unsigned times = take_below(in, 16) == 0 ? 1 + take_byte(in) : 1;
    const input before = *in;
    for (const size_t depth = d->depth; times > 0 && d->n < DOCUMENT_MOST && d->depth == depth; times--) {
        *in = before;
        put(d, d->first ? "" : ",");
        if (d->object[d->depth - 1]) {
            put_string(d, in);
            put(d, ":");
        }
        put_value(d, in);
    }
}

static void make(document *d, input *in)
{
    d->n = d->depth = 0;
    put_blanks(d, in);
    d->object[d->depth++] = take_flag(in);
    put(d, d->object[0] ? "{" : "[");
    d->first = true;
    while (d->depth > 0 && in->n > 0 && d->n < DOCUMENT_MOST)
        step(d, in);
    while (d->depth > 0)
        put(d, d->object[--d->depth] ? "}" : "]");
}

/* ---- rules ---- */

static char *content_of(const abr_cut *cut)
{
    char *content = need(malloc(cut->content_bytes + 1));
    abr_cut_write(cut, content);
    return content;
}

static void check_cut(const abr_cut *cut, const abr_opts *o)
{
    char *content = content_of(cut);
    uint64_t before = 0;
    uint64_t source = 0;
    RULE(cut->kind == ABR_KIND_JSON);
    for (size_t i = 0; i < cut->piece_count; i++) {
        const abr_piece *p = &cut->pieces[i];
        if (!p->source)
            continue;
        RULE(p->first_byte > before && p->last_byte <= made.n);
        RULE(shows_range(made.text, cut, p));
        RULE(p->first_line == abr_count_lines(made.text, (size_t)p->first_byte));
        before = p->last_byte;
        source += p->n;
    }
    RULE((o->marker == ABR_MARKER_OUTSIDE ? source : cut->content_bytes) <= o->max.bytes);
    RULE(cut->content_bytes == 0
             ? o->max.bytes < 2
             : cut->content_bytes > CONTENT_MOST || abr_tell(content, cut->content_bytes) == ABR_KIND_JSON);
    for (size_t i = 0; i < cut->item_count; i++)
        RULE(cut->items[i].kept < cut->items[i].total);
    free(content);
}

static void check_equal(const abr_cut *a, const abr_cut *b)
{
    char *one = content_of(a);
    char *other = content_of(b);
    RULE(a->content_bytes == b->content_bytes && memcmp(one, other, a->content_bytes) == 0);
    RULE(a->truncated == b->truncated && a->compact == b->compact && a->output_bytes == b->output_bytes);
    RULE(a->piece_count == b->piece_count && a->item_count == b->item_count && a->kind == b->kind);
    free(one);
    free(other);
}

static void check_stream(const abr_opts *o, const abr_cut *whole, uint64_t bytes, size_t chunk)
{
    abr_stream *stream;
    abr_cut cut;
    abr_narrow narrow = {.max = {ABR_UNLIMITED, o->max.bytes, ABR_UNLIMITED, ABR_UNLIMITED}};
    abr_opts wide = *o;
    wide.max.bytes = bytes;
    if (abr_stream_open(&wide, NULL, NULL, &stream, NULL) != ABR_OK)
        return;
    for (size_t i = 0; i < made.n; i += chunk)
        RULE(abr_stream_write(stream, made.text + i, made.n - i < chunk ? made.n - i : chunk) == ABR_OK);
    RULE(abr_stream_finish(stream, &narrow, &cut, NULL) == ABR_OK);
    check_equal(whole, &cut);
    abr_cut_free(&cut);
    abr_stream_close(stream);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    input in = {data, size};
    abr_opts o = ABR_OPTS_INIT;
    abr_cut cut;
    o.strategy = ABR_AUTO;
    o.kind = ABR_KIND_JSON;
    o.max.bytes = take_flag(&in) ? take_byte(&in) : take_number(&in, 2) % 20000;
    o.marker = (abr_marker)take_below(&in, 3);
    const size_t chunk = 1 + (size_t)take_number(&in, 2);
    const uint64_t more = take_number(&in, 2);
    make(&made, &in);
    RULE(abr_cut_text(made.text, made.n, &o, &cut, NULL) == ABR_OK);
    if (cut.truncated || cut.compact) {
        check_cut(&cut, &o);
        check_stream(&o, &cut, o.max.bytes + more, made.n / chunk < 4096 ? chunk : 4096);
    }
    abr_cut_free(&cut);
    return 0;
}
