/*
 * The places that diagnostics point at.
 *
 * Each line is judged by itself: is there a place, and does it stand where diagnostics put it? The rest is
 * looked up in the lines around it, a few lines back or ahead, so that a search can start at any line. Only
 * the heading above rows, which may be far back, is carried along.
 */
#include <string.h>

#include "abridge.h"
#include "base/ascii.h"
#include "base/tiny.h"
#include "line/char_set.h"
#include "line/escape.h"
#include "line/layout.h"
#include "line/lines.h"
#include "line/place.h"
#include "line/saying.h"
#include "text/scan.h"

enum {
    VIEW_MOST = ABR_OR_TINY(8192, 256),    /* bytes of a line to look at */
    AROUND_BYTES = ABR_OR_TINY(8192, 256), /* before and after a place, to look for its message */
    AHEAD_LINES = 16,                      /* an excerpt or a value of several lines after a frame */
    EXCERPT_LINES = 32,                    /* of pytest, before the place */
    HEAD_LINES = 4,                        /* a message of several lines before an arrow or a stack */
    LEADS_MOST = 3                         /* "lua: error: name:12:" */
};

/* ---- lines ---- */

/* The start of a line, without colours and a final '\r'. */
typedef struct {
    const char *p;
    size_t n;
    char plain[VIEW_MOST];
} view;

/* A text, and a line of it: its start, and that of the next one. */
typedef struct {
    const char *p;
    size_t n;
    size_t start;
    size_t next;
} text_line;

static void look_at(const text_line *line, view *v)
{
    v->p = line->p + line->start;
    v->n = line->next - line->start;
    if (v->n > VIEW_MOST)
        v->n = VIEW_MOST;
    v->n = abr_back(v->p, v->n, ABR_SET("\r\n"));
    if (v->n == 0 || !abr_find_escape(v->p, v->n))
        return;
    size_t to = 0;
    for (size_t at = 0; at < v->n;) {
        const size_t size = abr_escape_size(v->p + at, v->n - at);
        if (size == 0)
            v->plain[to++] = v->p[at];
        at += size > 0 ? size : 1;
    }
    v->p = v->plain;
    v->n = to;
}

/* Go to the next line; false if it does not start before `limit`. */
static bool to_line_after(text_line *line, size_t limit)
{
    if (line->next >= limit)
        return false;
    line->start = line->next;
    const char *newline = memchr(line->p + line->start, '\n', limit - line->start);
    line->next = newline ? (size_t)(newline - line->p) + 1 : limit;
    return true;
}

/* Go to the line before; false if it starts before `limit`. */
static bool to_line_before(text_line *line, size_t limit)
{
    if (line->start <= limit)
        return false;
    line->next = line->start;
    const char *newline = abr_find_last_newline(line->p + limit, line->next - 1 - limit);
    if (!newline && limit > 0)
        return false;
    line->start = newline ? (size_t)(newline - line->p) + 1 : 0;
    return true;
}

static size_t limit_before(const text_line *line)
{
    return line->start > AROUND_BYTES ? line->start - AROUND_BYTES : 0;
}

static size_t limit_after(const text_line *line)
{
    return line->n - line->next > AROUND_BYTES ? line->next + AROUND_BYTES : line->n;
}

/* ---- findings ---- */

static void set_message(abr_location *location, abr_saying said)
{
    size_t n = said.n < ABR_LOCATION_MOST ? said.n : ABR_LOCATION_MOST;
    if (n < said.n)
        n -= abr_open_sequence(said.p, n);
    if (n > 0)
        memcpy(location->message, said.p, n);
    location->message_bytes = n;
    if (said.severity != ABR_SEVERITY_NONE)
        location->severity = said.severity;
}

static void set_file(abr_location *location, const char *p, size_t n)
{
    memcpy(location->file, p, n);
    location->file_bytes = n;
}

/* The message after a leading level, or with a leading error type; *leads: there is one. */
static abr_saying read_headline(const char *p, size_t n, bool *leads)
{
    abr_saying said = abr_read_saying(p, n);
    if (said.severity == ABR_SEVERITY_NONE)
        said.severity = abr_type_severity(said.p, said.n);
    *leads = said.severity != ABR_SEVERITY_NONE;
    return said;
}

/* ---- rows under the name of a file ---- */

/* The name in a line that holds only that. */
static bool read_heading(const text_line *line, abr_location *location)
{
    view v;
    look_at(line, &v);
    if (v.n == 0 || v.n > ABR_LOCATION_MOST || v.p[0] == ' ' || v.p[0] == '\t' || !abr_is_file_name(v.p, v.n))
        return false;
    set_file(location, v.p, v.n);
    return true;
}

/* Find the heading of a row: the one carried along, or the line before. */
static bool find_heading(const text_line *row, size_t carried, abr_location *location)
{
    text_line line = *row;
    if (carried > 0 && carried <= row->start) {
        line.start = line.next = carried;
        if (!to_line_before(&line, carried > AROUND_BYTES ? carried - AROUND_BYTES : 0))
            return false;
    } else if (!to_line_before(&line, limit_before(row))) {
        return false;
    }
    location->heading = line.next;
    return read_heading(&line, location);
}

/* A row of numbers and a message: "  12:5  error  ...", "12:text". */
static bool read_row(const text_line *line, const view *v, size_t carried, abr_location *location)
{
    size_t at = abr_past((abr_text_line){v->p, v->n}, 0, ABR_SET(" \t"));
    uint64_t lnum = 0;
    uint64_t col = 0;
    const bool indented = at > 0;
    const size_t size = abr_read_lnum(v->p, v->n, at, &lnum);
    at += size;
    if (size == 0 || lnum == 0 || at == v->n || v->p[at] != ':')
        return false;
    const size_t col_size = abr_read_lnum(v->p, v->n, at + 1, &col);
    const size_t end = at + 1 + col_size;
    const bool has_col = col_size > 0 && end < v->n && (v->p[end] == (indented ? ' ' : ':'));
    const bool is_time = !indented && has_col && end + 1 < v->n && abr_is_digit(v->p[end + 1]);
    if ((indented && !has_col) || is_time || !find_heading(line, carried, location)) {
        location->heading = carried;
        return false;
    }
    at = has_col ? end + !indented : at + 1;
    abr_saying said = abr_read_saying(v->p + at, v->n - at);
    for (size_t i = said.n; indented && i > 2; i--) { /* the rule's name stands in a column of its own */
        if (said.p[i - 1] != ' ')
            continue;
        if (said.p[i - 2] == ' ')
            said.n = abr_trim(said.p, i).n;
        break;
    }
    location->lnum = lnum;
    location->col = has_col ? col : 0;
    location->severity = ABR_SEVERITY_NONE;
    set_message(location, said);
    return true;
}

/* ---- the lines before ---- */

/* The message before an arrow or a stack: the nearest of a few lines that start with a level. */
static void find_head(const text_line *place, abr_location *location)
{
    view v;
    text_line line = *place;
    const size_t limit = limit_before(place);
    for (unsigned i = 0; i < HEAD_LINES && to_line_before(&line, limit); i++) {
        look_at(&line, &v);
        abr_severity severity = ABR_SEVERITY_NONE;
        const size_t at = abr_past((abr_text_line){v.p, v.n}, 0, ABR_SET("= 0123456789")); /* ==123==ERROR: */
        if (at == v.n)
            return;
        if (abr_read_severity(v.p + at, v.n - at, &severity) > 0) {
            set_message(location, abr_read_saying(v.p + at, v.n - at));
            return;
        }
    }
}

/* The message before the first frame of a stack: "TypeError: ...", "Caused by: ...". */
static void find_thrown(const text_line *frame, abr_location *location)
{
    static const char *const leads[] = {"Caused by: ", "Uncaught ", "Exception in thread "};
    view v;
    text_line line = *frame;
    if (!to_line_before(&line, limit_before(frame)))
        return;
    look_at(&line, &v);
    abr_saying said = abr_trim(v.p, v.n);
    for (size_t i = 0; i < sizeof leads / sizeof *leads; i++) {
        if (!abr_starts_with(said.p, said.n, leads[i]))
            continue;
        size_t size = strlen(leads[i]);
        const char *quote = said.p[size - 2] == 'd' && size < said.n && said.p[size] == '"'
                                ? memchr(said.p + size + 1, '"', said.n - size - 1)
                                : NULL;
        if (quote)
            size = (size_t)(quote - said.p) + 1;
        said = abr_trim(said.p + size, said.n - size);
    }
    said.severity = abr_type_severity(said.p, said.n);
    if (said.severity != ABR_SEVERITY_NONE)
        set_message(location, said);
}

/* The first of the lines that pytest marks with E, before the place; the message stays if there are none. */
static void find_marked(const text_line *place, abr_location *location)
{
    view v;
    text_line line = *place;
    const size_t limit = limit_before(place);
    bool marked = false;
    for (unsigned i = 0; i < EXCERPT_LINES && to_line_before(&line, limit); i++) {
        look_at(&line, &v);
        if (abr_starts_with(v.p, v.n, "E  ")) {
            abr_severity severity = location->severity;
            set_message(location, abr_trim(v.p + 1, v.n - 1));
            location->severity = severity;
            marked = true;
        } else if (marked || abr_trim(v.p, v.n).n > 0) {
            return;
        }
    }
}

/* ---- the lines after ---- */

/* The last line of a traceback, if the frame is its innermost: it is indented less than the frame. */
static void find_raised(const text_line *frame, size_t indent, abr_location *location)
{
    view v;
    abr_layout layout;
    text_line line = *frame;
    const size_t limit = limit_after(frame);
    for (unsigned i = 0; i < AHEAD_LINES && to_line_after(&line, limit); i++) {
        look_at(&line, &v);
        abr_read_layout(v.p, v.n, &layout);
        if (layout.indent > indent ||
            (layout.indent == indent && abr_starts_with(v.p + layout.text, v.n - layout.text, "[")))
            continue;
        if (layout.indent < indent && layout.text < v.n) {
            set_message(location, abr_trim(v.p + layout.text, v.n - layout.text));
            location->severity = abr_type_severity(location->message, location->message_bytes);
            if (location->severity == ABR_SEVERITY_NONE)
                location->severity = ABR_SEVERITY_ERROR;
        }
        return;
    }
}

/* The error after an excerpt whose heading is a place. */
static void find_error_below(const text_line *heading, abr_location *location)
{
    view v;
    text_line line = *heading;
    const size_t limit = limit_after(heading);
    for (unsigned i = 0; i < AHEAD_LINES && to_line_after(&line, limit); i++) {
        look_at(&line, &v);
        abr_saying said = abr_trim(v.p, v.n);
        if (abr_starts_with(said.p, said.n, "at ") || (i == 0 && said.n == 0))
            return;
        said.severity = said.p == v.p ? abr_type_severity(said.p, said.n) : ABR_SEVERITY_NONE;
        if (said.severity == ABR_SEVERITY_NONE)
            continue;
        set_message(location, said);
        return;
    }
}

/* ---- a place within its line ---- */

/* How a place stands in its line. */
typedef enum {
    STANDS_NOWHERE = 0, /* not as in a diagnostic */
    STANDS_FIRST,
    STANDS_FRAME,  /* at f (name:12:5), #0 0x12 in f name:12:5 */
    STANDS_RAISED, /* File "name", line 12 */
    STANDS_BELOW,  /* --> name:12:5 */
    STANDS_FROM,   /* included from name:12 */
    STANDS_NAMED   /* amid a sentence */
} standing;

typedef struct {
    const text_line *line;
    const view *v;
    size_t indent;
    size_t lead; /* start of the text after any level or program's name */
    abr_severity severity;
    abr_file_place place;
} place_in_line;

/* Skip leading names and levels before a place: "lua: ", "/usr/bin/ld: ", "error: ". */
static void skip_leads(place_in_line *at)
{
    const view *v = at->v;
    for (unsigned i = 0; i < LEADS_MOST; i++) {
        size_t end = at->lead;
        while (end < at->place.start && v->p[end] != ' ')
            end++;
        if (end >= at->place.start || end == at->lead || v->p[end - 1] != ':' || v->p[at->lead] == ':')
            return;
        abr_read_severity(v->p + at->lead, end - at->lead, &at->severity);
        at->lead = end + 1;
    }
}

static standing standing_of(place_in_line *at)
{
    skip_leads(at);
    const view *v = at->v;
    const char *p = v->p + at->lead;
    const size_t n = at->place.start - at->lead;
    if (n == 0)
        return STANDS_FIRST;
    if (at->place.before == 'l' && n == 5 && abr_starts_with(p, n, "File "))
        return STANDS_RAISED;
    if (abr_ends_with(p, n, "--> ") || abr_ends_with(p, n, "::: "))
        return STANDS_BELOW;
    if (at->place.before == '@') { /* Failure -> name @ 12 */
        at->severity = ABR_SEVERITY_ERROR;
        return abr_ends_with(p, n, "-> ") ? STANDS_NAMED : STANDS_NOWHERE;
    }
    if (abr_starts_with(p, n, "at ") || (n > 2 && p[0] == '#' && abr_is_digit(p[1])))
        return STANDS_FRAME;
    if (abr_ends_with(p, n, "from "))
        return STANDS_FROM;
    size_t level = 0;
    if (at->severity == ABR_SEVERITY_NONE && abr_level_at(p, n, &level) == ABR_LEVEL_ERROR)
        at->severity = ABR_SEVERITY_ERROR;
    if (abr_ends_with(p, n, " at ") || abr_ends_with(p, n, " in ") ||
        (n == 3 && abr_starts_with(p, n, "in ")))
        return STANDS_NAMED;
    const size_t end = at->place.end;
    const bool ends = end == v->n || (v->p[end] != ' ' && !abr_is_word(v->p[end]));
    return ends && (at->severity == ABR_SEVERITY_ERROR || at->severity == ABR_SEVERITY_WARNING)
               ? STANDS_NAMED
               : STANDS_NOWHERE;
}

/* The text after a place, without separators. */
static abr_saying rest_after(const place_in_line *at)
{
    const view *v = at->v;
    const size_t from = abr_past((abr_text_line){v->p, v->n}, at->place.end, ABR_SET(":,)]"));
    abr_saying rest = abr_trim(v->p + from, v->n - from);
    if (abr_starts_with(rest.p, rest.n, "- "))
        rest = abr_trim(rest.p + 2, rest.n - 2);
    return rest;
}

/* A leading place: its message follows, unless it is a frame, a heading, or pytest's. */
static void read_first(const place_in_line *at, abr_location *location)
{
    abr_saying rest = rest_after(at);
    bool leads;
    if (abr_starts_with(rest.p, rest.n, "in ")) { /* name:12: in function 'f', name:12:in 'f': message */
        size_t size = 0;
        while (size + 1 < rest.n && !(rest.p[size] == ':' && rest.p[size + 1] == ' '))
            size++;
        rest = size + 1 < rest.n ? abr_trim(rest.p + size + 1, rest.n - size - 1) : abr_trim(rest.p, 0);
        set_message(location, read_headline(rest.p, rest.n, &leads));
    } else if (abr_starts_with(rest.p, rest.n, "+0x")) {
        return;
    } else if (rest.n == 0) {
        find_error_below(at->line, location);
    } else {
        set_message(location, read_headline(rest.p, rest.n, &leads));
        if (leads && !memchr(rest.p, ' ', rest.n))
            find_marked(at->line, location);
    }
}

/* A place amid a sentence: its message is the text after it, else the text before, else the next line. */
static void read_named(const place_in_line *at, abr_location *location)
{
    const view *v = at->v;
    const abr_saying rest = rest_after(at);
    const size_t end = at->place.end;
    bool leads;
    if (at->place.before == '@')
        return;
    if (rest.n > 1 && end < v->n && v->p[end] == ':') {
        set_message(location, read_headline(rest.p, rest.n, &leads));
        return;
    }
    text_line below = *at->line;
    if (end + 1 == v->n && v->p[end] == ':' && to_line_after(&below, limit_after(at->line))) {
        view next;
        look_at(&below, &next);
        location->severity = ABR_SEVERITY_ERROR;
        set_message(location, abr_trim(next.p, next.n));
        return;
    }
    abr_saying before = abr_trim(v->p + at->lead, at->place.start - at->lead);
    if (abr_ends_with(before.p, before.n, " at") || abr_ends_with(before.p, before.n, " in"))
        before = abr_trim(before.p, before.n - 3);
    else if (before.n == 2)
        before.n = 0;
    before.n = abr_back(before.p, before.n, ABR_SET("(,[\"' \t\r"));
    set_message(location, read_headline(before.p, before.n, &leads));
}

/* Blanks don't end a name between the parentheses of a frame. */
static void widen_frame(place_in_line *at)
{
    const view *v = at->v;
    size_t open = at->lead;
    while (open + 2 < at->place.start && !(v->p[open] == ' ' && v->p[open + 1] == '('))
        open++;
    const size_t file = open + 2;
    if (file >= at->place.start || at->place.end >= v->n || v->p[at->place.end] != ')' ||
        at->place.end - file > ABR_LOCATION_MOST ||
        (v->p[file] != '/' && v->p[file] != 'f' && v->p[file + 1] != ':'))
        return;
    at->place.file_n += at->place.file - file;
    at->place.file = file;
}

static void read_standing(standing stands, place_in_line *at, abr_location *location)
{
    const char *lead = at->v->p + at->lead;
    location->severity = at->severity;
    location->message_bytes = 0;
    if (stands == STANDS_FIRST) {
        read_first(at, location);
    } else if (stands == STANDS_NAMED) {
        read_named(at, location);
    } else if (stands == STANDS_RAISED) {
        find_raised(at->line, at->indent, location);
    } else if (stands == STANDS_FRAME && *lead == 'a') {
        widen_frame(at);
        find_thrown(at->line, location);
    } else if (stands == STANDS_BELOW || (stands == STANDS_FRAME && lead[1] == '0')) {
        find_head(at->line, location);
    }
    location->lnum = at->place.lnum;
    location->col = at->place.col;
    set_file(location, at->v->p + at->place.file, at->place.file_n);
}

static bool read_places(const text_line *line, const view *v, abr_location *location)
{
    abr_layout layout;
    abr_read_layout(v->p, v->n, &layout);
    place_in_line at = {.line = line, .v = v, .indent = layout.indent};
    for (size_t from = layout.text; abr_find_place(v->p, v->n, from, &at.place); from = at.place.end) {
        at.lead = layout.text;
        at.severity = abr_severity_of((abr_level)layout.level);
        const standing stands = standing_of(&at);
        if (stands != STANDS_NOWHERE) {
            read_standing(stands, &at, location);
            return true;
        }
    }
    return false;
}

/* Could the line be a row? */
static bool may_be_row(const char *p, size_t n)
{
    const size_t at = abr_past((abr_text_line){p, n}, 0, ABR_SET(" \t"));
    return at < n && (abr_is_digit(p[at]) || p[at] == '\x1B');
}

bool abr_next_location(const char *p, size_t n, uint64_t last_line, abr_location *location)
{
    view v;
    text_line line = {p, n, 0, location->at};
    while (location->line < last_line && to_line_after(&line, n)) {
        const size_t carried = location->heading;
        const size_t size = line.next - line.start < VIEW_MOST ? line.next - line.start : VIEW_MOST;
        const bool row = may_be_row(p + line.start, size);
        const bool blank = p[line.start] == '\n' || p[line.start] == '\r';
        location->line++;
        location->at = line.next;
        if (blank)
            location->heading = 0;
        const bool may_have = row || abr_may_have_place(p + line.start, size);
        if (!may_have && !abr_find_escape(p + line.start, size))
            continue;
        look_at(&line, &v);
        if ((row && read_row(&line, &v, carried, location)) || read_places(&line, &v, location))
            return true;
    }
    return false;
}
