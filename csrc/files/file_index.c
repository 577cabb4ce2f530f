/* The indexes of several files, those used last: of their lines, and of the elements of their JSON. */
#include <string.h>

#include "files/file_index.h"
#include "abridge.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/tiny.h"
#include "files/element_places.h"
#include "files/line_index.h"

enum {
    FILES = ABR_OR_TINY(16, 2),     /* line indexes kept */
    CONTAINERS = ABR_OR_TINY(16, 2) /* arrays and objects with places of elements kept */
};

struct abr_index {
    const abr_alloc *alloc;
    abr_lines *files[FILES]; /* NULL: free */
    abr_element_places *elements[CONTAINERS];
    uint64_t clock; /* of uses */
};

abr_code abr_index_open(const abr_alloc *alloc, abr_index **out, abr_error *error)
{
    const abr_alloc *a = abr_allocator(alloc);
    *out = a->malloc(a->ctx, sizeof **out);
    if (!*out)
        return abr_no_memory(error);
    memset(*out, 0, sizeof **out);
    (*out)->alloc = a;
    return ABR_OK;
}

void abr_index_close(abr_index *index)
{
    if (!index)
        return;
    for (size_t i = 0; i < FILES; i++)
        abr_lines_free(index->files[i]);
    for (size_t i = 0; i < CONTAINERS; i++)
        abr_places_free(index->elements[i]);
    index->alloc->free(index->alloc->ctx, index);
}

uint64_t abr_index_bytes(const abr_index *index)
{
    uint64_t bytes = sizeof *index;
    for (size_t i = 0; i < FILES; i++) {
        const abr_lines *x = index->files[i];
        if (x)
            bytes += sizeof *x + x->room * sizeof *x->newlines * (x->chars ? 2 : 1);
    }
    for (size_t i = 0; i < CONTAINERS; i++)
        if (index->elements[i])
            bytes += abr_places_bytes(index->elements[i]);
    return bytes;
}

abr_lines *abr_index_find(abr_index *index, const abr_identity *of)
{
    for (size_t i = 0; i < FILES; i++) {
        abr_lines *x = index->files[i];
        if (x && abr_same_identity(&x->of, of)) {
            x->used = ++index->clock;
            return x;
        }
    }
    return NULL;
}

void abr_index_put(abr_index *index, abr_lines *lines)
{
    size_t slot = 0;
    for (size_t i = 0; i < FILES; i++) {
        const abr_lines *x = index->files[i];
        /* an index of an older state of the file is useless */
        if (!x || (x->of.device == lines->of.device && x->of.inode == lines->of.inode)) {
            slot = i;
            break;
        }
        if (x->used < index->files[slot]->used)
            slot = i;
    }
    abr_lines_free(index->files[slot]);
    lines->used = ++index->clock;
    index->files[slot] = lines;
}

void abr_index_place(abr_index *index, const abr_identity *of, const abr_place_at *place)
{
    abr_lines *x = abr_index_find(index, of);
    if (x)
        x->places[x->next_place++ % ABR_PLACES] = *place;
}

/* ---- elements ---- */

/* Does a pointer lead into the array or object of these places? */
static bool leads_into(const char *pointer, size_t n, const abr_element_places *x)
{
    return n > x->pointer_n ? pointer[x->pointer_n] == '/' && memcmp(pointer, x->pointer, x->pointer_n) == 0
                            : n == 0 && x->pointer_n == 0;
}

abr_element_places *abr_index_elements(abr_index *index, const abr_identity *of, const char *pointer,
                                       size_t n)
{
    abr_element_places *best = NULL;
    for (size_t i = 0; i < CONTAINERS; i++) {
        abr_element_places *x = index->elements[i];
        if (x && abr_same_identity(&x->of, of) && leads_into(pointer, n, x) &&
            (!best || x->pointer_n > best->pointer_n))
            best = x;
    }
    if (best)
        best->used = ++index->clock;
    return best;
}

/* Does the new one make the old one useless: same array or object, or a file that has changed? */
static bool outdated(const abr_element_places *old, const abr_element_places *now)
{
    const bool same_file = old->of.device == now->of.device && old->of.inode == now->of.inode;
    return same_file &&
           (!abr_same_identity(&old->of, &now->of) ||
            (old->pointer_n == now->pointer_n && memcmp(old->pointer, now->pointer, now->pointer_n) == 0));
}

void abr_index_put_elements(abr_index *index, abr_element_places *places)
{
    size_t slot = 0;
    for (size_t i = 0; i < CONTAINERS; i++) {
        abr_element_places **x = &index->elements[i];
        if (*x && outdated(*x, places)) {
            abr_places_free(*x);
            *x = NULL;
        }
        const abr_element_places *worst = index->elements[slot];
        if (worst && (!*x || (*x)->used < worst->used))
            slot = i;
    }
    abr_places_free(index->elements[slot]);
    places->used = ++index->clock;
    index->elements[slot] = places;
}
