/*
 * The places of lines in a source: the number of newlines before each stride of bytes.
 *
 * A sparse index: one entry a stride, 64 KiB to begin with. When the table is full every other entry goes and
 * the stride doubles, so that a file of any size takes at most MOST_ENTRIES entries (1 MiB, as much again for
 * chars). A line is found by bisection and a look at one stride of bytes.
 */
#include <string.h>

#include "files/line_index.h"
#include "abridge.h"
#include "base/memory.h"
#include "base/tiny.h"
#include "files/portable.h"
#include "text/scan.h"

#ifndef INDEX_STRIDE /* a test has smaller ones */
#define INDEX_STRIDE ABR_OR_TINY(64 * 1024, 16)
#define INDEX_ENTRIES ABR_OR_TINY(128 * 1024, 8)
#endif

enum {
    STRIDE = INDEX_STRIDE,               /* bytes between entries, at first */
    MOST_ENTRIES = INDEX_ENTRIES,        /* of one file */
    FIRST_ENTRIES = ABR_OR_TINY(256, 2), /* allocated at first */
    OPEN_BITS = 2,
    OPEN_MASK = 3 /* in an entry of chars: bytes of an unfinished sequence before it */
};

/* ---- reading ---- */

int abr_read_at(const abr_source *r, uint64_t at, char *dst, size_t n, size_t *got)
{
    *got = 0;
    if (at >= r->size)
        return 0;
    if (n > r->size - at)
        n = (size_t)(r->size - at);
    if (r->file == ABR_NO_FILE) {
        memcpy(dst, r->text + at, n);
        *got = n;
        return 0;
    }
    while (*got < n) {
        size_t came;
        int failed = abr_read_once(r->file, dst + *got, n - *got, at + *got, &came);
        if (failed != 0 || came == 0)
            return failed != 0 ? failed : ABR_ENDED_EARLY;
        *got += came;
    }
    return 0;
}

/* ---- building ---- */

void abr_lines_free(abr_lines *x)
{
    if (!x)
        return;
    const abr_alloc *a = x->alloc;
    if (x->newlines)
        a->free(a->ctx, x->newlines);
    if (x->chars)
        a->free(a->ctx, x->chars);
    a->free(a->ctx, x);
}

static bool grow_table(const abr_alloc *a, uint64_t **table, size_t old, size_t room)
{
    uint64_t *grown = abr_resize(a, *table, old * sizeof **table, room * sizeof **table);
    if (!grown)
        return false;
    *table = grown;
    return true;
}

/* Drop every other entry. */
static void thin(abr_lines *x)
{
    for (size_t i = 1; 2 * i < x->count; i++) {
        x->newlines[i] = x->newlines[2 * i];
        if (x->chars)
            x->chars[i] = x->chars[2 * i];
    }
    x->count = (x->count + 1) / 2;
    x->stride *= 2;
}

/* Note the newlines and chars before byte `at`, if an entry is due there. */
static bool note(abr_lines *x, uint64_t at, const abr_char_counter *chars)
{
    if (at % x->stride != 0)
        return true;
    if (x->count == MOST_ENTRIES) {
        thin(x);
        if (at % x->stride != 0)
            return true;
    }
    if (x->count == x->room) {
        size_t room = x->room > 0 ? 2 * x->room : FIRST_ENTRIES;
        if (!grow_table(x->alloc, &x->newlines, x->room, room) ||
            (chars && !grow_table(x->alloc, &x->chars, x->room, room)))
            return false;
        x->room = room;
    }
    if (chars)
        x->chars[x->count] = chars->chars << OPEN_BITS | chars->open;
    x->newlines[x->count++] = x->total_newlines;
    return true;
}

/* Add a block of the source, a multiple of STRIDE long unless it is the last. */
static bool add_block(abr_lines *x, uint64_t at, const char *p, size_t n, abr_char_counter *chars)
{
    for (size_t i = 0; i < n; i += STRIDE) {
        size_t part = n - i < STRIDE ? n - i : STRIDE;
        if (!note(x, at + i, chars))
            return false;
        x->total_newlines += abr_count_newlines(p + i, part);
        if (chars)
            abr_count_more_chars(chars, p + i, part);
    }
    x->ends_line = p[n - 1] == '\n';
    return true;
}

int abr_lines_begin(abr_lines_maker *maker, bool with_chars, const abr_alloc *alloc)
{
    abr_lines *x = alloc->malloc(alloc->ctx, sizeof *x);
    memset(maker, 0, sizeof *maker);
    if (!x)
        return ENOMEM;
    memset(x, 0, sizeof *x);
    x->alloc = alloc;
    x->stride = STRIDE;
    maker->lines = x;
    maker->with_chars = with_chars;
    return 0;
}

static void take_off(uint64_t *most, uint64_t n)
{
    *most -= n < *most ? n : *most;
}

int abr_lines_read(abr_lines_maker *maker, const abr_source *r, char *block, uint64_t *most, bool *whole)
{
    abr_lines *x = maker->lines;
    bool first = true;
    for (; maker->at < r->size && (first || *most > 0); first = false) {
        size_t got;
        int failed = abr_read_at(r, maker->at, block, ABR_BLOCK, &got);
        if (failed == 0 && !add_block(x, maker->at, block, got, maker->with_chars ? &maker->chars : NULL))
            failed = ENOMEM;
        if (failed != 0)
            return failed;
        maker->at += got;
        take_off(most, got);
    }
    *whole = maker->at >= r->size;
    if (!*whole)
        return 0;
    uint64_t invalid;
    x->size = r->size;
    x->has_chars = maker->with_chars;
    x->total_chars = abr_counted_chars(&maker->chars, &invalid);
    x->total_lines = x->total_newlines + (x->size > 0 && !x->ends_line);
    return 0;
}

/* ---- finding ---- */

/* The last entry with fewer newlines before it than `newlines`, which is at least 1. */
static size_t entry_before(const abr_lines *x, uint64_t newlines)
{
    size_t low = 0;
    size_t high = x->count - 1;
    while (low < high) {
        size_t middle = high - (high - low) / 2;
        if (x->newlines[middle] < newlines)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

int abr_line_start(const abr_lines *x, const abr_source *r, char *block, uint64_t line, uint64_t *at)
{
    *at = 0;
    if (line == 1)
        return 0;
    uint64_t left = line - 1;
    size_t entry = entry_before(x, left);
    *at = entry * x->stride;
    left -= x->newlines[entry];
    const size_t piece = x->stride / 4 < ABR_BLOCK ? (size_t)(x->stride / 4) : ABR_BLOCK;
    for (;;) {
        size_t got;
        int failed = abr_read_at(r, *at, block, piece, &got);
        if (failed != 0 || got == 0)
            return failed != 0 ? failed : ABR_ENDED_EARLY;
        *at += abr_nth_newline(block, got, &left);
        if (left == 0)
            return 0;
    }
}

int abr_line_end(const abr_lines *x, const abr_source *r, char *block, uint64_t line, uint64_t *at)
{
    *at = x->size;
    if (line > x->total_newlines)
        return 0;
    int failed = abr_line_start(x, r, block, line + 1, at);
    *at -= failed == 0;
    return failed;
}

int abr_chars_before(const abr_lines *x, const abr_source *r, char *block, uint64_t at, uint64_t *chars)
{
    abr_char_counter counter;
    memset(&counter, 0, sizeof counter);
    *chars = 0;
    if (at == 0)
        return 0;
    size_t entry = (size_t)((at - 1) / x->stride);
    uint64_t from = entry * x->stride - (x->chars[entry] & OPEN_MASK);
    while (from < at) {
        size_t got;
        int failed =
            abr_read_at(r, from, block, at - from < ABR_BLOCK ? (size_t)(at - from) : ABR_BLOCK, &got);
        if (failed != 0)
            return failed;
        abr_count_more_chars(&counter, block, got);
        from += got;
    }
    uint64_t invalid;
    *chars = (x->chars[entry] >> OPEN_BITS) + abr_counted_chars(&counter, &invalid);
    return 0;
}

/* The known place nearest before a char of a line, or the start of the line. */
static void nearest_place(const abr_lines *x, uint64_t line, uint64_t *column, uint64_t *at)
{
    uint64_t wanted = *column;
    *column = 1;
    for (size_t i = 0; i < ABR_PLACES; i++) {
        const abr_place_at *known = &x->places[i];
        if (known->line == line && known->column <= wanted && known->column > *column) {
            *column = known->column;
            *at = known->at;
        }
    }
}

int abr_walk_begin(abr_walk *walk, const abr_lines *x, const abr_source *r, char *block, uint64_t line)
{
    const uint64_t column = walk->left + 1;
    uint64_t from = column;
    nearest_place(x, line, &from, &walk->at);
    walk->left = column - from;
    return abr_line_end(x, r, block, line, &walk->end);
}

int abr_walk_on(abr_walk *walk, const abr_source *r, char *block, uint64_t *most, bool *there)
{
    enum { SEQUENCE = 4 };
    bool first = true;
    for (; walk->left > 0 && walk->at < walk->end && (first || *most > 0); first = false) {
        size_t got;
        uint64_t rest = walk->end - walk->at;
        int failed = abr_read_at(r, walk->at, block, rest < ABR_BLOCK ? (size_t)rest : ABR_BLOCK, &got);
        if (failed != 0)
            return failed;
        take_off(most, got);
        /* a sequence possibly cut by the block's end goes with the next block */
        size_t usable = got < rest ? abr_char_start(block, got, got - SEQUENCE) : got;
        uint64_t chars = abr_count_chars(block, usable, NULL);
        if (chars >= walk->left) {
            walk->at += abr_skip_chars(block, usable, walk->left);
            walk->left = 0;
        } else {
            walk->left -= chars;
            walk->at += usable;
        }
    }
    *there = walk->left == 0 || walk->at >= walk->end;
    return 0;
}

/* ---- files ---- */

bool abr_same_identity(const abr_identity *a, const abr_identity *b)
{
    return a->device == b->device && a->inode == b->inode && a->size == b->size && a->seconds == b->seconds &&
           a->nanoseconds == b->nanoseconds;
}
