/* An array of strings, or of records with a string each, that are the lines of a log. */
#ifndef ABR_KINDS_JSON_JSON_JOINED_H
#define ABR_KINDS_JSON_JSON_JOINED_H

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

enum { ABR_JSON_LINES_LEAST = ABR_OR_TINY(16, 4) }; /* elements */

/* An array may have many, so they are small: abr_json_element_end() finds where one ends. */
typedef struct {
    uint32_t from;      /* bytes of the array before it */
    uint32_t line : 31; /* its first line among the joined lines */
    uint32_t kept : 1;
} abr_json_element;

typedef struct {
    const abr_alloc *alloc;
    abr_json_element *elements;
    size_t count;
    size_t n;    /* bytes of the array, */
    size_t size; /* and without the blanks between its tokens */
    char *text;  /* the lines */
    size_t text_n;
    bool failed; /* out of memory */
} abr_json_line_list;

/* Are the elements in (p, n), the start of an array up to an element's end, lines? *feed becomes ready for
 * them. */
bool abr_json_are_lines(const char *p, size_t n, abr_json_feed *feed);

/* Join the lines of the array (p, n), without its closing bracket, of less than 2 GiB, in time linear in n.
 * False: they aren't lines, or are too short. Always call abr_json_joined_free(). */
bool abr_json_join(const char *p, size_t n, const abr_alloc *alloc, abr_json_line_list *x);

/* The end of element i of the array at p. */
size_t abr_json_element_end(const abr_json_line_list *x, const char *p, size_t i);

void abr_json_joined_free(abr_json_line_list *x);

ABR_PRIVATE_END

#endif
