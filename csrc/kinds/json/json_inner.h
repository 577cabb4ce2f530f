/* A string in a document that is itself a document: a log, a table, JSON, or lines of text. */
#ifndef ABR_KINDS_JSON_JSON_INNER_H
#define ABR_KINDS_JSON_JSON_INNER_H

#include "abridge.h"
#include "base/private.h"
#include "kinds/json/json_held.h"
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

/* The options for cutting a text inside this one by its own kind, within so many bytes or the fewer for
 * which enough is kept of a text that went by. */
abr_opts abr_json_inner_opts(const abr_kind_request *q, uint64_t bytes, bool marks);

/* Cut the document that (raw, n) spells by its kind, within `most` bytes of spelling. False: it isn't a
 * document, or can't be cut as one. Always call abr_json_inner_free(). */
bool abr_json_inner_cut(const abr_kind_request *q, const abr_alloc *alloc, const char *raw, size_t n,
                        uint64_t most, bool marks, abr_json_inner *x);

/* The same for a held string, as a log. */
bool abr_json_inner_cut_log(const abr_kind_request *q, const abr_json_held *held,
                            const abr_json_held_string *s, uint64_t most, bool marks, abr_json_inner *x);

/* Callbacks for the content of a cut, in order: bytes of the string, which stand after `at` others, and
 * markers, spelled for it. The callbacks must copy the bytes. */
typedef struct {
    void (*keep)(void *ctx, const char *p, size_t at, size_t n);
    void (*mark)(void *ctx, const char *p, size_t n);
    void *ctx;
} abr_json_inner_parts;

void abr_json_inner_tell(const abr_json_inner *x, const abr_json_inner_parts *to);

void abr_json_inner_free(abr_json_inner *x, const abr_alloc *alloc);

ABR_PRIVATE_END

#endif
