/*
 * What a priority cut keeps: of the lines that were retained and of the text's two ends, within the budgets.
 *
 * The last lines have their share first, then the first line; then lines are taken by what they are worth for their
 * size, each with the marker of the gap it makes; what is left goes to the edges of the gaps, see fill.c. A long line is
 * shown as its start and a window around its sign. Where tokens are limited, the room in bytes is found by bisection, the
 * content being counted as the model would see it.
 *
 * Invariant: the sum of what is kept and of the markers, each at its widest until all are known, is within every budget.
 */
#include <string.h>

#include "priority/choice.h"
#include "abridge.h"
#include "budget/options.h"
#include "budget/span.h"
#include "budget/token_count.h"
#include "budget/view.h"
#include "priority/chooser.h"
#include "priority/fill.h"
#include "priority/keep_value.h"
#include "priority/line_score.h"
#include "priority/retain.h"
#include "priority/sort.h"
#include "priority/stretch.h"
#include "text/scan.h"

enum {
    RANKED = 24, /* added to a line's size when its worth is weighed by size: what its marker costs */
    WIDTH_LEAST = 160,
    WIDTH_MOST = 1200,
    WIDTH_SHARE = 8, /* a line's part of the budget */
    TAIL_SHARE = 8,  /* part of the budget that the end has for certain */
    HEAD_SHARE = 24  /* the same of the first line */
};

static const float size_power = 0.3F; /* how much of a line's size counts against it */

static bool beside_kept(const abr_chooser *x, size_t i, size_t k)
{
    uint64_t a = x->units[i].line;
    uint64_t b = x->units[k].line;
    return x->units[k].kept && (a > b ? a - b : b - a) == 1;
}

/* Keep a unit if it fits with the markers of the gaps it makes. */
static bool keep_unit(abr_chooser *x, size_t i, abr_cost *used)
{
    abr_shown_line *u = &x->units[i];
    bool above = u->line == 0 || (i > 0 && beside_kept(x, i, i - 1));
    bool below = u->line + 1 == x->view->lines || (i + 1 < x->count && beside_kept(x, i, i + 1));
    abr_span more = {.shown = u->shown, .chars = u->chars};
    abr_cost before = *used;
    if (above && below) { /* it closes a gap */
        before.shown = abr_less(before.shown, x->marker.shown);
        before.chars = abr_less(before.chars, x->marker.chars);
    } else if (!above && !below) {
        more.shown += x->marker.shown;
        more.chars += x->marker.chars;
    }
    if (u->shown == 0 || !abr_fits(x, &before, &more, 1))
        return false;
    used->lines++;
    used->shown = before.shown + more.shown;
    used->chars = before.chars + more.chars;
    u->kept = true;
    return true;
}

/* The last lines within their share; the very last one in any case that it fits. Does it? */
static bool keep_end(abr_chooser *x, abr_cost *used)
{
    uint64_t share = x->room.shown / TAIL_SHARE;
    uint64_t chars = x->room.chars == ABR_UNLIMITED ? ABR_UNLIMITED : x->room.chars / TAIL_SHARE;
    uint64_t taken = 0;
    uint64_t taken_chars = 0;
    bool some = false;
    for (size_t i = x->count; i > 0 && x->units[i - 1].line + (x->count - i) + 1 == x->view->lines; i--) {
        abr_shown_line *u = &x->units[i - 1];
        taken += u->shown;
        taken_chars += u->chars;
        if (some && (taken > share || taken_chars > chars))
            return true;
        if (!keep_unit(x, i - 1, used))
            return i < x->count;
        some = some || u->c->kind != ABR_K_BLANK;
    }
    return true;
}

/* Weigh the units, none of them kept. Returns how many are worth something: x->keys has these, the best first. */
static size_t rank_units(abr_chooser *x)
{
    size_t n = 0;
    for (size_t i = 0; i < x->count; i++) {
        abr_shown_line *u = &x->units[i];
        u->kept = false;
        abr_weigh_unit(x, u);
        if (u->value <= 0)
            continue;
        float rank = abr_log2(u->value) - size_power * abr_log2((float)(u->shown + RANKED));
        x->keys[n++] = (abr_key){~abr_float_key(rank), (uint32_t)i};
    }
    abr_sort_keys(x->keys, n, x->keys + n);
    return n;
}

static void keep_best(abr_chooser *x)
{
    x->marker = abr_widest_marker(x);
    abr_cost used = {0, x->marker.shown, x->marker.chars};
    size_t ranked = rank_units(x);
    if (!keep_end(x, &used))
        return; /* of so little room the end gets what there is */
    if (x->count > 0 && x->units[0].line == 0 && x->units[0].shown <= x->room.shown / HEAD_SHARE &&
        !x->units[0].kept)
        keep_unit(x, 0, &used);
    for (size_t k = 0; k < ranked; k++)
        if (!x->units[x->keys[k].index].kept)
            keep_unit(x, x->keys[k].index, &used);
}

/* Choose what is kept within so many bytes. */
static void choose(abr_chooser *x, uint64_t shown)
{
    x->room.shown = shown;
    uint64_t most = shown != ABR_UNLIMITED           ? shown
                    : x->room.chars != ABR_UNLIMITED ? x->room.chars
                                                     : (uint64_t)WIDTH_MOST * WIDTH_SHARE;
    x->width = abr_at_most(abr_at_least(most / WIDTH_SHARE, abr_at_most(WIDTH_LEAST, most / 3)), WIDTH_MOST);
    keep_best(x);
    abr_fill_kept(x);
}

/* ---- tokens ---- */

/* Take what does not count out of the content: markers that are asked for outside. */
static void drop_outside(const abr_chooser *x, abr_cut *cut)
{
    abr_piece *pieces = cut->block;
    abr_span left = {0};
    size_t count = 0;
    if (x->opts->marker != ABR_MARKER_OUTSIDE)
        return;
    for (size_t i = 0; i < cut->piece_count; i++) {
        if (!pieces[i].source)
            continue;
        abr_weigh(&x->scale, pieces[i].p, pieces[i].n, &left);
        pieces[count++] = pieces[i];
    }
    cut->piece_count = count;
    cut->content_bytes = (size_t)left.shown;
}

/* Do the content and the reserve stay within the tokens? */
static bool tokens_fit(abr_chooser *x)
{
    if (x->failure != ABR_OK)
        return false;
    abr_cut cut = {.alloc = x->alloc, .utf8_replace = x->scale.replace};
    x->failure = abr_settle_kept(x, &cut);
    uint64_t tokens = 0;
    if (x->failure == ABR_OK) {
        drop_outside(x, &cut);
        size_t size = cut.content_bytes + x->opts->reserve_len;
        char *text = x->alloc->malloc(x->alloc->ctx, size + 1);
        if (text) {
            abr_cut_write(&cut, text);
            if (x->opts->reserve_len > 0)
                memcpy(text + cut.content_bytes, x->opts->reserve, x->opts->reserve_len);
            x->failure = abr_count_tokens(x->opts, text, size, &tokens);
            x->alloc->free(x->alloc->ctx, text);
        } else {
            x->failure = ABR_ENOMEM;
        }
    }
    abr_cut_free(&cut);
    return x->failure == ABR_OK && tokens <= x->opts->max.tokens;
}

static void choose_by_tokens(abr_chooser *x)
{
    uint64_t most = x->room.shown;
    choose(x, most);
    if (tokens_fit(x) || x->failure != ABR_OK)
        return;
    uint64_t least = 0;
    while (most - least > 1 + most / 512 && x->failure == ABR_OK) {
        uint64_t middle = least + (most - least) / 2;
        choose(x, middle);
        if (tokens_fit(x))
            least = middle;
        else
            most = middle;
    }
    if (x->failure == ABR_OK)
        choose(x, least);
    if (least == 0 || x->kept_count == 0)
        x->kept_count = 0;
}

/* ---- memory ---- */

static bool allocate(abr_chooser *x)
{
    const abr_alloc *a = x->alloc;
    const size_t edges = ABR_TAIL_LINES + ABR_HEAD_LINES;
    size_t most = abr_priority_most(x->view->priority) + edges;
    x->retained.lines = a->malloc(a->ctx, most * sizeof *x->retained.lines);
    x->retained.order = a->malloc(a->ctx, most * sizeof *x->retained.order);
    x->edges = a->malloc(a->ctx, edges * sizeof *x->edges);
    x->units = a->malloc(a->ctx, most * sizeof *x->units);
    x->keys = a->malloc(a->ctx, 2 * most * sizeof *x->keys);
    x->retained.keys = x->keys;
    return x->retained.lines && x->retained.order && x->edges && x->units && x->keys;
}

static void release(abr_chooser *x)
{
    void *owned[] = {x->retained.lines, x->retained.order, x->edges, x->units, x->keys, x->kept};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++)
        if (owned[i])
            x->alloc->free(x->alloc->ctx, owned[i]);
}

static abr_shown_line unit_of(const abr_retained_line *line)
{
    return (abr_shown_line){.c = line->c, .line = line->c->line, .seen = line->seen};
}

/* Bytes at the start of an edge that may belong to a char before it. */
static size_t rest_of_char(const abr_edge *e)
{
    enum { MOST = 3 };
    size_t n = 0;
    while (n < MOST && n < e->n && ((unsigned char)e->p[n] & 0xC0) == 0x80)
        n++;
    return n;
}

/* See the ends as far as a stream with these budgets has them, without the chars that only half is known of. The
 * innermost byte of each only tells whether a line ends or starts beside the others. */
static void narrow_view(abr_chooser *x, abr_view *v, size_t keep)
{
    v->first_line = abr_view_line_size(v, ABR_FRONT);
    v->last_line = abr_view_line_size(v, ABR_BACK);
    x->view = v;
    if (v->bytes <= keep)
        return;
    const size_t n = keep - 1;
    v->front.n = n - abr_open_sequence(v->front.p, n);
    v->front.whole = false;
    x->front_ends_line = v->front.p[v->front.n] == '\n';
    v->back = (abr_edge){v->back.p + (v->back.n - n), n, false};
    size_t rest = rest_of_char(&v->back);
    v->back.p += rest;
    v->back.n -= rest;
    x->back_starts_line = v->back.p[-1] == '\n';
}

abr_code abr_priority_view(const abr_view *view, const abr_opts *opts, const abr_room *room,
                           const char *format, size_t format_len, abr_cut *cut)
{
    abr_chooser x = {
        .opts = opts, .alloc = cut->alloc, .room = *room, .format = format, .format_len = format_len};
    abr_budget max = opts->max;
    size_t keep = abr_keep(ABR_PRIORITY, &max);
    abr_view ends = *view;
    narrow_view(&x, &ends, keep);
    x.scale = (abr_scale){abr_wants_chars(opts), opts->utf8_replace};
    if (!allocate(&x)) {
        release(&x);
        return ABR_ENOMEM;
    }
    abr_priority_retained(view->priority, keep, &x.retained);
    cut->hits_found = x.retained.hits;
    abr_add_edges(&x);
    x.count = x.retained.count;
    for (size_t i = 0; i < x.count; i++)
        x.units[i] = unit_of(&x.retained.lines[x.retained.order[i]]);
    abr_value_units(&x);
    if (opts->max.tokens != ABR_UNLIMITED)
        choose_by_tokens(&x);
    else
        choose(&x, x.room.shown);
    if (x.failure == ABR_OK)
        x.failure = abr_settle_kept(&x, cut);
    release(&x);
    return x.failure;
}
