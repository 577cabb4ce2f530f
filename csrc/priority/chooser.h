/* A choice being made: the lines that may be kept, and the budgets used so far. */
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
    ABR_TAIL_LINES = 60, /* lines that matter for standing at the end */
    ABR_HEAD_LINES = 8,  /* the same at the start */
    ABR_LINE_PARTS = 3,  /* stretches of one line, at most */
    ABR_SPLIT_SHARE = 24 /* a line is split rather than leave more than this part of the budget unused */
};

_Static_assert((unsigned)ABR_TAIL_LINES <= ABR_FAILED_LAST, "the failures of the lines at the end are known");

#define ABR_EARLY_BONUS 0.75F /* for the first hits */

/* A kept stretch of the source: part of one line, or whole lines. */
typedef struct {
    uint64_t at; /* bytes before it */
    uint64_t n;
    const char *p;
    uint64_t line;      /* of its first byte, 0-based */
    uint64_t last_line; /* of its last byte */
    uint64_t chars;     /* before it, if counted */
    uint64_t chars_n;   /* of it */
    bool starts_line;
    bool ends_line;  /* it goes up to its last line's newline, which is not part of it */
    size_t lead;     /* readable bytes of its line before p */
    size_t rest;     /* readable bytes of its line after its n bytes */
    bool lead_whole; /* the lead reaches the line's start */
    bool rest_whole; /* the rest reaches the line's end */
} abr_stretch;

/* A line that may be kept. */
typedef struct {
    const abr_candidate *c;
    uint32_t seen;    /* lines of its shape in all, 0: forgotten */
    float keep_value; /* decides whether it is kept */
    uint64_t shown;   /* bytes it costs, with its newline */
    uint64_t chars;   /* chars it costs */
    abr_layout layout;
    float odd;       /* its rarity in the text, in bits; set by abr_raise_odd_lines() */
    float own_value; /* value of the line read alone */
    bool kept;
    bool follows_like; /* the line before it is alike */
    bool repeats;      /* a line before it has the same text */
    bool foreign;      /* a frame in code that others wrote */
    abr_why why;       /* reason for its value */
    uint32_t failure;  /* of the hit that its value comes from; 0: none */
    /* bytes of its start, which is all that shows of it; 0: it shows as others do */
    uint64_t start_most;
} abr_shown_line;

/* Lines of a failure, as indexes; end 0: no failure. */
typedef struct {
    size_t start;
    size_t hit; /* the first line of the failure; those above it announce it */
    size_t end;
} abr_block;

/* The budgets used so far. */
typedef struct {
    uint64_t lines;
    uint64_t shown;
    uint64_t chars;
} abr_cost;

typedef struct {
    const abr_opts *opts;
    const abr_alloc *alloc;
    const abr_view *view;
    /* if not all is at hand: a line ends at the end of the bytes at hand of the start */
    bool front_ends_line;
    bool back_starts_line; /* a line starts at the start of the bytes at hand of the end */
    abr_measure measure;
    abr_allowance allowance; /* without the reserve */
    const char *format;      /* the marker's */
    size_t format_len;
    bool ascii_format;   /* each byte of it is a char */
    abr_log_parts parts; /* a single printed one, if all is a log */
    abr_retained retained;
    abr_candidate *edges; /* lines at the text's two ends and the parts' ends */
    size_t edge_count;
    abr_shown_line *lines; /* in order */
    abr_key *keys;         /* for sorting them: twice as many */
    size_t count;          /* of the lines */
    abr_block first;       /* the first failure to be kept whole, and the last one */
    abr_block last;
    bool listed;       /* a list at the end names failures one by one */
    abr_stretch *kept; /* in order */
    size_t kept_count;
    size_t kept_size; /* stretches there is memory for */
    abr_cost used;    /* cost of `kept` */
    abr_span marker;  /* the widest one, with its newline */
    bool tells_runs;  /* markers mention runs of like lines */
    bool twice;       /* failures are told of twice, see abr_log_counts */
    size_t alike;     /* bytes of ASCII that this adds to a marker */
    uint64_t failed;  /* line that reports a failed command near the end, after which a runner cleans up; else
                         the number of lines */
    uint64_t width;   /* bytes a line may show */
    abr_code code;    /* ABR_OK, or the error of the choice */
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

/* Raise a line's keep value to at least this. */
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
