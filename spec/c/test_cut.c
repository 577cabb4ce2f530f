/* head and tail: what is kept, what the ledger says, which options are refused. */
#if !defined(_GNU_SOURCE)
#define _GNU_SOURCE /* MAP_ANONYMOUS */
#endif
#include "check.h"
#include "guarded.h"
#include "budget/span.h"
#include "budget/view.h"
#include "cut/cut.h"

static abr_opts opts_of(abr_strategy strategy, uint64_t lines, uint64_t bytes)
{
    abr_opts o = ABR_OPTS_INIT;
    o.strategy = strategy;
    o.max.lines = lines;
    o.max.bytes = bytes;
    return o;
}

static void default_options_are_those_of_the_macro(void)
{
    const abr_opts want = ABR_OPTS_INIT;
    abr_opts o;
    memset(&o, 0xFF, sizeof o);
    abr_opts_init(&o);
    CHECK_COUNT(ABR_UNLIMITED, o.max.lines);
    CHECK_COUNT(ABR_UNLIMITED, o.max.bytes);
    CHECK_COUNT(ABR_UNLIMITED, o.max.chars);
    CHECK_COUNT(ABR_UNLIMITED, o.max.tokens);
    CHECK(o.token_safety == want.token_safety && o.token_safety > 1.34 && o.token_safety < 1.36);
    CHECK(o.head_ratio == want.head_ratio && o.head_ratio > 0.29 && o.head_ratio < 0.31);
    CHECK(o.strategy == ABR_HEAD && o.long_line == ABR_LONG_DEFAULT && o.snap == ABR_SNAP_LINE);
    CHECK(o.marker == ABR_MARKER_INSIDE && o.kind == ABR_KIND_TOLD && o.quiet_groups == 0);
    CHECK(!o.utf8_replace && !o.indicators && !want.utf8_replace && !want.indicators);
    CHECK(!o.count_tokens && !o.count_ctx && !o.reserve && !o.marker_text && !o.hits && !o.alloc);
    CHECK_COUNT(0, o.reserve_len + o.marker_text_len + o.hit_count);
}

static void a_text_that_fits_is_one_piece_of_the_source(void)
{
    const char text[] = "one\ntwo\n";
    for (int strategy = ABR_HEAD; strategy <= ABR_HEAD_TAIL; strategy++) {
        abr_opts o = opts_of((abr_strategy)strategy, 2, 8);
        abr_cut cut;
        CHECK(abr_cut_text(text, 8, &o, &cut, NULL) == ABR_OK);
        CHECK(!cut.truncated);
        CHECK(cut.truncated_by == ABR_BY_NONE);
        CHECK_COUNT(1, cut.piece_count);
        CHECK(cut.pieces[0].p == text);
        CHECK_COUNT(1, cut.pieces[0].first_byte);
        CHECK_COUNT(8, cut.pieces[0].last_byte);
        CHECK_COUNT(1, cut.pieces[0].first_line);
        CHECK_COUNT(2, cut.pieces[0].last_line);
        CHECK_COUNT(8, cut.content_bytes);
        CHECK_COUNT(2, cut.output_lines);
        CHECK_COUNT(0, cut.omitted_bytes);
        abr_cut_free(&cut);
    }
}

static void an_empty_text_has_no_piece(void)
{
    for (int strategy = ABR_HEAD; strategy <= ABR_HEAD_TAIL; strategy++) {
        abr_opts o = opts_of((abr_strategy)strategy, 0, 0);
        abr_cut cut;
        CHECK(abr_cut_text(NULL, 0, &o, &cut, NULL) == ABR_OK);
        CHECK(!cut.truncated);
        CHECK_COUNT(0, cut.piece_count);
        CHECK_COUNT(0, cut.content_bytes);
        CHECK_COUNT(0, cut.total_lines);
        abr_cut_free(&cut);
    }
}

static void head_keeps_whole_lines_from_the_start(void)
{
    abr_cut cut;
    abr_opts o = opts_of(ABR_HEAD, 2, ABR_UNLIMITED);
    EXPECT_CUT("a\nb\nc\n", &o, "a\nb", &cut);
    CHECK(cut.truncated && cut.truncated_by == ABR_BY_LINES);
    CHECK_COUNT(3, cut.total_lines);
    CHECK_COUNT(2, cut.output_lines);
    CHECK_COUNT(3, cut.omitted_bytes);
    o = opts_of(ABR_HEAD, ABR_UNLIMITED, 4);
    EXPECT_CUT("a\nb\nc\n", &o, "a\nb", &cut);
    CHECK(cut.truncated_by == ABR_BY_BYTES);
    o.max.bytes = 3;
    EXPECT_CUT("a\nb\nc\n", &o, "a\nb", &cut);
    o.max.bytes = 2;
    EXPECT_CUT("a\nb\nc\n", &o, "a", &cut);
}

static void tail_keeps_whole_lines_from_the_end(void)
{
    abr_cut cut;
    abr_opts o = opts_of(ABR_TAIL, 2, ABR_UNLIMITED);
    EXPECT_CUT("a\nb\nc\n", &o, "b\nc\n", &cut);
    CHECK(cut.truncated_by == ABR_BY_LINES);
    o = opts_of(ABR_TAIL, ABR_UNLIMITED, 3);
    EXPECT_CUT("a\nb\nc", &o, "b\nc", &cut);
    o.max.bytes = 2;
    EXPECT_CUT("a\nb\nc", &o, "c", &cut);
    EXPECT_CUT("a\nb\nc\n", &o, "c\n", &cut);
    CHECK(!cut.last_line_partial);
}

static void a_long_line_is_omitted_or_split(void)
{
    abr_cut cut;
    abr_opts o = opts_of(ABR_HEAD, ABR_UNLIMITED, 4);
    EXPECT_CUT("abcdef\ng", &o, "", &cut);
    CHECK(cut.first_line_exceeds_limit && !cut.last_line_partial);
    CHECK_COUNT(6, cut.line_bytes);
    o.long_line = ABR_LONG_SPLIT;
    EXPECT_CUT("abcdef\ng", &o, "abcd", &cut);
    CHECK(cut.last_line_partial && !cut.first_line_exceeds_limit);
    CHECK_COUNT(1, cut.output_lines);
    EXPECT_CUT("abc\xC3\xA9g", &o, "abc", &cut);
    o = opts_of(ABR_TAIL, ABR_UNLIMITED, 4);
    EXPECT_CUT("a\nbcdefg", &o, "defg", &cut);
    CHECK(cut.last_line_partial);
    CHECK_COUNT(6, cut.line_bytes);
    EXPECT_CUT("a\nbcd\xE2\x82\xAC\n", &o, "\xE2\x82\xAC\n", &cut);
    EXPECT_CUT("a\nbcd\xE2\x82\xAC!\n", &o, "!\n", &cut);
    o.long_line = ABR_LONG_OMIT;
    EXPECT_CUT("a\nbcdefg", &o, "", &cut);
    CHECK_COUNT(0, cut.output_lines);
}

static void a_final_newline_alone_is_no_truncation(void)
{
    for (int strategy = ABR_HEAD; strategy <= ABR_HEAD_TAIL; strategy++) {
        abr_cut cut;
        abr_opts o = opts_of((abr_strategy)strategy, ABR_UNLIMITED, 3);
        EXPECT_CUT("a\nb\n", &o, "a\nb", &cut);
        CHECK(cut.final_newline && !cut.truncated && cut.truncated_by == ABR_BY_NONE);
        CHECK_COUNT(1, cut.omitted_bytes);
        CHECK_COUNT(0, cut.omitted_lines);
    }
}

static void invalid_bytes_cost_what_they_show_as(void)
{
    abr_cut cut;
    abr_opts o = opts_of(ABR_HEAD, ABR_UNLIMITED, 5);
    o.utf8_replace = true;
    o.long_line = ABR_LONG_SPLIT;
    EXPECT_CUT("a\xFF\xFF", &o, "a\xEF\xBF\xBD", &cut);
    CHECK_COUNT(2, cut.output_bytes);
    CHECK_COUNT(4, cut.content_bytes);
    o.max.bytes = 7;
    EXPECT_CUT("a\xFF\xFF", &o, "a\xEF\xBF\xBD\xEF\xBF\xBD", &cut);
    CHECK(!cut.truncated);
    CHECK_COUNT(3, cut.output_bytes);
}

static void the_reserve_is_set_aside_only_when_cut(void)
{
    abr_cut cut;
    abr_opts o = opts_of(ABR_TAIL, ABR_UNLIMITED, 6);
    o.reserve = "!!!";
    o.reserve_len = 3;
    EXPECT_CUT("aa\nbbb", &o, "aa\nbbb", &cut);
    CHECK(!cut.truncated);
    EXPECT_CUT("aaa\nbbb", &o, "bbb", &cut);
    EXPECT_CUT("aaa\nbbbb", &o, "bbb", &cut);
    CHECK(cut.last_line_partial);
}

/* ---- sizes of everything, in exact blocks ---- */

static void no_budget_is_ever_exceeded(void)
{
    enum { TEXT = 60 };
    char text[TEXT];
    for (size_t n = 0; n <= TEXT; n++) {
        random_text(text, n);
        char *copy = exact(text, n);
        for (uint64_t bytes = 0; bytes <= 3 * n + 1; bytes++) {
            abr_opts o = opts_of((abr_strategy)pick(3), pick(3) == 0 ? pick(n + 2) : ABR_UNLIMITED, bytes);
            o.long_line = (abr_long_line)pick(3);
            o.utf8_replace = pick(2) == 0;
            o.snap = (abr_snap)pick(2);
            o.marker = pick(2) == 0 ? ABR_MARKER_INSIDE : ABR_MARKER_NONE;
            o.marker_text = "<{bytes}>";
            o.marker_text_len = strlen(o.marker_text);
            o.head_ratio = (double)pick(5) / 4;
            o.max.chars = pick(3) == 0 ? pick(n + 2) : ABR_UNLIMITED;
            o.max.tokens = pick(3) == 0 ? pick(n + 2) : ABR_UNLIMITED;
            abr_cut cut;
            if (!CHECK(abr_cut_text(copy, n, &o, &cut, NULL) == ABR_OK))
                continue;
            char *content = content_of(&cut);
            CHECK(cut.content_bytes <= bytes);
            CHECK(cut.output_lines <= o.max.lines);
            CHECK(abr_count_chars(content, cut.content_bytes, NULL) <= o.max.chars);
            CHECK_COUNT(cut.total_bytes, cut.output_bytes + cut.omitted_bytes);
            CHECK_COUNT(cut.total_lines, cut.output_lines + cut.omitted_lines);
            free(content);
            abr_cut_free(&cut);
        }
        free(copy);
    }
}

/* ---- options ---- */

static void expect_refused(const abr_opts *o, const char *key)
{
    abr_cut cut;
    abr_error error = {ABR_OK, NULL, 7};
    CHECK(abr_cut_text("abc", 3, o, &cut, &error) == ABR_EINVAL);
    CHECK(error.code == ABR_EINVAL);
    CHECK_COUNT(0, error.position);
    CHECK(error.message && strstr(error.message, key));
    CHECK_COUNT(0, cut.piece_count);
    CHECK(abr_cut_text("abc", 3, o, &cut, NULL) == ABR_EINVAL);
    abr_cut_free(&cut);
}

static void budgets_out_of_range_are_refused(void)
{
    static const uint64_t wrong[] = {ABR_COUNT_MAX + 1, ABR_UNLIMITED - 1};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        for (int key = 0; key < 4; key++) {
            abr_opts o = ABR_OPTS_INIT;
            uint64_t *budgets[] = {&o.max.lines, &o.max.bytes, &o.max.chars, &o.max.tokens};
            *budgets[key] = wrong[i];
            expect_refused(&o, "budget");
        }
    }
    for (int key = 0; key < 4; key++) {
        abr_cut cut;
        abr_opts o = ABR_OPTS_INIT;
        uint64_t *budgets[] = {&o.max.lines, &o.max.bytes, &o.max.chars, &o.max.tokens};
        *budgets[key] = ABR_COUNT_MAX;
        EXPECT_CUT("abc", &o, "abc", &cut);
    }
}

static void numbers_out_of_range_are_refused(void)
{
    const double nan = strtod("nan", NULL);
    const double ratios[] = {-0.01, 1.01, nan};
    const double safeties[] = {0, -1, 1000.5, nan};
    for (size_t i = 0; i < sizeof ratios / sizeof *ratios; i++) {
        abr_opts o = ABR_OPTS_INIT;
        o.head_ratio = ratios[i];
        expect_refused(&o, "head_ratio");
    }
    for (size_t i = 0; i < sizeof safeties / sizeof *safeties; i++) {
        abr_opts o = ABR_OPTS_INIT;
        o.token_safety = safeties[i];
        expect_refused(&o, "token_safety");
    }
    abr_opts o = ABR_OPTS_INIT;
    o.strategy = (abr_strategy)99;
    expect_refused(&o, "strategy");
}

static void a_cut_may_be_freed_twice(void)
{
    abr_cut zeroed;
    memset(&zeroed, 0, sizeof zeroed);
    abr_cut_free(&zeroed);
    abr_cut cut;
    abr_opts o = opts_of(ABR_HEAD, 1, ABR_UNLIMITED);
    CHECK(abr_cut_text("a\nb", 3, &o, &cut, NULL) == ABR_OK);
    abr_cut_free(&cut);
    CHECK(cut.pieces == NULL);
    CHECK_COUNT(0, cut.piece_count);
    abr_cut_free(&cut);
}

/* ---- tokens ---- */

typedef struct {
    unsigned calls;
    unsigned fail_at; /* 0: never */
    size_t longest;
} counter;

static bool count_bytes(void *ctx, const char *p, size_t n, uint64_t *tokens)
{
    counter *c = ctx;
    (void)p;
    if (n > c->longest)
        c->longest = n;
    *tokens = n;
    return ++c->calls != c->fail_at;
}

static abr_opts token_opts(abr_strategy strategy, uint64_t tokens, counter *c)
{
    abr_opts o = ABR_OPTS_INIT;
    o.strategy = strategy;
    o.max.tokens = tokens;
    o.count_tokens = count_bytes;
    o.count_ctx = c;
    return o;
}

static void a_counter_is_taken_at_its_word(void)
{
    abr_cut cut;
    counter c = {0, 0, 0};
    abr_opts o = token_opts(ABR_TAIL, 4, &c);
    EXPECT_CUT("aaa\nbbb\n", &o, "bbb\n", &cut);
    CHECK(cut.truncated_by == ABR_BY_TOKENS);
    o.max.tokens = 3;
    EXPECT_CUT("aaa\nbbb\n", &o, "bb\n", &cut);
    o.max.tokens = 8;
    EXPECT_CUT("aaa\nbbb\n", &o, "aaa\nbbb\n", &cut);
    o.strategy = ABR_HEAD;
    o.max.tokens = 7;
    EXPECT_CUT("aaa\nbbb\n", &o, "aaa\nbbb", &cut);
    CHECK(cut.final_newline);
}

static void a_counter_is_asked_a_logarithm_of_times(void)
{
    enum { LINES = 100000 };
    char *text = malloc(2 * LINES);
    if (!text)
        exit(2);
    for (size_t i = 0; i < LINES; i++)
        memcpy(text + 2 * i, "x\n", 2);
    for (int strategy = ABR_HEAD; strategy <= ABR_HEAD_TAIL; strategy++) {
        counter c = {0, 0, 0};
        abr_opts o = token_opts((abr_strategy)strategy, LINES, &c);
        abr_cut cut;
        CHECK(abr_cut_text(text, 2 * LINES, &o, &cut, NULL) == ABR_OK);
        CHECK(cut.content_bytes <= LINES);
        CHECK(cut.content_bytes + 50 >= LINES);
        CHECK(c.calls <= 120);
        CHECK(c.longest <= ABR_BYTES_PER_TOKEN * (uint64_t)LINES);
        abr_cut_free(&cut);
    }
    free(text);
}

static void a_counter_that_fails_stops_the_cut(void)
{
    for (int strategy = ABR_HEAD; strategy <= ABR_HEAD_TAIL; strategy++) {
        unsigned fail_at = 0;
        abr_code code;
        do {
            counter c = {0, ++fail_at, 0};
            abr_opts o = token_opts((abr_strategy)strategy, 9, &c);
            abr_cut cut;
            abr_error error = {ABR_OK, NULL, 0};
            char *copy = exact("aaaa\nbbbb\ncccc\n", 15);
            code = abr_cut_text(copy, 15, &o, &cut, &error);
            if (code != ABR_OK) {
                CHECK(code == ABR_ECOUNT);
                CHECK(error.code == ABR_ECOUNT);
                CHECK_COUNT(fail_at, c.calls); /* not asked again */
                CHECK_COUNT(0, cut.piece_count);
            }
            abr_cut_free(&cut);
            free(copy);
        } while (code != ABR_OK && fail_at < 1000);
        CHECK(fail_at > 2 && fail_at < 1000);
    }
}

static void the_estimate_is_weighed_with_its_safety(void)
{
    abr_cut cut;
    abr_opts o = ABR_OPTS_INIT;
    const char *text = "one two six ten"; /* a word costs a little less than a token */
    CHECK_COUNT(4, abr_estimate_tokens(text, strlen(text)));
    CHECK_COUNT(3, abr_estimate_tokens(text, strlen("one two six ")));
    CHECK_COUNT(2, abr_estimate_tokens(text, strlen("one two ")));
    o.long_line = ABR_LONG_SPLIT;
    o.max.tokens = 4; /* three are weighed as 5, two as 3 */
    EXPECT_CUT(text, &o, "one two ", &cut);
    o.token_safety = 1;
    EXPECT_CUT(text, &o, text, &cut);
    o.token_safety = 4;
    EXPECT_CUT(text, &o, "one ", &cut);
}

static bool count_none(void *ctx, const char *p, size_t n, uint64_t *tokens)
{
    (void)ctx;
    (void)p;
    (void)n;
    *tokens = 0;
    return true;
}

static void a_token_budget_bounds_bytes(void)
{
    abr_cut cut;
    abr_opts o = ABR_OPTS_INIT;
    o.strategy = ABR_TAIL;
    o.max.tokens = 1;
    o.count_tokens = count_none;
    EXPECT_CUT("0123456789abcdefX", &o, "123456789abcdefX", &cut);
    CHECK(cut.truncated_by == ABR_BY_TOKENS);
    o.max.tokens = ABR_COUNT_MAX;
    EXPECT_CUT("0123456789abcdefX", &o, "0123456789abcdefX", &cut);
}

/* ---- long texts ---- */

static uint64_t naive_line_size(const char *p, size_t n, bool last)
{
    size_t body = n - (n > 0 && p[n - 1] == '\n');
    size_t from = 0;
    size_t end = 0;
    while (end < n && p[end] != '\n')
        end++;
    if (last)
        for (end = from = body; from > 0 && p[from - 1] != '\n'; from--)
            continue;
    return end - from;
}

/* Newlines at the edges of what is counted at once. */
static void a_long_line_is_told_with_its_size(void)
{
    enum { KB = 1024, MOST = 1024 * KB };
    static const size_t sizes[] = {64 * KB - 1,  64 * KB,      64 * KB + 1, 256 * KB,
                                   256 * KB + 1, 512 * KB - 1, 768 * KB,    MOST};
    static const size_t places[] = {0,        20,           64 * KB,      64 * KB + 1,  256 * KB - 1,
                                    256 * KB, 256 * KB + 1, 512 * KB - 2, 512 * KB - 1, 700 * KB};
    enum { SIZES = sizeof sizes / sizeof *sizes, PLACES = sizeof places / sizeof *places };
    char *whole = malloc(MOST);
    if (!whole)
        exit(2);
    for (unsigned which = 0; which < 1 << PLACES; which += 1 + (unsigned)pick(16)) {
        size_t n = sizes[pick(SIZES)];
        memset(whole, 'x', n);
        for (size_t i = 0; i < PLACES; i++)
            if (which >> i & 1 && places[i] < n)
                whole[places[i]] = '\n';
        if (pick(2) == 0)
            whole[n - 1] = '\n';
        for (int strategy = ABR_HEAD; strategy <= ABR_TAIL; strategy++) {
            abr_opts o = opts_of((abr_strategy)strategy, ABR_UNLIMITED, 10);
            uint64_t size = naive_line_size(whole, n, strategy == ABR_TAIL);
            abr_cut cut;
            if (pick(2) == 0)
                o.max.chars = 10;
            CHECK(abr_cut_text(whole, n, &o, &cut, NULL) == ABR_OK);
            CHECK_COUNT(size > 10 || (strategy == ABR_TAIL && size == 10 && whole[n - 1] == '\n') ? size : 0,
                        cut.line_bytes);
            CHECK_COUNT(abr_count_lines(whole, n), cut.total_lines);
            CHECK_COUNT(o.max.chars == 10 ? n : 0, cut.total_chars);
            abr_cut_free(&cut);
        }
    }
    free(whole);
}

/* Nothing of a line beyond what a budget lets through is looked at, once it was counted. */
static void only_the_ends_of_a_long_line_are_cut(void)
{
    enum { SIZE = 16 * 1024 * 1024, END = 1024 * 1024 };
    char *p = map_pages(SIZE);
    memset(p, 'x', END);
    memset(p + SIZE - END, 'x', END);
    forbid_pages(p + END, SIZE - 2 * END);
    const abr_edge all = {p, SIZE, true};
    const abr_view view = {.front = all,
                           .back = all,
                           .bytes = SIZE,
                           .lines = 1,
                           .chars = SIZE,
                           .invalid = ABR_UNLIMITED,
                           .first_line = SIZE,
                           .last_line = SIZE};
    for (int i = 0; i < 3 * 2 * 2 * 3; i++) {
        abr_opts o = opts_of((abr_strategy)(i % 3), 2000, ABR_UNLIMITED);
        o.long_line = i / 3 % 2 == 0 ? ABR_LONG_SPLIT : ABR_LONG_DEFAULT;
        o.snap = i / 6 % 2 == 0 ? ABR_SNAP_LINE : ABR_SNAP_CHAR;
        uint64_t *max[] = {&o.max.bytes, &o.max.chars, &o.max.tokens};
        static const abr_unit by[] = {ABR_BY_BYTES, ABR_BY_CHARS, ABR_BY_TOKENS};
        *max[i / 12] = 30000;
        abr_cut cut;
        CHECK(abr_cut_view(&view, &o, &cut, NULL) == ABR_OK);
        CHECK_COUNT(by[i / 12], cut.truncated_by);
        CHECK_COUNT(o.snap == ABR_SNAP_CHAR && i % 3 == ABR_HEAD_TAIL ? cut.line_bytes : SIZE,
                    cut.line_bytes);
        abr_cut_free(&cut);
    }
    unmap_pages(p, SIZE);
}

int main(void)
{
    RUN(default_options_are_those_of_the_macro);
    RUN(a_text_that_fits_is_one_piece_of_the_source);
    RUN(an_empty_text_has_no_piece);
    RUN(head_keeps_whole_lines_from_the_start);
    RUN(tail_keeps_whole_lines_from_the_end);
    RUN(a_long_line_is_omitted_or_split);
    RUN(a_final_newline_alone_is_no_truncation);
    RUN(invalid_bytes_cost_what_they_show_as);
    RUN(the_reserve_is_set_aside_only_when_cut);
    RUN(no_budget_is_ever_exceeded);
    RUN(budgets_out_of_range_are_refused);
    RUN(numbers_out_of_range_are_refused);
    RUN(a_cut_may_be_freed_twice);
    RUN(a_counter_is_taken_at_its_word);
    RUN(a_counter_is_asked_a_logarithm_of_times);
    RUN(a_counter_that_fails_stops_the_cut);
    RUN(the_estimate_is_weighed_with_its_safety);
    RUN(a_token_budget_bounds_bytes);
    RUN(a_long_line_is_told_with_its_size);
    RUN(only_the_ends_of_a_long_line_are_cut);
    return check_end();
}
