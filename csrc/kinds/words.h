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
    while (low < count) {
        size_t middle = low + (count - low) / 2;
        size_t n = strlen(words[middle]);
        int order = memcmp(word.p, words[middle], word.n < n ? word.n : n);
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

/* Is the char, evaluated twice, in the set? */
#define ABR_HAS(set, c) ((c) != '\0' && strchr((set), (c)) != NULL)

#define ABR_IS_ONE_OF(word, words) abr_is_one_of((word), (words), sizeof(words) / sizeof *(words))

ABR_PRIVATE_END

#endif
