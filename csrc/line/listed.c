/* Words of lists at a place in a line. */
#include <string.h>

#include "line/listed.h"
#include "line/evidence.h"
#include "line/lexicon.h"

bool abr_ends_listed(const abr_evidence *l, size_t at, abr_list list)
{
    for (const abr_listed_row *word = NULL;
         (word = abr_next_listed(&l->lexicon->ends, list, byte_before(l, at), word)) != NULL;)
        if (at >= word->n && memcmp(l->p + at - word->n, word->text, word->n) == 0)
            return true;
    return false;
}

bool abr_is_between_listed(const abr_evidence *l, size_t at, size_t end, abr_list before, abr_list after)
{
    return abr_ends_listed(l, at, before) || abr_starts_listed(l, end, after);
}

bool abr_starts_listed(const abr_evidence *l, size_t at, abr_list list)
{
    for (const abr_listed_row *word = NULL;
         (word = abr_next_listed(&l->lexicon->starts, list, byte_at(l, at), word)) != NULL;)
        if (at + word->n <= l->n && memcmp(l->p + at, word->text, word->n) == 0)
            return true;
    return false;
}

size_t abr_listed_word(const abr_evidence *l, size_t at, abr_list list)
{
    const char first = abr_to_lower(byte_at(l, at));
    for (const abr_listed_row *word = NULL;
         (word = abr_next_listed(&l->lexicon->starts, list, first, word)) != NULL;)
        if (*word->text == first && at + word->n <= l->n &&
            memcmp(l->p + at + 1, word->text + 1, word->n - 1) == 0 &&
            !abr_is_letter(byte_at(l, at + word->n)))
            return word->n;
    return 0;
}

bool abr_is_listed_before(const abr_evidence *l, size_t at, abr_list list)
{
    const size_t start = abr_back(l->p, at, ABR_LETTERS);
    return start < at && abr_listed_word(l, start, list) == at - start;
}
