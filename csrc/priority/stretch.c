/*
 * Stretches: a line as it would be shown, the joints between kept stretches, and the content made of both.
 *
 * A long line is shown as its start and a window around its sign, and the text's last line with its end too.
 * A stretch that starts in the source at the end of the one before it, or after its newline, joins it in one
 * piece.
 */
#include <string.h>

#include "priority/stretch.h"
#include "abridge.h"
#include "base/private.h"
#include "budget/marker.h"
#include "budget/span.h"
#include "priority/candidates.h"
#include "priority/chooser.h"
#include "priority/told_line.h"
#include "priority/retain.h"
#include "text/scan.h"

/* ---- markers ---- */

enum { INNER_HALF = ABR_INNER_SIZE - 1 /* if a line starts or ends there: "... " or " ..." */ };

bool abr_gap_is_alike(const abr_chooser *x, const abr_stretch *a, const abr_stretch *b)
{
    const uint64_t from = a ? a->last_line + 1 : 0;
    return x->tells_runs && b && b->starts_line && b->line > from + 1 &&
           abr_retainer_alike(x->view->retainer, from, b->line);
}

/* Add text to what is printed to dst, if that is not NULL. */
static void put(char *dst, size_t *n, const char *text, size_t size)
{
    if (dst)
        memcpy(dst + *n, text, size);
    *n += size;
}

/* Print the joint between two stretches, either of which may be NULL for the text's ends; dst NULL only
 * measures. */
ABR_WRAPS static size_t print_joint(const abr_chooser *x, const abr_stretch *a, const abr_stretch *b,
                                    char *dst)
{
    bool marks = x->format_len > 0;
    size_t n = 0;
    if (a && b && a->last_line == b->line) { /* a gap inside a line */
        put(dst, &n, ABR_INNER_MARKER, marks ? ABR_INNER_SIZE : 0);
        return n;
    }
    uint64_t from = a ? a->last_line + 1 : 0;
    uint64_t to = b ? b->line : x->view->lines;
    uint64_t byte = a ? a->at + a->n : 0;
    const abr_omitted gap = {to - from, (b ? b->at : x->view->bytes) - byte,
                             (b ? b->chars : x->view->chars) - (a ? a->chars + a->chars_n : 0),
                             abr_gap_is_alike(x, a, b)};
    if (a && !a->ends_line && marks)
        put(dst, &n, ABR_INNER_MARKER, INNER_HALF);
    if (a && (b || (gap.lines > 0 && marks)))
        put(dst, &n, "\n", 1);
    if (gap.lines > 0 && marks) {
        size_t format_len = x->format_len;
        const char *format = abr_marker_for(x->format, &gap, &format_len);
        n += abr_print_marker(format, format_len, &gap, dst ? dst + n : NULL);
        put(dst, &n, "\n", b != NULL);
    }
    if (b && !b->starts_line && marks)
        put(dst, &n, &ABR_INNER_MARKER[1], INNER_HALF);
    return n;
}

/* Do two stretches follow each other in the source, at once or after a newline? Either may be NULL for the
 * text's end there. */
static bool is_joined(const abr_chooser *x, const abr_stretch *a, const abr_stretch *b, bool *newline)
{
    *newline = false;
    if (!a)
        return b && b->at == 0;
    if (b)
        *newline = a->ends_line && b->starts_line && a->at + a->n + 1 == b->at;
    else
        *newline = x->view->ends_line && a->ends_line && a->last_line + 1 == x->view->lines;
    return a->at + a->n + *newline == (b ? b->at : x->view->bytes);
}

/* Print the source's own newline or the joint between two stretches; dst NULL only measures. *own: it is the
 * source's. */
static size_t print_between(const abr_chooser *x, const abr_stretch *a, const abr_stretch *b, char *dst,
                            bool *own)
{
    bool newline;
    *own = is_joined(x, a, b, &newline);
    if (!*own)
        return print_joint(x, a, b, dst);
    if (newline && dst)
        *dst = '\n';
    return newline;
}

/* Add the cost of n bytes between two stretches that are not ASCII. */
static void add_foreign_joint(abr_chooser *x, const abr_stretch *a, const abr_stretch *b, size_t n,
                              abr_span *cost)
{
    char small[512];
    char *text = n <= sizeof small ? small : x->alloc->malloc(x->alloc->ctx, n);
    if (!text) {
        x->code = ABR_ENOMEM;
        return;
    }
    print_joint(x, a, b, text);
    abr_add_cost(&(abr_measure){true, x->measure.replace}, text, n, cost);
    if (text != small)
        x->alloc->free(x->alloc->ctx, text);
}

void abr_add_joint_cost(abr_chooser *x, const abr_stretch *a, const abr_stretch *b, abr_span *cost)
{
    bool own;
    size_t n = print_between(x, a, b, NULL, &own);
    if (!own && x->opts->marker == ABR_MARKER_OUTSIDE) {
        n = a && b && a->last_line != b->line;
    } else if (!own && !x->ascii_format) {
        add_foreign_joint(x, a, b, n, cost);
        return;
    }
    cost->shown += n;
    cost->chars += n;
}

abr_span abr_widest_marker(abr_chooser *x)
{
    abr_span cost = {0};
    if (x->opts->marker == ABR_MARKER_OUTSIDE || x->format_len == 0)
        return cost;
    const abr_stretch before = {.ends_line = true, .last_line = 0};
    const abr_stretch after = {
        .line = x->view->lines + 1, .at = x->view->bytes, .chars = x->view->chars, .starts_line = true};
    abr_add_joint_cost(x, &before, &after, &cost);
    cost.shown = abr_budget_left(cost.shown, 1); /* one of its two newlines is counted with a line */
    cost.chars = abr_budget_left(cost.chars, 1);
    return cost;
}

uint64_t abr_chars_of(const abr_chooser *x, const char *p, size_t n)
{
    return x->measure.chars ? abr_count_chars(p, n, NULL) : 0;
}

/* ---- lines as they would be shown ---- */

/* Bytes at hand of a line. */
typedef struct {
    const char *p;
    size_t n;
    uint64_t at;    /* bytes of the line before them */
    uint64_t chars; /* chars of the line before them */
} line_bytes;

static line_bytes start_of(const abr_candidate *c)
{
    return (line_bytes){.p = c->start, .n = c->start_n};
}

/* The bytes retained around the line's sign, or its start if that is all. */
static line_bytes window_of(const abr_candidate *c)
{
    if (c->window_n == 0)
        return start_of(c);
    return (line_bytes){.p = c->window, .n = c->window_n, .at = c->window_at, .chars = c->window_chars};
}

/* A part of a line: n of the bytes at hand, from `from` on. */
static abr_stretch part_of(const abr_candidate *c, const line_bytes *have, size_t from, size_t n)
{
    abr_stretch s = {.at = c->at + have->at + from,
                     .n = n,
                     .p = have->p + from,
                     .line = c->line,
                     .last_line = c->line,
                     .chars = c->chars + have->chars,
                     .lead = from,
                     .rest = have->n - from - n};
    s.starts_line = have->at + from == 0;
    s.ends_line = have->at + from + n == c->size;
    s.lead_whole = have->at == 0;
    s.rest_whole = have->at + have->n == c->size;
    return s;
}

/* The part of a line around its sign, at most n bytes, none before the line's byte `from`. */
static bool sign_part(const abr_chooser *x, const abr_candidate *c, uint64_t from, uint64_t n,
                      abr_stretch *out)
{
    const line_bytes have = window_of(c);
    uint64_t lead = c->sign > have.at ? c->sign - have.at : 0;
    size_t start = lead > n / 4 ? abr_char_start(have.p, have.n, (size_t)(lead - n / 4)) : 0;
    if (have.at + start < from)
        start = (size_t)(from - have.at);
    if (start >= have.n)
        return false;
    size_t end = have.n - start > n ? abr_char_start(have.p, have.n, start + (size_t)n) : have.n;
    *out = part_of(c, &have, start, end - start);
    if (x->measure.chars)
        out->chars += abr_count_chars(have.p, start, NULL);
    return end > start;
}

/* The end of the text's last line, at most n bytes, none before the place `from`. */
static bool end_part(const abr_chooser *x, const abr_candidate *c, uint64_t from, uint64_t n,
                     abr_stretch *out)
{
    const abr_edge *e = &x->view->back;
    size_t end = e->n - x->view->ends_line;
    uint64_t have = abr_at_most(end, c->at + c->size - from);
    size_t start = end - (size_t)abr_at_most(have, n);
    start = abr_char_start(e->p, end, start);
    uint64_t at = x->view->bytes - e->n + start;
    if (at < from || start >= end)
        return false;
    *out = part_of(c, &(line_bytes){.p = e->p + start, .n = end - start, .at = at - c->at}, 0, end - start);
    if (x->measure.chars)
        out->chars = x->view->chars - abr_count_chars(e->p + start, e->n - start, NULL);
    return true;
}

size_t abr_parts_of(const abr_chooser *x, const abr_shown_line *u, abr_stretch parts[ABR_LINE_PARTS])
{
    const abr_candidate *c = u->c;
    const line_bytes start = start_of(c);
    if (c->size <= x->width && c->start_n == c->size) {
        parts[0] = part_of(c, &start, 0, start.n);
        return 1;
    }
    uint64_t width = abr_at_most(u->start_most > 0 ? u->start_most : x->width, c->size);
    bool last = u->start_most == 0 && c->line + 1 == x->view->lines;
    /* without what surely shows of the end; it gets as much if the sign is in what shows of either */
    uint64_t left = last ? width - width / 3 : width;
    bool ends = last && (c->sign <= width / 4 || c->size - c->sign < left - left / 4);
    bool far = !ends && u->start_most == 0 && (c->window_n > 0 || c->sign > left - left / 4);
    uint64_t first = abr_at_most(far || ends ? width / 3 : left, c->start_n);
    size_t n = abr_char_start(c->start, c->start_n, (size_t)first);
    size_t count = 0;
    if (n > 0)
        parts[count++] = part_of(c, &start, 0, n);
    uint64_t end = n;
    if (far && left > first && sign_part(x, c, end, left - first, &parts[count])) {
        end = parts[count].at + parts[count].n - c->at;
        count++;
    }
    if (last && end_part(x, c, c->at + end, width - abr_at_most(width, far ? left : first), &parts[count]))
        count++;
    return count;
}

void abr_set_line_cost(const abr_chooser *x, abr_shown_line *u)
{
    abr_stretch parts[ABR_LINE_PARTS];
    size_t count = abr_parts_of(x, u, parts);
    abr_span cost = {0};
    for (size_t i = 0; i < count; i++) {
        abr_add_cost(&x->measure, parts[i].p, (size_t)parts[i].n, &cost);
        bool goes = i + 1 < count && parts[i].at + parts[i].n == parts[i + 1].at;
        if (!parts[i].ends_line && !goes) {
            cost.shown += ABR_INNER_SIZE;
            cost.chars += ABR_INNER_SIZE;
        }
    }
    size_t around = count == 0 ? 0 : parts[0].starts_line ? 1 : ABR_INNER_SIZE + 1;
    u->shown = cost.shown + around;
    u->chars = cost.chars + around;
}

/* ---- the content ---- */

static const abr_stretch *kept_at(const abr_chooser *x, size_t i)
{
    return i < x->kept_count ? &x->kept[i] : NULL;
}

/* Bytes of the content before utf8_replace. */
static size_t raw_size(const abr_chooser *x)
{
    size_t n = 0;
    for (size_t i = 0; i <= x->kept_count; i++) {
        bool own;
        const abr_stretch *s = kept_at(x, i);
        n += print_between(x, i > 0 ? &x->kept[i - 1] : NULL, s, NULL, &own) + (s ? (size_t)s->n : 0);
    }
    return n;
}

static abr_piece *add_piece(abr_cut *cut, abr_piece piece)
{
    abr_piece *added = (abr_piece *)cut->block + cut->piece_count++;
    *added = piece;
    return added;
}

/* Write the content to `to`, one piece after the other. */
static void make_pieces(const abr_chooser *x, char *to, abr_cut *cut)
{
    abr_piece *open = NULL;
    for (size_t i = 0; i <= x->kept_count; i++) {
        const abr_stretch *before = i > 0 ? &x->kept[i - 1] : NULL;
        const abr_stretch *s = kept_at(x, i);
        bool own;
        size_t n = print_between(x, before, s, to, &own);
        if (!own) {
            if (n > 0)
                add_piece(cut, (abr_piece){.p = to, .n = n});
            to += n;
            open = NULL;
            n = 0;
        }
        const abr_stretch *joined = n > 0 ? before : NULL; /* the source's own newline stands between them */
        const uint64_t at = joined ? joined->at + joined->n : s ? s->at : 0;
        const uint64_t line = joined ? joined->last_line : s ? s->line : 0;
        if (s)
            memcpy(to + n, s->p, (size_t)s->n);
        n += s ? (size_t)s->n : 0;
        if (n > 0 && !open)
            open = add_piece(cut, (abr_piece){.p = to,
                                              .source = true,
                                              .first_byte = at + 1,
                                              .last_byte = at,
                                              .first_line = line + 1,
                                              .last_line = line + 1});
        const abr_stretch *last = s ? s : joined;
        if (n > 0 && last) {
            open->n += n;
            open->last_byte += n;
            open->last_line = last->last_line + 1;
        }
        to += n;
    }
}

/* Chars before the first range of the source; a stretch starts there too. */
static uint64_t chars_before(const abr_chooser *x, const abr_cut *cut)
{
    size_t i = 0;
    while (i < cut->piece_count && !cut->pieces[i].source)
        i++;
    for (size_t k = 0; i < cut->piece_count && k < x->kept_count; k++)
        if (x->kept[k].at + 1 == cut->pieces[i].first_byte)
            return x->kept[k].chars;
    return 0;
}

static void count_shown(const abr_chooser *x, abr_cut *cut)
{
    abr_span shown = {0};
    for (size_t i = 0; i < cut->piece_count; i++) {
        const abr_piece *p = &cut->pieces[i];
        abr_span span = {0};
        abr_add_cost(&(abr_measure){x->measure.chars, x->measure.replace}, p->p, p->n, &span);
        shown.shown += span.shown;
        if (!p->source)
            continue;
        cut->output_bytes += p->n;
        cut->output_chars += x->measure.chars ? span.chars : 0;
    }
    cut->output_lines = x->used.lines;
    cut->chars_before = x->measure.chars ? chars_before(x, cut) : 0;
    cut->content_bytes = (size_t)shown.shown;
    cut->omitted_lines = x->view->lines - cut->output_lines;
    cut->omitted_bytes = x->view->bytes - cut->output_bytes;
}

/* Hits being counted, in order. */
typedef struct {
    abr_found shown;
    uint64_t all;      /* the last failure counted as one of all, */
    uint64_t detailed; /* and as one in detail */
    size_t next;       /* index of the next line */
} hit_count;

/* The failures up to that number have been counted. */
static void skip_to(hit_count *h, uint64_t number)
{
    h->all = number > h->all ? number : h->all;
    h->detailed = number > h->detailed ? number : h->detailed;
}

/* Count the hits of lines from..end - 1, which are shown, and the failures with a shown hit: as counted by
 * the retainer, and for the first and last lines, those it retained. */
static void count_hits_of(const abr_chooser *x, uint64_t from, uint64_t end, hit_count *h)
{
    abr_found_within in;
    abr_retainer_found_within(x->view->retainer, from, end, &in);
    h->shown.hits += in.found.hits;
    abr_add_counts(&h->shown.failures, &in.found.failures, false);
    for (; h->next < x->count && x->lines[h->next].c->line < end; h->next++) {
        const abr_candidate *c = x->lines[h->next].c;
        if (c->line >= in.end && in.end > in.from)
            skip_to(h, in.number);
        if (!c->hit || c->line < from || (c->line >= in.from && c->line < in.end))
            continue;
        h->shown.hits++;
        if (c->tells < ABR_TELLS)
            continue;
        const bool is_result = abr_counts_results(c->count);
        uint32_t *of = h->shown.failures.of;
        of[ABR_COUNT_ALL] += c->tells == ABR_TELLS_ANEW || c->failure > h->all;
        h->all = c->failure;
        of[c->count] += is_result || c->tells == ABR_TELLS_ANEW || c->failure > h->detailed;
        if (!is_result)
            h->detailed = c->failure;
    }
    if (in.end > in.from)
        skip_to(h, in.number);
}

/* Count shown hits and failures, except in written lines; and the shown lines of each part, empty ones
 * too. */
static void count_parts(const abr_chooser *x, abr_cut *cut)
{
    hit_count h = {0};
    size_t part = 0;
    for (size_t k = 0; k < x->kept_count; k++) {
        const abr_stretch *s = &x->kept[k];
        uint64_t from = s->line + (k > 0 && s[-1].last_line == s->line);
        while (from <= s->last_line) {
            while (from >= abr_part_end(x, part))
                part++;
            const uint64_t end = abr_at_most(s->last_line + 1, abr_part_end(x, part));
            if (x->parts.count > 1)
                cut->parts[part].output_lines += end - from;
            if (!x->parts.list[part].written)
                count_hits_of(x, from, end, &h);
            from = end;
        }
    }
    cut->hits_kept = h.shown.hits;
    cut->failures_kept = abr_count_failures(&h.shown.failures, x->twice);
    if (cut->failures_kept == 0 && cut->failures_found == 1 && cut->hits_kept > 0)
        cut->failures_kept = 1; /* only headings and counts mention it */
    cut->failures_kept = abr_at_most(cut->failures_kept, cut->failures_found);
}

/* The explanation of a line; u is NULL for one that the choice does not know. */
static abr_told_line told_line(uint64_t line, const abr_shown_line *u, bool kept)
{
    abr_told_line r = {.line = line, .why = ABR_WHY_FILLING, .kept = kept};
    if (!u)
        return r;
    const bool chosen = u->c->hit || u->kept || !kept;
    r.line_score = u->c->line_score;
    r.keep_value = u->keep_value;
    r.alike = u->seen;
    r.why = !chosen ? ABR_WHY_FILLING : u->c->hit ? ABR_WHY_HIT : u->why;
    r.failure = u->c->failure > 0 || !chosen ? u->c->failure : u->failure;
    return r;
}

/* Explain the lines before `end` that have a value but are not shown, from the i-th on. Returns the next
 * one. */
static size_t tell_left_out(const abr_chooser *x, size_t i, uint64_t end, abr_told_lines *to)
{
    for (; i < x->count && x->lines[i].c->line < end; i++)
        if (x->lines[i].keep_value > 0)
            to->list[to->count++] = told_line(x->lines[i].c->line, &x->lines[i], false);
    return i;
}

/* Explain each shown line, and the other retained ones. */
static void tell_lines(const abr_chooser *x, abr_told_lines *to)
{
    size_t i = 0;
    for (size_t k = 0; k < x->kept_count; k++) {
        const abr_stretch *s = &x->kept[k];
        for (uint64_t n = s->line + (k > 0 && s[-1].last_line == s->line); n <= s->last_line; n++) {
            i = tell_left_out(x, i, n, to);
            const bool known = i < x->count && x->lines[i].c->line == n;
            to->list[to->count++] = told_line(n, known ? &x->lines[i] : NULL, true);
            i += known;
        }
    }
    tell_left_out(x, i, UINT64_MAX, to);
}

abr_code abr_fill_ledger(abr_chooser *x, abr_cut *cut)
{
    abr_told_lines *told = x->view->told_lines;
    const size_t pieces = (2 * x->kept_count + 2) * sizeof(abr_piece);
    size_t passed = 0;
    const abr_passed_lines *list = abr_retainer_passed(x->view->retainer, &passed);
    const size_t passed_size = told ? passed * sizeof *list : 0;
    const size_t lines =
        passed_size + (told ? ((size_t)x->used.lines + x->count) * sizeof(abr_told_line) : 0);
    cut->block = x->alloc->malloc(x->alloc->ctx, pieces + lines + raw_size(x) + 1);
    if (!cut->block)
        return ABR_ENOMEM;
    cut->pieces = cut->block;
    make_pieces(x, (char *)cut->block + pieces + lines, cut);
    if (told) {
        told->passed = (abr_passed_lines *)(void *)((abr_piece *)cut->block + 2 * x->kept_count + 2);
        told->passed_count = passed;
        memcpy(told->passed, list, passed_size);
        told->list = (abr_told_line *)(void *)(told->passed + passed);
        told->count = 0;
        tell_lines(x, told);
    }
    count_shown(x, cut);
    count_parts(x, cut);
    return ABR_OK;
}
