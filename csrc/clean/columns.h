/* Where the columns of a line are: what screen.c asks to find its way in lines of any length. */
#ifndef ABR_CLEAN_COLUMNS_H
#define ABR_CLEAN_COLUMNS_H

#include "abridge.h"
#include "base/private.h"

ABR_PRIVATE_BEGIN

/* Bytes of a line that are walked through char by char, and stretches, more than a window of 64 KiB has at a time.
 * Smaller where the fuzzers are built: short lines have all that long ones have then. */
#ifndef COLUMNS_STEP
#define COLUMNS_STEP 256
#define COLUMNS_STRETCHES 1024
#endif

enum {
    ABR_COLUMNS_TAB = 8,    /* columns between tab stops */
    ABR_COLUMNS_SLOTS = 128 /* lines with an index, at most */
};

/* A line, or its start: n bytes at p, which the caller knows by a slot. */
typedef struct {
    const char *p;
    size_t n;
    size_t slot;
} abr_columns_line;

/* A place in a line: bytes and columns before it. */
typedef struct {
    size_t at;
    size_t column;
} abr_place;

typedef enum {
    ABR_STRETCH_UNKNOWN = 0, /* not measured since it was written */
    ABR_STRETCH_MIXED,
    ABR_STRETCH_TABBED, /* has a tab */
    ABR_STRETCH_PLAIN   /* each byte takes a column: any number of them */
} abr_stretch_kind;

/* Part of a line. Its ends lie between chars. */
typedef struct {
    uint32_t bytes;
    uint32_t columns; /* up to its first tab, or its end */
    uint32_t behind;  /* columns from the first tab's end on */
    uint16_t next;    /* stretch of the line; 0: none */
    uint8_t kind;
} abr_columns_stretch;

/* An index of the lines of a window, in stretches: a place is found by as many steps as the line has stretches, and a
 * walk through one of them. It is made where it is asked for, and told of every change; what it does not know any more
 * it measures again, a stretch at a time. */
typedef struct {
    bool keeps_tabs; /* a tab is a char of one column */
    bool
        joins; /* bytes outside UTF-8 are kept, and may become a char with those that come to stand beside them */
    uint16_t unused;                   /* list of stretches given back */
    uint16_t used;                     /* stretches ever taken, those of 1 to `used` */
    uint16_t first[ABR_COLUMNS_SLOTS]; /* stretch of the line; 0: it has no index */

    /* What was found last: a place in a stretch of a line, by which the next search begins. */
    size_t last_slot;
    uint16_t last; /* 0: nothing */
    abr_place last_start;
    abr_place last_place;

    abr_columns_stretch stretches[COLUMNS_STRETCHES];
} abr_columns;

void abr_columns_start(abr_columns *c, bool keeps_tabs, bool joins);

/* Columns of what stands in the line at x, of which *size gets the bytes. x.at < line.n. */
size_t abr_columns_unit(const abr_columns *c, abr_columns_line line, abr_place x, size_t *size);

/* From a place on, up to byte `stop`: over what lies before the column `target` as a whole, and over what belongs to the
 * char before it. Cost: the bytes between. */
abr_place abr_columns_walk(const abr_columns *c, abr_columns_line line, abr_place x, size_t stop,
                           size_t target);

/* The same from the start of the line on. Cost: see abr_columns. */
abr_place abr_columns_seek(abr_columns *c, abr_columns_line line, size_t stop, size_t target);

/* The same from byte `at` of a line without tabs, up to its end; columns count from there. */
abr_place abr_columns_seek_from(abr_columns *c, abr_columns_line line, size_t at, size_t target);

/* Does the slot's line have an index, which is to hear of changes? */
static inline bool abr_columns_has(const abr_columns *c, size_t slot)
{
    return c->first[slot] != 0;
}

/* The line's bytes from `from` to `to` became `size` bytes; `plain`: each takes a column. The line has an index. */
void abr_columns_splice(abr_columns *c, size_t slot, size_t from, size_t to, size_t size, bool plain);

/* The line, which has an index, lost its first n bytes. */
void abr_columns_cut(abr_columns *c, size_t slot, size_t n);

/* The slot's line is another, or has changed all over. */
void abr_columns_forget(abr_columns *c, size_t slot);

static inline void abr_columns_drop(abr_columns *c, size_t slot)
{
    if (abr_columns_has(c, slot))
        abr_columns_forget(c, slot);
}

ABR_PRIVATE_END

#endif
