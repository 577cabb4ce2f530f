/* What every fuzz target shares: options taken off the end of an input, the rest of which is the text;
 * rules that stop the run where one is broken; memory that must be given back as it was asked for. */
#ifndef INPUT_H
#define INPUT_H

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "abridge.h"
#include "base/private.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* ---- rules ---- */

#define RULE(fact) rule_holds((fact), #fact, __FILE__, __LINE__)

static inline void rule_holds(bool fact, const char *what, const char *file, int line)
{
    if (fact)
        return;
    fprintf(stderr, "%s:%d: broken rule: %s\n", file, line, what);
    abort();
}

static inline void *need(void *memory)
{
    if (!memory)
        exit(2);
    return memory;
}

/* ---- options from the end of the input ---- */

typedef struct {
    const uint8_t *p;
    size_t n;
} input;

static inline unsigned take_byte(input *in)
{
    return in->n > 0 ? in->p[--in->n] : 0;
}

static inline uint64_t take_number(input *in, size_t bytes)
{
    uint64_t value = 0;
    for (size_t i = 0; i < bytes; i++)
        value = value << 8 | take_byte(in);
    return value;
}

static inline unsigned take_below(input *in, unsigned n)
{
    return take_byte(in) % n;
}

static inline bool take_flag(input *in)
{
    return (take_byte(in) & 1) != 0;
}

/* A budget near the size of a text that is not known yet; near_size() makes it one. */
#define NEAR_SIZE (UINT64_C(1) << 62)

/* A budget: none, or near the text's size, or small, or of any text's size, or odd. */
static inline uint64_t take_budget(input *in)
{
    static const uint64_t odd[] = {
        0, 1, 2, 7, ABR_COUNT_MAX, ABR_COUNT_MAX - 1, ABR_COUNT_MAX / 16 + 1, ABR_COUNT_MAX + 1};
    unsigned kind = take_byte(in);
    if (kind < 96)
        return ABR_UNLIMITED;
    if (kind < 144)
        return NEAR_SIZE + take_byte(in);
    if (kind < 200)
        return take_byte(in);
    return kind < 245 ? take_number(in, 2) : odd[kind % 8];
}

/* From 192 under the size to 63 over it. */
static inline uint64_t near_size(uint64_t budget, uint64_t size)
{
    enum { UNDER = 192 };
    if (budget < NEAR_SIZE || budget == ABR_UNLIMITED)
        return budget;
    uint64_t moved = size + (budget - NEAR_SIZE);
    return moved > UNDER ? moved - UNDER : 0;
}

/* A ratio or factor: sensible, or odd. */
static inline double take_double(input *in)
{
    static const double odd[] = {0, 1, 0.5, 1.35, 2, -1, 1e9, (double)NAN};
    unsigned kind = take_byte(in);
    return kind < 64 ? odd[kind % 8] : kind / 255.0;
}

/* What a byte of the input stands for: itself; or a run of the byte after it, as long as the one after
 * that; or a word that matters. Adds it to dst, unless NULL; the size. */
static inline size_t expand(const uint8_t *p, size_t n, size_t *used, char *dst)
{
    enum { RUN = 0x11, WORD = 0x12, LINES = 0x13 };
    static const char *const words[] = {"error: ",     "FAILED ",           "panic: x",  "warning: y",
                                        "0 errors",    "at f (a.js:1:2)\n", "a.c:3:5: ", "\nerror\n",
                                        "exit code 1", "\xC3\xA9",          "\xFF",      "\r\n"};
    if (n > 2 && p[0] == RUN) {
        *used = 3;
        if (dst)
            memset(dst, p[1], p[2]);
        return p[2];
    }
    if (n > 1 && p[0] == WORD) {
        const char *word = words[p[1] % (sizeof words / sizeof *words)];
        *used = 2;
        if (dst)
            memcpy(dst, word, strlen(word));
        return strlen(word);
    }
    if (n > 1 && p[0] == LINES) { /* short ones */
        *used = 2;
        for (size_t i = 0; dst && i < p[1] % 32u; i++)
            dst[i] = i % 2 == 0 ? 'y' : '\n';
        return p[1] % 32;
    }
    *used = 1;
    if (dst)
        *dst = (char)*p;
    return 1;
}

/* What is special to a kind, and what its reader waits for the end of. */
static const char *const pieces_of_kinds[] = {"[",
                                              "{\"a\":",
                                              "{",
                                              "\"",
                                              "\":",
                                              ",",
                                              "]",
                                              "}",
                                              "1",
                                              "-1.5e+",
                                              "null,",
                                              "\\u00e9",
                                              "\\",
                                              "\n  ",
                                              "\"\"",
                                              "{\"a\":1}\n",
                                              "a,b\n",
                                              "1,2\n",
                                              "1,\"",
                                              "NAME  READY\n",
                                              "web   ",
                                              "---  -\n",
                                              "diff --git a/x b/x\n",
                                              "--- a/",
                                              "+++ b/",
                                              "@@ -1,2 +1,2 @@",
                                              "@@ -1 +1,999999 @@\n",
                                              "+",
                                              "-old\n",
                                              " same\n",
                                              "commit 0123456789abcdef\n",
                                              "    ",
                                              "index 1234567..89abcde\n",
                                              "GIT binary patch\nliteral 9\n",
                                              "rename to ",
                                              "error: ",
                                              "  File \"",
                                              "\033[",
                                              "\033]8;;",
                                              "\r",
                                              "\b",
                                              "\xE2\x82",
                                              "\xF0\x9F\x98\x80",
                                              "\t"};

/* Up to 2^26 by two bytes, as many of each size as of the next. */
static inline size_t size_of(unsigned high, unsigned low)
{
    const unsigned bits = high * 26 / 256;
    return ((size_t)1 << bits) + (((size_t)1 << bits) * low >> 8);
}

/* A program: `REPEAT` and three bytes write the last bytes again, as many as the first says, until the text
 * is longer by what the others say; `PIECE` and a byte write a piece of some kind; the rest is as above. */
enum { REPEAT = 0x14, PIECE = 0x15, REPEATED = 4, FARTHEST = 1 << 12 };

/* The text that (p, n) stands for, at most `most` bytes of it; dst NULL measures. */
static inline size_t expand_all(const uint8_t *p, size_t n, size_t most, char *dst)
{
    size_t size = 0;
    size_t used;
    for (size_t i = 0; i < n; i += used) {
        if (n - i >= REPEATED && p[i] == REPEAT && size > 0) {
            size_t back = p[i + 1] < 128 ? (size_t)1 + p[i + 1] : size_of(p[i + 1] / 2, 0) % FARTHEST;
            size_t more = size_of(p[i + 2], p[i + 3]);
            back = back == 0 || back > size ? size : back;
            more = more < most - size ? more : most - size;
            for (size_t done = 0; dst && done < more;) { /* what is written doubles */
                const size_t have = back + done;
                const size_t part = have < more - done ? have - have % back : more - done;
                memcpy(dst + size + done, dst + size - back, part);
                done += part;
            }
            size += more;
            used = REPEATED;
            continue;
        }
        const bool piece = n - i >= 2 && p[i] == PIECE;
        const char *text =
            pieces_of_kinds[p[piece ? i + 1 : i] % (sizeof pieces_of_kinds / sizeof *pieces_of_kinds)];
        const size_t more = piece ? strlen(text) : expand(p + i, n - i, &used, NULL);
        if (more > most - size)
            break;
        if (piece && dst)
            memcpy(dst + size, text, more);
        else if (dst)
            expand(p + i, n - i, &used, dst + size);
        used = piece ? 2 : used;
        size += more;
    }
    return size;
}

/* What is left, in a block of its exact size so that a read past its end is found, and repeated as one
 * byte asks; the result has at most `most` bytes. To be freed. */
static inline char *take_text(input *in, size_t most, size_t *n)
{
    size_t times = take_byte(in);
    size_t size = expand_all(in->p, in->n, most, NULL);
    times = times < 192 ? 1 : (times - 190) * (times - 190);
    size_t room = size > 0 ? most / size : 0;
    times = times < room ? times : room > 0 ? room : 1;
    *n = size * times;
    char *text = need(malloc(*n > 0 ? *n : 1));
    for (size_t i = 0; i < times && in->n > 0; i++)
        expand_all(in->p, in->n, size, text + i * size);
    in->n = 0;
    return text;
}

/* The same; of 64 inputs one has up to 1 MiB, and of 1,024 one up to 64. All bytes choose, so that what comes
 * of such an input by a small change is seldom as large, and most of the time goes to small ones. */
ABR_WRAPS static inline char *take_large_text(input *in, size_t usual, size_t *n)
{
    enum { MB = 1024 * 1024 };
    uint32_t hash = 2166136261; /* FNV-1a */
    for (size_t i = 0; i < in->n; i++)
        hash = (hash ^ in->p[i]) * 16777619;
    hash ^= hash >> 16;
    return take_text(in, hash % 1024 == 0 ? (size_t)64 * MB : hash % 64 == 0 ? MB : usual, n);
}

/* ---- memory ---- */

enum { BLOCKS = 256 };

/* Blocks that were asked for and not given back. */
typedef struct {
    struct {
        void *p;
        size_t size;
    } blocks[BLOCKS];
    size_t count;
    size_t bytes;
    size_t most; /* bytes at one time */
} memory;

static inline void memory_add(memory *m, void *p, size_t size)
{
    RULE(m->count < BLOCKS);
    m->blocks[m->count].p = need(p);
    m->blocks[m->count++].size = size;
    m->bytes += size;
    if (m->bytes > m->most)
        m->most = m->bytes;
}

static inline size_t memory_remove(memory *m, void *p)
{
    size_t i = 0;
    while (i < m->count && m->blocks[i].p != p)
        i++;
    RULE(i < m->count);
    size_t size = m->blocks[i].size;
    m->blocks[i] = m->blocks[--m->count];
    m->bytes -= size;
    return size;
}

static inline void *memory_malloc(void *ctx, size_t size)
{
    void *p = malloc(size);
    memory_add(ctx, p, size);
    return p;
}

static inline void *memory_realloc(void *ctx, void *p, size_t old_size, size_t size)
{
    RULE(memory_remove(ctx, p) == old_size);
    void *grown = realloc(p, size);
    memory_add(ctx, grown, size);
    return grown;
}

static inline void memory_free(void *ctx, void *p)
{
    memory_remove(ctx, p);
    free(p);
}

#define MEMORY(m) ((abr_alloc){memory_malloc, memory_realloc, memory_free, (m)})

/* ---- the words of the contract, read slowly ---- */

static inline bool is_continued(const char *p, size_t n, size_t i)
{
    return i < n && ((unsigned char)p[i] & 0xC0) == 0x80;
}

/* Bytes of the well-formed sequence at p, or 0. */
static inline size_t sequence_at(const char *p, size_t n)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    unsigned char c = n > 0 ? (unsigned char)*p : 0xFF;
    size_t size = c < 0x80 ? 1 : c < 0xC0 ? 0 : c < 0xE0 ? 2 : c < 0xF0 ? 3 : c < 0xF8 ? 4 : 0;
    uint32_t code = size > 1 ? c & (0x7Fu >> size) : c;
    for (size_t i = 1; i < size; i++) {
        if (!is_continued(p, n, i))
            return 0;
        code = code << 6 | ((unsigned char)p[i] & 0x3F);
    }
    bool fine = size > 0 && code >= least[size] && code <= 0x10FFFF && (code < 0xD800 || code > 0xDFFF);
    return fine ? size : 0;
}

static inline size_t char_size(const char *p, size_t n)
{
    size_t size = sequence_at(p, n);
    return size > 0 ? size : 1;
}

/* Does a char of the text start at `at`, or the text end there? */
static inline bool is_start(const char *p, size_t n, size_t at)
{
    for (size_t back = 1; back < 4 && back <= at; back++)
        if (at < n && sequence_at(p + at - back, n - (at - back)) > back)
            return false;
    return true;
}

static inline uint64_t slow_chars(const char *p, size_t n, uint64_t *invalid)
{
    uint64_t chars = 0;
    *invalid = 0;
    for (size_t i = 0; i < n; chars++) {
        size_t size = sequence_at(p + i, n - i);
        *invalid += size == 0;
        i += size > 0 ? size : 1;
    }
    return chars;
}

static inline uint64_t slow_newlines(const char *p, size_t n)
{
    uint64_t found = 0;
    for (size_t i = 0; i < n; i++)
        found += p[i] == '\n';
    return found;
}

static inline uint64_t slow_lines(const char *p, size_t n)
{
    return slow_newlines(p, n) + (n > 0 && p[n - 1] != '\n');
}

/* A text as the model would see it. Grows as it is added to. */
typedef struct {
    char *p;
    size_t n;
    size_t size;
} shown;

static inline void show(shown *s, const char *p, size_t n, bool replace)
{
    if (s->n + 3 * n > s->size) {
        s->size = 2 * (s->n + 3 * n);
        s->p = need(realloc(s->p, s->size));
    }
    for (size_t i = 0; i < n;) {
        size_t size = sequence_at(p + i, n - i);
        bool as_is = size > 0 || !replace;
        size = size > 0 ? size : 1;
        memcpy(s->p + s->n, as_is ? p + i : "\xEF\xBF\xBD", as_is ? size : 3);
        s->n += as_is ? size : 3;
        i += size;
    }
}

static inline bool same_bytes(const char *a, size_t a_n, const char *b, size_t b_n)
{
    return a_n == b_n && (a_n == 0 || memcmp(a, b, a_n) == 0);
}

#endif
