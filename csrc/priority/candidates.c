/*
 * The retained lines: a heap of the heaviest ones, their bytes copied one after another.
 *
 * Until the first one is dropped, they are just a list in order of arrival; then it is made into a heap.
 *
 * In whatever order candidates come, those retained are the first of all of them sorted by retain weight: one
 * that was turned away, or made room, excludes itself and all lighter ones. So a smaller allowance retains
 * the first of those that a larger one does, and lowering a budget later gives the same result as from the
 * beginning.
 */
#include <string.h>

#include "priority/candidates.h"
#include "abridge.h"
#include "base/memory.h"
#include "base/private.h"
#include "priority/sort.h"

/* ---- sorting ---- */

/* Does slot a come before slot b? */
typedef bool (*slot_order)(const abr_candidate *slots, abr_heap_slot a, abr_heap_slot b);

static inline void sift(abr_heap_slot *heap, size_t n, size_t i, const abr_candidate *slots,
                        slot_order comes_before)
{
    abr_heap_slot moved = heap[i];
    for (size_t child; (child = 2 * i + 1) < n; i = child) {
        if (child + 1 < n && comes_before(slots, heap[child], heap[child + 1]))
            child++;
        if (!comes_before(slots, moved, heap[child]))
            break;
        heap[i] = heap[child];
    }
    heap[i] = moved;
}

/* Sort a heap's slots, without extra memory. */
static void sort_slots(abr_heap_slot *heap, size_t n, const abr_candidate *slots, slot_order comes_before)
{
    for (size_t i = n / 2; i > 0; i--)
        sift(heap, n, i - 1, slots, comes_before);
    for (size_t end = n; end > 1; end--) {
        abr_heap_slot last = heap[0];
        heap[0] = heap[end - 1];
        heap[end - 1] = last;
        sift(heap, end - 1, 0, slots, comes_before);
    }
}

/* The heap's root is the lightest slot, the first to make room. */
static bool is_heavier(const abr_candidate *slots, abr_heap_slot a, abr_heap_slot b)
{
    return a.weight != b.weight ? a.weight > b.weight : slots[a.slot].line < slots[b.slot].line;
}

/* ---- memory ---- */

static bool reserve_slots(abr_candidates *c, size_t more)
{
    size_t most = abr_candidates_most(c);
    const size_t wanted = c->used < most && more < most - c->used ? c->used + more : most;
    void *heap = c->heap;
    bool fine = abr_grow(c->alloc, &heap, &c->heap_size, wanted, most, sizeof *c->heap);
    c->heap = heap;
    void *slots = c->slots;
    fine = fine && abr_grow(c->alloc, &slots, &c->size, wanted, most, sizeof *c->slots);
    c->slots = slots;
    return fine;
}

static bool reserve_text(abr_candidates *c, size_t bytes)
{
    const size_t most = c->allowance + c->allowance / ABR_COPY_SLACK;
    const size_t wanted = c->text_used < most && bytes < most - c->text_used ? c->text_used + bytes : most;
    uintptr_t old = (uintptr_t)c->text;
    void *text = c->text;
    const bool fine = abr_grow(c->alloc, &text, &c->text_size, wanted, most, 1);
    c->text = text;
    for (size_t i = 0; i < c->count && (uintptr_t)text != old; i++) {
        abr_candidate *moved = &c->slots[c->heap[i].slot];
        moved->start = c->text + ((uintptr_t)moved->start - old);
        moved->window = c->text + ((uintptr_t)moved->window - old);
    }
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
    if (c->heap)
        a->free(a->ctx, c->heap);
    if (c->text)
        a->free(a->ctx, c->text);
}

/* ---- copies ---- */

static bool is_copied_before(const abr_candidate *slots, abr_heap_slot a, abr_heap_slot b)
{
    return slots[a.slot].start < slots[b.slot].start;
}

static void make_heap(abr_candidates *c)
{
    for (size_t i = c->count / 2; i > 0; i--)
        sift(c->heap, c->count, i - 1, c->slots, is_heavier);
    c->heaped = true;
}

/* Move the copies together. For that the heap is sorted by place, and then made a heap again. */
static void compact_copies(abr_candidates *c)
{
    sort_slots(c->heap, c->count, c->slots, is_copied_before);
    size_t used = 0;
    for (size_t i = 0; i < c->count; i++) {
        abr_candidate *x = &c->slots[c->heap[i].slot];
        size_t n = (size_t)x->start_n + x->window_n;
        memmove(c->text + used, x->start, n);
        x->start = c->text + used;
        x->window = x->start + x->start_n;
        used += n;
    }
    c->text_used = used;
    make_heap(c);
}

/* Put a candidate in a slot, with a copy of its bytes if lines are copied. */
static void put_candidate(abr_candidates *c, const abr_candidate *x, abr_candidate *slot)
{
    const size_t n = (size_t)x->start_n + x->window_n;
    if (c->copies && n > c->text_size - c->text_used)
        compact_copies(c);
    *slot = *x;
    if (!c->copies)
        return;
    char *to = c->text + c->text_used;
    memcpy(to, x->start, x->start_n);
    memcpy(to + x->start_n, x->window, x->window_n);
    slot->start = to;
    slot->window = to + x->start_n;
    c->text_used += n;
}

/* ---- the heap ---- */

static void exclude(abr_candidates *c, const abr_candidate *x)
{
    if (abr_candidates_excluded(c, x))
        return;
    c->excludes = true;
    c->excluded_weight = x->retain_weight;
    c->excluded_line = x->line;
}

static void drop_lightest(abr_candidates *c)
{
    const abr_heap_slot lightest = c->heap[0];
    exclude(c, &c->slots[lightest.slot]);
    c->cost -= abr_candidate_cost(&c->slots[lightest.slot]);
    c->count--;
    c->heap[0] = c->heap[c->count];
    c->heap[c->count] = lightest; /* free */
    if (c->count > 0)
        sift(c->heap, c->count, 0, c->slots, is_heavier);
}

static void push_heap(abr_candidates *c, abr_heap_slot slot)
{
    size_t i = c->count++;
    for (; c->heaped && i > 0; i = (i - 1) / 2) {
        const abr_heap_slot parent = c->heap[(i - 1) / 2];
        if (!is_heavier(c->slots, parent, slot))
            break;
        c->heap[i] = parent;
    }
    c->heap[i] = slot;
}

/* Give x the place of the lightest line, if only that one has to go. */
ABR_WRAPS static bool replace_lightest(abr_candidates *c, const abr_candidate *x, size_t cost)
{
    abr_candidate *lightest = &c->slots[c->heap[0].slot];
    const size_t room = c->allowance - c->cost;
    if (cost <= room || cost > room + abr_candidate_cost(lightest) || !abr_retain_first(x, lightest) ||
        abr_candidates_excluded(c, lightest))
        return false;
    exclude(c, lightest);
    c->cost += cost - abr_candidate_cost(lightest);
    lightest->start_n = lightest->window_n = 0;
    put_candidate(c, x, lightest);
    c->heap[0].weight = (uint32_t)abr_float_key(x->retain_weight);
    sift(c->heap, c->count, 0, c->slots, is_heavier);
    return true;
}

void abr_candidates_add(abr_candidates *c, const abr_candidate *x)
{
    if (abr_candidates_excluded(c, x))
        return;
    size_t cost = abr_candidate_cost(x);
    if (!c->heaped && c->cost + cost > c->allowance)
        make_heap(c);
    if (c->count > 0 && replace_lightest(c, x, cost))
        return;
    while (c->count > 0 && abr_candidates_excluded(c, &c->slots[c->heap[0].slot]))
        drop_lightest(c);
    while (c->count > 0 && c->cost + cost > c->allowance && abr_retain_first(x, &c->slots[c->heap[0].slot]))
        drop_lightest(c);
    if (c->cost + cost > c->allowance || abr_candidates_excluded(c, x)) {
        exclude(c, x);
        return;
    }
    uint32_t slot = c->used > c->count ? c->heap[c->count].slot : (uint32_t)c->used;
    c->used += c->used == c->count;
    put_candidate(c, x, &c->slots[slot]);
    c->cost += cost;
    push_heap(c, (abr_heap_slot){(uint32_t)abr_float_key(x->retain_weight), slot});
}
