/*
 * Pages: a cut of what a file, or a text, holds from a line (and a char in it) on, told in places of the whole.
 *
 * A page reads its source once for the totals, unless an index knows them, finds its place, and takes the bytes that
 * a cut within its budgets may need; cut.c decides. What is read is the file as it was when the page was opened:
 * nothing beyond that size. When the file is another one afterwards, all is read anew.
 */
#if !defined(_GNU_SOURCE)
#define _GNU_SOURCE /* st_mtim, O_CLOEXEC */
#endif
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "internal.h"

#ifndef INDEXED_FROM /* a test has a smaller one */
#define INDEXED_FROM (64 * 1024)
#endif

enum {
    BINARY_PROBE = 8000,             /* a NUL within so many bytes makes a source binary */
    ATTEMPTS = 4,                    /* readings of a file that changes meanwhile */
    MOST_UNSIZED = 64 * 1024 * 1024, /* bytes of a file that does not tell its size, as in /proc */
    LEAST_INDEXED = INDEXED_FROM,    /* bytes from which on an index is kept */
    VERSION_SIZE = 5 * 17            /* five hex numbers, what stands between them, and a NUL */
};

struct abr_page {
    abr_page_opts opts;
    abr_opts cut; /* opts.cut with the page's own limits in it */
    const abr_alloc *alloc;
    size_t keep;       /* bytes of an edge that is not whole */
    int fd;            /* -1: a text */
    abr_reader source; /* the file, or a text: also that of a file that was read whole */
    char *text;        /* a file that does not tell its size, read whole; or NULL */
    size_t text_size;  /* allocated */
    char *block;       /* ABR_BLOCK bytes of scratch */
    abr_identity of;   /* of the file; zero for a text */
    abr_page_info info;
    char version[VERSION_SIZE];
    abr_view view; /* from the page's first byte on */
    uint64_t end;  /* bytes of the source before the page's end */
    bool limited;  /* opts.limit ends the page, which a strategy that keeps the end then looks at alone */
    char *front;   /* what the view's edges point to, or NULL */
    char *back;
};

/* ---- files ---- */

static abr_code failed_with(int number, abr_error *error)
{
    switch (number) {
    case ENOMEM:
        return abr_fail(error, ABR_ENOMEM, "out of memory");
    case ENOENT:
    case ENOTDIR:
        return abr_fail(error, ABR_ENOENT, "no such file or directory");
    case EACCES:
        return abr_fail(error, ABR_EACCES, "permission denied");
    case ABR_ENDED_EARLY:
        return abr_fail(error, ABR_EIO, "the file changes while it is read");
    default:
        return abr_fail(error, ABR_EIO, abr_errno_text(number));
    }
}

/* Only regular files are read. */
static abr_code check_kind(const struct stat *st, abr_error *error)
{
    if (S_ISREG(st->st_mode))
        return ABR_OK;
    if (S_ISDIR(st->st_mode))
        return abr_fail(error, ABR_EISDIR, "is a directory");
    return abr_fail(error, ABR_ENOTREG,
                    S_ISFIFO(st->st_mode)   ? "fifo"
                    : S_ISSOCK(st->st_mode) ? "socket"
                                            : "device");
}

/* Looked at before it is opened: to open a device may do something, to open a FIFO may wait. */
static abr_code open_file(const char *path, int *fd, uint64_t *size, abr_error *error)
{
    struct stat st;
    if (stat(path, &st) != 0)
        return failed_with(errno, error);
    abr_code code = check_kind(&st, error);
    if (code != ABR_OK)
        return code;
    do
        *fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    while (*fd < 0 && errno == EINTR);
    if (*fd < 0 || fstat(*fd, &st) != 0)
        return failed_with(errno, error);
    *size = (uint64_t)st.st_size;
    return check_kind(&st, error);
}

abr_code abr_file_read_at(const char *path, uint64_t at, char *dst, size_t n, size_t *got, uint64_t *size,
                          abr_error *error)
{
    int fd = -1;
    *got = 0;
    abr_code code = open_file(path, &fd, size, error);
    if (code == ABR_OK) {
        const abr_reader whatever_comes = {fd, NULL, ABR_COUNT_MAX};
        int failed = abr_read_at(&whatever_comes, at, dst, n, got);
        if (failed != 0 && failed != ABR_ENDED_EARLY)
            code = failed_with(failed, error);
    }
    if (fd >= 0)
        close(fd);
    return code;
}

static bool identify(const abr_page *page, abr_identity *of)
{
    struct stat st;
    if (fstat(page->fd, &st) != 0)
        return false;
#ifdef __APPLE__
    const struct timespec *changed = &st.st_mtimespec;
#else
    const struct timespec *changed = &st.st_mtim;
#endif
    *of = (abr_identity){(uint64_t)st.st_dev, (uint64_t)st.st_ino, (uint64_t)st.st_size,
                         (int64_t)changed->tv_sec, changed->tv_nsec};
    return true;
}

/* May the file be written again and still look as it does now? Clocks of file systems tick every few milliseconds,
 * of some every second or two. */
static bool just_changed(const abr_identity *of)
{
    const double tick = of->nanoseconds == 0 ? 2.5 : 0.025;
    struct timespec now;
    if (clock_gettime(CLOCK_REALTIME, &now) != 0)
        return true;
    double age = (double)(now.tv_sec - of->seconds) + (double)(now.tv_nsec - of->nanoseconds) / 1e9;
    return age < tick;
}

/* Read a file to its end that does not tell its size. */
static int read_unsized(abr_page *page)
{
    const abr_alloc *a = page->alloc;
    size_t n = 0;
    for (;;) {
        if (n == page->text_size) {
            size_t size = n > 0 ? 2 * n : ABR_BLOCK;
            char *grown = size > MOST_UNSIZED ? NULL
                          : page->text        ? a->realloc(a->ctx, page->text, n, size)
                                              : a->malloc(a->ctx, size);
            if (!grown)
                return size > MOST_UNSIZED ? EFBIG : ENOMEM;
            page->text = grown;
            page->text_size = size;
        }
        ssize_t came = pread(page->fd, page->text + n, page->text_size - n, (off_t)n);
        if (came < 0 && errno == EINTR)
            continue;
        if (came < 0)
            return errno;
        if (came == 0)
            break;
        n += (size_t)came;
    }
    page->source = (abr_reader){-1, page->text, n};
    return 0;
}

/* ---- where the page is ---- */

static abr_code check_binary(abr_page *page, abr_error *error)
{
    size_t got;
    if (page->opts.binary)
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

/* Find the page's first byte: bytes before it. */
static abr_code find_start(abr_page *page, const abr_lines *x, uint64_t *at, abr_error *error)
{
    uint64_t line = page->opts.offset;
    uint64_t column = page->opts.column > 0 ? page->opts.column : 1;
    uint64_t short_of = 0;
    *at = 0;
    if (line > (x->total_lines > 0 ? x->total_lines : 1))
        return beyond(ABR_EOFFSET, "offset is beyond the end", x->total_lines, error);
    if (x->size == 0)
        return column == 1 ? ABR_OK : beyond(ABR_ECOLUMN, "column is beyond the end of the line", 0, error);
    int failed = abr_line_start(x, &page->source, page->block, line, at);
    if (failed == 0 && column > 1)
        failed = abr_char_place(x, &page->source, page->block, line, column, at, &short_of);
    if (failed != 0)
        return failed_with(failed, error);
    if (short_of > 0)
        return beyond(ABR_ECOLUMN, "column is beyond the end of the line", column - 1 - short_of, error);
    return ABR_OK;
}

/* ---- what a cut may need ---- */

static abr_code take(abr_page *page, uint64_t at, size_t n, char **edge, abr_error *error)
{
    const abr_alloc *a = page->alloc;
    size_t got;
    if (*edge)
        a->free(a->ctx, *edge);
    *edge = a->malloc(a->ctx, n + 1); /* never of no size */
    if (!*edge) {
        abr_fail(error, ABR_ENOMEM, "out of memory");
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
        code = take(page, start, n, &page->front, error);
        v->front = (abr_edge){page->front, n, whole};
    }
    if (whole)
        v->back = v->front;
    else if (code == ABR_OK && page->cut.strategy != ABR_HEAD) {
        code = take(page, page->end - n, n, &page->back, error);
        v->back = (abr_edge){page->back, n, false};
    }
    return code;
}

/* Sizes of the first and the last line, where the edges do not tell. */
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

/* Where the page ends: where the source does, or behind the lines wanted. A head stops there by itself. */
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
    return failed == 0 ? ABR_OK : failed_with(failed, error);
}

static abr_code show(abr_page *page, const abr_lines *x, abr_error *error)
{
    uint64_t start;
    abr_view *v = &page->view;
    memset(v, 0, sizeof *v);
    abr_code code = find_start(page, x, &start, error);
    if (code == ABR_OK)
        code = find_end(page, x, start, error);
    if (code != ABR_OK)
        return code;
    v->bytes = page->end - start;
    v->ends_line = v->bytes > 0 && (page->limited || x->ends_line);
    v->first_line = v->last_line = ABR_UNLIMITED;
    page->info.first_byte = start + 1;
    page->info.total_lines = x->total_lines;
    page->info.total_bytes = x->size;
    code = take_edges(page, start, error);
    /* what is not whole at hand is over the first budget set, however its invalid bytes show */
    v->invalid = v->front.whole || v->back.whole ? ABR_UNLIMITED : 0;
    if (code == ABR_OK)
        code = measure_lines(page, x, start, error);
    return code == ABR_OK ? count_chars(page, x, start, error) : code;
}

/* ---- opening ---- */

/* Read what the page needs, by an index that is known or by one made here. */
static abr_code load(abr_page *page, abr_lines **made, abr_error *error)
{
    const bool with_chars = abr_wants_chars(&page->cut);
    abr_code code = check_binary(page, error);
    if (code != ABR_OK)
        return code;
    bool of_file = page->source.fd >= 0; /* not of one that was read whole */
    abr_lines *x = page->opts.index && of_file ? abr_index_find(page->opts.index, &page->of) : NULL;
    if (!x || (with_chars && !x->has_chars)) {
        int failed = abr_lines_build(&page->source, with_chars, page->alloc, page->block, made);
        if (failed != 0)
            return failed_with(failed, error);
        x = *made;
        x->of = page->of;
    }
    return show(page, x, error);
}

static abr_code load_text(abr_page *page, abr_error *error)
{
    abr_lines *made = NULL;
    abr_code code = load(page, &made, error);
    abr_lines_free(made);
    return code;
}

static abr_code load_unsized(abr_page *page, abr_error *error)
{
    int failed = read_unsized(page);
    return failed == 0 ? load_text(page, error) : failed_with(failed, error);
}

/* One reading of the file; *stable: it is the same file in the same state afterwards. */
static abr_code load_once(abr_page *page, bool *stable, abr_error *error)
{
    abr_identity after;
    abr_lines *made = NULL;
    *stable = true;
    if (!identify(page, &page->of))
        return failed_with(errno, error);
    page->source = (abr_reader){page->fd, NULL, page->of.size};
    const bool young = just_changed(&page->of); /* before it is read: a write meanwhile would not show */
    abr_code code = page->of.size > 0 ? load(page, &made, error) : load_unsized(page, error);
    *stable = identify(page, &after) && abr_same_identity(&page->of, &after);
    if (*stable && code == ABR_OK && made && page->opts.index && page->of.size >= LEAST_INDEXED && !young)
        abr_index_put(page->opts.index, made);
    else
        abr_lines_free(made);
    if (*stable && code == ABR_EIO && page->of.size > 0)
        return load_unsized(page, error); /* it ends before the size it tells, as files of /sys do */
    return code;
}

static abr_code load_file(abr_page *page, abr_error *error)
{
    abr_code code = ABR_OK;
    bool stable = false;
    for (int attempt = 0; attempt < ATTEMPTS && !stable; attempt++)
        code = load_once(page, &stable, error);
    const abr_identity *of = &page->of;
    snprintf(page->version, sizeof page->version, "%" PRIx64 "-%" PRIx64 "-%" PRIx64 "-%" PRIx64 "-%lx",
             of->device, of->inode, of->size, (uint64_t)of->seconds, (unsigned long)of->nanoseconds);
    page->info.changed = !stable || (page->opts.version && strcmp(page->opts.version, page->version) != 0);
    return code;
}

static const char *wrong_option(const abr_page_opts *opts)
{
    if (opts->offset < 1 || opts->offset > ABR_COUNT_MAX)
        return "offset is not from 1 to 2^53";
    if (opts->column > ABR_COUNT_MAX)
        return "column is over 2^53";
    if (opts->limit > ABR_COUNT_MAX && opts->limit != ABR_UNLIMITED)
        return "limit is over 2^53";
    if (opts->cut.strategy == ABR_PRIORITY)
        return "strategy \"priority\" is for what commands print, not for pages";
    return NULL;
}

static abr_code new_page(const abr_page_opts *opts, abr_page **out, abr_error *error)
{
    *out = NULL;
    const char *wrong = wrong_option(opts);
    abr_code code = wrong ? abr_fail(error, ABR_EINVAL, wrong) : abr_check_opts(&opts->cut, error);
    if (code != ABR_OK)
        return code;
    const abr_alloc *a = abr_allocator(opts->cut.alloc);
    abr_page *page = a->malloc(a->ctx, sizeof *page);
    char *block = a->malloc(a->ctx, ABR_BLOCK);
    if (!page || !block) {
        if (page)
            a->free(a->ctx, page);
        if (block)
            a->free(a->ctx, block);
        return abr_fail(error, ABR_ENOMEM, "out of memory");
    }
    memset(page, 0, sizeof *page);
    page->opts = *opts;
    page->cut = opts->cut;
    page->alloc = a;
    page->block = block;
    page->fd = -1;
    page->info.version = page->version;
    if (opts->cut.strategy == ABR_HEAD && opts->limit < page->cut.max.lines)
        page->cut.max.lines = opts->limit;
    if (opts->column > 0)
        page->cut.long_line = ABR_LONG_SPLIT;
    page->keep = abr_keep(page->cut.strategy, &page->cut.max);
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

abr_code abr_page_open(const char *path, const abr_page_opts *opts, abr_page **out, abr_error *error)
{
    abr_code code = new_page(opts, out, error);
    if (!*out)
        return code;
    uint64_t size;
    code = open_file(path, &(*out)->fd, &size, error);
    if (code == ABR_OK)
        code = load_file(*out, error);
    return opened(code, out);
}

abr_code abr_page_text(const char *p, size_t n, const abr_page_opts *opts, abr_page **out, abr_error *error)
{
    abr_code code = new_page(opts, out, error);
    if (!*out)
        return code;
    (*out)->source = (abr_reader){-1, p ? p : "", n};
    return opened(load_text(*out, error), out);
}

void abr_page_close(abr_page *page)
{
    if (!page)
        return;
    const abr_alloc *a = page->alloc;
    char *const owned[] = {page->front, page->back, page->text, page->block};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++)
        if (owned[i])
            a->free(a->ctx, owned[i]);
    if (page->fd >= 0)
        close(page->fd);
    a->free(a->ctx, page);
}

/* ---- what a page tells ---- */

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
    abr_identity now;
    if (page->fd >= 0 && !(identify(page, &now) && abr_same_identity(&page->of, &now)))
        page->info.changed = true;
    return page->info.changed;
}

/* The first part of the source that a cut keeps, or NULL. */
static const abr_piece *first_range(const abr_cut *cut)
{
    for (size_t i = 0; i < cut->piece_count; i++)
        if (cut->pieces[i].source)
            return &cut->pieces[i];
    return NULL;
}

/* Number of the char behind a range that starts where the page does. */
static uint64_t column_after(const abr_page *page, const abr_piece *range)
{
    const char *newline = abr_find_last_newline(range->p, range->n);
    const char *line = newline ? newline + 1 : range->p;
    uint64_t before = newline || page->opts.column == 0 ? 1 : page->opts.column;
    return before + abr_count_chars(line, (size_t)(range->p + range->n - line), NULL);
}

/* The lines of a cut that still is in places of the view. There is nowhere to go on when what was left out lies before
 * what is kept, or when not even a char fitted. */
static abr_page_lines lines_of(const abr_page *page, const abr_cut *cut)
{
    const uint64_t offset = page->opts.offset;
    const abr_piece *range = first_range(cut);
    abr_page_lines lines = {offset, offset + (cut->output_lines > 0 ? cut->output_lines : 1) - 1, 0, 0};
    if (range) {
        uint64_t last = cut->pieces[cut->piece_count - 1].last_line;
        if (offset - 1 + last > lines.last_line)
            lines.last_line = offset - 1 + last;
        if (range->first_byte > 1) {
            lines.first_line = offset - 1 + range->first_line;
            return lines;
        }
    }
    if (!cut->truncated)
        return lines;
    if (cut->first_line_exceeds_limit) {
        lines.next_offset = offset;
        lines.next_column = 1;
    } else if (!range) {
        lines.next_offset = cut->output_lines > 0 ? offset + cut->output_lines : 0;
    } else {
        uint64_t line = offset - 1 + range->last_line;
        bool at_end =
            range->p[range->n - 1] == '\n' || range->n == page->view.front.n || range->p[range->n] == '\n';
        lines.next_offset = at_end ? line + 1 : line;
        lines.next_column = at_end ? 0 : column_after(page, range);
    }
    return lines;
}

/* From places of the view to places of the source. */
static void tell_source(const abr_page *page, abr_cut *cut)
{
    uint64_t bytes = page->info.first_byte - 1;
    uint64_t lines = page->opts.offset - 1;
    abr_piece *pieces = cut->block;
    for (size_t i = 0; i < cut->piece_count; i++) {
        if (!pieces[i].source)
            continue;
        pieces[i].first_byte += bytes;
        pieces[i].last_byte += bytes;
        pieces[i].first_line += lines;
        pieces[i].last_line += lines;
    }
    cut->total_lines = page->info.total_lines;
    cut->total_bytes = page->info.total_bytes;
    cut->total_chars = page->info.total_chars;
    cut->omitted_lines = cut->total_lines - cut->output_lines;
    cut->omitted_bytes = cut->total_bytes - cut->output_bytes;
}

/* A page whose lines all fit ends as a head does: without the newline before the next line. */
static void end_at_limit(const abr_page *page, abr_cut *cut, abr_page_lines *lines)
{
    cut->truncated = true;
    cut->truncated_by = ABR_BY_LINES;
    cut->max.lines = page->opts.limit;
    lines->next_offset = page->opts.offset + page->opts.limit;
    if (cut->final_newline) {
        cut->final_newline = false; /* it is dropped already */
        return;
    }
    abr_piece *last = (abr_piece *)cut->block + cut->piece_count - 1;
    last->last_byte--;
    if (--last->n == 0)
        cut->piece_count--;
    cut->content_bytes--;
    cut->output_bytes--;
    cut->output_chars -= cut->output_chars > 0;
}

abr_code abr_page_cut(abr_page *page, const abr_narrow *narrow, abr_cut *cut, abr_page_lines *lines,
                      abr_error *error)
{
    abr_opts opts;
    memset(cut, 0, sizeof *cut);
    memset(lines, 0, sizeof *lines);
    abr_code code = abr_narrowed(&page->cut, narrow, &opts, error);
    if (code == ABR_OK)
        code = abr_cut_view(&page->view, &opts, cut, error);
    if (code != ABR_OK)
        return code;
    *lines = lines_of(page, cut);
    if (page->limited && !cut->truncated)
        end_at_limit(page, cut, lines);
    tell_source(page, cut);
    if (lines->next_column > 1 && page->opts.index)
        abr_index_place(page->opts.index, &page->of,
                        &(abr_place_at){lines->next_offset, lines->next_column, first_range(cut)->last_byte});
    return ABR_OK;
}
