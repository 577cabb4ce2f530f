/* Sorts items by a key, in time that does not depend on their order. */
#include <string.h>

#include "priority/sort.h"
#include "abridge.h"

enum { KEY_DIGITS = 8, DIGIT_VALUES = 256 }; /* digits of a key, a byte each, the lowest first */

static unsigned digit_of(const abr_key *key, unsigned digit)
{
    return (unsigned)(key->key >> (8 * digit)) & (DIGIT_VALUES - 1);
}

/* Turn the counts of values into the places of their first items; false if all keys have the same value. */
static bool places_of(uint32_t counts[DIGIT_VALUES], size_t n)
{
    uint32_t at = 0;
    for (unsigned value = 0; value < DIGIT_VALUES; value++) {
        uint32_t count = counts[value];
        if (count == n)
            return false;
        counts[value] = at;
        at += count;
    }
    return true;
}

void abr_sort_keys(abr_key *keys, size_t n, abr_key *scratch)
{
    uint32_t counts[KEY_DIGITS][DIGIT_VALUES] = {{0}};
    abr_key *from = keys;
    abr_key *to = scratch;
    for (size_t i = 0; i < n; i++)
        for (unsigned digit = 0; digit < KEY_DIGITS; digit++)
            counts[digit][digit_of(&keys[i], digit)]++;
    for (unsigned digit = 0; digit < KEY_DIGITS; digit++) {
        if (n == 0 || !places_of(counts[digit], n))
            continue;
        for (size_t i = 0; i < n; i++)
            to[counts[digit][digit_of(&from[i], digit)]++] = from[i];
        abr_key *sorted = to;
        to = from;
        from = sorted;
    }
    if (from != keys)
        memcpy(keys, from, n * sizeof *keys);
}
