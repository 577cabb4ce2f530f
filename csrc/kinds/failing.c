/*
 * Is there a failure in a text that is source, prose or a listing for the rest? One command may list files or print a
 * file, the next one fail, and the few lines that say so must not be taken for more of the same.
 *
 * A line of trouble that nobody writes is not enough, since people quote such lines. The lines around it count as well:
 * each adds its evidence of a log, or takes off that of text, and the run of lines with the highest sum decides.
 */
#include <string.h>

#include "kinds/failing.h"
#include "abridge.h"
#include "base/ascii.h"
#include "base/tiny.h"
#include "line/form.h"
#include "line/hits.h"
#include "line/lexicon.h"
#include "line/line_score.h"
#include "line/lines.h"
#include "line/rule.h"
#include "line/words.h"
#include "text/scan.h"

enum {
    SHORTEST = 8,                     /* bytes of a line that says what is wrong */
    LONGEST = ABR_OR_TINY(1000, 100), /* longer ones are those of files */
    PROSE_WORDS = 2,                  /* of a line of trouble; one alone is a name */
    REACH = 40,                       /* lines on either side that a run may have */
    WEIGHED_MOST = 1024               /* lines in all: the time is bounded whatever the text is */
};

_Static_assert((size_t)LONGEST <= ABR_SEGMENT, "a line is read at once");

/* Fitted on 3,764 sources, pages and listings of a Debian machine, 6 of which list or quote enough errors to pass, and on
 * the ends of 34 logs behind, before and between source and listings. */
static const float least_score =
    8.0F; /* of a line of trouble: more than a word that is bad in most sentences */
static const float most_text = 0.62F; /* evidence of text in it */
static const float trouble = 0.5F;    /* that it is one is more evidence of a log */
static const float least_run = 3.0F;  /* evidence of a run of lines */
static const float lost = 3.0F;       /* so much below its highest sum, a run has ended */

typedef struct {
    abr_lexicon lexicon;
    abr_forms forms;                    /* all of them */
    char padded[LONGEST + ABR_PADDING]; /* the last line, after which nothing can be read */
    const char *p;
    size_t n;
    size_t weighed; /* lines */
    size_t end;     /* of the lines after a line of trouble that came to nothing */
} finder;

static bool says_a_word(abr_text_line line)
{
    size_t i = 0;
    while (i < line.n && !abr_is_letter(line.p[i]))
        i++;
    return i < line.n;
}

/* Does the line say that something is wrong? */
static bool says_trouble(finder *f, abr_text_line line)
{
    static const abr_patterns none;
    abr_reading reading;
    const char *p = line.p;
    if (line.n < SHORTEST || line.n >= LONGEST || line.p[line.n - 1] == ',' || !says_a_word(line))
        return false;
    if (f->n - (size_t)(line.p - f->p) < line.n + ABR_PADDING) {
        memcpy(f->padded, line.p, line.n);
        memset(f->padded + line.n, 0, ABR_PADDING);
        p = f->padded;
    }
    abr_read_line(&f->lexicon, &none, p, line.n, &reading);
    return reading.hit && reading.tells && reading.line_score >= least_score && reading.words >= PROSE_WORDS;
}

/* Evidence of a log in a line, less that of text. */
static float evidence_of(finder *f, abr_text_line line)
{
    const abr_form_told told = abr_read_whole_form(&f->forms, line);
    const float text = line.n < LONGEST ? told.text : 1;
    float log = told.log;
    f->weighed++;
    if (abr_trimmed(line).n == 0)
        return 0;
    if (text <= most_text && says_trouble(f, line))
        log = log + trouble > 1 ? log + trouble : 1;
    return log > text ? log - text / 4 : log / 4 - text;
}

/* The most that a run of the lines from `at` on adds up to. */
static float evidence_after(finder *f, size_t at)
{
    float most = 0;
    float sum = 0;
    abr_text_line line;
    for (size_t i = 0; i < REACH && sum > most - lost && abr_next_line(f->p, f->n, &at, &line); i++) {
        sum += evidence_of(f, line);
        most = sum > most ? sum : most;
    }
    f->end = at;
    return most;
}

/* The same of the lines that end at `end`, backwards. */
static float evidence_before(finder *f, size_t end)
{
    float most = 0;
    float sum = 0;
    for (size_t i = 0; i < REACH && sum > most - lost && end > 0; i++) {
        const char *newline = abr_find_last_newline(f->p, end - 1);
        size_t at = newline ? (size_t)(newline - f->p) + 1 : 0;
        const size_t start = at;
        abr_text_line line = {f->p, 0};
        abr_next_line(f->p, end, &at, &line);
        sum += evidence_of(f, line);
        most = sum > most ? sum : most;
        end = start;
    }
    return most;
}

size_t abr_find_failure(const char *p, size_t n)
{
    finder f = {.p = p, .n = n};
    abr_text_line line;
    abr_lexicon_open(&f.lexicon, 0);
    abr_forms_open(&f.forms, ABR_ALL_FORMS, ABR_NO_RULE);
    f.forms.thorough = true;
    for (size_t at = 0; f.weighed < WEIGHED_MOST && abr_next_line(p, n, &at, &line);) {
        while (at < n && p[at] == '\n') /* there may be many */
            at++;
        if (at <= f.end || !says_trouble(&f, line) || abr_read_whole_form(&f.forms, line).text > most_text)
            continue;
        const float own = evidence_of(&f, line);
        if (own + evidence_after(&f, at) + evidence_before(&f, (size_t)(line.p - p)) >= least_run)
            return (size_t)(line.p - p);
    }
    return n;
}
