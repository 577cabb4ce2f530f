/*
 * The list of records that a cut is chosen from.
 *
 * Records are listed for a choice, and read again, except those of two runs: one from the text's first place
 * to a later one, the other from some place to the text's end. These are as long as is sure to fit, so short
 * records fill a budget too, though no more are listed than abr_record_listed_keep() allows.
 */
#include <string.h>

#include "kinds/records/record_list.h"
#include "base/memory.h"
#include "base/size.h"
#include "kinds/records/record.h"
#include "kinds/records/record_choice.h"
#include "kinds/records/record_reader.h"
#include "kinds/records/values.h"
#include "line/lines.h"
#include "line/score.h"
#include "priority/candidates.h"
#include "priority/sort.h"
#include "text/flow.h"
#include "text/scan.h"
#include "text/utf8.h"

enum {
    RECORDS_LEAST = 256, /* of each end are listed, whatever the budget */
    FOOTER_MOST = 1024   /* bytes of the text after a table's last row */
};

/* The records between the runs, and the room for them. */
typedef struct {
    abr_record_place front; /* after the run at the start */
    abr_record_place back;  /* where the run at the end starts */
    uint64_t room;
    uint64_t share; /* larger records are in no run */
} inner_records;

/* The most records to list of one end, which are no more than there are; at the text's end, the list starts
 * at a place that may be one earlier. */
static size_t most_of_end(const abr_record_reader *r, size_t keep)
{
    const size_t most = abr_record_listed_keep(keep) / ABR_RECORDS_PER_KEEP + RECORDS_LEAST;
    return most < r->list.total ? most : (size_t)r->list.total;
}

/* Records that may be shown: those of the two ends, the retained ones, the last one, and runs. */
static size_t most_listed(abr_record_reader *r, size_t keep)
{
    abr_candidates_trim(&r->retained);
    return 2 * (most_of_end(r, keep) + 2) + r->retained.count;
}

/* Leave out the ruling below a row if it would take more than half as much as the row's lines. */
static void drop_ruling(abr_record_bytes *b)
{
    const char *newline = b->lines > 1 && b->n == b->size ? abr_find_last_newline(b->p, b->n - 1) : NULL;
    const size_t n = newline ? (size_t)(newline - b->p) + 1 : b->n;
    if (2 * (b->n - n) <= n)
        return;
    b->n = n;
    b->size = n;
    b->lines--;
}

static void list_record(abr_record_reader *r, const abr_record_bytes *bytes, uint64_t number)
{
    abr_record_bytes b = *bytes;
    b.by_lines = r->opts.told.drawn.rows == ABR_ROWS_RULED;
    if (b.by_lines)
        drop_ruling(&b);
    if (b.n < b.size) { /* it was cut anywhere */
        const size_t skipped = abr_rest_of_char(b.end, b.end_n);
        b.n -= abr_open_sequence(b.p, b.n);
        b.end += skipped;
        b.end_n -= (uint32_t)skipped;
    }
    r->list.records[r->list.count++] = (abr_shown_record){.bytes = b, .number = number};
}

/* List records in (p, n), which starts at the place `now`, until there are `most` of them or they fill the
 * room; `ends`: a record, or the text, ends with (p, n). */
static void list_from(abr_record_reader *r, abr_record_place now, const char *p, size_t n, bool ends,
                      size_t most, const inner_records *b)
{
    uint64_t room = b->room;
    size_t at = 0;
    for (size_t listed = 0; at < n && listed < most;) {
        bool ended;
        abr_record_state state = {.field = ABR_FIELD_START};
        const size_t size = abr_skip_record(&r->opts.told, &state, p + at, n - at, &ended);
        if (!ended && !ends)
            return;
        const uint64_t newlines = abr_count_newlines(p + at, size);
        if (!abr_is_empty_row(&r->opts.told, p + at, size)) {
            abr_record_bytes bytes = abr_record_at(now, p + at, size, newlines);
            bytes.ends_line = ended || abr_ends_row_line(r, p + at, size);
            list_record(r, &bytes, now.number++);
            listed++;
            const uint64_t part = size < b->share ? size : b->share;
            if (part > room)
                return;
            room -= part;
        }
        at += size;
        now.at += size;
        now.line += newlines;
    }
}

/* The n bytes from `at` on in one piece, or NULL if they are not at hand. */
static const char *bytes_in_view(const abr_view *v, uint64_t at, size_t n)
{
    const abr_flow ends = {{v->front.p, v->front.n, 0}, {v->back.p, v->back.n, v->bytes - v->back.n}};
    return abr_flow_piece(&ends, at, n);
}

/* List records at the end of the part between the runs, from a place before which none can be shown. */
static void list_back(abr_record_reader *r, const abr_view *view, const inner_records *b, size_t most)
{
    const uint64_t back = view->bytes - view->back.n;
    const abr_record_place *from = NULL;
    uint64_t room = b->room;
    uint64_t next = b->back.at;
    for (size_t i = r->places_used; i > 0; i--) {
        const abr_record_place *x = abr_record_place_at(r, i - 1);
        if (x->at >= b->back.at)
            continue;
        if (x->at < back || x->at < b->front.at || b->back.number - x->number > most)
            break;
        from = x;
        const uint64_t part = next - x->at < b->share ? next - x->at : b->share;
        if (part > room)
            break;
        room -= part;
        next = x->at;
    }
    const inner_records all = {.room = UINT64_MAX};
    const size_t n = from ? (size_t)(b->back.at - from->at) : 0;
    const char *p = from ? bytes_in_view(view, from->at, n) : NULL;
    if (p)
        list_from(r, *from, p, n, true, most + 1, &all);
}

static void list_run(abr_record_reader *r, const abr_view *view, const abr_record_place *from,
                     const abr_record_place *to)
{
    const size_t size = (size_t)(to->at - from->at);
    const char *p = bytes_in_view(view, from->at, size);
    const abr_record_bytes bytes = abr_record_at(*from, p, size, 0);
    if (!p || size == 0)
        return;
    list_record(r, &bytes, from->number);
    r->list.records[r->list.count - 1].run = to->number - from->number;
}

/* Does the open line, or the one that ended last, hold no part of a record? */
static bool open_is_blank(const abr_record_reader *r)
{
    return r->size == r->open_n && abr_is_empty_row(&r->opts.told, r->open, r->open_n);
}

/* Is there an open record that the text's end completes? */
static bool open_counts(const abr_record_reader *r)
{
    return abr_record_is_open(r) && r->header_left == 0 && !open_is_blank(r);
}

/* The end of the last row; the table's footer comes after it. */
static abr_record_place end_of_rows(const abr_record_reader *r, const abr_view *view)
{
    abr_record_place end = r->rows_end;
    if (!r->opts.told.drawn.bar || open_counts(r))
        end.at = view->bytes;
    end.number = r->list.total;
    return end;
}

/* List the records of the text's two ends. */
static void list_ends(abr_record_reader *r, const abr_view *view, const inner_records *b, size_t keep)
{
    const size_t most = most_of_end(r, keep);
    const abr_record_place end = end_of_rows(r, view);
    if (b->front.number > 0)
        list_run(r, view, &r->first[0], &b->front);
    if (b->front.at < view->front.n) {
        const uint64_t to = b->back.at < view->front.n ? b->back.at : view->front.n;
        list_from(r, b->front, view->front.p + b->front.at, (size_t)(to - b->front.at),
                  view->front.whole || to == b->back.at, most, b);
    }
    list_back(r, view, b, most);
    if (b->back.at < end.at)
        list_run(r, view, &b->back, &end);
}

/* Find the longest runs that fit beside the header and the other listed records, however those are chosen. */
static inner_records find_runs(const abr_record_reader *r, const abr_kind_request *q)
{
    const abr_view *view = q->view;
    const uint64_t most = q->bytes < view->bytes ? q->bytes : view->bytes;
    const uint64_t back = view->bytes - view->back.n;
    inner_records b = {.front = {.at = r->header}, .back = end_of_rows(r, view)};
    const uint64_t end = b.back.at;
    uint64_t fixed = r->header + view->bytes - end + (uint64_t)2 * ABR_RECORDS_MARKER;
    b.room = UINT64_MAX;
    b.share = abr_record_share(q->bytes, &r->list);
    if (r->header < view->front.n)
        b.front.line = abr_count_newlines(view->front.p, (size_t)r->header);
    for (size_t i = 0; i < r->list.count; i++) {
        const uint64_t size = r->list.records[i].bytes.size;
        fixed += (size < b.share ? size : b.share) + ABR_RECORDS_MARKER;
    }
    if (fixed >= most || r->opts.told.drawn.rows == ABR_ROWS_RULED) /* runs would show all rulings */
        return b;
    const uint64_t sure = (most - fixed) / (ABR_RECORDS_FRONT + ABR_RECORDS_BACK);
    for (size_t i = 0; i < r->first_used; i++) {
        const abr_record_place *x = &r->first[i];
        if (x->at - r->first[0].at > sure * ABR_RECORDS_FRONT || x->at > view->front.n ||
            (i > 0 && x->at - b.front.at > b.share))
            break;
        b.front = *x;
    }
    for (size_t i = r->places_used; i > 0; i--) {
        const abr_record_place *x = abr_record_place_at(r, i - 1);
        if (x->at < back || end - x->at > sure * ABR_RECORDS_BACK || b.back.at - x->at > b.share)
            break;
        b.back = *x;
    }
    const uint64_t runs = b.front.at - r->header + view->bytes - b.back.at; /* and the footer */
    b.room = q->bytes - r->header - (runs < q->bytes - r->header ? runs : q->bytes - r->header);
    return b;
}

/* A retained record, cut down to the size it would have with `keep`. */
static abr_record_bytes retained_bytes(const abr_record_reader *r, const abr_candidate *c, size_t keep)
{
    abr_record_bytes b = {.at = c->at,
                          .line = c->line,
                          .size = c->size,
                          .lines = c->hits_before,
                          .p = c->start,
                          .n = c->start_n,
                          .end = c->window,
                          .end_n = c->window_n,
                          .ends_line = true};
    abr_shorten_record(&b, abr_record_whole_most(r, keep), c->start + c->start_n, c->start_n);
    return b;
}

/* List the records retained with `keep`. */
static void list_retained(abr_record_reader *r, size_t keep)
{
    abr_key *keys = r->list.keys;
    const size_t allowance = abr_record_allowance(keep);
    const abr_candidates *c = &r->retained;
    size_t n = 0;
    for (size_t i = 0; i < c->count; i++) {
        const abr_candidate *x = &c->slots[c->list[i].slot];
        if (!abr_candidates_excluded(c, x))
            keys[n++] = (abr_key){x->line, c->list[i].slot};
    }
    abr_sort_keys(keys, n, keys + n);
    for (size_t i = 0; i < n; i++)
        keys[i].key = ~abr_float_key(c->slots[keys[i].index].retain_weight);
    abr_sort_keys(keys, n, keys + n);
    size_t cost = 0;
    for (size_t i = 0; i < n; i++) {
        const abr_candidate *x = &c->slots[keys[i].index];
        const abr_record_bytes b = retained_bytes(r, x, keep);
        cost += b.n + b.end_n + ABR_CANDIDATE_COST;
        if (cost > allowance)
            return;
        list_record(r, &b, x->chars);
    }
}

/* Put the list in order, each record once. */
static void sort_list(abr_record_list *list)
{
    abr_shown_record *x = list->records;
    abr_key *keys = list->keys;
    const size_t count = list->count;
    size_t n = 0;
    for (size_t i = 0; i < count; i++)
        keys[i] = (abr_key){x[i].number, (uint32_t)i};
    abr_sort_keys(keys, count, keys + count);
    /* in place: the record for slot i may have moved when an earlier slot was filled */
    for (size_t i = 0; i < count; i++) {
        size_t from = keys[i].index;
        while (from < i)
            from = keys[from].index;
        const abr_shown_record moved = x[i];
        x[i] = x[from];
        x[from] = moved;
        keys[i].index = (uint32_t)from;
    }
    for (size_t i = 0; i < count; i++) {
        if (n == 0 || x[n - 1].number != x[i].number)
            x[n++] = x[i];
        else if (x[i].bytes.n >= x[n - 1].bytes.n)
            x[n - 1] = x[i];
    }
    list->count = n;
}

/* Read each record again, compared with all the others: this worth is the final one. */
static void value_list(abr_record_reader *r, abr_worth *worths, char *scratch)
{
    abr_record_list *list = &r->list;
    abr_key *keys = list->keys;
    abr_count_record_again(r);
    abr_columns_settle(&r->values.columns);
    for (size_t i = 0; i < list->count; i++) {
        abr_shown_record *x = &list->records[i];
        const size_t n = x->bytes.n < abr_record_read_most(r) ? x->bytes.n : abr_record_read_most(r);
        keys[i] = (abr_key){0, (uint32_t)i};
        worths[i] = (abr_worth){.trouble = 0};
        if (x->run > 0)
            continue;
        memcpy(scratch, x->bytes.p, n);
        memset(scratch + n, 0, ABR_PADDING);
        abr_values_read(&r->values, scratch, n == x->bytes.size ? abr_without_newline(scratch, n).n : n,
                        n == x->bytes.size, 0, &worths[i]);
        x->bytes.sign = worths[i].at;
        x->bytes.json = r->opts.told.kind == ABR_KIND_JSON_LINES && !worths[i].bad;
        keys[i].key = worths[i].sign;
    }
    abr_sort_keys(keys, list->count, keys + list->count);
    uint32_t nth = 0;
    for (size_t i = 0; i < list->count; i++) {
        nth = i > 0 && keys[i].key == keys[i - 1].key ? nth + 1 : 0;
        const abr_worth *w = &worths[keys[i].index];
        list->records[keys[i].index].value = abr_record_weight(w, nth);
        list->records[keys[i].index].novel = nth == 0 && w->trouble >= ABR_SCORE_HIT;
    }
    abr_record_run run = {.number = 0};
    for (size_t i = 0; i < list->count; i++) {
        abr_shown_record *x = &list->records[i];
        const float own = x->value;
        x->value = abr_value_in_run(&run, &worths[i], x->number, own);
        x->odd = worths[i].trouble < ABR_SCORE_HIT && x->value <= own;
    }
}

/* Drop records that are in a run. */
static void drop_covered(abr_record_list *list, const inner_records *b)
{
    size_t n = 0;
    for (size_t i = 0; i < list->count; i++) {
        const abr_shown_record *x = &list->records[i];
        if (x->number >= b->front.number && x->number < b->back.number)
            list->records[n++] = *x;
    }
    list->count = n;
}

static bool fill_list(abr_record_reader *r, const abr_kind_request *q, size_t most)
{
    const abr_alloc *a = r->opts.alloc;
    abr_worth *worths = a->malloc(a->ctx, most * sizeof *worths);
    char *scratch = a->malloc(a->ctx, abr_record_read_most(r) + ABR_PADDING);
    const bool fine = worths && scratch;
    if (fine) {
        list_retained(r, q->keep);
        if (r->size > 0 && r->header_left == 0 && r->begun.at >= r->header && !open_is_blank(r)) {
            const abr_record_bytes b = abr_open_record(r, q->keep);
            list_record(r, &b, r->now.number - r->ended);
        }
        const inner_records b = find_runs(r, q);
        drop_covered(&r->list, &b);
        list_ends(r, q->view, &b, q->keep);
        sort_list(&r->list);
        value_list(r, worths, scratch);
    }
    abr_release(a, worths);
    abr_release(a, scratch);
    return fine;
}

/* Set the header: all of it, or the names of the columns alone if titles and a ruling around them would take
 * too much. A drawn table needs its only ruling. If the header has not ended, it is all there is. */
static void set_header(abr_record_reader *r, const abr_kind_request *q)
{
    enum { HEADER_PART = 2 }; /* of the cut */
    const abr_edge *front = &q->view->front;
    const uint64_t n = r->header_left > 0 ? q->view->bytes : r->header;
    abr_record_bytes *header = &r->list.header;
    abr_record_bytes *names = &r->list.names;
    *header = *names = (abr_record_bytes){.p = front->p, .size = n, .n = abr_bytes_at_most(front->n, n)};
    if (r->header_left > 0)
        return;
    const bool needs_ruling = r->opts.told.drawn.bar && r->opts.told.drawn.rows != ABR_ROWS_RULED;
    const uint64_t hand = r->names.at < front->n ? front->n - r->names.at : 0;
    *names = (abr_record_bytes){.at = r->names.at,
                                .line = r->names.line,
                                .size = r->names_n,
                                .p = hand > 0 ? front->p + r->names.at : NULL,
                                .n = (size_t)abr_at_most(r->names_n, hand)};
    if (needs_ruling || n <= q->bytes / HEADER_PART || names->n < names->size ||
        names->at + names->n >= header->n || !names->p || names->p[names->n] != '\n')
        return;
    *header = *names;
    header->n++;
    header->size++;
}

static void set_footer(abr_record_reader *r, const abr_view *view)
{
    const abr_record_place from = end_of_rows(r, view);
    const uint64_t n = view->bytes - from.at;
    r->list.footer = (abr_record_bytes){.at = from.at, .line = from.line};
    if (n > 0 && n <= FOOTER_MOST && r->header_left == 0)
        r->list.footer.p = bytes_in_view(view, from.at, (size_t)n);
    r->list.footer.n = r->list.footer.p ? (size_t)n : 0;
}

static bool choose_listed_records(abr_reader *base, const abr_kind_request *q, abr_content *out)
{
    abr_record_reader *r = (abr_record_reader *)base;
    const abr_alloc *a = r->opts.alloc;
    r->list = (abr_record_list){.total = r->now.number + open_counts(r),
                                .table = r->opts.told.kind == ABR_KIND_TABLE,
                                .ruled = r->opts.told.drawn.rows == ABR_ROWS_RULED};
    const size_t most = most_listed(r, q->keep);
    r->list.records = a->malloc(a->ctx, most * sizeof *r->list.records);
    r->list.keys = a->malloc(a->ctx, 2 * most * sizeof *r->list.keys);
    bool fine = r->list.records && r->list.keys && fill_list(r, q, most);
    if (fine) {
        set_footer(r, q->view);
        set_header(r, q);
        fine = abr_choose_records(&r->list, q, out);
    }
    abr_release(a, r->list.records);
    abr_release(a, r->list.keys);
    return fine;
}

static abr_code open_records(const abr_reader_opts *opts, abr_reader **out)
{
    return abr_open_records(opts, &abr_record_methods, out);
}

const abr_reader_methods abr_record_methods = {
    .open = open_records,
    .reserve = abr_reserve_records,
    .write = abr_write_records,
    .choose = choose_listed_records,
    .close = abr_close_records,
    .settle = abr_settle_records,
};
