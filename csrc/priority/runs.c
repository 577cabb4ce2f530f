/*
 * Runs of lines of one outline, in a table of fixed size. When it is full, short ones are forgotten, and a
 * gap in one of those is marked like any other.
 */
#include "priority/runs.h"
#include "abridge.h"

/* Make room for a run by forgetting short ones. */
static void forget_short(abr_runs *runs)
{
    while (runs->count == ABR_RUNS) {
        runs->least *= 2;
        runs->count = 0;
        for (size_t i = 0; i < ABR_RUNS; i++)
            if (runs->ended[i].count >= runs->least)
                runs->ended[runs->count++] = runs->ended[i];
    }
}

void abr_runs_add(abr_runs *runs, const abr_run_line *line, uint64_t number)
{
    const bool goes_on = abr_runs_take(runs, line);
    if (runs->least == 0)
        runs->least = 2;
    runs->last.said =
        /* one by one: they were just written that way, and a wide load would wait for the stores */
        line->said;
    runs->last.tokens = line->tokens;
    runs->last.outline = line->outline;
    runs->last.whole = line->whole;
    if (goes_on) {
        runs->open.count++;
        return;
    }
    if (runs->open.count >= runs->least) {
        runs->ended[runs->count++] = runs->open;
        forget_short(runs);
    }
    runs->open = (abr_run){number, 1};
}

bool abr_runs_have(const abr_runs *runs, uint64_t first, uint64_t last)
{
    size_t low = 0;
    size_t high = runs->count;
    while (low < high) { /* the first run that ends after `last` */
        size_t middle = (low + high) / 2;
        const abr_run *run = &runs->ended[middle];
        if (run->first + run->count <= last)
            low = middle + 1;
        else
            high = middle;
    }
    return low < runs->count && abr_run_has(&runs->ended[low], first, last);
}
