/* Words looked up in a list. */
#ifndef ABR_LINE_WORD_LIST_H
#define ABR_LINE_WORD_LIST_H

#include <string.h>

#include "abridge.h"
#include "base/ascii.h"
#include "base/private.h"
#include "line/lines.h"

ABR_PRIVATE_BEGIN

/* Is it one of `count` words, in the order of strcmp? */
static inline bool abr_is_one_of(abr_text_line word, const char *const *words, size_t count)
{
    size_t low = 0;
    while (low < count && word.n > 0) {
        size_t middle = low + (count - low) / 2;
        const char *other = words[middle];
        size_t i = 0;
        while (i < word.n && word.p[i] == other[i] && other[i] != '\0')
            i++;
        if (i == word.n && other[i] == '\0')
            return true;
        if (i < word.n && (unsigned char)word.p[i] >= (unsigned char)other[i])
            low = middle + 1;
        else
            count = middle;
    }
    return false;
}

#define ABR_IS_ONE_OF(word, words) abr_is_one_of((word), (words), sizeof(words) / sizeof *(words))

ABR_PRIVATE_END

#endif
