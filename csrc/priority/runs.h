/* Runs of lines of one form. */
#ifndef ABR_PRIORITY_RUNS_H
#define ABR_PRIORITY_RUNS_H

#include "abridge.h"
#include "base/private.h"

ABR_PRIVATE_BEGIN

enum { ABR_RUNS = 1024 };

/* Lines in a row, all of one form. */
typedef struct {
    uint64_t first; /* 0-based */
    uint64_t count;
} abr_run;

typedef struct {
    abr_run ended[ABR_RUNS]; /* in order */
    size_t count;
    uint64_t least; /* no run of fewer lines is remembered */
    abr_run open;   /* the one that the last line is part of */
    uint64_t form;  /* of its lines */
} abr_runs;

/* The run that the next line would be part of. Form 0 is like no other. */
abr_run abr_run_with(const abr_runs *runs, uint64_t form, uint64_t line);

/* Read the next line. */
void abr_runs_add(abr_runs *runs, uint64_t form, uint64_t line);

/* Are the lines from `first` to `last` part of one run that ended? */
bool abr_runs_have(const abr_runs *runs, uint64_t first, uint64_t last);

static inline bool abr_run_has(const abr_run *run, uint64_t first, uint64_t last)
{
    return first >= run->first && last - run->first < run->count;
}

ABR_PRIVATE_END

#endif
