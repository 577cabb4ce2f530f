/* Runs of lines of one outline. */
#ifndef ABR_PRIORITY_RUNS_H
#define ABR_PRIORITY_RUNS_H

#include "abridge.h"
#include "base/private.h"
#include "base/tiny.h"

ABR_PRIVATE_BEGIN

enum { ABR_RUNS = ABR_OR_TINY(256, 4) };

/* Lines in a row, all of one outline. */
typedef struct {
    uint64_t first; /* 0-based */
    uint64_t count;
} abr_run;

/* The facts of a line that matter for runs: lines that are alike agree in all of them. */
typedef struct {
    uint64_t said; /* what it says, and its indent */
    uint32_t tokens;
    uint32_t outline;
    bool whole; /* else it is like no other line */
} abr_run_line;

typedef struct {
    abr_run ended[ABR_RUNS]; /* in order */
    size_t count;
    uint64_t least;    /* runs of fewer lines are not remembered */
    abr_run open;      /* the one that the last line is part of */
    abr_run_line last; /* the last line */
} abr_runs;

/* Would the line continue the open run? */
static inline bool abr_runs_take(const abr_runs *runs, const abr_run_line *line)
{
    const abr_run_line *last = &runs->last;
    return last->whole && line->whole && last->said == line->said && last->tokens == line->tokens &&
           last->outline == line->outline;
}

/* Add the next line, with this number. */
void abr_runs_add(abr_runs *runs, const abr_run_line *line, uint64_t number);

/* Are the lines from `first` to `last` part of one ended run? */
bool abr_runs_have(const abr_runs *runs, uint64_t first, uint64_t last);

static inline bool abr_run_has(const abr_run *run, uint64_t first, uint64_t last)
{
    return first >= run->first && last - run->first < run->count;
}

ABR_PRIVATE_END

#endif
