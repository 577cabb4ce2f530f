/* The values of the retained parts of a document. */
#ifndef ABR_KINDS_JSON_JSON_TREE_H
#define ABR_KINDS_JSON_JSON_TREE_H

#include "base/private.h"
#include "kinds/json/json_parts.h"
#include "kinds/json/json_queue.h"
#include "kinds/json/json_values.h"

ABR_PRIVATE_BEGIN

typedef enum {
    ABR_JSON_SCALAR = 0, /* a number, a literal, a string that is shown whole or not at all */
    ABR_JSON_RUN,        /* values next to each other that are shown whole or not at all; all of it is head */
    ABR_JSON_TEXT,       /* a string that may be shown in part */
    ABR_JSON_DATA,       /* a string of base64 or the like; little of it is shown */
    ABR_JSON_ARRAY,
    ABR_JSON_OBJECT
} abr_json_type;

/* A value comes before the values in it. The first one stands for the document's place; the document is its
 * only child. */
typedef struct {
    const char *p; /* its range, which starts at the end of its previous sibling */
    uint64_t at;   /* bytes of the source before its range */
    uint64_t end;  /* bytes of the source up to its end */
    uint64_t ordinal;
    /* number of its children, shown or not, retained or not; of a string's chars, 0: not counted; of the
     * values of a run */
    uint64_t count;
    uint64_t hash;       /* of its path */
    uint32_t lead;       /* bytes of its range before its key, if any: a comma, blanks */
    uint32_t head;       /* bytes of its range before the value itself */
    uint32_t head_n;     /* how many of those are shown */
    uint8_t close_lines; /* shown newlines before its closing bracket */
    uint32_t parent;
    uint32_t prev; /* retained sibling, or in the order of an object; 0: none */
    uint32_t next;
    uint32_t child;
    uint32_t last;   /* of an object that isn't a map: start of its order */
    uint32_t span;   /* number of values from it to the last one in it */
    uint32_t origin; /* the unit it is in */
    uint32_t node;   /* ABR_JSON_NONE if it is small */
    uint32_t path;   /* first value of the same path */
    uint32_t whole;  /* bytes it takes with everything in it; UINT32_MAX: not all retained */
    uint32_t kids;   /* children that are shown */
    uint32_t room;   /* bytes shown of a string's content */
    uint32_t stamp;
    uint32_t front; /* the first and the last child not examined yet; 0: none */
    uint32_t back;
    float score;
    uint8_t type;
    uint8_t role; /* abr_json_role */
    bool shown;
    bool covered; /* the path that starts here is shown */
    bool full;    /* a string is shown whole */
    bool cut;     /* a string in it is too long to show whole */
    bool varies;  /* of the path that starts here: elements of a list have other plain values there */
} abr_json_value;

typedef struct {
    const abr_alloc *alloc;
    const abr_json_parts *parts;
    bool one_line; /* no newline is shown */
    abr_json_value *values;
    uint32_t count;
    uint32_t hidden_paths; /* paths of which no value is shown */
    abr_json_queue near;   /* no value is in both, so both share one array */
    abr_json_queue far;
} abr_json_tree;

static inline bool abr_json_holds_values(const abr_json_value *v)
{
    return v->type >= ABR_JSON_ARRAY;
}

/* The number of its parent's children that it is. */
static inline uint32_t abr_json_siblings(const abr_json_value *v)
{
    return v->type == ABR_JSON_RUN ? (uint32_t)v->count : 1;
}

/* Is it a list, whose children are examined from both ends? A map is one. Other objects' members are examined
 * by their roles. */
static inline bool abr_json_is_list(const abr_json_value *v)
{
    return v->type == ABR_JSON_ARRAY || v->count > ABR_JSON_MAP;
}

/* The child to examine first, and the one after c. */
static inline uint32_t abr_json_first(const abr_json_value *values, uint32_t in)
{
    return abr_json_is_list(&values[in]) ? values[in].child : values[in].last;
}

static inline uint32_t abr_json_after(const abr_json_value *values, uint32_t c)
{
    return abr_json_is_list(&values[values[c].parent]) ? values[c].next : values[c].prev;
}

/* Bytes of a value by itself, without its key. */
static inline uint64_t abr_json_own_size(const abr_json_value *v)
{
    return v->end - v->at - v->head;
}

/* The next shown bytes of a value's head from *i on, *n of them; false: no more. Blanks are not shown, except
 * newlines between the children of the document. */
bool abr_json_next_shown(const abr_json_tree *t, const abr_json_value *v, size_t *i, size_t *n);

/* Make the values of the chosen units. False: out of memory. The caller frees t->values in any case. */
bool abr_json_tree_make(abr_json_tree *t, const abr_json_parts *parts, const bool *chosen,
                        const abr_json_values *says);

ABR_PRIVATE_END

#endif
