/* The values of what is retained of a document. */
#ifndef ABR_KINDS_JSON_JSON_TREE_H
#define ABR_KINDS_JSON_JSON_TREE_H

#include "abridge.h"
#include "base/private.h"
#include "kinds/json/json_parts.h"
#include "kinds/json/json_values.h"

ABR_PRIVATE_BEGIN

typedef enum {
    ABR_JSON_SCALAR = 0, /* a number, a literal, a string that is shown whole or not at all */
    ABR_JSON_TEXT,       /* a string that may be shown in part */
    ABR_JSON_DATA,       /* a string of base64 or the like, of which little is shown */
    ABR_JSON_ARRAY,
    ABR_JSON_OBJECT
} abr_json_type;

/* A value stands before those in it. The first one is the document's place; the document is its only
 * child. */
typedef struct {
    const char *p; /* its range, which starts where its sibling before ends */
    uint64_t at;   /* bytes of the source before that */
    uint64_t end;  /* bytes before what follows on it */
    uint64_t ordinal;
    uint64_t count; /* of its children, shown or not, retained or not; of a string's chars, 0: not counted */
    uint64_t hash;  /* of its path */
    uint32_t lead;  /* bytes of its range before its key, or what stands for it: a comma, blanks */
    uint32_t head;  /* bytes before its first one */
    uint32_t close_n; /* bytes of its closing bracket with the blanks before it */
    uint32_t parent;
    uint32_t prev; /* sibling that is retained; 0: none */
    uint32_t next;
    uint32_t child;
    uint32_t last;
    uint32_t span;   /* values from it on up to the last one in it */
    uint32_t origin; /* unit it is in */
    uint32_t node;   /* ABR_JSON_NONE where it is small */
    uint32_t path;   /* first value of the same path */
    uint32_t whole;  /* bytes it takes with everything in it; UINT32_MAX: it cannot be had */
    uint32_t kids;   /* children that are shown */
    uint32_t room;   /* bytes shown of a string's content */
    uint32_t stamp;
    uint32_t front; /* children that were not looked at: the first, the last; 0: none */
    uint32_t back;
    float score;
    uint8_t type;
    bool shown;
    bool covered; /* the path that starts here is shown */
    bool full;    /* a string is shown whole */
} abr_json_value;

typedef struct {
    const abr_alloc *alloc;
    const abr_json_parts *parts;
    abr_json_value *values;
    uint32_t count;
    uint32_t size;
} abr_json_tree;

static inline bool abr_json_holds_values(const abr_json_value *v)
{
    return v->type >= ABR_JSON_ARRAY;
}

/* Make the values of the units that are chosen. False: no memory; abr_json_tree_free() is due in every
 * case. */
bool abr_json_tree_make(abr_json_tree *t, const abr_json_parts *parts, const bool *chosen,
                        const abr_json_values *says);
void abr_json_tree_free(abr_json_tree *t);

ABR_PRIVATE_END

#endif
