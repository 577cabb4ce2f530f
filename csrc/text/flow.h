/* The bytes of a source that flows by, as far as they are at hand. */
#ifndef ABR_TEXT_FLOW_H
#define ABR_TEXT_FLOW_H

#include "abridge.h"
#include "base/private.h"

ABR_PRIVATE_BEGIN

/* Bytes of the source in one piece. */
typedef struct {
    const char *p;
    size_t n;
    uint64_t at; /* bytes of the source before them */
} abr_flow_part;

/*
 * A source of which two parts are at hand: what was carried and the chunk, a text so far and what comes next,
 * two ends. All offsets are those of the source.
 *
 * Whoever needs bytes of such a source asks here, and is told if they are not at hand.
 */
typedef struct {
    abr_flow_part first;
    abr_flow_part last;
} abr_flow;

/* The n bytes from `at` on, or NULL: they are not at hand in this part. */
static inline const char *abr_flow_in(const abr_flow_part *part, uint64_t at, size_t n)
{
    return at >= part->at && at - part->at <= part->n && n <= part->n - (size_t)(at - part->at)
               ? part->p + (size_t)(at - part->at)
               : NULL;
}

/* The n bytes from `at` on in one piece, or NULL: they are not at hand, or in two. */
static inline const char *abr_flow_piece(const abr_flow *f, uint64_t at, size_t n)
{
    const char *p = abr_flow_in(&f->last, at, n);
    return p ? p : abr_flow_in(&f->first, at, n);
}

/* Where byte `at` is, and in *n how many follow in one piece, itself included; NULL: it is not at hand. */
const char *abr_flow_at(const abr_flow *f, uint64_t at, size_t *n);

/* Are these bytes at hand? None always are. */
bool abr_flow_has(const abr_flow *f, uint64_t at, size_t n);

/* Copy bytes that are at hand; false: they are not, and nothing is copied. `dst` may be where the first part
 * is. */
bool abr_flow_copy(const abr_flow *f, uint64_t at, size_t n, char *dst);

ABR_PRIVATE_END

#endif
