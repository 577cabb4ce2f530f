/* The bytes of a document that are at hand while it goes by. */
#ifndef ABR_KINDS_JSON_SOURCE_H
#define ABR_KINDS_JSON_SOURCE_H

#include "abridge.h"
#include "base/private.h"

ABR_PRIVATE_BEGIN

enum {
    ABR_JSON_SMALL = 2048,       /* bytes of a value that is retained or forgotten as a whole */
    ABR_JSON_PREFIX_MOST = 4096, /* bytes of a key, with blanks around it, that can be shown */
    ABR_JSON_CARRY =
        16 * 1024 /* bytes before a chunk that may still be needed, more than all these together */
};

typedef struct {
    const char *text; /* the whole document, or NULL */
    const char *p;    /* the chunk */
    size_t n;
    uint64_t at;    /* bytes before it */
    uint64_t lines; /* newlines in the first lines_to bytes */
    uint64_t lines_to;
    uint64_t carry_at;
    size_t carry_n;
    char carry[ABR_JSON_CARRY];
    char joined[ABR_JSON_CARRY + 64];
} abr_json_source;

/* What abr_json_bytes() gives, where they are not all in the chunk. */
const char *abr_json_joined(abr_json_source *s, uint64_t at, size_t n, size_t after);

/* n bytes from `at` on, in one piece; they are at hand, and with `after` more that only have to be
 * readable. */
static inline const char *abr_json_bytes(abr_json_source *s, uint64_t at, size_t n, size_t after)
{
    if (at >= s->at && at - s->at + n + after <= s->n)
        return s->p + (at - s->at);
    return abr_json_joined(s, at, n, after);
}

/* Copy n bytes that are at hand. */
void abr_json_copy(const abr_json_source *s, uint64_t at, size_t n, char *dst);

/* Newlines in the first `to` bytes; no call asks for fewer than the one before. */
uint64_t abr_json_lines(abr_json_source *s, uint64_t to);

/* The chunk goes, and what is before `from` may. */
void abr_json_carry(abr_json_source *s, uint64_t from);

ABR_PRIVATE_END

#endif
