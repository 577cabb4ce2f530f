/*
 * The last lines of a log, as a terminal of unlimited width has them.
 *
 * Lines are plain bytes in one buffer, the cursor a place in it: text is added at the end without a look at its columns,
 * and only what moves the cursor back has to count cells, from the start of its line. What can no longer be rewritten
 * (everything before row `top`) goes to the sink, sooner or later; which text that is depends on what was written, not
 * on when. So that it never depends on how the text was split, the window is trimmed after every char where it is
 * nearly full, and where text is only added at its end whenever that is convenient: the end of the window moves one way
 * then.
 */
#include <string.h>

#include "screen.h"

/* ---- places ---- */

/* Where a row that there is starts in the buffer. */
static size_t row_start(const abr_screen *s, uint64_t row)
{
    return (size_t)(s->rows[row % ABR_SCREEN_SLOTS].start - s->written);
}

/* Where it ends, before its newline. */
static size_t row_end(const abr_screen *s, uint64_t row)
{
    return row == s->last ? s->n : row_start(s, row + 1) - 1;
}

static abr_row *row_at(abr_screen *s, uint64_t row)
{
    return &s->rows[row % ABR_SCREEN_SLOTS];
}

/* Is the cursor where text is simply added? */
static bool at_end(const abr_screen *s)
{
    return s->at == s->n && s->skip == 0 && s->row == s->last;
}

/* Bytes that can still be rewritten. */
static size_t window(const abr_screen *s)
{
    return s->n - row_start(s, s->top);
}

static bool is_printable(char c)
{
    return c >= 0x20 && c < 0x7F;
}

/* Columns of what stands at p, of which *size gets the bytes. */
static size_t unit(const abr_screen *s, const char *p, size_t n, size_t column, size_t *size)
{
    *size = 1;
    if (*p == '\t')
        return s->keeps_tabs ? 1 : ABR_SCREEN_TAB - column % ABR_SCREEN_TAB;
    *size = abr_unit_size(p, n);
    return *p == '\x1B' ? 0 : abr_char_cells(p, *size);
}

typedef struct {
    size_t at;
    size_t column;
} place;

/* From a byte of a line on, up to `stop`: over what lies before the column `target` as a whole, and over what belongs to
 * the char before it. Columns count from `from` on. */
static place walk(const abr_screen *s, size_t from, size_t stop, size_t target)
{
    place x = {from, 0};
    while (x.at < stop) {
        for (; x.at < stop && x.column < target && is_printable(s->buffer[x.at]); x.at++)
            x.column++;
        if (x.at == stop)
            break;
        size_t size;
        size_t cells = unit(s, s->buffer + x.at, stop - x.at, x.column, &size);
        if (cells > 0 && x.column + cells > target)
            break;
        x.at += size;
        x.column += cells;
    }
    return x;
}

static size_t cursor_column(const abr_screen *s)
{
    if (s->row > s->last)
        return s->skip;
    return walk(s, row_start(s, s->row), s->at, SIZE_MAX).column + s->skip;
}

/* Put the cursor on a column of its row: within the line, or behind it up to the last column. */
static void go_to_column(abr_screen *s, size_t column)
{
    place x = {s->n, 0};
    size_t stop = s->n;
    if (s->row <= s->last) {
        stop = row_end(s, s->row);
        x = walk(s, row_start(s, s->row), stop, column);
    }
    if (x.at == stop && column >= ABR_SCREEN_COLUMNS && column > x.column)
        column = x.column < ABR_SCREEN_COLUMNS ? ABR_SCREEN_COLUMNS - 1 : x.column;
    s->at = x.at;
    s->skip = column - x.column;
}

/* ---- the buffer ---- */

static void emit(abr_screen *s, const char *p, size_t n)
{
    if (n > 0 && !s->sink(s->sink_ctx, p, n))
        s->failed = true;
}

static void hand_over(abr_screen *s)
{
    size_t final = row_start(s, s->top);
    emit(s, s->buffer, final);
    s->n -= final;
    s->at -= final;
    s->written += final;
    memmove(s->buffer, s->buffer + final, s->n);
}

/* Room for n more bytes; places in the buffer change. */
static void make_room(abr_screen *s, size_t n)
{
    if (n > sizeof s->buffer - s->n)
        hand_over(s);
}

/* Make the bytes from `from` to `to` of the cursor's line `size` bytes, for which there is room. */
static void splice(abr_screen *s, size_t from, size_t to, size_t size)
{
    memmove(s->buffer + from + size, s->buffer + to, s->n - to);
    s->n = s->n - (to - from) + size;
    for (uint64_t row = s->row + 1; row <= s->last; row++)
        row_at(s, row)->start += (uint64_t)size - (to - from);
}

/* Give up the oldest lines, and of a line over the window its start, so that the window keeps its size. */
static void trim(abr_screen *s)
{
    while (window(s) > ABR_SCREEN_WINDOW && s->top < s->row)
        s->top++;
    if (window(s) <= ABR_SCREEN_WINDOW)
        return;
    size_t to = row_start(s, s->top) + window(s) - ABR_SCREEN_WINDOW;
    while (to < s->at && (s->buffer[to] & 0xC0) == 0x80)
        to++;
    row_at(s, s->top)->start = s->written + (to < s->at ? to : s->at);
}

/* The rows that a terminal shows, once there are `last` of them. */
static void scroll(abr_screen *s)
{
    if (s->last - s->first >= ABR_SCREEN_ROWS)
        s->first = s->last - ABR_SCREEN_ROWS + 1;
    if (s->top < s->first)
        s->top = s->first;
}

/* The cursor leaves its row: no blanks stay at the end of a rewritten line. */
static void leave_row(abr_screen *s)
{
    if (s->row > s->last || !row_at(s, s->row)->rewritten)
        return;
    size_t start = row_start(s, s->row);
    size_t stop = row_end(s, s->row);
    size_t end = stop;
    while (end > start && s->buffer[end - 1] == ' ')
        end--;
    splice(s, end, stop, 0);
    if (s->at > end)
        s->at = end;
}

/* ---- adding at the end ---- */

/* Note where the rows start that the newlines behind `from` begin. */
static void index_rows(abr_screen *s, size_t from, uint64_t newlines)
{
    size_t end = s->n;
    s->last += newlines;
    s->row = s->last;
    for (uint64_t i = 0; i < newlines && i < ABR_SCREEN_ROWS; i++) {
        const char *newline = abr_find_last_newline(s->buffer + from, end - from);
        end = (size_t)(newline - s->buffer);
        *row_at(s, s->last - i) = (abr_row){s->written + end + 1, false};
    }
    scroll(s);
}

/* Add text at the end of all, where the cursor is. */
static void append(abr_screen *s, const char *p, size_t n)
{
    for (size_t size; n > 0; p += size, n -= size) {
        size = n < ABR_SCREEN_PIECE ? n : ABR_SCREEN_PIECE;
        make_room(s, size);
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
    size_t column = s->skip;
    uint64_t row = s->row;
    s->skip = 0;
    s->row = s->last;
    while (s->row < row)
        append(s, "\n", 1);
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
        s->at = row_start(s, s->row);
        go_to_column(s, 0);
        return;
    }
    s->at = s->n;
    append(s, "\n", 1);
}

/* ---- rewriting ---- */

/* The bytes by which a line grows when its tabs become blanks. */
static size_t tab_growth(const abr_screen *s, size_t from, size_t stop)
{
    size_t growth = 0;
    place x = {from, 0};
    for (size_t size; x.at < stop; x.at += size) {
        size_t cells = unit(s, s->buffer + x.at, stop - x.at, x.column, &size);
        growth += s->buffer[x.at] == '\t' ? cells - 1 : 0;
        x.column += cells;
    }
    return growth;
}

/* Copy a line to dst with blanks for tabs. */
static void expand_tabs(abr_screen *s, size_t from, size_t stop, char *dst)
{
    size_t column = 0;
    for (size_t size; from < stop; from += size) {
        const char *p = s->buffer + from;
        size_t cells = unit(s, p, stop - from, column, &size);
        size_t shown = *p == '\t' ? cells : size;
        s->blanked_tabs += *p == '\t';
        if (*p == '\t')
            memset(dst, ' ', cells);
        else
            memcpy(dst, p, size);
        dst += shown;
        column += cells;
    }
}

/* The cursor's line is about to be rewritten. */
static void begin_rewrite(abr_screen *s)
{
    abr_row *row = row_at(s, s->row);
    if (row->rewritten)
        return;
    row->rewritten = true;
    size_t start = row_start(s, s->row);
    size_t stop = row_end(s, s->row);
    if (s->keeps_tabs || !memchr(s->buffer + start, '\t', stop - start))
        return;
    size_t column = cursor_column(s);
    size_t growth = tab_growth(s, start, stop);
    if (window(s) + growth > ABR_SCREEN_WINDOW) { /* too much: a blank each */
        for (size_t i = start; i < stop; i++) {
            s->blanked_tabs += s->buffer[i] == '\t';
            if (s->buffer[i] == '\t')
                s->buffer[i] = ' ';
        }
        s->skip = s->at < stop && s->skip > 0 ? 0 : s->skip;
        return;
    }
    size_t size = stop - start + growth;
    make_room(s, growth + size);
    start = row_start(s, s->row);
    stop = row_end(s, s->row);
    char *expanded = s->buffer + s->n + growth;
    expand_tabs(s, start, stop, expanded);
    splice(s, start, stop, size);
    memcpy(s->buffer + start, expanded, size);
    go_to_column(s, column);
}

/* Put n bytes in place of the cells from the cursor on, p NULL for blanks. What is left of a char cut in two becomes
 * blank, as do columns behind the line's end. The cursor stays before the bytes. */
static void replace(abr_screen *s, size_t cells, const char *p, size_t n)
{
    make_room(s, s->skip + n + ABR_SCREEN_TAB);
    size_t stop = row_end(s, s->row);
    size_t target = s->skip + cells;
    size_t after = 0;
    place end = walk(s, s->at, stop, target);
    if (end.at < stop && end.column < target) {
        size_t size;
        after = end.column + unit(s, s->buffer + end.at, stop - end.at, end.column, &size) - target;
        end.at = walk(s, end.at + size, stop, 0).at;
    }
    splice(s, s->at, end.at, s->skip + n + after);
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

/* Put bytes without cells behind the char before the cursor. */
static void insert_mark(abr_screen *s, const char *p, size_t n)
{
    make_room(s, n);
    splice(s, s->at, s->at, n);
    memcpy(s->buffer + s->at, p, n);
    s->at += n;
}

/* How many bytes of a text at the start of which there are chars without cells. */
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

/* Write chars over what the line has, in as large pieces as cannot fill the window. */
static void overwrite(abr_screen *s, const char *p, size_t n)
{
    begin_rewrite(s);
    for (size_t size; n > 0; p += size, n -= size) {
        size = n < ABR_SCREEN_PIECE ? n : ABR_SCREEN_PIECE;
        if (window(s) + s->skip + size + ABR_SCREEN_TAB > ABR_SCREEN_WINDOW)
            size = abr_char_size(p, n);
        size_t marks = marks_in(p, size);
        if (marks > 0) {
            size = marks;
            insert_mark(s, p, size);
        } else {
            replace(s, (size_t)abr_cells(p, size), p, size);
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
        append(s, p, n);
    else
        overwrite(s, p, n);
}

static void tab(abr_screen *s)
{
    if (at_end(s) && !row_at(s, s->row)->rewritten) {
        append(s, "\t", 1);
        return;
    }
    size_t column = cursor_column(s);
    s->blanked_tabs++;
    go_to_column(s, column - column % ABR_SCREEN_TAB + ABR_SCREEN_TAB);
}

/* ---- what is written ---- */

void abr_screen_start(abr_screen *s, abr_sink_fn sink, void *sink_ctx, unsigned kept)
{
    memset(s, 0, offsetof(abr_screen, buffer));
    s->sink = sink;
    s->sink_ctx = sink_ctx;
    s->keeps_tabs = (kept & 1u << ABR_CLEAN_TAB) != 0;
    s->has_marks = kept != 0;
}

void abr_screen_text(abr_screen *s, const char *p, size_t n)
{
    while (n > 0) {
        if (at_end(s) && !row_at(s, s->row)->rewritten) {
            append(s, p, n);
            return;
        }
        size_t run = 0;
        while (run < n && p[run] != '\n' && (p[run] != '\t' || s->keeps_tabs))
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
    insert_mark(s, p, n);
    trim(s);
}

void abr_screen_return(abr_screen *s)
{
    s->at = s->row <= s->last ? row_start(s, s->row) : s->n;
    s->skip = 0;
    if (s->at < s->n && !is_printable(s->buffer[s->at]))
        go_to_column(s, 0);
}

/* ---- moves ---- */

void abr_screen_back(abr_screen *s)
{
    if (s->skip > 0)
        s->skip--;
    else if (s->row <= s->last && s->at > row_start(s, s->row) && is_printable(s->buffer[s->at - 1]) &&
             !s->has_marks)
        s->at--;
    else
        abr_screen_left(s, 1);
}

/* Go to a row that the terminal has, and stay in the column. */
static void go_to_row(abr_screen *s, uint64_t row)
{
    uint64_t bottom = s->first + ABR_SCREEN_ROWS - 1;
    row = row < s->top ? s->top : row > bottom ? bottom : row;
    if (row == s->row)
        return;
    size_t column = cursor_column(s);
    leave_row(s);
    s->row = row;
    go_to_column(s, column);
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
    size_t column = cursor_column(s);
    go_to_column(s, column > columns ? column - columns : 0);
}

void abr_screen_right(abr_screen *s, size_t columns)
{
    go_to_column(s, cursor_column(s) + columns);
}

void abr_screen_column(abr_screen *s, size_t column)
{
    go_to_column(s, column);
}

void abr_screen_row(abr_screen *s, size_t row)
{
    go_to_row(s, s->first + row);
}

void abr_screen_save(abr_screen *s)
{
    s->saved_row = s->row - s->first;
    s->saved_column = cursor_column(s);
}

void abr_screen_restore(abr_screen *s)
{
    go_to_row(s, s->first + s->saved_row);
    go_to_column(s, s->saved_column);
}

/* ---- erasing ---- */

static void erase_after(abr_screen *s)
{
    if (s->at == row_end(s, s->row))
        return;
    begin_rewrite(s);
    splice(s, s->at, row_end(s, s->row), s->skip); /* the first half of a wide char at most */
    memset(s->buffer + s->at, ' ', s->skip);
    s->at += s->skip;
    s->skip = 0;
}

static void erase_before(abr_screen *s)
{
    if (row_start(s, s->row) == row_end(s, s->row))
        return;
    begin_rewrite(s);
    size_t column = cursor_column(s);
    size_t start = row_start(s, s->row);
    size_t stop = row_end(s, s->row);
    s->at = start;
    if (walk(s, start, stop, SIZE_MAX).column <= column + 1) {
        splice(s, start, stop, 0);
        s->skip = column;
        return;
    }
    s->skip = 0;
    replace(s, column + 1, NULL, column + 1);
    go_to_column(s, column);
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
        size_t column = cursor_column(s);
        size_t start = row_start(s, s->row);
        row_at(s, s->row)->rewritten = true;
        splice(s, start, row_end(s, s->row), 0);
        s->at = start;
        go_to_column(s, column);
    }
}

/* Empty the rows above the cursor's. */
static void erase_above(abr_screen *s)
{
    size_t column = cursor_column(s);
    size_t start = row_start(s, s->top);
    size_t rows = (size_t)((s->row <= s->last ? s->row : s->last) - s->top);
    size_t stop = s->row <= s->last ? row_start(s, s->row) : s->n;
    memmove(s->buffer + start + rows, s->buffer + stop, s->n - stop);
    memset(s->buffer + start, '\n', rows);
    s->n -= stop - start - rows;
    for (uint64_t i = 0; i <= rows; i++)
        *row_at(s, s->top + i) =
            (abr_row){s->written + start + i, i < rows || s->row > s->last || row_at(s, s->row)->rewritten};
    for (uint64_t row = s->row + 1; row <= s->last; row++)
        row_at(s, row)->start -= stop - start - rows;
    go_to_column(s, column);
}

void abr_screen_erase_all(abr_screen *s, abr_erase what)
{
    size_t column = cursor_column(s);
    if (what == ABR_ERASE_AFTER) {
        if (s->row > s->last)
            return;
        erase_after(s);
        s->n = row_end(s, s->row);
        s->last = s->row;
    } else if (what == ABR_ERASE_BEFORE) {
        abr_screen_erase_line(s, what);
        if (s->row > s->top)
            erase_above(s);
    } else {
        s->n = row_start(s, s->top);
        s->last = s->top;
        row_at(s, s->top)->rewritten = true;
        s->at = s->n;
        go_to_column(s, column);
    }
}

/* ---- chars ---- */

/* Are there n cells and more from the cursor to the end of its line? Else what is there is erased. */
static bool reaches(abr_screen *s, size_t n)
{
    if (s->row > s->last || s->at == row_end(s, s->row))
        return false;
    begin_rewrite(s);
    if (walk(s, s->at, row_end(s, s->row), SIZE_MAX).column > s->skip + n)
        return true;
    erase_after(s);
    return false;
}

void abr_screen_blank(abr_screen *s, size_t n)
{
    if (reaches(s, n))
        replace(s, n, NULL, n);
}

void abr_screen_delete(abr_screen *s, size_t n)
{
    if (reaches(s, n))
        replace(s, n, NULL, 0);
}

void abr_screen_insert(abr_screen *s, size_t n)
{
    if (n > ABR_SCREEN_COLUMNS)
        n = ABR_SCREEN_COLUMNS;
    if (s->row > s->last || s->at == row_end(s, s->row) || window(s) + n + ABR_SCREEN_TAB > ABR_SCREEN_WINDOW)
        return;
    begin_rewrite(s);
    if (window(s) + n + ABR_SCREEN_TAB <= ABR_SCREEN_WINDOW) /* its tabs became blanks */
        replace(s, 0, NULL, n);
}

/* ---- handing over ---- */

void abr_screen_flush(abr_screen *s)
{
    size_t final = row_start(s, s->top);
    if (final > 0 && final >= s->n - final)
        hand_over(s);
}

abr_screen_rest abr_screen_left_over(const abr_screen *s)
{
    abr_screen_rest rest = {s->buffer, s->n, s->buffer + s->n, 0};
    if (s->row > s->last || !s->rows[s->row % ABR_SCREEN_SLOTS].rewritten)
        return rest;
    size_t start = row_start(s, s->row);
    size_t stop = row_end(s, s->row);
    rest.n = stop;
    while (rest.n > start && s->buffer[rest.n - 1] == ' ')
        rest.n--;
    rest.rest = s->buffer + stop;
    rest.rest_n = s->n - stop;
    return rest;
}

void abr_screen_finish(abr_screen *s)
{
    abr_screen_rest rest = abr_screen_left_over(s);
    emit(s, rest.p, rest.n);
    emit(s, rest.rest, rest.rest_n);
    s->written += rest.n + rest.rest_n;
}
