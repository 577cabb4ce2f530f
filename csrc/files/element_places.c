/*
 * The places of the elements of an array or the members of an object.
 *
 * A sparse table, like that of lines: an entry for the first element that begins a stride or more after the
 * entry before. When the table is full every other entry goes and the stride doubles. An element is found by
 * bisection and a scan of one stride.
 */
#include <string.h>

#include "files/element_places.h"
#include "abridge.h"
#include "base/memory.h"
#include "base/tiny.h"

enum {
    PLACES_STRIDE = ABR_OR_TINY(64 * 1024, 16), /* bytes between entries, at first */
    MOST_PLACES = ABR_OR_TINY(16 * 1024, 8),    /* of one array or object */
    FIRST_PLACES = ABR_OR_TINY(64, 2)           /* allocated at first */
};

abr_element_places *abr_places_new(const char *pointer, size_t n, const abr_alloc *alloc)
{
    abr_element_places *x = alloc->malloc(alloc->ctx, sizeof *x + n);
    if (!x)
        return NULL;
    memset(x, 0, sizeof *x);
    x->alloc = alloc;
    x->pointer = (char *)(x + 1);
    x->pointer_n = n;
    memcpy(x->pointer, pointer, n);
    x->stride = PLACES_STRIDE;
    x->unique = true;
    return x;
}

void abr_places_free(abr_element_places *x)
{
    if (!x)
        return;
    if (x->entries)
        x->alloc->free(x->alloc->ctx, x->entries);
    x->alloc->free(x->alloc->ctx, x);
}

uint64_t abr_places_bytes(const abr_element_places *x)
{
    return sizeof *x + x->pointer_n + x->room * sizeof *x->entries;
}

/* Drop every other entry. */
static void thin_places(abr_element_places *x)
{
    for (size_t i = 1; 2 * i < x->count; i++)
        x->entries[i] = x->entries[2 * i];
    x->count = (x->count + 1) / 2;
    x->stride *= 2;
    x->due = x->entries[x->count - 1].at + x->stride;
}

bool abr_places_note(abr_element_places *x, const abr_element_at *place)
{
    if (x->count == MOST_PLACES && place->at >= x->due)
        thin_places(x);
    if (x->count > 0 && place->at < x->due)
        return true;
    if (x->count == x->room) {
        size_t room = x->room > 0 ? 2 * x->room : FIRST_PLACES;
        abr_element_at *grown =
            abr_resize(x->alloc, x->entries, x->room * sizeof *grown, room * sizeof *grown);
        if (!grown)
            return false;
        x->entries = grown;
        x->room = room;
    }
    x->entries[x->count++] = *place;
    x->due = place->at + x->stride;
    return true;
}

const abr_element_at *abr_places_before(const abr_element_places *x, uint64_t index)
{
    size_t low = 0;
    size_t high = x->count - 1;
    while (low < high) {
        size_t middle = high - (high - low) / 2;
        if (x->entries[middle].index <= index)
            low = middle;
        else
            high = middle - 1;
    }
    return &x->entries[low];
}

const abr_element_at *abr_places_named(const abr_element_places *x, const char *name, size_t n)
{
    for (size_t i = 0; i < ABR_NAMED; i++) {
        const abr_named_at *known = &x->named[i];
        if (known->place.index > 0 && known->n == n && memcmp(known->name, name, n) == 0)
            return &known->place;
    }
    return NULL;
}

void abr_places_name(abr_element_places *x, const char *name, size_t n, const abr_element_at *place)
{
    abr_named_at *slot = &x->named[x->next_named++ % ABR_NAMED];
    slot->n = n;
    slot->place = *place;
    memcpy(slot->name, name, n);
}
