/*
 * The columns of a line.
 *
 * Lines are walked char by char. For a line of 64 KiB that takes a quarter of a millisecond, too long when a
 * few bytes of input can ask for it. So lines over COLUMNS_STEP bytes are walked once, and their columns
 * noted in segments of that size. A change makes only the segment it falls into unknown, since the columns of
 * a segment depend on nothing before it, except that in a segment with tabs they depend on its first column,
 * modulo the tab stops. The last place found is kept: most searches go on from there.
 *
 * Segments that shrink are not joined: when there are too many, all are dropped and made again as needed.
 */
#include <string.h>

#include "clean/columns.h"
#include "abridge.h"
#include "base/ascii.h"
#include "text/utf8.h"
#include "text/width.h"

enum {
    NO_SEGMENT = ABR_COLUMNS_SEGMENTS,
    CHAR_MOST = 4 /* bytes */
};

#define NO_LINE UINT64_MAX

/* Segments that start at the byte `start` of the text: none yet. */
static void drop_all(abr_columns *c, uint64_t start)
{
    c->start = start;
    c->size = 0;
    c->n = 0;
    c->line = NO_LINE;
}

void abr_columns_start(abr_columns *c, bool keeps_tabs, bool joins)
{
    memset(c, 0, offsetof(abr_columns, segments));
    c->keeps_tabs = keeps_tabs;
    c->joins = joins;
    drop_all(c, 0);
}

/* ---- columns of a text ---- */

/* Bytes of the char or kept control sequence at p. n > 0. */
static size_t unit_size(const char *p, size_t n)
{
    if (*p != ABR_ESC || n < 2)
        return abr_char_size(p, n);
    size_t i = 2;
    if (p[1] == '[') {
        while (i < n && (p[i] < 0x40 || p[i] == ABR_DEL))
            i++;
    } else if (strchr("]PX^_", p[1])) {
        while (i < n && p[i] != ABR_BEL && !(p[i] == '\\' && p[i - 1] == ABR_ESC))
            i++;
    } else {
        for (i = 1; i < n && p[i] >= 0x20 && p[i] < 0x30;)
            i++;
    }
    return i < n ? i + 1 : n;
}

size_t abr_columns_unit(const abr_columns *c, abr_columns_line line, abr_place x, size_t *size)
{
    const char *p = line.p + x.at;
    *size = 1;
    if (*p == '\t')
        return c->keeps_tabs ? 1 : ABR_COLUMNS_TAB - x.column % ABR_COLUMNS_TAB;
    *size = unit_size(p, line.n - x.at);
    return *p == '\x1B' ? 0 : abr_char_cells(p, *size);
}

abr_place abr_columns_walk(const abr_columns *c, abr_columns_line line, abr_place x, size_t stop,
                           size_t target)
{
    while (x.at < stop) {
        for (; x.at < stop && x.column < target && abr_is_printable(line.p[x.at]); x.at++)
            x.column++;
        if (x.at == stop)
            break;
        size_t size;
        size_t cells = abr_columns_unit(c, line, x, &size);
        if (cells > 0 && x.column + cells > target)
            break;
        x.at += size;
        x.column += cells;
    }
    return x;
}

/* ---- segments ---- */

/* False if there is no room. */
static bool insert(abr_columns *c, size_t i, size_t bytes)
{
    if (c->n == ABR_COLUMNS_SEGMENTS)
        return false;
    memmove(c->segments + i + 1, c->segments + i, (c->n - i) * sizeof *c->segments);
    c->segments[i] = (abr_columns_segment){.bytes = (uint32_t)bytes};
    c->n++;
    return true;
}

/* Take n bytes off the start of segment i, and off the following ones if it has fewer. */
static void take_bytes(abr_columns *c, size_t i, size_t n)
{
    size_t end = i;
    while (n > 0 && end < c->n && c->segments[end].bytes <= n)
        n -= c->segments[end++].bytes;
    if (n > 0 && end < c->n) {
        c->segments[end].bytes -= (uint32_t)n;
        c->segments[end].kind = ABR_SEGMENT_UNKNOWN;
    }
    memmove(c->segments + i, c->segments + end, (c->n - end) * sizeof *c->segments);
    c->n -= end - i;
}

/* The text changes `at` bytes into segment i. */
static void forget_from(abr_columns *c, size_t i, size_t at)
{
    c->segments[i].kind = ABR_SEGMENT_UNKNOWN;
    if (i > 0 && at < CHAR_MOST)
        c->segments[i - 1].kind = ABR_SEGMENT_UNKNOWN; /* its last char may become another */
}

/* The segment that holds byte `at`, counted from the first segment's start; *start gets its start. */
static size_t segment_at(const abr_columns *c, size_t at, size_t *start)
{
    size_t i = 0;
    *start = 0;
    if (c->line != NO_LINE && c->segment < c->n) {
        size_t last = (size_t)(c->line - c->start) + c->segment_start.at;
        if (last <= at) {
            i = c->segment;
            *start = last;
        }
    }
    while (*start + c->segments[i].bytes <= at)
        *start += c->segments[i++].bytes;
    return i;
}

/* Make the first segment start earlier. */
static void extend_back(abr_columns *c, uint64_t start)
{
    c->segments[0].bytes += (uint32_t)(c->start - start);
    c->segments[0].kind = ABR_SEGMENT_UNKNOWN;
    c->size += (size_t)(c->start - start);
    c->start = start;
    c->line = NO_LINE;
}

/* Make the segments cover a line. */
static void cover(abr_columns *c, abr_columns_line line)
{
    if (c->n == 0 || c->n > ABR_COLUMNS_SEGMENTS / 2 || line.start > c->start + UINT32_MAX / 2) {
        drop_all(c, line.start);
        insert(c, 0, 0);
    }
    if (line.start < c->start)
        extend_back(c, line.start);
    size_t end = (size_t)(line.start - c->start) + line.n;
    if (end > c->size) {
        abr_columns_segment *last = &c->segments[c->n - 1];
        forget_from(c, c->n - 1, last->bytes);
        last->bytes += (uint32_t)(end - c->size);
        c->size = end;
    }
}

/* ---- searching ---- */

/* A segment, and its start. */
typedef struct {
    size_t i;
    abr_place start;
} position;

static abr_place advance(abr_place x, size_t blanks)
{
    return (abr_place){x.at + blanks, x.column + blanks};
}

/* Blanks at the start of (p, n), 0 if there are no more than COLUMNS_STEP; the last few may not be
 * counted. */
static size_t blank_run(const char *p, size_t n)
{
    size_t run = 1;
    if (n == 0 || *p != ' ')
        return 0;
    while (n - run >= COLUMNS_STEP && memcmp(p, p + run, COLUMNS_STEP) == 0)
        run += COLUMNS_STEP;
    return run > COLUMNS_STEP ? run : 0;
}

/* Measure a segment; it keeps its leading blanks, or COLUMNS_STEP bytes. False if there is no room for the
 * rest. */
static bool measure_segment(abr_columns *c, abr_columns_line line, position in)
{
    abr_columns_segment *s = &c->segments[in.i];
    const char *p = line.p + in.start.at;
    size_t most = line.n - in.start.at < s->bytes ? line.n - in.start.at : s->bytes;
    size_t blanks = blank_run(p, most);
    abr_place end = advance(in.start, blanks);
    if (blanks == 0) {
        size_t stop = in.start.at + (most < COLUMNS_STEP ? most : COLUMNS_STEP);
        end = abr_columns_walk(c, line, in.start, stop, SIZE_MAX);
    }
    size_t bytes = end.at - in.start.at;
    if (bytes < s->bytes && !insert(c, in.i + 1, s->bytes - bytes))
        return false;
    if (bytes > s->bytes)
        take_bytes(c, in.i + 1, bytes - s->bytes);
    s->bytes = (uint32_t)bytes;
    s->columns = (uint32_t)(end.column - in.start.column);
    s->phase = in.start.column % ABR_COLUMNS_TAB;
    if (blanks > 0)
        s->kind = ABR_SEGMENT_BLANK;
    else
        s->kind = memchr(p, '\t', bytes) ? ABR_SEGMENT_TABBED : ABR_SEGMENT_MIXED;
    return true;
}

static bool is_measured(const abr_columns_segment *s, size_t column)
{
    return s->kind != ABR_SEGMENT_UNKNOWN &&
           (s->kind != ABR_SEGMENT_TABBED || s->phase == column % ABR_COLUMNS_TAB);
}

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Like abr_columns_walk(), from x, which lies in *in; *in becomes the segment at the walk's end. */
static abr_place search(abr_columns *c, abr_columns_line line, position *in, abr_place x, size_t stop,
                        size_t target)
{
    abr_columns_line seen = {line.p, stop, line.start};
    for (;;) {
        abr_columns_segment *s = &c->segments[in->i];
        if (!is_measured(s, in->start.column) && !measure_segment(c, line, *in)) {
            in->i = NO_SEGMENT;
            return abr_columns_walk(c, seen, x, stop, target);
        }
        size_t end = in->start.at + s->bytes;
        size_t column = in->start.column + s->columns;
        if (x.at > end)
            x = in->start; /* found when the segment had more blanks */
        if (x.at == in->start.at && end <= stop && column <= target)
            x = (abr_place){end, column};
        else if (s->kind == ABR_SEGMENT_BLANK)
            x = advance(x, smaller(smaller(end, stop) - x.at, target - x.column));
        else
            x = abr_columns_walk(c, seen, x, smaller(end, stop), target);
        if (x.at < end || x.at == stop)
            return x;
        *in = (position){in->i + 1, x};
    }
}

/* Can a walk to byte `stop` and column `target` begin at x, a place found before? */
static bool leads_to(const abr_columns *c, abr_columns_line line, abr_place x, size_t stop, size_t target)
{
    return c->line == line.start && !c->joins && x.at <= stop && x.column <= target;
}

/* The segment that starts with the line. */
static size_t first_segment(abr_columns *c, abr_columns_line line)
{
    size_t at = (size_t)(line.start - c->start);
    size_t start;
    size_t i = segment_at(c, at, &start);
    if (start == at)
        return i;
    if (!insert(c, i + 1, c->segments[i].bytes - (at - start)))
        return NO_SEGMENT;
    c->segments[i].bytes = (uint32_t)(at - start);
    c->segments[i].kind = ABR_SEGMENT_UNKNOWN;
    return i + 1;
}

abr_place abr_columns_seek(abr_columns *c, abr_columns_line line, size_t stop, size_t target)
{
    position in = {NO_SEGMENT, {0, 0}};
    abr_place x = {0, 0};
    if (line.n > COLUMNS_STEP) {
        cover(c, line);
        if (c->segment < c->n && leads_to(c, line, c->segment_start, stop, target))
            in = (position){c->segment, c->segment_start};
        else
            in.i = first_segment(c, line);
        x = in.start;
    }
    if (leads_to(c, line, c->found, stop, target))
        x = c->found;
    if (in.i == NO_SEGMENT)
        x = abr_columns_walk(c, (abr_columns_line){line.p, stop, line.start}, x, stop, target);
    else
        x = search(c, line, &in, x, stop, target);
    c->line = line.start;
    c->segment = in.i;
    c->segment_start = in.start;
    c->found = x;
    return x;
}

abr_place abr_columns_seek_from(abr_columns *c, abr_columns_line line, size_t at, size_t target)
{
    abr_place x = {at, 0};
    if (target > COLUMNS_STEP && line.n - at > COLUMNS_STEP) {
        abr_columns_seek(c, line, at, SIZE_MAX);
        position in = {c->segment, {c->segment_start.at, 0}};
        if (in.i != NO_SEGMENT)
            return search(c, line, &in, x, line.n, target);
    }
    return abr_columns_walk(c, line, x, line.n, target);
}

/* ---- changes ---- */

void abr_columns_splice(abr_columns *c, uint64_t from, uint64_t to, size_t size)
{
    if (c->line != NO_LINE && from < c->line + c->segment_start.at)
        c->line = NO_LINE;
    else if (c->line != NO_LINE && from < c->line + c->found.at)
        c->found = c->segment_start;
    if (c->n == 0)
        return;
    if (from < c->start)
        extend_back(c, from);
    size_t at = (size_t)(from - c->start);
    if (at >= c->size)
        return;
    size_t stop = to - c->start < c->size ? (size_t)(to - c->start) : c->size;
    size_t start;
    size_t i = segment_at(c, at, &start);
    size_t end = start + c->segments[i].bytes;
    take_bytes(c, i + 1, stop > end ? stop - end : 0);
    c->segments[i].bytes = (uint32_t)(at - start + size + (end > stop ? end - stop : 0));
    forget_from(c, i, at - start);
    c->size = c->size - (stop - at) + size;
}
