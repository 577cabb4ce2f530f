/*
 * Lines read again. priority/retain.c reads the lines of a text as they go by, and remembers their scores;
 * this reads a single line and remembers the reasons.
 */
#include <string.h>

#include "line/judge.h"
#include "abridge.h"

enum {
    JUDGE_OVERLAP = ABR_OR_TINY(ABR_HIT_MOST + 2, 66) /* of segments: a match and a byte on each side */
};

_Static_assert((size_t)JUDGE_OVERLAP < ABR_SEGMENT, "each segment adds bytes");

void abr_judge_begin(abr_judge *j, const abr_opts *opts)
{
    abr_lexicon_open(&j->lexicon, opts->quiet_groups);
    j->patterns = (abr_patterns){.patterns = opts->hits, .count = opts->hit_count};
}

/* Read the n bytes of a segment, `from` bytes into its line. */
static void judge_segment(abr_judge *j, const char *p, size_t n, size_t from, abr_judged *out)
{
    if (n > 0)
        memcpy(j->segment, p + from, n);
    memset(j->segment + n, 0, ABR_PADDING);
    abr_trace_line(&j->lexicon, &j->patterns, j->segment, n, &out->reading, &out->trace);
    for (unsigned i = 0; i < out->trace.count; i++)
        out->trace.list[i].at += from;
}

void abr_judge_line(abr_judge *j, const char *p, size_t n, abr_judged *out)
{
    size_t from = 0;
    judge_segment(j, p, n < ABR_SEGMENT ? n : ABR_SEGMENT, 0, out);
    while (n - from > ABR_SEGMENT) {
        abr_judged next;
        from += ABR_SEGMENT - JUDGE_OVERLAP;
        judge_segment(j, p, n - from < ABR_SEGMENT ? n - from : ABR_SEGMENT, from, &next);
        if (!next.reading.hit || next.reading.line_score <= out->reading.line_score ||
            out->reading.kind == ABR_LINE_PASS)
            continue;
        out->reading.line_score = next.reading.line_score;
        out->reading.hit = true;
        out->trace = next.trace;
    }
}
