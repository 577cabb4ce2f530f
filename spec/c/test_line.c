/* The window of one long line. */
#include "check.h"

static void expect_window(const char *text, uint64_t max, size_t at, size_t len, const char *want,
                          bool before, bool after, int line)
{
    size_t n = strlen(text);
    char *copy = exact(text, n);
    abr_window w = abr_line(copy, n, max, at, len);
    check_text(want, strlen(want), copy + w.first, w.n, "window", __FILE__, line);
    check_that(w.cut_before == before, "cut_before", __FILE__, line);
    check_that(w.cut_after == after, "cut_after", __FILE__, line);
    free(copy);
}

#define EXPECT(text, max, at, len, want, before, after)                                                      \
    expect_window((text), (max), (at), (len), (want), (before), (after), __LINE__)

static void a_line_within_the_limit_is_whole(void)
{
    EXPECT("", 0, 0, 0, "", false, false);
    EXPECT("abc", 3, 0, 0, "abc", false, false);
    EXPECT("abc", 3, 2, 1, "abc", false, false);
    EXPECT("\xC3\xA9\xC3\xA9", 2, 0, 0, "\xC3\xA9\xC3\xA9", false, false);
    abr_window w = abr_line(NULL, 0, 5, 0, 0);
    CHECK_COUNT(0, w.n);
}

static void without_a_match_the_first_chars_show(void)
{
    EXPECT("abcdef", 3, 0, 0, "abc", false, true);
    EXPECT("abcdef", 0, 0, 0, "", false, true);
    EXPECT("a\xC3\xA9\xE2\x82\xACz", 3, 0, 0, "a\xC3\xA9\xE2\x82\xAC", false, true);
}

static void the_window_moves_to_the_match(void)
{
    EXPECT("0123456789MM0123456789", 6, 10, 2, "89MM01", true, true);
    EXPECT("0123456789MM", 6, 10, 2, "6789MM", true, false);
    EXPECT("MM0123456789", 6, 0, 2, "MM0123", false, true);
    EXPECT("01MM456789", 4, 2, 2, "01MM", false, true);
    EXPECT("0123456789MM0", 6, 10, 2, "789MM0", true, false);
    EXPECT("0123456789MMMMMM", 3, 10, 6, "MMM", true, true);
}

static void places_outside_the_line_show_its_start(void)
{
    EXPECT("abcdef", 3, 6, 1, "abc", false, true);
    EXPECT("abcdef", 3, 5, 9, "abc", false, true);
    EXPECT("abcdef", 3, SIZE_MAX, 2, "abc", false, true);
    EXPECT("abcdef", 3, 2, SIZE_MAX, "abc", false, true);
}

static bool between_chars(const char *p, size_t n, size_t at)
{
    return at == n || abr_skip_chars(p, n, abr_count_chars(p, at, NULL)) == at;
}

static void no_window_cuts_a_char_and_none_is_too_long(void)
{
    enum { TEXT = 24 };
    char text[TEXT];
    for (int again = 0; again < 60; again++) {
        size_t n = 1 + pick(TEXT);
        random_text(text, n);
        char *copy = exact(text, n);
        for (size_t at = 0; at < n; at++) {
            for (size_t len = 1; at + len <= n; len++) {
                uint64_t max = pick(n + 1);
                abr_window w = abr_line(copy, n, max, at, len);
                CHECK(w.first <= n && w.n <= n - w.first);
                CHECK(between_chars(copy, n, w.first));
                CHECK(between_chars(copy, n, w.first + w.n));
                CHECK(abr_count_chars(copy + w.first, w.n, NULL) <= max);
                CHECK(w.cut_before == (w.first > 0));
                CHECK(w.cut_after == (w.first + w.n < n));
            }
        }
        free(copy);
    }
}

int main(void)
{
    RUN(a_line_within_the_limit_is_whole);
    RUN(without_a_match_the_first_chars_show);
    RUN(the_window_moves_to_the_match);
    RUN(places_outside_the_line_show_its_start);
    RUN(no_window_cuts_a_char_and_none_is_too_long);
    return check_end();
}
