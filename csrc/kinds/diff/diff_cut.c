/*
 * Diffs, cut file by file and hunk by hunk: what reads one as it goes by. What is open when a choice is made
 * counts as if the text ended there, and is open again after it.
 */
#include <string.h>

#include "kinds/diff/diff_cut.h"
#include "abridge.h"
#include "base/memory.h"
#include "budget/options.h"
#include "kinds/content.h"
#include "kinds/diff/diff_choice.h"
#include "kinds/diff/diff_gather.h"
#include "kinds/diff/diff_scan.h"
#include "kinds/diff/diff_show.h"
#include "kinds/diff/diff_store.h"
#include "kinds/reader.h"
#include "text/scan.h"

/*
 * What is allocated at once while parts are put into a content, for so many bytes of budget. A hunk costs more
 * than its record and a header; a name or text takes of its list no more than it costs.
 */
enum {
    DIFF_HUNKS = (ABR_DIFF_PEOPLES_HUNKS + ABR_DIFF_MACHINES_HUNKS) * ABR_MEMORY_UNIT,
    DIFF_NAMES = (ABR_DIFF_PEOPLES_NAMES + ABR_DIFF_MACHINES_NAMES) * ABR_MEMORY_UNIT,
    DIFF_TEXTS = ABR_DIFF_TEXTS * ABR_MEMORY_UNIT,
    DIFF_HUNK_COST = ABR_CANDIDATE_COST + sizeof(abr_diff_hunk) + 16,
    DIFF_HUNK_MEMORY =
        2 * sizeof(abr_key) + sizeof(void *) + sizeof(abr_shown_hunk) + sizeof(abr_diff_part) + 16,
    DIFF_OPEN = (3 + 2) * ABR_MEMORY_UNIT, /* the hunk that is open, and its slices */
    DIFF_COPIES_OF_SHOWN = ABR_MEMORY_UNIT
};

_Static_assert(ABR_CANDIDATES_MEMORY(DIFF_HUNKS) + (size_t)DIFF_HUNKS / DIFF_HUNK_COST * DIFF_HUNK_MEMORY +
                       DIFF_NAMES + DIFF_NAMES / ABR_DIFF_RECORD_COST * sizeof(abr_shown_name) + DIFF_TEXTS +
                       DIFF_TEXTS / ABR_DIFF_RECORD_COST * (sizeof(abr_shown_text) + sizeof(abr_diff_part)) +
                       DIFF_OPEN + DIFF_COPIES_OF_SHOWN + ABR_CONTENT_MEMORY(ABR_MEMORY_UNIT) <=
                   ABR_MEMORY_UNITS,
               "a diff takes no more than a stream may for its budget");

typedef struct {
    abr_reader base;
    const abr_alloc *alloc;
    abr_diff_store store;
    abr_diff_open open;
    abr_diff_scan scan;
    abr_diff_scan saved; /* while a choice is made */
    const char *text;    /* all of it, or NULL */
    char *copies;        /* the source that the last choice shows */
} diff_reader;

static void close_diff(abr_reader *base)
{
    diff_reader *r = (diff_reader *)base;
    abr_diff_store_close(&r->store);
    if (r->open.p)
        r->alloc->free(r->alloc->ctx, r->open.p);
    if (r->copies)
        r->alloc->free(r->alloc->ctx, r->copies);
    r->alloc->free(r->alloc->ctx, r);
}

static abr_code open_diff(const abr_reader_opts *opts, abr_reader **out)
{
    diff_reader *r = opts->alloc->malloc(opts->alloc->ctx, sizeof *r);
    *out = NULL;
    if (!r)
        return ABR_ENOMEM;
    memset(r, 0, sizeof *r);
    r->base.methods = &abr_diff_methods;
    r->alloc = opts->alloc;
    r->text = opts->text;
    if (!abr_diff_store_open(&r->store, opts->keep, opts->alloc)) {
        close_diff(&r->base);
        return ABR_ENOMEM;
    }
    *out = &r->base;
    return ABR_OK;
}

/* Lines of (p, n) that start as hunks do. */
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
    enum { OPEN = 5 }; /* what is open already */
    const size_t before =
        r->open.n + r->scan.start_n + sizeof r->scan.held + sizeof r->scan.run_bytes + ABR_DIFF_HEADER_MOST;
    return abr_diff_store_reserve(&r->store, n + before, (size_t)abr_count_newlines(p, n) + OPEN,
                                  count_hunks(p, n) + OPEN) &&
           abr_diff_scan_reserve(&r->scan, &r->open, &r->store, n);
}

static void write_diff(abr_reader *base, const char *p, size_t n)
{
    diff_reader *r = (diff_reader *)base;
    abr_diff_scan_write(&r->scan, &r->open, &r->store, p, n);
}

/* ---- a choice ---- */

/* The fields of the store that change while open parts are closed for a look. */
typedef struct {
    abr_diff_list names[ABR_DIFF_CLASSES];
    abr_diff_list texts;
    abr_diff_text last; /* text */
    uint64_t hunk_count;
    size_t open_n;
} mark;

static mark end_for_now(diff_reader *r)
{
    abr_diff_store *s = &r->store;
    mark m = {{s->names[0], s->names[1]}, s->texts, {.at = 0}, s->hunk_count, r->open.n};
    if (s->texts.count > 0)
        m.last = *abr_diff_text_at(&s->texts, s->texts.count - 1);
    r->saved = r->scan;
    s->peeks = true;
    abr_diff_scan_end(&r->scan, &r->open, s);
    s->peeks = false;
    return m;
}

static void go_back(diff_reader *r, const mark *m)
{
    abr_diff_store *s = &r->store;
    s->names[0] = m->names[0];
    s->names[1] = m->names[1];
    s->texts = m->texts;
    if (s->texts.count > 0)
        *abr_diff_text_at(&s->texts, s->texts.count - 1) = m->last;
    s->hunk_count = m->hunk_count;
    r->open.n = m->open_n;
    r->scan = r->saved;
    abr_diff_drop_extra(s);
}

static void tell_items(const abr_diff_gathered *g, abr_content *out)
{
    abr_item files = {.unit = ABR_ITEM_FILES, .total = g->plan.total.files};
    abr_item hunks = {.unit = ABR_ITEM_HUNKS, .total = g->plan.total.hunks};
    uint64_t last = 0;
    for (size_t i = 0; i < g->plan.part_count; i++) {
        const abr_shown_hunk *h = g->plan.parts[i].hunk;
        if (!h || !abr_diff_is_shown(&g->plan, i))
            continue;
        hunks.kept += h->h.hunks;
        files.kept += files.kept == 0 || h->h.file.before.files != last;
        last = h->h.file.before.files;
    }
    abr_content_tell(out, &files);
    if (hunks.total > 0)
        abr_content_tell(out, &hunks);
}

static bool renew_copies(diff_reader *r, size_t size)
{
    if (r->copies)
        r->alloc->free(r->alloc->ctx, r->copies);
    r->copies = r->alloc->malloc(r->alloc->ctx, size + 1);
    return r->copies != NULL;
}

static bool show(diff_reader *r, abr_diff_gathered *g, uint64_t bytes, uint64_t budget, abr_content *out)
{
    uint64_t used = 0;
    if (!abr_diff_choose(g, bytes, budget, &used))
        return false;
    if (used <= bytes) {
        if (!renew_copies(r, r->text ? 0 : (size_t)used))
            return false;
        abr_diff_show(&g->plan, out, r->copies);
    }
    tell_items(g, out);
    return !out->failed;
}

static bool choose_diff(abr_reader *base, const abr_kind_request *q, abr_content *out)
{
    diff_reader *r = (diff_reader *)base;
    if (!reserve_diff(base, "", 0))
        return false;
    const mark m = end_for_now(r);
    abr_diff_gathered g;
    bool fine = !r->store.failed && abr_diff_gather(&g, &r->store, q->keep);
    if (!r->store.failed) {
        g.plan.total = r->scan.now;
        g.plan.text = r->text;
        g.plan.markers = q->opts->marker != ABR_MARKER_NONE;
        g.plan.counted = q->opts->marker == ABR_MARKER_INSIDE;
        const uint64_t budget = q->opts->max.bytes != ABR_UNLIMITED ? q->opts->max.bytes : q->bytes;
        fine = fine && show(r, &g, q->bytes, budget, out);
        abr_diff_gathered_free(&g);
    }
    go_back(r, &m);
    return fine;
}

const abr_reader_methods abr_diff_methods = {.open = open_diff,
                                             .reserve = reserve_diff,
                                             .write = write_diff,
                                             .choose = choose_diff,
                                             .close = close_diff};
