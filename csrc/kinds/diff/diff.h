/* Unified diffs: their lines, and whether a text is one. */
#ifndef ABR_KINDS_DIFF_DIFF_H
#define ABR_KINDS_DIFF_DIFF_H

#include "base/private.h"
#include "base/tiny.h"
#include "line/lines.h"

ABR_PRIVATE_BEGIN

enum { ABR_MOST_PARENTS = 16 }; /* of a combined diff */

/* The lines of a hunk still to come, by its `@@` line. */
typedef struct {
    unsigned parents;                  /* 1, more in a combined diff */
    uint64_t before[ABR_MOST_PARENTS]; /* lines of each */
    uint64_t after;
    bool adds;    /* the line taken last adds a line, */
    bool removes; /* or one of its columns says that it removes one */
} abr_hunk;

/* Is the line the `@@` line of a hunk, or the `@@@` line of one with more parents? */
bool abr_hunk_opens(abr_text_line line, abr_hunk *hunk);

/* Is the line the next one of the hunk? An empty one counts as context, since mail strips blanks. After the
 * last line only `\ No newline at end of file` is one. */
bool abr_hunk_takes(abr_hunk *hunk, abr_text_line line);

typedef enum {
    ABR_DIFF_OTHER = 0,
    ABR_DIFF_FILE,   /* starts a file: `diff --git`, `diff -r`, `Index:` */
    ABR_DIFF_HEADER, /* continues it: `index`, `rename from`, `Binary files`, `+++` */
    ABR_DIFF_COMMIT  /* `commit` of git log, `From` of a patch by mail */
} abr_diff_line;

/* The role of a line outside of hunks. `--- ` alone is ABR_DIFF_HEADER. */
abr_diff_line abr_diff_line_of(abr_text_line line);

/* Is there a commit's hash at this place in the line, like at the start of lines of `git log --oneline`? */
bool abr_diff_hash_at(abr_text_line line, size_t at);

/* Is (p, n) a unified diff, or commits with their diffs? */
bool abr_is_diff(const char *p, size_t n);

/* May a diff, or a commit with its diff, start with the first line of (p, n)? `mail`: or a mail with one? */
bool abr_diff_may_start(const char *p, size_t n, bool mail);

/* The size, in whole lines, of the diff that (p, n) starts with; 0 if it doesn't. *read gets the number of
 * bytes read. */
size_t abr_diff_extent(const char *p, size_t n, size_t *read);

enum { ABR_DEFINED_WITHIN = ABR_OR_TINY(200, 24) }; /* bytes of a line that are examined */

/* Does the line, without its `+`, start the definition of a function, a class or a type, in any of the usual
 * languages? A reader of a diff looks for those. */
bool abr_defines(abr_text_line line);

ABR_PRIVATE_END

#endif
