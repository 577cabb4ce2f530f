/* What is retained of a diff as it goes by. */
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
    ABR_DIFF_SLICE_BITS = 24,   /* of a candidate's line, for the slice's number; the hunk's is above */
    ABR_DIFF_PLACES_MOST = 1024 /* up to which a diff may be shown whole */
};

/* A file, by its header. */
typedef struct {
    abr_diff_tally before;
    uint64_t at;   /* bytes before it */
    uint64_t line; /* newlines before it */
    uint32_t header_n;
    uint32_t name_at; /* bytes of the header before the line that names it best */
    uint32_t name_n;  /* with its newline; 0: it is too long */
    uint32_t name_line;
    bool machine;  /* no person wrote it */
    bool too_long; /* its header is not at hand */
} abr_diff_file;

/* A hunk; or, with no bytes, all that can be shown of a file without hunks: its header. */
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
} abr_diff_hunk;

static inline bool abr_is_bare(const abr_diff_hunk *h)
{
    return h->size == 0;
}

/* The name of a file, and the counts of its hunks. */
typedef struct {
    abr_diff_file file;
    abr_diff_tally hunks;
} abr_diff_name;

/* Text before, between and after files: consecutive lines. A commit starts one of its own. */
typedef struct {
    abr_diff_tally before;
    uint64_t at;
    uint64_t line;
    uint64_t size;
    uint64_t lines;
    bool commit; /* a commit's line is in it */
} abr_diff_text;

/* A place outside of hunks: all before it may be shown as it stands. */
typedef struct {
    abr_diff_tally before;
    uint64_t at;
    uint64_t line;
    uint64_t file_at; /* bytes before the file that it is in, or after */
} abr_diff_place;

/*
 * What is retained for a budget of `keep` bytes. A hunk that competes costs some 600 bytes and a microsecond,
 * however small it is, so a larger budget than ABR_DIFF_KEEP_MOST retains no more than that one.
 *
 * Of a name of 40 bytes all takes some 280, of which 5 bytes a byte of budget hold three quarters of it in
 * names. Hunks that fill a budget of a few KB take three times as much with their records; so do texts.
 */
enum {
    ABR_DIFF_KEEP_MOST = ABR_OR_TINY(256 * 1024, 4096),
    ABR_DIFF_HUNKS_LEAST = ABR_OR_TINY(128 * 1024, 1536),
    ABR_DIFF_HUNKS_PER_BYTE = 7,
    ABR_DIFF_NAMES_LEAST = ABR_OR_TINY(32 * 1024, 512),
    ABR_DIFF_NAMES_PER_BYTE = 5,
    ABR_DIFF_TEXTS_LEAST = ABR_OR_TINY(5 * 1024, 512),
    ABR_DIFF_TEXTS_PER_BYTE = 3,
    ABR_DIFF_TEXT_LEAST = ABR_OR_TINY(320, 32), /* a text takes so many bytes, for the header of a mail, */
    ABR_DIFF_TEXT_SHARE = 8                     /* or at most this part of the budget */
};

/* A text takes more of a larger budget, so only with this does a smaller one retain no text that it forgets. */
_Static_assert((size_t)ABR_DIFF_TEXTS_LEAST <= (size_t)ABR_DIFF_TEXTS_PER_BYTE * ABR_DIFF_TEXT_SHARE *
                                                   (ABR_CANDIDATE_COST + sizeof(abr_diff_text)),
               "texts that a budget retains are retained by larger ones");

enum { ABR_DIFF_HUNKS, ABR_DIFF_NAMES, ABR_DIFF_TEXTS, ABR_DIFF_HEAPS };

/*
 * Three heaps of candidates, each with its record in front of its bytes. Their numbers (`line`) have the order
 * of the source; what people wrote outweighs what machines made.
 */
typedef struct {
    const abr_alloc *alloc;
    size_t keep;
    abr_candidates heaps[ABR_DIFF_HEAPS];
    char *scratch;        /* a candidate that is being made */
    uint64_t hunk_count;  /* that were added, with the bare ones */
    abr_candidate *extra; /* candidates made of what is open while a choice is made */
    size_t extra_count;
    size_t extra_size;
    bool peeks;  /* candidates become extra ones */
    bool failed; /* there was no memory for these */
} abr_diff_store;

bool abr_diff_store_open(abr_diff_store *s, size_t keep, const abr_alloc *alloc);

/* Get memory for what n bytes with so many lines and hunks may add. */
bool abr_diff_store_reserve(abr_diff_store *s, size_t n, size_t lines, size_t hunks);

/* Add the name of a file that is the nth of its commit, from 0. */
void abr_diff_add_name(abr_diff_store *s, const abr_diff_name *name, uint64_t nth, const char *header);

/* Add a text, of which the first n bytes are at p, at most abr_diff_text_most(). */
void abr_diff_add_text(abr_diff_store *s, const abr_diff_text *text, const char *p, size_t n);

/* Add a hunk, of whose bytes, counted from its start, abr_diff_ends_most() of each end are at hand. `level`:
 * bytes of its file that are shown before it. */
void abr_diff_add_hunk(abr_diff_store *s, const abr_diff_hunk *hunk, const char *header,
                       const abr_flow *bytes, uint64_t level);

/* Sizes of hunks in classes, four to an octave. */
unsigned abr_diff_size_class(uint64_t size);

/* Bytes of each end of a hunk that may be retained. */
size_t abr_diff_ends_most(const abr_diff_store *s);

/* What is retained with a budget: the cost of a heap, bytes of a text, levels of hunks. */
size_t abr_diff_allowance(size_t keep, int heap);
size_t abr_diff_text_most(size_t keep);
uint64_t abr_diff_level_most(size_t keep);

/* Added to the level of hunks that machines made: more than any level. */
#define ABR_DIFF_MACHINES (UINT64_C(4) * ABR_DIFF_KEEP_MOST)

_Static_assert(2 * ABR_DIFF_MACHINES <= 1 << 24, "a float holds each level");

void abr_diff_drop_extra(abr_diff_store *s);
void abr_diff_store_close(abr_diff_store *s);

ABR_PRIVATE_END

#endif
