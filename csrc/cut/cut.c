/*
 * Cuts of a text: head, tail, head_tail; the rooms priority/ and kinds/ do the others.
 *
 * A cut keeps a span at the front, a span at the back, or both. Each is fitted to an allowance: the budgets,
 * less the parts set aside for the reserve, for the marker and for the other side. The tokens of parts do not
 * add up, so if they are limited, a span is found under the other budgets first and then narrowed by
 * bisection, counting the content as the model would see it.
 *
 * Invariant: front and back never overlap, and with the marker at its widest they never exceed a budget.
 */
#include <string.h>

#include "cut/cut.h"
#include "abridge.h"
#include "base/error.h"
#include "base/memory.h"
#include "budget/marker.h"
#include "budget/options.h"
#include "budget/span.h"
#include "budget/view.h"
#include "cut/bound.h"
#include "cut/joint.h"
#include "cut/pipeline.h"
#include "kinds/binary.h"
#include "kinds/content.h"
#include "kinds/parts.h"
#include "priority/choice.h"
#include "priority/log_parts.h"
#include "priority/retain.h"

/* A request to fit_side(). */
typedef struct {
    abr_side side;
    abr_allowance allowance;
    uint64_t tokens;       /* limit on the full content: both sides, joint at its widest, reserve */
    uint64_t share;        /* limit on the tokens of this span alone */
    const abr_span *other; /* the span kept on the other side so far */
    bool split;            /* if no whole line fits, keep chars */
} request;

static const abr_cut no_cut; /* copied: quicker than zeroing */
static const abr_span any_line = {.lines = 1};

/* ---- allowances ---- */

/* The budgets less the reserve; bytes also within the bound that a token budget sets. */
static abr_allowance bounded_allowance(const abr_cutter *j)
{
    abr_allowance allowance = abr_full_allowance(j);
    allowance.shown = abr_budget_left(abr_byte_budget(&j->opts->max), j->opts->reserve_len);
    return allowance;
}

/* ---- tokens ---- */

static bool tokens_fit(abr_cutter *j, const request *r, const abr_span *mine)
{
    if (r->tokens == ABR_UNLIMITED)
        return true;
    if (mine->n + r->other->n == j->view->bytes)
        return false; /* the text is over budget, whatever is between its sides */
    bool front = r->side == ABR_FRONT;
    if (r->share != ABR_UNLIMITED &&
        abr_content_tokens(j, front ? mine : &abr_no_span, front ? &abr_no_span : mine, false) > r->share)
        return false;
    return abr_content_tokens(j, front ? mine : r->other, front ? r->other : mine, true) <= r->tokens;
}

/* ---- one side ---- */

/* The part of a side that the other side has left over. */
static abr_edge available(const abr_cutter *j, const request *r)
{
    abr_edge e = r->side == ABR_FRONT ? j->view->front : j->view->back;
    uint64_t left = j->view->bytes - r->other->n;
    if (e.n > left) {
        if (r->side == ABR_BACK)
            e.p += e.n - (size_t)left;
        e.n = (size_t)left;
    }
    e.whole = e.n == j->view->bytes;
    return e;
}

/* The most whole lines within the request. */
static abr_span whole_lines(abr_cutter *j, const request *r, const abr_edge *e)
{
    abr_allowance allowance = r->allowance;
    abr_span best = abr_no_span;
    abr_add_lines(e, r->side, &j->measure, &allowance, &best);
    if (best.lines == 0 || tokens_fit(j, r, &best))
        return best;
    uint64_t too_many = best.lines;
    best = abr_no_span;
    while (too_many - best.lines > 1) {
        allowance.lines = best.lines + (too_many - best.lines) / 2;
        abr_span longer = best;
        abr_add_lines(e, r->side, &j->measure, &allowance, &longer);
        if (tokens_fit(j, r, &longer))
            best = longer;
        else
            too_many = allowance.lines;
    }
    return best;
}

/* The most chars within the request; with snap=line, of the `lines` nearest lines. */
static abr_span some_chars(abr_cutter *j, const request *r, const abr_edge *e, uint64_t lines)
{
    abr_allowance allowance = r->allowance;
    if (allowance.lines < lines)
        return abr_no_span;
    if (j->opts->strategy != ABR_HEAD_TAIL || abr_marker_on_own_line(j))
        allowance.lines = lines;
    abr_span best = abr_fit_chars(e, r->side, &j->measure, &allowance);
    if (best.n == 0 || tokens_fit(j, r, &best))
        return best;
    uint64_t too_much = best.shown;
    uint64_t enough = 0;
    best = abr_no_span;
    while (too_much - enough > 1) {
        allowance.shown = enough + (too_much - enough) / 2;
        abr_span longer = abr_fit_chars(e, r->side, &j->measure, &allowance);
        if (tokens_fit(j, r, &longer)) {
            best = longer;
            enough = allowance.shown;
        } else {
            too_much = allowance.shown;
        }
    }
    return best;
}

static abr_span fit_side(abr_cutter *j, const request *r)
{
    abr_edge e = available(j, r);
    bool by_line = j->opts->strategy != ABR_HEAD_TAIL || abr_marker_on_own_line(j);
    abr_span s = by_line ? whole_lines(j, r, &e) : abr_no_span;
    if (s.lines == 0 && r->split)
        s = some_chars(j, r, &e, 1);
    return s;
}

/* ---- results ---- */

#define MAX_PIECES 3 /* head, joint, tail */

static abr_piece *next_piece(abr_cut *cut)
{
    return (abr_piece *)cut->block + cut->piece_count++;
}

static void count_output(const abr_cutter *j, const abr_span *head, const abr_span *tail, abr_cut *cut)
{
    bool same_line = head->lines > 0 && tail->lines > 0 && head->lines + tail->lines > j->view->lines;
    cut->output_lines = head->lines + tail->lines - same_line;
    cut->output_bytes = head->n + tail->n;
    cut->output_chars = j->measure.chars ? head->chars + tail->chars : 0;
    cut->chars_before = j->measure.chars && head->n == 0 && tail->n > 0 ? j->view->chars - tail->chars : 0;
    cut->omitted_lines = j->view->lines - cut->output_lines;
    cut->omitted_bytes = j->view->bytes - cut->output_bytes;
    cut->last_line_partial = head->partial || tail->partial;
}

/* Fill in the ledger from the two sides. */
static abr_code fill_ledger(const abr_cutter *j, const abr_span *from_start, const abr_span *tail,
                            abr_cut *cut)
{
    abr_span head = *from_start;
    /* without a marker, the newline between two sides is the source's own, if the head ends at a line's
     * end */
    bool own_newline = abr_marker_on_own_line(j) && j->format_len == 0 && head.lines > 0 && tail->lines > 0 &&
                       head.n < j->view->front.n && j->view->front.p[head.n] == '\n';
    if (own_newline) {
        head.n++;
        head.chars++;
        head.shown++;
    }
    count_output(j, &head, tail, cut);
    const abr_omitted omitted = {.lines = cut->omitted_lines,
                                 .bytes = cut->omitted_bytes,
                                 .chars = j->view->chars - cut->output_chars,
                                 .alike = j->alike};
    size_t joint = own_newline || !cut->truncated ? 0 : abr_print_joint(j, &head, tail, &omitted, NULL);

    cut->block = j->alloc->malloc(j->alloc->ctx, MAX_PIECES * sizeof(abr_piece) + joint);
    if (!cut->block)
        return ABR_ENOMEM;
    cut->pieces = cut->block;
    char *marker = (char *)cut->block + MAX_PIECES * sizeof(abr_piece);
    if (joint > 0)
        abr_print_joint(j, &head, tail, &omitted, marker);
    if (head.n > 0)
        *next_piece(cut) = (abr_piece){.p = j->view->front.p,
                                       .n = head.n,
                                       .source = true,
                                       .first_byte = 1,
                                       .last_byte = head.n,
                                       .first_line = 1,
                                       .last_line = head.lines};
    if (joint > 0)
        *next_piece(cut) = (abr_piece){.p = marker, .n = joint};
    if (tail->n > 0)
        *next_piece(cut) = (abr_piece){.p = j->view->back.p + (j->view->back.n - tail->n),
                                       .n = tail->n,
                                       .source = true,
                                       .first_byte = j->view->bytes - tail->n + 1,
                                       .last_byte = j->view->bytes,
                                       .first_line = j->view->lines - tail->lines + 1,
                                       .last_line = j->view->lines};
    abr_span shown = abr_no_span;
    abr_add_cost(&j->measure, marker, joint, &shown);
    cut->content_bytes = (size_t)(head.shown + tail->shown + shown.shown);
    return ABR_OK;
}

static abr_code keep_everything(const abr_cutter *j, bool without_newline, abr_cut *cut)
{
    abr_span text = abr_no_span;
    text.n = (size_t)j->view->bytes - without_newline;
    text.lines = j->view->lines;
    abr_add_cost(&j->measure, j->view->front.p, text.n, &text);
    cut->final_newline = without_newline;
    return fill_ledger(j, &text, &abr_no_span, cut);
}

/* ---- strategies ---- */

static abr_code cut_one_side(abr_cutter *j, abr_cut *cut)
{
    bool head = j->opts->strategy == ABR_HEAD;
    bool omit = j->opts->long_line == ABR_LONG_OMIT || (head && j->opts->long_line == ABR_LONG_DEFAULT);
    request r = {.side = head ? ABR_FRONT : ABR_BACK,
                 .allowance = bounded_allowance(j),
                 .tokens = j->opts->max.tokens,
                 .share = ABR_UNLIMITED,
                 .other = &abr_no_span,
                 .split = !omit};
    abr_span s = fit_side(j, &r);
    bool no_line_fits = s.lines == 0 || s.partial;
    const abr_ends ends = {.head = head ? s : abr_no_span, .tail = head ? abr_no_span : s};
    cut->truncated_by = abr_forbids_line(j, r.side, &ends);
    if (no_line_fits && cut->truncated_by != ABR_BY_LINES) {
        cut->line_bytes = abr_view_line_size(j->view, r.side);
        cut->first_line_exceeds_limit = head && omit;
    }
    return fill_ledger(j, &ends.head, &ends.tail, cut);
}

/* One side of two, with all the tokens. */
static request rest_request(const abr_cutter *j, abr_side side, abr_allowance allowance,
                            const abr_span *other)
{
    return (request){.side = side,
                     .allowance = allowance,
                     .tokens = j->opts->max.tokens,
                     .share = ABR_UNLIMITED,
                     .other = other,
                     .split = true};
}

/* The head's request, before the tail's is known. */
static request head_request(abr_cutter *j, const abr_allowance *allowance, const abr_span *tail)
{
    double ratio = j->opts->head_ratio;
    request r = rest_request(j, ABR_FRONT, *allowance, tail);
    r.allowance.lines = abr_head_share(allowance->lines, ratio);
    r.allowance.chars = abr_head_share(allowance->chars, ratio);
    r.allowance.shown = abr_head_share(allowance->shown, ratio);
    if (r.tokens != ABR_UNLIMITED)
        r.share = abr_head_share(
            abr_budget_left(r.tokens, abr_content_tokens(j, &abr_no_span, &abr_no_span, true)), ratio);
    return r;
}

/* Do two sides in whole lines leave a tenth of each budget unused? */
static bool leaves_a_tenth(abr_cutter *j, const abr_ends *ends)
{
    enum { TENTH = 10 };
    const abr_allowance all = bounded_allowance(j);
    const uint64_t tokens = j->opts->max.tokens;
    const uint64_t shown = ends->head.shown + ends->tail.shown + ends->joint.shown;
    const uint64_t chars = ends->head.chars + ends->tail.chars + ends->joint.chars;
    return !ends->head.partial && !ends->tail.partial && ends->head.lines + ends->tail.lines < all.lines &&
           shown <= all.shown - all.shown / TENTH && chars <= all.chars - all.chars / TENTH &&
           (tokens == ABR_UNLIMITED ||
            abr_content_tokens(j, &ends->head, &ends->tail, true) <= tokens - tokens / TENTH);
}

/* Give what is unused to the line at the gap: the head's next one, or without a head the tail's. */
static void split_at_gap(abr_cutter *j, abr_ends *ends)
{
    const bool front = ends->head.lines > 0;
    abr_span *mine = front ? &ends->head : &ends->tail;
    const abr_span *other = front ? &ends->tail : &ends->head;
    const abr_allowance all = bounded_allowance(j);
    const abr_allowance left = abr_allowance_left(&all, &ends->joint);
    const request rest =
        rest_request(j, front ? ABR_FRONT : ABR_BACK, abr_allowance_left(&left, other), other);
    const abr_edge e = available(j, &rest);
    const abr_span longer = some_chars(j, &rest, &e, mine->lines + 1);
    if (longer.partial && longer.n > mine->n)
        *mine = longer;
}

/* Fit both sides, or the one wanted: the head gets its share, the tail the rest, then the head whatever the
 * tail cannot use. */
static void fit_sides(abr_cutter *j, bool with_head, bool with_tail, abr_ends *ends)
{
    abr_allowance allowance = bounded_allowance(j);
    *ends = (abr_ends){abr_no_span, abr_no_span, abr_no_span};
    abr_span *head = &ends->head;
    abr_span *tail = &ends->tail;
    if (allowance.lines >= j->view->lines)
        allowance.lines = ABR_UNLIMITED; /* lines forbid nothing, so there is nothing to share */
    if (abr_joint_counts(j)) {
        ends->joint =
            abr_joint_cost(j, with_head ? &any_line : &abr_no_span, with_tail ? &any_line : &abr_no_span);
        if (ends->joint.shown > allowance.shown || ends->joint.chars > allowance.chars)
            return; /* not even an empty line: its newline by the marker would be too much */
        allowance = abr_allowance_left(&allowance, &ends->joint);
    }
    if (with_head && with_tail) {
        request share = head_request(j, &allowance, tail);
        *head = fit_side(j, &share);
    }
    if (with_tail) {
        request rest = rest_request(j, ABR_BACK, abr_allowance_left(&allowance, head), head);
        *tail = fit_side(j, &rest);
    }
    if (with_head) {
        request rest = rest_request(j, ABR_FRONT, abr_allowance_left(&allowance, tail), tail);
        abr_span longer = fit_side(j, &rest);
        /* If the sides touch, tokens may fall as one grows, and bisection ends early. */
        if (longer.n >= head->n)
            *head = longer;
    }
}

/* Does the marker, alone with the reserve, stay within the budgets? */
static bool marker_fits(abr_cutter *j)
{
    abr_allowance allowance = bounded_allowance(j);
    abr_span cost = abr_joint_cost(j, &abr_no_span, &abr_no_span);
    if (cost.shown > allowance.shown || cost.chars > allowance.chars)
        return false;
    return j->opts->max.tokens == ABR_UNLIMITED ||
           abr_content_tokens(j, &abr_no_span, &abr_no_span, true) <= j->opts->max.tokens;
}

static void fit_ends(abr_cutter *j, abr_ends *ends)
{
    const bool with_head = j->opts->head_ratio > 0;
    const bool with_tail = j->opts->head_ratio < 1;
    fit_sides(j, with_head, with_tail, ends);
    /* a side that gets nothing needs no newline by the marker: the other side may have that byte */
    if (with_head && with_tail && ends->head.lines == 0)
        fit_sides(j, false, true, ends);
    if (with_head && with_tail && ends->tail.lines == 0)
        fit_sides(j, true, false, ends);
}

/* Have all lines between whole ones of a log the shape of the one below? */
static bool gap_is_alike(const abr_cutter *j, const abr_ends *ends)
{
    const uint64_t first = ends->head.lines;
    const uint64_t below = j->view->lines - ends->tail.lines;
    return abr_alike_more(j->format, j->format_len) > 0 && j->view->retainer && ends->tail.lines > 0 &&
           !ends->head.partial && !ends->tail.partial && below > first + 1 &&
           abr_retainer_alike(j->view->retainer, first, below);
}

static abr_code cut_both_sides(abr_cutter *j, abr_unit by, abr_cut *cut)
{
    abr_ends ends;
    const abr_span *head = &ends.head;
    const abr_span *tail = &ends.tail;
    if (j->opts->marker == ABR_MARKER_INSIDE && !marker_fits(j))
        j->format_len = 0;
    fit_ends(j, &ends);
    j->alike = gap_is_alike(j, &ends);
    if (j->alike) { /* the marker is longer then, and the gap may be */
        fit_ends(j, &ends);
        j->alike = gap_is_alike(j, &ends);
        if (!j->alike)
            fit_ends(j, &ends);
    }
    if (j->splits && leaves_a_tenth(j, &ends))
        split_at_gap(j, &ends);
    if ((head->partial && head->lines == 1) || (tail->partial && tail->lines == 1))
        cut->line_bytes = abr_view_line_size(j->view, tail->partial ? ABR_BACK : ABR_FRONT);
    abr_code code = fill_ledger(j, head, tail, cut);
    if (code == ABR_OK)
        cut->truncated_by = abr_bound_ends(j, &ends, cut, by);
    return code;
}

/* Without hits, a priority cut is a cut of both ends; with little allowance, of the end alone. */
static abr_code cut_by_priority(abr_cutter *j, abr_unit by, abr_cut *cut)
{
    enum { LITTLE = 96 };
    /* a page has no retainer */
    const abr_log_counts found = j->view->retainer ? abr_log_found(j->view) : (abr_log_counts){0};
    abr_allowance allowance = bounded_allowance(j);
    bool small = allowance.shown < LITTLE || allowance.chars < LITTLE || allowance.lines < 2 ||
                 j->opts->max.tokens < LITTLE / 4;
    cut->hits_found = found.hits;
    cut->failures_found = found.failures;
    if (j->view->retainer && !small) {
        bool stands_out = false;
        const size_t format_len = j->format_len;
        if (j->opts->marker == ABR_MARKER_INSIDE && !marker_fits(j))
            j->format_len = 0;
        abr_code code =
            abr_cut_priority(j->view, j->opts, &allowance, j->format, j->format_len, cut, &stands_out);
        if (code == ABR_OK && stands_out)
            cut->truncated_by = abr_bound_pieces(j, cut, by);
        if (code != ABR_OK || stands_out)
            return code;
        j->format_len = format_len;
    }
    abr_opts ends = *j->opts;
    ends.strategy = ABR_HEAD_TAIL;
    ends.snap = ABR_SNAP_LINE;
    if (found.hits > 0)
        ends.head_ratio = 0;
    const abr_opts *own = j->opts;
    j->opts = &ends;
    abr_code code = cut_both_sides(j, by, cut);
    j->opts = own;
    return code;
}

/* ---- by kind ---- */

/* Options for the kinds cut by another strategy: text in whole lines, logs by priority. */
static abr_opts opts_of_kind(const abr_opts *opts, abr_kind kind)
{
    abr_opts own = *opts;
    if (kind == ABR_KIND_LOG) {
        own.strategy = ABR_PRIORITY;
        own.head_ratio = ABR_HEAD_RATIO;
        own.snap = ABR_SNAP_LINE;
        own.long_line = ABR_LONG_DEFAULT;
    } else {
        own.strategy = ABR_HEAD_TAIL;
    }
    return own;
}

/* Does a line on its own stay within the budgets, with the reserve? */
static bool line_fits(abr_cutter *j, const char *line, size_t n)
{
    const abr_allowance allowance = bounded_allowance(j);
    if (allowance.lines == 0 || n > allowance.shown || n > allowance.chars)
        return false;
    if (j->opts->max.tokens == ABR_UNLIMITED)
        return true;
    const size_t reserve = j->opts->reserve_len;
    char *text = j->alloc->malloc(j->alloc->ctx, n + reserve);
    if (!text) {
        j->failure = ABR_ENOMEM;
        return false;
    }
    memcpy(text, line, n);
    if (reserve > 0)
        memcpy(text + n, j->opts->reserve, reserve);
    const uint64_t tokens = abr_text_tokens(j, text, n + reserve);
    j->alloc->free(j->alloc->ctx, text);
    return tokens <= j->opts->max.tokens;
}

/* Keep nothing but one line that describes the binary, if it fits. */
static abr_code tell_binary(abr_cutter *j, abr_cut *cut)
{
    char line[ABR_BINARY_LINE_MOST];
    const size_t n = abr_print_binary(j->view->media_type, j->view->bytes, line);
    cut->truncated = true;
    cut->omitted_lines = cut->total_lines;
    cut->omitted_bytes = cut->total_bytes;
    cut->truncated_by = abr_exceeded(j, ABR_BY_LINES, false);
    if (j->opts->marker != ABR_MARKER_OUTSIDE && !line_fits(j, line, n))
        return ABR_OK;
    abr_content content = {.alloc = j->alloc};
    abr_content_mark(&content, line, n);
    const abr_code code = abr_content_end(&content, cut);
    abr_content_free(&content);
    cut->content_bytes = n;
    return code;
}

static abr_code cut_by_kind(abr_cutter *j, abr_unit by, abr_cut *cut)
{
    const abr_allowance allowance = bounded_allowance(j);
    abr_code code = abr_cut_parts(j->view, j->opts, &allowance, cut);
    if (code == ABR_OK && cut->truncated)
        cut->truncated_by = abr_bound_pieces(j, cut, by);
    return code;
}

static abr_code run(abr_cutter *j, abr_cut *cut)
{
    if (j->opts->strategy == ABR_AUTO && cut->kind == ABR_KIND_BINARY)
        return tell_binary(j, cut);
    if (j->opts->strategy == ABR_PIPELINE)
        return abr_cut_pipeline(j->view, j->opts, cut);
    if (j->view->bytes == 0)
        return keep_everything(j, false, cut);
    abr_unit by = abr_exceeded(j, ABR_BY_LINES, false);
    if (by == ABR_BY_NONE)
        return keep_everything(j, false, cut);
    if (by != ABR_BY_LINES && j->view->ends_line && abr_exceeded(j, ABR_BY_LINES, true) == ABR_BY_NONE)
        return keep_everything(j, true, cut);
    cut->truncated = true;
    if (j->opts->strategy == ABR_AUTO)
        return cut_by_kind(j, by, cut);
    if (j->opts->strategy == ABR_PRIORITY)
        return cut_by_priority(j, by, cut);
    return j->opts->strategy == ABR_HEAD_TAIL ? cut_both_sides(j, by, cut) : cut_one_side(j, cut);
}

/* ---- parts ---- */

/* Count the lines first..last of a part that show. */
static uint64_t lines_shown(const abr_cut *cut, uint64_t first, uint64_t last)
{
    uint64_t shown = 0;
    uint64_t next = first; /* to count no line twice */
    for (size_t i = 0; i < cut->piece_count; i++) {
        const abr_piece *piece = &cut->pieces[i];
        if (!piece->source)
            continue;
        const uint64_t from = piece->first_line > next ? piece->first_line : next;
        const uint64_t to = piece->last_line < last ? piece->last_line : last;
        if (from > to)
            continue;
        shown += to - from + 1;
        next = to + 1;
    }
    return shown;
}

/* Name the parts. A priority cut has counted the lines of each that show. */
static void list_parts(const abr_view *view, abr_cut *cut)
{
    const abr_log_parts *parts = view->log_parts;
    bool counted = false;
    for (size_t i = 0; i < ABR_PARTS_MOST; i++)
        counted = counted || cut->parts[i].output_lines > 0;
    for (size_t i = 0; i < cut->part_count; i++) {
        abr_part *part = &cut->parts[i];
        part->output_lines = lines_shown(cut, part->first_line, part->last_line);
    }
    for (size_t i = 0; parts && cut->truncated && i < parts->count; i++) {
        const uint64_t first = parts->list[i].line + 1;
        const uint64_t last = i + 1 < parts->count ? parts->list[i + 1].line : view->lines;
        cut->parts[cut->part_count++] =
            (abr_part){.kind = parts->list[i].written ? ABR_KIND_TEXT : ABR_KIND_LOG,
                       .first_line = first,
                       .last_line = last,
                       .output_lines = counted ? cut->parts[i].output_lines : lines_shown(cut, first, last)};
    }
}

/* ---- a view ---- */

/* `splits`: see abr_cutter. */
static abr_code cut_view(const abr_view *view, const abr_opts *opts, bool splits, abr_cut *cut,
                         abr_error *error)
{
    abr_cutter j = {.opts = opts, .alloc = abr_allocator(opts->alloc), .view = view, .splits = splits};
    j.measure = (abr_measure){abr_wants_chars(opts), opts->utf8_replace};
    j.format = abr_marker_format(opts, &j.format_len);
    *cut = no_cut;
    cut->kind = view->kind;
    cut->strategy = opts->strategy;
    cut->max = opts->max;
    cut->utf8_replace = opts->utf8_replace;
    cut->alloc = j.alloc;
    cut->total_lines = view->lines;
    cut->total_bytes = view->bytes;
    cut->total_chars = j.measure.chars ? view->chars : 0;
    abr_code code = run(&j, cut);
    list_parts(view, cut);
    if (view->retainer && !cut->truncated) {
        const abr_log_counts found = abr_log_found(view);
        cut->hits_found = cut->hits_kept = found.hits;
        cut->failures_found = cut->failures_kept = found.failures;
    }
    if (j.failure != ABR_OK)
        code = j.failure;
    if (j.scratch)
        j.alloc->free(j.alloc->ctx, j.scratch);
    if (code == ABR_OK)
        return ABR_OK;
    abr_cut_free(cut);
    return abr_fail(error, code, code == ABR_ENOMEM ? "out of memory" : "count_tokens failed");
}

abr_code abr_cut_view(const abr_view *view, const abr_opts *opts, abr_cut *cut, abr_error *error)
{
    const bool by_kind = opts->strategy == ABR_AUTO && !view->reader && view->kind != ABR_KIND_BINARY;
    abr_opts own = by_kind ? opts_of_kind(opts, view->kind) : *opts;
    if (own.max.lines == 0 && own.marker == ABR_MARKER_INSIDE)
        own.marker =
            ABR_MARKER_NONE; /* a budget of 0 shows nothing, though a marker is not a line of the text */
    const abr_code code = cut_view(view, &own, by_kind && own.strategy == ABR_HEAD_TAIL, cut, error);
    cut->strategy = opts->strategy;
    return code;
}
