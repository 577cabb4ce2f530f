/* Bytes read as words of a machine. */
#ifndef ABR_BASE_WORD_H
#define ABR_BASE_WORD_H

#include <string.h>

#include "abridge.h"
#include "base/private.h"

ABR_PRIVATE_BEGIN

/* Eight bytes, the first one lowest. */
static inline uint64_t abr_load_word(const char *p)
{
    uint64_t word;
    memcpy(&word, p, sizeof word);
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    return word;
}

ABR_PRIVATE_END

#endif
