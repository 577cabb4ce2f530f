/* Unified diffs: their lines, and whether a text is one. */
#ifndef ABR_KINDS_DIFF_DIFF_H
#define ABR_KINDS_DIFF_DIFF_H

#include "abridge.h"
#include "base/private.h"
#include "line/lines.h"

ABR_PRIVATE_BEGIN

enum { ABR_MOST_PARENTS = 16 }; /* of a combined diff */

/* What of a hunk is still to come, by its `@@` line. */
typedef struct {
    unsigned parents;                  /* 1, more in a combined diff */
    uint64_t before[ABR_MOST_PARENTS]; /* lines of each */
    uint64_t after;
} abr_hunk;

/* Is the line the `@@` line of a hunk, or the `@@@` line of one with more parents? */
bool abr_hunk_opens(abr_text_line line, abr_hunk *hunk);

/* Is the line the next one of the hunk? An empty one counts as context, as mail leaves these. After the last
 * line only `\ No newline at end of file` is one. */
bool abr_hunk_takes(abr_hunk *hunk, abr_text_line line);

typedef enum {
    ABR_DIFF_OTHER = 0,
    ABR_DIFF_FILE,   /* starts a file: `diff --git`, `diff -r`, `Index:` */
    ABR_DIFF_HEADER, /* goes on: `index`, `rename from`, `Binary files`, `+++` */
    ABR_DIFF_COMMIT  /* `commit` of git log, `From` of a patch by mail */
} abr_diff_line;

/* What the line, outside of hunks, is in a diff. `--- ` alone is ABR_DIFF_HEADER. */
abr_diff_line abr_diff_line_of(abr_text_line line);

/* Is there a commit's hash at a place in the line, at its start as in `git log --oneline`? */
bool abr_diff_hash_at(abr_text_line line, size_t at);

/* Is (p, n) a unified diff, or commits with theirs? */
bool abr_is_diff(const char *p, size_t n);

/* May a diff start with the first line of (p, n), or a commit with its own? `mail`: or a mail with one? */
bool abr_diff_may_start(const char *p, size_t n, bool mail);

/* The size of the diff that starts (p, n), of whole lines, if one does; else 0. *read gets the bytes that were read. */
size_t abr_diff_extent(const char *p, size_t n, size_t *read);

ABR_PRIVATE_END

#endif
