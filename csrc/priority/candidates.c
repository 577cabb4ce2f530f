/*
 * The lines that are retained: a heap of those of most worth, their bytes copied one behind the other.
 *
 * As long as none had to go they are a list in the order of their coming, and made a heap when the first one has to.
 *
 * Whatever the order in which candidates come, the ones retained are a start of their list sorted by worth: one that
 * was turned away, or made room, marks what may not be retained any more. So a smaller room retains a start of what a
 * larger one does, and a budget lowered later gives what it would have given from the beginning.
 */
#include <string.h>

#include "priority/candidates.h"
#include "abridge.h"

/* ---- sorting ---- */

/* Does slot a go before slot b? */
typedef bool (*before)(const abr_candidate *slots, uint32_t a, uint32_t b);

static void sift(uint32_t *heap, size_t n, size_t i, const abr_candidate *slots, before goes_before)
{
    uint32_t moved = heap[i];
    for (size_t child; (child = 2 * i + 1) < n; i = child) {
        if (child + 1 < n && goes_before(slots, heap[child], heap[child + 1]))
            child++;
        if (!goes_before(slots, moved, heap[child]))
            break;
        heap[i] = heap[child];
    }
    heap[i] = moved;
}

/* Sort a heap's slots, without memory of its own. */
static void sort_slots(uint32_t *heap, size_t n, const abr_candidate *slots, before goes_before)
{
    for (size_t i = n / 2; i > 0; i--)
        sift(heap, n, i - 1, slots, goes_before);
    for (size_t end = n; end > 1; end--) {
        uint32_t last = heap[0];
        heap[0] = heap[end - 1];
        heap[end - 1] = last;
        sift(heap, end - 1, 0, slots, goes_before);
    }
}

/* The heap's root is the slot that goes last. */
static bool goes_earlier(const abr_candidate *slots, uint32_t a, uint32_t b)
{
    return abr_goes_before(&slots[a], &slots[b]);
}

/* ---- memory ---- */

static bool grow(const abr_alloc *a, void **p, size_t *have, size_t wanted, size_t unit)
{
    if (wanted <= *have)
        return true;
    if (wanted > SIZE_MAX / unit)
        return false;
    void *grown = *p ? a->realloc(a->ctx, *p, *have * unit, wanted * unit) : a->malloc(a->ctx, wanted * unit);
    if (!grown)
        return false;
    *p = grown;
    *have = wanted;
    return true;
}

enum {
    SLACK = 4
}; /* the copies take a part of room / SLACK more than what they weigh, so that they are moved seldom */

static bool reserve_slots(abr_candidates *c, size_t more)
{
    size_t most = c->room / ABR_CANDIDATE_WEIGHT + 2;
    size_t wanted = c->used < most && more < most - c->used ? c->used + more : most;
    if (wanted > c->size && c->size * 2 > wanted)
        wanted = c->size * 2 < most ? c->size * 2 : most;
    void *heap = c->heap;
    bool fine = grow(c->alloc, &heap, &c->heap_size, wanted, sizeof *c->heap);
    c->heap = heap;
    void *slots = c->slots;
    fine = fine && grow(c->alloc, &slots, &c->size, wanted, sizeof *c->slots);
    c->slots = slots;
    return fine;
}

static bool reserve_text(abr_candidates *c, size_t bytes)
{
    size_t most = c->room + c->room / SLACK;
    size_t wanted = c->text_used < most && bytes < most - c->text_used ? c->text_used + bytes : most;
    if (wanted > c->text_size && c->text_size * 2 > wanted)
        wanted = c->text_size * 2 < most ? c->text_size * 2 : most;
    uintptr_t old = (uintptr_t)c->text;
    void *text = c->text;
    bool fine = grow(c->alloc, &text, &c->text_size, wanted, 1);
    c->text = text;
    for (size_t i = 0; i < c->count && (uintptr_t)text != old; i++) {
        abr_candidate *moved = &c->slots[c->heap[i]];
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

static bool stands_before(const abr_candidate *slots, uint32_t a, uint32_t b)
{
    return slots[a].start < slots[b].start;
}

static void make_heap(abr_candidates *c)
{
    for (size_t i = c->count / 2; i > 0; i--)
        sift(c->heap, c->count, i - 1, c->slots, goes_earlier);
    c->heaped = true;
}

/* Move the copies together. The heap is sorted by place for it, and made a heap again. */
static void close_ranks(abr_candidates *c)
{
    sort_slots(c->heap, c->count, c->slots, stands_before);
    size_t used = 0;
    for (size_t i = 0; i < c->count; i++) {
        abr_candidate *x = &c->slots[c->heap[i]];
        size_t n = (size_t)x->start_n + x->window_n;
        memmove(c->text + used, x->start, n);
        x->start = c->text + used;
        x->window = x->start + x->start_n;
        used += n;
    }
    c->text_used = used;
    make_heap(c);
}

static void copy_line(abr_candidates *c, abr_candidate *x)
{
    size_t n = (size_t)x->start_n + x->window_n;
    if (n > c->text_size - c->text_used)
        close_ranks(c);
    char *to = c->text + c->text_used;
    memcpy(to, x->start, x->start_n);
    memcpy(to + x->start_n, x->window, x->window_n);
    x->start = to;
    x->window = to + x->start_n;
    c->text_used += n;
}

/* ---- the heap ---- */

bool abr_candidates_lost(const abr_candidates *c, const abr_candidate *x)
{
    return c->lost && (x->worth != c->lost_worth ? x->worth < c->lost_worth : x->line >= c->lost_line);
}

static void lose(abr_candidates *c, const abr_candidate *x)
{
    if (abr_candidates_lost(c, x))
        return;
    c->lost = true;
    c->lost_worth = x->worth;
    c->lost_line = x->line;
}

static void drop_least(abr_candidates *c)
{
    uint32_t slot = c->heap[0];
    lose(c, &c->slots[slot]);
    c->weight -= abr_candidate_weight(&c->slots[slot]);
    c->count--;
    c->heap[0] = c->heap[c->count];
    c->heap[c->count] = slot; /* free */
    if (c->count > 0)
        sift(c->heap, c->count, 0, c->slots, goes_earlier);
}

static void push(abr_candidates *c, uint32_t slot)
{
    size_t i = c->count++;
    for (; c->heaped && i > 0; i = (i - 1) / 2) {
        uint32_t parent = c->heap[(i - 1) / 2];
        if (!goes_earlier(c->slots, parent, slot))
            break;
        c->heap[i] = parent;
    }
    c->heap[i] = slot;
}

void abr_candidates_add(abr_candidates *c, const abr_candidate *candidate)
{
    abr_candidate x = *candidate;
    size_t weight = abr_candidate_weight(&x);
    if (abr_candidates_lost(c, &x))
        return;
    if (!c->heaped && c->weight + weight > c->room)
        make_heap(c);
    while (c->count > 0 && abr_candidates_lost(c, &c->slots[c->heap[0]]))
        drop_least(c);
    while (c->count > 0 && c->weight + weight > c->room && abr_goes_before(&x, &c->slots[c->heap[0]]))
        drop_least(c);
    if (c->weight + weight > c->room || abr_candidates_lost(c, &x)) {
        lose(c, &x);
        return;
    }
    if (c->copies)
        copy_line(c, &x);
    uint32_t slot = c->used > c->count ? c->heap[c->count] : (uint32_t)c->used;
    c->used += c->used == c->count;
    c->slots[slot] = x;
    c->weight += weight;
    push(c, slot);
}
