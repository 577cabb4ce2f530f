/* The places of the elements of an array or the members of an object, in a file of JSON. */
#ifndef ABR_FILES_ELEMENT_PLACES_H
#define ABR_FILES_ELEMENT_PLACES_H

#include "abridge.h"
#include "base/private.h"
#include "base/tiny.h"
#include "files/line_index.h"

ABR_PRIVATE_BEGIN

enum {
    ABR_NAME_MOST = ABR_OR_TINY(256, 16), /* longest name that a pointer may use to continue at a member */
    ABR_NAMED = ABR_OR_TINY(8, 2)         /* members remembered by name */
};

/* The start of an element; a member starts with its key. For element 0, the start of its array or object.
 * */
typedef struct {
    uint64_t index;
    uint64_t at;       /* bytes before it */
    uint64_t newlines; /* newlines and chars before it */
    uint64_t chars;
} abr_element_at;

typedef struct {
    size_t n; /* bytes of the name */
    char name[ABR_NAME_MOST];
    abr_element_at place; /* index 0: none */
} abr_named_at;

/* Facts about one array or object of a file. */
typedef struct {
    abr_identity of;
    const abr_alloc *alloc;
    char *pointer; /* to it, as given */
    size_t pointer_n;
    bool object;
    bool unique;        /* no two names of its members are the same */
    uint64_t total;     /* elements */
    abr_page_info file; /* totals of the file */
    uint64_t stride;    /* bytes between entries, at least */
    uint64_t due;       /* start of the next one, at the earliest */
    abr_element_at *entries;
    size_t count;
    size_t room;
    abr_named_at named[ABR_NAMED];
    size_t next_named;
    uint64_t used; /* time of last use, counted in uses of any index */
} abr_element_places;

/* Places of the array or object at a pointer, none yet; NULL if there is no memory. */
abr_element_places *abr_places_new(const char *pointer, size_t n, const abr_alloc *alloc);
void abr_places_free(abr_element_places *x); /* NULL is fine */
uint64_t abr_places_bytes(const abr_element_places *x);

/* Note the start of an element, if an entry is due there; false if there is no memory. In order, from 0
 * on. */
bool abr_places_note(abr_element_places *x, const abr_element_at *place);

/* The last place known at or before an element. */
const abr_element_at *abr_places_before(const abr_element_places *x, uint64_t index);

/* The place of a member that was named before, or NULL. */
const abr_element_at *abr_places_named(const abr_element_places *x, const char *name, size_t n);
void abr_places_name(abr_element_places *x, const char *name, size_t n, const abr_element_at *place);

ABR_PRIVATE_END

#endif
