/*
 * Choose the hunks to show: max-min fair among files, people's files first, small hunks of a file before
 * large ones.
 *
 * Conflicts that a merge has left come before all others.
 *
 * A hunk's level is the number of bytes of its file that are shown once it is. The fair share is the level at
 * which all files together would fill the room. Hunks up to it are shown whole; then each file's next one in
 * part, with the rest of its share; the remaining room goes to further hunks, and to those in part.
 */
#include <string.h>

#include "kinds/diff/diff_hunks.h"
#include "base/size.h"
#include "kinds/diff/diff.h"
#include "line/lines.h"
#include "priority/sort.h"
#include "text/scan.h"
#include "text/utf8.h"

enum {
    PART_LEAST = 160,  /* bytes of a hunk in part; fewer tell too little */
    SPLIT_LEAST = 200, /* bytes of one with cut lines, besides two lines of the small size */
    BARE_LEVEL = 4     /* a bare header counts as so many times its size */
};

/* ---- a hunk in part: its first and last lines, with one gap in the middle ---- */

enum { FRONT_LINES_LEAST = 2 }; /* its `@@` line alone says nothing */

/* Whole lines at an end of a hunk, or bytes of it. */
typedef struct {
    size_t n;       /* bytes */
    uint64_t lines; /* newlines in them */
} hunk_end;

/* Show all of it. False: not all of it is at hand. */
static bool set_whole(const abr_diff_plan *plan, abr_shown_hunk *x)
{
    if (abr_diff_at_hand(plan, x, false) + abr_diff_at_hand(plan, x, true) < x->h.size)
        return false;
    x->front = x->h.size;
    x->back = x->cut_lines = 0;
    return true;
}

/* The bytes of a hunk's two ends that may be shown; they may overlap. */
typedef struct {
    abr_text_line front;
    abr_text_line back;
} hunk_ends;

/* Whole lines at the start, of at most `limit` bytes. */
static hunk_end front_lines(const hunk_ends *e, uint64_t limit)
{
    const size_t n = abr_bytes_at_most(e->front.n, limit);
    const char *newline = abr_find_last_newline(e->front.p, n);
    return (hunk_end){newline ? (size_t)(newline - e->front.p) + 1 : 0, abr_count_newlines(e->front.p, n)};
}

/* The same at the end. */
static hunk_end back_lines(const hunk_ends *e, uint64_t limit)
{
    const size_t n = abr_bytes_at_most(e->back.n - 1, limit); /* after a newline */
    const char *end = e->back.p + e->back.n;
    const char *newline = n > 0 ? memchr(end - n - 1, '\n', n + 1) : NULL;
    const size_t lines_n = newline ? (size_t)(end - newline) - 1 : 0;
    return (hunk_end){lines_n, abr_count_newlines(end - lines_n, lines_n)};
}

/* Does the line at the start of (p, n) change something? A combined diff says so in a column for each
 * parent. */
static bool changes_line(const hunk_ends *e, const char *p, size_t n)
{
    for (size_t column = 0; column < n && column + 1 < e->front.n && e->front.p[column + 1] == '@'; column++)
        if (p[column] == '+' || p[column] == '-')
            return true;
    return false;
}

/* Bytes of (p, n), which starts a line, before the first line that changes something, or does not. */
static size_t before_line(const hunk_ends *e, const char *p, size_t n, bool changes)
{
    size_t at = 0;
    abr_text_line line;
    for (size_t next = 0; changes_line(e, p + at, n - at) != changes && abr_next_line(p, n, &next, &line);)
        at = next;
    return at;
}

/* The whole lines of the end at the back, which starts with the rest of a line unless it is of `lines`. */
static abr_text_line lines_at_back(const hunk_ends *e, hunk_end back, bool lines)
{
    const char *p = e->back.p + e->back.n - back.n;
    if (lines || (p > e->back.p && p[-1] == '\n'))
        return (abr_text_line){p, back.n};
    const char *newline = memchr(p, '\n', back.n);
    const size_t rest = newline ? (size_t)(newline - p) + 1 : back.n;
    return (abr_text_line){p + rest, back.n - rest};
}

/* Show these ends, unless they are too small or show no change. */
static bool set_ends(const hunk_ends *e, abr_shown_hunk *x, hunk_end front, hunk_end back, bool lines)
{
    const char *p = e->front.p;
    const abr_text_line whole = lines_at_back(e, back, lines);
    if (front.lines < (lines ? FRONT_LINES_LEAST : 1) || back.n == 0 ||
        (before_line(e, p, front.n, true) == front.n && before_line(e, whole.p, whole.n, true) == whole.n))
        return false;
    const uint64_t newlines = x->h.newlines - front.lines - back.lines; /* of the gap */
    const bool cuts_line = p[front.n - 1] != '\n' && newlines > 0;      /* its newline is the gap's first */
    x->front = front.n;
    x->back = back.n;
    x->back_line = x->h.line + x->h.newlines - back.lines;
    x->cut_lines = newlines - cuts_line;
    return true;
}

/* Show whole lines at both ends: `half` bytes of `room` at the start, or more if the end leaves room. */
static bool set_lines(const hunk_ends *e, abr_shown_hunk *x, uint64_t half, uint64_t room)
{
    const hunk_end back = back_lines(e, room - front_lines(e, half).n);
    return set_ends(e, x, front_lines(e, room - back.n), back, true);
}

/* The start of the line that `at` is in, or for the `back` the place after its end; `at` itself if the line
 * has more than `most` bytes, or is not all at hand. */
static size_t out_of_line(abr_text_line end, size_t at, uint64_t most, bool back)
{
    size_t from = at;
    size_t to = at;
    while (from > 0 && at - from <= most && end.p[from - 1] != '\n')
        from--;
    while (to < end.n && to - from <= most && end.p[to] != '\n')
        to++;
    if (to == end.n || to - from > most || (from == 0 && back))
        return at;
    return !back || from == at ? from : to + 1;
}

/* Show so many bytes at both ends, but only whole chars, and whole lines if these are short. */
static bool set_bytes(const hunk_ends *e, abr_shown_hunk *x, size_t room, uint64_t short_line)
{
    const abr_text_line f = e->front;
    const abr_text_line b = e->back;
    const size_t first = abr_char_start(f.p, f.n, abr_bytes_at_most(f.n - 1, (room + 1) / 2));
    const size_t front = out_of_line(f, first, short_line, false);
    const size_t last = b.n - abr_bytes_at_most(b.n, room - front);
    const size_t back = out_of_line(b, last + abr_rest_of_char(b.p + last, b.n - last), short_line, true);
    return set_ends(e, x, (hunk_end){front, abr_count_newlines(f.p, front)},
                    (hunk_end){b.n - back, abr_count_newlines(b.p + back, b.n - back)}, false);
}

/* Memory to show a hunk in part within `bytes`: the slices at both its ends, in one piece each. */
static size_t part_scratch(uint64_t bytes)
{
    return 2 * abr_bytes_at_most((size_t)2 * ABR_DIFF_KEEP_MOST + (size_t)2 * ABR_DIFF_SLICE, bytes);
}

/* Show its first and last lines, about as many bytes of each, or more at the start if that shows the first
 * change whole, in at most `bytes` with the marker; the hunk has at least two bytes. False, with no change,
 * if that shows too little of it, or nothing that it changes. `split`: lines of more than `short_line` bytes
 * may be cut. `scratch` has part_scratch() bytes. */
static bool set_part(const abr_diff_plan *plan, abr_shown_hunk *x, uint64_t bytes, bool split,
                     uint64_t short_line, char *scratch)
{
    char marker[ABR_DIFF_MARKER_MOST];
    const uint64_t defined = (uint64_t)x->h.defines_at + ABR_DEFINED_WITHIN;
    const size_t lines_n = abr_diff_print_cut(x->h.newlines + 1, 0, marker);
    const size_t bytes_n = abr_diff_print_cut(0, x->h.size, marker) + 1; /* it starts with a newline */
    if (bytes <= bytes_n)
        return false;
    const size_t front = (size_t)abr_at_most(abr_diff_at_hand(plan, x, false), bytes);
    const size_t back = (size_t)abr_at_most(abr_diff_at_hand(plan, x, true), bytes);
    const char *p = abr_diff_hunk_piece(plan, x, 0, front, scratch);
    char *rest = p == scratch ? scratch + front : scratch;
    const hunk_ends e = {{p, front}, {abr_diff_hunk_piece(plan, x, x->h.size - back, back, rest), back}};
    const uint64_t room = abr_at_most(bytes - lines_n, x->h.size - 1);
    const size_t hand = abr_bytes_at_most(front, room);
    const size_t same = before_line(&e, e.front.p, hand, true);
    const size_t changed = same + before_line(&e, e.front.p + same, hand - same, false);
    uint64_t half = (room + 1) / 2;
    if (x->h.defines_at > 0 && defined > half)
        half = abr_at_most(defined, room - room / 4);
    if (changed > half && changed < hand && set_lines(&e, x, changed, room))
        return true;
    return set_lines(&e, x, half, room) ||
           (split && set_bytes(&e, x, (size_t)abr_at_most(bytes - bytes_n, x->h.size - 1), short_line));
}

/* ---- one more hunk ---- */

bool abr_diff_put_part(abr_diff_choice *x, size_t part, uint64_t had, uint64_t limit)
{
    const uint64_t used = x->used - had + abr_diff_bytes_at(x->plan, part, true);
    if (used > limit)
        return false;
    abr_diff_set_shown(x->plan, part, true);
    x->used = used;
    return true;
}

static bool is_shown(const abr_diff_choice *x, const abr_shown_hunk *h)
{
    return abr_diff_is_shown(x->plan, h->part);
}

static bool is_in_part(const abr_diff_choice *x, const abr_shown_hunk *h)
{
    return is_shown(x, h) && h->front < h->h.size;
}

/* Show a hunk as it stands, if the total keeps to `limit`. */
static bool show_within(abr_diff_choice *x, abr_shown_hunk *h, uint64_t limit)
{
    const abr_shown_hunk was = *h;
    const uint64_t had = abr_diff_bytes_at(x->plan, h->part, is_shown(x, h));
    if (set_whole(x->plan, h) && abr_diff_put_part(x, h->part, had, limit))
        return true;
    *h = was;
    return false;
}

/* Show all of a hunk, in its file's order. */
static void try_whole(abr_diff_choice *x, abr_shown_hunk *h)
{
    if (!x->closed[h->file])
        x->closed[h->file] = h->alone || !show_within(x, h, x->bytes);
}

/* Show a hunk in part with so many bytes, or more of it than so far. */
static bool try_part(abr_diff_choice *x, abr_shown_hunk *h, uint64_t bytes)
{
    bytes = abr_at_most(bytes, x->bytes);
    if (h->h.size < 2 || h->h.size + h->h.file.header_n <= x->small || bytes < PART_LEAST)
        return false;
    const abr_shown_hunk was = *h;
    const uint64_t had = abr_diff_bytes_at(x->plan, h->part, is_shown(x, h));
    if (set_part(x->plan, h, bytes, bytes >= 2 * x->small + SPLIT_LEAST, x->small, x->scratch) &&
        abr_diff_put_part(x, h->part, had, x->bytes))
        return true;
    *h = was;
    return false;
}

/* ---- levels ---- */

static void sort_by(abr_diff_choice *x, uint64_t (*key)(const abr_shown_hunk *))
{
    abr_key *keys = x->g->keys;
    const size_t n = x->count;
    for (size_t i = 0; i < n; i++)
        keys[i] = (abr_key){key(&x->g->hunks[x->order[i]]), x->order[i]};
    abr_sort_keys(keys, n, keys + n);
    for (size_t i = 0; i < n; i++)
        x->order[i] = keys[i].index;
}

static uint64_t size_of(const abr_shown_hunk *h)
{
    return h->h.size;
}

static uint64_t file_of(const abr_shown_hunk *h)
{
    return h->h.file.before.files;
}

static uint64_t level_of(const abr_shown_hunk *h)
{
    return h->level | (uint64_t)h->h.file.machine << 62;
}

/* Bytes that count for a hunk: its own, plus the header's for the first hunk of its file. */
static uint64_t counted(const abr_shown_hunk *h)
{
    const uint64_t header = h->first ? h->h.file.header_n : 0;
    return h->h.size + header * (abr_is_bare(&h->h) ? BARE_LEVEL : 1);
}

/* Has a smaller hunk of the file been forgotten? Its level was then at least the one from which hunks are
 * unknown; it was at most the sum of the smaller hunks and those of about this size, which are known, plus
 * its own size.
 */
static void find_alone(abr_diff_choice *x)
{
    uint64_t most = 0; /* level of the last hunk of this size class */
    for (size_t i = x->count; i > 0; i--) {
        abr_shown_hunk *h = &x->g->hunks[x->order[i - 1]];
        const abr_shown_hunk *next = i < x->count ? &x->g->hunks[x->order[i]] : NULL;
        if (!next || next->file != h->file ||
            abr_diff_size_class(next->h.size) != abr_diff_size_class(h->h.size))
            most = h->level;
        h->alone = !abr_is_bare(&h->h) && most + h->h.size >= x->g->known[h->h.file.machine];
    }
}

/* Set the levels of hunks, and sort them. */
static void set_levels(abr_diff_choice *x)
{
    abr_shown_hunk *before = NULL;
    for (size_t i = 0; i < x->g->hunk_count; i++)
        if (!x->g->hunks[i].barred)
            x->order[x->count++] = (uint32_t)i;
    sort_by(x, size_of);
    sort_by(x, file_of);
    for (size_t i = 0; i < x->count; i++) {
        abr_shown_hunk *h = &x->g->hunks[x->order[i]];
        h->first = !before || file_of(before) != file_of(h);
        h->file = before ? before->file + h->first : 0;
        h->from = h->first ? 0 : before->level;
        h->level = h->from + counted(h);
        before = h;
    }
    find_alone(x);
    sort_by(x, level_of);
}

/* The level at which the files of a class would fill the remaining room: at a given level, each hunk takes as
 * many of its bytes as lie below it. */
static uint64_t fair_share(const abr_diff_choice *x, size_t from, size_t end)
{
    const uint64_t room = x->bytes - x->used;
    const size_t n = end - from;
    abr_key *below = x->g->keys; /* where the hunks start, followed by how high they are */
    for (size_t i = 0; i < n; i++) {
        const abr_shown_hunk *h = &x->g->hunks[x->order[from + i]];
        below[i].key = h->from;
        below[n + i].key = counted(h);
    }
    uint64_t low = 0;
    uint64_t high = room;
    while (low < high) {
        const uint64_t middle = high - (high - low) / 2;
        uint64_t wanted = 0;
        for (size_t i = 0; i < n && wanted <= room; i++) {
            const uint64_t more = middle > below[i].key ? middle - below[i].key : 0;
            wanted += more < below[n + i].key ? more : below[n + i].key;
        }
        if (wanted <= room)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

/* ---- hunks in part ---- */

/* Bytes to show a hunk in part up to a place in it; 0: there is none, or that takes too many. */
static uint64_t part_up_to(uint32_t at)
{
    enum { PART = 4, OF = 3, MARKER = 48, MOST = 1024 };
    const uint64_t bytes = ((uint64_t)at + ABR_DEFINED_WITHIN) * PART / OF + MARKER;
    return at > 0 && bytes <= MOST ? bytes : 0;
}

static uint64_t up_to_definition(const abr_shown_hunk *h)
{
    return part_up_to(h->h.defines_at);
}

/* The number of lines that a hunk adds beyond those it removes. */
static uint64_t news(const abr_shown_hunk *h)
{
    return h->h.added > h->h.removed ? h->h.added - h->h.removed : 0;
}

/* In every file show one hunk up to its definition, the defining one with most news. The news of a file is in
 * its large hunks, so small ones alone would not tell it. */
static void show_definitions(abr_diff_choice *x, size_t from, size_t end)
{
    const uint64_t limit = x->used + (x->bytes - x->used) / 2;
    for (size_t i = from; i < end; i++) {
        abr_shown_hunk *h = &x->g->hunks[x->order[i]];
        abr_shown_hunk **best = &x->defining[h->file];
        if (!x->parted[h->file] && up_to_definition(h) > 0 && (!*best || news(h) > news(*best)))
            *best = h;
    }
    for (size_t i = from; i < end && x->used < limit; i++) {
        abr_shown_hunk *h = &x->g->hunks[x->order[i]];
        if (x->defining[h->file] == h && !x->parted[h->file])
            x->parted[h->file] = try_part(x, h, up_to_definition(h));
    }
}

/* In every file of the class, show the smallest hidden hunk in part, with the rest of the share. */
static void show_parts(abr_diff_choice *x, size_t from, size_t end, uint64_t share)
{
    for (size_t i = from; i < end; i++) {
        abr_shown_hunk *h = &x->g->hunks[x->order[i]];
        if (is_shown(x, h) || x->parted[h->file] || abr_is_bare(&h->h) || share <= h->from)
            continue;
        const uint64_t bytes = share - h->from;
        const uint64_t header = h->first ? h->h.file.header_n : 0;
        if (bytes > header)
            x->parted[h->file] = try_part(x, h, bytes - header);
    }
}

/* In files without a partly shown hunk, show the smallest hidden one, in at most so many bytes.
 */
static void show_more_parts(abr_diff_choice *x, size_t from, size_t end, uint64_t most)
{
    for (size_t i = from; i < end && x->used < x->bytes; i++) {
        abr_shown_hunk *h = &x->g->hunks[x->order[i]];
        const uint64_t left = x->bytes - x->used;
        if (!is_shown(x, h) && !x->parted[h->file])
            x->parted[h->file] = try_part(x, h, left < most ? left : most);
    }
}

/* Let every partly shown hunk grow by the same amount, as long as there is room. */
static void grow_parts(abr_diff_choice *x, size_t from, size_t end)
{
    size_t parts = 0;
    for (size_t i = from; i < end; i++)
        parts += is_in_part(x, &x->g->hunks[x->order[i]]);
    for (size_t i = from; i < end && parts > 0; i++) {
        abr_shown_hunk *h = &x->g->hunks[x->order[i]];
        if (!is_in_part(x, h))
            continue;
        const uint64_t more = (x->bytes - x->used) / parts--;
        const abr_diff_part part = {.hunk = h};
        try_part(x, h, abr_diff_own(x->plan, &part) + more);
    }
}

/* A file's partly shown hunk counts before its other hunks. */
static void count_definitions(abr_diff_choice *x, size_t from, size_t end)
{
    for (size_t i = from; i < end; i++) {
        abr_shown_hunk *h = &x->g->hunks[x->order[i]];
        abr_shown_hunk *part = x->defining[h->file];
        if (!part || !x->parted[h->file] || h == part)
            continue;
        const uint64_t own = abr_diff_own(x->plan, &(abr_diff_part){.hunk = part});
        h->from += own;
        h->level += own;
    }
    sort_by(x, level_of);
}

/* Show the conflicts, in three quarters of the room, in part if they are over an equal share of that. Those
 * that show whole leave the order. */
static void show_conflicts(abr_diff_choice *x)
{
    enum { CONFLICT_PART = 3, CONFLICT_OF = 4 };
    const uint64_t limit = x->used + (x->bytes - x->used) / CONFLICT_OF * CONFLICT_PART;
    uint64_t left = 0;
    size_t count = 0;
    for (size_t i = 0; i < x->count; i++)
        left += x->g->hunks[x->order[i]].h.conflict_at > 0;
    for (size_t i = 0; i < x->count; i++) {
        abr_shown_hunk *h = &x->g->hunks[x->order[i]];
        bool whole = false;
        if (h->h.conflict_at > 0 && x->used < limit) {
            const uint64_t room = limit - x->used;
            const uint64_t share = room / left--;
            const uint64_t least = abr_at_most(part_up_to(h->h.conflict_at), room);
            const uint64_t most = share > least ? share : least;
            whole = show_within(x, h, x->used + most);
            if (!whole && !x->parted[h->file] && try_part(x, h, most)) {
                x->defining[h->file] = h;
                x->parted[h->file] = true;
            }
        }
        if (!whole)
            x->order[count++] = x->order[i];
    }
    x->count = count;
}

static void choose_class(abr_diff_choice *x, size_t from, size_t end)
{
    enum { SHARE_LEAST = 400 }; /* for a partly shown hunk, if there is room left */
    show_definitions(x, from, end);
    count_definitions(x, from, end);
    const uint64_t share = fair_share(x, from, end);
    for (size_t i = from; i < end; i++)
        if (x->g->hunks[x->order[i]].level <= share)
            try_whole(x, &x->g->hunks[x->order[i]]);
    show_parts(x, from, end, share);
    for (size_t i = from; i < end; i++)
        if (!is_shown(x, &x->g->hunks[x->order[i]]) || is_in_part(x, &x->g->hunks[x->order[i]]))
            try_whole(x, &x->g->hunks[x->order[i]]);
    show_more_parts(x, from, end, share > SHARE_LEAST ? share : SHARE_LEAST);
    grow_parts(x, from, end);
    show_more_parts(x, from, end, x->bytes);
    grow_parts(x, from, end);
}

bool abr_diff_choose_hunks(abr_diff_choice *x)
{
    const abr_alloc *a = x->g->alloc;
    const size_t n = x->g->hunk_count;
    const size_t size =
        n * (sizeof(void *) + sizeof *x->order + 2 * sizeof *x->closed) + part_scratch(x->bytes) + 1;
    char *memory = a->malloc(a->ctx, size);
    if (!memory)
        return false;
    memset(memory, 0, size);
    x->defining = (abr_shown_hunk **)(void *)memory;
    x->order = (uint32_t *)(void *)(x->defining + n);
    x->closed = (bool *)(void *)(x->order + n);
    x->parted = x->closed + n;
    x->scratch = (char *)(x->parted + n);
    set_levels(x);
    show_conflicts(x);
    size_t people = 0;
    while (people < x->count && !x->g->hunks[x->order[people]].h.file.machine)
        people++;
    if (people > 0)
        choose_class(x, 0, people);
    if (people < x->count)
        choose_class(x, people, x->count);
    a->free(a->ctx, memory);
    return true;
}
