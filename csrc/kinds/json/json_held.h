/* Long strings that may be documents: all of each, or its reader. */
#ifndef ABR_KINDS_JSON_JSON_HELD_H
#define ABR_KINDS_JSON_JSON_HELD_H

#include "abridge.h"
#include "base/private.h"
#include "base/tiny.h"
#include "kinds/json/json_log.h"
#include "kinds/json/json_values.h"
#include "kinds/reader.h"

ABR_PRIVATE_BEGIN

enum {
    ABR_JSON_HELD_LEAST = ABR_OR_TINY(4096, 64),      /* bytes of such a string, by which it is known */
    ABR_JSON_HELD_MOST = ABR_OR_TINY(42 * 1024, 512), /* and the most of them that are held, */
    ABR_JSON_HELD_PER_BYTE = 7,                       /* and more by the budget */
    ABR_JSON_HELD_STRINGS = 4
};

typedef struct {
    uint64_t at; /* bytes of the source before its content */
    size_t from; /* of the held bytes */
    size_t n;
    bool is_log; /* as far as its start tells; of one shorter than ABR_JSON_LOG_TOLD_BY that is not asked */
} abr_json_held_string;

/* The first long strings of several lines, or of JSON, in a document: all of each in its own spelling, within a bound
 * by the budget; beyond that, of a log, what reads it. Another one is held as long as those before it leave three
 * quarters of the bound. Of a document that is all at hand nothing has to be held. */
typedef struct {
    abr_json_log_opts opts;
    abr_telling (*tell)(const char *p, size_t n, bool whole);
    const char *document; /* NULL: it flows */
    char *p;
    size_t size; /* allocated */
    size_t most; /* 0: none is held */
    size_t used;
    abr_json_held_string strings[ABR_JSON_HELD_STRINGS]; /* the last one is open, or not there yet */
    size_t count;                                        /* of those that are whole */
    bool open;                                           /* a string is under way that may be another one */
    bool is_lines;
    bool flows;    /* the last one passed what is held, and `log` reads it */
    bool ended;    /* no other one is held */
    char *scratch; /* of ABR_JSON_LOG_TOLD_BY, once one may be that long */
    abr_json_log log;
} abr_json_held;

/* The judge of a line is the reader's. */
void abr_json_held_open(abr_json_held *x, const abr_reader_opts *opts, const abr_json_values *says);
void abr_json_held_close(abr_json_held *x);

/* Get memory for a chunk of the document, and `more` bytes before it. */
bool abr_json_held_reserve(abr_json_held *x, const char *p, size_t n, size_t more);

/* Free memory that only another chunk might need. */
void abr_json_held_settle(abr_json_held *x);

/* The content of a long string that begins after `at` bytes of the source; n bytes more of it; its end. */
void abr_json_held_begin(abr_json_held *x, uint64_t at);
void abr_json_held_take(abr_json_held *x, const char *p, size_t n);
void abr_json_held_end(abr_json_held *x);

/* How a string is cut with as much as is retained for `keep`. */
typedef enum {
    ABR_JSON_UNHELD = 0,
    ABR_JSON_AT_HAND, /* all of it is there */
    ABR_JSON_AS_LOG   /* it is a log, at hand or read as it went by */
} abr_json_holding;

abr_json_holding abr_json_held_as(const abr_json_held *x, size_t i, size_t keep);

/* Is any string held? */
bool abr_json_holds_any(const abr_json_held *x, size_t keep);

ABR_PRIVATE_END

#endif
