/* The retained lines. */
#ifndef ABR_PRIORITY_CANDIDATES_H
#define ABR_PRIORITY_CANDIDATES_H

#include "abridge.h"
#include "base/private.h"

ABR_PRIVATE_BEGIN

/* A line that may be kept. Only the start of a long one is at hand, and a window around its sign. */
typedef struct {
    uint64_t line;         /* 0-based */
    uint64_t at;           /* bytes before it */
    uint64_t size;         /* without its newline */
    uint64_t chars;        /* before it, if counted */
    uint64_t window_at;    /* bytes of the line before the window */
    uint64_t window_chars; /* chars of the line before the window */
    uint64_t sign;         /* bytes of the line before the word that gave it its score */
    const char *start;     /* start_n bytes of the line */
    const char *window;
    uint32_t start_n;
    uint32_t window_n;
    float line_score;    /* score of the line read alone */
    float retain_weight; /* decides whether it is retained */
    uint32_t shape;
    uint32_t nth;         /* lines of its shape before it */
    uint32_t hits_before; /* hits before it */
    uint32_t failure;     /* number of the failure it is part of, from 1; 0: none */
    uint16_t indent;
    uint8_t kind;
    uint8_t command; /* abr_command */
    bool hit;
    bool tells;  /* its failure counts */
    bool placed; /* it starts with a place, as a diagnostic does */
} abr_candidate;

/* A slot of the heap, with its weight for ordering. */
typedef struct {
    uint32_t weight; /* abr_float_key() of its retain weight: most comparisons need not look at the slot */
    uint32_t slot;
} abr_heap_slot;

/* The candidates of the largest retain weight that together cost no more than the allowance. They do not
 * depend on the order of arrival: they are the longest start of the list sorted by weight. */
typedef struct {
    const abr_alloc *alloc;
    abr_candidate *slots;
    abr_heap_slot *heap; /* of slots, the lightest one first; the free slots come after */
    bool heaped;         /* false: none was dropped yet, and the slots are in order of arrival */
    size_t count;        /* slots in the heap */
    size_t used;         /* slots that were ever in use */
    size_t size;         /* slots allocated */
    size_t heap_size;
    char *text; /* copies of lines, in order of arrival */
    size_t text_used;
    size_t text_size;
    size_t cost;
    size_t allowance;
    bool copies; /* lines are copied; else they stay where they are */

    /* Once candidates were turned away, none as light as the heaviest of those, or lighter, is retained. */
    bool excludes;
    float excluded_weight;
    uint64_t excluded_line;
} abr_candidates;

enum {
    ABR_CANDIDATE_COST = 128, /* of a line, besides its bytes */
    ABR_COPY_SLACK = 4, /* copies may take this part of the allowance on top, so that they are seldom moved */
    ABR_LINES_BEFORE_HIT = 8, /* lines that belong to a hit */
    ABR_OFTEN = 4,            /* lines of a shape before one that is routine */
    ABR_DULL = 8              /* the same before one that says nothing new */
};

/* Is `a` retained rather than `b`? The heavier one wins, or the earlier line of equals. */
static inline bool abr_retain_first(const abr_candidate *a, const abr_candidate *b)
{
    return a->retain_weight != b->retain_weight ? a->retain_weight > b->retain_weight : a->line < b->line;
}

static inline size_t abr_candidate_cost(const abr_candidate *c)
{
    return (size_t)c->start_n + c->window_n + ABR_CANDIDATE_COST;
}

/* The divisor of a line's score for the lines of its shape before it. */
static inline float abr_repeat_discount(const abr_candidate *c)
{
    return 1 + 0.35F * (float)c->nth;
}

/* The factor of a hit's score: the first hits say more than later ones. */
static inline float abr_early_hit_factor(const abr_candidate *c, float bonus)
{
    return 1 + bonus / (1 + (float)c->hits_before / 4);
}

/* Their memory with an allowance, at most. */
#define ABR_CANDIDATES_MEMORY(allowance)                                                                     \
    ((size_t)(allowance) / ABR_CANDIDATE_COST * (sizeof(abr_candidate) + sizeof(abr_heap_slot)) +            \
     (size_t)(allowance) + (size_t)(allowance) / ABR_COPY_SLACK)

/* The most candidates at once. */
static inline size_t abr_candidates_most(const abr_candidates *c)
{
    return c->allowance / ABR_CANDIDATE_COST + 2;
}

/* Get memory for `more` candidates of at most `bytes` bytes in all. False: out of memory, with no visible
 * change. */
bool abr_candidates_reserve(abr_candidates *c, size_t more, size_t bytes);

/* Add a candidate, for which memory was reserved; lighter ones make room for it. */
void abr_candidates_add(abr_candidates *c, const abr_candidate *x);

void abr_candidates_free(abr_candidates *c);

/* Is a candidate at or below one that was turned away? */
static inline bool abr_candidates_excluded(const abr_candidates *c, const abr_candidate *x)
{
    return c->excludes && (x->retain_weight != c->excluded_weight ? x->retain_weight < c->excluded_weight
                                                                  : x->line >= c->excluded_line);
}

ABR_PRIVATE_END

#endif
