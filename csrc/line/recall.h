/* Lines read before. */
#ifndef ABR_LINE_RECALL_H
#define ABR_LINE_RECALL_H

#include "abridge.h"
#include "base/private.h"
#include "base/tiny.h"
#include "line/hits.h"
#include "line/lexicon.h"
#include "line/line_score.h"

ABR_PRIVATE_BEGIN

enum {
    ABR_RECALLED = ABR_OR_TINY(512, 4),       /* lines, a power of 2, */
    ABR_RECALLED_FEW = ABR_OR_TINY(16, 2),    /* fewer if memory is scarce, */
    ABR_RECALLED_BYTES = ABR_OR_TINY(192, 40) /* most bytes of each, without the time at its start */
};

typedef struct {
    char text[ABR_RECALLED_BYTES];
    abr_reading reading;
} abr_recalled;

/* Lines by their hash. */
typedef struct {
    uint16_t sizes[ABR_RECALLED]; /* bytes of each line, plus 1; 0: free */
    unsigned count;               /* of the lines: ABR_RECALLED, or ABR_RECALLED_FEW */
    abr_recalled *lines;          /* need not be zeroed */
} abr_recall;

/* Read a line as abr_read_line() does, but only look it up if it was read before. `folded`: its bytes, each
 * digit a zero, with eight readable bytes after them. It has escape sequences only if `escapes`. */
void abr_recall_line(abr_recall *x, const abr_lexicon *lexicon, const abr_patterns *patterns, const char *p,
                     const char *folded, size_t n, bool escapes, abr_reading *out);

ABR_PRIVATE_END

#endif
