/* Tables that find ill-formed UTF-8 by pairs of bytes, for sets of instructions that have a lookup. */
#ifndef ABR_TEXT_UTF8_PAIRS_H
#define ABR_TEXT_UTF8_PAIRS_H

#include <stdint.h>
#include "text/kernels.h"

#if defined(ABR_HAS_AVX2) || defined(ABR_HAS_NEON)

/* What may be wrong with two bytes, a bit each, told by both halves of the first and the upper half of the
 * second; the algorithm is that of Keiser and Lemire, "Validating UTF-8 in less than one instruction per
 * byte" (2020). */
enum {
    ABR_ENDS_EARLY = 1 << 0, /* a lead, and no continuation byte */
    ABR_LOOSE = 1 << 1,      /* ASCII, and a continuation byte */
    ABR_LONG_2 = 1 << 2,     /* C0, C1 */
    ABR_LONG_3 = 1 << 3,     /* E0 80 to E0 9F */
    ABR_LONG_4 = 1 << 4,     /* F0 80 to F0 8F, and F5 to FF with these: */
    ABR_OVER_80 = ABR_LONG_4,
    ABR_OVER = 1 << 5,      /* F4 90 and more, F5 to FF with 90 and more */
    ABR_SURROGATE = 1 << 6, /* ED A0 to ED BF */
    ABR_CONTINUES = 1 << 7, /* two continuation bytes: right after a lead of three or four */
    ABR_ANY_LOW = ABR_ENDS_EARLY | ABR_LOOSE | ABR_CONTINUES,
    ABR_ANY_SECOND = ABR_LOOSE | ABR_LONG_2 | ABR_CONTINUES
};

static const uint8_t abr_first_high[16] = {ABR_LOOSE,
                                           ABR_LOOSE,
                                           ABR_LOOSE,
                                           ABR_LOOSE,
                                           ABR_LOOSE,
                                           ABR_LOOSE,
                                           ABR_LOOSE,
                                           ABR_LOOSE,
                                           ABR_CONTINUES,
                                           ABR_CONTINUES,
                                           ABR_CONTINUES,
                                           ABR_CONTINUES,
                                           ABR_ENDS_EARLY | ABR_LONG_2,
                                           ABR_ENDS_EARLY,
                                           ABR_ENDS_EARLY | ABR_LONG_3 | ABR_SURROGATE,
                                           ABR_ENDS_EARLY | ABR_LONG_4 | ABR_OVER};
static const uint8_t abr_first_low[16] = {ABR_ANY_LOW | ABR_LONG_2 | ABR_LONG_3 | ABR_LONG_4,
                                          ABR_ANY_LOW | ABR_LONG_2,
                                          ABR_ANY_LOW,
                                          ABR_ANY_LOW,
                                          ABR_ANY_LOW | ABR_OVER,
                                          ABR_ANY_LOW | ABR_OVER | ABR_OVER_80,
                                          ABR_ANY_LOW | ABR_OVER | ABR_OVER_80,
                                          ABR_ANY_LOW | ABR_OVER | ABR_OVER_80,
                                          ABR_ANY_LOW | ABR_OVER | ABR_OVER_80,
                                          ABR_ANY_LOW | ABR_OVER | ABR_OVER_80,
                                          ABR_ANY_LOW | ABR_OVER | ABR_OVER_80,
                                          ABR_ANY_LOW | ABR_OVER | ABR_OVER_80,
                                          ABR_ANY_LOW | ABR_OVER | ABR_OVER_80,
                                          ABR_ANY_LOW | ABR_OVER | ABR_OVER_80 | ABR_SURROGATE,
                                          ABR_ANY_LOW | ABR_OVER | ABR_OVER_80,
                                          ABR_ANY_LOW | ABR_OVER | ABR_OVER_80};
static const uint8_t abr_second_high[16] = {ABR_ENDS_EARLY,
                                            ABR_ENDS_EARLY,
                                            ABR_ENDS_EARLY,
                                            ABR_ENDS_EARLY,
                                            ABR_ENDS_EARLY,
                                            ABR_ENDS_EARLY,
                                            ABR_ENDS_EARLY,
                                            ABR_ENDS_EARLY,
                                            ABR_ANY_SECOND | ABR_LONG_3 | ABR_LONG_4,
                                            ABR_ANY_SECOND | ABR_LONG_3 | ABR_OVER,
                                            ABR_ANY_SECOND | ABR_SURROGATE | ABR_OVER,
                                            ABR_ANY_SECOND | ABR_SURROGATE | ABR_OVER,
                                            ABR_ENDS_EARLY,
                                            ABR_ENDS_EARLY,
                                            ABR_ENDS_EARLY,
                                            ABR_ENDS_EARLY};

#endif

#endif
