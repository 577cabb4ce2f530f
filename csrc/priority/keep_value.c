/*
 * The keep value of each line: by what it says, by how often its like was seen, and by the lines near it.
 *
 * The first of many lines of one shape stands for the others. Lines after a hit share its value, more if they
 * are indented deeper, and so do a few before it. The last lines have a value of their own, and the first
 * ones a small one.
 */
#include <string.h>

#include "priority/keep_value.h"
#include "abridge.h"
#include "base/log2.h"
#include "budget/view.h"
#include "priority/candidates.h"
#include "priority/chooser.h"
#include "priority/line_score.h"
#include "priority/retain.h"
#include "priority/score.h"
#include "priority/stretch.h"
#include "text/scan.h"

enum { LINES_AFTER_HIT = 10 /* that belong to it */ };

static const float unlike = 1.15F; /* factor of a line whose like was never seen */
static const float stands_for =
    0.21F; /* discount of the first of a shape, by the logarithm of their number */
static const float one_of_many = 0.62F; /* discount of the others */
static const float early_bonus = 0.75F; /* for the first hits */
static const float inherit_after = 0.65F;
static const float inherit_before = 0.4F;
static const float step_after = 0.83F;
static const float step_before = 0.78F;
static const float tail_value = 8.0F;
static const float tail_step = 0.93F;
static const float dull = 0.4F; /* factor of lines at the end that say that all went well */
static const float head_value = 2.5F;
static const float head_step = 0.8F;

/* ---- keep values ---- */

/* What a line says, less for lines of a shape seen often: the first of them stands for the others. */
static float own_value(const abr_shown_line *u)
{
    const abr_candidate *c = u->c;
    float value = c->line_score;
    if (value <= 0)
        return 0;
    if (u->seen > 1)
        value /= 1 + (c->nth == 0 ? stands_for : one_of_many) * abr_log2((float)u->seen);
    else
        value *= unlike;
    value /= abr_repeat_discount(c);
    return c->line_score >= ABR_SCORE_HIT ? value * abr_early_hit_factor(c, early_bonus) : value;
}

static void raise(abr_shown_line *u, float value, const abr_candidate *hit)
{
    if (u->keep_value >= value)
        return;
    u->keep_value = value;
    u->why = u->c->line < hit->line ? ABR_WHY_BEFORE : ABR_WHY_AFTER;
    u->failure = hit->failure;
}

/* Add what a line is worth for its place. */
static void add_for_place(abr_shown_line *u, float value, abr_why why)
{
    if (u->keep_value < value)
        u->why = why;
    u->keep_value += value;
}

/* Raise the lines after a hit, more if they are indented deeper, and the few before it. */
static void raise_near(abr_chooser *x, size_t i, float value)
{
    const abr_candidate *hit = x->lines[i].c;
    float factor = inherit_after;
    for (size_t k = i + 1; k < x->count && x->lines[k].c->line <= hit->line + LINES_AFTER_HIT; k++) {
        const abr_candidate *c = x->lines[k].c;
        float part = factor;
        for (uint64_t d = hit->line + 1; d < c->line; d++)
            part *= step_after;
        if (c->indent > hit->indent)
            part *= 1.3F;
        if (c->kind == ABR_LINE_BLANK || c->kind == ABR_LINE_PASS)
            part *= 0.4F;
        raise(&x->lines[k], value * (part < 0.95F ? part : 0.95F), hit);
    }
    for (size_t k = i; k > 0 && x->lines[k - 1].c->line + ABR_LINES_BEFORE_HIT >= hit->line; k--) {
        const abr_candidate *c = x->lines[k - 1].c;
        float part = inherit_before;
        for (uint64_t d = c->line + 1; d < hit->line; d++)
            part *= step_before;
        if (c->kind == ABR_LINE_BLANK)
            part *= 0.5F;
        raise(&x->lines[k - 1], value * part, hit);
        if (c->kind == ABR_LINE_PASS || c->kind == ABR_LINE_STEP)
            break;
    }
}

static void set_own_value(abr_shown_line *u)
{
    u->keep_value = own_value(u);
    u->why = u->c->hit ? ABR_WHY_HIT : u->keep_value > 0 ? ABR_WHY_SAYS : ABR_WHY_FILLING;
    u->failure = u->c->failure;
}

void abr_set_keep_values(abr_chooser *x)
{
    for (size_t i = 0; i < x->count; i++)
        set_own_value(&x->lines[i]);
    for (size_t i = 0; i < x->count; i++)
        if (x->lines[i].c->line_score >= ABR_SCORE_HIT)
            raise_near(x, i, own_value(&x->lines[i]));
    uint64_t lines = x->view->lines;
    float end[ABR_TAIL_LINES] = {tail_value};
    float start[ABR_HEAD_LINES] = {head_value};
    for (size_t d = 1; d < ABR_TAIL_LINES; d++)
        end[d] = end[d - 1] * tail_step;
    for (size_t d = 1; d < ABR_HEAD_LINES; d++)
        start[d] = start[d - 1] * head_step;
    for (size_t i = 0; i < x->count; i++) {
        abr_shown_line *u = &x->lines[i];
        uint64_t left = lines - 1 - u->c->line;
        bool says_nothing =
            u->c->kind == ABR_LINE_PASS || u->c->kind == ABR_LINE_STEP || u->c->kind == ABR_LINE_BLANK;
        if (left < ABR_TAIL_LINES)
            add_for_place(u, end[left] * (says_nothing ? dull : 1), ABR_WHY_END);
        if (u->c->line < ABR_HEAD_LINES)
            add_for_place(u, start[u->c->line], ABR_WHY_START);
    }
}

/* ---- the lines at the two ends ---- */

/* Where the line is, or would be, in the order of those retained. */
static size_t place_of(const abr_retained *r, uint64_t line)
{
    size_t low = 0;
    size_t high = r->count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (r->lines[r->order[middle]].c->line < line)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Add a line at an end of the text, where more of it may be at hand than what was retained. */
static void add_edge_line(abr_chooser *x, const abr_candidate *c)
{
    abr_retained *r = &x->retained;
    size_t at = place_of(r, c->line);
    abr_candidate *own = &x->edges[x->edge_count++];
    *own = *c;
    if (at < r->count && r->lines[r->order[at]].c->line == c->line) {
        abr_retained_line *known = &r->lines[r->order[at]];
        *own = *known->c;
        known->c = own;
        if (c->start_n == c->size) { /* all of it */
            own->start = c->start;
            own->start_n = c->start_n;
        }
        return;
    }
    memmove(r->order + at + 1, r->order + at, (r->count - at) * sizeof *r->order);
    r->order[at] = (uint32_t)r->used;
    r->lines[r->used++] = (abr_retained_line){own, 0};
    r->count++;
}

static size_t blanks_of(const char *p, size_t n)
{
    size_t i = 0;
    while (i < n && (p[i] == ' ' || p[i] == '\t'))
        i++;
    return i;
}

static abr_candidate edge_line(const abr_chooser *x, const char *p, size_t n, uint64_t line, uint64_t at)
{
    size_t indent = blanks_of(p, n);
    abr_reading r;
    abr_retainer_read_line(x->view->retainer, p, n, &r);
    abr_candidate c = {.line = line, .at = at, .size = n, .start = p, .window = p};
    c.start_n = (uint32_t)(n < UINT32_MAX ? n : UINT32_MAX);
    c.indent = (uint16_t)(indent < UINT16_MAX ? indent : UINT16_MAX);
    c.kind = (uint8_t)r.kind;
    return c;
}

void abr_add_edges(abr_chooser *x)
{
    const abr_view *v = x->view;
    size_t at = 0;
    uint64_t chars = 0;
    for (uint64_t i = 0; i < ABR_HEAD_LINES && i < v->lines && at < v->front.n; i++) {
        const char *newline = memchr(v->front.p + at, '\n', v->front.n - at);
        if (!newline)
            break;
        size_t n = (size_t)(newline - v->front.p) - at;
        abr_candidate c = edge_line(x, v->front.p + at, n, i, at);
        c.chars = chars;
        add_edge_line(x, &c);
        chars += abr_chars_of(x, v->front.p + at, n + 1);
        at += n + 1;
    }
    size_t end = v->back.n - v->ends_line;
    chars = v->chars - v->ends_line;
    for (uint64_t i = 0; i < ABR_TAIL_LINES && i < v->lines; i++) {
        const char *newline = abr_find_last_newline(v->back.p, end);
        if (!newline && !v->back.whole && i > 0)
            break;
        size_t start = newline ? (size_t)(newline - v->back.p) + 1 : 0;
        abr_candidate c =
            edge_line(x, v->back.p + start, end - start, v->lines - 1 - i, v->bytes - v->back.n + start);
        if (!newline && !v->back.whole) { /* the last line is longer than what is at hand */
            c.at = v->bytes - v->ends_line - v->last_line;
            c.size = v->last_line;
            c.start_n = 0;
        }
        chars -= abr_chars_of(x, v->back.p + start, end - start);
        c.chars = chars;
        add_edge_line(x, &c);
        if (!newline)
            break;
        end = start - 1;
        chars--;
    }
}
