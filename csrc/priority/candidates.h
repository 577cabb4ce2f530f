/* The lines that are retained. */
#ifndef ABR_PRIORITY_CANDIDATES_H
#define ABR_PRIORITY_CANDIDATES_H

#include "abridge.h"
#include "base/private.h"

ABR_PRIVATE_BEGIN

/* A line that may be kept. Of a long one its start is at hand, and a window around its sign. */
typedef struct {
    uint64_t line;         /* 0-based */
    uint64_t at;           /* bytes before it */
    uint64_t size;         /* without its newline */
    uint64_t chars;        /* before it, where these are counted */
    uint64_t window_at;    /* bytes of the line before the window */
    uint64_t window_chars; /* chars of the line before it */
    uint64_t sign;         /* bytes of the line before what makes it worth something */
    const char *start;     /* start_n bytes of the line */
    const char *window;
    uint32_t start_n;
    uint32_t window_n;
    float score;
    float worth; /* what decides whether it is retained */
    uint32_t shape;
    uint32_t nth;  /* lines of its shape before it */
    uint32_t rank; /* hits before it */
    uint16_t indent;
    uint8_t kind;
    bool hit;
} abr_candidate;

/* The candidates of the most worth, as many as weigh no more than `room`. Which these are depends on the candidates
 * alone, not on their order: the longest start of the list sorted by worth that weighs so much. */
typedef struct {
    const abr_alloc *alloc;
    abr_candidate *slots;
    uint32_t *heap; /* slots, the one of least worth first; behind them the slots that are free */
    bool heaped;    /* else none had to go yet, and the slots are in order of their coming */
    size_t count;   /* of the heap */
    size_t used;    /* slots that were ever in use */
    size_t size;    /* slots allocated */
    size_t heap_size;
    char *text; /* copies of lines, in the order of their coming */
    size_t text_used;
    size_t text_size;
    size_t weight;
    size_t room;
    bool copies;      /* lines are copied; else they stay where they are */
    bool lost;        /* some candidate was turned away: */
    float lost_worth; /* the one of most worth, and nothing at or below it is retained */
    uint64_t lost_line;
} abr_candidates;

/* Weight of a line beside its bytes. */
enum { ABR_CANDIDATE_WEIGHT = 128 };

/* Does `a` go before `b`? More worth first, then the earlier line. */
static inline bool abr_goes_before(const abr_candidate *a, const abr_candidate *b)
{
    return a->worth != b->worth ? a->worth > b->worth : a->line < b->line;
}

static inline size_t abr_candidate_weight(const abr_candidate *c)
{
    return (size_t)c->start_n + c->window_n + ABR_CANDIDATE_WEIGHT;
}

/* Memory for `more` candidates of at most `bytes` bytes in all. */
bool abr_candidates_reserve(abr_candidates *c, size_t more, size_t bytes);

/* Add one, others making room for it; memory was reserved. */
void abr_candidates_add(abr_candidates *c, const abr_candidate *candidate);
void abr_candidates_free(abr_candidates *c);

/* Does a candidate go at or below what was turned away? */
bool abr_candidates_lost(const abr_candidates *c, const abr_candidate *candidate);

ABR_PRIVATE_END

#endif
