/*
 * The two stages of the pipeline document: a text is cut by chars, and the result is cut by lines.
 *
 * Stage 1 leaves a draft of up to three parts (head, marker, tail). Stage 2 counts lines over the draft as if
 * it were one text and keeps its first and its last ones; a part may be cut at either end, or vanish.
 */
#include <string.h>

#include "cut/pipeline.h"
#include "abridge.h"
#include "base/size.h"
#include "budget/marker.h"
#include "budget/span.h"
#include "budget/view.h"
#include "text/scan.h"

static const char chars_marker[] = "\n\n... [{chars} characters truncated] ...\n\n";
static const char lines_marker[] = "\n\n... [{lines} lines truncated] ...\n\n";

enum {
    DRAFT_PARTS = 3, /* head, marker, tail */
    /* two headings, the marker of stage 2, and the draft's parts, one of them on both sides of the gap */
    PIPELINE_PIECES = DRAFT_PARTS + 4,
    HEADING_SIZE = sizeof "[First  lines of ]\n" + (size_t)2 * ABR_COUNT_DIGITS,
    MARKER_SIZE = sizeof chars_marker + ABR_COUNT_DIGITS
};

typedef struct {
    const char *p; /* of the source, or the marker of stage 1 */
    size_t n;
    bool source;
    uint64_t at; /* bytes of the source before it */
} part;

typedef struct {
    part parts[DRAFT_PARTS];
    size_t count;
    uint64_t lines; /* of the draft, read as one text */
} draft;

/* The memory of the cut. */
typedef struct {
    abr_piece pieces[PIPELINE_PIECES];
    char chars_marker[MARKER_SIZE];
    char lines_marker[MARKER_SIZE];
    char first_heading[HEADING_SIZE];
    char last_heading[HEADING_SIZE];
} pipeline_block;

typedef struct {
    const abr_view *view;
    const abr_opts *opts;
    abr_cut *cut;
    pipeline_block *block;
} job;

static void add_part(draft *d, const part *added)
{
    if (added->n > 0)
        d->parts[d->count++] = *added;
}

/* Stage 1: the document's formula. If the source is over the limit, each end has at hand as much as the limit
 * lets through. */
static draft cut_chars(const job *j)
{
    draft d = {.count = 0};
    const abr_view *v = j->view;
    uint64_t limit = j->opts->max.chars;
    if (v->chars <= limit) {
        add_part(&d, &(part){v->front.p, (size_t)v->bytes, true, 0});
        d.lines = v->lines;
        return d;
    }
    abr_limits limits = {abr_head_share(limit, j->opts->head_ratio), ABR_UNLIMITED, false};
    size_t head = abr_prefix(v->front.p, v->front.n, &limits);
    limits.chars = limit - limits.chars;
    size_t tail = abr_suffix(v->back.p, v->back.n, &limits);
    abr_omitted omitted = {.chars = v->chars - limit};
    size_t marker = abr_print_marker(chars_marker, strlen(chars_marker), &omitted, j->block->chars_marker);
    add_part(&d, &(part){v->front.p, head, true, 0});
    add_part(&d, &(part){j->block->chars_marker, marker, false, 0});
    add_part(&d, &(part){v->back.p + (v->back.n - tail), tail, true, v->bytes - tail});
    bool ends_line = false;
    for (size_t i = 0; i < d.count; i++) {
        d.lines += abr_count_newlines(d.parts[i].p, d.parts[i].n);
        ends_line = d.parts[i].p[d.parts[i].n - 1] == '\n';
    }
    d.lines += !ends_line;
    j->cut->truncated = true;
    j->cut->truncated_by = ABR_BY_CHARS;
    return d;
}

/* A place in a draft. */
typedef struct {
    size_t part;
    size_t at;
} draft_place;

/* Start of line `line` (from 1) of the draft; its end if it has fewer lines. */
static draft_place draft_line(const draft *d, uint64_t line)
{
    uint64_t newlines = line - 1;
    for (size_t i = 0; i < d->count && newlines > 0; i++) {
        size_t at = abr_nth_newline(d->parts[i].p, d->parts[i].n, &newlines);
        if (newlines == 0)
            return (draft_place){i, at};
    }
    return newlines == 0 ? (draft_place){0, 0} : (draft_place){d->count, 0};
}

/* ---- results ---- */

static void add_text(abr_cut *cut, pipeline_block *b, const char *p, size_t n)
{
    if (n > 0)
        b->pieces[cut->piece_count++] = (abr_piece){.p = p, .n = n};
}

/* Number of the line of the source's byte at `at` (0-based), counted from the nearer end. */
static uint64_t line_at(const job *j, uint64_t at)
{
    const abr_view *v = j->view;
    if (at <= v->bytes / 2)
        return abr_count_newlines(v->front.p, (size_t)at) + 1;
    size_t after = (size_t)(v->bytes - at);
    uint64_t newlines = v->lines - (v->bytes > 0 && !v->ends_line);
    return newlines - abr_count_newlines(v->back.p + (v->back.n - after), after) + 1;
}

/* Add the text between two places of the draft; at_line_end: the last line chosen is the one that `to`
 * ends. */
static void add_draft(const job *j, const draft *d, draft_place from, draft_place to, bool at_line_end)
{
    for (size_t i = from.part; i < d->count && i <= to.part; i++) {
        const part *q = &d->parts[i];
        size_t first = i == from.part ? from.at : 0;
        size_t end = i == to.part ? to.at : q->n;
        if (end == first)
            continue;
        if (!q->source) {
            add_text(j->cut, j->block, q->p + first, end - first);
            continue;
        }
        uint64_t start = q->at + first;
        uint64_t stop = start + (end - first);
        uint64_t last = i == to.part && at_line_end ? stop : stop - 1;
        j->block->pieces[j->cut->piece_count++] = (abr_piece){.p = q->p + first,
                                                              .n = end - first,
                                                              .source = true,
                                                              .first_byte = start + 1,
                                                              .last_byte = stop,
                                                              .first_line = line_at(j, start),
                                                              .last_line = line_at(j, last)};
    }
}

/* "[First 30 lines of 500]\n" */
static size_t print_heading(const char *which, uint64_t lines, uint64_t total, char *dst)
{
    char digits[ABR_COUNT_DIGITS];
    const char *of = " lines of ";
    size_t n = strlen(which);
    memcpy(dst, which, n);
    size_t len = abr_print_count(lines, digits);
    memcpy(dst + n, digits, len);
    n += len;
    memcpy(dst + n, of, strlen(of));
    n += strlen(of);
    len = abr_print_count(total, digits);
    memcpy(dst + n, digits, len);
    n += len;
    memcpy(dst + n, "]\n", 2);
    return n + 2;
}

/* Counts of the source from the pieces chosen, and from an empty first line that left no byte. */
static void count_from_pieces(abr_cut *cut, bool empty_first_line)
{
    uint64_t last = 0;
    cut->output_lines = empty_first_line;
    cut->output_bytes = 0;
    for (size_t i = 0; i < cut->piece_count; i++) {
        const abr_piece *piece = &cut->pieces[i];
        if (!piece->source)
            continue;
        cut->output_bytes += piece->n;
        cut->output_lines += piece->last_line - piece->first_line + (piece->first_line != last);
        last = piece->last_line;
    }
    cut->omitted_lines = cut->total_lines - cut->output_lines;
    cut->omitted_bytes = cut->total_bytes - cut->output_bytes;
}

/* Stage 2: the first and the last lines of the draft. */
static void cut_lines(const job *j, const draft *d)
{
    abr_cut *cut = j->cut;
    pipeline_block *b = j->block;
    uint64_t head_lines = abr_head_share(j->opts->max.lines, j->opts->head_ratio);
    uint64_t tail_lines = j->opts->max.lines - head_lines;
    const draft_place begin = {0, 0};
    const draft_place end = {d->count, 0};
    draft_place head_end = begin;
    if (head_lines > 0) {
        head_end = draft_line(d, head_lines + 1);
        /* the newline goes with the text dropped; it is the last byte before, maybe of the part before */
        if (head_end.at == 0)
            head_end = (draft_place){head_end.part - 1, d->parts[head_end.part - 1].n};
        head_end.at--;
    }
    draft_place tail_start = tail_lines > 0 ? draft_line(d, d->lines - tail_lines + 1) : end;
    bool empty_first_line = head_lines > 0 && d->parts[0].source && head_end.part == 0 && head_end.at == 0;

    if (j->opts->indicators && head_lines > 0)
        add_text(cut, b, b->first_heading,
                 print_heading("[First ", head_lines, cut->total_lines, b->first_heading));
    add_draft(j, d, begin, head_end, head_lines > 0);
    abr_piece *marker = &b->pieces[cut->piece_count];
    add_text(cut, b, b->lines_marker, sizeof b->lines_marker);
    if (j->opts->indicators && tail_lines > 0)
        add_text(cut, b, b->last_heading,
                 print_heading("[Last ", tail_lines, cut->total_lines, b->last_heading));
    add_draft(j, d, tail_start, end, false);

    cut->truncated = true;
    cut->truncated_by = ABR_BY_LINES;
    count_from_pieces(cut, empty_first_line);
    const abr_omitted omitted = {.lines = cut->omitted_lines};
    marker->n = abr_print_marker(lines_marker, strlen(lines_marker), &omitted, b->lines_marker);
}

/* Size of the content, and chars kept of the source. */
static void measure_content(abr_cut *cut)
{
    const abr_measure measure = {.chars = true, .replace = cut->utf8_replace};
    for (size_t i = 0; i < cut->piece_count; i++) {
        const abr_piece *piece = &cut->pieces[i];
        abr_span span = {0};
        abr_add_cost(&measure, piece->p, piece->n, &span);
        cut->content_bytes += (size_t)span.shown;
        cut->output_chars += piece->source ? span.chars : 0;
    }
}

/* Chars of the source before its first byte that is kept. */
static uint64_t chars_before_kept(const job *j)
{
    const abr_view *v = j->view;
    size_t i = 0;
    while (i < j->cut->piece_count && !j->cut->pieces[i].source)
        i++;
    if (i == j->cut->piece_count)
        return 0;
    const uint64_t at = j->cut->pieces[i].first_byte - 1;
    if (at < v->front.n && j->cut->pieces[i].p == v->front.p + at)
        return abr_count_chars(v->front.p, (size_t)at, NULL);
    const size_t after = (size_t)(v->bytes - at);
    return v->chars - abr_count_chars(v->back.p + (v->back.n - after), after, NULL);
}

/* Does the kept part end or begin inside a line at some gap? */
static bool is_partial(const job *j)
{
    uint64_t next = 1; /* the first byte not yet covered */
    for (size_t i = 0; i < j->cut->piece_count; i++) {
        const abr_piece *piece = &j->cut->pieces[i];
        if (!piece->source)
            continue;
        if (piece->first_byte > next && piece->p[-1] != '\n')
            return true;
        next = piece->last_byte + 1;
        if (next <= j->cut->total_bytes && piece->p[piece->n - 1] != '\n' && piece->p[piece->n] != '\n')
            return true;
    }
    return false;
}

abr_code abr_cut_pipeline(const abr_view *view, const abr_opts *opts, abr_cut *cut)
{
    cut->block = cut->alloc->malloc(cut->alloc->ctx, sizeof(pipeline_block));
    if (!cut->block)
        return ABR_ENOMEM;
    job j = {view, opts, cut, cut->block};
    cut->pieces = j.block->pieces;
    draft d = cut_chars(&j);
    if (d.lines > opts->max.lines) {
        cut_lines(&j, &d);
    } else {
        add_draft(&j, &d, (draft_place){0, 0}, (draft_place){d.count, 0}, false);
        count_from_pieces(cut, false);
    }
    measure_content(cut);
    cut->chars_before = chars_before_kept(&j);
    cut->last_line_partial = is_partial(&j);
    if (cut->last_line_partial)
        cut->line_bytes =
            abr_view_line_size(view, cut->pieces[cut->piece_count - 1].source ? ABR_BACK : ABR_FRONT);
    return ABR_OK;
}
