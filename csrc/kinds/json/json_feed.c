/*
 * An array whose elements are the lines of a log is read like that log while it goes by. Each element, with
 * the blanks around it, is one line as long as its spelling. Other quotes mark the string in it that is
 * judged, so the line alone tells how to decode it.
 */
#include <string.h>

#include "kinds/json/json_feed.h"
#include "abridge.h"
#include "kinds/json/json_string.h"
#include "kinds/json/json_text.h"
#include "text/scan.h"

/* ---- lines ---- */

/* The next byte is one of a string. */
static void feed_string(abr_json_feed *f, char *p)
{
    if (f->is_key) {
        const bool same = f->matched > 0 && f->matched < f->key_n && f->key[f->matched] == *p;
        f->matched = same ? f->matched + 1 : 0;
    }
    if (f->escaped || *p == '\\') {
        f->escaped = !f->escaped;
        return;
    }
    if (*p != '"')
        return;
    if (f->in_line)
        *p = ABR_JSON_LINE_CLOSES;
    if (f->is_key)
        f->is_next = f->matched == f->key_n;
    f->in_string = f->in_line = f->is_key = false;
}

static void open_string(abr_json_feed *f, char *p)
{
    const bool of_record = f->depth == 2 && f->in_record;
    f->in_string = true;
    f->is_key = of_record && f->wants_key;
    f->matched = f->key_n > 0;
    f->in_line = !f->has_line && (f->key_n > 0 ? of_record && !f->wants_key && f->is_next : f->depth == 1);
    if (!f->in_line)
        return;
    f->has_line = true;
    *p = ABR_JSON_LINE_OPENS;
}

static void open_bracket(abr_json_feed *f, bool object)
{
    if (f->depth++ == 1)
        f->in_record = f->wants_key = object;
}

static void feed_comma(abr_json_feed *f, char *p)
{
    if (f->depth == 2)
        f->wants_key = f->in_record;
    if (f->depth != 1)
        return;
    *p = '\n';
    f->has_line = false;
}

/* The next byte is between strings. */
static void feed_token(abr_json_feed *f, char *p)
{
    f->solid += !abr_json_is_blank(*p);
    if (*p == '"')
        open_string(f, p);
    else if (*p == '{' || *p == '[')
        open_bracket(f, *p == '{');
    else if (*p == '}' || *p == ']')
        f->depth--;
    else if (*p == ',')
        feed_comma(f, p);
    else if (*p == ':')
        f->wants_key = f->wants_key && f->depth != 2;
    else if (*p == '\n')
        *p = ABR_JSON_NEWLINE;
}

void abr_json_feed_lines(abr_json_feed *f, char *p, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (!f->in_string) {
            feed_token(f, p + i);
            continue;
        }
        const size_t plain = f->is_key || f->escaped ? 0 : abr_json_plain_end(p, n, i) - i;
        f->solid += plain;
        i += plain;
        if (i == n)
            return;
        f->solid++;
        feed_string(f, p + i);
    }
}

/* ---- reading them ---- */

size_t abr_json_feed_decode(const char *p, size_t n, char *dst)
{
    const char *opens = memchr(p, ABR_JSON_LINE_OPENS, n);
    if (opens) {
        n -= (size_t)(opens + 1 - p);
        p = opens + 1;
    }
    const char *closes = memchr(p, ABR_JSON_LINE_CLOSES, n);
    n = abr_json_decode(p, closes ? (size_t)(closes - p) : n, dst);
    n -= n > 0 && dst[n - 1] == '\n';
    for (char *at = dst; (at = memchr(at, '\n', n - (size_t)(at - dst))) != NULL;)
        *at = ' ';
    return n;
}

uint64_t abr_json_feed_newlines(const char *p, size_t n)
{
    return abr_count_bytes(p, n, ABR_JSON_NEWLINE);
}

void abr_json_feed_spell(const char *p, size_t n, char *dst)
{
    for (size_t i = 0; i < n; i++)
        dst[i] = (char)(p[i] == ABR_JSON_NEWLINE                                      ? '\n'
                        : p[i] == ABR_JSON_LINE_OPENS || p[i] == ABR_JSON_LINE_CLOSES ? '"'
                                                                                      : p[i]);
}
