/*
 * What of a diff may be shown within a budget: of all that is retained, the part that this budget would have
 * retained.
 */
#include <string.h>

#include "kinds/diff/diff_gather.h"
#include "abridge.h"
#include "kinds/diff/diff_store.h"
#include "priority/sort.h"
#include "text/scan.h"

static void *room_for(const abr_alloc *a, size_t count, size_t unit)
{
    return a->malloc(a->ctx, count * unit + 1);
}

static void *zeroed(const abr_alloc *a, size_t count, size_t unit)
{
    void *p = room_for(a, count, unit);
    if (p)
        memset(p, 0, count * unit + 1);
    return p;
}

static void release(const abr_alloc *a, void *p)
{
    if (p)
        a->free(a->ctx, p);
}

/* ---- hunks ---- */

/* The slices of a class, by level and then in order, of these as many as the allowance holds. Returns how
 * many. */
static size_t gather_class(abr_diff_gathered *g, const abr_diff_store *s, size_t keep, int class, size_t from)
{
    const abr_candidates *c = &s->hunks[class];
    const abr_candidate **slices = g->slices + from;
    abr_key *scratch = g->keys + g->key_count / 2;
    size_t n = 0;
    for (size_t i = 0; i < c->count; i++)
        slices[n++] = &c->slots[c->heap[i].slot];
    for (size_t i = 0; i < s->extra_count; i++)
        if (s->extra[i].kind == class && !abr_candidates_excluded(c, &s->extra[i]))
            slices[n++] = &s->extra[i];
    for (size_t i = 0; i < n; i++)
        g->keys[i] = (abr_key){slices[i]->line, (uint32_t)i};
    abr_sort_keys(g->keys, n, scratch);
    for (size_t i = 0; i < n; i++)
        g->keys[i].key = abr_float_key(-slices[g->keys[i].index]->retain_weight);
    abr_sort_keys(g->keys, n, scratch);
    size_t cost = 0;
    size_t count = 0;
    g->known[class] = abr_diff_level_most(keep);
    if (c->excludes && (uint64_t)-c->excluded_weight < g->known[class])
        g->known[class] = (uint64_t)-c->excluded_weight;
    while (count < n) {
        const abr_candidate *x = slices[g->keys[count].index];
        cost += abr_candidate_cost(x);
        if (-x->retain_weight > (float)abr_diff_level_most(keep))
            break;
        if (cost > abr_diff_hunks_allowance(keep, class)) {
            g->known[class] = (uint64_t)-x->retain_weight;
            break;
        }
        g->keys[count].key = x->line;
        count++;
    }
    abr_sort_keys(g->keys, count, scratch);
    const abr_candidate **sorted =
        (const abr_candidate **)(void *)scratch; /* a pointer is no larger than a key */
    for (size_t i = 0; i < count; i++)
        sorted[i] = slices[g->keys[i].index];
    if (count > 0)
        memcpy(slices, sorted, count * sizeof(void *));
    return count;
}

static void add_hunks(abr_diff_gathered *g, size_t end)
{
    for (size_t i = 0; i < end;) {
        const abr_candidate *first = g->slices[i];
        abr_shown_hunk *x = &g->hunks[g->hunk_count++];
        *x = (abr_shown_hunk){.slices = &g->slices[i]};
        memcpy(&x->h, first->start, sizeof x->h);
        x->header = first->start + sizeof x->h;
        for (; i < end && g->slices[i]->line >> ABR_DIFF_SLICE_BITS == first->line >> ABR_DIFF_SLICE_BITS;
             i++)
            x->slice_count++;
    }
}

/* Those of people are followed by those of machines; put them in the order of the source. */
static void merge_slices(abr_diff_gathered *g, size_t people, size_t n)
{
    const abr_candidate **merged = (const abr_candidate **)(void *)g->keys;
    size_t a = 0;
    size_t b = people;
    if (people == 0 || people == n)
        return;
    for (size_t i = 0; i < n; i++)
        merged[i] = g->slices[b == n || (a < people && g->slices[a]->line < g->slices[b]->line) ? a++ : b++];
    for (size_t i = 0; i < n; i++)
        g->slices[i] = merged[i];
}

static bool gather_hunks(abr_diff_gathered *g, const abr_diff_store *s, size_t keep)
{
    const size_t most = s->hunks[0].count + s->hunks[1].count + s->extra_count;
    g->key_count = 2 * most;
    g->keys = room_for(g->alloc, g->key_count, sizeof *g->keys);
    g->slices = room_for(g->alloc, most, sizeof(void *));
    if (!g->keys || !g->slices)
        return false;
    const size_t people = gather_class(g, s, keep, ABR_DIFF_PEOPLE, 0);
    const size_t n = people + gather_class(g, s, keep, ABR_DIFF_MACHINES, people);
    merge_slices(g, people, n);
    g->hunks = room_for(g->alloc, n, sizeof *g->hunks);
    if (g->hunks)
        add_hunks(g, n);
    return g->hunks != NULL;
}

/* ---- names and texts ---- */

static size_t names_within(const abr_diff_list *l, size_t keep, int class)
{
    size_t cost = 0;
    size_t n = 0;
    while (n < l->count) {
        const abr_diff_file *file = &abr_diff_name_at(l, n)->file;
        cost += (file->too_long ? 0 : file->name_n) + ABR_DIFF_RECORD_COST;
        if (cost > abr_diff_names_allowance(keep, class))
            break;
        n++;
    }
    return n;
}

static bool gather_names(abr_diff_gathered *g, const abr_diff_store *s, size_t keep)
{
    const size_t count_a = names_within(&s->names[0], keep, 0);
    const size_t count_b = names_within(&s->names[1], keep, 1);
    size_t i_a = 0;
    size_t i_b = 0;
    abr_diff_plan *plan = &g->plan;
    plan->names = room_for(g->alloc, count_a + count_b, sizeof *plan->names);
    if (!plan->names)
        return false;
    while (i_a < count_a || i_b < count_b) {
        bool first = i_b == count_b;
        if (i_a < count_a && i_b < count_b)
            first = abr_diff_name_at(&s->names[0], i_a)->file.before.files <
                    abr_diff_name_at(&s->names[1], i_b)->file.before.files;
        const abr_diff_list *list = &s->names[!first];
        const abr_diff_name *name = abr_diff_name_at(list, first ? i_a++ : i_b++);
        plan->names[plan->name_count++] =
            (abr_shown_name){.file = &name->file, .p = list->block + name->text};
    }
    return true;
}

/* Bytes of a text that are retained with `keep`; *cost gets what those before it took, and then it too. */
static size_t text_within(const abr_diff_text *t, const char *p, size_t keep, size_t *cost)
{
    const size_t most = abr_diff_text_most(keep);
    const size_t room = abr_diff_texts_allowance(keep) - *cost;
    const size_t limit = most < room ? most : room;
    size_t n = t->n;
    *cost += t->size < most ? (size_t)t->size : most;
    while (n > limit) {
        const char *newline = abr_find_last_newline(p, n - 1);
        n = newline ? (size_t)(newline - p) + 1 : 0;
    }
    return n;
}

static bool gather_texts(abr_diff_gathered *g, const abr_diff_store *s, size_t keep)
{
    size_t cost = 0;
    g->texts = zeroed(g->alloc, s->texts.count, sizeof *g->texts);
    for (size_t i = 0; g->texts && i < s->texts.count; i++) {
        cost += ABR_DIFF_RECORD_COST;
        if (cost > abr_diff_texts_allowance(keep))
            break;
        const abr_diff_text *text = abr_diff_text_at(&s->texts, i);
        const char *p = s->texts.block + text->text;
        const size_t n = text_within(text, p, keep, &cost);
        if (n > 0)
            g->texts[g->text_count++] = (abr_shown_text){.t = text, .p = p, .n = n};
        if (cost > abr_diff_texts_allowance(keep))
            break;
    }
    return g->texts != NULL;
}

/* ---- parts ---- */

/* Hunks and texts in the order of the source; no text that stands between two hunks of a file. */
static bool gather_parts(abr_diff_gathered *g)
{
    abr_diff_plan *plan = &g->plan;
    const size_t most = g->hunk_count + g->text_count;
    plan->parts = zeroed(g->alloc, most, sizeof *plan->parts);
    const size_t words = most / 64 + 2;
    plan->shown = zeroed(g->alloc, words + words / 64 + 1, sizeof *plan->shown);
    if (!plan->parts || !plan->shown)
        return false;
    plan->some = plan->shown + words;
    size_t hunk = 0;
    size_t text = 0;
    while (hunk < g->hunk_count || text < g->text_count) {
        abr_shown_hunk *h = hunk < g->hunk_count ? &g->hunks[hunk] : NULL;
        abr_shown_text *t = text < g->text_count ? &g->texts[text] : NULL;
        if (!t || (h && h->h.at < t->t->at)) {
            plan->parts[plan->part_count++].hunk = h;
            hunk++;
            continue;
        }
        if (!h || h->h.file.at > t->t->at)
            plan->parts[plan->part_count++].text = t;
        text++;
    }
    return true;
}

bool abr_diff_gather(abr_diff_gathered *g, const abr_diff_store *store, size_t keep)
{
    *g = (abr_diff_gathered){.alloc = store->alloc};
    return gather_hunks(g, store, keep) && gather_names(g, store, keep) && gather_texts(g, store, keep) &&
           gather_parts(g);
}

void abr_diff_gathered_free(abr_diff_gathered *g)
{
    release(g->alloc, g->hunks);
    release(g->alloc, g->texts);
    release(g->alloc, (void *)g->slices);
    release(g->alloc, g->keys);
    release(g->alloc, g->plan.parts);
    release(g->alloc, g->plan.shown);
    release(g->alloc, g->plan.names);
}
