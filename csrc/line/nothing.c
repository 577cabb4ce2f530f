/*
 * The value of a word of trouble.
 *
 * A name is followed by its value: after ':', '=' or in brackets. An empty value says that there is no
 * trouble; it must be the whole value, since "error: no such file" and "Error: null is not an object" are
 * sentences.
 */
#include "line/nothing.h"
#include "abridge.h"
#include "base/ascii.h"
#include "line/evidence.h"
#include "line/listed.h"
#include "line/words.h"

enum { WORDS_BETWEEN = 2 }; /* "exceptions raised: 0", "errors found so: 0" */

/* Chars of identifiers, besides letters and digits. */
#define IN_IDENTIFIER ABR_SET("_-.")

/* End of the name that contains the word, and a word or two after it: lastErrorCode, "errors found". */
static size_t end_of_name(const abr_evidence *l, const abr_sign *s)
{
    size_t i = skip_name(l, end_of(s), IN_IDENTIFIER);
    for (unsigned words = 0; words < WORDS_BETWEEN; words++) {
        size_t next = skip(l, i, ABR_SET(" "));
        if (next != i + 1 || !abr_is_letter(byte_at(l, next)))
            break;
        const size_t end = skip(l, next, ABR_LETTERS);
        const bool is_title = abr_is_upper(l->p[next]) && !abr_is_upper(l->p[s->at + 1]);
        const size_t after = is_title ? skip(l, end, ABR_SET(" ")) : end; /* "Failed Tests: 0" */
        if (!ABR_HAS(":=", byte_at(l, after)) && (is_title || byte_at(l, end) != ' '))
            break;
        i = end;
    }
    return i;
}

/* May a value end here? After '=' a blank ends it only if another name follows. */
static bool ends_value(const abr_evidence *l, size_t i, bool assigned)
{
    if (i >= l->n || ABR_HAS(",;)]}\r\n|/", l->p[i]))
        return true;
    if (!ABR_HAS(" \t", l->p[i]))
        return false;
    i = skip(l, i, ABR_SET(" \t\r"));
    if (i >= l->n || ABR_HAS(",;)]}(|/", l->p[i]))
        return true;
    const size_t end = skip_name(l, i, IN_IDENTIFIER);
    return end > i &&
           (byte_at(l, end) == '=' || (!assigned && byte_at(l, end) == ':' && abr_is_digit(l->p[i - 2])));
}

/* Skip null and its kin; 0 if there is none at i. */
static size_t skip_empty_word(const abr_evidence *l, size_t i)
{
    for (const abr_listed_row *word = NULL;
         (word = abr_next_listed(&l->lexicon->starts, ABR_LIST_EMPTY, byte_at(l, i), word)) != NULL;)
        if (stands_at(l, i, word->text, word->n) && !is_alnum(byte_at(l, i + word->n)))
            return i + word->n;
    return 0;
}

bool abr_is_empty_word(const abr_lexicon *x, abr_text_line word)
{
    const size_t brackets = word.n > 2 && *word.p == '<' && word.p[word.n - 1] == '>';
    const abr_evidence l = {.p = word.p + brackets, .n = word.n - 2 * brackets, .lexicon = x};
    return l.n > 0 && skip_empty_word(&l, 0) == l.n;
}

/* Skip a number that is zero, or a measure (with a fraction or an exponent); 0 if there is none. */
static size_t skip_no_count(const abr_evidence *l, size_t i)
{
    size_t start = i;
    bool zero = true;
    bool measure = false;
    for (; i < l->n && (abr_is_digit(l->p[i]) || ABR_HAS(".eE+-", l->p[i])); i++) {
        zero = zero && !(l->p[i] >= '1' && l->p[i] <= '9');
        measure = measure || (ABR_HAS(".eE", l->p[i]) && ABR_HAS("0123456789-+", byte_at(l, i + 1)));
    }
    if (i == start || !abr_is_digit(l->p[start]))
        return 0;
    tell_zeros(l);
    if (zero && starts_with(l, i, " bytes in 0 blocks")) /* what valgrind says of leaks */
        return l->n;
    return zero || measure ? skip(l, i, ABR_SET("%")) : 0;
}

/* Skip an empty word, a number that is not a count, or nothing; 0 if anything else is there. */
static size_t skip_empty(const abr_evidence *l, size_t i)
{
    return abr_is_digit(byte_at(l, i)) ? skip_no_count(l, i) : skip_empty_word(l, i);
}

/* Skip a pair of quotes or brackets that is empty or holds an empty word; 0 if there is none. */
static size_t skip_empty_pair(const abr_evidence *l, size_t i)
{
    static const char open[] = "\"'[{(<`";
    static const char close[] = "\"']})>`";
    const char first = byte_at(l, i);
    if (!ABR_HAS("\"'[{(<`", first))
        return 0; /* most bytes */
    const char *pair = memchr(open, first, sizeof open - 1);
    const size_t inside = skip(l, i + 1, ABR_SET(" "));
    const size_t empty = skip_empty(l, inside);
    const size_t end = skip(l, empty > 0 ? empty : inside, ABR_SET(" "));
    return byte_at(l, end) == close[pair - open] ? end + 1 : 0;
}

/* The same with the name of a type before it, "Array []"; 0 if there is none. */
static size_t skip_empty_object(const abr_evidence *l, size_t i)
{
    const size_t end = skip(l, i, ABR_LETTERS);
    return abr_is_upper(byte_at(l, i)) ? skip_empty_pair(l, skip(l, end, ABR_SET(" "))) : 0;
}

static bool is_nothing(const abr_evidence *l, size_t value, bool assigned)
{
    size_t end = skip_empty_pair(l, value);
    if (end == 0)
        end = skip_empty_object(l, value);
    if (end == 0)
        end = skip_empty(l, value);
    return end > 0 && ends_value(l, end, assigned);
}

/* "errors 0 dropped 0": a zero, then a word with a number of its own. */
static bool is_zero_of_pairs(const abr_evidence *l, size_t i)
{
    const size_t end = skip(l, i + 2, ABR_LETTERS);
    return starts_with(l, i, "0 ") && byte_at(l, end) == ' ' && abr_is_digit(byte_at(l, end + 1));
}

/* ---- names ---- */

/* Is a part of the name one of the words in a list? Parts start after a sign, or with a capital. */
static bool has_part(const abr_evidence *l, size_t start, size_t end, abr_list list)
{
    for (size_t i = start; i < end; i++) {
        if (i > start && is_alnum(l->p[i - 1]) && !(abr_is_upper(l->p[i]) && !abr_is_upper(l->p[i - 1])))
            continue;
        for (const abr_listed_row *word = NULL;
             (word = abr_next_listed(&l->lexicon->starts, list, l->p[i], word)) != NULL;) {
            const char c = byte_at(l, i + word->n);
            if (stands_at(l, i, word->text, word->n) && (!abr_is_letter(c) || abr_is_upper(c)))
                return true;
        }
    }
    return false;
}

/* Does the name say what to do about errors? */
static bool is_setting(const abr_evidence *l, size_t start, size_t end)
{
    /* of one part alone: fail=1 */
    bool single = true;
    for (size_t i = start + 1; i < end && single; i++)
        single = abr_is_letter(l->p[i]) && !(abr_is_upper(l->p[i]) && !abr_is_upper(l->p[i - 1]));
    return !single && has_part(l, start, end, ABR_LIST_SETTING);
}

/* Is it a count above zero, true, or (if the name is that of a message) a text in quotes or a list? */
static bool is_trouble(const abr_evidence *l, const abr_sign *s, size_t value)
{
    char c = byte_at(l, value);
    if (c >= '1' && c <= '9') {
        size_t end = skip(l, value, ABR_DIGITS);
        return !is_alnum(byte_at(l, end)) && !ABR_HAS(".:/-_", byte_at(l, end));
    }
    if (starts_with(l, value, "true") || starts_with(l, value, "True") || starts_with(l, value, "yes"))
        return true;
    char inside = byte_at(l, value + 1);
    return s->class == ABR_WORD_ERROR &&
           ((c == '"' && !ABR_HAS("\"/,", inside)) || (ABR_HAS("[{", c) && !ABR_HAS("]},\r\n", inside)));
}

/* "Test timeout computed to be: 600" */
static bool ends_with_value(const abr_evidence *l, size_t from)
{
    const size_t end = end_without_blanks(l);
    const size_t start = abr_back(l->p, end, ABR_DIGITS);
    return start < end && start > from + 1 && l->p[start - 1] == ' ' && ABR_HAS(":=", l->p[start - 2]);
}

/* "timeout: 30", and the action to take: panic=1, panic = "abort" */
static bool is_limit(const abr_evidence *l, const abr_sign *s, size_t value)
{
    return (is_word(l, s, "timeout") && abr_is_digit(byte_at(l, value))) ||
           (is_word(l, s, "panic") && !abr_is_upper(l->p[s->at]) && byte_at(l, end_of(s)) != ':');
}

abr_value abr_value_of(const abr_evidence *l, const abr_sign *s)
{
    const size_t start = skip_name_back(l, s->at, IN_IDENTIFIER);
    const size_t end = end_of_name(l, s);
    size_t i = skip(l, end, ABR_SET("\"'`])"));
    i = skip(l, i, ABR_SET(" ."));
    const char sign = byte_at(l, i);
    const bool assigned = sign == '=';
    const bool bracket = sign == '(';
    if (start > 0 && ABR_HAS("/\\<", l->p[start - 1]))
        return ABR_VALUE_NONE; /* the name of a file, "out/x-error.xml: 5 bytes", or of an element */
    if (!assigned && !bracket && sign != ':') {
        if (is_word(l, s, "timeout") && ends_with_value(l, end_of(s)))
            return ABR_VALUE_SETTING;
        /* "error none", "errors 0 dropped 0", "error 0.12" */
        bool blank = i == end + 1 && end == end_of(s);
        return blank && (is_nothing(l, i, true) || is_zero_of_pairs(l, i)) ? ABR_VALUE_NOTHING
                                                                           : ABR_VALUE_NONE;
    }
    /* "NullPointerException: null" was thrown, "isError": false is a field */
    if (s->type && !assigned && abr_is_upper(l->p[start]) && !ABR_HAS("\"'", byte_at(l, i - 1)))
        return ABR_VALUE_NONE;
    if (bracket)
        return is_nothing(l, i, false) ? ABR_VALUE_NOTHING : ABR_VALUE_NONE;
    if (assigned && (i + 1 >= l->n || (byte_at(l, i + 1) == ' ' && byte_at(l, i - 1) != ' ')))
        return ABR_VALUE_NOTHING; /* error= attempts=1 */
    size_t value = skip(l, i, ABR_SET(":=> \t"));
    if (value >= l->n)
        return ABR_VALUE_NONE; /* a heading, or the trouble is on the next line */
    if (is_nothing(l, value, assigned))
        return ABR_VALUE_NOTHING;
    if (!all_caps(l, s) && (is_limit(l, s, value) || is_setting(l, start, end)))
        return ABR_VALUE_SETTING;
    return is_trouble(l, s, value) ? ABR_VALUE_TROUBLE : ABR_VALUE_NONE;
}

bool abr_is_setting(const abr_evidence *l, const abr_sign *s)
{
    const char end = byte_at(l, end_of(s));
    size_t i = skip_name_back(l, s->at, IN_IDENTIFIER);
    bool quoted = i > 0 && ABR_HAS("\"'", l->p[i - 1]);
    if (!(quoted ? ABR_HAS("\"'", end) : ABR_HAS("\r\n,", end)) || (!s->type && abr_is_upper(l->p[s->at])))
        return false;
    i = abr_back(l->p, i - quoted, ABR_SET(" "));
    if (i < 2 || !ABR_HAS(":=", l->p[i - 1]))
        return false;
    bool assigned = l->p[i - 1] == '=';
    i = abr_back(l->p, i - 1, ABR_SET(" \"'"));
    const size_t start = skip_name_back(l, i, IN_IDENTIFIER);
    if (start == i || (!quoted && !assigned && (l->words->indent == 0 || s->class == ABR_WORD_FAIL)))
        return false; /* "cart_test: error" is a result */
    return !has_part(l, start, i, ABR_LIST_STATE) || is_setting(l, start, i);
}
