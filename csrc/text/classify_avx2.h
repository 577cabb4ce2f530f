/* The classes of 64 bytes by AVX2, to be inlined where every block of a text needs them. */
#ifndef ABR_TEXT_CLASSIFY_AVX2_H
#define ABR_TEXT_CLASSIFY_AVX2_H

#include "abridge.h"
#include "base/private.h"
#include "text/kernels.h"

#ifdef ABR_HAS_AVX2
#include <immintrin.h>

ABR_PRIVATE_BEGIN

#define ABR_INLINE_AVX2 __attribute__((target("avx2"), always_inline)) static inline

/* The bytes of both vectors for which a comparison holds. */
ABR_INLINE_AVX2 uint64_t abr_mask_avx2(__m256i low, __m256i high)
{
    return (uint32_t)_mm256_movemask_epi8(low) | (uint64_t)(uint32_t)_mm256_movemask_epi8(high) << 32;
}

/* Bytes from `first` on, `count` of them: one comparison of signed numbers. */
ABR_INLINE_AVX2 __m256i abr_in_range_avx2(__m256i x, int first, int count)
{
    const __m256i from = _mm256_sub_epi8(x, _mm256_set1_epi8((char)(first - 128)));
    return _mm256_cmpgt_epi8(_mm256_set1_epi8((char)(count - 128)), from);
}

ABR_INLINE_AVX2 __m256i abr_either_avx2(__m256i x, char a, char b)
{
    return _mm256_or_si256(_mm256_cmpeq_epi8(x, _mm256_set1_epi8(a)),
                           _mm256_cmpeq_epi8(x, _mm256_set1_epi8(b)));
}

/* Marks have one of the lower four bits, quotes one of the others: each bit stands for a few bytes with one
 * upper half, or two. */
ABR_INLINE_AVX2 __m256i abr_signs_avx2(__m256i x)
{
    const __m256i high = _mm256_broadcastsi128_si256(
        _mm_setr_epi8(0, 0, 0x11, 0x42, 4, 8, -128, 0, 0, 0x60, 0, 0, 0, 0, 0, 0));
    const __m256i low = _mm256_broadcastsi128_si256(
        _mm_setr_epi8(-124, 0, 0x10, 0, 1, 1, 0, 0x10, 0x20, 0, 0, 0, 0x48, 3, 1, 9));
    const __m256i half = _mm256_set1_epi8(15);
    return _mm256_and_si256(
        _mm256_shuffle_epi8(high, _mm256_and_si256(_mm256_srli_epi16(x, 4), half)),
        _mm256_shuffle_epi8(low, _mm256_and_si256(x, half)));
}

ABR_INLINE_AVX2 uint64_t abr_without_avx2(__m256i low, __m256i high, int bits)
{
    const __m256i some = _mm256_set1_epi8((char)bits);
    const __m256i none = _mm256_setzero_si256();
    return abr_mask_avx2(_mm256_cmpeq_epi8(_mm256_and_si256(low, some), none),
                         _mm256_cmpeq_epi8(_mm256_and_si256(high, some), none));
}

ABR_INLINE_AVX2 void abr_classify_avx2(const char *p, abr_classes *out)
{
    const __m256i a = _mm256_loadu_si256((const __m256i *)(const void *)p);
    const __m256i b = _mm256_loadu_si256((const __m256i *)(const void *)(p + sizeof a));
    const __m256i space = _mm256_set1_epi8(' ');
    const __m256i signs_a = abr_signs_avx2(a);
    const __m256i signs_b = abr_signs_avx2(b);
    out->letters = abr_mask_avx2(abr_in_range_avx2(_mm256_or_si256(a, space), 'a', 26),
                                 abr_in_range_avx2(_mm256_or_si256(b, space), 'a', 26));
    /* the bit that tells small letters from capitals, moved to the top */
    out->upper = out->letters & ~abr_mask_avx2(_mm256_slli_epi16(a, 2), _mm256_slli_epi16(b, 2));
    out->digits = abr_mask_avx2(abr_in_range_avx2(a, '0', 10), abr_in_range_avx2(b, '0', 10));
    out->blanks = abr_mask_avx2(abr_either_avx2(a, ' ', '\t'), abr_either_avx2(b, ' ', '\t'));
    out->colons = abr_mask_avx2(abr_either_avx2(a, ':', '('), abr_either_avx2(b, ':', '('));
    out->high = abr_mask_avx2(a, b);
    out->marks = ~abr_without_avx2(signs_a, signs_b, 0x0F);
    out->quotes = ~abr_without_avx2(signs_a, signs_b, 0xF0);
}

ABR_PRIVATE_END

#endif
#endif
