/* The elements of an array as lines: of a log, one an element. */
#ifndef ABR_KINDS_JSON_JSON_FEED_H
#define ABR_KINDS_JSON_JSON_FEED_H

#include "abridge.h"
#include "base/private.h"
#include "base/tiny.h"

ABR_PRIVATE_BEGIN

enum {
    ABR_JSON_LINE_KEY = ABR_OR_TINY(64, 12), /* bytes of a line's key, at most, with its quotes */
    /* bytes that stand for others in what is fed; no document contains them unescaped: */
    ABR_JSON_NEWLINE = 2,    /* a newline between tokens */
    ABR_JSON_LINE_OPENS = 3, /* the opening quote of the string that is the line, */
    ABR_JSON_LINE_CLOSES = 4 /* and the closing one */
};

/* Turns an array into lines of the same length, chunk by chunk: a comma between two elements becomes a
 * newline, so that places in the lines are places in the array. Zeroed but for the key to start with. */
typedef struct {
    char key[ABR_JSON_LINE_KEY]; /* of the string in each record that is its line, as spelled */
    size_t key_n;                /* 0: the elements are strings */
    uint32_t depth;              /* open brackets, with the array's own */
    size_t matched;              /* bytes of the open string, if it is a key, that are those of `key` */
    bool in_string;
    bool escaped;
    bool in_line;
    bool has_line;  /* the element's line has come */
    bool in_record; /* an object is the element */
    bool wants_key;
    bool is_key;    /* the open string is one of the element's keys */
    bool is_next;   /* the element's next value has the line's key */
    uint64_t solid; /* bytes that are no blanks between tokens */
} abr_json_feed;

void abr_json_feed_lines(abr_json_feed *f, char *p, size_t n);

/* Decode an element's line, or part of one, into dst, as large as n; a newline in it becomes a blank. */
size_t abr_json_feed_decode(const char *p, size_t n, char *dst);

/* Newlines of the array, between its tokens, in (p, n). */
uint64_t abr_json_feed_newlines(const char *p, size_t n);

/* Spell n fed bytes of an element as the array did. */
void abr_json_feed_spell(const char *p, size_t n, char *dst);

ABR_PRIVATE_END

#endif
