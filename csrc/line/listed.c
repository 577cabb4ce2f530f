/* The lists of listed.def. */
#include <stddef.h>
#include <stdint.h>

#include "line/listed.h"
#include "line/evidence.h"
#include "line/lexicon.h"
#include "line/rule.h"

static const struct {
    const char *text;
    uint8_t list;
} listed_rows[] = {
#define LISTED(list, text, program, proof) {text, ABR_LIST_##list},
#include "line/listed.def"
#undef LISTED
};

enum { ROWS = sizeof listed_rows / sizeof *listed_rows };

/* The first row of a list: the rows are in the order of their lists. */
static unsigned first_of(abr_list list)
{
    unsigned low = 0;
    unsigned high = ROWS;
    while (low < high) {
        const unsigned middle = (low + high) / 2;
        if (listed_rows[middle].list < list)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

const char *abr_next_listed(const abr_lexicon *x, abr_list list, unsigned *row)
{
    if (*row == 0)
        *row = first_of(list);
    while (*row < ROWS && listed_rows[*row].list == list) {
        const unsigned i = (*row)++;
        if (x->without != ABR_RULE_LISTED + i)
            return listed_rows[i].text;
    }
    return NULL;
}

bool abr_is_between_listed(const abr_evidence *l, size_t at, size_t end, abr_list before, abr_list after)
{
    unsigned row = 0;
    const char *word;
    while ((word = abr_next_listed(l->lexicon, before, &row)) != NULL)
        if (at >= strlen(word) && starts_with(l, at - strlen(word), word))
            return true;
    return abr_starts_listed(l, end, after);
}

bool abr_starts_listed(const abr_evidence *l, size_t at, abr_list list)
{
    unsigned row = 0;
    const char *word;
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
    while ((word = abr_next_listed(l->lexicon, list, &row)) != NULL) {
        const size_t n = strlen(word);
        if (*word == first && starts_with(l, at + 1, word + 1) && !abr_is_letter(byte_at(l, at + n)))
            return n;
    }
    return 0;
}
