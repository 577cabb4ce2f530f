/*
 * One pass over a line: its words that are in the lexicon, its shape, and what else is cheap to see.
 *
 * The line is read in blocks of 64 bytes. Each is turned into masks, a bit a byte: letters, digits and so on;
 * words are then the runs of bits, found without looking at a byte. A block that ends inside a word is
 * followed by one that starts with it, so that no word is ever split (but for one that is longer than a
 * block, which is no word).
 *
 * The shape is a hash of the first plain words and what follows each. A word that is part of a name (a path,
 * an identifier, something quoted) and every number is left out, so that lines that differ in these have one
 * shape. The code of a diagnostic is kept.
 */
#include <string.h>

#include "priority/words.h"
#include "abridge.h"
#include "base/ascii.h"
#include "base/word.h"
#include "priority/lexicon.h"
#include "text/kernels.h"
#include "text/kernels_avx2.h"
#include "text/simd.h"

/* What is inlined into a variant of read_line() is compiled for that variant's processors. */
#if defined(__GNUC__)
#define INLINE inline __attribute__((always_inline))
#else
#define INLINE inline
#endif

enum {
    BLOCK = ABR_CLASSIFIED,
    SHAPE_WORDS = 6,  /* plain words that make a shape */
    SHAPE_PREFIX = 3, /* letters of each */
    CODE_LETTERS = 4, /* most letters of a diagnostic's code */
    CODE_DIGITS = 5
};

/* Index of the lowest bit of a mask that is not 0. */
static INLINE unsigned lowest(uint64_t mask)
{
#if defined(__GNUC__)
    return (unsigned)__builtin_ctzll(mask);
#else
    unsigned i = 0;
    for (; !(mask & 1); mask >>= 1)
        i++;
    return i;
#endif
}

/* Index of the highest bit of a mask that is not 0. */
static INLINE unsigned highest(uint64_t mask)
{
#if defined(__GNUC__)
    return BLOCK - 1 - (unsigned)__builtin_clzll(mask);
#else
    unsigned i = BLOCK - 1;
    while (!(mask >> i & 1))
        i--;
    return i;
#endif
}

static INLINE unsigned bit_count(uint64_t mask)
{
#if defined(__GNUC__)
    return (unsigned)__builtin_popcountll(mask);
#else
    unsigned n = 0;
    for (; mask != 0; mask &= mask - 1)
        n++;
    return n;
#endif
}

/* Length of the run of bits from bit 0 on. */
static INLINE unsigned run_length(uint64_t mask)
{
    return ~mask == 0 ? BLOCK : lowest(~mask);
}

/* The letters of a block, less a word that the block's end splits; *step: how far the next block
 * is from this one. */
static INLINE uint64_t whole_words(uint64_t letters, size_t left, size_t *step)
{
    *step = BLOCK;
    if (left < BLOCK)
        return letters & ((UINT64_C(1) << left) - 1);
    if (left == BLOCK || !(letters >> (BLOCK - 1)))
        return letters;
    uint64_t rest = ~letters; /* the block ends with the letters after its highest bit */
    if (rest == 0)
        return 0;
    unsigned keep = highest(rest) + 1;
    *step = keep;
    return letters & ((UINT64_C(1) << keep) - 1);
}

/* ---- what stands beside a word ---- */

/* 1: a byte that makes the word beside it part of a name; 2: a quote. */
static const uint8_t beside[256] = {
    ['_'] = 1, ['/'] = 1, ['.'] = 1,  ['-'] = 1, ['\\'] = 1, ['$'] = 1,  ['@'] = 1, ['%'] = 1, ['='] = 1,
    ['0'] = 1, ['1'] = 1, ['2'] = 1,  ['3'] = 1, ['4'] = 1,  ['5'] = 1,  ['6'] = 1, ['7'] = 1, ['8'] = 1,
    ['9'] = 1, ['"'] = 2, ['\''] = 2, ['`'] = 2, ['<'] = 2,  [0x98] = 2, [0x9C] = 2};

/* Is a diagnostic's code at p: a few capitals, some digits, and no more? */
static size_t code_size(const char *p, size_t letters, size_t left)
{
    size_t n = letters;
    while (n < left && n < letters + CODE_DIGITS + 1 && abr_is_digit(p[n]))
        n++;
    size_t digits = n - letters;
    bool ends = n >= left || beside[(unsigned char)p[n]] != 1;
    return letters <= CODE_LETTERS && digits >= 3 && digits <= CODE_DIGITS && ends ? n : 0;
}

static INLINE uint32_t mix(uint32_t hash, uint64_t value)
{
    uint64_t x = (hash ^ value) * UINT64_C(0x9E3779B97F4A7C15);
    return (uint32_t)(x >> 32) ^ (uint32_t)x;
}

/* ---- signs ---- */

/* Does a long word end like the name of an error type? */
static unsigned type_class(const char *p, size_t n)
{
    static const struct {
        const char *end;
        uint8_t n;
        uint8_t class;
    } ends[] = {{"Exception", 9, ABR_WORD_ERROR}, {"Error", 5, ABR_WORD_ERROR},
                {"Sanitizer", 9, ABR_WORD_FATAL}, {"Failure", 7, ABR_WORD_FAIL},
                {"Errors", 6, ABR_WORD_ERROR},    {"Warning", 7, ABR_WORD_WARN}};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (n > ends[i].n && memcmp(p + n - ends[i].n, ends[i].end, ends[i].n) == 0)
            return ends[i].class;
    return ABR_WORD_NONE;
}

/* A line, and where what is found in it goes. Handed on by value, so that it stays in registers. */
typedef struct {
    const abr_lexicon *lexicon;
    const char *p;
    size_t n;
    abr_line_words *out;
} reader;

/* The shape so far. */
typedef struct {
    uint32_t hash;
    unsigned words;
} shape_of_line;

static void add_sign(abr_line_words *out, size_t at, size_t n, unsigned class, bool type)
{
    if (out->count < ABR_SIGNS)
        out->signs[out->count++] =
            (abr_sign){.at = (uint32_t)at, .n = (uint16_t)n, .class = (uint8_t) class, .type = type};
}

static void look_up(reader r, size_t at, size_t n, uint64_t key)
{
    const abr_word *w = abr_lexicon_find(r.lexicon, key, r.p + at, n);
    if (w)
        add_sign(r.out, at, n, w->class, false);
}

/* A long word of mixed case may be the name of an error type. */
static void look_at_type(reader r, size_t at, size_t n)
{
    unsigned class = type_class(r.p + at, n);
    if (class != ABR_WORD_NONE && !(abr_word_group(class) & r.lexicon->quiet))
        add_sign(r.out, at, n, class, true);
}

/* The code of a diagnostic, if one is there, is part of the shape. */
static uint32_t look_at_code(reader r, size_t at, size_t n, uint32_t hash)
{
    size_t size = code_size(r.p + at, n, r.n - at);
    if (size > 0 && r.out->code == r.n)
        r.out->code = at;
    for (size_t i = 0; i < size; i++)
        hash = mix(hash, (unsigned char)r.p[at + i]);
    return hash;
}

/* Let a word be part of the shape, unless it is part of a name. */
static INLINE void add_to_shape(reader r, size_t at, size_t n, uint64_t key, bool mixed, shape_of_line *shape)
{
    const char *p = r.p + at;
    const char *end = at + n < r.n ? p + n : "\n";
    char next = *end;
    unsigned before = beside[(unsigned char)r.p[at - (at > 0)]]; /* a letter is none of these */
    if (!(before | beside[(unsigned char)next]) && !mixed) {
        shape->words++;
        uint64_t start = n >= SHAPE_PREFIX ? key & 0xFFFFFF : key;
        shape->hash = mix(shape->hash, start | (uint64_t)(unsigned char)next << 32);
    } else if (before == 0 && n <= CODE_LETTERS && abr_is_digit(next) && p[0] < 'a' && p[n - 1] < 'a') {
        shape->hash = look_at_code(r, at, n, shape->hash);
    }
}

static INLINE void read_word(reader r, size_t at, size_t n, bool mixed, shape_of_line *shape)
{
    uint64_t key = abr_word_key(abr_load_word(r.p + at), n);
    if (abr_lexicon_may_have(r.lexicon, key))
        look_up(r, at, n, key);
    if (mixed)
        look_at_type(r, at, n);
    if (shape->words < SHAPE_WORDS)
        add_to_shape(r, at, n, key, mixed, shape);
}

/* ---- places: file.ext:12, file.ext(12, line 12 ---- */

enum { EXTENSION = 5 };

/* Where the file name starts that ends at `end`, before a colon; SIZE_MAX where there is none
 * with an extension. */
static size_t place_start(const char *p, size_t end)
{
    size_t dot = end;
    while (dot > 0 && end - dot <= EXTENSION && ((p[dot - 1] | ' ') >= 'a' && (p[dot - 1] | ' ') <= 'z'))
        dot--;
    if (dot == end || dot < 2 || p[dot - 1] != '.')
        return SIZE_MAX;
    size_t start = dot - 1;
    while (start > 0 && p[start - 1] > ' ' && p[start - 1] != '(' && p[start - 1] != '"' &&
           p[start - 1] != '\'')
        start--;
    return start < dot - 1 ? start : SIZE_MAX;
}

/* The first three numbers after a colon are tried, where a letter stands before the colon: an
 * extension ends with one. */
static INLINE void look_for_place(reader r, uint64_t numbers, uint64_t letters, size_t at)
{
    uint64_t later = numbers & (numbers - 1);
    later &= later - 1;
    later &= later - 1;
    numbers &= ~later & (letters << 2 | 3); /* there is no mask of what is before the block */
    for (; numbers != 0 && r.out->located == r.n; numbers &= numbers - 1) {
        unsigned i = lowest(numbers);
        size_t start = at + i > 1 ? place_start(r.p, at + i - 1) : SIZE_MAX;
        if (start != SIZE_MAX)
            r.out->located = start;
    }
}

/* ---- the form ---- */

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/* Is a token a name: a number, a path, an identifier, something quoted? */
static bool is_name(const char *p, size_t n)
{
    if (beside[(unsigned char)p[0]] == 2 || beside[(unsigned char)p[n - 1]] == 2)
        return true;
    for (size_t i = 0; i < n; i++)
        if (beside[(unsigned char)p[i]] == 1 ||
            (i > 0 && abr_is_upper(p[i]) && abr_is_letter(p[i - 1]) && !abr_is_upper(p[i - 1])))
            return true;
    return false;
}

static uint32_t form_of(const char *p, size_t n)
{
    uint32_t hash = 1;
    for (size_t at = 0; at < n;) {
        size_t start = at;
        while (at < n && is_blank(p[at]))
            at++;
        if (start == 0)
            for (size_t i = 0; i < at; i++)
                hash = mix(hash, (unsigned char)p[i]);
        start = at;
        while (at < n && !is_blank(p[at]))
            at++;
        hash = mix(hash, 256);
        if (at > start && is_name(p + start, at - start))
            hash = mix(hash, 257);
        else
            for (size_t i = start; i < at; i++)
                hash = mix(hash, (unsigned char)p[i]);
    }
    return hash;
}

/* ---- the line ---- */

static INLINE void read_block(reader r, const abr_classes *m, size_t at, size_t *step, shape_of_line *shape)
{
    uint64_t letters = whole_words(m->letters, r.n - at, step);
    uint64_t valid = r.n - at < *step ? (UINT64_C(1) << (r.n - at)) - 1
                     : *step < BLOCK  ? (UINT64_C(1) << *step) - 1
                                      : ~UINT64_C(0);
    uint64_t digits = m->digits & valid;
    bool after_digit = at > 0 && abr_is_digit(r.p[at - 1]);
    uint64_t starts = letters & ~(letters << 1) & ~(digits << 1 | (uint64_t)after_digit);
    /* capitals amid a word that small letters follow: aB, and the B of AABb */
    uint64_t mixed = m->upper & (letters << 1) & (letters & ~m->upper) >> 1;
    if (starts != 0 && r.out->words == 0)
        r.out->first = at + lowest(starts);
    r.out->words += bit_count(starts);
    for (; starts != 0; starts &= starts - 1) {
        unsigned i = lowest(starts);
        unsigned n = run_length(letters >> i);
        if (n < BLOCK)
            read_word(r, at + i, n, mixed != 0 && (mixed >> i & ((UINT64_C(1) << n) - 1)) != 0, shape);
    }
    bool after_colon = at > 0 && (r.p[at - 1] == ':' || r.p[at - 1] == '(');
    uint64_t numbers = digits & ~(digits << 1) & (m->colons << 1 | (uint64_t)after_colon);
    if (numbers != 0 && r.out->located == r.n)
        look_for_place(r, numbers, m->letters, at);
    if ((m->high & valid) != 0 && r.out->mark == r.n)
        r.out->mark = at + lowest(m->high & valid);
}

static INLINE void read_line(const abr_kernels *kernels, const abr_lexicon *lexicon, const char *p, size_t n,
                             abr_line_words *out)
{
    out->count = 0;
    out->words = 0;
    out->indent = out->first = out->located = out->code = out->mark = n;
    const reader r = {lexicon, p, n, out};
    shape_of_line shape = {0, 0};
    for (size_t at = 0, step = 0; at < n; at += step) {
        abr_classes m;
        kernels->classify(p + at, &m);
        if (out->indent == n && out->words == 0) {
            unsigned blanks = run_length(m.blanks);
            if (blanks < BLOCK && at + blanks < n)
                out->indent = at + blanks;
        }
        read_block(r, &m, at, &step, &shape);
    }
    if (out->indent < n && out->first != out->indent) {
        char c = p[out->indent];
        shape.hash = mix(shape.hash, abr_is_digit(c) ? '0' : (unsigned char)c);
    }
    out->shape = mix(shape.hash, (out->indent > 0) + UINT64_C(2) * (out->located < n));
}

#ifdef ABR_HAS_AVX2
/* The same for processors that shift by any number of bits, and clear one, in one instruction. */
__attribute__((target("avx2,bmi,bmi2,popcnt"))) static void read_line_avx2(const abr_kernels *kernels,
                                                                           const abr_lexicon *lexicon,
                                                                           const char *p, size_t n,
                                                                           abr_line_words *out)
{
    read_line(kernels, lexicon, p, n, out);
}
#endif

void abr_read_words(const abr_lexicon *lexicon, const char *p, size_t n, abr_line_words *out)
{
    out->form = form_of(p, n);
    const abr_kernels *kernels = abr_kernels_now();
#ifdef ABR_HAS_AVX2
    if (kernels == &abr_avx2) {
        read_line_avx2(kernels, lexicon, p, n, out);
        return;
    }
#endif
    read_line(kernels, lexicon, p, n, out);
}
