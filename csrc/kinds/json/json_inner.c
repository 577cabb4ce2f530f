/*
 * Strings that are documents. Such a string is decoded and cut like any text; the kept chars are then shown
 * in the string's own spelling, so that escapes stay as they are.
 *
 * And arrays of lines, of which the elements show that a cut of the log keeps. If the array went by, each is
 * a line, whose bytes are in the log's two ends, or in its retainer, which has only a part of the longest
 * lines.
 */
#include <string.h>

#include "kinds/json/json_inner.h"
#include "base/memory.h"
#include "base/size.h"
#include "base/tiny.h"
#include "budget/options.h"
#include "kinds/json/json_string.h"
#include "priority/retain.h"
#include "text/scan.h"

enum {
    DEPTH_OF_DOCUMENTS = 4, /* nested documents, counting the outermost */
    TEXT_LEAST = 512,       /* bytes, decoded */
    /* bytes that three or more of them may take, with a few times the budget on top. A reader of the
     * innermost takes up to 690 KiB, and the readers around it 24 KiB each: the rest of what a stream may. */
    NESTED_MOST = ABR_OR_TINY(192 * 1024, 4096),
    NESTED_PER_BYTE = 4,
    ROOM_LEAST = 128, /* least bytes worth a cut */
    NEWLINES = 4,     /* that make several lines */
    TRIES = 6,
    ESCAPE_MOST = 6
};

/* ---- the content of a cut ---- */

static size_t put_escape(char c, char *dst)
{
    static const char hex[] = "0123456789abcdef";
    dst[0] = '\\';
    if (c == '\n')
        c = 'n';
    if (c == 'n' || c == '"' || c == '\\') {
        dst[1] = c;
        return 2;
    }
    memcpy(dst + 1, "u00", 3);
    dst[4] = hex[(unsigned char)c >> 4];
    dst[5] = hex[(unsigned char)c & 15];
    return ESCAPE_MOST;
}

static void tell_marker(const abr_piece *piece, const abr_json_inner_parts *to)
{
    size_t from = 0;
    for (size_t i = 0; i <= piece->n; i++) {
        char escape[ESCAPE_MOST];
        if (i < piece->n && (unsigned char)piece->p[i] >= ' ' && piece->p[i] != '"' && piece->p[i] != '\\')
            continue;
        if (i > from)
            to->show(to->ctx, piece->p + from, ABR_JSON_MARKER, i - from);
        if (i < piece->n)
            to->show(to->ctx, escape, ABR_JSON_MARKER, put_escape(piece->p[i], escape));
        from = i + 1;
    }
}

/* A place in the string, and in its text. */
typedef struct {
    size_t raw;
    uint64_t text;
} inner_place;

/* Decode the next char into `dst` and advance *at; returns its bytes. */
static size_t next_char(const abr_json_inner *x, inner_place *at, char dst[ABR_JSON_DECODED_MOST])
{
    const char *p = x->raw + at->raw;
    *dst = *p;
    const bool is_plain = *p != '\\' && (unsigned char)*p < 0x80; /* most are */
    const size_t size = is_plain ? 1 : abr_json_char_size(p, x->n - at->raw);
    const size_t n = is_plain ? 1 : abr_json_decode(p, size, dst);
    at->raw += size;
    at->text += n;
    return n;
}

/* Report a kept piece. Blanks that a cut of JSON leaves out are in the piece's range, but not in its
 * bytes. */
static void tell_kept(const abr_json_inner *x, const abr_piece *piece, inner_place *at,
                      const abr_json_inner_parts *to)
{
    char c[ABR_JSON_DECODED_MOST];
    while (at->text + 1 < piece->first_byte)
        next_char(x, at, c);
    size_t from = at->raw;
    for (size_t shown = 0; at->text < piece->last_byte;) {
        const size_t before = at->raw;
        const size_t n = next_char(x, at, c);
        if (n <= piece->n - shown && piece->p[shown] == *c &&
            (n == 1 || memcmp(piece->p + shown, c, n) == 0)) {
            shown += n;
            continue;
        }
        if (before > from)
            to->show(to->ctx, x->raw + from, from, before - from);
        from = at->raw;
    }
    if (at->raw > from)
        to->show(to->ctx, x->raw + from, from, at->raw - from);
}

/* Without markers, the source's own newline stands for the omitted lines. */
static void tell_newline(const abr_json_inner *x, inner_place *at, const abr_json_inner_parts *to)
{
    char c[ABR_JSON_DECODED_MOST];
    const size_t from = at->raw;
    inner_place next = *at;
    if (from == x->n || next_char(x, &next, c) != 1 || *c != '\n')
        return;
    *at = next;
    to->show(to->ctx, x->raw + from, from, next.raw - from);
}

/* Report the content of a log's cut. */
static void tell_log_pieces(const abr_json_inner *x, const abr_json_inner_parts *to)
{
    static const char newline[] = "\\n";
    const size_t newline_n = sizeof newline - 1;
    uint64_t line = 0;   /* the last one shown, */
    size_t end = 0;      /* up to here; */
    bool breaks = false; /* its newline is next */
    for (size_t i = 0; i < x->cut.piece_count; i++) {
        const abr_piece *piece = &x->cut.pieces[i];
        if (!piece->source && x->marks) {
            tell_marker(piece, to);
        } else if (piece->source) {
            const bool sure =
                piece->first_byte == 1 || (piece->first_line != line && !x->cut.last_line_partial);
            size_t skipped;
            const size_t n = abr_json_spell_piece(piece->p, piece->n, sure, &skipped, x->spelled);
            const size_t at = (size_t)piece->first_byte - 1 + skipped;
            if (n > 0)
                to->show(to->ctx, x->spelled, at, n);
            line = piece->last_line;
            end = at + n;
            breaks = skipped + n < piece->n && piece->p[skipped + n] == ABR_JSON_BREAK;
        } else if (breaks) {
            to->show(to->ctx, newline, end, newline_n);
        }
    }
}

void abr_json_inner_tell(const abr_json_inner *x, const abr_json_inner_parts *to)
{
    inner_place at = {0, 0};
    if (x->is_log) {
        tell_log_pieces(x, to);
        return;
    }
    for (size_t i = 0; i < x->cut.piece_count; i++) {
        const abr_piece *piece = &x->cut.pieces[i];
        if (piece->source)
            tell_kept(x, piece, &at, to);
        else if (x->marks)
            tell_marker(piece, to);
        else
            tell_newline(x, &at, to);
    }
}

/* ---- the cut ---- */

static void add_spelled(void *ctx, const char *p, size_t at, size_t n)
{
    (void)p;
    (void)at;
    *(uint64_t *)ctx += n;
}

/* Bytes that the cut takes in the string's spelling. */
static uint64_t spelled_size(const abr_json_inner *x)
{
    uint64_t size = 0;
    const abr_json_inner_parts to = {add_spelled, &size};
    abr_json_inner_tell(x, &to);
    return size;
}

/* Is it several lines, or might it be JSON? */
static bool may_be_document(const char *p, size_t n, bool *is_lines)
{
    *is_lines = abr_count_newlines(p, n) >= NEWLINES;
    return n > TEXT_LEAST && (*is_lines || *p == '{' || *p == '[');
}

/* Cut the text, or the log, within so many bytes. */
static bool try_cut(const abr_kind_request *q, const abr_opts *o, size_t size, abr_json_inner *x)
{
    abr_code code;
    if (x->is_log) {
        abr_view view = abr_json_log_view(&x->log);
        view.cut_inner = q->view->cut_inner;
        view.depth = q->view->depth + 1;
        code = q->view->cut_viewed(&view, o, &x->cut, NULL);
    } else {
        code = q->view->cut_inner(x->text, size, o, q->view, false, &x->cut);
    }
    x->failed = code != ABR_OK;
    return code == ABR_OK && x->cut.piece_count > 0;
}

/* The options for cutting a text inside this one by its own kind, within so many bytes or the fewer for
 * which enough is kept of a text that went by. */
static abr_opts inner_opts(const abr_kind_request *q, uint64_t bytes, bool marks)
{
    abr_opts o = *q->opts;
    o.strategy = ABR_AUTO;
    o.kind = ABR_KIND_TOLD;
    o.max = (abr_budget){.bytes = abr_at_most(bytes, abr_bytes_kept_for(q->keep)),
                         .chars = ABR_UNLIMITED,
                         .lines = ABR_UNLIMITED,
                         .tokens = ABR_UNLIMITED};
    o.marker = marks ? ABR_MARKER_INSIDE : ABR_MARKER_NONE;
    o.reserve_len = 0;
    return o;
}

/* Cut a string's `size` decoded bytes within `most` bytes of spelling. */
static bool cut_within(const abr_kind_request *q, size_t size, bool is_lines, uint64_t most,
                       abr_json_inner *x)
{
    /* the part of the text that probably takes `most` bytes of spelling */
    abr_opts o = inner_opts(q, most * size / x->n, x->marks);
    for (size_t i = 0; i < TRIES && o.max.bytes >= ROOM_LEAST; i++) {
        abr_cut_free(&x->cut);
        if (!try_cut(q, &o, size, x) || (!is_lines && x->cut.kind != ABR_KIND_JSON))
            return false;
        const uint64_t taken = spelled_size(x);
        if (taken <= most)
            return true;
        const uint64_t share = o.max.bytes * most / taken;
        o.max.bytes = share - share / 64 - 1;
    }
    return false;
}

bool abr_json_is_deep(const abr_kind_request *q, size_t n)
{
    const abr_view *view = q->view;
    return !view->cut_inner || view->depth + 1 >= DEPTH_OF_DOCUMENTS ||
           (view->depth > 0 && view->held + n > NESTED_MOST &&
            (view->held + n - NESTED_MOST) / NESTED_PER_BYTE > q->keep);
}

bool abr_json_inner_cut(const abr_kind_request *q, const abr_alloc *alloc, const char *raw, size_t n,
                        uint64_t most, bool marks, abr_json_inner *x)
{
    *x = (abr_json_inner){.raw = raw, .n = n, .marks = marks};
    if (abr_json_is_deep(q, n) || most < ROOM_LEAST || n <= TEXT_LEAST)
        return false;
    x->text = alloc->malloc(alloc->ctx, n);
    x->failed = !x->text;
    if (x->failed)
        return false;
    const size_t size = abr_json_decode(raw, n, x->text);
    bool is_lines;
    return may_be_document(x->text, size, &is_lines) && cut_within(q, size, is_lines, most, x);
}

bool abr_json_inner_cut_log(const abr_kind_request *q, const abr_json_held *held,
                            const abr_json_held_string *s, uint64_t most, bool marks, abr_json_inner *x)
{
    const abr_alloc *alloc = held->opts.alloc;
    *x = (abr_json_inner){.n = s->n, .is_log = true, .marks = marks};
    if (abr_json_is_deep(q, 0) || !q->view->cut_viewed || most < ROOM_LEAST)
        return false;
    x->spelled = alloc->malloc(alloc->ctx, (size_t)most);
    x->failed = !x->spelled || !abr_json_held_log(held, s, q->keep, &x->log, &x->text);
    return !x->failed && cut_within(q, s->n, true, most, x);
}

void abr_json_inner_free(abr_json_inner *x, const abr_alloc *alloc)
{
    abr_cut_free(&x->cut);
    if (x->text && x->is_log)
        abr_json_log_close(&x->log);
    abr_release(alloc, x->text);
    abr_release(alloc, x->spelled);
}

/* ---- the elements of an array ---- */

/* Keep the elements of lines first..last, both counted from 0; the first `next` elements are already
 * passed. Returns the first one that is not. */
static size_t keep_elements(abr_json_line_list *x, size_t next, uint64_t first, uint64_t last)
{
    while (next + 1 < x->count && x->elements[next + 1].line <= first)
        next++;
    for (; next < x->count && x->elements[next].line <= last; next++)
        x->elements[next].kept = true;
    return next > 0 ? next - 1 : 0;
}

bool abr_json_joined_keep(abr_json_line_list *x, const abr_kind_request *q, uint64_t bytes)
{
    const abr_opts o = inner_opts(q, bytes, false);
    abr_cut cut;
    for (size_t i = 0; i < x->count; i++)
        x->elements[i].kept = false;
    x->failed = q->view->cut_inner(x->text, x->text_n, &o, q->view, false, &cut) != ABR_OK;
    if (x->failed)
        return false;
    const bool is_log = cut.kind == ABR_KIND_LOG && cut.hits_found > 0;
    size_t next = 0;
    for (size_t i = 0; i < cut.piece_count && is_log; i++)
        if (cut.pieces[i].source)
            next = keep_elements(x, next, cut.pieces[i].first_line - 1, cut.pieces[i].last_line - 1);
    abr_cut_free(&cut);
    return is_log;
}

/* ---- the log ---- */

bool abr_json_elements_open(abr_json_elements *x, const abr_kind_request *q, const abr_json_held *held,
                            size_t i)
{
    *x = (abr_json_elements){.alloc = held->opts.alloc};
    if (abr_json_is_deep(q, 0) || !q->view->cut_viewed)
        return false;
    x->failed = !abr_json_held_log(held, &held->strings[i], q->keep, &x->log, &x->text);
    return !x->failed;
}

void abr_json_elements_close(abr_json_elements *x)
{
    if (x->text)
        abr_json_log_close(&x->log);
    abr_release(x->alloc, x->text);
    abr_release(x->alloc, x->kept);
}

/* ---- where lines are ---- */

/* Lines of an end that is at hand, the next one first. */
typedef struct {
    const char *p;
    const char *end;
    bool whole; /* the last line ends with it */
    abr_json_kept next;
} end_lines;

/* The next line; false: it isn't all at hand. */
static bool find_line_end(const end_lines *x, size_t *n)
{
    const char *newline = x->p < x->end ? memchr(x->p, '\n', (size_t)(x->end - x->p)) : NULL;
    *n = (size_t)((newline ? newline : x->end) - x->p);
    return newline || (x->whole && x->p < x->end);
}

/* Is this line in the end? Ordinals ascend. */
static bool find_in_end(end_lines *x, uint64_t ordinal, abr_json_kept *out)
{
    size_t n;
    bool found;
    if (x->next.ordinal > ordinal)
        return false;
    while ((found = find_line_end(x, &n)) && x->next.ordinal < ordinal) {
        x->next.newlines += abr_json_feed_newlines(x->p, n);
        x->next.at += n + 1;
        x->next.ordinal++;
        x->p += x->p + n < x->end ? n + 1 : n;
    }
    if (!found) {
        x->p = x->end;
        return false;
    }
    *out = x->next;
    out->p = x->p;
    out->n = n;
    return true;
}

/* The lines of the array's two ends, as many bytes of each as a log read for `keep` has. */
static end_lines lines_in_front(const abr_json_log *log, size_t keep)
{
    const size_t n = abr_bytes_at_most(keep, log->edge);
    return (end_lines){.p = log->front, .end = log->front + n, .whole = n == log->bytes};
}

static end_lines lines_in_back(const abr_json_log *log, size_t keep)
{
    const size_t n = abr_bytes_at_most(keep, abr_bytes_at_most(log->back_n, log->edge));
    const char *end = log->back + log->back_n;
    const char *start = end - n;
    const char *newline = n > 0 && n < log->bytes ? memchr(start, '\n', n) : NULL;
    if (newline)
        start = newline + 1;
    else if (n < log->bytes)
        start = end;
    const size_t left = (size_t)(end - start);
    return (end_lines){.p = start,
                       .end = end,
                       .whole = true,
                       .next = {.ordinal = log->newlines - abr_count_newlines(start, left),
                                .at = log->bytes - left,
                                .newlines = log->blank_newlines - abr_json_feed_newlines(start, left)}};
}

/* Find the bytes of the kept elements. */
static void find_kept_lines(abr_json_elements *x, size_t keep, const abr_retained *r)
{
    end_lines front = lines_in_front(&x->log, keep);
    end_lines back = lines_in_back(&x->log, keep);
    size_t next = 0;
    for (size_t i = 0; i < x->count; i++) {
        abr_json_kept *e = &x->kept[i];
        if (find_in_end(&front, e->ordinal, e) || find_in_end(&back, e->ordinal, e))
            continue;
        while (next < r->count && r->lines[r->keys[next].index].c->line < e->ordinal)
            next++;
        const abr_candidate *c = next < r->count ? r->lines[r->keys[next].index].c : NULL;
        if (!c || c->line != e->ordinal || c->start_n != c->size)
            continue;
        e->p = c->start;
        e->n = c->start_n;
        e->at = c->at;
        e->newlines = c->chars - c->line;
    }
}

/* ---- the choice ---- */

static bool note_kept(abr_json_elements *x, uint64_t ordinal)
{
    if (!abr_grow(x->alloc, &x->kept, &x->size, x->count + 1, SIZE_MAX, sizeof *x->kept))
        return false;
    x->kept[x->count++] = (abr_json_kept){.ordinal = ordinal};
    return true;
}

static bool note_pieces(abr_json_elements *x, const abr_cut *cut)
{
    x->count = 0;
    for (size_t i = 0; i < cut->piece_count; i++) {
        const abr_piece *piece = &cut->pieces[i];
        const uint64_t next = x->count > 0 ? x->kept[x->count - 1].ordinal + 1 : 0;
        if (!piece->source)
            continue;
        for (uint64_t line = piece->first_line - 1 > next ? piece->first_line - 1 : next;
             line < piece->last_line; line++)
            if (!note_kept(x, line))
                return false;
    }
    return true;
}

bool abr_json_elements_keep(abr_json_elements *x, const abr_kind_request *q, uint64_t bytes)
{
    const abr_opts o = inner_opts(q, bytes, false);
    abr_view view = abr_json_log_view(&x->log);
    abr_cut cut;
    view.depth = q->view->depth + 1;
    x->failed = q->view->cut_viewed(&view, &o, &cut, NULL) != ABR_OK;
    if (x->failed)
        return false;
    x->failed = !note_pieces(x, &cut);
    abr_cut_free(&cut);
    const size_t most = abr_retainer_most_lines(x->log.retainer);
    abr_retained r = {.lines = x->alloc->malloc(x->alloc->ctx, most * sizeof *r.lines),
                      .keys = x->alloc->malloc(x->alloc->ctx, 2 * most * sizeof *r.keys)};
    x->failed = x->failed || !r.lines || !r.keys;
    if (!x->failed) {
        abr_retainer_lines(x->log.retainer, q->keep, &r);
        abr_sort_retained(&r);
        find_kept_lines(x, q->keep, &r);
    }
    abr_release(x->alloc, r.lines);
    abr_release(x->alloc, r.keys);
    return !x->failed && x->count > 0;
}
