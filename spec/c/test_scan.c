/* Bytes, newlines, chars and UTF-8 boundaries, against oracles that look at one byte at a time. */

/* A second copy of the scanner under names of its own, whose kernels can be changed. */
#define abr_count_bytes own_count_bytes
#define abr_count_newlines own_count_newlines
#define abr_find_newlines own_find_newlines
#define abr_nth_newline own_nth_newline
#define abr_nth_newline_back own_nth_newline_back
#define abr_find_last_newline own_find_last_newline
#define abr_count_lines own_count_lines
#define abr_open_sequence own_open_sequence
#define abr_char_size own_char_size
#define abr_char_start own_char_start
#define abr_count_more_chars own_count_more_chars
#define abr_counted_chars own_counted_chars
#define abr_count_chars own_count_chars
#define abr_skip_chars own_skip_chars
#define abr_plain_run own_plain_run
#define abr_prefix own_prefix
#define abr_suffix own_suffix
#define abr_replace_invalid own_replace_invalid
#define abr_kernels_here own_kernels_here
#define abr_choose_kernels own_choose_kernels
#define abr_kernels_now own_kernels_now
#define abr_simd own_simd
#include "text/scan.c"
#include "text/simd.c"

#include "base/word.h"
#include "naive.h"

/* ---- newlines ---- */

static void lines_end_at_a_newline_or_at_the_end(void)
{
    CHECK_COUNT(0, abr_count_lines("", 0));
    CHECK_COUNT(0, abr_count_lines(NULL, 0));
    CHECK_COUNT(1, abr_count_lines("a", 1));
    CHECK_COUNT(1, abr_count_lines("a\n", 2));
    CHECK_COUNT(2, abr_count_lines("a\n\n", 3));
    CHECK_COUNT(1, abr_count_lines("\n", 1));
    CHECK_COUNT(2, abr_count_lines("\n\0", 2));
    CHECK_COUNT(2, abr_count_lines("a\r\nb\r\n", 6));
    CHECK_COUNT(1, abr_count_lines("a\rb", 3));
}

static void the_last_newline(void)
{
    for (size_t n = 0; n < 70; n++) {
        char *text = malloc(n + 1);
        if (!text)
            exit(2);
        memset(text, 'x', n + 1);
        CHECK(abr_find_last_newline(text, n) == NULL);
        for (size_t at = 0; at < n; at++) {
            text[at] = '\n';
            CHECK(abr_find_last_newline(text, n) == text + at);
            CHECK(abr_find_last_newline(text, at) == (at > 0 ? text + at - 1 : NULL));
        }
        free(text);
    }
}

static abr_newlines naive_find_newlines(const char *p, size_t n)
{
    abr_newlines found = {0, SIZE_MAX, SIZE_MAX, SIZE_MAX};
    for (size_t i = 0; i < n; i++)
        if (p[i] == '\n')
            found = (abr_newlines){found.count + 1, found.count == 0 ? i : found.first, i, found.last};
    return found;
}

static void check_found(const abr_newlines *want, const abr_newlines *got)
{
    CHECK_COUNT(want->count, got->count);
    CHECK_COUNT(want->first, got->first);
    CHECK_COUNT(want->last, got->last);
    CHECK_COUNT(want->before_last, got->before_last);
}

static void check_find_newlines(const char *p, size_t n)
{
    abr_newlines want = naive_find_newlines(p, n);
    abr_newlines got = abr_find_newlines(p, n, NULL);
    check_found(&want, &got);
}

static void newlines_are_found_at_every_length_and_offset(void)
{
    for (size_t n = 0; n < 300; n++) {
        char *text = malloc(n + 1);
        if (!text)
            exit(2);
        fill_near_newlines(text, n + 1);
        if (n % 3 > 0) /* few of them, or two that are far apart */
            for (size_t i = 0; i <= n; i++)
                text[i] = text[i] == '\n' && pick(n % 3 * 40) > 0 ? 'x' : text[i];
        for (size_t offset = 0; offset < 65 && offset <= n; offset++)
            check_find_newlines(text + offset, n + 1 - offset);
        for (size_t size = 0; size <= n && size < 130; size++)
            check_find_newlines(text, size);
        free(text);
    }
    check_find_newlines(NULL, 0);
}

static void the_last_two_newlines_wherever_they_are(void)
{
    enum { N = 150 };
    for (size_t first = 0; first < N; first++) {
        for (size_t second = first; second < N; second++) {
            char text[N];
            memset(text, 'x', N);
            text[first] = text[second] = '\n';
            abr_newlines got = abr_find_newlines(text, N, NULL);
            CHECK_COUNT(first == second ? 1 : 2, got.count);
            CHECK_COUNT(first, got.first);
            CHECK_COUNT(second, got.last);
            CHECK_COUNT(first == second ? SIZE_MAX : first, got.before_last);
        }
    }
}

/* ---- UTF-8 ---- */

static void sequences_of_two_bytes(void)
{
    char *text = malloc(2);
    if (!text)
        exit(2);
    for (unsigned pair = 0; pair < 0x10000; pair++) {
        text[0] = (char)(pair >> 8);
        text[1] = (char)(pair & 0xFF);
        CHECK_COUNT(naive_char_size_of(text, 2), abr_char_size(text, 2));
        CHECK_COUNT(1, abr_char_size(text + 1, 1));
    }
    free(text);
}

static void sequences_of_three_and_four_bytes(void)
{
    char *three = malloc(3);
    char *four = malloc(4);
    if (!three || !four)
        exit(2);
    for (unsigned lead = 0xC0; lead < 0x100; lead++) {
        for (size_t i = 0; i < (size_t)EDGES * EDGES * EDGES; i++) {
            four[0] = three[0] = (char)lead;
            four[1] = three[1] = (char)edges[i % EDGES];
            four[2] = three[2] = (char)edges[i / EDGES % EDGES];
            four[3] = (char)edges[i / EDGES / EDGES];
            CHECK_COUNT(naive_char_size_of(four, 4), abr_char_size(four, 4));
            CHECK_COUNT(naive_char_size_of(three, 3), abr_char_size(three, 3));
        }
    }
    free(three);
    free(four);
}

static void the_edges_of_unicode(void)
{
    CHECK_COUNT(1, abr_char_size("\xC0\x80", 2));         /* overlong NUL */
    CHECK_COUNT(1, abr_char_size("\xC1\xBF", 2));         /* overlong */
    CHECK_COUNT(2, abr_char_size("\xC2\x80", 2));         /* U+0080 */
    CHECK_COUNT(1, abr_char_size("\xE0\x9F\xBF", 3));     /* overlong */
    CHECK_COUNT(3, abr_char_size("\xE0\xA0\x80", 3));     /* U+0800 */
    CHECK_COUNT(3, abr_char_size("\xED\x9F\xBF", 3));     /* U+D7FF */
    CHECK_COUNT(1, abr_char_size("\xED\xA0\x80", 3));     /* U+D800, a surrogate */
    CHECK_COUNT(1, abr_char_size("\xED\xBF\xBF", 3));     /* U+DFFF */
    CHECK_COUNT(3, abr_char_size("\xEE\x80\x80", 3));     /* U+E000 */
    CHECK_COUNT(1, abr_char_size("\xF0\x8F\xBF\xBF", 4)); /* overlong */
    CHECK_COUNT(4, abr_char_size("\xF0\x90\x80\x80", 4)); /* U+10000 */
    CHECK_COUNT(4, abr_char_size("\xF4\x8F\xBF\xBF", 4)); /* U+10FFFF */
    CHECK_COUNT(1, abr_char_size("\xF4\x90\x80\x80", 4)); /* U+110000 */
    CHECK_COUNT(1, abr_char_size("\xF5\x80\x80\x80", 4));
    CHECK_COUNT(1, abr_char_size("\xE2\x82", 2)); /* truncated */
    CHECK_COUNT(1, abr_char_size("\xF0\x9F\x98", 3));
}

/* ---- chars of texts ---- */

enum { TEXT_MAX = 210 };

/* Where each char of the text starts, and n after the last one; returns their number. */
static size_t naive_chars(const char *p, size_t n, size_t starts[TEXT_MAX + 1], uint64_t *invalid)
{
    size_t chars = 0;
    *invalid = 0;
    for (size_t i = 0; i < n; chars++) {
        size_t size = naive_char_size_of(p + i, n - i);
        starts[chars] = i;
        *invalid += size == 1 && (unsigned char)p[i] >= 0x80;
        i += size;
    }
    starts[chars] = n;
    return chars;
}

/* What chars [from, to) cost when shown. */
static uint64_t naive_shown(const char *p, const size_t *starts, size_t from, size_t to, bool replace)
{
    uint64_t shown = 0;
    for (size_t c = from; c < to; c++) {
        size_t size = starts[c + 1] - starts[c];
        shown += replace && size == 1 && (unsigned char)p[starts[c]] >= 0x80 ? 3 : size;
    }
    return shown;
}

static void check_reaches(const char *p, size_t n, const size_t *starts, size_t chars)
{
    abr_limits limits = {pick(chars + 3), pick(n + 3), pick(2) == 0};
    if (pick(3) == 0)
        limits.chars = ABR_UNLIMITED;
    if (pick(3) == 0)
        limits.shown = ABR_UNLIMITED;
    size_t first = 0;
    while (first < chars && first < limits.chars &&
           naive_shown(p, starts, 0, first + 1, limits.replace) <= limits.shown)
        first++;
    CHECK_COUNT(starts[first], abr_prefix(p, n, &limits));
    size_t last = 0;
    while (last < chars && last < limits.chars &&
           naive_shown(p, starts, chars - last - 1, chars, limits.replace) <= limits.shown)
        last++;
    CHECK_COUNT(n - starts[chars - last], abr_suffix(p, n, &limits));
}

static void chars_at_every_length(void)
{
    size_t starts[TEXT_MAX + 1];
    char text[TEXT_MAX];
    for (size_t n = 0; n <= TEXT_MAX; n++) {
        for (int again = 0; again < 12; again++) {
            uint64_t invalid;
            uint64_t got_invalid;
            random_text(text, n);
            char *copy = exact(text, n);
            size_t chars = naive_chars(copy, n, starts, &invalid);
            CHECK_COUNT(chars, abr_count_chars(copy, n, &got_invalid));
            CHECK_COUNT(chars, abr_count_chars(copy, n, NULL));
            CHECK_COUNT(invalid, got_invalid);
            for (int reach = 0; reach < 8; reach++)
                check_reaches(copy, n, starts, chars);
            for (size_t c = 0; c <= chars; c++)
                CHECK_COUNT(starts[c], abr_skip_chars(copy, n, c));
            CHECK_COUNT(n, abr_skip_chars(copy, n, ABR_UNLIMITED));
            free(copy);
        }
    }
}

static void the_start_of_the_char_at_every_byte(void)
{
    size_t starts[TEXT_MAX + 1];
    char text[TEXT_MAX];
    for (size_t n = 0; n <= TEXT_MAX; n++) {
        uint64_t invalid;
        random_text(text, n);
        char *copy = exact(text, n);
        size_t chars = naive_chars(copy, n, starts, &invalid);
        for (size_t c = 0; c < chars; c++)
            for (size_t at = starts[c]; at < starts[c + 1]; at++)
                CHECK_COUNT(starts[c], abr_char_start(copy, n, at));
        CHECK_COUNT(n, abr_char_start(copy, n, n));
        free(copy);
    }
}

static void one_wide_char_at_every_place(void)
{
    static const char *const wide[] = {"\xC3\xA9", "\xE2\x82\xAC", "\xF0\x9F\x98\x80", "\xFF"};
    size_t starts[TEXT_MAX + 1];
    for (size_t w = 0; w < sizeof wide / sizeof *wide; w++) {
        size_t size = strlen(wide[w]);
        for (size_t n = 32; n < 100; n += 17) {
            for (size_t at = 0; at + size <= n; at++) {
                uint64_t invalid;
                char *text = malloc(n);
                if (!text)
                    exit(2);
                memset(text, 'x', n);
                memcpy(text + at, wide[w], size);
                size_t chars = naive_chars(text, n, starts, &invalid);
                CHECK_COUNT(chars, abr_count_chars(text, n, NULL));
                for (int reach = 0; reach < 4; reach++)
                    check_reaches(text, n, starts, chars);
                free(text);
            }
        }
    }
}

static void invalid_bytes_are_replaced(void)
{
    char text[TEXT_MAX];
    char want[3 * TEXT_MAX];
    for (size_t n = 0; n <= TEXT_MAX; n++) {
        random_text(text, n);
        char *copy = exact(text, n);
        size_t size = 0;
        for (size_t i = 0; i < n;) {
            size_t step = naive_char_size_of(copy + i, n - i);
            bool outside = step == 1 && (unsigned char)copy[i] >= 0x80;
            memcpy(want + size, outside ? "\xEF\xBF\xBD" : copy + i, outside ? 3 : step);
            size += outside ? 3 : step;
            i += step;
        }
        CHECK_COUNT(size, abr_replace_invalid(copy, n, NULL));
        char *got = malloc(size);
        if (!got && size > 0)
            exit(2);
        abr_replace_invalid(copy, n, got);
        CHECK_BYTES(want, size, got, size);
        free(got);
        free(copy);
    }
}

/* ---- chars of a text in chunks ---- */

static void check_counted(const abr_char_counter *counter, const char *p, size_t n)
{
    size_t starts[TEXT_MAX + 1];
    uint64_t want_invalid;
    uint64_t invalid;
    size_t want = naive_chars(p, n, starts, &want_invalid);
    CHECK_COUNT(want, abr_counted_chars(counter, &invalid));
    CHECK_COUNT(want_invalid, invalid);
}

static void chars_are_counted_across_chunks(void)
{
    static const size_t largest[] = {1, 2, 5, TEXT_MAX};
    char text[TEXT_MAX];
    for (size_t n = 0; n <= TEXT_MAX; n++) {
        for (int again = 0; again < 12; again++) {
            abr_char_counter counter = {0};
            random_text(text, n);
            for (size_t at = 0; at < n;) {
                size_t size = 1 + pick(largest[again % 4]);
                size = size < n - at ? size : n - at;
                char *chunk = exact(text + at, size);
                abr_count_more_chars(&counter, chunk, size);
                free(chunk);
                at += size;
                check_counted(&counter, text, at); /* at any time as if the text ended here */
            }
            abr_count_more_chars(&counter, NULL, 0);
            check_counted(&counter, text, n);
        }
    }
}

/* Every row of five bytes at the edges of the ranges, each in chunks cut at every place. */
static void any_bytes_are_counted_in_any_chunks(void)
{
    enum { N = 5 };
    static const unsigned char bytes[] = {'a',  0x80, 0x90, 0xA0, 0xBF, 0xC3,
                                          0xE0, 0xE2, 0xED, 0xF0, 0xF4, 0xFF};
    enum { BYTES = sizeof bytes, ROWS = BYTES * BYTES * BYTES * BYTES * BYTES };
    for (size_t row = 0; row < ROWS; row += 1 + pick(5)) {
        char text[N];
        size_t rest = row;
        for (size_t i = 0; i < N; i++, rest /= BYTES)
            text[i] = (char)bytes[rest % BYTES];
        for (unsigned cuts = 0; cuts < 1 << (N - 1); cuts++) {
            abr_char_counter counter = {0};
            size_t from = 0;
            for (size_t i = 1; i <= N; i++) {
                if (i < N && (cuts >> (i - 1) & 1) == 0)
                    continue;
                abr_count_more_chars(&counter, text + from, i - from);
                from = i;
            }
            check_counted(&counter, text, N);
        }
    }
}

/* ---- texts of many blocks ---- */

enum { BLOCK = 256 * 1024, BLOCKS = 4, GREAT = BLOCKS * BLOCK + 100 };

/* A kernel that notes how many bytes were looked at for newlines. */
static const abr_kernels *counted;
static uint64_t looked_at;

static uint64_t noted_count(const char *p, size_t n, char c)
{
    looked_at += n;
    return counted->count(p, n, c);
}

static size_t noted_nth_back(const char *p, size_t n, uint64_t *left)
{
    size_t at = counted->nth_newline_back(p, n, left);
    looked_at += n - at;
    return at;
}

/* Newlines on both sides of the ends of blocks, and none for blocks. */
static void newlines_far_apart_are_found_in_one_pass(void)
{
    static const size_t places[] = {
        0,         1,         BLOCK - 1,     BLOCK,         BLOCK + 1, 2 * BLOCK - 1,
        2 * BLOCK, GREAT / 2, 4 * BLOCK - 1, 4 * BLOCK + 1, GREAT - 2, GREAT - 1};
    enum { PLACES = sizeof places / sizeof *places };
    abr_kernels noted = *(counted = abr_kernels_now());
    noted.count = noted_count;
    noted.nth_newline_back = noted_nth_back;
    atomic_store(&chosen, &noted);
    char *text = malloc(GREAT);
    if (!text)
        exit(2);
    memset(text, 'x', GREAT);
    for (unsigned which = 0; which < 1 << PLACES; which += 1 + (unsigned)pick(64)) {
        abr_newlines want = {0, SIZE_MAX, SIZE_MAX, SIZE_MAX};
        for (size_t i = 0; i < PLACES; i++) {
            if (!(which >> i & 1))
                continue;
            text[places[i]] = '\n';
            want = (abr_newlines){want.count + 1, want.count == 0 ? places[i] : want.first, places[i],
                                  want.last};
        }
        looked_at = 0;
        abr_newlines got = abr_find_newlines(text, GREAT, NULL);
        check_found(&want, &got);
        CHECK(looked_at <= GREAT + 2 * BLOCK);
        for (size_t i = 0; i < PLACES; i++)
            text[places[i]] = 'x';
    }
    free(text);
    atomic_store(&chosen, counted);
}

static void chars_are_counted_with_the_newlines(void)
{
    char *text = malloc(GREAT);
    if (!text)
        exit(2);
    for (size_t offset = 0; offset < 5; offset++) { /* sequences of 4 and 3 bytes across the ends of blocks */
        random_text(text, offset);
        for (size_t at = offset; at < GREAT; at += 7)
            memcpy(text + at, "\xF0\x9F\x98\x80\xE2\x82\xAC", GREAT - at < 7 ? GREAT - at : 7);
        text[BLOCK * 2 + 50] = '\n';
        abr_char_counter chars = {0};
        uint64_t want_invalid;
        uint64_t invalid;
        abr_newlines found = abr_find_newlines(text, GREAT, &chars);
        CHECK_COUNT(BLOCK * 2 + 50, found.last);
        CHECK_COUNT(abr_count_chars(text, GREAT, &want_invalid), abr_counted_chars(&chars, &invalid));
        CHECK_COUNT(want_invalid, invalid);
    }
    free(text);
}

/* ---- bytes ---- */

/* All bytes occur, and the memory ends where they do. */
static void bytes_are_counted_at_any_length(void)
{
    for (size_t n = 0; n < TEXT_MAX; n++) {
        char text[TEXT_MAX];
        size_t commas = 0;
        size_t high = 0;
        for (size_t i = 0; i < n; i++) {
            text[i] = (char)(pick(2) ? pick(256) : (size_t) ",[{\xAC\xDB"[pick(5)]);
            commas += text[i] == ',';
            high += text[i] == '\xAC';
        }
        char *p = exact(text, n);
        CHECK_COUNT(commas, abr_count_bytes(p, n, ','));
        CHECK_COUNT(high, abr_count_bytes(p, n, '\xAC'));
        free(p);
    }
}

int main(void)
{
    const abr_kernels *sets[ABR_MOST_KERNELS];
    size_t n = abr_kernels_here(sets);
    for (size_t i = 0; i < n; i++) {
        atomic_store(&chosen, sets[i]);
        RUN(lines_end_at_a_newline_or_at_the_end);
        RUN(the_last_newline);
        RUN(newlines_are_found_at_every_length_and_offset);
        RUN(the_last_two_newlines_wherever_they_are);
        RUN(sequences_of_two_bytes);
        RUN(sequences_of_three_and_four_bytes);
        RUN(the_edges_of_unicode);
        RUN(chars_at_every_length);
        RUN(the_start_of_the_char_at_every_byte);
        RUN(one_wide_char_at_every_place);
        RUN(invalid_bytes_are_replaced);
        RUN(chars_are_counted_across_chunks);
        RUN(any_bytes_are_counted_in_any_chunks);
        RUN(newlines_far_apart_are_found_in_one_pass);
        RUN(chars_are_counted_with_the_newlines);
    }
    RUN(bytes_are_counted_at_any_length);
    return check_end();
}
