/* Kernels for 64-bit ARM: NEON is part of it. */
#include "text/kernels_neon.h"
#include "text/kernels_scalar.h"
#include "abridge.h"
#include "text/kernels.h"

#ifdef ABR_HAS_NEON
#include <arm_neon.h>

#define KERNEL static
#define INLINE KERNEL inline __attribute__((always_inline))

enum { WIDTH = 16, SPREAD = 4 };
typedef uint8_t bytes __attribute__((vector_size(WIDTH)));
typedef int8_t flags __attribute__((vector_size(WIDTH)));

/* There is no instruction for masks; the nearest leaves four bits of each byte. */
INLINE uint64_t mask(flags f)
{
    uint8x8_t nibbles = vshrn_n_u16((uint16x8_t)f, 4);
    return vget_lane_u64((uint64x1_t)nibbles, 0) & UINT64_C(0x1111111111111111);
}

INLINE uint64_t bits(flags f)
{
    static const uint8_t weights[16] = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
    uint8x16_t weighed = vandq_u8((uint8x16_t)f, vld1q_u8(weights));
    return vaddv_u8(vget_low_u8(weighed)) | (uint64_t)vaddv_u8(vget_high_u8(weighed)) << 8;
}

INLINE bool any(flags f)
{
    return vmaxvq_u8((uint8x16_t)f) != 0;
}

INLINE uint64_t sum(bytes x)
{
    return vaddlvq_u8((uint8x16_t)x);
}

/* Entries of a table, by indexes under 16. */
INLINE bytes lookup(const uint8_t table[16], bytes index)
{
    return (bytes)vqtbl1q_u8(vld1q_u8(table), (uint8x16_t)index);
}
#define LOOKUP

#include "text/kernels_vector.h"

const abr_kernels abr_neon = {"neon",      count_newlines, nth_newline, nth_newline_back,
                              well_formed, plain,          classify,    fold};
#endif
