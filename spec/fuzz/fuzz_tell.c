/* What kind a text is: the same whenever asked, by its first 256 KiB alone, and what is JSON or a table is
 * one. And the places in it. */
#include "input.h"
#include "kinds/records/delimited.h"
#include "kinds/diff/diff.h"
#include "kinds/json/json_text.h"
#include "kinds/kind.h"
#include "text/scan.h"

enum { TEXT_MOST = 4096, LEVELS = TEXT_MOST };

/* A scan in two parts finds what a scan of the whole does. */
static bool is_json_in_parts(const char *p, size_t n, size_t split)
{
    uint64_t levels[LEVELS / ABR_JSON_LEVELS];
    abr_json_scan scan;
    abr_json_open(&scan, levels, LEVELS);
    for (int part = 0; part < 2; part++) {
        const char *from = part == 0 ? p : p + split;
        size_t size = part == 0 ? split : n - split;
        abr_json_token token;
        size_t i = 0;
        do
            token = abr_json_next(&scan, from, size, &i);
        while (token != ABR_JSON_MORE && token != ABR_JSON_WRONG && token != ABR_JSON_DEEP);
        RULE(token != ABR_JSON_DEEP && (token == ABR_JSON_WRONG || i == size));
        if (token == ABR_JSON_WRONG)
            return false;
    }
    return abr_json_is_whole(&scan);
}

static size_t without_bom(const char *p, size_t n)
{
    return n >= 3 && memcmp(p, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
}

static void check_json(const char *p, size_t n, size_t split, bool is)
{
    size_t bom = without_bom(p, n);
    p += bom;
    n -= bom;
    size_t first = 0;
    while (first < n && strchr(" \t\r\n", p[first]) && p[first])
        first++;
    bool may_be = first < n && (p[first] == '{' || p[first] == '[' || p[first] == '"');
    RULE(is == (may_be && is_json_in_parts(p, n, split % (n + 1))));
}

/* The records of a table tile it. */
static void check_table(const char *p, size_t n, const abr_telling *told)
{
    if (told->delimiter == 0) {
        RULE(told->header_lines > 0 || told->drawn.rows == ABR_ROWS_EXPANDED);
        RULE(told->header_lines <= slow_lines(p, n));
        return;
    }
    RULE(strchr(",;\t|", told->delimiter) != NULL);
    abr_record record;
    for (size_t at = 0; at < n; at = record.after) {
        abr_read_record(p, n, at, told->delimiter, &record);
        RULE(record.fields > 0 && record.end >= at && record.end <= record.after);
        RULE(record.after > at && record.after <= n);
    }
}

static void check_hunks(const char *p, size_t n)
{
    abr_hunk hunk;
    abr_text_line line;
    for (size_t at = 0; abr_next_line(p, n, &at, &line);) {
        RULE(abr_diff_line_of(line) <= ABR_DIFF_COMMIT);
        if (abr_hunk_opens(line, &hunk))
            RULE(hunk.parents >= 1 && hunk.parents <= ABR_MOST_PARENTS);
    }
}

/* Places are of the text, and slices of so many lines give those of one pass. */
static void check_locations(const char *p, size_t n, uint64_t lines)
{
    static abr_location whole;
    static abr_location sliced;
    uint64_t last_line = lines;
    whole.line = sliced.line = 0;
    whole.at = sliced.at = whole.heading = sliced.heading = 0;
    while (abr_next_location(p, n, ABR_UNLIMITED, &whole)) {
        RULE(whole.line > 0 && whole.lnum > 0 && whole.at <= n && whole.heading <= whole.at);
        RULE(whole.file_bytes > 0 && whole.file_bytes <= ABR_LOCATION_MOST);
        RULE(whole.message_bytes <= ABR_LOCATION_MOST);
        RULE((whole.severity == ABR_SEVERITY_NONE) == (abr_severity_name(whole.severity) == NULL));
        while (!abr_next_location(p, n, last_line, &sliced)) {
            RULE(sliced.at < n);
            last_line += lines;
        }
        RULE(sliced.line == whole.line && sliced.lnum == whole.lnum && sliced.col == whole.col);
        RULE(sliced.severity == whole.severity && sliced.file_bytes == whole.file_bytes &&
             sliced.message_bytes == whole.message_bytes);
        RULE(memcmp(sliced.file, whole.file, whole.file_bytes) == 0);
        RULE(memcmp(sliced.message, whole.message, whole.message_bytes) == 0);
    }
    RULE(whole.at == n);
}

/* The parts of a text are one after the other, and all of it; a line that a document starts or ends in is one
 * of two. */
static void check_parts(const char *p, size_t n, abr_kind kind)
{
    abr_parts parts;
    uint64_t line = 0;
    RULE(abr_tell_parts(p, n, NULL, &parts) == ABR_OK && parts.kind == kind);
    RULE(parts.count != 1 && parts.count <= ABR_PARTS_MOST && (kind != ABR_KIND_MIXED || parts.count > 1));
    for (size_t i = 0; i < parts.count; i++) {
        const abr_part *part = &parts.list[i];
        RULE(part->first_line == line + 1 || (i > 0 && part->first_line == line));
        RULE(part->last_line >= part->first_line);
        line = part->last_line;
    }
    RULE(parts.count == 0 || line == abr_count_lines(p, n));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    input in = {data, size};
    size_t n;
    size_t split = (size_t)take_number(&in, 2);
    char *text = take_text(&in, TEXT_MOST, &n);
    abr_telling told = abr_tell_kind(text, n, true);
    abr_telling again = abr_tell_kind(text, n, true);
    RULE(told.kind == again.kind && told.delimiter == again.delimiter &&
         told.header_lines == again.header_lines);
    RULE(abr_tell(text, n) == told.kind && abr_item_name(ABR_ITEM_HUNKS) != NULL);
    RULE(abr_kind_name(told.kind) != NULL && abr_kind_name(abr_tell_kind(text, n, false).kind) != NULL);
    RULE(told.media_type == NULL || told.kind == ABR_KIND_BINARY);
    if (told.kind == ABR_KIND_TABLE)
        check_table(text, n, &told);
    if (told.kind != ABR_KIND_BINARY && n <= ABR_TOLD_BY)
        check_json(text, n, split, told.kind == ABR_KIND_JSON);
    check_parts(text, n, told.kind);
    check_hunks(text, n);
    check_locations(text, n, 1 + split % 7);
    free(text);
    return 0;
}
