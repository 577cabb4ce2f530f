/* The last lines of a log as a terminal has them: what clean.c writes to. */
#ifndef ABR_SCREEN_H
#define ABR_SCREEN_H

#include "columns.h"

ABR_PRIVATE_BEGIN

enum {
    ABR_SCREEN_ROWS = 100,         /* lines that can still be rewritten */
    ABR_SCREEN_WINDOW = 64 * 1024, /* bytes of them, at most */
    ABR_SCREEN_COLUMNS = 4096,     /* where a move to the right ends that is not within a line */
    ABR_SCREEN_TAB = ABR_COLUMNS_TAB,
    ABR_SCREEN_PIECE = 64 * 1024,        /* bytes added to the buffer at once */
    ABR_SCREEN_BUFFER = 192 * 1024,      /* two windows with the blanks of a move, and a piece */
    ABR_SCREEN_SLOTS = ABR_COLUMNS_SLOTS /* rows with a place in the ring, a power of two over ROWS */
};

typedef enum { ABR_ERASE_AFTER, ABR_ERASE_BEFORE, ABR_ERASE_ALL } abr_erase;

/* A line at hand. */
typedef struct {
    uint64_t
        start; /* bytes of the cleaned text before it; of a long line, before the part that is not final */
    bool rewritten; /* it is no longer as it came: its tabs are blanks, blanks at its end are not kept */
} abr_row;

/* Rows are numbered from 0 over all of the text. Everything before the start of row `top` is final. The cursor stands
 * `skip` columns behind the byte `at`: more than 0 only behind the end of its line, or within a char or tab that takes
 * several columns. A cursor below row `last` has at = n, skip = its column. */
typedef struct {
    abr_sink_fn sink;
    void *sink_ctx;
    bool failed;      /* the sink said no */
    bool has_marks;   /* control sequences may stand in lines */
    uint64_t written; /* bytes the sink got: where the buffer starts */
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

/* An empty screen. `kept` are kinds, bits 1u << kind, which stand in its lines as they are. */
void abr_screen_start(abr_screen *s, abr_sink_fn sink, void *sink_ctx, unsigned kept);

/* Write text of well-formed UTF-8 whose only control bytes are '\n', '\t'. */
void abr_screen_text(abr_screen *s, const char *p, size_t n);

/* Put bytes behind the char before the cursor; they take no columns: abr_unit_size() of them is n. */
void abr_screen_mark(abr_screen *s, const char *p, size_t n);

void abr_screen_return(abr_screen *s);
void abr_screen_back(abr_screen *s);

/* Move the cursor, as far as there are rows and columns. Rows and columns are counted from 0. */
void abr_screen_up(abr_screen *s, size_t rows);
void abr_screen_down(abr_screen *s, size_t rows);
void abr_screen_left(abr_screen *s, size_t columns);
void abr_screen_right(abr_screen *s, size_t columns);
void abr_screen_column(abr_screen *s, size_t column);
void abr_screen_row(abr_screen *s, size_t row);
void abr_screen_save(abr_screen *s);
void abr_screen_restore(abr_screen *s);

void abr_screen_erase_line(abr_screen *s, abr_erase what);
void abr_screen_erase_all(abr_screen *s, abr_erase what);

/* n cells from the cursor on: make them blank, take them out, or put blanks before them. */
void abr_screen_blank(abr_screen *s, size_t n);
void abr_screen_delete(abr_screen *s, size_t n);
void abr_screen_insert(abr_screen *s, size_t n);

/* Hand over what is final, where that is worth the while. */
void abr_screen_flush(abr_screen *s);

/* The text that is not handed over yet, as it would end now: n bytes at p, then rest_n at rest. */
typedef struct {
    const char *p;
    size_t n;
    const char *rest;
    size_t rest_n;
} abr_screen_rest;

abr_screen_rest abr_screen_left_over(const abr_screen *s);

/* Hand all of it over. */
void abr_screen_finish(abr_screen *s);

ABR_PRIVATE_END

#endif
