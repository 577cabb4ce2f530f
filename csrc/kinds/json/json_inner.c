/*
 * Strings that are documents. Such a string is decoded and cut by the room that cuts any text; the kept chars are then
 * shown in the string's own spelling, so that escapes stay as they are.
 */
#include <string.h>

#include "kinds/json/json_inner.h"
#include "abridge.h"
#include "base/memory.h"
#include "base/size.h"
#include "kinds/json/json_string.h"
#include "text/scan.h"

enum {
    DEPTH_OF_DOCUMENTS = 4, /* one in the other, the outermost counted */
    TEXT_LEAST = 512,       /* bytes, decoded */
    ROOM_LEAST = 128,       /* bytes that a cut is worth */
    NEWLINES = 4,           /* of several lines */
    TRIES = 6,
    DECODED_MOST = 4, /* bytes */
    ESCAPE_MOST = 6
};

/* ---- all of one string ---- */

size_t abr_json_lines_most(size_t keep)
{
    const size_t most = (SIZE_MAX / 4 - ABR_JSON_LINES_MOST) / ABR_JSON_LINES_PER_BYTE;
    return ABR_JSON_LINES_MOST + (keep < most ? keep : most) * ABR_JSON_LINES_PER_BYTE;
}

bool abr_json_has_lines(const abr_json_lines_text *x, size_t keep)
{
    return x->whole && (x->document || x->n <= abr_json_lines_most(keep));
}

bool abr_json_lines_reserve(abr_json_lines_text *x, size_t n, const abr_alloc *alloc)
{
    if (x->document || x->whole || x->most == 0)
        return true;
    void *p = x->p;
    const size_t left = x->most - x->n;
    const bool fine = abr_grow(alloc, &p, &x->size, x->n + (n < left ? n : left), x->most, 1);
    x->p = p;
    return fine;
}

void abr_json_lines_begin(abr_json_lines_text *x, uint64_t at)
{
    if ((x->whole && !x->document) || x->too_long)
        return;
    x->at = at;
    x->n = 0;
    x->passes = x->is_lines = false;
}

static bool has_lines(const char *p, size_t n)
{
    size_t count = 0;
    for (size_t i = 0; i + 1 < n; i++) {
        if (p[i] != '\\')
            continue;
        count += p[i + 1] == 'n';
        i++;
    }
    return count >= NEWLINES;
}

/* Is it JSON, or several lines, by its first bytes? */
static bool may_be_lines(const char *p)
{
    return *p == '{' || *p == '[' || has_lines(p, ABR_JSON_LINES_LEAST);
}

void abr_json_lines_take(abr_json_lines_text *x, const char *p, size_t n)
{
    if (x->document) {
        x->n += n;
        return;
    }
    if (x->whole || x->passes)
        return;
    const size_t room = x->most - x->n;
    const size_t part = n < room ? n : room;
    if (part > 0)
        memcpy(x->p + x->n, p, part);
    x->n += part;
    if (!x->is_lines && x->n >= ABR_JSON_LINES_LEAST) {
        x->is_lines = may_be_lines(x->p);
        x->passes = !x->is_lines;
    }
    if (part < n) {
        x->too_long = x->is_lines;
        x->passes = true;
    }
}

void abr_json_lines_end(abr_json_lines_text *x)
{
    if (x->document && x->n >= ABR_JSON_LINES_LEAST)
        x->is_lines = may_be_lines(x->document + x->at);
    x->whole = x->whole || (x->is_lines && !x->passes);
    if (!x->whole)
        x->n = 0;
}

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

/* The next char: its bytes in `dst`; returns how many, and where the one after it is in *at. */
static size_t next_char(const abr_json_inner *x, inner_place *at, char dst[DECODED_MOST])
{
    const size_t size = abr_json_char_size(x->raw + at->raw, x->n - at->raw);
    const size_t n = abr_json_decode(x->raw + at->raw, size, dst);
    at->raw += size;
    at->text += n;
    return n;
}

/* Blanks that a cut of JSON leaves out are in the range of its piece, and not in its bytes. */
static void tell_kept(const abr_json_inner *x, const abr_piece *piece, inner_place *at,
                      const abr_json_inner_parts *to)
{
    char c[DECODED_MOST];
    while (at->text + 1 < piece->first_byte)
        next_char(x, at, c);
    size_t from = at->raw;
    for (size_t shown = 0; at->text < piece->last_byte;) {
        const size_t before = at->raw;
        const size_t n = next_char(x, at, c);
        if (n <= piece->n - shown && memcmp(piece->p + shown, c, n) == 0) {
            shown += n;
            continue;
        }
        if (before > from)
            to->keep(to->ctx, from, before - from);
        from = at->raw;
    }
    if (at->raw > from)
        to->keep(to->ctx, from, at->raw - from);
}

/* Without markers, the source's own newline stands where lines are left out. */
static void tell_newline(const abr_json_inner *x, inner_place *at, const abr_json_inner_parts *to)
{
    char c[DECODED_MOST];
    const size_t from = at->raw;
    inner_place next = *at;
    if (from == x->n || next_char(x, &next, c) != 1 || *c != '\n')
        return;
    *at = next;
    to->keep(to->ctx, from, next.raw - from);
}

void abr_json_inner_tell(const abr_json_inner *x, const abr_json_inner_parts *to)
{
    inner_place at = {0, 0};
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

static void count_kept(void *ctx, size_t at, size_t n)
{
    (void)at;
    *(uint64_t *)ctx += n;
}

static void count_marked(void *ctx, const char *p, size_t n)
{
    (void)p;
    *(uint64_t *)ctx += n;
}

/* Bytes that the cut takes as it will be spelled. */
static uint64_t spelled_size(const abr_json_inner *x)
{
    uint64_t size = 0;
    const abr_json_inner_parts to = {count_kept, count_marked, &size};
    abr_json_inner_tell(x, &to);
    return size;
}

/* Is it several lines, or may it be JSON? */
static bool may_be_document(const char *p, size_t n, bool *is_lines)
{
    *is_lines = abr_count_newlines(p, n) >= NEWLINES;
    return n > TEXT_LEAST && (*is_lines || *p == '{' || *p == '[');
}

bool abr_json_inner_cut(const abr_kind_request *q, const abr_alloc *alloc, const char *raw, size_t n,
                        uint64_t most, bool marks, abr_json_inner *x)
{
    *x = (abr_json_inner){.raw = raw, .n = n, .marks = marks};
    if (!q->view->cut_inner || q->view->depth + 1 >= DEPTH_OF_DOCUMENTS || most < ROOM_LEAST ||
        n <= TEXT_LEAST)
        return false;
    x->text = alloc->malloc(alloc->ctx, n);
    x->failed = !x->text;
    if (x->failed)
        return false;
    const size_t size = abr_json_decode(raw, n, x->text);
    bool is_lines;
    if (!may_be_document(x->text, size, &is_lines))
        return false;
    abr_opts o = *q->opts;
    o.strategy = ABR_AUTO;
    o.kind = ABR_KIND_TOLD;
    /* as much of the text as is likely to be spelled in `most` bytes */
    o.max = (abr_budget){
        .bytes = most * size / n, .chars = ABR_UNLIMITED, .lines = ABR_UNLIMITED, .tokens = ABR_UNLIMITED};
    o.marker = marks ? ABR_MARKER_INSIDE : ABR_MARKER_NONE;
    o.reserve_len = 0;
    for (size_t i = 0; i < TRIES && o.max.bytes >= ROOM_LEAST; i++) {
        abr_cut_free(&x->cut);
        x->failed = q->view->cut_inner(x->text, size, &o, q->view->depth + 1, false, &x->cut) != ABR_OK;
        if (x->failed || x->cut.piece_count == 0 || (!is_lines && x->cut.kind != ABR_KIND_JSON))
            return false;
        const uint64_t taken = spelled_size(x);
        if (taken <= most)
            return true;
        const uint64_t share = o.max.bytes * most / taken;
        o.max.bytes = share - share / 64 - 1;
    }
    return false;
}

void abr_json_inner_free(abr_json_inner *x, const abr_alloc *alloc)
{
    abr_cut_free(&x->cut);
    if (x->text)
        alloc->free(alloc->ctx, x->text);
}
