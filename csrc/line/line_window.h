/*
 * A few KiB of a chunk at once: the ends of its lines, and a copy with every digit replaced by a zero, to
 * recognize lines that differ only in digits (recall.c). Both are found 64 bytes at a time, with vectors.
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
    size_t next;  /* index of the next one */
    uint16_t newlines[ABR_SEGMENT + 1];
    char folded[ABR_SEGMENT + ABR_PADDING];
} abr_line_window;

/* Look at a chunk from `at` on, the start of a line. */
void abr_window_move(abr_line_window *w, size_t at);

/* Start with a chunk. */
static inline void abr_window_open(abr_line_window *w, const char *p, size_t n)
{
    w->p = p;
    w->n = n;
    abr_window_move(w, 0);
}

/* Find the end of the line that starts at `at`, which must be the end of the line before, or the point passed
 * to abr_window_pass(). False: not within ABR_SEGMENT bytes, or too near the end of the chunk for a block. */
static inline bool abr_window_next(abr_line_window *w, size_t at, size_t *end)
{
    if (w->next == w->count && at > w->start)
        abr_window_move(w, at);
    if (w->next == w->count)
        return false;
    *end = w->start + w->newlines[w->next++];
    return true;
}

/* Skip lines: the next one starts at `at`. */
static inline void abr_window_pass(abr_line_window *w, size_t at)
{
    while (w->next < w->count && w->start + w->newlines[w->next] < at)
        w->next++;
}

/* The line that abr_window_next() found, with zeros for all digits. */
static inline const char *abr_window_folded(const abr_line_window *w, size_t at)
{
    return w->folded + (at - w->start);
}

/* The same for a line outside the chunk, of at most ABR_SEGMENT bytes; the ABR_PADDING bytes after it must be
 * readable. The ends of the chunk's lines stay known, but abr_window_folded() no longer works for lines of
 * this window. */
const char *abr_fold_line(abr_line_window *w, const char *p, size_t n);

ABR_PRIVATE_END

#endif
