/* Each rule of the line judge proves itself. */
#include "check.h"
#include "line/listed.h"
#include "rules.h"

static abr_lexicon all;

static void a_line_is_judged_otherwise_without_the_rule_that_it_proves(void)
{
    static abr_lexicon without;
    for (size_t i = 0; i < RULE_ROWS; i++) {
        const rule_row *row = &rule_rows[i];
        abr_lexicon_open_without(&without, 0, rule_of(i));
        abr_reading with_it = read_with(&all, row->proof, strlen(row->proof));
        abr_reading without_it = read_with(&without, row->proof, strlen(row->proof));
        if (!CHECK(judged_otherwise(&with_it, &without_it)))
            fprintf(stderr, "%s.def: %s: its line proves nothing: %s\n", row->table, row->what, row->proof);
    }
}

static void each_proof_names_its_program(void)
{
    for (size_t i = 0; i < RULE_ROWS; i++)
        if (!CHECK(rule_rows[i].program[0] != '\0'))
            fprintf(stderr, "%s.def: %s\n", rule_rows[i].table, rule_rows[i].what);
}

/* A phrase is looked up by the first letter of its word. */
static void phrases_are_in_the_order_of_their_words(void)
{
    for (size_t i = 1; i < RULE_ROWS; i++)
        if (rule_rows[i].first == ABR_RULE_PHRASE && rule_rows[i - 1].first == ABR_RULE_PHRASE &&
            !CHECK(rule_rows[i - 1].text[0] <= rule_rows[i].text[0]))
            fprintf(stderr, "phrases.def: %s\n", rule_rows[i].what);
}

/* The first row of a list is looked for by halves. */
static void listed_words_are_in_the_order_of_their_lists(void)
{
    static const abr_list lists[] = {
#define LISTED(list, text, program, proof) ABR_LIST_##list,
#include "line/listed.def"
#undef LISTED
    };
    for (size_t i = 1; i < sizeof lists / sizeof *lists; i++)
        CHECK(lists[i - 1] <= lists[i]);
}

int main(void)
{
    abr_lexicon_open_without(&all, 0, ABR_NO_RULE); /* with all forms */
    RUN(a_line_is_judged_otherwise_without_the_rule_that_it_proves);
    RUN(each_proof_names_its_program);
    RUN(phrases_are_in_the_order_of_their_words);
    RUN(listed_words_are_in_the_order_of_their_lists);
    return check_end();
}
