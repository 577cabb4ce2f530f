/* Forms of lines that people write: source, settings, markup, prose. */
#include "line/form_tests.h"
#include "line/form.h"
#include "abridge.h"
#include "base/ascii.h"
#include "line/char_set.h"

enum {
    PROSE_LEAST = 10,  /* words of prose in a line, */
    SENTENCE_LEAST = 5 /* and in a possible sentence of it */
};

/* Chars of the name of a setting. */
#define IN_KEY abr_joined(ABR_WORD_CHARS, ABR_SET("-./\"'[]@"))

static char last_of(const abr_form_line *l)
{
    return l->bare.p[l->bare.n - 1];
}

/* The byte at `at`; a newline past the end. */
static char char_at(abr_text_line line, size_t at)
{
    return (char)(at < line.n ? line.p[at] : '\n');
}

/* The name at the start of a line: letters, digits, underscores. */
static abr_text_line name_of(const abr_form_line *l)
{
    return (abr_text_line){l->bare.p, abr_past(l->bare, 0, ABR_WORD_CHARS)};
}

/* ---- source ---- */

/* `f(x):`, `f(x),`, `f(`, `f(x, "y")`: a table in source has rows of the last, and may quote anything. */
bool abr_is_block(const abr_form_line *l)
{
    if (last_of(l) == ')')
        return char_at(l->bare, name_of(l).n) == '(' && ABR_CONTAINS(l->bare, ", \"");
    return l->bare.n > 1 && (last_of(l) == '(' || l->bare.p[l->bare.n - 2] == ')');
}

/* `# got: '1'`: a test's report, or a continued comment. */
bool abr_is_remark(const abr_form_line *l)
{
    return ABR_STARTS(l->line, "#  ");
}

bool abr_starts_as_source(const abr_form_line *l)
{
    const char first = *l->bare.p;
    const char second = char_at(l->bare, 1);
    if (first == '<')
        return second != ' ' && second != '\n';
    if (first == '#')
        return !abr_is_digit(second);
    return !ABR_HAS("@$\\%!", first) || abr_is_letter(second) || second == '{';
}

bool abr_starts_with_keyword(const abr_form_line *l)
{
    enum { MOST = 16 };
    char small[MOST + 1]; /* GCC 12 sees a byte after the last one written at -O3 */
    const abr_text_line word = name_of(l);
    if (word.n > MOST || !ABR_HAS(" \n(:\t", char_at(l->bare, word.n)))
        return false;
    const bool shouted = word.n > 1 && abr_is_upper(word.p[0]) && abr_is_upper(word.p[1]);
    for (size_t i = 0; i < word.n; i++)
        small[i] = (char)(shouted ? abr_to_lower(word.p[i]) : word.p[i]);
    return abr_is_mark(l->forms, ABR_FORM_KEYWORD, (abr_text_line){small, word.n});
}

/* Is the value that starts at `at` followed by another one's name: "at=info status=200"? */
static bool has_next_field(abr_text_line bare, size_t at)
{
    at = abr_next(bare, at, ' ', ' ', true) + 1;
    const size_t end = abr_past(bare, at, ABR_WORD_CHARS);
    return end > at && char_at(bare, end) == '=';
}

/* ` = `, ` == `, `=>`, ` := `, ` += `; `NAME=value` alone, since programs print rows of them */
bool abr_is_assignment(const abr_form_line *l)
{
    const abr_text_line bare = l->bare;
    for (size_t i = 0; i < bare.n; i++) {
        if (bare.p[i] != '=')
            continue;
        if (char_at(bare, i + 1) == '>')
            return true;
        const size_t before = i - (i > 0 && ABR_HAS(":+=", bare.p[i - 1]));
        if (char_at(bare, i + 1) == ' ' && before > 0 && bare.p[before - 1] == ' ')
            return true;
    }
    const size_t i = abr_past(bare, 0, IN_KEY);
    if (i > 0 && char_at(bare, i) == '=')
        return !has_next_field(bare, i + 1);
    return i > 0 && char_at(bare, i) == ' ' && char_at(bare, i + 1) == '=';
}

/* `f(x)`, `a.b(`, `echo "x"` */
bool abr_has_arguments(const abr_form_line *l)
{
    const abr_text_line word = name_of(l);
    const char after = char_at(l->bare, word.n);
    if (word.n == 0)
        return false;
    if (after == ' ')
        return word.n > 1 && abr_is_lower(*word.p) && ABR_HAS("'\"", char_at(l->bare, word.n + 1));
    return ABR_HAS("(.[", after) && (last_of(l) == ')' || abr_has_char(l->chars, '(')) &&
           l->bare.n - word.n > 2;
}

bool abr_is_quoted(const abr_form_line *l)
{
    return *l->bare.p == '"' || *l->line.p == '\t' || last_of(l) == ',' || abr_has_char(l->chars, '\t');
}

/* ---- settings ---- */

/* `[section]` */
bool abr_is_heading(const abr_form_line *l)
{
    return l->bare.n > 3 && !abr_is_digit(l->bare.p[1]) && l->bare.p[1] != ' ';
}

/* Does the line start with `name:`, or `- name:`? A number there is that of a job or a test, which said the
 * rest. */
static bool names_value(const abr_form_line *l)
{
    const size_t start = ABR_STARTS(l->bare, "- ") ? 2 : 0;
    const size_t i = abr_past(l->bare, start, IN_KEY);
    return i > start && !abr_is_digit(l->bare.p[start]) && char_at(l->bare, i) == ':' &&
           ABR_HAS(" \n", char_at(l->bare, i + 1));
}

/* `  name: value`, `- name: value` */
bool abr_is_field(const abr_form_line *l)
{
    return (l->bare.p > l->line.p || ABR_STARTS(l->bare, "- ")) && names_value(l);
}

bool abr_is_setting_at_edge(const abr_form_line *l)
{
    return names_value(l);
}

/* ---- markup, prose ---- */

/* Dots that lead to a page number. */
bool abr_is_contents(const abr_form_line *l)
{
    return ABR_CONTAINS(l->bare, ".....");
}

/* `- item`, `12. item`, `` `code` ``; a line of troff. */
bool abr_is_item(const abr_form_line *l)
{
    const abr_text_line bare = l->bare;
    const size_t n = abr_digits_at(bare, 0);
    const bool numbered = n > 0 && n <= 3 && ABR_HAS(".)", char_at(bare, n)) && char_at(bare, n + 1) == ' ';
    return numbered || (ABR_HAS("-*|><", *bare.p) && char_at(bare, 1) == ' ') ||
           abr_has_char(l->chars, '`') || ABR_CONTAINS(bare, "**") ||
           (*l->line.p == '.' && abr_is_letter(char_at(bare, 1)));
}

/* Is the char at `at` part of a plain word that starts at `start`, or punctuation around it? */
static bool is_of_word(abr_text_line bare, size_t start, size_t at)
{
    const char c = bare.p[at];
    if ((c & 0x80) || c == '\'' || (at == start && (abr_is_upper(c) || ABR_HAS("(\"", c))))
        return true;
    const bool ends = at + 2 >= bare.n || bare.p[at + 1] == ' ' || bare.p[at + 2] == ' ';
    return ends && ABR_HAS(",.;:!?)\"-", c);
}

static void count_form_words(abr_text_line bare, struct abr_form_words *words)
{
    for (size_t i = 0; i < bare.n; i++) {
        if (bare.p[i] == ' ')
            continue;
        const size_t start = i;
        i = abr_next(bare, i, 'a', 'z', false);
        while (i < bare.n && bare.p[i] != ' ' && is_of_word(bare, start, i))
            i = abr_next(bare, i + 1, 'a', 'z', false);
        words->plain += i == bare.n || bare.p[i] == ' ';
        words->count++;
        i = abr_next(bare, i, ' ', ' ', true);
    }
}

/* Are there at least `least` words, most of them plain and in lower case? */
static bool has_plain_words(const abr_form_line *l, size_t least)
{
    if (l->words->count == 0)
        count_form_words(l->bare, l->words);
    return l->words->count >= least && l->words->plain * 4 >= l->words->count * 3 &&
           !ABR_STARTS(l->line, "-- ");
}

bool abr_is_prose(const abr_form_line *l)
{
    return has_plain_words(l, PROSE_LEAST);
}

bool abr_is_sentence(const abr_form_line *l)
{
    return has_plain_words(l, SENTENCE_LEAST);
}

/* A third of it is not ASCII. */
bool abr_is_foreign(const abr_form_line *l)
{
    size_t high = 0;
    for (size_t i = 0; i < l->bare.n; i++)
        high += (l->bare.p[i] & 0x80) != 0;
    return high * 3 > l->bare.n;
}
