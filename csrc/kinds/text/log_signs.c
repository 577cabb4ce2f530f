/*
 * Signs that a line was printed by a command at work: the time, a level, a command or a step, a diagnostic
 * with its place, a test and how it went, a frame of a stack. None decides alone.
 */
#include "kinds/text/log_signs.h"
#include "abridge.h"
#include "base/ascii.h"
#include "line/char_set.h"
#include "line/word_list.h"

enum {
    TIME_WITHIN = 48,  /* bytes of the start in which a time says when a line was printed */
    LEVEL_WITHIN = 64, /* and a level, how grave it is */
    STEP_LENGTH = 160, /* of a line that tells a step, at most */
    ESC = 0x1B
};

#define IS(line, literal) ((line).n == sizeof(literal) - 1 && ABR_STARTS(line, literal))

static bool ends_with(abr_text_line line, abr_text_line text)
{
    return line.n >= text.n && line.p[line.n - 1] == text.p[text.n - 1] &&
           memcmp(line.p + line.n - text.n, text.p, text.n) == 0;
}

#define ENDS(line, literal) ends_with((line), (abr_text_line){literal, sizeof(literal) - 1})

static abr_text_line from(abr_text_line line, size_t at)
{
    return (abr_text_line){line.p + at, line.n - at};
}

/* Bytes of digits from `at` on. */
static size_t digits(abr_text_line line, size_t at)
{
    size_t i = at;
    while (i < line.n && abr_is_digit(line.p[i]))
        i++;
    return i - at;
}

/* ---- times and levels ---- */

/* Is it `Modify: 2026-11-22 ...`, as stat has it? */
static bool names_a_time(abr_text_line bare)
{
    size_t i = 0;
    while (i < bare.n && abr_is_letter(bare.p[i]))
        i++;
    return i > 1 && abr_is_upper(*bare.p) && abr_is_lower(bare.p[1]) && abr_has_at(bare, i, ": ", 2);
}

/* 12:34:56, 2026-11-22, 2026/11/22, [  12.345678], near the start. */
static bool has_time(abr_text_line line)
{
    size_t end = line.n < TIME_WITHIN ? line.n : TIME_WITHIN;
    for (size_t i = 0; i < end; i++) {
        size_t n = digits(line, i);
        if (n == 0)
            continue;
        size_t at = i + n;
        if (n == 2 && at + 5 < line.n && line.p[at] == ':' && digits(line, at + 1) == 2 &&
            line.p[at + 3] == ':' && digits(line, at + 4) == 2)
            return true;
        if (n == 4 && at + 5 < line.n && (line.p[at] == '-' || line.p[at] == '/') &&
            digits(line, at + 1) == 2 && line.p[at + 3] == line.p[at] && digits(line, at + 4) == 2)
            return true;
        if (*line.p == '[' && i < 8 && at < line.n && line.p[at] == '.' && digits(line, at + 1) >= 3)
            return ABR_CONTAINS(line, "]");
        i = at;
    }
    return false;
}

static bool is_level(abr_text_line word)
{
    static const char *const levels[] = {
        "CRITICAL", "DEBUG",  "ERR!",   "ERROR", "FAIL",    "FAILED", "FATAL",   "INFO", "NOTICE", "OK",
        "PASS",     "PASSED", "SEVERE", "SKIP",  "SKIPPED", "TRACE",  "VERBOSE", "WARN", "WARNING"};
    return ABR_IS_ONE_OF(word, levels);
}

static bool is_small_level(abr_text_line word)
{
    static const char *const levels[] = {"debug", "err",    "error", "fatal", "info",
                                         "note",  "notice", "trace", "warn",  "warning"};
    return ABR_IS_ONE_OF(word, levels);
}

/* A level as a word in capitals, or in brackets or before a colon: `INFO`, `[warn]`, `error:`. */
static float level(abr_text_line line)
{
    size_t end = line.n < LEVEL_WITHIN ? line.n : LEVEL_WITHIN;
    for (size_t i = 0; i < end; i++) {
        char before = (char)(i > 0 ? line.p[i - 1] : ' ');
        bool leads = i == 0 || before == '[';
        if ((!leads && !abr_is_upper(line.p[i])) || !abr_is_letter(line.p[i]) || !ABR_HAS(" [<|\t(", before))
            continue;
        size_t n = 1;
        while (i + n < line.n && (abr_is_word(line.p[i + n]) || line.p[i + n] == '!'))
            n++;
        abr_text_line word = {line.p + i, n};
        char after = (char)(i + n < line.n ? line.p[i + n] : ' ');
        if (ABR_HAS(" :]>|\t)", after) && is_level(word))
            return leads ? 1.0F : 0.8F;
        if ((i == 0 ? ABR_HAS(":[", after) : leads && after == ']') && is_small_level(word))
            return 1.0F;
    }
    return 0;
}

/* ---- diagnostics, and stacks ---- */

/* `file:12: text`, `file:12:3: text`, `file(12,3): text`: a place, a colon, one blank. */
static bool has_place(abr_text_line line)
{
    for (size_t i = 1; i + 3 < line.n; i++) {
        if (!ABR_HAS(":(,", line.p[i]))
            continue;
        size_t n = digits(line, i + 1);
        size_t at = i + 1 + n;
        if (n == 0 || n > 6)
            continue;
        if (at + 3 < line.n && line.p[at] == ')' &&
            (line.p[at + 1] == ':' || abr_has_at(line, at + 1, " : ", 3)))
            return true;
        if (at + 2 < line.n && line.p[at] == ':' && line.p[at + 1] == ' ' && line.p[at + 2] != ' ' &&
            abr_is_word(line.p[i - 1]))
            return true;
    }
    return false;
}

/* A line of source as compilers quote it, or what points at it. */
static bool is_excerpt(abr_text_line bare)
{
    size_t n = digits(bare, 0);
    abr_text_line rest = abr_trimmed(from(bare, n));
    bool bar = n > 0 && (IS(rest, "|") || ABR_STARTS(rest, "| "));
    if (bar || ABR_STARTS(bare, "--> ") || ABR_STARTS(bare, "= note: ") || ABR_STARTS(bare, "= help: "))
        return true;
    bool points = false;
    for (size_t i = 0; i < bare.n; i++) {
        if (!ABR_HAS("^~- |", bare.p[i]))
            return points && bare.p[i - 1] == ' ';
        points = points || bare.p[i] == '^';
    }
    return points;
}

static bool is_frame(abr_text_line bare, abr_char_set chars)
{
    if (ABR_STARTS(bare, "at "))
        return abr_has_any(chars, ABR_SET(":("));
    if (ABR_STARTS(bare, "File \""))
        return ABR_CONTAINS(bare, ", line ");
    if (*bare.p == '#')
        return digits(bare, 1) > 0 && ABR_CONTAINS(bare, " 0x");
    return ABR_STARTS(bare, "Traceback (most") || ABR_STARTS(bare, "Caused by: ") ||
           ABR_STARTS(bare, "goroutine ") || ABR_STARTS(bare, "stack traceback") ||
           (ABR_STARTS(bare, "==") && digits(bare, 2) > 0) || ABR_STARTS(bare, "... ");
}

/* `TypeError: ...`, `java.io.IOException: ...` at the start. */
static bool is_exception(abr_text_line line)
{
    size_t i = 0;
    while (i < line.n && (abr_is_word(line.p[i]) || line.p[i] == '.'))
        i++;
    abr_text_line word = {line.p, i};
    return (ENDS(word, "Error") || ENDS(word, "Exception") || ENDS(word, "error") || ENDS(word, "Warning")) &&
           i < line.n && line.p[i] == ':';
}

/* ---- commands, steps, tests ---- */

static bool is_command(abr_text_line word)
{
    static const char *const commands[] = {
        "ar",       "as",      "c++",    "cargo", "cc",    "cd",     "clang",   "clang++", "cmake",
        "cp",       "echo",    "g++",    "gcc",   "git",   "go",     "install", "javac",   "ld",
        "libtool:", "ln",      "make:",  "mkdir", "mv",    "ninja:", "node",    "npm",     "nvcc",
        "python",   "python3", "ranlib", "rm",    "rustc", "sed",    "strip",   "tsc"};
    for (size_t i = word.n; i-- > 0;)
        if (word.p[i] == '/') {
            word = from(word, i + 1);
            break;
        }
    if (word.n > 12)
        return ENDS(word, "-gcc") || ENDS(word, "-ld") || ENDS(word, "-ar");
    return ABR_IS_ONE_OF(word, commands);
}

static abr_text_line first_word(abr_text_line line)
{
    size_t i = 0;
    while (i < line.n && line.p[i] != ' ' && line.p[i] != '\t')
        i++;
    return (abr_text_line){line.p, i};
}

/* A command with options, echoed; traced by a shell; make telling where it is. */
static float command(abr_text_line line, abr_char_set chars)
{
    if (ABR_STARTS(line, "+ ") || ABR_STARTS(line, "++ ") || ABR_STARTS(line, "+++ ") ||
        ABR_STARTS(line, "$ "))
        return 0.8F;
    if (ABR_STARTS(line, "make[") || ABR_STARTS(line, "make: ") || ABR_STARTS(line, "ninja: ") ||
        ABR_STARTS(line, "libtool: "))
        return 1;
    return ABR_HOLDS(line, chars, " -") && is_command(first_word(line)) ? 1.0F : 0;
}

/* `[12/200]`, `[ 12%]`, `(12/200)`, ` 12%`. */
static bool is_progress(abr_text_line bare)
{
    size_t i = *bare.p == '[' || *bare.p == '(';
    while (i < bare.n && bare.p[i] == ' ')
        i++;
    size_t n = digits(bare, i);
    if (n == 0 || n > 7 || i + n >= bare.n)
        return false;
    i += n;
    if (bare.p[i] == '%')
        return true;
    return bare.p[i] == '/' && (*bare.p == '[' || *bare.p == '(') && digits(bare, i + 1) > 0;
}

static bool is_test(abr_text_line bare, abr_char_set chars)
{
#define TEXT(literal)                                                                                        \
    {                                                                                                        \
        literal, sizeof(literal) - 1                                                                         \
    }
    static const abr_text_line starts[] = {
        TEXT("ok "),          TEXT("not ok "),      TEXT("--- PASS"),     TEXT("--- FAIL"),
        TEXT("--- SKIP"),     TEXT("=== RUN"),      TEXT("=== PAUSE"),    TEXT("=== CONT"),
        TEXT("[ RUN  "),      TEXT("[   "),         TEXT("[---"),         TEXT("[==="),
        TEXT("\xE2\x9C\x93"), TEXT("\xE2\x9C\x94"), TEXT("\xE2\x9C\x97"), TEXT("\xE2\x9C\x98"),
        TEXT("\xE2\x9C\x96"), TEXT("\xC3\x97 "),    TEXT("\xE2\x88\x9A"), TEXT("ok\t"),
        TEXT("FAIL\t"),       TEXT("\xE2\x9D\xAF"), TEXT("Test #"),       TEXT("Start ")};
    static const abr_text_line finals[] = {
        TEXT("... FAIL"), TEXT("... ERROR"), TEXT("... yes"), TEXT("... no"),      TEXT("... ignored"),
        TEXT(" PASSED"),  TEXT(" FAILED"),   TEXT(" OK"),     TEXT(" ok"),         TEXT(" passed"),
        TEXT(" failed"),  TEXT(" done"),     TEXT("100%"),    TEXT(" deprecated"), TEXT("Passed")};
#undef TEXT
    /* the first chars of `starts`, the last chars of `finals` */
    bool may_start = (*bare.p & 0x80) || ABR_HAS("on-=[FTS", *bare.p);
    for (size_t i = 0; may_start && i < sizeof starts / sizeof *starts; i++)
        if (*bare.p == *starts[i].p && abr_has_at(bare, 0, starts[i].p, starts[i].n))
            return true;
    bool may_end = ABR_HAS("LRDKdeoks%", bare.p[bare.n - 1]);
    for (size_t i = 0; may_end && i < sizeof finals / sizeof *finals; i++)
        if (ends_with(bare, finals[i]))
            return true;
    return ABR_HOLDS(bare, chars, "PASSED ") || ABR_HOLDS(bare, chars, "FAILED ") ||
           ABR_HOLDS(bare, chars, "passed, ") || ABR_HOLDS(bare, chars, "failed, ");
}

/* `.....F...`, as test runners print a char a test. */
static bool is_row_of_dots(abr_text_line bare)
{
    size_t i = 0;
    if (!ABR_HAS("+.", *bare.p))
        return false;
    while (i < bare.n && ABR_HAS(".+-*FEsx", bare.p[i]))
        i++;
    size_t dots = i;
    while (i < bare.n && bare.p[i] == ' ')
        i++;
    return dots >= 5 && (i == bare.n || (bare.p[i] == '[' && dots > 5));
}

/* `0.02s`, `1.5 ms`, wherever it stands. */
static bool has_duration(abr_text_line bare)
{
    for (size_t i = 1; i + 2 < bare.n; i++) {
        if (bare.p[i] != '.' || !abr_is_digit(bare.p[i - 1]) || !abr_is_digit(bare.p[i + 1]))
            continue;
        size_t at = i + 1 + digits(bare, i + 1);
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
    if (i > 0 && (bare.p[i - 1] == ')' || bare.p[i - 1] == ']' || bare.p[i - 1] == '.'))
        i--;
    if (ENDS(((abr_text_line){bare.p, i}), "seconds"))
        i -= 6;
    if (i < 2 || bare.p[i - 1] != 's')
        return false;
    i--;
    if (i > 0 && (bare.p[i - 1] == 'm' || bare.p[i - 1] == 'u' || bare.p[i - 1] == 'n'))
        i--;
    while (i > 0 && bare.p[i - 1] == ' ')
        i--;
    size_t number = i;
    while (i > 0 && (abr_is_digit(bare.p[i - 1]) || bare.p[i - 1] == '.'))
        i--;
    return i < number && (i == 0 || !abr_is_word(bare.p[i - 1]));
}

/* `  CC  x.o`: what a quiet make is at. */
static bool is_made(abr_text_line bare)
{
    size_t i = 0;
    while (i < bare.n && abr_is_upper(bare.p[i]))
        i++;
    if (i < 2 || i >= bare.n || bare.p[i] != ' ')
        return false;
    abr_text_line rest = abr_trimmed(from(bare, i));
    return !memchr(rest.p, ' ', rest.n) && (ENDS(rest, ".o") || ENDS(rest, ".a") || ENDS(rest, ".so") ||
                                            ENDS(rest, ".ko") || ENDS(rest, ".lo") || i == 2);
}

/* `Compiling x`, `checking for x... yes`, `Setting up x`: what is being done. */
static float step(abr_text_line bare, abr_char_set chars)
{
    if (bare.n > STEP_LENGTH)
        return 0;
    abr_text_line word = first_word(bare);
    while (word.n > 0 && (word.p[word.n - 1] == ':' || word.p[word.n - 1] == '.'))
        word.n--;
    if (*bare.p == '[' && word.n > 3 && word.n < bare.n && word.p[word.n - 1] == ']' &&
        abr_is_letter(bare.p[1]))
        return 0.5F; /* `[server] listening` */
    char last = bare.p[bare.n - 1];
    if ((last == '|' || abr_is_digit(last)) && ABR_HOLDS(bare, chars, "....."))
        return 0; /* of a table of contents */
    if (word.n < bare.n && ABR_HOLDS(bare, chars, "... "))
        return 0.8F;
    if (word.n > 4 && ENDS(word, "ing") && bare.p[bare.n - 1] != ',')
        return abr_is_upper(*word.p) && bare.p[bare.n - 1] != '.' ? 0.7F : 0.4F;
    if (ENDS(bare, "..."))
        return 0.6F;
    if (ABR_STARTS(bare, "-- ")) /* of cmake, or a comment */
        return 0.2F;
    bool numbered = *bare.p == '#' && digits(bare, 1) > 0; /* `#12 [3/7] RUN`, `#12<tab>NEW` */
    if (numbered && 1 + digits(bare, 1) < bare.n && ABR_HAS(" \t", bare.p[1 + digits(bare, 1)]))
        return 0.8F;
    return ABR_STARTS(bare, "==> ") || ABR_STARTS(bare, ">>> ") || ABR_STARTS(bare, "-> ") ||
                   ABR_STARTS(bare, "##[") ||
                   (ABR_STARTS(bare, "::") && bare.n > 2 && abr_is_lower(bare.p[2]))
               ? 0.8F
               : 0;
}

/* `read(3, "...", 832) = 832`: a call and what came back, as strace tells it. */
static bool is_call(abr_text_line bare)
{
    size_t i = 0;
    while (i < bare.n && (abr_is_digit(bare.p[i]) || bare.p[i] == '.'))
        i++; /* when it was called */
    bare = abr_trimmed(from(bare, i));
    i = 0;
    while (i < bare.n && abr_is_word(bare.p[i]))
        i++;
    if (i == 0 || i >= bare.n || bare.p[i] != '(')
        return false;
    for (size_t at = bare.n; at-- > i + 3;)
        if (bare.p[at] == '=')
            return bare.p[at - 1] == ' ' && at + 2 < bare.n && bare.p[at + 1] == ' ' &&
                   (abr_is_digit(bare.p[at + 2]) || bare.p[at + 2] == '-' || bare.p[at + 2] == '?') &&
                   bare.p[bare.n - 1] != ';';
    return false;
}

/* `> Host: x`, `< Server: y`, `{ [123 bytes data]`, as curl shows what it sends and gets. */
static bool is_exchange(abr_text_line line)
{
    if (line.n < 4 || line.p[1] != ' ')
        return false;
    if (*line.p == '{' || *line.p == '}')
        return line.p[2] == '[' && ENDS(line, "data]");
    size_t i = 2;
    while (i < line.n && (abr_is_letter(line.p[i]) || line.p[i] == '-'))
        i++;
    return (*line.p == '<' || *line.p == '>') && i > 2 && abr_has_at(line, i, ": ", 2);
}

static bool is_record(abr_text_line line, abr_char_set chars)
{
    return is_exchange(line) || ABR_HOLDS(line, chars, "level=") || ABR_HOLDS(line, chars, "HTTP/1.") ||
           ABR_HOLDS(line, chars, "exit code") || ABR_HOLDS(line, chars, "exit status") ||
           ABR_HOLDS(line, chars, "npm ERR!") || ABR_HOLDS(line, chars, "panicked at");
}

float abr_log_signs(abr_text_line line, abr_text_line bare, abr_char_set chars)
{
    bool digits = abr_has_any(chars, ABR_DIGITS);
    bool colon = abr_has_char(chars, ':');
    if ((digits && has_time(line) && !names_a_time(bare)) || is_test(bare, chars) || is_excerpt(bare) ||
        is_frame(bare, chars) || (colon && is_exception(bare)) || (digits && is_progress(bare)) ||
        is_row_of_dots(bare) || is_made(bare) || (abr_has_char(chars, '=') && is_call(bare)) ||
        is_record(line, chars) || (digits && colon && has_place(bare)) || abr_has_char(chars, '\r'))
        return 1;
    float most = abr_has_any(chars, ABR_CAPITALS) || abr_has_any(chars, ABR_SET(":[")) ? level(line) : 0;
    float other = command(line, chars);
    most = other > most ? other : most;
    other = step(bare, chars);
    most = other > most ? other : most;
    if (most < 0.7F && (ends_with_time(bare) || (digits && has_duration(bare)) || abr_has_char(chars, ESC)))
        most = 0.7F;
    return most;
}
