/* The screen as simple as can be: rows of chars, and every place found from the start of its row. What is
 * tested against it is csrc/clean/screen*.c and csrc/clean/columns.c; its rules are those of
 * abr_cleaner_open(). */
#ifndef NAIVE_SCREEN_H
#define NAIVE_SCREEN_H

#include "check.h"

enum { ROWS = 100, WINDOW = 64 * 1024, COLUMNS = 4096, TAB = 8, ROWS_MOST = 4096 };

typedef struct {
    char p[4];
    unsigned n;
    unsigned cells; /* a tab has as many as there are to the next stop */
} naive_char;

typedef struct {
    naive_char *chars;
    size_t n;
    size_t size;
    size_t final; /* chars that can no longer be rewritten: columns count from there */
    bool rewritten;
} naive_row;

typedef struct {
    naive_row rows[ROWS_MOST];
    size_t row, i, skip; /* the cursor: before char i of its row, and so many columns further */
    size_t first, top, last;
    size_t saved_row, saved_column;
} naive_screen;

static const naive_char BLANK = {" ", 1, 1};

static naive_row *here(naive_screen *s)
{
    return &s->rows[s->row];
}

static size_t cells_of(const naive_char *c, size_t column)
{
    return c->p[0] == '\t' ? TAB - column % TAB : c->cells;
}

/* Over all chars that end at the column or before it, from char i, which is at column *at. */
static size_t pass(const naive_row *r, size_t i, size_t *at, size_t column)
{
    for (; i < r->n; i++) {
        size_t cells = cells_of(&r->chars[i], *at);
        if (cells > 0 && *at + cells > column)
            break;
        *at += cells;
    }
    return i;
}

static size_t column_of(naive_screen *s)
{
    size_t column = 0;
    for (size_t i = here(s)->final; s->row <= s->last && i < s->i; i++)
        column += cells_of(&here(s)->chars[i], column);
    return column + s->skip;
}

static void go_to(naive_screen *s, size_t column)
{
    size_t at = 0;
    bool behind = true;
    s->i = 0;
    if (s->row <= s->last) {
        s->i = pass(here(s), here(s)->final, &at, column);
        behind = s->i == here(s)->n;
    }
    if (behind && column >= COLUMNS && column > at)
        column = at < COLUMNS ? COLUMNS - 1 : at;
    s->skip = column - at;
}

/* Put n chars, or as many blanks, in place of the chars from `from` to `to`. */
static void put_chars(naive_row *r, size_t from, size_t to, const naive_char *c, size_t n)
{
    if (r->n + n > r->size) {
        r->size = 2 * (r->n + n);
        r->chars = realloc(r->chars, r->size * sizeof *r->chars);
        if (!r->chars)
            exit(2);
    }
    if (r->n > to)
        memmove(r->chars + from + n, r->chars + to, (r->n - to) * sizeof *r->chars);
    for (size_t k = 0; k < n; k++)
        r->chars[from + k] = c ? c[k] : BLANK;
    r->n = r->n - (to - from) + n;
}

static size_t row_bytes(const naive_row *r)
{
    size_t n = 0;
    for (size_t i = r->final; i < r->n; i++)
        n += r->chars[i].n;
    return n;
}

static size_t window_bytes(const naive_screen *s)
{
    size_t n = s->last - s->top;
    for (size_t row = s->top; row <= s->last; row++)
        n += row_bytes(&s->rows[row]);
    return n;
}

static void keep_window(naive_screen *s)
{
    size_t n = window_bytes(s);
    for (; n > WINDOW && s->top < s->row; s->top++)
        n -= row_bytes(&s->rows[s->top]) + 1;
    naive_row *r = &s->rows[s->top];
    for (; n > WINDOW && r->final < s->i; r->final++)
        n -= r->chars[r->final].n;
}

static void leave(naive_screen *s)
{
    naive_row *r = here(s);
    if (s->row > s->last || !r->rewritten)
        return;
    while (r->n > r->final && r->chars[r->n - 1].p[0] == ' ')
        r->n--;
}

static void add_row(naive_screen *s)
{
    if (++s->last == ROWS_MOST)
        exit(2);
    naive_row *r = &s->rows[s->last];
    r->n = r->final = 0;
    r->rewritten = false;
    s->row = s->last;
    s->i = 0;
    if (s->last - s->first >= ROWS)
        s->first = s->last - ROWS + 1;
    if (s->top < s->first)
        s->top = s->first;
    keep_window(s);
}

static void add_rows(naive_screen *s)
{
    size_t row = s->row;
    if (row > s->last)
        for (s->row = s->last; s->row < row;)
            add_row(s);
}

static void feed_line(naive_screen *s)
{
    leave(s);
    add_rows(s);
    s->skip = 0;
    if (s->row < s->last) {
        s->row++;
        go_to(s, 0);
    } else {
        add_row(s);
    }
}

static void rewrite(naive_screen *s)
{
    naive_row *r = here(s);
    size_t column = column_of(s);
    size_t at = 0;
    size_t growth = 0;
    if (r->rewritten)
        return;
    r->rewritten = true;
    for (size_t i = r->final; i < r->n; i++) {
        size_t cells = cells_of(&r->chars[i], at);
        growth += r->chars[i].p[0] == '\t' ? cells - 1 : 0;
        at += cells;
    }
    bool all = window_bytes(s) + growth <= WINDOW;
    bool tabs = false;
    at = 0;
    for (size_t i = r->final; i < r->n; i++) {
        size_t cells = cells_of(&r->chars[i], at);
        at += cells;
        if (r->chars[i].p[0] != '\t')
            continue;
        tabs = true;
        put_chars(r, i, i + 1, NULL, all ? cells : 1);
        i += all ? cells - 1 : 0;
    }
    if (tabs && all)
        go_to(s, column);
    else if (tabs && s->i < r->n)
        s->skip = 0;
}

static void replace_chars(naive_screen *s, size_t cells, const naive_char *c, size_t n)
{
    naive_row *r = here(s);
    size_t target = s->skip + cells;
    size_t column = 0;
    size_t after = 0;
    size_t to = pass(r, s->i, &column, target);
    if (to < r->n && column < target) {
        after = column + r->chars[to].cells - target;
        column = 0;
        to = pass(r, to + 1, &column, 0);
    }
    put_chars(r, s->i, to, NULL, s->skip);
    s->i += s->skip;
    put_chars(r, s->i, s->i, c, n);
    put_chars(r, s->i + n, s->i + n, NULL, after);
    s->skip = 0;
}

static bool adds(const naive_screen *s)
{
    return s->row == s->last && s->skip == 0 && s->i == s->rows[s->row].n;
}

static void type(naive_screen *s, naive_char c)
{
    bool tab = c.p[0] == '\t';
    if (tab && (s->row > s->last || !adds(s) || here(s)->rewritten)) {
        go_to(s, column_of(s) / TAB * TAB + TAB);
        return;
    }
    add_rows(s);
    if (adds(s)) {
        put_chars(here(s), s->i, s->i, &c, 1);
    } else {
        rewrite(s);
        if (c.cells > 0)
            replace_chars(s, c.cells, &c, 1);
        else
            put_chars(here(s), s->i, s->i, &c, 1);
    }
    s->i++;
    keep_window(s);
}

static void move_to_row(naive_screen *s, size_t row)
{
    size_t bottom = s->first + ROWS - 1;
    row = row < s->top ? s->top : row > bottom ? bottom : row;
    if (row == s->row)
        return;
    size_t column = column_of(s);
    leave(s);
    s->row = row;
    go_to(s, column);
}

/* Are there more than n columns from char i of the cursor's line on? */
static bool has_more(naive_screen *s, size_t i, size_t n)
{
    size_t column = 0;
    return pass(here(s), i, &column, n) < here(s)->n;
}

static void erase_to_end(naive_screen *s)
{
    if (s->i == here(s)->n)
        return;
    rewrite(s);
    put_chars(here(s), s->i, here(s)->n, NULL, s->skip);
    s->i += s->skip;
    s->skip = 0;
}

static void erase_row(naive_screen *s, size_t what)
{
    naive_row *r = here(s);
    if (s->row > s->last)
        return;
    if (what == 0) {
        erase_to_end(s);
    } else if (what == 2) {
        size_t column = column_of(s);
        r->rewritten = true;
        r->n = r->final;
        go_to(s, column);
    } else if (r->n > r->final) {
        rewrite(s);
        size_t column = column_of(s);
        s->i = r->final;
        s->skip = 0;
        if (has_more(s, s->i, column + 1)) {
            replace_chars(s, column + 1, NULL, column + 1);
            go_to(s, column);
        } else {
            r->n = r->final;
            s->skip = column;
        }
    }
}

static void erase_rows(naive_screen *s, size_t what)
{
    size_t column = column_of(s);
    if (what == 0) {
        erase_row(s, 0);
        if (s->row < s->last)
            s->last = s->row;
        return;
    }
    if (what == 1)
        erase_row(s, 1);
    if (what == 1 && s->row == s->top)
        return;
    column = what == 1 ? column_of(s) : column;
    for (size_t row = s->top; row <= s->last && (what == 2 || row < s->row); row++) {
        s->rows[row].n = s->rows[row].final;
        s->rows[row].rewritten = true;
    }
    s->last = what == 2 ? s->top : s->last;
    go_to(s, column);
}

/* Blank (X), delete (P) or insert (@) n columns. */
static void edit_chars(naive_screen *s, char how, size_t n)
{
    if (s->row > s->last || s->i == here(s)->n)
        return;
    if (how == '@') {
        n = n < COLUMNS ? n : COLUMNS;
        if (window_bytes(s) + n + TAB > WINDOW)
            return;
        rewrite(s);
        if (window_bytes(s) + n + TAB <= WINDOW)
            replace_chars(s, 0, NULL, n);
        return;
    }
    rewrite(s);
    if (has_more(s, s->i, s->skip + n))
        replace_chars(s, n, NULL, how == 'X' ? n : 0);
    else
        erase_to_end(s);
}

/* What the final byte of ESC [ n does; n is 0 where it is not given. */
static void control(naive_screen *s, char final, size_t n)
{
    size_t count = n > 0 ? n : 1;
    size_t column = column_of(s);
    switch (final) {
    case 'A':
        move_to_row(s, s->row > count ? s->row - count : 0);
        break;
    case 'B':
        move_to_row(s, s->row + count);
        break;
    case 'C':
        go_to(s, column + count);
        break;
    case 'D':
        go_to(s, column > count ? column - count : 0);
        break;
    case 'G':
        go_to(s, count - 1);
        break;
    case 'd':
        move_to_row(s, s->first + count - 1);
        break;
    case 'J':
        erase_rows(s, n);
        break;
    case 'K':
        erase_row(s, n);
        break;
    case 's':
        s->saved_row = s->row - s->first;
        s->saved_column = column;
        break;
    case 'u':
        move_to_row(s, s->first + s->saved_row);
        go_to(s, s->saved_column);
        break;
    default:
        edit_chars(s, final, count);
    }
}

#endif
