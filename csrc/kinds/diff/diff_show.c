/*
 * A cut of a diff: what stands between two parts of it that are shown is worked out in one place, for its
 * size as for its bytes, so a plan costs what it will take.
 */
#include <string.h>

#include "kinds/diff/diff_show.h"
#include "abridge.h"
#include "kinds/content.h"
#include "text/scan.h"

/* Where gaps go: into a content, or only their size is wanted. */
typedef struct {
    const abr_diff_plan *plan;
    uint64_t size;
    abr_content *out; /* NULL: only measured */
    char *copies;     /* where source that is shown goes next */
} writer;

/* ---- markers ---- */

static size_t put_word(char *dst, const char *word)
{
    const size_t n = strlen(word);
    memcpy(dst, word, n);
    return n;
}

static size_t put_number(char *dst, uint64_t value)
{
    char digits[20];
    size_t n = 0;
    do {
        digits[n++] = (char)('0' + value % 10);
        value /= 10;
    } while (value > 0);
    for (size_t i = 0; i < n; i++)
        dst[i] = digits[n - 1 - i];
    return n;
}

static size_t put_count(char *dst, uint64_t count, const char *unit)
{
    size_t n = put_word(dst, "... [");
    n += put_number(dst + n, count);
    return n + put_word(dst + n, unit);
}

static const char omitted[] = " omitted] ...\n";

size_t abr_diff_print_lines(uint64_t lines, char *dst)
{
    const size_t n = put_count(dst, lines, " lines");
    return n + put_word(dst + n, omitted);
}

static size_t print_gap(const abr_diff_tally *gap, char *dst)
{
    size_t n = 0;
    if (gap->files > 0) {
        n += put_count(dst, gap->files, " files");
        n += put_word(dst + n, omitted);
    }
    if (gap->hunks > 0) {
        n += put_count(dst + n, gap->hunks, " hunks, +");
        n += put_number(dst + n, gap->added);
        n += put_word(dst + n, " -");
        n += put_number(dst + n, gap->removed);
        n += put_word(dst + n, omitted);
    }
    return gap->lines > 0 ? n + abr_diff_print_lines(gap->lines, dst + n) : n;
}

static void mark(writer *w, const char *p, size_t n)
{
    if (!w->plan->markers)
        return;
    w->size += w->plan->counted ? n : 0;
    if (w->out)
        abr_content_mark(w->out, p, n);
}

static void mark_gap(writer *w, const abr_diff_tally *from, const abr_diff_tally *to, uint64_t named)
{
    char text[ABR_DIFF_MARKER_MOST];
    abr_diff_tally gap = abr_tally_between(from, to);
    gap.files -= named;
    mark(w, text, print_gap(&gap, text));
}

/* ---- source ---- */

static void keep(writer *w, const char *p, size_t n, uint64_t at, uint64_t line)
{
    w->size += n;
    if (!w->out || n == 0)
        return;
    if (w->plan->text) {
        abr_content_keep(w->out, w->plan->text + at, n, at, line);
        return;
    }
    memcpy(w->copies, p, n);
    abr_content_keep(w->out, w->copies, n, at, line);
    w->copies += n;
}

/* ---- names ---- */

/* Names of files before file number `file`. */
static size_t names_before(const abr_diff_plan *plan, uint64_t file)
{
    size_t low = 0;
    size_t high = file < plan->name_count ? (size_t)file : plan->name_count;
    if (file < plan->name_count && plan->names[file].file->before.files == file)
        return (size_t)file; /* all names before it are known */
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (plan->names[middle].file->before.files < file)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

void abr_diff_count_names(abr_diff_plan *plan)
{
    uint64_t bytes = 0;
    uint32_t count = 0;
    for (size_t i = 0; i < plan->name_count; i++) {
        abr_shown_name *name = &plan->names[i];
        bytes += name->shown ? name->file->name_n : 0;
        count += name->shown;
        name->bytes = bytes;
        name->count = count;
    }
}

/* Show the names of files from..to - 1; how many are shown. */
static uint64_t show_names(writer *w, uint64_t from, uint64_t to)
{
    const abr_diff_plan *plan = w->plan;
    const size_t first = names_before(plan, from);
    const size_t end = names_before(plan, to);
    if (first >= end)
        return 0;
    for (size_t i = first; w->out && i < end; i++) {
        const abr_shown_name *name = &plan->names[i];
        if (name->shown)
            keep(w, name->p, name->file->name_n, name->file->at + name->file->name_at,
                 name->file->line + name->file->name_line);
    }
    const abr_shown_name *before = first > 0 ? &plan->names[first - 1] : NULL;
    if (!w->out)
        w->size += plan->names[end - 1].bytes - (before ? before->bytes : 0);
    return plan->names[end - 1].count - (before ? before->count : 0);
}

/* ---- gaps ---- */

/* What stands before the end of a part. */
static abr_diff_tally after(const abr_diff_part *part)
{
    if (part->text) {
        abr_diff_tally t = part->text->t->before;
        t.lines += part->text->lines;
        return t;
    }
    abr_diff_tally t = part->hunk->h.before;
    t.hunks += part->hunk->h.hunks;
    t.added += part->hunk->h.added;
    t.removed += part->hunk->h.removed;
    return t;
}

/* Where the file of the hunk ends, as far as that is known: at the next one, or at a place that comes before
 * it. */
static const abr_diff_tally *end_of_file(const abr_diff_plan *plan, const abr_diff_hunk *h,
                                         const abr_diff_tally *to)
{
    const uint64_t next = h->file.before.files + 1;
    const size_t i = names_before(plan, next);
    if (to->files == next)
        return to;
    return i < plan->name_count && plan->names[i].file->before.files == next ? &plan->names[i].file->before
                                                                             : NULL;
}

static void show_gap(writer *w, size_t from, size_t to)
{
    const abr_diff_plan *plan = w->plan;
    const abr_diff_part *a = from < plan->part_count ? &plan->parts[from] : NULL;
    const abr_diff_part *b = to < plan->part_count ? &plan->parts[to] : NULL;
    abr_diff_tally at = a ? after(a) : (abr_diff_tally){0};
    const abr_diff_hunk *h = b && b->hunk ? &b->hunk->h : NULL;
    if (h && a && a->hunk && a->hunk->h.file.at == h->file.at) {
        mark_gap(w, &at, &h->before, 0);
        return;
    }
    const abr_diff_tally *end = h ? &h->file.before : b ? &b->text->t->before : &plan->total;
    const abr_diff_tally *tail = a && a->hunk ? end_of_file(plan, &a->hunk->h, end) : NULL;
    if (tail && tail->files < end->files) {
        mark_gap(w, &at, tail, 0);
        at = *tail;
    }
    const uint64_t named = show_names(w, at.files, end->files);
    mark_gap(w, &at, end, named);
    if (!h)
        return;
    keep(w, b->hunk->header, h->file.header_n, h->file.at, h->file.line);
    at = h->file.before;
    at.files++;
    mark_gap(w, &at, &h->before, 0);
}

uint64_t abr_diff_gap(const abr_diff_plan *plan, size_t from, size_t to)
{
    writer w = {.plan = plan};
    show_gap(&w, from, to);
    return w.size;
}

/* ---- parts ---- */

uint64_t abr_diff_hunk_bytes(const abr_shown_hunk *x, uint64_t at, const char **p)
{
    const uint64_t size = x->h.size;
    const uint64_t middle =
        size > 0 ? (size - 1) / ((size_t)2 * ABR_DIFF_SLICE) : 0; /* the slice of all that is left */
    const uint64_t middle_at = middle * ABR_DIFF_SLICE;
    if (at < size - middle_at) {
        const uint64_t i = at < middle_at ? at / ABR_DIFF_SLICE : middle;
        const uint64_t in = at - i * ABR_DIFF_SLICE;
        *p = x->slices[i]->start + (i == 0 ? sizeof x->h + x->h.file.header_n : 0) + in;
        return (i == middle ? size - 2 * middle_at : ABR_DIFF_SLICE) - in;
    }
    const uint64_t i = (size - at - 1) / ABR_DIFF_SLICE;
    const uint64_t in = at - (size - (i + 1) * ABR_DIFF_SLICE);
    *p = x->slices[i]->window + in;
    return ABR_DIFF_SLICE - in;
}

/* Show n bytes of a hunk from `from` on, which are in its slices. */
static void keep_hunk(writer *w, const abr_shown_hunk *x, uint64_t from, uint64_t n, uint64_t line)
{
    char *start = w->copies;
    w->size += n;
    if (!w->out)
        return;
    if (w->plan->text) {
        abr_content_keep(w->out, w->plan->text + x->h.at + from, (size_t)n, x->h.at + from, line);
        return;
    }
    for (uint64_t at = from; at < from + n;) {
        const char *p;
        uint64_t here = abr_diff_hunk_bytes(x, at, &p);
        here = here < from + n - at ? here : from + n - at;
        memcpy(w->copies, p, (size_t)here);
        w->copies += here;
        at += here;
    }
    abr_content_keep(w->out, start, (size_t)n, x->h.at + from, line);
}

static void show_part(writer *w, const abr_diff_part *part)
{
    char text[ABR_DIFF_MARKER_MOST];
    if (part->text) {
        keep(w, part->text->p, part->text->shown, part->text->t->at, part->text->t->line);
        return;
    }
    const abr_shown_hunk *x = part->hunk;
    keep_hunk(w, x, 0, x->front, x->h.line);
    if (x->front == x->h.size)
        return;
    mark(w, text, abr_diff_print_lines(x->cut_lines, text));
    keep_hunk(w, x, x->h.size - x->back, x->back, x->back_line);
}

uint64_t abr_diff_own(const abr_diff_plan *plan, const abr_diff_part *part)
{
    writer w = {.plan = plan};
    show_part(&w, part);
    return w.size;
}

void abr_diff_set_shown(abr_diff_plan *plan, size_t i)
{
    plan->shown[i / 64] |= UINT64_C(1) << (i % 64);
    plan->some[i / 64 / 64] |= UINT64_C(1) << (i / 64 % 64);
}

/* The last bit before bit i of so many, the first after it; `most` where there is none. */
static size_t bit_before(const uint64_t *bits, size_t i, size_t most)
{
    while (i > 0) {
        i--;
        if (bits[i / 64] >> (i % 64) & 1)
            return i;
        if (i % 64 == 0)
            while (i > 0 && bits[i / 64 - 1] == 0)
                i -= 64;
    }
    return most;
}

static size_t bit_after(const uint64_t *bits, size_t i, size_t most)
{
    while (++i < most) {
        if (bits[i / 64] >> (i % 64) & 1)
            return i;
        if (i % 64 == 63)
            while (i + 64 < most && bits[i / 64 + 1] == 0)
                i += 64;
    }
    return most;
}

size_t abr_diff_shown_before(const abr_diff_plan *plan, size_t i)
{
    const size_t end = plan->part_count;
    const size_t words = (end + 63) / 64;
    const size_t near = i / 64 * 64;
    const size_t found = near + bit_before(plan->shown + near / 64, i - near, 64);
    if (found < near + 64)
        return found;
    const size_t word = bit_before(plan->some, near / 64, words);
    return word < words ? word * 64 + bit_before(plan->shown + word, 64, 64) : end;
}

size_t abr_diff_shown_after(const abr_diff_plan *plan, size_t i)
{
    const size_t end = plan->part_count;
    const size_t words = (end + 63) / 64;
    const size_t near = i / 64 * 64;
    const size_t found = near + bit_after(plan->shown + near / 64, i - near, 64);
    if (found < near + 64)
        return found;
    const size_t word = bit_after(plan->some, near / 64, words);
    if (word == words)
        return end;
    return plan->shown[word] & 1 ? word * 64 : word * 64 + bit_after(plan->shown + word, 0, 64);
}

void abr_diff_show(const abr_diff_plan *plan, abr_content *out, char *copies)
{
    writer w = {.plan = plan, .out = out, .copies = copies};
    const size_t end = plan->part_count;
    size_t before = end;
    size_t i = end > 0 && abr_diff_is_shown(plan, 0) ? 0 : end > 0 ? abr_diff_shown_after(plan, 0) : end;
    for (; i < end; i = abr_diff_shown_after(plan, i)) {
        show_gap(&w, before, i);
        show_part(&w, &plan->parts[i]);
        before = i;
    }
    show_gap(&w, before, end);
    abr_piece *last = out->count > 0 ? &out->pieces[out->count - 1] : NULL;
    if (last && !last->source)
        last->n--; /* its newline: nothing comes after it */
}
