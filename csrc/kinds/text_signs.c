/*
 * Signs that a line was written: how source ends and begins its lines, settings, the words of prose, marks of
 * markup, what listings put first. None decides alone.
 */
#include "kinds/text_signs.h"
#include "abridge.h"
#include "base/ascii.h"
#include "kinds/words.h"

enum {
    LEAST_WORDS = 5,  /* of prose in a line */
    LEAST_HASH = 7,   /* digits of an abbreviated one */
    LEAST_CODED = 40, /* bytes of base64 and the like in a line */
    LONG_LINE = 1000, /* of minified source, as nobody prints them */
    DEEP = 8          /* blanks before a line that goes on */
};

#define HAS(set, c) ((c) != '\0' && strchr((set), (c)) != NULL)

/* ---- source ---- */

/* Of many languages, in small letters. A word that often starts a line of a log or of prose is none. */
static bool is_keyword(abr_text_line word)
{
    static const char *const keywords[] = {
        "abstract",  "alias",      "alter",      "and",        "architecture", "as",        "assert",
        "async",     "au",         "auto",       "autocmd",    "autoload",     "await",     "begin",
        "bool",      "break",      "call",       "case",       "catch",        "char",      "class",
        "command",   "const",      "constexpr",  "continue",   "create",       "declare",   "def",
        "defer",     "defmodule",  "defp",       "deriving",   "dim",          "dnl",       "do",
        "done",      "double",     "drop",       "elif",       "else",         "elseif",    "elsif",
        "end",       "endfor",     "endforeach", "endfun",     "endfunction",  "endif",     "endmodule",
        "endwhile",  "ensure",     "entity",     "enum",       "esac",         "eval",      "except",
        "exec",      "export",     "extends",    "extension",  "extern",       "fi",        "fileprivate",
        "finally",   "finish",     "float",      "fn",         "for",          "forall",    "foreach",
        "friend",    "from",       "fun",        "func",       "function",     "goto",      "grant",
        "guard",     "hi",         "highlight",  "if",         "imap",         "impl",      "implements",
        "import",    "include",    "infix",      "infixl",     "infixr",       "inherit",   "inline",
        "inoremap",  "insert",     "instance",   "int",        "integer",      "interface", "iter",
        "join",      "lambda",     "lazy",       "lemma",      "let",          "local",     "match",
        "mixin",     "mod",        "module",     "multiclass", "mut",          "mutable",   "my",
        "namespace", "newtype",    "nmap",       "nnoremap",   "nonlocal",     "noremap",   "not",
        "operator",  "or",         "override",   "package",    "print",        "printf",    "private",
        "proc",      "procedure",  "program",    "proof",      "protected",    "protocol",  "pub",
        "public",    "puts",       "qed",        "raise",      "readonly",     "real",      "rec",
        "register",  "require",    "requires",   "rescue",     "return",       "select",    "self",
        "set",       "setlocal",   "shift",      "signed",     "size_t",       "static",    "struct",
        "sub",       "subroutine", "super",      "switch",     "syn",          "syntax",    "template",
        "then",      "theorem",    "this",       "throw",      "throws",       "tnoremap",  "trait",
        "trap",      "try",        "type",       "typealias",  "typedef",      "typename",  "typeset",
        "union",     "unless",     "unset",      "unsigned",   "until",        "use",       "using",
        "val",       "values",     "var",        "variable",   "virtual",      "vmap",      "vnoremap",
        "void",      "volatile",   "weak",       "where",      "while",        "with",      "xnoremap",
        "yield"};
    char small[16];
    if (word.n > sizeof small)
        return false;
    bool shouted = word.n > 1 && abr_is_upper(word.p[0]) && abr_is_upper(word.p[1]);
    for (size_t i = 0; i < word.n; i++)
        small[i] = shouted && abr_is_upper(word.p[i]) ? abr_to_lower(word.p[i]) : word.p[i];
    return ABR_IS_ONE_OF(((abr_text_line){small, word.n}), keywords);
}

static abr_text_line name_at_start(abr_text_line bare)
{
    size_t i = 0;
    while (i < bare.n && abr_is_word(bare.p[i]))
        i++;
    return (abr_text_line){bare.p, i};
}

/* ` = `, ` == `, `=>`, ` := `, ` += `. */
static bool assigns(abr_text_line bare)
{
    const char *end = bare.p + bare.n;
    for (const char *p = bare.p; p < end && (p = memchr(p, '=', (size_t)(end - p))) != NULL; p++) {
        char after = p + 1 < end ? p[1] : '\n';
        if (after == '>')
            return true;
        const char *before = p > bare.p && HAS(":+=", p[-1]) ? p - 1 : p;
        if (after == ' ' && before > bare.p && before[-1] == ' ')
            return true;
    }
    return false;
}

static float source(abr_text_line line, abr_text_line bare)
{
    char last = bare.p[bare.n - 1];
    char before = bare.n > 1 ? bare.p[bare.n - 2] : ' ';
    if (HAS(";{}\\", last) || (last == '(' && bare.n > 1) || (before == ')' && HAS(":,", last)))
        return 0.9F;
    char second = bare.n > 1 ? bare.p[1] : ' ';
    if (HAS("})];", *bare.p) || (*bare.p == '<' && second != ' ') || ABR_STARTS(bare, "//") ||
        ABR_STARTS(bare, "/*") || ABR_STARTS(bare, "*/") || ABR_STARTS(bare, "--[") ||
        ABR_STARTS(bare, "\"\"\"") || ABR_STARTS(bare, "(*") ||
        (HAS("@$\\%!", *bare.p) && (abr_is_letter(second) || second == '{')))
        return 0.9F;
    if (*bare.p == '#' && !abr_is_digit(second))
        return 0.9F;
    abr_text_line word = name_at_start(bare);
    char after = word.n < bare.n ? bare.p[word.n] : '\n';
    if (word.n > 0 && HAS(" \n(:\t", after) && is_keyword(word))
        return 0.8F;
    if (HAS("])", before) && HAS("])", last))
        return 0.6F;
    if (word.n > 0 && HAS("(.[", after) && (last == ')' || ABR_CONTAINS(bare, "(")) && bare.n - word.n > 2)
        return 0.5F;
    if (assigns(bare) || ABR_CONTAINS(bare, "();") || ABR_CONTAINS(bare, "&&"))
        return 0.7F;
    if (ABR_STARTS(line, "-- "))
        return 0.3F;
    if (word.n > 1 && abr_is_lower(*word.p) && after == ' ' && word.n + 1 < bare.n &&
        HAS("'\"", bare.p[word.n + 1]))
        return 0.5F;
    return *bare.p == '"' || *line.p == '\t' || last == ',' || memchr(bare.p, '\t', bare.n) ? 0.5F : 0;
}

/* ---- settings, markup ---- */

/* `name: value`, `name = value`, `NAME=value`, `[section]`; how sure depends on where it stands. */
static float setting(abr_text_line line, abr_text_line bare)
{
    size_t i = 0;
    bool item = ABR_STARTS(bare, "- ");
    if (item)
        i = 2;
    size_t start = i;
    while (i < bare.n && (abr_is_word(bare.p[i]) || HAS("-./\"'[]@", bare.p[i])))
        i++;
    if (i == start)
        return *bare.p == '[' && bare.p[bare.n - 1] == ']' && bare.n > 3 && !abr_is_digit(bare.p[1]) &&
                       bare.p[1] != ' '
                   ? 0.8F
                   : 0;
    char after = i < bare.n ? bare.p[i] : '\n';
    if (after == '=' || (after == ' ' && i + 1 < bare.n && bare.p[i + 1] == '='))
        return 0.7F;
    if (after != ':' || (i + 1 < bare.n && bare.p[i + 1] != ' '))
        return 0;
    return item || bare.p > line.p ? 0.7F : 0.4F;
}

static float markup(abr_text_line line, abr_text_line bare)
{
    size_t i = 0;
    while (i < bare.n && abr_is_digit(bare.p[i]))
        i++;
    bool numbered =
        i > 0 && i <= 3 && i + 1 < bare.n && (bare.p[i] == '.' || bare.p[i] == ')') && bare.p[i + 1] == ' ';
    if (ABR_STARTS(bare, "```") || ABR_STARTS(bare, "~~~") || ABR_STARTS(bare, ".. ") ||
        ABR_CONTAINS(bare, "](") || ABR_CONTAINS(bare, "</"))
        return 0.9F;
    if (*line.p == '.' && bare.n > 2 && abr_is_letter(bare.p[1]) &&
        (bare.n == 3 || bare.p[3] == ' ')) /* troff */
        return 0.9F;
    if (ABR_STARTS(bare, "- ") || ABR_STARTS(bare, "* ") || ABR_STARTS(bare, "\xE2\x80\xA2 ") ||
        ABR_STARTS(bare, "| ") || ABR_STARTS(bare, "> ") || numbered)
        return 0.6F;
    if (ABR_CONTAINS(bare, "`") || ABR_CONTAINS(bare, "**"))
        return 0.5F;
    return 0;
}

/* ---- prose ---- */

/* Most of the words are plain ones in lower case, or the line is not written in ASCII. */
static float prose(abr_text_line bare)
{
    size_t words = 0;
    size_t plain = 0;
    size_t high = 0;
    for (size_t i = 0; i < bare.n; i++) {
        if (bare.p[i] == ' ')
            continue;
        size_t start = i;
        bool small = true;
        while (i < bare.n && bare.p[i] != ' ') {
            high += (bare.p[i] & 0x80) != 0;
            bool last = i + 1 == bare.n || bare.p[i + 1] == ' ';
            bool fits = abr_is_lower(bare.p[i]) || (bare.p[i] & 0x80) || (bare.p[i] == '\'') ||
                        (i == start && (abr_is_upper(bare.p[i]) || HAS("(\"", bare.p[i]))) ||
                        ((last || i + 2 >= bare.n || bare.p[i + 2] == ' ') && HAS(",.;:!?)\"-", bare.p[i]));
            small = small && fits;
            i++;
        }
        words++;
        plain += small;
    }
    if (high * 3 > bare.n)
        return 0.8F;
    if (words < LEAST_WORDS || plain * 4 < words * 3)
        return 0;
    return words >= 2 * LEAST_WORDS ? 0.65F : 0.6F;
}

/* ---- listings ---- */

/* `-rw-r--r-- `, after an inode or a size. */
static bool is_mode(abr_text_line bare)
{
    for (size_t passed = 0; passed < 2 && bare.n > 0 && abr_is_digit(*bare.p); passed++) {
        while (bare.n > 0 && (abr_is_digit(*bare.p) || *bare.p == '.')) {
            bare.p++;
            bare.n--;
        }
        bare = abr_trimmed(bare);
    }
    if (bare.n < 11 || !HAS("-dlbcpsh", *bare.p))
        return false;
    size_t i = 1;
    while (i < bare.n && HAS("-rwxsStT", bare.p[i]))
        i++;
    return i > 6 && i < bare.n && HAS(" +.", bare.p[i]) &&
           !(bare.p[0] == '-' && bare.p[1] == '-' && bare.p[2] == '-' && bare.p[i - 1] == '-' && i > 10);
}

/* A hash, an address or an offset, and what it belongs to. */
static bool starts_with_hash(abr_text_line bare)
{
    size_t i = 0;
    if (bare.n > 1 && *bare.p == '^') /* git blame: older than what was asked for */
        bare = (abr_text_line){bare.p + 1, bare.n - 1};
    bool digits = false;
    bool letters = false;
    for (; i < bare.n && abr_is_hex(bare.p[i]); i++) {
        digits = digits || abr_is_digit(bare.p[i]);
        letters = letters || abr_is_letter(bare.p[i]);
    }
    bool ends = i == bare.n || HAS(" \t:*|,", bare.p[i]);
    bool offset = i + 1 < bare.n && (bare.p[i] == ':' || (bare.p[i] == ' ' && bare.p[i + 1] == ' '));
    return ends &&
           ((i >= LEAST_HASH && digits && (letters || offset || i >= 16)) ||
            (i >= 4 && i < bare.n && bare.p[i] == ':' && i + 1 < bare.n && HAS(" \t", bare.p[i + 1])));
}

static bool has_letters_and_digits(abr_text_line bare)
{
    bool digits = false;
    bool letters = false;
    for (size_t i = 0; i < bare.n && abr_is_hex(bare.p[i]); i++) {
        digits = digits || abr_is_digit(bare.p[i]);
        letters = letters || abr_is_letter(bare.p[i]);
    }
    return digits && letters;
}

/* The line without what `git log --graph` draws before it. */
static abr_text_line without_graph(abr_text_line line)
{
    size_t i = 0;
    while (i < line.n && HAS("*|/\\_ ", line.p[i]))
        i++;
    return (abr_text_line){line.p + i, line.n - i};
}

/* ` 3 files changed, 10 insertions(+)` */
static bool is_of_git(abr_text_line line, abr_text_line bare)
{
    if (ABR_CONTAINS(line, "changed, ") && (ABR_CONTAINS(line, "(+)") || ABR_CONTAINS(line, "(-)")))
        return true;
    if (HAS("*|", *line.p) && line.n > 2 && HAS(" |\\/", line.p[1])) {
        line = without_graph(line);
        if (line.n == 0)
            return true;
        bare = line;
        if (starts_with_hash(line))
            return true;
    }
    if (ABR_STARTS(line, "commit ") || ABR_STARTS(line, "Author: ") || ABR_STARTS(line, "Date: ") ||
        ABR_STARTS(line, "AuthorDate: ") || ABR_STARTS(line, "Merge: ") || ABR_STARTS(line, "Commit: ") ||
        ABR_STARTS(line, "CommitDate: "))
        return true;
    const char *bar = *line.p == ' ' ? memchr(bare.p, '|', bare.n) : NULL; /* ` file | 12 ++--` */
    if (bar && bar > bare.p + 1 && bar + 2 < bare.p + bare.n && bar[-1] == ' ' && bar[1] == ' ')
        for (const char *p = bar + 1; p < bare.p + bare.n; p++)
            if (*p != ' ')
                return abr_is_digit(*p) || *p == 'B';
    if (bare.n > 2 && HAS("*+-", *bare.p) && bare.p[1] == ' ') {
        bare = abr_trimmed((abr_text_line){bare.p + 2, bare.n - 2});
        if (has_letters_and_digits(bare) && starts_with_hash(bare))
            return true; /* of git cherry */
    }
    const char *gap = memchr(bare.p, ' ', bare.n); /* `  main  0123abc what it does`, of git branch -v */
    if (!gap || gap[-1] == ':')
        return false;
    abr_text_line rest = abr_trimmed((abr_text_line){gap, bare.n - (size_t)(gap - bare.p)});
    return has_letters_and_digits(rest) && starts_with_hash(rest);
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
    if (i == 0 || i >= bare.n || bare.p[i] != ':' || at == i + 1 || at >= bare.n || !HAS(":-", bare.p[at]) ||
        !is_path((abr_text_line){bare.p, i}))
        return false;
    return at + 1 == bare.n || bare.p[at + 1] != ' ' || (at + 2 < bare.n && bare.p[at + 2] == ' ');
}

/* One word: a path, a line of base64, a name. Numbers alone, in columns. */
static float words_alone(abr_text_line bare)
{
    bool digits = true;
    bool coded = true;
    bool path = false;
    for (size_t i = 0; i < bare.n; i++) {
        char c = bare.p[i];
        digits = digits && (abr_is_digit(c) || HAS(" .\t,-+", c));
        if (c == ' ' || c == '\t')
            coded = path = false;
        coded = coded && (abr_is_word(c) || HAS("+/=-", c));
        path = path || c == '/' || c == '.';
    }
    if (digits)
        return 0.8F;
    if (memchr(bare.p, ' ', bare.n) || memchr(bare.p, '\t', bare.n))
        return 0;
    if (!abr_is_word(bare.p[bare.n / 2]) && !abr_is_word(bare.p[bare.n - 1]))
        return 0;
    if (coded && bare.n >= LEAST_CODED)
        return 0.9F;
    if (bare.p[bare.n - 1] == '.')
        return 0;
    return path ? 0.8F : 0.5F;
}

/* Bytes of a number, a size or a time. */
static size_t number_length(abr_text_line bare)
{
    size_t i = 0;
    while (i < bare.n && (abr_is_digit(bare.p[i]) || (i > 0 && HAS(".,:-+/KMGT%", bare.p[i]))))
        i++;
    return i < bare.n && !HAS(" \t", bare.p[i]) ? 0 : i;
}

/* `M`, `AM`, `R100`, `??`: how a file changed. */
static size_t state_length(abr_text_line bare)
{
    size_t i = HAS("MADRCTU?", *bare.p);
    if (i < bare.n && HAS("MADTU?", bare.p[i]))
        i++;
    else
        while (i > 0 && i < bare.n && i < 4 && abr_is_digit(bare.p[i]))
            i++;
    return i < bare.n && HAS(" \t", bare.p[i]) ? i : 0;
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
        bool number = abr_is_digit(*rest.p) || (rest.n > 1 && HAS("-+.", *rest.p) && abr_is_digit(rest.p[1]));
        for (; i < rest.n && !HAS(" \t", rest.p[i]); i++)
            number = number && HAS("0123456789.,:/-+eE", rest.p[i]);
        numbers += number;
        rest = (abr_text_line){rest.p + i, rest.n - i};
        if (words >= 16)
            break;
    }
    return numbers >= 3 && numbers * 3 >= words * 2;
}

/* `fix(scope): what it does`: the subject of a commit. */
static bool is_subject(abr_text_line line)
{
    static const char *const types[] = {"build", "chore", "ci",       "deps",   "docs",  "feat",
                                        "fix",   "perf",  "refactor", "revert", "style", "test"};
    abr_text_line word = name_at_start(line);
    if (!ABR_IS_ONE_OF(word, types))
        return false;
    const char *colon = memchr(line.p, ':', line.n);
    return colon && colon + 1 < line.p + line.n && colon[1] == ' ' &&
           (line.p[word.n] == '(' || HAS(":!", line.p[word.n]));
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
static float entry(abr_text_line line, abr_text_line bare)
{
    if (bare.p > line.p && *bare.p == '-' && bare.n > 1 && (abr_is_letter(bare.p[1]) || bare.p[1] == '-'))
        return 0.9F;
    if (is_numbered(bare) || is_data(bare) || ABR_STARTS(bare, "[-"))
        return 0.8F;
    if (ABR_STARTS(bare, "\xE2\x94\x9C") || ABR_STARTS(bare, "\xE2\x94\x82") ||
        ABR_STARTS(bare, "\xE2\x94\x94"))
        return 1;
    const char *gap = memchr(bare.p, ' ', bare.n); /* `  build    compile it` */
    if (gap && gap + 1 < bare.p + bare.n && gap[1] == ' ')
        return bare.p > line.p ? 0.6F : 0.4F;
    if (is_subject(line) || has_address(bare))
        return 0.7F;
    if (bare.p > line.p && ABR_CONTAINS(bare, "  "))
        return 0.6F;
    if (bare.p > line.p && abr_is_digit(*bare.p) && number_length(bare) > 0) /* `   12 words`, of uniq -c */
        return 0.6F;
    if (abr_is_lower(*bare.p) && gap &&
        abr_has_at(bare, (size_t)(gap - bare.p), " - ", 3)) /* `name - what it is` */
        return 0.5F;
    if (bare.n > 1 && *bare.p == '(' && abr_is_letter(bare.p[1]) && !ABR_CONTAINS(bare, "):") && gap)
        return 0.5F; /* of Lisp */
    if (bare.p >= line.p + DEEP)
        return 0.4F;
    return ABR_STARTS(bare, "usage:") || ABR_STARTS(bare, "Usage:") || ABR_STARTS(bare, "total ") ? 0.6F : 0;
}

static float higher(float a, float b)
{
    return a > b ? a : b;
}

float abr_text_signs(abr_text_line line, abr_text_line bare)
{
    if (line.n >= LONG_LINE || is_mode(bare) || starts_with_hash(bare) || is_of_git(line, bare) ||
        is_match(bare) || is_counted(bare))
        return 1;
    float most = source(line, bare);
    most = higher(most, setting(line, bare));
    most = higher(most, markup(line, bare));
    most = higher(most, words_alone(bare));
    most = higher(most, entry(line, bare));
    return most < 0.9F && !ABR_STARTS(line, "-- ") ? higher(most, prose(bare)) : most;
}
