/*
 * Find the parts of an output. Documents, diffs, records and tables are found by their syntax, each from the
 * start of a line to the end of one; the lines between them are a log or text. A large document may also
 * start or end inside a line: `curl` prints no newline before the next prompt, a logger's words come before
 * its JSON.
 *
 * Each finder in turn looks at a line, and each goes on past the bytes it has read, whether or not they are a
 * part, so no byte is read more than a few times.
 */
#include <string.h>

#include "kinds/mixed/output_parts.h"
#include "base/ascii.h"
#include "kinds/diff/diff.h"
#include "kinds/failing.h"
#include "kinds/json/json_lines.h"
#include "kinds/records/aligned.h"
#include "kinds/records/delimited.h"
#include "kinds/records/drawn.h"
#include "kinds/text/log.h"
#include "line/char_set.h"
#include "line/lines.h"
#include "text/scan.h"

enum {
    FOUND_MOST = 64,     /* parts found before those that are too small are dropped */
    LEAST_PART = 256,    /* bytes */
    LEAST_LINES = 4,     /* or, for a document, so many lines */
    LEAST_UNSEEN = 1024, /* bytes of a style sheet, script or drawing: pages have many small icons */
    LEAST_ROWS = 1024,   /* bytes of rows between blank lines: documents have a few such paragraphs */
    LEAST_REST = 4,      /* so many lines between diffs or records are a part of their own */
    OF_THE_REST = 16     /* a part between lines of the rest must be at least this part of them */
};

typedef struct {
    const char *p;
    size_t n;
    abr_output_part list[FOUND_MOST];
    size_t count;
    size_t undrawn; /* up to here, lines of bars and rulings are no table, */
    size_t again;   /* unless one starts here */
    bool in_page;   /* of HTML */
    bool is_table;  /* all of it, of CSV or TSV */
    bool delimited; /* such a table is a part: it has no titles of its own */
    bool unclosed;  /* something in it was not closed, so no more is sought */
} parts_search;

static size_t line_end(const parts_search *s, size_t at)
{
    const char *newline = memchr(s->p + at, '\n', s->n - at);
    return newline ? (size_t)(newline - s->p) + 1 : s->n;
}

static bool is_rest(const abr_output_part *part)
{
    return part->kind == ABR_KIND_TOLD;
}

static bool is_all_blank(const parts_search *s, size_t from, size_t end)
{
    const char *p = s->p;
    while (from < end && (p[from] == '\n' || p[from] == ' ' || p[from] == '\t' || p[from] == '\r'))
        from++;
    return from == end;
}

/* ---- finders: the end of a part that starts at a line; *next: where to look on ---- */

/* The end of the document at `at`: with its newline, or, if it is large, even with other output right after
 * it; 0 if there is none, with *next past the byte that shows it. */
static size_t document_end(const parts_search *s, size_t at, size_t *next)
{
    size_t read;
    const size_t size = abr_json_document_size(s->p + at, s->n - at, &read);
    *next = line_end(s, at + read < s->n ? at + read : s->n - 1);
    if (size == 0)
        return 0;
    size_t end = at + size;
    if (size >= LEAST_PART && end < s->n && !memchr(" \t\r\n,;:]})", s->p[end], 10))
        return end;
    while (end < s->n && memchr(" \t\r", s->p[end], 3))
        end++;
    return end == s->n ? end : s->p[end] == '\n' ? end + 1 : 0;
}

/* Documents, one per line, or one of several lines. */
static size_t find_json(const parts_search *s, size_t at, abr_kind *kind, size_t *next)
{
    size_t documents = 0;
    size_t end = at;
    bool is_line = true;
    for (size_t from = at; is_line && from < s->n && (s->p[from] == '{' || s->p[from] == '[');) {
        size_t after;
        const size_t found = document_end(s, from, &after);
        *next = found > 0 ? found : after;
        if (found == 0)
            break;
        is_line = line_end(s, from) == found;
        if (!is_line && documents > 0) { /* another part */
            *next = from;
            break;
        }
        documents++;
        end = from = found;
        while (from < s->n && s->p[from] == '\n')
            from++;
    }
    *kind = documents > 1 ? ABR_KIND_JSON_LINES : ABR_KIND_JSON;
    const bool counts =
        end - at >= LEAST_PART || (documents == 1 && abr_count_newlines(s->p + at, end - at) >= LEAST_LINES);
    return documents > 0 && counts ? end : 0;
}

/* A document that starts inside the line at *at and ends at a line's end, if it is most of the text: a log
 * may print one now and then. */
static size_t find_json_inside(const parts_search *s, size_t *at, size_t *next)
{
    if ((s->n - *at) * 2 < s->n)
        return 0;
    const size_t line = line_end(s, *at);
    size_t i = *at;
    while (i < line && s->p[i] != '{' && s->p[i] != '[')
        i++;
    if (i == line || (s->n - i) * 2 < s->n)
        return 0;
    size_t after;
    const size_t end = document_end(s, i, &after);
    *next = after > *next ? after : *next;
    if (end == 0 || end - i < LEAST_PART || (end - i) * 2 < s->n || (end < s->n && s->p[end - 1] != '\n'))
        return 0;
    *at = i;
    return end;
}

static size_t find_diff(const parts_search *s, size_t at, size_t *next)
{
    size_t read;
    const size_t size = abr_diff_extent(s->p + at, s->n - at, &read);
    if (at > 0) /* a text that starts as a mail is read as one whole */
        *next = at + read;
    return size >= LEAST_PART ? at + size : 0;
}

/* Is it a line of a table with bars or rulings? */
static bool is_drawn_line(abr_text_line line)
{
    bool boxed;
    if (abr_has_bar(line) || ABR_STARTS(line, "-[ RECORD "))
        return true;
    const abr_text_line bare = abr_trimmed(line);
    const char first = (char)(bare.n > 0 ? *bare.p : ' ');
    const bool may_be = first == '-' || first == '=' || first == '+' || first == '\xE2';
    return may_be && abr_ruling_stretches(bare, &boxed) > 0;
}

/* A table with crossed or boxed rulings, as database clients draw them; a ruling right below its last one
 * starts another. A Markdown table belongs to its text. If it is none, *next is no further than the line
 * above the first ruling, which may be the header of aligned columns. */
static size_t find_drawn(parts_search *s, size_t at, size_t *next)
{
    abr_drawing drawing;
    abr_text_line line;
    size_t header;
    size_t end = at;
    size_t lines = 0;
    size_t before = at; /* the line before */
    size_t names = at;
    bool crosses = false;
    bool was_ruling = false;
    for (size_t after = at; abr_next_line(s->p, s->n, &after, &line) && is_drawn_line(line); end = after) {
        bool boxed;
        const bool is_ruling = abr_ruling_stretches(line, &boxed) > 0;
        if (is_ruling && was_ruling && lines >= LEAST_LINES)
            break;
        was_ruling = is_ruling;
        crosses = crosses || (is_ruling && !memchr(line.p, '|', line.n));
        names = is_ruling && names == at ? before : names;
        before = (size_t)(line.p - s->p);
        lines++;
    }
    const bool is_table = crosses && lines >= LEAST_LINES && end - at >= LEAST_PART &&
                          abr_is_drawn(s->p + at, end - at, true, &drawing, &header);
    const size_t read = !is_table && names > at ? names : end;
    *next = read > *next ? read : *next;
    if (!is_table && at >= s->undrawn) {
        s->undrawn = end;
        s->again = names;
    }
    if (is_table && abr_next_line(s->p, s->n, &end, &line) && (abr_is_row_line(line) || is_drawn_line(line)))
        end = *next; /* it isn't a count of rows */
    return is_table ? end : 0;
}

/* Is this the start of a tag, after its bracket? `name` has small letters. */
static bool is_tag_named(const parts_search *s, size_t at, const char *name)
{
    const size_t n = strlen(name);
    if (s->n - at <= n)
        return false;
    for (size_t i = 0; i < n; i++)
        if (abr_to_lower(s->p[at + i]) != name[i])
            return false;
    return !abr_is_word(s->p[at + n]);
}

static bool starts_page(const parts_search *s, size_t at)
{
    return s->p[at] == '<' && (is_tag_named(s, at + 1, "!doctype html") || is_tag_named(s, at + 1, "html"));
}

/* The first place after a tag that closes this one, from `at` on; 0 if there is none. */
static size_t after_closing(const parts_search *s, size_t at, const char *name)
{
    for (const char *p; at < s->n && (p = memchr(s->p + at, '<', s->n - at));) {
        at = (size_t)(p - s->p) + 1;
        if (at < s->n && s->p[at] == '/' && is_tag_named(s, at + 1, name)) {
            p = memchr(p, '>', s->n - at);
            return p ? (size_t)(p - s->p) + 1 : 0;
        }
    }
    return 0;
}

/* A style sheet, script or drawing in a page, which its readers don't see. *start moves to its tag, unless
 * the line starts with that. */
static size_t find_unseen(parts_search *s, size_t *start, size_t *next)
{
    static const char *const names[] = {"style", "script", "svg"};
    const char *p = s->p + *start;
    for (const char *end = s->p + *next; p < end && (p = memchr(p, '<', (size_t)(end - p))); p++) {
        const size_t from = (size_t)(p - s->p);
        size_t i = 0;
        if (from + 1 == s->n || abr_to_lower(p[1]) != *names[i]) /* as most tags */
            continue;
        while (i < sizeof names / sizeof *names && !is_tag_named(s, from + 1, names[i]))
            i++;
        if (i == sizeof names / sizeof *names)
            continue;
        const size_t to = after_closing(s, from, names[i]);
        s->unclosed = to == 0;
        if (s->unclosed)
            break;
        *next = to > *next ? line_end(s, to) : *next;
        if (to - from >= LEAST_UNSEEN) {
            *start = is_all_blank(s, *start, from) ? *start : from;
            return to < s->n && s->p[to] == '\n' ? to + 1 : to;
        }
        p = s->p + to - 1;
    }
    return 0;
}

/* Columns under a header that is hard to mistake, or that figures show to be one. At the start of the text,
 * all of it decides whether its first line is a header. */
static size_t find_aligned(const parts_search *s, size_t at, size_t *next)
{
    size_t read;
    const size_t size = abr_aligned_extent(s->p + at, s->n - at, at == 0, &read);
    *next = at + read > *next ? at + read : *next;
    return size >= LEAST_PART && abr_count_newlines(s->p + at, size) >= LEAST_LINES ? at + size : 0;
}

/* Rows of a line a cell, which blank lines separate. */
static size_t find_blocks(const parts_search *s, size_t at)
{
    const char *between;
    size_t above = at > 0 ? at - 1 : 0; /* the end of the line above */
    above -= above > 0 && s->p[above - 1] == '\r';
    if (above > 0 && s->p[above - 1] != '\n')
        return 0;
    const size_t size = abr_blocks_extent(s->p + at, s->n - at, &between);
    return size >= LEAST_ROWS ? at + size : 0;
}

/* Does the line open or close a block of Markdown? */
static bool is_fence(const parts_search *s, size_t at)
{
    return s->n - at >= 3 && (memcmp(s->p + at, "```", 3) == 0 || memcmp(s->p + at, "~~~", 3) == 0);
}

/* The end of a part at *start, the start of a line; 0 if none starts there. *start moves to a document inside
 * the line. */
static size_t part_end_at(parts_search *s, size_t *start, abr_kind *kind, size_t *next)
{
    const size_t at = *start;
    size_t end = 0;
    *next = line_end(s, at);
    if (is_fence(s, at)) {
        *next = line_end(s, *next);
        return 0;
    }
    s->in_page = s->in_page || starts_page(s, at);
    if (s->in_page && !s->unclosed) {
        *kind = ABR_KIND_TEXT;
        end = find_unseen(s, start, next);
        if (end > 0)
            return end;
    }
    if (s->p[at] == '{' || s->p[at] == '[')
        return find_json(s, at, kind, next);
    const abr_text_line line = abr_without_newline(s->p + at, *next - at);
    if (abr_diff_may_start(s->p + at, s->n - at, at == 0)) {
        *kind = ABR_KIND_DIFF;
        end = find_diff(s, at, next);
    }
    if (end == 0 && (at >= s->undrawn || at == s->again) && is_drawn_line(line)) {
        *kind = ABR_KIND_TABLE;
        end = find_drawn(s, at, next);
    }
    if (end == 0) {
        *kind = ABR_KIND_TABLE;
        end = find_aligned(s, at, next);
    }
    if (end == 0)
        end = find_blocks(s, at);
    if (end == 0 && !s->is_table) {
        const size_t size = abr_delimited_extent(s->p + at, s->n - at);
        end = size >= LEAST_PART ? at + size : 0;
        s->delimited = s->delimited || end > 0;
    }
    if (end == 0) {
        *kind = ABR_KIND_JSON;
        end = find_json_inside(s, start, next);
    }
    return end;
}

/* ---- the list ---- */

/* Add a part, and before it the lines from `rest` on; blank ones join a neighbour. */
static void put_on_list(parts_search *s, size_t rest, abr_kind kind, size_t from, size_t end)
{
    if (is_all_blank(s, rest, from)) {
        if (s->count > 0)
            s->list[s->count - 1].end = from;
        else
            from = rest;
    } else {
        s->list[s->count++] = (abr_output_part){.from = rest, .end = from};
    }
    if (from < end)
        s->list[s->count++] = (abr_output_part){.kind = kind, .from = from, .end = end};
}

static void find_all(parts_search *s)
{
    size_t rest = 0;
    size_t at = 0;
    for (size_t next; at < s->n && s->count + 3 < FOUND_MOST; at = next) {
        abr_kind kind;
        while (at + 1 < s->n && s->p[at] == '\n') /* there may be many */
            at++;
        const size_t end = part_end_at(s, &at, &kind, &next);
        if (end == 0)
            continue;
        put_on_list(s, rest, kind, at, end);
        rest = next = end;
    }
    put_on_list(s, rest, ABR_KIND_TOLD, s->n, s->n);
}

/* Join neighbours that are both rest. */
static void join_rest(parts_search *s)
{
    size_t count = 0;
    for (size_t i = 0; i < s->count; i++)
        if (count > 0 && is_rest(&s->list[i]) && is_rest(&s->list[count - 1]))
            s->list[count - 1].end = s->list[i].end;
        else
            s->list[count++] = s->list[i];
    s->count = count;
}

/* Drop a part that is small compared with the rest it would split: `cat a.json; make` is two parts, but a log
 * that prints a few records now and then is one, and so is a failure that shows a diff. */
static void drop_small(parts_search *s)
{
    size_t all = 0;
    for (size_t i = 0; i < s->count; i++)
        all += is_rest(&s->list[i]) ? s->list[i].end - s->list[i].from : 0;
    size_t before = 0;
    for (size_t i = 0; i < s->count; i++) {
        abr_output_part *part = &s->list[i];
        const size_t size = part->end - part->from;
        if (is_rest(part))
            before += size;
        else if (before > 0 && before < all && size < all / OF_THE_REST)
            part->kind = ABR_KIND_TOLD;
    }
    join_rest(s);
    for (size_t i = ABR_PARTS_MOST - 1; i < s->count && s->count > ABR_PARTS_MOST; i++)
        s->list[i].kind = ABR_KIND_TOLD;
    join_rest(s);
}

static size_t filled_lines(const parts_search *s, const abr_output_part *part)
{
    size_t lines = 0;
    abr_text_line line;
    for (size_t at = part->from; abr_next_line(s->p, part->end, &at, &line);)
        lines += abr_trimmed(line).n > 0;
    return lines;
}

/* Is there more than one part, counting the lines around a single diff or record? A few such lines belong to
 * it. */
static bool has_several(const parts_search *s)
{
    size_t parts = 0;
    bool one = s->delimited; /* is one enough? */
    for (size_t i = 0; i < s->count; i++) {
        one = one || s->list[i].kind == ABR_KIND_JSON || s->list[i].kind == ABR_KIND_TEXT;
        parts += !is_rest(&s->list[i]);
    }
    if (parts == 0 || s->count < 2)
        return false;
    if (parts > 1 || one)
        return true;
    for (size_t i = 0; i < s->count; i++) {
        const abr_output_part *part = &s->list[i];
        const size_t n = part->end - part->from;
        if (is_rest(part) &&
            (filled_lines(s, part) >= LEAST_REST || abr_find_failure(s->p + part->from, n) < n))
            return true;
    }
    return false;
}

/* ---- files under titles ---- */

static bool is_name_char(char c)
{
    return abr_is_word(c) || c == '.' || c == '/' || c == '-' || c == '+' || c == '@' || c == '~';
}

/* The bytes before the name of a file in the title of its text, as `head` and loops of a shell print it: `==>
 * a.c <==`, `=== a.c ===`, `--- a.c`. 0: it isn't one; `### a.c` and `*** a.c` are headings of documents. */
static size_t title_opening(abr_text_line line)
{
    static const char marks[] = "=-*#";
    const char mark = (char)(line.n > 0 ? *line.p : ' ');
    if (!memchr(marks, mark, sizeof marks - 1))
        return 0;
    size_t opening = abr_past(line, 0, abr_set_of_char(mark));
    const bool arrow = opening < line.n && mark == '=' && line.p[opening] == '>';
    if (opening < 2U + (mark != '='))
        return 0;
    opening += arrow;
    if (opening + 1 >= line.n || line.p[opening] != ' ')
        return 0;
    bool is_name = false;
    size_t i = opening + 1;
    for (const size_t from = i; i < line.n && is_name_char(line.p[i]) && (i > from || line.p[i] != '-'); i++)
        is_name = is_name || line.p[i] == '/' ||
                  (line.p[i] == '.' && i + 1 < line.n && abr_is_letter(line.p[i + 1]));
    const size_t closing = i;
    while (i < line.n && (line.p[i] == ' ' || line.p[i] == mark || (arrow && line.p[i] == '<')))
        i++;
    const bool closed = i > closing + 1;
    if (i < line.n || closing == opening + 1)
        return 0;
    return (is_name && (closed || mark == '=' || mark == '-')) || (arrow && closed) ? opening : 0;
}

/* Does what a page says start at this line? It stands below menus, and scripts too small for parts. */
static bool opens_main(abr_text_line line)
{
    const abr_text_line text = abr_trimmed(line);
    if (!ABR_STARTS(text, "<"))
        return false;
    return ABR_STARTS(text, "<main>") || ABR_STARTS(text, "<main ") || ABR_CONTAINS(text, " role=\"main\"");
}

/* Does the title of a file start at *at, or the main text of a page? Else it moves on to the next line of its
 * form. */
static bool next_title(const parts_search *s, size_t end, size_t *at, size_t *opening)
{
    abr_text_line line;
    for (size_t next = *at; abr_next_line(s->p, end, &next, &line); *at = next) {
        const size_t own = s->in_page ? opens_main(line) : title_opening(line);
        if (own > 0 && (*opening == 0 || own == *opening)) {
            *opening = own;
            return true;
        }
    }
    return false;
}

/* Count the titles of files, all of one form. A single one tells nothing, except in a page. */
static size_t count_titles(const parts_search *s, size_t from, size_t end)
{
    size_t count = 0;
    size_t opening = 0;
    for (; next_title(s, end, &from, &opening); from = line_end(s, from))
        count++;
    return count > 1 || s->in_page ? count : 0;
}

/* Add written lines to the list, a part for each file if there is room for so many. */
static void put_written(const parts_search *s, const abr_output_part *part, size_t room,
                        abr_output_parts *out)
{
    const size_t titles = count_titles(s, part->from, part->end);
    abr_output_part rest = *part;
    size_t opening = 0;
    rest.kind = ABR_KIND_TEXT;
    if (titles > 0 && titles < room)
        for (size_t at = part->from; next_title(s, part->end, &at, &opening); at = line_end(s, at)) {
            if (is_all_blank(s, rest.from, at))
                continue;
            rest.end = at;
            out->list[out->count++] = rest;
            rest.from = at;
            rest.end = part->end;
        }
    out->list[out->count++] = rest;
}

bool abr_find_parts(const char *p, size_t n, abr_output_parts *out)
{
    parts_search s = {.p = p, .n = n, .is_table = abr_find_delimiter(p, n, true) != 0};
    out->count = 0;
    find_all(&s);
    drop_small(&s);
    if (!has_several(&s) && (s.count != 1 || !is_rest(s.list) || count_titles(&s, 0, n) == 0))
        return false;
    for (size_t i = 0; i < s.count; i++) {
        const abr_output_part *part = &s.list[i];
        abr_late_log late;
        const char *start = p + part->from;
        const size_t size = part->end - part->from;
        if (is_rest(part) && abr_is_written(start, size) && !abr_find_log(start, size, &late)) {
            put_written(&s, part, ABR_PARTS_MOST - out->count - (s.count - i - 1), out);
            continue;
        }
        abr_output_part *one = &out->list[out->count++];
        *one = *part;
        one->unseen = part->kind == ABR_KIND_TEXT;
        if (is_rest(part))
            one->kind = ABR_KIND_LOG;
    }
    return out->count > 1;
}
