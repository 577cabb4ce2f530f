/*
 * Choose the lines that a priority cut keeps, from those retained and the text's two ends, within the
 * budgets.
 *
 * Lines are kept step by step, see keep.c; the rest of the budget goes to the edges of the gaps, see fill.c.
 * If tokens are limited, the allowance in bytes is found by bisection, counting the tokens of the content as
 * the model would see it.
 *
 * Invariant: the kept lines and the markers, each at its widest until all are known, together stay within
 * every budget.
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
#include "priority/keep.h"
#include "priority/keep_value.h"
#include "line/command.h"
#include "priority/retain.h"
#include "priority/stretch.h"
#include "text/scan.h"
#include "text/utf8.h"

enum {
    RUN_LEAST = 160, /* bytes of a cut whose markers mention runs; in a smaller one, another line says more */
    WIDTH_LEAST = 280, /* bytes: of 2,214 lines that readers need, 1 KB shows 15 more than with 160 */
    WIDTH_MOST = 1200,
    WIDTH_SHARE = 8,  /* a line's part of the budget */
    NEAR_FAILURE = 8, /* lines of a failure in a written part, this near to a log, */
    NEAR_LOG = 2      /* or other lines */
};

/* Choose the lines to keep within so many bytes. */
static void choose(abr_chooser *x, uint64_t shown)
{
    x->allowance.shown = shown;
    x->tells_runs = shown >= RUN_LEAST && x->allowance.chars >= RUN_LEAST;
    uint64_t most = shown != ABR_UNLIMITED                ? shown
                    : x->allowance.chars != ABR_UNLIMITED ? x->allowance.chars
                                                          : (uint64_t)WIDTH_MOST * WIDTH_SHARE;
    x->width = abr_at_most(abr_at_least(most / WIDTH_SHARE, abr_at_most(WIDTH_LEAST, most / 3)), WIDTH_MOST);
    abr_keep_best(x);
    abr_fill_kept(x);
}

/* ---- tokens ---- */

/* Take markers outside the budget out of the content. */
static void drop_outside_markers(const abr_chooser *x, abr_cut *cut)
{
    abr_piece *pieces = cut->block;
    abr_span left = {0};
    size_t count = 0;
    if (x->opts->marker != ABR_MARKER_OUTSIDE)
        return;
    for (size_t i = 0; i < cut->piece_count; i++) {
        if (!pieces[i].source)
            continue;
        abr_add_cost(&x->measure, pieces[i].p, pieces[i].n, &left);
        pieces[count++] = pieces[i];
    }
    cut->piece_count = count;
    cut->content_bytes = (size_t)left.shown;
}

/* Do the content and the reserve keep to the budget of tokens? */
static bool choice_fits_tokens(abr_chooser *x)
{
    if (x->code != ABR_OK)
        return false;
    abr_cut cut = {.alloc = x->alloc, .utf8_replace = x->measure.replace};
    x->code = abr_fill_ledger(x, &cut);
    uint64_t tokens = 0;
    if (x->code == ABR_OK) {
        drop_outside_markers(x, &cut);
        size_t size = cut.content_bytes + x->opts->reserve_len;
        char *text = x->alloc->malloc(x->alloc->ctx, size + 1);
        if (text) {
            abr_cut_write(&cut, text);
            if (x->opts->reserve_len > 0)
                memcpy(text + cut.content_bytes, x->opts->reserve, x->opts->reserve_len);
            x->code = abr_count_tokens(x->opts, text, size, &tokens);
            x->alloc->free(x->alloc->ctx, text);
        } else {
            x->code = ABR_ENOMEM;
        }
    }
    abr_cut_free(&cut);
    return x->code == ABR_OK && tokens <= x->opts->max.tokens;
}

static void choose_by_tokens(abr_chooser *x)
{
    uint64_t most = x->allowance.shown;
    choose(x, most);
    if (choice_fits_tokens(x) || x->code != ABR_OK)
        return;
    uint64_t least = 0;
    while (most - least > 1 + most / 512 && x->code == ABR_OK) {
        uint64_t middle = least + (most - least) / 2;
        choose(x, middle);
        if (choice_fits_tokens(x))
            least = middle;
        else
            most = middle;
    }
    if (x->code == ABR_OK)
        choose(x, least);
}

/* ---- memory ---- */

/* Memory per retained line: allocations here, and the cut's pieces of it, with markers of some 20 bytes if
 * these come on top of the budget. */
enum {
    LINE_MEMORY = sizeof(abr_retained_line) + sizeof(abr_shown_line) + 2 * sizeof(abr_key) +
                  ABR_LINE_PARTS * sizeof(abr_stretch) + 2 * (sizeof(abr_piece) + 20),
    LINES_COPIES = 3 * ABR_MEMORY_UNIT /* the content, for the counter of tokens and the like */
};

_Static_assert(ABR_CANDIDATES_MEMORY(ABR_RETAIN_PER_BYTE *ABR_MEMORY_UNIT) +
                       (size_t)ABR_RETAIN_PER_BYTE * ABR_MEMORY_UNIT / ABR_CANDIDATE_COST * LINE_MEMORY +
                       LINES_COPIES <=
                   ABR_MEMORY_UNITS,
               "a log takes no more than a stream may for its budget");

static bool allocate(abr_chooser *x)
{
    const abr_alloc *a = x->alloc;
    size_t edges = ABR_TAIL_LINES + ABR_HEAD_LINES;
    for (size_t i = 0; i < x->parts.count; i++)
        edges += x->parts.list[i].head.lines + x->parts.list[i].tail.lines;
    size_t most = abr_retainer_most_lines(x->view->retainer) + edges;
    x->retained.lines = a->malloc(a->ctx, most * sizeof *x->retained.lines);
    x->edges = a->malloc(a->ctx, edges * sizeof *x->edges);
    x->lines = a->malloc(a->ctx, most * sizeof *x->lines);
    x->keys = a->malloc(a->ctx, 2 * most * sizeof *x->keys);
    x->retained.keys = x->keys;
    return x->retained.lines && x->edges && x->lines && x->keys;
}

static void release(abr_chooser *x)
{
    void *owned[] = {x->retained.lines, x->edges, x->lines, x->keys, x->kept};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++)
        if (owned[i])
            x->alloc->free(x->alloc->ctx, owned[i]);
}

static abr_shown_line shown_line(const abr_chooser *x, const abr_retained_line *line)
{
    const uint64_t at = line->c->line;
    return (abr_shown_line){.c = line->c,
                            .seen = line->seen,
                            .follows_like = at > 0 && abr_retainer_alike(x->view->retainer, at - 1, at)};
}

/* Use all of a retained line, since it is at hand at an end of the text. */
static void take_whole(abr_chooser *x, abr_shown_line *u, const abr_candidate *edge)
{
    abr_candidate *whole = &x->edges[edge - x->edges];
    const char *start = edge->start;
    const uint32_t n = edge->start_n;
    *whole = *u->c;
    whole->start = start;
    whole->start_n = n;
    u->c = whole;
}

/* Does the line belong to a written part? Lines of a failure near a log belong to the log, and so do lines
 * right next to it. */
static bool is_of_written(const abr_chooser *x, size_t part, const abr_candidate *c)
{
    const abr_log_part *p = &x->parts.list[part];
    const uint64_t near_log = c->failure > 0 ? NEAR_FAILURE : NEAR_LOG;
    return p->written && (part == 0 || c->line >= p->line + near_log) &&
           (part + 1 == x->parts.count || c->line + near_log < abr_part_end(x, part));
}

/* List the lines that may be kept: those retained, and those at the two ends of the text and of its parts.
 * Written parts only have the latter, and these say nothing. */
static void list_lines(abr_chooser *x, size_t retained)
{
    abr_sort_retained(&x->retained);
    abr_shown_line *last = NULL;
    size_t part = 0;
    for (size_t i = 0; i < x->retained.count; i++) {
        const size_t index = x->retained.keys[i].index;
        const abr_retained_line *line = &x->retained.lines[index];
        while (line->c->line >= abr_part_end(x, part))
            part++;
        const bool written = is_of_written(x, part, line->c);
        if (written && index < retained)
            continue;
        if (written)
            x->edges[index - retained].command = ABR_COMMAND_NONE;
        if (!last || last->c->line != line->c->line) {
            last = &x->lines[x->count++];
            *last = shown_line(x, line);
        } else if (line->c->start_n == line->c->size) {
            take_whole(x, last, line->c);
        }
    }
}

/* Narrow the two ends to the bytes that a stream with these budgets has, without split chars. The innermost
 * byte of each only tells whether a line ends or starts next to the others. */
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
    size_t rest = abr_rest_of_char(v->back.p, v->back.n);
    v->back.p += rest;
    v->back.n -= rest;
    x->back_starts_line = v->back.p[-1] == '\n';
}

static bool is_ascii(const char *p, size_t n)
{
    uint64_t invalid = 0;
    return abr_count_chars(p, n, &invalid) == n && invalid == 0;
}

abr_code abr_cut_priority(const abr_view *view, const abr_opts *opts, const abr_allowance *allowance,
                          const char *format, size_t format_len, abr_cut *cut, bool *found)
{
    abr_chooser x = {.opts = opts,
                     .alloc = cut->alloc,
                     .allowance = *allowance,
                     .format = format,
                     .format_len = format_len,
                     .ascii_format = is_ascii(format, format_len),
                     .twice = abr_log_found(view).twice};
    const size_t keep = abr_bytes_to_keep(ABR_PRIORITY, &opts->max);
    abr_view ends = *view;
    narrow_view(&x, &ends, keep);
    static const abr_log_part all = {.written = false};
    x.parts = view->log_parts ? *view->log_parts : (abr_log_parts){&all, 1};
    x.measure = (abr_measure){abr_wants_chars(opts), opts->utf8_replace};
    if (!allocate(&x)) {
        release(&x);
        return ABR_ENOMEM;
    }
    abr_retainer_lines(view->retainer, keep, &x.retained);
    const size_t retained = x.retained.used;
    abr_add_edges(&x);
    list_lines(&x, retained);
    *found = abr_set_keep_values(&x);
    if (!*found) {
        release(&x);
        return ABR_OK;
    }
    if (opts->max.tokens != ABR_UNLIMITED)
        choose_by_tokens(&x);
    else
        choose(&x, x.allowance.shown);
    if (x.code == ABR_OK)
        x.code = abr_fill_ledger(&x, cut);
    release(&x);
    return x.code;
}

/* Do several counts tell of the same failures: are they about the same? A list at the end may be of some of
 * the failures only, or its rows are taken as one; if it lists results, so may details above it be. */
static bool tell_twice(const abr_failure_counts *counts)
{
    enum { SLACK = 8 }; /* a summary may list one more; a retried test is told of again */
    const uint32_t most = abr_count_failures(counts, true);
    unsigned about = 0;
    bool fewer = false;  /* details above a list than failures */
    bool ran = false;    /* failures are told of above a list, */
    bool again = false;  /* below it, */
    bool listed = false; /* and there as results */
    for (unsigned k = ABR_COUNT_DETAILED; k < ABR_COUNTS; k++) {
        if (counts->of[k] == 0)
            continue;
        const bool same = counts->of[k] + 1 + most / SLACK >= most;
        if (!same && k != ABR_COUNT_DETAILED && k != ABR_COUNT_AGAIN)
            return false;
        about += same;
        fewer = fewer || (!same && k == ABR_COUNT_DETAILED);
        ran = ran || k < ABR_COUNT_AGAIN;
        again = again || k >= ABR_COUNT_AGAIN;
        listed = listed || k > ABR_COUNT_AGAIN;
    }
    return about > 1 ? listed || !fewer : ran && again && !fewer;
}

abr_log_counts abr_log_found(const abr_view *view)
{
    const abr_log_parts *parts = view->log_parts;
    abr_found found = abr_retainer_found(view->retainer);
    for (size_t i = 0; parts && i < parts->count; i++) {
        abr_found_within in;
        if (!parts->list[i].written)
            continue;
        const uint64_t end = i + 1 < parts->count ? parts->list[i + 1].line : view->lines;
        abr_retainer_found_within(view->retainer, parts->list[i].line, end, &in);
        found.hits -= in.found.hits;
        abr_add_counts(&found.failures, &in.found.failures, true);
    }
    abr_log_counts counts = {.hits = found.hits, .twice = tell_twice(&found.failures)};
    /* a failure may have its hits in written lines and be counted behind these, or the reverse */
    counts.failures = abr_at_most(abr_count_failures(&found.failures, counts.twice), found.hits);
    if (counts.failures == 0 && found.hits > 0)
        counts.failures = 1;
    return counts;
}
