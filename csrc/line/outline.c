/*
 * The outline of a line, by which runs of lines that are alike are told.
 *
 * The line is split at its blanks. A token that is a name (it has a digit, or a sign beside its letters that
 * names have, or capitals amid small letters, or it is quoted) counts as a mark, and any other with all its
 * bytes. The line is read in blocks that end with a whole token; only one longer than a block is split, and
 * counts as a name. Escape sequences count as blanks, and so does the indent, which runs compare.
 */
#include "line/outline.h"
#include "abridge.h"
#include "base/word.h"
#include "line/bits.h"
#include "line/escape.h"
#include "line/words.h"
#include "text/kernels.h"
#include "text/kernels_avx2.h"
#include "text/classify_avx2.h"
#include "text/simd.h"

/* The outline so far. */
typedef struct {
    uint64_t hash;
    uint64_t names;
    size_t read;  /* bytes */
    bool in_name; /* the last block ended inside a token, which is a name */
} line_outline;

/* Where a block has what makes a token a name. */
static INLINE uint64_t name_signs(const abr_classes *m)
{
    uint64_t mixed = m->upper & (m->letters << 1) & (m->letters & ~m->upper) >> 1; /* aB, and the B of AABb */
    uint64_t word = m->letters | m->high;
    uint64_t quotes = m->quotes & ~m->high;
    uint64_t opens = quotes & (word >> 1) & ~(m->letters << 1);
    uint64_t curly = m->quotes & m->high & (m->letters >> 1) & ~(m->letters << 1);
    uint64_t closes = quotes & (word << 1) & ~(word >> 1);
    return m->digits | (m->marks & (word << 1 | word >> 1)) | opens | curly | closes | mixed;
}

static INLINE uint64_t mix_outline(uint64_t hash, uint64_t value)
{
    uint64_t x = (hash ^ value) * UINT64_C(0x9E3779B97F4A7C15);
    return x ^ x >> 32;
}

/* All bytes of a token. Most have no more than two words of the machine. */
static INLINE uint64_t token_hash(const char *p, size_t n)
{
    const size_t word = sizeof(uint64_t);
    uint64_t hash = n;
    for (; n > 2 * word; p += word, n -= word)
        hash = mix_outline(hash, abr_load_word(p));
    const uint64_t bytes = ~UINT64_C(0) >> (64 - 8 * (n < word ? n : word));
    hash ^= (abr_load_word(p) & bytes) * UINT64_C(0xD6E8FEB86659FD93);
    return n > word ? hash + abr_load_word(p + n - word) * UINT64_C(0xA0761D6478BD642F) : hash;
}

/* Add the first n bytes of a block to the outline: each plain token, with the number of names before it. A sum
 * carries the signs of a name to the end of its token. */
static INLINE void add_to_outline(const char *p, size_t left, const abr_classes *m, size_t n,
                                  line_outline *outline)
{
    uint64_t tokens = ~m->blanks & low_bits(n);
    if (n == 0)
        return;
    bool splits = n < left && tokens >> (n - 1) != 0;
    uint64_t signs = name_signs(m) | outline->in_name | (uint64_t)splits << (n - 1);
    uint64_t named = (signs & tokens) | ~(tokens + (signs & tokens));
    uint64_t ends = tokens & ~(tokens >> 1);
    uint64_t names = ends & named & ~((uint64_t)splits << (n - 1)); /* counted where it ends */
    uint64_t hash = outline->hash;
    outline->names += outline->in_name && !(tokens & 1);
    outline->read += n;
    for (uint64_t plain = ends & ~named; plain != 0; plain &= plain - 1) {
        unsigned last = lowest(plain);
        uint64_t before = (UINT64_C(1) << last) - 1;
        unsigned first = width_of(~tokens & before);
        uint64_t names_before = outline->names + bit_count(names & before);
        hash = mix_outline(hash, token_hash(p + first, last + 1 - first) + (names_before << 32));
    }
    outline->hash = hash;
    outline->names += bit_count(names);
    outline->in_name = splits;
}

/* Find the outline of a line by kernels that are called or inlined. */
#define OUTLINE_OF(p, n, classify, outline)                                                                  \
    do {                                                                                                     \
        abr_classes m;                                                                                       \
        while ((outline)->read < (n)) {                                                                      \
            const char *block = (p) + (outline)->read;                                                       \
            size_t left = (n) - (outline)->read;                                                             \
            classify(block, &m);                                                                             \
            add_to_outline(block, left, &m, whole_tokens(&m, left), outline);                                \
        }                                                                                                    \
    } while (0)

#ifdef ABR_HAS_AVX2
__attribute__((target("avx2,bmi,bmi2,popcnt"))) static void outline_avx2(const char *p, size_t n,
                                                                         line_outline *outline)
{
    OUTLINE_OF(p, n, abr_classify_avx2, outline);
}
#endif

uint32_t abr_outline_of(const char *p, size_t n)
{
    char blanked[ABR_SEGMENT + ABR_PADDING];
    const char *escape = n <= ABR_SEGMENT ? abr_find_escape(p, n) : NULL;
    if (escape) {
        abr_blank_escapes(p, n, ABR_PADDING, escape, blanked);
        p = blanked;
    }
    line_outline outline = {0, 0, 0, false};
    const abr_kernels *kernels = abr_kernels_now();
#ifdef ABR_HAS_AVX2
    if (kernels == &abr_avx2)
        outline_avx2(p, n, &outline);
    else
#endif
        OUTLINE_OF(p, n, kernels->classify, &outline);
    return (uint32_t)mix_outline(outline.hash, outline.names);
}
