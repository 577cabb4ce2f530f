/*
 * Pages: a cut of a file or text from a line (and a char in it) on, in positions of the whole.
 *
 * A page reads its source once for the totals, unless an index knows them, finds its place, and takes the
 * bytes that a cut within its budgets may need; the room cut/ does the rest. The file is read as it was when
 * the page was opened: nothing beyond that size. If it is a different file afterwards, all is read again. A
 * page may be opened in steps: it remembers which stage is next.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "abridge.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/tiny.h"
#include "budget/options.h"
#include "budget/span.h"
#include "budget/view.h"
#include "files/file_index.h"
#include "files/line_index.h"
#include "files/errno_text.h"
#include "files/portable.h"
#include "page/element_cut.h"
#include "page/page_state.h"
#include "text/scan.h"

#ifndef INDEXED_FROM /* a test has a smaller one */
#define INDEXED_FROM ABR_OR_TINY(64 * 1024, 1)
#endif

enum {
    BINARY_PROBE = ABR_OR_TINY(8000, 64), /* a NUL within this many bytes makes a source binary */
    ATTEMPTS = 4,                         /* readings of a file that keeps changing */
    MOST_UNSIZED = 64 * 1024 * 1024,      /* bytes of a file without a size, as in /proc */
    LEAST_INDEXED = INDEXED_FROM          /* bytes a source must have for its index to be kept */
};

_Static_assert((size_t)BINARY_PROBE <= ABR_BLOCK, "the probe is read into a block");

/* ---- files ---- */

static abr_code failed_with(int number, abr_error *error)
{
    switch (number) {
    case ENOMEM:
        return abr_no_memory(error);
    case ENOENT:
    case ENOTDIR:
        return abr_fail(error, ABR_ENOENT, "no such file or directory");
    case EACCES:
        return abr_fail(error, ABR_EACCES, "permission denied");
    case EISDIR:
        return abr_fail(error, ABR_EISDIR, "is a directory");
    case ABR_ENDED_EARLY:
        return abr_fail(error, ABR_EIO, "the file changes while it is read");
    case ELOOP: /* these two mean something else for a private file */
        return abr_fail(error, ABR_EIO, "too many symbolic links encountered");
    case EPERM:
        return abr_fail(error, ABR_EIO, "operation not permitted");
    default:
        return abr_fail(error, ABR_EIO, abr_errno_text(number));
    }
}

/* Only regular files are read. */
static abr_code open_file(const char *path, abr_handle *file, abr_identity *of, abr_error *error)
{
    const char *other = NULL;
    int failed = abr_open_regular(path, file, of, &other);
    if (failed == ABR_NOT_REGULAR)
        return abr_fail(error, ABR_ENOTREG, other);
    return failed == 0 ? ABR_OK : failed_with(failed, error);
}

abr_code abr_file_read_at(const char *path, uint64_t at, char *dst, size_t n, size_t *got, uint64_t *size,
                          abr_error *error)
{
    abr_handle file;
    abr_identity of;
    *got = 0;
    abr_code code = open_file(path, &file, &of, error);
    if (code != ABR_OK)
        return code;
    *size = of.size;
    const abr_source whatever_comes = {file, NULL, ABR_COUNT_MAX};
    int failed = abr_read_at(&whatever_comes, at, dst, n, got);
    abr_close_handle(file);
    return failed == 0 || failed == ABR_ENDED_EARLY ? ABR_OK : failed_with(failed, error);
}

/* Could the file be written again and still look as it does now? Clocks of file systems tick every few
 * milliseconds, those of some every second or two. */
static bool just_changed(const abr_identity *of)
{
    const double tick = of->nanoseconds == 0 ? 2.5 : 0.025;
    return abr_age(of) < tick;
}

/* Read a file without a size to its end. */
static int read_unsized(abr_page *page)
{
    size_t n = 0;
    for (;;) {
        if (n == page->text_size) {
            size_t size = n > 0 ? 2 * n : ABR_BLOCK;
            char *grown = size > MOST_UNSIZED ? NULL : abr_block_new(page->alloc, size);
            if (!grown)
                return size > MOST_UNSIZED ? EFBIG : ENOMEM;
            if (n > 0)
                memcpy(grown, page->text, n);
            abr_block_free(page->alloc, page->text);
            page->text = grown;
            page->text_size = size;
        }
        size_t came;
        int failed = abr_read_once(page->file, page->text + n, page->text_size - n, n, &came);
        if (failed != 0)
            return failed;
        if (came == 0)
            break;
        n += came;
    }
    page->source = (abr_source){ABR_NO_FILE, page->text, n};
    return 0;
}

/* ---- the place of the page ---- */

/* The source's lines: made here, or from an index; NULL: they must be counted. */
static const abr_lines *known_lines(const abr_page *page)
{
    if (page->maker.lines)
        return page->maker.lines;
    bool of_file = page->source.file != ABR_NO_FILE; /* not of a file that was read whole */
    const abr_lines *x = page->opts.index && of_file ? abr_index_find(page->opts.index, &page->of) : NULL;
    return x && (x->has_chars || !abr_wants_chars(&page->cut)) ? x : NULL;
}

static abr_code check_binary(abr_page *page, abr_error *error)
{
    size_t got;
    const abr_lines *x = known_lines(page);
    if (page->opts.binary || (x && x->is_text))
        return ABR_OK;
    int failed = abr_read_at(&page->source, 0, page->block, BINARY_PROBE, &got);
    if (failed != 0)
        return failed_with(failed, error);
    if (got > 0 && memchr(page->block, '\0', got))
        return abr_fail(error, ABR_EBINARY, "a NUL within its first 8,000 bytes");
    return ABR_OK;
}

static abr_code beyond(abr_code code, const char *message, uint64_t most, abr_error *error)
{
    abr_fail(error, code, message);
    if (error)
        error->position = (size_t)most;
    return code;
}

/* Find the page's first line, and begin the walk to its column. */
static abr_code find_line(abr_page *page, const abr_lines *x, abr_error *error)
{
    uint64_t line = page->opts.offset;
    uint64_t column = page->opts.column > 0 ? page->opts.column : 1;
    uint64_t at;
    page->start = (abr_walk){0, 0, 0};
    if (line > (x->total_lines > 0 ? x->total_lines : 1))
        return beyond(ABR_EOFFSET, "offset is beyond the end", x->total_lines, error);
    if (x->size == 0) {
        page->start.left = column - 1;
        return ABR_OK;
    }
    int failed = abr_line_start(x, &page->source, page->block, line, &at);
    page->start = (abr_walk){.at = at, .end = at, .left = column - 1};
    if (failed == 0 && column > 1)
        failed = abr_walk_begin(&page->start, x, &page->source, page->block, line);
    return failed == 0 ? ABR_OK : failed_with(failed, error);
}

/* Go on to the page's first byte. */
static abr_code find_column(abr_page *page, uint64_t *most, bool *there, abr_error *error)
{
    int failed = abr_walk_on(&page->start, &page->source, page->block, most, there);
    if (failed != 0)
        return failed_with(failed, error);
    if (*there && page->start.left > 0)
        return beyond(ABR_ECOLUMN, "column is beyond the end of the line",
                      page->opts.column - 1 - page->start.left, error);
    return ABR_OK;
}

/* ---- elements ---- */

static bool has_elements(const abr_page *page)
{
    return page->opts.pointer != NULL;
}

static abr_code begin_scan(abr_page *page, abr_error *error)
{
    const abr_page_opts *o = &page->opts;
    const bool of_file = page->source.file != ABR_NO_FILE;
    page->next = ABR_PAGE_SCAN;
    abr_code code = abr_scan_begin(&page->scan, o->pointer, o->pointer_len, &page->cut, page->keep, error);
    if (code != ABR_OK || !o->index || !of_file)
        return code;
    const abr_element_places *known = abr_index_elements(o->index, &page->of, o->pointer, o->pointer_len);
    return known ? abr_scan_skip(&page->scan, known, error) : ABR_OK;
}

/* Read on, block by block until *most bytes are read. A page that the caller writes has no more. */
static abr_code scan(abr_page *page, uint64_t *most, abr_error *error)
{
    bool enough = false;
    abr_code code = ABR_OK;
    do {
        size_t got;
        int failed = abr_read_at(&page->source, page->scan.at, page->block, ABR_BLOCK, &got);
        if (failed != 0)
            return failed_with(failed, error);
        if (got == 0)
            break;
        code = abr_scan_take(&page->scan, page->block, got, &enough, error);
        *most -= got < *most ? got : *most;
    } while (code == ABR_OK && !enough && *most > 0);
    if (code != ABR_OK || (!enough && page->scan.at < page->source.size))
        return code;
    page->next = ABR_PAGE_END;
    code = abr_scan_end(&page->scan, error);
    page->info = page->scan.file;
    page->info.version = page->version;
    page->info.first_byte = page->scan.first.at + 1;
    page->info.first_char = abr_wants_chars(&page->cut) ? page->scan.first.chars + 1 : 0;
    return code;
}

/* ---- the bytes of a cut ---- */

static abr_code take_edge(abr_page *page, uint64_t at, size_t n, char **edge, abr_error *error)
{
    size_t got;
    abr_block_free(page->alloc, *edge);
    *edge = abr_block_new(page->alloc, n);
    if (!*edge) {
        abr_no_memory(error);
        return ABR_ENOMEM;
    }
    int failed = abr_read_at(&page->source, at, *edge, n, &got);
    return failed == 0 ? ABR_OK : failed_with(failed, error);
}

/* The two edges of the source from its byte `start` on. */
static abr_code take_edges(abr_page *page, uint64_t start, abr_error *error)
{
    abr_view *v = &page->view;
    uint64_t rest = page->end - start;
    bool whole = rest <= page->keep;
    size_t n = whole ? (size_t)rest : page->keep;
    abr_code code = ABR_OK;
    v->front = v->back = (abr_edge){"", 0, rest == 0};
    if (whole || page->cut.strategy != ABR_TAIL) {
        code = take_edge(page, start, n, &page->front, error);
        v->front = (abr_edge){page->front, n, whole};
    }
    if (whole)
        v->back = v->front;
    else if (code == ABR_OK && page->cut.strategy != ABR_HEAD) {
        code = take_edge(page, page->end - n, n, &page->back, error);
        v->back = (abr_edge){page->back, n, false};
    }
    return code;
}

/* Sizes of the first and the last line, if the edges do not show them. */
static abr_code measure_lines(abr_page *page, const abr_lines *x, uint64_t start, abr_error *error)
{
    abr_view *v = &page->view;
    uint64_t at;
    int failed = 0;
    if (v->front.n > 0 && !v->front.whole && !memchr(v->front.p, '\n', v->front.n)) {
        failed = abr_line_end(x, &page->source, page->block, page->opts.offset, &at);
        v->first_line = at - start;
    }
    if (failed == 0 && v->back.n > 0 && !v->back.whole &&
        !abr_find_last_newline(v->back.p, v->back.n - v->ends_line)) {
        failed = abr_line_start(x, &page->source, page->block, page->opts.offset - 1 + v->lines, &at);
        v->last_line = page->end - v->ends_line - (at > start ? at : start);
    }
    return failed == 0 ? ABR_OK : failed_with(failed, error);
}

static abr_code count_chars(abr_page *page, const abr_lines *x, uint64_t start, abr_error *error)
{
    uint64_t before = 0;
    uint64_t until = x->total_chars;
    if (!abr_wants_chars(&page->cut))
        return ABR_OK; /* an index that counted them for another page changes nothing */
    int failed = abr_chars_before(x, &page->source, page->block, start, &before);
    if (failed == 0 && page->limited)
        failed = abr_chars_before(x, &page->source, page->block, page->end, &until);
    page->info.first_char = before + 1;
    page->info.total_chars = x->total_chars;
    page->view.chars = until - before;
    return failed == 0 ? ABR_OK : failed_with(failed, error);
}

/* End of the page: the source's end, or after the lines wanted. A head stops there by itself. */
static abr_code find_end(abr_page *page, const abr_lines *x, uint64_t start, abr_error *error)
{
    abr_view *v = &page->view;
    page->end = x->size;
    v->lines = start < x->size ? x->total_lines - (page->opts.offset - 1) : 0;
    page->limited = page->cut.strategy != ABR_HEAD && page->opts.limit < v->lines;
    if (!page->limited)
        return ABR_OK;
    v->lines = page->opts.limit;
    int failed = abr_line_start(x, &page->source, page->block, page->opts.offset + v->lines, &page->end);
    if (page->end < start) /* no lines, from a column on */
        page->end = start;
    return failed == 0 ? ABR_OK : failed_with(failed, error);
}

static abr_code show_lines(abr_page *page, const abr_lines *x, abr_error *error)
{
    const uint64_t start = page->start.at;
    abr_view *v = &page->view;
    memset(v, 0, sizeof *v);
    abr_code code = find_end(page, x, start, error);
    if (code != ABR_OK)
        return code;
    v->bytes = page->end - start;
    v->ends_line = v->bytes > 0 && (page->limited || x->ends_line);
    v->first_line = v->last_line = ABR_UNLIMITED;
    page->info.first_byte = start + 1;
    page->info.total_lines = x->total_lines;
    page->info.total_bytes = x->size;
    code = take_edges(page, start, error);
    /* a line that was not taken whole is over the first budget set, however its invalid bytes show */
    v->invalid = v->front.whole || v->back.whole ? ABR_UNLIMITED : 0;
    if (code == ABR_OK)
        code = measure_lines(page, x, start, error);
    return code == ABR_OK ? count_chars(page, x, start, error) : code;
}

/* ---- opening ---- */

static abr_code probe(abr_page *page, abr_error *error)
{
    abr_code code = check_binary(page, error);
    if (has_elements(page))
        return code == ABR_OK ? begin_scan(page, error) : code;
    page->next = ABR_PAGE_PLACE;
    if (code != ABR_OK || known_lines(page))
        return code;
    page->next = ABR_PAGE_COUNT;
    int failed = abr_lines_begin(&page->maker, abr_wants_chars(&page->cut), page->alloc);
    return failed == 0 ? ABR_OK : failed_with(failed, error);
}

static abr_code count_source(abr_page *page, uint64_t *most, abr_error *error)
{
    bool whole;
    int failed = abr_lines_read(&page->maker, &page->source, page->block, most, &whole);
    if (failed != 0)
        return failed_with(failed, error);
    page->maker.lines->of = page->of;
    page->next = whole ? ABR_PAGE_PLACE : ABR_PAGE_COUNT;
    return ABR_OK;
}

/* Look the source's lines up again: the index may have dropped them while others used it. */
static abr_code place_or_show(abr_page *page, abr_error *error)
{
    const abr_lines *x = known_lines(page);
    const bool places = page->next == ABR_PAGE_PLACE;
    page->next = !x ? ABR_PAGE_PROBE : places ? ABR_PAGE_WALK : ABR_PAGE_END;
    if (!x)
        return ABR_OK;
    return places ? find_line(page, x, error) : show_lines(page, x, error);
}

static abr_code walk(abr_page *page, uint64_t *most, abr_error *error)
{
    bool there;
    abr_code code = find_column(page, most, &there, error);
    page->next = there ? ABR_PAGE_SHOW : ABR_PAGE_WALK;
    return code;
}

static void forget_lines(abr_page *page)
{
    abr_lines_free(page->maker.lines);
    page->maker.lines = NULL;
}

/* Forget the findings of an earlier reading. */
static void forget_reading(abr_page *page)
{
    forget_lines(page);
    abr_scan_free(&page->scan);
}

/* Read the file whole, since it has no size. */
static abr_code start_unsized(abr_page *page, abr_error *error)
{
    int failed = read_unsized(page);
    abr_scan_free(&page->scan);
    page->next = ABR_PAGE_PROBE;
    return failed == 0 ? ABR_OK : failed_with(failed, error);
}

static abr_code start(abr_page *page, abr_error *error)
{
    forget_reading(page);
    int failed = abr_identify(page->file, &page->of);
    if (failed != 0)
        return failed_with(failed, error);
    page->source = (abr_source){page->file, NULL, page->of.size};
    page->young = just_changed(&page->of); /* checked before reading: a write meanwhile would not show */
    page->next = ABR_PAGE_PROBE;
    return page->of.size > 0 ? ABR_OK : start_unsized(page, error);
}

/* Begin the next stage. */
static abr_code next_stage(abr_page *page, uint64_t *most, abr_error *error)
{
    switch (page->next) {
    case ABR_PAGE_START:
        return start(page, error);
    case ABR_PAGE_PROBE:
        return probe(page, error);
    case ABR_PAGE_COUNT:
        return count_source(page, most, error);
    case ABR_PAGE_WALK:
        return walk(page, most, error);
    case ABR_PAGE_SCAN:
        return scan(page, most, error);
    default:
        return place_or_show(page, error);
    }
}

/* Give the index the places found in the file. */
static void keep_places(abr_page *page)
{
    if (page->maker.lines) {
        page->maker.lines->is_text = !page->opts.binary;
        abr_index_put(page->opts.index, page->maker.lines);
        page->maker.lines = NULL;
    }
    if (page->scan.places) {
        page->scan.places->of = page->of;
        page->scan.places->file = page->scan.file;
        abr_index_put_elements(page->opts.index, page->scan.places);
        page->scan.places = NULL;
    }
}

/* A reading of the file has ended, well or not. If the file changed meanwhile it is read again, a few times
 * at most. */
static abr_code end_reading(abr_page *page, abr_error *error)
{
    abr_identity after = {0};
    const abr_identity *of = &page->of;
    const bool was_sized = page->source.file != ABR_NO_FILE;
    const bool stable = abr_identify(page->file, &after) == 0 && abr_same_identity(of, &after);
    page->readings++;
    if (stable && page->outcome == ABR_OK && was_sized && page->opts.index && of->size >= LEAST_INDEXED &&
        !page->young)
        keep_places(page);
    forget_lines(page);
    if (stable && page->outcome == ABR_EIO && was_sized && of->size > 0) {
        /* it ends before its stated size, as files in /sys do */
        page->outcome = start_unsized(page, error);
        if (page->outcome == ABR_OK)
            return ABR_OK;
    }
    page->next = stable || page->readings >= ATTEMPTS ? ABR_PAGE_OPEN : ABR_PAGE_START;
    snprintf(page->version, sizeof page->version, "%" PRIx64 "-%" PRIx64 "-%" PRIx64 "-%" PRIx64 "-%lx",
             of->device, of->inode, of->size, (uint64_t)of->seconds, (unsigned long)of->nanoseconds);
    page->info.changed = !stable || (page->opts.version && strcmp(page->opts.version, page->version) != 0);
    return page->outcome;
}

static abr_code end(abr_page *page, abr_error *error)
{
    if (page->file != ABR_NO_FILE)
        return end_reading(page, error);
    forget_lines(page);
    page->next = ABR_PAGE_OPEN;
    return page->outcome;
}

abr_code abr_page_step(abr_page *page, uint64_t most, bool *done, abr_error *error)
{
    abr_code code = page->outcome;
    bool going_on = page->next != ABR_PAGE_OPEN;
    while (going_on) {
        if (page->next != ABR_PAGE_END) {
            page->outcome = next_stage(page, &most, error);
            page->next = page->outcome == ABR_OK ? page->next : ABR_PAGE_END;
        }
        if (page->next == ABR_PAGE_END)
            code = end(page, error);
        going_on = page->next != ABR_PAGE_OPEN && most > 0;
    }
    *done = page->next == ABR_PAGE_OPEN;
    return *done ? code : ABR_OK;
}

static const char *wrong_page_option(const abr_page_opts *opts)
{
    if (opts->offset < 1 || opts->offset > ABR_COUNT_MAX)
        return "offset is not from 1 to 2^53";
    if (opts->column > ABR_COUNT_MAX)
        return "column is over 2^53";
    if (opts->limit > ABR_COUNT_MAX && opts->limit != ABR_UNLIMITED)
        return "limit is over 2^53";
    if (opts->pointer && (opts->offset > 1 || opts->column > 0 || opts->limit != ABR_UNLIMITED))
        return "pointer goes with no offset, column or limit";
    if (opts->cut.strategy == ABR_PRIORITY && !opts->pointer)
        return "strategy \"priority\" is for what commands print, not for pages";
    if (opts->cut.strategy == ABR_AUTO && !opts->pointer)
        return "strategy \"auto\" is for what tools return, not for pages";
    return NULL;
}

static abr_code new_page(const abr_page_opts *opts, abr_page **out, abr_error *error)
{
    *out = NULL;
    const char *wrong = wrong_page_option(opts);
    abr_code code = wrong ? abr_fail(error, ABR_EINVAL, wrong) : abr_check_opts(&opts->cut, error);
    if (code != ABR_OK)
        return code;
    const abr_alloc *a = abr_allocator(opts->cut.alloc);
    abr_page *page = a->malloc(a->ctx, sizeof *page);
    char *block = abr_block_new(a, ABR_BLOCK);
    if (!page || !block) {
        if (page)
            a->free(a->ctx, page);
        abr_block_free(a, block);
        return abr_no_memory(error);
    }
    memset(page, 0, sizeof *page);
    page->opts = *opts;
    page->cut = opts->cut;
    page->alloc = a;
    page->block = block;
    page->file = ABR_NO_FILE;
    page->info.version = page->version;
    if (opts->pointer)
        abr_cut_as_json(&page->cut);
    if (opts->cut.strategy == ABR_HEAD && opts->limit < page->cut.max.lines)
        page->cut.max.lines = opts->limit;
    if (opts->column > 0)
        page->cut.long_line = ABR_LONG_SPLIT;
    abr_set_default_budget(page->cut.strategy, &page->cut.max);
    page->keep = abr_bytes_to_keep(page->cut.strategy, &page->cut.max);
    *out = page;
    return ABR_OK;
}

static abr_code opened(abr_code code, abr_page **out)
{
    if (code == ABR_OK)
        return ABR_OK;
    abr_page_close(*out);
    *out = NULL;
    return code;
}

static abr_code step_to_end(abr_page **out, abr_error *error)
{
    bool done = false;
    abr_code code = ABR_OK;
    while (!done)
        code = abr_page_step(*out, ABR_COUNT_MAX, &done, error);
    return opened(code, out);
}

abr_code abr_page_begin(const char *path, const abr_page_opts *opts, abr_page **out, abr_error *error)
{
    abr_code code = new_page(opts, out, error);
    if (!*out)
        return code;
    if (path)
        return opened(open_file(path, &(*out)->file, &(*out)->of, error), out);
    (*out)->opts.index = NULL;
    (*out)->source = (abr_source){ABR_NO_FILE, "", 0};
    return opened(opts->pointer ? begin_scan(*out, error) : abr_fail(error, ABR_EINVAL, "path is missing"),
                  out);
}

abr_code abr_page_write(abr_page *page, const char *p, size_t n, abr_error *error)
{
    bool enough;
    if (page->outcome == ABR_OK)
        page->outcome = abr_scan_take(&page->scan, p, n, &enough, error);
    if (page->outcome != ABR_OK)
        page->next = ABR_PAGE_END;
    return page->outcome;
}

abr_code abr_page_open(const char *path, const abr_page_opts *opts, abr_page **out, abr_error *error)
{
    abr_code code = abr_page_begin(path, opts, out, error);
    return *out ? step_to_end(out, error) : code;
}

abr_code abr_page_text(const char *p, size_t n, const abr_page_opts *opts, abr_page **out, abr_error *error)
{
    abr_code code = new_page(opts, out, error);
    if (!*out)
        return code;
    (*out)->opts.index = NULL;
    (*out)->source = (abr_source){ABR_NO_FILE, p ? p : "", n};
    (*out)->next = ABR_PAGE_PROBE;
    return step_to_end(out, error);
}

void abr_page_close(abr_page *page)
{
    if (!page)
        return;
    forget_reading(page);
    const abr_alloc *a = page->alloc;
    char *const owned[] = {page->front, page->back, page->text, page->block};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++)
        abr_block_free(a, owned[i]);
    if (page->first)
        a->free(a->ctx, page->first);
    if (page->pointer)
        a->free(a->ctx, page->pointer);
    if (page->file != ABR_NO_FILE)
        abr_close_handle(page->file);
    a->free(a->ctx, page);
}

/* ---- facts about the page ---- */

abr_page_info abr_page_about(const abr_page *page)
{
    return page->info;
}

abr_code abr_page_read(abr_page *page, uint64_t at, char *dst, size_t n, size_t *got, abr_error *error)
{
    uint64_t from = page->info.first_byte - 1 + at;
    int failed = abr_read_at(&page->source, from, dst, n, got);
    return failed == 0 ? ABR_OK : failed_with(failed, error);
}

bool abr_page_changed(abr_page *page)
{
    abr_identity now = {0};
    if (page->file != ABR_NO_FILE &&
        !(abr_identify(page->file, &now) == 0 && abr_same_identity(&page->of, &now)))
        page->info.changed = true;
    return page->info.changed;
}
