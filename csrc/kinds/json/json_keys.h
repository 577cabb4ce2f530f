/*
 * Keys read before, each with the one that came after it. Records have the same keys in the same order, so
 * the next key can be guessed: it is compared, not looked up. In a header, since every key of a document
 * passes here.
 */
#ifndef ABR_KINDS_JSON_JSON_KEYS_H
#define ABR_KINDS_JSON_JSON_KEYS_H

#include <string.h>

#include "base/private.h"
#include "kinds/json/json_text.h"

ABR_PRIVATE_BEGIN

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
