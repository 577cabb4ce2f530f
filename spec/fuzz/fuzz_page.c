/* abr_page_*, abr_index_*, abr_file_read_at: a page of a file is the cut of what follows its start, an
 * index changes nothing, and pages one after the other rebuild the file. */
#if !defined(_GNU_SOURCE)
#define _GNU_SOURCE /* mkdtemp, utimensat */
#endif

#include "base/tiny.h"
#include "cuts.h"
#include "../c/paged_file.h"

enum { TEXT_MOST = 20 * 1024, PAGES_MOST = 64, PROBED = ABR_OR_TINY(8000, 64) };

typedef struct {
    options x;
    abr_page_opts o;
    const char *p;
    size_t n;
} paging;

/* Bytes before a line, and a char in it; SIZE_MAX when there is none. */
static size_t place_of(const paging *g, uint64_t line, uint64_t column)
{
    size_t at = 0;
    uint64_t invalid;
    for (uint64_t newlines = line - 1; newlines > 0; newlines--) {
        const char *newline = memchr(g->p + at, '\n', g->n - at);
        if (!newline || newline + 1 == g->p + g->n)
            return SIZE_MAX;
        at = (size_t)(newline - g->p) + 1;
    }
    const char *end = memchr(g->p + at, '\n', g->n - at);
    size_t size = end ? (size_t)(end - (g->p + at)) : g->n - at;
    if (column > slow_chars(g->p + at, size, &invalid) + 1)
        return SIZE_MAX;
    for (; column > 1; column--)
        at += char_size(g->p + at, g->n - at);
    return at;
}

static bool is_binary(const paging *g)
{
    return !g->o.binary && memchr(g->p, '\0', g->n < PROBED ? g->n : PROBED);
}

/* The code that opening must give. */
static abr_code expected(const paging *g)
{
    uint64_t column = g->o.column > 0 ? g->o.column : 1;
    bool fine = g->o.offset >= 1 && g->o.offset <= ABR_COUNT_MAX && g->o.column <= ABR_COUNT_MAX &&
                (g->o.limit <= ABR_COUNT_MAX || g->o.limit == ABR_UNLIMITED) &&
                g->o.cut.strategy != ABR_PRIORITY && are_fine(&g->o.cut);
    if (!fine)
        return ABR_EINVAL;
    if (is_binary(g))
        return ABR_EBINARY;
    uint64_t lines = slow_lines(g->p, g->n);
    if (g->o.offset > (lines > 0 ? lines : 1))
        return ABR_EOFFSET;
    return place_of(g, g->o.offset, column) == SIZE_MAX ? ABR_ECOLUMN : ABR_OK;
}

/* Where the lines wanted end, for a strategy that keeps the end. */
static size_t end_of_limit(const paging *g, size_t at)
{
    uint64_t left = g->o.cut.strategy == ABR_HEAD ? ABR_UNLIMITED : g->o.limit;
    for (; at < g->n && left > 0; left--) {
        const char *newline = memchr(g->p + at, '\n', g->n - at);
        at = newline ? (size_t)(newline - g->p) + 1 : g->n;
    }
    return at;
}

/* A page ends at its limit, without the newline before the next line. */
static bool ends_at_limit(const paging *g, size_t at, size_t end, const abr_opts *opts, const abr_cut *got)
{
    abr_cut want;
    abr_opts o = *opts;
    o.max.lines = g->o.cut.max.lines;
    if (end == g->n)
        return false;
    RULE(abr_cut_text(g->p + at, end - at, &o, &want, NULL) == ABR_OK);
    bool fits = !want.truncated;
    abr_cut_free(&want);
    if (fits) {
        RULE(got->truncated && got->truncated_by == ABR_BY_LINES && !got->final_newline);
        RULE(got->output_lines == g->o.limit && got->output_bytes == end - at - (end > at));
    }
    return fits;
}

/* The cut of a page is the one-shot cut of what follows its start, in places of the whole. */
static void check_cut(const paging *g, const abr_cut *got)
{
    size_t at = place_of(g, g->o.offset, g->o.column > 0 ? g->o.column : 1);
    size_t end = end_of_limit(g, at);
    options x = g->x;
    abr_cut want;
    uint64_t last = 0;
    x.o.alloc = NULL;
    x.o.max = got->max;
    if (x.o.count_tokens)
        x.o.count_ctx = &x;
    if (g->o.column > 0)
        x.o.long_line = ABR_LONG_SPLIT;
    RULE(got->total_bytes == g->n && got->total_lines == slow_lines(g->p, g->n));
    RULE(got->output_bytes + got->omitted_bytes == g->n);
    RULE(got->output_lines + got->omitted_lines == got->total_lines);
    text_place place = {g->p, 0, 0};
    for (size_t i = 0; i < got->piece_count; i++)
        if (got->pieces[i].source) {
            check_range(&place, g->n, got, &got->pieces[i], last);
            last = got->pieces[i].last_byte;
        }
    if (ends_at_limit(g, at, end, &x.o, got))
        return;
    RULE(abr_cut_text(g->p + at, end - at, &x.o, &want, NULL) == ABR_OK);
    RULE(want.truncated == got->truncated && want.truncated_by == got->truncated_by);
    RULE(want.output_lines == got->output_lines && want.output_bytes == got->output_bytes);
    RULE(want.line_bytes == got->line_bytes && want.final_newline == got->final_newline);
    RULE(want.last_line_partial == got->last_line_partial && want.output_chars == got->output_chars);
    RULE(want.content_bytes == got->content_bytes && want.piece_count == got->piece_count);
    for (size_t i = 0; i < want.piece_count; i++)
        RULE(same_bytes(want.pieces[i].p, want.pieces[i].n, got->pieces[i].p, got->pieces[i].n));
    abr_cut_free(&want);
}

static bool same_lines(const abr_page_lines *a, const abr_page_lines *b)
{
    return a->first_line == b->first_line && a->last_line == b->last_line &&
           a->next_offset == b->next_offset && a->next_column == b->next_column;
}

/* Some bytes after the start of a page. */
static void check_read(const paging *g, abr_page *page, uint64_t at)
{
    char got[32];
    size_t n;
    size_t from = (size_t)(abr_page_about(page).first_byte - 1) + (size_t)at;
    size_t left = from < g->n ? g->n - from : 0;
    RULE(abr_page_read(page, at, got, sizeof got, &n, NULL) == ABR_OK);
    RULE(n == (left < sizeof got ? left : sizeof got));
    RULE(n == 0 || memcmp(got, g->p + from, n) == 0);
}

static void check_about(const paging *g, abr_page *page, bool of_text)
{
    abr_page_info about = abr_page_about(page);
    size_t at = place_of(g, g->o.offset, g->o.column > 0 ? g->o.column : 1);
    uint64_t invalid;
    RULE(about.first_byte == at + 1 && about.total_bytes == g->n);
    RULE(about.total_lines == slow_lines(g->p, g->n));
    RULE(about.first_char == 0 || about.first_char == slow_chars(g->p, at, &invalid) + 1);
    RULE(about.total_chars == 0 || about.total_chars == slow_chars(g->p, g->n, &invalid));
    RULE((about.version[0] == '\0') == of_text);
    RULE(about.changed == (g->o.version && !of_text && strcmp(g->o.version, about.version) != 0));
    RULE(abr_page_changed(page) == about.changed);
}

/* Open the file in steps. */
static abr_code open_in_steps(const paging *g, abr_page **page, abr_error *error)
{
    bool done = false;
    abr_code code = abr_page_begin(path, &g->o, page, error);
    while (code == ABR_OK && !done)
        code = abr_page_step(*page, 1, &done, error);
    if (code != ABR_OK) {
        abr_page_close(*page);
        *page = NULL;
    }
    return code;
}

/* One page of the file, or of the text (index and version are not used then), its cut checked. */
static abr_code one_page(const paging *g, bool of_text, abr_cut *cut, abr_page_lines *lines, abr_page **page)
{
    abr_error error = {ABR_OK, NULL, 0};
    abr_code code = of_text                ? abr_page_text(g->p, g->n, &g->o, page, &error)
                    : g->o.column % 2 == 1 ? open_in_steps(g, page, &error)
                                           : abr_page_open(path, &g->o, page, &error);
    RULE(code == expected(g) && (code == ABR_OK || (error.message && error.code == code && !*page)));
    if (code != ABR_OK)
        return code;
    code = abr_page_cut(*page, NULL, cut, lines, &error);
    RULE(code == ABR_OK);
    check_cut(g, cut);
    check_about(g, *page, of_text);
    return code;
}

/* The page of a text, of a file, of a file with a cold and with a warm index are the same. */
static void check_page(paging *g, uint64_t read_at)
{
    abr_index *index;
    abr_cut cuts[4];
    abr_page_lines lines[4];
    abr_page *pages[4] = {NULL};
    RULE(abr_index_open(g->o.cut.alloc, &index, NULL) == ABR_OK);
    for (int i = 0; i < 4; i++) {
        g->o.index = i >= 2 ? index : NULL;
        if (one_page(g, i == 0, &cuts[i], &lines[i], &pages[i]) != ABR_OK)
            continue;
        RULE(same_cut(&cuts[i], &cuts[0]) && same_lines(&lines[i], &lines[0]));
        check_read(g, pages[i], read_at);
    }
    for (int i = 0; i < 4; i++) {
        if (pages[i])
            abr_cut_free(&cuts[i]);
        abr_page_close(pages[i]);
    }
    RULE(abr_index_bytes(index) >= g->x.memory.bytes);
    abr_index_close(index);
    RULE(g->x.memory.count == 0);
}

static void check_narrow(const paging *g, uint64_t bytes)
{
    abr_page *page;
    abr_cut cut;
    abr_page_lines lines;
    const abr_narrow narrow = {
        {ABR_UNLIMITED, bytes, ABR_UNLIMITED, ABR_UNLIMITED}, NULL, 0, ABR_LONG_DEFAULT, false, false};
    if (abr_page_text(g->p, g->n, &g->o, &page, NULL) != ABR_OK)
        return;
    abr_code code = abr_page_cut(page, &narrow, &cut, &lines, NULL);
    if (g->o.cut.max.bytes != ABR_UNLIMITED && bytes <= g->o.cut.max.bytes)
        RULE(code == ABR_OK);
    RULE(code == ABR_OK || code == ABR_EINVAL);
    if (code == ABR_OK)
        check_cut(g, &cut);
    abr_cut_free(&cut);
    abr_page_close(page);
}

/* Follow the pages of a head from line 1 on: what they show joins to the file as far as they go. */
static void follow(paging *g)
{
    abr_index *index;
    size_t at = 0; /* bytes rebuilt */
    RULE(abr_index_open(g->o.cut.alloc, &index, NULL) == ABR_OK);
    g->o.index = index;
    g->o.offset = 1;
    g->o.column = 0;
    g->o.cut.long_line = g->x.o.long_line = ABR_LONG_SPLIT;
    for (int pages = 0; pages < PAGES_MOST && g->o.offset > 0; pages++) {
        abr_page *page;
        abr_cut cut;
        abr_page_lines lines;
        if (one_page(g, pages % 3 == 1, &cut, &lines, &page) != ABR_OK)
            break;
        RULE(cut.piece_count == 0 || cut.pieces[0].first_byte == at + 1);
        at += (size_t)cut.output_bytes;
        if (lines.next_offset > 0 && lines.next_column == 0)
            RULE(g->p[at++] == '\n');
        RULE(lines.next_offset == 0 || lines.next_offset > g->o.offset ||
             (lines.next_offset == g->o.offset && lines.next_column > g->o.column));
        if (!cut.truncated)
            RULE(at + cut.final_newline == g->n && lines.next_offset == 0);
        g->o.offset = lines.next_offset;
        g->o.column = lines.next_column;
        abr_cut_free(&cut);
        abr_page_close(page);
    }
    abr_index_close(index);
}

static void check_file_read(const paging *g, uint64_t at)
{
    char got[32];
    size_t n;
    uint64_t size;
    size_t left = at < g->n ? g->n - (size_t)at : 0;
    RULE(abr_file_read_at(path, at, got, sizeof got, &n, &size, NULL) == ABR_OK && size == g->n);
    RULE(n == (left < sizeof got ? left : sizeof got) && (n == 0 || memcmp(got, g->p + at, n) == 0));
    RULE(abr_file_read_at(folder, 0, got, sizeof got, &n, &size, NULL) == ABR_EISDIR);
}

/* Small numbers mostly, and odd ones. */
static uint64_t take_place(input *in, uint64_t usual)
{
    unsigned kind = take_byte(in);
    return kind < 128   ? usual
           : kind < 220 ? take_below(in, 16)
           : kind < 250 ? take_number(in, 2)
                        : take_budget(in);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    input in = {data, size};
    paging g;
    memset(&g, 0, sizeof g);
    take_options(&in, &g.x);
    g.x.fails_at = 0;
    if (g.x.o.count_tokens)
        g.x.o.count_ctx = &g.x;
    g.o.offset = take_place(&in, 1);
    g.o.column = take_place(&in, 0);
    g.o.limit = take_place(&in, ABR_UNLIMITED);
    unsigned more = take_byte(&in);
    g.o.binary = (more & 1) != 0;
    g.o.version = (more & 6) == 2 ? "0-1-2" : NULL;
    uint64_t at = take_below(&in, 64);
    char *text = take_text(&in, TEXT_MOST, &g.n);
    g.p = text;
    near_text(&g.x.o.max, &g.x.o, text, g.n);
    g.o.cut = g.x.o;
    g.o.offset = near_size(g.o.offset, slow_lines(text, g.n));
    g.o.column = near_size(g.o.column, g.n);
    g.o.limit = near_size(g.o.limit, slow_lines(text, g.n));
    write_file(text, g.n);
    check_page(&g, at);
    check_narrow(&g, at);
    check_file_read(&g, at);
    if (g.x.o.strategy == ABR_HEAD && are_fine(&g.x.o))
        follow(&g);
    RULE(g.x.memory.count == 0);
    abr_page_close(NULL);
    abr_index_close(NULL);
    free(text);
    return 0;
}
