/*
 * Lines at which the output of a command starts or ends.
 *
 * Shells, build tools and CI services write them: "+ make", "##[group]", "exited with code 2".
 */
#include "line/command.h"
#include "abridge.h"
#include "base/ascii.h"
#include "line/evidence.h"
#include "line/listed.h"
#include "line/words.h"

/* ---- starts ---- */

/* A prompt with the command typed: "PS C:\src> ./build.ps1", "C:\src>nmake". */
static bool is_prompt(const abr_evidence *l, size_t i)
{
    if (starts_with(l, i, "PS "))
        i += 3;
    if (!(abr_is_letter(byte_at(l, i)) && byte_at(l, i + 1) == ':' && byte_at(l, i + 2) == '\\') &&
        !(i >= 3 && starts_with(l, i - 3, "PS /")))
        return false;
    for (; i < l->n && !ABR_HAS(" :*\"<", l->p[i]); i++)
        if (l->p[i] == '>')
            return i + 1 < l->n;
        else if (byte_at(l, i + 1) == ':' && byte_at(l, i + 2) == '\\')
            i++;
    return false;
}

/* GitLab colours the commands it runs, and clears the line before it names a section. */
static bool starts_in_colour(const abr_evidence *l, size_t i)
{
    while (byte_at(l, i) == 27 && byte_at(l, i + 1) == '[') {
        for (i += 2; i < l->n && !abr_is_letter(l->p[i]);)
            i++;
        i++;
    }
    return starts_with(l, i, "$ ") || starts_with(l, i, "section_start:") ||
           starts_with(l, i, "section_end:");
}

/* Does a command start at `i`, the line's first column? */
static bool starts_command(const abr_evidence *l, size_t i)
{
    switch (byte_at(l, i)) {
    case '$':
        return byte_at(l, i + 1) == ' ' && byte_at(l, i + 2) != ' ' && i + 2 < l->n;
    case '+': /* sh -x; a diff's lines have no blank there, or several, and its head has "+++" or is Node's */
        if (starts_with(l, i, "+++ ") || starts_with(l, i, "+ actual - expected"))
            return false;
        i = skip(l, i, ABR_SET("+"));
        return byte_at(l, i) == ' ' && (is_alnum(byte_at(l, i + 1)) || ABR_HAS("./'[_:", byte_at(l, i + 1)));
    case '>': { /* npm's, and Gradle's "> Task :test" */
        const size_t end = skip(l, i + 2, abr_joined(ABR_LETTERS, ABR_SET("@/._-")));
        return byte_at(l, i + 1) == ' ' && end > i + 2 && ABR_HAS(" 0123456789\r\n", byte_at(l, end));
    }
    case '=':
        return starts_with(l, i, "==> ") || starts_with(l, i, "===> ");
    case '#': /* "#7 [2/5] RUN make" */
        return abr_is_digit(byte_at(l, i + 1)) && starts_with(l, skip(l, i + 1, ABR_DIGITS), " [");
    case '[':
        return starts_with(l, i, "[command]") ||
               (starts_with(l, i, "[INFO] --- ") && !starts_with(l, i, "[INFO] ------"));
    default:
        return is_prompt(l, i);
    }
}

/* A word in the heading that a tool prints above a part of its log. */
static bool names_section(const abr_evidence *l, const abr_sign *s)
{
    const size_t end = end_of(s);
    switch (l->p[s->at] | ' ') {
    case 'g': /* ##[group], ::group:: */
        return (byte_at(l, end) == ']' && s->at >= 3 && starts_with(l, s->at - 3, "##[")) ||
               (byte_at(l, end) == ':' && s->at >= 2 && starts_with(l, s->at - 2, "::"));
    case 'f': /* travis_fold:start: */
        return starts_with(l, end, ":start:") && byte_before(l, s->at) == '_';
    case 'p':
        return byte_before(l, s->at) == '[' && byte_at(l, end) == ']' && starts_with(l, end, "] ");
    case 't': /* TASK [web : install] ***** */
        return all_caps(l, s) && starts_with(l, end, " [") && is_first(l, s);
    default:
        if (is_word(l, s, "step")) /* Step 3/9 : RUN make */
            return is_first(l, s) && abr_is_digit(byte_at(l, end + 1)) &&
                   byte_at(l, skip(l, end + 1, ABR_DIGITS)) == '/';
        /* section_start:1700000000:build, ##[section]Starting: Publish */
        return starts_with(l, end, "_start:") || starts_with(l, end, "_end:") ||
               (byte_at(l, end) == ']' && s->at >= 3 && starts_with(l, s->at - 3, "##["));
    }
}

/* ---- ends ---- */

/* "build failed", "Job failed", "marked build as failure" */
static bool follows_command(const abr_evidence *l, size_t at)
{
    at = abr_back(l->p, at, ABR_SET(" "));
    for (const abr_listed_row *name = NULL;
         (name = abr_next_listed(&l->lexicon->ends, ABR_LIST_COMMAND, byte_before(l, at), name)) != NULL;)
        if (at >= name->n && stands_at(l, at - name->n, name->text, name->n) &&
            !is_alnum(byte_before(l, at - name->n)))
            return true;
    return false;
}

static bool ends_command(const abr_evidence *l, const abr_sign *s)
{
    switch (s->class) {
    case ABR_WORD_ERROR: /* ##[error]Process completed with exit code 1. */
        return s->at >= 3 && starts_with(l, s->at - 3, "##[") && byte_at(l, end_of(s)) == ']';
    case ABR_WORD_FAIL:
    case ABR_WORD_FATAL:
        return follows_command(l, s->at) || is_word(l, s, "invocationerror");
    case ABR_WORD_BAD: /* rake aborted! */
        return is_word(l, s, "elifecycle") ||
               (is_word(l, s, "aborted") && (byte_at(l, end_of(s)) == '!' || follows_command(l, s->at)));
    case ABR_WORD_DOUBT: /* ninja: build stopped: subcommand failed. */
        return is_word(l, s, "stopped") && follows_command(l, s->at);
    default:
        return false;
    }
}

abr_command abr_command_of(const abr_evidence *l, bool hit)
{
    const abr_line_words *w = l->words;
    if (w->indent == l->n)
        return ABR_COMMAND_NONE;
    if (hit && l->exited)
        return ABR_COMMAND_FAILED;
    for (const abr_sign *s = w->signs; s < signs_end(l); s++)
        if (hit && ends_command(l, s))
            return ABR_COMMAND_FAILED;
        else if (s->class == ABR_WORD_SECTION && names_section(l, s))
            return ABR_COMMAND_STARTS;
    const char c = l->p[w->indent];
    if (c == 27)
        return starts_in_colour(l, w->indent) ? ABR_COMMAND_STARTS : ABR_COMMAND_NONE;
    bool may_start = w->indent == 0 && (abr_is_upper(c) || (!abr_is_letter(c) && ABR_HAS("$+>=#[", c)));
    return may_start && starts_command(l, 0) ? ABR_COMMAND_STARTS : ABR_COMMAND_NONE;
}
