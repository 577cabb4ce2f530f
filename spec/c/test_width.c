/* Display cells: the table, sums, prefixes, and the C library's own widths where these are known. */
#if !defined(_GNU_SOURCE)
#define _GNU_SOURCE /* wcwidth */
#endif
#include <locale.h>
#include <wchar.h>

/* A second copy under names of its own, for the table and what is static. */
#define abr_cells own_cells
#define abr_fit_cells own_fit_cells
#define abr_char_cells own_char_cells
#include "text/width.c"
#undef abr_cells
#undef abr_fit_cells
uint64_t abr_cells(const char *p, size_t n);
size_t abr_fit_cells(const char *p, size_t n, uint64_t width);

#include "check.h"

/* ---- the table ---- */

static void the_table_is_sorted_and_maximal(void)
{
    size_t n = sizeof cell_ranges / sizeof *cell_ranges;
    CHECK_COUNT(FIRST_RANGE, cell_ranges[0].first);
    CHECK(cell_ranges[n - 1].last <= 0x10FFFF);
    for (size_t i = 0; i < n; i++) {
        CHECK(cell_ranges[i].first <= cell_ranges[i].last);
        CHECK(cell_ranges[i].cells == 0 || cell_ranges[i].cells == 2);
        if (i == 0)
            continue;
        CHECK(cell_ranges[i - 1].last < cell_ranges[i].first);
        CHECK(cell_ranges[i - 1].last + 1 < cell_ranges[i].first ||
              cell_ranges[i - 1].cells != cell_ranges[i].cells);
    }
}

static void every_range_is_found_at_its_ends(void)
{
    for (size_t i = 0; i < sizeof cell_ranges / sizeof *cell_ranges; i++) {
        CHECK_COUNT(cell_ranges[i].cells, code_point_cells(cell_ranges[i].first));
        CHECK_COUNT(cell_ranges[i].cells, code_point_cells(cell_ranges[i].last));
    }
}

/* Bytes of a code point. */
static size_t encode(uint32_t c, char dst[4])
{
    if (c < 0x80) {
        dst[0] = (char)c;
        return 1;
    }
    size_t size = c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    for (size_t i = size - 1; i > 0; i--, c >>= 6)
        dst[i] = (char)(0x80 | (c & 0x3F));
    dst[0] = (char)((0xF00u >> size) | c);
    return size;
}

static uint64_t cells_of(uint32_t c)
{
    char text[4];
    size_t size = encode(c, text);
    char *copy = exact(text, size);
    uint64_t cells = abr_cells(copy, size);
    free(copy);
    return cells;
}

static void every_code_point_has_the_cells_of_the_table(void)
{
    size_t at = 0;
    for (uint32_t c = 0; c <= 0x10FFFF; c++) {
        uint32_t want = c == '\t' || (c >= 0x20 && c < 0x7F) || c >= 0xA0;
        for (; at < sizeof cell_ranges / sizeof *cell_ranges && cell_ranges[at].last < c; at++)
            ;
        if (at < sizeof cell_ranges / sizeof *cell_ranges && cell_ranges[at].first <= c)
            want = cell_ranges[at].cells;
        if (c >= 0xD800 && c < 0xE000)
            want = 3; /* a surrogate is no code point of UTF-8: three loose bytes */
        CHECK_COUNT(want, cells_of(c));
    }
}

/* ---- chars of every kind ---- */

static void chars_have_the_cells_of_a_terminal(void)
{
    static const struct {
        uint32_t c;
        uint64_t cells;
    } known[] = {
        {0x00, 0},    {'\n', 0},    {'\r', 0},    {0x1B, 0},    {'\t', 1},     {' ', 1},     {'~', 1},
        {0x7F, 0},    {0x80, 0},    {0x9B, 0},    {0xA0, 1},    {0xAD, 1},     {0xE9, 1},    {0x300, 0},
        {0x3B1, 1},   {0x436, 1},   {0x5B0, 0},   {0x5D0, 1},   {0x600, 1},    {0x64B, 0},   {0x915, 1},
        {0x93F, 1},   {0x94D, 0},   {0xE01, 1},   {0xE31, 0},   {0x1100, 2},   {0x1160, 0},  {0x11FF, 0},
        {0x200B, 0},  {0x200D, 0},  {0x200F, 0},  {0x2010, 1},  {0x2026, 1},   {0x202E, 0},  {0x20AC, 1},
        {0x20E3, 0},  {0x231A, 2},  {0x2500, 1},  {0x2705, 2},  {0x2764, 1},   {0x3000, 2},  {0x3042, 2},
        {0x3099, 0},  {0x4E00, 2},  {0x9FFF, 2},  {0xAC00, 2},  {0xD7A3, 2},   {0xD7B0, 0},  {0xE000, 1},
        {0xFB01, 1},  {0xFE00, 0},  {0xFE0F, 0},  {0xFEFF, 0},  {0xFF21, 2},   {0xFF71, 1},  {0xFFFD, 1},
        {0x1F1E6, 1}, {0x1F469, 2}, {0x1F3FB, 2}, {0x1F600, 2}, {0x1FAE8, 2},  {0x1FAEF, 2}, {0x20000, 2},
        {0x323B0, 2}, {0x40000, 1}, {0xE0020, 0}, {0xE0100, 0}, {0x10FFFF, 1},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (!CHECK_COUNT(known[i].cells, cells_of(known[i].c)))
            fprintf(stderr, "U+%04" PRIX32 "\n", known[i].c);
}

#ifdef __GLIBC__
/* Blocks whose widths have been settled for many years; glibc draws them from the same sources. */
static void known_scripts_are_as_wide_as_glibc_has_them(void)
{
    static const uint32_t blocks[][2] = {
        {0x20, 0x7E},     {0xA0, 0x17F},    {0x300, 0x34E},   {0x391, 0x3C9},     {0x400, 0x481},
        {0x591, 0x5F4},   {0x620, 0x66F},   {0x904, 0x94D},   {0xE01, 0xE3A},     {0xE40, 0xE5B},
        {0x1100, 0x11F9}, {0x2010, 0x2027}, {0x20A0, 0x20AC}, {0x2190, 0x21FF},   {0x2500, 0x25FC},
        {0x3001, 0x303E}, {0x3041, 0x3096}, {0x3099, 0x30FF}, {0x4E00, 0x9FA5},   {0xAC00, 0xD7A3},
        {0xFE00, 0xFE0F}, {0xFF01, 0xFFBE}, {0xFFE0, 0xFFE6}, {0x1F600, 0x1F64F}, {0x20000, 0x2A6D6},
    };
    if (!setlocale(LC_CTYPE, "C.UTF-8"))
        return;
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        for (uint32_t c = blocks[i][0]; c <= blocks[i][1]; c++) {
            int width = c == 0xAD ? 1 : wcwidth((wchar_t)c);
            if (width >= 0 && !CHECK_COUNT(width, cells_of(c)))
                fprintf(stderr, "U+%04" PRIX32 "\n", c);
        }
    setlocale(LC_CTYPE, "C");
}
#endif

/* ---- texts ---- */

static void check_cells(uint64_t want, const char *text, size_t n)
{
    char *copy = exact(text, n);
    if (!CHECK_COUNT(want, abr_cells(copy, n)))
        fprintf(stderr, "\"%.*s\"\n", (int)n, text);
    free(copy);
}

static void texts_are_the_sum_of_their_chars(void)
{
    CHECK_COUNT(0, abr_cells(NULL, 0));
    check_cells(5, "hello", 5);
    check_cells(2, "a\0b\n", 4);
    check_cells(4, "cafe\xCC\x81", 6);
    check_cells(4, "\xE6\xBC\xA2\xE5\xAD\x97", 6);
    check_cells(4, "\xF0\x9F\x91\xA9\xE2\x80\x8D\xF0\x9F\x91\xA7", 11); /* woman, joiner, girl */
    check_cells(2, "\xF0\x9F\x87\xA9\xF0\x9F\x87\xAA", 8);              /* a flag */
    check_cells(1, "\xE2\x9D\xA4\xEF\xB8\x8F", 6);                      /* heart, emoji presentation */
    check_cells(3, "a\xFF\xC3", 3);
    check_cells(2, "\xE6\xBC", 2); /* an unfinished sequence: two loose bytes */
}

static void check_fit(size_t want, const char *text, uint64_t width)
{
    size_t n = strlen(text);
    char *copy = exact(text, n);
    if (!CHECK_COUNT(want, abr_fit_cells(copy, n, width)))
        fprintf(stderr, "\"%s\" in %" PRIu64 "\n", text, width);
    free(copy);
}

static void a_prefix_ends_between_chars_and_keeps_combining_ones(void)
{
    CHECK_COUNT(0, abr_fit_cells(NULL, 0, 0));
    check_fit(0, "abc", 0);
    check_fit(2, "abc", 2);
    check_fit(3, "abc", 3);
    check_fit(3, "abc", ABR_UNLIMITED);
    check_fit(0, "\xE6\xBC\xA2", 1);
    check_fit(1, "a\xE6\xBC\xA2", 2);
    check_fit(4, "a\xE6\xBC\xA2", 3);
    check_fit(3, "e\xCC\x81x", 1); /* the accent goes with its letter */
    check_fit(5, "e\xCC\x81\xCC\xA3x", 1);
    check_fit(2, "\xCC\x81x", 0); /* and costs nothing */
    check_fit(7, "\xF0\x9F\x91\xA9\xE2\x80\x8D\xF0\x9F\x91\xA7", 2);
    check_fit(1, "\xFF\xFF", 1);
}

/* For each width: the prefix fits, ends between chars, and the next char would not fit. */
static void prefixes_are_the_longest_that_fit(void)
{
    static const char *const chars[] = {"a",
                                        "\n",
                                        "\t",
                                        "\x1B",
                                        "\xC3\xA9",
                                        "\xCC\x81",
                                        "\xE6\xBC\xA2",
                                        "\xE2\x80\x8D",
                                        "\xF0\x9F\x98\x80",
                                        "\xFF",
                                        "\xE6\xBC"};
    for (unsigned round = 0; round < 500; round++) {
        char text[64 * 4];
        size_t n = 0;
        for (size_t left = pick(64); left > 0; left--) {
            const char *c = chars[pick(sizeof chars / sizeof *chars)];
            memcpy(text + n, c, strlen(c));
            n += strlen(c);
        }
        char *copy = exact(text, n);
        size_t fits = 0;
        for (uint64_t width = 0; width < 70; width++) {
            for (size_t size; fits < n; fits += size) {
                size = abr_char_size(copy + fits, n - fits);
                if (abr_cells(copy, fits) + abr_cells(copy + fits, size) > width)
                    break;
            }
            CHECK_COUNT(fits, abr_fit_cells(copy, n, width));
            CHECK(abr_cells(copy, fits) <= width);
        }
        free(copy);
    }
}

int main(void)
{
    RUN(the_table_is_sorted_and_maximal);
    RUN(every_range_is_found_at_its_ends);
    RUN(every_code_point_has_the_cells_of_the_table);
    RUN(chars_have_the_cells_of_a_terminal);
#ifdef __GLIBC__
    RUN(known_scripts_are_as_wide_as_glibc_has_them);
#endif
    RUN(texts_are_the_sum_of_their_chars);
    RUN(a_prefix_ends_between_chars_and_keeps_combining_ones);
    RUN(prefixes_are_the_longest_that_fit);
    return check_end();
}
