/*
 * Does a line that a diff adds define something? Its first word tells, or its form, if it looks like a
 * function.
 */
#include "kinds/diff/diff_defines.h"
#include "abridge.h"
#include "base/ascii.h"
#include "line/word_list.h"

enum { INDENT_MOST = 4 };

static const char *const words[] = {
    "#define", "CREATE", "abstract", "async",    "class",  "def",       "defp",    "enum",      "export",
    "fn",      "func",   "function", "impl",     "inline", "interface", "private", "protected", "pub",
    "public",  "static", "struct",   "template", "trait",  "type",      "typedef"};

/* These start lines that look like a function but aren't. */
static const char *const others[] = {"case", "catch", "do",     "elif",   "else",
                                     "for",  "if",    "return", "switch", "while"};

static abr_text_line first_word(abr_text_line line)
{
    abr_text_line word = {line.p, line.n > 0 && *line.p == '#'};
    while (word.n < line.n && abr_is_word(line.p[word.n]))
        word.n++;
    return word;
}

bool abr_defines(abr_text_line line)
{
    if (line.n > ABR_DEFINED_WITHIN)
        line.n = ABR_DEFINED_WITHIN;
    const abr_text_line bare = abr_trimmed(line);
    const size_t indent = bare.n > 0 ? (size_t)(bare.p - line.p) : 0;
    const abr_text_line word = first_word(bare);
    if (word.n == 0 || indent / 2 > INDENT_MOST)
        return false;
    if (ABR_IS_ONE_OF(word, words) || ABR_STARTS(bare, "local function "))
        return word.n < bare.n;
    return indent <= INDENT_MOST && bare.p[bare.n - 1] == '{' && memchr(bare.p, '(', bare.n) &&
           !ABR_IS_ONE_OF(word, others);
}
