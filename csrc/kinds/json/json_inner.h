/* A string in a document that is itself a document: a log, a table, JSON, or lines of text; an array whose
 * elements are the lines of a log. */
#ifndef ABR_KINDS_JSON_JSON_INNER_H
#define ABR_KINDS_JSON_JSON_INNER_H

#include "base/private.h"
#include "kinds/json/json_held.h"
#include "kinds/json/json_joined.h"
#include "kinds/json/json_log.h"
#include "kinds/reader.h"

ABR_PRIVATE_BEGIN

/* A cut of a string. */
typedef struct {
    const char *raw; /* the string's content as spelled; NULL if it went by */
    size_t n;
    char *text;       /* the text that is cut: the content decoded, or with its lines broken; or NULL */
    abr_json_log log; /* its reader, if it is a log whose lines were broken */
    bool is_log;
    char *spelled; /* buffer for a piece of the log as spelled */
    abr_cut cut;
    bool marks;  /* markers are shown */
    bool failed; /* out of memory */
} abr_json_inner;

/* Is this text nested too deep for n bytes of it to be decoded and cut as a document, or in too much? */
bool abr_json_is_deep(const abr_kind_request *q, size_t n);

/* Cut the document that (raw, n) spells by its kind, within `most` bytes of spelling. False: it isn't a
 * document, or can't be cut as one. Always call abr_json_inner_free(). */
bool abr_json_inner_cut(const abr_kind_request *q, const abr_alloc *alloc, const char *raw, size_t n,
                        uint64_t most, bool marks, abr_json_inner *x);

/* The same for a held string, as a log. */
bool abr_json_inner_cut_log(const abr_kind_request *q, const abr_json_held *held,
                            const abr_json_held_string *s, uint64_t most, bool marks, abr_json_inner *x);

#define ABR_JSON_MARKER SIZE_MAX

/* A callback for the content of a cut, in order: bytes of the string, which stand after `at` others, and
 * markers, spelled for it, with ABR_JSON_MARKER for `at`. It must copy the bytes. */
typedef struct {
    void (*show)(void *ctx, const char *p, size_t at, size_t n);
    void *ctx;
} abr_json_inner_parts;

void abr_json_inner_tell(const abr_json_inner *x, const abr_json_inner_parts *to);

void abr_json_inner_free(abr_json_inner *x, const abr_alloc *alloc);

/* Keep the elements that a log of these lines would keep within so many bytes. False: it isn't a log with
 * trouble in it. */
bool abr_json_joined_keep(abr_json_line_list *x, const abr_kind_request *q, uint64_t bytes);

/* A kept element of an array that was read as a log while it went by. */
typedef struct {
    uint64_t ordinal;
    const char *p; /* its line, as fed: with the blanks around it, and the array's bracket before the first;
                    * NULL: not all of it is at hand */
    size_t n;
    uint64_t at;       /* bytes of the array before the line */
    uint64_t newlines; /* of the array before it */
} abr_json_kept;

typedef struct {
    const abr_alloc *alloc;
    abr_json_log log;
    char *text; /* of an array at hand that was read again, or NULL */
    abr_json_kept *kept;
    size_t count;
    size_t size; /* allocated */
    bool failed; /* out of memory */
} abr_json_elements;

/* Read held array i, or take its log. False: it can't be cut as one. Always call
 * abr_json_elements_close(). */
bool abr_json_elements_open(abr_json_elements *x, const abr_kind_request *q, const abr_json_held *held,
                            size_t i);

/* Find the elements that a cut of the log keeps within so many bytes. False: there are none. */
bool abr_json_elements_keep(abr_json_elements *x, const abr_kind_request *q, uint64_t bytes);

void abr_json_elements_close(abr_json_elements *x);

ABR_PRIVATE_END

#endif
