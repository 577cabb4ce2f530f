/* Is a word of trouble part of a name, negated, or counted? Its neighbours tell. */
#include <string.h>

#include "line/word_place.h"
#include "abridge.h"
#include "line/evidence.h"
#include "line/lexicon.h"
#include "line/listed.h"
#include "line/words.h"

enum {
    NEGATED_WITHIN = 24, /* bytes between a negation and the negated thing */
    LIST_MOST = 5        /* bytes of a list's bullet, with a box to tick */
};

bool abr_leads_joined(const abr_evidence *l, const abr_sign *s)
{
    const size_t start = abr_back(l->p, s->at, abr_joined(ABR_CAPITALS, ABR_SET("-_")));
    size_t end = end_of(s);
    const bool constant = memchr(l->p + start, '_', s->at - start) != NULL; /* EAI_FAIL is only a name */
    if (is_word(l, s, "unexpected"))
        end = skip(l, end, abr_joined(ABR_CAPITALS, ABR_SET("-")));
    /* the end of what leads the message: "10:00:01     INFO -  ", "REFTEST " */
    const size_t lead = abr_back(l->p, start, ABR_SET(" "));
    const bool spaced = lead < start;
    const bool is_title = starts_with(l, start, "TEST-") || byte_at(l, end) == ':';
    const bool leads =
        lead == 0 || ABR_HAS("[(|", l->p[lead - 1]) || (spaced && l->p[lead - 1] == ':') ||
        (spaced && is_title && ABR_HAS("-]", l->p[lead - 1]) && lead > l->words->indent + LIST_MOST) ||
        (spaced && starts_with(l, end, " | "));
    return leads && start < s->at && all_caps(l, s) && abr_is_upper(l->p[start]) &&
           abr_is_upper(l->p[start + 1]) && ABR_HAS(" \t\r\n:]),|", byte_at(l, end)) &&
           !(constant && ABR_HAS(" \t,", byte_at(l, end))) && !preceded_by(l, s->at, "KNOWN-") &&
           !preceded_by(l, s->at, "NON-") && !preceded_by(l, s->at, "NO-") &&
           (!preceded_by(l, s->at, "EXPECTED-") || preceded_by(l, s->at, "UNEXPECTED-"));
}

/* Is the word part of a macro in capitals that stopped the program: "Hit FATAL_CHECK(i < n) at a.cc:12"? */
static bool is_macro_hit(const abr_evidence *l, const abr_sign *s)
{
    const abr_char_set macro = abr_joined(ABR_CAPITALS, ABR_SET("_"));
    return preceded_by(l, abr_back(l->p, s->at, macro), "Hit ") &&
           byte_at(l, skip(l, end_of(s), macro)) == '(';
}

static bool in_list_of_sql(char c)
{
    return is_alnum(c) || ABR_HAS("_ ,{}", c);
}

bool abr_in_constant(const abr_evidence *l, const abr_sign *s)
{
    enum { MOST = 64 };
    size_t at = end_of(s);
    while (at < l->n && at < end_of(s) + MOST && in_list_of_sql(l->p[at]))
        at++;
    if (!starts_with(l, at, "'::") || !abr_is_letter(byte_at(l, at + 3)))
        return false;
    for (at = s->at; at > 0 && at + MOST > s->at && in_list_of_sql(l->p[at - 1]); at--)
        ;
    return byte_before(l, at) == '\'';
}

/* Is the word in a name of source, in a line that goes on or ends a statement: "CompileError::BadType(at) =>
 * {", "f(Severity::ERROR,"? A message ends otherwise: "Errno::ENOENT: No such file", "ended with
 * Cart::Error(3)". */
static bool in_path_of_source(const abr_evidence *l, const abr_sign *s)
{
    enum { NAMES_MOST = 4 };
    size_t end = end_of(s);
    bool joined = preceded_by(l, s->at, "::");
    for (unsigned i = 0; i < NAMES_MOST && starts_with(l, end, "::") && is_alnum(byte_at(l, end + 2));
         i++, joined = true)
        end = skip_name(l, end + 2, ABR_SET("_"));
    return joined && ABR_HAS("{(,;", byte_before(l, end_without_blanks(l))) &&
           (ABR_HAS("(,;", byte_at(l, end)) || starts_with(l, end, " {") || starts_with(l, end, " =>"));
}

/* Is the word after two dashes an option among the arguments of a command, "ibtool --errors --warnings"? */
static bool is_option_of_command(const abr_evidence *l, const abr_sign *s)
{
    const size_t dashes = s->at - 2;
    return abr_is_lower(l->p[s->at]) && dashes > l->words->indent && l->p[dashes - 1] == ' ';
}

bool abr_in_name(const abr_evidence *l, const abr_sign *s)
{
    char before = byte_before(l, s->at);
    char after = byte_at(l, end_of(s));
    char then = byte_at(l, end_of(s) + 1);
    if ((before == ':' || (after == ':' && then == ':')) && in_path_of_source(l, s))
        return true;
    if (ABR_HAS(" \t\n", before) && ABR_HAS(" \t\n:,", after)) /* most words, but "at error (dom.js:60:7)" */
        return after == ' ' && then == '(' && preceded_by(l, s->at, "at ") && s->at == l->words->first + 3;
    if (ABR_HAS("-_", before) && abr_leads_joined(l, s))
        return false;
    if ((before == '_' || after == '_') && is_macro_hit(l, s))
        return false;
    if (starts_with(l, end_of(s), "/Error:")) /* RSpec */
        return false;
    if (before == ':' && !s->type && s->at >= 2 && l->p[s->at - 2] != ':' && !is_alnum(l->p[s->at - 2]) &&
        !all_caps(l, s))
        return true; /* :error */
    if (before == ':' && s->type && abr_is_lower(l->p[s->at]))
        return true; /* the task :checkPluginErrors */
    if (before == ':' && after == ':' && then == ':' && s->at >= 3 && l->p[s->at - 2] == ':' &&
        (is_alnum(l->p[s->at - 3]) || ABR_HAS("]>", l->p[s->at - 3])))
        return true; /* std::error::f, core[c1f1]::panic::f, not ::error::text */
    if (before == '.' && (s->at == 1 || l->p[s->at - 2] == ' '))
        return true; /* .error */
    if (ABR_HAS("_/\\$@", before) || ABR_HAS("_/\\", after))
        return true;
    if (before == '-' && s->at >= 2 && l->p[s->at - 2] != '-' && l->p[s->at - 2] != ' ')
        return true;
    if (before == '.' && !s->type && s->at >= 2 && is_alnum(l->p[s->at - 2]))
        return !(after == ':' && then == ' ' && all_caps(l, s)); /* not Monolog's `app.ERROR: text` */
    if (before == '-' && s->at >= 2 && l->p[s->at - 2] == '-')   /* an option, not a heading "--error--" */
        return after != '-' && (after != ' ' || is_option_of_command(l, s));
    if (ABR_HAS("+-", before) && preceded_by(l, s->at - 1, "-XX:"))
        return true; /* a switch of Java's, -XX:+ExitOnOutOfMemoryError */
    if (ABR_HAS(".-", after) && is_alnum(then))
        return !(s->type && after == '.') || starts_with(l, end_of(s), ".class");
    return (abr_is_digit(after) && !all_caps(l, s)) || (after == '(' && then != 's' && !s->type);
}

bool abr_in_title(const abr_evidence *l, const abr_sign *s)
{
    size_t quote = memchr(l->p, '"', s->at) ? s->at : 0;
    while (quote > 0 && l->p[quote - 1] != '"')
        quote--;
    return quote > 0 && (preceded_by(l, quote - 1, "Test ") || preceded_by(l, quote - 1, "Suite "));
}

/* Does a colour sequence end before `at`? Its last letter is not part of the next word. */
static bool follows_colour(const abr_evidence *l, size_t at)
{
    if (byte_before(l, at) != 'm')
        return false;
    const size_t i = abr_back(l->p, at - 1, ABR_SET("0123456789;"));
    return i >= 2 && l->p[i - 1] == '[' && l->p[i - 2] == '\x1B';
}

/* The number that ends at `end`, nothing but digits; -1 if there is none. *start: its first digit. */
static int64_t number_that_ends_at(const abr_evidence *l, size_t end, size_t *start)
{
    size_t i = end;
    while (i > 0 && abr_is_digit(l->p[i - 1]) && end - i < 15)
        i--;
    *start = i;
    if (i == end || ABR_HAS(".:-_=", byte_before(l, i)) ||
        (is_alnum(byte_before(l, i)) && !follows_colour(l, i)))
        return -1;
    tell_zeros(l);
    int64_t value = 0;
    for (; i < end; i++)
        value = value * 10 + (l->p[i] - '0');
    return value;
}

int64_t abr_number_before(const abr_evidence *l, size_t at)
{
    size_t end = abr_back(l->p, at, ABR_SET(" \t("));
    size_t start;
    if (end == at)
        return -1;
    for (unsigned words = 0; words < 2; words++) {
        int64_t value = number_that_ends_at(l, end, &start);
        bool of = preceded_by(l, start, " of ");
        int64_t first = value >= 0 && of ? number_that_ends_at(l, start - 4, &start) : -1;
        if (first >= 0)
            return first;
        if (words == 0 && value >= 0)
            return value > 0 && abr_ends_listed(l, start, ABR_LIST_NUMBERED) ? -1 : value;
        if (value == 0 &&
            (start == 0 || ABR_HAS("(,", l->p[start - 1]) || (start >= 2 && starts_with(l, start - 2, ", "))))
            return 0; /* "0 tests failed" */
        const size_t word = end;
        end = abr_back(l->p, abr_back(l->p, end, ABR_SMALL_LETTERS), ABR_SET(" \t("));
        if (end == word)
            break;
    }
    return -1;
}

int64_t abr_number_after(const abr_evidence *l, size_t at, bool needs_sign)
{
    size_t i = skip(l, at, ABR_SET(" \t\"')"));
    size_t sign = skip(l, i, ABR_SET(":=,"));
    if (sign == i && needs_sign)
        return -1;
    i = skip(l, sign, ABR_SET(" \t\"'"));
    size_t start = i;
    int64_t value = 0;
    while (i < l->n && abr_is_digit(l->p[i]) && i - start < 15)
        value = value * 10 + (l->p[i++] - '0');
    bool whole =
        i > start && !is_alnum(byte_at(l, i)) && !(byte_at(l, i) == '.' && abr_is_digit(byte_at(l, i + 1)));
    if (!whole)
        return -1;
    tell_zeros(l);
    return value;
}

bool abr_is_negated(const abr_evidence *l, const abr_sign *s)
{
    const abr_sign *before = previous_sign(l, s);
    while (before && before->class != ABR_WORD_NO && before[1].at == end_of(before) + 1)
        before = previous_sign(l, before);
    if (!before || before->class != ABR_WORD_NO || s->at - end_of(before) > NEGATED_WITHIN ||
        abr_in_name(l, before))
        return false;
    if (is_word(l, before, "not") && !starts_with(l, end_of(before), " a "))
        return false;
    for (size_t at = end_of(before); at < s->at; at++)
        if (ABR_HAS(":;,.`'\"", l->p[at]))
            return false;
    return true;
}

bool abr_has_code(const abr_evidence *l, const abr_sign *s)
{
    size_t i = end_of(s);
    if (byte_at(l, i) == '[')
        return abr_is_upper(byte_at(l, i + 1)) || byte_at(l, i + 1) == ']';
    const size_t start = skip(l, i, ABR_SET(" #"));
    i = skip(l, start, ABR_CAPITALS);
    return i > end_of(s) && i - start <= 8 && abr_is_digit(byte_at(l, i));
}

bool abr_in_brackets(const abr_evidence *l, const abr_sign *s)
{
    const size_t start = abr_back(l->p, s->at, ABR_SET(" "));
    const size_t end = skip(l, end_of(s), ABR_SET(" "));
    return ABR_HAS("[(<*|=", byte_before(l, start)) && ABR_HAS("])>*|=", byte_at(l, end));
}
