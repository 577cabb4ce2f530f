/* Kernels for any x86-64: SSE2 is part of it. */
#include "text/kernels_sse2.h"
#include "text/kernels_scalar.h"
#include "abridge.h"
#include "text/kernels.h"

#ifdef ABR_HAS_SSE2
#include <emmintrin.h>

#define V(name) name##_sse2
#define SET "sse2"
#define KERNEL static
#define INLINE KERNEL inline __attribute__((always_inline))
#define WIDTH 16
#define SPREAD 1
#define BYTES V(bytes)
#define FLAGS V(flags)
typedef uint8_t V(bytes) __attribute__((vector_size(WIDTH)));
typedef int8_t V(flags) __attribute__((vector_size(WIDTH)));

INLINE uint64_t V(mask)(FLAGS f)
{
    return (uint32_t)_mm_movemask_epi8((__m128i)f);
}

INLINE uint64_t V(bits)(FLAGS f)
{
    return V(mask)(f);
}

INLINE bool V(any)(FLAGS f)
{
    return V(mask)(f) != 0;
}

INLINE uint64_t V(sum)(BYTES x)
{
    __m128i sums = _mm_sad_epu8((__m128i)x, _mm_setzero_si128());
    return (uint64_t)_mm_cvtsi128_si64(sums) + (uint64_t)_mm_cvtsi128_si64(_mm_srli_si128(sums, 8));
}

#include "text/kernels_vector.h"
#endif
