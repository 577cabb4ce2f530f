/*
 * Is a text the log of a command at work, or something written? Each line that is looked at gives evidence of both. Few
 * lines of a log have none of a log; in what was written they are rare.
 */
#include "kinds/log.h"
#include "abridge.h"
#include "kinds/lines.h"
#include "kinds/log_signs.h"
#include "kinds/text_signs.h"
#include "text/scan.h"

enum {
    SAMPLED = 1024,  /* lines */
    LOOKED_AT = 240, /* bytes of a line */
    LONG_LINE = 1000,
    LONG_WEIGHT = 8 /* lines that a longer one counts as */
};

static const float least_text = 0.35F; /* of the lines */
static const float text_a_log = 3.0F;  /* evidence of text for each of a log */

typedef struct {
    float log;
    float text;
    float lines;
} evidence;

static void weigh_line(evidence *e, abr_text_line line)
{
    float weight = line.n >= LONG_LINE ? LONG_WEIGHT : 1;
    abr_text_line start = {line.p, line.n < LOOKED_AT ? line.n : LOOKED_AT};
    abr_text_line bare = abr_trimmed(start);
    if (bare.n == 0)
        return;
    float log = abr_log_signs(start, bare);
    float text = line.n >= LONG_LINE && log < 1 ? 1 : abr_text_signs(start, bare);
    e->log += weight * (text > log ? log / 4 : log);
    e->text += weight * (log > text ? text / 4 : text);
    e->lines += weight;
}

bool abr_is_written(const char *p, size_t n)
{
    uint64_t lines = abr_count_newlines(p, n) + 1;
    uint64_t step = (lines + SAMPLED - 1) / SAMPLED;
    evidence e = {0};
    abr_text_line line;
    for (size_t at = 0; abr_next_line(p, n, &at, &line);) {
        weigh_line(&e, line);
        uint64_t passed = step - 1;
        at += abr_nth_newline(p + at, n - at, &passed);
    }
    return e.text >= least_text * e.lines && e.text >= text_a_log * e.log;
}
