/* Whether names are all different, by their hashes: two with the same hash count as the same name. */
#include <string.h>

#include "page/unique.h"
#include "abridge.h"
#include "base/memory.h"
#include "base/private.h"
#include "base/tiny.h"

enum {
    FIRST_SLOTS = ABR_OR_TINY(256, 2),
    MOST_ROOM = ABR_OR_TINY(128 * 1024, 16) /* 1 MiB, for half as many names */
};

ABR_WRAPS static uint64_t hash_name(const char *name, size_t n)
{
    uint64_t hash = UINT64_C(0xCBF29CE484222325); /* FNV-1a */
    for (size_t i = 0; i < n; i++)
        hash = (hash ^ (unsigned char)name[i]) * UINT64_C(0x100000001B3);
    hash ^= hash >> 32;
    return hash > 0 ? hash : 1;
}

static size_t find_slot(const abr_unique *set, uint64_t hash)
{
    size_t i = (size_t)hash & (set->room - 1);
    while (set->slots[i] != 0 && set->slots[i] != hash)
        i = (i + 1) & (set->room - 1);
    return i;
}

static bool grow_set(abr_unique *set, const abr_alloc *alloc)
{
    abr_unique larger = {NULL, set->room > 0 ? 2 * set->room : FIRST_SLOTS, set->count};
    const size_t size = larger.room * sizeof *larger.slots;
    larger.slots = alloc->malloc(alloc->ctx, size);
    if (!larger.slots)
        return false;
    memset(larger.slots, 0, size);
    for (size_t i = 0; i < set->room; i++)
        if (set->slots[i] != 0)
            larger.slots[find_slot(&larger, set->slots[i])] = set->slots[i];
    abr_unique_free(set, alloc);
    *set = larger;
    return true;
}

bool abr_unique_add(abr_unique *set, const abr_alloc *alloc, const char *name, size_t n, bool *is_new)
{
    *is_new = false;
    if (2 * set->count >= set->room) {
        if (set->room == MOST_ROOM)
            return true;
        if (!grow_set(set, alloc))
            return false;
    }
    const uint64_t hash = hash_name(name, n);
    const size_t slot = find_slot(set, hash);
    *is_new = set->slots[slot] == 0;
    set->count += *is_new;
    set->slots[slot] = hash;
    return true;
}

void abr_unique_free(abr_unique *set, const abr_alloc *alloc)
{
    if (set->slots)
        alloc->free(alloc->ctx, set->slots);
    memset(set, 0, sizeof *set);
}
