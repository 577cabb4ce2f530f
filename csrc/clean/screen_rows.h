/* A screen: its rows, and their places in its buffer. */
#ifndef ABR_CLEAN_SCREEN_ROWS_H
#define ABR_CLEAN_SCREEN_ROWS_H

#include "abridge.h"
#include "base/private.h"
#include "base/tiny.h"
#include "clean/columns.h"

ABR_PRIVATE_BEGIN

enum {
    ABR_SCREEN_ROWS = ABR_OR_TINY(100, 4),           /* lines that can still be rewritten */
    ABR_SCREEN_WINDOW = ABR_OR_TINY(64 * 1024, 256), /* bytes of them, at most */
    ABR_SCREEN_COLUMNS = ABR_OR_TINY(4096, 64),      /* limit of a move to the right past a line's end */
    ABR_SCREEN_TAB = ABR_COLUMNS_TAB,
    ABR_SCREEN_PIECE = ABR_SCREEN_WINDOW, /* bytes added to the buffer at once */
    ABR_SCREEN_BUFFER =
        2 * ABR_SCREEN_WINDOW + ABR_SCREEN_PIECE, /* two windows with the blanks of a move, and a piece */
    ABR_SCREEN_SLOTS = ABR_OR_TINY(128, 8) /* rows with a place in the ring, a power of two over ROWS */
};

_Static_assert(ABR_SCREEN_ROWS < ABR_SCREEN_SLOTS, "a row and the one below it have places of their own");
_Static_assert(ABR_SCREEN_COLUMNS <= ABR_SCREEN_WINDOW, "the blanks of a move are in the window");

/* A line that can still be rewritten. */
typedef struct {
    /* Bytes of the cleaned text before it; of a long line, before the part that is not final. */
    uint64_t start;
    /* It differs from the input: its tabs are blanks, and blanks at its end are dropped. */
    bool rewritten;
} abr_row;

/* Rows are numbered from 0 over all of the text. Everything before the start of row `top` is final. The
 * cursor stands `skip` columns after the byte `at`: more than 0 only past the end of its line, or within a
 * char or tab that takes several columns. A cursor below row `last` has at = n, skip = its column. */
typedef struct {
    abr_sink_fn sink;
    void *sink_ctx;
    bool failed;      /* the sink returned false */
    bool has_marks;   /* control sequences may stand in lines */
    uint64_t written; /* bytes the sink got, before the buffer's start */
    size_t n;         /* bytes in the buffer */
    size_t at;
    size_t skip;
    uint64_t row;   /* of the cursor */
    uint64_t first; /* row 1 of the terminal, which may be final already */
    uint64_t top;   /* first row that can still be rewritten */
    uint64_t last;
    uint64_t saved_row; /* of abr_screen_save(), from `first` on */
    size_t saved_column;
    uint64_t blanked_tabs; /* tabs that only moved the cursor, or became blanks */
    abr_row rows[ABR_SCREEN_SLOTS];
    abr_columns columns; /* of the rows */
    char buffer[ABR_SCREEN_BUFFER];
} abr_screen;

/* A row's start in the buffer; it is `last` or above. */
static inline size_t abr_row_start(const abr_screen *s, uint64_t row)
{
    return (size_t)(s->rows[row % ABR_SCREEN_SLOTS].start - s->written);
}

/* Its end, before its newline. */
static inline size_t abr_row_end(const abr_screen *s, uint64_t row)
{
    return row == s->last ? s->n : abr_row_start(s, row + 1) - 1;
}

static inline abr_row *abr_row_at(abr_screen *s, uint64_t row)
{
    return &s->rows[row % ABR_SCREEN_SLOTS];
}

/* Bytes that can still be rewritten. */
static inline size_t abr_window_size(const abr_screen *s)
{
    return s->n - abr_row_start(s, s->top);
}

ABR_PRIVATE_END

#endif
