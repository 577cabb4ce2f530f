/* The number of a rule, for tests that leave it out. */
#ifndef ABR_LINE_RULE_H
#define ABR_LINE_RULE_H

/* A rule is a row of a table: its number there and that of the first row. */
enum {
    ABR_RULE_WORD = 0,            /* words.def */
    ABR_RULE_PHRASE = 1 << 16,    /* phrases.def */
    ABR_RULE_STEM = 2 << 16,      /* stems.def */
    ABR_RULE_ENDING = 3 << 16,    /* endings.def */
    ABR_RULE_FORM = 4 << 16,      /* forms.def */
    ABR_RULE_MARK = 5 << 16,      /* marks.def */
    ABR_RULE_LEVEL = 6 << 16,     /* levels.def */
    ABR_RULE_LISTED = 7 << 16,    /* listed.def */
    ABR_RULE_STATED = 8 << 16,    /* kinds/stated.def */
    ABR_RULE_TEST_SPAN = 9 << 16, /* test_spans.def */
    ABR_NO_RULE = 10 << 16
};

#endif
