/*
 * The keep value of each line: by its words, by how often its like was seen, and by the lines near it.
 *
 * The first of many lines of one shape stands for the others. Lines after a hit share its value, more if they
 * are indented deeper, and so do a few before it. The last lines have a value for their place, and the first
 * ones a small one.
 */
#include <string.h>

#include "priority/keep_value.h"
#include "abridge.h"
#include "base/private.h"
#include "base/word.h"
#include "base/log2.h"
#include "budget/view.h"
#include "priority/blocks.h"
#include "priority/candidates.h"
#include "priority/chooser.h"
#include "line/char_set.h"
#include "line/command.h"
#include "line/layout.h"
#include "line/line_score.h"
#include "line/origin.h"
#include "priority/odd.h"
#include "priority/retain.h"
#include "line/score.h"
#include "priority/stretch.h"
#include "text/scan.h"
#include "text/utf8.h"

enum {
    VALUED_AFTER_HIT = 10, /* lines that belong to a hit */
    END_LINES = 200,       /* last lines of a text: there a runner cleans up */
    LONG_START = 1200      /* bytes of a first line that is not all at hand: no more of it shows */
};

static const float unlike = 1.15F; /* factor of a line with no others like it */
static const float stands_for =
    0.21F; /* discount of one of many lines of its shape, by the logarithm of their number */
static const float inherit_after = 0.65F;
static const float inherit_before = 0.4F;
static const float value_step_after = 0.83F;
static const float value_step_before = 0.78F;
static const float tail_value = 7.0F;
static const float tail_step = 0.93F;
static const float dull = 0.4F; /* factor of lines at the end that say nothing new, or that all is well */
static const float cleaning = 0.35F; /* factor of lines after a failed command */
static const float head_value = 2.5F;
static const float head_step = 0.8F;

/* ---- keep values ---- */

/* Is it a compiler's first error? Those like it may follow from it. */
static bool is_first_diagnostic(const abr_candidate *c)
{
    return c->hits_before == 0 && c->placed && c->line_score >= ABR_SCORE_CLEAR;
}

/* The value of a line by itself, less for lines of a shape seen often: the first of them stands for the
 * others. */
static float own_value(const abr_shown_line *u)
{
    const abr_candidate *c = u->c;
    float value = c->line_score;
    if (value <= 0)
        return 0;
    if (u->seen <= 1)
        value *= unlike;
    else if (!is_first_diagnostic(c))
        value /= 1 + stands_for * abr_log2((float)u->seen);
    value /= abr_repeat_discount(c);
    return c->line_score >= ABR_SCORE_CLEAR ? value * abr_early_hit_factor(c, ABR_EARLY_BONUS) : value;
}

/* Add the value of a line's place. */
static void add_for_place(abr_shown_line *u, float value, abr_why why)
{
    if (u->keep_value < value)
        u->why = why;
    u->keep_value += value;
}

static bool is_elsewhere(const abr_candidate *c)
{
    return c->kind == ABR_LINE_FRAME && abr_is_frame_elsewhere((abr_text_line){c->start, c->start_n});
}

/* Is line i a frame in code that others wrote? The place may stand below the name, deeper. */
static bool is_foreign(const abr_chooser *x, size_t i)
{
    const abr_candidate *c = x->lines[i].c;
    const abr_candidate *next = i + 1 < x->count ? x->lines[i + 1].c : c;
    return is_elsewhere(c) || (c->kind == ABR_LINE_FRAME && next->line == c->line + 1 &&
                               next->indent > c->indent && is_elsewhere(next));
}

/* Raise the lines after a hit, more if they are indented deeper, and the few before it. After a failed
 * command a runner cleans up. */
static void raise_near(abr_chooser *x, size_t i, float value)
{
    const abr_candidate *hit = x->lines[i].c;
    float factor = inherit_after;
    const uint64_t last = hit->line == x->failed ? hit->line : hit->line + VALUED_AFTER_HIT;
    for (size_t k = i + 1; k < x->count && x->lines[k].c->line <= last; k++) {
        const abr_candidate *c = x->lines[k].c;
        float part = factor;
        for (uint64_t d = hit->line + 1; d < c->line; d++)
            part *= value_step_after;
        if (c->indent > hit->indent)
            part *= 1.3F;
        if (c->kind == ABR_LINE_BLANK || c->kind == ABR_LINE_PASS || x->lines[k].foreign ||
            (c->nth >= ABR_DULL && c->kind != ABR_LINE_FRAME))
            part *= 0.4F;
        abr_raise(&x->lines[k], value * (part < 0.95F ? part : 0.95F), ABR_WHY_AFTER, hit->failure);
    }
    for (size_t k = i; k > 0 && x->lines[k - 1].c->line + ABR_LINES_BEFORE_HIT >= hit->line; k--) {
        const abr_candidate *c = x->lines[k - 1].c;
        float part = inherit_before;
        for (uint64_t d = c->line + 1; d < hit->line; d++)
            part *= value_step_before;
        if (c->kind == ABR_LINE_BLANK)
            part *= 0.5F;
        abr_raise(&x->lines[k - 1], value * part, ABR_WHY_BEFORE, hit->failure);
        if (c->kind == ABR_LINE_PASS || c->kind == ABR_LINE_STEP)
            break;
    }
}

/* The first line near the end of a log's last part that reports a failed command; after it a runner cleans
 * up. The number of lines if there is none. */
static uint64_t failed_command(const abr_chooser *x)
{
    size_t part = x->parts.count - 1;
    part -= x->parts.list[part].written;
    const uint64_t end = abr_part_end(x, part);
    for (size_t i = 0; i < x->count; i++) {
        const abr_candidate *c = x->lines[i].c;
        if (c->command == ABR_COMMAND_FAILED && c->line + END_LINES >= end &&
            c->line >= x->parts.list[part].line)
            return c->line;
    }
    return x->view->lines;
}

/* Add the values of lines at an end of a log. */
static void add_end_values(abr_chooser *x)
{
    size_t part = 0;
    float end[ABR_TAIL_LINES] = {tail_value};
    float start[ABR_HEAD_LINES] = {head_value};
    for (size_t d = 1; d < ABR_TAIL_LINES; d++)
        end[d] = end[d - 1] * tail_step;
    for (size_t d = 1; d < ABR_HEAD_LINES; d++)
        start[d] = start[d - 1] * head_step;
    for (size_t i = 0; i < x->count; i++) {
        abr_shown_line *u = &x->lines[i];
        const abr_candidate *c = u->c;
        while (c->line >= abr_part_end(x, part))
            part++;
        if (x->parts.list[part].written)
            continue;
        const uint64_t left = abr_part_end(x, part) - 1 - c->line;
        const uint64_t before = c->line - x->parts.list[part].line;
        bool is_dull = c->kind == ABR_LINE_PASS || c->kind == ABR_LINE_STEP || c->kind == ABR_LINE_BLANK ||
                       c->nth >= ABR_DULL;
        const bool is_last = part + 1 == x->parts.count; /* where a text stops says something, be it dull */
        if (left < ABR_TAIL_LINES && (is_last || c->nth < ABR_DULL))
            add_for_place(u, end[left] * (is_dull ? dull : 1), ABR_WHY_END);
        if (before < ABR_HEAD_LINES)
            add_for_place(u, start[before], ABR_WHY_START);
        if (c->line > x->failed && !c->hit)
            u->keep_value *= cleaning;
    }
}

/* A hash of a line's own text at hand. */
ABR_WRAPS static uint64_t hash_text(const abr_candidate *c)
{
    const size_t lead = abr_lead_of(c->start, c->start_n).n;
    uint64_t hash = c->start_n - lead;
    size_t i = lead;
    for (; i + 8 <= c->start_n; i += 8)
        hash = (hash ^ abr_load_word(c->start + i)) * UINT64_C(0x9E3779B97F4A7C15);
    for (; i < c->start_n; i++)
        hash = (hash ^ (unsigned char)c->start[i]) * UINT64_C(0x9E3779B97F4A7C15);
    return hash ^ hash >> 32;
}

/* Find the lines that repeat the text of an earlier listed line. */
static void find_repeats(abr_chooser *x)
{
    for (size_t i = 0; i < x->count; i++) {
        x->lines[i].repeats = false;
        x->keys[i] = (abr_key){hash_text(x->lines[i].c), (uint32_t)i};
    }
    abr_sort_keys(x->keys, x->count, x->keys + x->count);
    for (size_t i = 1; i < x->count; i++)
        x->lines[x->keys[i].index].repeats = x->keys[i].key == x->keys[i - 1].key;
}

/* In a log without trouble, leave only the last line that sums up what ran its value. Is there one? */
static bool leave_last_count(abr_chooser *x)
{
    size_t last = x->count;
    while (last > 0 && (x->lines[last - 1].c->line_score < ABR_SCORE_SUMS_UP ||
                        x->lines[last - 1].c->line + END_LINES < x->view->lines))
        last--;
    for (size_t i = 0; last > 0 && i < x->count; i++)
        if (i + 1 != last)
            x->lines[i].keep_value = 0;
    return last > 0;
}

bool abr_set_keep_values(abr_chooser *x)
{
    find_repeats(x);
    x->failed = failed_command(x);
    for (size_t i = 0; i < x->count; i++) {
        abr_shown_line *u = &x->lines[i];
        size_t n = u->c->start_n;
        const char *judged = abr_retainer_judged(x->view->retainer, u->c->start, &n);
        abr_read_layout(judged, n, &u->layout);
        u->own_value = u->keep_value = own_value(u);
        u->foreign = is_foreign(x, i);
        u->why = u->c->hit ? ABR_WHY_HIT : u->keep_value > 0 ? ABR_WHY_SAYS : ABR_WHY_FILLING;
        u->failure = u->c->failure;
    }
    for (size_t i = 0; i < x->count; i++)
        if (x->lines[i].c->line_score >= ABR_SCORE_HIT)
            raise_near(x, i, x->lines[i].own_value);
    abr_raise_blocks(x);
    const bool tells = abr_raise_odd_lines(x) || x->retained.found.hits > 0;
    const bool counts = !tells && leave_last_count(x);
    add_end_values(x);
    return tells || counts;
}

/* ---- the lines at the two ends ---- */

static void value_edge_line(abr_chooser *x, const abr_candidate *c)
{
    abr_retained *r = &x->retained;
    x->edges[x->edge_count] = *c;
    r->keys[r->count++].index = (uint32_t)r->used;
    r->lines[r->used++] = (abr_retained_line){&x->edges[x->edge_count++], 0};
}

static abr_candidate edge_line(const abr_chooser *x, const char *p, size_t n, uint64_t line, uint64_t at)
{
    const abr_log_part *last = &x->parts.list[x->parts.count - 1];
    const size_t indent = abr_past((abr_text_line){p, n}, 0, ABR_SET(" \t"));
    abr_reading r;
    abr_retainer_read_line(x->view->retainer, p, n, &r);
    abr_candidate c = {.line = line, .at = at, .size = n, .start = p, .window = p};
    c.start_n = (uint32_t)(n < UINT32_MAX ? n : UINT32_MAX);
    c.indent = (uint16_t)(indent < UINT16_MAX ? indent : UINT16_MAX);
    c.kind = (uint8_t)r.kind;
    c.failure = last->written || line < last->line ? 0 : abr_retainer_failure_at(x->view->retainer, line);
    c.command = (uint8_t)r.command;
    return c;
}

static void add_lines_at_hand(abr_chooser *x, const abr_lines_at_hand *h)
{
    uint64_t chars = h->chars;
    size_t at = 0;
    for (size_t i = 0; i < h->lines; i++) {
        const char *p = h->p + at;
        const size_t n = (size_t)((const char *)memchr(p, '\n', h->n - at) - p);
        abr_candidate c = edge_line(x, p, n, h->line + i, h->at + at);
        c.chars = chars;
        value_edge_line(x, &c);
        chars += abr_chars_of(x, p, n + 1);
        at += n + 1;
    }
}

/* Add the start of a first line that is longer than the bytes at hand. */
static void add_long_first(abr_chooser *x)
{
    const abr_view *v = x->view;
    const size_t most = v->front.n < LONG_START ? v->front.n : (size_t)LONG_START;
    const size_t n = abr_char_start(v->front.p, v->front.n, most);
    abr_candidate c = edge_line(x, v->front.p, n, 0, 0);
    c.size = v->first_line;
    value_edge_line(x, &c);
}

ABR_WRAPS void abr_add_edges(abr_chooser *x)
{
    for (size_t i = 0; i < x->parts.count; i++) {
        add_lines_at_hand(x, &x->parts.list[i].head);
        add_lines_at_hand(x, &x->parts.list[i].tail);
    }
    const abr_view *v = x->view;
    size_t at = 0;
    uint64_t chars = 0;
    for (uint64_t i = 0; i < ABR_HEAD_LINES && i < v->lines && at < v->front.n; i++) {
        const char *newline = memchr(v->front.p + at, '\n', v->front.n - at);
        if (!newline && i == 0 && v->lines > 1)
            add_long_first(x);
        if (!newline)
            break;
        size_t n = (size_t)(newline - v->front.p) - at;
        abr_candidate c = edge_line(x, v->front.p + at, n, i, at);
        c.chars = chars;
        value_edge_line(x, &c);
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
        if (!newline && !v->back.whole) { /* the last line is longer than the bytes at hand */
            c.at = v->bytes - v->ends_line - v->last_line;
            c.size = v->last_line;
            c.start_n = 0;
        }
        chars -= abr_chars_of(x, v->back.p + start, end - start);
        c.chars = chars;
        value_edge_line(x, &c);
        if (!newline)
            break;
        end = start - 1;
        chars--;
    }
}
