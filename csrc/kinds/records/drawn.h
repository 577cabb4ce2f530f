/* Tables drawn with bars and rulings, as by psql, mysql, sqlite3 and in Markdown. */
#ifndef ABR_KINDS_RECORDS_DRAWN_H
#define ABR_KINDS_RECORDS_DRAWN_H

#include "base/private.h"
#include "line/lines.h"

ABR_PRIVATE_BEGIN

/* How the rows of a drawn table are separated. */
typedef enum {
    ABR_ROWS_LINES = 0, /* a line each, and the lines that continue its cells, as psql marks them */
    ABR_ROWS_RULED,     /* a ruling follows each */
    ABR_ROWS_EXPANDED   /* after a heading or a blank line each; cells have a line and a name each */
} abr_drawn_rows;

typedef struct {
    const char *bar; /* between cells; NULL: the table is not drawn */
    size_t frame;    /* so many open each line, and close it; 0: none do */
    abr_drawn_rows rows;
    char heading; /* the first byte of the headings of expanded rows, or of the blank lines between them */
    size_t width; /* bytes of the ruling under the names */
} abr_drawing;

/* The state within the open row; zeroed before the first one. */
typedef struct {
    uint64_t line_n; /* bytes of the open line */
    char start[8];   /* its first bytes */
    char last;       /* its last byte */
    bool dashed;     /* the last byte stands after - or = */
    bool begun;      /* some bytes came */
    bool goes_on;    /* a cell of the open line continues on the next one */
} abr_open_row;

/* Count the stretches of - or = of a ruling: `---- -----`, `+++-=====-====`, `+----+----+`, `|:---|---:|`; 0
 * if the line isn't one. *boxed: it has bars, colons or box drawing, but no crosses. */
size_t abr_ruling_stretches(abr_text_line line, bool *boxed);

/* Is (p, n) a drawn table? *header is the number of lines before the first row: titles, rulings, the names of
 * the columns. If the text is not whole, its last line may be incomplete. */
bool abr_is_drawn(const char *p, size_t n, bool whole, abr_drawing *out, size_t *header);

/* The bytes of rows at p, a block of lines each, as by `sqlite3 -line` and `Format-List`: each line has a
 * name, blocks start with the same two, and blank lines separate them. 0: there are none. *between: what
 * separates a name from its value. */
size_t abr_blocks_extent(const char *p, size_t n, const char **between);

/* Is a line of a drawn table part of a row, not a blank line, a ruling or a count of rows like `(12
 * rows)`? */
bool abr_is_row_line(abr_text_line line);

/* Has the line a bar as between the cells of a drawn table? */
bool abr_has_bar(abr_text_line line);

/* Go on in the open row; returns its bytes in (p, n), and whether it ends with them. Only the byte after an
 * expanded row shows that it has ended. */
size_t abr_skip_row(const abr_drawing *d, abr_open_row *row, const char *p, size_t n, bool *ends);

/* The next cell of a line from *at on, which is 0 at first, without the blanks around it; false at the
 * end. */
bool abr_next_cell(const abr_drawing *d, abr_text_line line, size_t *at, abr_text_line *cell);

ABR_PRIVATE_END

#endif
