/* Where the elements of an array or the members of an object are, in a file of JSON. */
#ifndef ABR_FILES_ELEMENT_PLACES_H
#define ABR_FILES_ELEMENT_PLACES_H

#include "abridge.h"
#include "base/private.h"
#include "base/tiny.h"
#include "files/line_index.h"

ABR_PRIVATE_BEGIN

enum {
    ABR_NAME_MOST = ABR_OR_TINY(256, 16), /* bytes of a name by which a pointer may go on at a member */
    ABR_NAMED = ABR_OR_TINY(8, 2)         /* members that are remembered by name */
};

/* Where an element begins; a member begins with its key. For the element 0, where its array or object does.
 * */
typedef struct {
    uint64_t index;
    uint64_t at;       /* bytes before it */
    uint64_t newlines; /* the same of newlines and chars */
    uint64_t chars;
} abr_element_at;

typedef struct {
    size_t n; /* bytes of the name */
    char name[ABR_NAME_MOST];
    abr_element_at place; /* index 0: none */
} abr_named_at;

/* What is known of one array or object of a file. */
typedef struct {
    abr_identity of;
    const abr_alloc *alloc;
    char *pointer; /* to it, as it was given */
    size_t pointer_n;
    bool object;
    bool unique;        /* no two names of its members are the same */
    uint64_t total;     /* elements */
    abr_page_info file; /* totals of the file */
    uint64_t stride;    /* bytes between entries, at least */
    uint64_t due;       /* where the next one may be */
    abr_element_at *entries;
    size_t count;
    size_t room;
    abr_named_at named[ABR_NAMED];
    size_t next_named;
    uint64_t used; /* when last, counted in uses of any index */
} abr_element_places;

/* Places of the array or object at a pointer, none yet; NULL where there is no memory. */
abr_element_places *abr_places_new(const char *pointer, size_t n, const abr_alloc *alloc);
void abr_places_free(abr_element_places *x); /* NULL is fine */
uint64_t abr_places_bytes(const abr_element_places *x);

/* Note where an element begins, if an entry is due there; false where there is no memory. In order, from 0
 * on. */
bool abr_places_note(abr_element_places *x, const abr_element_at *place);

/* The last place known at or before an element. */
const abr_element_at *abr_places_before(const abr_element_places *x, uint64_t index);

/* The place of a member that was named before, or NULL. */
const abr_element_at *abr_places_named(const abr_element_places *x, const char *name, size_t n);
void abr_places_name(abr_element_places *x, const char *name, size_t n, const abr_element_at *place);

ABR_PRIVATE_END

#endif
