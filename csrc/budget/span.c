/*
 * Spans: the text kept on one side of a source, the most whole lines or the most chars within an allowance.
 *
 * Nothing beyond the allowance is read: a line without an end within the remaining bytes is too long.
 */
#include <string.h>

#include "budget/span.h"
#include "abridge.h"
#include "base/scaled.h"
#include "base/size.h"
#include "text/scan.h"

const abr_span abr_no_span = {.n = 0};

uint64_t abr_budget_left(uint64_t budget, uint64_t used)
{
    if (budget == ABR_UNLIMITED)
        return budget;
    return budget > used ? budget - used : 0;
}

void abr_add_cost(const abr_measure *measure, const char *p, size_t n, abr_span *span)
{
    uint64_t invalid = 0;
    if (measure->chars || measure->replace)
        span->chars += abr_count_chars(p, n, &invalid);
    span->shown += n + (measure->replace ? invalid * (ABR_REPLACEMENT_SIZE - 1) : 0);
}

/* The most bytes that fit, whatever chars they are. */
static uint64_t may_fit(const abr_measure *measure, const abr_allowance *allowance, const abr_span *s)
{
    enum { CHAR_MOST = 4 };
    uint64_t shown = abr_budget_left(allowance->shown, s->shown);
    uint64_t chars = measure->chars ? abr_budget_left(allowance->chars, s->chars) : ABR_UNLIMITED;
    return chars < shown / CHAR_MOST ? chars * CHAR_MOST : shown;
}

/* Add the bytes (p, n) of whole lines to the span if they stay within the allowance. */
static bool add_if_fits(const abr_measure *measure, const char *p, size_t n, uint64_t lines,
                        const abr_allowance *allowance, abr_span *span)
{
    if (n > abr_budget_left(allowance->shown, span->shown))
        return false;
    abr_span longer = *span;
    abr_add_cost(measure, p, n, &longer);
    if (longer.shown > allowance->shown || (measure->chars && longer.chars > allowance->chars))
        return false;
    longer.n += n;
    longer.lines += lines;
    *span = longer;
    return true;
}

/* The most of n bytes that fit, whatever chars they hold, if well-formed. */
static size_t sure_to_fit(size_t n, const abr_measure *measure, const abr_allowance *allowance,
                          const abr_span *s)
{
    n = abr_bytes_at_most(n, abr_budget_left(allowance->shown, s->shown));
    return measure->chars ? abr_bytes_at_most(n, abr_budget_left(allowance->chars, s->chars)) : n;
}

/* Add the lines that end within the bytes that are sure to fit, all at once; false if there are none. */
static bool add_sure_lines_front(const abr_edge *e, const abr_measure *measure,
                                 const abr_allowance *allowance, abr_span *s)
{
    size_t line = s->lines == 0 ? 0 : s->n + 1;
    if (s->lines >= allowance->lines || line >= e->n)
        return false;
    const char *p = e->p + line;
    size_t window = sure_to_fit(e->n - line, measure, allowance, s);
    uint64_t wanted = allowance->lines - s->lines;
    uint64_t left = wanted;
    size_t n = abr_nth_newline(p, window, &left);
    const char *last = left > 0 ? abr_find_last_newline(p, n) : p + n - 1;
    return last &&
           add_if_fits(measure, e->p + s->n, (size_t)(last - e->p) - s->n, wanted - left, allowance, s);
}

/* The same from the end: the lines that begin within those bytes, after a newline. */
static bool add_sure_lines_back(const abr_edge *e, const abr_measure *measure, const abr_allowance *allowance,
                                abr_span *s)
{
    size_t end = e->n - s->n;
    size_t window = sure_to_fit(end, measure, allowance, s);
    if (s->lines >= allowance->lines || window == 0)
        return false;
    const char *p = e->p + (end - window);
    size_t body = window - (p[window - 1] == '\n');
    uint64_t wanted = allowance->lines - s->lines;
    uint64_t left = wanted;
    size_t at = abr_nth_newline_back(p, body, &left);
    const char *newline = left > 0 ? memchr(p, '\n', body) : p + at;
    return newline &&
           add_if_fits(measure, newline + 1, (size_t)(p + window - newline) - 1, wanted - left, allowance, s);
}

static void add_lines_front(const abr_edge *e, const abr_measure *measure, const abr_allowance *allowance,
                            abr_span *s)
{
    while (add_sure_lines_front(e, measure, allowance, s))
        continue;
    size_t line = s->lines == 0 ? 0 : s->n + 1; /* start of the next line */
    while (s->lines < allowance->lines && line < e->n) {
        uint64_t left = may_fit(measure, allowance, s);
        size_t window = left == ABR_UNLIMITED ? e->n - line : abr_bytes_at_most(e->n - line, left + 1);
        const char *newline = memchr(e->p + line, '\n', window);
        if (!newline && (line + window < e->n || !e->whole))
            return;
        size_t end = newline ? (size_t)(newline - e->p) : e->n;
        if (!add_if_fits(measure, e->p + s->n, end - s->n, 1, allowance, s))
            return;
        line = end + 1;
    }
}

/* Start of the line that ends at e->p + end, its newline included in end; SIZE_MAX if not within window bytes
 * or not on this edge. */
static size_t line_start(const abr_edge *e, size_t end, uint64_t window)
{
    size_t body = end - (e->p[end - 1] == '\n');
    size_t look = abr_bytes_at_most(body, window == ABR_UNLIMITED ? window : window + 1);
    const char *newline = abr_find_last_newline(e->p + body - look, look);
    if (newline)
        return (size_t)(newline - e->p) + 1;
    return look == body && e->whole ? 0 : SIZE_MAX;
}

static void add_lines_back(const abr_edge *e, const abr_measure *measure, const abr_allowance *allowance,
                           abr_span *s)
{
    while (add_sure_lines_back(e, measure, allowance, s))
        continue;
    while (s->lines < allowance->lines && s->n < e->n) {
        size_t end = e->n - s->n;
        size_t start = line_start(e, end, may_fit(measure, allowance, s));
        if (start == SIZE_MAX || !add_if_fits(measure, e->p + start, end - start, 1, allowance, s))
            return;
    }
}

void abr_add_lines(const abr_edge *edge, abr_side side, const abr_measure *measure,
                   const abr_allowance *allowance, abr_span *span)
{
    if (side == ABR_FRONT)
        add_lines_front(edge, measure, allowance, span);
    else
        add_lines_back(edge, measure, allowance, span);
}

/* Bytes of the first or last allowance->lines lines of an edge with their newlines, or the whole edge if the
 * lines reach beyond the allowance. */
static size_t bytes_of_lines(const abr_edge *e, abr_side side, const abr_measure *measure,
                             const abr_allowance *allowance)
{
    const uint64_t most = may_fit(measure, allowance, &(abr_span){0});
    size_t limits = 0;
    for (uint64_t k = 0; k < allowance->lines && limits < e->n; k++) {
        uint64_t window = abr_budget_left(most, limits);
        if (side == ABR_FRONT) {
            const char *newline = memchr(e->p + limits, '\n', abr_bytes_at_most(e->n - limits, window));
            if (!newline)
                return e->n;
            limits = (size_t)(newline - e->p) + 1;
        } else {
            size_t start = line_start(e, e->n - limits, window);
            if (start == SIZE_MAX)
                return e->n;
            limits = e->n - start;
        }
    }
    return limits;
}

abr_span abr_fit_chars(const abr_edge *edge, abr_side side, const abr_measure *measure,
                       const abr_allowance *allowance)
{
    const abr_edge *e = edge;
    abr_span s = {0};
    abr_limits limits = {allowance->chars, allowance->shown, measure->replace};
    size_t limit = allowance->lines == ABR_UNLIMITED ? e->n : bytes_of_lines(e, side, measure, allowance);
    const char *from = e->p;
    if (side == ABR_FRONT) {
        s.n = abr_bytes_at_most(abr_prefix(e->p, e->n, &limits), limit);
        bool at_line_end = s.n < e->n ? e->p[s.n] == '\n' : e->whole;
        s.partial = s.n > 0 && e->p[s.n - 1] != '\n' && !at_line_end;
    } else {
        s.n = abr_bytes_at_most(abr_suffix(e->p, e->n, &limits), limit);
        from = e->p + (e->n - s.n);
        bool at_line_start = s.n < e->n ? from[-1] == '\n' : e->whole;
        s.partial = s.n > 0 && !at_line_start;
    }
    s.lines = abr_count_lines(from, s.n);
    abr_add_cost(measure, from, s.n, &s);
    return s;
}

uint64_t abr_line_size(const abr_edge *edge, abr_side side)
{
    const abr_edge *e = edge;
    if (side == ABR_FRONT) {
        const char *newline = memchr(e->p, '\n', e->n);
        return newline ? (uint64_t)(newline - e->p) : e->n;
    }
    size_t body = e->n - (e->n > 0 && e->p[e->n - 1] == '\n');
    const char *newline = abr_find_last_newline(e->p, body);
    return newline ? (uint64_t)(e->p + body - newline - 1) : body;
}

uint64_t abr_head_share(uint64_t count, double head_ratio)
{
    return count == ABR_UNLIMITED ? count : abr_scaled_down(count, head_ratio);
}
