/*
 * A hunk shown in part: its first and last lines, with one gap in the middle. If its lines are too long for
 * that, the gap starts and ends inside lines.
 */
#include <string.h>

#include "kinds/diff/diff_part.h"
#include "abridge.h"
#include "base/size.h"
#include "kinds/diff/diff_defines.h"
#include "kinds/diff/diff_show.h"
#include "text/scan.h"

enum { FRONT_LINES_LEAST = 2 }; /* its `@@` line alone says nothing */

/* Whole lines at an end of a hunk, or bytes of it. */
typedef struct {
    uint64_t n;     /* bytes */
    uint64_t lines; /* newlines in them */
} hunk_end;

bool abr_diff_set_whole(const abr_diff_plan *plan, abr_shown_hunk *x)
{
    if (abr_diff_at_hand(plan, x, false) + abr_diff_at_hand(plan, x, true) < x->h.size)
        return false;
    x->front = x->h.size;
    x->back = x->cut_lines = 0;
    return true;
}

static char hunk_byte(const abr_diff_plan *plan, const abr_shown_hunk *x, uint64_t at)
{
    const char *p;
    abr_diff_hunk_bytes(plan, x, at, &p);
    return *p;
}

static uint64_t count_lines(const abr_diff_plan *plan, const abr_shown_hunk *x, uint64_t from, uint64_t end)
{
    uint64_t lines = 0;
    for (uint64_t at = from; at < end;) {
        const char *p;
        const uint64_t n = abr_at_most(abr_diff_hunk_bytes(plan, x, at, &p), end - at);
        lines += abr_count_newlines(p, (size_t)n);
        at += n;
    }
    return lines;
}

/* Whole lines at the start, of at most `limit` bytes. */
static hunk_end front_lines(const abr_diff_plan *plan, const abr_shown_hunk *x, uint64_t limit)
{
    hunk_end front = {0};
    for (uint64_t at = 0; at < limit;) {
        const char *p;
        const uint64_t n = abr_at_most(abr_diff_hunk_bytes(plan, x, at, &p), limit - at);
        const char *newline = abr_find_last_newline(p, (size_t)n);
        front.lines += abr_count_newlines(p, (size_t)n);
        if (newline)
            front.n = at + (uint64_t)(newline - p) + 1;
        at += n;
    }
    return front;
}

/* The same at the end. */
static hunk_end back_lines(const abr_diff_plan *plan, const abr_shown_hunk *x, uint64_t limit)
{
    const uint64_t size = x->h.size;
    for (uint64_t at = size - limit - 1; at < size && limit > 0;) {
        const char *p;
        const uint64_t n = abr_diff_hunk_bytes(plan, x, at, &p);
        const char *newline = memchr(p, '\n', (size_t)n);
        if (newline) {
            const uint64_t from = at + (uint64_t)(newline - p) + 1;
            return (hunk_end){size - from, count_lines(plan, x, from, size)};
        }
        at += n;
    }
    return (hunk_end){0};
}

/* The nearest place from `at` on, or at or before it, that is not inside a char. */
static uint64_t between_chars(const abr_diff_plan *plan, const abr_shown_hunk *x, uint64_t at, bool before)
{
    enum { REST = 3 }; /* bytes of a char after its first one */
    uint64_t to = at;
    for (int i = 0;
         i < REST && to > 0 && to < x->h.size && ((unsigned char)hunk_byte(plan, x, to) & 0xC0) == 0x80; i++)
        to += before ? UINT64_MAX : 1;
    return to;
}

/* Does the line at `at` change something? A combined diff says so in a column for each parent. */
static bool changes_at(const abr_diff_plan *plan, const abr_shown_hunk *x, uint64_t at, uint64_t end)
{
    for (uint64_t column = 0; at + column < end && hunk_byte(plan, x, column + 1) == '@'; column++) {
        const char c = hunk_byte(plan, x, at + column);
        if (c == '+' || c == '-')
            return true;
    }
    return false;
}

/* The first line from `at` on that changes something, or does not; `end` if none before that does. `at`
 * starts a line, and the bytes between are at hand. */
static uint64_t line_from(const abr_diff_plan *plan, const abr_shown_hunk *x, uint64_t at, uint64_t end,
                          bool changes)
{
    while (at < end && changes_at(plan, x, at, end) != changes) {
        const char *p;
        const char *newline = NULL;
        while (at < end && !newline) {
            const uint64_t n = abr_at_most(abr_diff_hunk_bytes(plan, x, at, &p), end - at);
            newline = memchr(p, '\n', (size_t)n);
            at += newline ? (uint64_t)(newline - p) + 1 : n;
        }
    }
    return at;
}

static bool has_changes(const abr_diff_plan *plan, const abr_shown_hunk *x, uint64_t from, uint64_t end)
{
    return line_from(plan, x, from, end, true) < end;
}

/* Show these ends, unless they are too small or show no change. */
static bool set_ends(const abr_diff_plan *plan, abr_shown_hunk *x, hunk_end front, hunk_end back,
                     uint64_t lines_least)
{
    const uint64_t from = x->h.size - back.n;
    if (front.lines < lines_least || back.n == 0 ||
        !(has_changes(plan, x, 0, front.n) || has_changes(plan, x, from, x->h.size)))
        return false;
    const uint64_t newlines = x->h.newlines - front.lines - back.lines; /* of the gap */
    const bool cuts_line =
        hunk_byte(plan, x, front.n - 1) != '\n' && newlines > 0; /* its newline is the gap's first */
    x->front = front.n;
    x->back = back.n;
    x->back_line = x->h.line + x->h.newlines - back.lines;
    x->cut_lines = newlines - cuts_line;
    return true;
}

/* Show whole lines at both ends: `half` bytes of `room` at the start, or more if the end leaves room. */
static bool set_lines(const abr_diff_plan *plan, abr_shown_hunk *x, uint64_t half, uint64_t room)
{
    const uint64_t most = abr_diff_at_hand(plan, x, false);
    const hunk_end first = front_lines(plan, x, abr_at_most(half, most));
    const hunk_end back = back_lines(
        plan, x, abr_at_most(room - first.n, abr_diff_at_hand(plan, x, true) - 1)); /* and a newline */
    const hunk_end front = front_lines(plan, x, abr_at_most(room - back.n, most));
    return set_ends(plan, x, front, back, FRONT_LINES_LEAST);
}

/* The start of the line that `at` is in, or for the `back` the place after its end; `at` itself if the line
 * has more than `most` bytes, or is not all at hand. */
static uint64_t out_of_line(const abr_diff_plan *plan, const abr_shown_hunk *x, uint64_t at, uint64_t most,
                            bool back)
{
    const uint64_t first = back ? x->h.size - abr_diff_at_hand(plan, x, true) : 0;
    const uint64_t last = back ? x->h.size : abr_diff_at_hand(plan, x, false);
    uint64_t from = at;
    uint64_t end = at;
    while (from > first && at - from <= most && hunk_byte(plan, x, from - 1) != '\n')
        from--;
    while (end < last && end - from <= most && hunk_byte(plan, x, end) != '\n')
        end++;
    if (end == last || end - from > most || (from == first && back))
        return at;
    return !back || from == at ? from : end + 1;
}

/* Show so many bytes at both ends, but only whole chars, and whole lines if these are short. */
static bool set_bytes(const abr_diff_plan *plan, abr_shown_hunk *x, uint64_t half, uint64_t room,
                      uint64_t short_line)
{
    const uint64_t size = x->h.size;
    const uint64_t first =
        between_chars(plan, x, abr_at_most(half, abr_diff_at_hand(plan, x, false) - 1), true);
    const uint64_t front = out_of_line(plan, x, first, short_line, false);
    const uint64_t left = abr_at_most(room - front, abr_diff_at_hand(plan, x, true));
    const uint64_t back = out_of_line(plan, x, between_chars(plan, x, size - left, false), short_line, true);
    return set_ends(plan, x, (hunk_end){front, count_lines(plan, x, 0, front)},
                    (hunk_end){size - back, count_lines(plan, x, back, size)}, 1);
}

bool abr_diff_set_part(const abr_diff_plan *plan, abr_shown_hunk *x, uint64_t bytes, bool split,
                       uint64_t short_line)
{
    char marker[ABR_DIFF_MARKER_MOST];
    const uint64_t defined = (uint64_t)x->h.defines_at + ABR_DEFINED_WITHIN;
    const size_t lines_n = abr_diff_print_cut(x->h.newlines + 1, 0, marker);
    const size_t bytes_n = abr_diff_print_cut(0, x->h.size, marker) + 1; /* it starts with a newline */
    if (bytes <= bytes_n)
        return false;
    const uint64_t room = abr_at_most(bytes - lines_n, x->h.size - 1);
    const uint64_t hand = abr_at_most(abr_diff_at_hand(plan, x, false), room);
    const uint64_t changed = line_from(plan, x, line_from(plan, x, 0, hand, true), hand, false);
    uint64_t half = (room + 1) / 2;
    if (x->h.defines_at > 0 && defined > half)
        half = abr_at_most(defined, room - room / 4);
    if (changed > half && changed < hand && set_lines(plan, x, changed, room))
        return true;
    if (set_lines(plan, x, half, room))
        return true;
    const uint64_t less = abr_at_most(bytes - bytes_n, x->h.size - 1);
    return split && set_bytes(plan, x, (less + 1) / 2, less, short_line);
}
