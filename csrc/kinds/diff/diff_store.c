/*
 * The retained parts of a diff as it goes by: the names of the first files, the starts of the first texts,
 * and the hunks that a cut would take first.
 *
 * Hunks compete by level: the share of a file at which a max-min fair choice would take the hunk, as far as
 * that is known when it is read. A hunk costs as much as its header and its bytes. A large one is retained in
 * slices from its two ends to its middle, each with its own level, so its ends are at hand if it is shown in
 * part. Weights and costs are fixed, so a smaller budget retains the first of the parts that a larger one
 * does; and nothing above the highest level a cut can reach is retained.
 */
#include <string.h>

#include "kinds/diff/diff_store.h"
#include "base/memory.h"

enum { SLICE_MOST = sizeof(abr_diff_hunk) + ABR_DIFF_HEADER_MOST + (size_t)2 * ABR_DIFF_SLICE };

/* ---- allowances ---- */

static size_t capped(size_t keep)
{
    return keep < ABR_DIFF_KEEP_MOST ? keep : (size_t)ABR_DIFF_KEEP_MOST;
}

/* In steps, so that the allowance of texts grows whenever what each takes does. */
static size_t text_share(size_t keep)
{
    return capped(keep) / ABR_DIFF_TEXT_SHARE;
}

size_t abr_diff_allowance(size_t keep, int which)
{
    static const size_t per_byte[] = {ABR_DIFF_HUNKS_PER_BYTE, ABR_DIFF_NAMES_PER_BYTE,
                                      ABR_DIFF_TEXTS_PER_BYTE};
    static const size_t least[] = {ABR_DIFF_HUNKS_LEAST, ABR_DIFF_NAMES_LEAST, ABR_DIFF_TEXTS_LEAST};
    return least[which] + text_share(keep) * ABR_DIFF_TEXT_SHARE * per_byte[which];
}

size_t abr_diff_text_most(size_t keep)
{
    const size_t share = text_share(keep);
    return share > ABR_DIFF_TEXT_LEAST ? share : (size_t)ABR_DIFF_TEXT_LEAST;
}

uint64_t abr_diff_level_most(size_t keep)
{
    return (uint64_t)capped(keep) * 2;
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
    return capped(s->keep) + (size_t)2 * ABR_DIFF_SLICE;
}

/* ---- memory ---- */

bool abr_diff_store_open(abr_diff_store *s, size_t keep, const abr_alloc *alloc)
{
    *s = (abr_diff_store){.alloc = alloc, .keep = keep};
    for (int i = 0; i < ABR_DIFF_LISTS; i++)
        s->lists[i] =
            (abr_candidates){.alloc = alloc, .allowance = abr_diff_allowance(keep, i), .copies = true};
    s->scratch = alloc->malloc(alloc->ctx, SLICE_MOST + abr_diff_text_most(keep));
    return s->scratch != NULL;
}

bool abr_diff_store_reserve(abr_diff_store *s, size_t n, size_t lines, size_t hunks)
{
    const size_t bare = lines / 2; /* files without hunks: their headers are retained like hunks */
    const size_t slices = hunks + bare + n / ((size_t)2 * ABR_DIFF_SLICE) + 1;
    const size_t headers = hunks * ABR_DIFF_HEADER_MOST;
    return abr_candidates_reserve(&s->lists[ABR_DIFF_HUNKS], slices,
                                  2 * n + headers + (hunks + bare) * sizeof(abr_diff_hunk)) &&
           abr_candidates_reserve(&s->lists[ABR_DIFF_NAMES], lines, n + lines * sizeof(abr_diff_name)) &&
           abr_candidates_reserve(&s->lists[ABR_DIFF_TEXTS], lines, n + lines * sizeof(abr_diff_text));
}

void abr_diff_drop_extra(abr_diff_store *s)
{
    for (size_t i = 0; i < s->extra_count; i++)
        s->alloc->free(s->alloc->ctx, (void *)s->extra[i].start);
    abr_release(s->alloc, s->extra);
    s->extra = NULL;
    s->extra_count = s->extra_size = 0;
    s->failed = false;
}

void abr_diff_store_close(abr_diff_store *s)
{
    for (int i = 0; i < ABR_DIFF_LISTS; i++)
        abr_candidates_free(&s->lists[i]);
    abr_diff_drop_extra(s);
    abr_release(s->alloc, s->scratch);
}

/* ---- candidates ---- */

static void add_extra(abr_diff_store *s, const abr_candidate *c, int which)
{
    s->failed = s->failed || !abr_grow(s->alloc, &s->extra, &s->extra_size, s->extra_count + 1, SIZE_MAX,
                                       sizeof *s->extra);
    if (s->failed)
        return;
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
    x->kind = (uint8_t)which;
}

/* Would a hunk's slice of this number and level be forgotten at once? */
static bool is_forgotten(const abr_diff_store *s, uint64_t number, uint64_t level)
{
    const abr_candidate c = {.line = number, .retain_weight = -(float)level};
    return !s->peeks && abr_candidates_excluded(&s->lists[ABR_DIFF_HUNKS], &c);
}

/* Add a candidate with n bytes in scratch, and the others in a window. */
static void add_candidate(abr_diff_store *s, int which, uint64_t number, uint64_t level, size_t n,
                          const char *window, size_t window_n)
{
    const abr_candidate c = {.line = number,
                             .retain_weight = -(float)level,
                             .start = s->scratch,
                             .start_n = (uint32_t)n,
                             .window = window,
                             .window_n = (uint32_t)window_n};
    if (s->peeks)
        add_extra(s, &c, which);
    else
        abr_candidates_add(&s->lists[which], &c);
}

/* Add a candidate with all its bytes. */
static void add_record(abr_diff_store *s, int which, uint64_t number, uint64_t level, const void *record,
                       size_t size, const char *p, size_t n)
{
    memcpy(s->scratch, record, size);
    if (n > 0)
        memcpy(s->scratch + size, p, n);
    add_candidate(s, which, number, level, size + n, s->scratch, 0);
}

/* The first names of each commit are retained before later ones, twice as many in each round. */
void abr_diff_add_name(abr_diff_store *s, const abr_diff_name *name, uint64_t nth, const char *header)
{
    enum { ROUNDS = 64 };
    uint64_t round = name->file.machine ? ROUNDS : 0;
    for (; nth > 0; nth /= 2)
        round++;
    if (name->file.name_n > 0)
        add_record(s, ABR_DIFF_NAMES, name->file.before.files, round, name, sizeof *name,
                   header + name->file.name_at, name->file.name_n);
}

void abr_diff_add_text(abr_diff_store *s, const abr_diff_text *text, const char *p, size_t n)
{
    add_record(s, ABR_DIFF_TEXTS, text->at, !text->commit, text, sizeof *text, p, n);
}

/* ---- hunks ---- */

/* Add slice i; the first one holds the hunk's record and its header. False: it is not at hand. */
static bool add_slice(abr_diff_store *s, const abr_diff_hunk *h, const char *header, const abr_flow *bytes,
                      uint64_t i, uint64_t level)
{
    const uint64_t from = i * ABR_DIFF_SLICE;
    const bool last = h->size - 2 * from <= (size_t)2 * ABR_DIFF_SLICE;
    const size_t front_n = last ? (size_t)(h->size - 2 * from) : ABR_DIFF_SLICE;
    size_t n = 0;
    if (i == 0) {
        memcpy(s->scratch, h, sizeof *h);
        memcpy(s->scratch + sizeof *h, header, h->file.header_n);
        n = sizeof *h + h->file.header_n;
    }
    const char *window =
        last ? s->scratch : abr_flow_piece(bytes, h->size - from - ABR_DIFF_SLICE, ABR_DIFF_SLICE);
    if (!window || !abr_flow_copy(bytes, from, front_n, s->scratch + n))
        return false;
    add_candidate(s, ABR_DIFF_HUNKS, s->hunk_count << ABR_DIFF_SLICE_BITS | i, level, n + front_n, window,
                  last ? 0 : ABR_DIFF_SLICE);
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
        const uint64_t reached = level + (shown < hunk->size ? shown : hunk->size);
        const uint64_t own = reached + (hunk->file.machine ? ABR_DIFF_MACHINES : 0);
        if ((i > 0 ? reached : level) > most || i * ABR_DIFF_SLICE > s->keep ||
            i >> ABR_DIFF_SLICE_BITS > 0 || is_forgotten(s, s->hunk_count << ABR_DIFF_SLICE_BITS | i, own) ||
            !add_slice(s, hunk, header, bytes, i, own))
            return;
    }
}
