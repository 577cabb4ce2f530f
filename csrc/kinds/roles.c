#include <string.h>

#include "kinds/roles.h"
#include "base/ascii.h"
#include "line/nothing.h"
#include "line/score.h"
#include "line/words.h"

enum { LONGEST_ROLE = 32 /* bytes of a name with a role */ };

static const struct {
    const char *name; /* lower-case letters only */
    uint8_t n;
    uint8_t role;
} roles[] = {
#define ROLE(role, name, program, value) {name, sizeof(name) - 1, ABR_ROLE_##role},
#define STATE(clear, value, program)
#include "kinds/roles.def"
#undef ROLE
#undef STATE
};

abr_role abr_role_of(const char *name, size_t n)
{
    char letters[LONGEST_ROLE];
    size_t used = 0;
    if (n >= LONGEST_ROLE)
        return ABR_ROLE_NONE;
    for (size_t i = 0; i < n; i++)
        if (abr_is_letter(name[i]))
            letters[used++] = abr_to_lower(name[i]);
    for (size_t i = 0; i < sizeof roles / sizeof *roles; i++)
        if (used == roles[i].n && memcmp(letters, roles[i].name, used) == 0)
            return (abr_role)roles[i].role;
    return ABR_ROLE_NONE;
}

/* Is (p, n) this word of so many bytes, in whatever case? */
static bool is_text(const char *p, size_t n, const char *word, size_t word_n)
{
    for (size_t i = 0; n == word_n && i < n; i++)
        if (abr_to_lower(p[i]) != word[i])
            return false;
    return n == word_n;
}

/* Is it empty, zero, null, or a word for one of them? */
static bool says_nothing(const abr_lexicon *lexicon, const char *p, size_t n)
{
    size_t zeros = 0;
    for (size_t i = 0; i < n; i++)
        zeros += p[i] == '0' || p[i] == '.' || p[i] == '-' || p[i] == ' ';
    return zeros == n || abr_is_empty_word(lexicon, (abr_text_line){p, n});
}

/* The value as a whole number below a million; -1 if it isn't one. */
static long whole_number(const char *p, size_t n)
{
    enum { MOST_DIGITS = 6 };
    long number = 0;
    if (n == 0 || n > MOST_DIGITS)
        return -1;
    for (size_t i = 0; i < n; i++) {
        if (!abr_is_digit(p[i]))
            return -1;
        number = number * 10 + (p[i] - '0');
    }
    return number;
}

bool abr_is_whole_number(const char *p, size_t n)
{
    return whole_number(p, n) >= 0;
}

float abr_number_trouble(const abr_lexicon *lexicon, abr_role role, const char *p, size_t n)
{
    enum { SERVER_ERROR = 500, CLIENT_ERROR = 400, LAST_CODE = 599, LEVEL_ERROR = 50, LEVEL_WARNING = 40 };
    const long number = whole_number(p, n);
    if (lexicon->quiet & ABR_GROUP_SUMMARIES)
        return 0;
    switch (role) {
    case ABR_ROLE_STATE:
        if (number < CLIENT_ERROR || number > LAST_CODE)
            return 0;
        return number >= SERVER_ERROR ? ABR_SCORE_CLEAR : ABR_SCORE_HIT;
    case ABR_ROLE_LEVEL:
        if (number == LEVEL_WARNING)
            return ABR_SCORE_WARNED;
        return number >= LEVEL_ERROR && number <= LEVEL_ERROR + 20 ? ABR_SCORE_CLEAR : 0;
    case ABR_ROLE_EXIT:
    case ABR_ROLE_BAD:
        return says_nothing(lexicon, p, n) ? 0 : ABR_SCORE_BAD + 1;
    default:
        return 0;
    }
}

/* States that mean trouble, though their words don't in most sentences. */
static float state_trouble(const char *p, size_t n)
{
    static const struct {
        const char *text;
        uint8_t n;
        bool clear;
    } states[] = {
#define STATE(clear, value, program) {value, sizeof(value) - 1, clear},
#define ROLE(role, name, program, value)
#include "kinds/roles.def"
#undef ROLE
#undef STATE
    };
    static const abr_text_line ended[] = {{"Exited (", 8}, {"Restarting (", 12}}; /* with a code, of docker */
    for (size_t i = 0; i < sizeof states / sizeof *states; i++)
        if (n == states[i].n && (*p | ' ') == *states[i].text && is_text(p, n, states[i].text, n))
            return states[i].clear ? ABR_SCORE_BAD : ABR_SCORE_WEAK;
    for (size_t i = 0; i < sizeof ended / sizeof *ended; i++)
        if (n > ended[i].n && memcmp(p, ended[i].p, ended[i].n) == 0)
            return p[ended[i].n] == '0' ? 0 : ABR_SCORE_BAD + 1;
    return 0;
}

float abr_text_trouble(const abr_lexicon *lexicon, abr_role role, const char *p, size_t n, float words)
{
    if (lexicon->quiet & ABR_GROUP_FAILURES)
        return words;
    const float state = state_trouble(p, n);
    const float score = state > words ? state : words;
    if (role == ABR_ROLE_LEVEL && is_text(p, n, "high", 4)) /* of a scanner */
        return ABR_SCORE_HIT;
    if (role == ABR_ROLE_BAD)
        return says_nothing(lexicon, p, n) ? 0 : score > ABR_SCORE_BAD ? score : ABR_SCORE_BAD;
    if (role == ABR_ROLE_GOOD &&
        (is_text(p, n, "false", 5) || is_text(p, n, "no", 2) || is_text(p, n, "0", 1)))
        return ABR_SCORE_BAD + 1;
    return score;
}
