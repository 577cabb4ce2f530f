/*
 * People quote messages, but seldom all that is printed around them. Each rule needs two parts of a text that
 * programs print together. Of 54,000 sources, pages and listings of a Debian machine, only one that quotes a
 * run of tests has two that agree.
 */
#include "kinds/agreeing.h"
#include "base/ascii.h"
#include "line/place.h"
#include "text/scan.h"

enum {
    AGREE_WITHIN = 3, /* lines from one to the other */
    ROWS = 64         /* from a row to the head of its table */
};

/* Where the line starts in the text. */
static size_t place_in(const abr_trouble_line *t, abr_text_line line)
{
    return (size_t)(line.p - t->p);
}

abr_text_line abr_line_before(const char *p, size_t end)
{
    const char *newline = end > 1 ? abr_find_last_newline(p, end - 1) : NULL;
    size_t at = newline ? (size_t)(newline - p) + 1 : 0;
    abr_text_line line = {p, 0};
    abr_next_line(p, end, &at, &line);
    return line;
}

/* Is one of the lines before it such a line? */
static bool is_below(const abr_trouble_line *t, bool (*is)(abr_text_line))
{
    size_t end = place_in(t, t->line);
    for (unsigned i = 0; i < AGREE_WITHIN && end > 0; i++) {
        const abr_text_line line = abr_line_before(t->p, end);
        if (is(line))
            return true;
        end = place_in(t, line);
    }
    return false;
}

/* "    |   ~~^~~" */
static bool is_caret(abr_text_line line)
{
    bool points = false;
    for (size_t i = 0; i < line.n; i++) {
        if (!memchr("^~- |\t", line.p[i], 6))
            return false;
        points = points || line.p[i] == '^';
    }
    return points;
}

/* Is it about a place in a line below, at which a caret points? */
static bool is_pointed_at(const abr_trouble_line *t)
{
    abr_file_place place = {0};
    abr_text_line line;
    size_t at = t->next;
    if (!abr_find_place(t->line.p, t->line.n, 0, &place) || place.start > 0)
        return false;
    for (unsigned i = 0; i < AGREE_WITHIN && abr_next_line(t->p, t->n, &at, &line); i++)
        if (is_caret(line))
            return true;
    return false;
}

/* "In a.sh line 8:" */
static bool names_place(abr_text_line line)
{
    abr_file_place place = {0};
    return line.n > 0 && line.p[line.n - 1] == ':' && abr_find_place(line.p, line.n, 0, &place) &&
           place.end + 1 == line.n;
}

/* "  1) adds the tax" */
static bool names_test(abr_text_line line)
{
    const abr_text_line bare = abr_trimmed(line);
    uint64_t number;
    const size_t n = abr_read_lnum(bare.p, bare.n, 0, &number);
    return n > 0 && abr_has_at(bare, n, ") ", 2);
}

/* Is there a place after " at "? */
static bool finds_at_place(abr_text_line line, abr_file_place *place)
{
    static const char sign[] = " at ";
    enum { SIGN = sizeof sign - 1 };
    *place = (abr_file_place){0};
    return abr_find_place(line.p, line.n, 0, place) && place->start >= SIGN &&
           abr_has_at(line, place->start - SIGN, sign, SIGN);
}

/* " at src/a.rs:2:5:", " at t/a.t line 2.", " at CMakeLists.txt:4 (message):" */
static bool says_at_place(abr_text_line line)
{
    abr_file_place place;
    return finds_at_place(line, &place) && !memchr(line.p, '"', place.start) && place.end < line.n &&
           (line.p[place.end] == ':' || line.p[place.end] == '.' || abr_has_at(line, place.end, " (", 2));
}

/* "thread 'main' panicked at src/a.rs:2:5:", or "#   Failed test 'adds'" before "#   at t/a.t line 2." */
static bool is_at_place(const abr_trouble_line *t)
{
    abr_text_line line;
    size_t at = t->next;
    return says_at_place(t->line) || (abr_next_line(t->p, t->n, &at, &line) && says_at_place(line));
}

/* "Illegal division by zero at a.pl line 3.", "... at a.pl line 3, <$in> line 12.", "syntax error at a.pl
 * line 3, near ..." */
static bool is_at_line_of_perl(abr_text_line line)
{
    abr_file_place place;
    return finds_at_place(line, &place) && memchr(line.p + place.start, ' ', place.end - place.start) &&
           (abr_has_at(line, place.end, ", near ", 7) || abr_has_at(line, place.end, ", <", 3) ||
            (place.end + 1 == line.n && line.p[place.end] == '.'));
}

/* Is its place that of a line below: "Failure -> a_spec.lua @ 46", "a_spec.lua:46: Expected ..."? */
static bool is_placed_again(const abr_trouble_line *t)
{
    abr_file_place place = {0};
    abr_text_line line;
    size_t at = t->next;
    if (t->told.text > 0 || !abr_find_place(t->line.p, t->line.n, 0, &place))
        return false;
    const char *file = t->line.p + place.file;
    for (unsigned i = 0; i < AGREE_WITHIN && abr_next_line(t->p, t->n, &at, &line); i++) {
        abr_file_place other = {0};
        if (abr_find_place(line.p, line.n, 0, &other) && other.lnum == place.lnum &&
            other.file_n == place.file_n && memcmp(line.p + other.file, file, place.file_n) == 0)
            return true;
    }
    return false;
}

/* "  Line   src/Cart.php" */
static bool heads_rows_of_file(abr_text_line bare)
{
    size_t word = bare.n;
    while (word > 0 && bare.p[word - 1] != ' ')
        word--;
    return word > 2 && abr_is_letter(*bare.p) && abr_has_at(bare, word - 2, "  ", 2) &&
           abr_is_file_name(bare.p + word, bare.n - word);
}

/* Is it a row about a line of the file that heads its table: "  10     Call to an undefined method"? */
static bool is_row_of_file(const abr_trouble_line *t)
{
    const abr_text_line row = abr_trimmed(t->line);
    uint64_t number;
    const size_t n = abr_read_lnum(row.p, row.n, 0, &number);
    size_t end = place_in(t, t->line);
    if (row.p == t->line.p || n == 0 || !abr_has_at(row, n, "  ", 2))
        return false;
    for (unsigned i = 0; i < ROWS && end > 0; i++) {
        const abr_text_line line = abr_line_before(t->p, end);
        const abr_text_line bare = abr_trimmed(line);
        if (bare.p == line.p) /* not indented */
            return false;
        if (heads_rows_of_file(bare))
            return true;
        end = place_in(t, line);
    }
    return false;
}

/* "Severity: critical" before "Denial of service - https://..." */
static bool is_advised(const abr_trouble_line *t)
{
    abr_text_line line;
    size_t at = t->next;
    return t->told.form == ABR_FORM_SETTING && abr_next_line(t->p, t->n, &at, &line) &&
           ABR_CONTAINS(line, " - http");
}

/* Does it stand below a line that is nothing but a place with a column, "./app/page.tsx:31:18"? */
static bool is_below_place(const abr_trouble_line *t)
{
    abr_file_place place = {0};
    const size_t at = place_in(t, t->line);
    const abr_text_line line = at > 0 ? abr_line_before(t->p, at) : (abr_text_line){t->p, 0};
    return line.n > 0 && abr_find_place(line.p, line.n, 0, &place) && place.start == 0 && place.col > 0 &&
           place.end == line.n;
}

bool abr_lines_agree(const abr_trouble_line *t)
{
    const bool remarks = t->told.form == ABR_FORM_EXCERPT && *abr_trimmed(t->line).p == '^';
    if (t->told.log >= 1 && ((remarks && is_below(t, names_place)) || is_below(t, names_test) ||
                             is_at_place(t) || is_pointed_at(t)))
        return true;
    return is_placed_again(t) || is_at_line_of_perl(t->line) || is_row_of_file(t) || is_advised(t) ||
           is_below_place(t);
}
