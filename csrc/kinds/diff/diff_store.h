/* The retained parts of a diff as it goes by. */
#ifndef ABR_KINDS_DIFF_DIFF_STORE_H
#define ABR_KINDS_DIFF_DIFF_STORE_H

#include "base/private.h"
#include "base/tiny.h"
#include "priority/candidates.h"
#include "text/flow.h"

ABR_PRIVATE_BEGIN

/* Counts before a place. */
typedef struct {
    uint64_t commits;
    uint64_t files;
    uint64_t hunks;
    uint64_t added; /* lines in hunks */
    uint64_t removed;
    uint64_t lines; /* lines of text outside of files */
} abr_diff_tally;

static inline abr_diff_tally abr_tally_between(const abr_diff_tally *from, const abr_diff_tally *to)
{
    return (abr_diff_tally){to->commits - from->commits, to->files - from->files,
                            to->hunks - from->hunks,     to->added - from->added,
                            to->removed - from->removed, to->lines - from->lines};
}

enum {
    ABR_DIFF_HEADER_MOST = ABR_OR_TINY(4096, 96), /* bytes; a file with a longer one is only named, at most */
    ABR_DIFF_SIZES = 128,                         /* classes of sizes */
    ABR_DIFF_SLICE = ABR_OR_TINY(1024, 16),       /* bytes of each end of a hunk that are retained together */
    ABR_DIFF_SLICE_BITS = 24,   /* bits of a candidate's line for the slice's number; the hunk's is above */
    ABR_DIFF_PLACES_MOST = 1024 /* places up to which a diff may be shown whole */
};

/* Records of these stand in the allowances, so they have one size on every machine: a 32-bit one would align
 * their counts to 4 bytes, retain more and cut otherwise. */
#define ABR_DIFF_ALIGNED _Alignas(8)

/* A file, by its header. */
typedef struct {
    ABR_DIFF_ALIGNED abr_diff_tally before;
    uint64_t at;   /* bytes before it */
    uint64_t line; /* newlines before it */
    uint32_t header_n;
    uint32_t name_at; /* bytes of the header before the line that names the file best */
    uint32_t name_n;  /* with its newline; 0: it is too long */
    uint32_t name_line;
    bool machine;  /* no person wrote it */
    bool too_long; /* its header is not at hand */
} abr_diff_file;

/* A hunk; without bytes, the header of a file without hunks, all there is to show of it. */
typedef struct {
    abr_diff_file file;
    abr_diff_tally before;
    uint64_t at;
    uint64_t line;
    uint64_t size;
    uint64_t newlines;
    uint64_t added;
    uint64_t removed;
    uint32_t defines_at;  /* bytes of it before its first definition; 0: none */
    uint32_t conflict_at; /* the same before the mark of a conflict */
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

_Static_assert(sizeof(abr_diff_hunk) == 192 && sizeof(abr_diff_name) == 136, "equal on every machine");

/* Text before, between and after files: consecutive lines. A commit starts its own text. */
typedef struct {
    ABR_DIFF_ALIGNED abr_diff_tally before;
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
    uint64_t file_at; /* bytes before the file that the place is in or after */
} abr_diff_place;

/*
 * Allowances for a budget of `keep` bytes. A competing hunk costs some 600 bytes and a microsecond, however
 * small it is, so a budget over ABR_DIFF_KEEP_MOST retains no more than that one.
 *
 * A name of 40 bytes takes some 280 in all, so 5 bytes per byte of budget hold names for three quarters of
 * it. Hunks that fill a budget of a few KB take three times as much with their records; so do texts.
 */
enum {
    ABR_DIFF_KEEP_MOST = ABR_OR_TINY(256 * 1024, 4096),
    ABR_DIFF_HUNKS_LEAST = ABR_OR_TINY(128 * 1024, 1536),
    ABR_DIFF_HUNKS_PER_BYTE = 7,
    ABR_DIFF_NAMES_LEAST = ABR_OR_TINY(32 * 1024, 512),
    ABR_DIFF_NAMES_PER_BYTE = 5,
    ABR_DIFF_TEXTS_LEAST = ABR_OR_TINY(5 * 1024, 512),
    ABR_DIFF_TEXTS_PER_BYTE = 3,
    /* a text takes so many bytes, enough for the header of a mail, */
    ABR_DIFF_TEXT_LEAST = ABR_OR_TINY(320, 32),
    ABR_DIFF_TEXT_SHARE = 8 /* or at most this part of the budget */
};

/* A text takes more of a larger budget. This makes sure that a larger one forgets no text that a smaller one
 * retains. */
_Static_assert((size_t)ABR_DIFF_TEXTS_LEAST <= (size_t)ABR_DIFF_TEXTS_PER_BYTE * ABR_DIFF_TEXT_SHARE *
                                                   (ABR_CANDIDATE_COST + sizeof(abr_diff_text)),
               "texts that a budget retains are retained by larger ones");

enum { ABR_DIFF_HUNKS, ABR_DIFF_NAMES, ABR_DIFF_TEXTS, ABR_DIFF_LISTS };

/*
 * Three lists of candidates, each with its record in front of its bytes. Their numbers (`line`) follow the
 * order of the source; people's work outweighs machines'.
 */
typedef struct {
    const abr_alloc *alloc;
    size_t keep;
    abr_candidates lists[ABR_DIFF_LISTS];
    char *scratch;        /* a candidate being made */
    uint64_t hunk_count;  /* hunks added, including the bare ones */
    abr_candidate *extra; /* candidates of the open hunk or text during a choice */
    size_t extra_count;
    size_t extra_size;
    bool peeks;  /* candidates become extra ones */
    bool failed; /* there was no memory for them */
} abr_diff_store;

bool abr_diff_store_open(abr_diff_store *s, size_t keep, const abr_alloc *alloc);

/* Get memory for the parts that n bytes with so many lines and hunks may add. */
bool abr_diff_store_reserve(abr_diff_store *s, size_t n, size_t lines, size_t hunks);

/* Add the name of a file that is the nth of its commit, from 0. */
void abr_diff_add_name(abr_diff_store *s, const abr_diff_name *name, uint64_t nth, const char *header);

/* Add a text; its first n bytes are at p, at most abr_diff_text_most(). */
void abr_diff_add_text(abr_diff_store *s, const abr_diff_text *text, const char *p, size_t n);

/* Add a hunk; `bytes`, counted from its start, has abr_diff_ends_most() of each end at hand. `level`: bytes
 * of its file that are shown before it. */
void abr_diff_add_hunk(abr_diff_store *s, const abr_diff_hunk *hunk, const char *header,
                       const abr_flow *bytes, uint64_t level);

/* Sizes of hunks in classes, four to an octave. */
unsigned abr_diff_size_class(uint64_t size);

/* Bytes of each end of a hunk that may be retained. */
size_t abr_diff_ends_most(const abr_diff_store *s);

/* Limits with a budget: the cost of a list, the bytes of a text, the level of a hunk. */
size_t abr_diff_allowance(size_t keep, int which);
size_t abr_diff_text_most(size_t keep);
uint64_t abr_diff_level_most(size_t keep);

/* Added to the level of hunks that machines made: more than any level. */
#define ABR_DIFF_MACHINES (UINT64_C(4) * ABR_DIFF_KEEP_MOST)

_Static_assert(2 * ABR_DIFF_MACHINES <= 1 << 24, "a float holds each level");

void abr_diff_drop_extra(abr_diff_store *s);
void abr_diff_store_close(abr_diff_store *s);

ABR_PRIVATE_END

#endif
