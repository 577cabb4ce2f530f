/*
 * UTF-16 to UTF-8. PowerShell writes UTF-16 to the files it redirects to: a build log whose every second byte
 * is NUL.
 */
#include <string.h>

#include "text/utf16.h"
#include "base/ascii.h"
#include "base/tiny.h"
#include "text/scan.h"
#include "text/utf8.h"

enum {
    UTF16_UNIT = 2,                    /* bytes */
    PUT_BYTES = ABR_OR_TINY(1024, 32), /* of UTF-8 handed over at once */
    REPLACEMENT = 0xFFFD
};

static const char little_mark[UTF16_UNIT] = {(char)0xFF, (char)0xFE};
static const char big_mark[UTF16_UNIT] = {(char)0xFE, (char)0xFF};

void abr_utf16_start(abr_utf16 *u, abr_decoded_fn sink, void *sink_ctx)
{
    *u = (abr_utf16){.sink = sink, .sink_ctx = sink_ctx, .at_line = true};
}

static void hand_over(abr_utf16 *u, const char *p, size_t n)
{
    if (n > 0)
        u->sink(u->sink_ctx, p, n);
}

static bool is_ascii_text(char byte)
{
    return (unsigned char)byte < 0x80 && !abr_is_odd_control(byte);
}

static uint32_t utf16_unit(abr_utf16_order order, const char *p)
{
    const unsigned char *b = (const unsigned char *)p;
    return order == ABR_UTF16_BIG ? (uint32_t)b[0] << 8 | b[1] : (uint32_t)b[1] << 8 | b[0];
}

/* Decode a unit; returns the bytes put to dst, two chars of UTF-8 at most. */
static size_t put_unit(abr_utf16 *u, uint32_t unit, char *dst)
{
    size_t n = 0;
    const uint32_t high = u->high;
    u->decoded = true;
    u->high = abr_is_high_surrogate(unit) ? unit : 0;
    u->at_line = unit == '\n';
    if (high && abr_is_low_surrogate(unit))
        return abr_put_char(abr_join_surrogates(high, unit), dst);
    if (high)
        n = abr_put_char(REPLACEMENT, dst);
    if (abr_is_high_surrogate(unit))
        return n;
    return n + abr_put_char(abr_is_low_surrogate(unit) ? REPLACEMENT : unit, dst + n);
}

/* Decode whole units. */
static void put_units(abr_utf16 *u, const char *p, size_t n)
{
    enum { TWO_CHARS = 8 };
    char text[PUT_BYTES];
    size_t used = 0;
    for (size_t i = 0; i + UTF16_UNIT <= n; i += UTF16_UNIT) {
        used += put_unit(u, utf16_unit(u->order, p + i), text + used);
        if (sizeof text - used < TWO_CHARS || n - i < UTF16_UNIT + UTF16_UNIT) {
            hand_over(u, text, used);
            used = 0;
        }
    }
}

/* The text goes on, or ends, as bytes: the ones held too. */
static void leave_utf16(abr_utf16 *u)
{
    if (!u->decoded && u->held_n > 0 && u->order != ABR_UTF16_OPEN && u->order != ABR_UTF16_NONE)
        hand_over(u, u->order == ABR_UTF16_LITTLE ? little_mark : big_mark, UTF16_UNIT);
    u->order = ABR_UTF16_NONE;
    if (u->high)
        hand_over(u, ABR_REPLACEMENT, ABR_REPLACEMENT_SIZE);
    u->high = 0;
    hand_over(u, u->held, u->held_n);
    u->held_n = 0;
}

static bool may_be_utf8(const char *unit)
{
    return (is_ascii_text(unit[0]) || unit[0] & 0x80) && (is_ascii_text(unit[1]) || unit[1] & 0x80);
}

/* Bytes at the start of those held that are UTF-8, the start of a char at their end too. */
static size_t utf8_held(const abr_utf16 *u)
{
    size_t i = 0;
    while (i < u->held_n) {
        const size_t left = u->held_n - i;
        const size_t size = (unsigned char)u->held[i] < 0x80 ? 1 : abr_char_size(u->held + i, left);
        if (size == 1 && u->held[i] & 0x80)
            return abr_open_sequence(u->held + i, left) == left ? u->held_n : i;
        i += size;
    }
    return i;
}

/* Are the units held different chars of one script, kana or a drawn line? Of ASCII every second byte is the
 * same only in a row of one char. */
static bool is_of_one_script(const abr_utf16 *u)
{
    const size_t high = u->order == ABR_UTF16_LITTLE;
    bool is_row = true;
    for (size_t i = 0; i + UTF16_UNIT <= u->held_n; i += UTF16_UNIT) {
        if (u->held[i + high] != u->held[high])
            return false;
        is_row = is_row && u->held[i] == u->held[i + 1];
    }
    return !is_row && u->held_n >= UTF16_UNIT + UTF16_UNIT;
}

static bool is_utf8_held(const abr_utf16 *u)
{
    return utf8_held(u) == u->held_n && !is_of_one_script(u);
}

/* Take a whole unit, the last of the bytes held. */
static void take_unit(abr_utf16 *u)
{
    size_t units = u->held_n; /* bytes of those that are UTF-16 */
    if (may_be_utf8(u->held + u->held_n - UTF16_UNIT)) {
        if (u->held_n == UTF16_UNIT)
            u->held_at_line = u->at_line;
        if (u->held_n < sizeof u->held)
            return;
        if (is_utf8_held(u)) {
            leave_utf16(u);
            return;
        }
        const size_t odd = utf8_held(u);
        units = odd < u->held_n ? odd - odd % UTF16_UNIT + UTF16_UNIT : u->held_n;
    }
    put_units(u, u->held, units);
    u->held_n -= units;
    memmove(u->held, u->held + units, u->held_n);
    u->held_at_line = u->at_line;
}

/* Take a byte of the mark; false: it is none. */
static bool take_mark(abr_utf16 *u)
{
    const size_t n = u->held_n;
    if (memcmp(u->held, little_mark, n) != 0 && memcmp(u->held, big_mark, n) != 0)
        return false;
    if (n == UTF16_UNIT) {
        u->order = u->held[0] == little_mark[0] ? ABR_UTF16_LITTLE : ABR_UTF16_BIG;
        u->held_n = 0;
    }
    return true;
}

/* Bytes of the units at the start of (p, n) that are UTF-16 for certain: others may follow, but not enough of
 * them. */
static size_t certain_units(const char *p, size_t n)
{
    size_t certain = 0;
    for (size_t i = 0; i + UTF16_UNIT <= n && i - certain < ABR_UTF16_HELD; i += UTF16_UNIT)
        if (!may_be_utf8(p + i))
            certain = i + UTF16_UNIT;
    return certain;
}

void abr_utf16_write(abr_utf16 *u, const char *p, size_t n)
{
    size_t i = 0;
    while (i < n && u->order != ABR_UTF16_NONE) {
        const size_t certain = u->held_n > 0 || u->order == ABR_UTF16_OPEN ? 0 : certain_units(p + i, n - i);
        put_units(u, p + i, certain);
        i += certain;
        if (i == n)
            break;
        u->held[u->held_n++] = p[i++];
        if (u->order != ABR_UTF16_OPEN) {
            if (u->held_n % UTF16_UNIT == 0)
                take_unit(u);
        } else if (!take_mark(u)) {
            leave_utf16(u);
        }
    }
    hand_over(u, p + i, n - i);
}

void abr_utf16_finish(abr_utf16 *u)
{
    const size_t units = u->held_n - u->held_n % UTF16_UNIT;
    const bool whole = units == u->held_n;
    const bool at_line = units > 0 ? u->held_at_line : u->at_line;
    if (u->order == ABR_UTF16_OPEN || u->order == ABR_UTF16_NONE ||
        (at_line && is_utf8_held(u) && (whole || is_ascii_text(u->held[units])))) {
        leave_utf16(u);
        return;
    }
    put_units(u, u->held, units);
    u->held_n = 0;
    leave_utf16(u);
    if (!whole)
        hand_over(u, ABR_REPLACEMENT, ABR_REPLACEMENT_SIZE);
}

/* ---- is it UTF-16? ---- */

/* Is a unit ASCII, or a blank or full stop of Chinese and Japanese? */
static bool is_common_unit(uint32_t unit)
{
    enum { WIDE_BLANK = 0x3000, WIDE_STOP = 0x3002 };
    return (unit < 0x80 && is_ascii_text((char)unit)) || (unit >= WIDE_BLANK && unit <= WIDE_STOP);
}

/* Is a unit no part of a text? */
static bool is_odd_unit(uint32_t unit, uint32_t next, bool in_pair)
{
    enum { LAST_CHAR = 0xFFFD };
    if (abr_is_high_surrogate(unit))
        return !abr_is_low_surrogate(next);
    return (unit < ' ' && !is_common_unit(unit)) || unit > LAST_CHAR ||
           (abr_is_low_surrogate(unit) && !in_pair);
}

/* Random bytes pass as chars, but one unit in 640 of theirs is common; of a text it is one in 100. */
bool abr_is_utf16(const char *p, size_t n)
{
    enum { MOST_ODD = 10 /* one unit in so many */, FEWEST_COMMON = 256, JUDGED = 8192 };
    abr_utf16 u = {.held_n = UTF16_UNIT};
    if (n < UTF16_UNIT)
        return false;
    memcpy(u.held, p, UTF16_UNIT);
    if (!take_mark(&u))
        return false;
    n = n < JUDGED ? n : JUDGED;
    size_t units = 0;
    size_t odd = 0;
    size_t common = 0;
    bool in_pair = false;
    for (size_t i = UTF16_UNIT; n - i >= UTF16_UNIT + UTF16_UNIT; i += UTF16_UNIT) {
        const uint32_t unit = utf16_unit(u.order, p + i);
        units++;
        common += is_common_unit(unit);
        odd += is_odd_unit(unit, utf16_unit(u.order, p + i + UTF16_UNIT), in_pair);
        in_pair = abr_is_high_surrogate(unit);
    }
    return odd * MOST_ODD <= units && common * FEWEST_COMMON >= units;
}
