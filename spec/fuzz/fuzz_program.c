/* Texts of up to 64 MiB that an input of a few bytes spells out (input.h): cut by any strategy and as any
 * kind, at once and in chunks, which give the same; and a page of their elements. */
#include "cuts.h"

enum { USUAL = 16 * 1024, POINTER_MOST = 16, LOOKS = 8, TOKENS_MOST = 1024 * 1024 };

typedef struct {
    options x;
    const char *p;
    size_t n;
    size_t chunk;
} program;

/* A cut shows what it says, within its budgets. */
static void check_cut(const program *r, const abr_cut *cut)
{
    const abr_opts *o = &r->x.o;
    uint64_t invalid;
    if (cut->kind == ABR_KIND_BINARY) /* a line says what it is; no budget bound it */
        return;
    check_ledger(r->p, r->n, o, cut);
    check_budgets(r->p, r->n, o, cut);
    if (o->marker_text || slow_chars(r->p, r->n, &invalid) == 0 || invalid > 0)
        return;
    char *content = content_of(cut);
    slow_chars(content, cut->content_bytes, &invalid);
    RULE(invalid == 0);
    free(content);
}

/* The next chunk, in a block of its own that is gone when it was read. */
static char *next_chunk(const program *r, size_t at, size_t *n)
{
    *n = r->chunk < r->n - at ? r->chunk : r->n - at;
    char *chunk = need(malloc(*n));
    memcpy(chunk, r->p + at, *n);
    return chunk;
}

/* In chunks, looked at on the way, the text gives what it gives at once. */
static void check_stream(program *r, bool looks)
{
    abr_stream *stream;
    abr_cut cut;
    abr_cut want;
    RULE(abr_stream_open(&r->x.o, NULL, NULL, &stream, NULL) == ABR_OK);
    for (size_t at = 0, n; at < r->n; at += n) {
        char *chunk = next_chunk(r, at, &n);
        RULE(abr_stream_write(stream, chunk, n) == ABR_OK);
        free(chunk);
        if (!looks || at / (r->n / LOOKS + 1) == (at + n) / (r->n / LOOKS + 1))
            continue;
        RULE(abr_stream_snapshot(stream, NULL, &cut, NULL) == ABR_OK);
        abr_cut_free(&cut);
    }
    RULE(abr_stream_finish(stream, NULL, &cut, NULL) == ABR_OK);
    options x = r->x;
    x.o.max = cut.max;
    RULE(abr_cut_text(r->p, r->n, &x.o, &want, NULL) == ABR_OK);
    RULE(same_shown(&cut, &want));
    abr_cut_free(&want);
    abr_cut_free(&cut);
    abr_stream_close(stream);
}

static abr_code page_in_chunks(const program *r, const abr_page_opts *o, abr_page **page)
{
    bool done = false;
    abr_code code = abr_page_begin(NULL, o, page, NULL);
    for (size_t at = 0, n; at < r->n && code == ABR_OK; at += n) {
        char *chunk = next_chunk(r, at, &n);
        code = abr_page_write(*page, chunk, n, NULL);
        free(chunk);
    }
    return code == ABR_OK ? abr_page_step(*page, 0, &done, NULL) : code;
}

/* A page of elements is the same of a text and of its chunks. */
static void check_page(const program *r, const char *pointer, size_t pointer_len)
{
    abr_page_opts o = {.limit = ABR_UNLIMITED, .pointer = pointer, .pointer_len = pointer_len, .cut = r->x.o};
    abr_page *pages[2];
    abr_cut cuts[2];
    o.cut.strategy = ABR_HEAD;
    const abr_code code = abr_page_text(r->p, r->n, &o, &pages[0], NULL);
    RULE(page_in_chunks(r, &o, &pages[1]) == code);
    for (int i = 0; i < 2 && code == ABR_OK; i++)
        RULE(abr_page_cut(pages[i], NULL, &cuts[i], NULL, NULL) == ABR_OK);
    if (code == ABR_OK) {
        const abr_page_items a = abr_page_shown(pages[0]);
        const abr_page_items b = abr_page_shown(pages[1]);
        RULE(same_cut(&cuts[0], &cuts[1]) && a.first == b.first && a.shown == b.shown && a.total == b.total);
        RULE(cuts[0].content_bytes <= r->x.o.max.bytes || r->x.o.utf8_replace);
        abr_cut_free(&cuts[0]);
        abr_cut_free(&cuts[1]);
    }
    abr_page_close(pages[0]);
    abr_page_close(pages[1]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    input in = {data, size};
    program r = {.chunk = 0};
    char pointer[POINTER_MOST];
    abr_cut cut;
    take_options(&in, &r.x);
    r.x.fails_at = 0;
    if (r.x.o.count_tokens)
        r.x.o.count_ctx = &r.x;
    r.x.o.alloc = NULL;
    const unsigned way = take_byte(&in);
    r.x.o.strategy = way % 3 > 0 ? ABR_AUTO : r.x.o.strategy;
    r.x.o.kind = r.x.o.strategy == ABR_AUTO ? (abr_kind)take_below(&in, ABR_KIND_BINARY + 1) : ABR_KIND_TOLD;
    r.chunk = size_of(take_byte(&in), take_byte(&in));
    const size_t pointer_len = take_below(&in, POINTER_MOST);
    for (size_t i = 0; i < pointer_len; i++)
        pointer[i] = (char)take_byte(&in);
    char *text = take_large_text(&in, USUAL, &r.n);
    r.p = text;
    if (r.chunk < r.n / 4096)
        r.chunk = r.n / 4096;
    near_text(&r.x.o.max, &r.x.o, text, r.n);
    if (r.n > TOKENS_MOST) /* they are counted many times */
        r.x.o.max.tokens = ABR_UNLIMITED;
    if (are_fine(&r.x.o)) {
        RULE(abr_cut_text(text, r.n, &r.x.o, &cut, NULL) == ABR_OK);
        check_cut(&r, &cut);
        abr_cut_free(&cut);
        check_stream(&r, (way & 8) != 0);
        if ((way & 16) != 0)
            check_page(&r, pointer, pointer_len);
    }
    free(text);
    return 0;
}
