/*
 * The meaning of a line, read alone: its line score and its kind.
 *
 * The best of its words counts (signs.c), with a little more for an expectation, a summary and a place. A
 * line that reports success scores nothing, whatever words it has.
 */
#include "line/line_score.h"
#include "abridge.h"
#include "line/command.h"
#include "line/evidence.h"
#include "line/hits.h"
#include "line/layout.h"
#include "line/lexicon.h"
#include "line/listed.h"
#include "line/phrases.h"
#include "line/place.h"
#include "line/score.h"
#include "line/signs.h"
#include "line/words.h"
#include "line/written.h"

static const float placed = 2.0F;
static const float stepping = 0.35F;   /* factor for lines that name a step in progress */
static const float quiet = 0.4F;       /* factor for lines of a low log level */
static const float quiet_error = 0.6F; /* the same for clear errors */
static const float traced = 0.5F;      /* factor for commands that a shell echoes */

/* ---- signs other than words ---- */

/* `form` names the form found there. */
static void say_clearly(abr_evidence *l, size_t at, const char *form)
{
    note_form(l, at, form, ABR_SCORE_CLEAR);
    l->is_clear = true;
    if (l->strong < ABR_SCORE_CLEAR) {
        l->strong = ABR_SCORE_CLEAR;
        l->at = at;
    }
}

static void say_badly(abr_evidence *l, size_t at, const char *form)
{
    note_form(l, at, form, ABR_SCORE_BAD);
    l->strong = l->strong > ABR_SCORE_BAD ? l->strong : ABR_SCORE_BAD;
}

/* Is it the bullet of a failure's title in Jest, which is indented? At a line's start it leads the units of
 * `systemctl status` and tests of busted, whether they passed or not; that of a test's own output, "Console",
 * heads no failure, either. */
static bool is_title_of_failure(const abr_evidence *l, size_t at)
{
    static const char bullet[] = "\xE2\x97\x8F ";
    const size_t name = at + sizeof bullet - 1;
    return at > 0 && starts_with(l, at, bullet) &&
           !ABR_HAS(" /", byte_at(l, name)) && /* Next.js marks its routes so */
           !(starts_with(l, name, "Console") && skip(l, name + 7, ABR_SET(" \r")) == l->n);
}

/* Ticks and crosses. */
static void read_mark(abr_evidence *l)
{
    size_t at = l->words->mark;
    bool leads = at <= l->words->indent + 12 && at <= l->words->first;
    if (l->p[at] != '\xE2' && l->p[at] != '\xC3') /* the first bytes of these */
        return;
    if (starts_with(l, at, "\xE2\x9C\x93") || starts_with(l, at, "\xE2\x9C\x94") ||
        starts_with(l, at, "\xE2\x9C\x85") || starts_with(l, at, "\xE2\x88\x9A ")) {
        l->passed = l->passed || leads;
    } else if (leads && !(l->lexicon->quiet & ABR_GROUP_FAILURES) &&
               (starts_with(l, at, "\xE2\x9C\x95") || starts_with(l, at, "\xE2\x9C\x96") ||
                starts_with(l, at, "\xE2\x9C\x97") || starts_with(l, at, "\xE2\x9C\x98") ||
                starts_with(l, at, "\xE2\x9D\x8C") || starts_with(l, at, "\xC3\x97 ") ||
                starts_with(l, at, "\xE2\xA8\xAF") || is_title_of_failure(l, at))) {
        say_clearly(l, at, "a cross leads it");
    }
}

/* Messages in scripts beyond ASCII. */
static void read_foreign(abr_evidence *l)
{
    size_t size = 0;
    size_t at = l->lexicon->quiet & ABR_GROUP_ERRORS ? l->n : abr_find_foreign(l, &size);
    if (at == l->n || l->strong >= ABR_SCORE_BAD)
        return;
    note_score(l, at, size, ABR_TABLE_STEMS, ABR_SCORE_BAD);
    l->strong = ABR_SCORE_BAD;
    l->at = at;
}

/* A test in Dart's output: "00:09 +12 -1: test/cart_test.dart: adds the tax". */
static bool is_clocked_test(const abr_evidence *l)
{
    return byte_at(l, 2) == ':' && abr_is_digit(byte_at(l, 4)) && starts_with(l, 5, " +") &&
           abr_is_digit(byte_at(l, 7));
}

/* A failed one ends with " [E]". */
static void read_clocked_test(abr_evidence *l)
{
    const size_t n = l->n - (byte_at(l, l->n - 1) == '\r');
    const size_t mark = n > 4 ? n - 4 : 0;
    if (!starts_with(l, mark, " [E]"))
        l->passed = l->passed || l->strong < ABR_SCORE_HIT;
    else if (!(l->lexicon->quiet & ABR_GROUP_FAILURES))
        say_clearly(l, mark + 1, "[E] ends a test");
}

/* Does it end with a place, as what Perl's die and warn print: "no such cart at lib/Cart.pm line 12."? A
 * handle that was read may follow: ", <STDIN> line 4." */
static bool ends_with_place(const abr_evidence *l)
{
    const size_t n = l->n - (l->n > 0 && l->p[l->n - 1] == '\r');
    if (n < 2 || l->p[n - 1] != '.' || !abr_is_digit(l->p[n - 2]))
        return false;
    size_t name = n;
    while (name > l->words->first + 4 && !preceded_by(l, name, " at "))
        name--;
    abr_file_place place = {0};
    tell_zeros(l); /* no line is 0 */
    return name > l->words->first + 4 && abr_find_place(l->p, n, name, &place) && place.before == 'l' &&
           place.start == name && (place.end == n - 1 || starts_with(l, place.end, ", <"));
}

/* Does a directive of TAP say that the test need not pass yet: "not ok 3 - rounds up # TODO round"? */
static bool is_known_to_fail(const abr_evidence *l)
{
    size_t at = l->n;
    while (at > l->words->first && !preceded_by(l, at, " # "))
        at--;
    return stands_at(l, at, "todo", 4) && !is_alnum(byte_at(l, at + 4));
}

/* pytest marks each line of a message with E, at the depth of the source above it. A blank deeper it tells
 * where values are from, "E        +  where 3 = len(...)", and elsewhere how to see more: "E         Use -v
 * to get more diff". */
static void read_message_of_pytest(abr_evidence *l)
{
    enum { STEP = 4 };
    if (skip(l, 1, ABR_SET(" ")) % STEP != 1 && !has_from(l, 0, "se -v") && !has_from(l, 0, "se '-vv'"))
        say_clearly(l, 0, "E leads a line of pytest");
    else
        say_badly(l, 0, "E leads a detail of pytest");
}

/* Is it a failed test of Vader: "(12/13) [ EXPECT] (X) adds the tax"? */
static bool is_crossed_test(const abr_evidence *l)
{
    const size_t at = l->words->indent;
    const size_t title = abr_skip_number_of_test(l, at);
    return title > at && starts_with(l, title, "(X) ");
}

/* Does the code of a finding, and what is found, stand after a pointer at the source above: "  ^--^ SC2115:
 * Use ..."? Those with a level, "  ^-- SC2086 (info): Double quote ...", are read by it. */
static bool points_with_code(const abr_evidence *l)
{
    const size_t at = l->words->indent;
    const size_t code = skip(l, at, ABR_SET("^~-"));
    if (byte_at(l, at) != '^' || code + 1 != l->words->code || byte_at(l, code) != ' ')
        return false;
    return starts_with(l, skip(l, skip(l, code + 1, ABR_CAPITALS), ABR_DIGITS), ": ");
}

/* The start of the line. */
static void read_start(abr_evidence *l)
{
    size_t i = l->words->indent;
    const abr_line_words *w = l->words;
    const bool failures = !(l->lexicon->quiet & ABR_GROUP_FAILURES);
    const bool errors = !(l->lexicon->quiet & ABR_GROUP_ERRORS);
    if (errors && i == 0 && starts_with(l, 0, "E  ") && w->words > 1)
        read_message_of_pytest(l);
    if (errors && abr_kotlin_level(l->p, l->n) == 'e')
        say_clearly(l, 0, "e: leads a place");
    if (errors && points_with_code(l))
        say_clearly(l, l->words->code, "a code after a pointer");
    if (failures && is_crossed_test(l))
        say_clearly(l, i, "(X) leads the title of a test");
    if (is_clocked_test(l))
        read_clocked_test(l);
    if (errors && abr_starts_listed(l, i, ABR_LIST_REPORT))
        say_clearly(l, i, "the start of a report");
    if (failures && w->count > 1 && is_first(l, &w->signs[0]) && is_word(l, &w->signs[0], "not") &&
        is_word(l, &w->signs[1], "ok") && byte_at(l, end_of(&w->signs[1])) != ':') {
        l->passed = is_known_to_fail(l);
        if (!l->passed)
            say_clearly(l, w->first, "not ok");
    }
    if (starts_with(l, i, "[+] "))
        l->passed = true;
    if (failures && starts_with(l, i, "[-] "))
        say_clearly(l, i, "[-] leads it");
    if (starts_with(l, i, "*** ") && w->first < l->n)
        say_badly(l, i, "*** leads it");
}

/* ---- the line ---- */

/* Classes of words that mean nothing by themselves. */
static const unsigned mute = 1U << ABR_WORD_NO | 1U << ABR_WORD_QUIET | 1U << ABR_WORD_CODE |
                             1U << ABR_WORD_NAMING | 1U << ABR_WORD_MEANT | 1U << ABR_WORD_SYMBOL |
                             1U << ABR_WORD_SECTION;

/* Can the line have a score? Most lines can't: no word with a meaning of its own, no place, no mark, and no
 * start like that of an error. */
static bool may_say_something(const abr_evidence *l)
{
    const abr_line_words *w = l->words;
    if (w->classes & ~mute)
        return true;
    const char c = byte_at(l, w->indent);
    bool bracketed = c == '[' && ABR_HAS("+-", byte_at(l, w->indent + 1)); /* Pester */
    return w->located < l->n || w->mark < l->n || ABR_HAS("E*", c) || bracketed ||
           abr_kotlin_level(l->p, l->n) == 'e' || is_clocked_test(l) ||
           (ABR_HAS("(^", c) && (is_crossed_test(l) || points_with_code(l))) || ends_with_place(l);
}

static abr_line_kind kind_of(const abr_evidence *l, abr_form form)
{
    const abr_line_words *w = l->words;
    if (w->indent == l->n || (form == ABR_FORM_PROCESS && w->words == 0)) /* "==77== " of valgrind */
        return ABR_LINE_BLANK;
    if (l->passed && !l->counted)
        return ABR_LINE_PASS;
    if (form == ABR_FORM_EXCERPT)
        return ABR_LINE_EXCERPT;
    if (!l->is_clear && form == ABR_FORM_FRAME)
        return ABR_LINE_FRAME;
    if (l->is_clear && w->count > 0 && is_word(l, &w->signs[0], "traceback") && byte_at(l, l->n - 1) == ':')
        return ABR_LINE_TRACE;
    return l->stepped ? ABR_LINE_STEP : ABR_LINE_PLAIN;
}

/* May the line have a score: no success, and no source, but a clear message after a caret at it? */
static bool may_score(const abr_evidence *l, abr_line_kind kind)
{
    if (kind == ABR_LINE_EXCERPT)
        return byte_at(l, l->words->indent) == '^' && l->is_clear;
    return kind != ABR_LINE_PASS && kind != ABR_LINE_BLANK;
}

/* Does a letter after the place that leads the line say that it is a warning, an error or fatal, before the
 * name of a rule: "tax.rb:12:21: W: Lint/Shadowing: "? */
static bool has_level_of_linter(const abr_evidence *l)
{
    enum { FILE_MOST = 160 };
    const size_t file = l->words->located;
    const size_t left = l->n - file;
    const char *colon = memchr(l->p + file, ':', left < FILE_MOST ? left : FILE_MOST);
    size_t at = colon ? (size_t)(colon - l->p) : l->n;
    for (unsigned numbers = 0; numbers < 2 && abr_is_digit(byte_at(l, at + 1)); numbers++)
        at = skip(l, at + 1, ABR_DIGITS);
    return starts_with(l, at, ": ") && ABR_HAS("EFW", byte_at(l, at + 2)) && starts_with(l, at + 3, ": ") &&
           abr_is_upper(byte_at(l, at + 5));
}

/* A diagnostic without a word for it: an assertion with its expectation, a linter's code for an error, a
 * message of Perl's. */
static void read_diagnostic(abr_evidence *l)
{
    const abr_line_words *w = l->words;
    const bool is_perl = ends_with_place(l);
    if ((!is_perl && !leads_with_place(l)) || l->strong >= ABR_SCORE_BAD || l->low_level || l->remarks ||
        l->lexicon->quiet & ABR_GROUP_ERRORS)
        return;
    const bool coded =
        (w->code < l->n && ABR_HAS("EF", l->p[w->code]) && abr_is_digit(byte_at(l, w->code + 1)));
    const bool graded = !coded && !is_perl && has_level_of_linter(l);
    if (l->expected >= ABR_SCORE_EXPECTS || coded || graded || is_perl) {
        l->strong = ABR_SCORE_BAD;
        l->at = is_perl ? w->first : coded ? w->code : w->located;
        note_form(l, l->at,
                  is_perl  ? "a place ends it"
                  : graded ? "a place, and the letter of a level"
                  : coded  ? "a place, and the code of an error"
                           : "a place, and what was expected",
                  ABR_SCORE_BAD);
    }
}

/* Past the name in quotes after a word at i, `Golden "cart.png": `; i if there is none. */
static size_t skip_quoted_name(const abr_evidence *l, size_t i)
{
    const size_t name = i + 2;
    const char *quote = starts_with(l, i, " \"") ? memchr(l->p + name, '"', l->n - name) : NULL;
    return quote ? (size_t)(quote - l->p) + 1 : i;
}

/* Does the line start with the name of the reporting program, "cp: ", or of the thing it reports on? A word
 * of the lexicon, as in "note: ", doesn't count. */
static bool names_program(const abr_evidence *l)
{
    enum { LEAST = 2, MOST = 40 };
    const abr_line_words *w = l->words;
    const size_t i = skip_name(l, 0, ABR_SET("_./+-"));
    const size_t end = skip_quoted_name(l, i);
    return i >= LEAST && i < MOST && starts_with(l, end, ": ") && w->first < i &&
           (w->count == 0 || w->signs[0].at >= i);
}

/* A report of a program, or of a place, is clear: "cp: a.txt: Permission denied", "a_test.go:9: failed". */
static void read_report(abr_evidence *l)
{
    if (l->strong == ABR_SCORE_BAD && !l->low_level &&
        (names_program(l) || (leads_with_place(l) && !(l->words->classes & 1U << ABR_WORD_WARN)))) {
        l->strong = ABR_SCORE_CLEAR;
        l->is_clear = true;
    }
}

/* Is it a command that a shell echoes? */
static bool is_echoed(const abr_evidence *l)
{
    return byte_at(l, 0) == '+' && ABR_HAS("+ ", byte_at(l, 1));
}

static float line_score_of(const abr_evidence *l)
{
    const abr_line_words *w = l->words;
    if (l->notes)
        return ABR_SCORE_WEAK;
    float score = l->strong + l->expected + l->summary;
    if (w->located < l->n) {
        bool leads = leads_with_place(l);
        note_form(l, w->located, "a place", placed);
        if (score > 0)
            score += placed;
        if (leads && !l->low_level && w->indent == 0 && score < ABR_SCORE_HIT) /* just below a hit */
            score = ABR_SCORE_HIT - (l->strong > 0 ? 1.0F : 0.5F);
    }
    if (l->stepped)
        score *= stepping;
    if (l->low_level)
        score *= l->is_clear ? quiet_error : quiet;
    if (is_echoed(l))
        score *= traced;
    return score;
}

static abr_result result_of(const abr_evidence *l)
{
    if (!abr_is_result(&l->lexicon->untroubled, (abr_text_line){l->p, l->n}))
        return ABR_RESULT_NONE;
    for (size_t i = 0; i < l->at; i++)
        if (is_alnum(l->p[i]))
            return ABR_RESULT_FOLLOWS;
    return ABR_RESULT_LEADS;
}

/* Does a runner tell below it again of failures that it told of as it ran: "  3 failing"? */
static bool lists_again(const abr_evidence *l, bool tells)
{
    const size_t end = end_without_blanks(l);
    return (!tells || ABR_HAS(":.", byte_before(l, end))) &&
           (abr_ends_listed(l, end, ABR_LIST_AGAIN) ||
            abr_starts_listed(l, l->words->indent, ABR_LIST_AGAIN));
}

static inline abr_section section_of(const abr_evidence *l)
{
    enum { RULE_LEAST = 3 };
    const size_t at = l->words->indent;
    const char c = byte_at(l, at);
    if (c != '=')
        return abr_is_digit(c) && l->words->classes & 1U << ABR_WORD_COUNT ? ABR_SECTION_OTHER
                                                                           : ABR_SECTION_NONE;
    const size_t title = skip(l, at, ABR_SET("=")) + 1;
    if (title <= at + RULE_LEAST || byte_at(l, title - 1) != ' ')
        return ABR_SECTION_NONE;
    return abr_starts_listed(l, title, ABR_LIST_WELL) ? ABR_SECTION_WELL : ABR_SECTION_OTHER;
}

/* Note traits of the whole line that lower its score. */
static void note_line(const abr_evidence *l)
{
    l->trace->stepped = l->stepped;
    l->trace->low_level = l->low_level;
    l->trace->remarks = l->remarks;
    l->trace->echoed = is_echoed(l);
}

/* A line with a pattern of the caller is a hit of the pattern's weight; with weight 0 it is no hit at all. */
static void apply_pattern(const abr_hit *hit, uint32_t mark, const char *p, size_t n, abr_reading *out,
                          abr_trace *trace)
{
    size_t at = 0;
    if (!abr_hit_matches(hit, p, n, &at))
        return;
    float score = (float)hit->weight * ABR_SCORE_CLEAR;
    if (trace)
        abr_trace_add(trace, &(abr_traced){.at = at,
                                           .table = ABR_TABLE_HITS,
                                           .denial = score > 0 ? ABR_DENIED_NOT : ABR_DENIED_PATTERN,
                                           .form = "a pattern of the caller",
                                           .score = score});
    if (hit->weight <= 0) {
        out->line_score = 0;
        out->hit = out->tells = false;
        out->kind = ABR_LINE_PASS;
    } else if (score > out->line_score) {
        out->line_score = score;
        out->at = (uint32_t)at;
    }
    out->shape ^= mark; /* a shape of its own: lines that look the same may not match the pattern */
    if (hit->weight > 0) {
        out->hit = out->tells = out->asked = true;
        out->kind = ABR_LINE_PLAIN;
    }
}

/* Read a line's own text; with ABR_READ_ALONE, no more than its words if these have no score. */
static void read_unstamped(const abr_lexicon *lexicon, const abr_patterns *patterns, const char *p, size_t n,
                           abr_way how, abr_reading *out, abr_trace *trace)
{
    abr_line_words words;
    words.count = 0; /* the signs are not zeroed: a line has few */
    abr_read_words(lexicon, p, n, how, &words);
    abr_digits digits = words.code < n || patterns->count > 0 ? ABR_DIGITS_EXACT : ABR_DIGITS_ANY;
    abr_evidence l = {.p = p, .n = n, .words = &words, .lexicon = lexicon, .digits = &digits, .trace = trace};
    bool may_say = may_say_something(&l);
    if (may_say) {
        abr_read_signs(&l);
        if (words.mark < n) {
            read_mark(&l);
            read_foreign(&l);
        }
        read_start(&l);
        read_diagnostic(&l);
        read_report(&l);
    }
    out->line_score = 0;
    if (how == ABR_READ_ALONE && patterns->count == 0 && (!may_say || line_score_of(&l) <= 0))
        return; /* the caller wants no more */
    memset(out, 0, sizeof *out);
    out->told = abr_read_form(&lexicon->forms, (abr_text_line){p, n});
    out->kind = kind_of(&l, (abr_form)out->told.form);
    out->words = words.words;
    if (how != ABR_READ_ALONE) {
        out->shape = words.shape;
        out->outline = words.outline;
        out->tokens = words.tokens;
        memcpy(out->plain, words.plain, sizeof out->plain);
        out->plain_count = words.plain_count;
    }
    out->indent = (uint32_t)words.indent;
    out->at = (uint32_t)l.at;
    if (may_say && may_score(&l, (abr_line_kind)out->kind))
        out->line_score = line_score_of(&l);
    if (out->kind == ABR_LINE_FRAME)
        out->line_score = 0;
    if (out->kind == ABR_LINE_TRACE && out->line_score > ABR_SCORE_HIT)
        out->line_score = ABR_SCORE_HIT; /* it only says that the message comes below */
    out->hit = out->line_score >= ABR_SCORE_HIT && l.strong >= ABR_SCORE_HIT;
    out->tells = out->hit && words.words > 1 && !l.counted;
    out->lists_again = out->hit && lists_again(&l, out->tells);
    out->result = out->tells ? result_of(&l) : ABR_RESULT_NONE;
    out->placed = words.located < n && leads_with_place(&l) && (out->hit || l.expected <= 0);
    out->warns = l.warns && !out->hit;
    out->section = (uint8_t)section_of(&l);
    out->command = abr_command_of(&l, out->hit);
    if (out->command == ABR_COMMAND_STARTS &&
        !ABR_HAS(">=", p[words.indent])) { /* not "> Task :test FAILED" */
        out->hit = false;
        out->line_score = 0;
    }
    out->digits = digits;
    /* a hundred lines of "0 failed" must not share a shape with "1 failed" */
    out->shape ^= (uint32_t)out->hit + 2 * (uint32_t)l.is_clear;
    if (trace)
        note_line(&l);
    for (size_t i = 0; i < patterns->count; i++)
        apply_pattern(&patterns->patterns[i], (uint32_t)(i + 1) << 8, p, n, out, trace);
}

void abr_read_unstamped(const abr_lexicon *lexicon, const abr_patterns *patterns, const char *p, size_t n,
                        bool escapes, abr_reading *out)
{
    read_unstamped(lexicon, patterns, p, n, escapes ? ABR_READ_ALL : ABR_READ_PLAIN, out, NULL);
}

static void read_whole(const abr_lexicon *lexicon, const abr_patterns *patterns, const char *p, size_t n,
                       abr_way how, abr_reading *out, abr_trace *trace)
{
    const abr_lead lead = abr_lead_of(p, n);
    read_unstamped(lexicon, patterns, p + lead.n, n - lead.n, how, out, trace);
    for (unsigned i = 0; trace && i < trace->count; i++)
        trace->list[i].at += lead.n;
    abr_add_lead(out, lead);
}

void abr_trace_line(const abr_lexicon *lexicon, const abr_patterns *patterns, const char *p, size_t n,
                    abr_reading *out, abr_trace *trace)
{
    *trace = (abr_trace){.count = 0};
    read_whole(lexicon, patterns, p, n, ABR_READ_ALL, out, trace);
}

void abr_read_line(const abr_lexicon *lexicon, const abr_patterns *patterns, const char *p, size_t n,
                   abr_reading *out)
{
    read_whole(lexicon, patterns, p, n, ABR_READ_ALL, out, NULL);
}

void abr_read_if_scored(const abr_lexicon *lexicon, const abr_patterns *patterns, const char *p, size_t n,
                        abr_reading *out)
{
    read_whole(lexicon, patterns, p, n, ABR_READ_ALONE, out, NULL);
    if (out->line_score > 0)
        abr_read_line(lexicon, patterns, p, n, out);
    else
        *out = (abr_reading){0};
}
