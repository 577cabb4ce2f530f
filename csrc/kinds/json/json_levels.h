/* The objects and arrays that are open while a document goes by, and what is retained of them. */
#ifndef ABR_KINDS_JSON_JSON_LEVELS_H
#define ABR_KINDS_JSON_JSON_LEVELS_H

#include "abridge.h"
#include "base/private.h"
#include "kinds/json/json_parts.h"
#include "kinds/json/json_source.h"
#include "kinds/json/json_values.h"

ABR_PRIVATE_BEGIN

/* A value that is whole, or values next to each other. */
typedef struct {
    uint64_t at;    /* its range, from the end of its sibling before */
    uint64_t start; /* without its key */
    uint64_t end;
    uint64_t ordinal;
    uint32_t values;
    float score; /* of the worst trouble in it */
    bool fresh;  /* it has a key path for the first time */
    bool odd;
} abr_json_entry;

typedef struct {
    abr_json_entry entry;    /* what it will be if it stays small */
    uint64_t path;           /* of it */
    uint64_t any;            /* of its elements */
    abr_json_path *own_path; /* NULL: not counted */
    abr_json_path *elements; /* of an array, once it has one */
    uint64_t from;           /* where its last child ends */
    uint64_t count;
    uint64_t keys; /* hash of all its keys */
    uint64_t dots;
    uint32_t waiting; /* where its entries start */
    bool object;
} abr_json_level;

enum { ABR_JSON_WAITING = ABR_JSON_SMALL / 2 + 16 };

/* The levels of small ones wait, with their entries, until they are whole or large. */
typedef struct {
    abr_json_parts *parts;
    abr_json_values *values;
    abr_json_source *source;
    abr_json_level open[ABR_JSON_SHOWN_DEPTH + 1]; /* the first is the document, which is no array */
    size_t depth;
    size_t large; /* levels that are */
    abr_json_entry waiting[ABR_JSON_WAITING];
    uint32_t waiting_count;
    abr_json_entry run; /* of the innermost large level; values 0: none */
    double spent[8];    /* on each reason to retain a unit */
} abr_json_levels;

static inline abr_json_level *abr_json_innermost(abr_json_levels *x)
{
    return &x->open[x->depth];
}

/* A value of the innermost level is whole: a scalar, or any. */
void abr_json_scalar_ends(abr_json_levels *x, uint64_t start, uint64_t end, abr_json_saying says, bool fresh);
void abr_json_value_ends(abr_json_levels *x, abr_json_entry *e);

/* A string of the innermost level is long, and has come up to `end` or ended there. */
void abr_json_long_begins(abr_json_levels *x, uint64_t end);

/* The same of a long string. `head_n` bytes from e->at on and `tail_n` up to its end are retained. */
typedef struct {
    uint64_t chars;
    uint64_t line; /* newlines before e->at */
    size_t head_n; /* with its key */
    size_t tail_n;
    const char *head;
    const char *tail;
} abr_json_long;
void abr_json_long_ends(abr_json_levels *x, abr_json_entry *e, const abr_json_long *text);

/* A value has begun that is an object or array; its paths, `from` and `object` are the caller's to fill. Its
 * end. */
abr_json_level *abr_json_level_opens(abr_json_levels *x, uint64_t start);
void abr_json_level_closes(abr_json_levels *x, uint64_t end);

/* The outermost small level is large. */
void abr_json_enlarge(abr_json_levels *x);

/* So much has been read: levels may be large now. */
static inline void abr_json_levels_grow(abr_json_levels *x, uint64_t end)
{
    while (x->large < x->depth && end - x->open[x->large + 1].entry.start > ABR_JSON_SMALL)
        abr_json_enlarge(x);
}

/* What may still be needed starts here, when so much has been read. */
uint64_t abr_json_levels_need(abr_json_levels *x, uint64_t end);

ABR_PRIVATE_END

#endif
