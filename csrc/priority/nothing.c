/*
 * A word of trouble that reports none.
 *
 * A name is followed by its value: after ':', '=' or in brackets. A value that is nothing says that there is no
 * trouble; it has to be all of the value, since "error: no such file" and "Error: null is not an object" are
 * sentences.
 */
#include "priority/nothing.h"
#include "abridge.h"
#include "base/ascii.h"
#include "priority/evidence.h"
#include "priority/words.h"

enum { WORDS_BETWEEN = 2 }; /* "exceptions raised: 0", "errors found so: 0" */

/* Where the name ends that the word is in, and a word or two after it: lastErrorCode, "errors found". */
static size_t end_of_name(const abr_evidence *l, const abr_sign *s)
{
    size_t i = end_of(s);
    for (unsigned words = 0; words <= WORDS_BETWEEN; words++) {
        while (i < l->n && (is_alnum(l->p[i]) || l->p[i] == '_'))
            i++;
        size_t next = skip(l, i, " ");
        if (next != i + 1 || !abr_is_letter(byte_at(l, next)) || abr_is_upper(byte_at(l, next)))
            break;
        size_t end = next;
        while (end < l->n && abr_is_letter(l->p[end]))
            end++;
        if (!is_one_of(byte_at(l, end), ":= "))
            break;
        i = end;
    }
    return i;
}

/* May a value end here? After '=' a blank ends it only where another name follows. */
static bool ends_value(const abr_evidence *l, size_t i, bool assigned)
{
    if (i >= l->n || is_one_of(l->p[i], ",;)]}\r\n"))
        return true;
    if (!is_one_of(l->p[i], " \t"))
        return false;
    i = skip(l, i, " \t\r");
    if (i >= l->n)
        return true;
    size_t end = i;
    while (end < l->n && (is_alnum(l->p[end]) || is_one_of(l->p[end], "_.-")))
        end++;
    return assigned && end > i && byte_at(l, end) == '=';
}

/* After a number, or NULL's kin; 0 where none is at i. */
static size_t skip_empty_word(const abr_evidence *l, size_t i)
{
    static const char *const words[] = {"null", "nil", "none", "false",    "no",
                                        "off",  "nan", "n/a",  "undefined"};
    for (size_t k = 0; k < sizeof words / sizeof *words; k++) {
        size_t n = 0;
        while (words[k][n] != '\0' && abr_to_lower(byte_at(l, i + n)) == words[k][n])
            n++;
        if (words[k][n] == '\0' && !is_alnum(byte_at(l, i + n)))
            return i + n;
    }
    return 0;
}

/* After a number that is zero, or a measure: it has a fraction or an exponent; 0 where there is none. */
static size_t skip_no_count(const abr_evidence *l, size_t i)
{
    size_t start = i;
    bool zero = true;
    bool measure = false;
    for (; i < l->n && (abr_is_digit(l->p[i]) || is_one_of(l->p[i], ".eE+-")); i++) {
        zero = zero && !(l->p[i] >= '1' && l->p[i] <= '9');
        measure = measure || is_one_of(l->p[i], ".eE");
    }
    return i > start && abr_is_digit(l->p[start]) && (zero || measure) ? skip(l, i, "%") : 0;
}

/* After an empty pair of quotes or brackets, with an empty word in it at most; 0 where there is none. */
static size_t skip_empty_pair(const abr_evidence *l, size_t i)
{
    static const char open[] = "\"'[{(<`";
    static const char close[] = "\"']})>`";
    for (size_t k = 0; open[k] != '\0'; k++)
        if (byte_at(l, i) == open[k]) {
            size_t inside = skip(l, i + 1, " ");
            size_t word = skip_empty_word(l, inside);
            if (word == 0)
                word = skip_no_count(l, inside);
            inside = skip(l, word > 0 ? word : inside, " ");
            return byte_at(l, inside) == close[k] ? inside + 1 : 0;
        }
    return 0;
}

bool abr_says_nothing(const abr_evidence *l, const abr_sign *s)
{
    size_t i = skip(l, end_of_name(l, s), "\"'`]) ");
    const bool assigned = byte_at(l, i) == '=';
    const bool bracket = byte_at(l, i) == '(';
    if (!assigned && !bracket && byte_at(l, i) != ':')
        return false;
    /* "NullPointerException: null" is what was thrown, "isError": false a field */
    if (s->type && !assigned && abr_is_upper(l->p[s->at]) && !is_one_of(byte_at(l, i - 1), "\"'"))
        return false;
    size_t value = bracket ? i : skip(l, i, ":=> \t");
    if (value >= l->n)
        return false; /* a heading, or what is wrong stands on the next line */
    size_t end = skip_empty_pair(l, value);
    if (end == 0)
        end = skip_empty_word(l, value);
    if (end == 0)
        end = skip_no_count(l, value);
    return end > 0 && (bracket || ends_value(l, end, assigned));
}

/* ---- what is written ---- */

/* Does the line start with the name of a commit, after the lines of a graph? */
static bool starts_with_commit(const abr_evidence *l)
{
    enum { LEAST = 7, MOST = 40 };
    size_t start = skip(l, 0, "*|/\\ ");
    size_t i = start;
    bool digit = false;
    for (; i < l->n && (abr_is_digit(l->p[i]) || (l->p[i] >= 'a' && l->p[i] <= 'f')); i++)
        digit = digit || abr_is_digit(l->p[i]);
    return digit && i - start >= LEAST && i - start <= MOST && byte_at(l, i) == ' ' &&
           abr_is_letter(byte_at(l, skip(l, i, " (")));
}

/* Is it the help of an option: "  -k, --keep-going   go on after errors"? */
static bool is_option_help(const abr_evidence *l)
{
    size_t i = l->words->indent;
    if (i == 0 || byte_at(l, i) != '-' || !(is_alnum(byte_at(l, i + 1)) || byte_at(l, i + 1) == '-'))
        return false;
    while (i + 1 < l->n && !(l->p[i] == ' ' && l->p[i + 1] == ' '))
        i++;
    return abr_is_letter(byte_at(l, skip(l, i, " ")));
}

/* Does the line end as statements do? */
static bool ends_as_source(const abr_evidence *l)
{
    size_t n = l->n;
    while (n > 0 && is_one_of(l->p[n - 1], " \t\r"))
        n--;
    if (n < 2)
        return false;
    if (is_one_of(l->p[n - 1], ";{"))
        return is_one_of(l->p[n - 2], ") }\"'") || l->p[n - 1] == '{' || l->words->indent > 0;
    return n > 3 && memcmp(l->p + n - 3, ">&2", 3) == 0;
}

bool abr_is_quoted_source(const abr_evidence *l)
{
    return ends_as_source(l) || is_option_help(l) || starts_with_commit(l);
}

bool abr_is_condition(const abr_evidence *l, const abr_sign *s)
{
    const size_t i = end_of(s);
    return starts_with(l, i, " when ") || starts_with(l, i, " if ") || starts_with(l, i, " unless ");
}
