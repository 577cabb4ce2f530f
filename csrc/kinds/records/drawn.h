/* Tables drawn with bars and rulings, as psql, mysql, sqlite3 and Markdown have them. */
#ifndef ABR_KINDS_RECORDS_DRAWN_H
#define ABR_KINDS_RECORDS_DRAWN_H

#include "abridge.h"
#include "base/private.h"
#include "line/lines.h"

ABR_PRIVATE_BEGIN

/* How the rows of a drawn table are told apart. */
typedef enum {
    ABR_ROWS_LINES = 0, /* a line each, and those on which one of its cells goes on, as psql marks them */
    ABR_ROWS_RULED,     /* a ruling follows each */
    ABR_ROWS_EXPANDED   /* a heading comes before each, whose cells have a line and a name each */
} abr_drawn_rows;

typedef struct {
    const char *bar; /* between cells; NULL: the table is not drawn */
    bool framed;     /* one stands to the left of each line, too */
    abr_drawn_rows rows;
    char heading; /* the first byte of the headings of expanded rows */
    size_t width; /* bytes of the ruling under the names */
} abr_drawing;

/* What is known of the row that is open; zeroed before the first one. */
typedef struct {
    uint64_t line_n; /* bytes of the open line */
    char start[3];   /* the first ones */
    char last;       /* the last one */
    bool dashed;     /* it stands after - or = */
    bool begun;      /* some bytes came */
    bool goes_on;    /* a cell of the open line goes on in the next one */
} abr_open_row;

/* The stretches of - or = of a ruling: `---- -----`, `+++-=====-====`, `+----+----+`, `|:---|---:|`; 0: the line is
 * none. *boxed: bars, colons or box drawing are in it, but no crosses. */
size_t abr_ruling_stretches(abr_text_line line, bool *boxed);

/* Is (p, n) a drawn table? *header is how many lines stand before the first row: titles, rulings, the names of the
 * columns. Where the text is not whole, its last line may be in parts. */
bool abr_is_drawn(const char *p, size_t n, bool whole, abr_drawing *out, size_t *header);

/* Is the line of a drawn table part of a row, and no blank line, ruling, or count of rows, as `(12 rows)` is? */
bool abr_is_row_line(abr_text_line line);

/* Go on in the open row; returns the bytes of it in (p, n), and whether it ends with these. The end of an expanded
 * row shows in the byte after it. */
size_t abr_skip_row(const abr_drawing *d, abr_open_row *row, const char *p, size_t n, bool *ends);

/* The next cell of a line from *at on, which is 0 at first, without blanks around it; false at the end. */
bool abr_next_cell(const abr_drawing *d, abr_text_line line, size_t *at, abr_text_line *cell);

ABR_PRIVATE_END

#endif
