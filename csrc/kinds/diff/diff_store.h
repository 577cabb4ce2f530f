/* What of a diff is retained as it goes by. */
#ifndef ABR_KINDS_DIFF_DIFF_STORE_H
#define ABR_KINDS_DIFF_DIFF_STORE_H

#include "abridge.h"
#include "base/private.h"
#include "base/tiny.h"
#include "kinds/diff/diff_tally.h"
#include "priority/candidates.h"
#include "text/flow.h"

ABR_PRIVATE_BEGIN

enum {
    ABR_DIFF_HEADER_MOST = ABR_OR_TINY(4096, 96), /* bytes; a file with a longer one is named at most */
    ABR_DIFF_SIZES = 128,                         /* classes of sizes */
    ABR_DIFF_SLICE = ABR_OR_TINY(1024, 16),       /* bytes of each end of a hunk that are retained together */
    /* Small hunks one after the other are retained together, up to so many bytes, once a file has so many
     * bytes of hunks that come before them: 2 % of a budget that shows any of them. */
    ABR_DIFF_RUN_MOST = ABR_OR_TINY(1024, 64),
    ABR_DIFF_RUN_FROM = ABR_OR_TINY(64 * 1024, 512),
    ABR_DIFF_SLICE_BITS = 24 /* of a candidate's line, for the slice's number; the hunk's is above */
};

/* A file, by its header. */
typedef struct {
    abr_diff_tally before;
    uint64_t at;   /* bytes before it */
    uint64_t line; /* newlines before it */
    uint32_t header_n;
    uint32_t name_at; /* bytes of the header before the line that names it best */
    uint32_t name_n;  /* with its newline */
    uint32_t name_line;
    bool machine; /* no person wrote it */
    bool too_long;
} abr_diff_file;

/* A hunk, or a run of small ones; or, with no bytes, all that can be shown of a file without hunks: its
 * header. */
typedef struct {
    abr_diff_file file;
    abr_diff_tally before;
    uint64_t at;
    uint64_t line;
    uint64_t size;
    uint64_t newlines;
    uint64_t added;
    uint64_t removed;
    uint32_t defines_at; /* bytes of it before the first line that defines something; 0: none does */
    uint32_t hunks;
} abr_diff_hunk;

static inline bool abr_is_bare(const abr_diff_hunk *h)
{
    return h->size == 0;
}

/* Text before, between and after files: consecutive lines, as many from the first on as are retained. A
 * commit starts one of its own. */
typedef struct {
    abr_diff_tally before;
    uint64_t at;
    uint64_t line;
    uint64_t size; /* of all its lines */
    uint64_t lines;
    size_t text; /* where its bytes are in the store */
    size_t n;    /* how many */
} abr_diff_text;

typedef struct {
    abr_diff_file file;
    size_t text; /* where its name is in the store */
} abr_diff_name;

/* Bytes one after the other from the start of a block, records from its end, the first one last; full once
 * something did not fit. */
typedef struct {
    char *block;
    size_t size;
    size_t used;  /* bytes */
    size_t count; /* records */
    size_t cost;
    bool full;
} abr_diff_list;

static inline abr_diff_name *abr_diff_name_at(const abr_diff_list *l, size_t i)
{
    return (abr_diff_name *)(void *)(l->block + l->size) - 1 - i;
}

static inline abr_diff_text *abr_diff_text_at(const abr_diff_list *l, size_t i)
{
    return (abr_diff_text *)(void *)(l->block + l->size) - 1 - i;
}

/* What is retained, by the budget. */
enum {
    ABR_DIFF_PEOPLES_LEAST = ABR_OR_TINY(128 * 1024, 1024), /* bytes of hunks, */
    ABR_DIFF_MACHINES_LEAST = ABR_OR_TINY(32 * 1024, 512),
    ABR_DIFF_PEOPLES_HUNKS = 7, /* and more for each of the budget; */
    ABR_DIFF_MACHINES_HUNKS = 2,
    ABR_DIFF_PEOPLES_NAMES = 5, /* of names, */
    ABR_DIFF_MACHINES_NAMES = 2,
    ABR_DIFF_TEXTS = 4 /* and of texts */
};

enum { ABR_DIFF_PEOPLE, ABR_DIFF_MACHINES, ABR_DIFF_CLASSES };

typedef struct {
    const abr_alloc *alloc;
    size_t keep;
    abr_candidates hunks[ABR_DIFF_CLASSES]; /* slices of these */
    abr_diff_list names[ABR_DIFF_CLASSES];
    abr_diff_list texts;
    char *slice;          /* one that is being made */
    uint64_t hunk_count;  /* that were added, with the bare ones */
    abr_candidate *extra; /* slices of hunks that are open while a choice is made */
    size_t extra_count;
    size_t extra_size;
    bool peeks;  /* hunks become extra ones */
    bool failed; /* there was no memory for these */
} abr_diff_store;

bool abr_diff_store_open(abr_diff_store *s, size_t keep, const abr_alloc *alloc);

/* Get memory for what n bytes with so many lines and hunks may add. */
bool abr_diff_store_reserve(abr_diff_store *s, size_t n, size_t lines, size_t hunks);

void abr_diff_add_name(abr_diff_store *s, const abr_diff_file *file, const char *header);

/* Add a hunk, of whose bytes, counted from its start, abr_diff_ends_most() of each end are at hand. `level`:
 * bytes of its file that are shown before it. */
void abr_diff_add_hunk(abr_diff_store *s, const abr_diff_hunk *hunk, const char *header,
                       const abr_flow *bytes, uint64_t level);

/* Start a text at a place, or add a line to the last one; `p` NULL: it is too long to be retained. */
void abr_diff_add_text(abr_diff_store *s, const abr_diff_text *text);
void abr_diff_add_line(abr_diff_store *s, const char *p, uint64_t n);

/* Sizes of hunks in classes, four to an octave. */
unsigned abr_diff_size_class(uint64_t size);

/* Bytes of each end of a hunk that may be retained. */
size_t abr_diff_ends_most(const abr_diff_store *s);

/* What is retained with a budget: how much of a text's `keep` the parts may take. */
size_t abr_diff_hunks_allowance(size_t keep, int class);
size_t abr_diff_names_allowance(size_t keep, int class);
size_t abr_diff_texts_allowance(size_t keep);
size_t abr_diff_text_most(size_t keep);
uint64_t abr_diff_level_most(size_t keep);

enum { ABR_DIFF_RECORD_COST = 160 }; /* of a name or a text, beside its bytes; more than its record takes */

void abr_diff_drop_extra(abr_diff_store *s);
void abr_diff_store_close(abr_diff_store *s);

ABR_PRIVATE_END

#endif
