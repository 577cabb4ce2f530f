/* What a text is, and the JSON scanner under it. */
#include "kinds/records/aligned.h"
#include "kinds/binary.h"
#include "kinds/failing.h"
#include "kinds/records/delimited.h"
#include "kinds/diff/diff.h"
#include "kinds/json/json_lines.h"
#include "kinds/json/json_text.h"
#include "kinds/kind.h"

#include "made.h"

/* ---- texts ---- */

static abr_telling tell_bytes(const char *p, size_t n)
{
    char *copy = exact(p, n);
    abr_telling told = abr_tell_kind(copy, n, true);
    free(copy);
    return told;
}

static const char *tell(const char *text)
{
    return abr_kind_name(tell_bytes(text, strlen(text)).kind);
}

/* What is it? Frees it. */
static const char *told(made *text)
{
    const char *name = abr_kind_name(tell_bytes(text->p, text->n).kind);
    free(text->p);
    *text = (made){0};
    return name;
}

static void check_kind(const char *want, const char *got, int line)
{
    check_text(want, strlen(want), got, strlen(got), "kind", __FILE__, line);
}

#define CHECK_KIND(want, got) check_kind((want), (got), __LINE__)

/* ---- JSON, token by token ---- */

enum { MOST_LEVELS = 4096 };

/* Read a document in chunks of `size` bytes: 0 it may go on, 1 it is whole, 2 it is wrong. *hash depends on
 * all tokens. */
ABR_WRAPS static int scan_in_chunks(const char *p, size_t n, size_t size, uint64_t *hash)
{
    uint64_t levels[MOST_LEVELS / ABR_JSON_LEVELS];
    abr_json_scan scan;
    abr_json_open(&scan, levels, MOST_LEVELS);
    *hash = 0;
    for (size_t at = 0; at < n; at += size) {
        size_t left = n - at < size ? n - at : size;
        char *chunk = exact(p + at, left);
        abr_json_token token;
        size_t i = 0;
        while ((token = abr_json_next(&scan, chunk, left, &i)) != ABR_JSON_MORE && token < ABR_JSON_DEEP)
            *hash = (*hash * 31 + (uint64_t)token) * 31 + scan.start * 7 + scan.before + i;
        free(chunk);
        if (token != ABR_JSON_MORE)
            return 2;
        CHECK_COUNT(left, i);
        CHECK_COUNT(at + left, scan.before);
    }
    return abr_json_is_whole(&scan) ? 1 : 0;
}

static int scan_text(const char *text)
{
    size_t n = strlen(text);
    uint64_t want;
    int is = scan_in_chunks(text, n, n + 1, &want);
    for (size_t size = 1; size < n; size++) {
        uint64_t got;
        CHECK_COUNT(is, scan_in_chunks(text, n, size, &got));
        CHECK_COUNT(want, got);
    }
    return is;
}

static void json_is_what_the_rfc_says(void)
{
    static const char *const whole[] = {
        "{}",
        "[]",
        " [ ] ",
        "\t{\r\n}\n",
        "\"\"",
        "0",
        "-0",
        "12",
        "0.5",
        "1e9",
        "1E+9",
        "-1.25e-10",
        "true",
        "false",
        "null",
        "[1,2]",
        "{\"a\":1}",
        "{\"a\":{\"a\":[{}]}}",
        "[\"\\u00e9\\n\\\"\\\\\\/\\b\\f\\r\\t\"]",
        "\"\\ud800\"",
        "[true,false,null,\"x\",-1]",
        "\"\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80\"",
        "\"\x7F\"",
        "{\"\":0,\"\":1}",
        "[123456789012345678901234567890123456789012345678901234567890]",
        "{\"a long key that is more than one word\" : [ \"a long string, with a quote \\\" inside\" ] }"};
    static const char *const wrong[] = {"[1,]",
                                        "{\"a\":1,}",
                                        "{a:1}",
                                        "{'a':1}",
                                        "[1 2]",
                                        "{\"a\" 1}",
                                        "{\"a\":}",
                                        "{1:2}",
                                        "[}",
                                        "{]",
                                        "]",
                                        "}",
                                        "01",
                                        "-a",
                                        "+1",
                                        ".5",
                                        "1.a",
                                        "1.e5",
                                        "1ex",
                                        "tru ",
                                        "True",
                                        "nul1",
                                        "[NaN]",
                                        "\"\\x\"",
                                        "\"\\u12g4\"",
                                        "\"\n\"",
                                        "\"\t\"",
                                        "\"\x1F\"",
                                        "[1]x",
                                        "{} {}",
                                        "\"\xC3\"",
                                        "\"\xC0\x80\"",
                                        "\"\xED\xA0\x80\"",
                                        "\"\xF4\x90\x80\x80\"",
                                        "\"\xFF\"",
                                        "\"\x80\"",
                                        "\"\xE0\x80\x80\"",
                                        "\"\xF0\x8F\x80\x80 \"",
                                        "// no\n1",
                                        "[1,,2]",
                                        "{,}",
                                        "[,]",
                                        ":",
                                        ",",
                                        "\xEF\xBB\xBF[]",
                                        "[\"a\":1]",
                                        "\v[]"};
    static const char *const open[] = {
        "",   " ",  "[",   "{",   "{\"a", "{\"a\"", "{\"a\":", "{\"a\":1", "[1",         "[1,",  "-",
        "1.", "1e", "1e-", "tru", "\"",   "\"\\",   "\"\\u",   "\"\\u12",  "\"\xE2\x82", "[[[]]"};
    for (size_t i = 0; i < sizeof whole / sizeof *whole; i++)
        if (!CHECK_COUNT(1, scan_text(whole[i])))
            fprintf(stderr, "%s\n", whole[i]);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        if (!CHECK_COUNT(2, scan_text(wrong[i])))
            fprintf(stderr, "%s\n", wrong[i]);
    for (size_t i = 0; i < sizeof open / sizeof *open; i++)
        if (!CHECK_COUNT(0, scan_text(open[i])))
            fprintf(stderr, "%s\n", open[i]);
}

/* A document at random: objects, arrays, strings of all kinds, numbers. */
static void random_value(made *text, size_t depth)
{
    static const char *const leaves[] = {"0",
                                         "-12.5e3",
                                         "true",
                                         "null",
                                         "\"\"",
                                         "\"a \\\"quoted\\\" word and more text\"",
                                         "\"\\u00e9\xE2\x82\xAC\xF0\x9F\x98\x80\"",
                                         " \n        1"};
    size_t what = pick(depth > 6 ? 1 : 3);
    if (what == 0) {
        add(text, leaves[pick(sizeof leaves / sizeof *leaves)]);
        return;
    }
    add(text, what == 1 ? "[" : "{ ");
    for (size_t n = pick(5), i = 0; i < n; i++) {
        add(text, i > 0 ? ", " : "");
        add(text, what == 1 ? "" : "\"key\":");
        random_value(text, depth + 1);
    }
    add(text, what == 1 ? "]" : "\n}");
}

static void every_chunking_and_every_prefix_of_json(void)
{
    for (size_t round = 0; round < 300; round++) {
        made text = {0};
        add(&text, "[");
        random_value(&text, 0);
        add(&text, "]");
        uint64_t want;
        uint64_t got;
        CHECK_COUNT(1, scan_in_chunks(text.p, text.n, text.n, &want));
        for (size_t size = 1; size < 20; size++) {
            CHECK_COUNT(1, scan_in_chunks(text.p, text.n, size, &got));
            CHECK_COUNT(want, got);
        }
        for (size_t n = 0; n < text.n; n++)
            CHECK_COUNT(0, scan_in_chunks(text.p, n, n + 1, &got));
        free(text.p);
    }
}

static void a_scan_asks_for_room_and_goes_on(void)
{
    uint64_t few[1];
    uint64_t more[2];
    abr_json_scan scan;
    abr_json_open(&scan, few, 2);
    const char *text = "[{\"a\":[1]}]";
    size_t i = 0;
    CHECK(abr_json_next(&scan, text, 11, &i) == ABR_JSON_OPEN);
    CHECK(abr_json_next(&scan, text, 11, &i) == ABR_JSON_OPEN && scan.in_object);
    CHECK(abr_json_next(&scan, text, 11, &i) == ABR_JSON_KEY && scan.start == 2);
    CHECK(abr_json_next(&scan, text, 11, &i) == ABR_JSON_DEEP);
    memcpy(more, few, sizeof few);
    scan.levels = more;
    scan.room = 128;
    CHECK(abr_json_next(&scan, text, 11, &i) == ABR_JSON_OPEN && !scan.in_object);
    CHECK(abr_json_next(&scan, text, 11, &i) == ABR_JSON_NUMBER && scan.start == 7 && i == 8);
    for (size_t closed = 0; closed < 3; closed++)
        CHECK(abr_json_next(&scan, text, 11, &i) == ABR_JSON_CLOSE);
    CHECK(abr_json_next(&scan, text, 11, &i) == ABR_JSON_MORE && abr_json_is_whole(&scan));
}

/* ---- kinds ---- */

static void json_is_told(void)
{
    CHECK_KIND("json", tell("{\"a\": 1}"));
    CHECK_KIND("json", tell("\xEF\xBB\xBF\n [1, 2]\n\n"));
    CHECK_KIND("json", tell("\"a string\"\n"));
    CHECK_KIND("json", tell("{\n  \"a\": [\n    \"\\ud800\"\n  ]\n}\n"));
    CHECK(strcmp(tell("12"), "json") != 0);
    CHECK(strcmp(tell("{\"a\": 1,}\n"), "json") != 0);
    CHECK(strcmp(tell("{\"a\": \"\xFF\"}\n"), "json") != 0);
    CHECK(strcmp(tell("{\n  \"a\": 1\n"), "json") != 0);
}

static void json_that_goes_on_is_told_by_its_start(void)
{
    made text = {0};
    add(&text, "[");
    while (text.n < 3 * ABR_KIND_BYTES)
        add(&text, "{\"name\": \"value\"},\n");
    CHECK(abr_tell_kind(text.p, text.n, false).kind == ABR_KIND_JSON);
    CHECK(abr_tell_kind(text.p, text.n, true).kind == ABR_KIND_JSON); /* its end is not looked at */
    CHECK(abr_tell_kind(text.p, 1000, false).kind == ABR_KIND_JSON);
    CHECK(abr_tell_kind(text.p, 1000, true).kind != ABR_KIND_JSON);
    free(text.p);
}

static void deep_json_uses_no_stack(void)
{
    enum { DEPTH = 10 * 1000 * 1000 };
    char *deep = malloc(DEPTH);
    if (!deep)
        exit(2);
    memset(deep, '[', DEPTH);
    CHECK(abr_tell_kind(deep, DEPTH, true).kind == ABR_KIND_JSON);
    memset(deep + 1000, ']', 1000);
    CHECK(abr_tell_kind(deep, 2000, true).kind == ABR_KIND_JSON);
    uint64_t *levels = malloc(DEPTH / 8 + 8);
    if (!levels)
        exit(2);
    memset(deep, '[', DEPTH / 2);
    memset(deep + DEPTH / 2, ']', DEPTH / 2);
    abr_json_scan scan;
    abr_json_open(&scan, levels, DEPTH);
    size_t tokens = 0;
    abr_json_token token;
    for (size_t i = 0; (token = abr_json_next(&scan, deep, DEPTH, &i)) != ABR_JSON_MORE; tokens++)
        if (token == ABR_JSON_WRONG)
            break;
    CHECK_COUNT(DEPTH, tokens);
    CHECK(abr_json_is_whole(&scan));
    free(levels);
    free(deep);
}

static void records_of_json_are_told(void)
{
    CHECK_KIND("json_lines", tell("{\"a\":1}\n{\"a\":2}\n"));
    CHECK_KIND("json_lines", tell("{\"a\":1}\r\n\r\n[2]\r\n\n"));
    made text = {0};
    add_lines(&text, 5, "{\"id\": #, \"status\": \"ok\"}");
    add(&text, "panic: out of memory\n");
    add_lines(&text, 5, "{\"id\": #, \"status\": \"ok\"}");
    CHECK_KIND("json_lines", told(&text));
    add_lines(&text, 1000, "#");
    CHECK(strcmp(told(&text), "json_lines") != 0);
    CHECK_KIND("json", tell("{\"a\":1}\n"));
    add_lines(&text, 10, "2026-01-02T03:04:05Z INFO request #");
    add_lines(&text, 4, "{\"id\": #}");
    add_lines(&text, 10, "2026-01-02T03:04:05Z INFO request #");
    CHECK_KIND("log", told(&text));
}

static void tables_are_told(void)
{
    CHECK_KIND("table", tell("name,score\nann,1\nbob,2\n"));
    CHECK_KIND("table", tell("name;score\nann;1\nbob;2\n"));
    CHECK_KIND("table", tell("name\tscore\nann\t1\nbob\t2\n"));
    CHECK_KIND("table", tell("name|score\nann|1\nbob|2\n"));
    CHECK_KIND("table", tell("\"name\",\"note\"\r\n\"ann\",\"one\ntwo, \"\"three\"\"\"\r\nbob,\r\n"));
    CHECK_KIND("table", tell("country,2019,2020\nchad,1,2\nmali,3,4\n"));
    CHECK_KIND(
        "table",
        tell("NAME    READY   STATUS    AGE\nweb-0   1/1     Running   5d\nweb-1   0/1     Pending   2s\n"));
    CHECK_KIND(
        "table",
        tell(" id | name | score\n----+------+-------\n  1 | ann  |     7\n  2 | bob  |    12\n(2 rows)\n"));
    CHECK(strcmp(tell("name\nann\nbob\n"), "table") != 0);
    CHECK_KIND("table", tell("| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |\n"));
    CHECK_KIND("table", tell("a | b\n--- | ---\n1 | 2\n3 | 4\n"));
    CHECK(strcmp(tell("Dear reader, hello.\nThis is prose, with commas.\nIt is short, too.\n"), "table") !=
          0);
    CHECK_KIND("table", tell("device,Q95,kA2\nJET,2,1.5\nTORE,3,2.5\n"));
    CHECK_KIND("table", tell("COMMAND    PID  TID    USER   FD      TYPE NAME\n"
                             "systemd      1         root  cwd   unknown /proc/1/cwd\n"
                             "kthreadd     2         root NOFD           /proc/2/fd\n"
                             "rcu_gp       3     4   root  txt   unknown /proc/3/exe\n"));
    CHECK_KIND("table",
               tell("Active Internet connections (servers and established)\n"
                    "Proto Recv-Q Send-Q Local Address           Foreign Address         State\n"
                    "tcp        0      0 127.0.0.1:22            0.0.0.0:*               LISTEN\n"
                    "tcp        0     36 10.0.0.1:22             10.0.0.2:51234          ESTABLISHED\n"
                    "tcp        0      0 10.0.0.1:80             10.0.0.3:51235          TIME_WAIT\n"));
    CHECK_KIND("text", tell("12\t3\tREADME.md\n1\t0\tsrc/main.c\n5\t5\tsrc/other.c\n"));
    CHECK_KIND("text", tell("Symbol table '.symtab' has 99 entries:\n"
                            "     1: 0000000000012000     0 FUNC    LOCAL  DEFAULT   12 total\n"
                            "     2: 0000000000012040   206 FUNC    LOCAL  DEFAULT   12 sum_of\n"
                            "     3: 0000000000012110    64 OBJECT  LOCAL  DEFAULT   24 rates\n"
                            "     4: 0000000000012150   118 FUNC    GLOBAL DEFAULT   12 main\n"));
    CHECK_KIND("text", tell("M\tREADME.md\nA\tsrc/main.c\nD\tsrc/other.c\n"));
    CHECK_KIND("text",
               tell("alpha.c   bravo.c   charlie.c  delta.c\necho.c    fox.c     golf.c     hotel.c\n"
                    "india.c   juliet.c  kilo.c     lima.c\nmike.c    nov.c     oscar.c    papa.c\n"));
    made text = {0};
    add_lines(&text, 40, "2026-01-02 03:04:05,123 INFO server request # done");
    CHECK_KIND("log", told(&text));
    add_lines(&text, 40, "Compiling crate # of many");
    CHECK_KIND("log", told(&text));
}

static void tables_tell_their_form(void)
{
    static const char csv[] = "a;b;c\n1;2;3\n4;5;6\n";
    static const char dpkg[] =
        "Desired=Unknown/Install/Remove/Purge/Hold\n"
        "| Status=Not/Inst/Conf-files/Unpacked/halF-conf/Half-inst/trig-aWait/Trig-pend\n"
        "|/ Err?=(none)/Reinst-required (Status,Err: uppercase=bad)\n"
        "||/ Name           Version      Architecture Description\n"
        "+++-==============-============-============-=================================\n"
        "ii  adduser        3.134        all          add and remove users and groups\n"
        "ii  apt            2.6.1        amd64        commandline package manager\n"
        "ii  base-files     12.4+deb12u5 amd64        Debian base system files\n";
    CHECK(tell_bytes(csv, sizeof csv - 1).delimiter == ';');
    abr_telling aligned = tell_bytes(dpkg, sizeof dpkg - 1);
    CHECK(aligned.kind == ABR_KIND_TABLE && aligned.delimiter == 0);
    CHECK_COUNT(5, aligned.header_lines);
    abr_record record;
    abr_read_record("\"a\nb\",\"c\"\"d\"\r\nnext", 18, 0, ',', &record);
    CHECK(record.fields == 2 && record.closed && record.end == 12 && record.after == 14);
    abr_read_record("\"a,b\nc", 6, 0, ',', &record);
    CHECK(record.fields == 1 && !record.closed && record.after == 6);
}

static const char small_diff[] =
    "diff --git a/x.c b/x.c\nindex 1234567..89abcde 100644\n--- a/x.c\n+++ b/x.c\n"
    "@@ -1,3 +1,3 @@ int main(void)\n one\n-two\n+2\n three\n\\ No newline at end of file\n";

static void diffs_are_told(void)
{
    CHECK_KIND("diff", tell(small_diff));
    CHECK_KIND("diff", tell("--- a\t2026-01-01\n+++ b\t2026-01-01\n@@ -1 +1 @@\n-a\n+b\n"));
    CHECK_KIND(
        "diff",
        tell(
            "Index: x\n===================================================================\n--- x\t(revision "
            "1)\n+++ x\t(working copy)\n@@ -1 +1,2 @@\n a\n+b\n"));
    CHECK_KIND("diff", tell("diff --git a/x b/x\nold mode 100644\nnew mode 100755\n"));
    CHECK_KIND("diff", tell("diff --cc x\nindex 1234567,2345678..3456789\n--- a/x\n+++ b/x\n@@@ -1,2 -1,2 "
                            "+1,3 @@@\n  a\n- b\n -c\n++d\n++e\n"));
    made text = {0};
    add(&text, "commit 0123456789abcdef0123456789abcdef01234567\nAuthor: A <a@example.com>\nDate:   Sun Nov "
               "22 2026\n\n"
               "    A message of some\n    lines, and more of these.\n\n");
    add(&text, small_diff);
    CHECK_KIND("diff", told(&text));
    add(&text,
        "From 0123456789abcdef0123456789abcdef01234567 Mon Sep 17 00:00:00 2001\nFrom: A <a@example.com>\n"
        "Subject: [PATCH] x\n\nWords.\n---\n x.c | 2 +-\n 1 file changed\n\n");
    add(&text, small_diff);
    add(&text, "-- \n2.39.2\n\n");
    CHECK_KIND("diff", told(&text));
    add(&text, "0123abc what it does\n");
    add(&text, small_diff);
    CHECK_KIND("diff", told(&text));
    add_lines(&text, 40, " src/file#.c | 12 ++--");
    add(&text, " 40 files changed, 240 insertions(+), 240 deletions(-)\n\n");
    add(&text, small_diff);
    CHECK_KIND("diff", told(&text));
    CHECK(strcmp(tell("3c3\n< one\n---\n> two\n7,8d6\n< three\n< four\n"), "diff") != 0);
    CHECK_KIND("text",
               tell("commit 0123456789abcdef0123456789abcdef01234567\nAuthor: A <a@example.com>\nDate:   Sun "
                    "Nov 22 2026\n\n"
                    "    A message\n\n x.c | 2 +-\n 1 file changed, 1 insertion(+), 1 deletion(-)\n"));
}

static void a_log_is_one_with_a_few_lines_of_another_kind(void)
{
    made text = {0};
    add_lines(&text, 20, "2026-01-02T03:04:05Z INFO job # done");
    add(&text, small_diff);
    add_lines(&text, 20, "2026-01-02T03:04:05Z INFO job # done");
    CHECK_KIND("log", told(&text));
    add_lines(&text, 20, "2026-01-02T03:04:05Z INFO job # done");
    add(&text, "{\n");
    add_lines(&text, 60, "  \"member #\": \"value\",");
    add(&text, "}\n");
    add_lines(&text, 20, "2026-01-02T03:04:05Z INFO job # done");
    CHECK_KIND("log", told(&text)); /* a comma stands before the last brace */
}

/* The kind of a log in which a document stands after so many lines and before so many. */
static const char *kind_of_log_around(size_t before, size_t after)
{
    made text = {0};
    add_lines(&text, before, "2026-01-02T03:04:05Z INFO job # done");
    add(&text, "{\n");
    add_lines(&text, 60, "  \"member #\": \"value\",");
    add(&text, "  \"last\": 0\n}\n");
    add_lines(&text, after, "2026-01-02T03:04:05Z INFO job # done");
    return told(&text);
}

static void a_document_is_a_part_unless_it_is_small_for_the_log_it_splits(void)
{
    enum { FEW = 20, MANY = 1000 };
    CHECK_KIND("mixed", kind_of_log_around(MANY, 0));
    CHECK_KIND("mixed", kind_of_log_around(0, MANY));
    CHECK_KIND("mixed", kind_of_log_around(FEW, FEW));
    CHECK_KIND("log", kind_of_log_around(MANY, FEW));
    CHECK_KIND("log", kind_of_log_around(MANY, MANY));
}

static void hunks_end_where_they_say(void)
{
    abr_hunk hunk;
#define LINE(text) ((abr_text_line){text, sizeof(text) - 1})
    CHECK(!abr_hunk_opens(LINE("@@ -1,2 @@"), &hunk));
    CHECK(!abr_hunk_opens(LINE("@@ -1,2 +3,4 @"), &hunk));
    CHECK(!abr_hunk_opens(LINE("@ -1 +1 @"), &hunk));
    CHECK(abr_hunk_opens(LINE("@@ -5 +5,2 @@ f()"), &hunk));
    CHECK(hunk.parents == 1 && hunk.before[0] == 1 && hunk.after == 2);
    CHECK(abr_hunk_takes(&hunk, LINE(" a")));
    CHECK(abr_hunk_takes(&hunk, LINE("+b")));
    CHECK(abr_hunk_takes(&hunk, LINE("\\ No newline at end of file")));
    CHECK(!abr_hunk_takes(&hunk, LINE(" c")));
    CHECK(abr_hunk_opens(LINE("@@@ -1,2 -1,1 +1,2 @@@"), &hunk));
    CHECK(abr_hunk_takes(&hunk, LINE("- a"))); /* of the first parent alone */
    CHECK(abr_hunk_takes(&hunk, LINE("  b")));
    CHECK(abr_hunk_takes(&hunk, LINE("++c")));
    CHECK(!abr_hunk_takes(&hunk, LINE("++d")));
#undef LINE
}

/* Made of lines alone, so many of each. */
static const char *kind_of_lines(const char *line)
{
    made text = {0};
    add_lines(&text, 60, line);
    return told(&text);
}

static void listings_are_text(void)
{
    static const char *const lines[] = {
        "HEAD:src/file#.c:#:    return error;",
        "src/file#.c:#:12:    if (failed)",
        "  1234# -rw-r--r-- 1 root root 4096 Nov 22 15:16 name#",
        "-rw-r--r-- 1 root root 4096 2026-11-22 15:16:10.000000000 +0000 name#",
        "drwxr-xr-x root/root         0 2026-11-22 15:16 ./name#/",
        "2026-11-22 15:16 ./src/name#.c",
        "12345# 678 src/name#.c",
        " M src/name#.c",
        "R100\told#.c\tnew#.c",
        "#\t3\tsrc/name#.c",
        "  topic/#  0123abc4 fix: what it does",
        "0123abc4|A Name|Sun Nov 22 21:57:17 2026 +0000|what it does #",
        "^0123abc4 (A Name 2026-11-22 21:57:17 +0000 #) int x;",
        "fix(part): what it does, number #",
        "feat: #",
        "\xE2\x94\x9C\xE2\x94\x80\xE2\x94\x80 name#.c",
        "     # words",
        "name-# - what the package is for",
        "| column # | another | a third |",
        "0.5 1.25 # -3",
        "declare -x NAME#=\"value\"",
        "key_#: value",
        "  key: value #",
        "<p class=\"x\">words # </p>",
        "SELECT name FROM things WHERE id = #;",
        "nnoremap <leader># :call Thing()<CR>",
        "\\begin{thing#}",
        "dnl a comment of words, number #"};
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        if (strcmp(kind_of_lines(lines[i]), "text") != 0)
            CHECK_TEXT("text", lines[i], strlen(lines[i]));
    CHECK_KIND("text", tell("name\nAnn Smith\nBob Jones\nChen Li\nDana Del Rey\nEva Braun-Maier\nFred\n"));
    CHECK_KIND("text", tell("email\nann@example.com\nbob@example.com\nchen@example.com\ndana@example.com\n"));
    CHECK_KIND("text", tell("12,14c12\n< one\n< two\n---\n> three\n20a19,20\n> four\n> five\n"));
    made manual = {0};
    add_lines(&manual, 20, "  Part # of the manual ............................ |part-#|");
    add_lines(&manual, 20, "Some words about this and that, and what it does.\n\n- one, and number #\n");
    add_lines(&manual, 1, "    src/main.c:#:3: error: as an example of what is printed");
    CHECK_KIND("text", told(&manual));
    made then_failed = {0}; /* after what was read, a command failed */
    add_lines(&then_failed, 20, "  Part # of the manual ............................ |part-#|");
    add_lines(&then_failed, 20, "Some words about this and that, and what it does.\n\n- one, and number #\n");
    add_lines(&then_failed, 3, "src/main.c:#:3: error: expected ';' before 'return'");
    CHECK_KIND("log", told(&then_failed));
    made graph = {0};
    add_lines(&graph, 40,
              "* commit 0123456789abcdef0123456789abcdef01234567\n| Author: A <a@b>\n"
              "| Date:   Sun Nov 22 21:57:17 2026 +0000\n| \n|     what it does #\n| ");
    CHECK_KIND("text", told(&graph));
    const char *const dated[] = {
        "* 1a2b3c4 2026-11-05 what it does #\n|\\  \n| * 5d6e7f8 2026-11-05 10:00:00 +0000 fix a bug",
        "* 2026-11-05 1a2b3c4 what it does #",
        "* 1a2b3c4|Ann|2026-11-05|what it does #",
        "* 1a2b3c4 Ann 2026-11-05 what it does #",
        "* 1a2b3c4 Thu Nov 5 10:00:00 2026 +0000 what it does #",
    };
    for (size_t i = 0; i < sizeof dated / sizeof *dated; i++)
        if (strcmp(kind_of_lines(dated[i]), "text") != 0)
            CHECK_TEXT("text", dated[i], strlen(dated[i]));
    made stat = {0};
    add_lines(&stat, 20,
              "  File: name#\n  Size: 4096      \tBlocks: 8          IO Block: 4096   directory\n"
              "Access: 2026-11-22 15:15:10.760883937 +0000\nModify: 2026-05-09 07:29:29.000000000 +0000");
    CHECK_KIND("text", told(&stat));
    CHECK_KIND("text", tell("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGA"));
}

static void source_and_listings_are_text(void)
{
    CHECK_KIND(
        "text",
        tell("#include <stdio.h>\n\nint main(void)\n{\n    puts(\"error: kill it\");\n    return 0;\n}\n"));
    CHECK_KIND("text", tell("CC = cc\n\nall: x\n\nx: x.c\n\t$(CC) -O2 -o $@ $<\n\nclean:\n\trm -f x\n"));
    CHECK_KIND("text", tell("name: build\non:\n  push:\n    branches: [main]\njobs:\n  test:\n    steps:\n   "
                            "   - run: make\n"));
    CHECK_KIND("text", tell("[package]\nname = \"x\"\nversion = \"1.0\"\n\n[dependencies]\nserde = \"1\"\n"));
    CHECK_KIND("text", tell("<!DOCTYPE html>\n<html>\n<body>\n<p>hello</p>\n</body>\n</html>\n"));
    CHECK_KIND("text", tell("# Title\n\nSome words about this, and what it does when it fails.\n\n- one\n- "
                            "two\n\n```sh\nmake\n```\n"));
    CHECK_KIND(
        "text",
        tell(
            "total 8\n-rw-r--r-- 1 root root 10 Nov 22 19:44 a\n-rw-r--r-- 1 root root 10 Nov 22 19:44 b\n"));
    made text = {0};
    add_lines(&text, 50000, "#");
    CHECK_KIND("text", told(&text));
    add_lines(&text, 100, "./src/some/file_#.lua");
    CHECK_KIND("text", told(&text));
    add_lines(&text, 100, "src/file.c:#:    if (error)");
    CHECK_KIND("text", told(&text));
    add_lines(&text, 100, "0123abc change number #");
    CHECK_KIND("text", told(&text));
    add_lines(&text, 1, "!function(e){var t=#;");
    for (size_t i = 0; i < 2000; i++)
        add(&text, "t.exports=function(n){return n+1};");
    CHECK_KIND("text", told(&text));
    for (size_t i = 0; i < 100; i++)
        add(&text, "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGA\n");
    CHECK_KIND("text", told(&text));
}

static void work_going_on_is_a_log(void)
{
    static const char *const lines[] = {
        "cc -O2 -Wall -c -o build/file_#.o src/file_#.c",
        "2026-01-02 03:04:05 status installed thing# 1.0",
        "Jan  2 03:04:05 host sshd[#]: accepted a key",
        "[#/200] Building C object file#.o",
        "ok # - does what it should",
        "src/main.c:#:3: warning: unused variable 'x'",
        "test module::case_# ... ok",
        "127.0.0.1 - - [02/Jan/2026:03:04:05 +0000] \"GET /# HTTP/1.1\" 200 12",
        "level=info msg=\"request done\" id=#",
        "tests/test_a.py::test_# PASSED",
        "openat(AT_FDCWD, \"/etc/file#\", O_RDONLY) = 3",
        "+ echo step #",
        "slot # filled and checked, no errors so far",
        "...........................................",
        "  CC      src/file_#.o",
        "#12 [#/9] RUN make",
        "[server] listening on port #",
        "unix-#.log 2026-01-02 03:04:05.678 123 INFO part: done",
        "     0.0000# close(3) = 0",
        "lua/file#.lua(12,3) : error: it fails"};
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        if (strcmp(kind_of_lines(lines[i]), "log") != 0)
            CHECK_TEXT("a log", lines[i], strlen(lines[i]));
    CHECK_KIND("log",
               tell("* Connected to localhost (127.0.0.1) port 80\n> GET / HTTP/1.1\n> Host: localhost\n"
                    "> Accept: */*\n>\n< HTTP/1.1 200 OK\n< Server: x\n< Content-Length: 2\n<\n"
                    "{ [2 bytes data]\n* Connection #0 to host localhost left intact\n"));
    CHECK_KIND("log", tell(""));
    CHECK_KIND("log", tell("Done.\n"));
    CHECK_KIND("log", tell("\n\n\n"));
    made numbers = {0};
    add_lines(&numbers, 5000, "#");
    add(&numbers, "x.c:7: error: no y\n");
    add_lines(&numbers, 5000, "#");
    CHECK_KIND("log", told(&numbers));
}

static void binaries_are_told(void)
{
    CHECK_TEXT("image/png", abr_magic("\x89PNG\r\n\x1A\n", 8), 9);
    CHECK_TEXT("image/webp", abr_magic("RIFF\0\0\0\0WEBP", 12), 10);
    CHECK_TEXT("video/mp4",
               abr_magic("\0\0\0\x18"
                         "ftypisom",
                         12),
               9);
    CHECK(abr_magic("RIFF\0\0\0\0WEB", 11) == NULL);
    CHECK(abr_magic("BM", 2) == NULL && abr_magic("MZ", 2) == NULL && abr_magic("ID3", 3) == NULL &&
          abr_magic("", 0) == NULL);
    abr_telling elf = tell_bytes("\x7F"
                                 "ELF\2\1\1",
                                 7);
    CHECK(elf.kind == ABR_KIND_BINARY && strcmp(elf.media_type, "application/x-elf") == 0);
    char data[40];
    memset(data, 1, sizeof data);
    memcpy(data + 32, "abcdefgh", 8);
    const abr_telling noise = tell_bytes(data, sizeof data);
    CHECK(noise.kind == ABR_KIND_BINARY && noise.media_type == NULL);
    CHECK(tell_bytes(data + 1, sizeof data - 1).kind != ABR_KIND_BINARY); /* 31 such bytes */
    static const char names[] = "./some/name.lua\0./some/other.lua\0./some/third.lua\0";
    CHECK(tell_bytes(names, sizeof names - 1).kind != ABR_KIND_BINARY);
    const char *type;
    CHECK(!abr_is_binary("\x1B[1mbold\x1B[0m\x7F", 13, true, &type));
    char tenth[400];
    memset(tenth, 'x', sizeof tenth);
    memset(tenth, 1, 40);
    CHECK(!abr_is_binary(tenth, sizeof tenth, true, &type));
    tenth[40] = 1;
    CHECK(abr_is_binary(tenth, sizeof tenth, true, &type));
    tenth[31] = '\xC3';
    CHECK(abr_is_binary(tenth, 32, true, &type));
    CHECK(!abr_is_binary(tenth, 32, false, &type)); /* whose other half comes */
}

/* A letter of ISO 8859-1 counts unless it stands beside one of ASCII; its signs count anywhere. */
static void letters_of_latin_1_are_text(void)
{
    static const struct {
        const char *word; /* repeated */
        bool binary;
    } cases[] = {
        {"caf\xE9 ", false}, {"\xC9t\xE9 ", false}, {"na\xEFve ", false},     {"\xFChr ", false},
        {"\xE9 ", true},     {"1\xE9 ", true},      {"a\xE9\xE9\xE9 ", true}, {"a\xD7", true},
        {"a\xF7", true},     {"a\xBF", true},       {"\xC0 \xC0", true},
    };
    const char *type;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[ABR_BINARY_JUDGED + 3];
        const size_t n = strlen(cases[i].word);
        for (size_t at = 0; at < sizeof text; at++)
            text[at] = cases[i].word[at % n];
        CHECK(abr_is_binary(text, sizeof text, false, &type) == cases[i].binary);
        CHECK(abr_is_binary(text, 40 * n, true, &type) == cases[i].binary);
        CHECK(!abr_is_binary(text, n, true, &type)); /* so short that it may be a text */
    }
}

/* Nothing is read outside of a text, and it is told in one call as in the other, whatever it is. */
static void any_bytes_can_be_told(void)
{
    static const char *const seeds[] = {small_diff,
                                        "a,\"b\nc\"\n1,2\n\"3\",\"\"\"4\"\n",
                                        "NAME   READY  AGE\n\n-----  -----\nweb\t1/1    5d\n",
                                        "{\"a\": [1, {\"b\": \"\\u00e9\"}]}\n{\"a\": 2}\n",
                                        "@@@ -1 -1 +1 @@@\n--- a\ncommit 01234567\nGIT binary patch\n",
                                        "[ 12%] x.c(3): error: y\n  12 | z\n#1 0x at f (g:1:2)\n"};
    for (size_t i = 0; i < sizeof seeds / sizeof *seeds; i++)
        for (size_t n = 0; n <= strlen(seeds[i]); n++)
            for (size_t from = 0; from <= n; from += 3)
                CHECK(tell_bytes(seeds[i] + from, n - from).kind ==
                      tell_bytes(seeds[i] + from, n - from).kind);
    for (size_t round = 0; round < 4000; round++) {
        char bytes[300];
        size_t n = pick(sizeof bytes);
        for (size_t i = 0; i < n; i++)
            bytes[i] = (char)(round % 2 ? pick(256) : (size_t) "{}[]\",:\\|;\t\n -+@#=0aA."[pick(22)]);
        CHECK(tell_bytes(bytes, n).kind == tell_bytes(bytes, n).kind);
    }
}

/* ---- failures amid text ---- */

/* Is a failure found in a line between two pages of a document? */
static bool is_found_amid_pages(const abr_failure_rules *rules, const char *line)
{
    static const char page[] =
        "This service handles the errors of step #. After one of them, the request is sent again.\n";
    made text = {0};
    add_lines(&text, 20, page);
    add_line(&text, line);
    add_lines(&text, 20, page);
    char *p = exact(text.p, text.n);
    const bool found = abr_find_failure_by(rules, p, 0, text.n) < text.n;
    free(p);
    free(text.p);
    return found;
}

/* Every row of stated.def earns its place. */
static void a_message_is_found_amid_pages_by_its_row_alone(void)
{
    static const struct {
        const char *program, *proof;
    } rows[] = {
#define STATED(start, later, end, program, proof) {program, proof},
#include "kinds/stated.def"
#undef STATED
    };
    static abr_failure_rules rules;
    abr_failure_rules_open(&rules);
    CHECK(!is_found_amid_pages(&rules, "Nothing went wrong."));
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        rules.lexicon.without = ABR_NO_RULE;
        const bool with_it = is_found_amid_pages(&rules, rows[i].proof);
        rules.lexicon.without = ABR_RULE_STATED + i;
        if (!CHECK(with_it && !is_found_amid_pages(&rules, rows[i].proof) && *rows[i].program))
            fprintf(stderr, "stated.def: its line proves nothing: %s\n", rows[i].proof);
    }
}

int main(void)
{
    RUN(json_is_what_the_rfc_says);
    RUN(every_chunking_and_every_prefix_of_json);
    RUN(a_scan_asks_for_room_and_goes_on);
    RUN(json_is_told);
    RUN(json_that_goes_on_is_told_by_its_start);
    RUN(deep_json_uses_no_stack);
    RUN(records_of_json_are_told);
    RUN(tables_are_told);
    RUN(tables_tell_their_form);
    RUN(diffs_are_told);
    RUN(a_log_is_one_with_a_few_lines_of_another_kind);
    RUN(a_document_is_a_part_unless_it_is_small_for_the_log_it_splits);
    RUN(hunks_end_where_they_say);
    RUN(listings_are_text);
    RUN(source_and_listings_are_text);
    RUN(work_going_on_is_a_log);
    RUN(binaries_are_told);
    RUN(letters_of_latin_1_are_text);
    RUN(any_bytes_can_be_told);
    RUN(a_message_is_found_amid_pages_by_its_row_alone);
    return check_end();
}
