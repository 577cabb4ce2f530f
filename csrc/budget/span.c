/*
 * Spans: what is kept on one side of a source, the most whole lines or the most chars within a room.
 *
 * Nothing beyond the room is read: a line that shows no end within the bytes that are left is too long.
 */
#include <string.h>

#include "budget/span.h"
#include "abridge.h"
#include "text/scan.h"

uint64_t abr_less(uint64_t from, uint64_t taken)
{
    if (from == ABR_UNLIMITED)
        return from;
    return from > taken ? from - taken : 0;
}

static size_t least(size_t n, uint64_t limit)
{
    return n > limit ? (size_t)limit : n;
}

void abr_weigh(const abr_scale *scale, const char *p, size_t n, abr_span *span)
{
    uint64_t invalid = 0;
    if (scale->chars || scale->replace)
        span->chars += abr_count_chars(p, n, &invalid);
    span->shown += n + (scale->replace ? invalid * (ABR_REPLACEMENT_SIZE - 1) : 0);
}

/* The most bytes that fit, whatever chars they are. */
static uint64_t may_fit(const abr_scale *scale, const abr_room *room, const abr_span *s)
{
    enum { CHAR_MOST = 4 };
    uint64_t shown = abr_less(room->shown, s->shown);
    uint64_t chars = scale->chars ? abr_less(room->chars, s->chars) : ABR_UNLIMITED;
    return chars < shown / CHAR_MOST ? chars * CHAR_MOST : shown;
}

/* Add the bytes (p, n) of whole lines to the span if they stay within the room. */
static bool add_lines(const abr_scale *scale, const char *p, size_t n, uint64_t lines, const abr_room *room,
                      abr_span *span)
{
    if (n > abr_less(room->shown, span->shown))
        return false;
    abr_span longer = *span;
    abr_weigh(scale, p, n, &longer);
    if (longer.shown > room->shown || (scale->chars && longer.chars > room->chars))
        return false;
    longer.n += n;
    longer.lines += lines;
    *span = longer;
    return true;
}

/* The most of n bytes that fit whatever chars they are, as long as these are well-formed. */
static size_t sure_to_fit(size_t n, const abr_scale *scale, const abr_room *room, const abr_span *s)
{
    n = least(n, abr_less(room->shown, s->shown));
    return scale->chars ? least(n, abr_less(room->chars, s->chars)) : n;
}

/* Add the lines that end within the bytes that are sure to fit, all at once; false where there are none. */
static bool leap_front(const abr_edge *e, const abr_scale *scale, const abr_room *room, abr_span *s)
{
    size_t line = s->lines == 0 ? 0 : s->n + 1;
    if (s->lines >= room->lines || line >= e->n)
        return false;
    const char *p = e->p + line;
    size_t window = sure_to_fit(e->n - line, scale, room, s);
    uint64_t wanted = room->lines - s->lines;
    uint64_t left = wanted;
    size_t n = abr_nth_newline(p, window, &left);
    const char *last = left > 0 ? abr_find_last_newline(p, n) : p + n - 1;
    return last && add_lines(scale, e->p + s->n, (size_t)(last - e->p) - s->n, wanted - left, room, s);
}

/* The same of those that begin in them, behind a newline. */
static bool leap_back(const abr_edge *e, const abr_scale *scale, const abr_room *room, abr_span *s)
{
    size_t end = e->n - s->n;
    size_t window = sure_to_fit(end, scale, room, s);
    if (s->lines >= room->lines || window == 0)
        return false;
    const char *p = e->p + (end - window);
    size_t body = window - (p[window - 1] == '\n');
    uint64_t wanted = room->lines - s->lines;
    uint64_t left = wanted;
    size_t at = abr_nth_newline_back(p, body, &left);
    const char *newline = left > 0 ? memchr(p, '\n', body) : p + at;
    return newline &&
           add_lines(scale, newline + 1, (size_t)(p + window - newline) - 1, wanted - left, room, s);
}

static void grow_front(const abr_edge *e, const abr_scale *scale, const abr_room *room, abr_span *s)
{
    while (leap_front(e, scale, room, s))
        continue;
    size_t line = s->lines == 0 ? 0 : s->n + 1; /* where the next line starts */
    while (s->lines < room->lines && line < e->n) {
        uint64_t left = may_fit(scale, room, s);
        size_t window = left == ABR_UNLIMITED ? e->n - line : least(e->n - line, left + 1);
        const char *newline = memchr(e->p + line, '\n', window);
        if (!newline && (line + window < e->n || !e->whole))
            return;
        size_t end = newline ? (size_t)(newline - e->p) : e->n;
        if (!add_lines(scale, e->p + s->n, end - s->n, 1, room, s))
            return;
        line = end + 1;
    }
}

/* Where the line that ends at e->p + end starts, its newline included in end; SIZE_MAX when not within window
 * bytes or not on this edge. */
static size_t line_start(const abr_edge *e, size_t end, uint64_t window)
{
    size_t body = end - (e->p[end - 1] == '\n');
    size_t look = least(body, window == ABR_UNLIMITED ? window : window + 1);
    const char *newline = abr_find_last_newline(e->p + body - look, look);
    if (newline)
        return (size_t)(newline - e->p) + 1;
    return look == body && e->whole ? 0 : SIZE_MAX;
}

static void grow_back(const abr_edge *e, const abr_scale *scale, const abr_room *room, abr_span *s)
{
    while (leap_back(e, scale, room, s))
        continue;
    while (s->lines < room->lines && s->n < e->n) {
        size_t end = e->n - s->n;
        size_t start = line_start(e, end, may_fit(scale, room, s));
        if (start == SIZE_MAX || !add_lines(scale, e->p + start, end - start, 1, room, s))
            return;
    }
}

void abr_grow_lines(const abr_edge *edge, abr_side side, const abr_scale *scale, const abr_room *room,
                    abr_span *span)
{
    if (side == ABR_FRONT)
        grow_front(edge, scale, room, span);
    else
        grow_back(edge, scale, room, span);
}

/* Bytes of the first or last room->lines lines of an edge with their newlines, or all of it when the lines reach
 * beyond what the room can show. */
static size_t line_reach(const abr_edge *e, abr_side side, const abr_scale *scale, const abr_room *room)
{
    const uint64_t most = may_fit(scale, room, &(abr_span){0});
    size_t reach = 0;
    for (uint64_t k = 0; k < room->lines && reach < e->n; k++) {
        uint64_t window = abr_less(most, reach);
        if (side == ABR_FRONT) {
            const char *newline = memchr(e->p + reach, '\n', least(e->n - reach, window));
            if (!newline)
                return e->n;
            reach = (size_t)(newline - e->p) + 1;
        } else {
            size_t start = line_start(e, e->n - reach, window);
            if (start == SIZE_MAX)
                return e->n;
            reach = e->n - start;
        }
    }
    return reach;
}

abr_span abr_take_chars(const abr_edge *edge, abr_side side, const abr_scale *scale, const abr_room *room)
{
    const abr_edge *e = edge;
    abr_span s = {0};
    abr_reach reach = {room->chars, room->shown, scale->replace};
    size_t limit = room->lines == ABR_UNLIMITED ? e->n : line_reach(e, side, scale, room);
    const char *from = e->p;
    if (side == ABR_FRONT) {
        s.n = least(abr_prefix(e->p, e->n, &reach), limit);
        bool at_line_end = s.n < e->n ? e->p[s.n] == '\n' : e->whole;
        s.partial = s.n > 0 && e->p[s.n - 1] != '\n' && !at_line_end;
    } else {
        s.n = least(abr_suffix(e->p, e->n, &reach), limit);
        from = e->p + (e->n - s.n);
        bool at_line_start = s.n < e->n ? from[-1] == '\n' : e->whole;
        s.partial = s.n > 0 && !at_line_start;
    }
    s.lines = abr_count_lines(from, s.n);
    abr_weigh(scale, from, s.n, &s);
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
    return count == ABR_UNLIMITED ? count : (uint64_t)((double)count * head_ratio);
}
