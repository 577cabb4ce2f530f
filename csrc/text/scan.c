/*
 * Bytes: newlines, chars, UTF-8 boundaries.
 *
 * Two facts carry everything here. A byte that can lead a well-formed sequence is never part of another one,
 * so the three bytes before a position decide whether it lies inside a char. And nearly all text is
 * well-formed, so each loop over chars leaves as much of it as it can to a kernel (kernels.h).
 */
#include <string.h>

#include "text/scan.h"
#include "abridge.h"
#include "base/word.h"
#include "text/kernels.h"
#include "text/simd.h"
#include "text/utf8.h"

/* ---- newlines ---- */

uint64_t abr_count_bytes(const char *p, size_t n, char c)
{
    return n == 0 ? 0 : abr_kernels_now()->count(p, n, c);
}

uint64_t abr_count_newlines(const char *p, size_t n)
{
    return abr_count_bytes(p, n, '\n');
}

uint64_t abr_count_lines(const char *p, size_t n)
{
    return n == 0 ? 0 : abr_count_newlines(p, n) + (p[n - 1] != '\n');
}

size_t abr_nth_newline(const char *p, size_t n, uint64_t *left)
{
    return n == 0 || *left == 0 ? 0 : abr_kernels_now()->nth_newline(p, n, left);
}

size_t abr_nth_newline_back(const char *p, size_t n, uint64_t *left)
{
    return n == 0 || *left == 0 ? n : abr_kernels_now()->nth_newline_back(p, n, left);
}

const char *abr_find_last_newline(const char *p, size_t n)
{
    uint64_t left = 1;
    size_t at = abr_nth_newline_back(p, n, &left);
    return left == 0 ? p + at : NULL;
}

/* ---- chars ---- */

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

/* Length of the run of ASCII at the end of (p, n), in whole words. */
static size_t ascii_words_back(const char *p, size_t n)
{
    const uint64_t high = UINT64_C(0x8080808080808080);
    size_t i = 0;
    while (n - i >= sizeof high && !(abr_load_word(p + n - i - sizeof high) & high))
        i += sizeof high;
    return i;
}

enum {
    SINGLE_RUN = 256
}; /* bytes read one by one after one outside UTF-8; then well-formed text is expected */

/* The end of reading one by one, in (p, n) read from `from` on. */
static size_t single_until(size_t from, size_t n)
{
    return n - from > SINGLE_RUN ? from + SINGLE_RUN : n;
}

/* abr_char_size(), quick if the char is ASCII. */
static size_t size_of_char(const char *p, size_t n)
{
    return (unsigned char)p[0] < 0x80 ? 1 : abr_char_size(p, n);
}

static bool is_outside(const char *p, size_t size)
{
    return size == 1 && (unsigned char)p[0] >= 0x80;
}

uint64_t abr_count_chars(const char *p, size_t n, uint64_t *invalid)
{
    const abr_kernels *kernels = abr_kernels_now();
    uint64_t chars = 0;
    uint64_t outside = 0;
    for (size_t i = 0; i < n;) {
        i += kernels->well_formed(p + i, n - i, &chars);
        for (size_t stop = single_until(i, n); i < stop; chars++) {
            size_t size = size_of_char(p + i, n - i);
            outside += is_outside(p + i, size);
            i += size;
        }
    }
    if (invalid)
        *invalid = outside;
    return chars;
}

size_t abr_plain_run(const char *p, size_t n)
{
    return n == 0 ? 0 : abr_kernels_now()->plain(p, n);
}

static uint64_t shown_size(const char *p, size_t size, const abr_limits *limits)
{
    return is_outside(p, size) && limits->replace ? ABR_REPLACEMENT_SIZE : size;
}

/* The most of n bytes that stay within the remaining limits if they are well-formed. */
static size_t within(size_t n, const abr_limits *left)
{
    if (n > left->chars)
        n = (size_t)left->chars;
    return n > left->shown ? (size_t)left->shown : n;
}

/* Deduct a char from the remaining limits; false if it does not fit. */
static bool take_char(abr_limits *left, const char *p, size_t size)
{
    uint64_t cost = shown_size(p, size, left);
    if (left->chars == 0 || cost > left->shown)
        return false;
    left->chars--;
    left->shown -= cost;
    return true;
}

size_t abr_prefix(const char *p, size_t n, const abr_limits *limits)
{
    const abr_kernels *kernels = abr_kernels_now();
    abr_limits left = *limits;
    for (size_t i = 0; i < n;) {
        uint64_t chars = 0;
        size_t run = kernels->well_formed(p + i, within(n - i, &left), &chars);
        left.chars -= chars;
        left.shown -= run;
        i += run;
        for (size_t stop = single_until(i, n); i < stop;) {
            size_t size = size_of_char(p + i, n - i);
            if (!take_char(&left, p + i, size))
                return i;
            i += size;
        }
    }
    return n;
}

size_t abr_skip_chars(const char *p, size_t n, uint64_t chars)
{
    return abr_prefix(p, n, &(abr_limits){chars, ABR_UNLIMITED, false});
}

size_t abr_suffix(const char *p, size_t n, const abr_limits *limits)
{
    abr_limits left = *limits;
    size_t end = n;
    while (end > 0) {
        size_t window = within(end, &left);
        size_t ascii = ascii_words_back(p + end - window, window);
        left.chars -= ascii;
        left.shown -= ascii;
        end -= ascii;
        if (end == 0)
            break;
        size_t size = char_size_before(p, end);
        if (!take_char(&left, p + end - size, size))
            break;
        end -= size;
    }
    return n - end;
}

size_t abr_replace_invalid(const char *p, size_t n, char *dst)
{
    const abr_kernels *kernels = abr_kernels_now();
    size_t out = 0;
    for (size_t i = 0; i < n;) {
        uint64_t chars = 0;
        size_t run = kernels->well_formed(p + i, n - i, &chars);
        if (dst)
            memcpy(dst + out, p + i, run);
        out += run;
        i += run;
        for (size_t stop = single_until(i, n), size; i < stop; i += size) {
            size = size_of_char(p + i, n - i);
            bool outside = is_outside(p + i, size);
            size_t width = outside ? ABR_REPLACEMENT_SIZE : size;
            if (dst)
                memcpy(dst + out, outside ? ABR_REPLACEMENT : p + i, width);
            out += width;
        }
    }
    return out;
}

/* ---- chars of a text in chunks ---- */

/* Could (p, n) be the start of a longer well-formed sequence? n is 1 to 3. */
static bool may_go_on(const char *p, size_t n)
{
    char whole[4] = {0};
    memcpy(whole, p, n);
    /* with the continuation bytes missing: the narrowest second byte that each lead allows, then any */
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
    /* first settle the sequence left open by the last chunk */
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

/* Find the newlines of (p, n), which has `count`: the first one from `from` on, the last one before `to`, and
 * the one before that, which if in another block lies before `next_to`. */
static abr_newlines locate(const char *p, size_t n, uint64_t count, size_t from, size_t to, size_t next_to)
{
    abr_newlines found = {count, SIZE_MAX, SIZE_MAX, SIZE_MAX};
    if (count == 0)
        return found;
    found.first = found.last = (size_t)((const char *)memchr(p + from, '\n', n - from) - p);
    if (count > 1) {
        found.last = (size_t)(abr_find_last_newline(p, to) - p);
        size_t end = next_to < found.last ? next_to : found.last;
        found.before_last = (size_t)(abr_find_last_newline(p, end) - p);
    }
    return found;
}

abr_newlines abr_find_newlines(const char *p, size_t n, abr_char_counter *chars)
{
    enum { BLOCK = 256 * 1024 };
    if (n <= BLOCK) {
        if (chars)
            abr_count_more_chars(chars, p, n);
        return locate(p, n, abr_count_newlines(p, n), 0, n, n);
    }
    uint64_t count = 0;
    size_t from = 0;    /* start of the block with the first newline */
    size_t to = 0;      /* end of the block with the last one */
    size_t next_to = 0; /* end of the block with the one before it */
    for (size_t at = 0, size; at < n; at += size) {
        size = n - at < BLOCK ? n - at : BLOCK;
        uint64_t here = abr_count_newlines(p + at, size);
        if (chars)
            abr_count_more_chars(chars, p + at, size);
        if (here == 0)
            continue;
        if (count == 0)
            from = at;
        next_to = here > 1 ? at + size : to;
        to = at + size;
        count += here;
    }
    return locate(p, n, count, from, to, next_to);
}

uint64_t abr_counted_chars(const abr_char_counter *c, uint64_t *invalid)
{
    *invalid = c->invalid + c->open; /* if the text ends here, the open sequence is invalid */
    return c->chars + c->open;
}
