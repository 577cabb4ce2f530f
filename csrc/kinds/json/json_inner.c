/*
 * Strings that are documents. Such a string is decoded and cut like any text; the kept chars are then shown
 * in the string's own spelling, so that escapes stay as they are.
 */
#include <string.h>

#include "kinds/json/json_inner.h"
#include "abridge.h"
#include "base/memory.h"
#include "base/size.h"
#include "base/tiny.h"
#include "budget/options.h"
#include "kinds/json/json_string.h"
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
            to->mark(to->ctx, piece->p + from, i - from);
        if (i < piece->n)
            to->mark(to->ctx, escape, put_escape(piece->p[i], escape));
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
            to->keep(to->ctx, x->raw + from, from, before - from);
        from = at->raw;
    }
    if (at->raw > from)
        to->keep(to->ctx, x->raw + from, from, at->raw - from);
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
    to->keep(to->ctx, x->raw + from, from, next.raw - from);
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
                to->keep(to->ctx, x->spelled, at, n);
            line = piece->last_line;
            end = at + n;
            breaks = skipped + n < piece->n && piece->p[skipped + n] == ABR_JSON_BREAK;
        } else if (breaks) {
            to->keep(to->ctx, newline, end, newline_n);
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

static void count_kept(void *ctx, const char *p, size_t at, size_t n)
{
    (void)p;
    (void)at;
    *(uint64_t *)ctx += n;
}

static void count_marked(void *ctx, const char *p, size_t n)
{
    (void)p;
    *(uint64_t *)ctx += n;
}

/* Bytes that the cut takes in the string's spelling. */
static uint64_t spelled_size(const abr_json_inner *x)
{
    uint64_t size = 0;
    const abr_json_inner_parts to = {count_kept, count_marked, &size};
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

abr_opts abr_json_inner_opts(const abr_kind_request *q, uint64_t bytes, bool marks)
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
    abr_opts o = abr_json_inner_opts(q, most * size / x->n, x->marks);
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
