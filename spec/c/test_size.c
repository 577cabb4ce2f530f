/* Sizes as people write them. */
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

int main(void)
{
    RUN(sizes_are_printed);
    RUN(halves_go_up_and_1024_is_one_of_the_next);
    RUN(sizes_are_read);
    RUN(other_texts_are_no_sizes);
    RUN(what_is_printed_is_read);
    return check_end();
}
