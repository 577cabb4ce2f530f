/* The parts of a JSON document that are retained. */
#ifndef ABR_KINDS_JSON_JSON_PARTS_H
#define ABR_KINDS_JSON_JSON_PARTS_H

#include "abridge.h"
#include "base/private.h"
#include "base/tiny.h"
#include "priority/sort.h"

ABR_PRIVATE_BEGIN

#define ABR_JSON_NONE UINT32_MAX

enum {
    ABR_JSON_SHOWN_DEPTH = ABR_OR_TINY(200, 10), /* nothing deeper is shown */
    ABR_JSON_CLOSE_MOST = 32 /* blanks before a closing bracket of which the newlines may be shown */
};

/* What is retained costs an allowance. */
enum {
    ABR_JSON_LEAST = ABR_OR_TINY(80 * 1024, 4096), /* the allowance, */
    ABR_JSON_PER_BYTE = 13,                        /* and more of it by the budget */
    ABR_JSON_RECORD_LEAST = ABR_OR_TINY(28 * 1024, 2048),
    ABR_JSON_RECORD_PER_BYTE = 8,
    ABR_JSON_BYTE_COST = 2,           /* of a byte that is retained */
    ABR_JSON_VALUE_COST = 64,         /* of a value beside its bytes, which a cut needs a record for */
    ABR_JSON_RECORD_VALUE_COST = 112, /* of one in a record: the list of all records is there, too */
    ABR_JSON_UNIT_COST = 320,         /* of a unit, beside its bytes and values */
    ABR_JSON_NODE_COST = 320,         /* of a node around it, beside its bytes */
    ABR_JSON_SLACK = 5, /* part of the allowance that may be used beyond it between two sweeps, */
    ABR_JSON_REACH = 4  /* and that the keys around a value may have; no budget has room for more */
};

/* What the parts take with an allowance: their bytes, where these are copied, and their records. */
#define ABR_JSON_WITH_SLACK(allowance) ((size_t)(allowance) + (size_t)(allowance) / ABR_JSON_SLACK)
#define ABR_JSON_COPIES_MEMORY(allowance)                                                                    \
    ((ABR_JSON_WITH_SLACK(allowance) + (size_t)(allowance) / ABR_JSON_REACH) / ABR_JSON_BYTE_COST)
#define ABR_JSON_PARTS_MEMORY(allowance)                                                                     \
    (ABR_JSON_WITH_SLACK(allowance) / ABR_JSON_UNIT_COST *                                                   \
         (sizeof(abr_json_unit) + 2 * sizeof(abr_key) + sizeof(bool)) +                                      \
     ABR_JSON_WITH_SLACK(allowance) / ABR_JSON_NODE_COST * sizeof(abr_json_node))

/* A large object or array: its parts are retained one by one, and it as long as one of them is. */
typedef struct {
    uint64_t at;    /* bytes of the source before its range, which starts where its sibling before ends */
    uint64_t line;  /* newlines before that */
    uint64_t start; /* bytes before its opening bracket */
    uint64_t end;   /* bytes before what follows on it */
    uint64_t close_line; /* newlines before its closing bracket, */
    uint64_t count;      /* of its elements or members */
    uint64_t ordinal;    /* in its parent */
    uint64_t dots;       /* keys it has: bit n, set where there is one of n + 3 dots */
    size_t place;        /* of its text from `at` up to its bracket */
    uint32_t chain;      /* what it and those around it cost */
    uint32_t parent;
    uint32_t mark;
    bool object;
    bool ghost; /* it cannot be shown: its key is too long, or those around it are */
    uint8_t depth;
    uint8_t close_lines; /* and those of them after its last child, as far as they may be shown */
} abr_json_node;

/* One or more values next to each other, each of them small, or one long string. */
typedef struct {
    uint64_t at; /* bytes of the source before it */
    uint64_t line;
    uint64_t ordinal; /* of its first value */
    uint64_t end;     /* bytes before what follows on it */
    uint64_t chars;   /* decoded, of a long string, whose middle may be missing; else 0 */
    size_t place;     /* of its n bytes */
    size_t tail;      /* of the last tail_n bytes of a long string that is not whole */
    size_t n;
    size_t tail_n;
    uint32_t lead;   /* of a long string: bytes before its opening quote */
    uint32_t values; /* in it, and in these */
    uint32_t node;   /* its parent, ABR_JSON_NONE where it is the document */
    float weight;    /* decides whether it is retained */
} abr_json_unit;

/*
 * Of the units those that came last are retained, and of the others the heaviest ones, each within its share
 * of the allowance: of the list sorted by weight the longest start. A unit that was dropped once excludes
 * itself and all below it. So a smaller allowance retains a start of what a larger one does.
 */
typedef struct {
    const abr_alloc *alloc;
    bool is_record; /* it is part of another text, and short: little is retained */
    size_t allowance;
    size_t asked;         /* the allowance of the last choice */
    abr_json_unit *units; /* in the order they came */
    size_t unit_count;
    size_t unit_size;
    abr_json_node *nodes; /* a parent before its children */
    size_t node_count;
    size_t node_size;
    char *copies; /* of the document, in which places are */
    size_t copied;
    size_t copy_size;
    abr_key *keys; /* two for each unit, and after these a bool for each */
    size_t key_size;
    uint64_t cost;
    uint32_t open[ABR_JSON_SHOWN_DEPTH + 1]; /* nodes that are open, the outermost first */
    size_t depth;
    bool excludes;
    float excluded_weight;
    uint64_t excluded_at;
    uint64_t dropped_at; /* the furthest unit that had to go and was none of the last ones */
} abr_json_parts;

/* The allowance of a budget, and of that the most bytes of one string, half of it at either end: as many
 * as the budget can show, up to 32 MiB. */
size_t abr_json_allowance(size_t keep, bool is_record);
size_t abr_json_string_most(bool is_record, size_t allowance);

/* Get memory for what n bytes of a document may bring, of which `beside` were held back; false changes
 * nothing that counts. */
bool abr_json_parts_reserve(abr_json_parts *x, size_t n, size_t beside);

/* A new node, or unit, within the innermost open node. Memory was reserved. Its fields are the caller's to
 * fill, but `place` and what tells of its parents, and so are its text_n bytes there, unless it is a ghost. */
abr_json_node *abr_json_parts_open(abr_json_parts *x, size_t text_n);
abr_json_unit *abr_json_parts_add(abr_json_parts *x, uint32_t values, size_t text_n);

/* The innermost node ends. */
abr_json_node *abr_json_parts_close(abr_json_parts *x);

/* Which units an allowance retains, none over x->allowance; valid until the next call of any of these. */
const bool *abr_json_parts_choose(abr_json_parts *x, size_t allowance);

/* Could the last choice's budget show a node, if it had no values in it? */
bool abr_json_may_show(const abr_json_parts *x, const abr_json_node *node);

static inline char *abr_json_text(const abr_json_parts *x, size_t place)
{
    return x->copies + place;
}

void abr_json_parts_free(abr_json_parts *x);

ABR_PRIVATE_END

#endif
