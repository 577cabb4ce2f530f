/* A string of a document that is a document itself: a log, a table, JSON, or lines of text. */
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
    const char *raw; /* the string's content as it is spelled; NULL where that went by */
    size_t n;
    char *text;       /* what the cut is of: the same decoded, or with its lines broken; or NULL */
    abr_json_log log; /* what read it, if it is a log whose lines were broken */
    bool is_log;
    char *spelled; /* a piece of that */
    abr_cut cut;
    bool marks;  /* markers are shown */
    bool failed; /* there was no memory */
} abr_json_inner;

/* Is what stands inside this text no document any more? */
bool abr_json_is_deep(const abr_kind_request *q);

/* The options for a cut of a text inside this one, as what it is. */
abr_opts abr_json_inner_opts(const abr_kind_request *q, uint64_t bytes, bool marks);

/* Cut what (raw, n) spells as what it is, within `most` bytes as they are spelled. False: it is no document, or cannot
 * be cut as one. abr_json_inner_free() is due in every case. */
bool abr_json_inner_cut(const abr_kind_request *q, const abr_alloc *alloc, const char *raw, size_t n,
                        uint64_t most, bool marks, abr_json_inner *x);

/* The same of a string that is held, as a log. */
bool abr_json_inner_cut_log(const abr_kind_request *q, const abr_json_held *held,
                            const abr_json_held_string *s, uint64_t most, bool marks, abr_json_inner *x);

/* Is told the content of a cut in order: bytes of the string, `at` of which stand before these, and markers, which are
 * spelled for it. The bytes are copied. */
typedef struct {
    void (*keep)(void *ctx, const char *p, size_t at, size_t n);
    void (*mark)(void *ctx, const char *p, size_t n);
    void *ctx;
} abr_json_inner_parts;

void abr_json_inner_tell(const abr_json_inner *x, const abr_json_inner_parts *to);

void abr_json_inner_free(abr_json_inner *x, const abr_alloc *alloc);

ABR_PRIVATE_END

#endif
