/* What a piece of a cut shows of its range. */
#ifndef RANGES_H
#define RANGES_H

#include <stdbool.h>
#include <string.h>

#include "abridge.h"

/* Has the piece the bytes of its range, which may lack blanks if the cut is compact? */
static inline bool shows_range(const char *source, const abr_cut *cut, const abr_piece *piece)
{
    size_t i = 0;
    for (uint64_t at = piece->first_byte; at <= piece->last_byte; at++) {
        const char byte = source[at - 1];
        if (i < piece->n && piece->p[i] == byte)
            i++;
        else if (!cut->compact || !memchr(" \n\r\t", byte, 4))
            return false;
    }
    return i == piece->n;
}

#endif
