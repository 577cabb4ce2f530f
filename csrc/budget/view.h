/* A source as a cut sees it. */
#ifndef ABR_BUDGET_VIEW_H
#define ABR_BUDGET_VIEW_H

#include "abridge.h"
#include "base/private.h"
#include "budget/span.h"

ABR_PRIVATE_BEGIN

/* Holds the lines that a priority cut may keep: priority/retain.h. */
struct abr_retainer;

/* The written parts of a log: priority/log_parts.h. */
struct abr_log_parts;

/* Holds the parts that a cut by kind may keep: kinds/reader.h. */
struct abr_reader;

/* The lines kept, and the reasons: priority/told_line.h. */
struct abr_told_lines;

/* Cuts a text inside another one, for kinds: a string, or with `part`, a part of it. */
struct abr_view;
typedef abr_code (*abr_cut_inner)(const char *p, size_t n, const abr_opts *opts, const struct abr_view *in,
                                  bool part, abr_cut *cut);

/* Cuts a text that went by inside another one, given a view of it: see cut/cut.h. */
typedef abr_code (*abr_cut_viewed)(const struct abr_view *view, const abr_opts *opts, abr_cut *cut,
                                   abr_error *error);

/* A source as a cut sees it: the bytes at hand of its two ends, and the counts of the whole. */
typedef struct abr_view {
    abr_edge front; /* from the start on; whole if the source is within the budgets */
    abr_edge back;  /* up to the end */
    uint64_t bytes;
    uint64_t lines;
    uint64_t chars;                /* counted if abr_wants_chars() */
    uint64_t invalid;              /* bytes outside well-formed UTF-8; ABR_UNLIMITED: not counted yet */
    uint64_t first_line;           /* size without the newline; ABR_UNLIMITED: not measured yet */
    uint64_t last_line;            /* the same for the last line */
    bool ends_line;                /* the last byte is a newline */
    struct abr_retainer *retainer; /* of ABR_PRIORITY, and of a log; else NULL */
    const struct abr_log_parts *log_parts; /* of a log with several, else NULL */
    abr_kind kind;                         /* of ABR_AUTO */
    const char *media_type;                /* of a binary; NULL if unknown */
    struct abr_reader *reader;             /* of a kind that is cut part by part, else NULL */
    struct abr_told_lines *told_lines;     /* NULL: not wanted */
    abr_cut_inner cut_inner;               /* NULL: no texts inside are cut, */
    abr_cut_viewed cut_viewed;             /* nor any with a view */
    unsigned depth;                        /* of the source itself: 0, or how deep it is nested in others */
    uint64_t held; /* bytes of this text, those around it and what their cuts need, if they are at hand */
} abr_view;

/* Size of the source's first or last line, without its newline. */
uint64_t abr_view_line_size(const abr_view *view, abr_side side);

ABR_PRIVATE_END

#endif
