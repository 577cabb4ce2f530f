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
 *
 * Records are listed for a choice, and read again, except those of two runs: one from the text's first place
 * to a later one, the other from some place to the text's end. These are as long as is sure to fit, so short
 * records fill a budget too, though no more are listed than LISTED_KEEP allows.
 */
#include <string.h>

#include "kinds/records/records.h"
#include "abridge.h"
#include "base/memory.h"
#include "base/size.h"
#include "base/tiny.h"
#include "budget/options.h"
#include "kinds/content.h"
#include "kinds/json/json_cut.h"
#include "kinds/json/json_lines.h"
#include "kinds/json/json_parts.h"
#include "line/lines.h"
#include "kinds/reader.h"
#include "kinds/records/record_choice.h"
#include "kinds/records/record_part.h"
#include "kinds/records/values.h"
#include "priority/candidates.h"
#include "line/score.h"
#include "priority/shape.h"
#include "priority/sort.h"
#include "line/words.h"
#include "text/flow.h"
#include "text/scan.h"
#include "text/utf8.h"

enum {
    /* Bytes of a record that are read, and retained, so that it can be cut as JSON. */
    JSON_MOST = ABR_OR_TINY(64 * 1024, 1024),
    ROW_MOST = ABR_OR_TINY(4 * 1024, 128),
    MOST_PER_KEEP = 32,               /* and this part of the budget is retained too */
    END_MOST = ABR_OR_TINY(1024, 32), /* bytes of the end of a longer one */
    FOOTER_MOST = 1024,               /* bytes of the text after a table's last row */
    AGAIN_MOST = 2 * ABR_PADDING,     /* a repeated record up to so many bytes is not read again */
    PLACES_APART = 256,               /* bytes between two noted places */
    RECORDS_PER_KEEP = 16,            /* records of each end: one per so many bytes, and at least */
    RECORDS_LEAST = 256,
    /* For retained records, and more for each byte of the budget. */
    ALLOWANCE_LEAST = ABR_OR_TINY(32 * 1024, 4096),
    ALLOWANCE_PER_BYTE = 2,
    LISTED_KEEP = ABR_OR_TINY(256 * 1024, 4096)
};

/* The reader's memory per ABR_MEMORY_UNIT bytes of budget while a record is cut as JSON. */
_Static_assert(ABR_CANDIDATES_MEMORY(ALLOWANCE_PER_BYTE *ABR_MEMORY_UNIT) +
                       (2 * ABR_MEMORY_UNIT / RECORDS_PER_KEEP +
                        ALLOWANCE_PER_BYTE * ABR_MEMORY_UNIT / ABR_CANDIDATE_COST) *
                           (sizeof(abr_shown_record) + 2 * sizeof(abr_key)) +
                       2 * ABR_MEMORY_UNIT / MOST_PER_KEEP + ABR_CONTENT_MEMORY(ABR_MEMORY_UNIT) +
                       ABR_JSON_PARTS_MEMORY(ABR_JSON_RECORD_PER_BYTE * ABR_MEMORY_UNIT) +
                       ABR_JSON_COPIES_MEMORY(ABR_JSON_RECORD_PER_BYTE * ABR_MEMORY_UNIT) +
                       ABR_JSON_TREE_MEMORY(ABR_JSON_RECORD_PER_BYTE * ABR_MEMORY_UNIT) <=
                   ABR_MEMORY_UNITS,
               "records take no more than a stream may for its budget");

_Static_assert(ALLOWANCE_LEAST <=
                   ALLOWANCE_PER_BYTE * MOST_PER_KEEP * (ROW_MOST + END_MOST + ABR_CANDIDATE_COST),
               "what long records cost grows more slowly than the allowance");

static const float first_weight = 1e6F; /* the first record is retained */
/* Of the value of a record in trouble, for the next one that goes on with it, down to the least, except in a
 * traceback, which goes on to its message; */
static const float part_of_next = 0.9F;
static const float least_of_next = 0.5F;
/* and for any next one if a text tells of the trouble, less for each further one, as in a log. */
static const float part_near = 0.45F;
static const float step_near = 0.85F;

/* The position in a record with quotes. */
typedef enum {
    FIELD_START = 0,
    PLAIN,
    QUOTED,
    QUOTE /* it may end the field or be doubled */
} place_in_record;

/* Records after one in trouble; some go on with it, such as the frames of a traceback, a record each. */
typedef struct {
    float value;     /* of the record in trouble, less for each one since, if it goes on; */
    float near;      /* and if it does not */
    float message;   /* of the head of a traceback, for its message */
    uint64_t number; /* of the record before */
} trouble_run;

/* The state within the open record; zeroed before the first one. */
typedef struct {
    place_in_record field;
    abr_open_row row;
    abr_json_record document;
} record_state;

/* A place where a record starts. */
typedef struct {
    uint64_t at;
    uint64_t line;
    uint64_t number;
} place;

typedef struct {
    abr_reader base;
    abr_reader_opts opts;
    abr_shapes signs;
    abr_shape_set sign_sets[ABR_SHAPE_SETS];
    abr_values values;
    abr_candidates retained;
    place *places; /* a ring */
    size_t places_size;
    size_t places_used;
    size_t oldest;
    place *first; /* places at the text's start */
    size_t first_size;
    size_t first_used;
    place now;          /* of the open record, or of the next one */
    place rows_end;     /* of a drawn table: after the last row */
    uint64_t header;    /* bytes of it */
    place names;        /* of its line that names the columns, */
    uint64_t names_n;   /* and its bytes, without the newline */
    size_t header_left; /* lines or records of it still to come */

    /* The previous record, its worth, and how often it came again since it was counted. */
    char before[AGAIN_MOST + ABR_PADDING]; /* readable past its end */
    size_t before_n;
    uint32_t again;
    abr_worth says;
    trouble_run run;

    /* The open record, or the last one if it has just ended: its start, and its end if it is longer. */
    char *open;
    size_t open_n;
    size_t open_size; /* allocated */
    char end[2 * END_MOST];
    size_t end_n;
    uint64_t size;
    uint64_t newlines;
    place begun;
    record_state state;
    bool ended;

    abr_record_list list; /* during a choice: the records it chooses from */
} records;

static size_t read_most(const records *r)
{
    return r->opts.told.kind == ABR_KIND_JSON_LINES ? JSON_MOST : ROW_MOST;
}

/* In steps, so that the allowance grows whenever the longest retained part does. */
static size_t listed_keep(size_t keep)
{
    return (keep < LISTED_KEEP ? keep : LISTED_KEEP) / MOST_PER_KEEP * MOST_PER_KEEP;
}

/* The longest record that is retained whole. */
static size_t whole_most(const records *r, size_t keep)
{
    return read_most(r) + listed_keep(keep) / MOST_PER_KEEP;
}

static size_t record_allowance(size_t keep)
{
    return ALLOWANCE_LEAST + listed_keep(keep) * ALLOWANCE_PER_BYTE;
}

/* ---- places ---- */

static place *place_at(const records *r, size_t i)
{
    return &r->places[(r->oldest + i) % r->places_size];
}

/* The most places that may be needed for the end of a text. */
static size_t most_places(const records *r)
{
    return r->opts.keep / PLACES_APART + 4;
}

static bool grow_places(const records *r, place **places, size_t *size, size_t used, size_t n)
{
    const size_t most = most_places(r);
    const size_t more = n / PLACES_APART + 2;
    void *p = *places;
    const bool fine =
        abr_grow(r->opts.alloc, &p, size, more < most - used ? used + more : most, most, sizeof **places);
    *places = p;
    return fine;
}

/* Is there memory for the places in n more bytes? The ring has not wrapped if it grows, since it was not
 * full. */
static bool reserve_places(records *r, size_t n)
{
    return grow_places(r, &r->places, &r->places_size, r->places_used, n) &&
           grow_places(r, &r->first, &r->first_size, r->first_used, n);
}

static void note_place(records *r)
{
    if (r->places_size == 0)
        return;
    if (r->places_used > 0 && r->now.at - place_at(r, r->places_used - 1)->at < PLACES_APART)
        return;
    if (r->first_used < r->first_size)
        r->first[r->first_used++] = r->now;
    if (r->places_used == r->places_size) {
        r->oldest = (r->oldest + 1) % r->places_size;
        r->places_used--;
    }
    r->places_used++;
    *place_at(r, r->places_used - 1) = r->now;
}

/* ---- the ends of records ---- */

static size_t skip_line(const char *p, size_t n, bool *ends)
{
    const char *newline = memchr(p, '\n', n);
    *ends = newline != NULL;
    return newline ? (size_t)(newline - p) + 1 : n;
}

/* Go on in a record of quoted fields; returns its bytes in (p, n), and whether it ends with them. A quote
 * opens a field only at its start, so looking for quotes and newlines is enough.
 */
static size_t skip_fields(place_in_record *state, char delimiter, const char *p, size_t n, bool *ends)
{
    place_in_record s = *state;
    size_t newline = 0; /* the next one, if it is not before i */
    size_t i = 0;
    *ends = false;
    while (i < n) {
        if (s == QUOTED) {
            const char *quote = memchr(p + i, '"', n - i);
            i = quote ? (size_t)(quote - p) + 1 : n;
            s = quote ? QUOTE : s;
            continue;
        }
        if (s != PLAIN && p[i] == '"') {
            s = QUOTED;
            i++;
            continue;
        }
        if (newline < i || newline == 0)
            newline = i + skip_line(p + i, n - i, ends) - *ends;
        const char *quote = memchr(p + i, '"', newline - i);
        if (!quote) {
            *state = *ends || p[n - 1] == delimiter ? FIELD_START : PLAIN;
            return newline + *ends;
        }
        i = (size_t)(quote - p) + 1;
        s = quote > p && quote[-1] == delimiter ? QUOTED : PLAIN;
    }
    *ends = false;
    *state = s;
    return n;
}

/* Returns the bytes of the open record in (p, n). */
static size_t skip_record(const abr_telling *told, record_state *state, const char *p, size_t n, bool *ends)
{
    if (told->delimiter)
        return skip_fields(&state->field, told->delimiter, p, n, ends);
    if (told->kind == ABR_KIND_JSON_LINES)
        return abr_json_record_skip(&state->document, p, n, ends);
    return told->drawn.bar ? abr_skip_row(&told->drawn, &state->row, p, n, ends) : skip_line(p, n, ends);
}

/* Is the next line one of the header? The header of delimited fields is a record. */
static bool in_header_line(const records *r)
{
    return r->header_left > 0 && !r->opts.told.delimiter;
}

/* Does a line, with its newline if any, hold no part of a record? */
static bool is_empty_row(const records *r, const char *p, size_t n)
{
    const abr_text_line line = abr_without_newline(p, n);
    if (r->opts.told.drawn.bar)
        return !abr_is_row_line(line);
    return (r->opts.told.delimiter ? line : abr_trimmed(line)).n == 0;
}

/* ---- records ---- */

static void move_on(records *r, uint64_t size, uint64_t newlines)
{
    r->now.at += size;
    r->now.line += newlines;
}

/* A line or record has ended: is it part of the header? */
static bool end_header(records *r, const char *p, const abr_record_bytes *b)
{
    if (r->header_left == 0)
        return false;
    const size_t n = abr_without_newline(p, b->n).n;
    const bool fields = r->opts.told.delimiter != 0;
    if (abr_values_name(&r->values, p, n)) {
        r->names = r->now;
        r->names_n = b->n < b->size ? b->size - 1 : n;
    }
    r->header_left -= !fields || !is_empty_row(r, p, b->n);
    move_on(r, b->size, b->lines);
    r->header = r->now.at;
    r->rows_end = r->now;
    return true;
}

/* The weight of a record, if `nth` records before it have said the same. */
static float retain_weight(const abr_worth *w, uint32_t nth)
{
    const abr_candidate c = {.nth = nth};
    const float says = w->trouble >= ABR_SCORE_HIT || w->trouble > w->odd ? w->trouble : w->odd;
    return says > 0 ? says / abr_repeat_discount(&c) : 0;
}

static float larger(float a, float b)
{
    return a > b ? a : b;
}

/* The value of a record that is worth `own` alone; it comes next after those in `run` if their numbers say
 * so. */
static float value_in_run(trouble_run *run, const abr_worth *w, uint64_t number, float own)
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

/* Count the previous record as often as it came again. */
static void count_again(records *r)
{
    abr_worth w;
    if (r->again > 0)
        abr_values_read(&r->values, r->before, abr_without_newline(r->before, r->before_n).n, true, r->again,
                        &w);
    r->again = 0;
}

/* Remember a record, after which ABR_PADDING bytes are readable, in case it comes again. */
static void remember(records *r, const char *p, size_t n)
{
    memcpy(r->before, p, ABR_PADDING); /* a fixed size, so the compiler makes no call */
    for (size_t i = ABR_PADDING; i < n; i += ABR_PADDING)
        memcpy(r->before + i, p + i, ABR_PADDING);
    r->before_n = n;
}

/* Read a record that has ended, and put its worth into r->says; a repeat of the previous record has the
 * same. */
static void read_ended(records *r, const char *p, size_t n, uint64_t size)
{
    if (n == size && n == r->before_n && r->again < UINT32_MAX && memcmp(p, r->before, n) == 0) {
        r->again++;
        return;
    }
    count_again(r);
    const size_t read = n < read_most(r) ? n : read_most(r);
    abr_values_read(&r->values, p, n == read ? abr_without_newline(p, n).n : read, read == size, 1, &r->says);
    r->before_n = 0;
    if (n == size && n <= AGAIN_MOST)
        remember(r, p, n);
}

/* Retain the record just read, if it weighs enough. */
static void retain_record(records *r, const abr_record_bytes *b)
{
    const abr_worth *w = &r->says;
    const bool says = w->trouble > 0 || w->odd > 0;
    const uint32_t nth = says ? abr_shapes_add(&r->signs, w->sign, 1) : 0;
    const float weight = value_in_run(&r->run, w, r->now.number, retain_weight(w, nth));
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
static void end_record(records *r, const char *p, const abr_record_bytes *b)
{
    if (end_header(r, p, b))
        return;
    if (b->n < b->size || !is_empty_row(r, p, b->n)) {
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

/* Keep the last bytes of a long record. */
static void add_to_end(records *r, const char *p, size_t n)
{
    if (n >= END_MOST) {
        memcpy(r->end, p + n - END_MOST, END_MOST);
        r->end_n = END_MOST;
        return;
    }
    if (r->end_n + n > sizeof r->end) {
        memmove(r->end, r->end + r->end_n - END_MOST, END_MOST);
        r->end_n = END_MOST;
    }
    memcpy(r->end + r->end_n, p, n);
    r->end_n += n;
}

static void add_to_record(records *r, const char *p, size_t n)
{
    if (r->size == 0 || r->ended) {
        r->begun = r->now;
        r->size = r->newlines = 0;
        r->open_n = r->end_n = 0;
        r->ended = false;
    }
    const size_t most = whole_most(r, r->opts.keep);
    const size_t part = n < most - r->open_n ? n : most - r->open_n;
    memcpy(r->open + r->open_n, p, part);
    r->open_n += part;
    add_to_end(r, p, n);
    r->size += n;
    r->newlines += abr_count_newlines(p, n);
}

static abr_record_bytes record_at(place from, const char *p, size_t n, uint64_t lines)
{
    return (abr_record_bytes){.at = from.at, .line = from.line, .size = n, .lines = lines, .p = p, .n = n};
}

/* Cut a record of over `most` bytes down to the size it is retained with: so many, and an end, if it has none
 * yet from its last n bytes, which end at `end`. The two may overlap, so that the end is as long as with a
 * smaller `most`. */
static void shorten(abr_record_bytes *b, size_t most, const char *end, size_t n)
{
    if (b->size <= most)
        return;
    b->n = abr_bytes_at_most(b->n, most);
    if (b->end_n > 0)
        return;
    n = n < END_MOST ? n : END_MOST;
    b->end = end - n;
    b->end_n = (uint32_t)n;
}

/* Does an expanded row at the text's end end with a newline? */
static bool ends_row_line(const records *r, const char *p, size_t n)
{
    return r->opts.told.drawn.bar && n > 0 && p[n - 1] == '\n';
}

/* A part of the open record as it would be retained with `keep`. */
static abr_record_bytes open_bytes(const records *r, size_t keep)
{
    const char *p = r->opts.text ? r->opts.text + r->begun.at : r->open;
    abr_record_bytes b = record_at(r->begun, p, r->open_n, r->newlines);
    b.size = r->size;
    b.ends_line = r->ended || ends_row_line(r, r->end, r->end_n);
    /* the reader goes before the text */
    shorten(&b, whole_most(r, keep), r->opts.text ? p + r->size : r->end + r->end_n, r->end_n);
    return b;
}

static void end_open_record(records *r)
{
    r->ended = true;
    memset(r->open + r->open_n, 0, ABR_PADDING);
    const abr_record_bytes b = open_bytes(r, r->opts.keep);
    end_record(r, r->open, &b);
}

/* ---- chunks ---- */

/* Read the records of a chunk that can be read in place. Returns their bytes. */
static size_t read_in_place(records *r, const char *p, size_t n)
{
    const size_t most = whole_most(r, r->opts.keep);
    const bool fields = r->opts.told.delimiter != 0;
    size_t quote = 0; /* the next one is not before this */
    size_t at = 0;
    while (n - at > ABR_PADDING) {
        bool ends;
        const size_t line = skip_line(p + at, n - at, &ends);
        size_t size = line; /* of most records */
        if (fields && at + size > quote) {
            const char *next = memchr(p + at, '"', n - at);
            quote = next ? (size_t)(next - p) : n;
        }
        const bool opens = abr_json_opens_record(p + at, line);
        if (fields ? quote < at + size : opens || (r->opts.told.drawn.bar && !in_header_line(r))) {
            record_state state = {.field = FIELD_START};
            size = skip_record(&r->opts.told, &state, p + at, n - at, &ends);
        }
        if (!ends || size > most || at + size + ABR_PADDING > n)
            break;
        r->size = 0; /* the record that was open is no longer the last one */
        const abr_record_bytes b = record_at(r->now, r->opts.text ? r->opts.text + r->now.at : p + at, size,
                                             size == line ? 1 : abr_count_newlines(p + at, size));
        end_record(r, p + at, &b);
        at += size;
    }
    return at;
}

static bool is_open(const records *r)
{
    return r->size > 0 && !r->ended;
}

static void write_records(abr_reader *base, const char *p, size_t n)
{
    records *r = (records *)base;
    while (n > 0) {
        bool ends;
        const size_t taken = is_open(r) ? 0 : read_in_place(r, p, n);
        p += taken;
        n -= taken;
        const size_t part =
            in_header_line(r) ? skip_line(p, n, &ends) : skip_record(&r->opts.told, &r->state, p, n, &ends);
        if (part > 0)
            add_to_record(r, p, part);
        if (ends)
            end_open_record(r);
        p += part;
        n -= part;
    }
}

static bool reserve_open(records *r, size_t n)
{
    const size_t most = whole_most(r, r->opts.keep);
    const size_t open = is_open(r) ? r->open_n : 0;
    const size_t wanted = (n < most - open ? open + n : most) + ABR_PADDING;
    void *p = r->open;
    const bool fine = abr_grow(r->opts.alloc, &p, &r->open_size, wanted, most + ABR_PADDING, 1);
    r->open = p;
    return fine;
}

static bool reserve_records(abr_reader *base, const char *p, size_t n)
{
    records *r = (records *)base;
    const size_t most = whole_most(r, r->opts.keep) + END_MOST;
    size_t more = SIZE_MAX; /* no need to count if there is memory for all */
    if (r->retained.size < abr_candidates_most(&r->retained))
        more = (size_t)abr_count_newlines(p, n) + 1;
    return reserve_open(r, n) && reserve_places(r, n) &&
           abr_candidates_reserve(&r->retained, more, n < SIZE_MAX - most ? n + most : SIZE_MAX);
}

/* ---- the list for a choice ---- */

/* The records between the runs, and the room for them. */
typedef struct {
    place front; /* after the run at the start */
    place back;  /* where the run at the end starts */
    uint64_t room;
    uint64_t share; /* larger records are in no run */
} inner_records;

/* The most records to list of one end, which are no more than there are; at the text's end, the list starts
 * at a place that may be one earlier. */
static size_t most_of_end(const records *r, size_t keep)
{
    const size_t most = listed_keep(keep) / RECORDS_PER_KEEP + RECORDS_LEAST;
    return most < r->list.total ? most : (size_t)r->list.total;
}

/* Records that may be shown: those of the two ends, the retained ones, the last one, and runs. */
static size_t most_listed(records *r, size_t keep)
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

static void list_record(records *r, const abr_record_bytes *bytes, uint64_t number)
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
static void list_from(records *r, place now, const char *p, size_t n, bool ends, size_t most,
                      const inner_records *b)
{
    uint64_t room = b->room;
    size_t at = 0;
    for (size_t listed = 0; at < n && listed < most;) {
        bool ended;
        record_state state = {.field = FIELD_START};
        const size_t size = skip_record(&r->opts.told, &state, p + at, n - at, &ended);
        if (!ended && !ends)
            return;
        const uint64_t newlines = abr_count_newlines(p + at, size);
        if (!is_empty_row(r, p + at, size)) {
            abr_record_bytes bytes = record_at(now, p + at, size, newlines);
            bytes.ends_line = ended || ends_row_line(r, p + at, size);
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
static void list_back(records *r, const abr_view *view, const inner_records *b, size_t most)
{
    const uint64_t back = view->bytes - view->back.n;
    const place *from = NULL;
    uint64_t room = b->room;
    uint64_t next = b->back.at;
    for (size_t i = r->places_used; i > 0; i--) {
        const place *x = place_at(r, i - 1);
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

static void list_run(records *r, const abr_view *view, const place *from, const place *to)
{
    const size_t size = (size_t)(to->at - from->at);
    const char *p = bytes_in_view(view, from->at, size);
    const abr_record_bytes bytes = record_at(*from, p, size, 0);
    if (!p || size == 0)
        return;
    list_record(r, &bytes, from->number);
    r->list.records[r->list.count - 1].run = to->number - from->number;
}

/* Does the open line, or the one that ended last, hold no part of a record? */
static bool open_is_blank(const records *r)
{
    return r->size == r->open_n && is_empty_row(r, r->open, r->open_n);
}

/* Is there an open record that the text's end completes? */
static bool open_counts(const records *r)
{
    return is_open(r) && r->header_left == 0 && !open_is_blank(r);
}

/* The end of the last row; the table's footer comes after it. */
static place end_of_rows(const records *r, const abr_view *view)
{
    place end = r->rows_end;
    if (!r->opts.told.drawn.bar || open_counts(r))
        end.at = view->bytes;
    end.number = r->list.total;
    return end;
}

/* List the records of the text's two ends. */
static void list_ends(records *r, const abr_view *view, const inner_records *b, size_t keep)
{
    const size_t most = most_of_end(r, keep);
    const place end = end_of_rows(r, view);
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
static inner_records find_runs(const records *r, const abr_kind_request *q)
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
        const place *x = &r->first[i];
        if (x->at - r->first[0].at > sure * ABR_RECORDS_FRONT || x->at > view->front.n ||
            (i > 0 && x->at - b.front.at > b.share))
            break;
        b.front = *x;
    }
    for (size_t i = r->places_used; i > 0; i--) {
        const place *x = place_at(r, i - 1);
        if (x->at < back || end - x->at > sure * ABR_RECORDS_BACK || b.back.at - x->at > b.share)
            break;
        b.back = *x;
    }
    const uint64_t runs = b.front.at - r->header + view->bytes - b.back.at; /* and the footer */
    b.room = q->bytes - r->header - (runs < q->bytes - r->header ? runs : q->bytes - r->header);
    return b;
}

/* A retained record, cut down to the size it would have with `keep`. */
static abr_record_bytes retained_bytes(const records *r, const abr_candidate *c, size_t keep)
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
    shorten(&b, whole_most(r, keep), c->start + c->start_n, c->start_n);
    return b;
}

/* List the records retained with `keep`. */
static void list_retained(records *r, size_t keep)
{
    abr_key *keys = r->list.keys;
    const size_t allowance = record_allowance(keep);
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
static void value_list(records *r, abr_worth *worths, char *scratch)
{
    abr_record_list *list = &r->list;
    abr_key *keys = list->keys;
    count_again(r);
    abr_columns_settle(&r->values.columns);
    for (size_t i = 0; i < list->count; i++) {
        abr_shown_record *x = &list->records[i];
        const size_t n = x->bytes.n < read_most(r) ? x->bytes.n : read_most(r);
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
        list->records[keys[i].index].value = retain_weight(&worths[keys[i].index], nth);
    }
    trouble_run run = {.number = 0};
    for (size_t i = 0; i < list->count; i++) {
        abr_shown_record *x = &list->records[i];
        const float own = x->value;
        x->value = value_in_run(&run, &worths[i], x->number, own);
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

static bool fill_list(records *r, const abr_kind_request *q, size_t most)
{
    const abr_alloc *a = r->opts.alloc;
    abr_worth *worths = a->malloc(a->ctx, most * sizeof *worths);
    char *scratch = a->malloc(a->ctx, read_most(r) + ABR_PADDING);
    const bool fine = worths && scratch;
    if (fine) {
        list_retained(r, q->keep);
        if (r->size > 0 && r->header_left == 0 && r->begun.at >= r->header && !open_is_blank(r)) {
            const abr_record_bytes b = open_bytes(r, q->keep);
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
static void set_header(records *r, const abr_kind_request *q)
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

static void set_footer(records *r, const abr_view *view)
{
    const place from = end_of_rows(r, view);
    const uint64_t n = view->bytes - from.at;
    r->list.footer = (abr_record_bytes){.at = from.at, .line = from.line};
    if (n > 0 && n <= FOOTER_MOST && r->header_left == 0)
        r->list.footer.p = bytes_in_view(view, from.at, (size_t)n);
    r->list.footer.n = r->list.footer.p ? (size_t)n : 0;
}

static bool choose_content(abr_reader *base, const abr_kind_request *q, abr_content *out)
{
    records *r = (records *)base;
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

/* ---- the reader ---- */

static void close_records(abr_reader *base)
{
    records *r = (records *)base;
    const abr_alloc *a = r->opts.alloc;
    abr_candidates_free(&r->retained);
    abr_values_close(&r->values, a);
    abr_release(a, r->places);
    abr_release(a, r->first);
    abr_release(a, r->open);
    abr_release(a, r);
}

static bool settle_records(abr_reader *base)
{
    return abr_candidates_settle(&((records *)base)->retained);
}

static abr_code open_records(const abr_reader_opts *opts, abr_reader **out)
{
    records *r = opts->alloc->malloc(opts->alloc->ctx, sizeof *r);
    if (!r)
        return ABR_ENOMEM;
    memset(r, 0, sizeof *r);
    r->base.methods = &abr_record_methods;
    r->signs = (abr_shapes){r->sign_sets, ABR_SHAPE_SETS};
    r->opts = *opts;
    r->retained.alloc = opts->alloc;
    r->retained.copies = opts->text == NULL;
    r->retained.allowance = record_allowance(opts->keep);
    if (opts->told.kind == ABR_KIND_TABLE)
        r->header_left = opts->told.delimiter ? 1 : opts->told.header_lines;
    const abr_code code = abr_values_open(&r->values, &opts->told, opts->hits, opts->hit_count,
                                          opts->quiet_groups, opts->alloc);
    if (code != ABR_OK) {
        opts->alloc->free(opts->alloc->ctx, r);
        return code;
    }
    *out = &r->base;
    return ABR_OK;
}

const abr_reader_methods abr_record_methods = {
    .open = open_records,
    .reserve = reserve_records,
    .write = write_records,
    .choose = choose_content,
    .close = close_records,
    .settle = settle_records,
};
