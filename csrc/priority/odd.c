/*
 * The odd line: a line unlike all the rest of its text earns its place without a word of trouble.
 *
 * The text itself tells how odd a line is: how rare its words are there, and how often its shape was seen. If
 * many lines are as odd, as in prose or in a build that keeps printing new things, none stands out, so its
 * value falls with their number, and there is none in the end.
 */
#include "priority/odd.h"
#include "abridge.h"
#include "base/ascii.h"
#include "base/log2.h"
#include "priority/candidates.h"
#include "priority/chooser.h"
#include "line/char_set.h"
#include "line/layout.h"
#include "line/line_score.h"
#include "priority/retain.h"

enum {
    STEPS = 128,     /* of oddness, a quarter of a bit each */
    FEW = 8,         /* a line stands out if at most so many are as odd; the value falls with their number */
    MANY = 32,       /* and is none if there are more: lines that follow each other say more than these do */
    LINES_LEAST = 64 /* in a text of fewer lines, all are unlike the rest */
};

static const float odd_value = 5.0F; /* of the only line that is as odd */
static const float odd_least = 5.0F; /* bits */
static const float shouted = 1.3F;   /* factor of a phrase in capitals */

/* Does the line have a phrase in capitals? */
static bool shouts(const char *p, size_t n)
{
    enum { PHRASE = 6 };
    unsigned capitals = 0;
    for (size_t i = 0; i < n && capitals < PHRASE; i++)
        if (abr_is_upper(p[i]))
            capitals++;
        else if (p[i] != ' ')
            capitals = 0;
    return capitals >= PHRASE;
}

/* Is all of the line in brackets, like notices and markers? Nobody gains by forging one. */
static bool is_bracketed(const char *p, size_t n)
{
    const size_t end = abr_back(p, n, ABR_SET(" .\r"));
    const size_t at = abr_past((abr_text_line){p, end}, 0, ABR_SET(" ."));
    return end > at + 1 && ((p[at] == '[' && p[end - 1] == ']') || (p[at] == '(' && p[end - 1] == ')'));
}

/* How odd the line is, in bits: two thirds by its words, a third by its shape. */
static float oddness(const abr_chooser *x, const abr_shown_line *u)
{
    const abr_candidate *c = u->c;
    if (c->kind != ABR_LINE_PLAIN || u->seen == 0 || is_bracketed(c->start, c->start_n))
        return 0;
    const size_t lead = abr_lead_of(c->start, c->start_n).n;
    float words = abr_retainer_rarity(x->view->retainer, c->start + lead, c->start_n - lead);
    float shape = x->view->lines > u->seen ? abr_log2((float)x->view->lines / (float)u->seen) : 0;
    return words > 0 ? (2 * words + shape) / 3 : 0;
}

/* Does line k point at the one above it, with carets before its words, so many lines below line i? */
static bool points_at(const abr_chooser *x, size_t k, size_t i, int64_t below)
{
    if (k >= x->count || x->lines[k].c->kind != ABR_LINE_EXCERPT ||
        (int64_t)(x->lines[k].c->line - x->lines[i].c->line) != below)
        return false;
    const abr_candidate *c = x->lines[k].c;
    const size_t at = c->indent;
    return at < c->start_n && (c->start[at] == '^' || c->start[at] == '~');
}

static bool is_blank_above(const abr_chooser *x, size_t i, uint64_t lines)
{
    return i >= lines && x->lines[i - lines].c->kind == ABR_LINE_BLANK &&
           x->lines[i - lines].c->line + lines == x->lines[i].c->line;
}

/* Is the line the source that a diagnostic shows: below the diagnostic, above a caret, or as the mended line
 * that a linter shows below a caret, a blank line and a word on it? What is odd in that is no news. */
static bool is_shown_source(const abr_chooser *x, size_t i)
{
    const abr_candidate *c = x->lines[i].c;
    const abr_candidate *before = i > 0 ? x->lines[i - 1].c : NULL;
    if (before && before->placed && before->line + 1 == c->line && c->indent > before->indent)
        return true;
    return points_at(x, i + 1, i, 1) || (i >= 3 && points_at(x, i - 3, i, -3) && is_blank_above(x, i, 2));
}

static unsigned step_of(float odd)
{
    unsigned step = (unsigned)(odd * 4);
    return step < STEPS ? step : STEPS - 1;
}

bool abr_raise_odd_lines(abr_chooser *x)
{
    if (x->view->lines < LINES_LEAST)
        return false;
    uint64_t lines[STEPS] = {0}; /* at a step or above, in the end */
    bool stands_out = false;
    for (size_t i = 0; i < x->count; i++)
        lines[step_of(x->lines[i].odd = is_shown_source(x, i) ? 0 : oddness(x, &x->lines[i]))]++;
    for (unsigned i = STEPS - 1; i > 0; i--)
        lines[i - 1] += lines[i];
    for (size_t i = 0; i < x->count; i++) {
        abr_shown_line *u = &x->lines[i];
        if (u->odd < odd_least)
            continue;
        const unsigned step = step_of(u->odd);
        const uint64_t as_odd = lines[step > 0 ? step - 1 : 0];
        if (as_odd > MANY)
            continue;
        float value = odd_value / (1 + (float)as_odd / FEW);
        if (shouts(u->c->start, u->c->start_n))
            value *= shouted;
        abr_raise(u, value, ABR_WHY_ODD, 0);
        stands_out = stands_out || as_odd <= FEW;
    }
    return stands_out;
}
