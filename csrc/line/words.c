/*
 * One pass over a line: its words in the lexicon, its shape, and other things that are cheap to see.
 *
 * The line is read in blocks of 64 bytes. Each is turned into masks, one bit per byte: letters, digits and so
 * on; words are then runs of bits, found without looking at bytes. If a block ends inside a word, the next
 * one starts with that word, so that no word is ever split. (A run longer than a block is not a word.)
 *
 * The shape is a hash of the first plain words and the bytes after them. Words that are part of a name (a
 * path, an identifier, something quoted) and all numbers are left out, so that lines that differ in these
 * have one shape. The code of a diagnostic is kept.
 */
#include <string.h>

#include "line/words.h"
#include "abridge.h"
#include "base/ascii.h"
#include "base/private.h"
#include "base/word.h"
#include "line/bits.h"
#include "line/char_set.h"
#include "line/escape.h"
#include "line/lexicon.h"
#include "line/outline.h"
#include "text/kernels.h"
#include "text/kernels_avx2.h"
#include "text/classify_avx2.h"
#include "text/simd.h"

enum {
    SHAPE_WORDS = 6,          /* plain words in a shape */
    SHAPE_LETTERS = 0xFFFFFF, /* of a key: three of each */
    SHAPE_HIGH = 48,          /* bits of a word that is not ASCII: two chars of most scripts */
    PLAIN_MASK = (1 << ABR_PLAIN_BITS) - 1,
    CODE_LETTERS = 4, /* most letters of a diagnostic's code */
    CODE_DIGITS = 5
};

/* ---- the bytes beside a word ---- */

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

ABR_WRAPS static ABR_INLINE uint32_t mix(uint32_t hash, uint64_t value)
{
    uint64_t x = (hash ^ value) * UINT64_C(0x9E3779B97F4A7C15);
    return (uint32_t)(x >> 32) ^ (uint32_t)x;
}

/* ---- signs ---- */

/* Does a word of mixed case end like the name of an error type? */
static unsigned type_class(const abr_lexicon *lexicon, const char *p, size_t n)
{
    static const struct {
        char end[10];
        uint8_t n;
        uint8_t class;
    } endings[] = {
#define ENDING(class, text, program, proof) {text, sizeof(text) - 1, ABR_WORD_##class},
#include "line/endings.def"
#undef ENDING
    };
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        if (n > endings[i].n && p[n - 1] == endings[i].end[endings[i].n - 1] &&
            memcmp(p + n - endings[i].n, endings[i].end, endings[i].n) == 0 &&
            lexicon->without != ABR_RULE_ENDING + i)
            return endings[i].class;
    return ABR_WORD_NONE;
}

/* A line, and the place for its findings. Passed by value, so that it stays in registers. */
typedef struct {
    const abr_lexicon *lexicon;
    const char *p;
    size_t n;
    abr_line_words *out;
    bool whole; /* read also what tells lines apart */
} reader;

/* The shape so far. */
typedef struct {
    uint32_t hash;
    uint32_t codes; /* hash of the codes */
    unsigned words;
    abr_outline outline;
} shape_of_line;

static ABR_INLINE void add_sign(abr_line_words *out, abr_sign sign)
{
    if (out->count == ABR_SIGNS)
        return;
    out->classes |= 1U << sign.class;
    out->signs[out->count++] = sign;
}

/* A word of mixed case may be the name of an error type. */
static ABR_INLINE void look_up(reader r, size_t at, size_t n, bool mixed)
{
    const char *p = r.p + at;
    const abr_word *w = abr_lexicon_find(r.lexicon, abr_word_key(abr_load_word(p), n), p, n);
    if (w)
        add_sign(r.out, (abr_sign){.at = (uint32_t)at,
                                   .n = (uint16_t)n,
                                   .class = w->class,
                                   .phrase = (uint8_t)(w - abr_words - ABR_WORDS_ALONE)});
    unsigned class = mixed ? type_class(r.lexicon, p, n) : ABR_WORD_NONE;
    if (class != ABR_WORD_NONE && !(abr_word_group(class) & r.lexicon->quiet))
        add_sign(r.out,
                 (abr_sign){.at = (uint32_t)at, .n = (uint16_t)n, .class = (uint8_t) class, .type = true});
}

/* ---- plain words, the shape ---- */

/* The hash of a plain word; the same word in capitals is a different one. */
static ABR_INLINE uint16_t plain_hash(uint64_t hash, uint64_t n, uint64_t capital)
{
    return (uint16_t)((hash >> (64 - ABR_PLAIN_BITS) ^ n * 0x9E5 ^ capital << 12) & PLAIN_MASK);
}

/* Does it start with a letter beyond ASCII, rather than with a sign or an emoji? Blocks of Unicode tell. */
static bool is_high_letter(unsigned char c)
{
    return c > 0xC2 && c != 0xE2 && c < 0xF0;
}

/* Runs of bytes that are not ASCII are words too, and always plain. In a script without blanks a run is a
 * whole clause, perhaps with a name in it, so only its first chars count in the shape. */
static void add_high_words(reader r, uint64_t high, size_t at, shape_of_line *shape)
{
    unsigned count = r.out->plain_count;
    for (uint64_t starts = high & ~(high << 1); starts != 0 && count < ABR_PLAIN_WORDS;
         starts &= starts - 1) {
        unsigned i = lowest(starts);
        unsigned n = run_length(high >> i);
        uint64_t key = abr_load_word(r.p + at + i) & low_bits(n < 8 ? 8 * n : 64);
        r.out->plain[count++] = plain_hash(abr_word_hash(key), n, 0);
        if (shape->words < SHAPE_WORDS && is_high_letter((unsigned char)r.p[at + i])) {
            shape->words++;
            shape->hash = mix(shape->hash, key & low_bits(SHAPE_HIGH));
        }
    }
    r.out->plain_count = count;
}

/* The codes of diagnostics among the first plain words are part of the shape. `starts`: of words not made
 * part of a name by the byte before them; `ends`: digits after a capital. */
static void look_for_codes(reader r, uint64_t starts, uint64_t ends, uint64_t plain, size_t at,
                           shape_of_line *shape)
{
    for (; ends != 0; ends &= ends - 1) {
        unsigned end = lowest(ends);
        uint64_t before = starts & low_bits(end);
        unsigned i = before != 0 ? width_of(before) - 1 : end;
        const char *p = r.p + at + i;
        size_t n = end - i;
        bool capital = n > 0 && n <= CODE_LETTERS && abr_is_upper(p[0]);
        if (!capital || shape->words + bit_count(plain & low_bits(i)) >= SHAPE_WORDS)
            continue;
        size_t size = code_size(p, n, r.n - at - i);
        if (size > 0 && r.out->code == r.n)
            r.out->code = at + i;
        for (size_t k = 0; k < size; k++)
            shape->codes = mix(shape->codes, (unsigned char)p[k]);
    }
}

/* The plain words of a block. */
typedef struct {
    uint64_t letters;
    uint64_t upper;
    uint64_t plain; /* the last letters of plain words */
} block_words;

/* The last letters of plain words; `sides`: bytes that make a word part of a name, inside or beside it. If a
 * word has none, the sum leaves its last bit. */
ABR_WRAPS static ABR_INLINE uint64_t plain_ends(uint64_t letters, uint64_t sides)
{
    uint64_t named = sides & letters;
    return letters & ~(letters >> 1) & ~named & (letters + named);
}

/* The starts of words that may be in the lexicon, without a branch that depends on the word. None of those
 * has one letter. */
static ABR_INLINE uint64_t words_to_look_up(const abr_lexicon *lexicon, const char *block, uint64_t starts,
                                            uint64_t letters)
{
    uint64_t look = 0;
    for (; starts != 0; starts &= starts - 1) {
        unsigned i = lowest(starts);
        uint64_t key = abr_word_key(abr_load_word(block + i), lowest(~(letters >> i)));
        look |= (uint64_t)abr_lexicon_may_have(lexicon, abr_word_hash(key)) << i;
    }
    return look;
}

/* Add plain words to the shape and to the hashes that tell how rare the line is, up to the number that each
 * takes. */
static ABR_INLINE void add_plain_words(reader r, const block_words *b, size_t at, shape_of_line *shape)
{
    uint16_t *out = r.out->plain;
    unsigned count = at + BLOCK <= ABR_PLAIN_WITHIN ? r.out->plain_count : ABR_PLAIN_WORDS;
    for (uint64_t plain = b->plain; plain != 0; plain &= plain - 1) {
        unsigned last = lowest(plain);
        unsigned i = width_of(~b->letters & low_bits(last));
        unsigned n = last + 1 - i;
        const char *p = r.p + at + i;
        uint64_t key = abr_word_key(abr_load_word(p), n);
        if (shape->words < SHAPE_WORDS) {
            char after = (char)(at + i + n < r.n ? p[n] : '\n');
            shape->words++;
            shape->hash = mix(shape->hash, (key & SHAPE_LETTERS) | (uint64_t)(unsigned char)after << 32);
        }
        if (count < ABR_PLAIN_WORDS)
            out[count++] = plain_hash(abr_word_hash(key), n, b->upper >> i >> 1 & 1);
        else if (shape->words == SHAPE_WORDS)
            break;
    }
    if (at + BLOCK <= ABR_PLAIN_WITHIN)
        r.out->plain_count = count;
}

/* Words of mixed case, which may be names of types, are looked at too. */
static ABR_INLINE uint64_t words_with(uint64_t some, uint64_t starts)
{
    uint64_t words = 0;
    for (; some != 0; some &= some - 1) {
        uint64_t before = starts & low_bits(lowest(some));
        words |= before != 0 ? UINT64_C(1) << (width_of(before) - 1) : 0;
    }
    return words;
}

/* ---- places: file.ext:12, file.ext(12, line 12 ---- */

enum { EXTENSION = 5, PATH_MOST = 128 /* bytes of a path without an extension */ };

/* Does a column follow the line number at `at`: "/usr/include/c++/12/ostream:507:5"? */
static bool is_before_column(const char *p, size_t n, size_t at)
{
    at = abr_past((abr_text_line){p, n}, at, ABR_DIGITS);
    return at + 1 < n && p[at] == ':' && abr_is_digit(p[at + 1]);
}

/* Start of the file name that ends at `end`, before a colon; SIZE_MAX if it has neither an extension nor, as
 * an absolute path, a column after the line. */
static size_t place_start(const char *p, size_t n, size_t end)
{
    size_t dot = end;
    while (dot > 0 && end - dot <= EXTENSION && ((p[dot - 1] | ' ') >= 'a' && (p[dot - 1] | ' ') <= 'z'))
        dot--;
    if (dot == end)
        return SIZE_MAX;
    const bool named = dot >= 2 && p[dot - 1] == '.';
    if (!named && !is_before_column(p, n, end + 1))
        return SIZE_MAX;
    size_t start = named ? dot - 1 : end;
    const size_t least = named || end < PATH_MOST ? 0 : end - PATH_MOST;
    while (start > least && (p[start - 1] > '(' || ABR_HAS("!#$%&", p[start - 1])))
        start--;
    return (named ? start < dot - 1 : p[start] == '/') ? start : SIZE_MAX;
}

/* Try the first three numbers after a colon that follows a letter: extensions end with a letter. */
ABR_WRAPS static ABR_INLINE void look_for_place(reader r, uint64_t numbers, uint64_t letters, size_t at)
{
    uint64_t later = numbers & (numbers - 1);
    later &= later - 1;
    later &= later - 1;
    numbers &= ~later & (letters << 2 | 3); /* there is no mask of the bytes before the block */
    for (; numbers != 0 && r.out->located == r.n; numbers &= numbers - 1) {
        unsigned i = lowest(numbers);
        size_t start = at + i > 1 ? place_start(r.p, r.n, at + i - 1) : SIZE_MAX;
        if (start != SIZE_MAX)
            r.out->located = start;
    }
}

/* ---- the line ---- */

/* Read the first n bytes of a block. */
static ABR_INLINE void read_block(reader r, const abr_classes *m, size_t at, size_t n, shape_of_line *shape)
{
    uint64_t valid = low_bits(n);
    uint64_t letters = m->letters & valid;
    uint64_t digits = m->digits & valid;
    char last = (char)(at > 0 ? r.p[at - 1] : ' ');
    uint64_t starts = letters & ~(letters << 1) & ~(digits << 1 | abr_is_digit(last));
    /* capitals amid a word, before small letters: aB, and the B of AABb */
    uint64_t mixed = m->upper & (letters << 1) & (letters & ~m->upper) >> 1;
    if (starts != 0 && r.out->words == 0)
        r.out->first = at + lowest(starts);
    r.out->words += bit_count(starts);
    uint64_t names = (m->marks | m->digits | m->quotes) & valid;
    uint64_t after_name = names << 1 | (beside[(unsigned char)last] != 0);
    uint64_t plain = plain_ends(letters, mixed | after_name | names >> 1);
    if (~letters == 0)
        starts = plain = 0; /* longer than any word */
    uint64_t look = words_to_look_up(r.lexicon, r.p + at, starts & letters >> 1, letters);
    if (mixed != 0)
        look |= words_with(mixed, starts);
    for (; look != 0; look &= look - 1) {
        unsigned i = lowest(look);
        unsigned size = lowest(~(letters >> i));
        look_up(r, at + i, size, (mixed >> i & low_bits(size)) != 0);
    }
    uint64_t codes = digits & m->upper << 1;
    if (codes != 0 && shape->words < SHAPE_WORDS) /* before the block's own words are counted */
        look_for_codes(r, starts & ~after_name, codes, plain, at, shape);
    if (r.whole) {
        add_plain_words(r, &(block_words){letters, m->upper, plain}, at, shape);
        abr_add_to_outline(r.p + at, m, n, at + n < r.n, &shape->outline);
        if ((m->high & valid) != 0 && at + BLOCK <= ABR_PLAIN_WITHIN)
            add_high_words(r, m->high & valid, at, shape);
        uint64_t tokens = ~m->blanks & valid;
        r.out->tokens += bit_count(tokens & ~(tokens << 1 | (last != ' ' && last != '\t')));
    } else {
        shape->words += bit_count(plain);
    }
    uint64_t numbers = digits & ~(digits << 1) & (m->colons << 1 | (last == ':' || last == '('));
    if (numbers != 0 && r.out->located == r.n)
        look_for_place(r, numbers, m->letters, at);
    if ((m->high & valid) != 0 && r.out->mark == r.n)
        r.out->mark = at + lowest(m->high & valid);
}

static ABR_INLINE void start_line(reader r)
{
    abr_line_words *out = r.out;
    out->count = out->classes = 0;
    out->words = out->tokens = 0;
    out->plain_count = 0;
    out->indent = out->first = out->located = out->code = out->mark = r.n;
}

/* Read the block at `at`; returns the distance to the next one. */
static ABR_INLINE size_t read_next_block(reader r, const abr_classes *m, size_t at, shape_of_line *shape)
{
    size_t step = whole_tokens(m, r.n - at);
    if (r.out->indent == r.n && r.out->words == 0) {
        unsigned blanks = run_length(m->blanks);
        if (blanks < BLOCK && at + blanks < r.n)
            r.out->indent = at + blanks;
    }
    read_block(r, m, at, step, shape);
    return step;
}

static ABR_INLINE void end_line(reader r, const shape_of_line *shape)
{
    abr_line_words *out = r.out;
    uint32_t hash = shape->hash;
    if (out->indent < r.n && out->first != out->indent) {
        char c = r.p[out->indent];
        hash = mix(hash, abr_is_digit(c) ? '0' : (unsigned char)c);
    }
    out->outline = (uint32_t)abr_mix_outline(shape->outline.hash, shape->outline.names);
    out->shape = mix(hash ^ shape->codes, (out->indent > 0) + UINT64_C(2) * (out->located < r.n));
}

/* Read a line with kernels that are called or inlined. */
#define READ_LINE(r, classify)                                                                               \
    do {                                                                                                     \
        shape_of_line shape = {0};                                                                           \
        abr_classes m;                                                                                       \
        start_line(r);                                                                                       \
        for (size_t at = 0; at < (r).n; at += read_next_block(r, &m, at, &shape))                            \
            classify((r).p + at, &m);                                                                        \
        if ((r).whole)                                                                                       \
            end_line(r, &shape);                                                                             \
    } while (0)

#ifdef ABR_HAS_AVX2
/* For processors with single instructions to shift by any number of bits and to clear one. */
#define FOR_AVX2 __attribute__((target("avx2,bmi,bmi2,popcnt"))) static void

FOR_AVX2 read_line_avx2(const abr_lexicon *lexicon, const char *p, size_t n, abr_line_words *out)
{
    const reader r = {lexicon, p, n, out, true};
    READ_LINE(r, abr_classify_avx2);
}

FOR_AVX2 read_signs_avx2(const abr_lexicon *lexicon, const char *p, size_t n, abr_line_words *out)
{
    const reader r = {lexicon, p, n, out, false};
    READ_LINE(r, abr_classify_avx2);
}
#endif

static void read_words(const abr_lexicon *lexicon, const char *p, size_t n, bool whole, abr_line_words *out)
{
    const abr_kernels *kernels = abr_kernels_now();
#ifdef ABR_HAS_AVX2
    if (kernels == &abr_avx2) {
        (whole ? read_line_avx2 : read_signs_avx2)(lexicon, p, n, out);
        return;
    }
#endif
    // cppcheck-suppress ctuuninitvar; it is written here
    const reader r = {lexicon, p, n, out, whole};
    READ_LINE(r, kernels->classify);
}

/* Escape sequences are part of neither words nor the indent. */
void abr_read_words(const abr_lexicon *lexicon, const char *p, size_t n, abr_way how, abr_line_words *out)
{
    char blanked[ABR_SEGMENT + ABR_PADDING];
    const char *escape = how != ABR_READ_PLAIN && n <= ABR_SEGMENT ? abr_find_escape(p, n) : NULL;
    if (escape)
        abr_blank_escapes(p, n, ABR_PADDING, escape, blanked);
    read_words(lexicon, escape ? blanked : p, n, how != ABR_READ_ALONE, out);
    if (escape && out->indent > (size_t)(escape - p))
        out->indent = (size_t)(escape - p);
}
