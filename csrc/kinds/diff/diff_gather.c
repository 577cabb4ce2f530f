/*
 * Gather the parts of a diff that may be shown within a budget: of all retained parts, the ones that this
 * budget would have retained.
 */
#include <string.h>

#include "kinds/diff/diff_gather.h"
#include "base/memory.h"
#include "text/scan.h"

/* Zeroed memory that is freed with `g`; NULL if out of memory. */
static void *room_for(const abr_diff_gathered *g, size_t count, size_t unit)
{
    void *p = g->alloc->malloc(g->alloc->ctx, count * unit + 1);
    return p ? memset(p, 0, count * unit + 1) : NULL;
}

/* ---- candidates ---- */

/* Sort by number, or by level and then by number. */
static void sort_candidates(abr_diff_gathered *g, const abr_candidate **list, size_t n, bool by_level)
{
    abr_key *scratch = g->keys + n;
    for (size_t i = 0; i < n; i++)
        g->keys[i] = (abr_key){list[i]->line, (uint32_t)i};
    abr_sort_keys(g->keys, n, scratch);
    for (size_t i = 0; i < n && by_level; i++)
        g->keys[i].key = (uint64_t)-list[g->keys[i].index]->retain_weight;
    if (by_level)
        abr_sort_keys(g->keys, n, scratch);
    const abr_candidate **sorted = (const abr_candidate **)(void *)scratch; /* no larger than keys */
    for (size_t i = 0; i < n; i++)
        sorted[i] = list[g->keys[i].index];
    if (n > 0)
        memcpy((void *)list, (const void *)sorted, n * sizeof(void *));
}

/* The cost of a candidate with `keep`. */
static size_t cost_with(const abr_candidate *c, size_t keep, int which)
{
    const size_t most = sizeof(abr_diff_text) + abr_diff_text_most(keep);
    const size_t less = which == ABR_DIFF_TEXTS && c->start_n > most ? c->start_n - most : 0;
    return abr_candidate_cost(c) - less;
}

/* Note that hunks of this level and above are unknown. */
static void note_unknown(abr_diff_gathered *g, uint64_t level)
{
    const bool machines = level >= ABR_DIFF_MACHINES;
    const uint64_t most = machines ? level - ABR_DIFF_MACHINES : level;
    if (!machines)
        g->known[true] = 0;
    if (most < g->known[machines])
        g->known[machines] = most;
}

/* Does a slice of a hunk start above all levels that a store for `keep` retains? */
static bool is_too_high(const abr_candidate *c, size_t keep)
{
    uint64_t level = (uint64_t)-c->retain_weight % ABR_DIFF_MACHINES;
    abr_diff_hunk h;
    if (c->line % (1 << ABR_DIFF_SLICE_BITS) == 0) {
        memcpy(&h, c->start, sizeof h);
        const uint64_t ends = UINT64_C(2) * ABR_DIFF_SLICE;
        level -= h.size < ends ? h.size : ends;
    }
    return level > abr_diff_level_most(keep);
}

/* Gather the candidates of a list that a store for `keep` would have, in the order of the source. Returns
 * their number. */
static size_t gather_list(abr_diff_gathered *g, const abr_diff_store *s, size_t keep, int which)
{
    const abr_candidates *c = &s->lists[which];
    const abr_candidate **list = g->lists[which];
    size_t n = 0;
    size_t count = 0;
    size_t cost = 0;
    for (size_t i = 0; i < c->count; i++)
        list[n++] = &c->slots[c->list[i].slot];
    for (size_t i = 0; i < s->extra_count; i++)
        if (s->extra[i].kind == which && !abr_candidates_excluded(c, &s->extra[i]))
            list[n++] = &s->extra[i];
    sort_candidates(g, list, n, true);
    for (size_t i = 0; i < n; i++) {
        const uint64_t level = (uint64_t)-list[i]->retain_weight;
        if (which == ABR_DIFF_HUNKS && is_too_high(list[i], keep))
            continue;
        cost += cost_with(list[i], keep, which);
        if (cost > abr_diff_allowance(keep, which)) {
            if (which == ABR_DIFF_HUNKS)
                note_unknown(g, level);
            break;
        }
        list[count++] = list[i];
    }
    sort_candidates(g, list, count, false);
    return count;
}

static bool make_lists(abr_diff_gathered *g, const abr_diff_store *s)
{
    size_t most = 0;
    for (int i = 0; i < ABR_DIFF_LISTS; i++) {
        const size_t n = s->lists[i].count + s->extra_count;
        g->lists[i] = room_for(g, n, sizeof(void *));
        if (!g->lists[i])
            return false;
        most = n > most ? n : most;
    }
    g->keys = room_for(g, most, 2 * sizeof *g->keys);
    return g->keys != NULL;
}

/* ---- hunks, names and texts ---- */

static uint64_t number_of_hunk(const abr_candidate *c)
{
    return c->line >> ABR_DIFF_SLICE_BITS;
}

static bool gather_hunks(abr_diff_gathered *g, size_t n)
{
    const abr_candidate **slices = g->lists[ABR_DIFF_HUNKS];
    g->hunks = room_for(g, n, sizeof *g->hunks);
    for (size_t i = 0; g->hunks && i < n;) {
        const abr_candidate *first = slices[i];
        abr_shown_hunk *x = &g->hunks[g->hunk_count++];
        *x = (abr_shown_hunk){.slices = &slices[i]};
        memcpy(&x->h, first->start, sizeof x->h);
        x->header = first->start + sizeof x->h;
        x->after = x->h.before;
        x->after.hunks += !abr_is_bare(&x->h);
        x->after.added += x->h.added;
        x->after.removed += x->h.removed;
        for (; i < n && number_of_hunk(slices[i]) == number_of_hunk(first); i++)
            x->slice_count++;
    }
    return g->hunks != NULL;
}

static bool gather_names(abr_diff_gathered *g, size_t n)
{
    abr_diff_plan *plan = &g->plan;
    plan->names = room_for(g, n, sizeof *plan->names);
    for (; plan->names && plan->name_count < n; plan->name_count++) {
        const char *record = g->lists[ABR_DIFF_NAMES][plan->name_count]->start;
        abr_shown_name *x = &plan->names[plan->name_count];
        memcpy(&x->name, record, sizeof x->name);
        x->p = record + sizeof x->name;
    }
    return plan->names != NULL;
}

/* Find the whole lines of a text that are at hand, retained or in the diff's ends. */
static void find_lines(const abr_diff_gathered *g, abr_shown_text *x, const char *p, size_t n)
{
    size_t here;
    const char *end = abr_flow_at(&g->plan.ends, x->t.at, &here);
    x->p = end && here > n ? end : p;
    x->n = end && here > n ? here : n;
    if (x->n >= x->t.size) {
        x->n = (size_t)x->t.size;
        return;
    }
    const char *newline = abr_find_last_newline(x->p, x->n);
    x->n = newline ? (size_t)(newline - x->p) + 1 : 0;
}

static bool gather_texts(abr_diff_gathered *g, size_t n, size_t keep)
{
    g->texts = room_for(g, n, sizeof *g->texts);
    for (size_t i = 0; g->texts && i < n; i++) {
        const abr_candidate *c = g->lists[ABR_DIFF_TEXTS][i];
        const size_t held = c->start_n - sizeof(abr_diff_text);
        const size_t most = abr_diff_text_most(keep);
        abr_shown_text *x = &g->texts[g->text_count];
        memcpy(&x->t, c->start, sizeof x->t);
        find_lines(g, x, c->start + sizeof x->t, held < most ? held : most);
        g->text_count += x->n > 0;
    }
    return g->texts != NULL;
}

/* ---- parts ---- */

/* List hunks and texts in the order of the source, except texts between two hunks of a file. */
static bool gather_parts(abr_diff_gathered *g)
{
    abr_diff_plan *plan = &g->plan;
    const size_t most = g->hunk_count + g->text_count;
    plan->parts = room_for(g, most, sizeof *plan->parts);
    plan->shown = room_for(g, most / 64 + 1, sizeof *plan->shown);
    if (!plan->parts || !plan->shown)
        return false;
    size_t hunk = 0;
    size_t text = 0;
    while (hunk < g->hunk_count || text < g->text_count) {
        abr_shown_hunk *h = hunk < g->hunk_count ? &g->hunks[hunk] : NULL;
        abr_shown_text *t = text < g->text_count ? &g->texts[text] : NULL;
        if (!t || (h && h->h.at <= t->t.at)) { /* a bare header ends where text starts */
            h->part = plan->part_count;
            plan->parts[plan->part_count++].hunk = h;
            hunk++;
            continue;
        }
        if (!h || h->h.file.at > t->t.at)
            plan->parts[plan->part_count++].text = t;
        text++;
    }
    return true;
}

bool abr_diff_gather(abr_diff_gathered *g, abr_diff_store *store, size_t keep)
{
    size_t counts[ABR_DIFF_LISTS];
    const abr_candidates *hunks = &store->lists[ABR_DIFF_HUNKS];
    for (int i = 0; i < ABR_DIFF_LISTS; i++)
        abr_candidates_trim(&store->lists[i]);
    if (!make_lists(g, store))
        return false;
    g->known[false] = g->known[true] = abr_diff_level_most(keep);
    if (hunks->excludes)
        note_unknown(g, (uint64_t)-hunks->excluded_weight);
    for (int i = 0; i < ABR_DIFF_LISTS; i++)
        counts[i] = gather_list(g, store, keep, i);
    return gather_hunks(g, counts[ABR_DIFF_HUNKS]) && gather_names(g, counts[ABR_DIFF_NAMES]) &&
           gather_texts(g, counts[ABR_DIFF_TEXTS], keep) && gather_parts(g);
}

void abr_diff_gathered_free(abr_diff_gathered *g)
{
    void *const all[] = {
        g->hunks, g->texts,      (void *)g->lists[0], (void *)g->lists[1], (void *)g->lists[2],
        g->keys,  g->plan.parts, g->plan.shown,       g->plan.names};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        abr_release(g->alloc, all[i]);
}
