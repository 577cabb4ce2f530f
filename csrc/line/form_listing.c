/* Forms of lines that are rows of a listing: of files, commits, matches in files; counts, options,
 * columns. */
#include "line/form_tests.h"
#include "line/form.h"
#include "abridge.h"
#include "base/ascii.h"
#include "line/char_set.h"
#include "line/layout.h"

enum {
    LEAST_HASH = 7,    /* digits of an abbreviated one */
    LONG_HASH = 16,    /* of one that needs no letters */
    LEAST_OFFSET = 4,  /* digits of one before a colon */
    LEAST_CODED = 40,  /* bytes of base64 and the like in a line */
    MOST_NAME = 4,     /* words of a name */
    MOST_NUMBERS = 16, /* words that are looked at */
    DEEP = 8           /* blanks before a continued line */
};

/* A row of `ls -l`, with or without inode and blocks before the mode. */
bool abr_is_mode_row(const abr_form_line *l)
{
    enum { NUMBERS = 2, MODE = 10, LEAST = 7 /* of a truncated mode */ };
    const char *p = l->bare.p;
    const size_t n = l->bare.n;
    size_t at = 0;
    for (size_t numbers = 0; numbers < NUMBERS && at < n && abr_is_digit(p[at]); numbers++)
        at = abr_past(l->bare, abr_past(l->bare, at, ABR_SET(".0123456789")), ABR_SET(" \t"));
    if (n - at <= MODE || !ABR_HAS("-dlbcpsh", p[at]))
        return false;
    const size_t end = abr_past(l->bare, at + 1, ABR_SET("-rwxsStT"));
    const bool is_rule = memcmp(p + at, "---", 3) == 0 && p[end - 1] == '-' && end - at > MODE;
    return end - at >= LEAST && end < n && ABR_HAS(" +.", p[end]) && !is_rule;
}

/* `name/where 1.0 amd64 [installed]`: a path, a version, and a state in brackets at the end. */
static bool has_version_and_state(abr_text_line bare)
{
    const char *blank = bare.p[bare.n - 1] == ']' ? memchr(bare.p, ' ', bare.n) : NULL;
    const char *slash = blank ? memchr(bare.p, '/', (size_t)(blank - bare.p)) : NULL;
    if (!slash || !ABR_CONTAINS(bare, " ["))
        return false;
    const abr_text_line rest = abr_line_from(bare, (size_t)(blank - bare.p) + 1);
    const size_t n = abr_digits_at(rest, 0);
    return n > 0 && n < rest.n && ABR_HAS(".:-", rest.p[n]);
}

/* `ii  name  1.0  what it is`: two letters of a state, and columns; or a package of apt's. */
bool abr_is_listed(const abr_form_line *l)
{
    return has_version_and_state(l->bare) ||
           (l->bare.n > 1 && abr_is_lower(l->bare.p[1]) && abr_has_at(l->bare, 2, "  ", 2) &&
            ABR_CONTAINS(abr_trimmed(abr_line_from(l->bare, 2)), "  "));
}

/* ---- commits ---- */

/* Number of hexadecimal digits at the start; *mixed: both letters and 0 to 9 are among them. */
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

/* Is it the state of a layer of docker's: "509e70826915: Pull complete"? */
static bool is_layer(abr_text_line bare, size_t n)
{
    enum { SIZE = 12, LONGEST = SIZE + 2 + 20 }; /* "Layer already exists" */
    return n == SIZE && bare.n <= LONGEST && abr_has_at(bare, n, ": ", 2) && n + 3 < bare.n &&
           abr_is_upper(bare.p[n + 2]) && abr_is_lower(bare.p[n + 3]);
}

static bool is_abbreviated(abr_text_line bare)
{
    bool mixed;
    const size_t n = hash_length(bare, &mixed);
    return n >= LEAST_HASH && mixed && !is_layer(bare, n) && (n == bare.n || ABR_HAS(" \t:*|,", bare.p[n]));
}

/* A hash, an address or an offset, and what it belongs to. */
bool abr_has_hash(const abr_form_line *l)
{
    /* git blame: older than the range asked for */
    const abr_text_line bare = abr_line_from(l->bare, l->bare.n > 1 && *l->bare.p == '^');
    bool mixed;
    const size_t n = hash_length(bare, &mixed);
    if (n < LEAST_OFFSET || is_layer(bare, n))
        return false;
    if (is_abbreviated(bare))
        return true;
    if (n == bare.n)
        return n >= LONG_HASH;
    const char second = (char)(n + 1 < bare.n ? bare.p[n + 1] : '\n');
    if (bare.p[n] == ':')
        return ABR_HAS(" \t", second) || n >= LEAST_HASH;
    return (n >= LONG_HASH && ABR_HAS(" \t*|,", bare.p[n])) ||
           (n >= LEAST_HASH && bare.p[n] == ' ' && second == ' ');
}

/* ` file | 12 ++--` */
static bool is_diffstat(const abr_form_line *l, abr_text_line line)
{
    const char *end = line.p + line.n;
    const char *bar = *line.p == ' ' && abr_has_char(l->chars, '|') ? memchr(line.p, '|', line.n) : NULL;
    if (!bar || bar <= line.p + 1 || bar + 2 >= end || bar[-1] != ' ' || bar[1] != ' ')
        return false;
    const size_t count = abr_past(line, (size_t)(bar - line.p) + 1, ABR_SET(" "));
    return count < line.n && (abr_is_digit(line.p[count]) || line.p[count] == 'B');
}

bool abr_is_of_git(const abr_form_line *l)
{
    abr_text_line line = l->line;
    if (line.n > 2 && ABR_HAS("*|", *line.p) && ABR_HAS(" |\\/", line.p[1])) {
        line = abr_line_from(line, abr_past(line, 0, ABR_SET("*|/\\_ "))); /* drawn by `git log --graph` */
        if (line.n == 0 || is_abbreviated(line) || is_abbreviated(abr_own_text(line)))
            return true;
    }
    return abr_starts_with_mark(l->forms, ABR_FORM_GIT, line) || is_diffstat(l, line);
}

/* The subject of a commit, by its type: "fix(api): ...", "docs: ...". */
bool abr_is_subject(const abr_form_line *l)
{
    return abr_commit_subject(l->forms, l->line) != ABR_SUBJECT_NONE;
}

/* ---- matches, counts ---- */

/* A name of letters, or one with a dot or a slash: not a time. */
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

/* End of the name before a colon; the line's end if a blank comes first. */
static size_t name_end(abr_text_line bare)
{
    const size_t end = abr_next(bare, 0, ':', ':', true);
    return end < bare.n && !memchr(bare.p, ' ', end) ? end : bare.n;
}

/* The start of a time that stands behind a name: `shop.log.2026-11-22T10` of `...:00:01`. */
static bool ends_with_hour(abr_text_line name)
{
    const char *end = name.p + name.n;
    return name.n > 3 && abr_is_digit(end[-1]) && abr_is_digit(end[-2]) && ABR_HAS("T_ -", end[-3]);
}

/* Does a linter state a level at `at`, after a place, without a blank and perhaps after its rule:
 * `:12:error: `, `:12:rule:ERROR: `? `:12:ERROR: ` may be a match in a log. */
static bool states_level_after(const abr_form_line *l, size_t at, bool has_column)
{
    const abr_text_line text = abr_line_from(l->bare, at);
    const size_t rule = name_end(text);
    const bool sure = has_column || abr_is_lower(*text.p);
    return (sure && abr_states_level(text.p, text.n, l->forms->without)) ||
           (rule < text.n && abr_states_level(text.p + rule + 1, text.n - rule - 1, l->forms->without));
}

/* Does a linter state a level at `at`, after a blank, and then its rule or message: `:4:1 error MD033 ...`?
 * `:4:1 error found` is a match. */
static bool states_level_beside(const abr_form_line *l, size_t at)
{
    size_t size = 0;
    if (at + 2 > l->bare.n || l->bare.p[at] != ' ')
        return false;
    const abr_text_line text = abr_line_from(l->bare, at);
    const abr_level level = abr_level_without(text.p + 1, text.n - 1, l->forms->without, &size);
    return (level == ABR_LEVEL_ERROR || level == ABR_LEVEL_WARNING) && size + 2 < text.n &&
           text.p[size + 1] == ' ' && abr_is_upper(text.p[size + 2]);
}

/* `path:12:text`, as grep prints it; a diagnostic has a blank or a level there, and Ruby's "in `total'". */
bool abr_is_match(const abr_form_line *l)
{
    const abr_text_line bare = l->bare;
    const size_t i = name_end(bare);
    if (i == 0 || i >= bare.n || bare.p[i] != ':' || !is_path((abr_text_line){bare.p, i}))
        return false;
    const size_t number = abr_digits_at(bare, i + 1);
    size_t at = i + 1 + number;
    const size_t column = at + 1 < bare.n ? abr_digits_at(bare, at + 1) : 0;
    if (column > 0 && at + 1 + column < bare.n && bare.p[at + 1 + column] == ':')
        at += 1 + column;
    else if ((number == 2 && column == 2 && ends_with_hour((abr_text_line){bare.p, i})) ||
             abr_has_at(bare, at + 1 + column, " - ", 3) || /* of tsc: `cart.ts:9:5 - error` */
             states_level_beside(l, at + 1 + column))
        return false;
    if (number == 0 || at >= bare.n || !ABR_HAS(":-", bare.p[at]) || abr_has_at(bare, at + 1, "in `", 4) ||
        abr_has_at(bare, at + 1, "in '", 4))
        return false;
    if (at + 1 == bare.n)
        return true;
    if (bare.p[at + 1] == '\x1B') /* the end of a coloured place, before a blank */
        return false;
    const bool is_said = bare.p[at + 1] == ' ' && bare.p[at + 2] != ' ' && !abr_starts_comment(bare, at + 2);
    return !is_said && !states_level_after(l, at + 1, column > 0);
}

/* Bytes of a number, a size or a time. */
static size_t number_length(abr_text_line bare)
{
    const abr_char_set signs = abr_joined(ABR_DIGITS, ABR_SET(".,:-+/KMGT%"));
    const size_t i = bare.n > 0 && abr_is_digit(*bare.p) ? abr_past(bare, 0, signs) : 0;
    return i < bare.n && !ABR_HAS(" \t", bare.p[i]) ? 0 : i;
}

/* `M`, `R100`: the state of a changed file. */
static size_t state_length(abr_text_line bare)
{
    const size_t i = ABR_HAS("MADRCTU?", *bare.p) ? abr_past(bare, 1, ABR_DIGITS) : 0;
    return i < bare.n && i <= 4 && ABR_HAS(" \t", bare.p[i]) ? i : 0;
}

/* `12  path`, `1 2 3 path`, `M  path`: numbers or a letter, and one word. */
bool abr_is_counted(const abr_form_line *l)
{
    abr_text_line rest = l->bare;
    size_t n = number_length(rest);
    if (n == 0)
        n = state_length(rest);
    const bool named = n > 0;
    for (; n > 0; n = number_length(rest))
        rest = abr_trimmed(abr_line_from(rest, n));
    return named && rest.n > 0 && !memchr(rest.p, ' ', rest.n) &&
           (memchr(rest.p, '/', rest.n) || memchr(rest.p, '.', rest.n));
}

/* `12:text`, from grep of a single file, or `12:    text`, of one that is indented. */
bool abr_is_numbered(const abr_form_line *l)
{
    const abr_text_line bare = l->bare;
    const size_t i = abr_digits_at(bare, 0);
    if (i + 1 >= bare.n || bare.p[i] != ':')
        return false;
    const bool indented = abr_has_at(bare, i + 1, "  ", 2) && bare.p == l->line.p;
    return indented || (bare.p[i + 1] != ' ' && !abr_is_digit(bare.p[i + 1]));
}

/* Numbers make up most of the words. */
bool abr_is_data(const abr_form_line *l)
{
    size_t numbers = 0;
    size_t words = 0;
    for (abr_text_line rest = l->bare; rest.n > 0 && words <= MOST_NUMBERS;
         rest = abr_trimmed(rest), words++) {
        const bool number =
            abr_is_digit(*rest.p) || (rest.n > 1 && ABR_HAS("-+.", *rest.p) && abr_is_digit(rest.p[1]));
        const size_t i = number ? abr_past(rest, 0, ABR_SET("0123456789.,:/-+eE")) : 0;
        numbers += number && (i == rest.n || ABR_HAS(" \t", rest.p[i]));
        rest = abr_line_from(rest, abr_next_blank(rest, i));
    }
    return numbers >= 3 && numbers * 3 >= words * 2;
}

/* Nothing but numbers. */
bool abr_is_numbers(const abr_form_line *l)
{
    return abr_has_only(l->chars, ABR_SET("\1"
                                          "0123456789 .\t,-+"));
}

/* ---- names ---- */

/* One word, of letters and other chars of names. */
static bool is_alone(const abr_form_line *l)
{
    return abr_first_word(l).n == l->bare.n && l->bare.p[l->bare.n - 1] != '.' &&
           (abr_is_word(l->bare.p[l->bare.n / 2]) || abr_is_word(l->bare.p[l->bare.n - 1]));
}

/* A line of base64. */
bool abr_is_coded(const abr_form_line *l)
{
    return l->bare.n >= LEAST_CODED && is_alone(l) &&
           abr_has_only(l->chars, abr_joined(ABR_LETTERS, ABR_SET("\1\2"
                                                                  "0123456789_+/=-")));
}

bool abr_is_path_alone(const abr_form_line *l)
{
    return is_alone(l) && abr_has_any(l->chars, ABR_SET("/."));
}

/* A few words and nothing else, as in a list of names. */
static bool is_plain_name(const abr_form_line *l)
{
    size_t words = 1;
    if (!abr_has_only(l->chars, abr_joined(ABR_LETTERS, ABR_SET("\2 '-"))))
        return false;
    for (size_t i = 0; i < l->bare.n; i++)
        words += l->bare.p[i] == ' ';
    return words <= MOST_NAME;
}

/* `<name@host>` */
bool abr_has_address(const abr_form_line *l)
{
    const char *end = l->bare.p + l->bare.n;
    const char *open = memchr(l->bare.p, '<', l->bare.n);
    const char *at = open ? memchr(open, '@', (size_t)(end - open)) : NULL;
    return at && memchr(at, '>', (size_t)(end - at)) && !memchr(open, ' ', (size_t)(at - open));
}

static bool is_indented(const abr_form_line *l)
{
    return l->bare.p > l->line.p;
}

/* An option and what it does. */
bool abr_is_option(const abr_form_line *l)
{
    return is_indented(l) && l->bare.n > 1 && (abr_is_letter(l->bare.p[1]) || l->bare.p[1] == '-');
}

/* `  build    compile it`; `   12 words`, of uniq -c; `Model name:   AMD EPYC` */
bool abr_has_columns(const abr_form_line *l)
{
    if (abr_is_letter(*l->bare.p) && ABR_CONTAINS(l->bare, ":  "))
        return true;
    return is_indented(l) &&
           (ABR_CONTAINS(l->bare, "  ") || (abr_is_digit(*l->bare.p) && number_length(l->bare) > 0));
}

/* A name, `name - what it is`, or text in a column far to the right. */
bool abr_is_entry(const abr_form_line *l)
{
    const abr_text_line bare = l->bare;
    return is_alone(l) || bare.p >= l->line.p + DEEP || is_plain_name(l) ||
           abr_has_at(bare, abr_first_word(l).n, "  ", 2) ||
           (abr_is_lower(*bare.p) && abr_has_at(bare, abr_first_word(l).n, " - ", 3));
}
