#include "text/base64.h"
#include "base/ascii.h"

bool abr_is_base64(char c)
{
    return abr_is_word(c) || c == '+' || c == '/' || c == '-' || c == '=';
}

/* The end of the run that starts at `at`. */
static size_t run_end(const char *p, size_t n, size_t at)
{
    while (at < n && abr_is_base64(p[at]))
        at++;
    return at;
}

static bool has_letter(const char *p, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (abr_is_letter(p[i]))
            return true;
    return false;
}

/* A run of more than `least` chars covers a multiple of `least` + 1: other places are looked at only near
 * such a char. */
size_t abr_base64_bytes(const char *p, size_t n, size_t least)
{
    size_t found = 0, past = 0; /* the end of the last run */
    for (size_t at = least; at < n; at += least + 1) {
        if (at < past || !abr_is_base64(p[at]))
            continue;
        size_t start = at;
        while (start > past && abr_is_base64(p[start - 1]))
            start--;
        past = run_end(p, n, at);
        if (past - start > least && has_letter(p + start, past - start))
            found += past - start;
    }
    return found;
}
