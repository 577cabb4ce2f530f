/*
 * The last lines of a log, as on a terminal of unlimited width.
 *
 * Lines are plain bytes in one buffer, and the cursor is a place in it. Text is added at the end without a
 * look at its columns; only moving the cursor back has to count cells, from the start of its line. Text that
 * can no longer be rewritten (everything before row `top`) goes to the sink sooner or later. The choice of
 * that text must not depend on how the input was split. So a window that is nearly full is trimmed after
 * every char that rewrites a line; while text is only added at the end, it can be trimmed at any time, since
 * its end moves one way.
 */
#include <string.h>

#include "clean/screen.h"
#include "abridge.h"
#include "base/ascii.h"
#include "clean/columns.h"
#include "clean/screen_buffer.h"
#include "clean/screen_line.h"
#include "clean/screen_rows.h"
#include "text/scan.h"
#include "text/utf8.h"
#include "text/width.h"

/* ---- places ---- */

/* Is the cursor at the end of everything, so that text is simply added? */
static bool at_end(const abr_screen *s)
{
    return s->at == s->n && s->skip == 0 && s->row == s->last;
}

/* Keep the window to its size: the oldest lines become final, or the start of a line larger than the
 * window. */
static void trim(abr_screen *s)
{
    while (abr_window_size(s) > ABR_SCREEN_WINDOW && s->top < s->row)
        s->top++;
    if (abr_window_size(s) <= ABR_SCREEN_WINDOW)
        return;
    size_t to = abr_row_start(s, s->top) + abr_window_size(s) - ABR_SCREEN_WINDOW;
    while (to < s->at && (s->buffer[to] & 0xC0) == 0x80)
        to++;
    to = to < s->at ? to : s->at;
    abr_row_at(s, s->top)->start = s->written + to;
}

/* Scroll, so that row `last` is one of the terminal's. */
static void scroll(abr_screen *s)
{
    if (s->last - s->first >= ABR_SCREEN_ROWS)
        s->first = s->last - ABR_SCREEN_ROWS + 1;
    if (s->top < s->first)
        s->top = s->first;
}

/* The cursor leaves its row: drop blanks at the end of a rewritten line. */
static void leave_row(abr_screen *s)
{
    if (s->row > s->last || !abr_row_at(s, s->row)->rewritten)
        return;
    size_t end = abr_unblanked_end(s, s->row);
    abr_screen_splice(s, end, abr_row_end(s, s->row), 0);
    if (s->at > end)
        s->at = end;
}

/* ---- adding at the end ---- */

/* Note the starts of the rows after each newline from byte `from` on. */
static void index_rows(abr_screen *s, size_t from, uint64_t newlines)
{
    size_t end = s->n;
    s->last += newlines;
    s->row = s->last;
    for (uint64_t i = 0; i < newlines && i < ABR_SCREEN_ROWS; i++) {
        const char *newline = abr_find_last_newline(s->buffer + from, end - from);
        end = (size_t)(newline - s->buffer);
        *abr_row_at(s, s->last - i) = (abr_row){s->written + end + 1, false};
    }
    scroll(s);
}

/* Add text at the end of everything, at the cursor. */
static void append_text(abr_screen *s, const char *p, size_t n)
{
    for (size_t size; n > 0; p += size, n -= size) {
        size = n < ABR_SCREEN_PIECE ? n : ABR_SCREEN_PIECE;
        abr_make_room(s, size);
        memcpy(s->buffer + s->n, p, size);
        size_t from = s->n;
        s->n += size;
        s->at = s->n;
        uint64_t newlines = abr_count_newlines(p, size);
        if (newlines > 0)
            index_rows(s, from, newlines);
        trim(s);
    }
}

/* Make the rows down to the cursor's. */
static void make_rows(abr_screen *s)
{
    char newlines[ABR_SCREEN_ROWS];
    size_t column = s->skip;
    size_t rows = (size_t)(s->row - s->last);
    memset(newlines, '\n', rows);
    s->skip = 0;
    append_text(s, newlines, rows);
    s->skip = column;
}

static void line_feed(abr_screen *s)
{
    leave_row(s);
    if (s->row > s->last)
        make_rows(s);
    s->skip = 0;
    if (s->row < s->last) {
        s->row++;
        s->at = abr_row_start(s, s->row);
        abr_go_to_column(s, 0);
        return;
    }
    s->at = s->n;
    append_text(s, "\n", 1);
}

/* Bytes of the chars without cells at the start of (p, n). */
static size_t marks_in(const char *p, size_t n)
{
    size_t i = 0;
    while (i < n) {
        size_t size = abr_char_size(p + i, n - i);
        if (abr_char_cells(p + i, size) > 0)
            break;
        i += size;
    }
    return i;
}

/* Bytes at the start of (p, n) that can be copied over as many of the line: both are printable ASCII, so no
 * column changes, and no char without cells stands after them. */
static size_t plain_over(const abr_screen *s, const char *p, size_t n)
{
    const char *line = s->buffer + s->at;
    const size_t rest = abr_row_end(s, s->row) - s->at;
    size_t i = 0;
    while (i < n && i < rest && abr_is_printable(p[i]) && abr_is_printable(line[i]))
        i++;
    return i > 0 && i < rest && !abr_is_printable(line[i]) ? i - 1 : i;
}

/* Write chars over those of the line, in pieces that cannot fill the window. */
static void overwrite(abr_screen *s, const char *p, size_t n)
{
    abr_begin_rewrite(s);
    for (size_t size; n > 0; p += size, n -= size) {
        size = s->skip == 0 ? plain_over(s, p, n) : 0;
        if (size > 0) {
            memcpy(s->buffer + s->at, p, size);
            s->at += size;
            trim(s);
            continue;
        }
        size = marks_in(p, n < ABR_SCREEN_PIECE ? n : ABR_SCREEN_PIECE);
        if (size > 0) {
            abr_insert_mark(s, p, size);
        } else {
            size = n < ABR_SCREEN_PIECE ? n : ABR_SCREEN_PIECE;
            if (abr_window_size(s) + s->skip + size + ABR_SCREEN_TAB > ABR_SCREEN_WINDOW)
                size = abr_char_size(p, n);
            abr_replace(s, (size_t)abr_cells(p, size), p, size);
            s->at += size;
        }
        trim(s);
    }
}

/* Write chars, no newline or tab among them. */
static void write_chars(abr_screen *s, const char *p, size_t n)
{
    if (s->row > s->last)
        make_rows(s);
    if (at_end(s))
        append_text(s, p, n);
    else
        overwrite(s, p, n);
}

static void tab(abr_screen *s)
{
    if (at_end(s) && !abr_row_at(s, s->row)->rewritten) {
        append_text(s, "\t", 1);
        return;
    }
    size_t column = abr_cursor_column(s);
    s->blanked_tabs++;
    abr_go_to_column(s, column - column % ABR_SCREEN_TAB + ABR_SCREEN_TAB);
}

/* ---- writing ---- */

void abr_screen_start(abr_screen *s, abr_sink_fn sink, void *sink_ctx, unsigned kept)
{
    memset(s, 0, offsetof(abr_screen, columns));
    s->sink = sink;
    s->sink_ctx = sink_ctx;
    abr_columns_start(&s->columns, (kept & 1u << ABR_CLEAN_TAB) != 0, (kept & 1u << ABR_CLEAN_INVALID) != 0);
    s->has_marks = kept != 0;
}

void abr_screen_text(abr_screen *s, const char *p, size_t n)
{
    while (n > 0) {
        if (at_end(s) && !abr_row_at(s, s->row)->rewritten) {
            append_text(s, p, n);
            return;
        }
        size_t run = 0;
        while (run < n && p[run] != '\n' && (p[run] != '\t' || s->columns.keeps_tabs))
            run++;
        if (run > 0)
            write_chars(s, p, run);
        else if (*p == '\n')
            line_feed(s);
        else
            tab(s);
        run += run == 0;
        p += run;
        n -= run;
    }
}

void abr_screen_mark(abr_screen *s, const char *p, size_t n)
{
    if (s->row > s->last)
        make_rows(s);
    abr_insert_mark(s, p, n);
    trim(s);
}

void abr_screen_return(abr_screen *s)
{
    s->at = s->row <= s->last ? abr_row_start(s, s->row) : s->n;
    s->skip = 0;
    if (s->at < s->n && !abr_is_printable(s->buffer[s->at]))
        abr_go_to_column(s, 0);
}

/* ---- moves ---- */

/* Go back a column by looking at the chars before the cursor. False if they are not enough to tell. */
static bool step_back(abr_screen *s)
{
    size_t at = s->at;
    size_t start = abr_row_start(s, s->row);
    for (int chars = 0; chars < 16 && at > start; chars++) {
        size_t end = at--;
        while (at > start && (s->buffer[at] & 0xC0) == 0x80)
            at--;
        if (s->buffer[at] == '\t')
            return false;
        uint32_t cells = abr_char_cells(s->buffer + at, end - at);
        if (cells > 0) {
            s->at = at;
            s->skip = cells - 1;
            return true;
        }
    }
    return false;
}

void abr_screen_back(abr_screen *s)
{
    bool tells = s->row <= s->last && !s->has_marks && s->at > abr_row_start(s, s->row);
    if (s->skip > 0)
        s->skip--;
    else if (tells && abr_is_printable(s->buffer[s->at - 1]))
        s->at--;
    else if (!tells || !step_back(s))
        abr_screen_left(s, 1);
}

/* Go to the nearest row that the terminal has, in the same column. */
static void go_to_row(abr_screen *s, uint64_t row)
{
    uint64_t bottom = s->first + ABR_SCREEN_ROWS - 1;
    row = row < s->top ? s->top : row > bottom ? bottom : row;
    if (row == s->row)
        return;
    size_t column = abr_cursor_column(s);
    leave_row(s);
    s->row = row;
    abr_go_to_column(s, column);
}

void abr_screen_up(abr_screen *s, size_t rows)
{
    go_to_row(s, s->row > rows ? s->row - rows : 0);
}

void abr_screen_down(abr_screen *s, size_t rows)
{
    go_to_row(s, s->row + rows);
}

void abr_screen_left(abr_screen *s, size_t columns)
{
    size_t column = abr_cursor_column(s);
    abr_go_to_column(s, column > columns ? column - columns : 0);
}

void abr_screen_right(abr_screen *s, size_t columns)
{
    abr_go_to_column(s, abr_cursor_column(s) + columns);
}

void abr_screen_column(abr_screen *s, size_t column)
{
    abr_go_to_column(s, column);
}

void abr_screen_row(abr_screen *s, size_t row)
{
    go_to_row(s, s->first + row);
}

void abr_screen_save(abr_screen *s)
{
    s->saved_row = s->row - s->first;
    s->saved_column = abr_cursor_column(s);
}

void abr_screen_restore(abr_screen *s)
{
    go_to_row(s, s->first + s->saved_row);
    abr_go_to_column(s, s->saved_column);
}

/* ---- handing over ---- */

void abr_screen_flush(abr_screen *s)
{
    size_t final = abr_row_start(s, s->top);
    if (final > 0 && final >= s->n - final)
        abr_hand_over(s);
}

abr_screen_rest abr_screen_left_over(const abr_screen *s)
{
    abr_screen_rest rest = {s->buffer, s->n, s->buffer + s->n, 0};
    if (s->row > s->last || !s->rows[s->row % ABR_SCREEN_SLOTS].rewritten)
        return rest;
    size_t stop = abr_row_end(s, s->row);
    rest.n = abr_unblanked_end(s, s->row);
    rest.rest = s->buffer + stop;
    rest.rest_n = s->n - stop;
    return rest;
}

void abr_screen_finish(abr_screen *s)
{
    abr_screen_rest rest = abr_screen_left_over(s);
    abr_emit(s, rest.p, rest.n);
    abr_emit(s, rest.rest, rest.rest_n);
    s->written += rest.n + rest.rest_n;
}
