/*
 * The steps in which a priority cut keeps lines.
 *
 * The last lines get their share first, then the first line, the last count of failures, a line of each
 * common one, and the heads of failures with their messages; then lines are kept by their value for their
 * size, each with the marker of the gap it makes. A long line is shown as its start and a window around its
 * sign.
 */
#include <string.h>

#include "priority/keep.h"
#include "abridge.h"
#include "base/ascii.h"
#include "base/log2.h"
#include "budget/marker.h"
#include "budget/span.h"
#include "priority/chooser.h"
#include "priority/failure.h"
#include "priority/fill.h"
#include "line/char_set.h"
#include "line/line_score.h"
#include "line/lines.h"
#include "line/score.h"
#include "priority/sort.h"
#include "priority/stretch.h"

enum {
    HOLE_MOST = 3,       /* lines that are kept rather than replaced by a marker */
    LEAN_MOST = 6,       /* lines of an excerpt that depend on the line above them */
    MESSAGE_WITHIN = 6,  /* lines from a heading, or a head, to its message */
    ABOVE_WITHIN = 60,   /* lines from the head of a block to a line in it */
    ALL_MOST = 8,        /* lines kept together or not at all */
    WHOLE_SHARE = 4,     /* part of the budget that the first failure may take, and the last one too, */
    SHORT_SHARE = 8,     /* or without the lines above its first hit */
    GAP_SIZE = 24,       /* added to a line's size: about what its marker costs */
    TAIL_SHARE = 8,      /* part of the budget that the end surely gets */
    AMID_SHARE = 16,     /* the same for the end of a log with parts after it, or of the text after a log, */
    CLEANING_SHARE = 32, /* and for the end of a log in which a runner cleans up after a failed command */
    HEAD_SHARE = 12,     /* the same for the first line, */
    START_LEAST = 48,    /* or, if that is too long, for so many bytes of its start or more */
    HEADS_SHARE = 5, /* of the rest, for the heads of failures; with more, the last of ninety is not whole */
    FREQUENT_LEAST = 8,  /* reports of a failure that is common */
    FREQUENT_MOST = 4,   /* common failures that have a line each, */
    FREQUENT_SHARE = 32, /* within so much of the budget */
    COUNT_WITHIN = 60,   /* last lines in which a count of failures is looked for */
    PARTS_SHARE = 8      /* and for the parts' first lines; if they take more, they are left out */
};

_Static_assert((unsigned)LEAN_MOST < ALL_MOST && (unsigned)MESSAGE_WITHIN < ALL_MOST &&
                   (unsigned)HOLE_MOST < ALL_MOST,
               "lines kept together have places");

static const float size_power = 0.3F;        /* how much a line's size counts against it */
static const float alone_least = 0.5F;       /* value of a line between two gaps that is no hit */
static const float often_alone_least = 2.5F; /* the same after ABR_OFTEN lines of its shape */

static bool beside_kept(const abr_chooser *x, size_t i, size_t k)
{
    uint64_t a = x->lines[i].c->line;
    uint64_t b = x->lines[k].c->line;
    return x->lines[k].kept && (a > b ? a - b : b - a) == 1;
}

/* Keep a line if it fits with the markers of the gaps it makes. */
static bool keep_line(abr_chooser *x, size_t i, abr_cost *used)
{
    abr_shown_line *u = &x->lines[i];
    bool above = u->c->line == 0 || (i > 0 && beside_kept(x, i, i - 1));
    bool below = u->c->line + 1 == x->view->lines || (i + 1 < x->count && beside_kept(x, i, i + 1));
    abr_span more = {.shown = u->shown, .chars = u->chars};
    abr_cost before = *used;
    if (!above && u->follows_like) {
        more.shown += x->alike;
        more.chars += x->alike;
    }
    if (i + 1 < x->count && beside_kept(x, i, i + 1) && u[1].follows_like) {
        before.shown = abr_budget_left(before.shown, x->alike);
        before.chars = abr_budget_left(before.chars, x->alike);
    }
    if (above && below) { /* it closes a gap */
        before.shown = abr_budget_left(before.shown, x->marker.shown);
        before.chars = abr_budget_left(before.chars, x->marker.chars);
    } else if (!above && !below) {
        more.shown += x->marker.shown;
        more.chars += x->marker.chars;
    }
    if (u->shown == 0 || !abr_line_fits(x, &before, &more))
        return false;
    used->lines++;
    used->shown = before.shown + more.shown;
    used->chars = before.chars + more.chars;
    u->kept = true;
    return true;
}

static abr_leaning leaning_of(const abr_shown_line *u)
{
    return abr_leaning_of((abr_line_kind)u->c->kind, u->c->start, u->c->start_n, u->layout.text);
}

/* Is line i useless without the line above it? So is a line that the one below it points at. */
static bool leans(const abr_chooser *x, size_t i)
{
    const abr_shown_line *u = &x->lines[i];
    return leaning_of(u) != ABR_STANDS ||
           (i + 1 < x->count && u[1].c->line == u->c->line + 1 && leaning_of(u + 1) == ABR_POINTS);
}

static bool is_linter_row(const abr_shown_line *u)
{
    return abr_is_row(&u->layout, u->c->start, u->c->start_n);
}

static uint64_t end_share(uint64_t budget, uint64_t share)
{
    return budget == ABR_UNLIMITED ? ABR_UNLIMITED : budget / share;
}

/* Keep the last lines of a part within its share of the budgets, up to one that does not lean on the line
 * above it; the very last one if it fits at all. Does it? */
static bool keep_end(abr_chooser *x, size_t part, uint64_t share, abr_cost *used)
{
    const uint64_t end = abr_part_end(x, part);
    const uint64_t shown = end_share(x->allowance.shown, share);
    const uint64_t chars = end_share(x->allowance.chars, share);
    const uint64_t lines = x->allowance.lines / share;
    uint64_t taken = 0;
    uint64_t taken_chars = 0;
    bool some = false;
    bool fits = true;
    size_t last = x->count;
    while (last > 0 && x->lines[last - 1].c->line >= end)
        last--;
    size_t top = last;      /* the first line kept here, */
    size_t standing = last; /* the first of them that does not lean, and the cost with it */
    abr_cost cost = *used;
    for (; top > 0 && x->lines[top - 1].c->line + (last - top) + 1 == end && !x->lines[top - 1].kept; top--) {
        abr_shown_line *u = &x->lines[top - 1];
        taken += u->shown;
        taken_chars += u->chars;
        if (some && (taken > shown || taken_chars > chars || last - top >= lines))
            break;
        fits = keep_line(x, top - 1, used);
        if (!fits)
            break;
        some = some || u->c->kind != ABR_LINE_BLANK;
        if (!leans(x, top - 1) && !is_linter_row(u)) {
            standing = top - 1;
            cost = *used;
        }
    }
    if (standing < last && top < standing) {
        for (; top < standing; top++)
            x->lines[top].kept = false;
        *used = cost;
    }
    return fits || top < last;
}

/* Keep the end of the text, and the ends of the other printed parts. Does the last line fit? */
static bool keep_ends(abr_chooser *x, abr_cost *used)
{
    const size_t last = x->parts.count - 1;
    const uint64_t share = x->failed + 1 < x->view->lines ? CLEANING_SHARE
                           : x->parts.list[last].written  ? AMID_SHARE
                                                          : TAIL_SHARE;
    if (!keep_end(x, last, share, used))
        return false;
    /* printed parts before the last part */
    const uint64_t printed = (last + x->parts.list[last].written) / 2;
    for (size_t part = last; part > 0; part--)
        if (!x->parts.list[part - 1].written)
            keep_end(x, part - 1, AMID_SHARE * printed, used);
    return true;
}

/* Compute the cost of each line, with none kept. Returns how many have a value; x->keys has those, the best
 * for their size first. */
static size_t sort_by_value(abr_chooser *x)
{
    size_t n = 0;
    for (size_t i = 0; i < x->count; i++) {
        abr_shown_line *u = &x->lines[i];
        u->kept = false;
        u->start_most = 0;
        abr_set_line_cost(x, u);
        if (u->keep_value <= 0)
            continue;
        float for_size = abr_log2(u->keep_value) - size_power * abr_log2((float)(u->shown + GAP_SIZE));
        x->keys[n++] = (abr_key){~abr_float_key(for_size), (uint32_t)i};
    }
    abr_sort_keys(x->keys, n, x->keys + n);
    return n;
}

/* Keep lines from..to, at most ALL_MOST: all of them, or leave them as they were. Are they kept? */
static bool keep_all(abr_chooser *x, size_t from, size_t to, abr_cost *used)
{
    const abr_cost before = *used;
    bool was_kept[ALL_MOST];
    for (size_t k = from; k <= to; k++) {
        was_kept[k - from] = x->lines[k].kept;
        if (!was_kept[k - from] && !keep_line(x, k, used)) {
            for (; k > from; k--)
                x->lines[k - 1].kept = was_kept[k - 1 - from];
            *used = before;
            return false;
        }
    }
    return true;
}

/* Keep line i with the lines above it that it depends on. Is it kept? */
static bool keep_below_head(abr_chooser *x, size_t i, abr_cost *used)
{
    size_t top = i;
    if (leaning_of(&x->lines[i]) == ABR_POINTS && !x->lines[i].c->hit &&
        (i == 0 || x->lines[i - 1].c->line + 1 != x->lines[i].c->line))
        return false; /* what it points at was not retained */
    while (top > 0 && i - top < LEAN_MOST && leans(x, top) && !x->lines[top - 1].kept &&
           x->lines[top - 1].c->line + 1 == x->lines[top].c->line)
        top--;
    return keep_all(x, top, i, used);
}

static bool is_clear_report(const abr_candidate *c)
{
    return c->tells && c->line_score >= ABR_SCORE_CLEAR;
}

/* Is it the first clear report of its failure? */
static bool is_head(const abr_chooser *x, size_t i)
{
    const abr_candidate *c = x->lines[i].c;
    bool first = is_clear_report(c);
    for (size_t k = i; first && k > 0 && x->lines[k - 1].c->failure == c->failure; k--)
        first = !is_clear_report(x->lines[k - 1].c);
    return first;
}

/* Does the line say no more than that its message follows: the name of a test in Minitest, the source in
 * RSpec? */
static bool announces(const abr_shown_line *u)
{
    const abr_candidate *c = u->c;
    const size_t n = abr_back(c->start, c->start_n, ABR_SET(" \r"));
    const size_t at = u->layout.text;
    return (n > 0 && c->start_n == c->size && c->start[n - 1] == ':') ||
           (n > at + 16 && abr_starts_with(c->start + at, n - at, "Failure/Error: "));
}

/* Is it a line of a failure whose message is the text below it, as in YAML: "msg: |-"? */
static bool opens_text(const abr_shown_line *u)
{
    const abr_candidate *c = u->c;
    size_t n = c->start_n - (c->start_n > 0 && c->start[c->start_n - 1] == '\r');
    n -= n > 0 && c->start[n - 1] == '-';
    return c->failure > 0 && c->start_n == c->size && n > 3 && abr_ends_with(c->start, n, ": |");
}

/* Is it a heading, or a report that ends before its message, as panics of Rust do and Gradle's "What went
 * wrong:"? The lines below the head of a traceback are no message. */
static bool leads_to_message(const abr_shown_line *u)
{
    return u->layout.look == ABR_LOOK_HEAD || opens_text(u) ||
           (u->c->tells && u->c->kind != ABR_LINE_TRACE && announces(u));
}

/* The line up to which a heading says what failed: the first one of its failure with a sign of its own, if
 * that is near, else the next one, and not one that only announces it. Line i itself if it is no heading, or
 * one that is underlined: a traceback follows it. */
static size_t end_of_heading(const abr_chooser *x, size_t i)
{
    const uint32_t failure = x->lines[i].c->failure;
    size_t next = i;
    if (failure == 0 || !leads_to_message(&x->lines[i]))
        return i;
    for (size_t k = i + 1; k < x->count && k - i <= MESSAGE_WITHIN; k++) {
        const abr_shown_line *u = &x->lines[k];
        if (u->c->failure != failure || u->c->line != x->lines[k - 1].c->line + 1)
            break;
        if (u->layout.look == ABR_LOOK_RULE)
            return i;
        if (u->layout.look == ABR_LOOK_BLANK)
            continue;
        if (u->c->hit && !announces(u))
            return k;
        if (next == i || announces(&x->lines[next]))
            next = k;
    }
    return next;
}

/* The heading that announces line i, if that is the end of what it says; else line i. */
static size_t heading_of(const abr_chooser *x, size_t i)
{
    for (size_t k = i; x->lines[i].c->hit && k > 0 && i - k < MESSAGE_WITHIN; k--)
        if (leads_to_message(&x->lines[k - 1]))
            return end_of_heading(x, k - 1) == i ? k - 1 : i;
    return i;
}

/* The line above line i, less deep, without which it says little: the name of the file that a linter's row is
 * about, or the head of the block in which an odd line stands. Line i itself if it has none at hand. */
static size_t head_above(const abr_chooser *x, size_t i)
{
    const abr_shown_line *row = &x->lines[i];
    const bool odd = row->why == ABR_WHY_ODD && row->layout.indent > 0;
    for (size_t k = i; (odd || is_linter_row(row)) && k > 0 && i - k < ABOVE_WITHIN; k--) {
        const abr_shown_line *u = &x->lines[k - 1];
        if (u->layout.look == ABR_LOOK_BLANK || u->c->line + 1 != x->lines[k].c->line)
            break;
        if (u->layout.indent < row->layout.indent)
            return odd && u->c->kind != ABR_LINE_PLAIN ? i : k - 1;
    }
    return i;
}

/* The line below line i if it points at that line's source, as a compiler does; else line i. */
static size_t end_of_excerpt(const abr_chooser *x, size_t i)
{
    const abr_candidate *c = x->lines[i].c;
    const abr_candidate *below = i + 1 < x->count ? x->lines[i + 1].c : NULL;
    return below && below->line == c->line + 1 && c->kind == ABR_LINE_EXCERPT &&
                   below->kind == ABR_LINE_EXCERPT && !memchr(c->start, '^', c->start_n) &&
                   memchr(below->start, '^', below->start_n)
               ? i + 1
               : i;
}

/* Keep line i with the lines above it that it depends on, and with the head of its block; a heading and its
 * message together, if they fit. Is it kept? */
static bool keep_told(abr_chooser *x, size_t i, abr_cost *used)
{
    const size_t head = heading_of(x, i);
    const size_t end = abr_at_least(end_of_heading(x, i), end_of_excerpt(x, i));
    const size_t above = head_above(x, i);
    if (above < i && !x->lines[above].kept) {
        const abr_cost before = *used;
        if (keep_line(x, above, used) && keep_below_head(x, i, used))
            return true;
        x->lines[above].kept = false;
        *used = before;
        return false;
    }
    if (head < i && keep_all(x, head, i, used))
        return true;
    if (end > i && opens_text(&x->lines[i]))
        return keep_all(x, i, end, used);
    if (!keep_below_head(x, i, used))
        return false;
    if (end > i)
        keep_all(x, i + 1, end, used);
    return true;
}

/* Keep the few lines between line i and the next kept one above it: a marker in their place would cost nearly
 * as much. Without `any`, all must be of one failure. */
static void close_hole_above(abr_chooser *x, size_t i, bool any, abr_cost *used)
{
    const uint32_t failure = x->lines[i].c->failure;
    size_t k = i;
    while (k > 0 && i - k <= HOLE_MOST && !(k < i && x->lines[k].kept))
        k--;
    if (i - k < 2 || !x->lines[k].kept || x->lines[i].c->line - x->lines[k].c->line != i - k)
        return;
    for (size_t j = k; j < i; j++)
        if (!any && x->lines[j].c->failure != failure)
            return;
    keep_all(x, k + 1, i - 1, used);
}

/* Keep line i, and close small holes in its failure. */
static void keep_with_holes(abr_chooser *x, size_t i, abr_cost *used)
{
    if (!keep_told(x, i, used) || x->lines[i].c->failure == 0)
        return;
    close_hole_above(x, i, false, used);
    for (size_t k = i + 1; k < x->count && k - i <= HOLE_MOST + 1; k++)
        if (x->lines[k].kept) {
            close_hole_above(x, k, false, used);
            return;
        }
}

/* Keep lines from..to if they take no more than that share, and those that their first ones lean on. Do they
 * fit in it? */
static bool keep_lines(abr_chooser *x, size_t from, size_t to, uint64_t share, abr_cost *used)
{
    uint64_t shown = 0;
    for (size_t i = from; i < to; i++)
        shown += x->lines[i].kept ? 0 : x->lines[i].shown;
    if (shown > x->allowance.shown / share)
        return false;
    for (size_t i = from; i < to; i++)
        if (!x->lines[i].kept)
            keep_told(x, i, used);
    return true;
}

/* Keep all lines of a failure, or those from its first hit on, if the ones above that are long. */
static void keep_whole(abr_chooser *x, const abr_block *b, abr_cost *used)
{
    if (!keep_lines(x, b->start, b->end, WHOLE_SHARE, used))
        keep_lines(x, b->hit, b->end, SHORT_SHARE, used);
}

static bool has_digit(const abr_candidate *c)
{
    for (size_t i = 0; i < c->start_n; i++)
        if (abr_is_digit(c->start[i]))
            return true;
    return false;
}

/* Keep the last line near the end that counts failures and tells of none: how many there are in all. */
static void keep_last_count(abr_chooser *x, abr_cost *used)
{
    for (size_t i = x->count; i > 0 && x->lines[i - 1].c->line + COUNT_WITHIN >= x->view->lines; i--) {
        const abr_shown_line *u = &x->lines[i - 1];
        if (!u->c->hit || u->c->tells || u->shown > x->allowance.shown / HEAD_SHARE || !has_digit(u->c))
            continue;
        if (!u->kept)
            keep_line(x, i - 1, used);
        return;
    }
}

static bool starts_part(const abr_chooser *x, size_t i)
{
    for (size_t k = 1; k < x->parts.count; k++)
        if (x->parts.list[k].line == x->lines[i].c->line)
            return true;
    return false;
}

/* Keep the known first lines of parts, if all of them fit in their share. */
static void keep_part_starts(abr_chooser *x, abr_cost *used)
{
    uint64_t shown = 0;
    for (size_t i = 0; i < x->count && x->parts.count > 1; i++)
        shown += starts_part(x, i) ? x->lines[i].shown + x->marker.shown : 0;
    if (shown == 0 || shown > x->allowance.shown / PARTS_SHARE)
        return;
    for (size_t i = 0; i < x->count; i++)
        if (!x->lines[i].kept && starts_part(x, i))
            keep_line(x, i, used);
}

/* Is a line beside it kept? */
static bool joins_kept(const abr_chooser *x, size_t i)
{
    return (i > 0 && beside_kept(x, i, i - 1)) || (i + 1 < x->count && beside_kept(x, i, i + 1));
}

/* Is the line worth the gaps on both sides of it? Of many lines of one shape, the later ones say less than
 * lines that follow each other. */
static bool may_stand_alone(const abr_shown_line *u)
{
    return u->layout.look != ABR_LOOK_BLANK &&
           (u->c->hit || u->failure != 0 ||
            u->keep_value >= (u->c->nth < ABR_OFTEN ? alone_least : often_alone_least));
}

/* Keep the message of a failure below its head: its next clear report, with the lines between them if these
 * are few, or a text without them. */
static void keep_message(abr_chooser *x, size_t head, abr_cost *used)
{
    const abr_candidate *h = x->lines[head].c;
    for (size_t i = head + 1; i < x->count && x->lines[i].c->failure == h->failure; i++) {
        const abr_candidate *c = x->lines[i].c;
        const bool opens = opens_text(&x->lines[i]);
        if (!opens && !is_clear_report(c))
            continue;
        const bool near = !opens && i - head <= MESSAGE_WITHIN && c->line - h->line == i - head;
        const size_t end = leads_to_message(&x->lines[i]) ? end_of_heading(x, i) : i;
        const size_t from = near && end - head <= ALL_MOST ? head + 1 : i;
        if (!keep_all(x, from, end, used) && !opens && !x->lines[i].kept)
            keep_all(x, near ? head + 1 : i, i, used);
        return;
    }
}

/* Keep the heads of failures, or the messages of those that are kept, the best ones first, within a share
 * of the rest: of many failures, more are told in a line or two before all is told of a few. */
static void keep_heads(abr_chooser *x, size_t sorted, bool messages, abr_cost *used)
{
    const uint64_t shown = used->shown + abr_budget_left(x->allowance.shown, used->shown) / HEADS_SHARE;
    const uint64_t chars = used->chars + abr_budget_left(x->allowance.chars, used->chars) / HEADS_SHARE;
    const uint64_t lines = used->lines + abr_budget_left(x->allowance.lines, used->lines) / HEADS_SHARE;
    for (size_t k = 0; k < sorted; k++) {
        if (used->shown >= shown || used->chars >= chars || used->lines >= lines)
            return;
        const size_t i = x->keys[k].index;
        if (x->lines[i].kept != messages || !is_head(x, i))
            continue;
        if (messages)
            keep_message(x, i, used);
        else
            keep_told(x, i, used);
    }
}

/* Is it the first report of a common failure? Rows of results name a test each, common as their form is. */
static bool is_common(const abr_shown_line *u)
{
    return !u->kept && u->c->nth == 0 && u->seen >= FREQUENT_LEAST && is_clear_report(u->c) &&
           !abr_counts_results(u->c->count);
}

/* Keep the first reports of the failures reported most often, in a line each, within a share of the budget:
 * that one came a thousand times is news, though by its value each time says less than what came once. */
static void keep_common(abr_chooser *x, abr_cost *used)
{
    const uint64_t shown = used->shown + x->allowance.shown / FREQUENT_SHARE;
    const uint64_t chars = used->chars + x->allowance.chars / FREQUENT_SHARE;
    for (unsigned kept = 0; kept < FREQUENT_MOST; kept++) {
        size_t most = x->count;
        for (size_t i = 0; i < x->count; i++)
            if (is_common(&x->lines[i]) && (most == x->count || x->lines[i].seen > x->lines[most].seen))
                most = i;
        if (most == x->count || used->shown + x->lines[most].shown > shown ||
            used->chars + x->lines[most].chars > chars || !keep_line(x, most, used))
            return;
    }
}

/* Let no more than the start of a line show, so that it takes this much at most. */
static void show_start(const abr_chooser *x, abr_shown_line *u, uint64_t most)
{
    u->start_most = abr_budget_left(most, ABR_INNER_SIZE + 1);
    if (u->start_most >= START_LEAST)
        abr_set_line_cost(x, u);
    else
        u->start_most = 0;
}

/* Keep the first line within its share, or the first one with a text and the blank ones above it; of one that
 * is too long to show whole anywhere, its start. */
static void keep_first(abr_chooser *x, abr_cost *used)
{
    if (x->count == 0 || x->lines[0].c->line != 0)
        return;
    size_t first = 0;
    while (x->lines[first].layout.look == ABR_LOOK_BLANK && first + 1 < (size_t)ALL_MOST &&
           first + 1 < x->count && x->lines[first + 1].c->line == first + 1)
        first++;
    const uint64_t share = x->allowance.shown / HEAD_SHARE;
    abr_shown_line *u = &x->lines[first];
    if (u->shown > share && u->c->size > x->width && !u->c->hit && !u->kept)
        show_start(x, u, share);
    if (u->shown <= share)
        keep_all(x, 0, first, used);
}

void abr_keep_best(abr_chooser *x)
{
    x->marker = abr_widest_marker(x);
    x->alike = x->tells_runs && x->marker.shown > 0 ? abr_alike_more(x->format, x->format_len) : 0;
    abr_cost used = {0, x->marker.shown, x->marker.chars};
    size_t sorted = sort_by_value(x);
    if (!keep_ends(x, &used))
        return; /* the end gets the little there is */
    keep_first(x, &used);
    keep_part_starts(x, &used);
    keep_last_count(x, &used);
    keep_whole(x, &x->last, &used);
    keep_whole(x, &x->first, &used);
    keep_common(x, &used);
    keep_heads(x, sorted, false, &used);
    if (!x->listed)
        keep_heads(x, sorted, true, &used);
    for (size_t i = x->first.start; x->listed && i < x->first.end; i++)
        if (x->lines[i].kept && is_head(x, i)) /* the list may not tell what all have in common */
            keep_message(x, i, &used);
    for (size_t k = 0; k < sorted; k++) {
        const size_t i = x->keys[k].index;
        if (!x->lines[i].kept && (may_stand_alone(&x->lines[i]) || joins_kept(x, i)))
            keep_with_holes(x, i, &used);
    }
    for (size_t i = 0; i < x->count; i++)
        if (x->lines[i].kept)
            close_hole_above(x, i, true, &used);
}
