/*
 * Unified diffs: git's with extended headers, combined ones, those of diff -ru and Subversion, and in mails.
 *
 * A text is a diff if nearly all its lines belong to one. The lines between a commit's line and its first
 * file are its message; a log that shows a diff has its own lines before and after it.
 */
#include "kinds/diff/diff.h"
#include "base/ascii.h"
#include "line/char_set.h"
#include "line/word_list.h"

enum {
    HASH = 7,              /* digits of the shortest hash that git abbreviates to */
    LINES_TOLD_BY = 8192,  /* lines examined */
    PER_STRAY = 5,         /* lines of a diff per line that isn't part of it */
    PER_STRAY_INSIDE = 24, /* the same if the text does not start as a diff */
};

/* ---- hunks ---- */

static bool read_diff_number(abr_text_line line, size_t *i, uint64_t *value)
{
    size_t from = *i;
    for (*value = 0; *i < line.n && abr_is_digit(line.p[*i]) && *i - from < 12; ++*i)
        *value = *value * 10 + (uint64_t)(line.p[*i] - '0');
    return *i > from;
}

/* ` -12,3`: a blank, the sign, the first line and the number of lines, 1 if absent. */
static bool read_range(abr_text_line line, size_t *i, char sign, uint64_t *count)
{
    uint64_t first;
    if (*i + 1 >= line.n || line.p[*i] != ' ' || line.p[*i + 1] != sign)
        return false;
    *i += 2;
    if (!read_diff_number(line, i, &first))
        return false;
    *count = 1;
    if (*i >= line.n || line.p[*i] != ',')
        return true;
    ++*i;
    return read_diff_number(line, i, count);
}

bool abr_hunk_opens(abr_text_line line, abr_hunk *hunk)
{
    const size_t marks = abr_past(line, 0, ABR_SET("@"));
    size_t i = marks;
    if (marks < 2 || marks - 1 > ABR_MOST_PARENTS)
        return false;
    hunk->parents = (unsigned)(marks - 1);
    for (unsigned k = 0; k < hunk->parents; k++)
        if (!read_range(line, &i, '-', &hunk->before[k]))
            return false;
    if (!read_range(line, &i, '+', &hunk->after) || i >= line.n || line.p[i++] != ' ')
        return false;
    return abr_has_at(line, i, line.p, marks);
}

static bool is_used_up(const abr_hunk *hunk)
{
    uint64_t left = hunk->after;
    for (unsigned k = 0; k < hunk->parents; k++)
        left |= hunk->before[k];
    return left == 0;
}

bool abr_hunk_takes(abr_hunk *hunk, abr_text_line line)
{
    hunk->adds = hunk->removes = false;
    if (line.n > 0 && *line.p == '\\')
        return true;
    if (is_used_up(hunk))
        return false;
    for (unsigned k = 0; k < hunk->parents && k < line.n; k++) {
        if (line.p[k] != ' ' && line.p[k] != '+' && line.p[k] != '-')
            return false;
        hunk->adds = hunk->adds || line.p[k] == '+';
        hunk->removes = hunk->removes || line.p[k] == '-';
    }
    for (unsigned k = 0; k < hunk->parents; k++) {
        char mark = (char)(k < line.n ? line.p[k] : ' ');
        hunk->before[k] -= hunk->before[k] > 0 && mark == (hunk->removes ? '-' : ' ');
    }
    hunk->after -= hunk->after > 0 && !hunk->removes;
    return true;
}

/* ---- lines outside of hunks ---- */

/* Starts of header lines: the ones that start a file, and the ones after those. */
static const char *const files[] = {"diff --git ", "diff --cc ", "diff --combined ", "diff -", "Index: "};
static const char *const headers[] = {
    "index ",         "old mode ",          "new mode ",         "mode ",
    "new file mode ", "deleted file mode ", "similarity index ", "dissimilarity index ",
    "rename from ",   "rename to ",         "copy from ",        "copy to ",
    "Binary files ",  "GIT binary patch",   "Only in ",          "Property changes on: ",
    "Added: ",        "Modified: ",         "Deleted: ",         "=============",
    "_____________"};

static bool starts_with_any(abr_text_line line, const char *const *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (*line.p == *list[i] && abr_has_at(line, 0, list[i], strlen(list[i])))
            return true;
    return false;
}

bool abr_diff_hash_at(abr_text_line line, size_t at)
{
    size_t i = at;
    while (i < line.n && abr_is_hex(line.p[i]))
        i++;
    return i - at >= HASH && (i == line.n || line.p[i] == ' ');
}

abr_diff_line abr_diff_line_of(abr_text_line line)
{
    if (line.n == 0 || *line.p == '@' || *line.p == ' ')
        return ABR_DIFF_OTHER;
    if ((ABR_STARTS(line, "commit ") && abr_diff_hash_at(line, 7)) ||
        (ABR_STARTS(line, "From ") && abr_diff_hash_at(line, 5)))
        return ABR_DIFF_COMMIT;
    if (starts_with_any(line, files, sizeof files / sizeof *files))
        return ABR_DIFF_FILE;
    const bool is_header = starts_with_any(line, headers, sizeof headers / sizeof *headers) ||
                           ABR_STARTS(line, "--- ") || ABR_STARTS(line, "+++ ") || ABR_STARTS(line, "## -") ||
                           ABR_STARTS(line, "Cannot display: file marked as a binary type.");
    return is_header ? ABR_DIFF_HEADER : ABR_DIFF_OTHER;
}

/* ---- a text ---- */

typedef struct {
    size_t files;
    size_t hunks;
    size_t own;   /* lines that belong to a diff or a commit */
    size_t stray; /* lines that do not, blank ones aside */
    bool at_head; /* the text starts as one */
    bool in_hunk;
    bool in_message; /* of a commit, or a mail */
    bool in_patch;   /* a binary patch, up to a blank line */
    bool at_subject; /* the line before is a hash and a subject; several in a row are a listing or a log */
} diff_evidence;

/* Is the line of `git diff --stat -p`? */
static bool is_stat(abr_text_line line)
{
    return line.n > 0 && *line.p == ' ' && (ABR_CONTAINS(line, " | ") || ABR_CONTAINS(line, " changed, "));
}

static void weigh_diff_line(diff_evidence *e, abr_text_line line, abr_hunk *hunk)
{
    abr_diff_line is = abr_diff_line_of(line);
    bool opens = is == ABR_DIFF_OTHER && abr_hunk_opens(line, hunk);
    e->in_hunk = opens;
    e->in_patch = e->in_patch && line.n > 0;
    if (e->in_message && is == ABR_DIFF_HEADER && !ABR_STARTS(line, "--- "))
        is = ABR_DIFF_OTHER;                                                 /* words of a message */
    const bool numbered = is == ABR_DIFF_OTHER && abr_diff_hash_at(line, 0); /* git log -p --oneline */
    const bool oneline = numbered && !e->at_subject;
    e->at_subject = numbered;
    if (is == ABR_DIFF_FILE || (is == ABR_DIFF_HEADER && ABR_STARTS(line, "--- ")))
        e->in_message = false;
    if (is == ABR_DIFF_COMMIT)
        e->in_message = true;
    if (e->files > 0 &&
        (ABR_STARTS(line, "GIT binary patch") || ABR_STARTS(line, "literal ") || ABR_STARTS(line, "delta ")))
        e->in_patch = true;
    e->files += is == ABR_DIFF_FILE;
    e->hunks += opens;
    if (is != ABR_DIFF_OTHER || opens || oneline || e->in_message || e->in_patch)
        e->own++;
    else if (abr_trimmed(line).n > 0 && !is_stat(line))
        e->stray++;
}

static bool starts_a_mail(abr_text_line line)
{
    return ABR_STARTS(line, "From: ") || ABR_STARTS(line, "Subject: ") || ABR_STARTS(line, "Date: ") ||
           ABR_STARTS(line, "# HG changeset patch");
}

bool abr_is_diff(const char *p, size_t n)
{
    diff_evidence e = {0};
    abr_hunk hunk = {0};
    abr_text_line line;
    for (size_t at = 0, lines = 0; lines < LINES_TOLD_BY && abr_next_line(p, n, &at, &line); lines++) {
        if (e.in_hunk && abr_hunk_takes(&hunk, line)) {
            e.own++;
            continue;
        }
        if (e.own + e.stray == 0)
            e.in_message = starts_a_mail(line);
        weigh_diff_line(&e, line, &hunk);
        if (e.own > 0 && e.stray == 0)
            e.at_head = true;
    }
    if (e.hunks == 0 && e.files == 0)
        return false;
    return e.stray * (e.at_head ? PER_STRAY : PER_STRAY_INSIDE) <= e.own;
}

/* ---- a diff amid other lines ---- */

static bool is_plain_header(abr_text_line line, const char *p, size_t n, size_t at)
{
    abr_text_line below;
    return ABR_STARTS(line, "--- ") && abr_next_line(p, n, &at, &below) && ABR_STARTS(below, "+++ ");
}

bool abr_diff_may_start(const char *p, size_t n, bool mail)
{
    abr_text_line line;
    size_t at = 0;
    const size_t first = n < HASH ? n : HASH;
    const bool is_named = n > 0 && ABR_HAS("dIcF", *p); /* diff, Index, commit, From */
    if (!is_named && !mail && !abr_diff_hash_at((abr_text_line){p, first}, 0) &&
        (n == 0 || !ABR_HAS("- ", *p)))
        return false; /* nearly all lines */
    if (!abr_next_line(p, n, &at, &line) || line.n == 0)
        return false;
    if (is_stat(line) || is_plain_header(line, p, n, at) || (mail && starts_a_mail(line)))
        return true;
    const abr_diff_line is = is_named ? abr_diff_line_of(line) : ABR_DIFF_OTHER;
    if (is == ABR_DIFF_FILE || is == ABR_DIFF_COMMIT)
        return true;
    return abr_diff_hash_at(line, 0) && abr_next_line(p, n, &at, &line) &&
           abr_diff_line_of(line) == ABR_DIFF_FILE; /* git log -p --oneline */
}

/* Does the line continue a commit: `Author: Ada`, four blanks and a word, a count of its changes? */
static bool is_of_commit(abr_text_line line, bool mail)
{
    const size_t i = abr_past(line, 0, abr_joined(ABR_LETTERS, ABR_SET("-")));
    return mail || line.n == 0 || memchr(" \t-", *line.p, 3) ||
           (i > 0 && i + 1 < line.n && line.p[i] == ':' && line.p[i + 1] == ' ');
}

/* `-- ` and the version of git, below a patch by mail. */
static bool is_mail_end(abr_text_line line)
{
    return ABR_STARTS(line, "-- ") || (line.n > 0 && abr_is_digit(*line.p));
}

size_t abr_diff_extent(const char *p, size_t n, size_t *read)
{
    abr_hunk hunk = {0};
    abr_text_line line;
    size_t size = 0; /* up to the last line that surely belongs to it */
    size_t hunks = 0;
    bool in_hunk = false;
    bool in_commit = false; /* before its first file */
    bool in_patch = false;  /* of a binary file */
    bool mail = false;
    *read = 0;
    for (size_t at = 0; abr_next_line(p, n, &at, &line); *read = at) {
        in_hunk = in_hunk && abr_hunk_takes(&hunk, line);
        const abr_diff_line is = in_hunk ? ABR_DIFF_OTHER : abr_diff_line_of(line);
        const bool opens = !in_hunk && is == ABR_DIFF_OTHER && abr_hunk_opens(line, &hunk);
        if (in_hunk || opens || is == ABR_DIFF_FILE || (is == ABR_DIFF_HEADER && !in_commit) ||
            is_plain_header(line, p, n, at)) {
            hunks += opens;
            in_hunk = in_hunk || opens;
            in_commit = false;
            in_patch = ABR_STARTS(line, "GIT binary patch");
            size = at;
        } else if (is == ABR_DIFF_COMMIT || (line.p == p && starts_a_mail(line))) {
            in_commit = true;
            mail = is != ABR_DIFF_COMMIT || *line.p == 'F';
        } else if (in_patch) {
            in_patch = line.n > 0 || abr_has_at((abr_text_line){p + at, n - at}, 0, "delta ", 6) ||
                       abr_has_at((abr_text_line){p + at, n - at}, 0, "literal ", 8);
            size = at;
        } else if (!in_commit && abr_diff_may_start(line.p, n - (size_t)(line.p - p), false)) {
            continue; /* it belongs to a file that comes next */
        } else if (in_commit ? !is_of_commit(line, mail) : line.n > 0 && !(mail && is_mail_end(line))) {
            break;
        } else if (line.n > 0 && in_commit != mail) {
            size = at;
        }
    }
    return hunks > 0 ? size : 0;
}

/* ---- definitions ---- */

/* A line's first word tells, or its form, if it looks like a function. */
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
