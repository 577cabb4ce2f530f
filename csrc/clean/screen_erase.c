/* Erasing, deleting and inserting cells. */
#include <string.h>

#include "clean/screen_erase.h"
#include "abridge.h"
#include "clean/columns.h"
#include "clean/screen_line.h"
#include "clean/screen_rows.h"

/* The text ends at byte n of the buffer. */
static void truncate_to(abr_screen *s, size_t n)
{
    abr_columns_splice(&s->columns, s->written + n, s->written + s->n, 0);
    s->n = n;
}

static void erase_after(abr_screen *s)
{
    if (s->at == abr_row_end(s, s->row))
        return;
    abr_begin_rewrite(s);
    abr_screen_splice(s, s->at, abr_row_end(s, s->row), s->skip); /* at most the first half of a wide char */
    memset(s->buffer + s->at, ' ', s->skip);
    s->at += s->skip;
    s->skip = 0;
}

static void erase_before(abr_screen *s)
{
    if (abr_row_start(s, s->row) == abr_row_end(s, s->row))
        return;
    abr_begin_rewrite(s);
    size_t column = abr_cursor_column(s);
    size_t start = abr_row_start(s, s->row);
    s->at = start;
    if (!abr_line_exceeds(s, column + 1)) {
        abr_screen_splice(s, start, abr_row_end(s, s->row), 0);
        s->skip = column;
        return;
    }
    s->skip = 0;
    abr_replace(s, column + 1, NULL, column + 1);
    abr_go_to_column(s, column);
}

void abr_screen_erase_line(abr_screen *s, abr_erase what)
{
    if (s->row > s->last)
        return;
    if (what == ABR_ERASE_AFTER) {
        erase_after(s);
    } else if (what == ABR_ERASE_BEFORE) {
        erase_before(s);
    } else {
        size_t column = abr_cursor_column(s);
        size_t start = abr_row_start(s, s->row);
        abr_row_at(s, s->row)->rewritten = true;
        abr_screen_splice(s, start, abr_row_end(s, s->row), 0);
        s->at = start;
        abr_go_to_column(s, column);
    }
}

/* Empty the rows above the cursor's. */
static void erase_above(abr_screen *s)
{
    size_t column = abr_cursor_column(s);
    size_t start = abr_row_start(s, s->top);
    size_t rows = (size_t)((s->row <= s->last ? s->row : s->last) - s->top);
    size_t stop = s->row <= s->last ? abr_row_start(s, s->row) : s->n;
    abr_columns_splice(&s->columns, s->written + start, s->written + stop, rows);
    memmove(s->buffer + start + rows, s->buffer + stop, s->n - stop);
    memset(s->buffer + start, '\n', rows);
    s->n -= stop - start - rows;
    for (uint64_t i = 0; i <= rows; i++)
        *abr_row_at(s, s->top + i) = (abr_row){s->written + start + i, i < rows || s->row > s->last ||
                                                                           abr_row_at(s, s->row)->rewritten};
    for (uint64_t row = s->row + 1; row <= s->last; row++)
        abr_row_at(s, row)->start -= stop - start - rows;
    abr_go_to_column(s, column);
}

void abr_screen_erase_all(abr_screen *s, abr_erase what)
{
    size_t column = abr_cursor_column(s);
    if (what == ABR_ERASE_AFTER) {
        if (s->row > s->last)
            return;
        erase_after(s);
        truncate_to(s, abr_row_end(s, s->row));
        s->last = s->row;
    } else if (what == ABR_ERASE_BEFORE) {
        abr_screen_erase_line(s, what);
        if (s->row > s->top)
            erase_above(s);
    } else {
        truncate_to(s, abr_row_start(s, s->top));
        s->last = s->top;
        abr_row_at(s, s->top)->rewritten = true;
        s->at = s->n;
        abr_go_to_column(s, column);
    }
}

/* ---- chars ---- */

/* Do more than n cells follow the cursor in its line? If not, erase them. */
static bool reaches(abr_screen *s, size_t n)
{
    if (s->row > s->last || s->at == abr_row_end(s, s->row))
        return false;
    abr_begin_rewrite(s);
    if (abr_line_exceeds(s, s->skip + n))
        return true;
    erase_after(s);
    return false;
}

void abr_screen_blank(abr_screen *s, size_t n)
{
    if (reaches(s, n))
        abr_replace(s, n, NULL, n);
}

void abr_screen_delete(abr_screen *s, size_t n)
{
    if (reaches(s, n))
        abr_replace(s, n, NULL, 0);
}

void abr_screen_insert(abr_screen *s, size_t n)
{
    if (n > ABR_SCREEN_COLUMNS)
        n = ABR_SCREEN_COLUMNS;
    if (s->row > s->last || s->at == abr_row_end(s, s->row) ||
        abr_window_size(s) + n + ABR_SCREEN_TAB > ABR_SCREEN_WINDOW)
        return;
    abr_begin_rewrite(s);
    if (abr_window_size(s) + n + ABR_SCREEN_TAB <= ABR_SCREEN_WINDOW) /* its tabs became blanks */
        abr_replace(s, 0, NULL, n);
}
