/*
 * Columns under a header. Each name of the header has a place; a row keeps it if one of its words starts in
 * the column where the name starts, or ends where it ends. Words of prose and source do so now and then too,
 * but not in row after row, and lines that begin with the same words are not rows under a header.
 */
#include "kinds/records/aligned.h"
#include "base/ascii.h"
#include "kinds/records/drawn.h"
#include "line/char_set.h"
#include "line/lines.h"
#include "text/utf8.h"

enum {
    MOST_CHARS = 512,     /* of a line that are examined */
    MOST_NAMES = 32,      /* of a header; bits of a name_set */
    MOST_TITLES = 12,     /* lines before the first row */
    MOST_ROWS = 400,      /* lines examined for rows */
    SOME_ROWS = 16,       /* enough to know whether they repeat the header */
    SOME_OTHERS = 8,      /* so many more other lines than rows: enough to know */
    OTHERS_BETWEEN = 2,   /* lines between two rows of one table */
    LONGEST_HEADING = 32, /* bytes */
    LEAST_RULED = 2,      /* stretches of a ruling */
    SURE_ROWS = 8         /* under names that could be words, for them to be names of columns */
};

enum { BLANK_CELL = 0, FILLED_CELL, DIGIT_CELL };

/* The contents of each column of a line. */
typedef struct {
    size_t n;                  /* columns, without the blanks at the end */
    char cell[MOST_CHARS + 1]; /* BLANK, which ends the line too, DIGIT or FILLED */
} layout;

/* A row reaches a name, keeps its place, repeats it, has more than one blank before it, a digit where it
 * starts or ends. */
enum { REACHES, KEEPS, REPEATS, IS_PADDED, HAS_DIGIT, ROW_FACTS };

typedef struct {
    size_t from; /* columns */
    size_t to;
    abr_text_line text;
    size_t rows[ROW_FACTS]; /* of which that is true */
} name;

typedef struct {
    name names[MOST_NAMES];
    size_t count;
    bool capitals; /* every letter is a capital */
    bool gaps;     /* two blanks stand between some names */
} header;

static void lay_out(abr_text_line line, layout *out)
{
    out->n = 0;
    size_t column = 0;
    for (size_t i = 0; i < line.n && column < MOST_CHARS; column++) {
        char cell = FILLED_CELL;
        if (line.p[i] == ' ' || line.p[i] == '\t')
            cell = BLANK_CELL;
        else if (abr_is_digit(line.p[i]))
            cell = DIGIT_CELL;
        size_t size = abr_char_size(line.p + i, line.n - i);
        if (line.p[i] == '\t') /* up to the next multiple of 8 */
            while (column % 8 != 7 && column + 1 < MOST_CHARS)
                out->cell[column++] = BLANK_CELL;
        out->cell[column] = cell;
        if (cell != BLANK_CELL)
            out->n = column + 1;
        i += size;
    }
    out->cell[out->n] = BLANK_CELL;
}

/* ---- the header ---- */

static bool is_ruling(abr_text_line line)
{
    bool boxed;
    return abr_ruling_stretches(line, &boxed) >= LEAST_RULED && !boxed;
}

static bool is_name(abr_text_line word)
{
    bool letters = false;
    size_t digits = 0;
    if (word.n > LONGEST_HEADING || ABR_HAS(":.", word.p[word.n - 1]))
        return false;
    for (size_t i = 0; i < word.n; i++) {
        char c = word.p[i];
        if (ABR_HAS("={}\"';,<>[]`\\*\0", c))
            return false;
        digits += abr_is_digit(c);
        letters = letters || abr_is_letter(c) || (c & 0x80) || c == '#' || c == '%';
    }
    return letters && digits * 2 <= word.n;
}

static bool has_small_letter(abr_text_line word)
{
    for (size_t i = 0; i < word.n; i++)
        if (abr_is_lower(word.p[i]))
            return true;
    return false;
}

/* Read the names in a line of ASCII; false if it isn't a header. Bars between names, as in boxes, don't
 * count. */
static bool read_headings(abr_text_line line, header *out)
{
    out->count = 0; /* the names are not zeroed: every line of a text is read */
    out->capitals = true;
    out->gaps = false;
    if (line.n == 0 || line.n > MOST_CHARS || memchr(line.p, '\t', line.n) || !memchr(line.p, ' ', line.n))
        return false;
    for (size_t i = 0; i < line.n;) {
        if (line.p[i] == ' ') {
            i++;
            continue;
        }
        size_t from = i;
        while (i < line.n && line.p[i] != ' ')
            i++;
        abr_text_line word = {line.p + from, i - from};
        if (word.n <= 3 && ABR_HAS("|/", *word.p) && !has_small_letter(word))
            continue;
        if (!is_name(word) || out->count == MOST_NAMES)
            return false;
        out->capitals = out->capitals && !has_small_letter(word);
        out->gaps = out->gaps || (out->count > 0 && line.p[from - 1] == ' ' && line.p[from - 2] == ' ');
        out->names[out->count++] = (name){.from = from, .to = i, .text = word};
    }
    return out->count >= 2;
}

/* ---- rows ---- */

/* Is the name's column empty in this row? */
static bool is_empty(const layout *row, const name *x)
{
    for (size_t i = x->from; i < x->to; i++)
        if (row->cell[i])
            return false;
    return true;
}

/* Does a word of the row start where the name does, or end where it ends? */
static bool keeps(const layout *row, const name *x)
{
    bool starts = row->cell[x->from] && !(x->from > 0 && row->cell[x->from - 1]);
    bool ends = x->to <= row->n && row->cell[x->to - 1] && !row->cell[x->to];
    return starts || ends;
}

/* Does a figure end there, or one with a unit, "12%", "0.03s"? */
static bool ends_in_figure(const layout *row, size_t to)
{
    return to <= row->n && (row->cell[to - 1] == DIGIT_CELL || row->cell[to - 2] == DIGIT_CELL);
}

/* Names of a header, a bit each. */
typedef uint32_t name_set;

/* The names of which each fact is true in a row. */
typedef struct {
    name_set names[ROW_FACTS];
} comparison;

static unsigned count_names(name_set set)
{
    unsigned n = 0;
    for (; set; set &= set - 1)
        n++;
    return n;
}

/* Compare a row with the header: does it keep most of the places that it reaches? The first name says nothing
 * if it stands at the start, since every line has a word there. */
static bool compare(const header *h, abr_text_line line, const layout *row, comparison *out)
{
    *out = (comparison){0};
    bool empty = false;
    for (size_t i = 0; i < h->count && h->names[i].from < row->n; i++) {
        const name *x = &h->names[i];
        name_set bit = (name_set)1 << i;
        if (is_empty(row, x)) {
            empty = true;
            continue;
        }
        if (abr_has_at(line, x->from, x->text.p, x->text.n))
            out->names[REPEATS] |= bit;
        if (x->from == 0)
            continue;
        out->names[REACHES] |= bit;
        if (!keeps(row, x))
            continue;
        out->names[KEEPS] |= bit;
        if (row->cell[x->from] == DIGIT_CELL || ends_in_figure(row, x->to))
            out->names[HAS_DIGIT] |= bit;
        if (x->from >= 2 && !row->cell[x->from - 1] && !row->cell[x->from - 2])
            out->names[IS_PADDED] |= bit;
    }
    unsigned kept = count_names(out->names[KEEPS]);
    return kept * 2 >= count_names(out->names[REACHES]) && (kept > 1 || (kept == 1 && !empty));
}

static void add_row(header *h, const comparison *row)
{
    for (size_t i = 0; i < h->count; i++)
        for (int fact = 0; fact < ROW_FACTS; fact++)
            h->names[i].rows[fact] += row->names[fact] >> i & 1;
}

/* Do `rows` rows show that the header's names are names of columns? */
static bool holds(const header *h, size_t rows, bool ruled)
{
    size_t columns = 0;
    size_t names = 0;
    size_t same = 0;
    size_t padded = 0;
    bool figures = h->capitals; /* is there a column of figures? Words over words are a list in columns. */
    size_t second = 0;          /* maybe words of a name before them */
    for (size_t i = 0; i < h->count; i++) {
        const name *x = &h->names[i];
        const size_t reached = x->rows[REACHES];
        same += x->rows[REPEATS];
        if (x->from == 0 || reached == 0)
            continue;
        bool column = x->rows[KEEPS] * 10 >= reached * 8;
        names++;
        columns += column;
        figures = figures || (column && x->rows[HAS_DIGIT] * 2 >= reached);
        second += !column && i > 0 && h->gaps && x->from == h->names[i - 1].to + 1;
        padded += x->rows[IS_PADDED] * 4 >= reached;
    }
    if (columns >= 3)
        names -= second;
    if (columns == 0 || columns * 2 < names || same * 4 > rows * h->count)
        return false;
    if (ruled)
        return true;
    if (!figures)
        return false;
    if (rows < 3)
        return h->gaps && columns * 3 >= names * 2 && (h->capitals || columns >= 3);
    return h->gaps || (h->count > 2 && padded * 2 >= columns && columns >= 2);
}

/* Do rows follow from `at` on? Nearly all lines must be rows. */
static bool has_rows(const char *p, size_t n, bool whole, size_t at, header *h, bool ruled)
{
    size_t rows = 0;
    size_t others = 0;
    size_t same = 0;
    abr_text_line line;
    layout row;
    comparison as;
    for (size_t read = 0; read < MOST_ROWS && abr_next_line(p, n, &at, &line); read++) {
        if (!whole && at == n)
            break;
        if (abr_trimmed(line).n == 0 || is_ruling(line))
            continue;
        lay_out(line, &row);
        if (compare(h, line, &row, &as)) {
            add_row(h, &as);
            same += count_names(as.names[REPEATS]);
            if (++rows == SOME_ROWS && same * 4 > rows * h->count)
                return false;
        } else if (++others > rows + SOME_OTHERS) {
            return false;
        }
    }
    size_t most = rows / 4 > 2 ? rows / 4 : rows >= 2 ? 2 : 0;
    return rows > 0 && others <= most && holds(h, rows, ruled);
}

bool abr_is_aligned(const char *p, size_t n, bool whole, size_t *lines)
{
    header h = {0};
    bool named = false; /* the line before this one may be a header */
    size_t filled = 0;
    size_t at = 0;
    abr_text_line line;
    for (*lines = 1; *lines <= MOST_TITLES && abr_next_line(p, n, &at, &line); ++*lines) {
        if (abr_trimmed(line).n == 0) {
            named = false;
            continue;
        }
        if (is_ruling(line)) {
            if (named && has_rows(p, n, whole, at, &h, true))
                return true;
            continue;
        }
        named = read_headings(line, &h);
        /* the first line, or an unmistakable one after some titles */
        bool alone = named && (filled == 0 || (h.count >= 3 && (h.capitals || (h.count > 3 && h.gaps))));
        filled++;
        header tried = h;
        size_t next = at;
        abr_text_line under;
        if (alone && abr_next_line(p, n, &next, &under) && is_ruling(under))
            continue;
        if (alone && has_rows(p, n, whole, at, &tried, false))
            return true;
    }
    return false;
}

/* ---- a table amid other output ---- */

/* Is it hard to take these names for a row, or for words? They stand apart, and all are capitals, or all but
 * one start with one. */
static bool is_clear_header(const header *h)
{
    size_t small = 0;
    for (size_t i = 0; i < h->count; i++)
        small += abr_is_lower(*h->names[i].text.p);
    return h->count >= 3 && h->gaps && (h->capitals || (h->count > 3 && small <= 1));
}

/* Is the line below a row, with figures below most names? */
static bool is_over_figures(const header *h, abr_text_line under)
{
    layout row;
    comparison as;
    lay_out(under, &row);
    return compare(h, under, &row, &as) && (size_t)2 * count_names(as.names[HAS_DIGIT]) >= h->count;
}

/* Do the rows show that words in small letters are names of columns? Nearly every row keeps the place of each
 * name, and most columns are of figures. */
static bool stands_over_figures(const header *h)
{
    size_t columns = 0;
    size_t figures = 0;
    for (size_t i = 0; i < h->count; i++) {
        const name *x = &h->names[i];
        if (x->from == 0)
            continue;
        if (x->rows[KEEPS] < SURE_ROWS || x->rows[KEEPS] * 10 < x->rows[REACHES] * 9)
            return false;
        columns++;
        figures += x->rows[HAS_DIGIT] * 10 >= x->rows[KEEPS] * 9;
    }
    return figures * 2 > columns;
}

/* Does the line start another table: has it names in capitals as this one has, or are they ruled below? */
static bool starts_another(const header *h, abr_text_line line, const char *p, size_t n, size_t after)
{
    header names;
    abr_text_line under;
    if (!read_headings(line, &names))
        return false;
    return (h->capitals && names.capitals && names.count >= 3) ||
           (abr_next_line(p, n, &after, &under) && is_ruling(under));
}

/* The end of the last row under a header, from `at` on. */
static size_t end_of_aligned(const header *h, const char *p, size_t n, size_t at)
{
    size_t end = at;
    size_t others = 0;
    abr_text_line line;
    layout row;
    comparison as;
    while (others <= OTHERS_BETWEEN && abr_next_line(p, n, &at, &line)) {
        if (starts_another(h, line, p, n, at))
            break;
        lay_out(line, &row);
        others++;
        if (!compare(h, line, &row, &as))
            continue;
        end = at;
        others = 0;
    }
    return end;
}

size_t abr_aligned_extent(const char *p, size_t n, bool clear, size_t *read)
{
    header h;
    abr_text_line line;
    abr_text_line under;
    size_t at = 0;
    const bool named = abr_next_line(p, n, &at, &line) && read_headings(line, &h);
    *read = at;
    size_t next = at;
    if (!named || !abr_next_line(p, n, &next, &under))
        return 0;
    const bool ruled = is_ruling(under);
    const bool is_clear = ruled || is_clear_header(&h);
    if (!is_clear && !(!clear && h.count >= 3 && h.gaps && is_over_figures(&h, under)))
        return 0;
    at = ruled ? next : at;
    *read = end_of_aligned(&h, p, n, at);
    const bool rows = *read > at && has_rows(p, *read, true, at, &h, ruled);
    return rows && (is_clear || stands_over_figures(&h)) ? *read : 0;
}
