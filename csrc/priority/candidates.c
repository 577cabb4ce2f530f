/*
 * The retained lines: a list of the heaviest ones, their bytes copied one after another.
 *
 * They may cost more than their allowance by a part; then the lightest ones go, all at once. A heap would let
 * them go one by one, each past many others all over memory.
 *
 * In whatever order candidates come, those retained are the first of all of them sorted by retain weight: one
 * that went excludes itself and all lighter ones. So a smaller allowance retains the first of those that a
 * larger one does, and lowering a budget later gives the same result as from the beginning.
 */
#include <string.h>

#include "priority/candidates.h"
#include "abridge.h"
#include "base/memory.h"
#include "priority/sort.h"

/* ---- memory ---- */

static bool reserve_slots(abr_candidates *c, size_t more)
{
    size_t most = abr_candidates_most(c);
    const size_t wanted = c->used < most && more < most - c->used ? c->used + more : most;
    void *list = c->list;
    bool fine = abr_grow(c->alloc, &list, &c->list_size, wanted, most, sizeof *c->list);
    c->list = list;
    void *slots = c->slots;
    fine = fine && abr_grow(c->alloc, &slots, &c->size, wanted, most, sizeof *c->slots);
    c->slots = slots;
    return fine;
}

/* The copies moved from `old` to `text`. */
static void move_copies(abr_candidates *c, uintptr_t old, char *text)
{
    c->text = text;
    for (size_t i = 0; i < c->count && (uintptr_t)text != old; i++) {
        abr_candidate *moved = &c->slots[c->list[i].slot];
        moved->start = c->text + ((uintptr_t)moved->start - old);
        moved->window = c->text + ((uintptr_t)moved->window - old);
    }
}

static bool reserve_text(abr_candidates *c, size_t bytes)
{
    const size_t most = c->allowance + c->allowance / ABR_COPY_SLACK;
    const size_t wanted = c->text_used < most && bytes < most - c->text_used ? c->text_used + bytes : most;
    const uintptr_t old = (uintptr_t)c->text;
    void *text = c->text;
    const bool fine = abr_grow(c->alloc, &text, &c->text_size, wanted, most, 1);
    move_copies(c, old, text);
    return fine;
}

bool abr_candidates_reserve(abr_candidates *c, size_t more, size_t bytes)
{
    return reserve_slots(c, more) && (!c->copies || reserve_text(c, bytes));
}

void abr_candidates_free(abr_candidates *c)
{
    const abr_alloc *a = c->alloc;
    if (c->slots)
        a->free(a->ctx, c->slots);
    if (c->list)
        a->free(a->ctx, c->list);
    if (c->text)
        a->free(a->ctx, c->text);
}

/* ---- trimming ---- */

/* Lines of one weight. */
typedef struct {
    uint32_t weight;
    size_t room; /* what heavier lines leave of the allowance */
} weight_group;

/* The heaviest lines that do not all fit, found by a byte of the weight at a time. */
static weight_group last_group(const abr_candidates *c)
{
    weight_group g = {.room = c->allowance};
    uint32_t known = 0; /* the bits of its weight that are known */
    for (unsigned shift = 32; shift > 0;) {
        size_t costs[256] = {0};
        unsigned value = 255;
        shift -= 8;
        for (size_t i = 0; i < c->count; i++)
            if (((c->list[i].weight ^ g.weight) & known) == 0)
                costs[c->list[i].weight >> shift & 255] += c->list[i].cost;
        for (; costs[value] <= g.room; value--)
            g.room -= costs[value];
        g.weight |= value << shift;
        known |= UINT32_MAX << shift;
    }
    return g;
}

void abr_candidates_trim(abr_candidates *c)
{
    size_t kept = 0;
    if (c->cost <= c->allowance)
        return;
    weight_group g = last_group(c);
    for (size_t i = 0; i < c->count; i++) {
        const abr_listed listed = c->list[i];
        bool fits = listed.weight > g.weight;
        if (listed.weight == g.weight) { /* the earlier ones, up to the first that does not fit */
            const abr_candidate *x = &c->slots[listed.slot];
            fits = listed.cost <= g.room;
            g.room = fits ? g.room - listed.cost : 0;
            if (!fits && !abr_candidates_excluded(c, x)) {
                c->excludes = true;
                c->excluded_weight = x->retain_weight;
                c->excluded_line = x->line;
            }
        }
        c->cost -= fits ? 0 : listed.cost;
        c->list[i] = c->list[kept]; /* one that went */
        c->list[kept] = listed;
        kept += fits;
    }
    c->count = kept;
}

/* Move the copies together. */
static void compact_copies(abr_candidates *c)
{
    c->text_used = 0;
    for (size_t i = 0; i < c->count; i++) {
        abr_candidate *x = &c->slots[c->list[i].slot];
        const size_t n = (size_t)x->start_n + x->window_n;
        x->start = memmove(c->text + c->text_used, x->start, n);
        x->window = x->start + x->start_n;
        c->text_used += n;
    }
}

void abr_candidate_copy(abr_candidate *x, char *to)
{
    memcpy(to, x->start, x->start_n);
    memcpy(to + x->start_n, x->window, x->window_n);
    x->start = to;
    x->window = to + x->start_n;
}

void abr_candidates_add(abr_candidates *c, const abr_candidate *x)
{
    if (abr_candidates_excluded(c, x))
        return;
    const size_t n = (size_t)x->start_n + x->window_n;
    const uint32_t slot = c->used > c->count ? c->list[c->count].slot : (uint32_t)c->used;
    c->used += c->used == c->count;
    c->slots[slot] = *x;
    const abr_listed listed = {(uint32_t)abr_float_key(x->retain_weight), slot,
                               (uint32_t)abr_candidate_cost(x)};
    c->list[c->count++] = listed;
    c->cost += listed.cost;
    const bool is_full = c->copies && n > c->text_size - c->text_used;
    if (is_full || listed.cost > c->allowance || c->cost > abr_candidates_cost_most(c))
        abr_candidates_trim(c);
    if (!c->copies || c->count == 0 || c->list[c->count - 1].slot != slot)
        return;
    if (is_full) {
        c->count--;
        compact_copies(c);
        c->count++;
    }
    abr_candidate_copy(&c->slots[slot], c->text + c->text_used);
    c->text_used += n;
}

bool abr_candidates_settle(abr_candidates *c)
{
    abr_candidates_trim(c);
    const uintptr_t old = (uintptr_t)c->text;
    void *p = c->text;
    bool fine = abr_shrink(c->alloc, &p, &c->text_size, c->text_used, 1);
    move_copies(c, old, p);
    p = c->slots;
    fine = fine && abr_shrink(c->alloc, &p, &c->size, c->used, sizeof *c->slots);
    c->slots = p;
    p = c->list;
    fine = fine && abr_shrink(c->alloc, &p, &c->list_size, c->used, sizeof *c->list);
    c->list = p;
    return fine;
}
