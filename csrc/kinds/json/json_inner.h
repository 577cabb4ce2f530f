/* A string of a document that is a document itself: a log, a table, JSON, or lines of text. */
#ifndef ABR_KINDS_JSON_JSON_INNER_H
#define ABR_KINDS_JSON_JSON_INNER_H

#include "abridge.h"
#include "base/private.h"
#include "base/tiny.h"
#include "kinds/reader.h"

ABR_PRIVATE_BEGIN

/* The first long string of several lines, or of JSON, in a document: all of it in its own spelling, within a bound by
 * the budget. Of a document that is all at hand, the last such string, of any length. */
typedef struct {
    const char *document; /* NULL: it flows */
    char *p;
    size_t n;
    size_t size; /* allocated */
    size_t most;
    uint64_t at;   /* bytes of the source before its content */
    bool passes;   /* the open string is none, or too long */
    bool too_long; /* the first one was, and no other one takes its place */
    bool is_lines;
    bool whole; /* it has ended */
} abr_json_lines_text;

enum {
    ABR_JSON_LINES_LEAST = ABR_OR_TINY(4096, 64),      /* bytes of such a string */
    ABR_JSON_LINES_MOST = ABR_OR_TINY(42 * 1024, 512), /* and the most of them, */
    ABR_JSON_LINES_PER_BYTE = 7                        /* and more by the budget */
};

size_t abr_json_lines_most(size_t keep);

/* Is all of such a string there for these budgets? */
bool abr_json_has_lines(const abr_json_lines_text *x, size_t keep);

/* Get memory for n more bytes of the open string. */
bool abr_json_lines_reserve(abr_json_lines_text *x, size_t n, const abr_alloc *alloc);

/* The content of a long string that begins after `at` bytes of the source; n bytes more of it; its end. */
void abr_json_lines_begin(abr_json_lines_text *x, uint64_t at);
void abr_json_lines_take(abr_json_lines_text *x, const char *p, size_t n);
void abr_json_lines_end(abr_json_lines_text *x);

/* A cut of such a string. */
typedef struct {
    const char *raw; /* the string's content as it is spelled */
    size_t n;
    char *text; /* the same decoded, of which the cut is */
    abr_cut cut;
    bool marks;  /* markers are shown */
    bool failed; /* there was no memory */
} abr_json_inner;

/* Cut what (raw, n) spells as what it is, within `most` bytes as they are spelled. False: it is no document, or cannot
 * be cut as one. abr_json_inner_free() is due in every case. */
bool abr_json_inner_cut(const abr_kind_request *q, const abr_alloc *alloc, const char *raw, size_t n,
                        uint64_t most, bool marks, abr_json_inner *x);

/* Is told the content of a cut in order: bytes of the string, and markers, which are spelled for it. */
typedef struct {
    void (*keep)(void *ctx, size_t at, size_t n);
    void (*mark)(void *ctx, const char *p, size_t n);
    void *ctx;
} abr_json_inner_parts;

void abr_json_inner_tell(const abr_json_inner *x, const abr_json_inner_parts *to);

void abr_json_inner_free(abr_json_inner *x, const abr_alloc *alloc);

ABR_PRIVATE_END

#endif
