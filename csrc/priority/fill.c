/*
 * The remaining budgets go to the end, upwards gap by gap, then to the start, then to the edges of every
 * other gap: first whole lines, then chars of lines that were cut. Another line is cut here only if much
 * would be left unused otherwise.
 *
 * Every addition makes a stretch longer at one of its ends. Only extend() does that; it knows the cost to the
 * byte: the bytes added, and the joint that replaces the previous one.
 *
 * Invariant: if the listed lines are within the budgets, so is every later state; and x->used is the cost of
 * x->kept.
 */
#include <string.h>

#include "priority/fill.h"
#include "abridge.h"
#include "budget/span.h"
#include "budget/view.h"
#include "line/layout.h"
#include "line/line_score.h"
#include "priority/chooser.h"
#include "priority/retain.h"
#include "priority/stretch.h"
#include "text/scan.h"
#include "text/utf8.h"

/* ---- the stretches of kept lines ---- */

/* Get memory for the stretches of the kept lines, and for one at each end. */
static bool reserve_kept(abr_chooser *x)
{
    const abr_alloc *a = x->alloc;
    size_t count = 2;
    for (size_t i = 0; i < x->count; i++)
        count += x->lines[i].kept ? ABR_LINE_PARTS : 0;
    if (x->kept && count <= x->kept_size)
        return true;
    if (x->kept)
        a->free(a->ctx, x->kept);
    x->kept_size = count;
    x->kept = a->malloc(a->ctx, count * sizeof *x->kept);
    if (x->kept)
        return true;
    x->kept_size = 0;
    x->code = ABR_ENOMEM;
    return false;
}

static bool list_kept(abr_chooser *x)
{
    x->kept_count = 0;
    if (!reserve_kept(x))
        return false;
    for (size_t i = 0; i < x->count; i++)
        if (x->lines[i].kept)
            x->kept_count += abr_parts_of(x, &x->lines[i], x->kept + x->kept_count);
    for (size_t i = 0; i < x->kept_count; i++)
        x->kept[i].chars_n = abr_chars_of(x, x->kept[i].p, (size_t)x->kept[i].n);
    return true;
}

static abr_stretch *above(abr_chooser *x, size_t i)
{
    return i > 0 ? &x->kept[i - 1] : NULL;
}

static abr_stretch *below(abr_chooser *x, size_t i)
{
    return i + 1 < x->kept_count ? &x->kept[i + 1] : NULL;
}

/* Lines of a stretch, not counting one that the stretch above it has a part of. */
static uint64_t own_lines(const abr_stretch *before, const abr_stretch *s)
{
    return s->last_line - s->line + (!before || before->last_line != s->line);
}

static void add_up_cost(abr_chooser *x)
{
    abr_span sum = {0};
    uint64_t lines = 0;
    for (size_t i = 0; i < x->kept_count; i++) {
        const abr_stretch *s = &x->kept[i];
        abr_add_cost(&x->measure, s->p, (size_t)s->n, &sum);
        abr_add_joint_cost(x, above(x, i), s, &sum);
        lines += own_lines(above(x, i), s);
    }
    abr_add_joint_cost(x, above(x, x->kept_count), NULL, &sum);
    x->used = (abr_cost){lines, sum.shown, sum.chars};
}

/* ---- growing a stretch ---- */

/* A side of a stretch that might grow. */
typedef struct {
    abr_chooser *x;
    size_t i;
    bool up;         /* before its start, else after its end */
    uint64_t gap;    /* bytes up to the next kept stretch, without a newline that ends a line there */
    bool gap_whole;  /* the gap ends at a line's edge */
    bool own;        /* more bytes are at hand from its retained line than from the text's ends */
    const char *p;   /* the stretch, in the bytes at hand */
    uint64_t within; /* bytes at hand of the gap */
} side;

/* Find the most readable bytes next to the stretch: those retained of its line, or those of an end of the
 * text. */
static void look_beside(side *e, const abr_stretch *s)
{
    const abr_view *v = e->x->view;
    uint64_t end = s->at + s->n;
    uint64_t base = v->bytes - v->back.n;
    uint64_t own = e->up ? s->lead : s->rest;
    uint64_t by_front = end > v->front.n ? 0 : e->up ? s->at : v->front.n - end;
    uint64_t by_back = s->at < base ? 0 : e->up ? s->at - base : v->bytes - end;
    e->own = own >= by_front && own >= by_back;
    e->p = e->own ? s->p : by_front >= by_back ? v->front.p + s->at : v->back.p + (s->at - base);
    e->within = abr_at_most(abr_at_least(own, abr_at_least(by_front, by_back)), e->gap);
}

static side side_of(abr_chooser *x, size_t i, bool up)
{
    const abr_stretch *s = &x->kept[i];
    bool last = up ? i == 0 : i + 1 == x->kept_count; /* the gap reaches the text's start or end */
    side e = {.x = x, .i = i, .up = up, .gap_whole = true};
    uint64_t edge = up ? 0 : x->view->bytes - x->view->ends_line;
    if (!last && up) {
        e.gap_whole = s[-1].ends_line;
        edge = s[-1].at + s[-1].n + s[-1].ends_line;
    } else if (!last) {
        e.gap_whole = s[1].starts_line;
        edge = s[1].at - s[1].starts_line;
    }
    e.gap = up ? s->at - edge : edge - (s->at + s->n);
    look_beside(&e, s);
    return e;
}

static bool is_cut(const side *e)
{
    const abr_stretch *s = &e->x->kept[e->i];
    return e->up ? !s->starts_line : !s->ends_line;
}

/* The stretch with n more bytes; `whole`: up to a line's edge. */
static abr_stretch longer(const side *e, uint64_t n, bool whole, uint64_t chars)
{
    const abr_stretch *s = &e->x->kept[e->i];
    const char *more = e->up ? e->p - n : e->p + s->n;
    uint64_t newlines = abr_count_newlines(more, (size_t)n);
    abr_stretch t = *s;
    t.n += n;
    t.chars_n += chars;
    if (e->up) {
        t.p = more;
        t.at -= n;
        t.chars -= chars;
        t.line -= newlines;
        t.starts_line = whole;
    } else {
        t.p = e->p;
        t.last_line += newlines;
        t.ends_line = whole;
    }
    if (!e->own) {
        t.lead = t.rest = 0;
        t.lead_whole = t.rest_whole = false;
    } else {
        t.lead -= e->up ? (size_t)n : 0;
        t.rest -= e->up ? 0 : (size_t)n;
    }
    return t;
}

/* Add n more bytes, up to a line's edge or not, if the budgets allow it. */
static bool extend(side *e, uint64_t n, bool whole)
{
    abr_chooser *x = e->x;
    abr_stretch *s = &x->kept[e->i];
    const abr_stretch *next = e->up ? above(x, e->i) : below(x, e->i);
    abr_span was = {0};
    abr_span more = {0};
    abr_add_joint_cost(x, e->up ? next : s, e->up ? s : next, &was);
    if (n > abr_budget_left(x->allowance.shown, x->used.shown - was.shown))
        return false;
    abr_add_cost(&x->measure, e->up ? e->p - n : e->p + s->n, (size_t)n, &more);
    abr_stretch t = longer(e, n, whole, x->measure.chars ? more.chars : 0);
    abr_add_joint_cost(x, e->up ? next : &t, e->up ? &t : next, &more);
    abr_cost used = {x->used.lines + own_lines(e->up ? next : NULL, &t) - own_lines(e->up ? next : NULL, s),
                     x->used.shown - was.shown + more.shown, x->used.chars - was.chars + more.chars};
    if (!e->up && next)
        used.lines = used.lines + own_lines(&t, next) - own_lines(s, next);
    if (x->code != ABR_OK || used.lines > x->allowance.lines || used.shown > x->allowance.shown ||
        used.chars > x->allowance.chars)
        return false;
    *s = t;
    x->used = used;
    *e = side_of(x, e->i, e->up);
    return true;
}

/* Close the gap. */
static bool close_gap(side *e)
{
    return e->gap > 0 && e->within == e->gap && extend(e, e->gap, e->gap_whole);
}

/* Do the next n bytes reach a line's edge, though the bytes past it are not at hand? */
static bool ends_at_hand(const side *e, uint64_t n)
{
    const abr_stretch *s = &e->x->kept[e->i];
    const abr_view *v = e->x->view;
    if (e->up)
        return (s->lead_whole && s->lead == n) ||
               (e->x->back_starts_line && s->at - n == v->bytes - v->back.n) ||
               (s->line + 1 == v->lines && s->at - n == v->bytes - v->ends_line - v->last_line);
    const uint64_t end = s->at + s->n + n;
    return (s->rest_whole && s->rest == n) || (e->x->front_ends_line && end == v->front.n) ||
           (s->last_line == 0 && end == v->first_line);
}

/* Bytes of the nearest line in the gap with the newline on this side of it, or, if the stretch is cut here,
 * of the rest of its line, as far as they are at hand and might fit, perhaps in place of a joint. *whole:
 * that is all of it. */
static uint64_t nearest_line(const side *e, bool *whole)
{
    enum { JOINT = 2 * ABR_INNER_SIZE };
    const abr_chooser *x = e->x;
    uint64_t left = abr_budget_left(x->allowance.shown, x->used.shown);
    const abr_stretch *s = &x->kept[e->i];
    uint64_t first = !is_cut(e); /* the newline */
    *whole = false;
    if (e->within < first)
        return 0;
    uint64_t look = abr_at_most(e->within - first,
                                left == ABR_UNLIMITED ? left : left + x->marker.shown + x->alike + JOINT);
    const char *from = e->up ? e->p - first - look : e->p + s->n + first;
    const char *newline =
        e->up ? abr_find_last_newline(from, (size_t)look) : memchr(from, '\n', (size_t)look);
    *whole = newline || (look + first == e->gap && e->gap_whole);
    if (newline)
        look = e->up ? (uint64_t)(from + look - newline) - 1 : (uint64_t)(newline - from);
    else
        *whole = *whole || ends_at_hand(e, look + first);
    return look + first;
}

/* Bytes of whole lines next to the stretch that fit whatever they hold, and whatever the marker after each
 * says; 0 if that is unknown. */
static uint64_t sure_lines(const side *e)
{
    enum { SHOWN_MOST = 3 /* of a byte */, JOINT = 2 * ABR_INNER_SIZE + 2 };
    const abr_chooser *x = e->x;
    const abr_stretch *s = &x->kept[e->i];
    const uint64_t joint = x->marker.shown + x->alike + JOINT;
    uint64_t most = abr_at_most(abr_budget_left(abr_budget_left(x->allowance.shown, x->used.shown), joint),
                                abr_budget_left(abr_budget_left(x->allowance.chars, x->used.chars), joint));
    most = abr_at_most(x->measure.replace ? most / SHOWN_MOST : most, e->within);
    while (most > 0 && x->allowance.lines != ABR_UNLIMITED &&
           abr_count_newlines(e->up ? e->p - most : e->p + s->n, (size_t)most) >
               abr_budget_left(x->allowance.lines, x->used.lines))
        most /= 2;
    if (most == 0)
        return 0;
    const char *from = e->up ? e->p - most : e->p + s->n;
    const char *newline =
        e->up ? memchr(from, '\n', (size_t)most) : abr_find_last_newline(from, (size_t)most);
    if (!newline)
        return 0;
    return e->up ? (uint64_t)(e->p - newline) - 1 : (uint64_t)(newline - from);
}

abr_leaning abr_leaning_of(abr_line_kind kind, const char *p, size_t n, size_t text)
{
    size_t i = text;
    while (i < n && (p[i] == '|' || p[i] == ' '))
        i++;
    if (kind == ABR_LINE_EXCERPT)
        return text < n && (p[text] == '^' || p[text] == '~') ? ABR_POINTS : ABR_LEANS;
    return i == n && i > text ? ABR_LEANS : ABR_STANDS;
}

/* The same of the first line of (p, n), which is at hand. */
static abr_leaning leaning_at(const abr_chooser *x, const char *p, uint64_t size)
{
    size_t n = (size_t)abr_at_most(size, ABR_SEGMENT);
    const char *newline = memchr(p, '\n', n);
    abr_reading r;
    abr_layout layout;
    n = newline ? (size_t)(newline - p) : n;
    abr_retainer_read_line(x->view->retainer, p, n, &r);
    const char *judged = abr_retainer_judged(x->view->retainer, p, &n);
    abr_read_layout(judged, n, &layout);
    return abr_is_row(&layout, judged, n) ? ABR_LEANS : abr_leaning_of(r.kind, judged, n, layout.text);
}

/* A stretch has grown upwards from `before`, when the budgets were so far used. Take off the lines at its top
 * that lean on one that is not shown, or that a caret below them points at. Is it longer still? */
static bool drop_leaning(side *e, const abr_stretch *before, const abr_cost *used)
{
    abr_chooser *x = e->x;
    abr_stretch *s = &x->kept[e->i];
    const uint64_t added = before->at - s->at;
    uint64_t left = added;
    const char *newline;
    for (const char *p = s->p; left > 0 && (newline = memchr(p, '\n', (size_t)left)) != NULL;
         p = newline + 1) {
        const uint64_t below = (uint64_t)(s->p + s->n - (newline + 1));
        if (leaning_at(x, p, left) == ABR_STANDS && leaning_at(x, newline + 1, below) != ABR_POINTS)
            break;
        left -= (uint64_t)(newline - p) + 1;
    }
    if (left == added)
        return true;
    *s = *before;
    x->used = *used;
    *e = side_of(x, e->i, true);
    return left > 0 && extend(e, left, true);
}

/* Add whole lines while they fit, if a line ends here. Has it grown? */
static bool add_lines(side *e)
{
    bool whole = true;
    bool grown = false;
    if (e->gap == 0 || is_cut(e))
        return false;
    if (close_gap(e))
        return true;
    const abr_stretch before = e->x->kept[e->i];
    const abr_cost used = e->x->used;
    for (uint64_t n; (n = sure_lines(e)) > 0 && extend(e, n, true);)
        grown = true;
    while (whole) {
        uint64_t n = nearest_line(e, &whole);
        whole = whole && n < e->gap && extend(e, n, true);
        grown = grown || whole;
    }
    return grown && (!e->up || drop_leaning(e, &before, &used));
}

/* The remaining budgets, once `more` bytes of ASCII are used too. */
static abr_limits limits_left(const abr_chooser *x, uint64_t more)
{
    return (abr_limits){.chars = abr_budget_left(x->allowance.chars, x->used.chars + more),
                        .shown = abr_budget_left(x->allowance.shown, x->used.shown + more),
                        .replace = x->measure.replace};
}

/* The most chars of the n bytes of a line next to a stretch, after the first `skip`, that stay within the
 * limits. Above the stretch never all of a `whole` line: the marker above that may be longer, and did not
 * fit. */
static uint64_t part_beside(const side *e, uint64_t skip, uint64_t n, bool whole, const abr_limits *limits)
{
    if (!e->up)
        return abr_prefix(e->p + e->x->kept[e->i].n + skip, (size_t)n, limits);
    const char *p = e->p - skip - n;
    uint64_t part = abr_suffix(p, (size_t)n, limits);
    return whole && part > 0 && part == n ? part - abr_char_size(p, (size_t)n) : part;
}

/* Show more of a line that is cut here: all, or the most chars that fit. Has it grown? */
static bool widen(side *e)
{
    abr_chooser *x = e->x;
    bool whole;
    if (!is_cut(e))
        return false;
    if (close_gap(e))
        return true;
    uint64_t n = nearest_line(e, &whole);
    if (whole && extend(e, n, true))
        return true;
    const abr_limits limits = limits_left(x, 0);
    uint64_t part = part_beside(e, 0, n, whole, &limits);
    return part > 0 && extend(e, part, false);
}

/* ---- the order of filling ---- */

/* Is much of a budget left? */
static bool much_left(const abr_chooser *x)
{
    const abr_cost *used = &x->used;
    return (x->allowance.shown != ABR_UNLIMITED &&
            abr_budget_left(x->allowance.shown, used->shown) > x->allowance.shown / ABR_SPLIT_SHARE) ||
           (x->allowance.chars != ABR_UNLIMITED &&
            abr_budget_left(x->allowance.chars, used->chars) > x->allowance.chars / ABR_SPLIT_SHARE);
}

/* Show the end of the line above a stretch, if not all of it fits, or the start of the one below it. */
static void split_line(side *e)
{
    abr_chooser *x = e->x;
    bool whole;
    const abr_limits limits = limits_left(x, ABR_INNER_SIZE + (e->up ? 0 : x->alike));
    if (is_cut(e) || e->gap < 2)
        return;
    if (e->up && abr_gap_is_alike(x, above(x, e->i), &x->kept[e->i]))
        return; /* part of a line says less than a marker that says it is like the shown one */
    uint64_t n = nearest_line(e, &whole);
    if (n < 2 || (e->up && whole && leaning_at(x, e->p - n, n - 1) != ABR_STANDS))
        return;
    n--; /* the newline */
    uint64_t part = part_beside(e, 1, n, whole, &limits);
    if (part > 0)
        extend(e, part + 1, false);
}

/* Show the last line or the first one if none of it is kept yet: as much as fits or, without `split`, all or
 * nothing. Is it shown? */
static bool add_edge_line(abr_chooser *x, bool last, bool split)
{
    const abr_view *v = x->view;
    const abr_cost before = x->used;
    const size_t i = last ? x->kept_count : 0;
    abr_stretch t = {.starts_line = !last, .ends_line = last, .p = v->front.p};
    if (last) {
        t.at = v->bytes - v->ends_line;
        t.line = t.last_line = v->lines - 1;
        t.chars = v->chars - (x->measure.chars ? v->ends_line : 0);
        t.p = v->back.p + (v->back.n - v->ends_line);
    }
    abr_span was = {0};
    abr_span cost = {0};
    abr_add_joint_cost(x, above(x, i), i < x->kept_count ? &x->kept[i] : NULL, &was);
    memmove(x->kept + i + 1, x->kept + i, (x->kept_count - i) * sizeof t);
    x->kept[i] = t;
    x->kept_count++;
    abr_add_joint_cost(x, above(x, i), &t, &cost);
    abr_add_joint_cost(x, &t, below(x, i), &cost);
    x->used = (abr_cost){before.lines + 1, before.shown - was.shown + cost.shown,
                         before.chars - was.chars + cost.chars};
    side e = side_of(x, i, last);
    bool grown = widen(&e);
    if (grown && (split || !is_cut(&e)))
        return true;
    x->kept_count--;
    memmove(x->kept + i, x->kept + i + 1, (x->kept_count - i) * sizeof t);
    x->used = before;
    return false;
}

/* The part of the line above kept stretch i. */
static size_t part_above(const abr_chooser *x, size_t i)
{
    size_t part = 0;
    while (x->kept[i].line > abr_part_end(x, part))
        part++;
    return part;
}

/* Does the gap above stretch i want its part's share? Of the printed parts, only the last one does. */
static bool wants_share(abr_chooser *x, size_t i)
{
    const size_t part = part_above(x, i);
    return side_of(x, i, true).gap > 0 && (x->parts.list[part].written || part + 2 >= x->parts.count);
}

/* The number of parts with such a gap above stretch i or an earlier one. */
static uint64_t count_wanting(abr_chooser *x, size_t i)
{
    uint64_t count = 0;
    for (size_t last = x->parts.count; i + 1 > 0; i--) {
        if (!wants_share(x, i) || part_above(x, i) == last)
            continue;
        last = part_above(x, i);
        count++;
    }
    return count;
}

static uint64_t up_to_part(uint64_t budget, uint64_t used, uint64_t times, uint64_t of)
{
    return budget == ABR_UNLIMITED ? budget : used + abr_budget_left(budget, used) / of * times;
}

/* Lower the allowance to what is used, and a part of what is left. Returns what it was. */
static abr_allowance allow_part(abr_chooser *x, uint64_t times, uint64_t of)
{
    const abr_allowance all = x->allowance;
    x->allowance = (abr_allowance){.lines = up_to_part(all.lines, x->used.lines, times, of),
                                   .chars = up_to_part(all.chars, x->used.chars, times, of),
                                   .shown = up_to_part(all.shown, x->used.shown, times, of)};
    return all;
}

/* Add lines to a gap in a written part: 30 % of them to its end, as in a text alone. */
static void fill_written(side *e)
{
    abr_chooser *x = e->x;
    const abr_allowance all = allow_part(x, 3, 10);
    add_lines(e);
    x->allowance = all;
    if (e->gap == 0 || e->i == 0)
        return;
    side start = side_of(x, e->i - 1, false);
    add_lines(&start);
    if (start.gap == 0)
        return;
    *e = side_of(x, e->i, true); /* more of its start may not be at hand */
    add_lines(e);
}

/* Did a runner clean up in the gap above stretch i, after a command failed? */
static bool is_cleaning(const abr_chooser *x, size_t i)
{
    return i > 0 && x->kept[i - 1].last_line >= x->failed;
}

/* Fill upwards from the end, in each part gap by gap, until a line does not fit: a part that needs more than
 * its share takes no more. */
static void fill_end(abr_chooser *x)
{
    size_t now = x->parts.count;
    size_t filled = now;
    uint64_t wanting = 0;
    if (x->kept_count == 0 || x->kept[x->kept_count - 1].last_line + 1 < x->view->lines)
        add_edge_line(x, true, true);
    for (size_t i = x->kept_count; i > 0; i--) {
        side e = side_of(x, i - 1, true);
        const size_t part = part_above(x, i - 1);
        if (is_cut(&e) || part == filled || !wants_share(x, i - 1) || is_cleaning(x, i - 1))
            continue;
        if (part != now)
            wanting = count_wanting(x, i - 1);
        now = part;
        const abr_allowance all = allow_part(x, 1, wanting);
        if (x->parts.list[part].written)
            fill_written(&e);
        else if (add_lines(&e), e.gap > 0 && much_left(x))
            split_line(&e);
        x->allowance = all;
        if (side_of(x, e.i, true).gap > 0)
            filled = part;
    }
}

static bool add_first_line(abr_chooser *x)
{
    return (x->kept_count == 0 || x->kept[0].line > 0) && add_edge_line(x, false, false);
}

/* Fill downwards from the start until a line does not fit. */
static void fill_start(abr_chooser *x)
{
    for (size_t i = 0; i < x->kept_count; i++) {
        side e = side_of(x, i, false);
        if (e.gap == 0)
            continue;
        add_lines(&e);
        return;
    }
}

/* Grow the edges of every gap, starting from the end. Has one grown? */
static bool grow_any(abr_chooser *x, bool (*grow_side)(side *))
{
    bool grown = false;
    for (size_t i = 2 * x->kept_count; i > 0; i--) {
        side e = side_of(x, (i - 1) / 2, i % 2 == 1);
        grown = (e.gap > 0 && grow_side(&e)) || grown;
    }
    return grown;
}

void abr_fill_kept(abr_chooser *x)
{
    if (!list_kept(x))
        return;
    add_up_cost(x);
    fill_end(x);
    add_first_line(x);
    fill_start(x);
    do {
        while (grow_any(x, add_lines) || add_first_line(x))
            continue;
    } while (grow_any(x, widen));
}
