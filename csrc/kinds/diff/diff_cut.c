/*
 * Diffs, cut file by file and hunk by hunk: the reader of a diff as it goes by. During a choice, the open
 * hunk or text counts as if the diff ended there, and it is open again afterwards.
 */
#include <string.h>

#include "kinds/diff/diff_cut.h"
#include "base/memory.h"
#include "budget/options.h"
#include "kinds/content.h"
#include "kinds/diff/diff_choice.h"
#include "kinds/diff/diff_gather.h"
#include "kinds/diff/diff_scan.h"
#include "kinds/diff/diff_show.h"
#include "kinds/diff/diff_store.h"
#include "text/scan.h"

/*
 * Memory allocated at once while parts are put into a content, per bytes of budget. A name takes as much as a
 * text.
 */
enum {
    DIFF_HUNK_COST = ABR_CANDIDATE_COST + sizeof(abr_diff_hunk),
    DIFF_HUNK_MEMORY =
        2 * sizeof(abr_key) + sizeof(void *) + sizeof(abr_shown_hunk) + sizeof(abr_diff_part) + 16,
    DIFF_NAME_COST = ABR_CANDIDATE_COST + sizeof(abr_diff_name),
    DIFF_NAME_MEMORY = sizeof(void *) + sizeof(abr_shown_name),
    DIFF_TEXT_COST = ABR_CANDIDATE_COST + sizeof(abr_diff_text),
    DIFF_TEXT_MEMORY = sizeof(void *) + sizeof(abr_shown_text) + sizeof(abr_diff_part),
    DIFF_PER_BYTE = ABR_DIFF_HUNKS_PER_BYTE + ABR_DIFF_NAMES_PER_BYTE + ABR_DIFF_TEXTS_PER_BYTE,
    DIFF_OPEN = (3 + 2) * ABR_MEMORY_UNIT, /* the open hunk, and its slices */
    DIFF_COPIES_OF_SHOWN = ABR_MEMORY_UNIT,
    DIFF_SCRATCH = 2 * ABR_MEMORY_UNIT /* for hunks in part */
};

_Static_assert(ABR_CANDIDATES_MEMORY(DIFF_PER_BYTE *ABR_MEMORY_UNIT) +
                       (size_t)ABR_DIFF_HUNKS_PER_BYTE * ABR_MEMORY_UNIT / DIFF_HUNK_COST * DIFF_HUNK_MEMORY +
                       (size_t)ABR_DIFF_NAMES_PER_BYTE * ABR_MEMORY_UNIT / DIFF_NAME_COST * DIFF_NAME_MEMORY +
                       (size_t)ABR_DIFF_TEXTS_PER_BYTE * ABR_MEMORY_UNIT / DIFF_TEXT_COST * DIFF_TEXT_MEMORY +
                       DIFF_OPEN + DIFF_COPIES_OF_SHOWN + DIFF_SCRATCH +
                       ABR_CONTENT_MEMORY(ABR_MEMORY_UNIT) <=
                   ABR_MEMORY_UNITS,
               "a diff takes no more than a stream may for its budget");

enum { PARTS_OPEN = 5 }; /* parts already open; the lines of their ends may be places */

typedef struct {
    abr_reader base;
    const abr_alloc *alloc;
    abr_diff_scanned scanned;
    abr_diff_scan scan;
    abr_diff_scan saved; /* while a choice is made */
    const char *text;    /* all of it, or NULL */
    char *copies;        /* the source that the last choice shows */
} diff_reader;

static void close_diff(abr_reader *base)
{
    diff_reader *r = (diff_reader *)base;
    abr_diff_store_close(&r->scanned.store);
    abr_release(r->alloc, r->scanned.open.p);
    abr_release(r->alloc, r->scanned.places);
    abr_release(r->alloc, r->copies);
    abr_release(r->alloc, r);
}

static abr_code open_diff(const abr_reader_opts *opts, abr_reader **out)
{
    const abr_alloc *a = opts->alloc;
    diff_reader *r = a->malloc(a->ctx, sizeof *r);
    *out = NULL;
    if (!r)
        return ABR_ENOMEM;
    memset(r, 0, sizeof *r);
    r->base.methods = &abr_diff_methods;
    r->alloc = a;
    r->text = opts->text;
    r->scan.to = &r->scanned;
    r->scanned.place_most = ABR_DIFF_PLACES_MOST;
    r->scanned.places = a->malloc(a->ctx, r->scanned.place_most * sizeof *r->scanned.places);
    if (!abr_diff_store_open(&r->scanned.store, opts->keep, a) || !r->scanned.places) {
        close_diff(&r->base);
        return ABR_ENOMEM;
    }
    *out = &r->base;
    return ABR_OK;
}

/* Count the lines of (p, n) that may start hunks. */
static size_t count_hunks(const char *p, size_t n)
{
    size_t hunks = 0;
    const char *end = p + n;
    while (p < end && (p = memchr(p, '@', (size_t)(end - p))) != NULL) {
        hunks++;
        p = memchr(p, '\n', (size_t)(end - p));
        if (!p)
            break;
    }
    return hunks;
}

static bool reserve_diff(abr_reader *base, const char *p, size_t n)
{
    diff_reader *r = (diff_reader *)base;
    const size_t before = r->scanned.open.n + r->scan.start_n + sizeof r->scan.held + ABR_DIFF_HEADER_MOST;
    return abr_diff_store_reserve(&r->scanned.store, n + before,
                                  (size_t)abr_count_newlines(p, n) + PARTS_OPEN,
                                  count_hunks(p, n) + PARTS_OPEN) &&
           abr_diff_scan_reserve(&r->scanned, n);
}

static void write_diff(abr_reader *base, const char *p, size_t n)
{
    abr_diff_scan_write(&((diff_reader *)base)->scan, p, n);
}

static bool settle_diff(abr_reader *base)
{
    diff_reader *r = (diff_reader *)base;
    bool fine = abr_shrink(r->alloc, &r->scanned.places, &r->scanned.place_most,
                           r->scan.place_count + PARTS_OPEN, sizeof *r->scanned.places);
    for (int i = 0; i < ABR_DIFF_LISTS; i++)
        fine = fine && abr_candidates_settle(&r->scanned.store.lists[i]);
    return fine;
}

/* ---- a choice ---- */

/* Report how many of each unit are shown, including those of the start. */
static void tell_units(const abr_diff_plan *plan, abr_content *out)
{
    const abr_diff_tally start = plan->start.hunk ? plan->start.hunk->after : (abr_diff_tally){0};
    abr_item commits = {ABR_ITEM_COMMITS, .total = plan->total.commits, .kept = start.commits};
    abr_item files = {ABR_ITEM_FILES, .total = plan->total.files, .kept = start.files};
    abr_item hunks = {ABR_ITEM_HUNKS, .total = plan->total.hunks, .kept = start.hunks};
    uint64_t files_before = start.files;
    for (size_t i = abr_diff_shown_from(plan, 0); i < plan->part_count;
         i = abr_diff_shown_from(plan, i + 1)) {
        const abr_shown_hunk *h = plan->parts[i].hunk;
        commits.kept += !h && plan->parts[i].text->t.commit;
        hunks.kept += h && !abr_is_bare(&h->h);
        files.kept += h && h->h.file.before.files >= files_before;
        files_before = h ? h->h.file.before.files + 1 : files_before;
    }
    for (size_t i = 0; i < plan->name_count; i++) {
        const abr_diff_name *name = &plan->names[i].name;
        const bool is_all = name->hunks.hunks == 0 && name->file.name_n == name->file.header_n;
        files.kept += is_all && plan->names[i].shown && name->file.before.files >= start.files;
    }
    if (commits.total > 1)
        abr_content_tell(out, &commits);
    abr_content_tell(out, &files);
    if (hunks.total > 0)
        abr_content_tell(out, &hunks);
}

static bool show_diff(diff_reader *r, abr_diff_gathered *g, const abr_kind_request *q, abr_content *out)
{
    uint64_t used = 0;
    if (!abr_diff_choose(g, q->bytes, &used))
        return false;
    if (used <= q->bytes) {
        abr_release(r->alloc, r->copies);
        r->copies = r->alloc->malloc(r->alloc->ctx, (r->text ? 0 : (size_t)used) + 1);
        if (!r->copies)
            return false;
        abr_diff_show(&g->plan, out, r->copies);
    }
    tell_units(&g->plan, out);
    return !out->failed;
}

/* The open hunk or text counts as if the diff ended here, and is then as before. */
static bool choose_diff(abr_reader *base, const abr_kind_request *q, abr_content *out)
{
    diff_reader *r = (diff_reader *)base;
    abr_diff_store *s = &r->scanned.store;
    const abr_view *v = q->view;
    if (!abr_diff_scan_reserve(&r->scanned, 0))
        return false;
    const abr_diff_open open = r->scanned.open;
    const uint64_t hunk_count = s->hunk_count;
    r->saved = r->scan;
    s->peeks = true;
    abr_diff_scan_end(&r->scan);
    s->peeks = false;
    abr_diff_gathered g = {
        .alloc = r->alloc,
        .places = r->scanned.places,
        .place_count = r->scan.place_count,
        .plan = {.total = r->scan.now,
                 .text = r->text,
                 .ends = {{v->front.p, v->front.n, 0}, {v->back.p, v->back.n, v->bytes - v->back.n}},
                 .markers = q->opts->marker != ABR_MARKER_NONE,
                 .counted = q->opts->marker == ABR_MARKER_INSIDE}};
    const bool fine = !s->failed && abr_diff_gather(&g, s, q->keep) && show_diff(r, &g, q, out);
    abr_diff_gathered_free(&g);
    abr_diff_drop_extra(s);
    s->hunk_count = hunk_count;
    r->scanned.open = open;
    r->scan = r->saved;
    return fine;
}

static bool lost_diff(const abr_reader *base, uint64_t *at)
{
    const diff_reader *r = (const diff_reader *)(const void *)base;
    *at = r->scan.log_at;
    return *at > 0;
}

const abr_reader_methods abr_diff_methods = {.open = open_diff,
                                             .reserve = reserve_diff,
                                             .write = write_diff,
                                             .choose = choose_diff,
                                             .close = close_diff,
                                             .settle = settle_diff,
                                             .lost = lost_diff};
