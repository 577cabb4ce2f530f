/*
 * What the files of the priority cut share: which lines matter (lexicon.c, words.c, score.c, shape.c), what is retained
 * of them (candidates.c, priority.c), and what is kept of that within a budget (choice.c).
 */
#ifndef ABR_PRIORITY_H
#define ABR_PRIORITY_H

#include <string.h>

#include "internal.h"

ABR_PRIVATE_BEGIN

/* ---- lexicon.c: words that say something ---- */

/* What a word says. Words of one class are weighed alike, see score.c. */
typedef enum {
    ABR_W_NONE = 0,
    ABR_W_NO,     /* no, not, without: what follows is negated, or lacking */
    ABR_W_LACK,   /* such, found, member: with ABR_W_NO before them something is wrong */
    ABR_W_ERROR,  /* error, exception */
    ABR_W_FAIL,   /* failed, failure */
    ABR_W_FATAL,  /* clear wherever they stand: panic, traceback, segfault */
    ABR_W_BAD,    /* cannot, denied, undefined: wrong in most sentences */
    ABR_W_DOUBT,  /* weak signs: abort, retry, undefined */
    ABR_W_WARN,   /* warning, deprecated */
    ABR_W_EXPECT, /* expected, got, left, right */
    ABR_W_CAUSE,  /* cause, reason, because */
    ABR_W_NOTE,   /* note, help, hint */
    ABR_W_COUNT,  /* what summaries count: passed, tests, problems */
    ABR_W_EXIT,   /* exit, exited, status, code */
    ABR_W_DONE,   /* finished, completed, built */
    ABR_W_PASS,   /* ok, pass, passed, yes */
    ABR_W_STEP,   /* run, start, checking, compiling */
    ABR_W_QUIET,  /* info, debug: log levels that discount a line */
    ABR_W_CODE,   /* raise, throw, new: what follows is source */
    ABR_W_NAMING, /* handling, message: an error before them is a name */
    ABR_W_SYMBOL, /* reference, symbol: after undefined */
    ABR_W_HTTP
} abr_word_class;

typedef struct {
    const char *text; /* lower case */
    uint8_t n;
    uint8_t class;
} abr_word;

enum { ABR_LEXICON_SLOTS = 2048, ABR_LEXICON_BITS = 16384 };

/* The words in use, for lookup. */
typedef struct {
    uint64_t may_have[ABR_LEXICON_BITS /
                      64]; /* a bit for some hash of a word: a small table tells most that are none */
    uint16_t slots[ABR_LEXICON_SLOTS]; /* 1 + index of a word, 0: none */
    uint64_t keys[ABR_LEXICON_SLOTS];  /* its first eight letters */
    unsigned quiet;                    /* groups that are switched off */
} abr_lexicon;

extern const abr_word abr_words[];

/* The group, ABR_GROUP_..., that a class is switched off with, or 0. */
unsigned abr_word_group(unsigned class);

/* Fill a lexicon with the words of every group that is not in `quiet`, a set of ABR_GROUP_... */
void abr_lexicon_open(abr_lexicon *x, unsigned quiet);

/* The first eight bytes of a word, in lower case; what is beyond n bytes of `raw` is ignored. */
static inline uint64_t abr_word_key(uint64_t raw, size_t n)
{
    const uint64_t lower = UINT64_C(0x2020202020202020);
    return n >= 8 ? raw | lower : (raw | lower) & ((UINT64_C(1) << (8 * n)) - 1);
}

static inline uint64_t abr_word_hash(uint64_t key)
{
    return key * UINT64_C(0x9E3779B97F4A7C15);
}

/* May a word of this key be in the lexicon? */
static inline bool abr_lexicon_may_have(const abr_lexicon *x, uint64_t key)
{
    unsigned bit = (unsigned)(abr_word_hash(key) >> 50);
    return x->may_have[bit / 64] >> bit % 64 & 1;
}

/* The word that is (p, n) in either case, or NULL; key is its abr_word_key(). */
const abr_word *abr_lexicon_find(const abr_lexicon *x, uint64_t key, const char *p, size_t n);

/* ---- words.c: one pass over a line ---- */

enum {
    ABR_SIGNS = 24,  /* words of the lexicon that are taken note of in a line */
    ABR_PADDING = 64 /* bytes that may be read behind a line */
};

/* A word of the lexicon in a line, or the name of an error type. */
typedef struct {
    uint32_t at;
    uint16_t n;
    uint8_t class;
    bool type; /* SomethingError: a name of which only the end is in the lexicon */
} abr_sign;

/* What stands in a line. */
typedef struct {
    abr_sign signs[ABR_SIGNS];
    unsigned count;
    uint32_t shape; /* hash of the line with names, numbers and quoted parts folded */
    uint32_t words; /* how many there were */
    size_t indent;  /* blanks at the start */
    size_t first;   /* where the first word starts; n: there is none */
    size_t located; /* where a file:line starts; n: there is none */
    size_t code;    /* where a diagnostic's code is: E1101, SC2086; n: there is none */
    size_t mark;    /* the first tick, cross or other sign that is not ASCII; n: none */
} abr_line_words;

/* Read (p, n) into *out; ABR_PADDING bytes after it can be read too. */
void abr_read_words(const abr_lexicon *lexicon, const char *p, size_t n, abr_line_words *out);

/* ---- score.c: what a line says, read alone ---- */

typedef enum {
    ABR_K_PLAIN = 0,
    ABR_K_BLANK,   /* nothing but blanks */
    ABR_K_PASS,    /* a test that passed, a check that went well */
    ABR_K_STEP,    /* a test that starts, a file that is compiled */
    ABR_K_EXCERPT, /* a source line of a diagnostic, its caret */
    ABR_K_FRAME,   /* of a stack */
    ABR_K_TRACE    /* the head of a traceback whose message comes last */
} abr_kind;

typedef struct {
    float score; /* 0: nothing */
    bool hit;    /* something is wrong, says this line: it counts in cut.hits */
    abr_kind kind;
    uint32_t at; /* where its sign is */
    uint32_t shape;
    uint32_t words;
    size_t indent;
} abr_reading;

/* Patterns of the caller, copied. */
typedef struct {
    const abr_hit *patterns;
    size_t count;
    void *memory;
} abr_patterns;

/* Read a line; ABR_PADDING bytes after it can be read too. */
void abr_read_line(const abr_lexicon *lexicon, const abr_patterns *patterns, const char *p, size_t n,
                   abr_reading *out);

/* ---- hits.c: patterns of the caller ---- */

/* Is the pattern in (p, n)? *at: where it starts. */
bool abr_hit_matches(const abr_hit *hit, const char *p, size_t n, size_t *at);

abr_code abr_patterns_open(abr_patterns *out, const abr_hit *hits, size_t count, const abr_alloc *alloc);
void abr_patterns_close(abr_patterns *x, const abr_alloc *alloc);

/* ---- shape.c: how often a shape was seen ---- */

enum { ABR_SHAPE_SETS = 2048, ABR_SHAPE_WAYS = 4 };

typedef struct {
    uint32_t shape[ABR_SHAPE_SETS][ABR_SHAPE_WAYS];
    uint32_t seen[ABR_SHAPE_SETS][ABR_SHAPE_WAYS];
} abr_shapes;

/* Count a shape; how often it was seen before. */
uint32_t abr_shapes_add(abr_shapes *t, uint32_t shape);

/* How often it was seen, 0 where it is not remembered. */
uint32_t abr_shapes_seen(const abr_shapes *t, uint32_t shape);

/* ---- candidates.c: the lines that are retained ---- */

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

/* What an item is sorted by. */
typedef struct {
    uint64_t key;
    uint32_t index; /* of the item */
} abr_key;

/* Sort by key, the lowest first; those of one key stay in their order. `scratch` is as large. */
void abr_sort_keys(abr_key *keys, size_t n, abr_key *scratch);

/* A float, not NaN, as a key of the same order. */
static inline uint64_t abr_float_key(float x)
{
    uint32_t bits;
    x += 0.0F; /* -0 is 0 */
    memcpy(&bits, &x, sizeof bits);
    return bits >> 31 ? ~bits : bits | UINT32_C(1) << 31;
}

/* ---- priority.c: the lines of a text that goes by ---- */

/* What is retained of a text for a priority cut. */
typedef struct abr_priority abr_priority;

typedef struct {
    const char *text;    /* the whole text, which stays; NULL: chunks are copied */
    size_t keep;         /* abr_keep() of the budgets */
    bool chars;          /* chars are counted */
    const abr_hit *hits; /* copied */
    size_t hit_count;
    unsigned quiet_groups;
    const abr_alloc *alloc;
} abr_priority_opts;

abr_code abr_priority_open(const abr_priority_opts *opts, abr_priority **out);

/* Memory for a chunk with so many newlines; false changes nothing. */
bool abr_priority_reserve(abr_priority *q, uint64_t newlines, size_t n);

/* Read a chunk for which memory was reserved. */
void abr_priority_write(abr_priority *q, const char *p, size_t n);

/* A line that is retained, and how many lines of its shape there were, where that is known. */
typedef struct {
    const abr_candidate *c;
    uint32_t seen;
} abr_retained_line;

/* What is retained at one moment. */
typedef struct {
    abr_retained_line *lines; /* in no order, and more than are left */
    size_t used;              /* of the lines */
    uint32_t *order;          /* those that are left, by line */
    size_t count;
    abr_key *keys; /* to sort them: twice as many as there are lines */
    uint64_t hits; /* in all of the text */
} abr_retained;

/* At most how many lines there are. */
size_t abr_priority_most(const abr_priority *q);

/* The lines that would have been retained with `keep`, no larger than the one it was opened with, if the text ended
 * here; `out` has room for abr_priority_most() of them. Valid until the next call. */
void abr_priority_retained(abr_priority *q, size_t keep, abr_retained *out);
/* Read a line, as far as lines are read at once. */
void abr_priority_read(abr_priority *q, const char *p, size_t n, abr_reading *out);

/* Lines that tell of something wrong, the open one too. */
uint64_t abr_priority_hits(abr_priority *q);
void abr_priority_close(abr_priority *q);

ABR_PRIVATE_END

#endif
