/*
 * Is there a failure in a text that is otherwise source, prose or a listing? One command may list or print
 * files and the next one fail; the few lines that say so must not be taken for more of the same.
 *
 * A line of trouble is not enough, even one that nobody would write, since people quote such lines. The lines
 * around it count too: each adds its evidence of a log or subtracts its evidence of text, and the run of
 * lines with the highest sum decides.
 */
#include <string.h>

#include "kinds/failing.h"
#include "base/ascii.h"
#include "base/tiny.h"
#include "line/evidence.h"
#include "line/form.h"
#include "line/listed.h"

/* ---- a field of one of several records: "  phase: Failed" in a list of pods ---- */

enum {
    FIELDS_AROUND = 8,                   /* of other records, at most, */
    FIELDS_LEAST = 4,                    /* and at least */
    WITHIN_RECORD = ABR_OR_TINY(128, 16) /* lines on either side */
};

/* Bytes before the value of a field that may tell of trouble, "  phase: " of "  phase: Failed"; 0: it is
 * none. */
static size_t troubled_field(const abr_failure_rules *rules, abr_text_line line, const abr_reading *reading)
{
    enum { MOST = 48, WORDS_MOST = 6 /* of the value: descriptions have more */ };
    size_t i = 0;
    if (reading->line_score <= 0)
        return 0;
    while (i < line.n && i < MOST && (abr_is_word(line.p[i]) || memchr(" -.", line.p[i], 3)))
        i++;
    if (i < 2 || !abr_has_at(line, i, ": ", 2) || memchr(line.p + i, '#', line.n - i) ||
        ABR_CONTAINS(line, " == ")) /* a condition */
        return 0;
    size_t words = 0;
    for (size_t k = i + 2; k < line.n; k++)
        words += line.p[k] != ' ' && line.p[k - 1] == ' ';
    const abr_evidence l = {.p = line.p, .n = line.n, .lexicon = &rules->lexicon};
    const bool tells = reading->hit || abr_is_listed_before(&l, i, ABR_LIST_STATE);
    return tells && words <= WORDS_MOST ? i + 2 : 0;
}

/* The nearest lines that start with the same `key` bytes. Returns how many. */
static size_t find_fields(const abr_trouble_line *field, size_t key, abr_text_line others[FIELDS_AROUND])
{
    size_t count = 0;
    size_t end = (size_t)(field->line.p - field->p);
    size_t at = field->next;
    abr_text_line line;
    for (unsigned i = 0; i < WITHIN_RECORD && end > 0 && count < FIELDS_AROUND / 2; i++) {
        line = abr_line_before(field->p, end);
        if (abr_has_at(line, 0, field->line.p, key))
            others[count++] = line;
        end = (size_t)(line.p - field->p);
    }
    for (unsigned i = 0;
         i < WITHIN_RECORD && count < FIELDS_AROUND && abr_next_line(field->p, field->n, &at, &line); i++)
        if (abr_has_at(line, 0, field->line.p, key))
            others[count++] = line;
    return count;
}

/* Do the same fields of other records, which start with the same `key` bytes, say nothing, and most of them
 * the same? Looks at some 256 lines. */
static bool fails_amid_records(const abr_failure_rules *rules, const abr_trouble_line *field, size_t key,
                               const abr_reading *reading)
{
    abr_text_line others[FIELDS_AROUND];
    const size_t count = find_fields(field, key, others);
    size_t same = 0;
    for (size_t i = 0; i < count; i++) {
        abr_reading other;
        if (abr_read_trouble(rules, others[i], field->p + field->n, &other) ||
            other.line_score >= reading->line_score)
            return false;
        same +=
            i > 0 && others[i].n == others[i - 1].n && memcmp(others[i].p, others[i - 1].p, others[i].n) == 0;
    }
    return count >= FIELDS_LEAST && same * 2 >= count - 1;
}

/* Does it name its record: "    name: cart", "- name: cart", "Name:         cart"? */
static bool names_record(abr_text_line line, size_t indent)
{
    abr_text_line bare = abr_trimmed(line);
    if ((size_t)(bare.p - line.p) > indent)
        return false;
    if (ABR_STARTS(bare, "- "))
        bare = (abr_text_line){bare.p + 2, bare.n - 2};
    return ABR_STARTS(bare, "name: ") || ABR_STARTS(bare, "Name: ");
}

size_t abr_name_of_record(const abr_failure_rules *rules, const char *p, size_t from, size_t failure,
                          size_t n)
{
    abr_trouble_line field = {.p = p, .n = n, .next = failure};
    abr_reading reading;
    if (!abr_next_line(p, n, &field.next, &field.line) || field.line.n == 0)
        return failure;
    abr_read_trouble(rules, field.line, p + n, &reading);
    const size_t key = troubled_field(rules, field.line, &reading);
    if (key == 0 || !fails_amid_records(rules, &field, key, &reading))
        return failure;
    const size_t indent = (size_t)(abr_trimmed(field.line).p - field.line.p);
    for (size_t i = 0, at = failure; i < WITHIN_RECORD && at > from; i++) {
        const abr_text_line line = abr_line_before(p, at);
        at = (size_t)(line.p - p);
        const abr_text_line bare = abr_trimmed(line);
        if (names_record(line, indent))
            return at;
        if (bare.n == 0 || (*bare.p == '-' && (size_t)(bare.p - line.p) < indent))
            return failure; /* the record's start */
    }
    return failure;
}

/* ---- a run of lines ---- */

enum {
    REACH = 40,          /* lines on either side that a run may have */
    WEIGHED_MOST = 1024, /* lines in all: this bounds the time for any text, */
    FIELDS_MOST = 128    /* as do so many searches for fields, of some 256 lines each */
};

/* Fitted on 3,764 sources, pages and listings of a Debian machine, 6 of which list or quote enough errors to
 * pass, and on the ends of 34 logs after, before and between source and listings. The
 * first is the score of a line of trouble: more than a word that is bad in most sentences. */
static const float least_score = 8.0F;
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
    const size_t key = f->fields < FIELDS_MOST ? troubled_field(f->rules, line, &hit) : 0;
    f->fields += key > 0;
    if (key > 0 && fails_amid_records(f->rules, t, key, &hit))
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
