/* An array of strings, or of records with a string each, that are the lines of a log. */
#ifndef ABR_KINDS_JSON_JSON_JOINED_H
#define ABR_KINDS_JSON_JSON_JOINED_H

#include "abridge.h"
#include "base/private.h"
#include "base/tiny.h"
#include "kinds/json/json_feed.h"

ABR_PRIVATE_BEGIN

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
