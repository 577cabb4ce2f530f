#include "line/excused.h"
#include "abridge.h"
#include "line/evidence.h"
#include "line/layout.h"
#include "line/lexicon.h"
#include "line/lines.h"
#include "line/listed.h"
#include "line/words.h"

/* Does it end with the name of a rule, "(line-too-long)", as pylint's lines do? */
static bool ends_with_rule(const abr_evidence *l)
{
    size_t i = l->n - (l->n > 0 && l->p[l->n - 1] == '\r');
    if (i == 0 || l->p[--i] != ')')
        return false;
    i = abr_back(l->p, i, abr_joined(ABR_SMALL_LETTERS, ABR_SET("-")));
    return i > 0 && l->p[i - 1] == '(';
}

/* Is it a compiler's warning in a script beyond ASCII, "a.c:9:12: 警告: "? */
static bool warns_in_foreign(const abr_evidence *l)
{
    const size_t mark = l->words->mark;
    return mark < l->n && preceded_by(l, mark, ": ") && abr_starts_listed(l, mark, ABR_LIST_WARNS) &&
           leads_with_place(l);
}

/* Is it an error that a logger at a low level passed on from a process: "INFO - GECKO(1410) | JavaScript
 * error: "? Assertions and sanitizers, which stop the process, count. */
static bool passes_on_error(const abr_evidence *l)
{
    size_t at = l->at;
    if (!l->low_level || !starts_with(l, at, "error") || (l->words->classes & 1U << ABR_WORD_FATAL))
        return false;
    while (at > 0 && !(l->p[at - 1] == '|' && byte_at(l, at) == ' '))
        at--;
    return preceded_by(l, at, ") |") && abr_is_digit(byte_before(l, at - 3));
}

/* Is it a warning of apt that says what is used instead: "W: ... the previous index files will be used."? */
static bool warns_of_substitute(const abr_evidence *l)
{
    return starts_with(l, 0, "W: ") && has_from(l, 0, " used");
}

bool abr_advises_by_form(const abr_evidence *l)
{
    const size_t code = l->words->code;
    const bool coded = preceded_by(l, code, ": ") && ABR_HAS("CRWI", byte_at(l, code)) &&
                       abr_is_digit(byte_at(l, code + 4)) && byte_at(l, code + 5) == ':';
    return (coded && leads_with_place(l) && ends_with_rule(l)) || abr_kotlin_level(l->p, l->n) == 'w' ||
           starts_with(l, 0, "-- Could NOT find ") || passes_on_error(l) || warns_of_substitute(l) ||
           warns_in_foreign(l);
}

static bool is_sign_of_trouble(const abr_sign *s)
{
    const unsigned trouble = 1U << ABR_WORD_ERROR | 1U << ABR_WORD_FAIL | 1U << ABR_WORD_FATAL |
                             1U << ABR_WORD_BAD | 1U << ABR_WORD_LACK | 1U << ABR_WORD_PHRASE;
    return trouble >> s->class & 1;
}

/* Does the word start a message: "shop.Cart - simulated", "IOException: simulated"? */
static bool starts_message(const abr_evidence *l, const abr_sign *s)
{
    return is_first(l, s) || preceded_by(l, s->at, ": ") || preceded_by(l, s->at, " - ");
}

/* Is it trouble made on purpose: "simulated failure", "IOException: simulated", " - simulated outage"? */
static bool is_made(const abr_evidence *l, const abr_sign *s)
{
    const abr_sign *next = next_sign(l, s, 1);
    size_t end = end_of(s);
    if (next && is_sign_of_trouble(next))
        return true;
    if (byte_at(l, end) == ' ')
        end = skip(l, end + 1, ABR_SMALL_LETTERS);
    return starts_message(l, s) && ABR_HAS(",.\r\n", byte_at(l, end)) &&
           !(l->words->classes & 1U << ABR_WORD_FATAL);
}

/* Was the trouble before or after this "expected" meant to be: "failed as expected", "error (expected)",
 * "expected failure: disk is full"? Not "expected error: a, but got b". */
static bool is_as_expected(const abr_evidence *l, const abr_sign *s)
{
    const abr_sign *before = previous_sign(l, s);
    const abr_sign *next = next_sign(l, s, 1);
    const size_t link = starts_with(l, end_of(s), ")") && preceded_by(l, s->at, " (") ? 2
                        : preceded_by(l, s->at, " as ")                               ? 4
                                                                                      : 0;
    const size_t end = end_of(s) + (link == 2);
    if (has_from(l, 0, " got ") || has_from(l, 0, " but ") || has_from(l, 0, " should "))
        return false;
    if (before && link > 0 && is_sign_of_trouble(before) && end_of(before) + link == s->at)
        return ABR_HAS(".,;:!)\r\n", byte_at(l, end)) &&
               (before == l->words->signs || before[-1].class != ABR_WORD_NO ||
                end_of(before - 1) + 1 != before->at);
    for (const abr_sign *later = s + 1; later < signs_end(l); later++)
        if (later->class == ABR_WORD_EXPECT)
            return false;
    return next && is_word(l, next, "failure") && byte_at(l, end_of(next)) == ':' && starts_message(l, s);
}

/* Does the line say that its trouble was to be expected? */
static bool is_meant(const abr_evidence *l)
{
    for (const abr_sign *s = l->words->signs; s < signs_end(l); s++)
        if (s->class == ABR_WORD_MEANT ? is_made(l, s) : is_word(l, s, "expected") && is_as_expected(l, s))
            return true;
    return false;
}

/* Is it a sample of a metric with labels, `requests_total{code="500"} 12`? */
static bool is_sample(const abr_evidence *l)
{
    const size_t i = skip_name(l, l->words->indent, ABR_SET("_:"));
    return byte_at(l, i) == '{' && byte_before(l, i) != ':' && has_from(l, i, "=\"") &&
           has_from(l, i, "\"} ") && abr_is_digit(byte_at(l, l->n - 1));
}

bool abr_has_starred_verdict(const abr_evidence *l)
{
    for (const abr_sign *s = l->words->signs; s < signs_end(l); s++)
        if (is_sign_of_trouble(s) && all_caps(l, s) && preceded_by(l, s->at, "*** ") &&
            starts_with(l, end_of(s), " ***"))
            return true;
    return false;
}

/* Is it how PowerShell categorizes what a program wrote to stderr, "NotSpecified: (...:String) [],
 * RemoteException"? It only quotes what was written. The name that is missing in the brackets is that of
 * a command of PowerShell's own; the console may break the line between them. */
static bool is_of_stderr(const abr_evidence *l)
{
    static const char category[] = "], RemoteException";
    const size_t end = end_without_blanks(l);
    const size_t at = end > sizeof category - 1 ? end - (sizeof category - 1) : 0;
    return at > 0 && starts_with(l, at, category) && (byte_before(l, at) == '[' || at == l->words->indent);
}

bool abr_is_no_trouble(const abr_evidence *l)
{
    const unsigned likely = 1U << ABR_WORD_MEANT | 1U << ABR_WORD_EXPECT;
    return (l->words->classes & likely && is_meant(l)) || is_sample(l) || is_of_stderr(l);
}
