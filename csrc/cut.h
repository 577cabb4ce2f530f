/* What the files of a cut share: cut.c decides what is kept, bound.c which budget is named for it. */
#ifndef ABR_CUT_H
#define ABR_CUT_H

#include "internal.h"

ABR_PRIVATE_BEGIN

typedef struct {
    const abr_opts *opts;
    const abr_alloc *alloc;
    const abr_view *view;
    abr_scale scale;
    const char *format; /* the marker's; format_len 0: no marker */
    size_t format_len;
    char *scratch; /* for markers at their widest and for token counts */
    size_t scratch_size;
    abr_code failure; /* the first one; while set, every count answers 0 so that the work ends soon */
} abr_cutter;

/* ---- cut.c ---- */

/* The byte budget, with the bound that a token budget sets. */
uint64_t abr_byte_budget(const abr_budget *max);

/* `room` less what is taken. */
abr_room abr_without(const abr_room *room, const abr_span *taken);

/* Tokens of the two sides as the model would see them; with `full` the joint and the reserve too. */
uint64_t abr_content_tokens(abr_cutter *j, const abr_span *head, const abr_span *tail, bool full);

/* Tokens of (p, n), 0 once something failed. */
uint64_t abr_weighed_tokens(abr_cutter *j, const char *p, size_t n);

/* ---- bound.c ---- */

/* The budgets less the reserve; tokens, which are no sum of parts, set no bound here. */
abr_room abr_whole_room(const abr_cutter *j);

/* The first budget in order, `from` or after it, that the text exceeds, with or without its final newline. */
abr_unit abr_exceeded(abr_cutter *j, abr_unit from, bool without_newline);

/* What is kept at the two ends of a source, whole lines or with a part of one, and what costs beside it: markers that
 * count, at their widest. */
typedef struct {
    abr_span head;
    abr_span tail;
    abr_span joint;
} abr_ends;

/* The first budget that forbids the line next to what is kept on a side; ABR_BY_NONE where none does. */
abr_unit abr_forbids_line(abr_cutter *j, abr_side side, const abr_ends *ends);

/* The budget that bound a cut of both ends whose pieces and counts are filled in; `by` is the first the text exceeds. */
abr_unit abr_bound_ends(abr_cutter *j, const abr_ends *ends, const abr_cut *cut, abr_unit by);

/* The same of a cut that may have any number of gaps. */
abr_unit abr_bound_pieces(abr_cutter *j, const abr_cut *cut, abr_unit by);

ABR_PRIVATE_END

#endif
