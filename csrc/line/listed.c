/* Words of lists at a place in a line. */
#include <string.h>

#include "line/listed.h"
#include "line/evidence.h"
#include "line/lexicon.h"

bool abr_ends_listed(const abr_evidence *l, size_t at, abr_list list)
{
    unsigned row = 0;
    const char *word;
    while ((word = abr_next_listed(l->lexicon, list, &row)) != NULL)
        if (preceded_by(l, at, word))
            return true;
    return false;
}

bool abr_is_between_listed(const abr_evidence *l, size_t at, size_t end, abr_list before, abr_list after)
{
    return abr_ends_listed(l, at, before) || abr_starts_listed(l, end, after);
}

bool abr_starts_listed(const abr_evidence *l, size_t at, abr_list list)
{
    unsigned row = 0;
    const char *word;
    if (!abr_may_start_listed(l->lexicon, list, byte_at(l, at)))
        return false;
    while ((word = abr_next_listed(l->lexicon, list, &row)) != NULL)
        if (starts_with(l, at, word))
            return true;
    return false;
}

size_t abr_listed_word(const abr_evidence *l, size_t at, abr_list list)
{
    const char first = abr_to_lower(byte_at(l, at));
    unsigned row = 0;
    const char *word;
    if (!abr_may_start_listed(l->lexicon, list, first))
        return 0;
    while ((word = abr_next_listed(l->lexicon, list, &row)) != NULL) {
        const size_t n = strlen(word);
        if (*word == first && starts_with(l, at + 1, word + 1) && !abr_is_letter(byte_at(l, at + n)))
            return n;
    }
    return 0;
}
