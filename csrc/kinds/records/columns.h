/* What the values of records say: which are in trouble, and which are unlike the others of their column. */
#ifndef ABR_KINDS_RECORDS_COLUMNS_H
#define ABR_KINDS_RECORDS_COLUMNS_H

#include "abridge.h"
#include "base/private.h"
#include "line/lexicon.h"

ABR_PRIVATE_BEGIN

/* What the name of a column says about its values. */
typedef enum {
    ABR_ROLE_NONE = 0,
    ABR_ROLE_LEVEL, /* of a log */
    ABR_ROLE_STATE, /* status, result: a word, or a code of HTTP */
    ABR_ROLE_EXIT,  /* an exit code */
    ABR_ROLE_NAME,  /* names, and what describes them: what they say is no news */
    ABR_ROLE_GOOD,  /* ok, success */
    ABR_ROLE_BAD    /* error, failures: something is wrong unless the value is nothing */
} abr_role;

typedef enum {
    ABR_VALUE_TEXT = 0,
    ABR_VALUE_NUMBER,
    ABR_VALUE_SHAPE /* a hash of what a record has, which says nothing by itself */
} abr_value_kind;

enum {
    ABR_COLUMNS = 64,           /* that are told apart; the last one is the records' shape */
    ABR_COLUMN_VALUES = 64,     /* places for the values of a column, */
    ABR_COLUMN_VALUES_MOST = 48 /* and how many are told apart; one with more has many */
};

/* One value of a column with few. */
typedef struct {
    uint32_t hash;
    uint32_t count;
    uint32_t sign;
    uint32_t at; /* bytes of it before what says so */
    float trouble;
    float odd; /* once abr_columns_settle() was called */
} abr_column_value;

/* One column: at first its values are told apart, then only how large its numbers are. */
typedef struct {
    uint64_t name; /* a hash; 0: not in use */
    uint64_t count;
    uint64_t troubled;                 /* values that say something is wrong */
    uint64_t unread;                   /* values that came when too many had */
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

/* What a record says. */
typedef struct {
    float trouble; /* on the scale of line/score.h */
    float odd;     /* how much it is unlike the others, on the same scale */
    uint32_t sign; /* of what is wrong, or odd: records with the same trouble share it */
    uint32_t odd_sign;
    size_t at; /* bytes of the record before the value that is worst */
    bool bad;  /* it is no JSON, where it should be */
} abr_worth;

/* A value that is read: ABR_PADDING bytes after it must be readable. */
typedef struct {
    const char *p;
    size_t n;
    size_t at; /* bytes of the record before it */
    abr_role role;
    abr_value_kind kind;
} abr_cell;

void abr_columns_open(abr_record_columns *c, unsigned quiet_groups);

/* The role of a column of this name. */
abr_role abr_role_of(const char *name, size_t n);

/* A hash that is never 0; 8 bytes after (p, n) must be readable unless n is 8. */
uint64_t abr_hash_bytes(const char *p, size_t n, uint64_t seed);

/* The column of this name, made if it is new and `counts`: its count is 0 then, and its role is the
 * caller's to set. NULL where there are too many. */
abr_column *abr_columns_find(abr_record_columns *c, uint64_t name, bool counts);

/* The i-th column, i < ABR_COLUMNS, by place instead of by name. */
static inline abr_column *abr_columns_at(abr_record_columns *c, size_t i)
{
    c->columns[i].name = i + 1;
    return &c->columns[i];
}

/* Read a value into *w. `counts`: it is so many more of its column; 0: it is compared with what was
 * counted. `x` may be NULL. */
void abr_read_cell(abr_record_columns *c, abr_column *x, const abr_cell *v, uint32_t counts, abr_worth *w);

/* Find which values are rare, now that all are counted; until more are. */
void abr_columns_settle(abr_record_columns *c);

ABR_PRIVATE_END

#endif
