/*
 * Is there a failure in a text that is otherwise source, prose or a listing? One command may list or print
 * files and the next one fail; the few lines that say so must not be taken for more of the same.
 *
 * A line of trouble is not enough, even one that nobody would write, since people quote such lines. The lines
 * around it count too: each adds its evidence of a log or subtracts its evidence of text, and the run of
 * lines with the highest sum decides.
 */
#include "kinds/failing.h"
#include "abridge.h"
#include "kinds/agreeing.h"
#include "kinds/message.h"
#include "kinds/record_field.h"
#include "line/form.h"
#include "line/line_score.h"
#include "line/lines.h"

enum {
    REACH = 40,          /* lines on either side that a run may have */
    WEIGHED_MOST = 1024, /* lines in all: this bounds the time for any text, */
    FIELDS_MOST = 128    /* as do so many searches for fields, of some 256 lines each */
};

/* Fitted on 3,764 sources, pages and listings of a Debian machine, 6 of which list or quote enough errors to
 * pass, and on the ends of 34 logs after, before and between source and listings. */
static const float least_score =
    8.0F; /* of a line of trouble: more than a word that is bad in most sentences */
static const float most_text = 0.62F;     /* evidence of text in it */
static const float trouble = 0.5F;        /* being such a line is more evidence of a log */
static const float least_run = 2.8F;      /* evidence of a run of lines, */
static const float least_sure_run = 8.0F; /* and of one around a lesser message */
static const float lost = 3.0F;           /* a run ends this far below its highest sum */

typedef struct {
    const abr_failure_rules *rules;
    const char *p; /* the text, */
    size_t n;
    size_t from;    /* which is searched from here on */
    size_t weighed; /* lines */
    size_t fields;  /* that were looked for in other records */
    size_t end;     /* of the lines after a line of trouble that led nowhere */
} finder;

/* Evidence of a log in a line, minus evidence of text. */
static float evidence_of(finder *f, abr_text_line line)
{
    const abr_form_told told = abr_read_whole_form(&f->rules->forms, line);
    const float text = line.n < ABR_LONGEST_MESSAGE ? told.text : 1;
    float log = told.log;
    abr_reading hit;
    f->weighed++;
    if (abr_trimmed(line).n == 0)
        return 0;
    if (text <= most_text && abr_read_trouble(f->rules, line, f->p + f->n, &hit) &&
        hit.words >= ABR_PROSE_WORDS && hit.line_score >= least_score)
        log = log + trouble > 1 ? log + trouble : 1;
    return log > text ? log - text / 4 : log / 4 - text;
}

/* The highest sum of a run of lines from `at` on. */
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

/* The same for the lines that end at `end`, backwards. */
static float evidence_before(finder *f, size_t end)
{
    float most = 0;
    float sum = 0;
    for (size_t i = 0; i < REACH && sum > most - lost && end > f->from; i++) {
        const abr_text_line line = abr_line_before(f->p, end);
        sum += evidence_of(f, line);
        most = sum > most ? sum : most;
        end = (size_t)(line.p - f->p);
    }
    return most;
}

/* Does it report a failure, amid lines printed with it? The less it says, the surer must these be. */
static bool fails_in_run(finder *f, const abr_trouble_line *t, float score)
{
    const bool lesser = score < least_score;
    const size_t end = f->end;
    if (t->next <= end || (lesser && f->weighed >= WEIGHED_MOST / 2) ||
        abr_read_whole_form(&f->rules->forms, t->line).text > most_text)
        return false;
    const float run =
        evidence_of(f, t->line) + evidence_after(f, t->next) + evidence_before(f, (size_t)(t->line.p - f->p));
    if (lesser)
        f->end = end; /* a clear message may follow */
    return run >= (lesser ? least_sure_run : least_run);
}

/* Does this line report a failure? */
static bool fails(finder *f, const abr_trouble_line *t)
{
    const abr_text_line line = t->line;
    abr_reading hit;
    if (abr_tells_signal(line))
        return true;
    abr_read_trouble(f->rules, line, f->p + f->n, &hit);
    const size_t key = f->fields < FIELDS_MOST ? abr_troubled_field(f->rules, line, &hit) : 0;
    f->fields += key > 0;
    if (key > 0 && abr_fails_amid_records(f->rules, t, key, &hit))
        return true;
    if (!hit.hit || abr_counts_failures(f->rules, line, &hit))
        return hit.hit;
    if (!abr_says_trouble(line, &hit))
        return false;
    f->weighed++;
    return abr_is_failing_message(f->rules, t, &hit) || fails_in_run(f, t, hit.line_score);
}

size_t abr_find_failure_by(const abr_failure_rules *rules, const char *p, size_t from, size_t n)
{
    finder f = {.rules = rules, .p = p, .n = n, .from = from, .end = from};
    abr_trouble_line t = {.p = p, .n = n, .next = from};
    while (f.weighed < WEIGHED_MOST && abr_next_line(p, n, &t.next, &t.line)) {
        while (t.next < n && p[t.next] == '\n') /* there may be many */
            t.next++;
        if (fails(&f, &t))
            return (size_t)(t.line.p - p);
    }
    return n;
}

size_t abr_find_failure(const char *p, size_t n)
{
    abr_failure_rules rules;
    abr_failure_rules_open(&rules);
    return abr_find_failure_by(&rules, p, 0, n);
}
