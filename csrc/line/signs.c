/*
 * The meaning of words, by their place.
 *
 * In a name (error_handler.c, -Werror, foo_error_test) or negated (0 errors, no failures) a word means
 * nothing; in a form that only errors have ("error:", "FAILED", "TypeError:") it is clear; elsewhere it may
 * be prose.
 */
#include "line/signs.h"
#include "abridge.h"
#include "line/evidence.h"
#include "line/excused.h"
#include "line/lexicon.h"
#include "line/listed.h"
#include "line/nothing.h"
#include "line/phrases.h"
#include "line/place.h"
#include "line/score.h"
#include "line/word_place.h"
#include "line/words.h"
#include "line/written.h"

enum {
    NEAR = 16,        /* bytes between a negation and the missing thing */
    LEVEL_WITHIN = 64 /* bytes of a line within which its log level stands */
};

/* Note a word with the score it would give the line. */
static void say(abr_evidence *l, const abr_sign *s, float score, bool is_clear)
{
    note_score(l, s->at, s->n, s->type ? ABR_TABLE_ENDINGS : ABR_TABLE_WORDS, score);
    if (is_clear && l->is_clear && l->strong < ABR_SCORE_CLEAR + ABR_SCORE_AGAIN)
        l->strong += ABR_SCORE_AGAIN;
    if (score > l->strong) {
        l->strong = score;
        l->at = s->at;
    }
    l->is_clear = l->is_clear || is_clear;
}

/* Does the word label a message: "error: no such file"? Then it counts, whatever follows. */
static bool labels(const abr_evidence *l, const abr_sign *s)
{
    char before = byte_before(l, s->at);
    return byte_at(l, end_of(s)) == ':' && !ABR_HAS("\"'`(:", before) &&
           (s->type || !abr_is_letter(byte_at(l, end_of(s) + 1))) && !abr_is_argument(l, s);
}

static bool reads_as_text(abr_evidence *l)
{
    if (l->as_text == ABR_ANSWER_UNASKED)
        l->as_text = abr_reads_as_text(l) ? ABR_ANSWER_YES : ABR_ANSWER_NO;
    return l->as_text == ABR_ANSWER_YES;
}

/* Is the line written, not reported? */
static bool is_written(abr_evidence *l)
{
    if (!reads_as_text(l) && l->as_source == ABR_ANSWER_UNASKED)
        l->as_source = abr_reads_as_source(l) ? ABR_ANSWER_YES : ABR_ANSWER_NO;
    return reads_as_text(l) || l->as_source == ABR_ANSWER_YES;
}

/* Does the word name something that deals with trouble: "error handler", "crash report"? */
static bool is_named_after(const abr_evidence *l, const abr_sign *s)
{
    const abr_sign *next = next_sign(l, s, 1);
    const bool noun = s->class != ABR_WORD_FAIL || is_word(l, s, "failure") || is_word(l, s, "failures");
    return next && (is_word(l, next, "summary") || (noun && next->class == ABR_WORD_NAMING &&
                                                    !all_caps(l, s) && byte_at(l, end_of(s)) == ' '));
}

static bool is_named(const abr_evidence *l, const abr_sign *s)
{
    return deny(l, s, ABR_DENIED_NAME, abr_in_name(l, s) || abr_in_title(l, s) || abr_in_constant(l, s));
}

static bool is_negated(const abr_evidence *l, const abr_sign *s)
{
    return deny(l, s, ABR_DENIED_NEGATED, abr_is_negated(l, s));
}

/* Does the line, or the sentence around the word, speak of it without reporting it? */
static bool tells_nothing(abr_evidence *l, const abr_sign *s)
{
    return deny(l, s, ABR_DENIED_WRITTEN, is_written(l)) ||
           deny(l, s, ABR_DENIED_SPOKEN, abr_is_spoken_of(l, s));
}

static void sum_up(abr_evidence *l, float score)
{
    if (l->summary < score)
        l->summary = score;
}

/* Does the word start the name of a file in a place, "leak.c:7"? */
static bool starts_place(const abr_evidence *l, const abr_sign *s)
{
    const size_t end = skip_name(l, end_of(s) + 1, ABR_DIGITS);
    return byte_at(l, end_of(s)) == '.' && byte_at(l, end) == ':' && abr_is_digit(byte_at(l, end + 1));
}

/* Read a name by its value, if that is enough. */
static bool read_by_value(abr_evidence *l, const abr_sign *s)
{
    switch (abr_value_of(l, s)) {
    case ABR_VALUE_NOTHING: /* a zero count scores a little */
        sum_up(l, ABR_SCORE_WEAK);
        return deny(l, s, ABR_DENIED_NOTHING, true);
    case ABR_VALUE_SETTING:
        return deny(l, s, ABR_DENIED_SETTING, true);
    case ABR_VALUE_TROUBLE:
        if (!is_written(l) && !abr_is_argument(l, s) && !starts_place(l, s)) {
            say(l, s, ABR_SCORE_BAD, false);
            l->counted = l->counted || s->class != ABR_WORD_WARN;
        }
        return false;
    default:
        return false;
    }
}

/* Is the sign harmless, whatever its place in the line? If it may report trouble, *count is the number before
 * it, or -1. */
static bool reports_none(abr_evidence *l, const abr_sign *s, int64_t *count)
{
    if (read_by_value(l, s) || is_named(l, s) || is_negated(l, s) ||
        deny(l, s, ABR_DENIED_NEGATED,
             abr_is_between_listed(l, s->at, end_of(s), ABR_LIST_FINE_BEFORE, ABR_LIST_FINE_AFTER)))
        return true;
    *count = abr_number_before(l, s->at);
    if (deny(l, s, ABR_DENIED_ZERO, *count == 0)) {
        sum_up(l, ABR_SCORE_WEAK);
        return true;
    }
    if (deny(l, s, ABR_DENIED_DEALT, is_named_after(l, s))) {
        say(l, s, ABR_SCORE_WEAK, false);
        return true;
    }
    if (deny(l, s, ABR_DENIED_WRITTEN, reads_as_text(l)))
        return true;
    if (labels(l, s))
        return false;
    return tells_nothing(l, s) || deny(l, s, ABR_DENIED_SETTING, abr_is_setting(l, s)) ||
           deny(l, s, ABR_DENIED_ARGUMENT, !all_caps(l, s) && abr_is_argument(l, s));
}

/* ---- the classes ---- */

/* Is it the name of one of Xcode's steps, with its file: "RegisterPolicyException /a (in target 'x' ..."? */
static bool names_step(const abr_evidence *l, const abr_sign *s)
{
    return starts_with(l, end_of(s), " /") && has_from(l, end_of(s), " (in target ");
}

/* Does the name that the word is in, with its file, say how long it took: "CartTest.RetryOnError (193ms)",
 * "Cart.RetryOnError.csproj (in 154 ms)"? It names a test, or a project. */
static bool names_timed(const abr_evidence *l, const abr_sign *s)
{
    size_t at = skip_name(l, end_of(s), ABR_SET("_.-"));
    if (byte_at(l, at) != ' ' || !ABR_HAS("([", byte_at(l, at + 1)))
        return false;
    at += starts_with(l, at + 2, "in ") ? 5 : 2;
    const size_t unit = skip(l, skip(l, at, ABR_SET(".0123456789")), ABR_SET(" "));
    return abr_is_digit(byte_at(l, at)) && ABR_HAS("sm", byte_at(l, unit)) &&
           ABR_HAS(")]", byte_at(l, skip(l, unit, ABR_SET("ms"))));
}

/* Is it a test among those of a class: "CartTest.RetryOnError"? Before a colon, it was thrown. */
static bool is_among_tests(const abr_evidence *l, const abr_sign *s)
{
    return (preceded_by(l, s->at, "Test.") || preceded_by(l, s->at, "Tests.")) &&
           byte_at(l, end_of(s)) != ':';
}

/* Does the word name a thing that was built or tested, or is it quoted, "Use `SystemError`"? Then no error
 * was thrown. */
static bool names_thing(const abr_evidence *l, const abr_sign *s)
{
    return s->type &&
           (l->stepped || (byte_before(l, s->at) == '`' && l->words->classes & 1U << ABR_WORD_WARN) ||
            starts_with(l, s->at, "Test") || starts_with(l, s->at, "test") || is_among_tests(l, s) ||
            names_timed(l, s));
}

/* Is it a measure of statistics: "Residual standard error: 2.6", "Std. Error"? */
static bool is_measure(const abr_evidence *l, const abr_sign *s)
{
    const bool named = byte_at(l, end_of(s)) == ':' && !abr_is_digit(byte_at(l, end_of(s) + 2));
    return is_word(l, s, "error") && !named &&
           (preceded_by(l, s->at, "tandard ") || preceded_by(l, s->at, "Std. "));
}

static void read_error(abr_evidence *l, const abr_sign *s)
{
    const abr_sign *before = previous_sign(l, s);
    const bool sentence = is_word(l, s, "severe") && !all_caps(l, s); /* not the level */
    int64_t count;
    if (names_thing(l, s) || is_measure(l, s) || sentence || reports_none(l, s, &count))
        return;
    bool source = before && before->class == ABR_WORD_CODE && s->at - end_of(before) <= 8;
    char c = byte_at(l, end_of(s));
    const bool ends = ABR_HAS("\n\r", c);
    if (s->type && (source || c == '(' || names_step(l, s))) {
        say(l, s, ABR_SCORE_WARNED, false);
        return;
    }
    if (count > 0) {
        l->summary = ABR_SCORE_SUMS_UP;
        l->counted = true;
    }
    bool is_clear = c == ':' || c == '!' || abr_has_code(l, s) || all_caps(l, s) || abr_in_brackets(l, s) ||
                    (is_first(l, s) && !source) || (s->type && (ends || c == ' '));
    if (c == ':' || (ends && all_caps(l, s))) /* "checking examples ... ERROR" */
        l->stepped = false;
    bool bare =
        !s->type && count < 0 && c != ':' && !all_caps(l, s) && !abr_has_code(l, s) && !abr_in_brackets(l, s);
    if (bare && !abr_is_reported(l, s))
        say(l, s, ABR_SCORE_WARNED, false);
    else
        say(l, s, is_clear ? ABR_SCORE_CLEAR : ABR_SCORE_BAD, is_clear);
}

static void read_fail(abr_evidence *l, const abr_sign *s)
{
    int64_t count;
    if (reports_none(l, s, &count))
        return;
    if (starts_with(l, end_of(s), " - RETRYING")) { /* Ansible's, which says so if the last try fails */
        say(l, s, ABR_SCORE_WARNED, false);
        return;
    }
    int64_t after = abr_number_after(l, end_of(s), true);
    if (after < 0 && byte_at(l, end_of(s)) == ' ' &&
        (is_first(l, s) || byte_before(l, l->words->first) == ' '))
        after = abr_number_after(l, end_of(s), false); /* "# fail 0" */
    if (deny(l, s, ABR_DENIED_ZERO, count < 0 && after == 0)) {
        sum_up(l, ABR_SCORE_WEAK);
        return;
    }
    if (count > 0 || after > 0) {
        l->summary = ABR_SCORE_SUMS_UP;
        l->counted = true;
    }
    if (byte_at(l, end_of(s)) == ':')
        l->stepped = false;
    bool named = s->type || !(is_word(l, s, "fail") || is_word(l, s, "fails") || is_word(l, s, "failing"));
    bool is_clear = all_caps(l, s) || (named && abr_is_upper(l->p[s->at])) || abr_in_brackets(l, s) ||
                    (byte_at(l, end_of(s)) == ':' && named) || (count > 0 && s->at < ABR_LEADS_WITHIN) ||
                    is_first(l, s);
    say(l, s, is_clear ? ABR_SCORE_CLEAR : named || count > 0 ? ABR_SCORE_BAD : ABR_SCORE_WARNED, is_clear);
}

static void read_fatal(abr_evidence *l, const abr_sign *s)
{
    int64_t count;
    if (reports_none(l, s, &count))
        return;
    const abr_sign *next = next_sign(l, s, 4);
    char c = byte_at(l, end_of(s));
    if (is_word(l, s, "bug")) {
        if (c == ':' && all_caps(l, s))
            say(l, s, ABR_SCORE_CLEAR, true);
        return;
    }
    const bool written = is_word(l, s, "traceback") && !abr_is_upper(l->p[s->at]); /* prints the traceback */
    if (is_word(l, s, "race") || is_word(l, s, "conflict") || is_word(l, s, "segmentation") ||
        is_word(l, s, "oops") || written) {
        bool is_clear = all_caps(l, s) || (next && is_word(l, next, "fault")) || c == ':';
        say(l, s, is_clear ? ABR_SCORE_CLEAR : ABR_SCORE_WEAK, is_clear);
        return;
    }
    say(l, s, c == '(' ? ABR_SCORE_BAD : ABR_SCORE_CLEAR, c != '(');
}

/* Does it lead the name of a test that was not run: "UNSUPPORTED: LLVM :: a.ll", "UNSUPPORTED: dg/a.c"? */
static bool names_skipped(const abr_evidence *l, const abr_sign *s)
{
    size_t at = end_of(s) + 2;
    if (!all_caps(l, s) || !starts_with(l, end_of(s), ": "))
        return false;
    while (at < l->n && l->p[at] > ' ' && l->p[at] != '/')
        at++;
    return byte_at(l, at) == '/' || starts_with(l, at, " :: ");
}

static void read_bad(abr_evidence *l, const abr_sign *s)
{
    const abr_sign *next = next_sign(l, s, 12);
    const bool undefined = is_word(l, s, "undefined");
    const char after = byte_at(l, end_of(s));
    bool is_clear =
        (next && (next->class == ABR_WORD_FAIL || (next->class == ABR_WORD_SYMBOL && undefined))) ||
        (byte_before(l, s->at) == '*' && !abr_is_digit(after)) ||
        (byte_before(l, s->at) == '-' && abr_leads_joined(l, s));
    int64_t count;
    if (is_word(l, s, "unsupported") && is_first(l, s) && names_skipped(l, s)) {
        l->passed = true;
        return;
    }
    if ((!is_clear && l->strong >= ABR_SCORE_BAD) || reports_none(l, s, &count))
        return;
    if (undefined && s->at >= 2 && ABR_HAS(":=", l->p[s->at - 2]) &&
        ABR_HAS(",;}\n", byte_at(l, skip(l, end_of(s), ABR_SET(" ")))))
        return; /* the value of a field */
    say(l, s, is_clear ? ABR_SCORE_CLEAR : ABR_SCORE_BAD, is_clear);
}

/* Is it fine that something is missing: "no issues found", "[no test files]"? */
static bool is_well(const abr_evidence *l, const abr_sign *no, const abr_sign *s)
{
    return (no + 1 < s && (is_word(l, no + 1, "issues") || is_word(l, no + 1, "problems"))) ||
           (byte_before(l, no->at) == '[' && byte_at(l, end_of(s)) == ']');
}

/* Does the line name a remedy: "..., skipping", "... and will be fetched"? */
static bool is_made_up_for(const abr_evidence *l, size_t from)
{
    static const char made[] = " and will be ";
    for (size_t i = from; i + 2 < l->n; i++) {
        const size_t at = starts_with(l, i, made)                              ? i + sizeof made - 1
                          : ABR_HAS(",;", l->p[i]) && byte_at(l, i + 1) == ' ' ? i + 2
                                                                               : l->n;
        if (at < l->n && abr_starts_listed(l, at, ABR_LIST_REMEDY))
            return true;
    }
    return false;
}

/* "not found", "no such file", "did not match", "has been terminated" */
static void read_lack(abr_evidence *l, const abr_sign *s)
{
    const abr_sign *before = previous_sign(l, s);
    const unsigned trouble = 1U << ABR_WORD_ERROR | 1U << ABR_WORD_FAIL | 1U << ABR_WORD_FATAL |
                             1U << ABR_WORD_BAD | 1U << ABR_WORD_WARN | 1U << ABR_WORD_NO;
    if (is_word(l, s, "terminated") && preceded_by(l, s->at, "been ") && !is_written(l))
        say(l, s, ABR_SCORE_BAD, false);
    if (before && before > l->words->signs && !(trouble >> before->class & 1)) /* "no required module" */
        before--;
    if (!before || before->class != ABR_WORD_NO || s->at - end_of(before) > NEAR || is_named(l, s) ||
        is_well(l, before, s) || is_made_up_for(l, end_of(s)))
        return;
    const bool is_to_come = preceded_by(l, before->at, "will "); /* "will no longer be supported" */
    if (deny(l, s, ABR_DENIED_SPOKEN, is_to_come || abr_is_spoken_of(l, before)) ||
        deny(l, s, ABR_DENIED_WRITTEN, is_written(l)) ||
        deny(l, s, ABR_DENIED_ARGUMENT, abr_is_argument(l, s)))
        return;
    note_score(l, before->at, end_of(s) - before->at, ABR_TABLE_WORDS, ABR_SCORE_BAD);
    say(l, before, ABR_SCORE_BAD, false);
}

/* Note an expectation, or a reason. */
static void expect(abr_evidence *l, const abr_sign *s, float score)
{
    if (l->expected >= score)
        return;
    l->expected = score;
    note_score(l, s->at, s->n, ABR_TABLE_WORDS, score);
    if (l->strong == 0)
        l->at = s->at;
}

static void read_expectation(abr_evidence *l, const abr_sign *s)
{
    char c = byte_at(l, end_of(s));
    if (abr_in_name(l, s))
        return;
    bool tells = ABR_HAS(":=", c) || (is_first(l, s) && (c == ' ' || c == '\t'));
    for (const abr_sign *next = s + 1; next < signs_end(l) && !tells; next++)
        tells = next->class == ABR_WORD_EXPECT || next->class == ABR_WORD_LACK;
    tells = tells || (is_word(l, s, "expected") && c != '\n');
    size_t before = s->at > 1 ? s->at - 2 : 0;
    tells = tells || ABR_HAS(",;", l->p[before]); /* "Total() = 3, want 4" */
    if (is_word(l, s, "expected") && !l->stepped && has_from(l, end_of(s), " but ") && !is_written(l) &&
        !abr_is_spoken_of(l, s))
        say(l, s, ABR_SCORE_BAD, false);
    if (tells)
        expect(l, s, ABR_SCORE_EXPECTS);
}

static void read_cause(abr_evidence *l, const abr_sign *s)
{
    char c = byte_at(l, end_of(s));
    bool tells = c == ':' || (is_word(l, s, "caused") && is_first(l, s));
    if (abr_in_name(l, s) || !tells || (is_word(l, s, "summary") && !all_caps(l, s)))
        return;
    expect(l, s, is_first(l, s) ? ABR_SCORE_CAUSED + 1 : ABR_SCORE_EXPECTS);
}

/* Does the line end by saying how long it took: " (0.1 seconds)", " after 2 seconds.", "    0.52 sec",
 * "  2s"? */
static bool ends_with_seconds(const abr_evidence *l, size_t at)
{
    const size_t blanks = skip(l, at, ABR_SET(" "));
    const size_t number = starts_with(l, at, " after ") ? at + 7
                          : starts_with(l, at, " (")    ? at + 2
                          : blanks > at + 1             ? blanks
                                                        : 0;
    if (number == 0)
        return false;
    tell_digits(l);
    const size_t end = skip(l, number, ABR_SET("0123456789."));
    const size_t unit = skip(l, end, ABR_SET(" "));
    return end > number && byte_at(l, unit) == 's' && skip(l, unit, ABR_SET("seconds).\r")) == l->n;
}

/* Does the word end a line after dots, as a result does? */
static bool ends_after_dots(const abr_evidence *l, const abr_sign *s)
{
    const size_t start = abr_back(l->p, s->at, ABR_SET(" "));
    return start >= 2 && l->p[start - 1] == '.' && l->p[start - 2] == '.' &&
           skip(l, end_of(s), ABR_SET(" \t\r")) == l->n;
}

static void read_count(abr_evidence *l, const abr_sign *s)
{
    if (abr_in_name(l, s))
        return;
    if (is_word(l, s, "skipped") && all_caps(l, s) && l->strong == 0 &&
        (starts_with(l, end_of(s), " (") || starts_with(l, end_of(s), " ["))) {
        l->passed = true; /* "test_total SKIPPED (cannot import cart)": its reason is no trouble */
        return;
    }
    if (abr_number_before(l, s->at) >= 0 || abr_number_after(l, end_of(s), true) >= 0) {
        sum_up(l, ABR_SCORE_SUMS_UP);
        note_score(l, s->at, s->n, ABR_TABLE_WORDS, ABR_SCORE_SUMS_UP);
        return;
    }
    if (is_word(l, s, "passed") &&
        (all_caps(l, s) || ends_with_seconds(l, end_of(s)) || ends_after_dots(l, s) ||
         (is_first(l, s) && byte_at(l, l->n - 1) == ']'))) /* Passed CartTests.Adds [2 ms] */
        l->passed = true;
}

static void read_exit(abr_evidence *l, const abr_sign *s)
{
    int64_t code = abr_number_after(l, end_of(s), true);
    const bool status = code >= 0 && (is_word(l, s, "status") || is_word(l, s, "code"));
    if (status)
        tell_digits(l);
    if (status && code >= 500 && code <= 599 && !abr_in_name(l, s)) {
        say(l, s, ABR_SCORE_BAD, false); /* status=503 */
        return;
    }
    const bool field = is_word(l, s, "exitcode") || preceded_by(l, s->at, "exit_");
    const bool exits = field || is_word(l, s, "exited") || is_word(l, s, "exit");
    if (is_word(l, s, "exit") && !abr_is_upper(l->p[s->at]) && abr_is_digit(byte_at(l, end_of(s) + 1)))
        return; /* a statement of a script */
    size_t end = end_of(s);
    if (exits)
        end += starts_with(l, end, " with") ? 5 : starts_with(l, end, " value") ? 6 : 0;
    int64_t number = abr_number_after(l, end, false);
    if (number < 0 && exits) /* ld returned 1 exit status */
        number = abr_number_before(l, s->at);
    if ((abr_in_name(l, s) && !field) || number < 0)
        return;
    const abr_sign *before = s > l->words->signs ? s - 1 : s;
    while (before > l->words->signs && before->class == ABR_WORD_NO) /* with non-zero status 1 */
        before--;
    bool follows = before < s && before->class == ABR_WORD_EXIT && s->at - end_of(before) <= NEAR;
    if (!exits && !follows && !is_word(l, s, "returned"))
        return;
    if (number > 0) {
        say(l, s, ABR_SCORE_BAD, false);
        l->exited = l->exited || exits || (follows && !is_word(l, before, "status"));
    }
    l->summary = l->summary > ABR_SCORE_WARNED ? l->summary : ABR_SCORE_WARNED;
}

/* "make: *** [Makefile:3: all] Error 1", "gmake[2]: *** [all] Fehler 2" */
static void read_make(abr_evidence *l, const abr_sign *s)
{
    size_t at = skip(l, end_of(s), ABR_SET("0123456789[]"));
    if (!starts_with(l, at, ": *** "))
        return;
    say(l, s, ABR_SCORE_CLEAR, true);
    l->exited = true;
}

static void read_done(abr_evidence *l, const abr_sign *s)
{
    char c = byte_at(l, end_of(s));
    if (abr_in_name(l, s))
        return;
    bool tells =
        c == ':' || (c == ' ' && (s->at == l->words->first || abr_is_digit(byte_at(l, end_of(s) + 1)) ||
                                  starts_with(l, end_of(s), " in ")));
    if (!tells)
        return;
    sum_up(l, ABR_SCORE_WARNED);
    note_score(l, s->at, s->n, ABR_TABLE_WORDS, ABR_SCORE_WARNED);
}

static void read_pass(abr_evidence *l, const abr_sign *s)
{
    const abr_sign *before = previous_sign(l, s);
    char after = byte_at(l, end_of(s));
    if ((ABR_HAS("_.-/(", after) && is_alnum(byte_at(l, end_of(s) + 1))) ||
        preceded_by(l, s->at, "UNEXPECTED-") ||
        (before && before->class == ABR_WORD_EXPECT && s->at - end_of(before) <= 2)) /* expected: PASS */
        return;
    size_t value = skip(l, end_of(s), ABR_SET("\"':= "));
    if (value > end_of(s) + 1 || ABR_HAS(":=", after)) {
        if (starts_with(l, value, "false") && !is_written(l)) { /* "success": false */
            say(l, s, ABR_SCORE_BAD, false);
            l->counted = true;
        }
        const bool of_test = all_caps(l, s) && after == ':' &&
                             (is_word(l, s, "pass") || is_word(l, s, "tpass")); /* PASS: test_cart */
        if ((abr_is_digit(byte_at(l, value)) && !ends_with_seconds(l, end_of(s))) ||
            (ABR_HAS("tf", byte_at(l, value)) && !of_test))
            return; /* a count, or a field */
    }
    if (is_first(l, s) || ends_after_dots(l, s) || abr_in_brackets(l, s) ||
        (all_caps(l, s) && s->n >= 2 && ABR_HAS(" \t:[\n\r", after)))
        l->passed = true;
}

static void read_http(abr_evidence *l, const abr_sign *s)
{
    size_t at = end_of(s);
    if (byte_at(l, at) != '/' || !abr_is_digit(byte_at(l, at + 1)))
        return;
    at = skip(l, at, ABR_SET("/.0123456789"));
    at = skip(l, at, ABR_SET("\" "));
    bool status =
        abr_is_digit(byte_at(l, at + 1)) && abr_is_digit(byte_at(l, at + 2)) && !is_alnum(byte_at(l, at + 3));
    if (status)
        tell_digits(l);
    if (status && (byte_at(l, at) == '5' || (is_first(l, s) && byte_at(l, at) == '4'))) /* "HTTP/2 422" */
        say(l, s, ABR_SCORE_BAD, false);
}

/* "GET /pay 500 3012ms", "POST https://example.org/pay => 502" */
static void read_method(abr_evidence *l, const abr_sign *s)
{
    size_t at = end_of(s) + 1;
    if (!all_caps(l, s) || byte_at(l, end_of(s)) != ' ' ||
        (byte_at(l, at) != '/' && !starts_with(l, at, "http")))
        return;
    while (at < l->n && l->p[at] > ' ')
        at++;
    at = skip(l, at, ABR_SET(" =->:\""));
    tell_digits(l);
    if (abr_is_digit(byte_at(l, at + 1)) && abr_is_digit(byte_at(l, at + 2)) &&
        !is_alnum(byte_at(l, at + 3)) && byte_at(l, at) == '5')
        say(l, s, ABR_SCORE_BAD, false);
}

static void read_phrase(abr_evidence *l, const abr_sign *s)
{
    const abr_phrase *in = abr_find_phrase(l, s);
    const bool has_no = in && strstr(in->before, "not ") != NULL; /* "not a directory" */
    if (!in || (!has_no && is_negated(l, s)))
        return;
    abr_sign whole = *s; /* its own "would" does not make "would reformat" something only spoken of */
    whole.at -= (uint32_t)strlen(in->before);
    whole.n = (uint16_t)(end_of(s) + strlen(in->after) - whole.at);
    if (tells_nothing(l, &whole))
        return;
    note_score(l, whole.at, whole.n, ABR_TABLE_PHRASES, ABR_SCORE_BAD);
    l->stepped = false;
    say(l, s, ABR_SCORE_BAD, false);
}

/* Is it the loss of a training that has come to nothing: "Loss: nan", "val_loss=nan", "'loss': nan"? */
static bool is_lost_loss(const abr_evidence *l, const abr_sign *s)
{
    const size_t at = abr_back(l->p, s->at, ABR_SET(" :='\""));
    return at < s->at && (preceded_by(l, at, "loss") || preceded_by(l, at, "Loss")) &&
           !ABR_HAS("'\"", byte_at(l, end_of(s)));
}

static void read_doubt(abr_evidence *l, const abr_sign *s)
{
    if (is_word(l, s, "nan") && is_lost_loss(l, s) && !reads_as_text(l)) {
        say(l, s, ABR_SCORE_BAD, false);
        return;
    }
    if (is_named(l, s) || is_negated(l, s))
        return;
    const bool modal = is_word(l, s, "can") || is_word(l, s, "could");
    bool denies = modal && (byte_at(l, end_of(s)) == '\'' || starts_with(l, end_of(s), " not "));
    if (denies && (is_made_up_for(l, end_of(s)) || tells_nothing(l, s) ||
                   deny(l, s, ABR_DENIED_ARGUMENT, abr_is_argument(l, s))))
        return;
    say(l, s, denies ? ABR_SCORE_BAD : ABR_SCORE_WEAK, false);
}

/* Is the word a level in a linter's row: "  12:5  warning  Unexpected any", "  12 | WARNING | [ ] ..."? */
static bool is_level_in_row(const abr_evidence *l, const abr_sign *s)
{
    return is_first(l, s) && abr_is_digit(byte_at(l, l->words->indent)) &&
           (starts_with(l, end_of(s), " | ") ||
            (!abr_is_upper(l->p[s->at]) && starts_with(l, end_of(s), "  ")));
}

/* Is it a compiler's "Warning:" right after the place that leads the line: "a.nim(79, 8) Warning: "? */
static bool warns_of_place(const abr_evidence *l, const abr_sign *s)
{
    abr_file_place place = {0};
    if (byte_at(l, end_of(s)) != ':' || all_caps(l, s) || !leads_with_place(l))
        return false;
    tell_zeros(l); /* no line is 0 */
    return abr_find_place(l->p, s->at, l->words->located, &place) &&
           skip(l, place.end, ABR_SET(" :")) == s->at;
}

static void remark(abr_evidence *l)
{
    l->remarks = true;
    l->only_remarks = l->only_remarks || !l->is_clear;
}

/* Is the warning of a program whose warnings are advice, whatever they are about? */
static bool is_advice_of_program(const abr_evidence *l, const abr_sign *s)
{
    for (const abr_listed_row *name = NULL;
         (name = abr_next_listed(&l->lexicon->ends, ABR_LIST_ADVISES, byte_before(l, s->at), name)) != NULL;)
        if (preceded_by(l, s->at, name->text) && (size_t)s->at - name->n <= l->words->indent)
            return *name->text != '*' || !all_caps(l, s); /* not "** WARNING **" of GLib */
    return false;
}

static void read_warning(abr_evidence *l, const abr_sign *s)
{
    bool none = is_named(l, s) || is_negated(l, s) ||
                deny(l, s, ABR_DENIED_ZERO, abr_number_before(l, s->at) == 0) ||
                deny(l, s, ABR_DENIED_NOTHING, abr_value_of(l, s) == ABR_VALUE_NOTHING);
    if (none) /* the rest is for hits */
        return;
    if (all_caps(l, s) && ends_after_dots(l, s)) { /* "* checking the manual ... WARNING" is a result */
        l->stepped = false;
        say(l, s, ABR_SCORE_BAD, false);
        return;
    }
    say(l, s, ABR_SCORE_WARNED, false);
    const bool deprecates = is_word(l, s, "deprecated") && is_first(l, s) && abr_is_upper(l->p[s->at]) &&
                            !memchr(l->p, ':', l->n);
    l->advises = l->advises || deprecates || is_advice_of_program(l, s);
    l->warns = l->warns || l->advises || is_level_in_row(l, s) ||
               (!abr_is_upper(l->p[s->at]) && (byte_at(l, end_of(s)) == ':' || abr_has_code(l, s))) ||
               warns_of_place(l, s);
    if (l->warns)
        remark(l);
}

static void read_note(abr_evidence *l, const abr_sign *s)
{
    if (abr_in_name(l, s) || byte_at(l, end_of(s)) != ':')
        return;
    if (l->expected < ABR_SCORE_WEAK)
        l->expected = ABR_SCORE_WEAK;
    const bool leads = is_first(l, s) || preceded_by(l, s->at, ") "); /* Free Pascal's, after a place */
    if (is_word(l, s, "note") && (leads ? !all_caps(l, s) : !abr_is_upper(l->p[s->at]))) {
        remark(l);
        l->notes = l->only_remarks && leads_with_place(l) && !abr_ends_listed(l, l->n, ABR_LIST_ASKED);
    }
}

/* Does the word follow the number of a step: "[55 of 64] Compiling Cart"? */
static bool follows_number(const abr_evidence *l, const abr_sign *s)
{
    size_t at = abr_back(l->p, preceded_by(l, s->at, "] ") ? s->at - 2 : 0, ABR_DIGITS);
    at = preceded_by(l, at, " of ") ? at - 4 : 0;
    return byte_before(l, abr_back(l->p, at, ABR_SET("0123456789 "))) == '[';
}

static void read_step(abr_evidence *l, const abr_sign *s)
{
    l->stepped = l->stepped || ((is_first(l, s) || follows_number(l, s)) && !abr_in_name(l, s));
}

static void read_level(abr_evidence *l, const abr_sign *s)
{
    bool call_trace = preceded_by(l, s->at, "Call ");
    l->low_level = l->low_level || (s->at < LEVEL_WITHIN && !abr_in_name(l, s) && !call_trace);
}

void abr_read_signs(abr_evidence *l)
{
    static void (*const read[])(abr_evidence *, const abr_sign *) = {
        [ABR_WORD_ERROR] = read_error,   [ABR_WORD_FAIL] = read_fail,          [ABR_WORD_FATAL] = read_fatal,
        [ABR_WORD_BAD] = read_bad,       [ABR_WORD_LACK] = read_lack,          [ABR_WORD_DOUBT] = read_doubt,
        [ABR_WORD_WARN] = read_warning,  [ABR_WORD_EXPECT] = read_expectation, [ABR_WORD_CAUSE] = read_cause,
        [ABR_WORD_NOTE] = read_note,     [ABR_WORD_COUNT] = read_count,        [ABR_WORD_EXIT] = read_exit,
        [ABR_WORD_DONE] = read_done,     [ABR_WORD_PASS] = read_pass,          [ABR_WORD_STEP] = read_step,
        [ABR_WORD_QUIET] = read_level,   [ABR_WORD_HTTP] = read_http,          [ABR_WORD_MAKE] = read_make,
        [ABR_WORD_PHRASE] = read_phrase, [ABR_WORD_METHOD] = read_method,
    };
    for (const abr_sign *s = l->words->signs; s < signs_end(l); s++)
        if (s->class < sizeof read / sizeof *read && read[s->class])
            read[s->class](l, s);
    if (l->low_level && l->strong > 0 && abr_has_starred_verdict(l))
        l->low_level = false;
    l->passed = l->passed || (l->strong > 0 && abr_is_no_trouble(l));
    if (l->strong < ABR_SCORE_HIT)
        return;
    const bool is_remark = l->only_remarks && leads_with_place(l);
    if ((l->remarks && (!l->is_clear || is_remark)) || l->advises || abr_advises_by_form(l))
        l->strong = ABR_SCORE_HIT - 1;
}
