/* Pages of JSON: what shows is whole elements in brackets, as many as fit; following the pages shows each
 * once; chunks, an index and memory that fails change nothing. */
#define _XOPEN_SOURCE 700 /* mkdtemp, utimensat */
#include "ledger.h"
#include "paged_file.h"
#include "ranges.h"

enum { ELEMENTS = 100 * 1000, POINTER = 4096 };

/* ---- documents ---- */

typedef struct {
    char *p;
    size_t n;
    size_t room;
    bool pretty;
    size_t most; /* bytes, about */
} doc;

static void add(doc *d, const char *text)
{
    size_t n = strlen(text);
    if (d->n + n >= d->room) {
        d->room = 2 * (d->n + n) + 1;
        d->p = realloc(d->p, d->room);
        if (!d->p)
            exit(2);
    }
    memcpy(d->p + d->n, text, n);
    d->n += n;
}

static void add_blanks(doc *d)
{
    static const char *const blanks[] = {" ", "\n  ", "\n    ", "\t", "\r\n", ""};
    if (d->pretty)
        add(d, blanks[pick(6)]);
}

static void add_string(doc *d)
{
    static const char *const parts[] = {
        "a",   "b",       "~", "/", "\\\"", "\\u00e9", "\xC3\xA9",         "items", "\\ud83d\\ude00",
        "\\n", "\\ud800", "0", "1", "\\/",  " ",       "a long part of it"};
    add(d, "\"");
    for (size_t i = pick(4); i > 0; i--)
        add(d, parts[pick(sizeof parts / sizeof *parts)]);
    for (size_t i = pick(40) == 0 ? pick(900) : 0; i > 0; i--)
        add(d, "xyz");
    add(d, "\"");
}

static void add_value(doc *d, size_t depth)
{
    static const char *const scalars[] = {"0", "-1.5e+10", "12345678901234567890", "true", "false", "null"};
    size_t kind = depth == 0 ? 0 : pick(depth > 5 ? 2 : 5);
    if (kind == 1) {
        add_string(d);
    } else if (depth > 0 && kind < 2) {
        add(d, scalars[pick(6)]);
    } else {
        bool object = pick(2) == 0;
        add(d, object ? "{" : "[");
        add_blanks(d);
        size_t elements = pick(depth > 0 ? 6 : 40);
        for (size_t i = 0; i < elements || (depth == 0 && d->n < d->most); i++) {
            if (i > 0)
                add(d, ",");
            add_blanks(d);
            if (object) {
                add_string(d);
                add_blanks(d);
                add(d, ":");
                add_blanks(d);
            }
            add_value(d, depth + 1);
            add_blanks(d);
        }
        add(d, object ? "}" : "]");
    }
}

/* ---- read by the plainest means ---- */

static size_t skip_blanks(const char *p, size_t i)
{
    while (p[i] == ' ' || p[i] == '\n' || p[i] == '\t' || p[i] == '\r')
        i++;
    return i;
}

static size_t skip_string(const char *p, size_t i)
{
    for (i++; p[i] != '"'; i++)
        i += p[i] == '\\';
    return i + 1;
}

static size_t skip_value(const char *p, size_t i)
{
    if (p[i] == '"')
        return skip_string(p, i);
    if (p[i] != '{' && p[i] != '[') {
        while (!strchr(",]} \n\t\r", p[i]))
            i++;
        return i;
    }
    for (size_t depth = 0;; i++) {
        while (p[i] == '"')
            i = skip_string(p, i);
        depth += p[i] == '{' || p[i] == '[';
        depth -= p[i] == '}' || p[i] == ']';
        if (depth == 0)
            return i + 1;
    }
}

/* The elements of the array or object at p + at. */
typedef struct {
    size_t at;
    bool object;
    size_t count;
    size_t *starts;
    size_t *values;
    size_t *ends;
    size_t end; /* of the array or object */
} elements;

static void find_elements(const char *p, size_t at, elements *e)
{
    size_t i = skip_blanks(p, at + 1);
    e->at = at;
    e->object = p[at] == '{';
    e->count = 0;
    while (p[i] != ']' && p[i] != '}') {
        i = skip_blanks(p, i + (p[i] == ','));
        e->starts[e->count] = i;
        if (e->object)
            i = skip_blanks(p, skip_blanks(p, skip_string(p, i)) + 1);
        e->values[e->count] = i;
        i = skip_value(p, i);
        e->ends[e->count++] = i;
        i = skip_blanks(p, i);
        if (e->count == ELEMENTS)
            exit(2);
    }
    e->end = i + 1;
}

/* ---- following pages ---- */

typedef struct {
    const char *p;
    size_t n;
    elements of;
    char pointer[POINTER]; /* to the array or object */
    size_t pointer_n;
    abr_page_opts o;
    bool written; /* by the caller, in chunks */
} paging;

static abr_code write_in_chunks(const paging *g, abr_page **page, abr_error *error)
{
    abr_code code = abr_page_begin(NULL, &g->o, page, error);
    bool done = false;
    for (size_t at = 0; code == ABR_OK && at < g->n;) {
        size_t n = 1 + pick(pick(3) == 0 ? 5000 : 5);
        n = n < g->n - at ? n : g->n - at;
        char *chunk = exact(g->p + at, n);
        code = abr_page_write(*page, chunk, n, error);
        free(chunk);
        at += n;
    }
    if (code == ABR_OK) {
        code = abr_page_step(*page, 1, &done, error);
        CHECK(done);
    }
    return code;
}

static abr_code open_page(const paging *g, abr_page **page, abr_error *error)
{
    return g->written ? write_in_chunks(g, page, error) : abr_page_open(path, &g->o, page, error);
}

/* Is there a budget that this test does not weigh itself? */
static bool has_other_budgets(const abr_budget *max)
{
    return max->lines != ABR_UNLIMITED || max->chars != ABR_UNLIMITED || max->tokens != ABR_UNLIMITED;
}

/* A page from element i on, or with `own` from the document's bracket; returns the element to go on at. */
ABR_WRAPS static size_t check_page(const paging *g, size_t i, bool own, abr_page *page, const abr_cut *cut)
{
    const elements *e = &g->of;
    const abr_page_items items = abr_page_shown(page);
    const uint64_t bytes = cut->max.bytes;
    char *content = content_of(cut);
    CHECK(cut->content_bytes <= bytes);
    CHECK_COUNT(g->n, cut->total_bytes);
    CHECK(cut->output_bytes + cut->omitted_bytes == cut->total_bytes);
    CHECK(cut->output_lines + cut->omitted_lines == cut->total_lines);
    CHECK(items.members == e->object);
    CHECK_COUNT(i, items.first);
    CHECK_COUNT(e->count, items.total);
    CHECK_BYTES(g->pointer, g->pointer_n, items.parent, items.parent_len);
    size_t next = i + (size_t)items.shown;
    CHECK(next <= e->count);
    const size_t start = own ? e->at : i < e->count ? e->starts[i] : e->end;
    const bool to_end = cut->piece_count > 0 && cut->pieces[cut->piece_count - 1].last_byte == e->end;
    const size_t end = to_end || next == 0 ? e->end : e->ends[next - 1];
    const size_t whole = end - start + !own + !to_end;
    const bool alone = items.shown == 1 && (cut->output_bytes < end - start || cut->content_bytes < whole);
    if (alone)
        CHECK(whole > bytes || has_other_budgets(&cut->max));
    if (items.shown > 0 && !alone) { /* whole elements */
        CHECK_COUNT(end - start + !own + !to_end, cut->content_bytes);
        CHECK(memcmp(content + !own, g->p + start, end - start) == 0);
        CHECK(content[0] == (e->object ? '{' : '['));
        CHECK(content[cut->content_bytes - 1] == (e->object ? '}' : ']'));
        CHECK_COUNT(start + 1, cut->pieces[!own].first_byte);
        CHECK_COUNT(end, cut->pieces[!own].last_byte);
        CHECK(cut->truncated == (next < e->count));
        if (next < e->count && !has_other_budgets(&cut->max))
            CHECK(e->ends[next] - start + 2 > bytes); /* one more would not fit */
    }
    for (size_t k = 0; k < cut->piece_count; k++) {
        const abr_piece *piece = &cut->pieces[k];
        if (piece->source)
            CHECK(shows_range(g->p, cut, piece));
    }
    CHECK((items.next != NULL) == (items.shown > 0 && next < e->count));
    CHECK(!items.next || items.next_len <= items.next_most);
    free(content);
    return items.next ? next : e->count;
}

static abr_narrow random_narrow(const abr_opts *o)
{
    abr_narrow narrow = {{ABR_UNLIMITED, ABR_UNLIMITED, ABR_UNLIMITED, ABR_UNLIMITED},
                         NULL,
                         0,
                         ABR_LONG_DEFAULT,
                         false,
                         false};
    if (o->max.bytes != ABR_UNLIMITED && pick(2) == 0)
        narrow.max.bytes = o->max.bytes - pick((size_t)(o->max.bytes < 20 ? o->max.bytes : 20) + 1);
    return narrow;
}

/* Follow the pages from the pointer in g->o on, whose element is `i`. */
static void follow(paging *g, size_t i)
{
    char next[POINTER];
    while (true) {
        abr_page *page;
        abr_cut cut;
        abr_page_lines lines;
        abr_error error = {ABR_OK, "", 0};
        if (!CHECK(open_page(g, &page, &error) == ABR_OK)) {
            fprintf(stderr, "%.*s: %s at %zu\n", (int)g->o.pointer_len, g->o.pointer, error.message,
                    error.position);
            abr_page_close(page);
            return;
        }
        const abr_narrow narrow = random_narrow(&g->o.cut);
        CHECK(abr_page_cut(page, &narrow, &cut, &lines, NULL) == ABR_OK);
        const size_t went_on = check_page(g, i, g->o.pointer_len == 0, page, &cut);
        const abr_page_items items = abr_page_shown(page);
        CHECK_COUNT(items.next ? went_on : 0, lines.next_offset);
        if (items.next) {
            memcpy(next, items.next, items.next_len);
            g->o.pointer = next;
            g->o.pointer_len = items.next_len;
        }
        abr_cut_free(&cut);
        abr_page_close(page);
        if (!items.next)
            return;
        if (!CHECK(went_on > i))
            return;
        i = went_on;
    }
}

/* Go down to an array or object of the document, by indexes. */
static void choose(paging *g)
{
    g->pointer_n = 0;
    find_elements(g->p, skip_blanks(g->p, memcmp(g->p, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0), &g->of);
    for (size_t tries = pick(8); tries > 0 && g->of.count > 0; tries--) {
        size_t i = pick(g->of.count);
        size_t at = g->of.values[i];
        if (g->p[at] != '{' && g->p[at] != '[')
            continue;
        g->pointer_n += (size_t)snprintf(g->pointer + g->pointer_n, sizeof g->pointer - g->pointer_n,
                                         g->of.object ? "/~#%zu" : "/%zu", i);
        find_elements(g->p, at, &g->of);
    }
}

static doc random_doc(size_t most)
{
    doc d = {NULL, 0, 0, pick(2) == 0, most};
    if (pick(4) == 0)
        add(&d, "\xEF\xBB\xBF");
    add_blanks(&d);
    add_value(&d, 0);
    add_blanks(&d);
    add(&d, "\n"); /* so that the plain reader stops */
    return d;
}

static size_t *sizes(void)
{
    size_t *list = malloc(ELEMENTS * sizeof *list);
    if (!list)
        exit(2);
    return list;
}

static void follow_random_docs(size_t cases, size_t most, bool large)
{
    paging g;
    g.of.starts = sizes();
    g.of.values = sizes();
    g.of.ends = sizes();
    for (size_t i = 0; i < cases; i++) {
        doc d = random_doc(pick(most) + 1);
        char *text = exact(d.p, d.n);
        abr_index *index;
        g.p = text;
        g.n = d.n;
        write_file(text, d.n);
        CHECK(abr_index_open(NULL, &index, NULL) == ABR_OK);
        for (size_t k = 0; k < 6; k++) {
            char pointer[POINTER + 32];
            choose(&g);
            g.o = (abr_page_opts)ABR_PAGE_OPTS_INIT;
            g.o.index = index;
            g.o.cut.max.bytes = large ? 8000 + pick(9000) : pick(4) == 0 ? pick(20) : 8 + pick(3000);
            if (pick(4) == 0)
                g.o.cut.max.chars = 1 + pick(3000) + (large ? 4000 : 0);
            if (pick(4) == 0)
                g.o.cut.max.lines = 1 + pick(30) + (large ? 200 : 0);
            if (pick(6) == 0)
                g.o.cut.max.tokens = 1 + pick(800) + (large ? 2000 : 0);
            g.written = !large && pick(3) == 0;
            size_t first = g.of.count > 0 ? pick(g.of.count) : 0;
            if (g.pointer_n == 0 && (g.of.count == 0 || pick(2) == 0)) {
                g.o.pointer = "";
                follow(&g, 0);
            } else if (g.of.count > 0) {
                first = pick(3) == 0 ? 0 : first;
                int n = snprintf(pointer, sizeof pointer, g.of.object ? "%.*s/~#%zu" : "%.*s/%zu",
                                 (int)g.pointer_n, g.pointer, first);
                g.o.pointer = pointer;
                g.o.pointer_len = (size_t)n;
                follow(&g, first);
            }
        }
        abr_index_close(index);
        free(text);
        free(d.p);
    }
    free(g.of.starts);
    free(g.of.values);
    free(g.of.ends);
}

static void following_the_pages_shows_each_element_once(void)
{
    follow_random_docs(check_cases(1500), 6000, false);
}

static void so_it_does_in_large_files_with_an_index(void)
{
    follow_random_docs(check_cases(20), 600 * 1000, true);
}

/* ---- single facts ---- */

/* A string of n bytes, to be freed. */
static char *copy_of(const char *p, size_t n)
{
    char *copy = calloc(n + 1, 1);
    if (!copy)
        exit(2);
    memcpy(copy, p, n);
    return copy;
}

/* Open a page of a text at a pointer, and cut it; the content is left in `got`. */
static abr_code show(const char *text, const char *pointer, uint64_t bytes, char *got, abr_page_items *items,
                     abr_error *error)
{
    abr_page_opts o = ABR_PAGE_OPTS_INIT;
    abr_page *page;
    abr_cut cut;
    abr_page_lines lines;
    o.cut.max.bytes = bytes;
    o.pointer = pointer;
    o.pointer_len = strlen(pointer);
    *got = '\0';
    abr_code code = abr_page_text(text, strlen(text), &o, &page, error);
    if (code != ABR_OK)
        return code;
    CHECK(abr_page_cut(page, NULL, &cut, &lines, error) == ABR_OK);
    abr_cut_write(&cut, got);
    got[cut.content_bytes] = '\0';
    *items = abr_page_shown(page);
    items->next = items->next ? copy_of(items->next, items->next_len) : NULL;
    abr_cut_free(&cut);
    abr_page_close(page);
    return ABR_OK;
}

static void expect_page(const char *text, const char *pointer, uint64_t bytes, const char *want,
                        const char *next)
{
    char got[1000];
    abr_page_items items;
    if (!CHECK(show(text, pointer, bytes, got, &items, NULL) == ABR_OK))
        return;
    CHECK_TEXT(want, got, strlen(got));
    if (CHECK((next != NULL) == (items.next != NULL)) && next)
        CHECK_BYTES(next, strlen(next), items.next, items.next_len);
    free((char *)items.next);
}

static void a_pointer_leads_to_an_element(void)
{
    static const char text[] =
        "\xEF\xBB\xBF {\"a/b~\": [10, 20 , {\"x\": 1}], \"\\u00e9\": {\"\": 5}, \"n\": null }\n";
    expect_page(text, "/a~1b~0/1", 100, "[20 , {\"x\": 1}]", NULL);
    expect_page(text, "/a~1b~0/1", 5, "[20]", "/a~1b~0/2");
    expect_page(text, "/a~1b~0/2/x", 100, "{\"x\": 1}", NULL);
    expect_page(text, "/\xC3\xA9", 100, "{\"\\u00e9\": {\"\": 5}, \"n\": null }", NULL);
    expect_page(text, "/\xC3\xA9", 20, "{\"\\u00e9\": {\"\": 5}}", "/n");
    expect_page(text, "/\xC3\xA9/", 100, "{\"\": 5}", NULL);
    expect_page(text, "/n", 100, "{\"n\": null }", NULL);
    expect_page(text, "", 35, "{\"a/b~\": [10, 20 , {\"x\": 1}]}", "/\xC3\xA9");
    expect_page("[ ]", "", 100, "[ ]", NULL);
    expect_page(" {}", "", 2, "{}", NULL);
    expect_page(" \"a\\n\" ", "", 100, "\"a\\n\"", NULL);
    expect_page("-1.5", "", 100, "-1.5", NULL);
    expect_page("true", "", 100, "true", NULL);
}

static void a_member_without_a_name_of_its_own_goes_by_its_index(void)
{
    expect_page("{\"a\": 1, \"b\": 2, \"a\": 3}", "", 9, "{\"a\": 1}", "/~#1");
    expect_page("{\"a\": 1, \"b\": 2, \"a\": 3}", "/~#2", 9, "{\"a\": 3}", NULL);
    expect_page("{\"a\": 1, \"b\": 2, \"a\": 3}", "/a", 9, "{\"a\": 1}", "/~#1");
    expect_page("{\"a\": 1, \"\\u0061\": 2}", "", 9, "{\"a\": 1}", "/~#1");
    expect_page("{\"a\": 1, \"\": 2}", "", 9, "{\"a\": 1}", "/~#1");
    expect_page("{\"a\": 1, \"\\ud800\": 2}", "", 9, "{\"a\": 1}", "/~#1");
    expect_page("{\"a\": 1, \"x\\ny\": 2}", "", 9, "{\"a\": 1}", "/~#1");
    expect_page("{\"a\": 1, \"\\ud83d\\ude00/\": 2}", "", 9, "{\"a\": 1}", "/\xF0\x9F\x98\x80~1");
}

/* Room for the pointer of a next page is that of the members that one may begin at, which are all that a scan
 * with an index reads. */
static void a_name_past_the_page_takes_no_room(void)
{
    enum { LONG = 5000 };
    static const char *const forms[] = {"{\"a\": 1, \"b\": \"%0*d\", \"a long name\": 2}",
                                        "{\"a\": \"%0*d\", \"a long name\": 2}"};
    for (size_t i = 0; i < 2; i++) {
        char text[LONG + 100];
        char got[100];
        abr_page_items items;
        snprintf(text, sizeof text, forms[i], LONG, 0);
        if (!CHECK(show(text, "", 20, got, &items, NULL) == ABR_OK))
            return;
        CHECK_TEXT(i == 0 ? "/b" : "/a long name", items.next, items.next_len);
        CHECK_COUNT(strlen(i == 0 ? "/~#3" : "/a long name"), items.next_most);
        free((char *)items.next);
    }
}

/* Hand a page its text byte by byte, as far as it goes. */
static abr_code show_by_bytes(const char *text, const char *pointer, abr_error *error)
{
    abr_page_opts o = ABR_PAGE_OPTS_INIT;
    abr_page *page;
    bool done;
    o.pointer = pointer;
    o.pointer_len = strlen(pointer);
    abr_code code = abr_page_begin(NULL, &o, &page, error);
    if (code != ABR_OK)
        return code;
    for (const char *p = text; code == ABR_OK && *p; p++)
        code = abr_page_write(page, p, 1, error);
    if (code == ABR_OK)
        code = abr_page_step(page, 1, &done, error);
    abr_page_close(page);
    return code;
}

/* That a number has ended shows at the byte after it, which may come in a chunk of its own. */
static void a_number_over_budget_is_cut_the_same_wherever_a_chunk_ends(void)
{
    enum { DIGITS = 20000 };
    static const char before[] = "[\"a\",-1";
    char *text = malloc(DIGITS + 20);
    char got[2][200];
    if (!text)
        exit(2);
    memcpy(text, before, sizeof before - 1);
    memset(text + sizeof before - 1, '9', DIGITS);
    memcpy(text + sizeof before - 1 + DIGITS, ",1]", 4);
    for (int written = 0; written < 2; written++) {
        abr_page_opts o = ABR_PAGE_OPTS_INIT;
        abr_page *page;
        abr_page_lines lines;
        abr_cut cut;
        bool done = true;
        o.pointer = "/1";
        o.pointer_len = 2;
        o.cut.max.bytes = 150;
        if (written)
            CHECK(abr_page_begin(NULL, &o, &page, NULL) == ABR_OK);
        else
            CHECK(abr_page_text(text, strlen(text), &o, &page, NULL) == ABR_OK);
        for (const char *p = text; written && *p; p++)
            CHECK(abr_page_write(page, p, 1, NULL) == ABR_OK);
        CHECK(!written || (abr_page_step(page, 1, &done, NULL) == ABR_OK && done));
        CHECK(abr_page_cut(page, NULL, &cut, &lines, NULL) == ABR_OK && cut.content_bytes < sizeof got[0]);
        abr_cut_write(&cut, got[written]);
        got[written][cut.content_bytes] = '\0';
        abr_cut_free(&cut);
        abr_page_close(page);
    }
    CHECK_TEXT(got[0], got[1], strlen(got[1]));
    free(text);
}

static void expect_failure(const char *text, const char *pointer, abr_code want, const char *message,
                           size_t position)
{
    char got[1000];
    abr_page_items items;
    abr_error error = {ABR_OK, "", 0};
    CHECK_COUNT(want, show(text, pointer, 500, got, &items, &error));
    CHECK_TEXT(message, error.message, strlen(error.message));
    CHECK_COUNT(position, error.position);
    CHECK_COUNT(want, show_by_bytes(text, pointer, &error));
    CHECK_TEXT(message, error.message, strlen(error.message));
    CHECK_COUNT(position, error.position);
}

static void a_pointer_that_leads_nowhere_says_where_it_stops(void)
{
    static const char text[] = "{\"a\": [1, [2]], \"b\": \"s\", \"c\": {}}";
    expect_failure(text, "a", ABR_EPOINTER, "it does not begin with /", 0);
    expect_failure(text, "/a~", ABR_EPOINTER, "~ is written ~0 in it, and / ~1", 0);
    expect_failure(text, "/~2", ABR_EPOINTER, "~ is written ~0 in it, and / ~1", 0);
    expect_failure(text, "/~#", ABR_EPOINTER, "~ is written ~0 in it, and / ~1", 0);
    expect_failure(text, "/~#x", ABR_EPOINTER, "~ is written ~0 in it, and / ~1", 0);
    expect_failure(text, "/x", ABR_EPOINTER, "no such member", 0);
    expect_failure(text, "/~#3", ABR_EPOINTER, "no such member", 0);
    expect_failure(text, "/a/2", ABR_EPOINTER, "no such element", 2);
    expect_failure(text, "/a/-", ABR_EPOINTER, "no such element", 2);
    expect_failure(text, "/a/01", ABR_EPOINTER, "no such element", 2);
    expect_failure(text, "/a/x/0", ABR_EPOINTER, "no such element", 2);
    expect_failure(text, "/a/0/0", ABR_EPOINTER, "no array or object", 4);
    expect_failure(text, "/b/0", ABR_EPOINTER, "no array or object", 2);
    expect_failure(text, "/c/x", ABR_EPOINTER, "no such member", 2);
    expect_failure("\"s\"", "/x", ABR_EPOINTER, "no array or object", 0);
    expect_failure("12", "/x", ABR_EPOINTER, "no array or object", 0);
    expect_failure("\"s\n\"", "/x", ABR_EJSON, "no JSON", 3);
    expect_failure("\"s", "/x", ABR_EJSON, "it ends early", 2);
}

static void what_is_no_json_is_refused_at_its_byte(void)
{
    expect_failure("", "", ABR_EJSON, "it ends early", 0);
    expect_failure("\xEF\xBB\xBF", "", ABR_EJSON, "it ends early", 3);
    expect_failure("\xEF{}", "", ABR_EJSON, "no JSON", 1);
    expect_failure("[1, 2", "/0", ABR_EJSON, "it ends early", 5);
    expect_failure("[1,]", "/0", ABR_EJSON, "no JSON", 4);
    expect_failure("[1]\n[2]", "/0", ABR_EJSON, "no JSON", 5);
    expect_failure("[\"\xFF\"]", "/0", ABR_EJSON, "no JSON", 3);
    expect_failure("hello", "", ABR_EJSON, "no JSON", 1);
}

/* A document nested `depth` deep. */
static abr_code nested(size_t depth)
{
    abr_page_opts o = ABR_PAGE_OPTS_INIT;
    abr_page *page;
    char *text = malloc(2 * depth);
    if (!text)
        exit(2);
    memset(text, '[', depth);
    memset(text + depth, ']', depth);
    o.cut.max.bytes = 100;
    o.pointer = "";
    abr_code code = abr_page_text(text, 2 * depth, &o, &page, NULL);
    abr_page_close(page);
    free(text);
    return code;
}

static void depth_is_bounded_by_memory(void)
{
    CHECK(nested(1 << 20) == ABR_OK);
    CHECK(nested((1 << 20) + 1) == ABR_EJSON);
    CHECK(nested(10 * 1000 * 1000) == ABR_EJSON);
}

/* What was open and half done is released, whichever allocation fails, and the same call made again gives the
 * same. */
static void no_failed_allocation_leaks(void)
{
    doc d = random_doc(70 * 1000);
    write_file(d.p, d.n);
    for (size_t fail_at = 1, failed = 1; failed > 0; fail_at++) {
        ledger l = {.fail_at = fail_at};
        const abr_alloc alloc = ledger_alloc(&l);
        abr_page_opts o = ABR_PAGE_OPTS_INIT;
        abr_page *page;
        abr_cut cut;
        abr_page_lines lines;
        failed = 0;
        o.cut.max.bytes = 9000;
        o.cut.alloc = &alloc;
        o.pointer = "";
        if (abr_index_open(&alloc, &o.index, NULL) != ABR_OK)
            continue;
        for (int k = 0; k < 3; k++) {
            abr_code code = abr_page_open(path, &o, &page, NULL);
            failed += code == ABR_ENOMEM;
            CHECK(code == ABR_OK || code == ABR_ENOMEM);
            if (code != ABR_OK)
                continue;
            code = abr_page_cut(page, NULL, &cut, &lines, NULL);
            failed += code == ABR_ENOMEM;
            CHECK(code == ABR_OK || code == ABR_ENOMEM);
            abr_cut_free(&cut);
            abr_page_close(page);
        }
        CHECK(abr_index_bytes(o.index) > 0);
        abr_index_close(o.index);
        CHECK_COUNT(0, l.blocks);
        failed += l.calls >= fail_at;
    }
    free(d.p);
}

/* A part of a number would be another one, and a part of a literal is no JSON. */
static void a_scalar_that_does_not_fit_shows_nothing(void)
{
    static char nines[300 * 1000];
    static const char *const scalars[] = {"12345", "-1.5e+10", "true", "false\n", "  null  ", nines};
    memset(nines, '9', sizeof nines - 1);
    for (size_t i = 0; i < sizeof scalars / sizeof *scalars; i++) {
        const char *text = scalars[i] + strspn(scalars[i], " ");
        const size_t n = strcspn(text, " \n");
        write_file(scalars[i], strlen(scalars[i]));
        for (unsigned k = 0; k < 4; k++) {
            for (uint64_t budget = 0; budget < 12; budget++) {
                abr_page_opts o = ABR_PAGE_OPTS_INIT;
                uint64_t *const budgets[] = {&o.cut.max.lines, &o.cut.max.bytes, &o.cut.max.chars,
                                             &o.cut.max.tokens};
                abr_page *page;
                abr_cut cut;
                abr_page_lines lines;
                o.pointer = "";
                *budgets[k] = budget;
                CHECK(abr_page_open(path, &o, &page, NULL) == ABR_OK);
                CHECK(abr_page_cut(page, NULL, &cut, &lines, NULL) == ABR_OK);
                char *content = content_of(&cut);
                if (cut.content_bytes > 0)
                    CHECK_BYTES(text, n, content, cut.content_bytes);
                CHECK(cut.truncated == (cut.content_bytes == 0));
                CHECK(cut.content_bytes == 0 || budget > 0);
                CHECK(cut.content_bytes > 0 || k != 1 || budget < n);
                CHECK_COUNT(cut.total_bytes, cut.output_bytes + cut.omitted_bytes);
                free(content);
                abr_cut_free(&cut);
                abr_page_close(page);
            }
        }
    }
}

static void a_file_that_changes_is_told(void)
{
    abr_page_opts o = ABR_PAGE_OPTS_INIT;
    abr_page *page;
    char version[100];
    o.pointer = "/1";
    o.pointer_len = 2;
    write_file("[1, 2, 3]", 9);
    CHECK(abr_page_open(path, &o, &page, NULL) == ABR_OK);
    snprintf(version, sizeof version, "%s", abr_page_about(page).version);
    CHECK(!abr_page_about(page).changed);
    abr_page_close(page);
    write_file("[1, 20, 3]", 10);
    o.version = version;
    CHECK(abr_page_open(path, &o, &page, NULL) == ABR_OK);
    CHECK(abr_page_about(page).changed);
    abr_page_close(page);
    o.offset = 2;
    CHECK(abr_page_open(path, &o, &page, NULL) == ABR_EINVAL);
}

int main(void)
{
    RUN(a_pointer_leads_to_an_element);
    RUN(a_number_over_budget_is_cut_the_same_wherever_a_chunk_ends);
    RUN(a_member_without_a_name_of_its_own_goes_by_its_index);
    RUN(a_name_past_the_page_takes_no_room);
    RUN(a_pointer_that_leads_nowhere_says_where_it_stops);
    RUN(what_is_no_json_is_refused_at_its_byte);
    RUN(depth_is_bounded_by_memory);
    RUN(no_failed_allocation_leaks);
    RUN(a_scalar_that_does_not_fit_shows_nothing);
    RUN(a_file_that_changes_is_told);
    RUN(following_the_pages_shows_each_element_once);
    RUN(so_it_does_in_large_files_with_an_index);
    return check_end();
}
