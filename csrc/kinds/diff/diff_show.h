/* A cut of a diff: the shown parts, and the bytes they take. */
#ifndef ABR_KINDS_DIFF_DIFF_SHOW_H
#define ABR_KINDS_DIFF_DIFF_SHOW_H

#include "base/private.h"
#include "kinds/content.h"
#include "kinds/diff/diff_store.h"
#include "text/flow.h"

ABR_PRIVATE_BEGIN

/* A hunk that may be shown. */
typedef struct {
    abr_diff_hunk h;
    abr_diff_tally after;
    const char *header;
    const abr_candidate *const *slices; /* the retained ones, from the first on */
    size_t slice_count;
    uint64_t from;  /* the level of the hunk before it in its file */
    uint64_t level; /* bytes of its file shown once it is, small hunks first */
    size_t file;    /* number of its file among those with hunks here */
    bool first;     /* first hunk of its file */
    bool alone;     /* smaller hunks of its file may have been forgotten */
    bool barred;    /* its commit is not shown */
    size_t part;    /* its place in the plan */
    uint64_t front; /* shown bytes of it: all, or a start and an end */
    uint64_t back;
    uint64_t back_line; /* newlines before the end */
    uint64_t cut_lines; /* whole lines between both */
} abr_shown_hunk;

/* A text whose first lines are shown; for a commit, its first lines and its subject. */
typedef struct {
    abr_diff_text t;
    const char *p; /* n bytes of it, in whole lines */
    size_t n;
    size_t front; /* bytes shown of its start */
    size_t subject_at;
    size_t subject_n; /* bytes shown of the subject, after a gap; 0: none */
    uint64_t front_lines;
    uint64_t gap_lines;
    uint64_t lines; /* up to the end of the shown part */
} abr_shown_text;

typedef struct {
    abr_diff_name name;
    const char *p;
    bool shown;
    bool added;           /* in the remaining room */
    bool barred;          /* its commit is not shown */
    uint64_t bytes;       /* of it and the names before it that are shown */
    abr_diff_tally names; /* their files and hunks */
} abr_shown_name;

/* A place in the order of the source: a hunk or a text. */
typedef struct {
    abr_shown_hunk *hunk;
    abr_shown_text *text;
} abr_diff_part;

typedef struct {
    abr_diff_part *parts; /* in order */
    size_t part_count;
    uint64_t *shown; /* bits of parts */
    abr_shown_name *names;
    size_t name_count;
    abr_diff_tally total;
    abr_flow ends;    /* the ends of the diff at hand with this budget */
    const char *text; /* the whole diff if it stays in memory, or NULL */
    bool markers;     /* there are markers */
    bool counted;     /* they count in the budget */

    /* The start of the diff shown as it stands, if any, as if it were a hunk of its last file. No part in it
     * counts as shown. */
    abr_diff_part start;
} abr_diff_plan;

enum { ABR_DIFF_MARKER_MOST = 3 * 96 };

/* The first shown part from part i on; part_count if there is none. */
size_t abr_diff_shown_from(const abr_diff_plan *plan, size_t i);

static inline bool abr_diff_is_shown(const abr_diff_plan *plan, size_t i)
{
    return plan->shown[i / 64] >> (i % 64) & 1;
}

void abr_diff_set_shown(abr_diff_plan *plan, size_t i, bool shown);

/* Bytes between two parts shown one after the other: names, headers, markers. part_count stands for the start
 * of the diff, or its end. */
uint64_t abr_diff_gap(const abr_diff_plan *plan, size_t from, size_t to);

/* Bytes of a part itself. */
uint64_t abr_diff_own(const abr_diff_plan *plan, const abr_diff_part *part);

/* Bytes between the parts that are shown before and after a part, with its own if it is `shown`. */
uint64_t abr_diff_bytes_at(const abr_diff_plan *plan, size_t part, bool shown);

/* Bytes of everything shown. */
uint64_t abr_diff_size(const abr_diff_plan *plan);

/* Bytes at hand of the hunk's start, or end. */
uint64_t abr_diff_at_hand(const abr_diff_plan *plan, const abr_shown_hunk *x, bool end);

/* The hunk's n bytes from `at` on, which are at hand: where they stand together in memory, or copied to
 * `dst`. */
const char *abr_diff_hunk_piece(const abr_diff_plan *plan, const abr_shown_hunk *x, uint64_t at, size_t n,
                                char *dst);

/* Count the shown names; to be called before abr_diff_gap(). */
void abr_diff_count_names(abr_diff_plan *plan);

/* Print the marker inside a hunk: so many lines, or so many bytes if no whole line is left out. */
size_t abr_diff_print_cut(uint64_t lines, uint64_t bytes, char *dst);

/* Put the plan into a content; `copies` has memory for all the shown source. */
void abr_diff_show(const abr_diff_plan *plan, abr_content *out, char *copies);

ABR_PRIVATE_END

#endif
