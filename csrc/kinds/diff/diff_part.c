/*
 * A hunk shown in part: its first and last lines, with one gap in the middle. If its lines are too long for
 * that, the gap starts and ends inside lines.
 */
#include <string.h>

#include "kinds/diff/diff_part.h"
#include "kinds/diff/diff.h"
#include "line/lines.h"
#include "text/scan.h"
#include "text/utf8.h"

enum { FRONT_LINES_LEAST = 2 }; /* its `@@` line alone says nothing */

/* Whole lines at an end of a hunk, or bytes of it. */
typedef struct {
    size_t n;       /* bytes */
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

/* The bytes of a hunk's two ends that may be shown; they may overlap. */
typedef struct {
    abr_text_line front;
    abr_text_line back;
} hunk_ends;

/* Whole lines at the start, of at most `limit` bytes. */
static hunk_end front_lines(const hunk_ends *e, uint64_t limit)
{
    const size_t n = abr_bytes_at_most(e->front.n, limit);
    const char *newline = abr_find_last_newline(e->front.p, n);
    return (hunk_end){newline ? (size_t)(newline - e->front.p) + 1 : 0, abr_count_newlines(e->front.p, n)};
}

/* The same at the end. */
static hunk_end back_lines(const hunk_ends *e, uint64_t limit)
{
    const size_t n = abr_bytes_at_most(e->back.n - 1, limit); /* after a newline */
    const char *end = e->back.p + e->back.n;
    const char *newline = n > 0 ? memchr(end - n - 1, '\n', n + 1) : NULL;
    const size_t lines_n = newline ? (size_t)(end - newline) - 1 : 0;
    return (hunk_end){lines_n, abr_count_newlines(end - lines_n, lines_n)};
}

/* Does the line at the start of (p, n) change something? A combined diff says so in a column for each
 * parent. */
static bool changes_line(const hunk_ends *e, const char *p, size_t n)
{
    for (size_t column = 0; column < n && column + 1 < e->front.n && e->front.p[column + 1] == '@'; column++)
        if (p[column] == '+' || p[column] == '-')
            return true;
    return false;
}

/* Bytes of (p, n), which starts a line, before the first line that changes something, or does not. */
static size_t before_line(const hunk_ends *e, const char *p, size_t n, bool changes)
{
    size_t at = 0;
    abr_text_line line;
    for (size_t next = 0; changes_line(e, p + at, n - at) != changes && abr_next_line(p, n, &next, &line);)
        at = next;
    return at;
}

/* The whole lines of the end at the back, which starts with the rest of a line unless it is of `lines`. */
static abr_text_line lines_at_back(const hunk_ends *e, hunk_end back, bool lines)
{
    const char *p = e->back.p + e->back.n - back.n;
    if (lines || (p > e->back.p && p[-1] == '\n'))
        return (abr_text_line){p, back.n};
    const char *newline = memchr(p, '\n', back.n);
    const size_t rest = newline ? (size_t)(newline - p) + 1 : back.n;
    return (abr_text_line){p + rest, back.n - rest};
}

/* Show these ends, unless they are too small or show no change. */
static bool set_ends(const hunk_ends *e, abr_shown_hunk *x, hunk_end front, hunk_end back, bool lines)
{
    const char *p = e->front.p;
    const abr_text_line whole = lines_at_back(e, back, lines);
    if (front.lines < (lines ? FRONT_LINES_LEAST : 1) || back.n == 0 ||
        (before_line(e, p, front.n, true) == front.n && before_line(e, whole.p, whole.n, true) == whole.n))
        return false;
    const uint64_t newlines = x->h.newlines - front.lines - back.lines; /* of the gap */
    const bool cuts_line = p[front.n - 1] != '\n' && newlines > 0;      /* its newline is the gap's first */
    x->front = front.n;
    x->back = back.n;
    x->back_line = x->h.line + x->h.newlines - back.lines;
    x->cut_lines = newlines - cuts_line;
    return true;
}

/* Show whole lines at both ends: `half` bytes of `room` at the start, or more if the end leaves room. */
static bool set_lines(const hunk_ends *e, abr_shown_hunk *x, uint64_t half, uint64_t room)
{
    const hunk_end back = back_lines(e, room - front_lines(e, half).n);
    return set_ends(e, x, front_lines(e, room - back.n), back, true);
}

/* The start of the line that `at` is in, or for the `back` the place after its end; `at` itself if the line
 * has more than `most` bytes, or is not all at hand. */
static size_t out_of_line(abr_text_line end, size_t at, uint64_t most, bool back)
{
    size_t from = at;
    size_t to = at;
    while (from > 0 && at - from <= most && end.p[from - 1] != '\n')
        from--;
    while (to < end.n && to - from <= most && end.p[to] != '\n')
        to++;
    if (to == end.n || to - from > most || (from == 0 && back))
        return at;
    return !back || from == at ? from : to + 1;
}

/* Show so many bytes at both ends, but only whole chars, and whole lines if these are short. */
static bool set_bytes(const hunk_ends *e, abr_shown_hunk *x, size_t room, uint64_t short_line)
{
    const abr_text_line f = e->front;
    const abr_text_line b = e->back;
    const size_t first = abr_char_start(f.p, f.n, abr_bytes_at_most(f.n - 1, (room + 1) / 2));
    const size_t front = out_of_line(f, first, short_line, false);
    const size_t last = b.n - abr_bytes_at_most(b.n, room - front);
    const size_t back = out_of_line(b, last + abr_rest_of_char(b.p + last, b.n - last), short_line, true);
    return set_ends(e, x, (hunk_end){front, abr_count_newlines(f.p, front)},
                    (hunk_end){b.n - back, abr_count_newlines(b.p + back, b.n - back)}, false);
}

bool abr_diff_set_part(const abr_diff_plan *plan, abr_shown_hunk *x, uint64_t bytes, bool split,
                       uint64_t short_line, char *scratch)
{
    char marker[ABR_DIFF_MARKER_MOST];
    const uint64_t defined = (uint64_t)x->h.defines_at + ABR_DEFINED_WITHIN;
    const size_t lines_n = abr_diff_print_cut(x->h.newlines + 1, 0, marker);
    const size_t bytes_n = abr_diff_print_cut(0, x->h.size, marker) + 1; /* it starts with a newline */
    if (bytes <= bytes_n)
        return false;
    const size_t front = (size_t)abr_at_most(abr_diff_at_hand(plan, x, false), bytes);
    const size_t back = (size_t)abr_at_most(abr_diff_at_hand(plan, x, true), bytes);
    const char *p = abr_diff_hunk_piece(plan, x, 0, front, scratch);
    char *rest = p == scratch ? scratch + front : scratch;
    const hunk_ends e = {{p, front}, {abr_diff_hunk_piece(plan, x, x->h.size - back, back, rest), back}};
    const uint64_t room = abr_at_most(bytes - lines_n, x->h.size - 1);
    const size_t hand = abr_bytes_at_most(front, room);
    const size_t same = before_line(&e, e.front.p, hand, true);
    const size_t changed = same + before_line(&e, e.front.p + same, hand - same, false);
    uint64_t half = (room + 1) / 2;
    if (x->h.defines_at > 0 && defined > half)
        half = abr_at_most(defined, room - room / 4);
    if (changed > half && changed < hand && set_lines(&e, x, changed, room))
        return true;
    return set_lines(&e, x, half, room) ||
           (split && set_bytes(&e, x, (size_t)abr_at_most(bytes - bytes_n, x->h.size - 1), short_line));
}
