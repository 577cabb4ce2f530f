/*
 * The odd line: what is unlike all the rest of its text earns its place without a word of trouble.
 *
 * How odd a line is the text tells: how rare its words are there, and how often its shape was seen. Where
 * many lines are as odd as it is, as in prose or in a build that prints something new all the time, none
 * stands out, so its value is divided by their number.
 */
#include "priority/odd.h"
#include "abridge.h"
#include "base/log2.h"
#include "priority/candidates.h"
#include "priority/chooser.h"
#include "priority/layout.h"
#include "priority/line_score.h"
#include "priority/retain.h"

enum { STEPS = 128 /* of oddness, a quarter of a bit each */ };

static float capital_factor(const char *p, size_t n)
{
    unsigned capitals = 0;
    for (size_t i = 0; i + 3 < n; i++)
        if (p[i] >= 'A' && p[i] <= 'Z' && p[i + 1] >= 'A' && p[i + 1] <= 'Z' && p[i + 2] >= 'A' && p[i + 2] <= 'Z')
            capitals++;
    return capitals >= 3 ? 1.3F : 1;
}

static float oddness(const abr_chooser *x, const abr_shown_line *u)
{
    const abr_candidate *c = u->c;
    if (c->kind != ABR_LINE_PLAIN || u->seen == 0 || c->start_n == 0)
        return 0;
    size_t stamp = abr_stamp_size(c->start, c->start_n);
    float words = abr_retainer_rarity(x->view->retainer, c->start + stamp, c->start_n - stamp);
    float shape = x->view->lines > u->seen ? abr_log2((float)x->view->lines / (float)u->seen) : 0;
    return words > 0 ? (2 * words + shape) / 3 : 0;
}

static unsigned step_of(float odd)
{
    unsigned step = (unsigned)(odd * 4);
    return step < STEPS ? step : STEPS - 1;
}

bool abr_raise_odd_lines(abr_chooser *x)
{
    const float value = abr_T("ODD", 7), half = abr_T("ODDHALF", 8), least = abr_T("ODDLEAST", 5);
    uint64_t lines[STEPS] = {0}; /* at a step or above, in the end */
    bool stands_out = false;
    for (size_t i = 0; i < x->count; i++) {
        x->lines[i].part = oddness(x, &x->lines[i]);
        lines[step_of(x->lines[i].part)]++;
    }
    for (unsigned i = STEPS - 1; i > 0; i--)
        lines[i - 1] += lines[i];
    for (size_t i = 0; i < x->count; i++) {
        abr_shown_line *u = &x->lines[i];
        if (u->part < least)
            continue;
        unsigned step = step_of(u->part);
        float as_odd = (float)lines[step > 0 ? step - 1 : 0];
        float own = value * capital_factor(u->c->start, u->c->start_n) / (1 + as_odd / half);
        if (u->keep_value < own)
            u->keep_value = own;
        stands_out = stands_out || as_odd <= abr_T("OUT", 8);
    }
    return stands_out;
}
