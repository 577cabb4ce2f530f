/* The columns of lines of any length. */
#ifndef ABR_CLEAN_COLUMNS_H
#define ABR_CLEAN_COLUMNS_H

#include "abridge.h"
#include "base/private.h"
#include "base/tiny.h"

ABR_PRIVATE_BEGIN

/* Bytes of a segment. Smaller in fuzzers' builds, so that short lines have several, too. */
#define COLUMNS_STEP ABR_OR_TINY(256, 32)

enum {
    ABR_COLUMNS_TAB = 8, /* columns between tab stops */
    ABR_COLUMNS_SEGMENTS =
        ABR_OR_TINY(256 * 1024, 1024) / COLUMNS_STEP /* four times those of a full window */
};

/* A line: n bytes at p, `start` bytes into the cleaned text. */
typedef struct {
    const char *p;
    size_t n;
    uint64_t start;
} abr_columns_line;

/* A place in a line: bytes and columns before it. */
typedef struct {
    size_t at;
    size_t column;
} abr_place;

typedef enum {
    ABR_SEGMENT_UNKNOWN = 0, /* not measured since the last change */
    ABR_SEGMENT_MIXED,
    ABR_SEGMENT_TABBED, /* its columns depend on its first column */
    ABR_SEGMENT_BLANK   /* only blanks, any number of them */
} abr_segment_kind;

/* Bytes of the text that follow one another, whole chars. */
typedef struct {
    uint32_t bytes;
    uint32_t columns;
    uint8_t kind;
    uint8_t phase; /* its first column when measured, modulo ABR_COLUMNS_TAB */
} abr_columns_segment;

/* Segments that tile part of the text. Searches make and measure them. Every change of the text must be
 * reported, except text appended at its end. */
typedef struct {
    bool keeps_tabs; /* a tab is a char of one column */
    bool joins;      /* kept bytes outside UTF-8 may become a char with those written next to them */

    uint64_t start; /* of the first segment, in bytes of the text */
    size_t size;    /* bytes of all segments */
    size_t n;       /* segments */

    /* The place found last, and its segment. */
    uint64_t line;  /* start of its line */
    size_t segment; /* ABR_COLUMNS_SEGMENTS: none; the line was walked from its start */
    abr_place segment_start;
    abr_place found;

    abr_columns_segment segments[ABR_COLUMNS_SEGMENTS];
} abr_columns;

void abr_columns_start(abr_columns *c, bool keeps_tabs, bool joins);

/* Columns of the char, tab or control sequence at x, with its bytes in *size. x.at < line.n. */
size_t abr_columns_unit(const abr_columns *c, abr_columns_line line, abr_place x, size_t *size);

/* Walk from x over the chars that start before byte `stop` and end at column `target` or before it, and over
 * the chars without columns that follow them. Cost: the bytes passed. */
abr_place abr_columns_walk(const abr_columns *c, abr_columns_line line, abr_place x, size_t stop,
                           size_t target);

/* The same from the start of the line. Cost: the segments passed, a walk through one of them, and measuring
 * those that changed. */
abr_place abr_columns_seek(abr_columns *c, abr_columns_line line, size_t stop, size_t target);

/* The same from byte `at` of a line without tabs to its end; columns count from there. */
abr_place abr_columns_seek_from(abr_columns *c, abr_columns_line line, size_t at, size_t target);

/* The bytes of the text from `from` to `to` are about to be replaced by `size` others. */
void abr_columns_splice(abr_columns *c, uint64_t from, uint64_t to, size_t size);

ABR_PRIVATE_END

#endif
