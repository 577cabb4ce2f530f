/*
 * A hunk that is shown in part: its first and last lines, with one gap in its middle.
 */
#include <string.h>

#include "kinds/diff/diff_part.h"
#include "abridge.h"
#include "kinds/diff/diff_defines.h"
#include "kinds/diff/diff_show.h"
#include "text/scan.h"

/* Bytes of each end that are at hand. */
static uint64_t at_hand(const abr_shown_hunk *x)
{
    return abr_diff_is_at_hand(x) ? x->h.size : (uint64_t)x->slice_count * ABR_DIFF_SLICE;
}

bool abr_diff_is_at_hand(const abr_shown_hunk *x)
{
    return (uint64_t)x->slice_count * 2 * ABR_DIFF_SLICE >= x->h.size;
}

void abr_diff_set_whole(abr_shown_hunk *x)
{
    x->front = x->h.size;
    x->back = x->cut_lines = 0;
}

/* Bytes of whole lines at the start, at most `limit`. */
static uint64_t front_lines(const abr_shown_hunk *x, uint64_t limit, uint64_t *lines)
{
    uint64_t end = 0;
    *lines = 0;
    for (uint64_t at = 0; at < limit;) {
        const char *p;
        uint64_t n = abr_diff_hunk_bytes(x, at, &p);
        n = n < limit - at ? n : limit - at;
        const char *newline = abr_find_last_newline(p, (size_t)n);
        *lines += abr_count_newlines(p, (size_t)n);
        if (newline)
            end = at + (uint64_t)(newline - p) + 1;
        at += n;
    }
    return end;
}

/* The same at the end. */
static uint64_t back_lines(const abr_shown_hunk *x, uint64_t limit, uint64_t *lines)
{
    const uint64_t size = x->h.size;
    uint64_t from = size; /* after the first newline that leaves no more than `limit` */
    *lines = 0;
    if (limit == 0 || limit >= size)
        return 0;
    for (uint64_t at = size - limit - 1; at < size;) {
        const char *p;
        const uint64_t n = abr_diff_hunk_bytes(x, at, &p);
        const char *newline = from == size ? memchr(p, '\n', (size_t)n) : NULL;
        *lines += abr_count_newlines(p, (size_t)n);
        if (newline) {
            from = at + (uint64_t)(newline - p) + 1;
            --*lines;
        }
        at += n;
    }
    return size - from;
}

static bool ends_line(const abr_shown_hunk *x)
{
    const char *p;
    abr_diff_hunk_bytes(x, x->h.size - 1, &p);
    return *p == '\n';
}

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

bool abr_diff_set_part(abr_shown_hunk *x, uint64_t bytes)
{
    char marker[ABR_DIFF_MARKER_MOST];
    const uint64_t size = x->h.size;
    const uint64_t all = x->h.newlines + !ends_line(x);
    const size_t marker_n = abr_diff_print_lines(all, marker);
    const uint64_t most = at_hand(x);
    uint64_t front_n;
    uint64_t back_n;
    if (bytes <= marker_n)
        return false;
    const uint64_t room = least(bytes - marker_n, size - 1);
    uint64_t half = (room + 1) / 2;
    const uint64_t defined = (uint64_t)x->h.defines_at + ABR_DEFINED_WITHIN;
    if (x->h.defines_at > 0 && defined > half)
        half = least(defined, room - room / 4);
    uint64_t front = front_lines(x, least(half, most), &front_n);
    const uint64_t back = back_lines(x, least(room - front, most - 1), &back_n);
    front = front_lines(x, least(room - back, most), &front_n);
    if (front_n < 2 || back == 0)
        return false;
    const uint64_t back_lines_n = back_n + !ends_line(x);
    x->front = front;
    x->back = back;
    x->back_line = x->h.line + x->h.newlines - back_n;
    x->cut_lines = all - front_n - back_lines_n;
    return true;
}
