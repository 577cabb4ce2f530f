/*
 * Tables drawn with bars and rulings. Either the names of the columns have a ruling below them with a stretch
 * for each, or the rows of a box have one above them, or each row has a heading or a blank line above it, and
 * a line for each cell.
 */
#include <string.h>

#include "kinds/records/drawn.h"
#include "base/ascii.h"
#include "base/size.h"
#include "line/char_set.h"

enum {
    TABLE_LINES = 400,  /* lines examined */
    LINES_ABOVE = 12,   /* lines above the names, rulings and blank ones too */
    TITLES_ABOVE = 2,   /* of these, lines with a title */
    PER_OTHER = 10,     /* lines of rows per line that is part of none */
    ROW_LINES = 8,      /* lines of a row, if rulings separate rows */
    LEAST_BLOCKS = 4,   /* rows that blank lines separate */
    BLOCK_MOST = 512,   /* bytes of one on average: few larger ones fit in a budget */
    BELOW_MOST = 3,     /* lines below them */
    CELL_NAME_MOST = 40 /* bytes of a name on a line of its own */
};

static const char bar[] = "|";
static const char box_bar[] = "\xE2\x94\x82";
static const char heavy_bar[] = "\xE2\x94\x83";
static const char double_bar[] = "\xE2\x95\x91";
static const char *const bars[] = {bar, box_bar, double_bar};

/* ---- lines ---- */

static bool is_box_drawing(const char *p, size_t n)
{
    return n >= 3 && p[0] == '\xE2' && (p[1] == '\x94' || p[1] == '\x95');
}

/* The horizontal lines of box drawing: light, heavy, double. */
static bool is_box_dash(const char *p)
{
    return p[1] == '\x94' ? (p[2] == '\x80' || p[2] == '\x81') : p[2] == '\x90';
}

size_t abr_ruling_stretches(abr_text_line line, bool *boxed)
{
    size_t stretches = 0;
    bool crosses = false;
    char before = ' ';
    *boxed = false;
    for (size_t i = 0; i < line.n; i++) {
        char c = line.p[i];
        if (is_box_drawing(line.p + i, line.n - i)) {
            c = is_box_dash(line.p + i) ? '-' : '|';
            i += 2;
            *boxed = true;
        } else if (c == ':' && (before == '-' || (i + 1 < line.n && line.p[i + 1] == '-'))) {
            c = '-';
            *boxed = true;
        } else if (c == '\0' || !strchr("-=+| ", c)) {
            return 0;
        }
        crosses = crosses || c == '+';
        *boxed = *boxed || c == '|';
        stretches += (c == '-' || c == '=') && c != before;
        before = c;
    }
    *boxed = *boxed && !crosses;
    return stretches;
}

/* `(12 rows)`, `12 rows in set (0.01 sec)`. */
static bool is_row_count(abr_text_line line)
{
    static const char row[] = " row";
    const size_t start = line.n > 0 && *line.p == '(';
    size_t i = abr_past(line, start, ABR_DIGITS);
    if (i == start || !abr_has_at(line, i, row, sizeof row - 1))
        return false;
    i += sizeof row - 1;
    i += i < line.n && line.p[i] == 's';
    return start > 0 ? i + 1 == line.n && line.p[i] == ')' : abr_has_at(line, i, " in set", 7);
}

bool abr_is_row_line(abr_text_line line)
{
    bool boxed;
    const abr_text_line text = abr_trimmed(line);
    if (text.n > 0 && (abr_is_digit(*text.p) || *text.p == '('))
        return !is_row_count(text);
    return text.n > 0 && (abr_is_letter(*text.p) || abr_ruling_stretches(text, &boxed) == 0);
}

/* ---- cells ---- */

/* Is it such a bar, of so many bytes? Names may have heavy ones above rows with light ones. */
static inline bool is_bar(const char *p, const char *sought, size_t size)
{
    return *p == *sought &&
           (memcmp(p, sought, size) == 0 || (sought == box_bar && memcmp(p, heavy_bar, size) == 0));
}

static bool starts_with_bar(const char *p, size_t n, const char *sought)
{
    const size_t size = strlen(sought);
    return n >= size && is_bar(p, sought, size);
}

static const char *find_bar(const char *p, size_t n, const char *sought)
{
    if (sought[1] == '\0')
        return memchr(p, *sought, n);
    const size_t size = strlen(sought);
    for (const char *end = p + n; n >= size; p++, n = (size_t)(end - p)) {
        p = memchr(p, *sought, n - size + 1);
        if (!p || is_bar(p, sought, size))
            return p;
    }
    return NULL;
}

bool abr_has_bar(abr_text_line line)
{
    return find_bar(line.p, line.n, bar) ||
           (memchr(line.p, *box_bar, line.n) &&
            (find_bar(line.p, line.n, box_bar) || find_bar(line.p, line.n, double_bar)));
}

bool abr_next_cell(const abr_drawing *d, abr_text_line line, size_t *at, abr_text_line *cell)
{
    const size_t size = strlen(d->bar);
    if (*at == 0 && d->frame > 0) {
        while (*at < line.n && line.p[*at] == ' ')
            ++*at;
        for (size_t i = 0; i < d->frame && *at + size <= line.n && is_bar(line.p + *at, d->bar, size); i++)
            *at += size;
    }
    if (*at >= line.n || (d->frame > 1 && *at + d->frame > line.n)) /* bars close the line */
        return false;
    const char *end = find_bar(line.p + *at, line.n - *at, d->bar);
    *cell = (abr_text_line){line.p + *at, end ? (size_t)(end - line.p) - *at : line.n - *at};
    *at += cell->n + size;
    *cell = abr_trimmed(*cell);
    return true;
}

/* Count the cells of a line; 0 if it has no bars. */
static size_t count_cells(const abr_drawing *d, abr_text_line line)
{
    size_t cells = 0;
    abr_text_line cell;
    if (!find_bar(line.p, line.n, d->bar))
        return 0;
    if (d->frame > 0)
        line = abr_trimmed(line);
    for (size_t at = 0; abr_next_cell(d, line, &at, &cell);)
        cells++;
    return cells;
}

/* ---- rows ---- */

static bool is_dash(char c)
{
    return c == '-' || c == '=';
}

/* Count the bars at the start of a line. */
static size_t bars_around(const char *p, size_t n)
{
    size_t i = 0;
    while (i < n && p[i] == *bar)
        i++;
    return i;
}

/* Does a line with this start rule off a row? Boxes inside others have the bars of these around them. */
static bool starts_ruling(const abr_drawing *d, const char *start, size_t n)
{
    const size_t outer = bars_around(start, n);
    if (outer > 0)
        return outer + 1 < n && start[outer] == '+' && is_dash(start[outer + 1]);
    return n > 2 && (*start == '+' || is_dash(*start) ||
                     (is_box_drawing(start, 3) && !starts_with_bar(start, n, d->bar)));
}

/* Do n bytes of a line have the mark of a continued cell, a + before a bar? */
static bool marks_more(const abr_drawing *d, const abr_open_row *row, const char *p, size_t n)
{
    if (n > 0 && row->last == '+' && *p == *d->bar)
        return !row->dashed;
    for (size_t i = 0; i + 1 < n; i++) {
        const char *plus = memchr(p + i, '+', n - 1 - i);
        if (!plus)
            return false;
        i = (size_t)(plus - p);
        if (p[i + 1] == *d->bar && !(i > 0 && is_dash(p[i - 1])))
            return true;
    }
    return false;
}

/* Take n bytes of the open line. */
static void add_to_line(const abr_drawing *d, abr_open_row *row, const char *p, size_t n)
{
    if (n == 0)
        return;
    for (size_t i = 0; d->rows == ABR_ROWS_RULED && i < n && row->line_n + i < sizeof row->start; i++)
        row->start[row->line_n + i] = p[i];
    row->goes_on = row->goes_on || (d->rows == ABR_ROWS_LINES && marks_more(d, row, p, n));
    row->dashed = is_dash((char)(n > 1 ? p[n - 2] : row->last));
    row->last = p[n - 1];
    row->line_n += n;
    row->begun = true;
}

/* Does the row end with the open line, whose newline comes next? If its last cell continues, its mark stands
 * at the ruling's right end; the cell's text ends before that. */
static bool ends_row(const abr_drawing *d, const abr_open_row *row)
{
    if (d->rows != ABR_ROWS_LINES)
        return d->rows == ABR_ROWS_RULED &&
               starts_ruling(d, row->start, (size_t)abr_at_most(row->line_n, sizeof row->start));
    return !row->goes_on && !(row->last == '+' && !row->dashed && row->line_n >= d->width);
}

size_t abr_skip_row(const abr_drawing *d, abr_open_row *row, const char *p, size_t n, bool *ends)
{
    *ends = false;
    for (size_t i = 0; i < n;) {
        if (d->rows == ABR_ROWS_EXPANDED && row->begun && row->line_n == 0 && p[i] == d->heading) {
            *ends = true;
            *row = (abr_open_row){.begun = false};
            return i;
        }
        const char *newline = memchr(p + i, '\n', n - i);
        const size_t part = newline ? (size_t)(newline - p) - i : n - i;
        add_to_line(d, row, p + i, part);
        if (!newline)
            return n;
        i += part + 1;
        *ends = ends_row(d, row);
        *row = (abr_open_row){.begun = !*ends};
        if (*ends)
            return i;
    }
    return n;
}

/* ---- a text ---- */

/* psql's `-[ RECORD 1 ]---`, mysql's `***** 1. row *****`. */
static bool is_heading(abr_text_line line)
{
    static const char record[] = "[ RECORD ";
    static const char row[] = ". row ***";
    const abr_text_line start = {line.p, line.n < 64 ? line.n : 64};
    if (ABR_CONTAINS(start, record))
        return line.n > 0 && (*line.p == '-' || *line.p == '+' || is_box_drawing(line.p, line.n));
    return ABR_STARTS(line, "*****") && ABR_CONTAINS(start, row);
}

static bool is_expanded(const char *p, size_t n, abr_drawing *out)
{
    static const char *const between[] = {bar, box_bar, ": "};
    size_t at = 0;
    abr_text_line line;
    if (!abr_next_line(p, n, &at, &line) || !is_heading(line))
        return false;
    *out = (abr_drawing){.rows = ABR_ROWS_EXPANDED, .heading = *line.p};
    if (!abr_next_line(p, n, &at, &line))
        return false;
    for (size_t i = 0; i < sizeof between / sizeof *between && !out->bar; i++)
        if (find_bar(line.p, line.n, between[i]))
            out->bar = between[i];
    return out->bar != NULL;
}

/* The name before a bar on a line that such rows may have; empty: it has none. */
static abr_text_line name_on(abr_text_line line, const char *between)
{
    const abr_text_line none = {line.p, 0};
    const char *end = find_bar(line.p, line.n, between);
    const abr_text_line name = end ? abr_trimmed((abr_text_line){line.p, (size_t)(end - line.p)}) : none;
    const bool is_name = name.n > 0 && name.n <= CELL_NAME_MOST && abr_is_letter(*name.p) &&
                         !memchr(name.p, '[', name.n); /* `TASK [shop : Copy]` */
    return is_name ? name : none;
}

static bool is_same_text(abr_text_line a, abr_text_line b)
{
    return a.n == b.n && memcmp(a.p, b.p, a.n) == 0;
}

/* Lines in blocks between blank lines. */
typedef struct {
    abr_text_line names[2]; /* each block starts with these */
    abr_text_line before;   /* the name before, which comes once */
    size_t count;
    size_t place; /* lines of the open block so far */
} line_blocks;

/* Go on with a line that is not blank. False: it is in no such block. */
static bool goes_on_in_block(line_blocks *b, abr_text_line name)
{
    if (name.n == 0 || (b->place > 0 && is_same_text(name, b->before)))
        return false;
    b->before = name;
    if (b->place < 2 && b->count == 0)
        b->names[b->place] = name;
    if (b->place < 2 && !is_same_text(name, b->names[b->place]))
        return false;
    b->count += b->place++ == 1;
    return true;
}

static size_t blocks_end(const char *p, size_t n, const char *between)
{
    line_blocks b = {.names = {{p, 0}, {p, 0}}, .before = {p, 0}};
    size_t end = 0; /* of the last block that is sure to be one */
    size_t at = 0;
    abr_text_line line;
    for (size_t from = 0; abr_next_line(p, n, &at, &line); from = at) {
        if (abr_trimmed(line).n == 0) {
            if (b.place == 1) /* a line alone */
                break;
            b.place = 0;
            continue;
        }
        if (!goes_on_in_block(&b, name_on(line, between)))
            break;
        if (b.count < LEAST_BLOCKS && from > (size_t)LEAST_BLOCKS * BLOCK_MOST)
            return 0;
        end = b.place > 1 || at == n ? at : end;
    }
    return b.count >= LEAST_BLOCKS ? end : 0;
}

size_t abr_blocks_extent(const char *p, size_t n, const char **between)
{
    static const char *const bars_between[] = {" = ", ": "};
    for (size_t i = 0; i < sizeof bars_between / sizeof *bars_between; i++) {
        const size_t end = blocks_end(p, n, bars_between[i]);
        *between = bars_between[i];
        if (end > 0)
            return end;
    }
    return 0;
}

/* Is it a text of such blocks, below blank lines and above a few others? */
static bool is_in_blocks(const char *p, size_t n, abr_drawing *out, size_t *header)
{
    size_t at = 0;
    size_t start = 0;
    size_t blank = 0;
    size_t below = 0;
    abr_text_line line = {p, 0};
    for (; abr_next_line(p, n, &at, &line) && abr_trimmed(line).n == 0; blank++)
        start = at;
    const abr_text_line first = line;
    *out = (abr_drawing){.rows = ABR_ROWS_EXPANDED, .heading = '\n'};
    at = abr_blocks_extent(p + start, n - start, &out->bar);
    if (at == 0)
        return false;
    for (at += start; abr_next_line(p, n, &at, &line);)
        below += abr_trimmed(line).n > 0;
    if (first.p[first.n] == '\r') /* a newline follows */
        out->heading = '\r';
    *header = blank;
    return below <= BELOW_MOST;
}

/* Are there rows of so many cells from `at` on, and little else? */
static bool has_drawn_rows(const char *p, size_t n, bool whole, size_t at, size_t cells, abr_drawing *out)
{
    size_t rows = 0;
    size_t others = 0;
    size_t rulings = 0; /* between rows */
    bool ruled = false; /* the line before was a ruling */
    abr_text_line line;
    for (size_t i = 0; i < TABLE_LINES && abr_next_line(p, n, &at, &line); i++) {
        if (!whole && at == n)
            break;
        if (!abr_is_row_line(line)) {
            ruled = ruled || (rows > 0 && starts_ruling(out, line.p, line.n));
            continue;
        }
        const size_t own = count_cells(out, line);
        rulings += ruled;
        ruled = false;
        rows += own >= cells;
        others += own < cells;
    }
    if (rulings > 1 && rulings * ROW_LINES >= rows + others)
        out->rows = ABR_ROWS_RULED;
    return rows > 0 && others * PER_OTHER <= rows + PER_OTHER / 2;
}

/* The bars that open and close each line. A ruling has one fewer before its first cross. */
static size_t frame_of(const char *sought, abr_text_line cells, abr_text_line ruling)
{
    const size_t outer = bars_around(ruling.p, ruling.n);
    if (!starts_with_bar(cells.p, cells.n, sought))
        return 0;
    return outer < ruling.n && ruling.p[outer] == '+' ? outer + 1 : 1;
}

/* Is it a line of cells beside a ruling with a stretch for each, and do rows follow from `at` on? Returns
 * the number of cells, or 0. */
static size_t find_cells(const char *p, size_t n, bool whole, size_t at, abr_text_line line,
                         abr_text_line ruling, abr_drawing *out)
{
    bool boxed;
    const abr_text_line rule = abr_trimmed(ruling);
    const size_t stretches = abr_ruling_stretches(rule, &boxed);
    for (size_t i = 0; i < sizeof bars / sizeof *bars && stretches > 0; i++) {
        const size_t frame = frame_of(bars[i], abr_trimmed(line), rule);
        abr_drawing drawing = {.bar = bars[i], .frame = frame, .width = ruling.n};
        if (count_cells(&drawing, line) == stretches &&
            has_drawn_rows(p, n, whole, at, stretches, &drawing)) {
            *out = drawing;
            return stretches;
        }
    }
    return 0;
}

/* Names of several columns are sought past a ruling that rows without names may follow, and past one name,
 * which may be a title. */
bool abr_is_drawn(const char *p, size_t n, bool whole, abr_drawing *out, size_t *header)
{
    size_t at = 0;
    size_t titles = 0;
    abr_text_line line;
    *header = 0;
    if (is_expanded(p, n, out) || is_in_blocks(p, n, out, header))
        return true;
    *header = 0;
    *out = (abr_drawing){.bar = NULL};
    for (size_t above = 0; above < LINES_ABOVE && titles <= TITLES_ABOVE && abr_next_line(p, n, &at, &line);
         above++) {
        size_t next = at;
        abr_text_line under;
        abr_drawing drawing;
        if (!abr_next_line(p, n, &next, &under))
            break;
        const bool named = abr_is_row_line(line);
        const size_t cells = named ? find_cells(p, n, whole, next, line, under, &drawing)
                                   : find_cells(p, n, whole, at, under, line, &drawing);
        const bool surely = named && cells > 1;
        titles += named;
        if (surely || (!out->bar && (named ? cells == 1 : cells > 1 && drawing.frame > 0))) {
            *out = drawing;
            *header = above + 1 + named;
        }
        if (surely)
            break;
    }
    return out->bar != NULL;
}
