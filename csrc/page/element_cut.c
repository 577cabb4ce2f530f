/*
 * Cuts of pages of JSON: the elements that fit, in brackets, or the first one cut as JSON.
 *
 * The room cut/ decides how much fits: the longest start of the page within the budgets, with room for its
 * closing bracket. The page ends with the last element that ends within it.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "page/element_cut.h"
#include "abridge.h"
#include "base/error.h"
#include "budget/options.h"
#include "files/element_places.h"
#include "files/file_index.h"
#include "page/page_state.h"
#include "text/scan.h"

enum {
    INDEX_DIGITS = 20,
    INDEX_MARK = 2,              /* ~# */
    RAW_MOST = 6 * ABR_NAME_MOST /* bytes of a name with escapes */
};

void abr_cut_as_json(abr_opts *o)
{
    o->strategy = ABR_AUTO;
    o->kind = ABR_KIND_JSON;
    o->snap = ABR_SNAP_LINE;
    o->long_line = ABR_LONG_DEFAULT;
    o->marker_text = NULL;
    o->marker_text_len = 0;
}

static const char *closing(const abr_element_scan *s)
{
    return s->scalar ? "" : s->object ? "}" : "]";
}

/* Is the whole rest of the array or object at hand? */
static bool is_whole(const abr_element_scan *s)
{
    return s->end > 0 && s->end - s->first.at == s->n - s->bracket;
}

/* ---- how much fits ---- */

/* The part of the page that shows. */
typedef struct {
    size_t n;       /* bytes of the front */
    uint64_t count; /* elements that end in it */
    abr_unit by;    /* the budget that bound it */
    bool whole;     /* it is the whole rest */
} shown_part;

/* The most bytes of the front that fit with a bracket after them. */
static abr_code fit_front(const abr_element_scan *s, const abr_opts *opts, shown_part *part, abr_error *error)
{
    abr_opts o = *opts;
    abr_cut cut;
    const size_t bracket = s->scalar ? 0 : 1;
    char *reserve = s->alloc->malloc(s->alloc->ctx, opts->reserve_len + 1);
    if (!reserve)
        return abr_no_memory(error);
    reserve[0] = *closing(s);
    if (opts->reserve_len > 0)
        memcpy(reserve + bracket, opts->reserve, opts->reserve_len);
    o.strategy = ABR_HEAD_TAIL;
    o.snap = ABR_SNAP_CHAR;
    o.marker = ABR_MARKER_NONE;
    o.head_ratio = 1;
    o.reserve = reserve;
    o.reserve_len = opts->reserve_len + bracket;
    abr_code code = abr_cut_text(s->front, s->n, &o, &cut, error);
    if (code == ABR_OK) {
        part->n = cut.piece_count > 0 ? cut.pieces[0].n : 0;
        part->by = cut.truncated_by;
        part->whole = !cut.truncated && is_whole(s);
    }
    abr_cut_free(&cut);
    s->alloc->free(s->alloc->ctx, reserve);
    return code;
}

/* A walk over the ends of elements in the front. */
typedef struct {
    const abr_element_scan *scan;
    abr_json_scan json;
    uint64_t *levels;
    size_t at;
} front_walk;

/* Go on to the end of the next element; false: it is not in the front. */
static bool next_end(front_walk *w)
{
    const abr_element_scan *s = w->scan;
    for (;;) {
        abr_json_token token = abr_json_next(&w->json, s->front, s->n, &w->at);
        if (token == ABR_JSON_MORE || token == ABR_JSON_WRONG || token == ABR_JSON_DEEP || w->json.depth == 0)
            return false;
        if (token != ABR_JSON_OPEN && token != ABR_JSON_KEY && w->json.depth == 1)
            return true;
    }
}

/* The elements that fit whole. */
static abr_code count_whole(const abr_element_scan *s, shown_part *part, abr_error *error)
{
    front_walk w = {.scan = s};
    size_t end = 0;
    if (s->scalar)
        return ABR_OK;
    w.levels = s->alloc->malloc(s->alloc->ctx, s->level_words * sizeof *w.levels);
    if (!w.levels)
        return abr_no_memory(error);
    abr_json_open(&w.json, w.levels, s->level_words * ABR_JSON_LEVELS);
    while (next_end(&w) && w.at <= part->n) {
        part->count++;
        end = w.at;
    }
    if (!part->whole)
        part->n = end;
    s->alloc->free(s->alloc->ctx, w.levels);
    return ABR_OK;
}

/* ---- ledgers ---- */

/* Turn positions in a text that starts with the page's front into positions in the file. */
static void tell_file(const abr_element_scan *s, abr_cut *cut)
{
    const uint64_t bytes = s->first.at - s->bracket;
    abr_piece *pieces = cut->block;
    cut->output_lines = cut->output_bytes = cut->output_chars = 0;
    uint64_t last_line = 0;
    for (size_t i = 0; i < cut->piece_count; i++) {
        abr_piece *piece = &pieces[i];
        if (!piece->source)
            continue;
        piece->first_byte += bytes;
        piece->last_byte += bytes;
        piece->first_line += s->first.newlines;
        piece->last_line += s->first.newlines;
        const uint64_t size = piece->last_byte - piece->first_byte + 1;
        cut->output_bytes += size;
        cut->output_chars += abr_count_chars(piece->p, piece->n, NULL) + (size - piece->n);
        cut->output_lines += piece->last_line - piece->first_line + (piece->first_line != last_line);
        last_line = piece->last_line;
    }
    cut->total_lines = s->file.total_lines;
    cut->total_bytes = s->file.total_bytes;
    cut->omitted_lines = cut->total_lines - cut->output_lines;
    cut->omitted_bytes = cut->total_bytes - cut->output_bytes;
    cut->line_bytes = 0;
    cut->last_line_partial = cut->first_line_exceeds_limit = cut->final_newline = false;
}

static void tell_chars(const abr_element_scan *s, const abr_opts *opts, uint64_t before, abr_cut *cut)
{
    const bool counted = abr_wants_chars(opts);
    cut->total_chars = counted ? s->file.total_chars : 0;
    cut->output_chars = counted ? cut->output_chars : 0;
    cut->chars_before = counted && cut->output_bytes > 0 ? s->first.chars + before : 0;
}

static abr_piece *add_bytes(abr_cut *cut, const char *p, size_t n)
{
    abr_piece *piece = (abr_piece *)cut->block + cut->piece_count++;
    *piece = (abr_piece){.p = p, .n = n};
    cut->content_bytes += n;
    return piece;
}

/* The cut that shows whole elements. */
static abr_code show_elements(const abr_element_scan *s, const abr_opts *opts, const shown_part *part,
                              abr_cut *cut, abr_error *error)
{
    enum { MOST_PIECES = 3 }; /* a bracket, the elements, a bracket */
    const size_t n = part->n - s->bracket;
    cut->alloc = s->alloc;
    cut->block = s->alloc->malloc(s->alloc->ctx, MOST_PIECES * sizeof(abr_piece));
    if (!cut->block)
        return abr_no_memory(error);
    cut->pieces = cut->block;
    cut->max = opts->max;
    if (s->bracket > 0)
        add_bytes(cut, s->front, s->bracket);
    abr_piece *piece = add_bytes(cut, s->front + s->bracket, n);
    piece->source = true;
    piece->first_byte = s->bracket + 1;
    piece->last_byte = part->n;
    piece->first_line = 1;
    piece->last_line = 1 + abr_count_newlines(piece->p, n);
    if (!part->whole)
        add_bytes(cut, closing(s), 1);
    tell_file(s, cut);
    tell_chars(s, opts, 0, cut);
    return ABR_OK;
}

/* ---- the first element alone ---- */

/* The first element, in brackets, if it has no stream. */
static bool copy_first(abr_page *page, size_t *n)
{
    abr_element_scan *s = &page->scan;
    const size_t size = (size_t)(s->first_end - s->first.at) + s->bracket;
    *n = s->first_end == s->end ? size : size + 1;
    if (page->first)
        return true;
    page->first = s->alloc->malloc(s->alloc->ctx, *n + 1);
    if (!page->first)
        return false;
    memcpy(page->first, s->front, size);
    page->first[size] = *closing(s);
    return true;
}

/* Copy a cut of the first element, with the brackets that are not the document's as pieces of their own. */
static abr_code with_brackets(const abr_element_scan *s, const abr_cut *inner, abr_cut *cut, abr_error *error)
{
    const uint64_t end = s->first_end - s->first.at + s->bracket; /* end of the document's bytes */
    size_t size = 0;
    for (size_t i = 0; i < inner->piece_count; i++)
        size += inner->pieces[i].n;
    *cut = *inner;
    cut->alloc = s->alloc;
    cut->items = NULL;
    cut->item_count = cut->piece_count = cut->content_bytes = 0;
    cut->block = s->alloc->malloc(s->alloc->ctx, (inner->piece_count + 2) * sizeof(abr_piece) + size);
    if (!cut->block)
        return abr_no_memory(error);
    cut->pieces = cut->block;
    char *text = (char *)cut->block + (inner->piece_count + 2) * sizeof(abr_piece);
    for (size_t i = 0; i < inner->piece_count; i++) {
        abr_piece piece = inner->pieces[i];
        piece.p = memcpy(text, piece.p, piece.n);
        text += piece.n;
        if (!piece.source) {
            add_bytes(cut, piece.p, piece.n);
            continue;
        }
        const size_t before = piece.first_byte <= s->bracket;
        const size_t after = piece.last_byte > end;
        if (before > 0)
            add_bytes(cut, piece.p, before);
        if (piece.n > before + after) {
            abr_piece *own = add_bytes(cut, piece.p + before, piece.n - before - after);
            *own = piece;
            own->p += before;
            own->n -= before + after;
            own->first_byte += before;
            own->last_byte -= after;
        }
        if (after > 0)
            add_bytes(cut, piece.p + piece.n - 1, after);
    }
    return ABR_OK;
}

/* A number, true, false or null that does not fit: a part of it would be another value, or invalid. */
static abr_code omit_scalar(const abr_element_scan *s, const abr_opts *opts, abr_cut *cut, abr_error *error)
{
    abr_opts o = *opts;
    o.strategy = ABR_HEAD;
    o.long_line = ABR_LONG_OMIT;
    return abr_cut_text(s->front, s->n, &o, cut, error);
}

static abr_code cut_first(abr_page *page, const abr_opts *opts, const abr_narrow *narrow, abr_cut *cut,
                          abr_error *error)
{
    abr_element_scan *s = &page->scan;
    abr_cut inner;
    abr_code code;
    size_t n;
    memset(&inner, 0, sizeof inner);
    if (s->scalar && s->front[0] != '"')
        code = omit_scalar(s, opts, &inner, error);
    else if (s->long_one)
        code = abr_stream_snapshot(s->long_one, narrow, &inner, error);
    else if (copy_first(page, &n))
        code = abr_cut_text(page->first, n, opts, &inner, error);
    else
        code = abr_no_memory(error);
    if (code == ABR_OK)
        code = with_brackets(s, &inner, cut, error);
    if (code == ABR_OK) {
        const uint64_t before = inner.chars_before;
        tell_file(s, cut);
        tell_chars(s, opts, before > s->bracket ? before - s->bracket : 0, cut);
    }
    abr_cut_free(&inner);
    return code;
}

/* ---- the next page ---- */

/* Write a pointer to an element; the name is NULL if it has no usable one. */
static void point_to(abr_page *page, uint64_t index, const char *name, size_t n)
{
    const abr_element_scan *s = &page->scan;
    char *p = page->pointer;
    size_t size = abr_scan_parent(s);
    memcpy(p, s->pointer.text, size);
    p[size++] = '/';
    size_t named = name && s->unique ? abr_escape_name(name, n, p + size) : 0;
    if (named == 0)
        named = (size_t)snprintf(p + size, INDEX_DIGITS + INDEX_MARK + 1,
                                 s->object ? "~#%" PRIu64 : "%" PRIu64, index);
    page->items.next = p;
    page->items.next_len = size + named;
}

/* The member after n bytes of the front: its place, and its name or NULL. */
static const char *member_after(abr_page *page, size_t n, uint64_t index, abr_element_at *place, char *name,
                                size_t *name_n)
{
    const abr_element_scan *s = &page->scan;
    abr_json_scan json;
    uint64_t levels[1];
    size_t i = 0;
    if (s->after.index == index) {
        *place = s->after;
        *name_n = s->after_n;
        return s->after_n <= ABR_NAME_MOST ? s->after_name : NULL;
    }
    if (n > s->n)
        return NULL; /* not at hand */
    while (n + i < s->n && s->front[n + i] != '"')
        i++;
    const size_t from = n + i;
    const char *before = s->front + s->bracket;
    *place = (abr_element_at){index, s->first.at + from - s->bracket,
                              s->first.newlines + abr_count_newlines(before, from - s->bracket),
                              s->first.chars + abr_count_chars(before, from - s->bracket, NULL)};
    abr_json_open(&json, levels, ABR_JSON_LEVELS);
    size_t end = 0;
    if (abr_json_next(&json, s->front + from, s->n - from, &end) != ABR_JSON_STRING)
        return NULL;
    *name_n = SIZE_MAX;
    if (end - 2 <= RAW_MOST)
        *name_n = abr_decode_string(s->front + from + 1, end - 2, name);
    return *name_n <= ABR_NAME_MOST ? name : NULL;
}

/* Tell the elements that a cut shows, and the pointer to continue at. */
static abr_code tell_items(abr_page *page, const shown_part *part, uint64_t shown, abr_error *error)
{
    abr_element_scan *s = &page->scan;
    const size_t parent = abr_scan_parent(s);
    char digits[INDEX_DIGITS + 1];
    const size_t index_most = INDEX_MARK + (size_t)snprintf(digits, sizeof digits, "%" PRIu64, s->total);
    const size_t longest = s->name_most > index_most ? s->name_most : index_most;
    memset(&page->items, 0, sizeof page->items);
    if (s->scalar)
        return ABR_OK;
    page->items = (abr_page_items){.members = s->object,
                                   .first = s->first.index,
                                   .shown = shown,
                                   .total = s->total,
                                   .parent = s->pointer.text,
                                   .parent_len = parent,
                                   .next_most = parent + 1 + longest};
    const uint64_t index = s->first.index + shown;
    if (index >= s->total || shown == 0)
        return ABR_OK;
    if (!page->pointer)
        page->pointer = s->alloc->malloc(s->alloc->ctx, parent + 1 + (size_t)2 * ABR_NAME_MOST +
                                                            INDEX_DIGITS + INDEX_MARK + 1);
    if (!page->pointer)
        return abr_no_memory(error);
    if (!s->object) {
        point_to(page, index, NULL, 0);
        return ABR_OK;
    }
    char decoded[RAW_MOST];
    abr_element_at place;
    size_t n = 0;
    const size_t end = part->count > 0 ? part->n : (size_t)(s->first_end - s->first.at) + s->bracket;
    const char *name = member_after(page, end, index, &place, decoded, &n);
    point_to(page, index, name, n);
    abr_element_places *known = page->opts.index ? abr_index_elements(page->opts.index, &page->of,
                                                                      page->items.next, page->items.next_len)
                                                 : NULL;
    if (known && name && s->unique && known->pointer_n == parent)
        abr_places_name(known, name, n, &place);
    return ABR_OK;
}

/* ---- the cut ---- */

static abr_page_lines element_lines(const abr_page *page, const abr_cut *cut)
{
    const uint64_t line = page->scan.first.newlines + 1;
    abr_page_lines lines = {line, line, 0, 0, 0};
    for (size_t i = 0; i < cut->piece_count; i++)
        if (cut->pieces[i].source)
            lines.last_line = cut->pieces[i].last_line;
    if (page->items.next)
        lines.next_offset = page->items.first + page->items.shown;
    return lines;
}

abr_code abr_cut_elements(abr_page *page, const abr_narrow *narrow, abr_cut *cut, abr_page_lines *lines,
                          abr_error *error)
{
    const abr_element_scan *s = &page->scan;
    abr_opts opts;
    shown_part part = {0, 0, ABR_BY_NONE, false};
    abr_code code = abr_narrowed(&page->cut, narrow, &opts, error);
    if (code == ABR_OK)
        code = fit_front(s, &opts, &part, error);
    if (code == ABR_OK)
        code = count_whole(s, &part, error);
    if (code != ABR_OK)
        return code;
    const bool alone = !part.whole && part.count == 0;
    code = alone ? cut_first(page, &opts, narrow, cut, error) : show_elements(s, &opts, &part, cut, error);
    uint64_t shown = alone ? s->total > s->first.index && cut->content_bytes > 0 : part.count;
    if (code == ABR_OK)
        code = tell_items(page, &part, shown, error);
    if (code != ABR_OK) {
        abr_cut_free(cut);
        return code;
    }
    cut->strategy = ABR_AUTO;
    cut->kind = ABR_KIND_JSON;
    cut->truncated = cut->truncated || page->items.next != NULL;
    cut->truncated_by = !cut->truncated                    ? ABR_BY_NONE
                        : cut->truncated_by != ABR_BY_NONE ? cut->truncated_by
                                                           : part.by;
    *lines = element_lines(page, cut);
    return ABR_OK;
}

abr_page_items abr_page_shown(const abr_page *page)
{
    abr_page_items items = page->items;
    if (page->outcome == ABR_EPOINTER)
        items = (abr_page_items){.members = page->scan.object, .total = page->scan.total};
    return items;
}
