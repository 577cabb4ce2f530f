/* What holds for every priority cut: its content is what is kept with a joint in each gap, and no edge of
 * a gap could have been moved on, but for lines that say nothing without the one above them. */
#ifndef PRIORITY_RULES_H
#define PRIORITY_RULES_H

#include "cuts.h"
#include "budget/options.h"
#include "line/escape.h"
#include "line/layout.h"
#include "line/line_score.h"
#include "priority/fill.h"

enum { PARTS_MOST = 256, FORMAT_MOST = 64, FORM_BLOCK = 64 };

/* A stretch of the source that is kept. */
typedef struct {
    size_t at, n;
    uint64_t line, last_line; /* 0-based */
    bool starts, ends;        /* a line there */
} kept_part;

typedef struct {
    const abr_opts *o;
    const char *p;
    size_t n;
    uint64_t lines;
    const char *format; /* of the marker, "" for none */
    size_t format_n;
    bool own;            /* it is the default one */
    bool widest;         /* markers tell the source's totals */
    const char *content; /* the cut's, NULL where there is none yet */
    size_t content_n;
    kept_part parts[PARTS_MOST];
    size_t count;
} parts;

/* ---- lines that are alike ---- */

static inline bool is_ascii_between(char c, char first, char last)
{
    return c >= first && c <= last;
}

static inline bool is_letter(char c)
{
    return is_ascii_between(c, 'A', 'Z') || is_ascii_between(c, 'a', 'z');
}

/* Does a token have what may make it a name? `left`: the rest of the line, with it. One that no block of the
 * form holds whole is a name too. */
static inline bool names_something(const char *p, size_t n, size_t left)
{
    static const char marks[] = "0123456789_/\\.-$@%=\"'`<\x98\x9c";
    for (size_t i = 0; i < n; i++) {
        bool capital = i > 0 && is_ascii_between(p[i], 'A', 'Z') && is_letter(p[i - 1]);
        bool camel = capital && (is_ascii_between(p[i - 1], 'a', 'z') ||
                                 (i + 1 < n && is_ascii_between(p[i + 1], 'a', 'z')));
        if (camel || memchr(marks, p[i], sizeof marks - 1))
            return true;
    }
    return n >= FORM_BLOCK && left > FORM_BLOCK;
}

/* Bytes of the blank at `at`, or of the escape sequence, which counts as one; 0 if there is none. */
static inline size_t blank_size(const char *p, size_t n, size_t at)
{
    if (at < n && (p[at] == ' ' || p[at] == '\t'))
        return 1;
    return at < n ? abr_escape_size(p + at, n - at) : 0;
}

static inline size_t token_end(const char *p, size_t n, size_t at)
{
    while (at < n && blank_size(p, n, at) == 0)
        at++;
    return at;
}

static inline size_t blanks_end(const char *p, size_t n, size_t at)
{
    for (size_t size; (size = blank_size(p, n, at)) > 0;)
        at += size;
    return at;
}

/* Do two lines differ in names and numbers alone? */
static inline bool have_one_form(const char *p, size_t n, const char *q, size_t m)
{
    size_t i = 0;
    size_t k = 0;
    while (i < n && k < m && p[i] == q[k] && (p[i] == ' ' || p[i] == '\t'))
        i++, k++;
    if (abr_escape_size(p + i, n - i) > 0) /* the indent ends there */
        i = blanks_end(p, n, i);
    if (abr_escape_size(q + k, m - k) > 0)
        k = blanks_end(q, m, k);
    while (i < n && k < m) {
        size_t a = token_end(p, n, i) - i;
        size_t b = token_end(q, m, k) - k;
        if (a == 0 || b == 0)
            return false; /* another indent */
        bool named = names_something(p + i, a, n - i);
        if (named != names_something(q + k, b, m - k) || (!named && !same_bytes(p + i, a, q + k, b)))
            return false;
        i = blanks_end(p, n, i + a);
        k = blanks_end(q, m, k + b);
    }
    return i == n && k == m;
}

/* Is each line of a gap, up to the line that starts at `to`, like that one? */
static inline bool gap_is_alike(const parts *x, size_t from, size_t to)
{
    const char *end = memchr(x->p + to, '\n', x->n - to);
    size_t n = end ? (size_t)(end - x->p) - to : x->n - to;
    for (size_t at = from; at < to;) {
        const char *newline = memchr(x->p + at, '\n', to - at);
        size_t size = newline ? (size_t)(newline - x->p) - at : to - at;
        if (!have_one_form(x->p + at, size, x->p + to, n))
            return false;
        at += size + 1;
    }
    return true;
}

static inline size_t line_start(const parts *x, size_t at)
{
    while (at > 0 && x->p[at - 1] != '\n')
        at--;
    return at;
}

/* ---- the content, made again ---- */

static inline void show_number(shown *s, uint64_t value)
{
    char digits[24];
    show(s, digits, (size_t)snprintf(digits, sizeof digits, "%llu", (unsigned long long)value), false);
}

/* Is the gap told as lines that are alike? That is so only where they are; or, at the widest, may be so. */
static inline bool told_alike(const parts *x, uint64_t lines, const kept_part *a, const kept_part *b,
                              const shown *s)
{
    char told[80];
    if (!x->own || !b || !b->starts)
        return false;
    const size_t n = (size_t)snprintf(told, sizeof told, "... [%llu lines like the one below omitted] ...",
                                      (unsigned long long)lines);
    bool said = x->content && s->n + n <= x->content_n && memcmp(x->content + s->n, told, n) == 0;
    if (!said && !x->widest)
        return false;
    size_t first = a ? a->at + a->n + a->ends : 0;
    while (a && !a->ends && first < x->n && x->p[first - 1] != '\n')
        first++; /* past the rest of a line that shows in part */
    const bool alike = gap_is_alike(x, first, line_start(x, b->at));
    RULE(alike || x->widest);
    return alike;
}

static inline void show_marker(const parts *x, uint64_t lines, size_t from, size_t to, shown *s)
{
    uint64_t invalid;
    for (size_t i = 0; i < x->format_n;) {
        const char *f = x->format + i;
        bool name = x->format_n - i >= 7;
        if (name && memcmp(f, "{lines}", 7) == 0)
            show_number(s, x->widest ? x->lines : lines);
        else if (name && memcmp(f, "{bytes}", 7) == 0)
            show_number(s, x->widest ? x->n : to - from);
        else if (name && memcmp(f, "{chars}", 7) == 0)
            show_number(s, slow_chars(x->p + (x->widest ? 0 : from), x->widest ? x->n : to - from, &invalid));
        else
            name = false;
        if (!name)
            show(s, f, 1, false);
        i += name ? 7 : 1;
    }
}

/* What stands between two parts, either of which may be NULL for an end of the text. */
static inline void show_joint(const parts *x, const kept_part *a, const kept_part *b, shown *s)
{
    bool marks = x->format_n > 0;
    size_t from = a ? a->at + a->n : 0;
    size_t to = b ? b->at : x->n;
    bool newline = a && a->ends && (b ? b->starts : a->last_line + 1 == x->lines) && from + 1 == to;
    if (newline || from == to) {
        show(s, "\n", newline, false);
        return;
    }
    if (a && b && a->last_line == b->line) {
        show(s, " ... ", marks ? 5 : 0, false);
        return;
    }
    uint64_t lines = (b ? b->line : x->lines) - (a ? a->last_line + 1 : 0);
    bool marked = marks && lines > 0;
    if (a && !a->ends)
        show(s, " ...", marks ? 4 : 0, false);
    if (a && (b || marked))
        show(s, "\n", 1, false);
    if (marked) {
        static const char alike[] = "... [{lines} lines like the one below omitted] ...";
        shown marker = {NULL, 0, 0};
        parts as = *x;
        if (told_alike(x, lines, a, b, s)) {
            as.format = alike;
            as.format_n = sizeof alike - 1;
        }
        show_marker(&as, lines, from, to, &marker);
        show(s, marker.p, marker.n, x->o->utf8_replace);
        free(marker.p);
    }
    if (marked && b)
        show(s, "\n", 1, false);
    if (b && !b->starts)
        show(s, "... ", marks ? 4 : 0, false);
}

/* *chars: its chars, with loose bytes that come together counted as they stood in the source. */
static inline shown content_of_parts(const parts *x, uint64_t *chars)
{
    shown s = {NULL, 0, 0};
    uint64_t invalid;
    *chars = 0;
    for (size_t i = 0; i <= x->count; i++) {
        size_t before = s.n;
        show_joint(x, i > 0 ? &x->parts[i - 1] : NULL, i < x->count ? &x->parts[i] : NULL, &s);
        *chars += s.n > before ? slow_chars(s.p + before, s.n - before, &invalid) : 0;
        if (i == x->count)
            break;
        show(&s, x->p + x->parts[i].at, x->parts[i].n, x->o->utf8_replace);
        *chars += slow_chars(x->p + x->parts[i].at, x->parts[i].n, &invalid);
    }
    return s;
}

/* ---- what is kept, from the ledger ---- */

static inline kept_part part_of_piece(const parts *x, const abr_piece *piece)
{
    kept_part part = {(size_t)piece->first_byte - 1, piece->n, piece->first_line - 1,
                      piece->last_line - 1,          true,     true};
    if (part.at + part.n == x->n && x->p[x->n - 1] == '\n')
        part.n--; /* the text's final newline */
    part.starts = part.at == 0 || x->p[part.at - 1] == '\n';
    part.ends = part.at + part.n == x->n || x->p[part.at + part.n] == '\n';
    return part;
}

/* The parts; false where there are too many, or empty lines that leave no byte in the ledger. */
static inline bool find_parts(parts *x, const abr_cut *cut)
{
    uint64_t lines = 0;
    x->count = 0;
    for (size_t i = 0; i < cut->piece_count; i++) {
        if (!cut->pieces[i].source)
            continue;
        if (x->count == PARTS_MOST)
            return false;
        kept_part part = part_of_piece(x, &cut->pieces[i]);
        lines += part.last_line - part.line + 1;
        lines -= x->count > 0 && x->parts[x->count - 1].last_line == part.line;
        x->parts[x->count++] = part;
    }
    RULE(lines <= cut->output_lines);
    return lines == cut->output_lines;
}

/* ---- that no edge could be moved on ---- */

static inline bool parts_fit(const parts *x)
{
    uint64_t lines = 0;
    for (size_t i = 0; i < x->count; i++)
        lines += x->parts[i].last_line - x->parts[i].line +
                 (i == 0 || x->parts[i - 1].last_line != x->parts[i].line);
    if (lines > x->o->max.lines)
        return false;
    uint64_t chars;
    shown s = content_of_parts(x, &chars);
    bool fits = over(x->o, s.p, s.n, true, chars) == ABR_BY_NONE;
    free(s.p);
    return fits;
}

/* The part with its edge further on: by a char where `by_char`, else to the end of its line, or of the
 * next. */
static inline kept_part moved(const parts *x, size_t i, bool up, bool by_char)
{
    kept_part part = x->parts[i];
    size_t at = up ? part.at : part.at + part.n;
    bool inside = !(up ? part.starts : part.ends);
    if (!up) {
        size_t limit = i + 1 < x->count ? x->parts[i + 1].at : x->n;
        at += inside ? by_char ? char_size(x->p + at, x->n - at) : 0 : 1;
        while (!(inside && by_char) && at < limit && x->p[at] != '\n')
            at++;
        part.last_line += !inside;
        part.n = at - part.at;
        part.ends = at == x->n || x->p[at] == '\n';
        return part;
    }
    size_t limit = i > 0 ? x->parts[i - 1].at + x->parts[i - 1].n : 0;
    at--;
    if (inside && by_char)
        while (!is_start(x->p, x->n, at))
            at--;
    else
        while (at > limit && x->p[at - 1] != '\n')
            at--;
    part.line -= !inside;
    part.n += part.at - at;
    part.at = at;
    part.starts = at == 0 || x->p[at - 1] == '\n';
    return part;
}

/* Of the line that starts at `at`. */
static inline abr_leaning leaning_at(const parts *x, size_t at)
{
    static const abr_patterns none;
    abr_lexicon lexicon;
    abr_reading r;
    abr_layout layout;
    char line[ABR_SEGMENT + ABR_PADDING] = {0};
    const char *newline = memchr(x->p + at, '\n', x->n - at);
    size_t n = newline ? (size_t)(newline - x->p) - at : x->n - at;
    n = n < ABR_SEGMENT ? n : ABR_SEGMENT;
    memcpy(line, x->p + at, n);
    abr_lexicon_open(&lexicon, x->o->quiet_groups);
    abr_read_line(&lexicon, &none, line, n, &r);
    abr_read_layout(line, n, &layout);
    return abr_leaning_of(r.kind, line, n, layout.text);
}

/* Does the line above the part lean on the one above that? */
static inline bool leans_above(const parts *x, const kept_part *part)
{
    size_t at = part->at - 1;
    while (at > 0 && x->p[at - 1] != '\n')
        at--;
    return leaning_at(x, at) != ABR_STANDS || leaning_at(x, part->at) == ABR_POINTS;
}

/* A part whose edge could be moved up: is that because it would start with lines that lean on one which does
 * not fit with them? */
static inline bool starts_leaning(const parts *x, size_t i)
{
    parts further = *x;
    kept_part *part = &further.parts[i];
    const size_t limit = i > 0 ? x->parts[i - 1].at + x->parts[i - 1].n + 1 : 0;
    bool leaning = false;
    further.widest = true;
    while (part->starts && part->at > limit && leans_above(x, part)) {
        *part = moved(&further, i, true, false);
        leaning = true;
    }
    if (part->at > limit)
        *part = moved(&further, i, true, false);
    return leaning && !parts_fit(&further);
}

static inline void check_edge(const parts *x, size_t i, bool up)
{
    const kept_part *part = &x->parts[i];
    size_t end = part->at + part->n;
    bool at_end =
        up ? part->at == 0 : end + (end < x->n && part->last_line + 1 == x->lines && part->ends) == x->n;
    bool closed = i + 1 < x->count && end + 1 == x->parts[i + 1].at && x->parts[i + 1].starts;
    if (at_end || (!up && closed) ||
        (up && i > 0 && x->parts[i - 1].at + x->parts[i - 1].n + 1 == part->at && part->starts))
        return;
    for (int by_char = 0; by_char < 2; by_char++) {
        parts further = *x;
        further.widest = true;
        further.parts[i] = moved(x, i, up, by_char);
        RULE(!parts_fit(&further) || (up && starts_leaning(x, i)));
    }
}

static inline bool has_content(const parts *x, const abr_cut *cut)
{
    uint64_t chars;
    char *content = content_of(cut);
    parts told = *x;
    told.content = content;
    told.content_n = cut->content_bytes;
    shown want = content_of_parts(&told, &chars);
    bool same = same_bytes(content, cut->content_bytes, want.p, want.n);
    free(content);
    free(want.p);
    return same;
}

/* Of a cut with hits, in room for more than the end. */
static inline void check_parts(const char *p, size_t n, const abr_opts *o, const abr_cut *cut)
{
    static const char own[] = "... [{lines} lines omitted] ...";
    static parts x;
    x = (parts){.o = o, .p = p, .n = n, .lines = slow_lines(p, n), .format = "", .widest = true};
    if (o->marker != ABR_MARKER_NONE) {
        x.format = o->marker_text ? o->marker_text : own;
        x.format_n = strlen(x.format);
        if (o->marker == ABR_MARKER_INSIDE && (o->max.lines == 0 || !parts_fit(&x)))
            x.format_n = 0;
        x.own = !o->marker_text && x.format_n > 0;
    }
    x.widest = false;
    if (!find_parts(&x, cut))
        return;
    RULE(has_content(&x, cut));
    bool by_tokens = o->max.tokens != ABR_UNLIMITED; /* found by bisection, up to 1/512 of them */
    bool at_hand = n <= abr_bytes_to_keep(ABR_PRIORITY, &o->max);
    for (size_t i = 0; at_hand && !by_tokens && o->marker != ABR_MARKER_OUTSIDE && i < x.count; i++) {
        check_edge(&x, i, true);
        check_edge(&x, i, false);
    }
    const kept_part *last = x.count > 0 ? &x.parts[x.count - 1] : NULL;
    if (by_tokens || (last && last->last_line + 1 == x.lines && last->ends))
        return;
    /* not even the last char fits beside the marker */
    x.parts[0] = (kept_part){n - (p[n - 1] == '\n'), 0, x.lines - 1, x.lines - 1, false, true};
    x.count = 1;
    x.widest = true;
    x.parts[0] = moved(&x, 0, true, true);
    RULE(!parts_fit(&x));
}

#endif
