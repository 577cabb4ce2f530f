/*
 * The elements that a cut of the log keeps. If the array went by, each is a line, whose bytes are in the
 * log's two ends, or in its retainer, which has only a part of the longest lines.
 */
#include <string.h>

#include "kinds/json/json_elements.h"
#include "abridge.h"
#include "base/memory.h"
#include "base/size.h"
#include "kinds/json/json_inner.h"
#include "kinds/json/json_joined.h"
#include "priority/retain.h"
#include "text/scan.h"

/* ---- of an array at hand ---- */

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
    const abr_opts o = abr_json_inner_opts(q, bytes, false);
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
    const abr_opts o = abr_json_inner_opts(q, bytes, false);
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
