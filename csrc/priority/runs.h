/* Runs of lines of one outline. */
#ifndef ABR_PRIORITY_RUNS_H
#define ABR_PRIORITY_RUNS_H

#include "abridge.h"
#include "base/private.h"
#include "base/tiny.h"
#include "line/outline.h"

ABR_PRIVATE_BEGIN

enum { ABR_RUNS = ABR_OR_TINY(256, 4) };

/* Lines in a row, all of one outline. */
typedef struct {
    uint64_t first; /* 0-based */
    uint64_t count;
} abr_run;

/* A line, as far as runs look at it. Its outline, which costs the most, is found only if it may be needed. */
typedef struct {
    const char *p; /* ABR_PADDING bytes after the line are readable until its outline is known */
    size_t n;
    uint64_t said;        /* what it says, and its indent: lines that are alike have one, */
    uint32_t tokens;      /* and have as many tokens */
    abr_outline *outline; /* its own, or what is kept of a line read before */
    abr_outline own;
    bool whole; /* else it is like no other */
} abr_run_line;

typedef struct {
    abr_run ended[ABR_RUNS]; /* in order */
    size_t count;
    uint64_t least;        /* no run of fewer lines is remembered */
    abr_run open;          /* the one that the last line is part of */
    abr_run_line lines[2]; /* the last one, and the place of the next: to copy one takes longer */
    unsigned last;
} abr_runs;

/* Would the line go on the run that is open? */
bool abr_runs_take(abr_runs *runs, abr_run_line *line);

/* Where the next line is put before it is read. */
static inline abr_run_line *abr_runs_next(abr_runs *runs)
{
    return &runs->lines[!runs->last];
}

/* Read the next line, of this number. */
void abr_runs_add(abr_runs *runs, uint64_t number);

/* The last line's bytes are about to go. */
void abr_runs_settle(abr_runs *runs);

/* Are the lines from `first` to `last` part of one run that ended? */
bool abr_runs_have(const abr_runs *runs, uint64_t first, uint64_t last);

static inline bool abr_run_has(const abr_run *run, uint64_t first, uint64_t last)
{
    return first >= run->first && last - run->first < run->count;
}

ABR_PRIVATE_END

#endif
