/* A cut of a diff: what is shown of its parts, and what that takes. */
#ifndef ABR_KINDS_DIFF_DIFF_SHOW_H
#define ABR_KINDS_DIFF_DIFF_SHOW_H

#include "abridge.h"
#include "base/private.h"
#include "kinds/content.h"
#include "kinds/diff/diff_store.h"
#include "kinds/diff/diff_tally.h"

ABR_PRIVATE_BEGIN

/* A hunk that may be shown. */
typedef struct {
    abr_diff_hunk h;
    const char *header;
    const abr_candidate *const *slices; /* as many as are retained, the first one on */
    size_t slice_count;
    uint64_t from;  /* the level of the hunk before it in its file */
    uint64_t level; /* bytes of its file that are shown once it is, small hunks first */
    size_t file;    /* number of its file among those with hunks here */
    bool first;     /* of its file */
    bool alone;     /* smaller hunks of its file may have been forgotten */
    size_t part;    /* its place in the plan */
    uint64_t front; /* bytes of it that are shown: all, or a start and an end in whole lines */
    uint64_t back;
    uint64_t back_line; /* newlines before the end */
    uint64_t cut_lines; /* between these */
} abr_shown_hunk;

/* A text of which the first bytes are shown. */
typedef struct {
    const abr_diff_text *t;
    const char *p;
    size_t n;
    size_t shown;   /* bytes */
    uint64_t lines; /* that are shown */
} abr_shown_text;

typedef struct {
    const abr_diff_file *file;
    const char *p;
    uint64_t bytes; /* of it and those before, where these are shown */
    uint32_t count;
    bool shown;
} abr_shown_name;

/* A place in the order of the source: a hunk or a text. */
typedef struct {
    abr_shown_hunk *hunk;
    abr_shown_text *text;
} abr_diff_part;

typedef struct {
    abr_diff_part *parts; /* in order */
    size_t part_count;
    uint64_t *shown; /* bits of parts, */
    uint64_t *some;  /* and of words of these: some part is shown */
    abr_shown_name *names;
    size_t name_count;
    abr_diff_tally total;
    const char *text; /* the whole diff, where it stays in memory, or NULL */
    bool markers;     /* there are some */
    bool counted;     /* and they take of the budget */
} abr_diff_plan;

enum { ABR_DIFF_MARKER_MOST = 3 * 96 };

/* The part that is shown before, or after, part i; part_count where there is none. */
size_t abr_diff_shown_before(const abr_diff_plan *plan, size_t i);
size_t abr_diff_shown_after(const abr_diff_plan *plan, size_t i);

static inline bool abr_diff_is_shown(const abr_diff_plan *plan, size_t i)
{
    return plan->shown[i / 64] >> (i % 64) & 1;
}

void abr_diff_set_shown(abr_diff_plan *plan, size_t i);

/* Bytes of what stands between two parts that are shown one after the other: names, headers, markers.
 * part_count is the start of the diff, or its end. */
uint64_t abr_diff_gap(const abr_diff_plan *plan, size_t from, size_t to);

/* Bytes that a part takes itself. */
uint64_t abr_diff_own(const abr_diff_plan *plan, const abr_diff_part *part);

/* Count the names that are shown, before gaps are asked for. */
void abr_diff_count_names(abr_diff_plan *plan);

/* The bytes of a hunk from `at` on that stand together in memory, and how many. */
uint64_t abr_diff_hunk_bytes(const abr_shown_hunk *x, uint64_t at, const char **p);

/* Print the marker inside a hunk. */
size_t abr_diff_print_lines(uint64_t lines, char *dst);

/* Put the plan into a content; `copies` has memory for all of the source that is shown, unless that is at
 * hand. */
void abr_diff_show(const abr_diff_plan *plan, abr_content *out, char *copies);

ABR_PRIVATE_END

#endif
