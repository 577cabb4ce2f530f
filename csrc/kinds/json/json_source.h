/* The bytes of a document that are at hand while it goes by. */
#ifndef ABR_KINDS_JSON_JSON_SOURCE_H
#define ABR_KINDS_JSON_JSON_SOURCE_H

#include "base/private.h"
#include "base/tiny.h"
#include "text/flow.h"

ABR_PRIVATE_BEGIN

enum {
    /* a value of at most so many bytes is retained or forgotten as a whole */
    ABR_JSON_SMALL = ABR_OR_TINY(2048, 64),
    /* a key of at most so many bytes, with blanks around it, can be shown */
    ABR_JSON_PREFIX_MOST = ABR_OR_TINY(4096, 64),
    /* bytes before a chunk that may still be needed: more than both together */
    ABR_JSON_CARRY = ABR_OR_TINY(16 * 1024, 160)
};

typedef struct {
    abr_flow flow;  /* the carried bytes, and the chunk */
    uint64_t lines; /* newlines in the first lines_to bytes */
    uint64_t lines_to;
    char carry[ABR_JSON_CARRY];
    char joined[ABR_JSON_CARRY + 64];
} abr_json_source;

/* The result of abr_json_bytes() if the bytes are not all in one piece. */
const char *abr_json_joined(abr_json_source *s, uint64_t at, size_t n, size_t after);

/* n bytes from `at` on, in one piece, followed by `after` bytes that only have to be readable; NULL: not at
 * hand. */
static inline const char *abr_json_bytes(abr_json_source *s, uint64_t at, size_t n, size_t after)
{
    const char *p = abr_flow_in(&s->flow.last, at, n + after);
    return p ? p : abr_json_joined(s, at, n, after);
}

/* Newlines in the first `to` bytes; `to` must never be less than in the previous call. */
uint64_t abr_json_lines(abr_json_source *s, uint64_t to);

/* Let go of the chunk, and of bytes before `from`; at most ABR_JSON_CARRY bytes stay. */
void abr_json_carry(abr_json_source *s, uint64_t from);

/* The document so far without its blanks, except newlines after the children of the outermost value. */
typedef struct {
    char *p;
    size_t n;
    size_t size;
    size_t most; /* bytes kept, at most */
    bool over;   /* there were more, and nothing is kept */
    bool in_string;
    bool escaped;
    bool is_array;  /* of the outermost value */
    bool in_value;  /* of a member of it, after its colon */
    bool may_break; /* a newline here would follow a child of it */
    uint64_t depth;
} abr_json_compact;

/* Add the next n bytes, for which memory was reserved. */
void abr_json_compact_write(abr_json_compact *all, const char *p, size_t n);

ABR_PRIVATE_END

#endif
