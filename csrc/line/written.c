/*
 * Lines that are written, not reported: people write about errors in source code, manuals and commits, and a
 * log may show any of these.
 */
#include "line/written.h"
#include "abridge.h"
#include "base/ascii.h"
#include "line/evidence.h"
#include "line/listed.h"
#include "line/words.h"

static bool has(const abr_evidence *l, size_t from, char c)
{
    return from < l->n && memchr(l->p + from, c, l->n - from) != NULL;
}

/* ---- source ---- */

/* A call, a block, an assignment, an arrow. */
static bool has_source_signs(const abr_evidence *l, size_t from)
{
    for (size_t i = from; i + 1 < l->n; i++) {
        const char c = l->p[i];
        const char before = l->p[i - 1];
        const char after = l->p[i + 1];
        if (ABR_HAS("{}", c) || (c == '(' && (is_alnum(before) || before == '_')) ||
            (c == '=' && (before == ':' || after == '>' || (before == ' ' && after == ' '))))
            return true;
    }
    return false;
}

/* Does the line start like a statement, after the sign of a diff? */
static bool starts_as_source(const abr_evidence *l)
{
    /* Such words start sentences, too ("import cycle"), so source must also have brackets or a colon. */
    size_t i = l->words->indent;
    if (ABR_HAS("+-", byte_at(l, i)))
        i = skip(l, i + 1, ABR_SET(" \t"));
    if (starts_with(l, i, "} "))
        i += 2;
    size_t n = abr_listed_word(l, i, ABR_LIST_STATEMENT);
    if (n == 0 || byte_at(l, i + n) == '=') /* a field: "type=AVC msg=audit(1): avc:  denied  { write }" */
        return false;
    size_t end = end_without_blanks(l);
    char next = byte_at(l, i + n + 1);
    bool quotes = ABR_HAS("'\"", next) && abr_listed_word(l, i, ABR_LIST_QUOTED) > 0;
    if (l->p[end - 1] == ':' && abr_listed_word(l, i, ABR_LIST_BLOCK) > 0)
        return true;
    return ABR_HAS(";{", l->p[end - 1]) || next == '(' || quotes || has_source_signs(l, i + n);
}

/* errors = append(errors, err) */
static bool is_assignment(const abr_evidence *l)
{
    const size_t i = skip_name(l, l->words->indent, ABR_SET("_.,"));
    const size_t value = skip(l, i, ABR_SET(" :=+"));
    if (value < i + 3 || byte_at(l, value - 2) != '=' || byte_at(l, i) != ' ')
        return false;
    return byte_at(l, skip_name(l, value, ABR_SET("_.:"))) == '(';
}

/* Does the type of an error stand at `at`, before its message: "TypeError: x is not a function"? */
static bool heads_with_error(const abr_evidence *l, size_t at)
{
    const size_t end = skip(l, at, ABR_LETTERS);
    return abr_is_upper(byte_at(l, at)) && preceded_by(l, end, "Error") && starts_with(l, end, ": ") &&
           end >= at + 5;
}

/* "//shop/cart:total   FAILED", as Bazel lists what it builds in a column, and not a comment. */
static bool is_target(const abr_evidence *l, size_t i)
{
    const size_t at = skip_name(l, i + 2, ABR_SET("_-./:"));
    return at > i + 2 && starts_with(l, at, "  ") && memchr(l->p + i, ':', at - i) != NULL;
}

/* Does an element of a report say how something ended: "<error line="3" severity="error" ...", "<test
 * result="Failed" ..."? */
static bool has_bad_state(const abr_evidence *l)
{
    for (const abr_sign *s = l->words->signs; s < signs_end(l); s++)
        if ((s->class == ABR_WORD_ERROR || s->class == ABR_WORD_FAIL || s->class == ABR_WORD_FATAL) &&
            preceded_by(l, s->at, "=\"") && byte_at(l, end_of(s)) == '"' &&
            abr_is_listed_before(l, s->at - 2, ABR_LIST_STATE))
            return true;
    return false;
}

/* Comments, directives, annotations, documentation in comments. */
static bool starts_as_comment(const abr_evidence *l)
{
    const size_t i = l->words->indent;
    const char c = byte_at(l, i + 1);
    switch (byte_at(l, i)) {
    case '/':
        return (c == '/' && !is_target(l, i)) || c == '*';
    case '#': /* one blank and a word; test harnesses print "# fail 1", "#   Failed test" */
        if (c == '#' || abr_is_letter(c) || c == '!')
            return skip(l, i, ABR_SET("#")) < l->n;
        return c == '[' ||
               (c == ' ' && abr_is_letter(byte_at(l, i + 2)) &&
                !abr_is_digit(l->p[end_without_blanks(l) - 1]) && !(i == 0 && heads_with_error(l, 2)));
    case '*':
        return i > 0 && starts_with(l, i, "* @");
    case ':': /* :raises KeyError: */
        return abr_is_letter(c) && has(l, i + 2, ':');
    case '@':
        return abr_is_letter(c) && has(l, i, '(');
    case '<':
        return abr_is_letter(c) && l->p[end_without_blanks(l) - 1] == '>' && has(l, i, '=') &&
               !has_bad_state(l);
    case '.': /* a rule of a style sheet */
        return abr_is_letter(c) && has(l, i, '{');
    default:
        return false;
    }
}

/* Does the line end as statements do? */
static bool ends_as_source(const abr_evidence *l)
{
    size_t n = end_without_blanks(l);
    if (n < 3)
        return false;
    char c = l->p[n - 1];
    if (c == '{')
        return l->p[n - 2] != '>' && !starts_with(l, n - 3, ": {"); /* an object being shown */
    if (c == ';')
        return ABR_HAS(")}\"'", l->p[n - 2]) || l->words->indent > 0;
    if (starts_with(l, n - 3, ">&"))
        tell_digits(l);
    return starts_with(l, n - 3, ">&2") || starts_with(l, n - 2, "*/") || starts_with(l, n - 3, " do") ||
           (n > 6 && starts_with(l, n - 6, "; then"));
}

/* "[ -f x ] || exit 1", Write-Error "gone" */
static bool is_shell(const abr_evidence *l)
{
    const char *bar = memchr(l->p, '|', l->n);
    size_t at = bar ? (size_t)(bar - l->p) : 0;
    if (at > 0 && starts_with(l, at - 1, " || "))
        return true;
    return starts_with(l, l->words->indent, "set -") ||
           (starts_with(l, l->words->indent, "Write-") &&
            (has(l, l->words->indent, '"') || has(l, l->words->indent, '\'')) &&
            !has(l, l->words->indent, ':'));
}

/* ---- commits ---- */

/* Seconds or milliseconds, as a logger prints them: hashes of that length seldom lack letters. */
static bool is_time_since_1970(const abr_evidence *l, size_t start, size_t end)
{
    enum { SECONDS = 10, MILLISECONDS = 13 };
    return (end - start == SECONDS || end - start == MILLISECONDS) && skip(l, start, ABR_DIGITS) >= end;
}

static size_t skip_hash(const abr_evidence *l, size_t start)
{
    enum { LEAST = 7, MOST = 40 };
    bool digit = false;
    size_t i = start;
    for (; i < l->n && (abr_is_digit(l->p[i]) || (l->p[i] >= 'a' && l->p[i] <= 'f')); i++)
        digit = digit || abr_is_digit(l->p[i]);
    return digit && i - start >= LEAST && i - start <= MOST && !is_time_since_1970(l, start, i) ? i : 0;
}

/* Past the day, and the time of it, that `git log` may print after a hash: "2026-11-30 ". */
static size_t skip_day(const abr_evidence *l, size_t i)
{
    enum { DAY = 10, OF_MONTH = 7, OF_DAY = 4 };
    const size_t end = skip(l, i, ABR_SET("0123456789-:T+Z"));
    return end >= i + DAY && byte_at(l, i + OF_DAY) == '-' && byte_at(l, i + OF_MONTH) == '-' ? end : i;
}

/* "... (#412)" */
static bool ends_with_request(const abr_evidence *l)
{
    size_t n = end_without_blanks(l);
    if (n < 5 || l->p[n - 1] != ')')
        return false;
    const size_t i = abr_back(l->p, n - 1, ABR_DIGITS);
    return i < n - 1 && i >= 2 && l->p[i - 1] == '#' && l->p[i - 2] == '(';
}

static bool is_commit(const abr_evidence *l)
{
    size_t i = skip(l, 0, ABR_SET("*|/\\ -["));
    size_t end = skip_hash(l, i);
    if (end > 0 && byte_at(l, end) == ' ') {
        end = skip_day(l, skip(l, end, ABR_SET(" (-")));
        if (abr_is_letter(byte_at(l, skip(l, end, ABR_SET(" (")))))
            return true;
    }
    const bool heads = l->p[end_without_blanks(l) - 1] == ':'; /* Fix the following errors: */
    return (!heads && abr_listed_word(l, i, ABR_LIST_COMMIT) > 0) || starts_with(l, i, "Merge branch") ||
           starts_with(l, i, "Merge pull") || starts_with(l, i, "HEAD is now") ||
           starts_with(l, i, "Commit message") ||
           abr_commit_subject(&l->lexicon->forms, (abr_text_line){l->p + i, l->n - i}) == ABR_SUBJECT_SURE ||
           ends_with_request(l);
}

/* ---- manuals, lists ---- */

/* The heading of a man page's list of errors. */
static bool heads_errors(const abr_evidence *l)
{
    return l->words->words == 1 && starts_with(l, 0, "ERRORS") && end_without_blanks(l) == 6;
}

/* The help of an option: "  -k, --keep-going   go on after errors". */
static bool is_option_help(const abr_evidence *l)
{
    size_t i = l->words->indent;
    if (byte_at(l, i) != '-' || !(is_alnum(byte_at(l, i + 1)) || byte_at(l, i + 1) == '-'))
        return starts_with(l, i, "usage: ") || starts_with(l, i, "Usage: ");
    if (i == 0 && byte_at(l, 1) == '-' && byte_at(l, 2) == '-')
        return false; /* a rule, or --- FAIL */
    if (starts_with(l, skip(l, i + 1, ABR_SMALL_LETTERS), ": "))
        return false; /* -bash: of a login shell */
    while (i + 1 < l->n && !(l->p[i] == ' ' && l->p[i + 1] == ' '))
        i++;
    return abr_is_letter(byte_at(l, skip(l, i, ABR_SET(" "))));
}

bool abr_joins_tracebacks(const char *p, size_t n)
{
    return abr_starts_with(p, n, "_ _ _ _ ") || /* of pytest, between the entries of one */
           abr_starts_with(p, n, "During handling of the above exception") ||
           abr_starts_with(p, n, "The above exception was the direct cause");
}

bool abr_reads_as_text(const abr_evidence *l)
{
    return l->words->indent < l->n &&
           (abr_joins_tracebacks(l->p + l->words->indent, l->n - l->words->indent) ||
            (starts_as_comment(l) && !abr_starts_listed(l, l->words->indent, ABR_LIST_HARNESS)) ||
            abr_starts_listed(l, l->words->indent, ABR_LIST_SETUP) || is_commit(l) || heads_errors(l) ||
            abr_read_form(&l->lexicon->untroubled, (abr_text_line){l->p, l->n}).form != ABR_FORM_NONE);
}

bool abr_reads_as_source(const abr_evidence *l)
{
    return l->words->indent < l->n &&
           (ends_as_source(l) || starts_as_source(l) || is_assignment(l) || is_shell(l) || is_option_help(l));
}

/* ---- words ---- */

/* Does the name that ends at i name a function: in lower case, or a member of a module or an object? */
static bool is_function(const abr_evidence *l, size_t i)
{
    const size_t start = skip_name_back(l, i, ABR_SET("_.!:"));
    return start + 1 < i &&
           (memchr(l->p + start, '.', i - start) || l->p[start] == '_' || abr_is_lower(l->p[start]));
}

bool abr_is_argument(const abr_evidence *l, const abr_sign *s)
{
    enum { MOST = 120 };
    unsigned closed = 0;
    if (!memchr(l->p, '(', s->at))
        return false;
    for (size_t i = s->at; i > 0 && s->at - i < MOST; i--) {
        if (l->p[i - 1] == ')')
            closed++;
        else if (l->p[i - 1] == '(' && closed > 0)
            closed--;
        else if (l->p[i - 1] == '(')
            return is_function(l, i - 1);
    }
    return false;
}

/* Start of the word before i and one blank; i if there is none. */
static size_t word_before(const abr_evidence *l, size_t i)
{
    if (i < 2 || l->p[i - 1] != ' ')
        return i;
    const size_t start = abr_back(l->p, i - 1, abr_joined(ABR_LETTERS, ABR_SET("'")));
    return start < i - 1 ? start : i;
}

/* "(1.2ms)" and what follows it. */
static bool is_time_taken(const abr_evidence *l, size_t i)
{
    size_t at = skip(l, i + 1, ABR_SET(".0123456789"));
    at = skip(l, at, ABR_SET(" "));
    return byte_at(l, i) == '(' && abr_is_digit(byte_at(l, i + 1)) &&
           (starts_with(l, at, "ms)") || starts_with(l, at, "s)"));
}

size_t abr_skip_number_of_test(const abr_evidence *l, size_t i)
{
    const size_t which = byte_at(l, i) == '(' ? skip(l, i + 1, ABR_SET(" ")) : l->n;
    const size_t many = skip(l, which, ABR_DIGITS) + 1;
    const size_t end = many > which + 1 && byte_at(l, many - 1) == '/' ? skip(l, many, ABR_DIGITS) : l->n;
    if (!starts_with(l, end, ") ["))
        return i;
    const size_t stage = skip(l, end + 3, abr_joined(ABR_CAPITALS, ABR_SET(" ")));
    return starts_with(l, stage, "] ") ? stage + 2 : i;
}

/* Bytes of the verb that starts the title of a test, "rejects", if a word that may be one stands at i. It may
 * be a noun, too: "files were modified", "tests failed". */
static size_t verb_of_title(const abr_evidence *l, size_t i)
{
    enum { LEAST = 4 };
    const size_t listed = abr_is_lower(byte_at(l, i)) ? abr_listed_word(l, i, ABR_LIST_TITLE) : 0;
    const size_t end = skip(l, i, ABR_SMALL_LETTERS);
    if (listed > 0)
        return listed;
    if (end < i + LEAST || l->p[end - 1] != 's' || ABR_HAS("siu", l->p[end - 2]) || byte_at(l, end) != ' ' ||
        (l->words->count > 0 && l->words->signs[0].at == i) ||
        abr_listed_word(l, end + 1, ABR_LIST_OF_MANY) > 0)
        return 0;
    return preceded_by(l, skip(l, end + 1, ABR_SMALL_LETTERS), "ed") ? 0 : end - i;
}

/* Does a word for a bad state, with no thing after it, follow a plural that ends at i: "checksums mismatch",
 * "keys missing for the cart"? */
static bool is_state_of_many(const abr_evidence *l, size_t i)
{
    const abr_sign *s = l->words->count > 0 ? &l->words->signs[0] : NULL;
    if (!s || s->at != i + 1 || !(1U << s->class & (1U << ABR_WORD_BAD | 1U << ABR_WORD_LACK)))
        return false;
    const size_t next = skip(l, end_of(s), ABR_SET(" \r"));
    return next == l->n || starts_with(l, next, "for ") || starts_with(l, next, "in ") ||
           starts_with(l, next, "on ") || starts_with(l, next, "from ") || starts_with(l, next, "at ");
}

/* Is it the title of a test, as runners list them: "    rejects an invalid token", "  * test handles an error
 * (1.2ms)"? Nothing but small words may follow: no verdict, no number, no second clause. */
static bool is_title_of_test(const abr_evidence *l)
{
    size_t i = l->words->indent;
    if (abr_starts_listed(l, i, ABR_LIST_SCENARIO))
        return true;
    if (i < 2)
        return false;
    i = abr_skip_number_of_test(l, i);
    if (ABR_HAS("*+-", byte_at(l, i)) && byte_at(l, i + 1) == ' ')
        i += 2;
    if (starts_with(l, i, "test "))
        i += 5;
    const size_t verb = verb_of_title(l, i);
    if (l->words->classes & 1U << ABR_WORD_FATAL || is_state_of_many(l, i + verb))
        return false;
    i += verb;
    if (verb == 0 || starts_with(l, i, " to ") || starts_with(l, i, " because "))
        return false;
    i = skip(l, i, abr_joined(ABR_SMALL_LETTERS, ABR_SET(" '`\"-_\t\r")));
    return i == l->n || is_time_taken(l, i);
}

/* Does the line only say where more is told of it: "Failure feedback can be found at /srv/cart/failures"? */
static bool is_to_be_found(const abr_evidence *l, const abr_sign *s)
{
    return (s->class == ABR_WORD_FAIL || s->class == ABR_WORD_ERROR) &&
           has_from(l, end_of(s), " can be found at ");
}

bool abr_is_spoken_of(const abr_evidence *l, const abr_sign *s)
{
    if (is_title_of_test(l) || is_to_be_found(l, s))
        return true;
    if (!s->type && byte_at(l, end_of(s)) == ' ' &&
        abr_listed_word(l, end_of(s) + 1, ABR_LIST_SPOKEN_AFTER) > 0 && s->class != ABR_WORD_BAD)
        return true;
    if (abr_is_upper(l->p[s->at]) && abr_is_upper(l->p[s->at + 1]))
        return false;
    size_t i = word_before(l, s->at);
    if (i < s->at && abr_listed_word(l, i, ABR_LIST_SPOKEN_BEFORE) > 0 &&
        !preceded_by(l, s->at, "depends on "))
        return true;
    for (unsigned words = 0; i < s->at && words < 8; words++) {
        if (abr_listed_word(l, i, ABR_LIST_SPOKEN_FAR) > 0)
            return true;
        size_t start = word_before(l, i);
        if (start == i)
            break;
        i = start;
    }
    return false;
}

bool abr_is_reported(const abr_evidence *l, const abr_sign *s)
{
    const size_t end = end_of(s);
    const size_t next = skip(l, end, ABR_SET(" \t"));
    if (ABR_HAS("\"'", byte_before(l, s->at)) && ABR_HAS("\"'", byte_at(l, end)))
        return true;             /* the value of a status */
    if (byte_at(l, next) == '|') /* a column */
        return false;
    /* a title is not a report: "Error Record Serialization", unlike "Error During Test" */
    if (abr_is_upper(l->p[s->at]))
        return !(byte_at(l, end) == ' ' && abr_is_upper(byte_at(l, end + 1)) &&
                 !abr_is_upper(byte_at(l, end + 2)) && s->at != l->words->first) ||
               abr_listed_word(l, next, ABR_LIST_REPORT_AFTER) > 0;
    if (s->at == l->words->first)
        return byte_at(l, end) != ' ' || !abr_is_letter(byte_at(l, next)) || abr_is_upper(byte_at(l, next)) ||
               abr_listed_word(l, next, ABR_LIST_REPORT_AFTER) > 0;
    if (abr_is_digit(byte_at(l, next)) || ABR_HAS("-([,!:", byte_at(l, next)) ||
        abr_listed_word(l, next, ABR_LIST_REPORT_AFTER) > 0)
        return true;
    size_t i = word_before(l, s->at);
    for (unsigned words = 0; words < 2 && i < s->at; words++) {
        if (abr_listed_word(l, i, ABR_LIST_REPORT_BEFORE) > 0)
            return true;
        i = word_before(l, i);
    }
    return starts_with(l, s->at >= 4 ? s->at - 4 : 0, "I/O ");
}
