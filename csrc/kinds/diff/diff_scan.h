/* A diff taken apart as it goes by: files, hunks and the text between. */
#ifndef ABR_KINDS_DIFF_DIFF_SCAN_H
#define ABR_KINDS_DIFF_DIFF_SCAN_H

#include "base/private.h"
#include "base/tiny.h"
#include "kinds/diff/diff.h"
#include "kinds/diff/diff_store.h"

ABR_PRIVATE_BEGIN

enum { ABR_DIFF_LINE_MOST = ABR_OR_TINY(4096, 64) };

typedef enum { ABR_DIFF_IN_TEXT, ABR_DIFF_IN_HEADER, ABR_DIFF_IN_HUNK } abr_diff_state;

/* The held bytes of the open text or hunk: the start of a text; the start and then the end of a hunk, as far
 * as it came in earlier chunks. */
typedef struct {
    char *p;
    size_t n;
    size_t size; /* allocated */
} abr_diff_open;

/* The output of a scan. */
typedef struct {
    abr_diff_open open;
    abr_diff_store store;
    abr_diff_place *places;
    size_t place_most; /* allocated; ABR_DIFF_PLACES_MOST while it goes by */
} abr_diff_scanned;

typedef struct {
    abr_diff_state state;
    abr_diff_tally now; /* before the next line */
    uint64_t at;
    uint64_t line;
    uint64_t commit_files; /* files before the commit */

    abr_diff_text text; /* without lines, none is open */
    bool text_judged;   /* it was examined for a log's lines */
    uint64_t log_at;    /* a log starts here, and what shows that ends; 0: none yet */
    uint64_t open_n;    /* bytes of the open line */

    abr_diff_file file;
    uint64_t nth; /* of its commit, from 0 */
    unsigned header_lines;
    bool any_file;
    bool named;                     /* it has `+++ ` */
    bool plain;                     /* it starts with `--- ` */
    bool binary;                    /* inside a binary patch */
    bool taken;                     /* the open line is part of the hunk */
    char commit_form;               /* the form of the first commit's line; all others have it too */
    uint64_t sizes[ABR_DIFF_SIZES]; /* bytes of the file's hunks in the first classes of sizes */
    unsigned size_count;
    char header[ABR_DIFF_HEADER_MOST];

    abr_diff_hunk hunk;
    abr_hunk left; /* its lines still to come */

    char start[ABR_DIFF_LINE_MOST]; /* of an open line that is not taken yet */
    size_t start_n;

    /* `--- ` and `+++ ` lines, which are a header if `@@` comes next */
    char held[2 * ABR_DIFF_LINE_MOST];
    size_t held_n[2];
    unsigned held_count;

    size_t place_count;
    abr_diff_scanned *to;
} abr_diff_scan;

/* Get memory for a chunk of n bytes. */
bool abr_diff_scan_reserve(abr_diff_scanned *to, size_t n);

/* Read a chunk for which memory was reserved, here and in the store. */
void abr_diff_scan_write(abr_diff_scan *s, const char *p, size_t n);

/* The text ends here. */
void abr_diff_scan_end(abr_diff_scan *s);

ABR_PRIVATE_END

#endif
