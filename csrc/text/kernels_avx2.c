/* Kernels for x86-64 with AVX2. */
#include "text/kernels_avx2.h"
#include "text/kernels_scalar.h"
#include "abridge.h"
#include "text/classify_avx2.h"
#include "text/kernels.h"
#include "text/utf8_pairs.h"

#ifdef ABR_HAS_AVX2
#include <immintrin.h>

#define V(name) name##_avx2
#define SET "avx2"
#define KERNEL __attribute__((target("avx2,bmi,popcnt"))) static
#define INLINE KERNEL inline __attribute__((always_inline))
#define WIDTH 32
#define SPREAD 1
#define BYTES V(bytes)
#define FLAGS V(flags)
typedef uint8_t V(bytes) __attribute__((vector_size(WIDTH)));
typedef int8_t V(flags) __attribute__((vector_size(WIDTH)));

INLINE uint64_t V(mask)(FLAGS f)
{
    return (uint32_t)_mm256_movemask_epi8((__m256i)f);
}

INLINE bool V(any)(FLAGS f)
{
    return !_mm256_testz_si256((__m256i)f, (__m256i)f);
}

INLINE uint64_t V(sum)(BYTES x)
{
    __m256i sums = _mm256_sad_epu8((__m256i)x, _mm256_setzero_si256());
    __m128i both = _mm_add_epi64(_mm256_castsi256_si128(sums), _mm256_extracti128_si256(sums, 1));
    return (uint64_t)_mm_cvtsi128_si64(both) + (uint64_t)_mm_extract_epi64(both, 1);
}

/* Entries of a table, by indexes under 16. */
INLINE BYTES V(lookup)(const uint8_t table[16], BYTES index)
{
    __m256i both = _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)(const void *)table));
    return (BYTES)_mm256_shuffle_epi8(both, (__m256i)index);
}
#define LOOKUP

KERNEL void V(classify)(const char *p, abr_classes *out)
{
    abr_classify_avx2(p, out);
}
#define CLASSIFY

#include "text/kernels_vector.h"
#endif
