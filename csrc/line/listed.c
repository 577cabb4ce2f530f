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

const char *abr_next_listed(const abr_lexicon *x, abr_list list, unsigned *row)
{
    while (*row < sizeof listed_rows / sizeof *listed_rows) {
        const unsigned i = (*row)++;
        if (listed_rows[i].list == list && x->without != ABR_RULE_LISTED + i)
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
