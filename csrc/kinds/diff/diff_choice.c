/*
 * Which parts of a diff are shown: names of files first, then how commits start, then hunks; what is left
 * goes to more of the texts and names.
 */
#include <string.h>

#include "kinds/diff/diff_choice.h"
#include "abridge.h"
#include "kinds/diff/diff.h"
#include "kinds/diff/diff_gather.h"
#include "kinds/diff/diff_hunks.h"
#include "kinds/diff/diff_show.h"
#include "line/lines.h"
#include "text/scan.h"

enum { TEXT_SHARE = 4 }; /* texts take this part of what names leave */

/* ---- names ---- */

static uint64_t size_of_all(const abr_diff_choice *x)
{
    abr_diff_count_names(x->plan);
    return abr_diff_gap(x->plan, x->plan->part_count, x->plan->part_count);
}

/* Show names of one class in order, while all that is shown keeps to `limit`. */
static void show_names(abr_diff_choice *x, bool machine, uint64_t limit)
{
    for (size_t i = 0; i < x->plan->name_count; i++) {
        abr_shown_name *name = &x->plan->names[i];
        if (name->shown || name->file->too_long || name->file->machine != machine)
            continue;
        if (name->file->name_n > limit - x->used)
            return;
        name->shown = true;
        x->used += name->file->name_n;
    }
}

static void choose_names(abr_diff_choice *x)
{
    abr_diff_plan *plan = x->plan;
    bool all = plan->name_count == plan->total.files;
    for (size_t i = 0; i < plan->name_count; i++) {
        plan->names[i].shown = !plan->names[i].file->too_long;
        all = all && plan->names[i].shown;
    }
    x->used = size_of_all(x);
    if (all && x->used <= x->bytes - x->bytes / 4)
        return;
    for (size_t i = 0; i < plan->name_count; i++)
        plan->names[i].shown = false;
    x->used = size_of_all(x);
    for (int machine = 0; machine < 2 && x->used < x->bytes / 2; machine++)
        show_names(x, machine != 0, x->bytes / 2);
    x->used = size_of_all(x);
}

/* Is a hunk of the file shown? *part is a place at or before its first one, and gets a later one. */
static bool has_hunk(const abr_diff_plan *plan, uint64_t file, size_t *part)
{
    for (; *part < plan->part_count; ++*part) {
        const abr_shown_hunk *h = plan->parts[*part].hunk;
        if (!h || h->h.file.before.files < file)
            continue;
        if (h->h.file.before.files > file)
            return false;
        if (abr_diff_is_shown(plan, *part))
            return true;
    }
    return false;
}

/* What is left goes to names. */
static void add_names(abr_diff_choice *x)
{
    size_t part = 0;
    for (size_t i = 0; i < x->plan->name_count; i++) {
        abr_shown_name *name = &x->plan->names[i];
        if (name->shown || name->file->too_long || has_hunk(x->plan, name->file->before.files, &part))
            continue;
        if (name->file->name_n > x->bytes - x->used)
            break;
        name->shown = true;
        x->used += name->file->name_n; /* a marker tells of one file less */
    }
    abr_diff_count_names(x->plan);
}

/* ---- texts ---- */

static void set_text(abr_shown_text *t, size_t n)
{
    t->shown = n;
    t->lines = n > 0 ? abr_count_newlines(t->p, n) + (t->p[n - 1] != '\n') : 0;
}

/* Bytes up to and with the subject of a commit or mail; 0 where there is none. */
static size_t head_of(const abr_shown_text *t)
{
    bool commit = false;
    bool blank = false;
    abr_text_line line;
    for (size_t at = 0; abr_next_line(t->p, t->n, &at, &line);) {
        const bool empty = abr_trimmed(line).n == 0;
        if (commit && ((blank && !empty) || ABR_STARTS(line, "Subject: ")))
            return at;
        blank = commit && (blank || empty);
        commit = commit || abr_diff_line_of(line) == ABR_DIFF_COMMIT;
    }
    return 0;
}

/* Show n bytes of a text, or more than are shown, if that keeps to the limit. */
static bool show_text(abr_diff_choice *x, size_t part, size_t n, uint64_t limit)
{
    abr_shown_text *t = x->plan->parts[part].text;
    const abr_shown_text was = *t;
    const uint64_t used = x->used;
    const bool shown = abr_diff_is_shown(x->plan, part);
    if (shown) {
        const size_t before = abr_diff_shown_before(x->plan, part);
        const size_t after = abr_diff_shown_after(x->plan, part);
        x->used += abr_diff_gap(x->plan, before, after) - abr_diff_gap(x->plan, before, part) -
                   abr_diff_own(x->plan, &x->plan->parts[part]) - abr_diff_gap(x->plan, part, after);
    }
    set_text(t, n);
    if (abr_diff_add_part(x, part, limit))
        return true;
    *t = was;
    x->used = used;
    return false;
}

/* As many lines of a text as the limit allows. */
static void grow_text(abr_diff_choice *x, size_t part, uint64_t limit)
{
    const abr_shown_text *t = x->plan->parts[part].text;
    size_t n = t->n;
    if (t->shown == n || show_text(x, part, n, limit) || limit <= x->used)
        return;
    const uint64_t room = limit - x->used + t->shown;
    n = room < n ? (size_t)room : n;
    for (unsigned tries = 0; tries < 4; tries++) {
        const char *newline = n > t->shown ? abr_find_last_newline(t->p + t->shown, n - t->shown - 1) : NULL;
        if (!newline)
            return;
        n = (size_t)(newline - t->p) + 1;
        if (show_text(x, part, n, limit))
            return;
    }
}

static void choose_texts(abr_diff_choice *x)
{
    const uint64_t limit = x->used + (x->bytes - x->used) / TEXT_SHARE;
    for (size_t i = 0; i < x->plan->part_count; i++) {
        const abr_shown_text *t = x->plan->parts[i].text;
        const size_t head = t ? head_of(t) : 0;
        if (head > 0 && !show_text(x, i, head, limit))
            break;
    }
    for (size_t i = 0; i < x->plan->part_count; i++)
        if (x->plan->parts[i].text)
            grow_text(x, i, limit);
}

/* ---- all ---- */

bool abr_diff_choose(abr_diff_gathered *g, uint64_t bytes, uint64_t budget, uint64_t *used)
{
    enum { PER_SMALL = 50, BESIDE = 48 };
    abr_diff_choice x = {.g = g, .plan = &g->plan, .bytes = bytes};
    x.whole = budget / PER_SMALL > BESIDE ? budget / PER_SMALL - BESIDE : 0;
    choose_names(&x);
    *used = x.used;
    if (x.used > bytes)
        return true;
    choose_texts(&x);
    if (!abr_diff_choose_hunks(&x))
        return false;
    for (size_t i = 0; i < g->plan.part_count; i++)
        if (g->plan.parts[i].text)
            grow_text(&x, i, bytes);
    add_names(&x);
    *used = x.used;
    return true;
}
