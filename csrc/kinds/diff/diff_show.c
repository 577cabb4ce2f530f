/*
 * A cut of a diff. The text between two shown parts is worked out in one place, both for its size and for its
 * bytes, so the cost of a plan is exact.
 */
#include <string.h>

#include "kinds/diff/diff_show.h"
#include "base/size.h"
#include "budget/marker.h"

/* The target for gaps and parts: a content, or only their size. */
typedef struct {
    const abr_diff_plan *plan;
    uint64_t size;
    abr_content *out; /* NULL: only measured */
    char *copies;     /* place for the next copy of shown source */
} writer;

/* ---- markers ---- */

static size_t print_counts(char *dst, const char *format, abr_omitted counts)
{
    return abr_print_marker(format, strlen(format), &counts, dst);
}

size_t abr_diff_print_cut(uint64_t lines, uint64_t bytes, char *dst)
{
    return print_counts(dst,
                        lines > 0 ? "... [{lines} lines omitted] ...\n" : "... [{bytes} bytes omitted] ...\n",
                        (abr_omitted){.lines = lines, .bytes = bytes});
}

/* The three fields of a format stand for the counts of its gap. */
static size_t print_gap(const abr_diff_tally *gap, char *dst)
{
    const abr_omitted hunks = {.lines = gap->hunks, .bytes = gap->added, .chars = gap->removed};
    size_t n = 0;
    if (gap->files > 0)
        n = print_counts(dst, "... [{lines} files omitted] ...\n", (abr_omitted){.lines = gap->files});
    if (gap->hunks > 0)
        n += print_counts(dst + n, "... [{lines} hunks, +{bytes} -{chars} omitted] ...\n", hunks);
    return gap->lines > 0 ? n + abr_diff_print_cut(gap->lines, 0, dst + n) : n;
}

static void write_marker(writer *w, const char *p, size_t n)
{
    if (!w->plan->markers)
        return;
    w->size += w->plan->counted ? n : 0;
    if (w->out)
        abr_content_mark(w->out, p, n);
}

static void mark_gap(writer *w, const abr_diff_tally *gap)
{
    char text[ABR_DIFF_MARKER_MOST];
    write_marker(w, text, print_gap(gap, text));
}

static void mark_between(writer *w, const abr_diff_tally *from, const abr_diff_tally *to)
{
    const abr_diff_tally gap = abr_tally_between(from, to);
    mark_gap(w, &gap);
}

/* Mark the cut in the middle of a hunk or a text. */
static void mark_cut(writer *w, uint64_t lines, uint64_t bytes, bool inside_line)
{
    char text[ABR_DIFF_MARKER_MOST] = "\n";
    write_marker(w, text + !inside_line, inside_line + abr_diff_print_cut(lines, bytes, text + 1));
}

/* ---- source ---- */

/* Show n bytes of the source, copied from p unless they are at hand in the source itself. */
static void show_bytes(writer *w, const char *p, size_t n, uint64_t at, uint64_t line)
{
    w->size += n;
    if (!w->out || n == 0)
        return;
    const char *source = w->plan->text ? w->plan->text + at : abr_flow_piece(&w->plan->ends, at, n);
    if (!source) {
        source = memcpy(w->copies, p, n);
        w->copies += n;
    }
    abr_content_keep(w->out, source, n, at, line);
}

/* ---- names ---- */

/* The number of names of files before file number `file`. */
static size_t names_before(const abr_diff_plan *plan, uint64_t file)
{
    size_t low = 0;
    size_t high = file < plan->name_count ? (size_t)file : plan->name_count;
    if (file < plan->name_count && plan->names[file].name.file.before.files == file)
        return (size_t)file; /* all names before it are known */
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (plan->names[middle].name.file.before.files < file)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

void abr_diff_count_names(abr_diff_plan *plan)
{
    uint64_t bytes = 0;
    abr_diff_tally names = {0};
    for (size_t i = 0; i < plan->name_count; i++) {
        abr_shown_name *x = &plan->names[i];
        if (x->shown) {
            bytes += x->name.file.name_n;
            names.files++;
            names.hunks += x->name.hunks.hunks;
            names.added += x->name.hunks.added;
            names.removed += x->name.hunks.removed;
        }
        x->bytes = bytes;
        x->names = names;
    }
}

static uint64_t count_over(uint64_t count, uint64_t most)
{
    return count > most ? count - most : 0;
}

/* Count the shown names of files between two places: the files, their hunks up to `to`, and the bytes of the
 * names. */
static abr_diff_tally named_between(const abr_diff_plan *plan, const abr_diff_tally *from,
                                    const abr_diff_tally *to, uint64_t *bytes)
{
    static const abr_shown_name none = {.bytes = 0};
    const size_t first = names_before(plan, from->files);
    const size_t end = names_before(plan, to->files);
    const abr_shown_name *before = first > 0 ? &plan->names[first - 1] : &none;
    const abr_shown_name *last = first < end ? &plan->names[end - 1] : before;
    *bytes = last->bytes - before->bytes;
    abr_diff_tally named = abr_tally_between(&before->names, &last->names);
    if (first < end && last->shown) { /* a text may come before hunks of its file */
        const abr_diff_tally *start = &last->name.file.before;
        named.hunks -= count_over(start->hunks + last->name.hunks.hunks, to->hunks);
        named.added -= count_over(start->added + last->name.hunks.added, to->added);
        named.removed -= count_over(start->removed + last->name.hunks.removed, to->removed);
    }
    return named;
}

static void write_names(writer *w, uint64_t from, uint64_t to)
{
    const size_t end = names_before(w->plan, to);
    for (size_t i = names_before(w->plan, from); i < end; i++) {
        const abr_shown_name *x = &w->plan->names[i];
        const abr_diff_file *file = &x->name.file;
        if (x->shown)
            show_bytes(w, x->p, file->name_n, file->at + file->name_at, file->line + file->name_line);
    }
}

/* ---- gaps ---- */

/* The counts up to the end of a part. */
static abr_diff_tally after(const abr_diff_part *part)
{
    if (part->hunk)
        return part->hunk->after;
    abr_diff_tally t = part->text->t.before;
    t.lines += part->text->lines;
    t.commits += part->text->t.commit;
    return t;
}

/* The end of a hunk's file, or of a text, if known: the next file, or `to`. */
ABR_WRAPS static const abr_diff_tally *end_of_part(const abr_diff_plan *plan, const abr_diff_part *part,
                                                   const abr_diff_tally *to)
{
    const uint64_t next = part->hunk ? part->hunk->h.file.before.files + 1 : part->text->t.before.files;
    const size_t i = names_before(plan, next);
    if (to->files == next)
        return to;
    return i < plan->name_count && plan->names[i].name.file.before.files == next
               ? &plan->names[i].name.file.before
               : NULL;
}

/* Show names from `at` to `end`, which are at starts or ends of files, and one marker for everything left
 * out. Unnamed files are counted as files, without their hunks and lines, provided the gap is known to start
 * with a file. */
static void show_files(writer *w, const abr_diff_tally *at, const abr_diff_tally *end, bool known)
{
    uint64_t bytes;
    const abr_diff_tally named = named_between(w->plan, at, end, &bytes);
    abr_diff_tally gap = abr_tally_between(at, end);
    if (w->out && bytes > 0)
        write_names(w, at->files, end->files);
    else
        w->size += bytes;
    gap.files -= named.files;
    if (gap.files > 0 && known) {
        gap.hunks = named.hunks;
        gap.added = named.added;
        gap.removed = named.removed;
        gap.lines = 0;
    }
    mark_gap(w, &gap);
}

/* Does the rest of a part's file or text get its own marker, before names and files? */
static bool ends_apart(const abr_diff_plan *plan, const abr_diff_part *part, const abr_diff_tally *tail,
                       const abr_diff_tally *end)
{
    uint64_t bytes;
    return part->hunk ? tail->files < end->files : named_between(plan, tail, end, &bytes).files > 0;
}

static void show_between(writer *w, const abr_diff_part *a, const abr_diff_part *b)
{
    const abr_diff_plan *plan = w->plan;
    abr_diff_tally at = a ? after(a) : (abr_diff_tally){0};
    const abr_diff_hunk *h = b && b->hunk ? &b->hunk->h : NULL;
    if (h && a && a->hunk && a->hunk->h.file.at == h->file.at) {
        mark_between(w, &at, &h->before);
        return;
    }
    const abr_diff_tally *end = h ? &h->file.before : b ? &b->text->t.before : &plan->total;
    const abr_diff_tally *tail = a ? end_of_part(plan, a, end) : NULL;
    if (tail && ends_apart(plan, a, tail, end)) {
        mark_between(w, &at, tail);
        at = *tail;
    }
    show_files(w, &at, end, tail || !a || !a->hunk);
    if (!h)
        return;
    show_bytes(w, b->hunk->header, h->file.header_n, h->file.at, h->file.line);
    at = h->file.before;
    at.files++;
    mark_between(w, &at, &h->before);
}

/* Part i, or `other` for part_count. */
static const abr_diff_part *part_at(const abr_diff_plan *plan, size_t i, const abr_diff_part *other)
{
    return i < plan->part_count ? &plan->parts[i] : other;
}

static void show_gap(writer *w, size_t from, size_t to)
{
    const abr_diff_part *start = w->plan->start.hunk ? &w->plan->start : NULL;
    show_between(w, part_at(w->plan, from, start), part_at(w->plan, to, NULL));
}

uint64_t abr_diff_gap(const abr_diff_plan *plan, size_t from, size_t to)
{
    writer w = {.plan = plan};
    show_gap(&w, from, to);
    return w.size;
}

/* ---- parts ---- */

/* The slice that holds the middle of a hunk, the rest that the others leave. */
static uint64_t middle_slice(const abr_shown_hunk *x)
{
    return x->h.size > 0 ? (x->h.size - 1) / ((size_t)2 * ABR_DIFF_SLICE) : 0;
}

uint64_t abr_diff_at_hand(const abr_diff_plan *plan, const abr_shown_hunk *x, bool end)
{
    const uint64_t size = x->h.size;
    const uint64_t sliced =
        x->slice_count > middle_slice(x) ? size : (uint64_t)x->slice_count * ABR_DIFF_SLICE;
    size_t n = 0;
    if (!end)
        abr_flow_at(&plan->ends, x->h.at, &n);
    const abr_flow_part *part = x->h.at + size > plan->ends.first.n ? &plan->ends.last : &plan->ends.first;
    if (end && x->h.at + size > part->at)
        n = (size_t)(x->h.at + size - part->at);
    const uint64_t most = n > sliced ? n : sliced;
    return most < size ? most : size;
}

/* Sets *p to the hunk's bytes from `at` on, which are at hand. Returns how many stand together in memory. */
static uint64_t hunk_bytes(const abr_diff_plan *plan, const abr_shown_hunk *x, uint64_t at, const char **p)
{
    const uint64_t size = x->h.size;
    const uint64_t middle = middle_slice(x);
    const uint64_t middle_at = middle * ABR_DIFF_SLICE;
    size_t n;
    *p = abr_flow_at(&plan->ends, x->h.at + at, &n);
    if (*p)
        return n < size - at ? n : size - at;
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

const char *abr_diff_hunk_piece(const abr_diff_plan *plan, const abr_shown_hunk *x, uint64_t at, size_t n,
                                char *dst)
{
    const char *p = plan->text ? plan->text + x->h.at + at : abr_flow_piece(&plan->ends, x->h.at + at, n);
    if (p)
        return p;
    for (uint64_t here, done = 0; done < n; done += here) {
        here = abr_at_most(hunk_bytes(plan, x, at + done, &p), n - done);
        memcpy(dst + done, p, (size_t)here);
    }
    return dst;
}

/* Show n bytes of a hunk from `from` on; they are at hand. */
static void keep_hunk(writer *w, const abr_shown_hunk *x, uint64_t from, uint64_t n, uint64_t line)
{
    w->size += n;
    if (!w->out)
        return;
    const char *source = abr_diff_hunk_piece(w->plan, x, from, (size_t)n, w->copies);
    w->copies += source == w->copies ? n : 0;
    abr_content_keep(w->out, source, (size_t)n, x->h.at + from, line);
}

static void show_text(writer *w, const abr_shown_text *x)
{
    show_bytes(w, x->p, x->front, x->t.at, x->t.line);
    if (x->subject_n == 0)
        return;
    mark_cut(w, x->gap_lines, 0, false);
    show_bytes(w, x->p + x->subject_at, x->subject_n, x->t.at + x->subject_at,
               x->t.line + x->front_lines + x->gap_lines);
}

static void show_part(writer *w, const abr_diff_part *part)
{
    if (part->text) {
        show_text(w, part->text);
        return;
    }
    const abr_shown_hunk *x = part->hunk;
    keep_hunk(w, x, 0, x->front, x->h.line);
    if (x->front == x->h.size)
        return;
    const char *p;
    hunk_bytes(w->plan, x, x->front - 1, &p);
    mark_cut(w, x->cut_lines, x->h.size - x->front - x->back, *p != '\n');
    keep_hunk(w, x, x->h.size - x->back, x->back, x->back_line);
}

uint64_t abr_diff_own(const abr_diff_plan *plan, const abr_diff_part *part)
{
    writer w = {.plan = plan};
    show_part(&w, part);
    return w.size;
}

/* ---- the plan ---- */

void abr_diff_set_shown(abr_diff_plan *plan, size_t i, bool shown)
{
    plan->shown[i / 64] &= ~(UINT64_C(1) << (i % 64));
    plan->shown[i / 64] |= (uint64_t)shown << (i % 64);
}

/* The last shown part before part i; part_count if there is none. Words without a set bit are skipped at
 * once: budgets are limited, so there are only some hundred. */
static size_t shown_before(const abr_diff_plan *plan, size_t i)
{
    while (i > 0) {
        if (i % 64 == 0 && plan->shown[i / 64 - 1] == 0)
            i -= 64;
        else if (abr_diff_is_shown(plan, --i))
            return i;
    }
    return plan->part_count;
}

size_t abr_diff_shown_from(const abr_diff_plan *plan, size_t i)
{
    while (i < plan->part_count && !abr_diff_is_shown(plan, i))
        i += i % 64 == 0 && plan->shown[i / 64] == 0 ? 64 : 1;
    return i < plan->part_count ? i : plan->part_count;
}

uint64_t abr_diff_bytes_at(const abr_diff_plan *plan, size_t part, bool shown)
{
    const size_t before = shown_before(plan, part);
    const size_t after = abr_diff_shown_from(plan, part + 1);
    return shown ? abr_diff_gap(plan, before, part) + abr_diff_own(plan, &plan->parts[part]) +
                       abr_diff_gap(plan, part, after)
                 : abr_diff_gap(plan, before, after);
}

static void show_all(writer *w)
{
    const abr_diff_plan *plan = w->plan;
    const size_t end = plan->part_count;
    size_t before = end;
    if (plan->start.hunk)
        show_part(w, &plan->start);
    for (size_t i = abr_diff_shown_from(plan, 0); i < end; i = abr_diff_shown_from(plan, i + 1)) {
        show_gap(w, before, i);
        show_part(w, &plan->parts[i]);
        before = i;
    }
    show_gap(w, before, end);
}

uint64_t abr_diff_size(const abr_diff_plan *plan)
{
    writer w = {.plan = plan};
    show_all(&w);
    return w.size;
}

void abr_diff_show(const abr_diff_plan *plan, abr_content *out, char *copies)
{
    writer w = {.plan = plan, .out = out, .copies = copies};
    show_all(&w);
    abr_piece *last = out->count > 0 ? &out->pieces[out->count - 1] : NULL;
    if (last && !last->source)
        last->n--; /* its newline: nothing comes after it */
}
