/* abr_page_*, with a pointer: a page of JSON is the same of a text, of a text in chunks, of a file and with
 * an index; what shows is within the budgets and in the document; pages lead on until nothing is left. */
#if !defined(_GNU_SOURCE)
#define _GNU_SOURCE /* mkdtemp, utimensat */
#endif

#include "cuts.h"
#include "../c/paged_file.h"

enum { TEXT_MOST = 4 * 1024, POINTER_MOST = 64, PAGES_MOST = 200, WAYS = 4 };

/* ---- documents ---- */

typedef struct {
    input *in;
    char *p;
    size_t n;
} doc;

static void put(doc *d, const char *text)
{
    size_t n = strlen(text);
    if (d->n + n <= TEXT_MOST) {
        memcpy(d->p + d->n, text, n);
        d->n += n;
    }
}

static void put_string(doc *d)
{
    static const char *const parts[] = {"",
                                        "a",
                                        "b",
                                        "/",
                                        "~",
                                        "\\u0061",
                                        "\\\"",
                                        "\xC3\xA9",
                                        "\\ud83d\\ude00",
                                        "\\ud800",
                                        "some more text",
                                        "\\n",
                                        "0",
                                        "1"};
    put(d, "\"");
    for (unsigned i = take_below(d->in, 4); i > 0; i--)
        put(d, parts[take_below(d->in, sizeof parts / sizeof *parts)]);
    put(d, "\"");
}

/* A value as the input's bytes choose it; it breaks off where they end. */
static void put_value(doc *d, unsigned depth)
{
    static const char *const scalars[] = {"0", "-12.5e+3", "true", "null", "[]", "{}"};
    static const char *const blanks[] = {"", "", " ", "\n  "};
    const unsigned kind = take_byte(d->in) % 8;
    if (kind < 2 || depth > 12) {
        put(d, scalars[take_below(d->in, 6)]);
        return;
    }
    if (kind < 4) {
        put_string(d);
        return;
    }
    const bool object = kind > 5;
    put(d, object ? "{" : "[");
    for (unsigned i = 0, elements = take_below(d->in, 8); i < elements; i++) {
        put(d, i > 0 ? "," : "");
        put(d, blanks[take_below(d->in, 4)]);
        if (object) {
            put_string(d);
            put(d, ":");
        }
        put_value(d, depth + 1);
    }
    put(d, object ? "}" : "]");
}

/* A document, or any text. */
static char *take_document(input *in, size_t *n)
{
    if (take_below(in, 4) == 0)
        return take_text(in, TEXT_MOST, n);
    doc d = {in, need(malloc(TEXT_MOST)), 0};
    put(&d, take_below(in, 8) == 0 ? "\xEF\xBB\xBF " : "");
    put_value(&d, 0);
    char *text = need(malloc(d.n > 0 ? d.n : 1)); /* of its exact size */
    memcpy(text, d.p, d.n);
    free(d.p);
    *n = d.n;
    return text;
}

static size_t take_pointer(input *in, char *pointer)
{
    static const char *const steps[] = {"/0",  "/1",   "/2",  "/a", "/b", "/",   "/~#1",
                                        "/~0", "/~1a", "/ab", "/-", "x",  "/~#0"};
    size_t n = 0;
    for (unsigned i = take_below(in, 5); i > 0; i--) {
        const char *step = steps[take_below(in, sizeof steps / sizeof *steps)];
        memcpy(pointer + n, step, strlen(step));
        n += strlen(step);
    }
    return n;
}

/* ---- pages ---- */

typedef struct {
    options x;
    abr_page_opts o;
    const char *p;
    size_t n;
    size_t chunk;
} paging;

static abr_code in_chunks(const paging *g, abr_page **page, abr_error *error)
{
    bool done = false;
    abr_code code = abr_page_begin(NULL, &g->o, page, error);
    for (size_t at = 0; code == ABR_OK && at < g->n; at += g->chunk) {
        size_t n = g->chunk < g->n - at ? g->chunk : g->n - at;
        char *chunk = need(malloc(n));
        memcpy(chunk, g->p + at, n);
        code = abr_page_write(*page, chunk, n, error);
        free(chunk);
    }
    if (code == ABR_OK)
        code = abr_page_step(*page, 0, &done, error);
    if (code != ABR_OK) {
        abr_page_close(*page);
        *page = NULL;
    }
    return code;
}

static abr_code open_page(const paging *g, int way, abr_page **page, abr_error *error)
{
    return way == 0   ? abr_page_text(g->p, g->n, &g->o, page, error)
           : way == 1 ? in_chunks(g, page, error)
                      : abr_page_open(path, &g->o, page, error);
}

static bool same_items(const abr_page_items *a, const abr_page_items *b)
{
    return a->members == b->members && a->first == b->first && a->shown == b->shown && a->total == b->total &&
           same_bytes(a->next ? a->next : "", a->next_len, b->next ? b->next : "", b->next_len) &&
           a->next_len <= a->next_most && a->next_most == b->next_most;
}

/* What shows stands in the document, and within the budgets. */
static void check_page_cut(const paging *g, const abr_cut *cut)
{
    RULE(cut->max.bytes == ABR_UNLIMITED || cut->content_bytes <= cut->max.bytes ||
         g->x.o.marker == ABR_MARKER_OUTSIDE);
    RULE(cut->total_bytes == g->n && cut->output_bytes + cut->omitted_bytes == g->n);
    uint64_t end = 0;
    for (size_t i = 0; i < cut->piece_count; i++) {
        const abr_piece *piece = &cut->pieces[i];
        if (!piece->source)
            continue;
        RULE(piece->first_byte > end && piece->last_byte <= g->n);
        RULE(shows_range(g->p, cut, piece));
        end = piece->last_byte;
    }
}

/* The page by each way; true: there is one, and *items says where it leads. `next` has room for the pointer.
 * */
static bool check_ways(paging *g, abr_index *index, char *next, abr_page_items *items)
{
    abr_page *pages[WAYS] = {NULL};
    abr_cut cuts[WAYS];
    abr_code codes[WAYS];
    abr_error errors[WAYS];
    memset(errors, 0, sizeof errors);
    for (int i = 0; i < WAYS; i++) {
        abr_page_lines lines;
        g->o.index = i == 3 ? index : NULL;
        codes[i] = open_page(g, i, &pages[i], &errors[i]);
        RULE(codes[i] == codes[0] && (codes[0] == ABR_OK || errors[i].position == errors[0].position));
        RULE(codes[i] == ABR_OK ||
             (codes[i] == ABR_EBINARY || codes[i] == ABR_EJSON || codes[i] == ABR_EPOINTER));
        if (codes[i] != ABR_OK)
            continue;
        RULE(abr_page_cut(pages[i], NULL, &cuts[i], &lines, NULL) == ABR_OK);
        check_page_cut(g, &cuts[i]);
        const abr_page_items own = abr_page_shown(pages[i]);
        if (i == 0) {
            *items = own;
            memcpy(next, own.next ? own.next : "", own.next_len);
        } else {
            RULE(same_items(&own, items) && same_cut(&cuts[i], &cuts[0]));
        }
        RULE(lines.next_offset == (own.next ? own.first + own.shown : 0));
    }
    for (int i = WAYS; i-- > 0;) {
        if (codes[i] == ABR_OK)
            abr_cut_free(&cuts[i]);
        abr_page_close(pages[i]);
    }
    return codes[0] == ABR_OK;
}

static void follow(paging *g)
{
    abr_index *index;
    abr_page_items items = {.first = 0};
    char *both = need(malloc(2 * (POINTER_MOST + TEXT_MOST))); /* the pointer of a page, and the next one */
    char *next = both;
    uint64_t index_of = 0;
    RULE(abr_index_open(g->o.cut.alloc, &index, NULL) == ABR_OK);
    for (int pages = 0; pages < PAGES_MOST && check_ways(g, index, next, &items); pages++) {
        RULE(pages == 0 || items.first == index_of);
        RULE(items.first + items.shown <= items.total || items.total == 0);
        if (!items.next)
            break;
        RULE(items.shown > 0);
        index_of = items.first + items.shown;
        g->o.pointer = next;
        g->o.pointer_len = items.next_len;
        next = next == both ? both + POINTER_MOST + TEXT_MOST : both;
    }
    RULE(abr_index_bytes(index) > 0);
    abr_index_close(index);
    free(both);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    input in = {data, size};
    paging g;
    char pointer[POINTER_MOST];
    memset(&g, 0, sizeof g);
    take_options(&in, &g.x);
    g.x.fails_at = 0;
    if (g.x.o.count_tokens)
        g.x.o.count_ctx = &g.x;
    g.o.offset = 1;
    g.o.limit = ABR_UNLIMITED;
    g.chunk = 1 + take_byte(&in) % 64;
    g.o.pointer = pointer;
    g.o.pointer_len = take_pointer(&in, pointer);
    char *text = take_document(&in, &g.n);
    g.p = text;
    near_text(&g.x.o.max, &g.x.o, text, g.n);
    g.o.cut = g.x.o;
    if (are_fine(&g.x.o) && !memchr(text, '\0', g.n)) {
        write_file(text, g.n);
        follow(&g);
    }
    RULE(g.x.memory.count == 0);
    free(text);
    return 0;
}
