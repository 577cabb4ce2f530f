/* The values of records: which ones report trouble, and which are unlike the others in their column. */
#ifndef ABR_KINDS_RECORDS_COLUMNS_H
#define ABR_KINDS_RECORDS_COLUMNS_H

#include "base/private.h"
#include "kinds/roles.h"
#include "line/lexicon.h"

ABR_PRIVATE_BEGIN

typedef enum {
    ABR_VALUE_TEXT = 0,
    ABR_VALUE_STRING, /* of JSON, as it is spelled */
    ABR_VALUE_NUMBER,
    ABR_VALUE_SHAPE /* a hash of the record's names or cells, which says nothing by itself */
} abr_value_kind;

enum {
    ABR_COLUMNS = 64,           /* columns told apart; the last one is the records' shape */
    ABR_COLUMN_VALUES = 64,     /* places for the values of a column */
    ABR_COLUMN_VALUES_MOST = 48 /* values told apart; a column with more has many */
};

/* One value of a column that has few. */
typedef struct {
    uint32_t hash;
    uint32_t count;
    uint32_t sign;
    uint32_t at; /* bytes of it before the word that says so */
    float trouble;
    float odd; /* set by abr_columns_settle() */
} abr_column_value;

/* One column. At first its values are told apart; if there are too many, only the sizes of its numbers
 * are. */
typedef struct {
    uint64_t name; /* a hash; 0: not in use */
    uint64_t count;
    uint64_t troubled;                 /* values that say something is wrong */
    uint64_t unread;                   /* values that came after too many troubled ones */
    uint32_t sizes[ABR_COLUMN_VALUES]; /* numbers by their digits */
    float odd_sizes[ABR_COLUMN_VALUES];
    abr_column_value values[ABR_COLUMN_VALUES];
    uint8_t used;
    uint8_t role;
    bool many;
} abr_column;

typedef struct {
    abr_lexicon lexicon;
    abr_column columns[ABR_COLUMNS];
    bool settled;
} abr_record_columns;

/* The worth of a record. */
typedef struct {
    float trouble; /* on the scale of line/score.h */
    float odd;     /* how much it is unlike the others, on the same scale */
    uint32_t sign; /* of the trouble or the oddity: records with the same trouble share it */
    uint32_t odd_sign;
    uint32_t weak_sign; /* of the worst value below ABR_SCORE_HIT */
    size_t at;          /* bytes of the record before its worst value */
    bool bad;           /* it should be JSON, but isn't */
    bool tells;         /* JSON: the trouble is told by the words of a text, as in a line of a log */
    bool goes_on;       /* JSON: a string is indented, as a line is that continues the lines before it */
    bool traces;        /* JSON: it is the head of a traceback, whose message comes last */
} abr_worth;

/* A value to read: ABR_PADDING bytes after it must be readable. */
typedef struct {
    const char *p;
    size_t n;
    size_t at; /* bytes of the record before it */
    abr_role role;
    abr_value_kind kind;
} abr_cell;

void abr_columns_open(abr_record_columns *c, unsigned quiet_groups);

/* A hash that is never 0; 8 bytes after (p, n) must be readable unless n is 8. */
uint64_t abr_hash_bytes(const char *p, size_t n, uint64_t seed);

/* The column of this name. If it is new and `counts` is set, it is created with a count of 0, and the caller
 * sets its role. NULL if there are too many. */
abr_column *abr_columns_find(abr_record_columns *c, uint64_t name, bool counts);

/* The i-th column, i < ABR_COLUMNS, by place instead of by name. */
static inline abr_column *abr_columns_at(abr_record_columns *c, size_t i)
{
    c->columns[i].name = i + 1;
    return &c->columns[i];
}

/* Read a value into *w. `counts`: add it to its column so many times; 0: only compare it with the counted
 * values. `x` may be NULL. */
void abr_read_cell(abr_record_columns *c, abr_column *x, const abr_cell *v, uint32_t counts, abr_worth *w);

/* Find the rare values, once all are counted; holds until more are. */
void abr_columns_settle(abr_record_columns *c);

ABR_PRIVATE_END

#endif
