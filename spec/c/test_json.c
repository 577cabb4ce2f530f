/* Cuts of JSON: they parse, say what is left out, and are the same however the document comes. */
#include "check.h"

/* The content with a NUL. */
static char *text_of(const abr_cut *cut)
{
    char *text = malloc(cut->content_bytes + 1);
    if (!text)
        exit(2);
    abr_cut_write(cut, text);
    text[cut->content_bytes] = '\0';
    return text;
}

static abr_opts options(uint64_t bytes, abr_marker marker)
{
    abr_opts o = ABR_OPTS_INIT;
    o.strategy = ABR_AUTO;
    o.kind = ABR_KIND_JSON;
    o.max.bytes = bytes;
    o.marker = marker;
    return o;
}

static void check_cut(const char *want, const char *text, uint64_t bytes, abr_marker marker)
{
    const abr_opts o = options(bytes, marker);
    abr_cut cut;
    CHECK(abr_cut_text(text, strlen(text), &o, &cut, NULL) == ABR_OK);
    char *content = text_of(&cut);
    CHECK_TEXT(want, content, cut.content_bytes);
    CHECK(cut.kind == ABR_KIND_JSON);
    free(content);
    abr_cut_free(&cut);
}

static void what_is_left_out_is_told_where_it_was(void)
{
    const char *numbers = "[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19]";
    const char *members =
        "{\"a\":1,\"b\":2,\"c\":3,\"d\":4,\"e\":5,\"f\":6,\"g\":7,\"h\":8,\"i\":9,\"j\":10}";
    check_cut("[1,\"... 17 of 19 elements omitted ...\",19]", numbers, 42, ABR_MARKER_INSIDE);
    check_cut("[1,2,18,19]", numbers, 11, ABR_MARKER_NONE);
    check_cut("{\"a\":1,\"...\": \"... 9 of 10 members omitted ...\"}", members, 50, ABR_MARKER_INSIDE);
}

static void little_room_shows_brackets_and_less_nothing(void)
{
    const char *const texts[] = {" [1,2,3,4]\n", "{\"a\":1,\"b\":[2,3]}", "\"some text\""};
    const char *const empty[] = {"[]", "{}", "\"\""};
    for (size_t i = 0; i < 3; i++) {
        check_cut("", texts[i], 0, ABR_MARKER_INSIDE);
        check_cut("", texts[i], 1, ABR_MARKER_INSIDE);
        check_cut(empty[i], texts[i], 2, ABR_MARKER_INSIDE);
        check_cut(empty[i], texts[i], 3, ABR_MARKER_INSIDE);
    }
}

static void a_marker_has_a_key_of_its_own(void)
{
    check_cut("{\"...\":1,\"....\": \"... 5 of 6 members omitted ...\"}",
              "{\"...\":1,\"a\":2,\"b\":3,\"c\":\"a long text that does not fit "
              "here\",\"d\":4,\"e\":\"another one\"}",
              52, ABR_MARKER_INSIDE);
}

static void a_pair_of_escapes_is_one_char(void)
{
    enum { PAIRS = 400, ESCAPES = 12 };
    char text[PAIRS * ESCAPES + 3] = "\"";
    for (size_t i = 0; i < PAIRS; i++)
        memcpy(text + 1 + i * ESCAPES, "\\ud83d\\ude00", ESCAPES);
    text[PAIRS * ESCAPES + 1] = '"';
    const abr_opts o = options(300, ABR_MARKER_INSIDE);
    abr_cut cut;
    CHECK(abr_cut_text(text, sizeof text - 1, &o, &cut, NULL) == ABR_OK);
    CHECK_COUNT(1, cut.item_count);
    CHECK(cut.items[0].unit == ABR_ITEM_CHARS);
    CHECK_COUNT(PAIRS, cut.items[0].total);
    size_t shown = 0;
    for (size_t i = 0; i < cut.piece_count; i++)
        shown += cut.pieces[i].source ? cut.pieces[i].n : 0;
    CHECK_COUNT(cut.items[0].kept * ESCAPES + 2, shown);
    abr_cut_free(&cut);
}

/* ---- documents that are long ---- */

enum { RECORDS = 30000, RECORD_MOST = 96 };

/* Records, one of which failed. */
static char *records(size_t failed, size_t *n)
{
    char *text = malloc((size_t)RECORDS * RECORD_MOST + 64);
    if (!text)
        exit(2);
    *n = (size_t)sprintf(text, "{\"total\": %d, \"items\": [", RECORDS);
    for (size_t i = 0; i < RECORDS; i++)
        *n += (size_t)sprintf(text + *n, "%s\n  {\"id\": %zu, \"status\": \"%s\", \"name\": \"job-%zu\"}",
                              i > 0 ? "," : "", i, i == failed ? "failed" : "done", i * 7);
    *n += (size_t)sprintf(text + *n, "\n]}\n");
    return text;
}

static void the_element_in_trouble_is_shown_with_both_ends(void)
{
    size_t n;
    char *text = records(17011, &n);
    const abr_opts o = options(2048, ABR_MARKER_INSIDE);
    abr_cut cut;
    CHECK(abr_cut_text(text, n, &o, &cut, NULL) == ABR_OK);
    char *content = text_of(&cut);
    CHECK(strstr(content, "{\"id\": 17011, \"status\": \"failed\", \"name\": \"job-119077\"}") != NULL);
    CHECK(strstr(content, "{\"id\": 0, ") != NULL && strstr(content, "{\"id\": 29999, ") != NULL);
    CHECK(strstr(content, "\"total\": 30000") != NULL);
    CHECK(cut.content_bytes <= 2048 && cut.content_bytes > 2048 * 9 / 10);
    CHECK(abr_tell(content, cut.content_bytes) == ABR_KIND_JSON);
    CHECK_COUNT(1, cut.item_count);
    CHECK_COUNT(RECORDS, cut.items[0].total);
    CHECK_BYTES("/items", (size_t)6, cut.items[0].of, cut.items[0].of_len);
    free(content);
    abr_cut_free(&cut);
    free(text);
}

static void check_stream(const char *text, size_t n, const abr_cut *want, uint64_t bytes, uint64_t lowered,
                         size_t chunk)
{
    abr_opts o = options(bytes, ABR_MARKER_INSIDE);
    const abr_narrow narrow = {.max = {ABR_UNLIMITED, lowered, ABR_UNLIMITED, ABR_UNLIMITED}};
    abr_stream *stream;
    abr_cut cut;
    CHECK(abr_stream_open(&o, NULL, NULL, &stream, NULL) == ABR_OK);
    for (size_t i = 0; i < n; i += chunk)
        CHECK(abr_stream_write(stream, text + i, n - i < chunk ? n - i : chunk) == ABR_OK);
    CHECK(abr_stream_finish(stream, &narrow, &cut, NULL) == ABR_OK);
    char *one = text_of(want);
    char *other = text_of(&cut);
    CHECK_BYTES(one, want->content_bytes, other, cut.content_bytes);
    CHECK_COUNT(want->piece_count, cut.piece_count);
    CHECK_COUNT(want->item_count, cut.item_count);
    free(one);
    free(other);
    abr_cut_free(&cut);
    abr_stream_close(stream);
}

static void chunks_and_lowered_budgets_give_the_same(void)
{
    static const size_t chunks[] = {1, 7, 1000, 4096, 65537, 1 << 20};
    static const uint64_t budgets[] = {2, 100, 1000, 8192, 40000};
    size_t n;
    char *text = records(29, &n);
    for (size_t b = 0; b < sizeof budgets / sizeof *budgets; b++) {
        const abr_opts o = options(budgets[b], ABR_MARKER_INSIDE);
        abr_cut cut;
        CHECK(abr_cut_text(text, n, &o, &cut, NULL) == ABR_OK);
        for (size_t c = 0; c < sizeof chunks / sizeof *chunks; c++)
            check_stream(text, n, &cut, budgets[b] + (c % 2) * 50000, budgets[b], chunks[c]);
        abr_cut_free(&cut);
    }
    free(text);
}

static void ten_million_brackets_are_text(void)
{
    enum { BRACKETS = 10000000 };
    char *text = malloc(BRACKETS);
    if (!text)
        exit(2);
    memset(text, '[', BRACKETS);
    const abr_opts o = options(1000, ABR_MARKER_INSIDE);
    abr_cut cut;
    CHECK(abr_cut_text(text, BRACKETS, &o, &cut, NULL) == ABR_OK);
    CHECK(cut.kind == ABR_KIND_TEXT);
    abr_cut_free(&cut);
    free(text);
}

static void what_is_deeper_than_200_is_not_shown(void)
{
    enum { DEPTH = 100000 };
    char *text = malloc(2 * DEPTH);
    if (!text)
        exit(2);
    memset(text, '[', DEPTH);
    memset(text + DEPTH, ']', DEPTH);
    const abr_opts o = options(8192, ABR_MARKER_INSIDE);
    abr_cut cut;
    CHECK(abr_cut_text(text, (size_t)2 * DEPTH, &o, &cut, NULL) == ABR_OK);
    char *content = text_of(&cut);
    CHECK(cut.kind == ABR_KIND_JSON);
    CHECK_COUNT(200, strspn(content, "["));
    CHECK(strncmp(content + 200, "\"... 1 of 1 elements omitted ...\"]", 34) == 0);
    free(content);
    abr_cut_free(&cut);
    free(text);
}

int main(void)
{
    RUN(what_is_left_out_is_told_where_it_was);
    RUN(little_room_shows_brackets_and_less_nothing);
    RUN(a_marker_has_a_key_of_its_own);
    RUN(a_pair_of_escapes_is_one_char);
    RUN(the_element_in_trouble_is_shown_with_both_ends);
    RUN(chunks_and_lowered_budgets_give_the_same);
    RUN(ten_million_brackets_are_text);
    RUN(what_is_deeper_than_200_is_not_shown);
    return check_end();
}
