/*
 * Plain text: what a terminal only has to show, so that cleaning it changes nothing.
 *
 * Nearly all of any output is plain ASCII, which is looked at a block at a time. The kernels differ in speed alone.
 */
#include <string.h>

#include "screen.h"

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>
#define ABR_X86 1
#endif

enum { DEL = 0x7F };

/* Is this a byte of text on its own: printable ASCII, newline, tab? */
static bool is_plain(unsigned char c)
{
    return (c >= 0x20 && c < DEL) || c == '\n' || c == '\t';
}

/* Length of the run of such bytes at the start of (p, n). */
static size_t plain_portable(const char *p, size_t n)
{
    const uint64_t ones = UINT64_C(0x0101010101010101);
    const uint64_t high = UINT64_C(0x8080808080808080);
    size_t i = 0;
    while (i < n) {
        uint64_t x = high;
        size_t stop = n - i > sizeof x ? i + sizeof x : n;
        if (stop - i == sizeof x)
            memcpy(&x, p + i, sizeof x);
        /* its high bits tell of bytes under 0x20, of 0x7F, of 0x80 and more; and falsely of some others */
        if (((x - ones * 0x20) | (x + ones) | x) & high) {
            while (i < stop && is_plain((unsigned char)p[i]))
                i++;
            if (i < stop)
                return i;
        }
        i = stop;
    }
    return i;
}

#ifdef ABR_X86
/* The same in whole blocks: it ends at a byte that is not plain, or with less than a block left. */
__attribute__((target("avx2"))) static size_t plain_avx2(const char *p, size_t n)
{
    enum { BLOCK = sizeof(__m256i) };
    const __m256i space = _mm256_set1_epi8(0x20);
    const __m256i newline = _mm256_set1_epi8('\n');
    const __m256i tab = _mm256_set1_epi8('\t');
    const __m256i del = _mm256_set1_epi8(DEL);
    size_t i = 0;
    for (; n - i >= BLOCK; i += BLOCK) {
        __m256i x = _mm256_loadu_si256((const __m256i *)(const void *)(p + i));
        __m256i white = _mm256_or_si256(_mm256_cmpeq_epi8(x, newline), _mm256_cmpeq_epi8(x, tab));
        /* bytes from 0x80 on are negative here */
        __m256i other = _mm256_or_si256(_mm256_cmpgt_epi8(space, x), _mm256_cmpeq_epi8(x, del));
        unsigned mask = (unsigned)_mm256_movemask_epi8(_mm256_andnot_si256(white, other));
        if (mask != 0)
            return i + (size_t)__builtin_ctz(mask);
    }
    return i;
}

static size_t plain_sse2(const char *p, size_t n)
{
    enum { BLOCK = sizeof(__m128i) };
    const __m128i space = _mm_set1_epi8(0x20);
    const __m128i newline = _mm_set1_epi8('\n');
    const __m128i tab = _mm_set1_epi8('\t');
    const __m128i del = _mm_set1_epi8(DEL);
    size_t i = 0;
    for (; n - i >= BLOCK; i += BLOCK) {
        __m128i x = _mm_loadu_si128((const __m128i *)(const void *)(p + i));
        __m128i white = _mm_or_si128(_mm_cmpeq_epi8(x, newline), _mm_cmpeq_epi8(x, tab));
        __m128i other = _mm_or_si128(_mm_cmplt_epi8(x, space), _mm_cmpeq_epi8(x, del));
        unsigned mask = (unsigned)_mm_movemask_epi8(_mm_andnot_si128(white, other));
        if (mask != 0)
            return i + (size_t)__builtin_ctz(mask);
    }
    return i;
}
#endif

enum { WORTH_AVX2 = 256 /* bytes from which on asking for it pays */ };

static size_t plain_ascii(const char *p, size_t n)
{
    size_t i = 0;
#ifdef ABR_X86
    if (n >= WORTH_AVX2 && __builtin_cpu_supports("avx2"))
        i = plain_avx2(p, n);
    else
        i = plain_sse2(p, n);
#endif
    return i + plain_portable(p + i, n - i);
}

static bool is_c1(const char *p)
{
    return (unsigned char)p[0] == 0xC2 && (unsigned char)p[1] < 0xA0;
}

size_t abr_plain_run(const char *p, size_t n)
{
    size_t i = 0;
    for (;;) {
        i += plain_ascii(p + i, n - i);
        size_t before = i;
        for (size_t size; i < n && (unsigned char)p[i] >= 0xC2; i += size) {
            size = abr_char_size(p + i, n - i);
            if (size == 1 || is_c1(p + i))
                break;
        }
        if (i == before || i == n)
            return i;
    }
}
