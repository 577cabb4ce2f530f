/*
 * A string that holds a program's log is read line by line while it goes by. The text read is as long as its
 * spelling, so that places in it are places in the source: lines are broken at the escape \n, and a line is
 * decoded when it is judged.
 */
#include <string.h>

#include "kinds/json/json_log.h"
#include "kinds/json/json_string.h"
#include "text/flow.h"
#include "text/scan.h"

/* ---- spelling ---- */

/* Bytes before the next backslash, often none. */
static inline size_t before_escape(const char *p, size_t n)
{
    if (n > 0 && *p == '\\')
        return 0;
    const char *escape = n > 0 ? memchr(p, '\\', n) : NULL;
    return escape ? (size_t)(escape - p) : n;
}

/* Break the lines of (p, n), which starts between chars. Returns n, or n - 1 if the last byte begins an
 * escape. */
static size_t break_string(char *p, size_t n)
{
    for (size_t i = 0; (i += before_escape(p + i, n - i)) < n; i += 2) {
        if (i + 1 == n)
            return i;
        if (p[i + 1] == 'n') {
            p[i] = ABR_JSON_BREAK;
            p[i + 1] = '\n';
        }
    }
    return n;
}

/* At least the number of lines in (p, n), of a string or an array: of its escapes \n and its commas. */
static uint64_t count_breaks(const char *p, size_t n)
{
    uint64_t count = 1 + abr_count_bytes(p, n, ',');
    for (size_t i = 0; (i += before_escape(p + i, n - i)) < n; i++)
        count += i + 1 == n || p[i + 1] == 'n';
    return count;
}

size_t abr_json_spell_piece(const char *p, size_t n, bool sure, size_t *skipped, char *dst)
{
    size_t i = sure ? 0 : abr_json_sure_place(p, n, 0);
    i += i < n && p[i] == '\n';
    *skipped = i;
    size_t used = 0;
    while (i < n) {
        const bool breaks = p[i] == ABR_JSON_BREAK;
        const size_t size = breaks ? 2 : abr_json_whole_char(p + i, n - i);
        if (size == 0 || size > n - i)
            break;
        memcpy(dst + used, breaks ? "\\n" : p + i, size);
        used += size;
        i += size;
    }
    return used;
}

/* ---- opening ---- */

/* Decode a line, or part of one. What marks the lines of an array is in no string, and the reverse. */
static size_t decode_line(const char *p, size_t n, char *dst)
{
    if (memchr(p, ABR_JSON_LINE_OPENS, n) || memchr(p, ABR_JSON_LINE_CLOSES, n))
        return abr_json_feed_decode(p, n, dst);
    n -= n > 0 && p[n - 1] == ABR_JSON_BREAK;
    return abr_json_decode(p, n, dst);
}

bool abr_json_log_open(abr_json_log *x, const abr_json_log_opts *opts, const char *text)
{
    const abr_retainer_opts own = {.text = text,
                                   .keep = opts->keep,
                                   .count = abr_json_feed_newlines,
                                   .inside = true,
                                   .decode = decode_line,
                                   .lexicon = opts->lexicon,
                                   .patterns = opts->patterns,
                                   .alloc = opts->alloc};
    return abr_retainer_open(&own, &x->retainer) == ABR_OK;
}

void abr_json_log_close(abr_json_log *x)
{
    abr_retainer_close(x->retainer);
    x->retainer = NULL;
}

/* ---- reading ---- */

bool abr_json_log_reserve(abr_json_log *x, const char *p, size_t n, size_t more)
{
    return abr_retainer_reserve(x->retainer, count_breaks(p, n) + more / 2, n + more);
}

static void count_log(abr_json_log *x, const char *p, size_t n)
{
    const abr_newlines found = abr_find_newlines(p, n, NULL);
    if (found.count > 0) {
        if (x->newlines == 0)
            x->first_line = x->bytes + found.first;
        x->line_before = found.count == 1 ? x->line : x->bytes + found.before_last + 1;
        x->line = x->bytes + found.last + 1;
    }
    x->newlines += found.count;
    x->blank_newlines += x->is_array ? abr_json_feed_newlines(p, n) : 0;
    x->bytes += n;
    x->ends_line = n > 0 ? p[n - 1] == '\n' : x->ends_line;
}

/* Break the lines of (p, n), and read them. Returns n, or n - 1 if the last byte begins an escape. */
static size_t take_lines(abr_json_log *x, char *p, size_t n)
{
    size_t read = n;
    if (x->is_array)
        abr_json_feed_lines(&x->feed, p, n);
    else
        read = break_string(p, n);
    x->escaped = read < n;
    abr_retainer_write(x->retainer, p, read);
    count_log(x, p, read);
    return read;
}

void abr_json_log_start(abr_json_log *x, const abr_json_feed *feed, char *p, size_t n, size_t edge)
{
    x->is_array = feed != NULL;
    if (feed)
        x->feed = *feed;
    const size_t read = take_lines(x, p, n);
    x->edge = x->back_n = edge;
    memmove(p + edge, p + (read - edge), edge);
    abr_json_log_moved(x, p);
}

void abr_json_log_moved(abr_json_log *x, char *p)
{
    x->front = p;
    x->back = p + x->edge;
}

void abr_json_log_write(abr_json_log *x, const char *p, size_t n)
{
    char *part = x->scratch;
    while (n > 0) {
        size_t used = 0;
        if (x->escaped)
            part[used++] = '\\';
        const size_t size = n < ABR_JSON_LOG_TOLD_BY - used ? n : ABR_JSON_LOG_TOLD_BY - used;
        memcpy(part + used, p, size);
        used += size;
        const size_t read = take_lines(x, part, used);
        x->back_n = abr_tail_add(x->back, x->back_n, x->edge, part, read);
        p += size;
        n -= size;
    }
}

bool abr_json_log_read(abr_json_log *x, const abr_json_log_opts *opts, size_t keep, const char *p, size_t n,
                       char **text)
{
    abr_json_log_opts own = *opts;
    own.keep = keep;
    *text = opts->alloc->malloc(opts->alloc->ctx, n);
    if (!*text)
        return false;
    memcpy(*text, p, n);
    if (!abr_json_log_open(x, &own, *text) || !abr_json_log_reserve(x, p, n, 0))
        return false;
    take_lines(x, *text, n);
    x->front = x->back = *text;
    x->edge = x->back_n = n;
    return true;
}

abr_view abr_json_log_view(const abr_json_log *x)
{
    const size_t back = x->back_n < x->edge ? x->back_n : x->edge;
    return (abr_view){.front = {x->front, x->edge, x->edge == x->bytes},
                      .back = {x->back + (x->back_n - back), back, back == x->bytes},
                      .bytes = x->bytes,
                      .lines = x->newlines + !x->ends_line,
                      .invalid = ABR_UNLIMITED,
                      .first_line = x->newlines > 0 ? x->first_line : x->bytes,
                      .last_line = x->ends_line ? x->line - 1 - x->line_before : x->bytes - x->line,
                      .ends_line = x->ends_line,
                      .retainer = x->retainer,
                      .kind = ABR_KIND_LOG};
}
