/*
 * Chars that hide text from people: tags, chars without width, fillers, bidi controls.
 *
 * Such a char stays if its neighbours need it. A joiner stays between emoji and beside letters of scripts
 * that join; a direction mark beside letters that run from right to left; a break without width beside
 * letters of scripts without blanks; a variation selector after a sign that has variants; three to six tags
 * after a black flag, and the tag that ends them. Of several in a row only the first may stay, so that no row
 * of them spells anything. All others go. A char is decided on once the next one is known, so at most one is
 * held, or a flag's tags. The input is the screen's output: neighbours are those in the result, and cleaning
 * it again changes nothing.
 */
#include <string.h>

#include "clean/invisible.h"
#include "abridge.h"
#include "base/ascii.h"
#include "base/private.h"
#include "base/word.h"
#include "text/scan.h"
#include "text/utf8.h"

/* How a char matters to chars without width beside it: bits. */
enum {
    JOINING = 1,    /* a letter of a script that joins or stacks letters */
    LEFTWARD = 2,   /* a letter that runs from right to left */
    UNSPACED = 4,   /* a letter of a script without blanks between words */
    PICTURE = 8,    /* an emoji, or a sign that may be one */
    KEYCAP = 16,    /* part of a keycap */
    VARIES = 32,    /* it has variants that are not emoji */
    IDEOGRAPH = 64, /* its variants have selectors of their own */
    MONGOLIAN = 128,
    JAMO = 256 /* part of a Hangul syllable, in which a filler replaces a missing part */
};

typedef struct {
    uint32_t first;
    uint32_t last;
    unsigned is;
} char_range;

/* By blocks of Unicode 15.1; unassigned code points are treated as their neighbours. Sorted. */
static const char_range char_ranges[] = {
    {'#', '#', KEYCAP},
    {'*', '*', KEYCAP},
    {'0', '0', KEYCAP | VARIES},
    {'1', '9', KEYCAP},
    {0x00A9, 0x00A9, PICTURE},
    {0x00AE, 0x00AE, PICTURE},
    {0x0590, 0x05FF, LEFTWARD},
    {0x0600, 0x08FF, LEFTWARD | JOINING},
    {0x0900, 0x0DFF, JOINING},
    {0x0E00, 0x0EFF, UNSPACED},
    {0x0F00, 0x0FFF, JOINING},
    {0x1000, 0x109F, JOINING | UNSPACED | VARIES},
    {0x1100, 0x11FF, JAMO},
    {0x1780, 0x17FF, JOINING | UNSPACED},
    {0x1800, 0x18AF, JOINING | MONGOLIAN},
    {0x1950, 0x19FF, UNSPACED},
    {0x1A20, 0x1AAF, JOINING | UNSPACED},
    {0x1B00, 0x1C4F, JOINING},
    {0x203C, 0x203C, PICTURE},
    {0x2049, 0x2049, PICTURE},
    {0x2100, 0x218F, PICTURE},
    {0x2190, 0x21FF, PICTURE | VARIES},
    {0x2200, 0x22FF, VARIES},
    {0x2300, 0x23FF, PICTURE | VARIES},
    {0x2460, 0x24FF, PICTURE},
    {0x25A0, 0x27BF, PICTURE | VARIES},
    {0x2900, 0x2BFF, PICTURE | VARIES},
    {0x3000, 0x302F, VARIES},
    {0x3030, 0x303D, PICTURE},
    {0x3200, 0x32FF, PICTURE},
    {0x3400, 0x9FFF, IDEOGRAPH | VARIES},
    {0xA840, 0xA87F, JOINING | VARIES},
    {0xA880, 0xA9DF, JOINING},
    {0xA9E0, 0xA9FF, JOINING | UNSPACED},
    {0xAA60, 0xAA7F, JOINING | UNSPACED | VARIES},
    {0xABC0, 0xABFF, JOINING},
    {0xF900, 0xFAFF, IDEOGRAPH},
    {0xFB1D, 0xFB4F, LEFTWARD},
    {0xFB50, 0xFDFF, LEFTWARD | JOINING},
    {0xFE70, 0xFEFE, LEFTWARD | JOINING},
    {0xFF00, 0xFF65, VARIES},
    {0x10800, 0x10FFF, LEFTWARD | JOINING | VARIES},
    {0x11000, 0x11FFF, JOINING},
    {0x1E800, 0x1EFFF, LEFTWARD | JOINING},
    {0x1F000, 0x1FAFF, PICTURE},
    {0x20000, 0x3FFFF, IDEOGRAPH | VARIES},
};

enum {
    BLACK_FLAG = 0x1F3F4,
    FIRST_TAG = 0xE0000,
    CANCEL_TAG = 0xE007F,
    FEWEST_TAGS = 3 /* a country and a letter of its region */
};

static unsigned nature_of(uint32_t code)
{
    size_t low = 0, high = sizeof char_ranges / sizeof *char_ranges;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (char_ranges[middle].last < code)
            low = middle + 1;
        else
            high = middle;
    }
    return low < sizeof char_ranges / sizeof *char_ranges && char_ranges[low].first <= code
               ? char_ranges[low].is
               : 0;
}

/* The code point of the char of `size` bytes at p; 0 for a byte outside UTF-8. */
static uint32_t code_of(const char *p, size_t size)
{
    static const unsigned char lead[] = {0, 0x7F, 0x1F, 0x0F, 0x07};
    if (size == 1 && (unsigned char)*p >= 0x80)
        return 0;
    uint32_t code = (unsigned char)*p & lead[size];
    for (size_t i = 1; i < size; i++)
        code = code << 6 | ((unsigned char)p[i] & 0x3F);
    return code;
}

/* ---- chars that may have to go ---- */

ABR_WRAPS static bool between(uint32_t code, uint32_t first, uint32_t last)
{
    return code - first <= last - first;
}

static bool is_tag(uint32_t code)
{
    return between(code, FIRST_TAG, CANCEL_TAG);
}

/* Digits and small letters: names of regions consist of them. */
static bool is_region_tag(uint32_t code)
{
    return between(code, FIRST_TAG + '0', FIRST_TAG + '9') || between(code, FIRST_TAG + 'a', FIRST_TAG + 'z');
}

/* Unicode's Default_Ignorable_Code_Point without the soft hyphen, and interlinear marks. Sorted. */
static const struct {
    uint32_t first;
    uint32_t last;
} invisible[] = {
    {0x034F, 0x034F}, {0x061C, 0x061C},   {0x115F, 0x1160},   {0x17B4, 0x17B5},
    {0x180B, 0x180F}, {0x200B, 0x200F},   {0x202A, 0x202E},   {0x2060, 0x206F},
    {0x3164, 0x3164}, {0xFE00, 0xFE0F},   {0xFEFF, 0xFEFF},   {0xFFA0, 0xFFA0},
    {0xFFF0, 0xFFFB}, {0x1BCA0, 0x1BCA3}, {0x1D173, 0x1D17A}, {FIRST_TAG, 0xE0FFF},
};

static bool is_invisible(uint32_t code)
{
    for (size_t i = 0; i < sizeof invisible / sizeof *invisible && invisible[i].first <= code; i++)
        if (code <= invisible[i].last)
            return true;
    return false;
}

/* May a char that starts with this byte be one of them? */
static bool starts_invisible(unsigned char c)
{
    return c == 0xCD || c == 0xD8 || (c >= 0xE1 && c <= 0xE3) || c == 0xEF || c == 0xF0 || c == 0xF3;
}

/* The next byte outside ASCII from `at` on, or a point a little before it. */
static size_t skip_ascii(const char *p, size_t n, size_t at)
{
    const uint64_t high = UINT64_C(0x8080808080808080);
    while (n - at >= sizeof(uint64_t) && !(abr_load_word(p + at) & high))
        at += sizeof(uint64_t);
    return at;
}

size_t abr_invisible_run(const char *p, size_t n)
{
    for (size_t i = skip_ascii(p, n, 0); i < n; i = skip_ascii(p, n, i)) {
        const unsigned char c = (unsigned char)p[i];
        const size_t size = c < 0x80 ? 1 : abr_char_size(p + i, n - i);
        if (size > 1 && starts_invisible(c) && is_invisible(code_of(p + i, size)))
            return i;
        i += size;
    }
    return n;
}

/* ---- bytes that never show, whatever their neighbours ---- */

/* C1 controls and the soft hyphen, which start with this byte. */
static bool is_unseen_latin(const char *p, size_t n)
{
    return n > 1 && (unsigned char)*p == 0xC2 && ((unsigned char)p[1] < 0xA0 || (unsigned char)p[1] == 0xAD);
}

bool abr_has_unseen(const char *p, size_t n)
{
    if (n == 0)
        return false;
    if (memchr(p, ABR_ESC, n))
        return true;
    for (const char *c = p; (c = memchr(c, 0xC2, (size_t)(p + n - c))) != NULL; c++)
        if (is_unseen_latin(c, (size_t)(p + n - c)))
            return true;
    return abr_invisible_run(p, n) < n;
}

/* Length of the run of bytes from `first` to `last` at the start of (p, n). */
static size_t run_of(const char *p, size_t n, char first, char last)
{
    size_t i = 0;
    while (i < n && p[i] >= first && p[i] <= last)
        i++;
    return i;
}

/* Size of the string (OSC, DCS and so on) whose first two bytes are at p; 0 if it does not end. */
static size_t string_size(const char *p, size_t n)
{
    size_t i = 2;
    while (i < n && p[i] != ABR_BEL && p[i] != ABR_ESC && p[i] != '\n')
        i++;
    if (i < n && p[i] == ABR_BEL)
        return i + 1;
    return n - i > 1 && p[i] == ABR_ESC && p[i + 1] == '\\' ? i + 2 : 0;
}

/* Bytes of the escape sequence at p: at least its ESC. */
static size_t sequence_size(const char *p, size_t n)
{
    size_t i = 2;
    if (n > 1 && memchr("]PX^_", p[1], 5)) {
        i = string_size(p, n);
        return i > 0 ? i : 2;
    }
    if (n > 1 && p[1] == '[') {
        i += run_of(p + i, n - i, '0', '?');
        i += run_of(p + i, n - i, ' ', '/');
        return i < n && p[i] >= '@' && p[i] <= '~' ? i + 1 : 2;
    }
    i = 1 + run_of(p + 1, n - 1, ' ', '/');
    return i < n && p[i] >= '0' && p[i] <= '~' ? i + 1 : i;
}

/* Bytes at the start of (p, n) that do not show. */
static size_t unseen_size(const char *p, size_t n, bool sequences)
{
    if (*p == ABR_ESC)
        return sequences ? sequence_size(p, n) : 1;
    if (is_unseen_latin(p, n))
        return 2;
    const size_t size = (unsigned char)*p < 0x80 ? 1 : abr_char_size(p, n);
    return size > 1 && is_invisible(code_of(p, size)) ? size : 0;
}

size_t abr_copy_seen(const char *p, size_t n, bool sequences, char *dst)
{
    size_t out = 0;
    for (size_t i = 0; i < n;) {
        const size_t unseen = unseen_size(p + i, n - i, sequences);
        if (unseen == 0)
            dst[out++] = p[i++];
        i += unseen;
    }
    return out;
}

/* ---- chars that may stay ---- */

/* The kind of char that a selector must follow; 0 if the code is not a selector. */
static unsigned selects(uint32_t code)
{
    if (code == 0xFE0E || code == 0xFE0F) /* text or emoji */
        return PICTURE | KEYCAP;
    if (between(code, 0xFE00, 0xFE0D))
        return VARIES;
    if (between(code, 0xE0100, 0xE01EF))
        return IDEOGRAPH;
    return between(code, 0x180B, 0x180F) ? MONGOLIAN : 0;
}

/* The kind of neighbours that a char without width needs to stay; 0: it always goes. */
static unsigned wants(uint32_t code)
{
    if (code == 0x200C || code == 0x200D) /* joiners */
        return JOINING;
    if (code == 0x200E || code == 0x200F || code == 0x061C) /* direction marks */
        return LEFTWARD;
    if (code == 0x200B || code == 0x2060) /* a break, and a joiner that forbids one */
        return UNSPACED;
    if (between(code, 0x115F, 0x1160)) /* fillers */
        return JAMO;
    return 0;
}

/* ---- the char held ---- */

static void put_out(abr_invisible *seen, const char *p, size_t n)
{
    seen->written += n;
    if (n > 0 && !seen->sink(seen->sink_ctx, p, n))
        seen->failed = true;
}

static void hold_char(abr_invisible *seen, const char *p, size_t size, unsigned wanted)
{
    memcpy(seen->held + seen->held_n, p, size);
    seen->held_n += size;
    seen->held_chars++;
    seen->wanted = wanted;
}

/* The next char is of this nature. */
static void settle(abr_invisible *seen, unsigned next)
{
    if (seen->held_n == 0)
        return;
    if (seen->wanted & next)
        put_out(seen, seen->held, seen->held_n);
    else
        seen->dropped += seen->held_chars;
    seen->held_n = 0;
    seen->held_chars = 0;
    seen->wanted = 0;
}

/* Take a tag: a flag's stays. */
static void take_tag(abr_invisible *seen, const char *p, size_t size, uint32_t code)
{
    const bool of_flag = seen->last == BLACK_FLAG && !seen->selected && !seen->joined;
    if (seen->wanted) /* the char held is not a tag */
        settle(seen, 0);
    if (of_flag && is_region_tag(code) && seen->held_chars < ABR_INVISIBLE_TAGS) {
        hold_char(seen, p, size, 0);
        return;
    }
    if (of_flag && code == CANCEL_TAG && seen->held_chars >= FEWEST_TAGS) {
        hold_char(seen, p, size, PICTURE);
        settle(seen, PICTURE);
    } else {
        settle(seen, 0);
        seen->dropped++;
    }
    seen->selected = true;
}

/* Take a char that may have to go. */
static void take_hiding_char(abr_invisible *seen, const char *p, size_t size, uint32_t code)
{
    if (is_tag(code)) {
        take_tag(seen, p, size, code);
        return;
    }
    settle(seen, 0);
    const unsigned before = nature_of(seen->last), wanted = wants(code);
    const bool selecting = !seen->selected && (selects(code) & before);
    if (seen->joined || !(selecting || wanted)) {
        seen->dropped++;
    } else if (selecting) {
        put_out(seen, p, size);
        seen->selected = true;
    } else if (wanted & before) {
        put_out(seen, p, size);
        seen->joined = true;
    } else {
        hold_char(seen, p, size, wanted | (code == 0x200D && (before & PICTURE) ? PICTURE : 0));
    }
}

/* ---- texts ---- */

/* Text that ends between chars. */
static void take_text(abr_invisible *seen, const char *p, size_t n)
{
    for (size_t i = 0; i < n;) {
        const size_t size = abr_char_size(p + i, n - i);
        const uint32_t code = code_of(p + i, size);
        if (is_invisible(code)) {
            take_hiding_char(seen, p + i, size, code);
            i += size;
            continue;
        }
        settle(seen, nature_of(code));
        const size_t run = abr_invisible_run(p + i, n - i);
        const size_t last = abr_char_start(p + i, run, run - 1);
        put_out(seen, p + i, run);
        seen->last = code_of(p + i + last, run - last);
        seen->selected = seen->joined = false;
        i += run;
    }
}

void abr_invisible_start(abr_invisible *seen, abr_sink_fn sink, void *sink_ctx)
{
    *seen = (abr_invisible){.sink = sink, .sink_ctx = sink_ctx};
}

static bool took_all(abr_invisible *seen)
{
    const bool took = !seen->failed;
    seen->failed = false;
    return took;
}

bool abr_invisible_write(void *ctx, const char *p, size_t n)
{
    abr_invisible *seen = ctx;
    while (seen->part_n > 0 && n > 0) {
        seen->part[seen->part_n++] = *p++;
        n--;
        if (abr_open_sequence(seen->part, seen->part_n) < seen->part_n) {
            take_text(seen, seen->part, seen->part_n);
            seen->part_n = 0;
        }
    }
    const size_t open = abr_open_sequence(p, n);
    take_text(seen, p, n - open);
    memcpy(seen->part + seen->part_n, p + n - open, open);
    seen->part_n += open;
    return took_all(seen);
}

bool abr_invisible_finish(abr_invisible *seen)
{
    take_text(seen, seen->part, seen->part_n);
    seen->part_n = 0;
    settle(seen, 0);
    return took_all(seen);
}
