/* Kernels for 64-bit ARM: NEON is part of it. */
#include "text/kernels_neon.h"
#include "text/kernels_scalar.h"
#include "abridge.h"
#include "text/kernels.h"
#include "text/utf8_pairs.h"

#ifdef ABR_HAS_NEON
#include <arm_neon.h>

#define V(name) name##_neon
#define SET "neon"
#define KERNEL static
#define INLINE KERNEL inline __attribute__((always_inline))
#define WIDTH 16
#define SPREAD 4
#define BYTES V(bytes)
#define FLAGS V(flags)
typedef uint8_t V(bytes) __attribute__((vector_size(WIDTH)));
typedef int8_t V(flags) __attribute__((vector_size(WIDTH)));

/* There is no instruction for masks; the nearest leaves four bits of each byte. */
INLINE uint64_t V(mask)(FLAGS f)
{
    uint8x8_t nibbles = vshrn_n_u16((uint16x8_t)f, 4);
    return vget_lane_u64((uint64x1_t)nibbles, 0) & UINT64_C(0x1111111111111111);
}

INLINE uint64_t V(bits)(FLAGS f)
{
    static const uint8_t weights[16] = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
    uint8x16_t weighed = vandq_u8((uint8x16_t)f, vld1q_u8(weights));
    return vaddv_u8(vget_low_u8(weighed)) | (uint64_t)vaddv_u8(vget_high_u8(weighed)) << 8;
}

INLINE bool V(any)(FLAGS f)
{
    return vmaxvq_u8((uint8x16_t)f) != 0;
}

INLINE uint64_t V(sum)(BYTES x)
{
    return vaddlvq_u8((uint8x16_t)x);
}

/* Entries of a table, by indexes under 16. */
INLINE BYTES V(lookup)(const uint8_t table[16], BYTES index)
{
    return (BYTES)vqtbl1q_u8(vld1q_u8(table), (uint8x16_t)index);
}
#define LOOKUP

/* Each bit stands for a few bytes with one upper half: the lower four are marks, the others quotes. */
enum { SIGN_DASHES = 1 << 0, SIGN_EQUAL = 1 << 1, SIGN_AT = 1 << 2, SIGN_SLASHES = 1 << 3, SIGN_MARKS = 15 };
enum { SIGN_QUOTES = 1 << 4, SIGN_CURLY = 1 << 5, SIGN_OPENING = 1 << 6, SIGN_TICK = 1 << 7 };
static const uint8_t sign_high[16] = {[2] = SIGN_DASHES | SIGN_QUOTES,
                                      [3] = SIGN_EQUAL | SIGN_OPENING,
                                      [4] = SIGN_AT,
                                      [5] = SIGN_SLASHES,
                                      [6] = SIGN_TICK,
                                      [9] = SIGN_CURLY | SIGN_OPENING};
static const uint8_t sign_low[16] = {[0] = SIGN_AT | SIGN_TICK,
                                     [2] = SIGN_QUOTES,
                                     [4] = SIGN_DASHES,
                                     [5] = SIGN_DASHES,
                                     [7] = SIGN_QUOTES,
                                     [8] = SIGN_CURLY,
                                     [12] = SIGN_SLASHES | SIGN_OPENING,
                                     [13] = SIGN_DASHES | SIGN_EQUAL,
                                     [14] = SIGN_DASHES,
                                     [15] = SIGN_DASHES | SIGN_SLASHES};

INLINE BYTES V(signs_of)(BYTES x)
{
    return V(lookup)(sign_high, x >> 4) & V(lookup)(sign_low, x & 15);
}

INLINE FLAGS V(is_mark)(BYTES x)
{
    return (FLAGS)((V(signs_of)(x) & SIGN_MARKS) != 0);
}

INLINE FLAGS V(is_quote)(BYTES x)
{
    return (FLAGS)(V(signs_of)(x) > SIGN_MARKS);
}
#define SIGNS

#include "text/kernels_vector.h"
#endif
