/* The rules of the line judge, each with its proof: a program, and a line it prints that is judged otherwise without the
 * rule. */
#ifndef RULES_H
#define RULES_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "line/line_score.h"
#include "line/score.h"

typedef struct {
    unsigned first; /* ABR_RULE_..., plus its number in the table the rule itself */
    const char *table;
    const char *what; /* as the table has it */
    const char *text; /* the word it is found by */
    const char *program;
    const char *proof;
} rule_row;

static const rule_row rule_rows[] = {
#define WORD(class, text, program, proof) {ABR_RULE_WORD, "words", #class " " text, text, program, proof},
#include "line/words.def"
#undef WORD
#define PHRASE(before, word, after, program, proof)                                                          \
    {ABR_RULE_PHRASE, "phrases", before "[" word "]" after, word, program, proof},
#include "line/phrases.def"
#undef PHRASE
#define STEM(before, text, program, proof) {ABR_RULE_STEM, "stems", before text, text, program, proof},
#include "line/stems.def"
#undef STEM
#define ENDING(class, text, program, proof)                                                                  \
    {ABR_RULE_ENDING, "endings", #class " " text, text, program, proof},
#include "line/endings.def"
#undef ENDING
#define FORM(name, log, text, first, last, holds, test, program, proof)                                      \
    {ABR_RULE_FORM, "forms", #name, #name, program, proof},
#include "line/forms.def"
#undef FORM
#define MARK(place, form, text, program, proof)                                                              \
    {ABR_RULE_MARK, "marks", #place " " #form " " text, text, program, proof},
#include "line/marks.def"
#undef MARK
#define LISTED(list, text, program, proof) {ABR_RULE_LISTED, "listed", #list " " text, text, program, proof},
#include "line/listed.def"
#undef LISTED
#define LEVEL(name, level, program, proof) {ABR_RULE_LEVEL, "levels", name, name, program, proof},
#include "line/levels.def"
#undef LEVEL
};

enum { RULE_ROWS = sizeof rule_rows / sizeof *rule_rows };

/* The rule of a row, as abr_lexicon_open_without() takes it. */
static inline unsigned rule_of(size_t row)
{
    size_t first = row;
    while (first > 0 && rule_rows[first - 1].first == rule_rows[row].first)
        first--;
    return rule_rows[row].first + (unsigned)(row - first);
}

/* Read (p, n), at most ABR_SEGMENT bytes of it. */
static inline abr_reading read_with(const abr_lexicon *lexicon, const char *p, size_t n)
{
    static const abr_patterns none;
    char line[ABR_SEGMENT + ABR_PADDING] = {0};
    abr_reading r;
    n = n < ABR_SEGMENT ? n : ABR_SEGMENT;
    memcpy(line, p, n);
    abr_read_line(lexicon, &none, line, n, &r);
    return r;
}

/* Is a line judged otherwise? What a cut asks of it is another answer, or its score differs by what the weakest of
 * words gives a line. */
static inline bool judged_otherwise(const abr_reading *a, const abr_reading *b)
{
    return a->hit != b->hit || a->tells != b->tells || a->kind != b->kind || a->command != b->command ||
           a->placed != b->placed || a->lists_again != b->lists_again || a->warns != b->warns ||
           a->section != b->section || a->told.form != b->told.form || a->told.log != b->told.log ||
           a->told.text != b->told.text || fabsf(a->line_score - b->line_score) >= ABR_SCORE_WEAK;
}

#endif
