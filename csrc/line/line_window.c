/* The ends of the lines of a chunk, and their bytes with every digit a zero. */
#include "line/line_window.h"
#include "abridge.h"
#include "line/bits.h"
#include "text/simd.h"

void abr_window_move(abr_line_window *w, size_t at)
{
    const size_t n = w->n - at < ABR_SEGMENT ? w->n - at : (size_t)ABR_SEGMENT;
    w->start = at;
    w->count = abr_kernels_now()->fold(w->p + at, n - n % BLOCK, w->folded, w->newlines);
    w->next = 0;
}

const char *abr_fold_line(abr_line_window *w, const char *p, size_t n)
{
    uint16_t newlines[ABR_SEGMENT + 1]; /* without newlines of the chunk */
    abr_kernels_now()->fold(p, (n + BLOCK - 1) / BLOCK * BLOCK, w->folded, newlines);
    return w->folded;
}
