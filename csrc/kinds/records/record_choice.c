/*
 * Choose the records a cut shows: the header, the first record and the last one, then the ones worth most for
 * their size, in at most three quarters of the room (all but two of those in no trouble, in a quarter), then
 * more of both ends.
 *
 * A record next to a shown one closes its gap; any other makes a gap, whose marker counts at its widest until
 * all gaps are known. A record over its share (see abr_record_share()) is shown in part, and that part grows
 * again if there is room left.
 */
#include <string.h>

#include "kinds/records/record_choice.h"
#include "base/log2.h"
#include "budget/marker.h"
#include "priority/chooser.h"

enum {
    RECORD_SHARE = 8,     /* a record's part of the content, and that */
    WORTH_SHARE = 4,      /* of one worth at least half as much as the best one */
    ROW_LEAST = 128,      /* bytes of a row in part, as wide as most terminals, */
    JSON_LEAST = 192,     /* and of a JSON record: a message, and markers around it */
    NOVEL_LEAST = 176,    /* of one where many tell of trouble, fitted on 39 logs; and this part of the */
    NOVEL_PART = 50,      /* content, below which none is over its share (SPEC 14) */
    RECORD_GAP_SIZE = 24, /* added to a record's size: about what its marker costs */
    UNUSED = 20,          /* part of the content that may stay empty */
    ODD_FEW = 2,          /* odd records that are chosen like those in trouble */
    GROWTHS = 4,          /* of records in part */
    FOOTER_PART = 8       /* of the content that a footer takes at most */
};

static const float record_size_power = 0.3F; /* how much a record's size counts against it */

typedef struct {
    abr_record_list *list;
    const abr_kind_request *q;
    uint64_t most;   /* bytes */
    uint64_t used;   /* of these, with markers at their widest */
    uint64_t share;  /* a larger record is shown in part */
    uint64_t marker; /* bytes of the widest, 0 if markers don't count */
    uint64_t closed; /* bytes of the marker of a gap that is closed, at least */
    bool marks;
} chooser;

/* ---- markers ---- */

/* Print the marker of a gap; returns its bytes, with its newline. */
static size_t print_marker(const chooser *x, uint64_t records, char dst[ABR_RECORDS_MARKER])
{
    const char *format =
        x->list->table ? "... [{lines} rows omitted] ...\n" : "... [{lines} records omitted] ...\n";
    return abr_print_marker(format, strlen(format), &(abr_omitted){.lines = records}, dst);
}

static size_t marker_size(const chooser *x, uint64_t records)
{
    char text[ABR_RECORDS_MARKER];
    return x->marker > 0 && records > 0 ? print_marker(x, records, text) : 0;
}

/* ---- one record ---- */

uint64_t abr_record_share(uint64_t most, const abr_record_list *list)
{
    const uint64_t least = list->table ? ROW_LEAST : JSON_LEAST;
    const uint64_t part = most / (list->ruled ? WORTH_SHARE : RECORD_SHARE);
    uint64_t share = part > least ? part : least;
    if (list->total > 0 && most / list->total > share)
        share = most / list->total;
    return share;
}

/* The number of the record after it. */
static uint64_t next_number(const abr_shown_record *r)
{
    return r->number + (r->run > 0 ? r->run : 1);
}

static bool follows_kept(const chooser *x, size_t i)
{
    const abr_shown_record *r = x->list->records;
    return r[i].number == 0 || (i > 0 && r[i - 1].kept && next_number(&r[i - 1]) == r[i].number);
}

static bool precedes_kept(const chooser *x, size_t i)
{
    const abr_shown_record *r = x->list->records;
    return next_number(&r[i]) == x->list->total ||
           (i + 1 < x->list->count && r[i + 1].kept && next_number(&r[i]) == r[i + 1].number);
}

/* Keep a record if it fits in `most` bytes, in part if it is over its share. */
static bool keep_record(chooser *x, size_t i, uint64_t most, uint64_t share)
{
    abr_shown_record *r = &x->list->records[i];
    const bool above = follows_kept(x, i);
    const bool below = precedes_kept(x, i);
    const uint64_t used = x->used + (above || below ? 0 : x->marker);
    uint64_t size = r->bytes.size;
    uint64_t limit = 0;
    if (size > share || r->bytes.n < size) {
        const uint64_t room = most > used ? most - used : 0;
        limit = share < room ? share : room;
        if (limit < ROW_LEAST || limit < x->share / 2)
            return false;
        size = limit < size ? limit : size;
    }
    if (used + size > most)
        return false;
    x->used = used + size;
    if (above && below) /* it closes a gap */
        x->used = x->used > x->closed ? x->used - x->closed : 0;
    r->limit = (size_t)limit;
    r->kept = true;
    return true;
}

/* ---- the choice ---- */

/* Is it over its share, and worth at least half as much as the best one? */
static bool is_among_best(const chooser *x, const abr_shown_record *r, float best)
{
    return 2 * r->value >= best && r->bytes.size > x->share;
}

/* The share of one among the best, which leaves the `others` that come after it a share each. */
static uint64_t share_among_best(const chooser *x, uint64_t others, uint64_t most)
{
    const uint64_t room = abr_budget_left(most, x->used + x->marker);
    const uint64_t left = abr_budget_left(room, others * (x->share + x->marker));
    return abr_at_least(abr_at_most(x->most / WORTH_SHARE, left), x->share);
}

/* Keep the records worth most for their size, odd ones in at most `odd_most` bytes. */
static void keep_best_records(chooser *x, uint64_t most, uint64_t odd_most)
{
    const abr_record_list *list = x->list;
    abr_key *keys = list->keys;
    size_t n = 0;
    uint64_t others = 0;
    unsigned odd = 0;
    float best = 0;
    for (size_t i = 0; i < list->count; i++) {
        const abr_shown_record *r = &list->records[i];
        if (r->value <= 0)
            continue;
        best = r->value > best ? r->value : best;
        const uint64_t size = r->bytes.size < x->share ? r->bytes.size : x->share;
        const float for_size =
            abr_log2(r->value) - record_size_power * abr_log2((float)(size + RECORD_GAP_SIZE));
        keys[n++] = (abr_key){~abr_float_key(for_size), (uint32_t)i};
    }
    abr_sort_keys(keys, n, keys + n);
    for (size_t i = 0; i < n; i++)
        others += is_among_best(x, &list->records[keys[i].index], best);
    for (size_t i = 0; i < n; i++) {
        const abr_shown_record *r = &list->records[keys[i].index];
        const bool among_best = is_among_best(x, r, best);
        others -= among_best;
        odd += r->odd;
        const uint64_t room = r->odd && odd > ODD_FEW ? odd_most : most;
        if (!r->kept)
            keep_record(x, keys[i].index, room, among_best ? share_among_best(x, others, most) : x->share);
    }
}

/* Keep more of both ends, until the next record of each does not fit. */
static void fill_ends(chooser *x)
{
    abr_shown_record *r = x->list->records;
    size_t front = 0;
    size_t back = x->list->count;
    uint64_t front_size = 0;
    uint64_t back_size = 0;
    bool front_full = false;
    bool back_full = false;
    while (front < back && !(front_full && back_full)) {
        const bool at_front =
            !front_full && (back_full || front_size * ABR_RECORDS_BACK <= back_size * ABR_RECORDS_FRONT);
        const size_t i = at_front ? front : back - 1;
        const uint64_t size = r[i].run > 0 || r[i].bytes.size < x->share ? r[i].bytes.size : x->share;
        if (!r[i].kept && !keep_record(x, i, x->most, x->share))
            *(at_front ? &front_full : &back_full) = true;
        else if (at_front)
            front++, front_size += size;
        else
            back--, back_size += size;
    }
}

/* The exact cost of the choice, now that its gaps are known. */
ABR_WRAPS static uint64_t exact_cost(const chooser *x)
{
    uint64_t next = 0;
    uint64_t cost = x->list->header.size + x->list->footer.n;
    for (size_t i = 0; i < x->list->count; i++) {
        const abr_shown_record *r = &x->list->records[i];
        if (!r->kept)
            continue;
        cost += r->limit > 0 ? r->limit : r->bytes.size;
        cost += marker_size(x, r->number - next);
        next = next_number(r);
    }
    return cost + marker_size(x, x->list->total - next);
}

/* Keep the runs, which are sure to fit. Returns their bytes. */
static uint64_t keep_runs(chooser *x)
{
    uint64_t size = 0;
    for (size_t i = 0; i < x->list->count; i++) {
        abr_shown_record *r = &x->list->records[i];
        r->kept = r->run > 0;
        size += r->kept ? r->bytes.size : 0;
    }
    x->used += size;
    return size;
}

/* Keep the first record or the last one; it comes before trouble only if it is small in this room. */
static void keep_end_record(chooser *x, size_t i, bool part)
{
    const abr_shown_record *r = &x->list->records[i];
    if (!r->kept && (part || r->bytes.size <= x->most / RECORD_SHARE))
        keep_record(x, i, x->most, x->share);
}

/* If many records tell of trouble, each of another, they share the `room` for all of them. */
static void share_among_novel(chooser *x, uint64_t room)
{
    uint64_t novel = 0;
    for (size_t i = 0; i < x->list->count; i++)
        novel += x->list->records[i].novel;
    const uint64_t part = novel > 0 ? abr_budget_left(room / novel, x->marker) : room;
    const uint64_t least = x->list->table ? ROW_LEAST : NOVEL_LEAST;
    x->share = abr_at_most(x->share, abr_at_least(part, abr_at_least(least, x->most / NOVEL_PART)));
}

static void choose_records(chooser *x)
{
    enum { TROUBLE_PART = 3, TROUBLE_OF = 4, ROUNDS = 2 };
    const abr_record_list *list = x->list;
    const uint64_t start = list->header.size + list->footer.n + (list->total > 0 ? x->marker : 0);
    x->used = start;
    x->closed = x->marker;
    if (start > x->most || list->count == 0)
        return;
    const uint64_t room = x->most - start;
    share_among_novel(x, room / TROUBLE_OF * TROUBLE_PART);
    const uint64_t runs = keep_runs(x);
    keep_end_record(x, list->count - 1, false);
    keep_end_record(x, 0, false);
    const uint64_t most = start + runs + room / TROUBLE_OF * TROUBLE_PART;
    const uint64_t odd_most = start + runs + room / TROUBLE_OF;
    keep_best_records(x, abr_at_most(most, x->most), abr_at_most(odd_most, x->most));
    keep_end_record(x, list->count - 1, true);
    keep_end_record(x, 0, true);
    for (int i = 0; i < ROUNDS; i++) {
        fill_ends(x);
        x->used = exact_cost(x);
        x->closed = marker_size(x, 1);
    }
}

/* Keep a single record in the room there is, if none fits with its markers. */
static void keep_one(chooser *x)
{
    abr_record_list *list = x->list;
    const uint64_t markers = 2 * x->marker;
    size_t best = 0;
    if (list->count == 0 || list->header.size > 0)
        return;
    for (size_t i = 1; i < list->count; i++)
        best = list->records[i].value > list->records[best].value ? i : best;
    x->marks = x->marks && markers <= x->most / 2;
    abr_shown_record *r = &list->records[best];
    const uint64_t room = x->marks ? x->most - markers : x->most;
    r->limit = (size_t)(room < r->bytes.size || r->bytes.n < r->bytes.size ? room : 0);
    r->kept = r->bytes.size > 0 && room > 0;
}

/* ---- the content ---- */

static void mark_record_gap(const chooser *x, uint64_t records, bool last, abr_content *out)
{
    char text[ABR_RECORDS_MARKER];
    if (records == 0 || !x->marks)
        return;
    const size_t n = print_marker(x, records, text);
    abr_content_mark(out, text, last ? n - 1 : n);
}

/* Put the names of the columns into the content, with what stands above them if that fits, in part if they
 * don't, and the number of rows. */
static void put_names(chooser *x, abr_content *out)
{
    const abr_record_list *list = x->list;
    const abr_record_bytes *header = &list->header;
    const abr_record_bytes *names = &list->names;
    const uint64_t marker = marker_size(x, list->total);
    x->marks = x->marks && marker <= x->most / 2;
    const size_t newline = x->marks && x->q->opts->marker == ABR_MARKER_INSIDE;
    const uint64_t room = x->most - (x->marks ? marker : 0);
    const uint64_t above = names->at - header->at;
    if (header->n == header->size && above + names->size + newline <= room)
        abr_content_keep(out, header->p, (size_t)(above + names->size), header->at, header->line);
    else if (names->size + newline <= room && names->n == names->size)
        abr_content_keep(out, names->p, names->n, names->at, names->line);
    else if (room > newline)
        abr_show_part(names, (size_t)room - newline, x->q, out);
    if (x->marks && out->count > 0)
        abr_content_mark(out, "\n", 1);
    mark_record_gap(x, list->total, true, out);
}

/* Put the header into the content, or only the names of the columns if it doesn't fit with the marker below
 * it. Is all of it there? */
static bool put_header(chooser *x, abr_content *out)
{
    const abr_record_bytes *header = &x->list->header;
    const uint64_t marker = x->marks ? marker_size(x, x->list->total) : 0;
    if (header->size == 0)
        return true;
    if (header->n < header->size || header->size + marker > x->most) {
        put_names(x, out);
        return false;
    }
    abr_content_keep(out, header->p, header->n, header->at, header->line);
    return true;
}

/* Put all kept records into the content. Returns how many show. */
ABR_WRAPS static uint64_t put_records(const chooser *x, abr_content *out)
{
    uint64_t next = 0;
    uint64_t shown = 0;
    for (size_t i = 0; i < x->list->count; i++) {
        const abr_shown_record *r = &x->list->records[i];
        if (!r->kept)
            continue;
        const abr_content before = *out;
        mark_record_gap(x, r->number - next, false, out);
        const size_t pieces = out->count;
        const size_t last = pieces > 0 ? out->pieces[pieces - 1].n : 0;
        if (r->limit > 0 && (r->limit < r->bytes.size || r->bytes.n < r->bytes.size))
            abr_show_part(&r->bytes, r->limit, x->q, out);
        else
            abr_content_keep(out, r->bytes.p, r->bytes.n, r->bytes.at, r->bytes.line);
        if (out->count == pieces && (pieces == 0 || out->pieces[pieces - 1].n == last)) {
            out->count = before.count; /* nothing of it fits */
            out->texts_used = before.texts_used;
            continue;
        }
        next = next_number(r);
        shown += next - r->number;
    }
    const abr_record_bytes *footer = &x->list->footer;
    mark_record_gap(x, x->list->total - next, footer->n == 0, out);
    if (footer->n > 0)
        abr_content_keep(out, footer->p, footer->n, footer->at, footer->line);
    return shown;
}

/* Change the limits of partly shown records by so many bytes each; a limit below a record's size stays below
 * it. */
static void change_parts(chooser *x, uint64_t more, bool less)
{
    for (size_t i = 0; i < x->list->count; i++) {
        abr_shown_record *r = &x->list->records[i];
        if (r->grows)
            r->limit = (size_t)(less ? r->limit - more : r->limit + more);
    }
}

/* The remaining room for each record shown in part, though more of it is at hand; 0 if there is none. */
static uint64_t room_for_parts(chooser *x, uint64_t left)
{
    size_t parts = 0;
    for (size_t i = 0; i < x->list->count; i++) {
        abr_shown_record *r = &x->list->records[i];
        r->grows =
            r->kept && r->limit > 0 && r->limit < r->bytes.size && r->limit < r->bytes.n + r->bytes.end_n;
        parts += r->grows;
    }
    return parts > 0 ? left / parts : 0;
}

static uint64_t put_all(chooser *x, abr_content *out)
{
    abr_content_clear(out);
    return put_header(x, out) ? put_records(x, out) : 0;
}

bool abr_choose_records(abr_record_list *list, const abr_kind_request *q, abr_content *out)
{
    chooser x = {.list = list, .q = q, .most = q->bytes, .marks = q->opts->marker != ABR_MARKER_NONE};
    char text[ABR_RECORDS_MARKER];
    x.marker = q->opts->marker == ABR_MARKER_INSIDE ? print_marker(&x, list->total, text) : 0;
    x.share = abr_record_share(x.most, list);
    bool any = false;
    if (list->footer.n > x.most / FOOTER_PART)
        list->footer.n = 0;
    choose_records(&x);
    for (size_t i = 0; i < list->count; i++)
        any = any || list->records[i].kept;
    if (!any)
        keep_one(&x);
    uint64_t shown = put_all(&x, out);
    for (int i = 0; i < GROWTHS && !out->failed; i++) {
        const uint64_t size = abr_counted_bytes(out->pieces, out->count, x.marker > 0);
        const uint64_t room = size < x.most ? room_for_parts(&x, x.most - size) : 0;
        if (room == 0 || x.most - size <= x.most / UNUSED)
            break;
        change_parts(&x, room, false);
        shown = put_all(&x, out);
        if (abr_counted_bytes(out->pieces, out->count, x.marker > 0) <= x.most)
            continue;
        change_parts(&x, room, true);
        shown = put_all(&x, out);
        break;
    }
    const abr_item item = {
        .unit = list->table ? ABR_ITEM_ROWS : ABR_ITEM_RECORDS, .total = list->total, .kept = shown};
    abr_content_tell(out, &item);
    return !out->failed;
}
