/* The role of a value by its key: by the key's last word, alone or after others. */
#include <string.h>

#include "kinds/json/json_role.h"
#include "abridge.h"
#include "base/ascii.h"

enum { WORD_MOST = 9 /* bytes of the longest word below, in the plural */ };

typedef struct {
    const char *text;
    uint8_t n;
    uint8_t role; /* of a key that is this word */
} role_word;

static const role_word role_words[] = {
    {"id", 2, ABR_JSON_NAME},        {"url", 3, ABR_JSON_NAME},        {"key", 3, ABR_JSON_NAME},
    {"name", 4, ABR_JSON_NAME},      {"path", 4, ABR_JSON_NAME},       {"title", 5, ABR_JSON_NAME},
    {"code", 4, ABR_JSON_OUTCOME},   {"error", 5, ABR_JSON_OUTCOME},   {"state", 5, ABR_JSON_OUTCOME},
    {"status", 6, ABR_JSON_OUTCOME}, {"message", 7, ABR_JSON_OUTCOME}, {"severity", 8, ABR_JSON_OUTCOME},
};

/* The role of a word, which may be the plural of one above. */
static abr_json_role role_of_word(const char *word, size_t n)
{
    for (size_t i = 0; i < sizeof role_words / sizeof *role_words; i++) {
        const role_word *w = &role_words[i];
        if ((n == w->n || (n == w->n + 1U && word[n - 1] == 's')) && memcmp(word, w->text, w->n) == 0)
            return (abr_json_role)w->role;
    }
    return ABR_JSON_OTHER;
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
    const abr_json_role role = role_of_word(start, used);
    return role == ABR_JSON_NAME && !alone ? ABR_JSON_NAMES : role;
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
