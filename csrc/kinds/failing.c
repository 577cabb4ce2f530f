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
#include "abridge.h"
#include "base/ascii.h"
#include "base/tiny.h"
#include "kinds/agreeing.h"
#include "line/evidence.h"
#include "line/form.h"
#include "line/hits.h"
#include "line/layout.h"
#include "line/lexicon.h"
#include "line/listed.h"
#include "line/line_score.h"
#include "line/lines.h"
#include "line/place.h"
#include "line/rule.h"
#include "line/words.h"
#include "text/scan.h"

enum {
    SHORTEST = 7,                     /* bytes of a line that reports a failure */
    LONGEST = ABR_OR_TINY(1000, 100), /* longer lines are those of files */
    PROSE_WORDS = 2,                  /* of a line of trouble; one alone is a name */
    REACH = 40,                       /* lines on either side that a run may have */
    WEIGHED_MOST = 1024,              /* lines in all: this bounds the time for any text, */
    FIELDS_MOST = 128                 /* as do so many searches for fields, of some 256 lines each */
};

_Static_assert((size_t)LONGEST <= ABR_SEGMENT, "a line is read at once");

/* Fitted on 3,764 sources, pages and listings of a Debian machine, 6 of which list or quote enough errors to
 * pass, and on the ends of 34 logs after, before and between source and listings. */
static const float least_score =
    8.0F; /* of a line of trouble: more than a word that is bad in most sentences */
static const float most_text = 0.62F;     /* evidence of text in it */
static const float trouble = 0.5F;        /* being such a line is more evidence of a log */
static const float least_run = 2.8F;      /* evidence of a run of lines, */
static const float least_sure_run = 8.0F; /* and of one around a lesser message */
static const float lost = 3.0F;           /* a run ends this far below its highest sum */

static const float most_text_alone = 0.66F;

/* Fitted on 10,011 such texts, 50 of which quote an error on a line of its own. */
static const float least_message = 6.0F;       /* score of a message that is a failure by itself */
static const float least_sure_message = 13.0F; /* and of one without a label */

static const float least_count = 14.0F;       /* and of a count of failures, */
static const float most_text_counting = 0.4F; /* evidence of text in it */

typedef struct {
    const abr_failure_rules *rules;
    char padded[LONGEST + ABR_PADDING]; /* the last line, padded, since nothing past the text can be read */
    const char *p;                      /* of the lines that are searched */
    size_t n;
    size_t before;  /* bytes of the text before them */
    size_t weighed; /* lines */
    size_t fields;  /* that were looked for in other records */
    size_t end;     /* of the lines after a line of trouble that led nowhere */
} finder;

static bool says_a_word(abr_text_line line)
{
    size_t i = 0;
    while (i < line.n && !abr_is_letter(line.p[i]))
        i++;
    return i < line.n;
}

static bool ends_as(abr_text_line line, const char *text, size_t n)
{
    return line.n > n && memcmp(line.p + line.n - n, text, n) == 0;
}
#define ENDS_AS(line, literal) ends_as(line, literal, sizeof(literal) - 1)

/* The first of two lines of cmd.exe: "'make' is not recognized as an internal or external command," */
static bool is_unknown_to_cmd(abr_text_line line)
{
    return *line.p == '\'' && ENDS_AS(line, "' is not recognized as an internal or external command,");
}

/* Read a line that may report trouble; false if it is no hit. After a bar stands a quotation, or a row of a
 * table, as in the pages of pydoc. */
static bool read_hit(finder *f, abr_text_line line, abr_reading *reading)
{
    static const abr_patterns none;
    const char *p = line.p;
    reading->hit = false;
    reading->line_score = 0;
    if (line.n < SHORTEST || line.n >= LONGEST || (line.p[line.n - 1] == ',' && !is_unknown_to_cmd(line)) ||
        !says_a_word(line) || ABR_STARTS(abr_trimmed(line), "|"))
        return false;
    if (f->n - (size_t)(line.p - f->p) < line.n + ABR_PADDING) {
        memcpy(f->padded, line.p, line.n);
        memset(f->padded + line.n, 0, ABR_PADDING);
        p = f->padded;
    }
    abr_read_if_scored(&f->rules->lexicon, &none, p, line.n, reading);
    return reading->hit;
}

/* "Tests: 7, Assertions: 7, Failures: 1." */
static bool lists_named_counts(abr_text_line line)
{
    line.n -= line.p[line.n - 1] == '.';
    size_t at = 0;
    while (at < line.n) {
        if (!abr_is_letter(line.p[at]))
            return false;
        const char *comma = memchr(line.p + at, ',', line.n - at);
        const size_t end = comma ? (size_t)(comma - line.p) : line.n;
        const char *colon = memchr(line.p + at, ':', end - at);
        const size_t count = colon ? (size_t)(colon - line.p) + 2 : end;
        uint64_t value;
        if (count >= end || (!comma && at == 0) ||
            abr_read_lnum(line.p, line.n, count, &value) != end - count)
            return false;
        at = end + 2;
    }
    return true;
}

/* Is it numbers of things and no more: "2 errors generated.", "  2 failing", "9 runs, 2 errors", "1 items
 * had failures:", "3 flaws (1 low, 2 high)", or of what was found: "Found 1 error in 1 file (checked 7 source
 * files)"? */
static bool is_count(abr_text_line line)
{
    enum { WORDS = 3, MOST = 9999 /* larger ones are those of reports: "738837 region leak" */ };
    abr_text_line bare = abr_trimmed(line);
    uint64_t value;
    const bool found = ABR_STARTS(bare, "Found ");
    const size_t from = found ? 6 : 0;
    const size_t digits = abr_read_lnum(bare.p, bare.n, from, &value);
    size_t i = from + digits;
    if (digits == 0 || found)
        return digits > 0;
    if (value > MOST)
        return false;
    bare.n -= bare.p[bare.n - 1] == '.' || bare.p[bare.n - 1] == ':';
    const char *more = bare.p[bare.n - 1] == ')' ? memchr(bare.p, '(', bare.n) : NULL;
    if (more && abr_is_digit(more[1]))
        bare.n = (size_t)(more - bare.p) - 1;
    for (unsigned words = 0; words < WORDS && abr_has_at(bare, i, " ", 1); words++) {
        do
            i++;
        while (i < bare.n && abr_is_lower(bare.p[i]));
        const size_t joined = abr_has_at(bare, i, ", ", 2) ? 2 : abr_has_at(bare, i, " and ", 5) ? 5 : 0;
        if (joined > 0) {
            i += joined + abr_read_lnum(bare.p, bare.n, i + joined, &value);
            words = 0;
        }
    }
    return i == bare.n;
}

/* "[ERROR] Found 3 errors" */
static bool starts_in_brackets(abr_text_line line)
{
    size_t i = 0;
    while (i < line.n && (line.p[i] == ' ' || line.p[i] == '\t'))
        i++;
    const char *end = i < line.n && line.p[i] == '[' ? memchr(line.p + i, ']', line.n - i) : NULL;
    return end && abr_has_at(line, (size_t)(end - line.p), "] ", 2);
}

/* Does a runner count failures in this hit? */
static bool counts_failures(const finder *f, abr_text_line line, const abr_reading *hit)
{
    if (!hit->tells && hit->words >= PROSE_WORDS && hit->line_score >= least_count &&
        (lists_named_counts(line) || ABR_STARTS(line, "Tests: ") /* of Jest */ ||
         ABR_STARTS(line, "Failed!  - Failed: ") /* of .NET */ ||
         abr_read_whole_form(&f->rules->forms, line).text <= most_text_counting))
        return true;
    return is_count(line) && hit->words > 0 && hit->line_score >= least_message;
}

/* Does this hit tell of trouble, or count it? */
static bool says_trouble(abr_text_line line, const abr_reading *hit)
{
    return hit->words >= PROSE_WORDS && hit->line_score >= least_message &&
           (hit->tells || starts_in_brackets(line));
}

/* Evidence of a log in a line, minus evidence of text. */
static float evidence_of(finder *f, abr_text_line line)
{
    const abr_form_told told = abr_read_whole_form(&f->rules->forms, line);
    const float text = line.n < LONGEST ? told.text : 1;
    float log = told.log;
    abr_reading hit;
    f->weighed++;
    if (abr_trimmed(line).n == 0)
        return 0;
    if (text <= most_text && read_hit(f, line, &hit) && hit.words >= PROSE_WORDS &&
        hit.line_score >= least_score)
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
    for (size_t i = 0; i < REACH && sum > most - lost && end > 0; i++) {
        const abr_text_line line = abr_line_before(f->p, end);
        sum += evidence_of(f, line);
        most = sum > most ? sum : most;
        end = (size_t)(line.p - f->p);
    }
    return most;
}

/* Is the line labelled as a program's message: "tar: Child returned status 1", "Runtime error near line 7:
 * ...", "CONFLICT (content): ..."? */
static bool is_labelled(abr_text_line line)
{
    enum { LABEL_WORDS = 5 };
    const char *colon = memchr(line.p, ':', line.n);
    unsigned words = 1;
    if (!colon || colon - line.p < 2 || colon + 1 == line.p + line.n || colon[1] != ' ')
        return false;
    const bool bracketed = colon[-1] == ')' || memcmp(colon - 2, ") ", 2) == 0; /* as in French */
    for (const char *p = line.p; p < colon; p++) {
        if (strchr("\"'`{}<>=$,;|\\*", *p) || (strchr("()", *p) && !bracketed))
            return false; /* of source, prose or markup */
        words += *p == ' ' && p[1] != ' ';
    }
    const bool is_prose = line.p[line.n - 1] == '.' && !ABR_CONTAINS(line, "Error: ") &&
                          !ABR_CONTAINS(line, "Exception: ") && !ABR_STARTS(line, "ERROR: ");
    return words <= LABEL_WORDS && !is_prose && line.p[line.n - 1] != ':';
}

/* Is the label the name of a program, "curl:", "dpkg-deb (subprocess):", apt's "E:" or the "e:" of Kotlin? */
static bool starts_with_program(abr_text_line line)
{
    size_t i = 0;
    while (i < line.n && (abr_is_lower(line.p[i]) || abr_is_digit(line.p[i]) || memchr("-.+/", line.p[i], 4)))
        i++;
    if (i > 1 && i + 1 < line.n && line.p[i] == ' ' && line.p[i + 1] == '(') {
        const char *end = memchr(line.p + i, ')', line.n - i);
        i = end ? (size_t)(end - line.p) + 1 : line.n;
    }
    return ABR_STARTS(line, "E: ") || abr_kotlin_level(line.p, line.n) == 'e' ||
           (i > 1 && abr_has_at(line, i, ": ", 2));
}

/* Is it an error at a line of a script without extension, "configure:4730: error: no compiler"? With one,
 * search results look the same. */
static bool is_scripts_error(abr_text_line line)
{
    uint64_t lnum;
    size_t i = 0;
    while (i < line.n && (abr_is_word(line.p[i]) || line.p[i] == '-'))
        i++;
    const bool leads = i > 0 && abr_has_at(line, i, ":", 1);
    const size_t digits = leads ? abr_read_lnum(line.p, line.n, i + 1, &lnum) : 0;
    return digits > 0 && abr_has_at(line, i + 1 + digits, ": error: ", 9);
}

/* Does MSBuild or one of its tools name the thing and a code, "a.csproj : error NU1605: ", "LINK : fatal
 * error LNK1181: "? */
static bool is_coded_error(abr_text_line line)
{
    static const char error[] = " error ";
    const char *colon = memchr(line.p, ':', line.n);
    if (colon && colon - line.p == 1) /* of a drive */
        colon = memchr(colon + 1, ':', line.n - 2);
    if (!colon || colon - line.p < 2 || colon[-1] != ' ')
        return false;
    size_t i = (size_t)(colon - line.p) + 1;
    i += abr_has_at(line, i, " fatal", 6) ? 6 : 0;
    if (!abr_has_at(line, i, error, sizeof error - 1))
        return false;
    i += sizeof error - 1;
    const size_t code = i;
    while (i < line.n && abr_is_upper(line.p[i]))
        i++;
    uint64_t value;
    const size_t digits = i > code ? abr_read_lnum(line.p, line.n, i, &value) : 0;
    return digits > 0 && abr_has_at(line, i + digits, ":", 1);
}

/* Is it a diagnostic: a place with a column, "a.c:6:18: ", or an error in capitals, "a.build:3:0: ERROR: ",
 * or an error's code, "a.cs(12): error CS0103: ", "a.ts:3:5 - error TS2322: ", or nothing but its name,
 * "a.py:12: KeyError", or a method, "a.rb:3:in `total': "? Search results have only a line, or no blank. */
static bool is_diagnostic(abr_text_line line, float text)
{
    abr_file_place place = {0};
    if (is_scripts_error(line))
        return true;
    if (!abr_find_place(line.p, line.n, 0, &place) || place.start > 0)
        return false;
    const size_t at = place.end + abr_has_at(line, place.end, " ", 1);
    const size_t code =
        at + (abr_has_at(line, at, ": error ", 8) || abr_has_at(line, at, "- error ", 8) ? 8 : 0);
    const bool coded = code > at && code < line.n && abr_is_upper(line.p[code]);
    const bool named = abr_has_at(line, place.end, ": ", 2) && place.end + 2 < line.n &&
                       abr_is_upper(line.p[place.end + 2]) &&
                       !memchr(line.p + place.end + 2, ' ', line.n - place.end - 2);
    return coded || named || abr_has_at(line, place.end, ":in `", 5) ||
           ((place.col > 0 || abr_has_at(line, at, ": ERROR: ", 9)) && text <= most_text_alone &&
            abr_has_at(line, at, ": ", 2));
}

/* Did a logger write it as an error, at a time or after "[ERROR] "? */
static bool is_logged_error(abr_text_line line)
{
    abr_layout layout;
    line = abr_trimmed(line);
    abr_read_layout(line.p, line.n, &layout);
    return layout.level == ABR_LEVEL_ERROR &&
           (starts_in_brackets(line) || abr_lead_of(line.p, line.n).stamped);
}

/* Does it start as messages do, with a letter or a path? */
static bool starts_as_message(abr_text_line line)
{
    return abr_is_letter(line.p[0]) || line.p[0] == '/' || ABR_STARTS(line, "./") || ABR_STARTS(line, "../");
}

/* A warning among the events of `kubectl describe`: "  Warning  BackOff  3m (x4 over 9m)  kubelet  ..." */
static bool is_event(abr_text_line line)
{
    static const char warning[] = "  Warning  ";
    if (!ABR_STARTS(line, warning))
        return false;
    line.p += sizeof warning - 1;
    line.n -= sizeof warning - 1;
    return ABR_CONTAINS(line, "  ");
}

/* Is it an indented field that says in a word how something ended: "      Reason:       OOMKilled",
 * "      Exit Code:    137"? */
static bool is_bad_outcome(const finder *f, abr_text_line line)
{
    const abr_evidence l = {.p = line.p, .n = line.n, .lexicon = &f->rules->lexicon};
    const char *colon = memchr(line.p, ':', line.n);
    const size_t end = colon ? (size_t)(colon - line.p) : 0;
    const size_t value = skip(&l, end + 1, ABR_SET(" "));
    return *line.p == ' ' && value < line.n && abr_is_word(line.p[line.n - 1]) &&
           !memchr(line.p + value, ' ', line.n - value) && abr_is_listed_before(&l, end, ABR_LIST_STATE);
}

/* Is it an element with attributes? It is a hit only if one of them says how something ended. */
static bool is_bad_element(abr_text_line line)
{
    const abr_text_line bare = abr_trimmed(line);
    return *bare.p == '<' && bare.p[bare.n - 1] == '>' && bare.n > 1 && abr_is_letter(bare.p[1]) &&
           memchr(bare.p, '=', bare.n);
}

/* "not ok 5 - adds two"; a test of a suite is deeper, and has its name there. */
static bool is_not_ok(abr_text_line line)
{
    static const char result[] = "not ok ";
    enum { RESULT = sizeof result - 1 };
    size_t i = 0;
    while (i < line.n && line.p[i] == ' ')
        i++;
    size_t end = i + RESULT;
    const bool indented = i > 0;
    if (!abr_has_at(line, i, result, RESULT) || end >= line.n || !abr_is_digit(line.p[end]))
        return false;
    while (end < line.n && abr_is_digit(line.p[end]))
        end++;
    return !indented || abr_has_at(line, end, " - ", 3);
}

/* A title between rulings: "══╡ EXCEPTION CAUGHT BY WIDGETS LIBRARY ╞══" */
static bool is_ruled(abr_text_line line)
{
    enum { SIGN = 3, TWO = 6 /* bytes of a sign of drawing in UTF-8 */ };
    return ABR_STARTS(line, "\xE2") && line.n > TWO && memcmp(line.p, line.p + SIGN, SIGN) == 0 &&
           memcmp(line.p, line.p + line.n - SIGN, SIGN) == 0;
}

/* Does a program's message go on below, by one blank or a tab: "error: Your local changes to the following
 * files ...:", "dpkg: error processing archive cart.deb (--unpack):"? */
static bool goes_on_below(const finder *f, abr_text_line line, size_t next)
{
    return line.p[line.n - 1] == ':' && starts_with_program(line) && next + 1 < f->n &&
           (f->p[next] == '\t' || (f->p[next] == ' ' && f->p[next + 1] != ' '));
}

/* A part of a message, and the bytes of it. */
typedef struct {
    const char *p;
    size_t n;
} stated_part;

static const struct {
    stated_part start;
    stated_part later;
    stated_part end;
} stated[] = {
#define STATED(start, later, end, program, proof)                                                            \
    {{start, sizeof(start) - 1}, {later, sizeof(later) - 1}, {end, sizeof(end) - 1}},
#include "kinds/stated.def"
#undef STATED
};

/* Is it a message of a program, a row of stated.def? */
static bool is_stated_message(const finder *f, abr_text_line line)
{
    for (unsigned i = 0; i < sizeof stated / sizeof *stated; i++)
        if (abr_has_at(line, 0, stated[i].start.p, stated[i].start.n) &&
            ends_as(line, stated[i].end.p, stated[i].end.n) &&
            (stated[i].later.n == 0 || abr_contains(line, stated[i].later.p, stated[i].later.n)) &&
            f->rules->lexicon.without != ABR_RULE_STATED + i)
            return true;
    return false;
}

/* Is it a failure in the words of a program, among them the Test Anything Protocol, Git, dpkg, kubectl,
 * cmd.exe and MSBuild? */
static bool is_stated(const finder *f, abr_text_line line, size_t next)
{
    return is_not_ok(line) || is_stated_message(f, line) || goes_on_below(f, line, next) || is_event(line) ||
           is_bad_outcome(f, line) || is_ruled(line) || is_unknown_to_cmd(line) || is_coded_error(line) ||
           (!abr_is_letter(line.p[0]) && ENDS_AS(line, " [E]"));
}

/* The line without the name of the script that printed it: "[web] Error: the port is taken" */
static abr_text_line past_script(abr_text_line line)
{
    size_t i = 1;
    while (i < line.n && (abr_is_lower(line.p[i]) || abr_is_digit(line.p[i]) || memchr("-:_", line.p[i], 3)))
        i++;
    const bool named = line.n > 0 && line.p[0] == '[' && i > 1 && abr_has_at(line, i, "] ", 2);
    return named ? (abr_text_line){line.p + i + 2, line.n - i - 2} : line;
}

/* Does a frame of its stack follow, or what was thrown in C++? */
static bool is_above_frame(const finder *f, size_t next)
{
    abr_text_line line;
    return next < f->n && memchr(" \t#", f->p[next], 3) && abr_next_line(f->p, f->n, &next, &line) &&
           (ABR_STARTS(line, "  what():  ") ||
            abr_read_whole_form(&f->rules->forms, line).form == ABR_FORM_FRAME);
}

/* Does it say so in a few sure words, "Segmentation fault (core dumped)", "Unhandled exception:"? */
static bool is_sure_message(const finder *f, abr_text_line line, float score)
{
    return score >= least_sure_message && abr_is_upper(line.p[0]) && abr_is_lower(line.p[1]) &&
           !memchr(line.p, ',', line.n) && abr_read_whole_form(&f->rules->forms, line).text == 0;
}

/* Is it all that a shell says of a program that a signal ended? */
static bool tells_signal(abr_text_line line)
{
    static const char dumped[] = " (core dumped)";
    static const char *const signals[] = {"Killed",
                                          "Aborted",
                                          "Segmentation fault",
                                          "Bus error",
                                          "Illegal instruction",
                                          "Floating point exception"};
    if (line.n == 0 || !ABR_HAS("KASBIF", *line.p)) /* most lines */
        return false;
    line.n -= ends_as(line, dumped, sizeof dumped - 1) ? sizeof dumped - 1 : 0;
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        if (line.n == strlen(signals[i]) && memcmp(line.p, signals[i], line.n) == 0)
            return true;
    return false;
}

/* Is the line a message that reports a failure wherever it stands? The following line starts at `next`. */
static bool fails_alone(finder *f, abr_text_line line, size_t next)
{
    if (is_logged_error(line))
        return true;
    line = past_script(abr_own_text(line));
    if (line.n < SHORTEST || line.p[line.n - 1] == ';')
        return false;
    const abr_form_told told = abr_read_whole_form(&f->rules->forms, line);
    const abr_trouble_line trouble_line = {f->p - f->before, f->before + f->n, line, f->before + next, told};
    if (told.form == ABR_FORM_PROCESS || is_stated(f, line, next) || abr_lines_agree(&trouble_line))
        return true;
    if (!starts_as_message(line))
        return false;
    const bool printed = told.log >= 1 && told.text <= most_text_alone && told.form != ABR_FORM_TEST;
    const bool plain = told.text == 0 || told.form == ABR_FORM_SENTENCE ||
                       (told.text <= most_text_alone &&
                        (ABR_STARTS(line, "Error") || ABR_CONTAINS(line, " error: "))); /* of PHP */
    const bool of_program =
        told.text <= most_text_alone && line.p[line.n - 1] != ':' && starts_with_program(line);
    f->weighed++;
    const bool is_rule = /* of a makefile */
        next < f->n && f->p[next] == '\t' && !ABR_CONTAINS(line, ": error: ");
    if (is_above_frame(f, next) || (told.form == ABR_FORM_PLACE && is_diagnostic(line, told.text)))
        return true;
    return (of_program || ((printed || plain) && is_labelled(line))) && !is_rule;
}

/* Does it report a failure, amid lines printed with it? The less it says, the surer must these be. */
static bool fails_in_run(finder *f, abr_text_line line, size_t next, float score)
{
    const bool lesser = score < least_score;
    const size_t end = f->end;
    if (next <= end || (lesser && f->weighed >= WEIGHED_MOST / 2) ||
        abr_read_whole_form(&f->rules->forms, line).text > most_text)
        return false;
    const float run =
        evidence_of(f, line) + evidence_after(f, next) + evidence_before(f, (size_t)(line.p - f->p));
    if (lesser)
        f->end = end; /* a clear message may follow */
    return run >= (lesser ? least_sure_run : least_run);
}

/* Does one of several records tell of trouble in a field, "  phase: Failed", that says nothing in the
 * others, and the same in most of them? */
static bool fails_amid_records(finder *f, abr_text_line line, size_t next, const abr_reading *reading)
{
    enum { LEAST = 4 };
    const size_t key = reading->line_score > 0 && f->fields < FIELDS_MOST ? abr_field_key(line) : 0;
    const abr_evidence l = {.p = line.p, .n = line.n, .lexicon = &f->rules->lexicon};
    if (key == 0 || !(reading->hit || abr_is_listed_before(&l, key - 2, ABR_LIST_STATE)))
        return false;
    const abr_trouble_line t = {f->p - f->before, f->before + f->n, line, f->before + next, {0}};
    abr_text_line others[ABR_FIELDS];
    const size_t count = abr_find_fields(&t, others);
    size_t same = 0;
    f->fields++;
    for (size_t i = 0; i < count; i++) {
        abr_reading other;
        if (read_hit(f, others[i], &other) || other.line_score >= reading->line_score)
            return false;
        same +=
            i > 0 && others[i].n == others[i - 1].n && memcmp(others[i].p, others[i - 1].p, others[i].n) == 0;
    }
    return count >= LEAST && same * 2 >= count - 1;
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
    enum { WITHIN = ABR_OR_TINY(128, 16) /* lines */ };
    finder f = {.rules = rules, .p = p + failure, .n = n - failure, .before = failure};
    abr_text_line line;
    abr_reading hit;
    size_t next = 0;
    if (!abr_next_line(f.p, f.n, &next, &line) || line.n == 0)
        return failure;
    read_hit(&f, line, &hit);
    const size_t indent = (size_t)(abr_trimmed(line).p - line.p);
    if (!fails_amid_records(&f, line, next, &hit))
        return failure;
    for (size_t i = 0, at = failure; i < WITHIN && at > from; i++) {
        line = abr_line_before(p, at);
        at = (size_t)(line.p - p);
        const abr_text_line bare = abr_trimmed(line);
        if (names_record(line, indent))
            return at;
        if (bare.n == 0 || (*bare.p == '-' && (size_t)(bare.p - line.p) < indent))
            return failure; /* the record's start */
    }
    return failure;
}

void abr_failure_rules_open(abr_failure_rules *rules)
{
    abr_lexicon_open(&rules->lexicon, 0);
    abr_forms_open(&rules->forms, ABR_ALL_FORMS, ABR_NO_RULE);
    rules->forms.thorough = true;
}

size_t abr_find_failure_by(const abr_failure_rules *rules, const char *p, size_t from, size_t n)
{
    finder f = {.rules = rules, .p = p + from, .n = n - from, .before = from};
    abr_text_line line;
    for (size_t at = 0; f.weighed < WEIGHED_MOST && abr_next_line(f.p, f.n, &at, &line);) {
        while (at < f.n && f.p[at] == '\n') /* there may be many */
            at++;
        abr_reading hit;
        if (tells_signal(line))
            return (size_t)(line.p - p);
        const bool is_hit = read_hit(&f, line, &hit);
        if (fails_amid_records(&f, line, at, &hit))
            return (size_t)(line.p - p);
        if (is_hit && (counts_failures(&f, line, &hit) ||
                       (says_trouble(line, &hit) &&
                        (is_bad_element(line) || is_sure_message(&f, line, hit.line_score) ||
                         fails_in_run(&f, line, at, hit.line_score) || fails_alone(&f, line, at)))))
            return (size_t)(line.p - p);
    }
    return n;
}

size_t abr_find_failure(const char *p, size_t n)
{
    abr_failure_rules rules;
    abr_failure_rules_open(&rules);
    return abr_find_failure_by(&rules, p, 0, n);
}
