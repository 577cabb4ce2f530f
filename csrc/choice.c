/*
 * What a priority cut keeps: of the lines that were retained and of the text's two ends, within the budgets.
 *
 * The last lines have their share first, then the first line; then lines are taken by what they are worth for their
 * size, each with the marker of the gap it makes; what is left goes to the end, upwards, and then to the start. A long
 * line is shown as its start and a window around its sign. Where tokens are limited, the room in bytes is found by
 * bisection, the content being counted as the model would see it.
 *
 * Invariant: the sum of what is kept and of the markers, each at its widest until all are known, is within every budget.
 */
#include <string.h>

#include "priority.h"

enum {
    TAIL_LINES = 60, /* lines at the end that earn their place by that */
    HEAD_LINES = 8,
    AFTER = 10,      /* lines after a hit that belong to it */
    BEFORE = 8,
    RANKED = 24,     /* added to a line's size when its worth is weighed by size: what its marker costs */
    PARTS = 3,       /* of a line */
    WIDTH_LEAST = 160,
    WIDTH_MOST = 1200,
    WIDTH_SHARE = 8, /* a line's part of the budget */
    TAIL_SHARE = 8,  /* part of the budget that the end has for certain */
    HEAD_SHARE = 24,
    SPLIT_SHARE = 24 /* part of the budget that is not left unused beside a long line */
};

static const float hit_from = 4.0F;
static const float unlike = 1.15F;     /* a line whose like was never seen */
static const float stands_for = 0.21F; /* discount of the first of a shape, by the logarithm of their number */
static const float one_of_many = 0.62F; /* of the others */
static const float repeated = 0.35F;   /* of each by how many came before */
static const float first_bonus = 0.75F; /* for the first hits */
static const float size_power = 0.3F;  /* how much of a line's size counts against it */
static const float inherit_after = 0.65F;
static const float inherit_before = 0.4F;
static const float step_after = 0.83F;
static const float step_before = 0.78F;
static const float tail_worth = 8.0F;
static const float tail_step = 0.93F;
static const float dull = 0.4F; /* factor of lines at the end that say that all went well */
static const float head_worth = 2.5F;
static const float head_step = 0.8F;

/* A stretch of the source that is kept: of one line, or of whole lines. */
typedef struct {
    uint64_t at; /* bytes before it */
    uint64_t n;
    const char *p;
    uint64_t line;      /* of its first byte, 0-based */
    uint64_t last_line;
    uint64_t chars;     /* before it, where counted */
    uint64_t chars_n;   /* of it */
    bool starts_line;
    bool ends_line;     /* up to the last line's newline, which is no part of it */
} stretch;

/* A line that may be kept. */
typedef struct {
    const abr_candidate *c;
    float value;
    float rank;  /* value by size */
    uint64_t shown; /* bytes it costs, its newline too */
    uint64_t chars;
    bool kept;
    bool whole;     /* shown whole though it is long: there is room */
} unit;

typedef struct {
    const abr_opts *opts;
    const abr_alloc *alloc;
    const abr_view *view;
    abr_scale scale;
    abr_room room;     /* of everything but the reserve */
    const char *format;
    size_t format_len;
    abr_retained retained;
    unit *units;       /* by line */
    uint32_t *order;   /* of units, by rank */
    size_t count;
    stretch *kept;     /* in order */
    size_t kept_count;
    size_t kept_size;  /* behind them there is room for as many again, to sort them */
    uint32_t *places;
    uint64_t width;    /* bytes a line may show */
    abr_code failure;
} chooser;

/* ---- numbers ---- */

/* Binary logarithm, exact at powers of two and a straight line between them: the same on every machine. x > 0. */
static float log2_of(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return (float)((int)(bits >> 23) - 127) + (float)(bits & 0x7FFFFF) / (float)0x800000;
}

static uint64_t at_least(uint64_t value, uint64_t least)
{
    return value > least ? value : least;
}

static uint64_t at_most(uint64_t value, uint64_t most)
{
    return value < most ? value : most;
}

static void weigh(const chooser *x, const char *p, size_t n, abr_span *cost)
{
    abr_weigh(&x->scale, p, n, cost);
}

/* ---- markers ---- */

static const char inner_marker[] = " ... ";

/* Print what stands between two stretches, either of which may be NULL for the text's ends; dst NULL measures. */
static size_t print_joint(const chooser *x, const stretch *a, const stretch *b, char *dst)
{
    bool marks = x->format_len > 0;
    size_t n = 0;
    if (a && b && a->last_line == b->line) { /* a gap inside a line */
        if (marks && dst)
            memcpy(dst, inner_marker, sizeof inner_marker - 1);
        return marks ? sizeof inner_marker - 1 : 0;
    }
    uint64_t from = a ? a->last_line + 1 : 0;
    uint64_t to = b ? b->line : x->view->lines;
    uint64_t byte = a ? a->at + a->n : 0;
    const abr_omitted gap = {to - from, (b ? b->at : x->view->bytes) - byte,
                             (b ? b->chars : x->view->chars) - (a ? a->chars + a->chars_n : 0)};
    if (a && !a->ends_line && marks) {
        if (dst)
            memcpy(dst + n, inner_marker, 4);
        n += 4;
    }
    bool more = b != NULL || (gap.lines > 0 && marks);
    if (a && more) {
        if (dst)
            dst[n] = '\n';
        n++;
    }
    if (gap.lines > 0 && marks) {
        n += abr_print_marker(x->format, x->format_len, &gap, dst ? dst + n : NULL);
        if (b && dst)
            dst[n] = '\n';
        n += b != NULL;
    }
    if (b && !b->starts_line && marks) {
        if (dst)
            memcpy(dst + n, inner_marker + 1, 4);
        n += 4;
    }
    return n;
}

/* Does b go on in the source where a ends, but for a newline between them? *newline: is there one? */
static bool goes_on(const stretch *a, const stretch *b, bool *newline)
{
    *newline = a->ends_line && b->starts_line && a->at + a->n + 1 == b->at;
    return *newline || a->at + a->n == b->at;
}

/* What a joint costs in the budgets: nothing where the marker is asked for outside. */
static void weigh_joint(chooser *x, const stretch *a, const stretch *b, abr_span *cost)
{
    char small[512];
    bool newline;
    if (a && b && goes_on(a, b, &newline)) {
        cost->shown += newline;
        cost->chars += newline;
        return;
    }
    if (x->opts->marker == ABR_MARKER_OUTSIDE)
        return;
    size_t n = print_joint(x, a, b, NULL);
    char *text = n <= sizeof small ? small : x->alloc->malloc(x->alloc->ctx, n);
    if (!text) {
        x->failure = ABR_ENOMEM;
        return;
    }
    print_joint(x, a, b, text);
    abr_weigh(&(abr_scale){true, x->scale.replace}, text, n, cost);
    if (text != small)
        x->alloc->free(x->alloc->ctx, text);
}

/* The widest marker with its newline, by the source's totals. */
static abr_span widest_marker(chooser *x)
{
    abr_span cost = {0};
    if (x->opts->marker == ABR_MARKER_OUTSIDE || x->format_len == 0)
        return cost;
    const stretch before = {.ends_line = true, .last_line = 0};
    const stretch after = {.line = x->view->lines + 1, .at = x->view->bytes, .chars = x->view->chars, .starts_line = true};
    weigh_joint(x, &before, &after, &cost);
    cost.shown = abr_less(cost.shown, 1); /* one of its two newlines is counted with a line */
    cost.chars = abr_less(cost.chars, 1);
    return cost;
}

/* ---- lines as they would be shown ---- */

static stretch part_of(const abr_candidate *c, const char *p, uint64_t from, size_t n, uint64_t chars)
{
    stretch s = {.at = c->at + from, .n = n, .p = p, .line = c->line, .last_line = c->line, .chars = c->chars + chars};
    s.starts_line = from == 0;
    s.ends_line = from + n == c->size;
    return s;
}

/* The part of a line around its sign, no more than n bytes of it, behind the first `from`. */
static size_t window_of(const abr_candidate *c, uint64_t from, uint64_t n, stretch *out, const chooser *x)
{
    bool stored = c->window_n > 0;
    const char *p = stored ? c->window : c->start;
    size_t size = stored ? c->window_n : c->start_n;
    uint64_t base = stored ? c->window_at : 0;
    uint64_t lead = c->sign > base ? c->sign - base : 0;
    size_t start = lead > n / 4 ? abr_char_start(p, size, (size_t)(lead - n / 4)) : 0;
    if (base + start < from)
        start = (size_t)(from - base);
    if (start >= size)
        return 0;
    size_t end = size - start > n ? abr_char_start(p, size, start + (size_t)n) : size;
    uint64_t chars = 0;
    if (x->scale.chars)
        chars = (stored ? c->window_chars : 0) + abr_count_chars(p, start, NULL);
    *out = part_of(c, p + start, base + start, end - start, chars);
    return end > start;
}

/* The end of the text's last line, n bytes of it at most, none before the place `from`. */
static bool end_part(const chooser *x, const abr_candidate *c, uint64_t from, uint64_t n, stretch *out)
{
    const abr_edge *e = &x->view->back;
    size_t end = e->n - x->view->ends_line;
    uint64_t have = at_most(end, c->at + c->size - from);
    size_t start = end - (size_t)at_most(have, n);
    start = abr_char_start(e->p, end, start);
    uint64_t at = x->view->bytes - e->n + start;
    if (at < from || start >= end)
        return false;
    *out = part_of(c, e->p + start, at - c->at, end - start, 0);
    if (x->scale.chars)
        out->chars = x->view->chars - abr_count_chars(e->p + start, e->n - start, NULL);
    return true;
}

/* The stretches a line is shown as; how many. */
static size_t parts_of(const chooser *x, const unit *u, stretch parts[PARTS])
{
    const abr_candidate *c = u->c;
    if ((c->size <= x->width || u->whole) && c->start_n == c->size) {
        parts[0] = part_of(c, c->start, 0, (size_t)c->size, 0);
        return 1;
    }
    uint64_t width = at_most(x->width, c->size);
    bool last = c->line + 1 == x->view->lines;
    bool far = c->window_n > 0 || c->sign > width - width / 4;
    uint64_t left = last ? width - width / 3 : width;
    uint64_t first = at_most(far || last ? width / 3 : width, c->start_n);
    size_t n = abr_char_start(c->start, c->start_n, (size_t)first);
    size_t count = 0;
    if (n > 0)
        parts[count++] = part_of(c, c->start, 0, n, 0);
    uint64_t end = n;
    if (far && left > first && window_of(c, end, left - first, &parts[count], x)) {
        end = parts[count].at + parts[count].n - c->at;
        count++;
    }
    if (last && end_part(x, c, c->at + end, width - at_most(width, far ? left : first), &parts[count]))
        count++;
    return count;
}

static void weigh_unit(const chooser *x, unit *u)
{
    stretch parts[PARTS];
    size_t count = parts_of(x, u, parts);
    abr_span cost = {0};
    for (size_t i = 0; i < count; i++) {
        weigh(x, parts[i].p, (size_t)parts[i].n, &cost);
        bool goes = i + 1 < count && parts[i].at + parts[i].n == parts[i + 1].at;
        if (!parts[i].ends_line && !goes) {
            cost.shown += sizeof inner_marker - 1;
            cost.chars += sizeof inner_marker - 1;
        }
    }
    u->shown = cost.shown + 1;
    u->chars = cost.chars + 1;
}

/* ---- what lines are worth ---- */

/* What a line says, less for lines of a shape seen often: the first of them stands for the others. */
static float own_value(const abr_candidate *c)
{
    float value = c->score;
    if (value <= 0)
        return 0;
    if (c->seen > 1)
        value /= 1 + (c->nth == 0 ? stands_for : one_of_many) * log2_of((float)c->seen);
    else
        value *= unlike;
    value /= 1 + repeated * (float)c->nth;
    if (c->score >= hit_from)
        value *= 1 + first_bonus / (1 + (float)c->rank / 4);
    return value;
}

static void raise(unit *u, float value)
{
    if (u->value < value)
        u->value = value;
}

/* Lines after a hit, more if they are indented deeper, and the few before it. */
static void share_out(chooser *x, size_t i, float value)
{
    const abr_candidate *hit = x->units[i].c;
    float factor = inherit_after;
    for (size_t k = i + 1; k < x->count && x->units[k].c->line <= hit->line + AFTER; k++) {
        const abr_candidate *c = x->units[k].c;
        float part = factor;
        for (uint64_t d = hit->line + 1; d < c->line; d++)
            part *= step_after;
        if (c->indent > hit->indent)
            part *= 1.3F;
        if (c->kind == ABR_K_BLANK || c->kind == ABR_K_PASS)
            part *= 0.4F;
        raise(&x->units[k], value * (part < 0.95F ? part : 0.95F));
    }
    for (size_t k = i; k > 0 && x->units[k - 1].c->line + BEFORE >= hit->line; k--) {
        const abr_candidate *c = x->units[k - 1].c;
        float part = inherit_before;
        for (uint64_t d = c->line + 1; d < hit->line; d++)
            part *= step_before;
        if (c->kind == ABR_K_BLANK)
            part *= 0.5F;
        raise(&x->units[k - 1], value * part);
        if (c->kind == ABR_K_PASS || c->kind == ABR_K_STEP)
            break;
    }
}

static bool by_rank(const void *items, uint32_t a, uint32_t b)
{
    const unit *u = items;
    return u[a].rank != u[b].rank ? u[a].rank > u[b].rank : a < b;
}

static void value_units(chooser *x)
{
    for (size_t i = 0; i < x->count; i++)
        x->units[i].value = own_value(x->units[i].c);
    for (size_t i = 0; i < x->count; i++)
        if (x->units[i].c->score >= hit_from)
            share_out(x, i, own_value(x->units[i].c));
    uint64_t lines = x->view->lines;
    float end[TAIL_LINES];
    float start[HEAD_LINES];
    for (size_t d = 0; d < TAIL_LINES; d++)
        end[d] = d == 0 ? tail_worth : end[d - 1] * tail_step;
    for (size_t d = 0; d < HEAD_LINES; d++)
        start[d] = d == 0 ? head_worth : start[d - 1] * head_step;
    for (size_t i = 0; i < x->count; i++) {
        unit *u = &x->units[i];
        uint64_t left = lines - 1 - u->c->line;
        bool says_nothing = u->c->kind == ABR_K_PASS || u->c->kind == ABR_K_STEP || u->c->kind == ABR_K_BLANK;
        if (left < TAIL_LINES)
            u->value += end[left] * (says_nothing ? dull : 1);
        if (u->c->line < HEAD_LINES)
            u->value += start[u->c->line];
    }
}

/* ---- the lines at the two ends ---- */

static void add_edge_line(chooser *x, const abr_candidate *c)
{
    size_t lo = 0;
    size_t hi = x->retained.count;
    while (lo < hi) {
        size_t mid = (lo + hi) / 2;
        if (x->retained.lines[x->retained.order[mid]].line < c->line)
            lo = mid + 1;
        else
            hi = mid;
    }
    if (lo < x->retained.count && x->retained.lines[x->retained.order[lo]].line == c->line) {
        abr_candidate *known = &x->retained.lines[x->retained.order[lo]];
        if (c->start_n == c->size && known->start_n < known->size) { /* all of it is at hand after all */
            known->start = c->start;
            known->start_n = c->start_n;
        }
        return;
    }
    memmove(x->retained.order + lo + 1, x->retained.order + lo, (x->retained.count - lo) * sizeof *x->retained.order);
    x->retained.order[lo] = (uint32_t)x->retained.count;
    x->retained.lines[x->retained.count++] = *c;
}

static size_t blanks_of(const char *p, size_t n)
{
    size_t i = 0;
    while (i < n && (p[i] == ' ' || p[i] == '\t'))
        i++;
    return i;
}

static uint64_t chars_of(const chooser *x, const char *p, size_t n)
{
    return x->scale.chars ? abr_count_chars(p, n, NULL) : 0;
}

static abr_candidate edge_line(const chooser *x, const char *p, size_t n, uint64_t line, uint64_t at)
{
    size_t indent = blanks_of(p, n);
    abr_reading r;
    abr_priority_read(x->view->priority, p, n, &r);
    abr_candidate c = {.line = line, .at = at, .size = n, .start = p, .window = p};
    c.start_n = (uint32_t)(n < UINT32_MAX ? n : UINT32_MAX);
    c.indent = (uint16_t)(indent < UINT16_MAX ? indent : UINT16_MAX);
    c.kind = (uint8_t)r.kind;
    return c;
}

/* The first and the last lines, as far as they are at hand whole. */
static void add_edges(chooser *x)
{
    const abr_view *v = x->view;
    size_t at = 0;
    uint64_t chars = 0;
    for (uint64_t i = 0; i < HEAD_LINES && i < v->lines && at < v->front.n; i++) {
        const char *newline = memchr(v->front.p + at, '\n', v->front.n - at);
        if (!newline)
            break;
        size_t n = (size_t)(newline - v->front.p) - at;
        abr_candidate c = edge_line(x, v->front.p + at, n, i, at);
        c.chars = chars;
        add_edge_line(x, &c);
        chars += chars_of(x, v->front.p + at, n + 1);
        at += n + 1;
    }
    size_t end = v->back.n - v->ends_line;
    chars = v->chars - v->ends_line;
    for (uint64_t i = 0; i < TAIL_LINES && i < v->lines; i++) {
        const char *newline = abr_find_last_newline(v->back.p, end);
        if (!newline && !v->back.whole && i > 0)
            break;
        size_t start = newline ? (size_t)(newline - v->back.p) + 1 : 0;
        abr_candidate c = edge_line(x, v->back.p + start, end - start, v->lines - 1 - i, v->bytes - v->back.n + start);
        if (!newline && !v->back.whole) { /* the last line is longer than what is at hand */
            c.at = v->bytes - v->ends_line - v->last_line;
            c.size = v->last_line;
            c.start_n = 0;
        }
        chars -= chars_of(x, v->back.p + start, end - start);
        c.chars = chars;
        add_edge_line(x, &c);
        if (!newline)
            break;
        end = start - 1;
        chars--;
    }
}

/* ---- the choice ---- */

typedef struct {
    uint64_t lines;
    uint64_t shown;
    uint64_t chars;
} cost;

static bool fits(const chooser *x, const cost *used, const abr_span *more, uint64_t lines)
{
    return used->lines + lines <= x->room.lines && used->shown + more->shown <= x->room.shown &&
           used->chars + more->chars <= x->room.chars;
}

static bool beside_kept(const chooser *x, size_t i, size_t k)
{
    uint64_t a = x->units[i].c->line;
    uint64_t b = x->units[k].c->line;
    return x->units[k].kept && (a > b ? a - b : b - a) == 1;
}

/* Keep a unit if it fits with the markers of the gaps it makes. */
static bool keep_unit(chooser *x, size_t i, const abr_span *marker, cost *used)
{
    unit *u = &x->units[i];
    bool above = i > 0 && beside_kept(x, i, i - 1);
    bool below = i + 1 < x->count && beside_kept(x, i, i + 1);
    abr_span more = {.shown = u->shown, .chars = u->chars};
    cost before = *used;
    if (above && below) { /* it closes a gap */
        before.shown = abr_less(before.shown, marker->shown);
        before.chars = abr_less(before.chars, marker->chars);
    } else if (!above && !below) {
        more.shown += marker->shown;
        more.chars += marker->chars;
    }
    if (!fits(x, &before, &more, 1))
        return false;
    used->lines++;
    used->shown = before.shown + more.shown;
    used->chars = before.chars + more.chars;
    u->kept = true;
    return true;
}

/* The last lines within their share; the very last one in any case that it fits. */
static void keep_end(chooser *x, const abr_span *marker, cost *used)
{
    uint64_t share = x->room.shown / TAIL_SHARE;
    uint64_t chars = x->room.chars == ABR_UNLIMITED ? ABR_UNLIMITED : x->room.chars / TAIL_SHARE;
    uint64_t taken = 0;
    uint64_t taken_chars = 0;
    bool some = false;
    for (size_t i = x->count; i > 0 && x->units[i - 1].c->line + (x->count - i) + 1 == x->view->lines; i--) {
        unit *u = &x->units[i - 1];
        taken += u->shown;
        taken_chars += u->chars;
        if (some && (taken > share || taken_chars > chars))
            return;
        if (!keep_unit(x, i - 1, marker, used))
            return;
        some = some || u->c->kind != ABR_K_BLANK;
    }
}

static void keep_best(chooser *x)
{
    abr_span marker = widest_marker(x);
    cost used = {0, marker.shown, marker.chars};
    for (size_t i = 0; i < x->count; i++) {
        unit *u = &x->units[i];
        weigh_unit(x, u);
        u->kept = u->whole = false;
        u->rank = u->value > 0 ? log2_of(u->value) - size_power * log2_of((float)(u->shown + RANKED)) : 0;
        x->order[i] = (uint32_t)i;
    }
    abr_sort(x->order, x->count, x->units, by_rank);
    keep_end(x, &marker, &used);
    if (x->count > 0 && x->units[0].c->line == 0 && x->units[0].shown <= x->room.shown / HEAD_SHARE && !x->units[0].kept)
        keep_unit(x, 0, &marker, &used);
    for (size_t k = 0; k < x->count; k++) {
        unit *u = &x->units[x->order[k]];
        if (u->value > 0 && !u->kept)
            keep_unit(x, x->order[k], &marker, &used);
    }
}

/* ---- what is left goes to the ends ---- */

static void list_kept(chooser *x)
{
    x->kept_count = 0;
    for (size_t i = 0; i < x->count; i++)
        if (x->units[i].kept)
            x->kept_count += parts_of(x, &x->units[i], x->kept + x->kept_count);
    for (size_t i = 0; i < x->kept_count; i++)
        x->kept[i].chars_n = chars_of(x, x->kept[i].p, (size_t)x->kept[i].n);
}

/* Is the text's final newline kept with its last line? */
static bool keeps_newline(const chooser *x)
{
    const stretch *last = x->kept_count > 0 ? &x->kept[x->kept_count - 1] : NULL;
    return last && x->view->ends_line && last->ends_line && last->last_line + 1 == x->view->lines;
}

/* Is the end of the text left out? */
static bool lacks_end(const chooser *x)
{
    const stretch *last = x->kept_count > 0 ? &x->kept[x->kept_count - 1] : NULL;
    return !last || last->at + last->n + keeps_newline(x) < x->view->bytes;
}

/* What all that is kept costs. */
static cost weigh_kept(chooser *x)
{
    abr_span sum = {0};
    uint64_t lines = 0;
    for (size_t i = 0; i < x->kept_count; i++) {
        const stretch *s = &x->kept[i];
        const stretch *before = i > 0 ? s - 1 : NULL;
        weigh(x, s->p, (size_t)s->n, &sum);
        if (before || s->at > 0)
            weigh_joint(x, before, s, &sum);
        lines += s->last_line - s->line + (!before || before->last_line != s->line);
    }
    if (lacks_end(x))
        weigh_joint(x, x->kept_count > 0 ? &x->kept[x->kept_count - 1] : NULL, NULL, &sum);
    return (cost){lines, sum.shown + keeps_newline(x), sum.chars + keeps_newline(x)};
}

/* The line before place `at`, which is at a line's start; false where it is not at hand or takes more than `most`. */
static bool line_above(const chooser *x, uint64_t at, uint64_t most, const char **p, size_t *n)
{
    const abr_edge *e = &x->view->back;
    uint64_t base = x->view->bytes - e->n;
    if (at < base + 1)
        return false;
    size_t end = (size_t)(at - base) - 1; /* its newline */
    size_t look = (size_t)at_most(end, most == ABR_UNLIMITED ? most : most + 1);
    const char *newline = abr_find_last_newline(e->p + end - look, look);
    if (!newline && !(look == end && e->whole))
        return false;
    size_t start = newline ? (size_t)(newline - e->p) + 1 : 0;
    *p = e->p + start;
    *n = end - start;
    return true;
}

/* Fill the gap over kept[i] upwards; *filled gets what fits. Does it fit whole? */
static bool fill_up(chooser *x, size_t i, cost *used, stretch *filled)
{
    const stretch *below = &x->kept[i];
    const stretch *above = i > 0 ? below - 1 : NULL;
    uint64_t stop = above ? above->last_line + 1 : 0;
    if (!below->starts_line)
        return true;
    *filled = (stretch){.at = below->at, .p = below->p, .line = below->line, .last_line = below->line - 1,
                        .chars = below->chars, .starts_line = true, .ends_line = true};
    while (filled->line > stop) {
        const char *p;
        size_t n;
        uint64_t left = abr_less(x->room.shown, used->shown);
        if (!line_above(x, filled->at, left, &p, &n))
            return false;
        abr_span more = {0};
        weigh(x, p, n, &more);
        more.shown++;
        more.chars++;
        if (!fits(x, used, &more, 1))
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
static bool much_left(const chooser *x, const cost *used)
{
    return (x->room.shown != ABR_UNLIMITED && abr_less(x->room.shown, used->shown) > x->room.shown / SPLIT_SHARE) ||
           (x->room.chars != ABR_UNLIMITED && abr_less(x->room.chars, used->chars) > x->room.chars / SPLIT_SHARE);
}

/* The end of a line that does not fit, where much is left: `at` is where the line below it starts. */
static bool split_above(chooser *x, const stretch *below, cost *used, stretch *out)
{
    const char *p;
    size_t n;
    uint64_t left = abr_less(x->room.shown, used->shown);
    uint64_t chars = abr_less(x->room.chars, used->chars);
    enum { TAKEN = sizeof inner_marker };
    if (!much_left(x, used) || used->lines >= x->room.lines || left <= TAKEN || chars <= TAKEN || !below->starts_line)
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
    *out = (stretch){.at = below->at - 1 - part, .n = part, .p = p + n - part, .line = below->line - 1,
                     .last_line = below->line - 1, .starts_line = part == n && (newline || e->whole), .ends_line = true};
    out->chars_n = chars_of(x, out->p, part);
    out->chars = below->chars - 1 - out->chars_n;
    abr_span more = {0};
    weigh(x, out->p, part, &more);
    used->lines++;
    used->shown += more.shown + 1 + (out->starts_line ? 0 : TAKEN - 2);
    used->chars += more.chars + 1 + (out->starts_line ? 0 : TAKEN - 2);
    return true;
}

/* A gap was closed: its marker is no longer there. */
static void close_gap(chooser *x, const stretch *above, const stretch *below, cost *used)
{
    abr_span was = {0};
    weigh_joint(x, above, below, &was);
    used->shown = abr_less(used->shown, abr_less(was.shown, above != NULL));
    used->chars = abr_less(used->chars, abr_less(was.chars, above != NULL));
}

/* Fill upwards from the end, gap by gap, until a line does not fit. */
static void fill_end(chooser *x, cost *used)
{
    size_t count = x->kept_count;
    for (size_t i = count; i > 0; i--) {
        stretch *s = &x->kept[i - 1];
        const stretch *above = i > 1 ? s - 1 : NULL;
        if (above ? above->last_line + 1 >= s->line : s->line == 0)
            continue;
        stretch filled = {0};
        bool whole = fill_up(x, i - 1, used, &filled);
        const stretch *top = s;
        if (s->starts_line && filled.line < s->line) {
            top = &x->kept[x->kept_count];
            x->kept[x->kept_count++] = filled;
        }
        if (whole && s->starts_line) {
            close_gap(x, above, s, used);
            continue;
        }
        if (split_above(x, top, used, &x->kept[x->kept_count]))
            x->kept_count++;
        break;
    }
}

/* Fill downwards from the start until a line does not fit. */
static void fill_start(chooser *x, cost *used)
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
    stretch filled = {.at = at, .line = line, .chars = chars, .starts_line = true, .ends_line = true};
    uint64_t stop = x->kept[i].line;
    uint64_t next = line;
    while (next < stop && at < e->n) {
        uint64_t left = abr_less(x->room.shown, used->shown);
        const char *p = e->p + at;
        const char *newline = memchr(p, '\n', (size_t)at_most(e->n - at, left == ABR_UNLIMITED ? left : left + 1));
        abr_span more = {0};
        if (!newline)
            break;
        size_t n = (size_t)(newline - p);
        weigh(x, p, n, &more);
        more.shown++;
        more.chars++;
        if (!fits(x, used, &more, 1))
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
    filled.chars_n = chars_of(x, filled.p, (size_t)filled.n);
    x->kept[x->kept_count++] = filled;
}

static bool stands_before(const void *items, uint32_t a, uint32_t b)
{
    const stretch *s = items;
    return s[a].at < s[b].at;
}

/* Put the stretches that were added in their places. */
static void sort_kept(chooser *x)
{
    stretch *sorted = x->kept + x->kept_size;
    for (size_t i = 0; i < x->kept_count; i++)
        x->places[i] = (uint32_t)i;
    abr_sort(x->places, x->kept_count, x->kept, stands_before);
    for (size_t i = 0; i < x->kept_count; i++)
        sorted[i] = x->kept[x->places[i]];
    memcpy(x->kept, sorted, x->kept_count * sizeof *sorted);
}

/* The stretches of all that is kept, and what the ends make of the rest; what it costs. */
static cost fill(chooser *x)
{
    list_kept(x);
    cost used = weigh_kept(x);
    fill_end(x, &used);
    sort_kept(x);
    fill_start(x, &used);
    sort_kept(x);
    return used;
}

/* Show long lines that were cut whole, from the last one on, where what is left allows it. Was there one? */
static bool show_whole(chooser *x, cost used)
{
    bool some = false;
    for (size_t i = x->count; i > 0; i--) {
        unit *u = &x->units[i - 1];
        if (!u->kept || u->c->size <= x->width || u->c->start_n < u->c->size)
            continue;
        abr_span whole = {0};
        weigh(x, u->c->start, (size_t)u->c->size, &whole);
        const abr_span more = {.shown = abr_less(whole.shown + 1, u->shown), .chars = abr_less(whole.chars + 1, u->chars)};
        if (!fits(x, &used, &more, 0))
            continue;
        used.shown += more.shown;
        used.chars += more.chars;
        some = u->whole = true;
    }
    return some;
}

/* What is left of the room as a reach, less what a marker that comes apart may cost. */
static abr_reach left_of(const chooser *x, const cost *used)
{
    return (abr_reach){abr_less(x->room.chars, used->chars), abr_less(x->room.shown, used->shown), x->scale.replace};
}

/* Show more of the end of a last line that is cut. */
static void widen_end(chooser *x, cost *used)
{
    stretch *s = &x->kept[x->kept_count - 1];
    const abr_edge *e = &x->view->back;
    if (x->kept_count == 0 || s->starts_line || !s->ends_line || s->line + 1 != x->view->lines)
        return;
    uint64_t base = x->view->bytes - e->n;
    uint64_t from = x->view->bytes - x->view->ends_line - x->view->last_line;
    if (x->kept_count > 1 && s[-1].last_line == s->line)
        from = s[-1].at + s[-1].n;
    from = at_least(from, base);
    if (from >= s->at)
        return;
    abr_reach reach = left_of(x, used);
    size_t n = abr_suffix(e->p + (from - base), (size_t)(s->at - from), &reach);
    abr_span more = {0};
    weigh(x, e->p + (s->at - base) - n, n, &more);
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
static void widen_start(chooser *x, cost *used)
{
    stretch *s = x->kept;
    const abr_edge *e = &x->view->front;
    if (x->kept_count == 0 || s->at > 0 || s->ends_line || s->last_line > 0)
        return;
    uint64_t end = at_most(e->n, x->view->first_line);
    if (x->kept_count > 1 && s[1].line == 0)
        end = at_most(end, s[1].at);
    if (s->n >= end)
        return;
    abr_reach reach = left_of(x, used);
    size_t n = abr_prefix(e->p + s->n, (size_t)(end - s->n), &reach);
    abr_span more = {0};
    weigh(x, e->p + s->n, n, &more);
    s->p = e->p;
    s->n += n;
    s->chars_n += more.chars;
    s->ends_line = s->n == x->view->first_line;
    used->shown += more.shown;
    used->chars += more.chars;
}

/* Choose what is kept within so many bytes. */
static void choose(chooser *x, uint64_t shown)
{
    x->room.shown = shown;
    uint64_t most = shown != ABR_UNLIMITED ? shown : x->room.chars != ABR_UNLIMITED ? x->room.chars : WIDTH_MOST * WIDTH_SHARE;
    x->width = at_most(at_least(most / WIDTH_SHARE, at_most(WIDTH_LEAST, most / 3)), WIDTH_MOST);
    keep_best(x);
    cost used = fill(x);
    if (much_left(x, &used) && show_whole(x, used))
        used = fill(x);
    if (much_left(x, &used))
        widen_end(x, &used);
    if (much_left(x, &used))
        widen_start(x, &used);
}

/* ---- the content ---- */

/* Bytes that the content takes before utf8_replace. */
static size_t raw_size(const chooser *x)
{
    size_t n = 0;
    for (size_t i = 0; i < x->kept_count; i++) {
        bool newline;
        const stretch *s = &x->kept[i];
        const stretch *before = i > 0 ? s - 1 : NULL;
        n += (size_t)s->n;
        if (before && goes_on(before, s, &newline))
            n += newline;
        else if (before || s->at > 0)
            n += print_joint(x, before, s, NULL);
    }
    const stretch *last = x->kept_count > 0 ? &x->kept[x->kept_count - 1] : NULL;
    return n + keeps_newline(x) + (lacks_end(x) ? print_joint(x, last, NULL, NULL) : 0);
}

static void add_marker(abr_cut *cut, const char *p, size_t n)
{
    if (n > 0)
        ((abr_piece *)cut->block)[cut->piece_count++] = (abr_piece){p, n, false, 0, 0, 0, 0};
}

/* Write the content to `to`, its pieces behind one another. */
static void make_pieces(const chooser *x, char *to, abr_cut *cut)
{
    abr_piece *open = NULL;
    for (size_t i = 0; i < x->kept_count; i++) {
        const stretch *s = &x->kept[i];
        const stretch *before = i > 0 ? s - 1 : NULL;
        bool newline = false;
        bool joined = before && goes_on(before, s, &newline);
        if (newline)
            *to++ = '\n';
        if (!joined && (before || s->at > 0)) {
            size_t n = print_joint(x, before, s, to);
            add_marker(cut, to, n);
            to += n;
        }
        memcpy(to, s->p, (size_t)s->n);
        if (joined && open) {
            open->n += (size_t)s->n + newline;
            open->last_byte = s->at + s->n;
            open->last_line = s->last_line + 1;
        } else if (s->n > 0 || newline) {
            const stretch *first = newline ? before : s; /* an empty line has nothing but its newline */
            open = &((abr_piece *)cut->block)[cut->piece_count++];
            *open = (abr_piece){to - newline, (size_t)s->n + newline, true, first->at + 1, s->at + s->n,
                                first->line + 1, s->last_line + 1};
        } else {
            open = NULL;
        }
        to += s->n;
    }
    if (keeps_newline(x)) {
        *to = '\n';
        if (!open) {
            const stretch *last = &x->kept[x->kept_count - 1];
            open = &((abr_piece *)cut->block)[cut->piece_count++];
            *open = (abr_piece){to, 0, true, last->at + 1, last->at, last->line + 1, last->line + 1};
        }
        open->n++;
        open->last_byte++;
    } else if (lacks_end(x)) {
        const stretch *last = x->kept_count > 0 ? &x->kept[x->kept_count - 1] : NULL;
        add_marker(cut, to, print_joint(x, last, NULL, to));
    }
}

static void count_output(const chooser *x, abr_cut *cut)
{
    abr_span shown = {0};
    for (size_t i = 0; i < cut->piece_count; i++) {
        const abr_piece *p = &cut->pieces[i];
        abr_span span = {0};
        abr_weigh(&(abr_scale){x->scale.chars, x->scale.replace}, p->p, p->n, &span);
        shown.shown += span.shown;
        if (!p->source)
            continue;
        cut->output_bytes += p->n;
        cut->output_chars += x->scale.chars ? span.chars : 0;
    }
    for (size_t i = 0; i < x->kept_count; i++) {
        const stretch *s = &x->kept[i];
        cut->output_lines += s->last_line - s->line + (i == 0 || s[-1].last_line != s->line);
    }
    cut->content_bytes = (size_t)shown.shown;
    cut->omitted_lines = x->view->lines - cut->output_lines;
    cut->omitted_bytes = x->view->bytes - cut->output_bytes;
}

static abr_code settle(chooser *x, abr_cut *cut)
{
    size_t pieces = (2 * x->kept_count + 2) * sizeof(abr_piece);
    cut->block = x->alloc->malloc(x->alloc->ctx, pieces + raw_size(x) + 1);
    if (!cut->block)
        return ABR_ENOMEM;
    cut->pieces = cut->block;
    make_pieces(x, (char *)cut->block + pieces, cut);
    count_output(x, cut);
    size_t k = 0;
    for (size_t i = 0; i < x->count; i++) {
        const abr_candidate *c = x->units[i].c;
        while (k < x->kept_count && x->kept[k].last_line < c->line)
            k++;
        cut->hits_kept += c->hit && k < x->kept_count && x->kept[k].line <= c->line;
    }
    return ABR_OK;
}

/* ---- tokens ---- */

/* Do the content and the reserve stay within the tokens? */
static bool tokens_fit(chooser *x)
{
    abr_cut cut = {.alloc = x->alloc, .utf8_replace = x->scale.replace};
    x->failure = settle(x, &cut);
    uint64_t tokens = 0;
    if (x->failure == ABR_OK) {
        size_t size = cut.content_bytes + x->opts->reserve_len;
        char *text = x->alloc->malloc(x->alloc->ctx, size + 1);
        if (text) {
            abr_cut_write(&cut, text);
            if (x->opts->reserve_len > 0)
                memcpy(text + cut.content_bytes, x->opts->reserve, x->opts->reserve_len);
            x->failure = abr_count_tokens(x->opts, text, size, &tokens);
            x->alloc->free(x->alloc->ctx, text);
        } else {
            x->failure = ABR_ENOMEM;
        }
    }
    abr_cut_free(&cut);
    return x->failure == ABR_OK && tokens <= x->opts->max.tokens;
}

static void choose_by_tokens(chooser *x)
{
    uint64_t most = x->room.shown;
    choose(x, most);
    if (tokens_fit(x) || x->failure != ABR_OK)
        return;
    uint64_t least = 0;
    while (most - least > 1 + most / 512 && x->failure == ABR_OK) {
        uint64_t middle = least + (most - least) / 2;
        choose(x, middle);
        if (tokens_fit(x))
            least = middle;
        else
            most = middle;
    }
    choose(x, least);
    if (least == 0 || x->kept_count == 0)
        x->kept_count = 0;
}

/* ---- memory ---- */

static bool allocate(chooser *x)
{
    const abr_alloc *a = x->alloc;
    size_t most = abr_priority_most(x->view->priority) + TAIL_LINES + HEAD_LINES;
    x->kept_size = PARTS * most + most + 8;
    x->retained.lines = a->malloc(a->ctx, most * sizeof *x->retained.lines);
    x->retained.order = a->malloc(a->ctx, most * sizeof *x->retained.order);
    x->units = a->malloc(a->ctx, most * sizeof *x->units);
    x->order = a->malloc(a->ctx, most * sizeof *x->order);
    x->kept = a->malloc(a->ctx, 2 * x->kept_size * sizeof *x->kept);
    x->places = a->malloc(a->ctx, x->kept_size * sizeof *x->places);
    return x->retained.lines && x->retained.order && x->units && x->order && x->kept && x->places;
}

static void release(chooser *x)
{
    void *owned[] = {x->retained.lines, x->retained.order, x->units, x->order, x->kept, x->places};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++)
        if (owned[i])
            x->alloc->free(x->alloc->ctx, owned[i]);
}

/* The ends as far as a stream with these budgets has them. */
static abr_view narrow_view(const abr_view *view, size_t keep)
{
    abr_view v = *view;
    v.first_line = abr_view_line_size(view, ABR_FRONT);
    v.last_line = abr_view_line_size(view, ABR_BACK);
    if (v.front.n > keep) {
        v.front.n = keep;
        v.front.whole = false;
    }
    if (v.back.n > keep) {
        v.back.p += v.back.n - keep;
        v.back.n = keep;
        v.back.whole = false;
    }
    return v;
}

abr_code abr_priority_view(const abr_view *view, const abr_opts *opts, const abr_room *room, const char *format,
                           size_t format_len, abr_cut *cut)
{
    chooser x = {.opts = opts, .alloc = cut->alloc, .room = *room, .format = format, .format_len = format_len};
    abr_budget max = opts->max;
    size_t keep = abr_keep(ABR_PRIORITY, &max);
    abr_view ends = narrow_view(view, keep);
    x.view = &ends;
    x.scale = (abr_scale){abr_wants_chars(opts), opts->utf8_replace};
    if (!allocate(&x)) {
        release(&x);
        return ABR_ENOMEM;
    }
    abr_priority_retained(view->priority, keep, &x.retained);
    cut->hits_found = x.retained.hits;
    add_edges(&x);
    x.count = x.retained.count;
    for (size_t i = 0; i < x.count; i++)
        x.units[i] = (unit){.c = &x.retained.lines[x.retained.order[i]]};
    value_units(&x);
    if (opts->max.tokens != ABR_UNLIMITED)
        choose_by_tokens(&x);
    else
        choose(&x, x.room.shown);
    if (x.failure == ABR_OK)
        x.failure = settle(&x, cut);
    release(&x);
    return x.failure;
}
