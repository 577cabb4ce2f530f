/* Long strings that may be documents, and arrays that may be the lines of a log: each held whole, or by its
 * reader. */
#ifndef ABR_KINDS_JSON_JSON_HELD_H
#define ABR_KINDS_JSON_JSON_HELD_H

#include "base/private.h"
#include "base/tiny.h"
#include "kinds/json/json_joined.h"
#include "kinds/json/json_log.h"
#include "kinds/json/json_source.h"
#include "kinds/json/json_values.h"
#include "kinds/reader.h"

ABR_PRIVATE_BEGIN

enum {
    /* shortest such string; its kind is told by these bytes */
    ABR_JSON_HELD_LEAST = ABR_OR_TINY(4096, 64),
    ABR_JSON_HELD_MOST = ABR_OR_TINY(41 * 1024, 512), /* bytes held, at most, */
    ABR_JSON_HELD_PER_BYTE = 7,                       /* and more by the budget */
    ABR_JSON_HELD_STRINGS = 4,
    ABR_JSON_ARRAY_TOLD_BY = ABR_OR_TINY(16 * 1024, 256), /* bytes of an array that tell whether it's a log */
    ABR_JSON_OPEN_ARRAYS = 4
};

typedef struct {
    uint64_t at; /* bytes of the source before its content; an array's begins with its bracket */
    size_t from; /* place in the held bytes */
    size_t n;
    size_t lead; /* bytes of an array up to the end of the element that told that it has lines; 0: a string */
    bool is_log; /* judged by its start; never set for a string shorter than ABR_JSON_LOG_TOLD_BY */
    bool is_text; /* judged by all of it; never set for a longer one */
} abr_json_held_string;

/* An open array that may be the lines of a log. */
typedef struct {
    size_t depth;
    uint64_t at;
} abr_json_open_array;

/* The first long strings of several lines, or of JSON, in a document: each whole in its own spelling,
 * within a bound set by the budget; beyond that, the reader of a log. Another one is held as long as those
 * before it leave three quarters of the bound. If the document is all at hand, nothing has to be held.
 *
 * So are the first arrays whose elements are the lines of a log. Bytes are held from the start of the
 * outermost array that may be one, until it is known which of those open is, if any. */
typedef struct {
    abr_json_log_opts opts;
    abr_telling (*tell)(const char *p, size_t n, bool whole);
    const char *document; /* NULL: it flows */
    const char *text;     /* all of it, or NULL: it comes in chunks */
    char *p;
    size_t size; /* allocated */
    size_t most; /* 0: none is held */
    size_t used;
    abr_json_held_string strings[ABR_JSON_HELD_STRINGS]; /* the last one is open, or free */
    size_t count;                                        /* strings that are whole */
    bool open;                                           /* inside a string that may be another one */
    bool is_lines;
    bool flows; /* the last one exceeded the bound, and `log` reads it */
    bool ended; /* no further one is held */
    abr_json_open_array arrays[ABR_JSON_OPEN_ARRAYS]; /* the outermost first */
    size_t array_count;
    bool lines;        /* the only one's elements are lines, */
    bool told;         /* of a log */
    uint64_t taken_to; /* bytes of the source up to the end of those held of an array */
    abr_json_feed feed;
    char *scratch; /* ABR_JSON_LOG_TOLD_BY bytes */
    abr_json_log log;
} abr_json_held;

/* Lines are judged by the reader's rules. */
void abr_json_held_open(abr_json_held *x, const abr_reader_opts *opts, const abr_json_values *says);
void abr_json_held_close(abr_json_held *x);

/* Get memory for a chunk of the document, and `more` bytes before it. */
bool abr_json_held_reserve(abr_json_held *x, const char *p, size_t n, size_t more);

/* Free memory that only another chunk might need. */
void abr_json_held_settle(abr_json_held *x);

/* The document has ended: if it is all at hand, its strings are read there. */
void abr_json_held_ends(abr_json_held *x);

/* The bytes of a string that is held whole. */
const char *abr_json_held_bytes(const abr_json_held *x, const abr_json_held_string *s);

/* The log that a held string or array is: the one that read it as it went by, or its bytes read again for
 * `keep`. Then *text gets the copy that it reads, else NULL; if there is one, the caller closes the log and
 * frees that. `log` is zeroed before. False: out of memory. */
bool abr_json_held_log(const abr_json_held *x, const abr_json_held_string *s, size_t keep, abr_json_log *log,
                       char **text);

/* A long string's content begins, after `at` bytes of the source, which are at hand from the last call on; n
 * more bytes of it; its end. */
void abr_json_held_begin(abr_json_held *x, abr_json_source *source, uint64_t at);
void abr_json_held_take(abr_json_held *x, const char *p, size_t n);
void abr_json_held_end(abr_json_held *x);

/* An array of `depth` open levels begins with the bracket after `at` bytes of the source;
 * ABR_JSON_LINES_LEAST elements of it end; it ends. Its bytes are at hand in the source. */
void abr_json_held_array(abr_json_held *x, abr_json_source *source, size_t depth, uint64_t at);
void abr_json_held_elements(abr_json_held *x, abr_json_source *source, size_t depth, uint64_t end);
void abr_json_held_array_ends(abr_json_held *x, abr_json_source *source, size_t depth, uint64_t end);

/* The source's bytes up to `end` are about to go. */
void abr_json_held_go_on(abr_json_held *x, abr_json_source *source, uint64_t end);

/* How a string or an array is cut if only the bytes for `keep` are retained. */
typedef enum {
    ABR_JSON_UNHELD = 0,
    ABR_JSON_AT_HAND, /* all of it is at hand */
    ABR_JSON_AS_LOG   /* it is a log, at hand or read as it went by */
} abr_json_holding;

abr_json_holding abr_json_held_as(const abr_json_held *x, size_t i, size_t keep);

/* What is held of a document. */
typedef enum {
    ABR_JSON_HOLDS_NONE = 0,
    ABR_JSON_HOLDS_TEXT,     /* strings whose cut takes no more memory than their bytes */
    ABR_JSON_HOLDS_DOCUMENTS /* others, too */
} abr_json_holdings;

abr_json_holdings abr_json_held_at_all(const abr_json_held *x, size_t keep);

ABR_PRIVATE_END

#endif
