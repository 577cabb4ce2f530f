/*
 * What of a diff is retained as it goes by: the names of the first files, the starts of the first texts, and
 * the hunks that a cut would take first.
 *
 * Hunks compete by level: the share of a file at which a max-min fair choice would take the hunk, as far as
 * that is known when it is read. It costs what its header and its bytes do. A large hunk is retained in
 * slices from its two ends to its middle, each with a level of its own, so what is shown of it in part is at
 * hand too. Weights and costs are fixed, so what a smaller budget retains is a start of what a larger one
 * does; and nothing above a level that no cut can reach is retained.
 */
#include <string.h>

#include "kinds/diff/diff_store.h"
#include "abridge.h"
#include "base/memory.h"
#include "base/tiny.h"
#include "priority/candidates.h"
#include "text/flow.h"

enum { SLICE_MOST = sizeof(abr_diff_hunk) + ABR_DIFF_HEADER_MOST + (size_t)2 * ABR_DIFF_SLICE };

/* ---- allowances ---- */

size_t abr_diff_hunks_allowance(size_t keep, int class)
{
    static const size_t per_byte[] = {ABR_DIFF_PEOPLES_HUNKS, ABR_DIFF_MACHINES_HUNKS};
    static const size_t least[] = {ABR_DIFF_PEOPLES_LEAST, ABR_DIFF_MACHINES_LEAST};
    return keep < SIZE_MAX / 64 ? least[class] + keep * per_byte[class] : SIZE_MAX / 2;
}

size_t abr_diff_names_allowance(size_t keep, int class)
{
    static const size_t per_byte[] = {ABR_DIFF_PEOPLES_NAMES, ABR_DIFF_MACHINES_NAMES};
    return keep < SIZE_MAX / 64 ? keep * per_byte[class] : SIZE_MAX / 2;
}

size_t abr_diff_texts_allowance(size_t keep)
{
    return keep < SIZE_MAX / 64 ? keep * ABR_DIFF_TEXTS : SIZE_MAX / 2;
}

size_t abr_diff_text_most(size_t keep)
{
    return keep / 4;
}

uint64_t abr_diff_level_most(size_t keep)
{
    return (uint64_t)keep * 2;
}

unsigned abr_diff_size_class(uint64_t size)
{
    unsigned octave = 0;
    uint64_t x = size;
    for (; x >= 8; x >>= 1)
        octave++;
    const unsigned c = octave * 4 + (unsigned)(x & 3);
    return c < ABR_DIFF_SIZES ? c : ABR_DIFF_SIZES - 1;
}

size_t abr_diff_ends_most(const abr_diff_store *s)
{
    return s->keep < SIZE_MAX / 64 ? s->keep + (size_t)2 * ABR_DIFF_SLICE : SIZE_MAX / 64;
}

/* ---- memory ---- */

bool abr_diff_store_open(abr_diff_store *s, size_t keep, const abr_alloc *alloc)
{
    *s = (abr_diff_store){.alloc = alloc, .keep = keep};
    for (int i = 0; i < ABR_DIFF_CLASSES; i++)
        s->hunks[i] =
            (abr_candidates){.alloc = alloc, .allowance = abr_diff_hunks_allowance(keep, i), .copies = true};
    s->slice = alloc->malloc(alloc->ctx, SLICE_MOST);
    return s->slice != NULL;
}

/* Get memory for n more bytes and `count` records of `unit` bytes. A record costs more than it takes, so the
 * allowance is enough for both. */
static bool reserve_list(const abr_alloc *a, abr_diff_list *l, size_t n, size_t count, size_t unit,
                         size_t allowance)
{
    const size_t most = allowance / unit * unit + unit;
    const size_t records = l->count * unit;
    const size_t left = most - l->used - records;
    const size_t old = l->size;
    void *block = l->block;
    if (l->full)
        return true;
    size_t more = count < left / unit ? count * unit : left;
    more = n < left - more ? more + n : left;
    const size_t wanted = (l->used + records + more + unit - 1) / unit * unit; /* records are aligned */
    const bool fine = abr_grow(a, &block, &l->size, wanted, most, 1);
    l->block = block;
    if (fine && l->size > old && records > 0)
        memmove(l->block + l->size - records, l->block + old - records, records);
    return fine;
}

bool abr_diff_store_reserve(abr_diff_store *s, size_t n, size_t lines, size_t hunks)
{
    bool fine = true;
    const size_t bare = lines / 2; /* files without hunks, whose headers are retained as hunks are */
    const size_t slices = hunks + bare + n / ((size_t)2 * ABR_DIFF_SLICE) + 1;
    const size_t bytes =
        2 * n + hunks * (ABR_DIFF_HEADER_MOST + sizeof(abr_diff_hunk)) + bare * sizeof(abr_diff_hunk);
    for (int i = 0; i < ABR_DIFF_CLASSES && fine; i++)
        fine = abr_candidates_reserve(&s->hunks[i], slices, bytes) &&
               reserve_list(s->alloc, &s->names[i], n, lines, sizeof(abr_diff_name),
                            abr_diff_names_allowance(s->keep, i));
    return fine && reserve_list(s->alloc, &s->texts, n, lines, sizeof(abr_diff_text),
                                abr_diff_texts_allowance(s->keep));
}

static void free_list(const abr_alloc *a, abr_diff_list *l)
{
    if (l->block)
        a->free(a->ctx, l->block);
}

void abr_diff_drop_extra(abr_diff_store *s)
{
    for (size_t i = 0; i < s->extra_count; i++)
        s->alloc->free(s->alloc->ctx, (void *)s->extra[i].start);
    if (s->extra)
        s->alloc->free(s->alloc->ctx, s->extra);
    s->extra = NULL;
    s->extra_count = s->extra_size = 0;
    s->failed = false;
}

void abr_diff_store_close(abr_diff_store *s)
{
    for (int i = 0; i < ABR_DIFF_CLASSES; i++) {
        abr_candidates_free(&s->hunks[i]);
        free_list(s->alloc, &s->names[i]);
    }
    free_list(s->alloc, &s->texts);
    abr_diff_drop_extra(s);
    if (s->slice)
        s->alloc->free(s->alloc->ctx, s->slice);
}

/* ---- names and texts ---- */

static void put(abr_diff_list *l, const char *p, size_t n)
{
    if (n > 0)
        memcpy(l->block + l->used, p, n);
    l->used += n;
}

void abr_diff_add_name(abr_diff_store *s, const abr_diff_file *file, const char *header)
{
    abr_diff_list *l = &s->names[file->machine];
    const size_t n = file->too_long ? 0 : file->name_n;
    if (l->full || l->cost + n + ABR_DIFF_RECORD_COST > abr_diff_names_allowance(s->keep, file->machine)) {
        l->full = true;
        return;
    }
    l->cost += n + ABR_DIFF_RECORD_COST;
    *abr_diff_name_at(l, l->count++) = (abr_diff_name){*file, l->used};
    put(l, header + file->name_at, n);
}

void abr_diff_add_text(abr_diff_store *s, const abr_diff_text *text)
{
    abr_diff_list *l = &s->texts;
    if (l->full || l->cost + ABR_DIFF_RECORD_COST > abr_diff_texts_allowance(s->keep)) {
        l->full = true;
        return;
    }
    l->cost += ABR_DIFF_RECORD_COST;
    abr_diff_text *new = abr_diff_text_at(l, l->count++);
    *new = *text;
    new->text = l->used;
}

void abr_diff_add_line(abr_diff_store *s, const char *p, uint64_t n)
{
    abr_diff_list *l = &s->texts;
    if (l->full)
        return;
    abr_diff_text *t = abr_diff_text_at(l, l->count - 1);
    const size_t most = abr_diff_text_most(s->keep);
    const bool first = t->n == t->size; /* no line of it was left out */
    const uint64_t before = t->size < most ? t->size : most;
    t->size += n;
    t->lines++;
    l->cost += (size_t)((t->size < most ? t->size : most) - before);
    if (l->cost > abr_diff_texts_allowance(s->keep)) {
        l->full = true;
        return;
    }
    if (!p || !first || t->size > most)
        return;
    put(l, p, (size_t)n);
    t->n += (size_t)n;
}

/* ---- hunks ---- */

static void add_extra(abr_diff_store *s, const abr_candidate *c, int class)
{
    void *extra = s->extra;
    if (s->failed ||
        !abr_grow(s->alloc, &extra, &s->extra_size, s->extra_count + 1, SIZE_MAX, sizeof *s->extra)) {
        s->failed = true;
        return;
    }
    s->extra = extra;
    char *bytes = s->alloc->malloc(s->alloc->ctx, (size_t)c->start_n + c->window_n + 1);
    s->failed = !bytes;
    if (!bytes)
        return;
    memcpy(bytes, c->start, c->start_n);
    memcpy(bytes + c->start_n, c->window, c->window_n);
    abr_candidate *x = &s->extra[s->extra_count++];
    *x = *c;
    x->start = bytes;
    x->window = bytes + c->start_n;
    x->kind = (uint8_t) class;
}

/* Add slice i; the first one has what is known of the hunk, and its header. False: it is not at hand. */
static bool add_slice(abr_diff_store *s, const abr_diff_hunk *h, const char *header, const abr_flow *bytes,
                      uint64_t i, uint64_t level)
{
    const uint64_t from = i * ABR_DIFF_SLICE;
    const bool last = h->size - 2 * from <= (size_t)2 * ABR_DIFF_SLICE;
    const size_t front_n = last ? (size_t)(h->size - 2 * from) : ABR_DIFF_SLICE;
    const int class = h->file.machine;
    size_t n = 0;
    if (i == 0) {
        memcpy(s->slice, h, sizeof *h);
        memcpy(s->slice + sizeof *h, header, h->file.header_n);
        n = sizeof *h + h->file.header_n;
    }
    const char *window =
        last ? s->slice : abr_flow_piece(bytes, h->size - from - ABR_DIFF_SLICE, ABR_DIFF_SLICE);
    if (!window || !abr_flow_copy(bytes, from, front_n, s->slice + n))
        return false;
    abr_candidate c = {.line = s->hunk_count << ABR_DIFF_SLICE_BITS | i,
                       .retain_weight = -(float)level,
                       .start = s->slice,
                       .start_n = (uint32_t)(n + front_n),
                       .window = window,
                       .window_n = last ? 0 : ABR_DIFF_SLICE};
    if (s->peeks)
        add_extra(s, &c, class);
    else
        abr_candidates_add(&s->hunks[class], &c);
    return true;
}

void abr_diff_add_hunk(abr_diff_store *s, const abr_diff_hunk *hunk, const char *header,
                       const abr_flow *bytes, uint64_t level)
{
    const uint64_t most = abr_diff_level_most(s->keep);
    s->hunk_count++;
    if (hunk->file.too_long)
        return;
    for (uint64_t i = 0; i == 0 || 2 * i * ABR_DIFF_SLICE < hunk->size; i++) {
        const uint64_t shown = 2 * (i + 1) * ABR_DIFF_SLICE;
        const uint64_t own = level + (shown < hunk->size ? shown : hunk->size);
        if (own > most || i * ABR_DIFF_SLICE > s->keep || i >> ABR_DIFF_SLICE_BITS > 0)
            return;
        const abr_candidate c = {.line = s->hunk_count << ABR_DIFF_SLICE_BITS | i,
                                 .retain_weight = -(float)own};
        if ((!s->peeks && abr_candidates_excluded(&s->hunks[hunk->file.machine], &c)) ||
            !add_slice(s, hunk, header, bytes, i, own))
            return;
    }
}
