/*
 * After the start that tells its kind, a text is examined in blocks of one size at fixed places, so that the
 * result depends on the text alone. A log in the middle that is too short for the sample of lines is missed.
 */
#include <string.h>

#include "kinds/text/late_log.h"
#include "abridge.h"
#include "kinds/failing.h"
#include "kinds/text/log.h"
#include "line/form.h"
#include "line/lines.h"
#include "line/rule.h"

enum {
    BLOCK_LINES = 4, /* lines sampled per block */
    PRINTED = 2,     /* if so many can only be a log's, all lines are examined */
    /* bytes at the end, searched for a failure before the rest */
    SEARCHED_FIRST = ABR_OR_TINY(16 * 1024, 200)
};

/* The start of the first line that starts in (p, n). */
static size_t first_line(const char *p, size_t n)
{
    const char *newline = memchr(p, '\n', n);
    return newline ? (size_t)(newline - p) + 1 : n;
}

bool abr_find_log(const char *p, size_t n, abr_late_log *out)
{
    const size_t printed = abr_find_printed(p, n);
    size_t at = printed;
    if (at == n && n > SEARCHED_FIRST) { /* the search has a bound, and most failures are at the end */
        const size_t end = n - SEARCHED_FIRST + first_line(p + n - SEARCHED_FIRST, SEARCHED_FIRST);
        at = end + abr_find_failure(p + end, n - end);
    }
    if (at == n)
        at = abr_find_failure(p, n);
    *out = at < n ? (abr_late_log){.sign = at, .printed = printed < n} : (abr_late_log){.from = 0};
    return at < n;
}

static bool find_from(size_t from, const char *p, size_t n, abr_late_log *out)
{
    const bool found = abr_find_log(p + from, n - from, out);
    out->from += found ? from : 0;
    out->sign += found ? from : 0;
    return found;
}

static bool sample_tells(const abr_forms *forms, const char *p, size_t n)
{
    unsigned printed = 0;
    for (size_t i = 0; printed + (BLOCK_LINES - i) >= PRINTED && i < BLOCK_LINES; i++) {
        const size_t place = i * (n / BLOCK_LINES);
        size_t at = place + first_line(p + place, n - place);
        abr_text_line line;
        if (!abr_next_line(p, n, &at, &line))
            return false;
        const abr_form_told told = abr_read_whole_form(forms, line);
        printed += told.log >= 1 && told.text < 1;
    }
    return printed >= PRINTED;
}

/* Have the lines that are sampled in a block, far apart in memory, fetched before they are needed. */
static void fetch_ahead(const char *p, size_t n)
{
#if defined(__GNUC__)
    for (size_t i = 0; i < BLOCK_LINES; i++)
        __builtin_prefetch(p + i * (n / BLOCK_LINES));
#else
    (void)p;
    (void)n;
#endif
}

bool abr_log_in_blocks(const char *p, size_t n, size_t *at, abr_late_log *out)
{
    abr_forms forms;
    *at = 0;
    *out = (abr_late_log){.from = 0};
    if (n < ABR_TEXT_BLOCK)
        return false;
    abr_forms_open(&forms, ABR_ALL_FORMS, ABR_NO_RULE);
    for (; n - *at >= ABR_TEXT_BLOCK; *at += ABR_TEXT_BLOCK) {
        const char *block = p + *at;
        if (n - *at >= 3 * (size_t)ABR_TEXT_BLOCK)
            fetch_ahead(block + 2 * (size_t)ABR_TEXT_BLOCK, ABR_TEXT_BLOCK);
        if (sample_tells(&forms, block, ABR_TEXT_BLOCK) &&
            find_from(first_line(block, ABR_TEXT_BLOCK), block, ABR_TEXT_BLOCK, out))
            return true;
    }
    return false;
}

bool abr_log_in_end(bool starts, const char *p, size_t n, abr_late_log *out)
{
    return find_from(starts ? 0 : first_line(p, n), p, n, out);
}

bool abr_find_late_log(const char *p, size_t n, size_t told, abr_late_log *out)
{
    size_t at;
    bool found = abr_log_in_blocks(p + told, n - told, &at, out);
    at += told;
    if (!found) {
        at -= at > 0 ? ABR_TEXT_BLOCK : 0;
        found = abr_log_in_end(at == 0, p + at, n - at, out);
    }
    out->from += found ? at : 0;
    out->sign += found ? at : 0;
    return found;
}
