/* The role of a value by its key: by the key's last word, alone or after others. */
#include <string.h>

#include "kinds/json/json_role.h"
#include "abridge.h"
#include "base/ascii.h"

enum {
    ROLE_WORDS = 6, /* in each list below */
    WORD_MOST = 9   /* bytes of the longest one, in the plural */
};

static const char *const outcome_words[ROLE_WORDS] = {"status", "error", "message",
                                                      "code",   "state", "severity"};
static const char *const naming_words[ROLE_WORDS] = {"id", "name", "title", "path", "url", "key"};

/* Is it one of the words, or the plural of one? */
static bool is_word_of(const char *const words[ROLE_WORDS], const char *word, size_t n)
{
    for (size_t i = 0; i < ROLE_WORDS; i++) {
        const size_t size = strlen(words[i]);
        if (memcmp(word, words[i], size < n ? size : n) == 0 &&
            (n == size || (n == size + 1 && word[n - 1] == 's')))
            return true;
    }
    return false;
}

abr_json_role abr_json_role_of(const char *key, size_t n)
{
    char word[WORD_MOST];
    size_t used = 0;
    size_t i = n - 1;
    while (i > 1 && used < WORD_MOST && abr_is_letter(key[i - 1])) {
        i--;
        word[WORD_MOST - ++used] = (char)(key[i] | ' ');
        if (abr_is_upper(key[i]) && !abr_is_upper(key[i - 1]))
            break;
    }
    const char *start = word + WORD_MOST - used;
    const bool alone = i == 1;
    if (i > 1 && abr_is_letter(key[i - 1]) && !abr_is_upper(key[i]))
        return ABR_JSON_OTHER; /* only the end of a longer word */
    if (is_word_of(outcome_words, start, used))
        return ABR_JSON_OUTCOME;
    if (is_word_of(naming_words, start, used))
        return alone ? ABR_JSON_NAME : ABR_JSON_NAMES;
    return ABR_JSON_OTHER;
}

/* Bytes of the digits at p, of which at most `most` are looked at. */
static size_t digits_at(const char *p, size_t n, size_t most)
{
    size_t i = 0;
    while (i < n && i < most && abr_is_digit(p[i]))
        i++;
    return i;
}

/* Does it start with a date or a time of day: "2026-11-28", "28/11/2026", "10:03", "10:03:07"? */
static bool is_time(const char *p, size_t n)
{
    enum { YEAR = 4, PART = 2 };
    const size_t first = digits_at(p, n, YEAR);
    if (first == 0 || first == YEAR - 1 || first == n || !memchr("-/:", p[first], 3))
        return false;
    const size_t second = digits_at(p + first + 1, n - first - 1, PART);
    const size_t end = first + 1 + second;
    if (second == 0 || (end == n && p[first] != ':'))
        return false;
    return end == n || (p[end] == p[first] && digits_at(p + end + 1, n - end - 1, PART) > 0);
}

bool abr_json_is_code(const char *p, size_t n)
{
    enum { LEAST = 3, MOST = 80 };
    bool digit = false;
    if (n < LEAST || n > MOST || is_time(p, n))
        return false;
    for (size_t i = 0; i < n; i++) {
        if (p[i] == ' ' || p[i] == '\\')
            return false;
        digit = digit || abr_is_digit(p[i]);
    }
    return digit;
}
