/*
 * A few KiB of a chunk at once: where its lines end, and a copy in which every digit is a zero, by which lines that
 * differ in digits alone are known (recall.c). Both are found a block of 64 bytes at a time, as vectors have it.
 */
#ifndef ABR_LINE_LINE_WINDOW_H
#define ABR_LINE_LINE_WINDOW_H

#include "abridge.h"
#include "base/private.h"
#include "line/bits.h"
#include "line/words.h"

ABR_PRIVATE_BEGIN

_Static_assert(ABR_SEGMENT % BLOCK == 0 && (size_t)ABR_SEGMENT <= ABR_FOLDED_MOST,
               "a window is folded at once");

typedef struct {
    const char *p; /* the chunk */
    size_t n;
    size_t start; /* of the window in it */
    size_t count; /* newlines in the window */
    size_t next;  /* the one that comes next */
    uint16_t newlines[ABR_SEGMENT + 1];
    char folded[ABR_SEGMENT + ABR_PADDING];
} abr_line_window;

/* Look at a chunk from `at` on, where a line starts. */
void abr_window_move(abr_line_window *w, size_t at);

/* Start with a chunk. */
static inline void abr_window_open(abr_line_window *w, const char *p, size_t n)
{
    w->p = p;
    w->n = n;
    abr_window_move(w, 0);
}

/* Find where the line ends that starts at `at`, which must be where the one before ended, or where abr_window_pass()
 * went. False: not within ABR_SEGMENT bytes, or too near the end of the chunk for a block. */
static inline bool abr_window_next(abr_line_window *w, size_t at, size_t *end)
{
    if (w->next == w->count && at > w->start)
        abr_window_move(w, at);
    if (w->next == w->count)
        return false;
    *end = w->start + w->newlines[w->next++];
    return true;
}

/* Lines were passed over: the next one starts at `at`. */
static inline void abr_window_pass(abr_line_window *w, size_t at)
{
    while (w->next < w->count && w->start + w->newlines[w->next] < at)
        w->next++;
}

/* The line that abr_window_next() found, each digit a zero. */
static inline const char *abr_window_folded(const abr_line_window *w, size_t at)
{
    return w->folded + (at - w->start);
}

/* The same of a line that is no part of a chunk, of at most ABR_SEGMENT bytes; the ABR_PADDING bytes after it must be
 * readable. Where the lines of the chunk end is still known, but abr_window_folded() has nothing more for those of this
 * window. */
const char *abr_fold_line(abr_line_window *w, const char *p, size_t n);

ABR_PRIVATE_END

#endif
