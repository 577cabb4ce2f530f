/* The two stages of the pipeline document. */
#include "check.h"

static char *numbered(size_t lines, size_t *n)
{
    char *text = malloc(lines * 8 + 1);
    if (!text)
        exit(2);
    *n = 0;
    for (size_t i = 1; i <= lines; i++)
        *n += (size_t)snprintf(text + *n, 9, "line%zu\n", i % 1000);
    return text;
}

static abr_opts pipeline(void)
{
    abr_opts o = ABR_OPTS_INIT;
    o.strategy = ABR_PIPELINE;
    return o;
}

static void expect_pipeline(const char *text, size_t n, const abr_opts *o, const char *want, abr_cut *cut,
                            int line)
{
    char *copy = exact(text, n);
    if (check_that(abr_cut_text(copy, n, o, cut, NULL) == ABR_OK, "abr_cut_text", __FILE__, line)) {
        char *content = content_of(cut);
        check_text(want, strlen(want), content, cut->content_bytes, "content", __FILE__, line);
        check_that(cut->output_bytes + cut->omitted_bytes == cut->total_bytes, "bytes add up", __FILE__,
                   line);
        check_that(cut->output_lines + cut->omitted_lines == cut->total_lines, "lines add up", __FILE__,
                   line);
        free(content);
    }
    abr_cut_free(cut);
    free(copy);
}

#define EXPECT(text, o, want, cut) expect_pipeline((text), strlen(text), (o), (want), (cut), __LINE__)

static void a_text_within_both_limits_is_whole(void)
{
    abr_cut cut;
    abr_opts o = pipeline();
    o.max.chars = 4;
    o.max.lines = 2;
    EXPECT("a\nb\n", &o, "a\nb\n", &cut);
    CHECK(!cut.truncated && cut.strategy == ABR_PIPELINE);
    EXPECT("", &o, "", &cut);
    CHECK_COUNT(0, cut.piece_count);
    CHECK(abr_cut_text(NULL, 0, &o, &cut, NULL) == ABR_OK);
    abr_cut_free(&cut);
    abr_cut_free(&cut);
}

static void the_first_stage_is_the_formula(void)
{
    abr_cut cut;
    abr_opts o = pipeline();
    o.max.chars = 10;
    EXPECT("abcdefghijklmno", &o, "abc\n\n... [5 characters truncated] ...\n\nijklmno", &cut);
    CHECK(cut.truncated && cut.truncated_by == ABR_BY_CHARS && cut.last_line_partial);
    CHECK_COUNT(15, cut.total_chars);
    CHECK_COUNT(10, cut.output_chars);
    o.max.chars = 0;
    EXPECT("ab", &o, "\n\n... [2 characters truncated] ...\n\n", &cut);
}

static void five_hundred_lines_to_a_hundred_omit_four_hundred(void)
{
    size_t n;
    char *text = numbered(500, &n);
    abr_cut cut;
    abr_opts o = pipeline();
    o.max.lines = 100;
    CHECK(abr_cut_text(text, n, &o, &cut, NULL) == ABR_OK);
    CHECK_COUNT(400, cut.omitted_lines);
    CHECK_COUNT(100, cut.output_lines);
    CHECK(cut.truncated_by == ABR_BY_LINES);
    CHECK_COUNT(3, cut.piece_count);
    CHECK_TEXT("\n\n... [400 lines truncated] ...\n\n", cut.pieces[1].p, cut.pieces[1].n);
    CHECK_COUNT(30, cut.pieces[0].last_line);
    CHECK_COUNT(431, cut.pieces[2].first_line);
    abr_cut_free(&cut);
    free(text);
}

static void indicators_are_headings(void)
{
    abr_cut cut;
    abr_opts o = pipeline();
    o.max.lines = 3;
    o.head_ratio = 0.5;
    o.indicators = true;
    EXPECT("1\n2\n3\n4\n5\n", &o,
           "[First 1 lines of 5]\n1\n\n... [2 lines truncated] ...\n\n"
           "[Last 2 lines of 5]\n4\n5\n",
           &cut);
}

static void both_stages_count_the_original(void)
{
    abr_cut cut;
    abr_opts o = pipeline();
    o.max.chars = 20;
    o.max.lines = 4;
    o.head_ratio = 0.5;
    /* stage 1 leaves 1 to 5, its marker, and 16 to 20; stage 2 keeps 1, 2 and 19, 20 */
    EXPECT("a\nb\nc\nd\ne\nf\ng\nh\ni\nj\nk\nl\nm\nn\no\np\n", &o,
           "a\nb\n\n... [12 lines truncated] ...\n\no\np\n", &cut);
    CHECK_COUNT(16, cut.total_lines);
    CHECK_COUNT(12, cut.omitted_lines);
    CHECK(cut.truncated_by == ABR_BY_LINES);
}

static void every_limit_in_exact_blocks(void)
{
    enum { TEXT = 40 };
    char text[TEXT];
    for (size_t n = 0; n <= TEXT; n++) {
        random_text(text, n);
        char *copy = exact(text, n);
        for (uint64_t chars = 0; chars <= n + 1; chars++) {
            for (uint64_t lines = 0; lines < 9; lines++) {
                abr_cut cut;
                abr_opts o = pipeline();
                o.max.chars = chars;
                o.max.lines = lines;
                o.head_ratio = (double)pick(5) / 4;
                o.indicators = pick(2) == 0;
                if (!CHECK(abr_cut_text(copy, n, &o, &cut, NULL) == ABR_OK))
                    continue;
                uint64_t kept = 0;
                uint64_t last = 0;
                for (size_t i = 0; i < cut.piece_count; i++) {
                    const abr_piece *piece = &cut.pieces[i];
                    CHECK(piece->n > 0);
                    if (!piece->source)
                        continue;
                    CHECK(piece->first_byte > last);
                    CHECK(piece->p == copy + piece->first_byte - 1);
                    CHECK_COUNT(piece->n, piece->last_byte - piece->first_byte + 1);
                    last = piece->last_byte;
                    kept += piece->n;
                }
                CHECK_COUNT(cut.output_bytes, kept);
                CHECK(cut.output_lines <= cut.total_lines);
                CHECK(cut.output_chars <= chars);
                free(content_of(&cut));
                abr_cut_free(&cut);
            }
        }
        free(copy);
    }
}

static void a_ratio_out_of_range_is_refused(void)
{
    abr_cut cut;
    abr_error error = {ABR_OK, NULL, 0};
    abr_opts o = pipeline();
    o.head_ratio = 1.5;
    CHECK(abr_cut_text("a", 1, &o, &cut, &error) == ABR_EINVAL);
    CHECK(error.message && strstr(error.message, "head_ratio"));
    abr_cut_free(&cut);
}

int main(void)
{
    RUN(a_text_within_both_limits_is_whole);
    RUN(the_first_stage_is_the_formula);
    RUN(five_hundred_lines_to_a_hundred_omit_four_hundred);
    RUN(indicators_are_headings);
    RUN(both_stages_count_the_original);
    RUN(every_limit_in_exact_blocks);
    RUN(a_ratio_out_of_range_is_refused);
    return check_end();
}
