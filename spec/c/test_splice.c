/* Splices: values found, replaced, removed and inserted, and every other byte as it came. */
#include "ledger.h"

enum { EDITS = 8 };

static abr_edit edit_of(abr_edit_act act, const char *pointer, const char *json)
{
    return (abr_edit){.act = act,
                      .pointer = pointer,
                      .pointer_len = strlen(pointer),
                      .json = json,
                      .json_len = json ? strlen(json) : 0};
}

static abr_edit look(const char *pointer)
{
    return edit_of(ABR_EDIT_LOOK, pointer, NULL);
}

static abr_edit put(const char *pointer, const char *json)
{
    return edit_of(ABR_EDIT_REPLACE, pointer, json);
}

static abr_edit drop(const char *pointer)
{
    return edit_of(ABR_EDIT_REMOVE, pointer, NULL);
}

static abr_edit add(const char *pointer, const char *json)
{
    return edit_of(ABR_EDIT_INSERT, pointer, json);
}

/* Splice a text by edits, up to the first without a pointer, and compare. */
static void expect_splice(const char *text, const abr_edit *edits, const char *want, int line)
{
    abr_edit own[EDITS];
    size_t count = 0;
    for (; count < EDITS && edits[count].pointer; count++)
        own[count] = edits[count];
    char *copy = exact(text, strlen(text));
    abr_splice *splice;
    abr_error error = {ABR_OK, "", 0};
    const abr_code code = abr_splice_open(copy, strlen(text), own, count, NULL, &splice, &error);
    if (check_that(code == ABR_OK, error.message, __FILE__, line)) {
        const size_t n = abr_splice_size(splice);
        char *got = malloc(n + 1);
        abr_splice_write(splice, got);
        check_text(want, strlen(want), got, n, text, __FILE__, line);
        free(got);
    }
    abr_splice_close(splice);
    free(copy);
}

#define EXPECT(text, want, ...) expect_splice((text), (abr_edit[EDITS]){__VA_ARGS__}, (want), __LINE__)

static void expect_failure(const char *text, const abr_edit *edits, abr_code want, size_t position, int line)
{
    abr_edit own[EDITS];
    size_t count = 0;
    for (; count < EDITS && edits[count].pointer; count++)
        own[count] = edits[count];
    abr_splice *splice;
    abr_error error = {ABR_OK, "", 0};
    const abr_code code = abr_splice_open(text, strlen(text), own, count, NULL, &splice, &error);
    check_count(want, code, text, __FILE__, line);
    check_count(position, error.position, text, __FILE__, line);
    check_that(splice == NULL, "no splice", __FILE__, line);
    abr_splice_close(splice);
}

#define FAILS(text, code, position, ...)                                                                     \
    expect_failure((text), (abr_edit[EDITS]){__VA_ARGS__}, (code), (position), __LINE__)

/* ---- what is done ---- */

static void nothing_changes_without_an_edit(void)
{
    EXPECT(" {\"a\" : [1.50, 12345678901234567, {}, [ ]]}\n",
           " {\"a\" : [1.50, 12345678901234567, {}, [ ]]}\n", look("/a/0"));
    EXPECT("7", "7", look(""));
}

static void a_value_is_replaced(void)
{
    EXPECT("{\"a\": 1 , \"b\":[]}", "{\"a\": [2] , \"b\":[]}", put("/a", "[2]"));
    EXPECT("[1, [2, 3 ], 4]", "[1, [2, \"x\" ], 4]", put("/1/1", "\"x\""));
    EXPECT("[1,2,3]", "[9,2,8]", put("/2", "8"), put("/0", "9"));
    EXPECT(" {\"a\":{}} ", " 5 ", put("", "5"));
    EXPECT("12", "[1]", put("", "[1]"));
    EXPECT("{\"a/b\":{\"~\":1},\"\":2}", "{\"a/b\":{\"~\":3},\"\":4}", put("/a~1b/~0", "3"), put("/", "4"));
    EXPECT("{\"\\u0061\":1,\"\\ud83d\\ude00\":2}", "{\"\\u0061\":3,\"\\ud83d\\ude00\":4}", put("/a", "3"),
           put("/\xF0\x9F\x98\x80", "4"));
}

static void an_element_goes_with_one_comma(void)
{
    EXPECT("[1, 2, 3]", "[2, 3]", drop("/0"));
    EXPECT("[1, 2, 3]", "[1, 3]", drop("/1"));
    EXPECT("[1, 2, 3 ]", "[1, 2 ]", drop("/2"));
    EXPECT("[1, 2, 3 ]", "[3 ]", drop("/0"), drop("/1"));
    EXPECT("[1, 2, 3 ]", "[1 ]", drop("/1"), drop("/2"));
    EXPECT("[1, 2, 3 ]", "[2 ]", drop("/2"), drop("/0"));
    EXPECT("[ 1 , 2, 3 ]", "[  ]", drop("/2"), drop("/0"), drop("/1"));
    EXPECT("{\"a\":1, \"b\":{}, \"c\":3}", "{\"b\":{}, \"c\":3}", drop("/a"));
    EXPECT("{\"a\":1, \"b\":{}, \"c\":3}", "{\"a\":1, \"c\":3}", drop("/b"));
    EXPECT("{\"a\":1, \"b\":{}, \"c\":3}", "{\"a\":1}", drop("/b"), drop("/c"));
}

static void something_is_inserted(void)
{
    EXPECT("[]", "[1]", add("/0", "1"));
    EXPECT("[ ]", "[1,2 ]", add("/-", "1"), add("/-", "2"));
    EXPECT("[1, 2]", "[0,1, 2]", add("/0", "0"));
    EXPECT("[1, 2]", "[1, 0,9,2]", add("/1", "0"), add("/1", "9"));
    EXPECT("[1, 2 ]", "[1, 2,3 ]", add("/2", "3"));
    EXPECT("[1, 2 ]", "[3 ]", add("/2", "3"), drop("/0"), drop("/1"));
    EXPECT("[1, 2, 3]", "[0,2, 3]", drop("/0"), add("/1", "0"));
    EXPECT("[1, 2]", "[1, 0,5]", add("/1", "0"), put("/1", "5"));
    EXPECT("{}", "{\"a\":1}", add("/a", "1"));
    EXPECT("{\"a\":1 }", "{\"a\":1,\"b\":2,\"c\":3 }", add("/b", "2"), add("/c", "3"));
    EXPECT("{\"a\":1}", "{\"b\":2}", add("/b", "2"), drop("/a"));
    EXPECT("{\"a\":1}", "{\"a\":2}", add("/a", "2"));
    EXPECT("{\"a\":[{}]}", "{\"a\":[{\"q\\\"\\\\\\u000a\":null}]}", add("/a/0/q\"\\\n", "null"));
}

static void a_value_is_found_where_it_stands(void)
{
    const char *text = "{\"id\": \"7\", \"r\":[true, -1e5,{\"k\":null}] }";
    abr_edit edits[] = {look("/id"),  look("/r/1"),  look("/r/2/k"), look("/r"),
                        look("/r/9"), look("/id/0"), look("")};
    const char *want[] = {"\"7\"", "-1e5", "null", "[true, -1e5,{\"k\":null}]", "", "", text};
    const abr_spliced_type types[] = {ABR_SPLICED_STRING, ABR_SPLICED_NUMBER, ABR_SPLICED_NULL,
                                      ABR_SPLICED_ARRAY,  ABR_SPLICED_NONE,   ABR_SPLICED_NONE,
                                      ABR_SPLICED_OBJECT};
    abr_splice *splice;
    CHECK(abr_splice_open(text, strlen(text), edits, 7, NULL, &splice, NULL) == ABR_OK);
    for (size_t i = 0; i < 7; i++) {
        CHECK_TEXT(want[i], text + edits[i].found.at, edits[i].found.n);
        CHECK(edits[i].found.type == types[i]);
    }
    CHECK_TEXT("k", text + edits[2].found.name_at, edits[2].found.name_len);
    CHECK_COUNT(0, edits[1].found.name_len);
    abr_splice_close(splice);
}

/* ---- what is refused ---- */

static void what_is_no_json_is_refused(void)
{
    FAILS("", ABR_EJSON, 0, look(""));
    FAILS("{\"a\":}", ABR_EJSON, 6, look(""));
    FAILS("[1", ABR_EJSON, 2, look(""));
    FAILS("[1] 2", ABR_EJSON, 5, look(""));
    FAILS("-", ABR_EJSON, 1, look(""));
    FAILS("\"\xFF\"", ABR_EJSON, 2, look(""));
}

static void a_name_on_the_way_stands_once(void)
{
    FAILS("{\"a\":1,\"b\":2,\"a\":3}", ABR_EJSON, 14, look("/a"));
    FAILS("{\"a\":{\"b\":1},\"\\u0061\":{}}", ABR_EJSON, 14, look("/a/b"), look("/c"));
    EXPECT("{\"a\":1,\"b\":2,\"a\":3}", "{\"a\":1,\"b\":4,\"a\":3}", put("/b", "4"));
    EXPECT("[{\"a\":1},{\"a\":1}]", "[{\"a\":2},{\"a\":3}]", put("/0/a", "2"), put("/1/a", "3"));
}

static void an_edit_that_cannot_be_is_refused(void)
{
    FAILS("[1]", ABR_EPOINTER, 2, look("/0"), put("/1", "1"));
    FAILS("[1]", ABR_EPOINTER, 1, drop("/-"));
    FAILS("[1]", ABR_EPOINTER, 1, add("/2", "1"));
    FAILS("[1]", ABR_EPOINTER, 1, put("/00", "1"));
    FAILS("{\"a\":1}", ABR_EPOINTER, 1, add("/b/c", "1"));
    FAILS("{\"a\":1}", ABR_EPOINTER, 1, look("a"));
    FAILS("{\"a\":1}", ABR_EPOINTER, 2, look(""), look("/~2"));
    FAILS("{\"a\":1}", ABR_EPOINTER, 1, look("/~#0"));
    FAILS("[1]", ABR_EINVAL, 1, put("/0", "1,2"));
    FAILS("[1]", ABR_EINVAL, 1, add("/0", ""));
    FAILS("[1]", ABR_EINVAL, 1, drop(""));
    FAILS("{}", ABR_EINVAL, 1, add("/\xFF", "1"));
    FAILS("[1]", ABR_EINVAL, 2, put("/0", "1"), drop("/0"));
    FAILS("[1]", ABR_EINVAL, 2, add("/0", "1"), drop("/0"));
    FAILS("[1]", ABR_EINVAL, 1, drop("/0"), add("/0", "1"));
    FAILS("{\"a\":1}", ABR_EINVAL, 2, add("/b", "1"), add("/b", "2"));
    FAILS("[[1]]", ABR_EINVAL, 1, put("/0", "1"), put("/0/0", "2"));
    FAILS("[[1],2]", ABR_EINVAL, 2, add("/0/-", "2"), drop("/0"));
}

/* ---- lists and texts ---- */

static void values_are_listed(void)
{
    const char *text = " {\"a\": 1, \"b\" :[2, {\"x\":3}],\"\":null}";
    abr_spliced list[3];
    size_t count;
    CHECK(abr_list_values(text, strlen(text), list, 3, NULL, &count, NULL) == ABR_OK);
    CHECK_COUNT(3, count);
    CHECK_TEXT("b", text + list[1].name_at, list[1].name_len);
    CHECK_TEXT("[2, {\"x\":3}]", text + list[1].at, list[1].n);
    CHECK(list[0].type == ABR_SPLICED_NUMBER && list[1].type == ABR_SPLICED_ARRAY &&
          list[2].type == ABR_SPLICED_NULL);
    CHECK(abr_list_values("[[],[1,[2]],\"s\",4]", 18, list, 1, NULL, &count, NULL) == ABR_OK);
    CHECK_COUNT(4, count);
    CHECK(list[0].type == ABR_SPLICED_ARRAY && list[0].n == 2 && list[0].name_len == 0);
    CHECK(abr_list_values("[]", 2, NULL, 0, NULL, &count, NULL) == ABR_OK && count == 0);
    CHECK(abr_list_values("\"[1]\"", 5, NULL, 0, NULL, &count, NULL) == ABR_OK && count == 0);
    CHECK(abr_list_values("[1,]", 4, NULL, 0, NULL, &count, NULL) == ABR_EJSON && count == 0);
}

static void a_text_is_decoded_in_pieces(void)
{
    static const char text[] = "one\\n\\ud83d\\ude00\\ud83d \xC3\xA9\\u00e9\\\\\\/ \\\" and on\\t";
    static const char want[] = "one\n\xF0\x9F\x98\x80\xEF\xBF\xBD \xC3\xA9\xC3\xA9\\/ \" and on\t";
    for (size_t room = 12; room < sizeof text; room++) {
        char got[sizeof text];
        size_t n = 0;
        for (size_t at = 0; at < sizeof text - 1;) {
            const size_t size = abr_decode_value(text, sizeof text - 1, &at, got + n, room);
            CHECK(size > 0 && size <= room);
            n += size;
        }
        CHECK_BYTES(want, sizeof want - 1, got, n);
    }
}

static void what_is_no_string_is_decoded_all_the_same(void)
{
    static const char *const texts[] = {
        "\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80", "0123456789\\",
        "0123456789ab\\u12", "01234567\xF0\x9F\x98", "\\ud83d\\u"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        const size_t n = strlen(texts[i]);
        char *text = exact(texts[i], n);
        char got[12];
        size_t at = 0;
        for (size_t calls = 0; at < n && CHECK(calls < 9); calls++)
            CHECK(abr_decode_value(text, n, &at, got, sizeof got) <= sizeof got);
        free(text);
    }
}

/* ---- memory and time ---- */

static void any_allocation_may_fail(void)
{
    char text[900];
    size_t n = 0;
    for (; n < 400; n++)
        text[n] = '[';
    for (; n < 800; n++)
        text[n] = ']';
    for (size_t fail_at = 1; fail_at < 100; fail_at++) {
        ledger l = {.fail_at = fail_at};
        const abr_alloc alloc = ledger_alloc(&l);
        abr_edit edits[] = {put("/0/0", "[1]"), look("/0")};
        abr_splice *splice;
        size_t count;
        abr_code code = abr_splice_open(text, n, edits, 2, &alloc, &splice, NULL);
        CHECK(code == (l.calls < fail_at ? ABR_OK : ABR_ENOMEM) && (splice != NULL) == (code == ABR_OK));
        abr_splice_close(splice);
        const size_t before = l.calls;
        code = abr_list_values(text, n, NULL, 0, &alloc, &count, NULL);
        CHECK(code == (l.calls < fail_at || before >= fail_at ? ABR_OK : ABR_ENOMEM));
        CHECK_COUNT(0, l.blocks);
        if (l.calls < fail_at)
            return;
    }
    CHECK(false);
}

static void depth_is_bounded(void)
{
    enum { LEVELS = 1 << 20 };
    char *text = malloc(2 * LEVELS + 2);
    memset(text, '[', LEVELS + 1);
    memset(text + LEVELS + 1, ']', LEVELS + 1);
    size_t count;
    abr_error error = {ABR_OK, "", 0};
    CHECK(abr_list_values(text + 1, 2 * LEVELS, NULL, 0, NULL, &count, &error) == ABR_OK && count == 1);
    CHECK(abr_list_values(text, 2 * LEVELS + 2, NULL, 0, NULL, &count, &error) == ABR_EJSON);
    CHECK_COUNT(LEVELS + 1, error.position);
    free(text);
}

static void many_edits_take_one_pass(void)
{
    enum { COUNT = 20000, EACH = 12 };
    char *text = malloc(COUNT * 6 + 2);
    char *names = malloc(COUNT * EACH);
    abr_edit *edits = calloc(COUNT, sizeof *edits);
    size_t n = 0;
    text[n++] = '[';
    for (size_t i = 0; i < COUNT; i++) {
        n += (size_t)sprintf(text + n, "%s[1]", i > 0 ? "," : "");
        sprintf(names + i * EACH, "/%u/0", (unsigned)i);
        edits[i] = i % 2 ? put(names + i * EACH, "\"x\"") : add(names + i * EACH, "0");
    }
    text[n++] = ']';
    abr_splice *splice;
    CHECK(abr_splice_open(text, n, edits, COUNT, NULL, &splice, NULL) == ABR_OK);
    CHECK_COUNT(n + COUNT * 2, abr_splice_size(splice));
    abr_splice_close(splice);
    free(edits);
    free(names);
    free(text);
}

int main(void)
{
    RUN(nothing_changes_without_an_edit);
    RUN(a_value_is_replaced);
    RUN(an_element_goes_with_one_comma);
    RUN(something_is_inserted);
    RUN(a_value_is_found_where_it_stands);
    RUN(what_is_no_json_is_refused);
    RUN(a_name_on_the_way_stands_once);
    RUN(an_edit_that_cannot_be_is_refused);
    RUN(values_are_listed);
    RUN(a_text_is_decoded_in_pieces);
    RUN(what_is_no_string_is_decoded_all_the_same);
    RUN(any_allocation_may_fail);
    RUN(depth_is_bounded);
    RUN(many_edits_take_one_pass);
    return check_end();
}
