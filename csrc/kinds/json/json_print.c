/*
 * Print the shown values: source without the blanks between its tokens, and a marker for each gap. The
 * range of a token starts at the end of the one before it if nothing is left out between them.
 *
 * A gap's comma is the one after it, so a value with a gap before it brings its comma along, and a gap at
 * the end brings its own.
 */
#include <string.h>

#include "kinds/json/json_print.h"
#include "base/memory.h"
#include "base/size.h"
#include "budget/options.h"
#include "kinds/json/json_held.h"
#include "kinds/json/json_inner.h"
#include "kinds/json/json_joined.h"
#include "kinds/json/json_string.h"
#include "kinds/json/json_text.h"
#include "kinds/json/json_tree.h"
#include "text/scan.h"

/* The parts left out of a value. */
typedef struct {
    uint32_t value;
    uint64_t bytes;
    uint64_t kept;
} lack;

typedef struct {
    const abr_json_costs *costs;
    const abr_kind_request *q;
    const abr_json_value *values;
    abr_content *out;
    uint64_t end;               /* end of the last bytes shown */
    bool goes_on;               /* nothing was left out since */
    lack lacks[ABR_ITEMS_MOST]; /* the largest first */
    size_t lack_count;
    unsigned joins; /* arrays whose elements were joined */
    uint64_t spare; /* bytes of the budget that no picked value takes */
} printer;

/* ---- source and markers ---- */

/* Show bytes of the source, which stand after `at` bytes and `line` newlines of it. */
static void keep_source(printer *x, const char *p, size_t n, uint64_t at, uint64_t line)
{
    if (n == 0)
        return;
    const abr_piece piece = {.p = p,
                             .n = n,
                             .source = true,
                             .first_byte = x->q->at + (x->goes_on ? x->end : at) + 1,
                             .last_byte = x->q->at + at + n,
                             .first_line = x->q->line + line + 1,
                             .last_line = x->q->line + line + 1 + abr_count_newlines(p, n - 1)};
    abr_content_copy(x->out, &piece);
    x->end = at + n;
    x->goes_on = true;
}

/* Newlines before the i-th byte of a value's range. */
static uint64_t newlines_before(const printer *x, const abr_json_value *v, size_t i)
{
    const abr_json_parts *parts = x->costs->tree->parts;
    const abr_json_unit *u = &parts->units[v->origin];
    const abr_json_node *node = &parts->nodes[v->node];
    const bool large = v->node != ABR_JSON_NONE;
    const char *p = abr_json_text(parts, large ? node->place : u->place);
    return (large ? node->line : u->line) + abr_count_newlines(p, (size_t)(v->p - p) + i);
}

static void keep_of(printer *x, const abr_json_value *v, size_t i, size_t n)
{
    keep_source(x, v->p + i, n, v->at + i, newlines_before(x, v, i));
}

/* Show the head of a value from its i-th byte on. */
static void keep_head(printer *x, const abr_json_value *v, size_t i)
{
    uint64_t line = newlines_before(x, v, i);
    size_t from = i;
    for (size_t n; abr_json_next_shown(x->costs->tree, v, &i, &n); i = from) {
        line += abr_count_newlines(v->p + from, i - from);
        keep_source(x, v->p + i, n, v->at + i, line);
        line += abr_count_newlines(v->p + i, n);
        from = i + n;
    }
}

static void put_marker(printer *x, const abr_json_value *v, uint64_t omitted, bool first)
{
    char marker[ABR_JSON_MARKER_MOST];
    x->goes_on = false;
    if (x->costs->marks)
        abr_content_mark(x->out, marker, abr_json_print_marker(x->costs, v, omitted, first, marker));
}

static void note_lack(printer *x, const abr_json_value *v, uint64_t bytes, uint64_t kept)
{
    size_t i = x->lack_count;
    if (i == ABR_ITEMS_MOST && x->lacks[--i].bytes >= bytes)
        return;
    for (; i > 0 && x->lacks[i - 1].bytes < bytes; i--)
        x->lacks[i] = x->lacks[i - 1];
    x->lacks[i] = (lack){(uint32_t)(v - x->values), bytes, kept};
    x->lack_count += x->lack_count < ABR_ITEMS_MOST;
}

/* ---- strings ---- */

/* The most bytes at the start of (p, n), up to `most`, that end between chars; *chars counts these. If the
 * string goes on after them, `most` is an escape less than n. */
static size_t fit_head(const char *p, size_t n, size_t most, uint64_t *chars)
{
    size_t i = 0;
    for (; i < n; ++*chars) {
        const size_t size = abr_json_char_size(p + i, n - i);
        if (i + size > most)
            break;
        i += size;
    }
    return i;
}

/* The part of a string's content at hand. */
typedef struct {
    const char *p;
    size_t n; /* bytes from p on */
    const char *end;
    size_t back_n; /* bytes up to `end` */
} text_ends;

static text_ends ends_of(const printer *x, const abr_json_value *v)
{
    const abr_json_parts *parts = x->costs->tree->parts;
    const abr_json_unit *u = &parts->units[v->origin];
    const size_t size = (size_t)abr_json_text_size(v);
    text_ends e = {.p = v->p + v->head + 1, .n = size, .end = v->p + v->head + 1 + size, .back_n = size};
    if (abr_json_may_be_whole(x->costs, v))
        return e;
    if (u->tail_n > 0)
        e.end = abr_json_text(parts, u->tail) + u->tail_n - 1;
    e.n = e.back_n = abr_json_half(x->costs, v) - 1;
    return e;
}

/* Bytes at the end of (end - n, n), about `most`, that start between chars. */
static size_t fit_tail(const char *end, size_t n, size_t most)
{
    enum { BEFORE = 24 };
    const size_t window = abr_bytes_at_most(n, most + BEFORE);
    return window - abr_json_sure_place(end - window, window, window - abr_bytes_at_most(most, window));
}

/* ---- strings that are documents ---- */

typedef struct {
    printer *to;
    uint64_t at;   /* bytes of the source before the string's content */
    uint64_t line; /* newlines before it; it has none itself */
    size_t next;   /* after the last bytes shown */
    uint64_t kept;
    uint64_t chars;
} inner_printer;

static void show_inner(void *ctx, const char *p, size_t at, size_t n)
{
    inner_printer *x = ctx;
    if (at == ABR_JSON_MARKER) {
        x->to->goes_on = false;
        abr_content_mark(x->to->out, p, n);
        return;
    }
    x->to->goes_on = x->to->goes_on && at == x->next;
    keep_source(x->to, p, n, x->at + at, x->line);
    x->next = at + n;
    x->kept += n;
    x->chars += abr_json_char_count(p, n);
}

/* Cut a string as a document, if it is at hand or was read as a log. */
static bool cut_string(const printer *x, const abr_json_value *v, abr_json_inner *inner)
{
    const abr_json_held *held = x->costs->held;
    const abr_alloc *a = x->costs->tree->alloc;
    const bool marks = x->costs->marks;
    const size_t n = (size_t)abr_json_text_size(v);
    const uint64_t most = v->room + abr_json_marker_size(x->costs, v);
    *inner = (abr_json_inner){.raw = NULL};
    if (v->type == ABR_JSON_DATA)
        return false;
    if (abr_json_may_be_whole(x->costs, v))
        return abr_json_inner_cut(x->q, a, v->p + v->head + 1, n, most, marks, inner);
    if (held->document)
        return abr_json_inner_cut(x->q, a, held->document + v->at + v->head + 1, n, most, marks, inner);
    for (size_t i = 0; i < held->count; i++) {
        const abr_json_held_string *s = &held->strings[i];
        if (s->at != v->at + v->head + 1 || s->n != n)
            continue;
        const abr_json_holding as = abr_json_held_as(held, i, x->q->keep);
        if (as == ABR_JSON_AS_LOG)
            return abr_json_inner_cut_log(x->q, held, s, most, marks, inner);
        return as == ABR_JSON_AT_HAND &&
               abr_json_inner_cut(x->q, a, abr_json_held_bytes(held, s), n, most, marks, inner);
    }
    return false;
}

/* Print a string that is a log, a table, lines of text or JSON, cut by its kind. False: it is none of
 * these. */
static bool print_document(printer *x, abr_json_value *v)
{
    const size_t n = (size_t)abr_json_text_size(v);
    abr_json_inner inner;
    const bool is_cut = cut_string(x, v, &inner);
    if (is_cut) {
        inner_printer to = {.to = x, .at = v->at + v->head + 1, .line = newlines_before(x, v, v->head)};
        const abr_json_inner_parts parts = {show_inner, &to};
        keep_of(x, v, v->head, 1);
        abr_json_inner_tell(&inner, &parts);
        x->goes_on = x->goes_on && to.next == n;
        keep_source(x, "\"", 1, v->end - 1, to.line);
        if (to.kept < n)
            note_lack(x, v, n - to.kept, to.chars);
    }
    x->out->failed = x->out->failed || inner.failed;
    abr_json_inner_free(&inner, x->costs->tree->alloc);
    return is_cut || inner.failed;
}

/* Print a string without its middle. */
static void print_part(printer *x, abr_json_value *v)
{
    if (print_document(x, v))
        return;
    const text_ends e = ends_of(x, v);
    const size_t size = (size_t)abr_json_text_size(v);
    enum { BOTH_ENDS = 96 }; /* bytes: of fewer, the start alone says more */
    const bool ends = v->type != ABR_JSON_DATA && v->room >= BOTH_ENDS;
    const size_t front = ends ? v->room - v->room / 3 : v->room;
    uint64_t chars = 0;
    const size_t head =
        fit_head(e.p, e.n, abr_bytes_at_most(front, e.n < size ? e.n - ABR_JSON_ESCAPE : e.n), &chars);
    const size_t tail = fit_tail(e.end, abr_bytes_at_most(e.back_n, size - head), v->room - front);
    chars += abr_json_char_count(e.end - tail, tail);
    keep_of(x, v, v->head, 1 + head);
    put_marker(x, v, v->count - chars, true);
    keep_source(x, e.end - tail, tail + 1, v->end - tail - 1, newlines_before(x, v, v->head));
    note_lack(x, v, size - head - tail, chars);
}

/* ---- values ---- */

/* The start of the range of a value after a gap: its comma, or past its lead if it comes first. */
static size_t after_gap(const abr_json_value *v, bool first)
{
    const char *comma = first ? NULL : memchr(v->p, ',', v->lead);
    return comma ? (size_t)(comma - v->p) : v->lead;
}

static void print_value(printer *x, uint32_t index, bool gap, bool first);

static void print_close(printer *x, const abr_json_value *v)
{
    static const char newlines[] = "\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n";
    _Static_assert(sizeof newlines == ABR_JSON_CLOSE_MOST, "a newline for each bracket that may be shown");
    const bool large = v->node != ABR_JSON_NONE;
    const uint64_t at = v->end - 1;
    const uint64_t line = large ? x->costs->tree->parts->nodes[v->node].close_line
                                : newlines_before(x, v, (size_t)(at - v->at));
    if (x->goes_on)
        keep_source(x, newlines, v->close_lines, at - v->close_lines, line - v->close_lines);
    keep_source(x, v->type == ABR_JSON_ARRAY ? "]" : "}", 1, at, line);
}

/* The children of a value while they are printed. */
typedef struct {
    const abr_json_value *v;
    uint64_t next; /* ordinal after the last one shown */
    uint64_t end;  /* bytes of the source up to the end of it */
    uint64_t lacking;
    uint64_t kept;
} printed_children;

/* A child is shown next: `from`, the start of its range. Print the marker of a gap before it in an array. */
static void open_child(printer *x, printed_children *all, uint64_t ordinal, uint64_t from)
{
    if (ordinal == all->next)
        return;
    x->goes_on = false;
    if (all->v->type == ABR_JSON_ARRAY)
        put_marker(x, all->v, ordinal - all->next, all->kept == 0);
    all->lacking += from - all->end;
}

/* `siblings` children from this ordinal on were printed. */
static void close_child(printed_children *all, uint64_t ordinal, uint64_t siblings, uint64_t end)
{
    all->end = end;
    all->next = ordinal + siblings;
    all->kept += siblings;
}

/* Print a picked child, perhaps in part. */
static void print_child(printer *x, printed_children *all, uint32_t c)
{
    const abr_json_value *child = &x->values[c];
    const bool gap = child->ordinal > all->next;
    const bool marked = gap && all->v->type == ABR_JSON_ARRAY && x->costs->marks;
    const bool first = all->kept == 0 && !marked;
    open_child(x, all, child->ordinal, child->at);
    print_value(x, c, gap, first);
    close_child(all, child->ordinal, abr_json_siblings(child), child->end);
}

/* All that are shown were printed: print the marker of the gap at the end, or of all gaps in an object. */
static void close_children(printer *x, printed_children *all)
{
    const abr_json_value *v = all->v;
    const uint64_t omitted = v->count - (v->type == ABR_JSON_ARRAY ? all->next : all->kept);
    x->goes_on = x->goes_on && all->next == v->count;
    if (omitted > 0)
        put_marker(x, v, omitted, all->kept == 0);
    if (all->next < v->count)
        all->lacking += v->end - 1 - all->end;
    if (all->kept < v->count)
        note_lack(x, v, all->lacking, all->kept);
}

static void print_children(printer *x, const abr_json_value *v)
{
    printed_children all = {.v = v, .end = v->at + v->head + 1};
    for (uint32_t c = v->child; c; c = x->values[c].next)
        if (x->values[c].shown)
            print_child(x, &all, c);
    close_children(x, &all);
}

/* ---- lines of a log, element by element ---- */

enum {
    JOINED_TRIES = 6,
    FILLED = 6,       /* part of the room that chosen elements may leave, */
    FILLED_LEAST = 3, /* or this one, if no try leaves less; else the elements are not chosen as lines */
    JOINED_MOST = 4,
    CHOSEN_LEAST = 128 /* bytes of room for which elements are chosen as lines */
};

/* The state of a printer, so that later output can be taken back. */
typedef struct {
    printer before;
    size_t count; /* of pieces */
    abr_piece last;
    size_t texts_used;
    uint64_t bytes; /* bytes that count */
} printed;

static void unprint(printer *x, const printed *p)
{
    const unsigned joins = x->joins;
    *x = p->before;
    x->joins = joins;
    x->out->count = p->count;
    x->out->texts_used = p->texts_used;
    if (p->count > 0)
        x->out->pieces[p->count - 1] = p->last;
}

/* Bytes printed so far that count. */
static uint64_t printed_bytes(const printer *x)
{
    return abr_counted_bytes(x->out->pieces, x->out->count, x->costs->pays);
}

static printed note_printed(const printer *x)
{
    printed p = {
        .before = *x, .count = x->out->count, .texts_used = x->out->texts_used, .bytes = printed_bytes(x)};
    if (p.count > 0)
        p.last = x->out->pieces[p.count - 1];
    return p;
}

/* Show n bytes of the document, perhaps as fed; *line becomes the newlines before the byte after them. */
static void keep_spelled(printer *x, const char *p, size_t n, uint64_t at, uint64_t *line)
{
    char spelled[256];
    for (size_t part; n > 0; p += part, n -= part, at += part) {
        part = n < sizeof spelled ? n : sizeof spelled;
        abr_json_feed_spell(p, part, spelled);
        keep_source(x, spelled, part, at, *line);
        *line += abr_count_newlines(spelled, part);
    }
}

static bool is_newline(char c)
{
    return c == '\n' || c == ABR_JSON_NEWLINE;
}

static bool is_quote(char c)
{
    return c == '"' || c == ABR_JSON_LINE_OPENS || c == ABR_JSON_LINE_CLOSES;
}

static bool is_fed_blank(char c)
{
    return abr_json_is_blank(c) || c == ABR_JSON_NEWLINE;
}

/* Show a range of the document, whose bytes are at p, perhaps as fed, without the blanks between its tokens,
 * except newlines if `newlines`. */
static void keep_range(printer *x, const char *p, size_t n, uint64_t at, bool newlines, uint64_t *line)
{
    bool in_string = false;
    size_t shown = 0;
    for (size_t i = 0; i < n; i++) {
        const bool escaped = in_string && p[i] == '\\';
        in_string = in_string != is_quote(p[i]);
        i += escaped;
        if (in_string || escaped || !is_fed_blank(p[i]) || (newlines && is_newline(p[i])))
            continue;
        keep_spelled(x, p + shown, i - shown, at + shown, line);
        *line += is_newline(p[i]);
        shown = i + 1;
    }
    keep_spelled(x, p + shown, n - shown, at + shown, line);
}

/* Does the source break lines between the array's elements, and may that be shown? */
static bool breaks_lines(const printer *x, const abr_json_value *v)
{
    return v->parent == 0 && !x->q->one_line;
}

/* The child of this ordinal, or the run it is in, if that is shown, 0 if not. *c, a child before it, moves on
 * to it, so that all children are passed once. */
static uint32_t shown_child(const printer *x, uint32_t *c, uint64_t ordinal)
{
    while (*c && x->values[*c].ordinal + abr_json_siblings(&x->values[*c]) <= ordinal)
        *c = x->values[*c].next;
    return *c && x->values[*c].ordinal <= ordinal && x->values[*c].shown ? *c : 0;
}

static bool is_run(const printer *x, uint32_t v)
{
    return x->values[v].type == ABR_JSON_RUN;
}

/* Print the kept elements of an array at hand, of which p has the bytes; those over `most` bytes only if they
 * were picked. */
static void print_elements(printer *x, const abr_json_value *v, const char *p,
                           const abr_json_line_list *joined, uint64_t most)
{
    const bool newlines = breaks_lines(x, v);
    const uint64_t start = v->at + v->head;
    uint64_t line = newlines_before(x, v, v->head);
    size_t at = 1;
    uint32_t c = v->child;
    printed_children all = {.v = v, .end = start + 1};
    for (size_t i = 0; i < joined->count; i++) {
        const abr_json_element *e = &joined->elements[i];
        if (!e->kept)
            continue;
        const size_t end = abr_json_element_end(joined, p, i);
        if (end - e->from > most) {
            const uint32_t child = shown_child(x, &c, i);
            if (child && !is_run(x, child)) {
                print_child(x, &all, child);
                line += abr_count_newlines(p + at, end - at);
                at = end;
            }
            if (!child || !is_run(x, child))
                continue;
        }
        if (i > all.next) {
            size_t from = abr_json_element_end(joined, p, i - 1);
            if (all.kept == 0 && !x->costs->marks)
                from = (size_t)((const char *)memchr(p + from, ',', e->from - from) - p) + 1;
            open_child(x, &all, i, start + from);
            line += abr_count_newlines(p + at, from - at);
            at = from;
        }
        keep_range(x, p + at, e->from - at, start + at, newlines && i > 0, &line);
        keep_range(x, p + e->from, end - e->from, start + e->from, false, &line);
        at = end;
        close_child(&all, i, 1, start + at);
    }
    close_children(x, &all);
}

/* The same for an array that went by. */
static void print_kept(printer *x, const abr_json_value *v, const abr_json_elements *kept, uint64_t most)
{
    const bool newlines = breaks_lines(x, v);
    const uint64_t start = v->at + v->head;
    const uint64_t before = newlines_before(x, v, v->head);
    uint32_t c = v->child;
    printed_children all = {.v = v, .end = start + 1};
    for (size_t i = 0; i < kept->count; i++) {
        const abr_json_kept *e = &kept->kept[i];
        if (!e->p || e->n > most) {
            const uint32_t child = shown_child(x, &c, e->ordinal);
            if (child && !is_run(x, child))
                print_child(x, &all, child);
            if (!child || !is_run(x, child) || !e->p)
                continue;
        }
        const uint64_t at = start + e->at;
        const size_t bracket = e->ordinal == 0;
        uint64_t line = before + e->newlines;
        size_t from = bracket;
        size_t end = e->n;
        while (is_fed_blank(e->p[from]))
            from++;
        while (is_fed_blank(e->p[end - 1]))
            end--;
        open_child(x, &all, e->ordinal, at - 1);
        if (e->ordinal > 0 && (all.kept > 0 || x->costs->marks))
            keep_source(x, ",", 1, at - 1, line);
        keep_range(x, e->p + bracket, from - bracket, at + bracket, newlines && !bracket, &line);
        keep_range(x, e->p + from, end - from, at + from, false, &line);
        close_child(&all, e->ordinal, 1, at + end);
    }
    close_children(x, &all);
}

/* What the elements of an array are chosen and printed from. */
typedef struct {
    const abr_json_value *v;
    const char *p; /* all of the array, or NULL */
    abr_json_line_list joined;
    abr_json_elements flown;
    printed before; /* the first element */
} elements_of;

/* Choose elements that take about so many bytes, and print them in place of the output since `before`. */
static bool choose_elements(printer *x, elements_of *e, uint64_t bytes)
{
    if (e->p ? !abr_json_joined_keep(&e->joined, x->q, bytes)
             : !abr_json_elements_keep(&e->flown, x->q, bytes))
        return false;
    unprint(x, &e->before);
    if (e->p)
        print_elements(x, e->v, e->p, &e->joined, bytes);
    else
        print_kept(x, e->v, &e->flown, bytes);
    return true;
}

/* Print elements within `most` bytes, and so that they fill most of them, if a few tries find that. `lines`
 * bytes of lines are `shown` bytes of elements. */
static bool print_within(printer *x, elements_of *e, uint64_t most, uint64_t lines, uint64_t shown)
{
    const uint64_t kept = abr_bytes_kept_for(x->q->keep);
    uint64_t bytes = abr_at_most((uint64_t)((double)most * (double)lines / (double)shown), kept);
    uint64_t fits = 0;        /* bytes of lines whose elements fit, */
    uint64_t over = kept + 1; /* and that are too many */
    uint64_t last = 0;
    uint64_t filled = 0; /* bytes that the elements take which fit */
    for (size_t i = 0; i < JOINED_TRIES && bytes >= CHOSEN_LEAST && bytes > fits && bytes < over; i++) {
        if (!choose_elements(x, e, bytes))
            return false;
        last = bytes;
        const uint64_t taken = printed_bytes(x) - e->before.bytes;
        *(taken <= most ? &fits : &over) = bytes;
        filled = taken <= most ? taken : filled;
        if (taken <= most && taken >= most - most / FILLED)
            return true;
        bytes = taken == 0 || (fits > 0 && over <= kept) ? fits + (over - fits) / 2 : bytes * most / taken;
        bytes -= taken > most && fits == 0 ? bytes / 64 + 1 : 0;
    }
    return filled >= most - most / FILLED_LEAST && (last == fits || choose_elements(x, e, fits));
}

/* The held array that a value is; SIZE_MAX: none. */
static size_t held_array(const printer *x, const abr_json_value *v)
{
    const abr_json_held *held = x->costs->held;
    for (size_t i = 0; i < held->count; i++)
        if (held->strings[i].lead > 0 && held->strings[i].at == v->at + v->head)
            return i;
    return SIZE_MAX;
}

/* If the array's elements are lines of a log with trouble in it, show the ones that the log would keep, in
 * the room that its children took since `before`, and what is spare. */
static void print_as_lines(printer *x, const abr_json_value *v, const printed *before, size_t held)
{
    const abr_json_held *h = x->costs->held;
    const uint64_t taken = printed_bytes(x) - before->bytes;
    const uint64_t most = taken + x->spare;
    const size_t at = (size_t)(v->at + v->head);
    const abr_json_holding as = h->document ? ABR_JSON_AT_HAND : abr_json_held_as(h, held, x->q->keep);
    elements_of e = {.v = v, .before = *before};
    const size_t n = as == ABR_JSON_AT_HAND ? (size_t)(v->end - 1 - at) : 0;
    bool fine = false;
    if (v->kids == v->count || abr_json_is_deep(x->q, n) || as == ABR_JSON_UNHELD || most < CHOSEN_LEAST)
        return;
    if (as == ABR_JSON_AT_HAND) {
        e.p = h->document ? h->document + at : abr_json_held_bytes(h, &h->strings[held]);
        fine = abr_json_join(e.p, n, x->costs->tree->alloc, &e.joined);
    } else {
        fine = abr_json_elements_open(&e.flown, x->q, h, held);
    }
    if (fine) {
        x->joins++;
        const abr_json_log *log = &e.flown.log;
        if (!print_within(x, &e, most, e.p ? e.joined.text_n : log->bytes,
                          e.p ? e.joined.size : log->feed.solid)) {
            unprint(x, before);
            print_children(x, v);
        }
        const uint64_t now = printed_bytes(x) - before->bytes;
        x->spare -= now > taken ? now - taken : 0;
    }
    x->out->failed = x->out->failed || e.joined.failed || e.flown.failed;
    if (as == ABR_JSON_AT_HAND)
        abr_json_joined_free(&e.joined);
    else
        abr_json_elements_close(&e.flown);
}

/* May it be lines of a log? *held gets the held array that it is, if the document went by. */
static bool may_be_list_of_lines(const printer *x, const abr_json_value *v, size_t *held)
{
    if (v->type != ABR_JSON_ARRAY || v->count < ABR_JSON_LINES_LEAST || x->joins >= JOINED_MOST)
        return false;
    *held = held_array(x, v);
    return x->costs->held->document || *held != SIZE_MAX;
}

static void print_value(printer *x, uint32_t index, bool gap, bool first)
{
    const abr_json_value *v = &x->values[index];
    size_t held;
    keep_head(x, v, gap ? after_gap(v, first) : 0);
    if (abr_json_holds_values(v)) {
        keep_of(x, v, v->head, 1);
        if (may_be_list_of_lines(x, v, &held)) {
            const printed before = note_printed(x);
            print_children(x, v);
            print_as_lines(x, v, &before, held);
        } else {
            print_children(x, v);
        }
        print_close(x, v);
    } else if (v->full) {
        keep_of(x, v, v->head, (size_t)abr_json_own_size(v));
    } else {
        print_part(x, &x->costs->tree->values[index]);
    }
}

/* ---- items ---- */

/* The size of the pointer to a value: the keys around it, with room for escapes. */
static size_t pointer_size(const printer *x, uint32_t v)
{
    size_t n = 0;
    for (; x->values[v].parent != 0; v = x->values[v].parent)
        n += 2 * (size_t)(x->values[v].head - x->values[v].lead) + 1 + ABR_COUNT_DIGITS;
    return n;
}

/* Put a key, or an ordinal, with its slash, before dst; returns its start. */
ABR_WRAPS static char *put_step(const printer *x, uint32_t index, char *dst, char *scratch)
{
    const abr_json_value *v = &x->values[index];
    char *text = scratch;
    size_t n;
    if (x->values[v->parent].type == ABR_JSON_ARRAY) {
        n = abr_print_count(v->ordinal, text);
    } else {
        const char *key = v->p + v->lead + 1;
        n = v->head - v->lead - 1;
        while (key[n - 1] != '"')
            n--;
        n = abr_json_decode(key, n - 1, text);
    }
    while (n-- > 0) {
        const bool escaped = text[n] == '~' || text[n] == '/';
        if (escaped)
            *--dst = text[n] == '~' ? '0' : '1';
        *--dst = (char)(escaped ? '~' : text[n]);
    }
    *--dst = '/';
    return dst;
}

static abr_item_unit unit_of(const abr_json_value *v)
{
    return v->type == ABR_JSON_ARRAY    ? ABR_ITEM_ELEMENTS
           : v->type == ABR_JSON_OBJECT ? ABR_ITEM_MEMBERS
                                        : ABR_ITEM_CHARS;
}

static void tell(printer *x)
{
    size_t most = 0;
    const abr_alloc *a = x->costs->tree->alloc;
    for (size_t i = 0; i < x->lack_count; i++) {
        const size_t n = pointer_size(x, x->lacks[i].value);
        most = n > most ? n : most;
    }
    char *pointer = a->malloc(a->ctx, 2 * most + 1);
    x->out->failed = x->out->failed || !pointer;
    for (size_t i = 0; i < x->lack_count && pointer; i++) {
        const lack *l = &x->lacks[i];
        char *end = pointer + most;
        char *start = end;
        for (uint32_t v = l->value; x->values[v].parent != 0; v = x->values[v].parent)
            start = put_step(x, v, start, end);
        const abr_item item = {.unit = unit_of(&x->values[l->value]),
                               .of = start,
                               .of_len = (size_t)(end - start),
                               .total = x->values[l->value].count,
                               .kept = l->kept};
        abr_content_tell(x->out, &item);
    }
    abr_release(a, pointer);
}

void abr_json_print(const abr_json_costs *costs, const abr_kind_request *q, abr_content *out)
{
    printer x = {.costs = costs, .q = q, .values = costs->tree->values, .out = out};
    const uint32_t root = x.values[0].child;
    x.spare = costs->most > costs->used ? costs->most - costs->used : 0;
    print_value(&x, root, true, true);
    if (!costs->tree->parts->is_record)
        tell(&x);
}
