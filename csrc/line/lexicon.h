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
    ABR_WORD_MEANT,   /* simulated: trouble beside them was made on purpose */
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

/* Lists of words that a rule about a word of trouble looks for around it. */
typedef enum {
    ABR_LIST_EMPTY,         /* values that say there is none: "errors: none" */
    ABR_LIST_SETTING,       /* parts of the names of settings: fail_on_error */
    ABR_LIST_STATE,         /* parts of names whose value is a state: status=error */
    ABR_LIST_REMEDY,        /* remedies for a missing thing: "..., skipping" */
    ABR_LIST_COMMAND,       /* commands and jobs: "build failed" */
    ABR_LIST_ADVISES,       /* names before "warning" of programs whose warnings are advice */
    ABR_LIST_WARNS,         /* a compiler's "warning:" in scripts beyond ASCII */
    ABR_LIST_DENIED_BEFORE, /* denials before a word of trouble, in any language */
    ABR_LIST_DENIED_AFTER,  /* the same after it */
    ABR_LIST_FINE_BEFORE,   /* what stands before a word of trouble that is no failure of its own */
    ABR_LIST_FINE_AFTER,    /* or after one that was expected, or is a limit */
    ABR_LIST_AGAIN,         /* headings and counts below which a runner tells of its failures again */
    ABR_LIST_SETUP,         /* starts of messages about setting up a machine, with no failure in them */
    ABR_LIST_HARNESS,       /* starts of a runner's lines that look like comments */
    ABR_LIST_SCENARIO,      /* starts of titles of what is tested */
    ABR_LIST_REPORT,        /* starts of reports without a word of trouble */
    ABR_LIST_STATEMENT,     /* words that start a statement of source: such words start sentences, too */
    ABR_LIST_QUOTED,        /* those of them that a quotation follows */
    ABR_LIST_BLOCK,         /* those of them that open a block with a colon */
    ABR_LIST_COMMIT,        /* verbs that start the subject of a commit */
    ABR_LIST_TITLE,         /* verbs of trouble that start the indented title of a test */
    ABR_LIST_OF_MANY,       /* verbs after the noun that starts a line that is no title: "files were" */
    ABR_LIST_SPOKEN_AFTER,  /* words after one of trouble that is spoken of: "errors are", */
    ABR_LIST_SPOKEN_BEFORE, /* right before it: "any error", */
    ABR_LIST_SPOKEN_FAR,    /* or some words before it: "returns an error" */
    ABR_LIST_REPORT_AFTER,  /* words after a bare "error" that is reported: "error while", */
    ABR_LIST_REPORT_BEFORE, /* or before it: "syntax error" */
    ABR_LIST_NUMBERED,      /* things whose number is no count of what failed: "port 5432 failed" */
    ABR_LIST_ASKED,         /* ends of notes that say which place asked for what went wrong elsewhere */
    ABR_LIST_WELL,          /* titles of sections of what went well: "==== PASSES ====" */
    ABR_LISTS
} abr_list;

enum {
    ABR_LEXICON_SLOTS = 2048,
    ABR_LEXICON_BITS = 15,
    ABR_LISTED_MOST = UINT8_MAX, /* rows of listed.def, at most */
    ABR_BOTH_CASES = 32          /* bytes that are told apart whatever the case of their letters */
};

/* The words of each list by their first bytes, or by their last ones: numbers of rows, from 1; 0: no more. */
typedef struct {
    uint8_t first[ABR_LISTS][ABR_BOTH_CASES];
    uint8_t next[ABR_LISTED_MOST + 1]; /* the one after each */
} abr_list_index;

/* The words in use, for lookup. */
typedef struct {
    /* A bit for a hash of each word: this small table rules out most words that are not in use. */
    uint64_t may_have[(1 << ABR_LEXICON_BITS) / 64];
    uint16_t slots[ABR_LEXICON_SLOTS]; /* 1 + index of a word; 0: free */
    unsigned quiet;                    /* groups switched off */
    unsigned without;                  /* a rule to leave out, or ABR_NO_RULE */
    abr_list_index starts;             /* of the words of listed.def */
    abr_list_index ends;
    abr_forms forms;      /* the forms that lines are read for */
    abr_forms untroubled; /* the forms in which a word of trouble is harmless */
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

/* A word of a list, of listed.def. */
typedef struct {
    const char *text;
    uint8_t n; /* bytes */
    uint8_t list;
} abr_listed_row;

extern const abr_listed_row abr_listed_rows[];

/* The word of a list after `before`, NULL at first, that may have c at that end, in either case; NULL: there
 * is none. */
static inline const abr_listed_row *abr_next_listed(const abr_list_index *index, abr_list list, char c,
                                                    const abr_listed_row *before)
{
    const unsigned row =
        before ? index->next[before + 1 - abr_listed_rows] : index->first[list][c & (ABR_BOTH_CASES - 1)];
    return row > 0 ? &abr_listed_rows[row - 1] : NULL;
}

ABR_PRIVATE_END

#endif
