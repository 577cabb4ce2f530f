/* The content of a cut, and its memory. */
#include <string.h>

#include "abridge.h"
#include "text/scan.h"

void abr_cut_write(const abr_cut *cut, char *dst)
{
    for (size_t i = 0; i < cut->piece_count; i++) {
        const abr_piece *piece = &cut->pieces[i];
        if (cut->utf8_replace) {
            dst += abr_replace_invalid(piece->p, piece->n, dst);
        } else {
            memcpy(dst, piece->p, piece->n);
            dst += piece->n;
        }
    }
}

void abr_cut_free(abr_cut *cut)
{
    if (cut->block)
        cut->alloc->free(cut->alloc->ctx, cut->block);
    cut->block = NULL;
    cut->pieces = NULL;
    cut->piece_count = 0;
    cut->items = NULL;
    cut->item_count = 0;
}
