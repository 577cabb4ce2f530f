/*
 * Signs that a line is an entry of a listing: of files, commits and what is found in files; counts, options,
 * columns of numbers. None decides alone.
 */
#include "kinds/text/listing_signs.h"
#include "abridge.h"
#include "base/ascii.h"
#include "line/char_set.h"
#include "line/word_list.h"
#include "line/forms.h"

enum {
    LEAST_HASH = 7,    /* digits of an abbreviated one */
    LONG_HASH = 16,    /* that needs no letters */
    LEAST_OFFSET = 4,  /* digits of one before a colon */
    LEAST_CODED = 40,  /* bytes of base64 and the like in a line */
    MOST_WORDS = 4,    /* of a name */
    MOST_NUMBERS = 16, /* words that are looked at */
    DEEP = 8           /* blanks before a line that goes on */
};

/* Hexadecimal digits at the start, and in *mixed whether letters and others are among them. */
static size_t hash_length(abr_text_line bare, bool *mixed)
{
    bool digits = false;
    bool letters = false;
    size_t i = 0;
    for (; i < bare.n && abr_is_hex(bare.p[i]); i++) {
        digits = digits || abr_is_digit(bare.p[i]);
        letters = letters || abr_is_letter(bare.p[i]);
    }
    *mixed = digits && letters;
    return i;
}

static bool is_commit(abr_text_line bare)
{
    bool mixed;
    size_t n = hash_length(bare, &mixed);
    return n >= LEAST_HASH && mixed && (n == bare.n || ABR_HAS(" \t:*|,", bare.p[n]));
}

/* A hash, an address or an offset, and what it belongs to. */
static bool starts_with_hash(abr_text_line bare)
{
    if (bare.n > 1 && *bare.p == '^') /* git blame: older than what was asked for */
        bare = (abr_text_line){bare.p + 1, bare.n - 1};
    bool mixed;
    size_t n = hash_length(bare, &mixed);
    if (n < LEAST_OFFSET)
        return false;
    if (is_commit(bare))
        return true;
    if (n == bare.n)
        return n >= LONG_HASH;
    char second = (char)(n + 1 < bare.n ? bare.p[n + 1] : '\n');
    if (bare.p[n] == ':')
        return ABR_HAS(" \t", second) || n >= LEAST_HASH;
    return (n >= LONG_HASH && ABR_HAS(" \t*|,", bare.p[n])) ||
           (n >= LEAST_HASH && bare.p[n] == ' ' && second == ' ');
}

/* The line without what `git log --graph` draws before it. */
static abr_text_line without_graph(abr_text_line line)
{
    size_t i = 0;
    while (i < line.n && ABR_HAS("*|/\\_ ", line.p[i]))
        i++;
    return (abr_text_line){line.p + i, line.n - i};
}

/* ` 3 files changed, 10 insertions(+)`, ` file | 12 ++--` */
static bool is_diffstat(abr_text_line line, abr_text_line bare, abr_char_set chars)
{
    if (ABR_HOLDS(line, chars, "changed, "))
        return ABR_HOLDS(line, chars, "(+)") || ABR_HOLDS(line, chars, "(-)");
    const char *end = bare.p + bare.n;
    const char *bar = *line.p == ' ' && abr_has_char(chars, '|') ? memchr(bare.p, '|', bare.n) : NULL;
    if (!bar || bar <= bare.p + 1 || bar + 2 >= end || bar[-1] != ' ' || bar[1] != ' ')
        return false;
    while (bar + 1 < end && bar[1] == ' ')
        bar++;
    return bar + 1 < end && (abr_is_digit(bar[1]) || bar[1] == 'B');
}

/* `+ 0123abc what it does`, of git cherry; `  main  0123abc what it does`, of git branch -v. */
static bool names_commit(abr_text_line bare)
{
    if (bare.n > 2 && ABR_HAS("*+-", *bare.p) && bare.p[1] == ' ')
        bare = abr_trimmed((abr_text_line){bare.p + 2, bare.n - 2});
    const char *gap = memchr(bare.p, ' ', bare.n);
    if (is_commit(bare) || !gap || gap[-1] == ':')
        return is_commit(bare);
    return is_commit(abr_trimmed((abr_text_line){gap, bare.n - (size_t)(gap - bare.p)}));
}

static bool is_of_git(abr_text_line line, abr_text_line bare, abr_char_set chars)
{
    if (line.n > 2 && ABR_HAS("*|", *line.p) && ABR_HAS(" |\\/", line.p[1])) {
        bare = line = without_graph(line);
        if (line.n == 0)
            return true;
    }
    return ABR_STARTS(line, "commit ") || ABR_STARTS(line, "Author: ") || ABR_STARTS(line, "Date: ") ||
           ABR_STARTS(line, "AuthorDate: ") || ABR_STARTS(line, "Merge: ") || ABR_STARTS(line, "Commit: ") ||
           ABR_STARTS(line, "CommitDate: ") || is_diffstat(line, bare, chars) || names_commit(bare);
}

/* A name of letters, or one with a dot or a slash: no time. */
static bool is_path(abr_text_line name)
{
    bool letters = true;
    for (size_t i = 0; i < name.n; i++) {
        if (name.p[i] == '.' || name.p[i] == '/')
            return true;
        letters = letters && abr_is_letter(name.p[i]);
    }
    return letters;
}

/* `path:12:text`, as grep finds it; a diagnostic has a blank there. */
static bool is_match(abr_text_line bare)
{
    size_t i = 0;
    while (i < bare.n && bare.p[i] != ':' && bare.p[i] != ' ')
        i++;
    if (i + 1 < bare.n && bare.p[i] == ':' && !abr_is_digit(bare.p[i + 1])) { /* in `revision:path` */
        size_t path = i + 1;
        while (path < bare.n && bare.p[path] != ':' && bare.p[path] != ' ')
            path++;
        if (i > 0 && path < bare.n && is_path((abr_text_line){bare.p, i}))
            i = path;
    }
    if (i >= 2 && abr_is_digit(bare.p[i - 1]) && abr_is_digit(bare.p[i - 2]) && i + 3 < bare.n &&
        abr_is_digit(bare.p[i + 1]) && abr_is_digit(bare.p[i + 2]) && bare.p[i + 3] == ':')
        return false; /* a time */
    size_t at = i + 1;
    while (at < bare.n && abr_is_digit(bare.p[at]))
        at++;
    size_t column = at + 1;
    while (column < bare.n && abr_is_digit(bare.p[column]))
        column++;
    if (column > at + 1 && column < bare.n && bare.p[column] == ':')
        at = column;
    if (i == 0 || i >= bare.n || bare.p[i] != ':' || at == i + 1 || at >= bare.n ||
        !ABR_HAS(":-", bare.p[at]) || !is_path((abr_text_line){bare.p, i}))
        return false;
    return at + 1 == bare.n || bare.p[at + 1] != ' ' || (at + 2 < bare.n && bare.p[at + 2] == ' ');
}

/* A few words and nothing else, as a list of names has them. */
static bool is_plain(abr_text_line bare, abr_char_set chars)
{
    size_t words = 1;
    if (!abr_has_only(chars, abr_joined(ABR_LETTERS, ABR_SET(" '-\x7F"))))
        return false;
    for (size_t i = 0; i < bare.n; i++) {
        if (bare.p[i] == '\x7F')
            return false;
        words += bare.p[i] == ' ';
    }
    return words <= MOST_WORDS;
}

/* One word: a path, a line of base64, a name. Numbers alone, in columns. */
static float words_alone(abr_text_line bare, abr_char_set chars)
{
    if (abr_has_only(chars, ABR_SET("0123456789 .\t,-+")))
        return 0.8F;
    if (abr_has_any(chars, ABR_SET(" \t")))
        return 0;
    if (!abr_is_word(bare.p[bare.n / 2]) && !abr_is_word(bare.p[bare.n - 1]))
        return 0;
    if (bare.n >= LEAST_CODED && abr_has_only(chars, abr_joined(ABR_LETTERS, ABR_SET("0123456789_+/=-"))))
        return 0.9F;
    if (bare.p[bare.n - 1] == '.')
        return 0;
    return abr_has_any(chars, ABR_SET("/.")) ? 0.8F : 0.5F;
}

/* Bytes of a number, a size or a time. */
static size_t number_length(abr_text_line bare)
{
    size_t i = 0;
    while (i < bare.n && (abr_is_digit(bare.p[i]) || (i > 0 && ABR_HAS(".,:-+/KMGT%", bare.p[i]))))
        i++;
    return i < bare.n && !ABR_HAS(" \t", bare.p[i]) ? 0 : i;
}

/* `M`, `AM`, `R100`, `??`: how a file changed. */
static size_t state_length(abr_text_line bare)
{
    size_t i = ABR_HAS("MADRCTU?", *bare.p);
    if (i < bare.n && ABR_HAS("MADTU?", bare.p[i]))
        i++;
    else
        while (i > 0 && i < bare.n && i < 4 && abr_is_digit(bare.p[i]))
            i++;
    return i < bare.n && ABR_HAS(" \t", bare.p[i]) ? i : 0;
}

/* `12  path`, `1 2 3 path`, `M  path`: numbers or a letter, and one word; after a tab any. */
static bool is_counted(abr_text_line bare)
{
    size_t n = number_length(bare);
    if (n > 0 && n < bare.n && bare.p[n] == '\t')
        return true;
    if (n == 0)
        n = state_length(bare);
    abr_text_line rest = bare;
    bool named = n > 0;
    for (; n > 0; n = number_length(rest))
        rest = abr_trimmed((abr_text_line){rest.p + n, rest.n - n});
    return named && rest.n > 0 && !memchr(rest.p, ' ', rest.n) &&
           (memchr(rest.p, '/', rest.n) || memchr(rest.p, '.', rest.n));
}

/* `12:text` of a file that grep was given alone. */
static bool is_numbered(abr_text_line bare)
{
    size_t i = 0;
    while (i < bare.n && abr_is_digit(bare.p[i]))
        i++;
    return i > 0 && i + 1 < bare.n && bare.p[i] == ':' && bare.p[i + 1] != ' ' &&
           !abr_is_digit(bare.p[i + 1]);
}

/* Do numbers make up most of the words, as in data? */
static bool is_data(abr_text_line bare)
{
    size_t numbers = 0;
    size_t words = 0;
    for (abr_text_line rest = bare; rest.n > 0; rest = abr_trimmed(rest), words++) {
        size_t i = 0;
        bool number =
            abr_is_digit(*rest.p) || (rest.n > 1 && ABR_HAS("-+.", *rest.p) && abr_is_digit(rest.p[1]));
        while (number && i < rest.n && ABR_HAS("0123456789.,:/-+eE", rest.p[i]))
            i++;
        numbers += number && (i == rest.n || rest.p[i] == ' ' || rest.p[i] == '\t');
        while (i < rest.n && rest.p[i] != ' ' && rest.p[i] != '\t')
            i++;
        rest = (abr_text_line){rest.p + i, rest.n - i};
        if (words >= MOST_NUMBERS)
            break;
    }
    return numbers >= 3 && numbers * 3 >= words * 2;
}

/* `<name@host>` */
static bool has_address(abr_text_line bare)
{
    const char *end = bare.p + bare.n;
    const char *open = memchr(bare.p, '<', bare.n);
    const char *at = open ? memchr(open, '@', (size_t)(end - open)) : NULL;
    return at && memchr(at, '>', (size_t)(end - at)) && !memchr(open, ' ', (size_t)(at - open));
}

/* An option and what it does, a branch of a tree, a word under which others stand. */
static float entry(abr_text_line line, abr_text_line bare, abr_char_set chars)
{
    bool indented = bare.p > line.p;
    if (indented && *bare.p == '-' && bare.n > 1 && (abr_is_letter(bare.p[1]) || bare.p[1] == '-'))
        return 0.9F;
    if (is_numbered(bare) || (abr_has_any(chars, ABR_DIGITS) && is_data(bare)) || ABR_STARTS(bare, "[-"))
        return 0.8F;
    if (ABR_STARTS(bare, "\xE2\x94\x9C") || ABR_STARTS(bare, "\xE2\x94\x82") ||
        ABR_STARTS(bare, "\xE2\x94\x94"))
        return 1;
    const char *gap = memchr(bare.p, ' ', bare.n); /* `  build    compile it` */
    if (gap && gap + 1 < bare.p + bare.n && gap[1] == ' ')
        return indented ? 0.6F : 0.4F;
    if (abr_commit_subject(line.p, line.n) != ABR_SUBJECT_NONE ||
        (abr_has_char(chars, '@') && has_address(bare)))
        return 0.7F;
    if (indented && ABR_CONTAINS(bare, "  "))
        return 0.6F;
    if (indented && abr_is_digit(*bare.p) && number_length(bare) > 0) /* `   12 words`, of uniq -c */
        return 0.6F;
    if (abr_is_lower(*bare.p) && gap &&
        abr_has_at(bare, (size_t)(gap - bare.p), " - ", 3)) /* `name - what it is` */
        return 0.5F;
    if (bare.n > 1 && *bare.p == '(' && abr_is_letter(bare.p[1]) && !ABR_CONTAINS(bare, "):") && gap)
        return 0.5F; /* of Lisp */
    if (bare.p >= line.p + DEEP)
        return 0.4F;
    if (is_plain(bare, chars))
        return 0.3F;
    return ABR_STARTS(bare, "usage:") || ABR_STARTS(bare, "Usage:") || ABR_STARTS(bare, "total ") ? 0.6F : 0;
}

bool abr_is_listed(abr_text_line line, abr_text_line bare, abr_char_set chars)
{
    return abr_is_mode_row(bare.p, bare.n) || starts_with_hash(bare) || is_of_git(line, bare, chars) ||
           (abr_has_char(chars, ':') && is_match(bare)) || is_counted(bare);
}

float abr_listing_signs(abr_text_line line, abr_text_line bare, abr_char_set chars)
{
    float alone = words_alone(bare, chars);
    float most = entry(line, bare, chars);
    return alone > most ? alone : most;
}
