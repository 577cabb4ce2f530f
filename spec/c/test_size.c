/* Sizes as people write them; shares of counts. */
#include <float.h>

#include "base/scaled.h"
#include "check.h"

static void expect_size(uint64_t n, const char *want, int line)
{
    char *size = malloc(ABR_SIZE_MAX);
    if (!size)
        exit(2);
    size_t len = abr_format_size(n, size);
    check_text(want, strlen(want), size, len, "size", __FILE__, line);
    check_that(size[len] == '\0', "ends in a NUL", __FILE__, line);
    free(size);
}

#define EXPECT_SIZE(n, want) expect_size((n), (want), __LINE__)

static void sizes_are_printed(void)
{
    EXPECT_SIZE(0, "0B");
    EXPECT_SIZE(512, "512B");
    EXPECT_SIZE(1023, "1023B");
    EXPECT_SIZE(1024, "1KB");
    EXPECT_SIZE(1536, "1.5KB");
    EXPECT_SIZE(30720, "30KB");
    EXPECT_SIZE(2411725, "2.3MB");
    EXPECT_SIZE(UINT64_C(1) << 30, "1GB");
    EXPECT_SIZE(UINT64_C(1) << 40, "1TB");
    EXPECT_SIZE(UINT64_C(1) << 50, "1PB");
    EXPECT_SIZE(ABR_COUNT_MAX, "8PB");
}

static void halves_go_up_and_1024_is_one_of_the_next(void)
{
    EXPECT_SIZE(1075, "1KB");   /* 1.0498 */
    EXPECT_SIZE(1076, "1.1KB"); /* 1.0508 */
    EXPECT_SIZE(1280, "1.3KB"); /* 1.25 */
    EXPECT_SIZE(1792, "1.8KB"); /* 1.75 */
    EXPECT_SIZE(1048524, "1023.9KB");
    EXPECT_SIZE(1048525, "1MB"); /* 1023.9502 */
    EXPECT_SIZE(1048575, "1MB");
    EXPECT_SIZE((UINT64_C(1) << 30) - 1, "1GB");
    EXPECT_SIZE((UINT64_C(1) << 50) - 1, "1PB");
    EXPECT_SIZE(1310720, "1.3MB"); /* 1.25 */
}

static bool parse(const char *text, uint64_t *size)
{
    size_t n = strlen(text);
    char *copy = exact(text, n);
    bool is_size = abr_parse_size(copy, n, size);
    free(copy);
    return is_size;
}

static void sizes_are_read(void)
{
    static const struct {
        const char *text;
        uint64_t size;
    } sizes[] = {
        {"0", 0},
        {"512", 512},
        {"512B", 512},
        {"30KB", 30720},
        {"30kb", 30720},
        {"30 KB", 30720},
        {"1.5 mb", 1572864},
        {"2.3MB", 2411724},
        {"1GB", UINT64_C(1) << 30},
        {"0.5KB", 512},
        {"0.000001GB", 1073},
        {"8PB", ABR_COUNT_MAX},
        {"9007199254740992", ABR_COUNT_MAX},
    };
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        uint64_t size = 7;
        CHECK(parse(sizes[i].text, &size));
        CHECK_COUNT(sizes[i].size, size);
    }
}

static void other_texts_are_no_sizes(void)
{
    static const char *const wrong[] = {"",
                                        "KB",
                                        "-1",
                                        "+1",
                                        " 1",
                                        "1.",
                                        ".5KB",
                                        "1..5KB",
                                        "1.5.5KB",
                                        "1KiB",
                                        "1KBs",
                                        "1 KB ",
                                        "0x10",
                                        "1e3",
                                        "1,5",
                                        "1K B",
                                        "1  KB",
                                        "8.1PB",
                                        "9PB",
                                        "9007199254740993",
                                        "99999999999999999999999999",
                                        "nan",
                                        "1EB"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        uint64_t size;
        if (!CHECK(!parse(wrong[i], &size)))
            fprintf(stderr, "  \"%s\"\n", wrong[i]);
    }
    uint64_t size;
    CHECK(!abr_parse_size("1\0", 2, &size));
    CHECK(!abr_parse_size("1KB\0", 4, &size));
}

static void what_is_printed_is_read(void)
{
    for (int i = 0; i < 20000; i++) {
        char text[ABR_SIZE_MAX];
        char again[ABR_SIZE_MAX];
        uint64_t size;
        uint64_t n = (uint64_t)pick(SIZE_MAX) >> (11 + pick(53));
        size_t len = abr_format_size(n, text);
        CHECK(abr_parse_size(text, len, &size));
        /* rounded by at most half a tenth and one byte */
        uint64_t off = size > n ? size - n : n - size;
        CHECK(off <= n / 20 + 1);
        CHECK_BYTES(text, len, again, abr_format_size(size + (size < n), again));
    }
}

/* What int(count * factor) and ceil(count * factor) are in a language whose numbers are IEEE doubles. */
static void shares_are_those_of_doubles_on_every_processor(void)
{
    static const struct {
        uint64_t count;
        double factor;
        uint64_t down;
        uint64_t up;
    } known[] = {
        {10, 0.3, 3, 3},
        {100, 0.29, 28, 29},
        {100, 0.57, 56, 57},
        {1000, 0.001, 1, 1},
        {3, 0.3333333333333333, 1, 1},
        {49, 0.02040816326530612, 0, 1},
        {115, 0.2, 23, 23},
        {70, 0.7, 49, 49},
        {20000, 0.35, 7000, 7000},
        {100, 1.1, 110, 111},
        {20, 1.35, 27, 27},
        {40000, 2.675, 107000, 107000},
        {0, 0.3, 0, 0},
        {1000, 0, 0, 0},
        {1, 5e-324, 0, 1},
        {ABR_COUNT_MAX, 5e-324, 0, 1},
        {ABR_COUNT_MAX, 1, ABR_COUNT_MAX, ABR_COUNT_MAX},
        {ABR_COUNT_MAX, 0.1, UINT64_C(900719925474099), UINT64_C(900719925474100)},
        {ABR_COUNT_MAX - 1, 0.9999999999999999, ABR_COUNT_MAX - 2, ABR_COUNT_MAX - 2},
        {UINT64_C(4503599627370497), 1.5, UINT64_C(6755399441055746), UINT64_C(6755399441055746)},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        CHECK_COUNT(known[i].down, abr_scaled_down(known[i].count, known[i].factor));
        CHECK_COUNT(known[i].up, abr_scaled_up(known[i].count, known[i].factor));
    }
    for (int i = 0; i < 300 * 1000; i++) {
        const uint64_t count = ((uint64_t)pick(1 << 27) << 26 | pick(1 << 26)) >> pick(53);
        const double factor = (1 + (double)pick(i % 2 ? 1000 : 1 << 30)) / (i % 2 ? 1000 : 1 << 30);
        const double most = i % 3 ? 1 : 1000;
        const double product = (double)count * (factor * most);
        CHECK_COUNT((uint64_t)product, abr_scaled_down(count, factor * most));
        CHECK_COUNT((uint64_t)product + ((double)(uint64_t)product < product),
                    abr_scaled_up(count, factor * most));
    }
}

static void shares_are_compared_whatever_their_size(void)
{
    CHECK(abr_is_less_share(1, 3, 1, 2));
    CHECK(!abr_is_less_share(1, 2, 1, 3));
    CHECK(!abr_is_less_share(2, 6, 1, 3));
    CHECK(abr_is_less_share(ABR_COUNT_MAX - 2, ABR_COUNT_MAX - 1, ABR_COUNT_MAX - 1, ABR_COUNT_MAX));
    CHECK(!abr_is_less_share(ABR_COUNT_MAX - 1, ABR_COUNT_MAX, ABR_COUNT_MAX - 2, ABR_COUNT_MAX - 1));
    CHECK(abr_is_less_share(0, 5, 1, ABR_COUNT_MAX));
    CHECK(!abr_is_less_share(UINT64_MAX, 1, UINT64_MAX, 1));
}

int main(void)
{
    RUN(sizes_are_printed);
    RUN(halves_go_up_and_1024_is_one_of_the_next);
    RUN(sizes_are_read);
    RUN(other_texts_are_no_sizes);
    RUN(what_is_printed_is_read);
    RUN(shares_are_those_of_doubles_on_every_processor);
    RUN(shares_are_compared_whatever_their_size);
    return check_end();
}
