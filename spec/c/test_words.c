/* What one pass over a line finds besides its score: its outline, and how rare its words are. */
#include "check.h"
#include "line/lexicon.h"
#include "priority/rarity.h"
#include "line/words.h"

static abr_lexicon lexicon;

/* Read n bytes, with what follows them in memory set to `after`. */
static abr_line_words words_before(const char *text, size_t n, char after)
{
    char *copy = malloc(n + ABR_PADDING);
    abr_line_words words;
    if (!copy)
        exit(2);
    memcpy(copy, text, n);
    memset(copy + n, after, ABR_PADDING);
    abr_read_words(&lexicon, copy, n, ABR_READ_ALL, &words);
    free(copy);
    return words;
}

/* The same of its outline alone. */
static uint32_t outline_before(const char *text, size_t n, char after)
{
    return words_before(text, n, after).outline;
}

static uint32_t outline_of(const char *text)
{
    return outline_before(text, strlen(text), 0);
}

#define ALIKE(a, b) CHECK(outline_of(a) == outline_of(b))
#define UNLIKE(a, b) CHECK(outline_of(a) != outline_of(b))

/* ---- outlines ---- */

static void lines_that_differ_in_names_and_numbers_have_one_form(void)
{
    ALIKE("test 1 ok", "test 20417 ok");
    ALIKE("cc -O2 -c src/a.c", "cc -g -c lib/deep/other_unit.c");
    ALIKE("call to parseInt in main.js:12", "call to toString in util.js:7");
    ALIKE("opened 'left' for \"me\"", "opened 'right' for \"you\"");
    ALIKE("opened \xE2\x80\x98left\xE2\x80\x99 twice", "opened \xE2\x80\x98right\xE2\x80\x99 twice");
    ALIKE("took  5 ms", "took 15 ms");
    ALIKE("wrote \xD1\x84\xD0\xB0\xD0\xB9\xD0\xBB.txt", "wrote notes.txt");
}

static void any_other_byte_makes_another_form(void)
{
    UNLIKE("test 1 ok", "test 1 failed");
    UNLIKE("test 1 ok", "test 1 OK");
    UNLIKE("test 1 ok", "test 1 ok!");
    UNLIKE("test 1 ok", "test ok 1");
    UNLIKE("test 1 ok", "test 1 2 ok");
    UNLIKE("test 1 ok", "test 1 ok 2");
    UNLIKE("test 1 ok", "test ok");
    UNLIKE("unconditionally done", "unconditional done");
    UNLIKE("internationalization of all", "internationalisation of all");
    UNLIKE("I don't know it", "I won't know it");
    UNLIKE("say \xD0\xB4\xD0\xB0 again", "say \xD0\xBD\xD0\xB5 again");
    UNLIKE("---", "----");
}

/* Names of any length move what follows them to any place in a block, or to the next one. */
static void the_length_of_a_name_does_not_matter(void)
{
    static const char rest[] = " was not found: it is expected beside the others, in the same folder as all";
    char line[512];
    uint32_t outline = 0;
    for (size_t n = 2; n < 300; n++) {
        memset(line, 'x', n);
        line[0] = '/';
        memcpy(line + n, rest, sizeof rest);
        if (n == 2)
            outline = outline_of(line);
        CHECK_COUNT(outline, outline_of(line));
        line[n + sizeof rest - 2] = 'k';
        CHECK(outline != outline_of(line));
    }
}

static void what_follows_a_line_in_memory_does_not_matter(void)
{
    static const char line[] = "linking 12 objects of module core/alpha, said makefile";
    for (size_t n = 0; n < sizeof line; n++) {
        abr_line_words a = words_before(line, n, 'z');
        abr_line_words b = words_before(line, n, '7');
        CHECK_COUNT(outline_before(line, n, 'z'), outline_before(line, n, '7'));
        CHECK_COUNT(a.tokens, b.tokens);
        CHECK_COUNT(a.shape, b.shape);
        CHECK_COUNT(a.plain_count, b.plain_count);
        CHECK(memcmp(a.plain, b.plain, a.plain_count * sizeof *a.plain) == 0);
    }
}

/* ---- escape sequences ---- */

static unsigned signs_in(const char *text, size_t at)
{
    abr_line_words words = words_before(text, strlen(text), 0);
    CHECK_COUNT(at, words.count > 0 ? words.signs[0].at : strlen(text));
    return words.count;
}

/* But for places, the two are read alike. */
static void check_colored(const char *plain, const char *colored)
{
    abr_line_words a = words_before(plain, strlen(plain), 0);
    abr_line_words b = words_before(colored, strlen(colored), 0);
    CHECK_COUNT(a.words, b.words);
    CHECK_COUNT(a.count, b.count);
    CHECK_COUNT(a.indent, b.indent);
    CHECK_COUNT(a.plain_count, b.plain_count);
    CHECK(memcmp(a.plain, b.plain, a.plain_count * sizeof *a.plain) == 0);
    CHECK_COUNT(outline_of(plain), outline_of(colored));
}

static void colors_split_no_word(void)
{
    CHECK_COUNT(1, signs_in("\033[0;1;31merror: \033[0m\033[1mof a kind", 9));
    CHECK_COUNT(1, signs_in("\033[31merror\033[39m", 5));
    CHECK_COUNT(1, signs_in("lib.c: \033[merror", 10));
    check_colored("error: bad thing", "\033[0;1;31merror: \033[0m\033[1mbad thing");
    check_colored("  test 1 ok", "  test \033[32m1 \033[39mok\033[0m");
    check_colored("open 'left' now", "open \033[1m'left'\033[0m now");
    ALIKE("\033[31mtest 1 ok", "\033[32mtest 2 ok");
    CHECK_COUNT(0, signs_in("\033[31", 4));        /* that do not end */
    CHECK_COUNT(0, signs_in("\033]31merror", 10)); /* that are of another kind */
}

/* A sequence at any place of a block, or at the edge of two. */
static void sequences_may_stand_anywhere(void)
{
    char line[256];
    char plain[256];
    for (size_t n = 1; n < 140; n++) {
        memset(line, '.', n);
        memcpy(line + n, "\033[0;1;31merror x", 17);
        CHECK_COUNT(1, signs_in(line, n + 9));
        memset(plain, ' ', sizeof plain);
        memset(plain, '.', n);
        memcpy(plain + n + 9, "error x", 8);
        CHECK_COUNT(outline_of(plain), outline_of(line));
    }
}

/* ---- plain words ---- */

static unsigned plain_in(const char *text)
{
    return words_before(text, strlen(text), 0).plain_count;
}

static void words_that_are_no_part_of_a_name_are_plain(void)
{
    CHECK_COUNT(0, plain_in(""));
    CHECK_COUNT(2, plain_in("test 12 ok"));
    CHECK_COUNT(1, plain_in("reading src/main.c"));
    CHECK_COUNT(1, plain_in("a 'quoted' fooBar x86 $HOME level=debug"));
    CHECK_COUNT(2, plain_in("\xD0\xB4\xD0\xB0 \xD0\xBD\xD0\xB5 7"));
    CHECK_COUNT(ABR_PLAIN_WORDS, plain_in("a b c d e f g h i j k l m n o p"));
}

static void only_the_start_of_a_line_is_looked_at_for_them(void)
{
    char line[2 * ABR_PLAIN_WITHIN + 1];
    memset(line, '7', sizeof line);
    for (size_t i = 3; i < sizeof line; i += 40)
        line[i] = ' ';
    line[sizeof line - 1] = '\0';
    memcpy(line + ABR_PLAIN_WITHIN, " late ", 6);
    CHECK_COUNT(0, plain_in(line));
    memcpy(line + 3, " soon ", 6);
    CHECK_COUNT(1, plain_in(line));
}

/* ---- rarity ---- */

static uint16_t seen[ABR_WORD_COUNTS];
static abr_word_counts counts = {.seen = seen, .count = ABR_WORD_COUNTS};

static void count(const char *line, unsigned times)
{
    abr_line_words words = words_before(line, strlen(line), 0);
    for (unsigned i = 0; i < times; i++)
        abr_count_words(&counts, words.plain, words.plain_count);
}

static float rarity(const char *line, uint64_t lines)
{
    size_t n = strlen(line);
    char *copy = exact(line, n); /* nothing after it may be read */
    float value = abr_rarity(&counts, &lexicon, copy, n, lines);
    free(copy);
    return value;
}

static void a_line_is_as_rare_as_its_words(void)
{
    memset(seen, 0, sizeof seen);
    count("test 1 ok", 1023);
    count("bind: Address already in use", 1);
    CHECK(rarity("test 77 ok", 1024) < 0.01F);
    CHECK(rarity("bind: Address already in use", 1024) == 10);
    CHECK(rarity("never seen", 1024) == 10);
    CHECK(rarity("test bind", 1024) > 7 && rarity("test bind", 1024) < 8); /* mean 5, rarest 10 */
    CHECK(rarity("12 34 56", 1024) == 0);
    CHECK(rarity("", 1024) == 0);
    CHECK(rarity("bind", 1) == 0);
}

static void capitals_are_other_words(void)
{
    memset(seen, 0, sizeof seen);
    count("dropping a table", 1024);
    CHECK(rarity("dropping table", 1024) == 0);
    CHECK(rarity("Dropping table", 1024) == 0);
    CHECK(rarity("DROPPING TABLE", 1024) == 10);
}

static void counts_do_not_wrap(void)
{
    memset(seen, 0, sizeof seen);
    count("ok", UINT16_MAX + 10);
    CHECK(rarity("ok", UINT16_MAX) == 0);
}

static void a_line_of_any_length_is_read_as_it_was_counted(void)
{
    char line[3 * ABR_PLAIN_WITHIN + 1];
    for (size_t i = 0; i < sizeof line; i++)
        line[i] = i % 97 == 96 ? ' ' : '-';
    memset(seen, 0, sizeof seen);
    for (size_t at = 97; at < sizeof line - 9; at += 97)
        memcpy(line + at, "word ", 5);
    line[sizeof line - 1] = '\0';
    count(line, 1);
    for (size_t n = ABR_PLAIN_WITHIN + 200; n < sizeof line; n += 31) {
        line[n] = '\0';
        CHECK(rarity(line, 2) < 1);
        line[n] = '-';
    }
}

int main(void)
{
    abr_lexicon_open(&lexicon, 0);
    RUN(lines_that_differ_in_names_and_numbers_have_one_form);
    RUN(any_other_byte_makes_another_form);
    RUN(the_length_of_a_name_does_not_matter);
    RUN(what_follows_a_line_in_memory_does_not_matter);
    RUN(colors_split_no_word);
    RUN(sequences_may_stand_anywhere);
    RUN(words_that_are_no_part_of_a_name_are_plain);
    RUN(only_the_start_of_a_line_is_looked_at_for_them);
    RUN(a_line_is_as_rare_as_its_words);
    RUN(capitals_are_other_words);
    RUN(counts_do_not_wrap);
    RUN(a_line_of_any_length_is_read_as_it_was_counted);
    return check_end();
}
