/*
 * Does a line report a failure by itself, wherever it stands? People quote messages, so a word of trouble is
 * not enough: a program names itself, a place or a code, or has words of its own (stated.def).
 */
#include <string.h>

#include "kinds/message.h"
#include "base/ascii.h"
#include "line/evidence.h"
#include "line/hits.h"
#include "line/layout.h"
#include "line/listed.h"
#include "line/place.h"
#include "line/rule.h"
#include "line/words.h"

enum { SHORTEST = 7 /* bytes of a line that reports a failure */ };

_Static_assert((size_t)ABR_LONGEST_MESSAGE <= ABR_SEGMENT, "a line is read at once");

static const float most_text_alone = 0.66F; /* evidence of text in a message that needs no others */

/* Fitted on 10,011 sources, pages and listings of a Debian machine, 50 of which quote an error on a line of
 * its own. */
static const float least_message = 6.0F;       /* score of a message that is a failure by itself */
static const float least_sure_message = 13.0F; /* and of one without a label */

static const float least_count = 14.0F;       /* and of a count of failures, */
static const float most_text_counting = 0.4F; /* evidence of text in it */

void abr_failure_rules_open(abr_failure_rules *rules)
{
    abr_lexicon_open(&rules->lexicon, 0);
    abr_forms_open(&rules->forms, ABR_ALL_FORMS, ABR_NO_RULE);
    rules->forms.thorough = true;
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

static bool says_a_word(abr_text_line line)
{
    size_t i = 0;
    while (i < line.n && !abr_is_letter(line.p[i]))
        i++;
    return i < line.n;
}

bool abr_read_trouble(const abr_failure_rules *rules, abr_text_line line, const char *end,
                      abr_reading *reading)
{
    static const abr_patterns none;
    /* the last line, since nothing past the text can be read */
    char padded[ABR_LONGEST_MESSAGE + ABR_PADDING];
    const char *p = line.p;
    reading->hit = false;
    reading->line_score = 0;
    /* After a bar stands a quotation, or a row of a table, as in the pages of pydoc; after echo, a script's
     * message. */
    if (line.n < SHORTEST || line.n >= ABR_LONGEST_MESSAGE ||
        (line.p[line.n - 1] == ',' && !is_unknown_to_cmd(line)) || !says_a_word(line) ||
        ABR_STARTS(abr_trimmed(line), "|") || ABR_STARTS(abr_trimmed(line), "echo "))
        return false;
    if ((size_t)(end - line.p) < line.n + ABR_PADDING) {
        memcpy(padded, line.p, line.n);
        memset(padded + line.n, 0, ABR_PADDING);
        p = padded;
    }
    abr_read_if_scored(&rules->lexicon, &none, p, line.n, reading);
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
    const size_t i = abr_past(line, 0, ABR_SET(" \t"));
    const char *end = i < line.n && line.p[i] == '[' ? memchr(line.p + i, ']', line.n - i) : NULL;
    return end && abr_has_at(line, (size_t)(end - line.p), "] ", 2);
}

bool abr_counts_failures(const abr_failure_rules *rules, abr_text_line line, const abr_reading *hit)
{
    if (!hit->tells && hit->words >= ABR_PROSE_WORDS && hit->line_score >= least_count &&
        (lists_named_counts(line) || ABR_STARTS(line, "Tests: ") /* of Jest */ ||
         ABR_STARTS(line, "Failed!  - Failed: ") /* of .NET */ ||
         abr_read_whole_form(&rules->forms, line).text <= most_text_counting))
        return true;
    return is_count(line) && hit->words > 0 && hit->line_score >= least_message;
}

bool abr_says_trouble(abr_text_line line, const abr_reading *hit)
{
    return hit->words >= ABR_PROSE_WORDS && hit->line_score >= least_message &&
           (hit->tells || starts_in_brackets(line));
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
    size_t i = abr_past(line, 0, abr_joined(abr_joined(ABR_SMALL_LETTERS, ABR_DIGITS), ABR_SET("-.+/")));
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
    i = abr_past(line, i, ABR_CAPITALS);
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

/* Does a name that tells how something is end at `end`? A level without a message does not: it is of a
 * configuration, which says what to report. */
static bool names_outcome(const abr_evidence *l, size_t end)
{
    return abr_is_listed_before(l, end, ABR_LIST_STATE) &&
           (!preceded_by(l, end, "level") || ABR_CONTAINS(((abr_text_line){l->p, l->n}), " message="));
}

/* Is it an indented field that says in a word how something ended: "      Reason:       OOMKilled",
 * "      Exit Code:    137"? Severities stand in rules of alerts and scanners. */
static bool is_bad_outcome(const abr_failure_rules *rules, abr_text_line line)
{
    const abr_evidence l = {.p = line.p, .n = line.n, .lexicon = &rules->lexicon};
    const char *colon = memchr(line.p, ':', line.n);
    const size_t end = colon ? (size_t)(colon - line.p) : 0;
    const size_t value = skip(&l, end + 1, ABR_SET(" "));
    return *line.p == ' ' && value < line.n && abr_is_word(line.p[line.n - 1]) &&
           !memchr(line.p + value, ' ', line.n - value) && names_outcome(&l, end) &&
           !preceded_by(&l, end, "severity");
}

/* Is it an element with trouble in its name, in that of an attribute, or in one of how something ended? */
static bool is_bad_element(const abr_failure_rules *rules, abr_text_line line, size_t at)
{
    const abr_evidence l = {.p = line.p, .n = line.n, .lexicon = &rules->lexicon};
    const abr_text_line bare = abr_trimmed(line);
    if (*bare.p != '<' || bare.p[bare.n - 1] != '>' || bare.n < 2 || !abr_is_letter(bare.p[1]) ||
        !memchr(bare.p, '=', bare.n))
        return false;
    size_t end = at;
    while (end < line.n && (abr_is_word(line.p[end]) || line.p[end] == '-'))
        end++;
    while (at > 0 && !ABR_HAS("\"<", line.p[at - 1]))
        at--;
    if (byte_at(&l, end) == '=' || at < 2 || line.p[at - 1] == '<')
        return true;
    at -= 2;
    return byte_at(&l, at) == '=' && (names_outcome(&l, at) || preceded_by(&l, at, "message"));
}

/* "not ok 5 - adds two"; a test of a suite is deeper, and has its name there. */
static bool is_not_ok(abr_text_line line)
{
    static const char result[] = "not ok ";
    enum { RESULT = sizeof result - 1 };
    const size_t i = abr_past(line, 0, ABR_SET(" "));
    size_t end = i + RESULT;
    const bool indented = i > 0;
    if (!abr_has_at(line, i, result, RESULT) || end >= line.n || !abr_is_digit(line.p[end]))
        return false;
    end = abr_past(line, end, ABR_DIGITS);
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
static bool goes_on_below(const abr_trouble_line *t)
{
    const char *next = t->p + t->next;
    return t->line.p[t->line.n - 1] == ':' && starts_with_program(t->line) && t->next + 1 < t->n &&
           (*next == '\t' || (*next == ' ' && next[1] != ' '));
}

static const struct {
    abr_text_line start;
    abr_text_line later;
    abr_text_line end;
} stated[] = {
#define STATED(start, later, end, program, proof)                                                            \
    {{start, sizeof(start) - 1}, {later, sizeof(later) - 1}, {end, sizeof(end) - 1}},
#include "kinds/stated.def"
#undef STATED
};

/* Is it a message of a program, a row of stated.def? */
static bool is_stated_message(const abr_failure_rules *rules, abr_text_line line)
{
    for (unsigned i = 0; i < sizeof stated / sizeof *stated; i++)
        if (abr_has_at(line, 0, stated[i].start.p, stated[i].start.n) &&
            ends_as(line, stated[i].end.p, stated[i].end.n) &&
            (stated[i].later.n == 0 || abr_contains(line, stated[i].later.p, stated[i].later.n)) &&
            rules->lexicon.without != ABR_RULE_STATED + i)
            return true;
    return false;
}

/* Is it a failure in the words of a program, among them the Test Anything Protocol, Git, dpkg, kubectl,
 * cmd.exe and MSBuild? */
static bool is_stated(const abr_failure_rules *rules, const abr_trouble_line *t)
{
    const abr_text_line line = t->line;
    return is_not_ok(line) || is_stated_message(rules, line) || goes_on_below(t) || is_event(line) ||
           is_bad_outcome(rules, line) || is_ruled(line) || is_unknown_to_cmd(line) || is_coded_error(line) ||
           (!abr_is_letter(line.p[0]) && ENDS_AS(line, " [E]"));
}

/* The line without the name of the script that printed it: "[web] Error: the port is taken" */
static abr_text_line past_script(abr_text_line line)
{
    const size_t i = abr_past(line, 1, abr_joined(abr_joined(ABR_SMALL_LETTERS, ABR_DIGITS), ABR_SET("-:_")));
    const bool named = line.n > 0 && line.p[0] == '[' && i > 1 && abr_has_at(line, i, "] ", 2);
    return named ? (abr_text_line){line.p + i + 2, line.n - i - 2} : line;
}

/* Does a frame of its stack follow, or what was thrown in C++? */
static bool is_above_frame(const abr_failure_rules *rules, const abr_trouble_line *t)
{
    size_t next = t->next;
    abr_text_line line;
    return next < t->n && memchr(" \t#", t->p[next], 3) && abr_next_line(t->p, t->n, &next, &line) &&
           (ABR_STARTS(line, "  what():  ") ||
            abr_read_whole_form(&rules->forms, line).form == ABR_FORM_FRAME);
}

/* Does it say so in a few sure words, "Segmentation fault (core dumped)", "Unhandled exception:"? */
static bool is_sure_message(const abr_failure_rules *rules, abr_text_line line, float score)
{
    return score >= least_sure_message && abr_is_upper(line.p[0]) && abr_is_lower(line.p[1]) &&
           !memchr(line.p, ',', line.n) && abr_read_whole_form(&rules->forms, line).text == 0;
}

bool abr_tells_signal(abr_text_line line)
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

bool abr_is_failing_message(const abr_failure_rules *rules, const abr_trouble_line *trouble,
                            const abr_reading *hit)
{
    if (is_bad_element(rules, trouble->line, hit->at) ||
        is_sure_message(rules, trouble->line, hit->line_score) || is_logged_error(trouble->line))
        return true;
    abr_trouble_line t = *trouble;
    const abr_text_line line = past_script(abr_own_text(t.line));
    if (line.n < SHORTEST || line.p[line.n - 1] == ';')
        return false;
    const abr_form_told told = abr_read_whole_form(&rules->forms, line);
    t.line = line;
    t.told = told;
    if (told.form == ABR_FORM_PROCESS || is_stated(rules, &t) || abr_lines_agree(&t))
        return true;
    if (!starts_as_message(line))
        return false;
    const bool printed = told.log >= 1 && told.text <= most_text_alone && told.form != ABR_FORM_TEST;
    const bool plain = told.text == 0 || told.form == ABR_FORM_SENTENCE ||
                       (told.text <= most_text_alone &&
                        (ABR_STARTS(line, "Error") || ABR_CONTAINS(line, " error: "))); /* of PHP */
    const bool of_program =
        told.text <= most_text_alone && line.p[line.n - 1] != ':' && starts_with_program(line);
    const bool is_rule = /* of a makefile */
        t.next < t.n && t.p[t.next] == '\t' && !ABR_CONTAINS(line, ": error: ");
    if (is_above_frame(rules, &t) || (told.form == ABR_FORM_PLACE && is_diagnostic(line, told.text)))
        return true;
    return (of_program || ((printed || plain) && is_labelled(line))) && !is_rule;
}
