/* JSON by RFC 8259, read token by token. */
#ifndef ABR_KINDS_JSON_JSON_TEXT_H
#define ABR_KINDS_JSON_JSON_TEXT_H

#include "abridge.h"
#include "base/private.h"
#include "base/word.h"

ABR_PRIVATE_BEGIN

typedef enum {
    ABR_JSON_MORE = 0, /* the bytes are used up; a token may be under way */
    ABR_JSON_OPEN,     /* { or [ */
    ABR_JSON_CLOSE,    /* } or ] */
    ABR_JSON_KEY,
    ABR_JSON_GUESSED_KEY, /* the one that was guessed */
    ABR_JSON_STRING,
    ABR_JSON_NUMBER,
    ABR_JSON_LITERAL,      /* true, false, null */
    ABR_JSON_EMPTY_OBJECT, /* {} as one token, where that is asked for and the chunk has both bytes, */
    ABR_JSON_EMPTY_ARRAY,  /* and [] */
    ABR_JSON_DEEP,         /* { or [ comes next, and there is no room for its level: make more, and go on */
    ABR_JSON_WRONG         /* no JSON: nothing can follow */
} abr_json_token;

enum {
    ABR_JSON_LEVELS = 64, /* in one uint64_t of room */
    ABR_JSON_QUOTES = 2,  /* bytes of a string that are not its text */
    ABR_JSON_GUESSED = 24 /* bytes of a key that can be guessed, with its closing quote */
};

/* A key that may come next, as words that are compared at once. */
typedef struct {
    uint64_t words[ABR_JSON_GUESSED / 8];
    uint64_t masks[ABR_JSON_GUESSED / 8];
    size_t n; /* with its quote */
} abr_json_guess;

/*
 * A scan of one document. It allocates nothing and does not recurse: the levels are the caller's, who may
 * move and grow them between two calls. Bytes may come in chunks of any size; the tokens are the same.
 */
typedef struct {
    uint64_t *levels; /* a bit a level, set where it is an object */
    size_t room;      /* levels that fit */
    size_t depth;     /* levels that are open */
    uint64_t before;  /* bytes of the chunks that are used up */
    uint64_t start;   /* where the last token began, or the one under way, from the start of the document */
    uint8_t wanted;   /* by the grammar, between tokens */
    uint8_t inside;   /* which token is under way */
    uint8_t left;     /* of a token under way: bytes of a sequence, an escape or a literal still to come */
    uint8_t low;      /* the range of the next byte of a sequence */
    uint8_t high;
    uint8_t number;              /* where in a number */
    bool joins_empty;            /* set by the caller: ABR_JSON_EMPTY_OBJECT and its like may come */
    const char *literal;         /* what is left of it */
    const abr_json_guess *guess; /* the caller's, or NULL */
} abr_json_scan;

/* Start a document; `levels` has room for `room` open objects and arrays. A BOM is the caller's to skip. */
void abr_json_open(abr_json_scan *scan, uint64_t *levels, size_t room);

/* The next token of (p, n) from *i on, and in *i where it ends. ABR_JSON_MORE: *i is n, and the next call
 * gets the next chunk with *i 0. After ABR_JSON_WRONG, *i is the byte that is wrong. The end of a number
 * shows at the byte after it; the last number of a document that is nothing else is never returned. */
abr_json_token abr_json_next(abr_json_scan *scan, const char *p, size_t n, size_t *i);

/* Has everything been read that a document needs, so that it may end here? */
bool abr_json_is_whole(const abr_json_scan *scan);

/* Is a string under way that is a value, and no key? */
bool abr_json_in_string(const abr_json_scan *scan);

/* What RFC 8259 calls whitespace. */
static inline bool abr_json_is_blank(char c)
{
    return c == ' ' || c == '\n' || c == '\t' || c == '\r';
}

/* Is the innermost open level an object? depth > 0. */
static inline bool abr_json_in_object(const abr_json_scan *scan)
{
    size_t level = scan->depth - 1;
    return scan->levels[level / ABR_JSON_LEVELS] >> level % ABR_JSON_LEVELS & 1;
}

/* The guess of a key of n bytes, n < ABR_JSON_GUESSED, that was read. */
void abr_json_make_guess(abr_json_guess *guess, const char *p, size_t n);

/* Does a key that was guessed start at p, of which ABR_JSON_GUESSED bytes can be read? */
static inline bool abr_json_guess_holds(const abr_json_guess *guess, const char *p)
{
    const uint64_t *words = guess->words;
    const uint64_t *masks = guess->masks;
    return (((abr_load_word(p) ^ words[0]) & masks[0]) | ((abr_load_word(p + 8) ^ words[1]) & masks[1]) |
            ((abr_load_word(p + 16) ^ words[2]) & masks[2])) == 0;
}

ABR_PRIVATE_END

#endif
