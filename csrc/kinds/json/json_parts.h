/* The retained parts of a JSON document. */
#ifndef ABR_KINDS_JSON_JSON_PARTS_H
#define ABR_KINDS_JSON_JSON_PARTS_H

#include "base/private.h"
#include "base/tiny.h"
#include "priority/sort.h"

ABR_PRIVATE_BEGIN

#define ABR_JSON_NONE UINT32_MAX

enum {
    ABR_JSON_SHOWN_DEPTH = ABR_OR_TINY(200, 10), /* nothing deeper is shown */
    ABR_JSON_CLOSE_MOST = 32 /* blanks before a closing bracket whose newlines may be shown */
};

/* Retained parts are paid for from an allowance. */
enum {
    ABR_JSON_LEAST = ABR_OR_TINY(120 * 1024, 4096), /* the allowance, */
    ABR_JSON_PER_BYTE = 13,                         /* and more for each byte of the budget */
    ABR_JSON_RECORD_LEAST = ABR_OR_TINY(28 * 1024, 2048),
    ABR_JSON_RECORD_PER_BYTE = 8,
    ABR_JSON_BYTE_COST = 2,   /* of a retained byte */
    ABR_JSON_VALUE_COST = 64, /* of a value besides its bytes: a cut needs a record for it */
    /* of one in a record: the list of all records exists at the same time */
    ABR_JSON_RECORD_VALUE_COST = 112,
    ABR_JSON_UNIT_COST = 320, /* of a unit, besides its bytes and values */
    ABR_JSON_NODE_COST = 320, /* of a node around it, besides its bytes */
    ABR_JSON_SLACK = 5,       /* part of the allowance that may be used beyond it between two sweeps */
    ABR_JSON_REACH = 4,       /* part that the keys around a value may take; no budget has room for more */
    ABR_JSON_COARSE = ABR_OR_TINY(384 * 1024, 256), /* bytes of the least budget under which there are runs */
    ABR_JSON_RANKS = 16,                    /* strings of which more is retained the larger the budget is, */
    ABR_JSON_RECORD_RANKS = 3,              /* the same in a record */
    ABR_JSON_NAMES_MOST = ABR_OR_TINY(3, 1) /* names of open nodes, retained whatever their weight */
};

/* Memory of the parts with an allowance: their bytes, if copied, and their records. */
#define ABR_JSON_WITH_SLACK(allowance) ((size_t)(allowance) + (size_t)(allowance) / ABR_JSON_SLACK)
#define ABR_JSON_COPIES_MEMORY(allowance)                                                                    \
    ((ABR_JSON_WITH_SLACK(allowance) + (size_t)(allowance) / ABR_JSON_REACH) / ABR_JSON_BYTE_COST)
#define ABR_JSON_PARTS_MEMORY(allowance)                                                                     \
    (ABR_JSON_WITH_SLACK(allowance) / ABR_JSON_UNIT_COST *                                                   \
         (sizeof(abr_json_unit) + 2 * sizeof(abr_key) + sizeof(bool)) +                                      \
     ABR_JSON_WITH_SLACK(allowance) / ABR_JSON_NODE_COST * sizeof(abr_json_node))

/* A large object or array: its parts are retained one by one, and the node as long as one of them is. */
typedef struct {
    /* bytes of the source before its range, which starts at the end of its previous sibling */
    uint64_t at;
    uint64_t line;       /* newlines before that */
    uint64_t start;      /* bytes before its opening bracket */
    uint64_t end;        /* bytes of the source up to its end */
    uint64_t close_line; /* newlines before its closing bracket */
    uint64_t count;      /* number of its elements or members */
    uint64_t ordinal;    /* in its parent */
    uint64_t dots;       /* bit n is set if it has a key of n + 3 dots */
    size_t place;        /* place of its text from `at` up to its bracket */
    uint32_t cost;
    uint32_t chain; /* cost of it and the nodes around it */
    uint32_t parent;
    uint32_t mark;
    bool object;
    bool ghost; /* it cannot be shown: its key, or one around it, is too long */
    uint8_t depth;
    uint8_t close_lines; /* those after its last child that may be shown */
    float weight;        /* what a name that follows weighs at least */
} abr_json_node;

/* One or more small values next to each other, or one long string. */
typedef struct {
    uint64_t at; /* bytes of the source before it */
    uint64_t line;
    uint64_t ordinal; /* of its first value */
    uint64_t end;     /* bytes of the source up to its end */
    uint64_t chars;   /* decoded chars of a long string, whose middle may be missing; else 0 */
    size_t place;     /* place of its n bytes */
    size_t tail;      /* place of the last tail_n bytes of a long string that is not whole */
    size_t n;
    size_t tail_n;
    uint32_t lead;   /* for a long string, bytes before its opening quote */
    uint32_t values; /* values in it, including nested ones */
    uint32_t plain;  /* values next to each other that may be shown as a run, else 0, */
    uint32_t runs;   /* and values of the tree that they are then */
    uint32_t node;   /* its parent; ABR_JSON_NONE for the document */
    float weight;    /* decides whether it is retained */
} abr_json_unit;

/* A unit with the name of the node that it is in. */
typedef struct {
    uint64_t at;  /* its own */
    float weight; /* what it has at least */
    uint16_t depth;
    bool open; /* the node is */
} abr_json_name;

/* A string longer than what is retained of any. */
typedef struct {
    uint64_t at; /* its unit's */
    float weight;
} abr_json_longer;

/*
 * The units that came last are retained, and the heaviest of the others, each group within its share of the
 * allowance: the longest start of the list sorted by weight. A dropped unit excludes itself and all lighter
 * ones for good. So the units a smaller allowance retains are the first of those a larger one does.
 *
 * For that, what a unit costs never grows by a larger factor than the allowance: of a long string, what is
 * retained of any. What more is retained of the heaviest ones, and of the last, is set aside first. The
 * rank-th of them in the document may fill 1/rank of the budget, whether it is retained or not.
 */
typedef struct {
    const abr_alloc *alloc;
    bool is_record; /* it is a short part of another text: little is retained */
    bool coarse;    /* runs are not read value by value */
    size_t allowance;
    size_t asked;         /* the reach of the last choice */
    abr_json_unit *units; /* in the order they came */
    size_t unit_count;
    size_t unit_size;
    abr_json_node *nodes; /* a parent before its children */
    size_t node_count;
    size_t node_size;
    char *copies; /* copies of the document; places are offsets into them */
    size_t copied;
    size_t copy_size;
    abr_key *keys; /* two per unit, then a bool for each */
    size_t key_size;
    uint64_t cost;
    uint32_t open[ABR_JSON_SHOWN_DEPTH + 1]; /* open nodes, the outermost first */
    size_t depth;
    bool met_units; /* there are some in the document, whatever is retained */
    bool excludes;
    float excluded_weight;
    uint64_t excluded_at;
    uint64_t dropped_at;                    /* the furthest dropped unit that was not one of the last */
    abr_json_longer longer[ABR_JSON_RANKS]; /* the heaviest first, */
    uint64_t longest[ABR_JSON_RANKS];       /* and the bytes of the longest, of as many */
    size_t longer_count;
    uint64_t last_longer_at;
    abr_json_name
        names[ABR_JSON_NAMES_MOST]; /* of the innermost open nodes, and of those that ended last in them */
    size_t name_count;
} abr_json_parts;

/* The allowance for a budget. */
size_t abr_json_allowance(size_t keep, bool is_record);

/* The most bytes of either end of a string that are retained for an allowance, up to 16 MiB: of the heaviest
 * string, and of the one in a unit. */
size_t abr_json_longest_half(const abr_json_parts *x);
size_t abr_json_half_of(const abr_json_parts *x, const abr_json_unit *u, size_t allowance);

/* A string of n bytes has ended, whose unit may follow. */
void abr_json_parts_rank(abr_json_parts *x, uint64_t at, uint64_t n, float weight);

/* Get memory for the parts that n bytes of a document may add, and the `beside` bytes held back before them.
 * False: out of memory, with no visible change. */
bool abr_json_parts_reserve(abr_json_parts *x, size_t n, size_t beside);

/* Free memory that only more of the document might need. False: out of memory. */
bool abr_json_parts_settle(abr_json_parts *x);

/* Add a node or unit to the innermost open node; memory was reserved. The caller fills in its fields, except
 * `place` and those about its parents, and its text_n bytes there, unless it is a ghost. */
abr_json_node *abr_json_parts_open(abr_json_parts *x, size_t text_n);
abr_json_unit *abr_json_parts_add(abr_json_parts *x, uint32_t values, size_t text_n);

/* The last unit says why a reader looks at the nodes around it. Raise the others there, but for the
 * document's own, to most of its weight, and names to all of it. Those in its own node are not raised if
 * `outside`. Looks at those before it that are retained for any budget; names may follow, too. */
void abr_json_parts_raise(abr_json_parts *x, bool outside);

/* The last unit has a name of the innermost node. */
void abr_json_parts_name(abr_json_parts *x);

/* The values of the last unit, `siblings` next to each other, say nothing: under a large budget they are a
 * run, retained and shown together, unless one of them is never shown whole. */
void abr_json_parts_say_nothing(abr_json_parts *x, uint32_t siblings);

/* The innermost node ends. */
static inline abr_json_node *abr_json_parts_close(abr_json_parts *x)
{
    for (size_t i = x->name_count; i-- > 0 && x->names[i].depth >= x->depth;)
        x->names[i].open = false;
    abr_json_node *node = &x->nodes[x->open[--x->depth]];
    if (x->depth > 0 && x->nodes[x->open[x->depth - 1]].weight < node->weight)
        x->nodes[x->open[x->depth - 1]].weight = node->weight;
    return node;
}

/* Are there runs under a budget: is it so large that one is at most a 1,500th of it? */
static inline bool abr_json_is_coarse(uint64_t bytes, bool is_record)
{
    return bytes >= ABR_JSON_COARSE && !is_record;
}

/* The units that an allowance retains of those that one of `reach` may show, both at most x->allowance; valid
 * until the next call of any of these. Their runs are not read value by value if `coarse`. */
const bool *abr_json_parts_choose(abr_json_parts *x, size_t allowance, size_t reach, bool coarse);

/* Could the last choice's budget show a node without values in it? */
bool abr_json_may_show(const abr_json_parts *x, const abr_json_node *node);

/* The values that a unit is in a tree. */
static inline uint32_t abr_json_tree_values(const abr_json_parts *x, const abr_json_unit *u)
{
    return x->coarse && u->plain > 0 ? u->runs : u->values;
}

static inline char *abr_json_text(const abr_json_parts *x, size_t place)
{
    return x->copies + place;
}

void abr_json_parts_free(abr_json_parts *x);

ABR_PRIVATE_END

#endif
