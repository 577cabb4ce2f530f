/*
 * The budget that bound a cut, for truncated_by.
 *
 * At a line's end it is the first, in the order lines, bytes, chars, tokens, that forbids the next line; of
 * two sides the tail's next line counts. With more than one gap, or no edge at a line's end, there is no such
 * line: then it is the most used of the budgets that the source exceeds. A budget that would have let a line
 * through is never named.
 */
#include <string.h>

#include "cut/bound.h"
#include "abridge.h"
#include "base/scaled.h"
#include "budget/options.h"
#include "budget/span.h"
#include "budget/view.h"
#include "cut/joint.h"
#include "text/scan.h"

/* Does a text with this much to show exceed the tokens? If it is over another budget, only as much as that
 * one lets through is counted: more need not be at hand. */
static bool exceeds_tokens(abr_cutter *j, const abr_span *text)
{
    const uint64_t most =
        abr_byte_budget(&(abr_budget){.bytes = ABR_UNLIMITED, .tokens = j->opts->max.tokens});
    const size_t keep = abr_bytes_to_keep(j->opts->strategy, &j->opts->max);
    abr_span part = {.n = text->n < keep ? text->n : keep};
    if (text->shown > most)
        return true;
    if (part.n < text->n)
        part.n -= abr_open_sequence(j->view->front.p, part.n);
    abr_add_cost(&j->measure, j->view->front.p, part.n, &part);
    return abr_content_tokens(j, &part, &abr_no_span, false) > j->opts->max.tokens;
}

abr_unit abr_exceeded(abr_cutter *j, abr_unit from, bool without_newline)
{
    const abr_budget *max = &j->opts->max;
    abr_span text = abr_no_span;
    text.shown = j->view->bytes - without_newline;
    text.n = (size_t)text.shown; /* only a text that fits is sure to fit a size_t */
    if (from <= ABR_BY_LINES && j->view->lines > max->lines)
        return ABR_BY_LINES;
    bool may_fit =
        text.shown <= abr_byte_budget(max) || (max->bytes != ABR_UNLIMITED && text.shown <= max->bytes);
    if (j->measure.replace && j->view->invalid != ABR_UNLIMITED) {
        text.shown += j->view->invalid * (ABR_REPLACEMENT_SIZE - 1);
    } else if (j->measure.replace && may_fit) {
        text.shown = 0;
        abr_add_cost(&j->measure, j->view->front.p, text.n, &text);
    }
    if (from <= ABR_BY_BYTES && text.shown > max->bytes)
        return ABR_BY_BYTES;
    if (from <= ABR_BY_CHARS && max->chars != ABR_UNLIMITED && j->view->chars - without_newline > max->chars)
        return ABR_BY_CHARS;
    if (from > ABR_BY_TOKENS || max->tokens == ABR_UNLIMITED)
        return ABR_BY_NONE;
    return exceeds_tokens(j, &text) ? ABR_BY_TOKENS : ABR_BY_NONE;
}

abr_allowance abr_full_allowance(const abr_cutter *j)
{
    const abr_opts *o = j->opts;
    abr_allowance allowance = {
        .lines = o->max.lines, .chars = o->max.chars, .shown = abr_budget_left(o->max.bytes, o->reserve_len)};
    if (allowance.chars != ABR_UNLIMITED && o->reserve_len > 0)
        allowance.chars = abr_budget_left(allowance.chars, abr_count_chars(o->reserve, o->reserve_len, NULL));
    return allowance;
}

/* The whole lines of the text kept on a side; *part gets the cost of a line that is cut. */
static abr_span only_whole(const abr_cutter *j, abr_side side, const abr_span *kept, abr_span *part)
{
    const abr_edge *e = side == ABR_FRONT ? &j->view->front : &j->view->back;
    const char *p = side == ABR_FRONT ? e->p : e->p + (e->n - kept->n);
    abr_span whole = {.n = kept->n, .lines = kept->lines};
    *part = abr_no_span;
    if (!kept->partial)
        return whole;
    const char *newline = side == ABR_FRONT ? abr_find_last_newline(p, kept->n) : memchr(p, '\n', kept->n);
    size_t before = newline ? (size_t)(newline - p) + (side == ABR_BACK) : 0;
    whole.lines--;
    part->lines = 1;
    whole.n = side == ABR_FRONT ? before : newline ? kept->n - before : 0;
    abr_add_cost(&j->measure, side == ABR_FRONT ? p + whole.n : p, kept->n - whole.n, part);
    return whole;
}

abr_unit abr_forbids_line(abr_cutter *j, abr_side side, const abr_ends *ends)
{
    const abr_budget *max = &j->opts->max;
    const abr_unit last = max->tokens == ABR_UNLIMITED ? ABR_BY_NONE : ABR_BY_TOKENS;
    const abr_allowance allowance = abr_full_allowance(j);
    abr_span part; /* the cost of a cut line: the whole line would take its place */
    abr_span longer = only_whole(j, side, side == ABR_FRONT ? &ends->head : &ends->tail, &part);
    const uint64_t lines = longer.lines;
    if (ends->head.lines + ends->tail.lines - part.lines >= allowance.lines)
        return ABR_BY_LINES;
    if (max->bytes == ABR_UNLIMITED && max->chars == ABR_UNLIMITED)
        return last;
    longer.shown = ends->head.shown + ends->tail.shown + ends->joint.shown - part.shown;
    longer.chars = ends->head.chars + ends->tail.chars + ends->joint.chars - part.chars;
    abr_allowance next = {.lines = lines + 1,
                          .chars = max->bytes == ABR_UNLIMITED ? allowance.chars : ABR_UNLIMITED,
                          .shown = allowance.shown};
    if (longer.shown <= allowance.shown)
        abr_add_lines(side == ABR_FRONT ? &j->view->front : &j->view->back, side, &j->measure, &next,
                      &longer);
    bool grown = longer.lines > lines;
    if (!grown && max->bytes != ABR_UNLIMITED)
        return ABR_BY_BYTES;
    /* a line not wholly at hand is over the first budget set: a stream keeps that much */
    return max->chars != ABR_UNLIMITED && (!grown || longer.chars > allowance.chars) ? ABR_BY_CHARS : last;
}

/* The first budget that forbids the only line left out: with that line the whole text would show, without a
 * marker. */
static abr_unit forbids_rest(const abr_cutter *j, abr_unit by)
{
    const abr_allowance allowance = abr_full_allowance(j);
    abr_span text = {.shown = j->view->bytes};
    if (by == ABR_BY_LINES)
        return by;
    if (allowance.shown != ABR_UNLIMITED && text.shown <= allowance.shown) {
        text.shown = 0;
        abr_add_cost(&j->measure, j->view->front.p, (size_t)j->view->bytes, &text);
    }
    if (text.shown > allowance.shown)
        return ABR_BY_BYTES;
    if (allowance.chars != ABR_UNLIMITED && j->view->chars > allowance.chars)
        return ABR_BY_CHARS;
    return ABR_BY_TOKENS;
}

/* ---- shares of budgets ---- */

typedef struct {
    uint64_t used;
    uint64_t budget;
} used_part;

static used_part part_of_budget(uint64_t used, uint64_t budget)
{
    return budget == 0 ? (used_part){1, 1} : (used_part){used, budget};
}

/* The part of a budget used by the text kept; for bytes and chars, `with_rest` includes markers and the
 * reserve. */
static used_part used_share(abr_cutter *j, const abr_cut *cut, abr_unit unit, bool with_rest)
{
    const abr_budget *max = &j->opts->max;
    const abr_measure measure = {.chars = true, .replace = j->measure.replace};
    abr_span used = abr_no_span;
    if (unit == ABR_BY_LINES)
        return part_of_budget(cut->output_lines, max->lines);
    if (unit == ABR_BY_TOKENS)
        return part_of_budget(abr_kept_tokens(j, cut), max->tokens);
    for (size_t i = 0; i < cut->piece_count; i++)
        if (with_rest || cut->pieces[i].source)
            abr_add_cost(&measure, cut->pieces[i].p, cut->pieces[i].n, &used);
    if (with_rest && j->opts->reserve_len > 0)
        abr_add_cost(&measure, j->opts->reserve, j->opts->reserve_len, &used);
    return unit == ABR_BY_BYTES ? part_of_budget(used.shown, max->bytes)
                                : part_of_budget(used.chars, max->chars);
}

static bool is_set(const abr_budget *max, abr_unit unit)
{
    const uint64_t budgets[] = {0, max->lines, max->bytes, max->chars, max->tokens};
    return budgets[unit] != ABR_UNLIMITED;
}

/* The next budget that the text exceeds, or unless `exceeded` the next that is set. */
static abr_unit next_unit(abr_cutter *j, abr_unit from, bool exceeded)
{
    if (exceeded)
        return abr_exceeded(j, from, false);
    while (from <= ABR_BY_TOKENS && !is_set(&j->opts->max, from))
        from++;
    return from <= ABR_BY_TOKENS ? from : ABR_BY_NONE;
}

/* The most used of the budgets that the text exceeds, the first of equals; lines only if they are used up at
 * a line's end. If that leaves none, markers or a reserve took up the budget: then the most used of all that
 * are set, lines too if the text exceeds them: JSON is shown in fewer. */
static abr_unit used_most(abr_cutter *j, const abr_cut *cut, bool at_line_end, abr_unit by)
{
    bool by_lines = at_line_end && cut->output_lines >= j->opts->max.lines;
    abr_unit best = ABR_BY_NONE;
    for (int exceeded = 1; exceeded >= 0 && best == ABR_BY_NONE; exceeded--) {
        used_part most = {0, 1};
        const bool with_lines = by_lines || (!exceeded && by == ABR_BY_LINES && cut->kind != ABR_KIND_JSON);
        abr_unit u = next_unit(j, with_lines ? ABR_BY_LINES : ABR_BY_BYTES, exceeded);
        for (; u != ABR_BY_NONE; u = next_unit(j, u + 1, exceeded)) {
            const used_part part = used_share(j, cut, u, !exceeded);
            if (best == ABR_BY_NONE || abr_is_less_share(most.used, most.budget, part.used, part.budget)) {
                most = part;
                best = u;
            }
        }
    }
    return best == ABR_BY_NONE ? by : best;
}

/* ---- the budget that bound ---- */

abr_unit abr_bound_ends(abr_cutter *j, const abr_ends *ends, const abr_cut *cut, abr_unit by)
{
    const abr_span *head = &ends->head;
    const abr_span *tail = &ends->tail;
    bool by_tail = tail->lines > 0 || (head->lines == 0 && j->opts->head_ratio < 1);
    bool in_line = by_tail ? tail->partial : head->partial;
    abr_unit bound = ABR_BY_NONE;
    if (j->opts->strategy == ABR_HEAD_TAIL && j->opts->snap == ABR_SNAP_CHAR)
        return used_most(j, cut, !in_line, by);
    if (head->partial && tail->partial)
        return used_most(j, cut, false, by);
    if (head->lines + tail->lines + !(head->partial || tail->partial) >= j->view->lines)
        return forbids_rest(j, by);
    bound = abr_forbids_line(j, by_tail ? ABR_BACK : ABR_FRONT, ends);
    return bound == ABR_BY_NONE ? used_most(j, cut, !in_line, by) : bound;
}

/* Does the text kept on a side end inside a line? */
static bool ends_in_line(const abr_edge *e, abr_side side, size_t n)
{
    if (n == 0 || n >= e->n)
        return false;
    if (side == ABR_FRONT) /* a record is kept with its newline */
        return e->p[n - 1] != '\n' && e->p[n] != '\n';
    return e->p[e->n - n - 1] != '\n';
}

abr_unit abr_bound_pieces(abr_cutter *j, const abr_cut *cut, abr_unit by)
{
    abr_ends ends = {abr_no_span, abr_no_span, abr_no_span};
    const abr_view *v = j->view;
    if (cut->kind == ABR_KIND_JSON || cut->kind == ABR_KIND_MIXED) /* lines of the content count */
        return j->opts->max.lines == 0 ? ABR_BY_LINES : used_most(j, cut, false, by);
    uint64_t next = 1; /* the first byte not yet covered */
    uint64_t line = 1; /* the line it is in or after */
    unsigned gaps = 0;
    for (size_t i = 0; i <= cut->piece_count; i++) {
        const bool end = i == cut->piece_count;
        if (!end && !cut->pieces[i].source)
            continue;
        const uint64_t first = end ? v->bytes + 1 : cut->pieces[i].first_byte;
        if (first > next) {
            gaps++;
            ends.head = (abr_span){.n = (size_t)(next - 1), .lines = next > 1 ? line : 0};
            ends.tail = (abr_span){.n = (size_t)(v->bytes + 1 - first),
                                   .lines = end ? 0 : v->lines - cut->pieces[i].first_line + 1};
        }
        if (!end) {
            next = cut->pieces[i].last_byte + 1;
            line = cut->pieces[i].last_line;
        }
    }
    if (gaps != 1 || ends.head.n > v->front.n || ends.tail.n > v->back.n)
        return used_most(j, cut, true, by);
    if (ends.head.lines + ends.tail.lines < cut->output_lines) /* an empty line may leave no byte */
        ends.head.lines = cut->output_lines - ends.tail.lines;
    ends.head.partial = ends_in_line(&v->front, ABR_FRONT, ends.head.n);
    ends.tail.partial = ends_in_line(&v->back, ABR_BACK, ends.tail.n);
    abr_add_cost(&j->measure, v->front.p, ends.head.n, &ends.head);
    abr_add_cost(&j->measure, v->back.p + (v->back.n - ends.tail.n), ends.tail.n, &ends.tail);
    for (size_t i = 0; i < cut->piece_count && j->opts->marker != ABR_MARKER_OUTSIDE; i++)
        if (!cut->pieces[i].source)
            abr_add_cost(&(abr_measure){true, j->measure.replace}, cut->pieces[i].p, cut->pieces[i].n,
                         &ends.joint);
    return abr_bound_ends(j, &ends, cut, by);
}
