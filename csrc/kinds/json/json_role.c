/* The role of a value by its key: by the key's last word, alone or after others. */
#include <string.h>

#include "kinds/json/json_role.h"
#include "abridge.h"

enum { WORD_MOST = 8 /* bytes of the longest word below, in the plural */ };

static const char *const outcome_words[] = {"status", "error", "message", "code", "state"};
static const char *const naming_words[] = {"id", "name", "path", "url", "key"};

static bool is_capital(char c)
{
    return c >= 'A' && c <= 'Z';
}

static bool is_key_letter(char c)
{
    return is_capital(c) || (c >= 'a' && c <= 'z');
}

/* Is it one of the five words, or the plural of one? */
static bool is_word_of(const char *const five[5], const char *word, size_t n)
{
    for (size_t i = 0; i < 5; i++) {
        const size_t size = strlen(five[i]);
        if (memcmp(word, five[i], size < n ? size : n) == 0 &&
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
    while (i > 1 && used < WORD_MOST && is_key_letter(key[i - 1])) {
        i--;
        word[WORD_MOST - ++used] = (char)(key[i] | ' ');
        if (is_capital(key[i]) && !is_capital(key[i - 1]))
            break;
    }
    const char *start = word + WORD_MOST - used;
    const bool alone = i == 1;
    if (i > 1 && is_key_letter(key[i - 1]) && !is_capital(key[i]))
        return ABR_JSON_OTHER; /* only the end of a longer word */
    if (is_word_of(outcome_words, start, used))
        return ABR_JSON_OUTCOME;
    if (is_word_of(naming_words, start, used))
        return alone ? ABR_JSON_NAME : ABR_JSON_NAMES;
    return ABR_JSON_OTHER;
}

bool abr_json_is_code(const char *p, size_t n)
{
    enum { LEAST = 3, MOST = 80 };
    bool digit = false;
    if (n < LEAST || n > MOST)
        return false;
    for (size_t i = 0; i < n; i++) {
        if (p[i] == ' ' || p[i] == '\\')
            return false;
        digit = digit || (p[i] >= '0' && p[i] <= '9');
    }
    return digit;
}
