/* Forms of lines that commands print as they work. */
#include "line/form_tests.h"
#include "line/form.h"
#include "abridge.h"
#include "base/ascii.h"
#include "line/char_set.h"
#include "line/layout.h"
#include "line/place.h"

enum {
    STAMPED_WITHIN = 48, /* within so many bytes of its start, a time says when a line was printed, */
    GRAVE_WITHIN = 64,   /* and a level how grave it is */
    STEP_LENGTH = 160    /* longest line that reports a step */
};

/* ---- times and levels ---- */

/* `Modify: 2026-11-22 ...`, as stat prints it. */
static bool names_a_time(abr_text_line bare)
{
    const size_t i = abr_past(bare, 0, ABR_LETTERS);
    return i > 1 && abr_is_upper(*bare.p) && abr_is_lower(bare.p[1]) && abr_has_at(bare, i, ": ", 2);
}

/* 12:34:56, 2026-11-22, 2026/11/22, [  12.345678], near the start. */
bool abr_is_timed(const abr_form_line *l)
{
    const abr_text_line line = l->line;
    const size_t end = line.n < STAMPED_WITHIN ? line.n : STAMPED_WITHIN;
    size_t at = 0;
    for (size_t i = abr_next_digit(line, 0); i < end; i = abr_next_digit(line, at)) {
        const size_t n = abr_digits_at(line, i);
        at = i + n;
        const char sign = (char)(at + 5 < line.n ? line.p[at] : ' ');
        const bool marks = n == 2 ? sign == ':' : n == 4 && (sign == '-' || sign == '/');
        if (marks && abr_digits_at(line, at + 1) == 2 && line.p[at + 3] == sign &&
            abr_digits_at(line, at + 4) == 2)
            return !names_a_time(l->bare);
        if (*line.p == '[' && i < 8 && at < line.n && line.p[at] == '.' && abr_digits_at(line, at + 1) >= 3)
            return ABR_CONTAINS(line, "]");
    }
    return false;
}

static bool is_level_name(const abr_form_line *l, abr_text_line word)
{
    size_t size = 0;
    return abr_level_without(word.p, word.n, l->forms->without, &size) != ABR_LEVEL_NONE && size == word.n;
}

/* A level as a word in capitals, or in brackets or before a colon: `INFO`, `[warn]`, `error:`. `leading`: at
 * the start, or first in brackets. */
static bool find_level(const abr_form_line *l, bool leading)
{
    const abr_text_line line = l->line;
    const size_t most = leading && !abr_has_char(l->chars, '[') ? 1 : GRAVE_WITHIN;
    const size_t end = line.n < most ? line.n : most;
    for (size_t i = 0; i < end; i++) {
        if (!leading && (i = abr_next(line, i, 'A', 'Z', true)) >= end)
            return false;
        if (leading && i > 0 && line.p[i - 1] != '[')
            continue;
        if (!abr_is_letter(line.p[i]) || !ABR_HAS(" [<|\t(", (char)(i > 0 ? line.p[i - 1] : ' ')))
            continue;
        const size_t n = abr_past(line, i, abr_joined(ABR_WORD_CHARS, ABR_SET("!"))) - i;
        const char after = (char)(i + n < line.n ? line.p[i + n] : ' ');
        const abr_text_line word = {line.p + i, n};
        const bool level = is_level_name(l, word);
        const bool shouted = abr_is_upper(line.p[i]) && abr_is_upper(line.p[i + n - 1]);
        if (ABR_HAS(" :]>|\t)", after) && ((level && shouted) || abr_is_mark(l->forms, ABR_FORM_LEVEL, word)))
            return true;
        if (level && leading && abr_is_lower(line.p[i]) && (i == 0 ? ABR_HAS(":[", after) : after == ']'))
            return true;
    }
    return false;
}

bool abr_leads_with_level(const abr_form_line *l)
{
    return find_level(l, true);
}

bool abr_has_level(const abr_form_line *l)
{
    return find_level(l, false);
}

/* ---- diagnostics, and stacks ---- */

/* `12:3  error  text`: a place in a file named above, as linters print it, and a level. */
static bool starts_with_place(const abr_form_line *l)
{
    const abr_text_line line = l->bare;
    const size_t i = abr_row_place(line.p, line.n);
    const size_t end = abr_past(line, i, ABR_SMALL_LETTERS);
    return i > 0 && abr_has_at(line, end, " ", 1) && is_level_name(l, (abr_text_line){line.p + i, end - i});
}

/* Is it a diagnostic with a dash: "a.ts:3:5 - error TS2322: " of tsc, "a.py:3:5 - error: " of pyright? */
static bool is_dashed_diagnostic(abr_text_line line)
{
    abr_file_place place = {0};
    if (!ABR_CONTAINS(line, " - error") && !ABR_CONTAINS(line, " - warning: "))
        return false;
    return abr_find_place(line.p, line.n, 0, &place) && place.start == 0 && place.col > 0 &&
           (abr_has_at(line, place.end, " - error TS", 11) || abr_has_at(line, place.end, " - error: ", 10) ||
            abr_has_at(line, place.end, " - warning: ", 12));
}

/* Is it a diagnostic that a level leads, with its place behind: "info - Add it. - lib/a.dart:3:5 - x"? */
static bool is_led_by_level(const abr_form_line *l)
{
    const abr_text_line line = l->bare;
    abr_file_place place = {0};
    const size_t n = abr_past(line, 0, ABR_SMALL_LETTERS);
    return (abr_has_at(line, n, " - ", 3) || abr_has_at(line, n, " \xE2\x80\xA2 ", 5)) &&
           is_level_name(l, (abr_text_line){line.p, n}) && abr_find_place(line.p, line.n, n, &place) &&
           place.col > 0;
}

/* Is an error or a warning stated at `at`, perhaps after its code: `DL3020 error: `? */
static bool states_level_at(const abr_form_line *l, size_t at)
{
    const abr_text_line line = l->bare;
    const size_t code = abr_past(line, at, abr_joined(ABR_CAPITALS, ABR_DIGITS));
    at = code > at && abr_has_at(line, code, " ", 1) ? code + 1 : at;
    return at < line.n && abr_states_level(line.p + at, line.n - at, l->forms->without);
}

/* `file:12: text`, `file:12:3: text`, `file:12:3-9: text`, `file(12,3): text`: a place, a colon, one blank;
 * or a dash after it; `file:12 DL3020 error: text`. */
bool abr_is_placed(const abr_form_line *l)
{
    const abr_text_line line = l->bare;
    size_t at = 0;
    if (starts_with_place(l) || abr_kotlin_level(line.p, line.n) || is_dashed_diagnostic(line) ||
        is_led_by_level(l))
        return true;
    for (size_t i = abr_next_digit(line, 2); i + 2 < line.n; i = abr_next_digit(line, at)) {
        at = i + abr_digits_at(line, i);
        if (!ABR_HAS(":(,", line.p[i - 1]) || at - i > 6)
            continue;
        if (at + 1 < line.n && line.p[at] == '-') /* to another column */
            at += 1 + abr_digits_at(line, at + 1);
        if (at + 3 < line.n && line.p[at] == ')' &&
            (line.p[at + 1] == ':' || abr_has_at(line, at + 1, " : ", 3)))
            return true;
        if (line.p[i - 1] == ':' && abr_has_at(line, at, " ", 1) && states_level_at(l, at + 1))
            return true;
        if (at + 2 < line.n && line.p[at] == ':' && line.p[at + 1] == ' ' && line.p[at + 2] != ' ' &&
            abr_is_word(line.p[i - 2]) && !abr_starts_comment(line, at + 2))
            return true;
    }
    return false;
}

/* May this bar be that of a line without a number: is nothing after it, a pointer, a sign that lacks, the
 * name of a type below a pointer, or a case of a match? Not what a page says beside a bar. */
static bool is_under_excerpt(const abr_form_line *l, abr_text_line bar)
{
    enum {
        POINTER_MOST = 60, /* signs; the rulings of pydoc have 70 */
        SIGN_MOST = 3,     /* bytes: `;`, `->` */
        TYPE_WORDS = 3,    /* `const char *` */
        TYPE_FROM = 8      /* bytes before a type, with the bar; pydoc indents names by 7 */
    };
    const abr_text_line after = abr_trimmed(abr_line_from(bar, 1));
    size_t words = 1;
    if (after.n == 0)
        return l->bare.p + l->bare.n == l->line.p + l->line.n;
    if (ABR_HAS("^~-+|/", *after.p))
        return abr_past(after, 0, abr_set_of_char(*after.p)) < POINTER_MOST;
    if (after.n <= SIGN_MOST || ABR_CONTAINS(after, " -> "))
        return true;
    for (size_t i = 0; i < after.n; i++) {
        if (!abr_is_word(after.p[i]) && !ABR_HAS(" :*&<>,", after.p[i]))
            return false;
        words += after.p[i] == ' ';
    }
    return after.p - bar.p >= TYPE_FROM && words <= TYPE_WORDS && abr_is_letter(*after.p) &&
           !ABR_HAS(":,", after.p[after.n - 1]);
}

/* `| ERROR   | [x] Expected ...`, after the line's number in PHP_CodeSniffer's report. */
static bool is_row_of_sniffer(abr_text_line rest)
{
    const size_t level = ABR_STARTS(rest, "| ERROR ") ? 8 : ABR_STARTS(rest, "| WARNING ") ? 10 : 0;
    const abr_text_line after = abr_trimmed(abr_line_from(rest, level));
    return level > 0 && ABR_STARTS(after, "| ");
}

/* A line of source as compilers quote it, `12 | x`, or a pointer at it, `| ^~~`. */
bool abr_is_excerpt(const abr_form_line *l)
{
    const abr_text_line bare = l->bare;
    const size_t n = abr_digits_at(bare, 0);
    const abr_text_line rest = abr_trimmed(abr_line_from(bare, n));
    if (n > 0 && is_row_of_sniffer(rest))
        return false;
    if (rest.n > 0 && *rest.p == '|' && (n > 0 || bare.p > l->line.p) && (rest.n == 1 || rest.p[1] == ' '))
        return n > 0 || ((bare.p[bare.n - 1] != '|' || bare.n == 1) && is_under_excerpt(l, rest));
    bool points = false;
    for (size_t i = 0; i < bare.n; i++) {
        if (!ABR_HAS("^~- |", bare.p[i]))
            return points && bare.p[i - 1] == ' ';
        points = points || bare.p[i] == '^';
    }
    return points;
}

/* A tab, the path of a file and the number of a line, as Go's traces place a call: `\t/srv/cart.go:9 +0x1f`,
 * `\tC:/cart.go:9`. */
static bool is_place_of_call(const abr_form_line *l)
{
    const abr_text_line bare = l->bare;
    const bool is_drive = bare.n > 2 && bare.p[1] == ':' && bare.p[2] == '/';
    size_t end = bare.n;
    if (bare.p == l->line.p || bare.p[-1] != '\t' || (*bare.p != '/' && !is_drive))
        return false;
    end = abr_back(bare.p, end, ABR_HEX_DIGITS);
    end = end > 4 && abr_has_at(bare, end - 4, " +0x", 4) ? end - 4 : bare.n;
    const size_t number = abr_back(bare.p, end, ABR_DIGITS);
    return number < end && number > 2 && bare.p[number - 1] == ':' && abr_is_word(bare.p[number - 2]);
}

/* `    at f (a.js:1)`, `#0  0x12 in f ()`, `  File "a.py", line 3, in f`, `from a.rb:1:in f`,
 * `  12: core::f`, `  12:    0x5c - <core::S>::f`, `    ... 12 more`. */
bool abr_is_frame(const abr_form_line *l)
{
    const abr_text_line bare = l->bare;
    const bool indented = bare.p > l->line.p;
    const size_t n = abr_digits_at(bare, *bare.p == '#');
    if (is_place_of_call(l))
        return true;
    if (ABR_STARTS(bare, "at "))
        return memchr(bare.p, '(', bare.n) || memchr(bare.p, ':', bare.n) || memchr(bare.p, '<', bare.n);
    if (ABR_STARTS(bare, "File \""))
        return ABR_CONTAINS(bare, ", line ");
    if (ABR_STARTS(bare, "... "))
        return abr_has_at(bare, 4 + abr_digits_at(bare, 4), " more", 5);
    if (ABR_STARTS(bare, "from "))
        return indented && memchr(bare.p, ':', bare.n);
    if (*bare.p == '#')
        return n > 0 && abr_has_at(bare, n + 1, " ", 1) && n + 2 < bare.n && !abr_is_digit(bare.p[n + 2]) &&
               bare.p[n + 2] != '[';
    const size_t at = abr_past(bare, n + 2, ABR_SET(" "));
    return indented && abr_has_at(bare, n, ": ", 2) && at < bare.n &&
           (abr_is_digit(bare.p[at]) ? abr_has_at(bare, at, "0x", 2) /* no row of readelf */
                                     : abr_is_word(bare.p[at]) || bare.p[at] == '<');
}

/* `==123== Invalid read`, about a process under watch. */
bool abr_is_of_process(const abr_form_line *l)
{
    const size_t n = abr_digits_at(l->bare, 2);
    return n > 0 && abr_has_at(l->bare, n + 2, "==", 2);
}

/* `TypeError: ...`, `java.io.IOException: ...` at the start. */
bool abr_is_exception(const abr_form_line *l)
{
    const abr_text_line word = {l->bare.p, abr_past(l->bare, 0, abr_joined(ABR_WORD_CHARS, ABR_SET(".")))};
    return abr_has_at(l->bare, word.n, ":", 1) && (ABR_ENDS(word, "Error") || ABR_ENDS(word, "Exception") ||
                                                   ABR_ENDS(word, "error") || ABR_ENDS(word, "Warning"));
}

/* ---- commands, steps, tests ---- */

/* A command with options, echoed: `gcc -O2 -c a.c`, `/usr/bin/cmake -P a.cmake`. */
bool abr_is_command(const abr_form_line *l)
{
    const size_t least = *l->bare.p == '/' ? 1 : 2;
    size_t options = 0;
    const abr_text_line word = abr_first_word(l);
    for (size_t i = 0; i < word.n; i++)
        if (!abr_is_lower(word.p[i]) && !abr_is_digit(word.p[i]) && !ABR_HAS("/_.+-", word.p[i]))
            return false;
    for (size_t i = word.n; i + 2 < l->bare.n; i++)
        options += l->bare.p[i] == ' ' && l->bare.p[i + 1] == '-' && abr_is_letter(l->bare.p[i + 2]);
    return l->bare.p == l->line.p && options >= least;
}

/* `[12/200]`, `[ 12%]`, `(12/200)`, ` 12%`. */
bool abr_is_progress(const abr_form_line *l)
{
    const abr_text_line bare = l->bare;
    const bool opens = *bare.p == '[' || *bare.p == '(';
    const size_t i = abr_past(bare, opens, ABR_SET(" "));
    const size_t n = abr_digits_at(bare, i);
    const char sign = (char)(i + n < bare.n ? bare.p[i + n] : '\n');
    return n > 0 && n <= 7 && (sign == '%' || (sign == '/' && opens && abr_digits_at(bare, i + n + 1) > 0));
}

/* `passed   12/380  cart-total`: a verdict, which of how many tests it is, two blanks, and its name. */
static bool numbers_test(abr_text_line bare)
{
    const size_t i = abr_past(bare, 0, ABR_LETTERS);
    const abr_text_line count = abr_trimmed(abr_line_from(bare, i));
    const size_t which = i > 0 && count.p > bare.p + i ? abr_digits_at(count, 0) : 0;
    const size_t many = which > 0 && abr_has_at(count, which, "/", 1) ? abr_digits_at(count, which + 1) : 0;
    const size_t name = which + 1 + many + 2;
    return many > 0 && abr_has_at(count, name - 2, "  ", 2) && name < count.n && count.p[name] > ' ';
}

/* `test/cart.js ........ 12/12`, and the same before the name. */
bool abr_counts_tests(const abr_form_line *l)
{
    const abr_text_line bare = l->bare;
    const size_t all = abr_back(bare.p, bare.n, ABR_DIGITS);
    if (numbers_test(bare))
        return true;
    if (all == bare.n || all == 0 || bare.p[all - 1] != '/')
        return false;
    const size_t start = abr_back(bare.p, all - 1, ABR_DIGITS);
    return start < all - 1 && start > 1 && abr_has_at(bare, start - 2, ". ", 2);
}

/* `    Given a cart   # features/cart.feature:31`, `    When I pay   # CartContext::pay()`: a step and its
 * definition. */
bool abr_is_feature_step(const abr_form_line *l)
{
    const abr_text_line bare = l->bare;
    size_t i = bare.n;
    while (i > 0 && bare.p[i - 1] != '#')
        i--;
    if (i < 3 || !abr_has_at(bare, i - 2, " #", 2) || !abr_has_at(bare, i, " ", 1))
        return false;
    const abr_text_line where = abr_line_from(bare, i + 1);
    const char *colon = where.n > 0 ? memchr(where.p, ':', where.n) : NULL;
    if (!colon || memchr(where.p, ' ', where.n))
        return false;
    const size_t at = (size_t)(colon - where.p) + 1;
    return (abr_digits_at(where, at) > 0 && at + abr_digits_at(where, at) == where.n) ||
           (abr_has_at(where, at, ":", 1) && ABR_ENDS(where, "()"));
}

/* Is there nothing but the bullets by which Ginkgo tells of a test each? */
static bool is_row_of_bullets(abr_text_line bare)
{
    static const char bullet[] = "\xE2\x80\xA2";
    size_t i = 0;
    while (abr_has_at(bare, i, bullet, sizeof bullet - 1))
        i += sizeof bullet - 1;
    return i > 0 && i == bare.n;
}

/* `.....F...`, one char per test, as test runners print them. */
bool abr_is_row_of_dots(const abr_form_line *l)
{
    const abr_text_line bare = l->bare;
    const size_t dots = abr_past(bare, 0, ABR_SET(".+-*FEsx"));
    const size_t end = abr_past(bare, dots, ABR_SET(" "));
    return is_row_of_bullets(bare) || (dots >= 5 && (end == bare.n || (bare.p[end] == '[' && dots > 5)));
}

/* `0.02s`, `1.5 ms`, anywhere in the line. */
static bool has_duration(abr_text_line bare)
{
    for (size_t i = 1; i + 2 < bare.n; i++) {
        i = abr_next(bare, i, '.', '.', true);
        if (i + 2 >= bare.n || !abr_is_digit(bare.p[i - 1]) || !abr_is_digit(bare.p[i + 1]))
            continue;
        size_t at = i + 1 + abr_digits_at(bare, i + 1);
        at += at < bare.n && bare.p[at] == ' ';
        at += at < bare.n && (bare.p[at] == 'm' || bare.p[at] == 'u');
        if (at < bare.n && bare.p[at] == 's' && (at + 1 == bare.n || !abr_is_word(bare.p[at + 1])))
            return true;
    }
    return false;
}

/* `12 ms`, `(0.3s)`, `in 2.31s` at the end. */
static bool ends_with_time(abr_text_line bare)
{
    size_t i = bare.n;
    if (ABR_HAS(")].", bare.p[i - 1]))
        i--;
    if (ABR_ENDS(((abr_text_line){bare.p, i}), "seconds"))
        i -= 6;
    if (i < 2 || bare.p[i - 1] != 's')
        return false;
    i--;
    if (ABR_HAS("mun", bare.p[i - 1]))
        i--;
    i = abr_back(bare.p, i, ABR_SET(" "));
    const size_t number = abr_back(bare.p, i, ABR_SET(".0123456789"));
    return number < i && (number == 0 || !abr_is_word(bare.p[number - 1]));
}

bool abr_tells_duration(const abr_form_line *l)
{
    return ends_with_time(l->bare) || has_duration(l->bare);
}

/* ` CC x.o`: a step of a quiet make. */
bool abr_is_made(const abr_form_line *l)
{
    const abr_text_line bare = l->bare;
    const size_t i = abr_past(bare, 0, ABR_CAPITALS);
    if (i < 2 || i >= bare.n || bare.p[i] != ' ')
        return false;
    const abr_text_line rest = abr_trimmed(abr_line_from(bare, i));
    return !memchr(rest.p, ' ', rest.n) &&
           (ABR_ENDS(rest, ".o") || ABR_ENDS(rest, ".a") || ABR_ENDS(rest, ".so") || ABR_ENDS(rest, ".ko") ||
            ABR_ENDS(rest, ".lo") || i == 2);
}

/* `checking for x... yes` */
bool abr_is_step(const abr_form_line *l)
{
    return l->bare.n <= STEP_LENGTH && abr_first_word(l).n < l->bare.n && ABR_CONTAINS(l->bare, "... ") &&
           !ABR_STARTS(l->bare, "... ") && !abr_is_contents(l);
}

/* The version at the end of what a step is about: `Installing cart (1.0)`. */
static bool names_version(abr_text_line line)
{
    const char *bracket = memchr(line.p, '(', line.n);
    size_t at = bracket ? (size_t)(bracket - line.p) + 1 : line.n;
    at += abr_has_at(line, at, "v", 1);
    const size_t digits = abr_digits_at(line, at);
    return digits > 0 && abr_has_at(line, at + digits, ".", 1) && abr_digits_at(line, at + digits + 1) > 0;
}

/* `Compiling x`, `Setting up x`, `- Installing x (1.0)`: a step in progress. */
bool abr_is_doing(const abr_form_line *l)
{
    abr_text_line word = abr_first_word(l);
    if (*l->bare.p == '-') {
        const abr_text_line step = abr_line_from(l->bare, ABR_STARTS(l->bare, "- ") ? 2 : 0);
        word = (abr_text_line){step.p, names_version(step) ? abr_next_blank(step, 0) : 0};
    }
    word.n = abr_back(word.p, word.n, ABR_SET(":."));
    return l->bare.n <= STEP_LENGTH && word.n > 4 && ABR_ENDS(word, "ing") &&
           !ABR_HAS(",.", l->bare.p[l->bare.n - 1]);
}

bool abr_goes_on(const abr_form_line *l)
{
    return l->bare.n <= STEP_LENGTH && ABR_ENDS(l->bare, "...");
}

/* `[server] listening` */
bool abr_is_tagged(const abr_form_line *l)
{
    const abr_text_line word = abr_first_word(l);
    return l->bare.n <= STEP_LENGTH && word.n > 3 && word.n < l->bare.n && word.p[word.n - 1] == ']' &&
           abr_is_letter(l->bare.p[1]);
}

/* `#12 [3/7] RUN`, `#12<tab>NEW` */
bool abr_is_numbered_step(const abr_form_line *l)
{
    const size_t n = abr_digits_at(l->bare, 1);
    return n > 0 && n + 1 < l->bare.n && ABR_HAS(" \t", l->bare.p[n + 1]);
}

/* What Terraform would change: `  + ami = "ami-1"`, `  ~ size = 1 -> 2`, `-/+ resource "aws_vpc" "main" {`. A
 * blank follows the sign, unlike in most diffs; items of lists have no value. */
static bool is_planned(abr_text_line bare)
{
    const size_t sign = ABR_STARTS(bare, "-/+ ") ? 3 : 1;
    if (!ABR_HAS("+~-", *bare.p) || !abr_has_at(bare, sign, " ", 1))
        return false;
    const abr_text_line rest = abr_line_from(bare, sign + 1);
    const size_t name = abr_past(rest, 0, abr_joined(ABR_WORD_CHARS, ABR_SET("\"")));
    const abr_text_line value = abr_trimmed(abr_line_from(rest, name));
    if (ABR_STARTS(rest, "resource \""))
        return true;
    return name > 0 && ABR_STARTS(value, "= ") && (*bare.p != '-' || ABR_CONTAINS(value, " -> "));
}

/* The steps of a program: `   File 'a.h' does not exist.` of make -d, and of cmake --trace
 * `/usr/share/cmake/Modules/FindZLIB.cmake(12):  message(FATAL_ERROR none )`; and those it plans. */
bool abr_is_trace(const abr_form_line *l)
{
    const abr_text_line bare = l->bare;
    if (bare.p > l->line.p && ABR_STARTS(bare, "File '"))
        return ABR_ENDS(bare, " does not exist.");
    if (is_planned(bare))
        return true;
    const char *bracket = memchr(bare.p, '(', bare.n);
    if (!bracket)
        return false;
    const abr_text_line file = {bare.p, (size_t)(bracket - bare.p)};
    const size_t at = file.n + 1;
    return (ABR_ENDS(file, ".cmake") || ABR_ENDS(file, "CMakeLists.txt")) && abr_digits_at(bare, at) > 0 &&
           abr_has_at(bare, at + abr_digits_at(bare, at), "):  ", 4);
}

/* `At C:\a.ps1:3 char:5`: the PowerShell source follows, each line after a plus. */
bool abr_is_quoting(const abr_form_line *l)
{
    return ABR_STARTS(l->bare, "At ") && ABR_CONTAINS(l->bare, " char:");
}

/* Bytes of `[pid  4211] `, the process that made a call. */
static size_t caller_size(abr_text_line bare)
{
    const size_t end = abr_past(bare, 4, ABR_SET(" 0123456789"));
    return ABR_STARTS(bare, "[pid") && abr_has_at(bare, end, "]", 1) ? end + 1 : 0;
}

/* `read(3, "...", 832) = 832`: a call and its result, as strace prints them. */
bool abr_is_call(const abr_form_line *l)
{
    size_t i = caller_size(l->bare);
    while (i < l->bare.n && (abr_is_digit(l->bare.p[i]) || ABR_HAS(" .", l->bare.p[i]) ||
                             (l->bare.p[i] == ':' && abr_digits_at(l->bare, i + 1) > 0)))
        i++; /* the process, if it has no brackets, and the time of the call */
    const abr_text_line bare = abr_trimmed(abr_line_from(l->bare, i));
    i = abr_past(bare, 0, ABR_WORD_CHARS);
    if (i == 0 || i >= bare.n || bare.p[i] != '(')
        return false;
    for (size_t at = bare.n; at-- > i + 3;)
        if (bare.p[at] == '=')
            return bare.p[at - 1] == ' ' && at + 2 < bare.n && bare.p[at + 1] == ' ' &&
                   (abr_is_digit(bare.p[at + 2]) || ABR_HAS("-?", bare.p[at + 2])) &&
                   bare.p[bare.n - 1] != ';';
    return false;
}

/* `> Host: x`, `< Server: y`, `{ [123 bytes data]`, as curl shows data sent and received. */
bool abr_is_exchange(const abr_form_line *l)
{
    const abr_text_line line = l->line;
    if (line.n < 4 || line.p[1] != ' ')
        return false;
    if (*line.p == '{' || *line.p == '}')
        return line.p[2] == '[' && ABR_ENDS(line, "data]");
    const size_t i = abr_past(line, 2, abr_joined(ABR_LETTERS, ABR_SET("-")));
    return i > 2 && abr_has_at(line, i, ": ", 2);
}
