/* Kernels for any x86-64: SSE2 is part of it. */
#include "text/kernels_sse2.h"
#include "text/kernels_scalar.h"
#include "abridge.h"
#include "text/kernels.h"

#ifdef ABR_HAS_SSE2
#include <emmintrin.h>

#define KERNEL static
#define INLINE KERNEL inline __attribute__((always_inline))

enum { WIDTH = 16, SPREAD = 1 };
typedef uint8_t bytes __attribute__((vector_size(WIDTH)));
typedef int8_t flags __attribute__((vector_size(WIDTH)));

INLINE uint64_t mask(flags f)
{
    return (uint32_t)_mm_movemask_epi8((__m128i)f);
}

INLINE uint64_t bits(flags f)
{
    return mask(f);
}

INLINE bool any(flags f)
{
    return mask(f) != 0;
}

INLINE uint64_t sum(bytes x)
{
    __m128i sums = _mm_sad_epu8((__m128i)x, _mm_setzero_si128());
    return (uint64_t)_mm_cvtsi128_si64(sums) + (uint64_t)_mm_cvtsi128_si64(_mm_srli_si128(sums, 8));
}

#include "text/kernels_vector.h"

const abr_kernels abr_sse2 = {"sse2",      count_newlines, nth_newline, nth_newline_back,
                              well_formed, plain,          classify,    fold};
#endif
