/*
 * The words of words.def and phrases.def, and the lists of listed.def.
 *
 * A word is a run of letters. It is looked up by its first eight letters in lower case, in a table of open
 * addressing.
 */
#include <string.h>

#include "line/lexicon.h"
#include "abridge.h"
#include "base/word.h"

const abr_word abr_words[] = {
#define WORD(class, text, program, proof) {text, sizeof(text) - 1, ABR_WORD_##class},
#include "line/words.def"
#undef WORD
#define PHRASE(before, word, after, program, proof) {word, sizeof(word) - 1, ABR_WORD_PHRASE},
#include "line/phrases.def"
#undef PHRASE
};

enum { WORDS = sizeof abr_words / sizeof *abr_words };

_Static_assert(WORDS - ABR_WORDS_ALONE <= UINT8_MAX, "the number of a phrase fits a sign");

unsigned abr_word_group(unsigned class)
{
    static const uint8_t groups[ABR_WORD_HTTP + 1] = {
        [ABR_WORD_ERROR] = ABR_GROUP_ERRORS,        [ABR_WORD_FAIL] = ABR_GROUP_FAILURES,
        [ABR_WORD_FATAL] = ABR_GROUP_FATAL,         [ABR_WORD_BAD] = ABR_GROUP_PROBLEMS,
        [ABR_WORD_DOUBT] = ABR_GROUP_PROBLEMS,      [ABR_WORD_SYMBOL] = ABR_GROUP_PROBLEMS,
        [ABR_WORD_PHRASE] = ABR_GROUP_PROBLEMS,     [ABR_WORD_WARN] = ABR_GROUP_WARNINGS,
        [ABR_WORD_EXPECT] = ABR_GROUP_EXPECTATIONS, [ABR_WORD_CAUSE] = ABR_GROUP_EXPECTATIONS,
        [ABR_WORD_COUNT] = ABR_GROUP_SUMMARIES,     [ABR_WORD_EXIT] = ABR_GROUP_SUMMARIES,
        [ABR_WORD_DONE] = ABR_GROUP_SUMMARIES};
    return groups[class];
}

static unsigned slot_of(uint64_t key)
{
    return (unsigned)(abr_word_hash(key) >> 53);
}

static uint64_t key_of(const char *p, size_t n)
{
    char first[sizeof(uint64_t)] = {0};
    memcpy(first, p, n < sizeof first ? n : sizeof first);
    return abr_word_key(abr_load_word(first), n);
}

static bool is_same_word(const abr_word *w, const char *p, size_t n)
{
    if (w->n != n)
        return false;
    for (size_t i = 0; i < n; i++)
        if ((p[i] | ' ') != w->text[i])
            return false;
    return true;
}

const abr_word *abr_lexicon_find(const abr_lexicon *x, uint64_t key, const char *p, size_t n)
{
    for (unsigned slot = slot_of(key); x->slots[slot] != 0; slot = (slot + 1) % ABR_LEXICON_SLOTS)
        if (is_same_word(&abr_words[x->slots[slot] - 1], p, n))
            return &abr_words[x->slots[slot] - 1];
    return NULL;
}

/* Add the word of that index, once. */
static void add_word(abr_lexicon *x, unsigned index)
{
    const abr_word *w = &abr_words[index];
    uint64_t key = key_of(w->text, w->n);
    unsigned slot = slot_of(key);
    uint64_t bit = abr_word_hash(key) >> (64 - ABR_LEXICON_BITS);
    if (abr_lexicon_find(x, key, w->text, w->n))
        return;
    x->may_have[bit / 64] |= UINT64_C(1) << bit % 64;
    while (x->slots[slot] != 0)
        slot = (slot + 1) % ABR_LEXICON_SLOTS;
    x->slots[slot] = (uint16_t)(index + 1);
}

const abr_listed_row abr_listed_rows[] = {
#define LISTED(list, text, program, proof) {text, sizeof(text) - 1, ABR_LIST_##list},
#include "line/listed.def"
#undef LISTED
};

enum { LISTED_ROWS = sizeof abr_listed_rows / sizeof *abr_listed_rows };
_Static_assert((int)LISTED_ROWS <= (int)ABR_LISTED_MOST, "the number of a row fits a byte");

/* Put a row in front of those of its list that have c at that end, too. */
static void index_row(abr_list_index *index, unsigned row, char c)
{
    uint8_t *first = &index->first[abr_listed_rows[row].list][c & (ABR_BOTH_CASES - 1)];
    index->next[row + 1] = *first;
    *first = (uint8_t)(row + 1);
}

static void open_lists(abr_lexicon *x)
{
    for (unsigned i = LISTED_ROWS; i-- > 0;) {
        const abr_listed_row *word = &abr_listed_rows[i];
        if (x->without == ABR_RULE_LISTED + i)
            continue;
        index_row(&x->starts, i, *word->text);
        index_row(&x->ends, i, word->text[word->n - 1]);
    }
}

static void open_lexicon(abr_lexicon *x, unsigned quiet, abr_form_set forms, unsigned rule)
{
    unsigned phrases = 0;
    memset(x, 0, sizeof *x);
    x->quiet = quiet;
    x->without = rule;
    open_lists(x);
    abr_forms_open(&x->forms, forms, rule);
    abr_forms_open(&x->untroubled, ABR_FORMS_WITHOUT_TROUBLE, rule);
    for (unsigned i = 0; i < WORDS; i++) {
        const unsigned class = abr_words[i].class;
        const bool phrase = class == ABR_WORD_PHRASE;
        if (rule != (phrase ? ABR_RULE_PHRASE + phrases : ABR_RULE_WORD + i) &&
            !(abr_word_group(class) & quiet))
            add_word(x, i);
        phrases += phrase;
    }
}

void abr_lexicon_open(abr_lexicon *x, unsigned quiet)
{
    open_lexicon(x, quiet, ABR_FORMS_OF_TROUBLE, ABR_NO_RULE);
}

void abr_lexicon_open_without(abr_lexicon *x, unsigned quiet, unsigned rule)
{
    open_lexicon(x, quiet, ABR_ALL_FORMS, rule);
}
