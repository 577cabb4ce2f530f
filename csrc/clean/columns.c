/*
 * Where the columns of a line are.
 *
 * A line is a list of stretches, each with its bytes and its columns, so that a change in one leaves the others as they
 * are: what comes before and behind it keeps its width. Columns behind a tab do not depend on what is before the tab,
 * but for the stop they count from. In a plain stretch a byte is a column, so it may be of any length; all others are
 * about COLUMNS_STEP bytes, for they are walked through.
 *
 * The list is a memory of work done: it may end before the line does, and when there are no stretches left, all lists
 * are given up and made again as they are needed. Stretches that shrank are joined in passing.
 */
#include <string.h>

#include "clean/columns.h"
#include "abridge.h"
#include "text/utf8.h"
#include "text/width.h"

void abr_columns_start(abr_columns *c, bool keeps_tabs, bool joins)
{
    memset(c, 0, offsetof(abr_columns, stretches));
    c->keeps_tabs = keeps_tabs;
    c->joins = joins;
}

/* ---- columns of a text ---- */

static bool is_printable(char c)
{
    return c >= 0x20 && c < 0x7F;
}

static size_t next_stop(size_t column)
{
    return column - column % ABR_COLUMNS_TAB + ABR_COLUMNS_TAB;
}

enum { BEL = 0x07, ESC = 0x1B, DEL = 0x7F };

/* Bytes of what stands at p in a line: a char, or a control sequence that was kept. n > 0. */
static size_t unit_size(const char *p, size_t n)
{
    if (*p != ESC || n < 2)
        return abr_char_size(p, n);
    size_t i = 2;
    if (p[1] == '[') {
        while (i < n && (p[i] < 0x40 || p[i] == DEL))
            i++;
    } else if (strchr("]PX^_", p[1])) {
        while (i < n && p[i] != BEL && !(p[i] == '\\' && p[i - 1] == ESC))
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
        return c->keeps_tabs ? 1 : next_stop(x.column) - x.column;
    *size = unit_size(p, line.n - x.at);
    return *p == '\x1B' ? 0 : abr_char_cells(p, *size);
}

abr_place abr_columns_walk(const abr_columns *c, abr_columns_line line, abr_place x, size_t stop,
                           size_t target)
{
    line.n = stop;
    while (x.at < stop) {
        for (; x.at < stop && x.column < target && is_printable(line.p[x.at]); x.at++)
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

/* ---- stretches ---- */

/* A stretch behind b, or the only one of a line; 0: there are none left. */
static uint16_t take(abr_columns *c, size_t bytes, abr_stretch_kind kind, uint16_t next)
{
    uint16_t id = c->unused;
    if (id)
        c->unused = c->stretches[id].next;
    else if (c->used + 1 < COLUMNS_STRETCHES)
        id = ++c->used;
    if (id)
        c->stretches[id] = (abr_columns_stretch){(uint32_t)bytes, (uint32_t)bytes, 0, next, (uint8_t)kind};
    return id;
}

static void give_back(abr_columns *c, uint16_t id)
{
    c->stretches[id].next = c->unused;
    c->unused = id;
}

static void forget(abr_columns_stretch *b)
{
    b->kind = ABR_STRETCH_UNKNOWN;
}

/* Take the stretch behind b out of the list. */
static void unlink_next(abr_columns *c, abr_columns_stretch *b)
{
    uint16_t next = b->next;
    b->next = c->stretches[next].next;
    give_back(c, next);
}

static void drop_all(abr_columns *c)
{
    memset(c->first, 0, sizeof c->first);
    c->used = 0;
    c->unused = 0;
    c->last = 0;
}

void abr_columns_forget(abr_columns *c, size_t slot)
{
    uint16_t id = c->first[slot];
    if (c->last_slot == slot)
        c->last = 0;
    c->first[slot] = 0;
    while (id) {
        uint16_t next = c->stretches[id].next;
        give_back(c, id);
        id = next;
    }
}

static size_t column_behind(const abr_columns_stretch *b, size_t column)
{
    column += b->columns;
    return b->kind == ABR_STRETCH_TABBED ? next_stop(column) + b->behind : column;
}

/* Join to b what fits behind it. */
static void join(abr_columns *c, abr_columns_stretch *b)
{
    while (b->next) {
        const abr_columns_stretch *next = &c->stretches[b->next];
        bool plain = b->kind == ABR_STRETCH_PLAIN && next->kind == ABR_STRETCH_PLAIN;
        if (!plain && b->bytes + next->bytes > COLUMNS_STEP)
            return;
        b->bytes += next->bytes;
        b->columns += next->columns;
        if (!plain)
            forget(b);
        unlink_next(c, b);
    }
}

/* ---- measuring ---- */

/* Let b end before `bytes`; what is behind is another stretch. */
static bool split(abr_columns *c, abr_columns_stretch *b, size_t bytes)
{
    uint16_t rest = take(c, b->bytes - bytes, ABR_STRETCH_UNKNOWN, b->next);
    b->bytes = (uint32_t)bytes;
    b->next = rest;
    return rest != 0;
}

/* The last char of b has more bytes than b: it takes them from what follows. */
static void overrun(abr_columns *c, abr_columns_stretch *b, size_t n)
{
    b->bytes += (uint32_t)n;
    while (n > 0 && b->next) {
        abr_columns_stretch *next = &c->stretches[b->next];
        uint32_t k = next->bytes < n ? next->bytes : (uint32_t)n;
        next->bytes -= k;
        forget(next);
        n -= k;
        if (next->bytes == 0)
            unlink_next(c, b);
    }
}

/* Measure the columns of b, which starts at `start`; what is too long is split. False: no stretches are left. */
static bool measure(abr_columns *c, abr_columns_line line, size_t start, abr_columns_stretch *b)
{
    size_t stop = start + b->bytes;
    size_t plain = start;
    while (plain < stop && is_printable(line.p[plain]))
        plain++;
    if (plain == stop || plain - start >= COLUMNS_STEP) {
        b->kind = ABR_STRETCH_PLAIN;
        b->columns = (uint32_t)(plain - start);
        return plain == stop || split(c, b, plain - start);
    }
    abr_place x = {start, 0};
    size_t before_tab = 0;
    b->kind = ABR_STRETCH_MIXED;
    while (x.at < stop && x.at - start < COLUMNS_STEP) {
        size_t size;
        size_t cells = abr_columns_unit(c, line, x, &size);
        if (size > COLUMNS_STEP && x.at > start) /* a kept sequence that long is a stretch of its own */
            break;
        if (line.p[x.at] == '\t' && b->kind != ABR_STRETCH_TABBED && !c->keeps_tabs) {
            b->kind = ABR_STRETCH_TABBED;
            before_tab = x.column;
            x.column = 0;
        } else {
            x.column += cells;
        }
        x.at += size;
    }
    b->columns = (uint32_t)(b->kind == ABR_STRETCH_TABBED ? before_tab : x.column);
    b->behind = (uint32_t)(b->kind == ABR_STRETCH_TABBED ? x.column : 0);
    if (x.at > stop)
        overrun(c, b, x.at - stop);
    return x.at >= stop || split(c, b, x.at - start);
}

/* ---- searching ---- */

/* A stretch, and the place where it starts. */
typedef struct {
    uint16_t id;
    abr_place start;
} position;

/* Join to the last stretch what of the line is behind it. False: no stretches are left. */
static bool extend(abr_columns *c, abr_columns_line line, size_t start, abr_columns_stretch *b)
{
    size_t rest = line.n - start - b->bytes;
    if (rest == 0)
        return true;
    if (b->kind == ABR_STRETCH_PLAIN) {
        b->next = take(c, rest, ABR_STRETCH_UNKNOWN, 0);
        return b->next != 0;
    }
    b->bytes += (uint32_t)rest;
    forget(b);
    return true;
}

/* Measure b, which starts at `start`, where that is to be done. Afterwards it ends with the line, or another follows. */
static bool learn(abr_columns *c, abr_columns_line line, size_t start, abr_columns_stretch *b)
{
    do {
        join(c, b);
        if (!b->next && !extend(c, line, start, b))
            return false;
        if (b->kind == ABR_STRETCH_UNKNOWN && !measure(c, line, start, b))
            return false;
    } while (!b->next && start + b->bytes < line.n); /* it ran over the one that followed */
    return true;
}

static void remember(abr_columns *c, abr_columns_line line, position in, abr_place x)
{
    c->last_slot = line.slot;
    c->last = in.id;
    c->last_start = in.start;
    c->last_place = x;
}

/* From x, which lies in the stretch `in`, on, as abr_columns_walk(). False: no stretches are left. */
static bool search(abr_columns *c, abr_columns_line line, position in, abr_place *x, size_t stop,
                   size_t target)
{
    for (;;) {
        abr_columns_stretch *b = &c->stretches[in.id];
        if (!learn(c, line, in.start.at, b))
            return false;
        size_t end = in.start.at + b->bytes;
        bool whole = x->at == in.start.at;
        if (whole && end <= stop && column_behind(b, x->column) <= target) {
            x->at = end;
            x->column = column_behind(b, x->column);
        } else if (b->kind == ABR_STRETCH_PLAIN) {
            size_t most = (end < stop ? end : stop) - x->at;
            size_t n = target - x->column < most ? target - x->column : most;
            x->at += n;
            x->column += n;
        } else {
            *x = abr_columns_walk(c, line, *x, end < stop ? end : stop, target);
        }
        if (x->at < end || !b->next) {
            remember(c, line, in, *x);
            return true;
        }
        in.start.at = end;
        in.start.column = x->column;
        in.id = b->next;
    }
}

/* Is what was found last of this line, and not behind byte `stop` and column `target`? */
static bool has_last(const abr_columns *c, abr_columns_line line, abr_place x, size_t stop, size_t target)
{
    return c->last != 0 && c->last_slot == line.slot && !c->joins && x.at <= stop && x.column <= target;
}

/* The stretch that has the byte `from`, or the last one, and where it starts. */
static position find(abr_columns *c, size_t slot, size_t from)
{
    position in = {c->first[slot], {0, 0}};
    if (c->last && c->last_slot == slot && !c->joins && c->last_start.at <= from)
        in = (position){c->last, c->last_start};
    for (;;) {
        abr_columns_stretch *b = &c->stretches[in.id];
        join(c, b);
        size_t end = in.start.at + b->bytes;
        if (c->joins && end + 4 > from && b->kind != ABR_STRETCH_PLAIN)
            forget(b); /* its last char may become another */
        if (end > from || !b->next)
            return in;
        in.start.at = end;
        in.id = b->next;
    }
}

/* Of bytes outside UTF-8 the last ones known may become a char with what was added behind them. */
static void doubt_end(abr_columns *c, abr_columns_line line)
{
    size_t known = 0;
    for (uint16_t id = c->first[line.slot]; id; id = c->stretches[id].next)
        known += c->stretches[id].bytes;
    if (known < line.n)
        find(c, line.slot, known);
}

/* Where to begin a search for what is at byte `stop` or column `target` at most; *x gets a place in there. */
static position begin(abr_columns *c, abr_columns_line line, size_t stop, size_t target, abr_place *x)
{
    position in = {c->last, c->last_start};
    if (!has_last(c, line, c->last_start, stop, target)) {
        in = (position){c->first[line.slot], {0, 0}};
        if (!in.id)
            in.id = c->first[line.slot] = take(c, line.n, ABR_STRETCH_UNKNOWN, 0);
        else if (c->joins)
            doubt_end(c, line);
        *x = in.start;
    } else {
        *x = has_last(c, line, c->last_place, stop, target) ? c->last_place : in.start;
    }
    return in;
}

abr_place abr_columns_seek(abr_columns *c, abr_columns_line line, size_t stop, size_t target)
{
    abr_place x = has_last(c, line, c->last_place, stop, target) ? c->last_place : (abr_place){0, 0};
    if (stop > COLUMNS_STEP) {
        position in = begin(c, line, stop, target, &x);
        if (in.id && search(c, line, in, &x, stop, target))
            return x;
        drop_all(c);
        x = (abr_place){0, 0};
    }
    return abr_columns_walk(c, line, x, stop, target);
}

abr_place abr_columns_seek_from(abr_columns *c, abr_columns_line line, size_t at, size_t target)
{
    if (target <= COLUMNS_STEP || line.n - at <= COLUMNS_STEP)
        return abr_columns_walk(c, line, (abr_place){at, 0}, line.n, target);
    abr_place cursor;
    abr_place x = {at, 0};
    position in = begin(c, line, at, SIZE_MAX, &cursor);
    if (in.id && search(c, line, in, &cursor, at, SIZE_MAX)) {
        in = (position){c->last, c->last_start};
        bool found = search(c, line, in, &x, line.n, target);
        remember(c, line, in, cursor); /* columns from the line's start on */
        if (found)
            return x;
    }
    drop_all(c);
    return abr_columns_walk(c, line, (abr_place){at, 0}, line.n, target);
}

/* ---- changes ---- */

/* What is known of the cursor's place may be so no more behind byte `from`. */
static void doubt(abr_columns *c, size_t slot, size_t from)
{
    if (c->last_slot != slot)
        return;
    if (c->last_start.at > from)
        c->last = 0;
    else if (c->last_place.at > from)
        c->last_place = c->last_start;
}

/* Make of b pieces of these sizes, plain ones or not. False: no stretches are left. */
static bool divide(abr_columns *c, abr_columns_stretch *b, const size_t sizes[3], const bool plain[3])
{
    abr_columns_stretch *last = NULL;
    *b = (abr_columns_stretch){.next = b->next};
    for (int i = 0; i < 3; i++) {
        abr_stretch_kind kind = plain[i] ? ABR_STRETCH_PLAIN : ABR_STRETCH_UNKNOWN;
        if (sizes[i] == 0)
            continue;
        if (last && last->kind != kind) {
            uint16_t id = take(c, 0, kind, last->next);
            if (!id)
                return false;
            last->next = id;
            last = &c->stretches[id];
        } else if (!last) {
            last = b;
            last->kind = (uint8_t)kind;
        }
        last->bytes += (uint32_t)sizes[i];
        last->columns += (uint32_t)sizes[i];
    }
    return true;
}

void abr_columns_splice(abr_columns *c, size_t slot, size_t from, size_t to, size_t size, bool is_plain)
{
    doubt(c, slot, from);
    position in = find(c, slot, from);
    abr_columns_stretch *b = &c->stretches[in.id];
    size_t end = in.start.at + b->bytes;
    if (end <= from)
        return; /* what is behind the last stretch is not known yet */
    bool plain[3] = {b->kind == ABR_STRETCH_PLAIN, false, b->kind == ABR_STRETCH_PLAIN};
    for (; end < to && b->next; unlink_next(c, b)) {
        const abr_columns_stretch *next = &c->stretches[b->next];
        plain[2] = next->kind == ABR_STRETCH_PLAIN;
        end += next->bytes;
    }
    const size_t sizes[3] = {from - in.start.at, size, end > to ? end - to : 0};
    plain[1] = is_plain && (size >= COLUMNS_STEP || (sizes[0] > 0 && plain[0]) || (sizes[2] > 0 && plain[2]));
    if (!divide(c, b, sizes, plain))
        drop_all(c);
}

void abr_columns_cut(abr_columns *c, size_t slot, size_t n)
{
    uint16_t id = c->first[slot];
    if (c->last_slot == slot)
        c->last = 0;
    while (id && c->stretches[id].bytes <= n) {
        uint16_t next = c->stretches[id].next;
        n -= c->stretches[id].bytes;
        give_back(c, id);
        id = next;
    }
    c->first[slot] = id;
    if (!id || n == 0)
        return;
    abr_columns_stretch *b = &c->stretches[id];
    b->bytes -= (uint32_t)n;
    if (b->kind == ABR_STRETCH_PLAIN)
        b->columns -= (uint32_t)n;
    else
        forget(b);
}
