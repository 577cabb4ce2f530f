/* The open objects and arrays while a document goes by, and the parts retained of them. */
#ifndef ABR_KINDS_JSON_JSON_LEVELS_H
#define ABR_KINDS_JSON_JSON_LEVELS_H

#include "base/private.h"
#include "base/tiny.h"
#include "kinds/json/json_parts.h"
#include "kinds/json/json_source.h"
#include "kinds/json/json_string.h"
#include "kinds/json/json_values.h"

ABR_PRIVATE_BEGIN

enum { ABR_JSON_TELLING = ABR_OR_TINY(1024, 16) /* strings of a path that are read for words */ };

/* What a value says, a bit each. */
enum {
    ABR_JSON_FRESH = 1,   /* it has a key path for the first time */
    ABR_JSON_ODD = 2,     /* it is unlike the others of its path */
    ABR_JSON_TROUBLE = 4, /* its score is above 0 */
    ABR_JSON_TELLS = 8    /* it has words that say what its object is about */
};

/* A complete value, or several next to each other. */
typedef struct {
    uint64_t at;    /* its range, from the end of the previous sibling */
    uint64_t start; /* without its key */
    uint64_t end;
    uint64_t ordinal;
    uint32_t values;
    float score;       /* of the worst trouble in it */
    uint16_t siblings; /* values next to each other, without those in them */
    uint16_t tells; /* more, the earlier its words are of their path; 0: none say what its object is about */
    uint8_t says;   /* one byte, read as it was written: most say nothing */
} abr_json_entry;

typedef struct {
    abr_json_entry entry;    /* its entry if it stays small */
    uint64_t path;           /* its own */
    uint64_t any;            /* that of its elements */
    abr_json_path *elements; /* theirs, once it or one of the same path before it had one */
    uint64_t from;           /* end of its last child */
    uint64_t count;
    uint64_t dots;
    uint64_t
        name_at; /* of an object, start of its first name, which may be that of an object in it; 0: none */
    uint32_t waiting; /* start of its entries in `waiting` */
    bool object;
    bool tells;    /* its key says that its strings tell what the object around it is about */
    abr_role role; /* of an array, by its key */
} abr_json_level;

enum { ABR_JSON_WAITING = ABR_JSON_SMALL / 2 + 16 };

/* Small levels wait, with their entries, until they are complete or large. */
typedef struct {
    abr_json_parts *parts;
    abr_json_source *source;
    abr_json_level open[ABR_JSON_SHOWN_DEPTH + 1]; /* the first is the document, which is no array */
    abr_json_level *innermost;                     /* at `depth` */
    size_t depth;
    size_t large; /* large levels */
    abr_json_entry waiting[ABR_JSON_WAITING];
    uint32_t waiting_count;
    abr_json_entry run; /* of the innermost large level; values 0: none */
    double spent[8];    /* bytes spent on each reason to retain a unit */
} abr_json_levels;

/* A value of the innermost level is complete, but no long string. */
void abr_json_value_ends(abr_json_levels *x, abr_json_entry *e);

/* A string of the innermost level is long; it has been read up to `end`, or ended there. */
void abr_json_long_begins(abr_json_levels *x, uint64_t end);

/* A long string: its first bytes, with its key, and its last ones. */
typedef struct {
    bool begun;
    uint64_t at;      /* start of its range */
    uint64_t line;    /* newlines before that */
    uint64_t counted; /* bytes of the source up to which its chars were counted */
    abr_json_chars chars;
    char *bytes; /* its key and head; after them its tail, twice as large as needed */
    size_t head_n;
    size_t tail_n;
    const char *tail; /* once it has ended: the last tail_n bytes up to its end */
} abr_json_long;

/* It has ended. */
void abr_json_long_ends(abr_json_levels *x, abr_json_entry *e, const abr_json_long *text);

/* An object or array begins; the caller fills in its paths, `from` and `object`. And its end. */
abr_json_level *abr_json_level_opens(abr_json_levels *x, uint64_t start);
void abr_json_level_closes(abr_json_levels *x, uint64_t end);

/* The start of the bytes that may still be needed once the document has been read up to `end`. */
uint64_t abr_json_levels_need(abr_json_levels *x, uint64_t end);

ABR_PRIVATE_END

#endif
