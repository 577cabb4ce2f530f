/* A document without the blanks between its tokens. */
#ifndef ABR_KINDS_JSON_JSON_COMPACT_H
#define ABR_KINDS_JSON_JSON_COMPACT_H

#include "abridge.h"
#include "base/private.h"

ABR_PRIVATE_BEGIN

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

/* Get memory for n more bytes of the document. */
bool abr_json_compact_reserve(abr_json_compact *c, size_t n, const abr_alloc *alloc);

/* Add the next n bytes, for which memory was reserved. */
void abr_json_compact_write(abr_json_compact *all, const char *p, size_t n);

ABR_PRIVATE_END

#endif
