/*
 * Words that mean trouble only in certain phrases, and words beyond ASCII.
 *
 * Messages of runtimes often contain no word for trouble: "attempt to index a nil value", "index out of
 * range". Each is recognized by one of its words, which is in the lexicon, and that word's neighbours.
 */
#include <limits.h>

#include "line/phrases.h"
#include "abridge.h"
#include "base/ascii.h"
#include "base/word.h"
#include "line/bits.h"
#include "line/evidence.h"
#include "line/listed.h"
#include "line/words.h"

/* ---- ASCII ---- */

/* stands_at() for a text that may have digits: then the reading depends on those of the line. */
static bool same_at(const abr_evidence *l, size_t i, const char *text, size_t n)
{
    for (size_t k = 0; k < n; k++)
        if (abr_is_digit(text[k]))
            tell_digits(l);
    return stands_at(l, i, text, n);
}

static const abr_phrase phrases[] = {
#define PHRASE(before, word, after, program, proof) {before, word, after},
#include "line/phrases.def"
#undef PHRASE
};

const abr_phrase *abr_find_phrase(const abr_evidence *l, const abr_sign *s)
{
    for (size_t i = s->phrase; i < sizeof phrases / sizeof *phrases && is_word(l, s, phrases[i].word); i++) {
        const abr_phrase *x = &phrases[i];
        const size_t before = strlen(x->before);
        if (s->at >= before && same_at(l, s->at - before, x->before, before) &&
            same_at(l, end_of(s), x->after, strlen(x->after)) && l->lexicon->without != ABR_RULE_PHRASE + i)
            return x;
    }
    return NULL;
}

/* ---- beyond ASCII ---- */

/* Stems, so that cases and plurals are found, in lower case; a line may have them in capitals that lower_pair
 * knows. `before` is the word's ASCII start, if any. */
typedef struct {
    const char *before;
    const char *text;
} stem;

static const stem stems[] = {
#define STEM(before, text, program, proof) {before, text},
#include "line/stems.def"
#undef STEM
};

/* Is the trouble denied: "没有错误", "エラー: 0", "오류 없음"? */
static bool is_denied(const abr_evidence *l, size_t at, size_t end)
{
    tell_digits(l);
    if (abr_is_between_listed(l, at, end, ABR_LIST_DENIED_BEFORE, ABR_LIST_DENIED_AFTER))
        return true;
    if (starts_with(l, end, "："))
        end += strlen("：");
    end = skip(l, end, ABR_SET(": ="));
    return byte_at(l, end) == '0' && !is_alnum(byte_at(l, end + 1)) && byte_at(l, end + 1) != '.';
}

/* May a stem start with these bytes? Signs and box drawings do not. */
static inline bool starts_stem(unsigned char c, unsigned char next)
{
    return c >= 0xC3 && c != 0xE2 && c < 0xEE && next >= 0x80 && next < 0xC0;
}

/* The first two bytes of a char, in lower case for letters: Latin, Greek and Cyrillic ones have two. */
static unsigned lower_pair(unsigned char first, unsigned char second)
{
    const unsigned pair = (unsigned)first << 8 | second;
    const bool upper = (pair >= 0xC380 && pair <= 0xC39E) || (pair >= 0xCE91 && pair <= 0xCE9F) ||
                       (pair >= 0xD090 && pair <= 0xD09F);
    const bool next = (pair >= 0xCEA0 && pair <= 0xCEA9) || (pair >= 0xD0A0 && pair <= 0xD0AF);
    return upper ? pair + 0x20 : next ? pair + 0x100 - 0x20 : pair;
}

/* Does any stem have this first byte, and any this second byte? */
static bool may_be_stem(unsigned pair)
{
    const uint64_t firsts = 0
#define STEM(before, text, program, proof) | (uint64_t)1 << (unsigned char)*(text) % 64
#include "line/stems.def"
#undef STEM
        ;
    const uint64_t seconds = 0
#define STEM(before, text, program, proof) | (uint64_t)1 << (unsigned char)(text)[1] % 64
#include "line/stems.def"
#undef STEM
        ;
    return firsts >> (pair >> 8) % 64 & seconds >> pair % 64 & 1;
}

/* The first byte from i on that is not ASCII, or a point past the line's end. */
static size_t next_high(const abr_evidence *l, size_t i)
{
    for (; i < l->n; i += sizeof(uint64_t)) { /* bytes past the end can be read */
        const uint64_t high = abr_load_word(l->p + i) & UINT64_C(0x8080808080808080);
        if (high != 0)
            return i + lowest(high) / CHAR_BIT;
    }
    return i;
}

/* Does the stem stand at byte i of the line, perhaps in capitals? */
static bool has_stem(const abr_evidence *l, size_t i, const char *text)
{
    while (*text != '\0' && i + 1 < l->n) {
        const size_t size = (unsigned char)*text < 0x80 || text[1] == '\0' ? 1 : 2;
        const unsigned pair = (unsigned)(unsigned char)text[0] << 8 | (unsigned char)text[1];
        if (size == 1 ? *text != abr_to_lower(l->p[i])
                      : lower_pair((unsigned char)l->p[i], (unsigned char)l->p[i + 1]) != pair)
            return false;
        text += size;
        i += size;
    }
    return *text == '\0' || (i < l->n && text[1] == '\0' && *text == abr_to_lower(l->p[i]));
}

size_t abr_find_foreign(const abr_evidence *l, size_t *size)
{
    enum { MOST = 256 /* bytes to look at: a message says it early */ };
    size_t until = l->n - l->words->mark < MOST ? l->n : l->words->mark + MOST;
    for (size_t i = next_high(l, l->words->mark); i + 1 < until; i = next_high(l, i + 1)) {
        if (!starts_stem((unsigned char)l->p[i], (unsigned char)l->p[i + 1]))
            continue;
        const unsigned pair = lower_pair((unsigned char)l->p[i], (unsigned char)l->p[i + 1]);
        if (!may_be_stem(pair))
            continue;
        for (size_t k = 0; k < sizeof stems / sizeof *stems; k++) {
            const char *text = stems[k].text;
            if (((unsigned)(unsigned char)text[0] << 8 | (unsigned char)text[1]) != pair ||
                !has_stem(l, i, text) || l->lexicon->without == ABR_RULE_STEM + k)
                continue;
            size_t before = strlen(stems[k].before);
            bool joined = i >= before && same_at(l, i - before, stems[k].before, before);
            if (!joined || is_denied(l, i - before, i + strlen(text)))
                continue;
            *size = before + strlen(text);
            return i - before;
        }
    }
    return l->n;
}
