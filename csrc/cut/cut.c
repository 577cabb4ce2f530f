/*
 * Cuts of a text: head, tail, head_tail.
 *
 * A cut keeps a span at the front, a span at the back, or both. Each is asked for with a room: the budgets, less
 * what is set aside for the reserve, for the marker and for the other side. Tokens are no sum of parts, so where
 * they are limited a span is found under the other budgets first and then narrowed by bisection, counting the
 * content as the model would see it.
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
#include "priority/choice.h"
#include "priority/retain.h"

/* What take() is asked for. */
typedef struct {
    abr_side side;
    abr_room room;
    uint64_t tokens;       /* limit on the full content: both sides, joint at its widest, reserve */
    uint64_t share;        /* limit on the tokens of this span alone */
    const abr_span *other; /* the span already taken on the other side */
    bool split;            /* where no whole line fits, take chars */
} request;

static const abr_cut no_cut; /* copied: that is quicker than to zero one */
static const abr_span nothing = {0, 0, 0, 0, false};
static const abr_span any_line = {0, 1, 0, 0, false};

/* ---- room ---- */

/* The budgets less the reserve; bytes also within the bound that a token budget sets. */
static abr_room open_room(const abr_cutter *j)
{
    abr_room room = abr_whole_room(j);
    room.shown = abr_less(abr_byte_budget(&j->opts->max), j->opts->reserve_len);
    return room;
}

/* ---- tokens ---- */

static bool tokens_fit(abr_cutter *j, const request *r, const abr_span *mine)
{
    if (r->tokens == ABR_UNLIMITED)
        return true;
    if (mine->n + r->other->n == j->view->bytes)
        return false; /* the text is over budget, whatever stands between its sides */
    bool front = r->side == ABR_FRONT;
    if (r->share != ABR_UNLIMITED &&
        abr_content_tokens(j, front ? mine : &nothing, front ? &nothing : mine, false) > r->share)
        return false;
    return abr_content_tokens(j, front ? mine : r->other, front ? r->other : mine, true) <= r->tokens;
}

/* ---- one side ---- */

/* The part of a side that the other side has left. */
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
    abr_room room = r->room;
    abr_span best = nothing;
    abr_grow_lines(e, r->side, &j->scale, &room, &best);
    if (best.lines == 0 || tokens_fit(j, r, &best))
        return best;
    uint64_t too_many = best.lines;
    best = nothing;
    while (too_many - best.lines > 1) {
        room.lines = best.lines + (too_many - best.lines) / 2;
        abr_span longer = best;
        abr_grow_lines(e, r->side, &j->scale, &room, &longer);
        if (tokens_fit(j, r, &longer))
            best = longer;
        else
            too_many = room.lines;
    }
    return best;
}

/* The most chars within the request; with snap=line those of the nearest line. */
static abr_span some_chars(abr_cutter *j, const request *r, const abr_edge *e)
{
    abr_room room = r->room;
    if (room.lines == 0)
        return nothing;
    if (j->opts->strategy != ABR_HEAD_TAIL || abr_lines_apart(j))
        room.lines = 1;
    abr_span best = abr_take_chars(e, r->side, &j->scale, &room);
    if (best.n == 0 || tokens_fit(j, r, &best))
        return best;
    uint64_t too_much = best.shown;
    uint64_t enough = 0;
    best = nothing;
    while (too_much - enough > 1) {
        room.shown = enough + (too_much - enough) / 2;
        abr_span longer = abr_take_chars(e, r->side, &j->scale, &room);
        if (tokens_fit(j, r, &longer)) {
            best = longer;
            enough = room.shown;
        } else {
            too_much = room.shown;
        }
    }
    return best;
}

static abr_span take(abr_cutter *j, const request *r)
{
    abr_edge e = available(j, r);
    bool by_line = j->opts->strategy != ABR_HEAD_TAIL || abr_lines_apart(j);
    abr_span s = by_line ? whole_lines(j, r, &e) : nothing;
    if (s.lines == 0 && r->split)
        s = some_chars(j, r, &e);
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
    cut->output_chars = j->scale.chars ? head->chars + tail->chars : 0;
    cut->chars_before = j->scale.chars && head->n == 0 && tail->n > 0 ? j->view->chars - tail->chars : 0;
    cut->omitted_lines = j->view->lines - cut->output_lines;
    cut->omitted_bytes = j->view->bytes - cut->output_bytes;
    cut->last_line_partial = head->partial || tail->partial;
}

/* Fill the ledger from the two sides. */
static abr_code settle(const abr_cutter *j, const abr_span *from_start, const abr_span *tail, abr_cut *cut)
{
    abr_span head = *from_start;
    /* the newline between two sides without a marker is the source's own, where the head ends at a line's end */
    bool own_newline = abr_lines_apart(j) && j->format_len == 0 && head.lines > 0 && tail->lines > 0 &&
                       head.n < j->view->front.n && j->view->front.p[head.n] == '\n';
    if (own_newline) {
        head.n++;
        head.chars++;
        head.shown++;
    }
    count_output(j, &head, tail, cut);
    const abr_omitted omitted = {cut->omitted_lines, cut->omitted_bytes, j->view->chars - cut->output_chars};
    size_t joint = own_newline || !cut->truncated ? 0 : abr_print_joint(j, &head, tail, &omitted, NULL);

    cut->block = j->alloc->malloc(j->alloc->ctx, MAX_PIECES * sizeof(abr_piece) + joint);
    if (!cut->block)
        return ABR_ENOMEM;
    cut->pieces = cut->block;
    char *marker = (char *)cut->block + MAX_PIECES * sizeof(abr_piece);
    if (joint > 0)
        abr_print_joint(j, &head, tail, &omitted, marker);
    if (head.n > 0)
        *next_piece(cut) = (abr_piece){j->view->front.p, head.n, true, 1, head.n, 1, head.lines};
    if (joint > 0)
        *next_piece(cut) = (abr_piece){marker, joint, false, 0, 0, 0, 0};
    if (tail->n > 0)
        *next_piece(cut) = (abr_piece){j->view->back.p + (j->view->back.n - tail->n),
                                       tail->n,
                                       true,
                                       j->view->bytes - tail->n + 1,
                                       j->view->bytes,
                                       j->view->lines - tail->lines + 1,
                                       j->view->lines};
    abr_span shown = nothing;
    abr_weigh(&j->scale, marker, joint, &shown);
    cut->content_bytes = (size_t)(head.shown + tail->shown + shown.shown);
    return ABR_OK;
}

static abr_code keep_whole(const abr_cutter *j, bool without_newline, abr_cut *cut)
{
    abr_span text = nothing;
    text.n = (size_t)j->view->bytes - without_newline;
    text.lines = j->view->lines;
    abr_weigh(&j->scale, j->view->front.p, text.n, &text);
    cut->final_newline = without_newline;
    return settle(j, &text, &nothing, cut);
}

/* ---- strategies ---- */

static abr_code cut_one_side(abr_cutter *j, abr_cut *cut)
{
    bool head = j->opts->strategy == ABR_HEAD;
    bool omit = j->opts->long_line == ABR_LONG_OMIT || (head && j->opts->long_line == ABR_LONG_DEFAULT);
    request r = {
        head ? ABR_FRONT : ABR_BACK, open_room(j), j->opts->max.tokens, ABR_UNLIMITED, &nothing, !omit};
    abr_span s = take(j, &r);
    bool no_line_fits = s.lines == 0 || s.partial;
    const abr_ends ends = {.head = head ? s : nothing, .tail = head ? nothing : s};
    cut->truncated_by = abr_forbids_line(j, r.side, &ends);
    if (no_line_fits && cut->truncated_by != ABR_BY_LINES) {
        cut->line_bytes = abr_view_line_size(j->view, r.side);
        cut->first_line_exceeds_limit = head && omit;
    }
    return settle(j, &ends.head, &ends.tail, cut);
}

/* What the head may take before the tail has been asked. */
static request head_share(abr_cutter *j, const abr_room *room, const abr_span *tail)
{
    double ratio = j->opts->head_ratio;
    request r = {ABR_FRONT, *room, j->opts->max.tokens, ABR_UNLIMITED, tail, true};
    r.room.lines = abr_head_share(room->lines, ratio);
    r.room.chars = abr_head_share(room->chars, ratio);
    r.room.shown = abr_head_share(room->shown, ratio);
    if (r.tokens != ABR_UNLIMITED)
        r.share = abr_head_share(abr_less(r.tokens, abr_content_tokens(j, &nothing, &nothing, true)), ratio);
    return r;
}

/* Both sides, or the one asked for: the head its share, the tail the rest, the head what the tail has no use for. */
static void take_sides(abr_cutter *j, bool with_head, bool with_tail, abr_ends *ends)
{
    uint64_t tokens = j->opts->max.tokens;
    abr_room room = open_room(j);
    *ends = (abr_ends){nothing, nothing, nothing};
    abr_span *head = &ends->head;
    abr_span *tail = &ends->tail;
    if (room.lines >= j->view->lines)
        room.lines = ABR_UNLIMITED; /* they forbid nothing, so there is nothing to share */
    if (abr_joint_counts(j)) {
        ends->joint = abr_joint_cost(j, with_head ? &any_line : &nothing, with_tail ? &any_line : &nothing);
        if (ends->joint.shown > room.shown || ends->joint.chars > room.chars)
            return; /* not even an empty line: its newline beside the marker would be too much */
        room = abr_without(&room, &ends->joint);
    }
    if (with_head && with_tail) {
        request share = head_share(j, &room, tail);
        *head = take(j, &share);
    }
    if (with_tail)
        *tail = take(j, &(request){ABR_BACK, abr_without(&room, head), tokens, ABR_UNLIMITED, head, true});
    if (!with_head)
        return;
    abr_span longer =
        take(j, &(request){ABR_FRONT, abr_without(&room, tail), tokens, ABR_UNLIMITED, tail, true});
    /* Where the sides touch, tokens may fall as one grows, and bisection ends early. */
    if (longer.n >= head->n)
        *head = longer;
}

/* Does the marker, alone with the reserve, stay within the budgets? */
static bool marker_fits(abr_cutter *j)
{
    abr_room room = open_room(j);
    abr_span cost = abr_joint_cost(j, &nothing, &nothing);
    if (cost.shown > room.shown || cost.chars > room.chars)
        return false;
    return j->opts->max.tokens == ABR_UNLIMITED ||
           abr_content_tokens(j, &nothing, &nothing, true) <= j->opts->max.tokens;
}

static abr_code cut_both_sides(abr_cutter *j, abr_unit by, abr_cut *cut)
{
    bool with_head = j->opts->head_ratio > 0;
    bool with_tail = j->opts->head_ratio < 1;
    abr_ends ends;
    const abr_span *head = &ends.head;
    const abr_span *tail = &ends.tail;
    if (j->opts->marker == ABR_MARKER_INSIDE && !marker_fits(j))
        j->format_len = 0;
    take_sides(j, with_head, with_tail, &ends);
    /* a side that gets nothing needs no newline beside the marker: the other side may have that byte */
    if (with_head && with_tail && head->lines == 0)
        take_sides(j, false, true, &ends);
    if (with_head && with_tail && tail->lines == 0)
        take_sides(j, true, false, &ends);
    if (head->partial || tail->partial)
        cut->line_bytes = abr_view_line_size(j->view, tail->partial ? ABR_BACK : ABR_FRONT);
    abr_code code = settle(j, head, tail, cut);
    if (code == ABR_OK)
        cut->truncated_by = abr_bound_ends(j, &ends, cut, by);
    return code;
}

/* With no hit a priority cut is one of both ends, and of the end alone where there is no room for more. */
static abr_code cut_by_priority(abr_cutter *j, abr_unit by, abr_cut *cut)
{
    enum { LEAST_ROOM = 96 };
    /* pages have no lines that were read for it */
    uint64_t hits = j->view->priority ? abr_priority_hits(j->view->priority) : 0;
    abr_room room = open_room(j);
    bool small = room.shown < LEAST_ROOM || room.chars < LEAST_ROOM || room.lines < 2 ||
                 j->opts->max.tokens < LEAST_ROOM / 4;
    cut->hits_found = hits;
    if (hits > 0 && !small) {
        if (j->opts->marker == ABR_MARKER_INSIDE && !marker_fits(j))
            j->format_len = 0;
        abr_code code = abr_priority_view(j->view, j->opts, &room, j->format, j->format_len, cut);
        if (code == ABR_OK)
            cut->truncated_by = abr_bound_pieces(j, cut, by);
        return code;
    }
    abr_opts ends = *j->opts;
    ends.strategy = ABR_HEAD_TAIL;
    ends.snap = ABR_SNAP_LINE;
    if (hits > 0)
        ends.head_ratio = 0;
    const abr_opts *own = j->opts;
    j->opts = &ends;
    if (hits == 0)
        j->format = abr_marker_format(&ends, &j->format_len);
    abr_code code = cut_both_sides(j, by, cut);
    j->opts = own;
    return code;
}

static abr_code run(abr_cutter *j, abr_cut *cut)
{
    if (j->opts->strategy == ABR_PIPELINE)
        return abr_pipeline_view(j->view, j->opts, cut);
    if (j->view->bytes == 0)
        return keep_whole(j, false, cut);
    abr_unit by = abr_exceeded(j, ABR_BY_LINES, false);
    if (by == ABR_BY_NONE)
        return keep_whole(j, false, cut);
    if (by != ABR_BY_LINES && j->view->ends_line && abr_exceeded(j, ABR_BY_LINES, true) == ABR_BY_NONE)
        return keep_whole(j, true, cut);
    cut->truncated = true;
    if (j->opts->strategy == ABR_PRIORITY)
        return cut_by_priority(j, by, cut);
    return j->opts->strategy == ABR_HEAD_TAIL ? cut_both_sides(j, by, cut) : cut_one_side(j, cut);
}

/* ---- a view ---- */

abr_code abr_cut_view(const abr_view *view, const abr_opts *opts, abr_cut *cut, abr_error *error)
{
    abr_cutter j = {.opts = opts, .alloc = abr_allocator(opts->alloc), .view = view};
    j.scale = (abr_scale){abr_wants_chars(opts), opts->utf8_replace};
    j.format = abr_marker_format(opts, &j.format_len);
    *cut = no_cut;
    cut->strategy = opts->strategy;
    cut->max = opts->max;
    cut->utf8_replace = opts->utf8_replace;
    cut->alloc = j.alloc;
    cut->total_lines = view->lines;
    cut->total_bytes = view->bytes;
    cut->total_chars = j.scale.chars ? view->chars : 0;
    abr_code code = run(&j, cut);
    if (view->priority && !cut->truncated) {
        cut->hits_found = abr_priority_hits(view->priority);
        cut->hits_kept = cut->hits_found;
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
