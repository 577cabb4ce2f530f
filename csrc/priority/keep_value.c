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
#include "base/ascii.h"
#include "base/log2.h"
#include "budget/view.h"
#include "budget/options.h"
#include "priority/blocks.h"
#include "priority/candidates.h"
#include "priority/chooser.h"
#include "priority/line_score.h"
#include "priority/odd.h"
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
    return c->line_score >= abr_T("EARLY", ABR_SCORE_CLEAR) ? value * abr_early_hit_factor(c, early_bonus) : value;
}

static void raise(abr_shown_line *u, float value)
{
    if (u->keep_value < value)
        u->keep_value = value;
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
        if (c->kind == ABR_LINE_BLANK || c->kind == ABR_LINE_PASS || (c->nth >= 8 && c->kind != ABR_LINE_FRAME))
            part *= 0.4F;
        raise(&x->lines[k], value * (part < 0.95F ? part : 0.95F));
    }
    for (size_t k = i; k > 0 && x->lines[k - 1].c->line + ABR_LINES_BEFORE_HIT >= hit->line; k--) {
        const abr_candidate *c = x->lines[k - 1].c;
        float part = inherit_before;
        for (uint64_t d = c->line + 1; d < hit->line; d++)
            part *= step_before;
        if (c->kind == ABR_LINE_BLANK)
            part *= 0.5F;
        raise(&x->lines[k - 1], value * part);
        if (c->kind == ABR_LINE_PASS || c->kind == ABR_LINE_STEP)
            break;
    }
}

#include "priority/layout.h"

/* The value of the block of lines from start to end, by its best hit. */
static float block_value(const abr_chooser *x, size_t start, size_t end, bool *clear)
{
    float best = 0;
    *clear = false;
    for (size_t i = start; i < end; i++) {
        const abr_shown_line *u = &x->lines[i];
        float own = u->c->hit ? own_value(u) : 0;
        if (best < own)
            best = own;
        *clear = *clear || (u->c->hit && u->c->line_score >= ABR_SCORE_CLEAR);
    }
    if (x->lines[start].look == ABR_LOOK_HEAD && best < ABR_SCORE_CLEAR) {
        best = ABR_SCORE_CLEAR * unlike * abr_early_hit_factor(x->lines[start].c, early_bonus);
        *clear = true;
    }
    return best;
}

/* How often the shape of line i was among the 24 lines of the block before it. */
static unsigned same_before(const abr_chooser *x, size_t start, size_t i)
{
    unsigned same = 0;
    for (size_t k = i; k > start && i - k < 24; k--)
        same += x->lines[k - 1].c->shape == x->lines[i].c->shape;
    return same;
}

/* Has a line no run of three letters, as in a dump? */
static bool wordless(const abr_candidate *c)
{
    unsigned letters = 0;
    size_t stamp = abr_stamp_size(c->start, c->start_n);
    for (size_t i = stamp; i < c->start_n && letters < 3; i++)
        letters = abr_is_letter(c->start[i]) ? letters + 1 : 0;
    return letters < 3;
}

static bool blank(const abr_shown_line *u)
{
    return u->c->kind == ABR_LINE_BLANK || u->look == ABR_LOOK_BLANK;
}

static void raise_block(abr_chooser *x, size_t start, size_t end, float value, float size)
{
    const float BODY = abr_T("BODY", 0.85F), REACH = abr_T("REACH", 0.4F), BEFORE = abr_T("BEFORE", 0.7F),
                BREACH = abr_T("BREACH", 0.1F), BLANK = abr_T("BLANK", 0.7F), LAST = abr_T("LAST", 0.8F);
    float strength = 0;
    size_t hit = start;
    while (hit < end && !x->lines[hit].c->hit)
        hit++;
    float distance = 0;
    for (size_t i = hit; i > start; i--) {
        abr_shown_line *u = &x->lines[i - 1];
        float p = u->look == ABR_LOOK_HEAD ? 0.95F : BEFORE / (1 + distance / (BREACH * size));
        if (blank(u))
            p *= BLANK;
        raise(u, value * p);
        distance += (float)(u->c->size < 200 ? u->c->size : 200) + 1;
    }
    for (size_t i = start; i < end; i++)
        if (x->lines[i].c->hit && strength < x->lines[i].c->line_score)
            strength = x->lines[i].c->line_score;
    const float reach = size * REACH * (strength >= ABR_SCORE_CLEAR ? 1 : abr_T("WEAK", 0.4F));
    distance = 0;
    for (size_t i = hit; i < end; i++) {
        abr_shown_line *u = &x->lines[i];
        unsigned same = i > hit ? same_before(x, hit, i) : 0;
        if (u->c->hit && u->c->line_score >= ABR_SCORE_CLEAR && same == 0)
            distance *= 0.5F;
        float p = BODY / (1 + distance / reach);
        if (i + 1 == end && p < LAST)
            p = LAST;
        if (u->c->line_score >= ABR_SCORE_EXPECTS && p < abr_T("MSG", 0.7F))
            p = abr_T("MSG", 0.7F);
        if (blank(u))
            p *= BLANK;
        else if (u->c->line_score <= 0 && wordless(u->c))
            p *= abr_T("WORDLESS", 0.6F);
        if (same >= 3 && u->c->kind != ABR_LINE_FRAME)
            p /= 1 + abr_T("SAME", 0.15F) * (float)(same - 2);
        raise(u, value * p);
        distance += ((float)(u->c->size < 200 ? u->c->size : 200) + 1) * (u->c->kind == ABR_LINE_FRAME ? abr_T("FRAME", 1.5F) : 1);
    }
}

bool abr_set_keep_values(abr_chooser *x)
{
    abr_grow_blocks(x);
    const float size = (float)abr_bytes_to_keep(ABR_PRIORITY, &x->opts->max);
    for (size_t i = 0; i < x->count; i++)
        x->lines[i].keep_value = own_value(&x->lines[i]);
    if (abr_T("OLD", 1) > 0)
    for (size_t i = 0; i < x->count; i++)
        if (x->lines[i].c->line_score >= ABR_SCORE_HIT)
            raise_near(x, i, own_value(&x->lines[i]) * abr_T("NEAR", 1));
    uint64_t lines = x->view->lines;
    uint64_t anchor = lines;
    for (size_t i = 0; i < x->count; i++)
        if (x->lines[i].c->command == ABR_COMMAND_FAILED && x->lines[i].c->line + (uint64_t)abr_T("ANCHOR", 200) >= lines) {
            anchor = x->lines[i].c->line;
            break;
        }
    uint32_t last = 0, first = 0;
    for (size_t i = 0; i < x->count && x->lines[i].c->line <= anchor; i++)
        if (x->lines[i].c->hit && x->lines[i].c->line_score >= ABR_SCORE_CLEAR && x->lines[i].block && x->lines[i].c->command != ABR_COMMAND_FAILED) {
            last = x->lines[i].block;
            if (!first) first = last;
        }
    for (size_t i = 0; i < x->count;) {
        uint32_t block = x->lines[i].block;
        size_t k = i + 1;
        while (k < x->count && x->lines[k].block == block)
            k++;
        if (block != 0) {
            bool clear;
            float value = block_value(x, i, k, &clear);
            if (block == first) value *= abr_T("FIRST", 1.3F);
            if (block == last) value *= abr_T("LASTB", 1.5F);
            raise_block(x, i, k, value, size * (block == first || block == last ? 1 : abr_T("OTHER", 0.5F)));
        }
        i = k;
    }
    bool odd = abr_raise_odd_lines(x);
    float end[ABR_TAIL_LINES] = {tail_value};
    float start[ABR_HEAD_LINES] = {head_value};
    for (size_t d = 1; d < ABR_TAIL_LINES; d++)
        end[d] = end[d - 1] * tail_step;
    for (size_t d = 1; d < ABR_HEAD_LINES; d++)
        start[d] = start[d - 1] * head_step;
    for (size_t i = 0; i < x->count; i++)
        if (x->lines[i].c->command == ABR_COMMAND_FAILED)  {
            float part = abr_T("EXIT", 8) * (x->lines[i].c->line > anchor ? abr_T("EXIT2", 0.5F) : 1);
            raise(&x->lines[i], part);
            for (size_t k = i; k > 0 && i - k < 60 && x->lines[k-1].c->line + 1 == x->lines[k].c->line; k--) {
                if (x->lines[k-1].c->command == ABR_COMMAND_STARTS) break;
                part *= abr_T("EXIT_STEP", 0.95F);
                raise(&x->lines[k-1], part * (x->lines[k-1].look == ABR_LOOK_BLANK ? 0.6F : x->lines[k-1].c->nth >= 8 || x->lines[k-1].c->kind == ABR_LINE_PASS ? abr_T("EDULL", 0.4F) : 1));
            }
        }
    for (size_t i = 0; i < x->count; i++) {
        abr_shown_line *u = &x->lines[i];
        uint64_t left = lines - 1 - u->c->line;
        bool says_nothing =
            u->c->kind == ABR_LINE_PASS || u->c->kind == ABR_LINE_STEP || u->c->kind == ABR_LINE_BLANK || u->c->nth >= (unsigned)abr_T("DULLN",8);
        if (left < ABR_TAIL_LINES)
            u->keep_value += end[left] * (says_nothing ? dull : 1) * (u->c->line > anchor ? abr_T("AFTER", 0.35F) : 1);
        if (u->c->line < ABR_HEAD_LINES)
            u->keep_value += start[u->c->line];
    }
    return x->retained.found.hits > 0 || odd;
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
    c.command = (uint8_t)r.command;
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
