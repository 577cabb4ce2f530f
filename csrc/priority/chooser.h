/* A choice being made: the lines that may be kept, and what is used of the budgets. */
#ifndef ABR_PRIORITY_CHOOSER_H
#define ABR_PRIORITY_CHOOSER_H

#include "abridge.h"
#include "base/private.h"
#include "base/size.h"
#include "budget/marker.h"
#include "budget/span.h"
#include "budget/view.h"
#include "priority/candidates.h"
#include "priority/log_parts.h"
#include "priority/told_line.h"
#include "line/layout.h"
#include "priority/retain.h"
#include "priority/sort.h"

ABR_PRIVATE_BEGIN

enum {
    ABR_TAIL_LINES = 60, /* lines that matter because they stand at the end */
    ABR_HEAD_LINES = 8,  /* the same at the start */
    ABR_LINE_PARTS = 3,  /* stretches a line is shown as, at most */
    ABR_SPLIT_SHARE = 24 /* a line is split rather than leave more than this part of the budget unused */
};

#define ABR_EARLY_BONUS 0.75F /* for the first hits */

/* A stretch of the source that is kept: of one line, or of whole lines. */
typedef struct {
    uint64_t at; /* bytes before it */
    uint64_t n;
    const char *p;
    uint64_t line;      /* of its first byte, 0-based */
    uint64_t last_line; /* of its last byte */
    uint64_t chars;     /* before it, where counted */
    uint64_t chars_n;   /* of it */
    bool starts_line;
    bool ends_line;  /* it goes to its last line's newline, which is no part of it */
    size_t lead;     /* bytes of its line that can be read before p */
    size_t rest;     /* bytes of its line that can be read after its n bytes */
    bool lead_whole; /* the lead goes to the line's start */
    bool rest_whole; /* the rest goes to the line's end */
} abr_stretch;

/* A line that may be kept. */
typedef struct {
    const abr_candidate *c;
    const abr_candidate
        *read;        /* the same; of a line that is written, what it was read as before that was known */
    uint32_t seen;    /* lines of its shape in all, 0: forgotten */
    float keep_value; /* decides whether it is kept */
    uint64_t shown;   /* bytes it costs, with its newline */
    uint64_t chars;   /* chars it costs */
    abr_layout layout;
    float odd;       /* how rare it is in the text, in bits; set with the values of odd lines */
    float own_value; /* of what the line says, read alone */
    bool kept;
    bool follows_like; /* the line before it is like it */
    bool repeats;      /* a line before it has the same text */
    abr_why why;       /* it has its value */
    uint32_t failure;  /* of the hit it has it from; 0: none */
} abr_shown_line;

/* Lines of a failure, as indexes; end 0: there is none. */
typedef struct {
    size_t start;
    size_t end;
} abr_block;

/* What is used of the budgets. */
typedef struct {
    uint64_t lines;
    uint64_t shown;
    uint64_t chars;
} abr_cost;

typedef struct {
    const abr_opts *opts;
    const abr_alloc *alloc;
    const abr_view *view;
    bool front_ends_line;  /* where not all is at hand: a line ends where what is at hand of the start does */
    bool back_starts_line; /* and one starts where what is at hand of the end does */
    abr_measure measure;
    abr_allowance allowance; /* of everything but the reserve */
    const char *format;      /* the marker's */
    size_t format_len;
    bool ascii_format;   /* a byte of it is a char */
    abr_log_parts parts; /* one, printed, of what is a log alone */
    abr_retained retained;
    abr_candidate *edges; /* lines at the two ends, and at those of the parts */
    size_t edge_count;
    abr_shown_line *lines; /* in order */
    abr_key *keys;         /* to sort them: twice as many */
    size_t count;          /* of the lines */
    abr_block first;       /* the first failure that tells of itself, and the last one */
    abr_block last;
    abr_stretch *kept; /* in order */
    size_t kept_count;
    size_t kept_size; /* how many there is memory for */
    abr_cost used;    /* what is kept costs */
    abr_span marker;  /* the widest one, with its newline */
    bool tells_runs;  /* markers tell where lines are alike */
    size_t alike;     /* bytes of ASCII more that such a marker takes */
    uint64_t width;   /* bytes a line may show */
    abr_code code;    /* ABR_OK, or what the choice failed with */
} abr_chooser;

static inline uint64_t abr_at_least(uint64_t value, uint64_t least)
{
    return value > least ? value : least;
}

/* The first line after a part. */
static inline uint64_t abr_part_end(const abr_chooser *x, size_t part)
{
    return part + 1 < x->parts.count ? x->parts.list[part + 1].line : x->view->lines;
}

/* A line is worth at least this much. */
static inline void abr_raise(abr_shown_line *u, float value, abr_why why, uint32_t failure)
{
    if (u->keep_value >= value)
        return;
    u->keep_value = value;
    u->why = why;
    u->failure = failure;
}

/* Does a line at a cost of `more` still fit? */
static inline bool abr_line_fits(const abr_chooser *x, const abr_cost *used, const abr_span *more)
{
    return used->lines < x->allowance.lines && used->shown + more->shown <= x->allowance.shown &&
           used->chars + more->chars <= x->allowance.chars;
}

ABR_PRIVATE_END

#endif
