/* The places of lines in a source. */
#ifndef ABR_FILES_LINE_INDEX_H
#define ABR_FILES_LINE_INDEX_H

#include "abridge.h"
#include "base/private.h"
#include "base/tiny.h"
#include "files/portable.h"
#include "text/scan.h"

ABR_PRIVATE_BEGIN

enum {
    ABR_BLOCK = ABR_OR_TINY(256 * 1024, 64), /* bytes read at once */
    ABR_PLACES = ABR_OR_TINY(8, 2),          /* places remembered in long lines */
    ABR_ENDED_EARLY = -1 /* in place of an errno: the source is shorter than its stated size */
};

/* A source to read: an open file, or a text. */
typedef struct {
    abr_handle file; /* ABR_NO_FILE: the text */
    const char *text;
    uint64_t size; /* bytes; nothing is read beyond them */
} abr_source;

/* Read n bytes from byte `at` on, fewer only at the end. 0, an errno or ABR_ENDED_EARLY. */
int abr_read_at(const abr_source *r, uint64_t at, char *dst, size_t n, size_t *got);

bool abr_same_identity(const abr_identity *a, const abr_identity *b);

typedef struct {
    uint64_t line; /* 0: none */
    uint64_t column;
    uint64_t at; /* bytes before it */
} abr_place_at;

/* The line index of one source. */
typedef struct {
    abr_identity of;
    const abr_alloc *alloc;
    uint64_t stride;    /* bytes between entries */
    uint64_t *newlines; /* before each multiple of stride */
    uint64_t *chars;    /* chars and open bytes before each, or NULL */
    size_t count;       /* entries */
    size_t room;
    uint64_t size; /* totals of the source */
    uint64_t total_newlines;
    uint64_t total_lines;
    uint64_t total_chars; /* counted with has_chars */
    bool has_chars;
    bool ends_line;
    bool is_text;  /* it was checked, and is not binary */
    uint64_t used; /* time of last use, counted in uses of any index */
    abr_place_at places[ABR_PLACES];
    size_t next_place;
} abr_lines;

/* The functions below use a block of ABR_BLOCK bytes, and return 0, an errno or ABR_ENDED_EARLY. */

/* An index that is made while its source is read. */
typedef struct {
    abr_lines *lines; /* whole once all is read; NULL: none is made */
    uint64_t at;      /* bytes read */
    bool with_chars;
    abr_char_counter chars;
} abr_lines_maker;

int abr_lines_begin(abr_lines_maker *maker, bool with_chars, const abr_alloc *alloc);
/* Read on, block by block until *most bytes are read, at least one block; deducts them from *most. *whole:
 * all is read. */
int abr_lines_read(abr_lines_maker *maker, const abr_source *r, char *block, uint64_t *most, bool *whole);
void abr_lines_free(abr_lines *x); /* NULL is fine */

/* Start of a line, and its end before the newline. The source must have the line. */
int abr_line_start(const abr_lines *x, const abr_source *r, char *block, uint64_t line, uint64_t *at);
int abr_line_end(const abr_lines *x, const abr_source *r, char *block, uint64_t line, uint64_t *at);

/* Chars before the place `at`, which lies between chars; has_chars. */
int abr_chars_before(const abr_lines *x, const abr_source *r, char *block, uint64_t at, uint64_t *chars);

/* The way to a char of a line. */
typedef struct {
    uint64_t at;   /* current position */
    uint64_t end;  /* of the line, before its newline */
    uint64_t left; /* chars to go; at the line's end, the chars missing */
} abr_walk;

/* Begin a walk: `at` is the start of a line, `left` chars to go. Both advance to the last known place on the
 * way. */
int abr_walk_begin(abr_walk *walk, const abr_lines *x, const abr_source *r, char *block, uint64_t line);
/* Walk on, block by block until *most bytes are read, at least one block; deducts them from *most. *there: at
 * the char or the end. */
int abr_walk_on(abr_walk *walk, const abr_source *r, char *block, uint64_t *most, bool *there);

ABR_PRIVATE_END

#endif
