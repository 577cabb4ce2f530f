/* Cuts of records: JSON a line, CSV, rows under a header. */
#include "../fuzz/record_rules.h"
#include "base/memory.h"
#include "kinds/json/json_lines.h"
#include "kinds/records/columns.h"
#include "ledger.h"
#include "line/score.h"
#include "made.h"

/* ---- texts ---- */

static void add_fill(made *text, char c, size_t n)
{
    for (size_t i = 0; i < n; i++)
        add_bytes(text, &c, 1);
}

static const abr_telling lines_of_json = {.kind = ABR_KIND_JSON_LINES};
static const abr_telling csv = {.kind = ABR_KIND_TABLE, .delimiter = ','};
static const abr_telling tsv = {.kind = ABR_KIND_TABLE, .delimiter = '\t'};
static const abr_telling aligned = {.kind = ABR_KIND_TABLE, .header_lines = 2};

static void add_random_json(made *text, size_t longest)
{
    static const char *const states[] = {"ok", "ok", "ok", "ok", "ok", "ok", "ok", "failed"};
    char line[256];
    snprintf(line, sizeof line, "{\"id\":%zu,\"status\":\"%s\",\"note\":\"", pick(100000), states[pick(8)]);
    switch (pick(12)) {
    case 0:
        add(text, "\n \t\r\n");
        break;
    case 1:
        add(text, "no JSON, alas");
        break;
    case 2:
        add(text, "{}");
        break;
    default:
        add(text, line);
        add_fill(text, 'x', pick(longest));
        add(text, pick(2) ? "\"}" : "\",\"more\":[1,2,{\"a\":null}]}");
    }
    add(text, pick(9) == 0 ? "\r\n" : "\n");
}

/* A record of several lines, as jq prints it; now and then its end is missing. */
static void add_random_document(made *text, size_t longest)
{
    add(text, pick(20) ? "{\n" : "{\r\n");
    add(text, pick(20) ? "  \"state\": \"done\",\n" : "  \"state\": \"failed\",\n\n");
    add(text, "\t\"text\": \"");
    add_fill(text, 'z', pick(longest));
    add(text, pick(20) ? "\"\n}\n" : pick(2) ? "\"\n" : "\"\n} and more\n");
}

static void add_random_row(made *text, char delimiter, size_t longest)
{
    char start[64];
    snprintf(start, sizeof start, "%zu%c%s%c", pick(100000), delimiter, pick(20) ? "done" : "FAILED",
             delimiter);
    if (pick(15) == 0) {
        add(text, pick(2) ? "\n" : "\r\n");
        return;
    }
    add(text, start);
    switch (pick(6)) {
    case 0:
        add(text, "\"two\nlines, and \"\"quotes\"\"\n\"");
        break;
    case 1:
        add(text, "a 5\" disk");
        break;
    case 2:
        add(text, "\"\"");
        break;
    default:
        add_fill(text, 'y', pick(longest));
        add(text, "\xC3\xA9");
    }
    add(text, pick(9) == 0 ? "\r\n" : "\n");
}

static made random_records(const abr_telling *told)
{
    made text = {0};
    const size_t count = pick(3) == 0 ? pick(6) : pick(300);
    const size_t longest = pick(4) == 0 ? 3000 : 60;
    if (told->kind == ABR_KIND_TABLE)
        add(&text, told->delimiter == '\t' ? "id\tstate\tnote\n"
                   : told->delimiter       ? "id,state,note\n"
                                           : "ID    STATE  NOTE\n----- -----  ----\n");
    const bool documents = pick(3) == 0;
    for (size_t i = 0; i < count; i++) {
        if (told->kind == ABR_KIND_JSON_LINES && documents && pick(3))
            add_random_document(&text, longest);
        else if (told->kind == ABR_KIND_JSON_LINES)
            add_random_json(&text, longest);
        else
            add_random_row(&text, told->delimiter ? told->delimiter : ' ', longest);
    }
    while (text.n > 0 && pick(3) == 0 && text.p[text.n - 1] != '"')
        text.n--;
    return text;
}

/* ---- rules ---- */

static abr_opts bytes_of(uint64_t most, const abr_alloc *alloc)
{
    abr_opts o = ABR_OPTS_INIT;
    o.max.bytes = most;
    o.alloc = alloc;
    return o;
}

/* Are the contents and what is told of them the same? Pieces may be split elsewhere. */
static bool same_cut(const abr_cut *a, const abr_cut *b)
{
    bool same = a->content_bytes == b->content_bytes && a->item_count == b->item_count &&
                a->item_count == 1 && a->items[0].kept == b->items[0].kept &&
                a->items[0].total == b->items[0].total;
    char *x = content_of(a);
    char *y = content_of(b);
    same = same && (a->content_bytes == 0 || memcmp(x, y, a->content_bytes) == 0);
    free(x);
    free(y);
    return same;
}

/* Is each line a marker, blank or no JSON in the source, or JSON? */
static bool lines_stand(const abr_cut *cut)
{
    char *content = content_of(cut);
    bool fine = true;
    for (size_t at = 0; at < cut->content_bytes && fine;) {
        const char *line = content + at;
        const char *newline = memchr(line, '\n', cut->content_bytes - at);
        const size_t n = newline ? (size_t)(newline - line) : cut->content_bytes - at;
        const bool blank = n == 0 || *line == ' ' || *line == '\r';
        fine =
            (n > 5 && memcmp(line, "... [", 5) == 0) || blank || *line == 'n' || abr_is_json(line, n, true);
        at += n + 1;
    }
    free(content);
    return fine;
}

static bool has_documents(const made *text)
{
    for (size_t i = 0; i + 1 < text->n; i++)
        if (text->p[i] == '{' && (text->p[i + 1] == '\n' || text->p[i + 1] == '\r'))
            return true;
    return false;
}

static void check_budgets(const made *text, const abr_telling *told, abr_marker marker, const size_t *budgets,
                          size_t count)
{
    ledger l = {0};
    const abr_alloc alloc = ledger_alloc(&l);
    const bool table = told->kind == ABR_KIND_TABLE;
    const all_records all = read_naively(text->p, text->n, table, told->delimiter, told->header_lines);
    const bool documents = has_documents(text);
    for (size_t i = 0; i < count; i++) {
        abr_opts o = bytes_of(budgets[i], &alloc);
        o.marker = marker;
        if (text->n <= budgets[i])
            break;
        const size_t keep = budgets[i] + 8;
        const record_way once = {*told, &o, keep, keep, text->n, false, false};
        const record_way chunks = {
            *told, &o, keep, keep, 1 + pick(pick(3) ? 40 : 4000), true, text->n < 100000 && pick(8) == 0};
        const record_way lowered = {*told, &o, keep + pick(100000), keep, 1 + pick(1000), true, false};
        abr_cut cut;
        abr_cut other;
        CHECK(cut_records(text->p, text->n, &once, &cut) == ABR_OK);
        const char *broken = broken_record_rule(text->p, text->n, &all, table, &o, &cut);
        if (!CHECK(broken == NULL))
            fprintf(stderr, "kind %d, %zu bytes in %zu: %s\n", (int)told->kind, text->n, budgets[i], broken);
        if (told->kind == ABR_KIND_JSON_LINES && text->n > 0 && text->p[text->n - 1] == '\n' && !documents)
            CHECK(lines_stand(&cut));
        CHECK(cut_records(text->p, text->n, &chunks, &other) == ABR_OK);
        CHECK(same_cut(&cut, &other));
        abr_cut_free(&other);
        CHECK(cut_records(text->p, text->n, &lowered, &other) == ABR_OK);
        CHECK(same_cut(&cut, &other));
        abr_cut_free(&other);
        abr_cut_free(&cut);
    }
    CHECK_COUNT(0, l.blocks);
    free(all.records);
}

static void check_text_of(const made *text, const abr_telling *told, abr_marker marker)
{
    static const size_t budgets[] = {0, 1, 7, 40, 90, 200, 500, 1000, 2048, 4096, 8192};
    check_budgets(text, told, marker, budgets, sizeof budgets / sizeof *budgets);
}

static void records_are_whole_and_gaps_exact(void)
{
    const abr_telling *const kinds[] = {&lines_of_json, &csv, &tsv, &aligned};
    for (size_t i = check_cases(60); i > 0; i--) {
        const abr_telling *told = kinds[pick(4)];
        made text = random_records(told);
        check_text_of(&text, told,
                      pick(4)   ? ABR_MARKER_INSIDE
                      : pick(2) ? ABR_MARKER_OUTSIDE
                                : ABR_MARKER_NONE);
        free(text.p);
    }
}

/* ---- drawn tables ---- */

static const abr_telling drawn[] = {
    {.kind = ABR_KIND_TABLE, .header_lines = 2, .drawn = {.bar = "|", .width = 22}},
    {.kind = ABR_KIND_TABLE,
     .header_lines = 2,
     .drawn = {.bar = "|", .frame = 1, .rows = ABR_ROWS_RULED, .width = 22}},
    {.kind = ABR_KIND_TABLE,
     .header_lines = 2,
     .drawn = {.bar = "|", .frame = 2, .rows = ABR_ROWS_RULED, .width = 24}}, /* a box inside a box */
    {.kind = ABR_KIND_TABLE, .drawn = {.bar = "|", .rows = ABR_ROWS_EXPANDED, .heading = '-'}},
};

/* Rows of a drawn table, some of several lines, and how many there are. */
static made random_drawn(const abr_telling *told, size_t *count)
{
    made text = {0};
    char line[120];
    *count = 1 + pick(200);
    if (told->header_lines > 0)
        add(&text, " id |      state      \n----+-----------------\n");
    for (size_t i = 0; i < *count; i++) {
        const bool more = pick(4) == 0;
        const char *state = pick(20) ? "done" : "failed";
        const char *outer = told->drawn.frame > 1 ? "|" : "";
        if (told->drawn.rows == ABR_ROWS_EXPANDED)
            snprintf(line, sizeof line, "-[ RECORD %zu ]-\nid    | %zu\nstate | %s\n", i + 1, i, state);
        else if (told->drawn.rows == ABR_ROWS_RULED)
            snprintf(line, sizeof line, "%s| %2zu | %-15s |\n%s%s+----+-----------------+\n", outer, i % 100,
                     state, more ? "|    | and more        |\n" : "", outer);
        else
            snprintf(line, sizeof line, " %2zu | %-16s%s\n", i % 100, state, more ? "+\n    | and more" : "");
        add(&text, line);
    }
    if (told->drawn.rows == ABR_ROWS_LINES)
        add(&text, pick(2) ? "(9 rows)\n\n" : "----+-----------------\n(9 rows)\n");
    return text;
}

static void drawn_rows_are_counted_and_the_same_in_chunks(void)
{
    ledger l = {0};
    const abr_alloc alloc = ledger_alloc(&l);
    for (size_t i = check_cases(60); i > 0; i--) {
        const abr_telling *told = &drawn[i % (sizeof drawn / sizeof *drawn)];
        size_t count;
        made text = random_drawn(told, &count);
        const size_t budget = 60 + pick(2000);
        abr_opts o = bytes_of(budget, &alloc);
        const size_t keep = budget + 8;
        const record_way once = {*told, &o, keep, keep, text.n, false, false};
        const record_way chunks = {*told, &o, keep, keep, 1 + pick(pick(3) ? 40 : 4000), true, pick(8) == 0};
        abr_cut cut;
        abr_cut other;
        CHECK(cut_records(text.p, text.n, &once, &cut) == ABR_OK);
        CHECK(cut.content_bytes <= budget);
        CHECK_COUNT(count, cut.items[0].total);
        CHECK(cut_records(text.p, text.n, &chunks, &other) == ABR_OK);
        CHECK(same_cut(&cut, &other));
        abr_cut_free(&other);
        abr_cut_free(&cut);
        free(text.p);
    }
    CHECK_COUNT(0, l.blocks);
}

/* ---- single cuts ---- */

static char *cut_as(const made *text, const abr_telling *told, size_t budget, abr_marker marker)
{
    abr_opts o = bytes_of(budget, abr_allocator(NULL));
    o.marker = marker;
    const record_way way = {*told, &o, budget + 8, budget + 8, text->n, false, false};
    abr_cut cut;
    CHECK(cut_records(text->p, text->n, &way, &cut) == ABR_OK);
    char *content = malloc(cut.content_bytes + 1);
    if (!content)
        exit(2);
    abr_cut_write(&cut, content);
    content[cut.content_bytes] = '\0';
    abr_cut_free(&cut);
    return content;
}

static void expect_in(const made *text, const abr_telling *told, size_t budget, const char *wanted)
{
    char *content = cut_as(text, told, budget, ABR_MARKER_INSIDE);
    if (!CHECK(strstr(content, wanted) != NULL))
        fprintf(stderr, "no \"%s\" in:\n%s\n", wanted, content);
    free(content);
}

/* A thousand records of JSON, and among them, at 600, `odd`. */
static made json_with(const char *odd)
{
    made text = {0};
    char line[200];
    for (int i = 0; i < 1000; i++) {
        snprintf(line, sizeof line,
                 "{\"id\":%d,\"level\":\"info\",\"status\":200,\"error\":null,\"errors\":0,\"ok\":true,"
                 "\"ms\":%d}\n",
                 i, i * 7 % 90 + 10);
        add(&text, i == 600 ? odd : line);
    }
    return text;
}

static void trouble_is_shown_first(void)
{
    static const char *const odd[] = {
        "{\"id\":\"x\",\"level\":\"error\",\"status\":200,\"error\":null,\"errors\":0,\"ok\":true,\"ms\":11}"
        "\n",
        "{\"id\":\"x\",\"level\":\"info\",\"status\":503,\"error\":null,\"errors\":0,\"ok\":true,\"ms\":11}"
        "\n",
        "{\"id\":\"x\",\"level\":\"info\",\"status\":200,\"error\":\"part "
        "17\",\"errors\":0,\"ok\":true,\"ms\":11}\n",
        "{\"id\":\"x\",\"level\":\"info\",\"status\":200,\"error\":null,\"errors\":3,\"ok\":true,\"ms\":11}"
        "\n",
        "{\"id\":\"x\",\"level\":\"info\",\"status\":200,\"error\":null,\"errors\":0,\"ok\":false,\"ms\":11}"
        "\n",
        "{\"id\":\"x\",\"level\":\"info\",\"status\":200,\"error\":null,\"errors\":0,\"ok\":true,\"exit_"
        "code\":1}\n",
        "{\"id\":\"x\",\"level\":\"info\",\"status\":200,\"error\":null,\"errors\":0,\"ok\":true,\"ms\":"
        "98765}\n",
        "{\"id\":\"x\",\"kind\":\"other\"}\n",
        "this line is no JSON \"x\"\n",
    };
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
        made text = json_with(odd[i]);
        expect_in(&text, &lines_of_json, 1000, odd[i]);
        free(text.p);
    }
}

/* The trouble of a value in a column of that role. */
static float trouble_of(const char *value, abr_role role)
{
    static abr_record_columns columns;
    char text[64] = {0};
    abr_worth worth = {0};
    memcpy(text, value, strlen(value));
    abr_columns_open(&columns, 0);
    abr_read_cell(&columns, NULL, &(abr_cell){.p = text, .n = strlen(value), .role = role}, 0, &worth);
    return worth.trouble;
}

/* The words that a value is compared with end before it does, if it has bytes of 0. */
static void a_value_with_zeros_is_read_no_further_than_a_word(void)
{
    static const char value[] = "no\0\0\0\0\0\0";
    abr_lexicon lexicon;
    abr_lexicon_open(&lexicon, 0);
    CHECK(abr_text_trouble(&lexicon, ABR_ROLE_GOOD, value, 2, 0) >= ABR_SCORE_HIT);
    for (size_t n = 3; n < sizeof value; n++)
        CHECK(abr_text_trouble(&lexicon, ABR_ROLE_GOOD, value, n, 0) < ABR_SCORE_HIT);
}

/* Every row of roles.def earns its place: a value of the column is judged otherwise without it. */
static void a_name_of_a_column_and_a_state_judge_otherwise_than_words_alone(void)
{
    static const struct {
        const char *name, *value;
        abr_role role;
    } roles[] = {
#define ROLE(role, name, program, value) {name, value, ABR_ROLE_##role},
#define STATE(clear, value, program)
#include "kinds/roles.def"
#undef ROLE
#undef STATE
    };
    static const struct {
        const char *value;
        bool clear;
    } states[] = {
#define ROLE(role, name, program, value)
#define STATE(clear, value, program) {value, clear},
#include "kinds/roles.def"
#undef ROLE
#undef STATE
    };
    for (size_t i = 0; i < sizeof roles / sizeof *roles; i++) {
        const float alone = trouble_of(roles[i].value, ABR_ROLE_NONE);
        const float named = trouble_of(roles[i].value, abr_role_of(roles[i].name, strlen(roles[i].name)));
        const bool is_name = roles[i].role == ABR_ROLE_NAME;
        if (!CHECK(is_name ? alone >= ABR_SCORE_HIT && named < ABR_SCORE_HIT
                           : alone < ABR_SCORE_HIT && named >= ABR_SCORE_HIT))
            fprintf(stderr, "%s: %s: %g, %g\n", roles[i].name, roles[i].value, (double)alone, (double)named);
    }
    for (size_t i = 0; i < sizeof states / sizeof *states; i++) {
        char sentence[64];
        snprintf(sentence, sizeof sentence, "%s x", states[i].value);
        const float alone = trouble_of(sentence, ABR_ROLE_NONE);
        const float whole = trouble_of(states[i].value, ABR_ROLE_NONE);
        if (!CHECK(alone < whole && (whole >= ABR_SCORE_HIT) == states[i].clear))
            fprintf(stderr, "%s: %g, %g\n", states[i].value, (double)alone, (double)whole);
    }
}

static void an_odd_row_is_shown(void)
{
    static const char *const odd[] = {"x-7,CrashLoopBackOff,0,fine\n", "x-7,Running,117,fine\n",
                                      "x-7,Evicted,0,fine\n", "x-7,Running,0,cannot pull image\n",
                                      "x-7,Running\n"};
    for (size_t k = 0; k < sizeof odd / sizeof *odd; k++) {
        made text = {0};
        char line[100];
        add(&text, "name,status,restarts,note\n");
        for (int i = 0; i < 1000; i++) {
            snprintf(line, sizeof line, "pod-%d,Running,%d,fine\n", i, i % 3);
            add(&text, i == 500 ? odd[k] : line);
        }
        expect_in(&text, &csv, 500, odd[k]);
        expect_in(&text, &csv, 500, "name,status,restarts,note\npod-0,");
        expect_in(&text, &csv, 500, "pod-999,Running,0,fine\n");
        free(text.p);
    }
}

static void a_flood_hides_neither_end_nor_other_trouble(void)
{
    made text = {0};
    char line[100];
    add(&text, "name,status,note\n");
    for (int i = 0; i < 20000; i++) {
        snprintf(line, sizeof line, "job-%d,%s,%s\n", i, i % 3 ? "FAILED" : "done",
                 i == 12345 ? "disk is not readable: denied" : "-");
        add(&text, line);
    }
    expect_in(&text, &csv, 1000, "disk is not readable");
    expect_in(&text, &csv, 1000, "job-0,done");
    expect_in(&text, &csv, 1000, "job-19999,FAILED");
    free(text.p);
}

static void names_and_nothing_are_no_trouble(void)
{
    made text = {0};
    char line[160];
    for (int i = 0; i < 60; i++) {
        snprintf(line, sizeof line,
                 "{\"n\":%d,\"error\":null,\"failed\":0,\"errors\":[],\"exception\":\"\"}\n", i);
        add(&text, line);
    }
    char *content = cut_as(&text, &lines_of_json, 1000, ABR_MARKER_INSIDE);
    size_t markers = 0;
    for (const char *p = content; (p = strstr(p, "omitted]")) != NULL; p++)
        markers++;
    CHECK_COUNT(1, markers); /* two ends */
    free(content);
    free(text.p);
}

static void no_marker_leaves_lines_lines(void)
{
    made text = {0};
    add(&text, "a,b\n1,2\n3,4\n5,6\n7,8\n9,0");
    char *content = cut_as(&text, &csv, 12, ABR_MARKER_NONE);
    CHECK_TEXT("a,b\n1,2\n9,0", content, strlen(content));
    free(content);
    free(text.p);
}

static void a_header_that_does_not_fit_is_cut(void)
{
    made text = {0};
    add(&text, "first,second,");
    add_fill(&text, 'c', 300);
    add(&text, ",last\n1,2,3,4\n5,6,7,8\n");
    expect_in(&text, &csv, 200, "first,second,ccc");
    expect_in(&text, &csv, 200, " ... ");
    expect_in(&text, &csv, 200, "\n... [2 rows omitted] ...");
    expect_in(&text, &csv, 10, "first");
    free(text.p);
}

static void a_long_row_shows_start_and_sign(void)
{
    made text = {0};
    add(&text, "id,log,status\n");
    for (int i = 0; i < 60; i++) {
        add(&text, i == 30 ? "thirty,\"" : "x,\"");
        add_fill(&text, 'z', 2000);
        add(&text, i == 30 ? " connection refused by peer " : " and so on ");
        add_fill(&text, 'z', 6000);
        add(&text, "\",ok\n");
    }
    expect_in(&text, &csv, 4096, "thirty,\"");
    expect_in(&text, &csv, 4096, "connection refused");
    free(text.p);
}

/* ---- memory ---- */

/* What a cut of a text shows of it is the text itself: no reader is left when the cut is used. */
static void the_end_of_a_long_last_row_is_the_texts(void)
{
    made text = {0};
    add(&text, "id,name,state\n");
    for (int i = 0; i < 300; i++)
        add(&text, "7,item,ok\n");
    add(&text, "300,");
    add_fill(&text, 'x', 20000);
    add(&text, ",error: failed");
    for (uint64_t bytes = 200; bytes < 9000; bytes += 100) {
        abr_opts o = ABR_OPTS_INIT;
        o.strategy = ABR_AUTO;
        o.max.bytes = bytes;
        abr_cut cut;
        CHECK(abr_cut_text(text.p, text.n, &o, &cut, NULL) == ABR_OK);
        for (size_t i = 0; i < cut.piece_count; i++)
            CHECK(!cut.pieces[i].source || cut.pieces[i].n == 1 ||
                  cut.pieces[i].p == text.p + cut.pieces[i].first_byte - 1);
        free(content_of(&cut));
        abr_cut_free(&cut);
    }
    free(text.p);
}

/* The end is listed from a place that is noted, which may leave it as many records as it may have
 * and one that is open. */
static void every_listed_record_has_room(void)
{
    const abr_opts o = bytes_of(4096, abr_allocator(NULL));
    made text = {0};
    add(&text, "{\"a\":1}\n");
    for (int i = 0; i < 2000; i++)
        add(&text, "{}\n");
    for (int i = 0; i < 200; i++) {
        const record_way way = {lines_of_json, &o, 4096 + 8, 4096 + 8, 100, true, false};
        abr_cut cut;
        CHECK(cut_records(text.p, text.n - 1, &way, &cut) == ABR_OK);
        abr_cut_free(&cut);
        add(&text, "{}\n");
    }
    free(text.p);
}

/* Where tokens count, more bytes are kept of the ends than the text has. */
static void more_short_records_than_a_budget_keeps_are_listed(void)
{
    static const char *const records[] = {"[1]\n", "{\"a\":1}\n", "1,a\n"};
    for (size_t i = 0; i < sizeof records / sizeof *records; i++) {
        made text = {0};
        if (i == 2)
            add(&text, "id,name\n");
        while (text.n < 40000) {
            abr_opts o = ABR_OPTS_INIT;
            abr_cut cut;
            for (size_t n = 0; n < 800; n++)
                add(&text, records[i]);
            o.strategy = ABR_AUTO;
            o.max.tokens = 1000;
            CHECK(abr_cut_text(text.p, text.n, &o, &cut, NULL) == ABR_OK);
            CHECK(cut.kind == (i < 2 ? ABR_KIND_JSON_LINES : ABR_KIND_TABLE));
            abr_cut_free(&cut);
        }
        free(text.p);
    }
}

/* Most of a large budget goes to runs of records at both ends, which are not listed. */
static void runs_are_of_whole_records(void)
{
    for (size_t kind = 0; kind < 2; kind++) {
        made text = {0};
        if (kind == 1)
            add(&text, "id,name,state,note\n");
        while (text.n < 600000)
            for (size_t n = 0; n < 1000; n++)
                kind == 0 ? add_random_json(&text, 60) : add_random_row(&text, ',', 60);
        const size_t budgets[] = {270000, 400000, text.n - 10};
        check_budgets(&text, kind == 0 ? &lines_of_json : &csv, ABR_MARKER_INSIDE, budgets,
                      sizeof budgets / sizeof *budgets);
        free(text.p);
    }
}

/* What is retained of a long record does not grow where the allowance does not. */
static void a_large_budget_that_is_lowered_retains_what_a_small_one_does(void)
{
    enum { BUDGET = 300000, OPENED = 8 * 1024 * 1024, LONG = 200000 };
    made text = {0};
    ledger l = {0};
    const abr_alloc alloc = ledger_alloc(&l);
    const abr_opts o = bytes_of(BUDGET, &alloc);
    abr_cut want;
    abr_cut got;
    add(&text, "id,state,note\n");
    for (int i = 0; i < 6000; i++) {
        const bool is_long = i % 1000 == 500;
        add(&text, i % 100 == 50 || is_long ? "7,failed," : "7,ok,");
        add_fill(&text, 'n', is_long ? LONG : 200);
        add(&text, "\n");
    }
    const record_way once = {csv, &o, BUDGET + 8, BUDGET + 8, text.n, false, false};
    const record_way lowered = {csv, &o, OPENED, BUDGET + 8, 5000, true, false};
    CHECK(cut_records(text.p, text.n, &once, &want) == ABR_OK);
    CHECK(cut_records(text.p, text.n, &lowered, &got) == ABR_OK);
    CHECK(same_cut(&want, &got));
    abr_cut_free(&want);
    abr_cut_free(&got);
    free(text.p);
}

/* Of a record that is a little longer than what is retained of it, too; its chars are cut nowhere. */
static void a_record_of_any_length_is_retained_with_its_end(void)
{
    static const size_t budgets[] = {2048, 4096, 5012, 8192, 30000, 47790};
    for (size_t longest = 4000; longest < 7000; longest += 300) {
        made text = {0};
        add(&text, "id,state,note\n");
        for (int i = 0; i < 900; i++) {
            add(&text, i % 9 == 0 ? "7,failed,\"" : "7,ok,\"");
            for (size_t left = i % 9 < 2 ? longest - pick(900) : pick(90); left > 0; left -= left > 1 ? 2 : 1)
                add(&text, left > 1 ? "\xC3\xA9" : "e");
            add(&text, "\"\n");
        }
        check_budgets(&text, &csv, ABR_MARKER_INSIDE, budgets, sizeof budgets / sizeof *budgets);
        free(text.p);
    }
}

static void short_records_fill_a_budget(void)
{
    ledger l = {0};
    const abr_alloc alloc = ledger_alloc(&l);
    made text = {0};
    while (text.n < 1000000)
        add(&text, "{}\n");
    for (size_t budget = 2000; budget <= 400000; budget *= 5) {
        const abr_opts o = bytes_of(budget, &alloc);
        const record_way once = {lines_of_json, &o, budget, budget, text.n, false, false};
        abr_cut cut;
        CHECK(cut_records(text.p, text.n, &once, &cut) == ABR_OK);
        size_t size = 0;
        for (size_t i = 0; i < cut.piece_count; i++)
            size += cut.pieces[i].n;
        CHECK(size <= budget && size > budget / 10 * 9);
        abr_cut_free(&cut);
    }
    free(text.p);
}

static void memory_is_bounded(void)
{
    static const size_t budgets[] = {100, 8192, 65536};
    for (size_t i = 0; i < sizeof budgets / sizeof *budgets; i++) {
        ledger l = {0};
        const abr_alloc alloc = ledger_alloc(&l);
        const abr_opts o = bytes_of(budgets[i], &alloc);
        const abr_telling *const kinds[] = {&lines_of_json, &csv};
        for (size_t k = 0; k < 2; k++) {
            made text = {0};
            const record_way way = {*kinds[k], &o, budgets[i] + 8, budgets[i] + 8, 65536, true, false};
            abr_cut cut;
            while (text.n < 6000000)
                if (k == 0)
                    add(&text, pick(3) ? "{}\n" : "{\"status\":\"failed\",\"why\":\"cannot\"}\n");
                else
                    add_random_row(&text, ',', pick(1000) ? 40 : 200000);
            CHECK(cut_records(text.p, text.n, &way, &cut) == ABR_OK);
            CHECK(l.peak <= 64 * budgets[i] + 1024 * 1024);
            abr_cut_free(&cut);
            free(text.p);
        }
        CHECK_COUNT(0, l.blocks);
    }
}

static void no_failed_allocation_leaks(void)
{
    made text = {0};
    add(&text, "id,state,note\n");
    for (int i = 0; i < 300; i++)
        add_random_row(&text, ',', i % 50 ? 30 : 9000);
    for (size_t fail_at = 1, failed = 1; failed; fail_at++) {
        ledger l = {.fail_at = fail_at};
        const abr_alloc alloc = ledger_alloc(&l);
        const abr_hit hit = {.p = "done", .n = 4, .weight = 1};
        abr_opts o = bytes_of(900, &alloc);
        o.hits = &hit;
        o.hit_count = 1;
        const record_way way = {csv, &o, 908, 908, 500, true, false};
        abr_cut cut;
        const abr_code code = cut_records(text.p, text.n, &way, &cut);
        failed = code != ABR_OK;
        CHECK(!failed || code == ABR_ENOMEM);
        abr_cut_free(&cut);
        CHECK_COUNT(0, l.blocks);
    }
    free(text.p);
}

int main(void)
{
    RUN(records_are_whole_and_gaps_exact);
    RUN(drawn_rows_are_counted_and_the_same_in_chunks);
    RUN(trouble_is_shown_first);
    RUN(a_name_of_a_column_and_a_state_judge_otherwise_than_words_alone);
    RUN(a_value_with_zeros_is_read_no_further_than_a_word);
    RUN(an_odd_row_is_shown);
    RUN(a_flood_hides_neither_end_nor_other_trouble);
    RUN(names_and_nothing_are_no_trouble);
    RUN(no_marker_leaves_lines_lines);
    RUN(a_header_that_does_not_fit_is_cut);
    RUN(a_long_row_shows_start_and_sign);
    RUN(the_end_of_a_long_last_row_is_the_texts);
    RUN(every_listed_record_has_room);
    RUN(more_short_records_than_a_budget_keeps_are_listed);
    RUN(runs_are_of_whole_records);
    RUN(a_large_budget_that_is_lowered_retains_what_a_small_one_does);
    RUN(a_record_of_any_length_is_retained_with_its_end);
    RUN(short_records_fill_a_budget);
    RUN(memory_is_bounded);
    RUN(no_failed_allocation_leaks);
    return check_end();
}
