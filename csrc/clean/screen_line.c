/* The cursor's line: its columns, and rewriting it. */
#include <string.h>

#include "clean/screen_line.h"
#include "abridge.h"
#include "base/private.h"
#include "base/word.h"
#include "clean/columns.h"
#include "clean/screen_buffer.h"
#include "clean/screen_rows.h"

/* ---- places ---- */

static abr_columns_line row_line(const abr_screen *s, uint64_t row)
{
    size_t start = abr_row_start(s, row);
    return (abr_columns_line){s->buffer + start, abr_row_end(s, row) - start, s->written + start};
}

size_t abr_cursor_column(abr_screen *s)
{
    if (s->row > s->last)
        return s->skip;
    size_t at = s->at - abr_row_start(s, s->row);
    return abr_columns_seek(&s->columns, row_line(s, s->row), at, SIZE_MAX).column + s->skip;
}

void abr_go_to_column(abr_screen *s, size_t column)
{
    abr_place x = {0, 0};
    abr_columns_line line = {.n = 0};
    size_t start = s->n;
    if (s->row <= s->last) {
        line = row_line(s, s->row);
        start = abr_row_start(s, s->row);
        x = abr_columns_seek(&s->columns, line, line.n, column);
    }
    if (x.at == line.n && column >= ABR_SCREEN_COLUMNS && column > x.column)
        column = x.column < ABR_SCREEN_COLUMNS ? ABR_SCREEN_COLUMNS - 1 : x.column;
    s->at = start + x.at;
    s->skip = column - x.column;
}

bool abr_line_exceeds(abr_screen *s, size_t n)
{
    abr_columns_line line = row_line(s, s->row);
    return abr_columns_seek_from(&s->columns, line, s->at - abr_row_start(s, s->row), n).at < line.n;
}

size_t abr_unblanked_end(const abr_screen *s, uint64_t row)
{
    const uint64_t blanks = UINT64_C(0x2020202020202020);
    size_t start = abr_row_start(s, row);
    size_t end = abr_row_end(s, row);
    while (end - start >= sizeof blanks && abr_load_word(s->buffer + end - sizeof blanks) == blanks)
        end -= sizeof blanks;
    while (end > start && s->buffer[end - 1] == ' ')
        end--;
    return end;
}

/* ---- rewriting ---- */

ABR_WRAPS void abr_screen_splice(abr_screen *s, size_t from, size_t to, size_t size)
{
    abr_columns_splice(&s->columns, s->written + from, s->written + to, size);
    if (size == to - from)
        return;
    memmove(s->buffer + from + size, s->buffer + to, s->n - to);
    s->n = s->n - (to - from) + size;
    for (uint64_t row = s->row + 1; row <= s->last; row++)
        abr_row_at(s, row)->start += (uint64_t)size - (to - from);
}

/* Copy a line to dst, unless that is NULL, with blanks for tabs; returns the bytes. */
static size_t expand_tabs(const abr_screen *s, abr_columns_line line, char *dst)
{
    size_t n = 0;
    size_t size;
    for (abr_place x = {0, 0}; x.at < line.n; x.at += size) {
        size_t cells = abr_columns_unit(&s->columns, line, x, &size);
        bool tab = line.p[x.at] == '\t';
        if (dst && tab)
            memset(dst + n, ' ', cells);
        else if (dst)
            memcpy(dst + n, line.p + x.at, size);
        n += tab ? cells : size;
        x.column += cells;
    }
    return n;
}

/* Make each tab of a line one blank, if there is no room for more. */
static void blank_tabs(abr_screen *s, size_t start, size_t stop)
{
    abr_columns_splice(&s->columns, s->written + start, s->written + stop, stop - start);
    for (size_t i = start; i < stop; i++)
        if (s->buffer[i] == '\t')
            s->buffer[i] = ' ';
    if (s->at < stop)
        s->skip = 0;
}

void abr_begin_rewrite(abr_screen *s)
{
    abr_row *row = abr_row_at(s, s->row);
    if (row->rewritten)
        return;
    row->rewritten = true;
    abr_columns_line line = row_line(s, s->row);
    if (s->columns.keeps_tabs || !memchr(line.p, '\t', line.n))
        return;
    size_t column = abr_cursor_column(s);
    size_t size = expand_tabs(s, line, NULL);
    for (size_t i = 0; i < line.n; i++)
        s->blanked_tabs += line.p[i] == '\t';
    size_t start = abr_row_start(s, s->row);
    if (abr_window_size(s) + size - line.n > ABR_SCREEN_WINDOW) {
        blank_tabs(s, start, start + line.n);
        return;
    }
    abr_make_room(s, size - line.n + size);
    line = row_line(s, s->row);
    start = abr_row_start(s, s->row);
    char *expanded = s->buffer + s->n + size - line.n;
    expand_tabs(s, line, expanded);
    abr_screen_splice(s, start, start + line.n, size);
    memcpy(s->buffer + start, expanded, size);
    abr_go_to_column(s, column);
}

void abr_replace(abr_screen *s, size_t cells, const char *p, size_t n)
{
    abr_make_room(s, s->skip + n + ABR_SCREEN_TAB);
    abr_columns_line line = row_line(s, s->row);
    size_t start = abr_row_start(s, s->row);
    size_t target = s->skip + cells;
    size_t after = 0;
    abr_place end = abr_columns_seek_from(&s->columns, line, s->at - start, target);
    if (end.at < line.n && end.column < target) {
        size_t size;
        after = end.column + abr_columns_unit(&s->columns, line, end, &size) - target;
        end.at += size;
        end = abr_columns_walk(&s->columns, line, (abr_place){end.at, 0}, line.n, 0);
    }
    abr_screen_splice(s, s->at, start + end.at, s->skip + n + after);
    char *dst = s->buffer + s->at;
    memset(dst, ' ', s->skip);
    dst += s->skip;
    if (p)
        memcpy(dst, p, n);
    else
        memset(dst, ' ', n);
    memset(dst + n, ' ', after);
    s->at += s->skip;
    s->skip = 0;
}

void abr_insert_mark(abr_screen *s, const char *p, size_t n)
{
    abr_make_room(s, n);
    abr_screen_splice(s, s->at, s->at, n);
    memcpy(s->buffer + s->at, p, n);
    s->at += n;
}
