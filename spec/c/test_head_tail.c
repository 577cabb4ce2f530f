/* head_tail: both snaps, all marker modes, shares and leftovers. */
#include "check.h"

static abr_opts opts_of(uint64_t lines, uint64_t bytes, double ratio, const char *marker)
{
    abr_opts o = ABR_OPTS_INIT;
    o.strategy = ABR_HEAD_TAIL;
    o.max.lines = lines;
    o.max.bytes = bytes;
    o.head_ratio = ratio;
    o.marker_text = marker;
    o.marker_text_len = marker ? strlen(marker) : 0;
    return o;
}

static void the_marker_has_a_line_of_its_own(void)
{
    abr_cut cut;
    abr_opts o = opts_of(4, ABR_UNLIMITED, 0.5, NULL);
    EXPECT_CUT("1\n2\n3\n4\n5\n6\n", &o, "1\n2\n... [2 lines, 5 bytes omitted] ...\n5\n6\n", &cut);
    CHECK(cut.truncated_by == ABR_BY_LINES);
    CHECK_COUNT(4, cut.output_lines);
    CHECK_COUNT(7, cut.output_bytes);
    CHECK_COUNT(0, cut.total_chars);
}

static void the_pieces_tell_the_ledger(void)
{
    const char text[] = "1\n2\n3\n4\n5\n6\n";
    abr_cut cut;
    abr_opts o = opts_of(4, ABR_UNLIMITED, 0.5, NULL);
    CHECK(abr_cut_text(text, 12, &o, &cut, NULL) == ABR_OK);
    CHECK_COUNT(3, cut.piece_count);
    CHECK(cut.pieces[0].source && !cut.pieces[1].source && cut.pieces[2].source);
    CHECK_COUNT(1, cut.pieces[0].first_byte);
    CHECK_COUNT(3, cut.pieces[0].last_byte);
    CHECK_COUNT(2, cut.pieces[0].last_line);
    CHECK_COUNT(0, cut.pieces[1].first_byte);
    CHECK_COUNT(9, cut.pieces[2].first_byte);
    CHECK_COUNT(12, cut.pieces[2].last_byte);
    CHECK_COUNT(5, cut.pieces[2].first_line);
    CHECK_COUNT(6, cut.pieces[2].last_line);
    abr_cut_free(&cut);
}

static void a_ratio_of_0_or_1_is_one_side(void)
{
    abr_cut cut;
    abr_opts o = opts_of(2, ABR_UNLIMITED, 0, "-");
    EXPECT_CUT("1\n2\n3\n4", &o, "-\n3\n4", &cut);
    o.head_ratio = 1;
    EXPECT_CUT("1\n2\n3\n4", &o, "1\n2\n-", &cut);
}

static void chars_that_end_where_lines_do_split_none(void)
{
    abr_cut cut;
    abr_opts o = opts_of(ABR_UNLIMITED, 6, 0.5, NULL);
    o.snap = ABR_SNAP_CHAR;
    o.marker = ABR_MARKER_NONE;
    EXPECT_CUT("aaa\nbbb\nccc", &o, "aaaccc", &cut);
    CHECK(!cut.last_line_partial);
    EXPECT_CUT("aaa\nbbb\ncccc", &o, "aaaccc", &cut);
    CHECK(cut.last_line_partial);
    EXPECT_CUT("aaaa\nbbb\nccc", &o, "aaaccc", &cut);
    CHECK(cut.last_line_partial);
}

/* There is nothing to share: short lines may fill the head's bytes, however few lines its share would be. */
static void lines_that_are_not_limited_are_not_shared(void)
{
    char text[200];
    abr_cut cut;
    size_t n = 0;
    for (int i = 0; i < 60; i++, n += 2)
        memcpy(text + n, "x\n", 2);
    memset(text + n, 'y', sizeof text - n);
    text[sizeof text - 41] = '\n';
    const uint64_t limits[] = {ABR_UNLIMITED, 62, 1000};
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        abr_opts o = opts_of(limits[i], 160, 0.5, "-");
        CHECK(abr_cut_text(text, sizeof text, &o, &cut, NULL) == ABR_OK);
        CHECK(cut.truncated_by == ABR_BY_BYTES);
        CHECK_COUNT(39, cut.pieces[0].last_line); /* 77 bytes */
        CHECK_COUNT(41, cut.output_lines);
        abr_cut_free(&cut);
    }
}

static void markers_inside_outside_none(void)
{
    abr_cut cut;
    abr_opts o = opts_of(ABR_UNLIMITED, 7, 0.5, "--");
    EXPECT_CUT("a\nb\nc\nd\ne\nf", &o, "a\n--\nf", &cut);
    o.marker = ABR_MARKER_OUTSIDE;
    EXPECT_CUT("a\nb\nc\nd\ne\nf", &o, "a\nb\n--\ne\nf", &cut);
    o.marker = ABR_MARKER_NONE;
    EXPECT_CUT("a\nb\nc\nd\ne\nf", &o, "a\nb\ne\nf", &cut);
}

static void an_empty_marker_outside_is_no_way_past_the_budget(void)
{
    abr_cut cut;
    abr_opts o = opts_of(ABR_UNLIMITED, 8, 0.5, "");
    o.marker = ABR_MARKER_OUTSIDE;
    char *text = exact("aaaa\nbbbb", 9);
    CHECK(abr_cut_text(text, 9, &o, &cut, NULL) == ABR_OK);
    CHECK(cut.truncated);
    CHECK(cut.output_bytes <= 8);
    abr_cut_free(&cut);
    free(text);
}

static void a_marker_that_does_not_fit_is_left_out(void)
{
    abr_cut cut;
    abr_opts o = opts_of(ABR_UNLIMITED, 4, 0.5, "12345");
    EXPECT_CUT("a\nb\nc\nd\ne", &o, "a\ne", &cut);
    o.max.bytes = 0;
    EXPECT_CUT("a\nb\nc\nd\ne", &o, "", &cut);
}

static void the_newline_beside_an_empty_line_is_no_way_past_the_budget(void)
{
    for (uint64_t bytes = 0; bytes < 6; bytes++) {
        for (int ratio = 1; ratio <= 4; ratio++) {
            abr_cut cut;
            abr_opts o = opts_of(ABR_UNLIMITED, bytes, (double)ratio / 4, "-");
            CHECK(abr_cut_text("\nabc\nd", 6, &o, &cut, NULL) == ABR_OK);
            CHECK(cut.content_bytes <= bytes);
            abr_cut_free(&cut);
        }
    }
}

static void snap_char_is_the_formula(void)
{
    abr_cut cut;
    abr_opts o = opts_of(ABR_UNLIMITED, ABR_UNLIMITED, 0.3, NULL);
    o.max.chars = 10;
    o.snap = ABR_SNAP_CHAR;
    o.marker = ABR_MARKER_OUTSIDE;
    EXPECT_CUT("abcdefghijklmno", &o, "abc\n\n... [5 characters truncated] ...\n\nijklmno", &cut);
    CHECK_COUNT(15, cut.total_chars);
    CHECK_COUNT(10, cut.output_chars);
    EXPECT_CUT("\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\n\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9",
               &o,
               "\xC3\xA9\xC3\xA9\xC3\xA9\n\n... [2 characters truncated] ...\n\n"
               "\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9",
               &cut);
}

static void what_one_side_cannot_use_goes_to_the_other(void)
{
    abr_cut cut;
    abr_opts o = opts_of(ABR_UNLIMITED, 20, 0.5, NULL);
    o.marker = ABR_MARKER_NONE;
    /* the head's 9 bytes hold one line of 7, the tail gets 19 - 7 */
    EXPECT_CUT("1234567\n1234567\nab\ncd\nef\ngh\nij\nkl", &o, "1234567\nef\ngh\nij\nkl", &cut);
}

static void a_nearest_line_over_its_share_is_split(void)
{
    abr_cut cut;
    abr_opts o = opts_of(ABR_UNLIMITED, 13, 0.5, "-");
    /* 13 less the marker on its line: 5 and 5 */
    EXPECT_CUT("abcdefghijklmno\nabcdefghijklmno", &o, "abcde\n-\nklmno", &cut);
    CHECK(cut.last_line_partial);
    CHECK_COUNT(2, cut.output_lines);
    EXPECT_CUT("abcdefghijklmno", &o, "abcde\n-\nklmno", &cut);
    CHECK_COUNT(1, cut.output_lines);
    CHECK_COUNT(0, cut.omitted_lines);
    CHECK_COUNT(5, cut.omitted_bytes);
}

static void an_empty_line_at_the_edge_is_kept(void)
{
    abr_cut cut;
    abr_opts o = opts_of(2, ABR_UNLIMITED, 0.5, "-");
    EXPECT_CUT("\nb\nc\n\n", &o, "\n-\n\n", &cut);
    CHECK_COUNT(2, cut.output_lines);
    CHECK_COUNT(1, cut.output_bytes);
    CHECK_COUNT(2, cut.omitted_lines);
}

static void all_numbers_of_a_marker(void)
{
    abr_cut cut;
    abr_opts o = opts_of(2, ABR_UNLIMITED, 0.5, "{lines}/{bytes}/{chars}/{lines}/{line}/{}{");
    EXPECT_CUT("a\n\xC3\xA9\nb\nc", &o, "a\n2/6/5/2/{line}/{}{\nc", &cut);
}

static bool count_quarters(void *ctx, const char *p, size_t n, uint64_t *tokens)
{
    (void)ctx;
    (void)p;
    *tokens = (n + 3) / 4;
    return true;
}

static void a_marker_outside_costs_no_tokens(void)
{
    abr_cut cut;
    abr_opts o = opts_of(ABR_UNLIMITED, ABR_UNLIMITED, 0.5, "a marker of more than five tokens");
    o.marker = ABR_MARKER_OUTSIDE;
    o.max.tokens = 4;
    o.count_tokens = count_quarters;
    EXPECT_CUT("abc\nabc\nabc\nabc\nabc\nabc", &o, "abc\nabc\na marker of more than five tokens\nabc\nabc",
               &cut);
}

int main(void)
{
    RUN(the_marker_has_a_line_of_its_own);
    RUN(the_pieces_tell_the_ledger);
    RUN(a_ratio_of_0_or_1_is_one_side);
    RUN(chars_that_end_where_lines_do_split_none);
    RUN(lines_that_are_not_limited_are_not_shared);
    RUN(markers_inside_outside_none);
    RUN(an_empty_marker_outside_is_no_way_past_the_budget);
    RUN(a_marker_that_does_not_fit_is_left_out);
    RUN(the_newline_beside_an_empty_line_is_no_way_past_the_budget);
    RUN(snap_char_is_the_formula);
    RUN(what_one_side_cannot_use_goes_to_the_other);
    RUN(a_nearest_line_over_its_share_is_split);
    RUN(an_empty_line_at_the_edge_is_kept);
    RUN(all_numbers_of_a_marker);
    RUN(a_marker_outside_costs_no_tokens);
    return check_end();
}
