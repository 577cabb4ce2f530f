/* How rare a line's words are, in the text that was counted. */
#include <string.h>

#include "priority/rarity.h"
#include "abridge.h"
#include "base/log2.h"
#include "line/lexicon.h"
#include "line/words.h"

static float rarity_of_word(uint16_t seen, uint64_t lines)
{
    uint64_t times = seen > 0 ? seen : 1;
    return times < lines ? abr_log2((float)lines / (float)times) : 0;
}

float abr_rarity(const abr_word_counts *c, const abr_lexicon *lexicon, const char *p, size_t n,
                 uint64_t lines)
{
    char start[ABR_PLAIN_WITHIN + ABR_PADDING + ABR_PADDING];
    size_t most = ABR_PLAIN_WITHIN + ABR_PADDING; /* with the rest of the last word */
    n = n < most ? n : most;
    memcpy(start, p, n);
    memset(start + n, 0, ABR_PADDING);
    abr_line_words words = {.count = 0};
    abr_read_words(lexicon, start, n, ABR_READ_ALL, &words);
    float sum = 0;
    float rarest = 0;
    for (unsigned i = 0; i < words.plain_count; i++) {
        float rarity = rarity_of_word(*abr_word_count(c, words.plain[i]), lines);
        sum += rarity;
        rarest = rarity > rarest ? rarity : rarest;
    }
    return words.plain_count == 0 ? 0 : (sum / (float)words.plain_count + rarest) / 2;
}
