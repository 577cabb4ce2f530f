/* JSON by RFC 8259, read token by token. */
#ifndef ABR_KINDS_JSON_JSON_TEXT_H
#define ABR_KINDS_JSON_JSON_TEXT_H

#include <string.h>

#include "abridge.h"
#include "base/private.h"
#include "base/word.h"

ABR_PRIVATE_BEGIN

typedef enum {
    ABR_JSON_MORE = 0, /* the bytes are used up; a token may be unfinished */
    ABR_JSON_OPEN,     /* { or [ */
    ABR_JSON_CLOSE,    /* } or ] */
    ABR_JSON_KEY,
    ABR_JSON_GUESSED_KEY, /* the guessed key */
    ABR_JSON_STRING,
    ABR_JSON_NUMBER,
    ABR_JSON_LITERAL, /* true, false, null */
    ABR_JSON_DEEP,    /* { or [ comes next, with no room for its level: make more, and go on */
    ABR_JSON_WRONG    /* not JSON: nothing can follow */
} abr_json_token;

enum {
    ABR_JSON_LEVELS = 64, /* levels in one uint64_t */
    ABR_JSON_QUOTES = 2,  /* bytes of a string besides its text */
    ABR_JSON_GUESSED = 24 /* bytes of a key that can be guessed, with its closing quote */
};

/* The end of the bytes from i on that stand for themselves in a string: ASCII but quotes, backslashes and
 * controls. */
static inline size_t abr_json_plain_end(const char *p, size_t n, size_t i)
{
    for (; n - i >= 8; i += 8) {
        const uint64_t found = abr_special_bytes(abr_load_word(p + i));
        if (found != 0)
            return i + (size_t)__builtin_ctzll(found) / 8;
    }
    while (i < n && (unsigned char)p[i] >= ' ' && (unsigned char)p[i] < 0x80 && p[i] != '"' && p[i] != '\\')
        i++;
    return i;
}

/* The end of the string that starts at i. */
static inline size_t abr_json_string_end(const char *p, size_t n, size_t i)
{
    for (i++; i < n && p[i] != '"'; i++)
        i += p[i] == '\\';
    return i + 1;
}

/* A key that may come next, as words for comparing all at once. */
typedef struct {
    uint64_t words[ABR_JSON_GUESSED / 8];
    uint64_t masks[ABR_JSON_GUESSED / 8];
    size_t n; /* with its quote */
} abr_json_guess;

/*
 * A scan of one document. It allocates nothing and does not recurse: the caller owns the levels, and may move
 * and grow them between two calls. Bytes may come in chunks of any size; the tokens are the same.
 */
typedef struct {
    uint64_t *levels; /* a bit per level, set for objects */
    size_t room;      /* levels that fit */
    size_t depth;     /* open levels */
    uint64_t before;  /* bytes of earlier chunks */
    uint64_t start;   /* start of the last token, or the unfinished one, in the document */
    bool in_object;   /* whether the innermost level is an object */
    uint8_t wanted;   /* expected by the grammar, between tokens */
    uint8_t inside;   /* the unfinished token */
    uint8_t left;     /* bytes of an unfinished sequence, escape or literal still to come */
    uint8_t low;      /* the range of the next byte of a sequence */
    uint8_t high;
    uint8_t number;              /* state in a number */
    const char *literal;         /* the rest of it */
    const abr_json_guess *guess; /* the caller's, or NULL */
} abr_json_scan;

/* Start a document; `levels` has room for `room` open objects and arrays. The caller skips a BOM. */
void abr_json_open(abr_json_scan *scan, uint64_t *levels, size_t room);

/* The next token of (p, n) from *i on; *i gets its end. ABR_JSON_MORE: *i is n, and the next call gets the
 * next chunk with *i 0. After ABR_JSON_WRONG, *i is the wrong byte. A number only ends at the byte after it,
 * so a document that is just a number never returns it. */
abr_json_token abr_json_next(abr_json_scan *scan, const char *p, size_t n, size_t *i);

/* Is the document complete, so that it may end here? */
bool abr_json_is_whole(const abr_json_scan *scan);

/* Is the unfinished token a string value, rather than a key? */
bool abr_json_in_string(const abr_json_scan *scan);

/* Is it whitespace by RFC 8259? */
static inline bool abr_json_is_blank(char c)
{
    return c == ' ' || c == '\n' || c == '\t' || c == '\r';
}

/* Make a guess from a key of n bytes, n < ABR_JSON_GUESSED, that was read. */
void abr_json_make_guess(abr_json_guess *guess, const char *p, size_t n);

/* Does the guessed key start at p? ABR_JSON_GUESSED bytes there must be readable. */
static inline bool abr_json_guess_holds(const abr_json_guess *guess, const char *p)
{
    const uint64_t *words = guess->words;
    const uint64_t *masks = guess->masks;
    return (((abr_load_word(p) ^ words[0]) & masks[0]) | ((abr_load_word(p + 8) ^ words[1]) & masks[1]) |
            ((abr_load_word(p + 16) ^ words[2]) & masks[2])) == 0;
}

/* ---- guesses: keys read before, each with the one that came after it ---- */

/* Records have the same keys in the same order, so the next key can be guessed: it is compared, not looked
 * up. In a header, since every key of a document passes here. */
enum { ABR_JSON_KNOWN = 256 };

typedef struct {
    abr_json_guess guess; /* n is 0 if there is none */
    uint64_t in;          /* the object's name: a hash of all keys around it */
    uint64_t name;        /* hash of the key and those around it */
    void *noted;          /* the caller's, for this name; NULL for a new one */
    uint8_t role;         /* the caller's too; 0 for a new one */
    uint8_t next;
} abr_json_known;

typedef struct {
    abr_json_known known[ABR_JSON_KNOWN];
    uint8_t last;
} abr_json_keys;

static inline const abr_json_guess *abr_json_next_guess(const abr_json_keys *x)
{
    const abr_json_guess *guess = &x->known[x->known[x->last].next].guess;
    return guess->n > 0 ? guess : NULL;
}

/* The guessed key has come; NULL if it is in a different object. */
static inline abr_json_known *abr_json_guessed(abr_json_keys *x, uint64_t in)
{
    const uint8_t slot = x->known[x->last].next;
    if (x->known[slot].in != in)
        return NULL;
    x->last = slot;
    return &x->known[slot];
}

/* Another key has come; NULL if it is too long to be guessed. */
static inline abr_json_known *abr_json_learn(abr_json_keys *x, const char *p, size_t n, uint64_t in,
                                             uint64_t name)
{
    if (n >= ABR_JSON_GUESSED)
        return NULL;
    const uint8_t slot = (uint8_t)(name >> 40);
    abr_json_known *known = &x->known[slot];
    x->known[x->last].next = slot;
    x->last = slot;
    if (known->name != name || known->in != in || known->guess.n != n + 1) {
        *known = (abr_json_known){.in = in, .name = name, .next = known->next};
        abr_json_make_guess(&known->guess, p, n);
    }
    return known;
}

ABR_PRIVATE_END

#endif
