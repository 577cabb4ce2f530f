/* The retained lines. */
#ifndef ABR_PRIORITY_CANDIDATES_H
#define ABR_PRIORITY_CANDIDATES_H

#include "abridge.h"
#include "base/private.h"
#include "base/tiny.h"

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
    uint8_t tells; /* abr_tells */
    uint8_t count; /* the one that it adds to, if it tells */
    bool placed;   /* it starts with a place, as a diagnostic does */
} abr_candidate;

/* A slot in use. Its weight and cost are here too, since a trim looks at all of them. */
typedef struct {
    uint32_t weight; /* abr_float_key() of its retain weight */
    uint32_t slot;
    uint32_t cost;
} abr_listed;

/* The candidates of the largest retain weight that together cost no more than the allowance, once trimmed:
 * the longest start of all of them sorted by weight. Those of one weight arrive in the order of lines. */
typedef struct {
    const abr_alloc *alloc;
    abr_candidate *slots;
    abr_listed *list; /* in order of arrival; the free slots come after */
    size_t count;     /* candidates listed */
    size_t used;      /* slots that were ever in use */
    size_t size;      /* slots allocated */
    size_t list_size;
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
    /* Candidates may cost this part of the allowance on top, and a little, so that many go at once; */
    ABR_LIST_SLACK = 8,
    ABR_LIST_SLACK_LEAST = ABR_OR_TINY(4 * 1024, 256),
    ABR_COPY_SLACK = 64, /* copies may take this part on top, so that they are seldom moved */

    ABR_LINES_BEFORE_HIT = 8, /* lines that belong to a hit */
    ABR_OFTEN = 4,            /* lines of a shape before one that is routine */
    ABR_DULL = 8              /* the same before one that says nothing new */
};

static inline size_t abr_candidate_cost(const abr_candidate *c)
{
    return (size_t)c->start_n + c->window_n + ABR_CANDIDATE_COST;
}

/* Copy its bytes to memory of its own. */
void abr_candidate_copy(abr_candidate *x, char *to);

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

/* Their memory with an allowance, at most; the least slack is not counted. */
#define ABR_CANDIDATES_MEMORY(allowance)                                                                     \
    (((size_t)(allowance) + (size_t)(allowance) / ABR_LIST_SLACK) / ABR_CANDIDATE_COST *                     \
         (sizeof(abr_candidate) + sizeof(abr_listed)) +                                                      \
     (size_t)(allowance) + (size_t)(allowance) / ABR_COPY_SLACK)

/* The most that candidates may cost at once. */
static inline size_t abr_candidates_cost_most(const abr_candidates *c)
{
    return c->allowance + c->allowance / ABR_LIST_SLACK + ABR_LIST_SLACK_LEAST;
}

/* The most candidates at once. */
static inline size_t abr_candidates_most(const abr_candidates *c)
{
    return abr_candidates_cost_most(c) / ABR_CANDIDATE_COST + 2;
}

/* Get memory for `more` candidates of at most `bytes` bytes in all. False: out of memory, with no visible
 * change. */
bool abr_candidates_reserve(abr_candidates *c, size_t more, size_t bytes);

/* Add a candidate, for which memory was reserved; lighter ones make room for it. */
void abr_candidates_add(abr_candidates *c, const abr_candidate *x);

/* Leave those within the allowance. */
void abr_candidates_trim(abr_candidates *c);

/* No more come: leave those within the allowance, and free memory for others. False: out of memory. */
bool abr_candidates_settle(abr_candidates *c);

void abr_candidates_free(abr_candidates *c);

/* Is a candidate at or below one that was turned away? */
static inline bool abr_candidates_excluded(const abr_candidates *c, const abr_candidate *x)
{
    return c->excludes && (x->retain_weight != c->excluded_weight ? x->retain_weight < c->excluded_weight
                                                                  : x->line >= c->excluded_line);
}

ABR_PRIVATE_END

#endif
