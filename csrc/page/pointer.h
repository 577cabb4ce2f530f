/* JSON pointers, by RFC 6901. */
#ifndef ABR_PAGE_POINTER_H
#define ABR_PAGE_POINTER_H

#include "abridge.h"
#include "base/private.h"

ABR_PRIVATE_BEGIN

/* A step of a pointer: to a member by its name, or to an element by its index. */
typedef struct {
    const char *name; /* decoded */
    size_t n;
    uint64_t index; /* ABR_UNLIMITED: not an index */
    bool counted;   /* a member by its index: ~#12, which no name looks like */
    size_t start;   /* bytes of the pointer before it, with its slash, and up to its end */
    size_t end;
} abr_pointer_step;

typedef struct {
    const abr_alloc *alloc;
    void *block; /* owned: the text, the names and the steps */
    const char *text;
    size_t n;
    const abr_pointer_step *steps;
    size_t count;
} abr_pointer;

/* Read a pointer. Fails with ABR_EPOINTER if it is not valid, and ABR_ENOMEM. */
abr_code abr_pointer_read(const char *p, size_t n, const abr_alloc *alloc, abr_pointer *pointer,
                          abr_error *error);
void abr_pointer_free(abr_pointer *pointer);

/* Decode the part between the quotes of a valid JSON string. Returns the bytes, at most n; SIZE_MAX if it is
 * not Unicode, such as half of a surrogate pair. */
size_t abr_decode_string(const char *p, size_t n, char *dst);

/* Write a name as in a pointer, at most 2 n bytes; 0 if it would not read well in a sentence, or is empty. */
size_t abr_escape_name(const char *name, size_t n, char *dst);

ABR_PRIVATE_END

#endif
