/* Words and chars looked up in a list. */
#ifndef ABR_KINDS_WORDS_H
#define ABR_KINDS_WORDS_H

#include <string.h>

#include "abridge.h"
#include "base/ascii.h"
#include "base/private.h"
#include "kinds/lines.h"

ABR_PRIVATE_BEGIN

/* Is it one of `count` words, in the order of strcmp? */
static inline bool abr_is_one_of(abr_text_line word, const char *const *words, size_t count)
{
    size_t low = 0;
    while (low < count && word.n > 0) {
        size_t middle = low + (count - low) / 2;
        size_t n = 0;
        int order = (unsigned char)*word.p - (unsigned char)*words[middle]; /* most differ there */
        if (order == 0) {
            n = strlen(words[middle]);
            order = memcmp(word.p, words[middle], word.n < n ? word.n : n);
        }
        if (order == 0 && word.n == n)
            return true;
        if (order > 0 || (order == 0 && word.n > n))
            low = middle + 1;
        else
            count = middle;
    }
    return false;
}

/* The name at the start of a line: letters, digits, underscores. */
static inline abr_text_line abr_name_at(abr_text_line bare)
{
    size_t i = 0;
    while (i < bare.n && abr_is_word(bare.p[i]))
        i++;
    return (abr_text_line){bare.p, i};
}

/* Is the char in a set, a literal of at most 18 chars? Compilers make a test of one bit of these comparisons. */
#define ABR_HAS(set, c)                                                                                      \
    abr_is_any((c), ABR_NTH(set, 0), ABR_NTH(set, 1), ABR_NTH(set, 2), ABR_NTH(set, 3), ABR_NTH(set, 4),     \
               ABR_NTH(set, 5), ABR_NTH(set, 6), ABR_NTH(set, 7), ABR_NTH(set, 8), ABR_NTH(set, 9),          \
               ABR_NTH(set, 10), ABR_NTH(set, 11), ABR_NTH(set, 12), ABR_NTH(set, 13), ABR_NTH(set, 14),     \
               ABR_NTH(set, 15), ABR_NTH(set, 16), ABR_NTH(set, 17))
#define ABR_NTH(set, i) (set)[(i) < sizeof(set) - 1 ? (i) : 0]

static inline bool abr_is_any(char c, char a, char b, char d, char e, char f, char g, char h, char i, char j,
                              char k, char l, char m, char n, char o, char p, char q, char r, char s)
{
    return c == a || c == b || c == d || c == e || c == f || c == g || c == h || c == i || c == j || c == k ||
           c == l || c == m || c == n || c == o || c == p || c == q || c == r || c == s;
}

#define ABR_IS_ONE_OF(word, words) abr_is_one_of((word), (words), sizeof(words) / sizeof *(words))

ABR_PRIVATE_END

#endif
