/* The truncation block's JSON. */
#include "check.h"

static void expect_json(const abr_info *info, const char *want, int line)
{
    size_t n = abr_info_json(info, NULL, 0);
    check_count(strlen(want), n, "measured", __FILE__, line);
    char *json = malloc(n);
    if (!json)
        exit(2);
    check_count(n, abr_info_json(info, json, n), "written", __FILE__, line);
    check_text(want, strlen(want), json, n, "json", __FILE__, line);
    free(json);
    for (size_t cap = 0; cap < n; cap++) { /* never past what there is room for */
        char *small = malloc(cap);
        if (!small && cap > 0)
            exit(2);
        check_count(n, abr_info_json(info, small, cap), "needed", __FILE__, line);
        free(small);
    }
}

#define EXPECT_JSON(info, want) expect_json((info), (want), __LINE__)

static void the_three_shapes(void)
{
    abr_info info = {.bytes_returned = 5, .bytes_total = 5, .next_offset = ABR_UNLIMITED};
    EXPECT_JSON(&info,
                "{\"truncated\":false,\"bytes_returned\":5,\"bytes_total\":5,\"reason\":\"size_cap\"}");
    info.truncated = true;
    info.bytes_total = ABR_UNLIMITED;
    info.reason = ABR_ITEM_CAP;
    EXPECT_JSON(&info, "{\"truncated\":true,\"bytes_returned\":5,\"reason\":\"item_cap\"}");
    info.bytes_total = 100;
    info.next_offset = 6;
    info.resume_hint = "offset=6";
    info.resume_hint_len = 8;
    info.reason = ABR_LINE_CAP;
    EXPECT_JSON(&info, "{\"truncated\":true,\"bytes_returned\":5,\"bytes_total\":100,\"next_offset\":6,"
                       "\"resume_hint\":\"offset=6\",\"reason\":\"line_cap\"}");
}

/* The block of a cut by these budgets of "one\ntwo\n". */
static abr_info block_of(uint64_t lines, uint64_t bytes)
{
    static const char text[] = "one\ntwo\n";
    abr_opts o = ABR_OPTS_INIT;
    o.max.lines = lines;
    o.max.bytes = bytes;
    abr_cut cut;
    CHECK(abr_cut_text(text, sizeof text - 1, &o, &cut, NULL) == ABR_OK);
    abr_info info = {.resume_hint = text, .resume_hint_len = 3}; /* whatever was there */
    abr_info_from_cut(&cut, &info);
    abr_cut_free(&cut);
    return info;
}

static void of_a_cut(void)
{
    const abr_info whole = block_of(ABR_UNLIMITED, ABR_UNLIMITED);
    EXPECT_JSON(&whole,
                "{\"truncated\":false,\"bytes_returned\":8,\"bytes_total\":8,\"reason\":\"size_cap\"}");
    const abr_info but_a_newline = block_of(ABR_UNLIMITED, 7);
    EXPECT_JSON(&but_a_newline,
                "{\"truncated\":false,\"bytes_returned\":7,\"bytes_total\":7,\"reason\":\"size_cap\"}");
    const abr_info by_lines = block_of(1, ABR_UNLIMITED);
    EXPECT_JSON(&by_lines,
                "{\"truncated\":true,\"bytes_returned\":3,\"bytes_total\":8,\"reason\":\"line_cap\"}");
    const abr_info by_bytes = block_of(ABR_UNLIMITED, 6);
    EXPECT_JSON(&by_bytes,
                "{\"truncated\":true,\"bytes_returned\":3,\"bytes_total\":8,\"reason\":\"size_cap\"}");
}

static void counts_are_exact_to_2_53(void)
{
    abr_info info = {.bytes_returned = 0,
                     .bytes_total = ABR_COUNT_MAX,
                     .next_offset = ABR_COUNT_MAX - 1,
                     .resume_hint = "",
                     .reason = ABR_EXEC_BUDGET};
    EXPECT_JSON(&info, "{\"truncated\":false,\"bytes_returned\":0,\"bytes_total\":9007199254740992,"
                       "\"next_offset\":9007199254740991,\"resume_hint\":\"\",\"reason\":\"exec_budget\"}");
}

static void any_bytes_of_a_hint_are_valid_json(void)
{
    static const char hint[] = "\"\\\b\f\n\r\t\0\x01\x1F\x7F/\xC3\xA9\xFF\xE2\x82";
    abr_info info = {.bytes_returned = 1,
                     .bytes_total = ABR_UNLIMITED,
                     .next_offset = 1,
                     .resume_hint = hint,
                     .resume_hint_len = sizeof hint - 1,
                     .reason = ABR_ROW_CAP};
    EXPECT_JSON(
        &info, "{\"truncated\":false,\"bytes_returned\":1,\"next_offset\":1,\"resume_hint\":\""
               "\\\"\\\\\\b\\f\\n\\r\\t\\u0000\\u0001\\u001f\x7F/\xC3\xA9\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD"
               "\",\"reason\":\"row_cap\"}");
}

static void every_byte_alone_is_valid_json(void)
{
    for (int byte = 0; byte < 256; byte++) {
        char *hint = malloc(1);
        if (!hint)
            exit(2);
        hint[0] = (char)byte;
        abr_info info = {.resume_hint = hint, .resume_hint_len = 1};
        char json[256];
        size_t n = abr_info_json(&info, json, sizeof json);
        uint64_t invalid;
        CHECK(n <= sizeof json);
        abr_count_chars(json, n, &invalid);
        CHECK_COUNT(0, invalid);
        for (size_t i = 0; i < n; i++)
            CHECK((unsigned char)json[i] >= 0x20);
        free(hint);
    }
}

/* The JSON of a block with this hint, into a text of `cap` bytes. */
static size_t json_of_hint(const char *hint, size_t n, char *json, size_t cap)
{
    abr_info info = {.resume_hint = hint, .resume_hint_len = n};
    size_t size = abr_info_json(&info, json, cap);
    CHECK(size <= cap);
    return size;
}

/* What is plain is looked at in words: no byte is missed wherever it stands in one. */
static void every_byte_is_the_same_at_every_place(void)
{
    enum { MOST = 20, CAP = 512 };
    char alone[CAP];
    char empty[CAP];
    char json[CAP];
    char want[CAP];
    size_t fixed = json_of_hint("", 0, empty, CAP);
    size_t front = (size_t)(strstr(empty, "\"\"") + 1 - empty);
    for (int byte = 0; byte < 256; byte++) {
        char one = (char)byte;
        size_t width = json_of_hint(&one, 1, alone, CAP) - fixed;
        for (size_t n = 1; n <= MOST; n++) {
            for (size_t at = 0; at < n; at++) {
                char *hint = malloc(n);
                if (!hint)
                    exit(2);
                memset(hint, 'x', n);
                hint[at] = one;
                memcpy(want, alone, front);
                memset(want + front, 'x', n - 1 + width);
                memcpy(want + front + at, alone + front, width);
                memcpy(want + front + n - 1 + width, empty + front, fixed - front);
                size_t size = json_of_hint(hint, n, json, CAP);
                CHECK_BYTES(want, fixed + n - 1 + width, json, size);
                free(hint);
            }
        }
    }
}

static void counts_of_any_length_are_exact(void)
{
    uint64_t edge = 1;
    for (int digits = 1; digits <= 16; digits++, edge *= 10) {
        for (uint64_t value = edge - 1; value <= edge + 1; value++) {
            char want[128];
            abr_info info = {
                .bytes_returned = value, .bytes_total = ABR_UNLIMITED, .next_offset = ABR_UNLIMITED};
            snprintf(want, sizeof want,
                     "{\"truncated\":false,\"bytes_returned\":%llu,\"reason\":\"size_cap\"}",
                     (unsigned long long)value);
            EXPECT_JSON(&info, want);
        }
    }
}

static void reasons_have_names(void)
{
    static const char *const names[] = {"size_cap", "line_cap", "row_cap", "exec_budget", "item_cap"};
    for (int reason = 0; reason < 5; reason++)
        CHECK_TEXT(names[reason], abr_reason_name((abr_reason)reason), strlen(names[reason]));
    CHECK(abr_reason_name((abr_reason)5) == NULL);
}

static void the_library_is_the_headers(void)
{
    CHECK_TEXT(ABR_VERSION, abr_version(), strlen(abr_version()));
}

int main(void)
{
    RUN(the_three_shapes);
    RUN(of_a_cut);
    RUN(counts_are_exact_to_2_53);
    RUN(any_bytes_of_a_hint_are_valid_json);
    RUN(every_byte_alone_is_valid_json);
    RUN(every_byte_is_the_same_at_every_place);
    RUN(counts_of_any_length_are_exact);
    RUN(reasons_have_names);
    RUN(the_library_is_the_headers);
    return check_end();
}
