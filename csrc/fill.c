/*
 * Who gets what is left of the budgets: the end, upwards gap by gap, then the start; then long lines that were cut, the
 * last one first. A line that does not fit is split only where much would be left unused beside it.
 */
#include <string.h>

#include "choice.h"

/* ---- what is left goes to the ends ---- */

/* Memory for the stretches of the units that are kept, and for those that fill the gaps between them. */
static bool make_room(abr_chooser *x)
{
    const abr_alloc *a = x->alloc;
    size_t count = 0;
    abr_stretch parts[ABR_LINE_PARTS];
    for (size_t i = 0; i < x->count; i++)
        if (x->units[i].kept)
            count += abr_parts_of(x, &x->units[i], parts) + 1;
    if (count + 4 <= x->kept_size)
        return true;
    if (x->kept)
        a->free(a->ctx, x->kept);
    x->kept_size = count + 4;
    x->kept = a->malloc(a->ctx, 2 * x->kept_size * sizeof *x->kept);
    if (x->kept)
        return true;
    x->kept_size = 0;
    x->failure = ABR_ENOMEM;
    return false;
}

static void list_kept(abr_chooser *x)
{
    x->kept_count = 0;
    if (!make_room(x))
        return;
    for (size_t i = 0; i < x->count; i++)
        if (x->units[i].kept)
            x->kept_count += abr_parts_of(x, &x->units[i], x->kept + x->kept_count);
    for (size_t i = 0; i < x->kept_count; i++)
        x->kept[i].chars_n = abr_chars_of(x, x->kept[i].p, (size_t)x->kept[i].n);
}

/* What all that is kept costs. */
static abr_cost weigh_kept(abr_chooser *x)
{
    abr_span sum = {0};
    uint64_t lines = 0;
    for (size_t i = 0; i < x->kept_count; i++) {
        const abr_stretch *s = &x->kept[i];
        const abr_stretch *before = i > 0 ? s - 1 : NULL;
        abr_weigh(&x->scale, s->p, (size_t)s->n, &sum);
        if (before || s->at > 0)
            abr_weigh_joint(x, before, s, &sum);
        lines += s->last_line - s->line + (!before || before->last_line != s->line);
    }
    if (abr_lacks_end(x))
        abr_weigh_joint(x, x->kept_count > 0 ? &x->kept[x->kept_count - 1] : NULL, NULL, &sum);
    return (abr_cost){lines, sum.shown + abr_keeps_newline(x), sum.chars + abr_keeps_newline(x)};
}

/* The line before place `at`, which is at a line's start; false where it is not at hand or takes more than `most`. */
static bool line_above(const abr_chooser *x, uint64_t at, uint64_t most, const char **p, size_t *n)
{
    const abr_edge *e = &x->view->back;
    uint64_t base = x->view->bytes - e->n;
    if (at < base + 1)
        return false;
    size_t end = (size_t)(at - base) - 1; /* its newline */
    size_t look = (size_t)abr_at_most(end, most == ABR_UNLIMITED ? most : most + 1);
    const char *newline = abr_find_last_newline(e->p + end - look, look);
    if (!newline && !(look == end && e->whole))
        return false;
    size_t start = newline ? (size_t)(newline - e->p) + 1 : 0;
    *p = e->p + start;
    *n = end - start;
    return true;
}

/* Fill the gap over kept[i] upwards; *filled gets what fits. Does it fit whole? */
static bool fill_up(abr_chooser *x, size_t i, abr_cost *used, abr_stretch *filled)
{
    const abr_stretch *below = &x->kept[i];
    const abr_stretch *above = i > 0 ? below - 1 : NULL;
    uint64_t stop = above ? above->last_line + 1 : 0;
    if (!below->starts_line)
        return true;
    *filled = (abr_stretch){.at = below->at,
                            .p = below->p,
                            .line = below->line,
                            .last_line = below->line - 1,
                            .chars = below->chars,
                            .starts_line = true,
                            .ends_line = true};
    while (filled->line > stop) {
        const char *p;
        size_t n;
        uint64_t left = abr_less(x->room.shown, used->shown);
        if (!line_above(x, filled->at, left, &p, &n))
            return false;
        abr_span more = {0};
        abr_weigh(&x->scale, p, n, &more);
        more.shown++;
        more.chars++;
        if (!abr_fits(x, used, &more, 1))
            return false;
        used->lines++;
        used->shown += more.shown;
        used->chars += more.chars;
        filled->n += n + (filled->n > 0 || filled->line < below->line);
        filled->at -= n + 1;
        filled->p = p;
        filled->line--;
        filled->chars -= more.chars;
        filled->chars_n = below->chars - 1 - filled->chars;
    }
    return true;
}

/* Is much of the budget left? */
static bool much_left(const abr_chooser *x, const abr_cost *used)
{
    return (x->room.shown != ABR_UNLIMITED &&
            abr_less(x->room.shown, used->shown) > x->room.shown / ABR_SPLIT_SHARE) ||
           (x->room.chars != ABR_UNLIMITED &&
            abr_less(x->room.chars, used->chars) > x->room.chars / ABR_SPLIT_SHARE);
}

/* The end of a line that does not fit, where much is left: `at` is where the line below it starts. */
static bool split_above(abr_chooser *x, const abr_stretch *below, abr_cost *used, abr_stretch *out)
{
    const char *p;
    size_t n;
    uint64_t left = abr_less(x->room.shown, used->shown);
    uint64_t chars = abr_less(x->room.chars, used->chars);
    enum { TAKEN = ABR_INNER_SIZE + 1 };
    if (!much_left(x, used) || used->lines >= x->room.lines || left <= TAKEN || chars <= TAKEN ||
        !below->starts_line)
        return false;
    const abr_edge *e = &x->view->back;
    uint64_t base = x->view->bytes - e->n;
    if (below->at < base + 1 || below->line == 0)
        return false;
    size_t end = (size_t)(below->at - base) - 1;
    const char *newline = abr_find_last_newline(e->p, end);
    p = newline ? newline + 1 : e->p;
    n = end - (size_t)(p - e->p);
    abr_reach reach = {abr_less(chars, TAKEN), abr_less(left, TAKEN), x->scale.replace};
    size_t part = abr_suffix(p, n, &reach);
    if (part == 0)
        return false;
    *out = (abr_stretch){.at = below->at - 1 - part,
                         .n = part,
                         .p = p + n - part,
                         .line = below->line - 1,
                         .last_line = below->line - 1,
                         .starts_line = part == n && (newline || e->whole),
                         .ends_line = true};
    out->chars_n = abr_chars_of(x, out->p, part);
    out->chars = below->chars - 1 - out->chars_n;
    abr_span more = {0};
    abr_weigh(&x->scale, out->p, part, &more);
    used->lines++;
    used->shown += more.shown + 1 + (out->starts_line ? 0 : TAKEN - 2);
    used->chars += more.chars + 1 + (out->starts_line ? 0 : TAKEN - 2);
    return true;
}

/* A gap was closed: its marker is no longer there. */
static void close_gap(abr_chooser *x, const abr_stretch *above, const abr_stretch *below, abr_cost *used)
{
    abr_span was = {0};
    abr_weigh_joint(x, above, below, &was);
    used->shown = abr_less(used->shown, abr_less(was.shown, above != NULL));
    used->chars = abr_less(used->chars, abr_less(was.chars, above != NULL));
}

/* Fill upwards from the end, gap by gap, until a line does not fit. */
static void fill_end(abr_chooser *x, abr_cost *used)
{
    abr_stretch *kept = x->kept;
    size_t count = kept ? x->kept_count : 0;
    for (size_t i = count; i > 0; i--) {
        abr_stretch *s = &kept[i - 1];
        const abr_stretch *above = i > 1 ? s - 1 : NULL;
        if (above ? above->last_line + 1 >= s->line : s->line == 0)
            continue;
        abr_stretch filled = {0};
        bool whole = fill_up(x, i - 1, used, &filled);
        const abr_stretch *top = s;
        if (s->starts_line && filled.line < s->line) {
            top = &kept[x->kept_count];
            kept[x->kept_count++] = filled;
        }
        if (whole && s->starts_line) {
            close_gap(x, above, s, used);
            continue;
        }
        if (split_above(x, top, used, &kept[x->kept_count]))
            x->kept_count++;
        break;
    }
}

/* Fill downwards from the start until a line does not fit. */
static void fill_start(abr_chooser *x, abr_cost *used)
{
    const abr_edge *e = &x->view->front;
    size_t i = 0;
    uint64_t line = 0;
    uint64_t at = 0;
    uint64_t chars = 0;
    for (; i < x->kept_count && x->kept[i].line <= line; i++) {
        if (!x->kept[i].ends_line)
            return;
        line = x->kept[i].last_line + 1;
        at = x->kept[i].at + x->kept[i].n + 1;
        chars = x->kept[i].chars + x->kept[i].chars_n + 1;
    }
    if (i == x->kept_count)
        return;
    abr_stretch filled = {.at = at, .line = line, .chars = chars, .starts_line = true, .ends_line = true};
    uint64_t stop = x->kept[i].line;
    uint64_t next = line;
    while (next < stop && at < e->n) {
        uint64_t left = abr_less(x->room.shown, used->shown);
        const char *p = e->p + at;
        const char *newline =
            memchr(p, '\n', (size_t)abr_at_most(e->n - at, left == ABR_UNLIMITED ? left : left + 1));
        abr_span more = {0};
        if (!newline)
            break;
        size_t n = (size_t)(newline - p);
        abr_weigh(&x->scale, p, n, &more);
        more.shown++;
        more.chars++;
        if (!abr_fits(x, used, &more, 1))
            break;
        used->lines++;
        used->shown += more.shown;
        used->chars += more.chars;
        filled.p = e->p + filled.at;
        filled.n = at + n - filled.at;
        filled.chars_n += more.chars - (x->scale.chars ? 0 : more.chars);
        filled.last_line = next++;
        at += n + 1;
    }
    if (next == line)
        return;
    filled.chars_n = abr_chars_of(x, filled.p, (size_t)filled.n);
    x->kept[x->kept_count++] = filled;
}

/* Put the stretches behind the first `sorted`, which were added from the end up, in their places. */
static void merge_added(abr_chooser *x, size_t sorted)
{
    abr_stretch *merged = x->kept + x->kept_size;
    size_t n = 0;
    size_t i = 0;
    for (size_t added = x->kept_count; added > sorted; added--) {
        const abr_stretch *s = &x->kept[added - 1];
        while (i < sorted && x->kept[i].at < s->at)
            merged[n++] = x->kept[i++];
        merged[n++] = *s;
    }
    if (n == 0)
        return;
    memmove(x->kept + n, x->kept + i, (sorted - i) * sizeof *merged);
    memcpy(x->kept, merged, n * sizeof *merged);
}

/* The stretches of all that is kept, and what the ends make of the rest; what it costs. */
static abr_cost fill(abr_chooser *x)
{
    list_kept(x);
    if (x->failure != ABR_OK)
        return (abr_cost){0};
    abr_cost used = weigh_kept(x);
    size_t listed = x->kept_count;
    fill_end(x, &used);
    merge_added(x, listed);
    listed = x->kept_count;
    fill_start(x, &used);
    merge_added(x, listed);
    return used;
}

/* Show long lines that were cut whole, from the last one on, where what is left allows it. Was there one? */
static bool show_whole(abr_chooser *x, abr_cost used)
{
    bool some = false;
    for (size_t i = x->count; i > 0; i--) {
        abr_shown_line *u = &x->units[i - 1];
        if (!u->kept || u->c->size <= x->width || u->c->start_n < u->c->size)
            continue;
        /* the markers that go are not counted on */
        abr_stretch parts[ABR_LINE_PARTS];
        size_t count = abr_parts_of(x, u, parts);
        abr_span shown = {0};
        abr_span whole = {0};
        for (size_t k = 0; k < count; k++)
            abr_weigh(&x->scale, parts[k].p, (size_t)parts[k].n, &shown);
        abr_weigh(&x->scale, u->c->start, (size_t)u->c->size, &whole);
        const abr_span more = {.shown = abr_less(whole.shown, shown.shown),
                               .chars = abr_less(whole.chars, shown.chars)};
        if (!abr_fits(x, &used, &more, 0))
            continue;
        used.shown += more.shown;
        used.chars += more.chars;
        some = u->whole = true;
    }
    return some;
}

/* What is left of the room as a reach, less what a marker that comes apart may cost. */
static abr_reach left_of(const abr_chooser *x, const abr_cost *used)
{
    return (abr_reach){abr_less(x->room.chars, used->chars), abr_less(x->room.shown, used->shown),
                       x->scale.replace};
}

/* Show more of the end of a last line that is cut. */
static void widen_end(abr_chooser *x, abr_cost *used)
{
    if (x->kept_count == 0)
        return;
    abr_stretch *s = &x->kept[x->kept_count - 1];
    const abr_edge *e = &x->view->back;
    if (s->starts_line || !s->ends_line || s->line + 1 != x->view->lines)
        return;
    uint64_t base = x->view->bytes - e->n;
    uint64_t from = x->view->bytes - x->view->ends_line - x->view->last_line;
    if (x->kept_count > 1 && s[-1].last_line == s->line)
        from = s[-1].at + s[-1].n;
    from = abr_at_least(from, base);
    if (from >= s->at)
        return;
    abr_reach reach = left_of(x, used);
    size_t n = abr_suffix(e->p + (from - base), (size_t)(s->at - from), &reach);
    abr_span more = {0};
    abr_weigh(&x->scale, e->p + (s->at - base) - n, n, &more);
    s->p = e->p + (s->at - base) - n;
    s->at -= n;
    s->n += n;
    s->chars -= more.chars;
    s->chars_n += more.chars;
    s->starts_line = s->at == x->view->bytes - x->view->ends_line - x->view->last_line;
    used->shown += more.shown;
    used->chars += more.chars;
}

/* Show more of the start of a first line that is cut. */
static void widen_start(abr_chooser *x, abr_cost *used)
{
    abr_stretch *s = x->kept;
    const abr_edge *e = &x->view->front;
    if (x->kept_count == 0 || s->at > 0 || s->ends_line || s->last_line > 0)
        return;
    uint64_t end = abr_at_most(e->n, x->view->first_line);
    if (x->kept_count > 1 && s[1].line == 0)
        end = abr_at_most(end, s[1].at);
    if (s->n >= end)
        return;
    abr_reach reach = left_of(x, used);
    size_t n = abr_prefix(e->p + s->n, (size_t)(end - s->n), &reach);
    abr_span more = {0};
    abr_weigh(&x->scale, e->p + s->n, n, &more);
    s->p = e->p;
    s->n += n;
    s->chars_n += more.chars;
    s->ends_line = s->n == x->view->first_line;
    used->shown += more.shown;
    used->chars += more.chars;
}

void abr_fill_kept(abr_chooser *x)
{
    abr_cost used = fill(x);
    if (x->failure != ABR_OK)
        return;
    if (much_left(x, &used) && show_whole(x, used))
        used = fill(x);
    if (x->failure == ABR_OK && much_left(x, &used))
        widen_end(x, &used);
    if (x->failure == ABR_OK && much_left(x, &used))
        widen_start(x, &used);
}
