/* Lines read again, to explain their scores to people. */
#ifndef ABR_LINE_JUDGE_H
#define ABR_LINE_JUDGE_H

#include "abridge.h"
#include "base/private.h"
#include "line/hits.h"
#include "line/lexicon.h"
#include "line/line_score.h"
#include "line/trace.h"
#include "line/words.h"

ABR_PRIVATE_BEGIN

typedef struct {
    abr_lexicon lexicon;
    abr_patterns patterns;
    char segment[ABR_SEGMENT + ABR_PADDING];
} abr_judge;

typedef struct {
    abr_reading reading;
    abr_trace trace; /* its places count from the line's start */
} abr_judged;

/* Prepare a judge that goes by the options' hits and groups; the patterns must outlive it. */
void abr_judge_begin(abr_judge *j, const abr_opts *opts);

/* Read the line (p, n) as a cut does: a long one by segments, of which the highest score counts. */
void abr_judge_line(abr_judge *j, const char *p, size_t n, abr_judged *out);

ABR_PRIVATE_END

#endif
