/* A place in a line: a file, and a line of it. */
#ifndef ABR_LINE_PLACE_H
#define ABR_LINE_PLACE_H

#include "abridge.h"
#include "base/private.h"

ABR_PRIVATE_BEGIN

typedef struct {
    size_t file; /* start of the name, inside any quotes */
    size_t file_n;
    uint64_t lnum;
    uint64_t col;   /* 0: there is none */
    size_t start;   /* of the name, or of its quote */
    size_t end;     /* just after the last number and its bracket */
    unsigned tried; /* numbers looked at so far; zero it to start */
    char before;    /* the sign between name and number: ':', '(', '[', 'l' of "line", '@' */
} abr_file_place;

/* Could abr_find_place() find one in (p, n)? Far cheaper, and seldom wrong. */
bool abr_may_have_place(const char *p, size_t n);

/* Find the first place whose name starts at `from` or later: name:12:5, name(12,5), name:[12,5], name @ 12,
 * name, line 12. Only the first few numbers of a line are looked at. */
bool abr_find_place(const char *p, size_t n, size_t from, abr_file_place *place);

/* Is all of (p, n) the name of a file, with a folder or an extension? */
bool abr_is_file_name(const char *p, size_t n);

/* Bytes of the number at `at`, and its value; 0 if there is none, or it has more than nine digits. */
size_t abr_read_lnum(const char *p, size_t n, size_t at, uint64_t *value);

ABR_PRIVATE_END

#endif
