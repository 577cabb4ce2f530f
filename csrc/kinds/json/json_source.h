/* The bytes of a document that are at hand while it goes by. */
#ifndef ABR_KINDS_JSON_JSON_SOURCE_H
#define ABR_KINDS_JSON_JSON_SOURCE_H

#include "abridge.h"
#include "base/private.h"
#include "base/tiny.h"
#include "text/flow.h"

ABR_PRIVATE_BEGIN

enum {
    ABR_JSON_SMALL = ABR_OR_TINY(2048, 64), /* bytes of a value that is retained or forgotten as a whole */
    /* bytes of a key, with blanks around it, that can be shown */
    ABR_JSON_PREFIX_MOST = ABR_OR_TINY(4096, 64),
    /* bytes before a chunk that may still be needed, more than all these together */
    ABR_JSON_CARRY = ABR_OR_TINY(16 * 1024, 160)
};

typedef struct {
    abr_flow flow;  /* what was carried, and the chunk */
    uint64_t lines; /* newlines in the first lines_to bytes */
    uint64_t lines_to;
    char carry[ABR_JSON_CARRY];
    char joined[ABR_JSON_CARRY + 64];
} abr_json_source;

/* The next n bytes come. */
void abr_json_chunk(abr_json_source *s, const char *p, size_t n);

/* What abr_json_bytes() gives, where they are not all in one piece. */
const char *abr_json_joined(abr_json_source *s, uint64_t at, size_t n, size_t after);

/* n bytes from `at` on, in one piece, with `after` more that only have to be readable; NULL: they are not at
 * hand. */
static inline const char *abr_json_bytes(abr_json_source *s, uint64_t at, size_t n, size_t after)
{
    const char *p = abr_flow_in(&s->flow.last, at, n + after);
    return p ? p : abr_json_joined(s, at, n, after);
}

/* Newlines in the first `to` bytes; no call asks for fewer than the one before. */
uint64_t abr_json_lines(abr_json_source *s, uint64_t to);

/* The chunk goes, and what is before `from` may; no more than ABR_JSON_CARRY bytes stay. */
void abr_json_carry(abr_json_source *s, uint64_t from);

ABR_PRIVATE_END

#endif
