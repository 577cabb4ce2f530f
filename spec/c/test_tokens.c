/* The token estimate: what single features cost, that it never falls as a text grows, and that long texts,
 * which are read in several places at once, are weighed as if they were read in one. */
#include "check.h"

#include "text/tokens.h"

static uint64_t cost(const char *text)
{
    return abr_token_cost(text, strlen(text));
}

static void tokens_are_costs_rounded_up(void)
{
    CHECK_COUNT(0, abr_estimate_tokens(NULL, 0));
    CHECK_COUNT(0, abr_estimate_tokens("", 0));
    CHECK_COUNT(1, abr_estimate_tokens("a", 1));
    char text[3000];
    for (size_t n = 0; n < sizeof text; n++) {
        text[n] = "word 7,"[n % 7];
        uint64_t units = abr_token_cost(text, n);
        CHECK_COUNT(units / ABR_TOKEN_UNITS + (units % ABR_TOKEN_UNITS != 0), abr_estimate_tokens(text, n));
    }
}

static void weights_are_rounded_up(void)
{
    CHECK_COUNT(0, abr_weigh_tokens("", 0, 1.35));
    CHECK_COUNT(2, abr_weigh_tokens("a", 1, 1.35));
    CHECK_COUNT(1, abr_weigh_tokens("a", 1, 0.001));
    CHECK_COUNT(1000, abr_weigh_tokens("a", 1, 1000));
}

static void words_cost_by_their_length(void)
{
    CHECK_COUNT(cost("a"), cost("abcde"));
    CHECK(cost("abcdef") > cost("abcde"));
    CHECK_COUNT(cost("abcdef") - cost("abcde"), cost("abcdefghij") - cost("abcdefghi"));
    CHECK_COUNT(cost("a"), cost("Abcde"));
    CHECK_COUNT(2 * cost("abc"), cost("abcDef"));
    CHECK_COUNT(cost("abc") + cost("def"), cost("abc def"));          /* the blank goes with its word */
    CHECK(cost("a_name") - cost("a_") < cost("a,name") - cost("a,")); /* a JOIN more so */
    CHECK(cost("HTTPServer") > cost("HTTP") + cost("erver"));
}

static void digits_cost_by_threes(void)
{
    CHECK_COUNT(cost("1"), cost("123"));
    CHECK(cost("1234") > cost("123"));
    CHECK_COUNT(cost("1234"), cost("123456"));
    CHECK_COUNT(cost("1234567") - cost("123456"), cost("1234") - cost("123"));
    CHECK(cost("a 1") > cost("a1")); /* no group of digits takes a blank */
}

static void runs_cost_less_than_their_bytes(void)
{
    CHECK_COUNT(cost("a  b"), cost("a          b"));
    CHECK(cost("a  b") > cost("a b"));
    CHECK(cost("a\t\tb") > cost("a\tb"));
    CHECK(cost("a\tb") > cost("a b"));
    CHECK_COUNT(cost("a\n"), cost("a\n\r\n\n"));
    CHECK(cost("a;\n") < cost("a;") + cost("a\n") - cost("a"));
    CHECK(cost("========") < 2 * cost("="));
    CHECK(cost("(){};") - cost("(){}") > cost("=====") - cost("===="));
    CHECK(cost("\xE2\x94\x80\xE2\x94\x80") < 2 * cost("\xE2\x94\x80"));
}

static void scripts_differ(void)
{
    CHECK(cost("\xD0\xBF\xD1\x80\xD0\xB8") < 3 * ABR_TOKEN_UNITS);               /* Cyrillic letters */
    CHECK(cost("\xE6\xBC\xA2\xE5\xAD\x97") > cost("\xD0\xBF\xD1\x80"));          /* cost less than Han */
    CHECK(cost("\xE1\xBA\xBF") < cost("\xE1\x83\x93"));                          /* Vietnamese, Georgian */
    CHECK(cost("caf\xC3\xA9") > cost("cafe"));                                   /* a mark breaks a word */
    CHECK(cost("\xF0\x9F\x98\x80") > ABR_TOKEN_UNITS);                           /* an emoji */
    CHECK(cost("\x80\x80\x80\x80") > 0 && cost("\xFF") > 0 && cost("\x01") > 0); /* what is no text */
}

/* ---- growth ---- */

/* A byte of each class and more, so that short texts meet every state. */
static const char all_kinds[] =
    "\n\r \taeZ7_/=#,;\x01\x7F\x80\xBA\xC2\xC3\xC9\xD0\xE0\xE1\xE2\xE3\xE6\xEC\xEF\xF0\xFF";

enum { KINDS = sizeof all_kinds - 1 };

static void growing_at_the_front_costs(void)
{
    enum { TAIL = 3 };
    char text[1 + TAIL];
    const size_t tails = (size_t)KINDS * KINDS * KINDS;
    for (size_t i = 0; i < tails; i++) {
        size_t left = i;
        for (size_t k = 1; k <= TAIL; k++, left /= KINDS)
            text[k] = all_kinds[left % KINDS];
        uint64_t shorter = abr_token_cost(text + 1, TAIL);
        for (size_t first = 0; first < KINDS; first++) {
            text[0] = all_kinds[first];
            CHECK(abr_token_cost(text, 1 + TAIL) >= shorter);
        }
    }
}

static void growing_before_a_newline_costs(void)
{
    char text[16] = {0};
    for (size_t i = 0; i < (size_t)KINDS * KINDS * KINDS; i++) {
        size_t n = 0;
        for (size_t left = i; n < 3; left /= KINDS)
            text[n++] = all_kinds[left % KINDS];
        text[n] = '\n';
        uint64_t shorter = abr_token_cost(text, n + 1);
        for (size_t last = 0; last < KINDS; last++) {
            text[n] = all_kinds[last];
            text[n + 1] = '\n';
            CHECK(abr_token_cost(text, n + 2) >= shorter);
        }
    }
}

/* Texts that dwell on a kind of byte and then change. */
static void fill(char *p, size_t n)
{
    size_t i = 0;
    while (i < n) {
        size_t run = 1 + pick(pick(20) == 0 ? 200 : 8);
        size_t from = pick(KINDS);
        size_t among = pick(3) == 0 ? 1 : 1 + pick(KINDS);
        for (; run > 0 && i < n; run--)
            p[i++] = pick(30) == 0 ? (char)pick(256) : all_kinds[(from + pick(among)) % KINDS];
    }
}

static void growing_costs(void)
{
    char text[300];
    for (int round = 0; round < 300; round++) {
        fill(text, sizeof text);
        for (size_t n = 1; n <= sizeof text; n++) {
            CHECK(abr_token_cost(text, n) >= abr_token_cost(text, n - 1));
            CHECK(abr_token_cost(text + sizeof text - n, n) >=
                  abr_token_cost(text + sizeof text - n + 1, n - 1));
        }
    }
}

/* ---- lanes ---- */

/* The cost of a text line by line: after a newline the machine has forgotten everything. Lines are too
 * short for lanes. */
static uint64_t cost_by_lines(const char *p, size_t n)
{
    uint64_t sum = 0;
    size_t start = 0;
    for (size_t i = 0; i < n; i++) {
        if (p[i] == '\n' || i + 1 == n) {
            sum += abr_token_cost(p + start, i + 1 - start);
            start = i + 1;
        }
    }
    return sum;
}

static void lanes_change_nothing(void)
{
    enum { MOST = 40000, LINE_MOST = 1500 };
    char *text = malloc(MOST);
    CHECK(text != NULL);
    for (int round = 0; text && round < 400; round++) {
        size_t n = 1 + pick(MOST);
        fill(text, n);
        size_t run = pick(n); /* what does not settle: a digit's place in its group */
        size_t size = pick(1000) < n - run ? pick(1000) % (n - run) : 0;
        memset(text + run, round % 2 ? '4' : '\x80', size);
        size_t line = 0;
        for (size_t i = 0; i < n; i++) {
            line = text[i] == '\n' ? 0 : line + 1;
            if (line > LINE_MOST) {
                text[i] = '\n';
                line = 0;
            }
        }
        CHECK_COUNT(cost_by_lines(text, n), abr_token_cost(text, n));
    }
    free(text);
}

static void parts_cost_as_much_as_the_whole(void)
{
    enum { SIZE = 20000 };
    static const char bytes[] = "aB1 \n.,\xC3\xA9_xyz 23";
    char *text = malloc(SIZE);
    CHECK(text != NULL);
    if (!text)
        return;
    for (size_t i = 0; i < SIZE; i++)
        text[i] = i % 4000 < 100 ? '7' : bytes[check_cases(sizeof bytes - 1)];
    for (size_t part = 1; part < SIZE; part = part * 3 + 1) {
        abr_token_sum sum = {0};
        for (size_t at = 0; at < SIZE; at += part)
            abr_add_token_cost(text + at, SIZE - at < part ? SIZE - at : part, &sum);
        CHECK_COUNT(abr_token_cost(text, SIZE), sum.cost);
        CHECK_COUNT(abr_weigh_tokens(text, SIZE, 1.35), abr_weigh_token_sum(&sum, 1.35));
    }
    free(text);
}

static void long_runs_are_weighed(void)
{
    enum { SIZE = 30000 };
    char *text = malloc(SIZE);
    CHECK(text != NULL);
    if (!text)
        return;
    memset(text, '1', SIZE);
    CHECK_COUNT(cost("1") + (SIZE / 3 - 1) * (cost("1234") - cost("1")), abr_token_cost(text, SIZE));
    memset(text, 'x', SIZE);
    CHECK_COUNT(cost("xxxxx") + (SIZE - 5) * (cost("xxxxxx") - cost("xxxxx")), abr_token_cost(text, SIZE));
    memset(text, ' ', SIZE);
    CHECK_COUNT(cost("  "), abr_token_cost(text, SIZE));
    free(text);
}

int main(void)
{
    RUN(tokens_are_costs_rounded_up);
    RUN(weights_are_rounded_up);
    RUN(words_cost_by_their_length);
    RUN(digits_cost_by_threes);
    RUN(runs_cost_less_than_their_bytes);
    RUN(scripts_differ);
    RUN(growing_at_the_front_costs);
    RUN(growing_before_a_newline_costs);
    RUN(growing_costs);
    RUN(lanes_change_nothing);
    RUN(parts_cost_as_much_as_the_whole);
    RUN(long_runs_are_weighed);
    return check_end();
}
