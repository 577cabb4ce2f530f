/* The kernels of every set that this processor has, against oracles that look at one byte at a time: at
 * every alignment and length, in text of every kind, up to pages that must not be touched. */
#if !defined(_GNU_SOURCE)
#define _GNU_SOURCE /* MAP_ANONYMOUS */
#endif
#include "guarded.h"
#include "naive.h"
#include "temporary.h"
#include "text/kernels.h"
#include "text/kernels_scalar.h"
#include "text/kernels_sse2.h"
#include "text/simd.h"

enum { ALIGNMENTS = 64, MOST = 4096, FAR = 70000 };

static const abr_kernels *set; /* that is tested */

/* ---- memory between two pages that must not be touched ---- */

typedef struct {
    char *start;
    char *end;
    char *mapped;
    size_t size;
} guarded;

static guarded map_guarded(size_t wanted)
{
    const size_t page = page_bytes();
    const size_t inner = (wanted + page - 1) / page * page;
    guarded g = {.size = inner + 2 * page};
    g.mapped = map_pages(g.size);
    forbid_pages(g.mapped, page);
    forbid_pages(g.mapped + page + inner, page);
    g.start = g.mapped + page;
    g.end = g.start + inner;
    return g;
}

/* ---- oracles ---- */

/* Newlines before each byte of (p, n), and before its end. */
static void naive_newlines(const char *p, size_t n, uint32_t *before)
{
    before[0] = 0;
    for (size_t i = 0; i < n; i++)
        before[i + 1] = before[i] + (p[i] == '\n');
}

/* Bytes of the char at p, 0 where it is not well-formed or, where that is asked, not plain. */
static size_t naive_fine_size(const char *p, size_t n, bool plain)
{
    unsigned char c = (unsigned char)p[0];
    size_t size = naive_char_size_of(p, n);
    if (c >= 0x80)
        return size == 1 || (plain && c == 0xC2 && (unsigned char)p[1] < 0xA0) ? 0 : size;
    return plain && ((c < 0x20 && c != '\n' && c != '\t') || c == 0x7F) ? 0 : 1;
}

/* For each prefix of (p, n): how many bytes at its start are fine, and how many chars. */
static void naive_fine(const char *p, size_t n, bool plain, uint32_t *bytes, uint32_t *chars)
{
    size_t at = 0;
    uint32_t count = 0;
    bytes[0] = chars[0] = 0;
    for (size_t i = 1; i <= n; i++) { /* at: where the char starts that the next byte may end */
        size_t size = naive_fine_size(p + at, i - at, plain);
        if (size > 0 && at + size == i) {
            at = i;
            count++;
        }
        bytes[i] = (uint32_t)at;
        chars[i] = count;
    }
}

/* ---- texts ---- */

static void fill_well_formed(char *p, size_t n)
{
    static const char *const parts[] = {
        "a",
        "\n",
        "\t",
        "~",
        "\xC2\xA0",
        "\xDF\xBF",
        "\xE0\xA0\x80",
        "\xED\x9F\xBF",
        "\xEF\xBF\xBF",
        "\xF0\x90\x80\x80",
        "\xF4\x8F\xBF\xBF",
        "ASCII, and quite a run of it, more than one vector holds",
        "\xE4\xBD\xA0\xE5\xA5\xBD\xE4\xBD\xA0\xE5\xA5\xBD\xE4\xBD\xA0\xE5\xA5\xBD"};
    for (size_t i = 0; i < n;) {
        const char *part = parts[pick(sizeof parts / sizeof *parts)];
        size_t size = strlen(part);
        if (size > n - i) {
            part = "z";
            size = 1;
        }
        memcpy(p + i, part, size);
        i += size;
    }
}

/* What is not well-formed, or not plain, each in its own way. */
static const char *const bad[] = {"\x80",             /* a continuation byte alone */
                                  "\xBF\xBF",         /* two of them */
                                  "\xC0\x80",         /* overlong */
                                  "\xC1\xBF",         /* overlong */
                                  "\xE0\x9F\xBF",     /* overlong */
                                  "\xF0\x8F\xBF\xBF", /* overlong */
                                  "\xED\xA0\x80",     /* a surrogate */
                                  "\xED\xBF\xBF",     /* a surrogate */
                                  "\xF4\x90\x80\x80", /* over U+10FFFF */
                                  "\xF5\x80\x80\x80", /* no lead */
                                  "\xF8\x88\x80\x80\x80",
                                  "\xFF",
                                  "\xC3", /* cut off, as the next are */
                                  "\xE2\x82",
                                  "\xF0\x9F\x98",
                                  "\xC3\xA9\xA9", /* a byte too many, as in the next */
                                  "\xE2\x82\xAC\xAC",
                                  "\xF0\x9F\x98\x80\x80",
                                  "\xC2\x80", /* C1 */
                                  "\xC2\x9F",
                                  "\x1B[31m",
                                  "\r\n",
                                  "\x7F",
                                  "\x1F",
                                  "\x0B"};
enum { BAD = sizeof bad / sizeof *bad };

static void put(char *p, size_t n, size_t at, const char *part)
{
    size_t size = strlen(part);
    memcpy(p + at, part, size < n - at ? size : n - at);
}

/* Text of one of eight kinds. */
static void fill(char *p, size_t n, size_t kind)
{
    switch (kind % 8) {
    case 0:
        memset(p, 'x', n);
        return;
    case 1:
        memset(p, '\n', n);
        return;
    case 2:
        fill_near_newlines(p, n);
        return;
    case 3:
        random_text(p, n);
        return;
    case 4:
        for (size_t i = 0; i < n; i++)
            p[i] = (char)edges[pick(EDGES)];
        return;
    case 5:
        memset(p, 'x', n);
        for (size_t i = pick(200); i < n; i += 1 + pick(200))
            p[i] = '\n';
        put(p, n, pick(n), bad[pick(BAD)]);
        return;
    case 6:
        fill_well_formed(p, n);
        put(p, n, pick(n), bad[pick(BAD)]);
        return;
    default:
        fill_well_formed(p, n);
    }
}

/* ---- checks ---- */

static void check_newlines(const char *p, size_t n, const uint32_t *before)
{
    uint64_t total = before[n];
    CHECK_COUNT(total, set->count(p, n, '\n'));
    uint64_t wanted = 1 + pick(total + 2);
    uint64_t left = wanted;
    size_t at = set->nth_newline(p, n, &left);
    if (wanted > total)
        CHECK(at == n && left == wanted - total);
    else
        CHECK(left == 0 && at > 0 && p[at - 1] == '\n' && before[at] == wanted);
    left = wanted;
    at = set->nth_newline_back(p, n, &left);
    if (wanted > total)
        CHECK(at == 0 && left == wanted - total);
    else
        CHECK(left == 0 && at < n && p[at] == '\n' && total - before[at] == wanted);
}

static void check_fine(const char *p, size_t n, uint32_t bytes, uint32_t chars, uint32_t plain)
{
    uint64_t count = 7;
    CHECK_COUNT(bytes, set->well_formed(p, n, &count));
    CHECK_COUNT(7 + chars, count);
    CHECK_COUNT(plain, set->plain(p, n));
}

static abr_classes naive_classes(const char *p)
{
    abr_classes c = {0};
    for (size_t i = 0; i < ABR_CLASSIFIED; i++) {
        unsigned char b = (unsigned char)p[i];
        uint64_t bit = UINT64_C(1) << i;
        bool upper = b >= 'A' && b <= 'Z';
        c.upper |= upper ? bit : 0;
        c.letters |= upper || (b >= 'a' && b <= 'z') ? bit : 0;
        c.digits |= b >= '0' && b <= '9' ? bit : 0;
        c.blanks |= b == ' ' || b == '\t' ? bit : 0;
        c.colons |= b == ':' || b == '(' ? bit : 0;
        c.high |= b >= 0x80 ? bit : 0;
        c.marks |= b != 0 && strchr("_/.-\\$@%=", b) ? bit : 0;
        c.quotes |= b != 0 && strchr("\"'`<\x98\x9C", b) ? bit : 0;
    }
    return c;
}

static void check_classes(const char *p)
{
    const abr_classes want = naive_classes(p);
    abr_classes got;
    memset(&got, 0xA5, sizeof got);
    set->classify(p, &got);
    CHECK_COUNT(want.letters, got.letters);
    CHECK_COUNT(want.upper, got.upper);
    CHECK_COUNT(want.digits, got.digits);
    CHECK_COUNT(want.blanks, got.blanks);
    CHECK_COUNT(want.colons, got.colons);
    CHECK_COUNT(want.high, got.high);
    CHECK_COUNT(want.marks, got.marks);
    CHECK_COUNT(want.quotes, got.quotes);
}

static void check_fold(const char *p)
{
    char got[ABR_CLASSIFIED];
    uint16_t newlines[ABR_CLASSIFIED + 1];
    size_t count = 0;
    memset(got, 0xA5, sizeof got);
    const size_t found = set->fold(p, ABR_CLASSIFIED, got, newlines);
    for (size_t i = 0; i < sizeof got; i++) {
        CHECK(got[i] == (p[i] >= '0' && p[i] <= '9' ? '0' : p[i]));
        if (p[i] == '\n' && CHECK(count < found))
            CHECK_COUNT(i, newlines[count++]);
    }
    CHECK_COUNT(count, found);
}

/* All kernels on a block. */
static void check_block(const char *p)
{
    check_classes(p);
    check_fold(p);
}

/* All kernels on every prefix of (p, n), from `least` bytes on. */
static void check_prefixes(const char *p, size_t least, size_t n)
{
    static uint32_t newlines[MOST + 1];
    static uint32_t bytes[MOST + 1];
    static uint32_t chars[MOST + 1];
    static uint32_t plain[MOST + 1];
    static uint32_t plain_chars[MOST + 1];
    naive_newlines(p, n, newlines);
    naive_fine(p, n, false, bytes, chars);
    naive_fine(p, n, true, plain, plain_chars);
    for (size_t size = least; size <= n; size++) {
        check_newlines(p, size, newlines);
        check_fine(p, size, bytes[size], chars[size], plain[size]);
    }
}

static void check_whole(const char *p, size_t n)
{
    check_prefixes(p, n, n);
}

/* ---- tests ---- */

static void every_alignment_and_length(void)
{
    char *text = malloc(ALIGNMENTS + MOST);
    if (!text)
        exit(2);
    for (size_t alignment = 0; alignment < ALIGNMENTS; alignment++) {
        fill(text, ALIGNMENTS + MOST, alignment + alignment / 8);
        check_prefixes(text + alignment, 0, MOST);
        for (size_t at = alignment; at + ABR_CLASSIFIED <= ALIGNMENTS + MOST; at += ALIGNMENTS)
            check_block(text + at);
    }
    free(text);
}

/* Each byte at each place, beside bytes that a carry or a borrow would spoil. */
static void every_byte_has_its_classes(void)
{
    static const char beside[] = {'\0', '\x7F', '\x80', '\xFF', '@', 'Z', '`', '{', '/', ':', 'x'};
    char text[ABR_CLASSIFIED];
    for (size_t b = 0; b < sizeof beside; b++) {
        for (unsigned byte = 0; byte <= UINT8_MAX; byte++) {
            for (size_t at = 0; at < ABR_CLASSIFIED; at++) {
                memset(text, beside[b], sizeof text);
                text[at] = (char)byte;
                check_block(text);
            }
            memset(text, (int)byte, sizeof text);
            check_block(text);
        }
    }
}

static void nothing_beside_the_text_is_read(void)
{
    guarded g = map_guarded(MOST);
    for (size_t n = 0; n <= MOST; n++) {
        for (size_t kind = n < 300 ? 0 : n % 8; kind < 8; kind += n < 300 ? 1 : 8) {
            fill(g.end - MOST, MOST, kind);
            check_whole(g.end - n, n);
            fill(g.start, MOST, kind);
            check_whole(g.start, n);
            check_block(g.end - ABR_CLASSIFIED);
            check_block(g.start);
        }
    }
    unmap_pages(g.mapped, g.size);
}

/* In well-formed text and in ASCII, across the ends of blocks. */
static void one_thing_wrong_at_every_place(void)
{
    enum { N = 300 };
    char text[N];
    for (size_t b = 0; b < BAD; b++) {
        for (size_t at = 0; at < N; at++) {
            for (size_t n = N - 17; n <= N; n += 17) {
                fill_well_formed(text, N);
                put(text, n, at < n ? at : n - 1, bad[b]);
                check_whole(text, n);
                memset(text, 'x', N);
                put(text, n, at < n ? at : n - 1, bad[b]);
                check_whole(text, n);
            }
        }
    }
}

/* Every row of four bytes at the edges of the ranges, where a block of any size ends within them. */
static void any_four_bytes(void)
{
    enum { N = 400, AT = 254, ROWS = EDGES * EDGES * EDGES * EDGES };
    char text[N];
    memset(text, 'x', N);
    for (size_t row = 0; row < ROWS; row++) {
        size_t rest = row;
        for (size_t i = 0; i < 4; i++, rest /= EDGES)
            text[AT + i] = (char)edges[rest % EDGES];
        size_t want[2];
        for (int plain = 0; plain < 2; plain++) {
            size_t size = 1;
            size_t at = AT;
            while (at < AT + 4 && (size = naive_fine_size(text + at, N - at, plain)) > 0)
                at += size;
            want[plain] = size > 0 ? N : at;
        }
        uint64_t chars = 0;
        CHECK_COUNT(want[0], set->well_formed(text, N, &chars));
        CHECK_COUNT(want[1], set->plain(text, N));
    }
}

static void no_lane_of_a_vector_overflows(void)
{
    static const size_t sizes[] = {16 * 255, 32 * 255, 64 * 63, 128 * 63, 128 * 63 + 127, 128 * 64, FAR};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        char *text = malloc(sizes[s]);
        if (!text)
            exit(2);
        memset(text, '\n', sizes[s]);
        CHECK_COUNT(sizes[s], set->count(text, sizes[s], '\n'));
        uint64_t chars = 0;
        set->well_formed(text, sizes[s], &chars);
        CHECK_COUNT(sizes[s], chars);
        free(text);
    }
}

static void newlines_far_off(void)
{
    char *text = malloc(FAR);
    if (!text)
        exit(2);
    for (size_t every = 1; every < FAR; every = every * 3 + 1) {
        memset(text, 'x', FAR);
        for (size_t i = every - 1; i < FAR; i += every)
            text[i] = '\n';
        uint64_t total = FAR / every;
        for (uint64_t k = 1; k <= total; k += 1 + total / 7) {
            uint64_t left = k;
            CHECK_COUNT(k * every, set->nth_newline(text, FAR, &left));
            CHECK_COUNT(0, left);
            left = k;
            CHECK_COUNT((total + 1 - k) * every - 1, set->nth_newline_back(text, FAR, &left));
            CHECK_COUNT(0, left);
        }
    }
    free(text);
}

/* ---- the choice ---- */

static void a_set_is_chosen_by_its_name(void)
{
    const abr_kernels *sets[ABR_MOST_KERNELS];
    size_t n = abr_kernels_here(sets);
    CHECK(n >= 1 && sets[n - 1] == &abr_scalar);
    for (size_t i = 0; i < n; i++)
        CHECK(abr_choose_kernels(sets[i]->name) == sets[i]);
    CHECK(abr_choose_kernels(NULL) == sets[0]);
    static const char *const unknown[] = {"", "avx512", "AVX2", "avx2 ", "none"};
    for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++)
        CHECK(abr_choose_kernels(unknown[i]) == sets[0]);
#if defined(__x86_64__) && defined(__GNUC__)
    CHECK(abr_choose_kernels("sse2") == &abr_sse2);
    CHECK(abr_choose_kernels("neon") == sets[0]); /* not of this processor */
#elif defined(__aarch64__) && defined(__GNUC__)
    CHECK(n == 2 && strcmp(sets[0]->name, "neon") == 0);
    CHECK(abr_choose_kernels("avx2") == sets[0]);
#endif
}

static void the_choice_can_be_asked_for(void)
{
    CHECK(strcmp(abr_simd(), abr_choose_kernels(getenv("ABRIDGE_SIMD"))->name) == 0);
    CHECK(set_variable("ABRIDGE_SIMD", "scalar"));
    CHECK(abr_simd() == abr_kernels_now()->name); /* it was made, and stays */
    CHECK(abr_choose_kernels(getenv("ABRIDGE_SIMD")) == &abr_scalar);
}

int main(void)
{
    const abr_kernels *sets[ABR_MOST_KERNELS];
    size_t n = abr_kernels_here(sets);
    for (size_t i = 0; i < n; i++) {
        set = sets[i];
        RUN(every_alignment_and_length);
        RUN(nothing_beside_the_text_is_read);
        RUN(every_byte_has_its_classes);
        RUN(one_thing_wrong_at_every_place);
        RUN(any_four_bytes);
        RUN(no_lane_of_a_vector_overflows);
        RUN(newlines_far_off);
    }
    RUN(a_set_is_chosen_by_its_name);
    RUN(the_choice_can_be_asked_for);
    return check_end();
}
