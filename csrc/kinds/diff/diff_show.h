/* A cut of a diff: what is shown of its parts, and what that takes. */
#ifndef ABR_KINDS_DIFF_DIFF_SHOW_H
#define ABR_KINDS_DIFF_DIFF_SHOW_H

#include "abridge.h"
#include "base/private.h"
#include "kinds/content.h"
#include "kinds/diff/diff_store.h"
#include "kinds/diff/diff_tally.h"
#include "text/flow.h"

ABR_PRIVATE_BEGIN

/* A hunk that may be shown. */
typedef struct {
    abr_diff_hunk h;
    abr_diff_tally after;
    const char *header;
    const abr_candidate *const *slices; /* as many as are retained, the first one on */
    size_t slice_count;
    uint64_t from;  /* the level of the hunk before it in its file */
    uint64_t level; /* bytes of its file that are shown once it is, small hunks first */
    size_t file;    /* number of its file among those with hunks here */
    bool first;     /* of its file */
    bool alone;     /* smaller hunks of its file may have been forgotten */
    bool barred;    /* its commit is not shown */
    size_t part;    /* its place in the plan */
    uint64_t front; /* bytes of it that are shown: all, or a start and an end */
    uint64_t back;
    uint64_t back_line; /* newlines before the end */
    uint64_t cut_lines; /* whole ones between these */
} abr_shown_hunk;

/* A text of which the first lines are shown; of a commit also its first ones and its subject. */
typedef struct {
    abr_diff_text t;
    const char *p; /* n bytes of it, in whole lines */
    size_t n;
    size_t front; /* bytes that are shown, */
    size_t subject_at;
    size_t subject_n; /* and those of the subject, after a gap; 0: there is none */
    uint64_t front_lines;
    uint64_t gap_lines;
    uint64_t lines; /* up to the end of what is shown */
} abr_shown_text;

typedef struct {
    abr_diff_name name;
    const char *p;
    bool shown;
    bool added;           /* with what was left */
    bool barred;          /* its commit is not shown */
    uint64_t bytes;       /* of it and the names before, where these are shown; */
    abr_diff_tally names; /* the files and hunks of these */
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
    abr_flow ends;    /* the ends of the diff that are at hand with this budget */
    const char *text; /* the whole diff, where it stays in memory, or NULL */
    bool markers;     /* there are some */
    bool counted;     /* and they take of the budget */

    /* The start of the diff that is shown as it stands, as if it were a hunk of its last file, if there is one.
     * No part in it counts as shown. */
    abr_diff_part start;
} abr_diff_plan;

enum { ABR_DIFF_MARKER_MOST = 3 * 96 };

/* The last part before part i that is shown, the first from it on; part_count where there is none. */
size_t abr_diff_shown_before(const abr_diff_plan *plan, size_t i);
size_t abr_diff_shown_from(const abr_diff_plan *plan, size_t i);

static inline bool abr_diff_is_shown(const abr_diff_plan *plan, size_t i)
{
    return plan->shown[i / 64] >> (i % 64) & 1;
}

void abr_diff_set_shown(abr_diff_plan *plan, size_t i, bool shown);

/* Bytes of what stands between two parts that are shown one after the other: names, headers, markers.
 * part_count is the start of the diff, or its end. */
uint64_t abr_diff_gap(const abr_diff_plan *plan, size_t from, size_t to);

/* Bytes that a part takes itself. */
uint64_t abr_diff_own(const abr_diff_plan *plan, const abr_diff_part *part);

/* Bytes of all that is shown. */
uint64_t abr_diff_size(const abr_diff_plan *plan);

/* Bytes at the hunk's start, or end, that are at hand. */
uint64_t abr_diff_at_hand(const abr_diff_plan *plan, const abr_shown_hunk *x, bool end);

/* Bytes of a hunk that stand together in memory, from `at` on, and how many; they are at hand. */
uint64_t abr_diff_hunk_bytes(const abr_diff_plan *plan, const abr_shown_hunk *x, uint64_t at, const char **p);

/* Count the names that are shown, before gaps are asked for. */
void abr_diff_count_names(abr_diff_plan *plan);

/* Print the marker inside a hunk: of so many lines, or, if none is left out whole, so many bytes. */
size_t abr_diff_print_cut(uint64_t lines, uint64_t bytes, char *dst);

/* Put the plan into a content; `copies` has memory for all of the source that is shown. */
void abr_diff_show(const abr_diff_plan *plan, abr_content *out, char *copies);

ABR_PRIVATE_END

#endif
