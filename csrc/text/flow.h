/* The bytes at hand of a source that flows by. */
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
 * A source with two parts at hand: bytes carried over and the chunk, a text so far and the next bytes, two
 * ends. All offsets are those of the source.
 *
 * The functions below say if the bytes wanted are not at hand.
 */
typedef struct {
    abr_flow_part first;
    abr_flow_part last;
} abr_flow;

/* The n bytes from `at` on, or NULL if this part does not have them. */
static inline const char *abr_flow_in(const abr_flow_part *part, uint64_t at, size_t n)
{
    return at >= part->at && at - part->at <= part->n && n <= part->n - (size_t)(at - part->at)
               ? part->p + (size_t)(at - part->at)
               : NULL;
}

/* The n bytes from `at` on in one piece, or NULL if they are not at hand, or in two pieces. */
static inline const char *abr_flow_piece(const abr_flow *f, uint64_t at, size_t n)
{
    const char *p = abr_flow_in(&f->last, at, n);
    return p ? p : abr_flow_in(&f->first, at, n);
}

/* Byte `at`, and in *n the number of bytes from it on in one piece; NULL if it is not at hand. */
const char *abr_flow_at(const abr_flow *f, uint64_t at, size_t *n);

/* Are these bytes at hand? Always true of 0 bytes. */
bool abr_flow_has(const abr_flow *f, uint64_t at, size_t n);

/* Copy bytes that are at hand; false if they are not, and nothing is copied. `dst` may be in the first
 * part. */
bool abr_flow_copy(const abr_flow *f, uint64_t at, size_t n, char *dst);

/* Add n bytes to a tail that has the last bytes so far, `have` of them, and room for 2 * edge: at least the
 * last `edge` stay. Returns how many it has. */
size_t abr_tail_add(char *tail, size_t have, size_t edge, const char *p, size_t n);

ABR_PRIVATE_END

#endif
