/*
 * Records as they go by: where each begins and ends, and which are retained.
 *
 * A record is read once, when it is complete. Its values give it a weight, and the heaviest records are
 * retained, as lines are for a priority cut. The two ends need no weight: they are in the view that a cut is
 * given. For the end, the reader notes the start of a record every few bytes, since quotes cannot be read
 * backwards.
 *
 * The records retained for a large budget include those a smaller one would have retained: weights depend on
 * the records alone, the longest retained part of a record grows more slowly than the allowance, and places
 * are noted at fixed distances.
 */
#include <string.h>

#include "kinds/records/record_reader.h"
#include "base/memory.h"
#include "base/size.h"
#include "budget/options.h"
#include "kinds/content.h"
#include "kinds/json/json_cut.h"
#include "kinds/json/json_lines.h"
#include "kinds/json/json_parts.h"
#include "line/lines.h"
#include "priority/sort.h"
#include "text/flow.h"
#include "text/scan.h"

enum {
    /* Bytes of a record that are read, and retained, so that it can be cut as JSON. */
    JSON_MOST = ABR_OR_TINY(64 * 1024, 1024),
    ROW_MOST = ABR_OR_TINY(4 * 1024, 128),
    MOST_PER_KEEP = 32, /* and this part of the budget is retained too */
    PLACES_APART = 256, /* bytes between two noted places */
    /* For retained records, and more for each byte of the budget. */
    ALLOWANCE_LEAST = ABR_OR_TINY(32 * 1024, 4096),
    ALLOWANCE_PER_BYTE = 2,
    LISTED_KEEP = ABR_OR_TINY(256 * 1024, 4096)
};

/* The reader's memory per ABR_MEMORY_UNIT bytes of budget while a record is cut as JSON. */
_Static_assert(ABR_CANDIDATES_MEMORY(ALLOWANCE_PER_BYTE *ABR_MEMORY_UNIT) +
                       (2 * ABR_MEMORY_UNIT / ABR_RECORDS_PER_KEEP +
                        ALLOWANCE_PER_BYTE * ABR_MEMORY_UNIT / ABR_CANDIDATE_COST) *
                           (sizeof(abr_shown_record) + 2 * sizeof(abr_key)) +
                       2 * ABR_MEMORY_UNIT / MOST_PER_KEEP + ABR_CONTENT_MEMORY(ABR_MEMORY_UNIT) +
                       ABR_JSON_PARTS_MEMORY(ABR_JSON_RECORD_PER_BYTE * ABR_MEMORY_UNIT) +
                       ABR_JSON_COPIES_MEMORY(ABR_JSON_RECORD_PER_BYTE * ABR_MEMORY_UNIT) +
                       ABR_JSON_TREE_MEMORY(ABR_JSON_RECORD_PER_BYTE * ABR_MEMORY_UNIT) <=
                   ABR_MEMORY_UNITS,
               "records take no more than a stream may for its budget");

_Static_assert(ALLOWANCE_LEAST <=
                   ALLOWANCE_PER_BYTE * MOST_PER_KEEP * (ROW_MOST + ABR_RECORD_END_MOST + ABR_CANDIDATE_COST),
               "what long records cost grows more slowly than the allowance");

static const float first_weight = 1e6F; /* the first record is retained */
/* Of the value of a record in trouble, for the next one that goes on with it, down to the least, except in a
 * traceback, which goes on to its message; */
static const float part_of_next = 0.9F;
static const float least_of_next = 0.5F;
/* and for any next one if a text tells of the trouble, less for each further one, as in a log. */
static const float part_near = 0.45F;
static const float step_near = 0.85F;

size_t abr_record_read_most(const abr_record_reader *r)
{
    return r->opts.told.kind == ABR_KIND_JSON_LINES ? JSON_MOST : ROW_MOST;
}

size_t abr_record_listed_keep(size_t keep)
{
    return (keep < LISTED_KEEP ? keep : LISTED_KEEP) / MOST_PER_KEEP * MOST_PER_KEEP;
}

size_t abr_record_whole_most(const abr_record_reader *r, size_t keep)
{
    return abr_record_read_most(r) + abr_record_listed_keep(keep) / MOST_PER_KEEP;
}

size_t abr_record_allowance(size_t keep)
{
    return ALLOWANCE_LEAST + abr_record_listed_keep(keep) * ALLOWANCE_PER_BYTE;
}

/* ---- places ---- */

/* The most places that may be needed for the end of a text. */
static size_t most_places(const abr_record_reader *r)
{
    return r->opts.keep / PLACES_APART + 4;
}

static bool grow_places(const abr_record_reader *r, abr_record_place **places, size_t *size, size_t used,
                        size_t n)
{
    const size_t most = most_places(r);
    const size_t more = n / PLACES_APART + 2;
    return abr_grow(r->opts.alloc, places, size, more < most - used ? used + more : most, most,
                    sizeof **places);
}

/* Is there memory for the places in n more bytes? The ring has not wrapped if it grows, since it was not
 * full. */
static bool reserve_places(abr_record_reader *r, size_t n)
{
    return grow_places(r, &r->places, &r->places_size, r->places_used, n) &&
           grow_places(r, &r->first, &r->first_size, r->first_used, n);
}

static void note_place(abr_record_reader *r)
{
    if (r->places_size == 0)
        return;
    if (r->places_used > 0 && r->now.at - abr_record_place_at(r, r->places_used - 1)->at < PLACES_APART)
        return;
    if (r->first_used < r->first_size)
        r->first[r->first_used++] = r->now;
    if (r->places_used == r->places_size) {
        r->oldest = (r->oldest + 1) % r->places_size;
        r->places_used--;
    }
    r->places_used++;
    *abr_record_place_at(r, r->places_used - 1) = r->now;
}

/* Is the next line one of the header? The header of delimited fields is a record. */
static bool in_header_line(const abr_record_reader *r)
{
    return r->header_left > 0 && !r->opts.told.delimiter;
}

/* ---- records ---- */

static void move_on(abr_record_reader *r, uint64_t size, uint64_t newlines)
{
    r->now.at += size;
    r->now.line += newlines;
}

/* A line or record has ended: is it part of the header? */
static bool end_header(abr_record_reader *r, const char *p, const abr_record_bytes *b)
{
    if (r->header_left == 0)
        return false;
    const size_t n = abr_without_newline(p, b->n).n;
    const bool fields = r->opts.told.delimiter != 0;
    if (abr_values_name(&r->values, p, n)) {
        r->names = r->now;
        r->names_n = b->n < b->size ? b->size - 1 : n;
    }
    r->header_left -= !fields || !abr_is_empty_row(&r->opts.told, p, b->n);
    move_on(r, b->size, b->lines);
    r->header = r->now.at;
    r->rows_end = r->now;
    return true;
}

float abr_record_weight(const abr_worth *w, uint32_t nth)
{
    const abr_candidate c = {.nth = nth};
    const float says = w->trouble >= ABR_SCORE_HIT || w->trouble > w->odd ? w->trouble : w->odd;
    return says > 0 ? says / abr_repeat_discount(&c) : 0;
}

static float larger(float a, float b)
{
    return a > b ? a : b;
}

float abr_value_in_run(abr_record_run *run, const abr_worth *w, uint64_t number, float own)
{
    const bool follows = run->number + 1 == number;
    const float next = follows && w->goes_on ? run->value * part_of_next : 0;
    const float near = follows ? run->near * step_near : 0;
    const float message = follows && !w->goes_on ? run->message : 0;
    run->value = next >= least_of_next || run->message > 0 ? next : 0;
    run->near = near >= least_of_next ? near : 0;
    const float value = larger(larger(own, message), larger(run->value, run->near));
    if (!follows || !w->goes_on)
        run->message = w->traces ? own : 0;
    if (w->trouble >= ABR_SCORE_HIT) {
        run->value = value;
        if (w->tells && own * part_near > run->near)
            run->near = own * part_near;
    }
    run->number = number;
    return value;
}

void abr_count_record_again(abr_record_reader *r)
{
    abr_worth w;
    if (r->again > 0)
        abr_values_read(&r->values, r->before, abr_without_newline(r->before, r->before_n).n, true, r->again,
                        &w);
    r->again = 0;
}

/* Remember a record, after which ABR_PADDING bytes are readable, in case it comes again. */
static void remember(abr_record_reader *r, const char *p, size_t n)
{
    memcpy(r->before, p, ABR_PADDING); /* a fixed size, so the compiler makes no call */
    for (size_t i = ABR_PADDING; i < n; i += ABR_PADDING)
        memcpy(r->before + i, p + i, ABR_PADDING);
    r->before_n = n;
}

/* Read a record that has ended, and put its worth into r->says; a repeat of the previous record has the
 * same. */
static void read_ended(abr_record_reader *r, const char *p, size_t n, uint64_t size)
{
    if (n == size && n == r->before_n && r->again < UINT32_MAX && memcmp(p, r->before, n) == 0) {
        r->again++;
        return;
    }
    abr_count_record_again(r);
    const size_t read = n < abr_record_read_most(r) ? n : abr_record_read_most(r);
    abr_values_read(&r->values, p, n == read ? abr_without_newline(p, n).n : read, read == size, 1, &r->says);
    r->before_n = 0;
    if (n == size && n <= ABR_RECORD_AGAIN_MOST)
        remember(r, p, n);
}

/* Retain the record just read, if it weighs enough. */
static void retain_record(abr_record_reader *r, const abr_record_bytes *b)
{
    const abr_worth *w = &r->says;
    const bool says = w->trouble > 0 || w->odd > 0;
    const uint32_t nth = says ? abr_shapes_add(&r->signs, w->sign, 1) : 0;
    const float weight = abr_value_in_run(&r->run, w, r->now.number, abr_record_weight(w, nth));
    if (weight <= 0 && r->now.number > 0)
        return;
    const abr_candidate c = {.line = b->line,
                             .at = b->at,
                             .size = b->size,
                             .chars = r->now.number, /* records, not chars */
                             .sign = w->at,
                             .start = b->p,
                             .start_n = (uint32_t)b->n,
                             .window = b->end_n > 0 ? b->end : b->p,
                             .window_n = b->end_n,
                             .retain_weight = r->now.number == 0 ? first_weight : weight,
                             .nth = nth,
                             .hits_before = (uint32_t)(b->lines < UINT32_MAX ? b->lines : UINT32_MAX)};
    abr_candidates_add(&r->retained, &c);
}

/* The next record has ended: b->n bytes of it are at p, with ABR_PADDING readable bytes after them. They will
 * be found at b->p. */
static void end_record(abr_record_reader *r, const char *p, const abr_record_bytes *b)
{
    if (end_header(r, p, b))
        return;
    if (b->n < b->size || !abr_is_empty_row(&r->opts.told, p, b->n)) {
        read_ended(r, p, b->n, b->size);
        note_place(r);
        retain_record(r, b);
        r->now.number++;
        move_on(r, b->size, b->lines);
        r->rows_end = r->now;
        return;
    }
    move_on(r, b->size, b->lines);
}

/* ---- the open record ---- */

static void add_to_record(abr_record_reader *r, const char *p, size_t n)
{
    if (r->size == 0 || r->ended) {
        r->begun = r->now;
        r->size = r->newlines = 0;
        r->open_n = r->end_n = 0;
        r->ended = false;
    }
    const size_t most = abr_record_whole_most(r, r->opts.keep);
    const size_t part = n < most - r->open_n ? n : most - r->open_n;
    memcpy(r->open + r->open_n, p, part);
    r->open_n += part;
    r->end_n = abr_tail_add(r->end, r->end_n, ABR_RECORD_END_MOST, p, n);
    r->size += n;
    r->newlines += abr_count_newlines(p, n);
}

void abr_shorten_record(abr_record_bytes *b, size_t most, const char *end, size_t n)
{
    if (b->size <= most)
        return;
    b->n = abr_bytes_at_most(b->n, most);
    if (b->end_n > 0)
        return;
    n = n < ABR_RECORD_END_MOST ? n : ABR_RECORD_END_MOST;
    b->end = end - n;
    b->end_n = (uint32_t)n;
}

abr_record_bytes abr_open_record(const abr_record_reader *r, size_t keep)
{
    const char *p = r->opts.text ? r->opts.text + r->begun.at : r->open;
    abr_record_bytes b = abr_record_at(r->begun, p, r->open_n, r->newlines);
    b.size = r->size;
    b.ends_line = r->ended || abr_ends_row_line(r, r->end, r->end_n);
    /* the reader goes before the text */
    abr_shorten_record(&b, abr_record_whole_most(r, keep), r->opts.text ? p + r->size : r->end + r->end_n,
                       r->end_n);
    return b;
}

static void end_open_record(abr_record_reader *r)
{
    r->ended = true;
    memset(r->open + r->open_n, 0, ABR_PADDING);
    const abr_record_bytes b = abr_open_record(r, r->opts.keep);
    end_record(r, r->open, &b);
}

/* ---- chunks ---- */

/* Read the records of a chunk that can be read in place. Returns their bytes. */
static size_t read_in_place(abr_record_reader *r, const char *p, size_t n)
{
    const size_t most = abr_record_whole_most(r, r->opts.keep);
    const bool fields = r->opts.told.delimiter != 0;
    size_t quote = 0; /* the next one is not before this */
    size_t at = 0;
    while (n - at > ABR_PADDING) {
        bool ends;
        const size_t line = abr_skip_record_line(p + at, n - at, &ends);
        size_t size = line; /* of most records */
        if (fields && at + size > quote) {
            const char *next = memchr(p + at, '"', n - at);
            quote = next ? (size_t)(next - p) : n;
        }
        const bool opens = abr_json_opens_record(p + at, line);
        if (fields ? quote < at + size : opens || (r->opts.told.drawn.bar && !in_header_line(r))) {
            abr_record_state state = {.field = ABR_FIELD_START};
            size = abr_skip_record(&r->opts.told, &state, p + at, n - at, &ends);
        }
        if (!ends || size > most || at + size + ABR_PADDING > n)
            break;
        r->size = 0; /* the record that was open is no longer the last one */
        const abr_record_bytes b = abr_record_at(r->now, r->opts.text ? r->opts.text + r->now.at : p + at,
                                                 size, size == line ? 1 : abr_count_newlines(p + at, size));
        end_record(r, p + at, &b);
        at += size;
    }
    return at;
}

void abr_write_records(abr_reader *base, const char *p, size_t n)
{
    abr_record_reader *r = (abr_record_reader *)base;
    while (n > 0) {
        bool ends;
        const size_t taken = abr_record_is_open(r) ? 0 : read_in_place(r, p, n);
        p += taken;
        n -= taken;
        const size_t part = in_header_line(r) ? abr_skip_record_line(p, n, &ends)
                                              : abr_skip_record(&r->opts.told, &r->state, p, n, &ends);
        if (part > 0)
            add_to_record(r, p, part);
        if (ends)
            end_open_record(r);
        p += part;
        n -= part;
    }
}

static bool reserve_open(abr_record_reader *r, size_t n)
{
    const size_t most = abr_record_whole_most(r, r->opts.keep);
    const size_t open = abr_record_is_open(r) ? r->open_n : 0;
    const size_t wanted = (n < most - open ? open + n : most) + ABR_PADDING;
    return abr_grow(r->opts.alloc, &r->open, &r->open_size, wanted, most + ABR_PADDING, 1);
}

bool abr_reserve_records(abr_reader *base, const char *p, size_t n)
{
    abr_record_reader *r = (abr_record_reader *)base;
    const size_t most = abr_record_whole_most(r, r->opts.keep) + ABR_RECORD_END_MOST;
    size_t more = SIZE_MAX; /* no need to count if there is memory for all */
    if (r->retained.size < abr_candidates_most(&r->retained))
        more = (size_t)abr_count_newlines(p, n) + 1;
    return reserve_open(r, n) && reserve_places(r, n) &&
           abr_candidates_reserve(&r->retained, more, n < SIZE_MAX - most ? n + most : SIZE_MAX);
}

/* ---- the reader ---- */

void abr_close_records(abr_reader *base)
{
    abr_record_reader *r = (abr_record_reader *)base;
    const abr_alloc *a = r->opts.alloc;
    abr_candidates_free(&r->retained);
    abr_patterns_close(&r->values.patterns, a);
    abr_release(a, r->places);
    abr_release(a, r->first);
    abr_release(a, r->open);
    abr_release(a, r);
}

bool abr_settle_records(abr_reader *base)
{
    return abr_candidates_settle(&((abr_record_reader *)base)->retained);
}

abr_code abr_open_records(const abr_reader_opts *opts, const abr_reader_methods *methods, abr_reader **out)
{
    abr_record_reader *r = opts->alloc->malloc(opts->alloc->ctx, sizeof *r);
    if (!r)
        return ABR_ENOMEM;
    memset(r, 0, sizeof *r);
    r->base.methods = methods;
    r->signs = (abr_shapes){r->sign_sets, ABR_SHAPE_SETS};
    r->opts = *opts;
    r->retained.alloc = opts->alloc;
    r->retained.copies = opts->text == NULL;
    r->retained.allowance = abr_record_allowance(opts->keep);
    if (opts->told.kind == ABR_KIND_TABLE)
        r->header_left = opts->told.delimiter ? 1 : opts->told.header_lines;
    const abr_code code = abr_values_open(&r->values, opts);
    if (code != ABR_OK) {
        opts->alloc->free(opts->alloc->ctx, r);
        return code;
    }
    *out = &r->base;
    return ABR_OK;
}
