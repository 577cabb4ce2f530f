/*
 * What each rule of the line judge is worth: how many lines of standard input are judged otherwise without it.
 *
 * With an argument: the shortest lines that each rule changes whose text is the argument, or of every rule for "".
 */
#define _GNU_SOURCE /* strcasestr */
#include <stdio.h>
#include <strings.h>

#include "line/phrases.h"
#include "rules.h"

enum { SHOWN = 12, SHOWN_LEAST = 8 /* bytes; shorter lines tell a reader little */ };

typedef struct {
    size_t row;
    unsigned long lines;
    abr_lexicon without;
    char *shortest[SHOWN];
    bool proven;
} rule_worth;

static abr_lexicon all;
static rule_worth *worths;

/* Keep a line among the shortest of a rule. */
static void keep(rule_worth *w, const char *line)
{
    size_t i = 0;
    if (strlen(line) < SHOWN_LEAST)
        return;
    while (i < SHOWN && w->shortest[i] && strlen(w->shortest[i]) < strlen(line))
        i++;
    for (size_t k = i; k < SHOWN && w->shortest[k]; k++)
        if (strcmp(w->shortest[k], line) == 0)
            return;
    if (i == SHOWN)
        return;
    free(w->shortest[SHOWN - 1]);
    memmove(w->shortest + i + 1, w->shortest + i, (SHOWN - i - 1) * sizeof *w->shortest);
    w->shortest[i] = strdup(line);
}

/* May the rule change the line? `words` are those of the line. */
static bool concerns(const rule_row *row, const char *line, const abr_line_words *words, size_t start)
{
    if (row->first == ABR_RULE_FORM)
        return true;
    if (row->first == ABR_RULE_LEVEL || row->first == ABR_RULE_LISTED)
        return strcasestr(line, row->text) != NULL;
    if (row->first == ABR_RULE_MARK)
        return strstr(line, row->text) != NULL || strstr(row->what, " KEYWORD "); /* in capitals, too */
    if (row->first == ABR_RULE_STEM || row->first == ABR_RULE_ENDING)
        return strstr(line, row->text) != NULL;
    for (unsigned i = 0; i < words->count; i++)
        if (words->signs[i].n == strlen(row->text) &&
            (line[start + words->signs[i].at] | ' ') == row->text[0] &&
            strncasecmp(line + start + words->signs[i].at, row->text, words->signs[i].n) == 0)
            return true;
    return false;
}

static void weigh(const char *line, size_t n, bool keeps)
{
    abr_reading with_it = read_with(&all, line, n);
    char copy[ABR_SEGMENT + ABR_PADDING] = {0};
    abr_line_words words;
    memcpy(copy, line, n < ABR_SEGMENT ? n : ABR_SEGMENT);
    const size_t lead = abr_lead_of(copy, strlen(copy)).n;
    abr_read_words(&all, copy + lead, strlen(copy) - lead, ABR_READ_ALL, &words);
    for (size_t i = 0; i < RULE_ROWS; i++) {
        if (!concerns(&rule_rows[i], copy, &words, lead))
            continue;
        abr_reading without_it = read_with(&worths[i].without, line, n);
        if (!judged_otherwise(&with_it, &without_it))
            continue;
        worths[i].lines++;
        if (keeps)
            keep(&worths[i], line);
    }
}

static int by_lines(const void *a, const void *b)
{
    const rule_worth *x = a;
    const rule_worth *y = b;
    return x->lines != y->lines ? (x->lines < y->lines ? -1 : 1) : (x->row > y->row) - (x->row < y->row);
}

int main(int argc, char **argv)
{
    char *line = NULL;
    size_t size = 0;
    unsigned unproven = 0;
    worths = calloc(RULE_ROWS, sizeof *worths);
    abr_lexicon_open_without(&all, 0, ABR_NO_RULE); /* with all forms */
    for (size_t i = 0; i < RULE_ROWS; i++) {
        worths[i].row = i;
        abr_lexicon_open_without(&worths[i].without, 0, rule_of(i));
    }
    for (ssize_t n = getline(&line, &size, stdin); n >= 0; n = getline(&line, &size, stdin)) {
        if (n > 0 && line[n - 1] == '\n')
            line[--n] = '\0';
        weigh(line, (size_t)n, argc > 1);
    }
    qsort(worths, RULE_ROWS, sizeof *worths, by_lines);
    for (size_t i = 0; i < RULE_ROWS; i++) {
        const rule_row *row = &rule_rows[worths[i].row];
        abr_reading with_it = read_with(&all, row->proof, strlen(row->proof));
        abr_reading without_it = read_with(&worths[i].without, row->proof, strlen(row->proof));
        unproven += !judged_otherwise(&with_it, &without_it);
        if (argc > 1 && argv[1][0] != '\0' && strcmp(argv[1], row->text) != 0)
            continue;
        printf("%8lu  %-8s %s\n", worths[i].lines, row->table, row->what);
        for (size_t k = 0; k < SHOWN && worths[i].shortest[k]; k++)
            printf("\t%s\n", worths[i].shortest[k]);
    }
    printf("%u rows, %u unproven\n", (unsigned)RULE_ROWS, unproven);
    return unproven > 0;
}
