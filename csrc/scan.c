/*
 * Bytes: newlines, chars, UTF-8 boundaries.
 *
 * Two facts carry everything here. A byte that can lead a well-formed sequence is never part of another one, so
 * whether a position lies inside a char is decided by the three bytes before it. And ASCII is by far the most
 * common case, so each loop over chars first skips blocks without a high bit.
 */
#if !defined(_GNU_SOURCE)
#define _GNU_SOURCE /* memrchr */
#endif
#include <string.h>

#include "internal.h"

#if defined(__x86_64__) && defined(__GNUC__)
#define ABR_X86 1
#include <immintrin.h>
#endif

/* ---- newlines ---- */

#define WORD_ONES UINT64_C(0x0101010101010101)
#define WORD_HIGH UINT64_C(0x8080808080808080)

static uint64_t load_word(const char *p)
{
    uint64_t word;
    memcpy(&word, p, sizeof word);
    return word;
}

static uint64_t newlines_portable(const char *p, size_t n)
{
    uint64_t count = 0;
    while (n >= sizeof(uint64_t)) {
        uint64_t x = load_word(p) ^ (WORD_ONES * '\n');
        /* the high bit of each byte that is not zero, without carries between bytes */
        uint64_t nonzero = (((x & ~WORD_HIGH) + ~WORD_HIGH) | x) & WORD_HIGH;
        count += ((((~nonzero & WORD_HIGH) >> 7) * WORD_ONES) >> 56);
        p += sizeof(uint64_t);
        n -= sizeof(uint64_t);
    }
    for (; n > 0; p++, n--)
        count += *p == '\n';
    return count;
}

#ifdef ABR_X86
#define LANE_MAX 255 /* additions before a byte lane may overflow */

static uint64_t newlines_sse2(const char *p, size_t n)
{
    const __m128i newline = _mm_set1_epi8('\n');
    const __m128i zero = _mm_setzero_si128();
    uint64_t count = 0;
    while (n >= sizeof(__m128i)) {
        size_t blocks = n / sizeof(__m128i);
        if (blocks > LANE_MAX)
            blocks = LANE_MAX;
        __m128i lanes = zero;
        for (size_t i = 0; i < blocks; i++) {
            __m128i block = _mm_loadu_si128((const __m128i *)(const void *)p);
            lanes = _mm_sub_epi8(lanes, _mm_cmpeq_epi8(block, newline));
            p += sizeof(__m128i);
        }
        n -= blocks * sizeof(__m128i);
        __m128i sums = _mm_sad_epu8(lanes, zero);
        count += (uint64_t)_mm_cvtsi128_si64(sums) + (uint64_t)_mm_cvtsi128_si64(_mm_srli_si128(sums, 8));
    }
    return count + newlines_portable(p, n);
}

__attribute__((target("avx2"))) static uint64_t newlines_avx2(const char *p, size_t n)
{
    const __m256i newline = _mm256_set1_epi8('\n');
    const __m256i zero = _mm256_setzero_si256();
    __m256i total = zero;
    while (n >= 2 * sizeof(__m256i)) {
        size_t pairs = n / (2 * sizeof(__m256i));
        if (pairs > LANE_MAX / 2)
            pairs = LANE_MAX / 2;
        __m256i even = zero;
        __m256i odd = zero;
        for (size_t i = 0; i < pairs; i++) {
            const __m256i *block = (const __m256i *)(const void *)p;
            even = _mm256_sub_epi8(even, _mm256_cmpeq_epi8(_mm256_loadu_si256(block), newline));
            odd = _mm256_sub_epi8(odd, _mm256_cmpeq_epi8(_mm256_loadu_si256(block + 1), newline));
            p += 2 * sizeof(__m256i);
        }
        n -= pairs * 2 * sizeof(__m256i);
        total = _mm256_add_epi64(total, _mm256_sad_epu8(_mm256_add_epi8(even, odd), zero));
    }
    uint64_t sums[4];
    _mm256_storeu_si256((__m256i *)(void *)sums, total);
    return sums[0] + sums[1] + sums[2] + sums[3] + newlines_portable(p, n);
}
#endif

uint64_t abr_count_newlines(const char *p, size_t n)
{
#ifdef ABR_X86
    return __builtin_cpu_supports("avx2") ? newlines_avx2(p, n) : newlines_sse2(p, n);
#else
    return newlines_portable(p, n);
#endif
}

/* ---- newlines and where the last ones are, in one pass ---- */

static void note_newline(abr_newlines *found, size_t at)
{
    if (found->count++ == 0)
        found->first = at;
    found->before_last = found->last;
    found->last = at;
}

static void find_newlines_portable(const char *p, size_t from, size_t n, abr_newlines *found)
{
    while (from < n) {
        const char *newline = memchr(p + from, '\n', n - from);
        if (!newline)
            return;
        from = (size_t)(newline - p);
        note_newline(found, from++);
    }
}

#ifdef ABR_X86
__attribute__((target("avx2,popcnt,lzcnt"))) static size_t find_newlines_avx2(const char *p, size_t n,
                                                                              abr_newlines *found)
{
    enum { BLOCK = 2 * sizeof(__m256i), TOP = 63 };
    const __m256i newline = _mm256_set1_epi8('\n');
    size_t i = 0;
    for (; n - i >= BLOCK; i += BLOCK) {
        const __m256i *block = (const __m256i *)(const void *)(p + i);
        __m256i low = _mm256_cmpeq_epi8(_mm256_loadu_si256(block), newline);
        __m256i high = _mm256_cmpeq_epi8(_mm256_loadu_si256(block + 1), newline);
        uint64_t mask = (uint32_t)_mm256_movemask_epi8(low) | (uint64_t)(uint32_t)_mm256_movemask_epi8(high)
                                                                  << 32;
        if (mask == 0)
            continue;
        if (found->count == 0)
            found->first = i + (size_t)__builtin_ctzll(mask);
        found->count += (uint64_t)__builtin_popcountll(mask);
        unsigned top = TOP - (unsigned)__builtin_clzll(mask);
        uint64_t rest = mask & ~(UINT64_C(1) << top);
        found->before_last = rest ? i + TOP - (unsigned)__builtin_clzll(rest) : found->last;
        found->last = i + top;
    }
    return i;
}
#endif

abr_newlines abr_find_newlines(const char *p, size_t n)
{
    abr_newlines found = {0, SIZE_MAX, SIZE_MAX, SIZE_MAX};
    size_t from = 0;
#ifdef ABR_X86
    if (__builtin_cpu_supports("avx2"))
        from = find_newlines_avx2(p, n, &found);
#endif
    find_newlines_portable(p, from, n, &found);
    return found;
}

uint64_t abr_count_lines(const char *p, size_t n)
{
    return n == 0 ? 0 : abr_count_newlines(p, n) + (p[n - 1] != '\n');
}

const char *abr_find_last_newline(const char *p, size_t n)
{
#ifdef __GLIBC__
    return n == 0 ? NULL : memrchr(p, '\n', n);
#else
    while (n > 0)
        if (p[--n] == '\n')
            return p + n;
    return NULL;
#endif
}

/* ---- chars ---- */

static bool is_continuation(unsigned char byte)
{
    return (byte & 0xC0) == 0x80;
}

/* Is a well-formed sequence of 2 to 4 bytes at p? */
static bool is_sequence(const char *p, size_t n)
{
    const unsigned char *u = (const unsigned char *)p;
    unsigned char lead = u[0];
    if (lead < 0xC2 || lead > 0xF4)
        return false;
    if (lead < 0xE0)
        return n >= 2 && is_continuation(u[1]);
    if (n < 3 || !is_continuation(u[1]) || !is_continuation(u[2]))
        return false;
    if (lead < 0xF0) /* no overlong form, no surrogate */
        return (lead != 0xE0 || u[1] >= 0xA0) && (lead != 0xED || u[1] < 0xA0);
    /* no overlong form, nothing over U+10FFFF */
    return n >= 4 && is_continuation(u[3]) && (lead != 0xF0 || u[1] >= 0x90) && (lead != 0xF4 || u[1] < 0x90);
}

size_t abr_char_size(const char *p, size_t n)
{
    if (!is_sequence(p, n))
        return 1;
    unsigned char lead = (unsigned char)p[0];
    return lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
}

size_t abr_char_start(const char *p, size_t n, size_t at)
{
    for (size_t back = 1; back <= 3 && back <= at && at < n; back++)
        if (abr_char_size(p + at - back, n - (at - back)) > back)
            return at - back;
    return at;
}

/* Bytes of the char that ends at p + end; end > 0 lies between chars. */
static size_t char_size_before(const char *p, size_t end)
{
    if ((unsigned char)p[end - 1] < 0x80)
        return 1;
    for (size_t size = 2; size <= 4 && size <= end; size++)
        if (abr_char_size(p + end - size, size) == size)
            return size;
    return 1;
}

/* Length of the run of ASCII at the start of (p, n), in whole blocks. */
static size_t ascii_blocks(const char *p, size_t n)
{
    size_t i = 0;
    while (n - i >= 4 * sizeof(uint64_t)) {
        uint64_t any =
            load_word(p + i) | load_word(p + i + 8) | load_word(p + i + 16) | load_word(p + i + 24);
        if (any & WORD_HIGH)
            break;
        i += 4 * sizeof(uint64_t);
    }
    return i;
}

/* The same at the end. */
static size_t ascii_blocks_back(const char *p, size_t n)
{
    size_t i = 0;
    while (n - i >= sizeof(uint64_t) && !(load_word(p + n - i - sizeof(uint64_t)) & WORD_HIGH))
        i += sizeof(uint64_t);
    return i;
}

#define SCALAR_RUN 64 /* bytes read one by one after a block with a high bit, before ASCII is tried again */

uint64_t abr_count_chars(const char *p, size_t n, uint64_t *invalid)
{
    uint64_t chars = 0;
    uint64_t outside = 0;
    for (size_t i = 0; i < n;) {
        size_t ascii = ascii_blocks(p + i, n - i);
        chars += ascii;
        i += ascii;
        for (size_t stop = n - i > SCALAR_RUN ? i + SCALAR_RUN : n; i < stop; chars++) {
            if ((unsigned char)p[i] < 0x80) {
                i++;
                continue;
            }
            size_t size = abr_char_size(p + i, n - i);
            outside += size == 1;
            i += size;
        }
    }
    if (invalid)
        *invalid = outside;
    return chars;
}

static uint64_t shown_size(const char *p, size_t size, const abr_reach *reach)
{
    bool outside = size == 1 && (unsigned char)p[0] >= 0x80;
    return outside && reach->replace ? ABR_REPLACEMENT_SIZE : size;
}

/* The most bytes of n that a run of ASCII may take of what is left of the reach. */
static size_t within(size_t n, uint64_t chars, uint64_t shown)
{
    if (n > chars)
        n = (size_t)chars;
    return n > shown ? (size_t)shown : n;
}

size_t abr_prefix(const char *p, size_t n, const abr_reach *reach)
{
    uint64_t chars = reach->chars;
    uint64_t shown = reach->shown;
    size_t i = 0;
    while (i < n && chars > 0) {
        size_t ascii = ascii_blocks(p + i, within(n - i, chars, shown));
        size_t size = ascii;
        uint64_t cost = ascii;
        if (ascii == 0) {
            size = abr_char_size(p + i, n - i);
            cost = shown_size(p + i, size, reach);
        }
        if (cost > shown || size == 0)
            break;
        chars -= ascii > 0 ? ascii : 1;
        shown -= cost;
        i += size;
    }
    return i;
}

size_t abr_skip_chars(const char *p, size_t n, uint64_t chars)
{
    return abr_prefix(p, n, &(abr_reach){chars, ABR_UNLIMITED, false});
}

size_t abr_suffix(const char *p, size_t n, const abr_reach *reach)
{
    uint64_t chars = reach->chars;
    uint64_t shown = reach->shown;
    size_t end = n;
    while (end > 0 && chars > 0) {
        size_t window = within(end, chars, shown);
        size_t ascii = ascii_blocks_back(p + end - window, window);
        size_t size = ascii;
        uint64_t cost = ascii;
        if (ascii == 0) {
            size = char_size_before(p, end);
            cost = shown_size(p + end - size, size, reach);
        }
        if (cost > shown || size == 0)
            break;
        chars -= ascii > 0 ? ascii : 1;
        shown -= cost;
        end -= size;
    }
    return n - end;
}

size_t abr_replace_invalid(const char *p, size_t n, char *dst)
{
    size_t out = 0;
    for (size_t i = 0; i < n;) {
        size_t size = ascii_blocks(p + i, n - i);
        if (size == 0)
            size = abr_char_size(p + i, n - i);
        const char *from = p + i;
        size_t width = size;
        if (size == 1 && (unsigned char)p[i] >= 0x80) {
            from = ABR_REPLACEMENT;
            width = ABR_REPLACEMENT_SIZE;
        }
        if (dst)
            memcpy(dst + out, from, width);
        out += width;
        i += size;
    }
    return out;
}

/* ---- chars of a text that comes in chunks ---- */

/* Could (p, n) be the start of a longer well-formed sequence? n is 1 to 3. */
static bool may_go_on(const char *p, size_t n)
{
    char whole[4] = {0};
    memcpy(whole, p, n);
    /* the continuation bytes to come: the narrowest second byte each lead allows, plain ones after it */
    unsigned char lead = (unsigned char)p[0];
    unsigned char second = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
    for (size_t i = n; i < sizeof whole; i++)
        whole[i] = (char)(i == 1 ? second : 0x80);
    return lead >= 0xC2 && abr_char_size(whole, sizeof whole) > n;
}

size_t abr_open_sequence(const char *p, size_t n)
{
    for (size_t back = 1; back <= 3 && back <= n; back++)
        if (may_go_on(p + n - back, back))
            return back;
    return 0;
}

static void count_all(abr_char_counter *c, const char *p, size_t n)
{
    uint64_t invalid;
    c->chars += abr_count_chars(p, n, &invalid);
    c->invalid += invalid;
}

void abr_count_more_chars(abr_char_counter *c, const char *p, size_t n)
{
    /* first settle what the chunk before left open */
    while (c->open > 0 && n > 0) {
        c->bytes[c->open++] = *p++;
        n--;
        if (may_go_on(c->bytes, c->open))
            continue;
        size_t left = abr_open_sequence(c->bytes, c->open);
        count_all(c, c->bytes, c->open - left);
        memmove(c->bytes, c->bytes + c->open - left, left);
        c->open = left;
    }
    size_t left = abr_open_sequence(p, n);
    count_all(c, p, n - left);
    if (left > 0)
        memcpy(c->bytes, p + n - left, left);
    c->open += left;
}

uint64_t abr_counted_chars(const abr_char_counter *c, uint64_t *invalid)
{
    *invalid = c->invalid + c->open; /* what is still open is no sequence if the text ends here */
    return c->chars + c->open;
}
