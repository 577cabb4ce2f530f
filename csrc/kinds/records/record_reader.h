/* The reader of records, filled as the text flows by; record_list.c lists from it. */
#ifndef ABR_KINDS_RECORDS_RECORD_READER_H
#define ABR_KINDS_RECORDS_RECORD_READER_H

#include "base/private.h"
#include "base/tiny.h"
#include "kinds/reader.h"
#include "kinds/records/record.h"
#include "kinds/records/record_choice.h"
#include "kinds/records/values.h"
#include "line/words.h"
#include "priority/candidates.h"
#include "priority/shape.h"

ABR_PRIVATE_BEGIN

enum {
    ABR_RECORD_END_MOST = ABR_OR_TINY(1024, 32), /* bytes of the end of a long record */
    ABR_RECORD_AGAIN_MOST = 2 * ABR_PADDING,     /* a repeated record up to so many bytes is not read again */
    ABR_RECORDS_PER_KEEP = 16                    /* records of each end: one per so many bytes of budget */
};

/* Records after one in trouble; some go on with it, such as the frames of a traceback, a record each. */
typedef struct {
    float value;     /* of the record in trouble, less for each one since, if it goes on; */
    float near;      /* and if it does not */
    float message;   /* of the head of a traceback, for its message */
    uint64_t number; /* of the record before */
} abr_record_run;

/* A place where a record starts. */
typedef struct {
    uint64_t at;
    uint64_t line;
    uint64_t number;
} abr_record_place;

typedef struct {
    abr_reader base;
    abr_reader_opts opts;
    abr_shapes signs;
    abr_shape_set sign_sets[ABR_SHAPE_SETS];
    abr_values values;
    abr_candidates retained;
    abr_record_place *places; /* a ring */
    size_t places_size;
    size_t places_used;
    size_t oldest;
    abr_record_place *first; /* places at the text's start */
    size_t first_size;
    size_t first_used;
    abr_record_place now;      /* of the open record, or of the next one */
    abr_record_place rows_end; /* of a drawn table: after the last row */
    uint64_t header;           /* bytes of it */
    abr_record_place names;    /* of its line that names the columns, */
    uint64_t names_n;          /* and its bytes, without the newline */
    size_t header_left;        /* lines or records of it still to come */

    /* The previous record, its worth, and how often it came again since it was counted. */
    char before[ABR_RECORD_AGAIN_MOST + ABR_PADDING]; /* readable past its end */
    size_t before_n;
    uint32_t again;
    abr_worth says;
    abr_record_run run;

    /* The open record, or the last one if it has just ended: its start, and its end if it is longer. */
    char *open;
    size_t open_n;
    size_t open_size; /* allocated */
    char end[2 * ABR_RECORD_END_MOST];
    size_t end_n;
    uint64_t size;
    uint64_t newlines;
    abr_record_place begun;
    abr_record_state state;
    bool ended;

    abr_record_list list; /* during a choice: the records it chooses from */
} abr_record_reader;

/* The budget for which records are listed, in steps, so that the allowance grows whenever the longest
 * retained part does. */
size_t abr_record_listed_keep(size_t keep);

/* Bytes of a record that are read. */
size_t abr_record_read_most(const abr_record_reader *r);

/* The longest record that is retained whole. */
size_t abr_record_whole_most(const abr_record_reader *r, size_t keep);

/* Bytes for the retained records. */
size_t abr_record_allowance(size_t keep);

/* The i-th place that is noted near the text's end. */
static inline abr_record_place *abr_record_place_at(const abr_record_reader *r, size_t i)
{
    return &r->places[(r->oldest + i) % r->places_size];
}

/* The record of n bytes at p, which starts at `from`. */
static inline abr_record_bytes abr_record_at(abr_record_place from, const char *p, size_t n, uint64_t lines)
{
    return (abr_record_bytes){.at = from.at, .line = from.line, .size = n, .lines = lines, .p = p, .n = n};
}

/* Cut a record of over `most` bytes down to the size it is retained with: so many, and an end, if it has none
 * yet from its last n bytes, which end at `end`. The two may overlap, so that the end is as long as with a
 * smaller `most`. */
void abr_shorten_record(abr_record_bytes *b, size_t most, const char *end, size_t n);

/* Has a record begun that has not ended? */
static inline bool abr_record_is_open(const abr_record_reader *r)
{
    return r->size > 0 && !r->ended;
}

/* Does an expanded row at the text's end end with a newline? */
static inline bool abr_ends_row_line(const abr_record_reader *r, const char *p, size_t n)
{
    return r->opts.told.drawn.bar && n > 0 && p[n - 1] == '\n';
}

/* A part of the open record as it would be retained with `keep`. */
abr_record_bytes abr_open_record(const abr_record_reader *r, size_t keep);

/* Count the previous record as often as it came again. */
void abr_count_record_again(abr_record_reader *r);

/* The weight of a record by itself, if `nth` records before it have said the same. */
float abr_record_weight(const abr_worth *w, uint32_t nth);

/* The value of a record that is worth `own` alone; it comes next after those in `run` if their numbers say
 * so. */
float abr_value_in_run(abr_record_run *run, const abr_worth *w, uint64_t number, float own);

/* The methods of a reader of records, but for its choice. */
abr_code abr_open_records(const abr_reader_opts *opts, const abr_reader_methods *methods, abr_reader **out);
bool abr_reserve_records(abr_reader *base, const char *p, size_t n);
void abr_write_records(abr_reader *base, const char *p, size_t n);
bool abr_settle_records(abr_reader *base);
void abr_close_records(abr_reader *base);

ABR_PRIVATE_END

#endif
