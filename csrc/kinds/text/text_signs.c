/*
 * Signs that a line was written: how source ends and begins its lines, settings, the words of prose, marks of
 * markup, what listings put first. None decides alone.
 */
#include "kinds/text/text_signs.h"
#include "abridge.h"
#include "base/ascii.h"
#include "line/char_set.h"
#include "kinds/text/listing_signs.h"
#include "line/word_list.h"

enum {
    LEAST_WORDS = 5, /* of prose in a line */
    LONG_LINE = 1000 /* of minified source, as nobody prints them */
};

/* The most that a line of ASCII has unless it surely is an entry of a listing. */
static const float most_in_ascii = 0.9F;

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
        small[i] = (char)(shouted && abr_is_upper(word.p[i]) ? abr_to_lower(word.p[i]) : word.p[i]);
    return ABR_IS_ONE_OF(((abr_text_line){small, word.n}), keywords);
}

/* ` = `, ` == `, `=>`, ` := `, ` += `. */
static bool assigns(abr_text_line bare)
{
    const char *end = bare.p + bare.n;
    for (const char *p = bare.p; p < end && (p = memchr(p, '=', (size_t)(end - p))) != NULL; p++) {
        char after = (char)(p + 1 < end ? p[1] : '\n');
        if (after == '>')
            return true;
        const char *before = p > bare.p && ABR_HAS(":+=", p[-1]) ? p - 1 : p;
        if (after == ' ' && before > bare.p && before[-1] == ' ')
            return true;
    }
    return false;
}

static float source(abr_text_line line, abr_text_line bare, abr_char_set chars)
{
    char last = bare.p[bare.n - 1];
    char before = (char)(bare.n > 1 ? bare.p[bare.n - 2] : ' ');
    if (ABR_HAS(";{}\\", last) || (last == '(' && bare.n > 1) || (before == ')' && ABR_HAS(":,", last)))
        return 0.9F;
    char second = (char)(bare.n > 1 ? bare.p[1] : ' ');
    if (ABR_HAS("})];", *bare.p) || (*bare.p == '<' && second != ' ') || ABR_STARTS(bare, "//") ||
        ABR_STARTS(bare, "/*") || ABR_STARTS(bare, "*/") || ABR_STARTS(bare, "--[") ||
        ABR_STARTS(bare, "\"\"\"") || ABR_STARTS(bare, "(*") ||
        (ABR_HAS("@$\\%!", *bare.p) && (abr_is_letter(second) || second == '{')))
        return 0.9F;
    if (*bare.p == '#' && !abr_is_digit(second))
        return 0.9F;
    abr_text_line word = abr_name_at(bare);
    char after = (char)(word.n < bare.n ? bare.p[word.n] : '\n');
    if (word.n > 0 && ABR_HAS(" \n(:\t", after) && is_keyword(word))
        return 0.8F;
    if (ABR_HAS("])", before) && ABR_HAS("])", last))
        return 0.6F;
    if (word.n > 0 && ABR_HAS("(.[", after) && (last == ')' || abr_has_char(chars, '(')) &&
        bare.n - word.n > 2)
        return 0.5F;
    if ((abr_has_char(chars, '=') && assigns(bare)) || ABR_HOLDS(bare, chars, "();") ||
        ABR_HOLDS(bare, chars, "&&"))
        return 0.7F;
    if (ABR_STARTS(line, "-- "))
        return 0.3F;
    if (word.n > 1 && abr_is_lower(*word.p) && after == ' ' && word.n + 1 < bare.n &&
        ABR_HAS("'\"", bare.p[word.n + 1]))
        return 0.5F;
    return *bare.p == '"' || *line.p == '\t' || last == ',' || abr_has_char(chars, '\t') ? 0.5F : 0;
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
    while (i < bare.n && (abr_is_word(bare.p[i]) || ABR_HAS("-./\"'[]@", bare.p[i])))
        i++;
    if (i == start)
        return *bare.p == '[' && bare.p[bare.n - 1] == ']' && bare.n > 3 && !abr_is_digit(bare.p[1]) &&
                       bare.p[1] != ' '
                   ? 0.8F
                   : 0;
    char after = (char)(i < bare.n ? bare.p[i] : '\n');
    if (after == '=' || (after == ' ' && i + 1 < bare.n && bare.p[i + 1] == '='))
        return 0.7F;
    if (after != ':' || (i + 1 < bare.n && bare.p[i + 1] != ' '))
        return 0;
    return item || bare.p > line.p ? 0.7F : 0.4F;
}

static float markup(abr_text_line line, abr_text_line bare, abr_char_set chars)
{
    size_t i = 0;
    while (i < bare.n && abr_is_digit(bare.p[i]))
        i++;
    bool numbered =
        i > 0 && i <= 3 && i + 1 < bare.n && (bare.p[i] == '.' || bare.p[i] == ')') && bare.p[i + 1] == ' ';
    if (ABR_STARTS(bare, "```") || ABR_STARTS(bare, "~~~") || ABR_STARTS(bare, ".. ") ||
        ABR_HOLDS(bare, chars, "](") || ABR_HOLDS(bare, chars, "</"))
        return 0.9F;
    if (*line.p == '.' && bare.n > 2 && abr_is_letter(bare.p[1]) &&
        (bare.n == 3 || bare.p[3] == ' ')) /* troff */
        return 0.9F;
    if (ABR_STARTS(bare, "- ") || ABR_STARTS(bare, "* ") || ABR_STARTS(bare, "\xE2\x80\xA2 ") ||
        ABR_STARTS(bare, "| ") || ABR_STARTS(bare, "> ") || ABR_STARTS(bare, "< ") || numbered)
        return 0.6F;
    char last = bare.p[bare.n - 1];
    if ((last == '|' || abr_is_digit(last)) && ABR_HOLDS(bare, chars, ".....")) /* of a table of contents */
        return 0.7F;
    return abr_has_char(chars, '`') || ABR_HOLDS(bare, chars, "**") ? 0.5F : 0;
}

/* ---- prose ---- */

/* Is the char at `at` one of a plain word that starts at `start`, or a mark around it? */
static bool is_of_word(abr_text_line bare, size_t start, size_t at)
{
    char c = bare.p[at];
    if ((c & 0x80) || c == '\'')
        return true;
    if (at == start && (abr_is_upper(c) || ABR_HAS("(\"", c)))
        return true;
    bool ends = at + 2 >= bare.n || bare.p[at + 1] == ' ' || bare.p[at + 2] == ' ';
    return ends && ABR_HAS(",.;:!?)\"-", c);
}

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
        for (; i < bare.n && bare.p[i] != ' '; i++) {
            high += (bare.p[i] & 0x80) != 0;
            small = small && (abr_is_lower(bare.p[i]) || is_of_word(bare, start, i));
        }
        words++;
        plain += small;
    }
    if (high * 3 > bare.n)
        return 0.8F;
    if (words < LEAST_WORDS || plain * 4 < words * 3)
        return 0;
    return words / 2 >= LEAST_WORDS ? 0.65F : 0.6F;
}

static bool is_ascii(abr_char_set chars)
{
    return !abr_has_char(chars, 0x7F);
}

static float higher(float a, float b)
{
    return a > b ? a : b;
}

float abr_most_text_signs(abr_text_line line, abr_text_line bare, abr_char_set chars)
{
    return is_ascii(chars) && !abr_is_listed(line, bare, chars) ? most_in_ascii : 1;
}

float abr_text_signs(abr_text_line line, abr_text_line bare, abr_char_set chars)
{
    if (line.n >= LONG_LINE || abr_is_listed(line, bare, chars))
        return 1;
    float most = source(line, bare, chars);
    if (most < most_in_ascii || !is_ascii(chars))
        most = higher(most, abr_listing_signs(line, bare, chars));
    if (most >= most_in_ascii) /* as sure as anything that follows */
        return most;
    most = higher(most, setting(line, bare));
    most = higher(most, markup(line, bare, chars));
    float surest = is_ascii(chars) ? 0.65F : 0.8F; /* that prose is */
    return most < surest && !ABR_STARTS(line, "-- ") ? higher(most, prose(bare)) : most;
}
