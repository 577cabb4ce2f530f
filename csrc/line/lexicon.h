/* Words that carry meaning. */
#ifndef ABR_LINE_LEXICON_H
#define ABR_LINE_LEXICON_H

#include "abridge.h"
#include "base/private.h"
#include "line/form.h"
#include "line/rule.h"

ABR_PRIVATE_BEGIN

/* The meaning of a word. signs.c treats words of a class alike. */
typedef enum {
    ABR_WORD_NONE = 0,
    ABR_WORD_NO,      /* no, not, without: the next words are negated, or missing */
    ABR_WORD_LACK,    /* such, found, member: with ABR_WORD_NO before them something is wrong */
    ABR_WORD_ERROR,   /* error, exception */
    ABR_WORD_FAIL,    /* failed, failure */
    ABR_WORD_FATAL,   /* clear anywhere: panic, traceback, segfault */
    ABR_WORD_BAD,     /* cannot, denied, undefined: wrong in most sentences */
    ABR_WORD_DOUBT,   /* weak signs: abort, retry, undefined */
    ABR_WORD_WARN,    /* warning, deprecated */
    ABR_WORD_EXPECT,  /* expected, got, left, right */
    ABR_WORD_CAUSE,   /* cause, reason, because */
    ABR_WORD_NOTE,    /* note, help, hint */
    ABR_WORD_COUNT,   /* counted in summaries: passed, tests, problems */
    ABR_WORD_EXIT,    /* exit, exited, status, code */
    ABR_WORD_MAKE,    /* make, gmake: with "*** " after it, make stops */
    ABR_WORD_DONE,    /* finished, completed, built */
    ABR_WORD_PASS,    /* ok, pass, passed, yes */
    ABR_WORD_STEP,    /* run, start, checking, compiling */
    ABR_WORD_QUIET,   /* info, debug: log levels that discount a line */
    ABR_WORD_CODE,    /* raise, throw, new: source follows */
    ABR_WORD_NAMING,  /* handling, message: an error before them is a name */
    ABR_WORD_SYMBOL,  /* reference, symbol: after undefined */
    ABR_WORD_SECTION, /* group, task, step: heads of a part of a log */
    ABR_WORD_PHRASE,  /* trouble only in a phrase of phrases.def: out of range */
    ABR_WORD_METHOD,  /* GET, POST */
    ABR_WORD_HTTP
} abr_word_class;

typedef struct {
    const char *text; /* lower case */
    uint8_t n;
    uint8_t class;
} abr_word;

enum { ABR_LEXICON_SLOTS = 2048, ABR_LEXICON_BITS = 15 };

/* The words in use, for lookup. */
typedef struct {
    /* A bit for a hash of each word: this small table rules out most words that are not in use. */
    uint64_t may_have[(1 << ABR_LEXICON_BITS) / 64];
    uint16_t slots[ABR_LEXICON_SLOTS]; /* 1 + index of a word; 0: free */
    unsigned quiet;                    /* groups switched off */
    unsigned without;                  /* a rule to leave out, or ABR_NO_RULE */
    abr_forms forms;                   /* the forms that lines are read for */
    abr_forms untroubled;              /* the forms in which a word of trouble is harmless */
} abr_lexicon;

/* The rows of words.def, followed by those of phrases.def. */
extern const abr_word abr_words[];

enum {
    ABR_WORDS_ALONE = sizeof((const abr_word[]){
#define WORD(class, text, program, proof) {text, sizeof(text) - 1, ABR_WORD_##class},
#include "line/words.def"
#undef WORD
                      }) /
                      sizeof(abr_word) /* rows of words.def */
};

/* The group, ABR_GROUP_..., that switches a class off, or 0. */
unsigned abr_word_group(unsigned class);

/* Fill a lexicon with the words of every group that is not in `quiet`, a set of ABR_GROUP_..., and with the
 * forms that are signs of trouble. For other forms, open its `forms` again. */
void abr_lexicon_open(abr_lexicon *x, unsigned quiet);

/* The same without one rule, and with all forms: for tests of a rule's worth. */
void abr_lexicon_open_without(abr_lexicon *x, unsigned quiet, unsigned rule);

/* The first eight bytes of a word, in lower case; bytes of `raw` past its n, which is not 0, are ignored. */
static inline uint64_t abr_word_key(uint64_t raw, size_t n)
{
    const uint64_t lower = UINT64_C(0x2020202020202020);
    const size_t lacks = n < 8 ? 8 - n : 0;
    return (raw | lower) & UINT64_MAX >> 8 * lacks;
}

ABR_WRAPS static inline uint64_t abr_word_hash(uint64_t key)
{
    return key * UINT64_C(0x9E3779B97F4A7C15);
}

/* May a word with this hash be in the lexicon? */
static inline bool abr_lexicon_may_have(const abr_lexicon *x, uint64_t hash)
{
    uint64_t bit = hash >> (64 - ABR_LEXICON_BITS);
    return x->may_have[bit / 64] >> bit % 64 & 1;
}

/* The word (p, n), in either case, or NULL; key is its abr_word_key(). */
const abr_word *abr_lexicon_find(const abr_lexicon *x, uint64_t key, const char *p, size_t n);

ABR_PRIVATE_END

#endif
