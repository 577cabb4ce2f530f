/* Words of the lists of listed.def at a place in a line. */
#ifndef ABR_LINE_LISTED_H
#define ABR_LINE_LISTED_H

#include "base/private.h"
#include "line/evidence.h"
#include "line/lexicon.h"

ABR_PRIVATE_BEGIN

/* Does a word of the list end at byte `at` of the line? */
bool abr_ends_listed(const abr_evidence *l, size_t at, abr_list list);

/* Does a word of the first list end at byte `at` of the line, or one of the second start at `end`? */
bool abr_is_between_listed(const abr_evidence *l, size_t at, size_t end, abr_list before, abr_list after);

/* Does a word of the list start at byte `at` of the line? */
bool abr_starts_listed(const abr_evidence *l, size_t at, abr_list list);

/* Bytes of the whole word at byte `at` if it is in the list, its first letter in either case, or 0. */
size_t abr_listed_word(const abr_evidence *l, size_t at, abr_list list);

/* Is the whole word before byte `at` in the list, its first letter in either case? */
bool abr_is_listed_before(const abr_evidence *l, size_t at, abr_list list);

ABR_PRIVATE_END

#endif
