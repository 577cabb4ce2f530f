/*
 * Arrays that hold a log line by line: ["...", "..."], [{"type":"stdout","data":"..."}]. Their elements are
 * chosen as for the log, since a failure is seldom reported by one line alone.
 *
 * While it goes by, such an array is fed to the reader of that log. Each element, with the blanks around it,
 * is one line as long as its spelling. Other quotes mark the string in it that is judged, so the line alone
 * tells how to decode it.
 */
#include <string.h>

#include "kinds/json/json_joined.h"
#include "base/memory.h"
#include "kinds/json/json_string.h"
#include "kinds/json/json_text.h"
#include "kinds/json/json_values.h"
#include "text/scan.h"

/* ---- feeding them ---- */

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

/* ---- reading what is fed ---- */

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

enum {
    AVERAGE_LEAST = 22, /* bytes of a line, with its quotes */
    KEYS = 8,           /* keys of a record that are examined */
    LACKING = 10        /* one in so many elements may lack its line */
};

/* ---- reading an array at hand ---- */

/* A string of a record, by its key. */
typedef struct {
    const char *key; /* with its quotes */
    size_t key_n;
    uint64_t bytes;
    size_t count;
    size_t titles; /* how many are the words of a title or a name */
} record_key;

typedef struct {
    const char *p;
    size_t n;
    uint64_t levels;
    abr_json_scan scan;
    size_t at;
    size_t from; /* start of the token */
    size_t end;
} element_reader;

/* The next token; false at the end, or if the array is deeper than a log's. */
static bool next_token(element_reader *r, abr_json_token *token)
{
    *token = abr_json_next(&r->scan, r->p, r->n, &r->at);
    r->from = (size_t)r->scan.start;
    r->end = r->at;
    return *token != ABR_JSON_MORE && *token != ABR_JSON_DEEP && *token != ABR_JSON_WRONG;
}

/* Note a string (p, n) of a record. */
static void note_string(record_key keys[KEYS], const char *key, size_t key_n, const char *p, size_t n)
{
    for (size_t i = 0; i < KEYS; i++) {
        if (keys[i].key && (keys[i].key_n != key_n || memcmp(keys[i].key, key, key_n) != 0))
            continue;
        keys[i].key = key;
        keys[i].key_n = key_n;
        keys[i].bytes += n;
        keys[i].count++;
        keys[i].titles += abr_json_role_of(key, key_n) == ABR_JSON_NAME && abr_count_bytes(p, n, ' ') > 0;
        return;
    }
}

/* The contents of an array. */
typedef struct {
    size_t strings;
    size_t records;
    size_t others;
    uint64_t bytes;  /* bytes of the strings */
    record_key line; /* for records: the key of the line */
    bool titled;     /* most have a title, so what is long in them is no line */
} array_shape;

static bool find_shape(const char *p, size_t n, array_shape *out)
{
    record_key keys[KEYS] = {{NULL, 0, 0, 0, 0}};
    const char *key = NULL;
    size_t key_n = 0;
    element_reader r = {.p = p, .n = n};
    abr_json_token token;
    *out = (array_shape){0};
    abr_json_open(&r.scan, &r.levels, ABR_JSON_LEVELS);
    while (next_token(&r, &token)) {
        const size_t depth = r.scan.depth;
        if (token == ABR_JSON_OPEN && depth == 2) {
            out->records += p[r.from] == '{';
            out->others += p[r.from] == '[';
        } else if (token == ABR_JSON_KEY && depth == 2) {
            key = p + r.from;
            key_n = r.end - r.from;
        } else if (token == ABR_JSON_STRING && depth == 2 && r.scan.in_object) {
            note_string(keys, key, key_n, p + r.from, r.end - r.from);
        } else if (token != ABR_JSON_OPEN && token != ABR_JSON_CLOSE && depth == 1) {
            out->bytes += r.end - r.from;
            out->strings += token == ABR_JSON_STRING;
            out->others += token != ABR_JSON_STRING;
        }
    }
    for (size_t i = 0; i < KEYS; i++) {
        out->titled = out->titled || keys[i].titles > out->records / 2;
        if (keys[i].bytes > out->line.bytes)
            out->line = keys[i];
    }
    return r.at == n && token == ABR_JSON_MORE;
}

/* Are the lines strings of records? Else they are the elements. */
static bool are_in_records(const array_shape *s)
{
    return s->line.count > s->strings;
}

/* Is it a list of lines of some length? Short strings of records are names or states. */
static bool is_list_of_lines(const array_shape *s)
{
    const size_t count = s->strings + s->records + s->others;
    const size_t lines = are_in_records(s) ? s->line.count : s->strings;
    const uint64_t bytes = are_in_records(s) ? s->line.bytes : s->bytes;
    return !s->titled && count >= ABR_JSON_LINES_LEAST && bytes / count >= AVERAGE_LEAST &&
           lines >= count - count / LACKING;
}

/* Most bytes of the joined lines: each has a newline in place of two quotes. */
static size_t joined_most(const array_shape *s)
{
    return are_in_records(s) ? (size_t)s->line.bytes - s->line.count : (size_t)s->bytes - s->strings;
}

/* Add the line that a string spells, without its final newline. */
static void add_line(abr_json_line_list *x, const char *p, size_t n, uint32_t *lines)
{
    char *line = x->text + x->text_n;
    size_t size = abr_json_decode(p + 1, n - 2, line);
    size -= size > 0 && line[size - 1] == '\n';
    line[size++] = '\n';
    x->text_n += size;
    *lines += (uint32_t)abr_count_newlines(line, size);
}

static void read_element_lines(abr_json_line_list *x, const char *p, size_t n, const array_shape *shape)
{
    element_reader r = {.p = p, .n = n};
    abr_json_token token;
    uint32_t lines = 0;
    bool has_line = false;
    bool is_line = false; /* the value of the line's key */
    const bool in_records = are_in_records(shape);
    abr_json_open(&r.scan, &r.levels, ABR_JSON_LEVELS);
    while (next_token(&r, &token)) {
        const size_t depth = r.scan.depth;
        const bool whole = depth == 1 && token != ABR_JSON_OPEN && token != ABR_JSON_CLOSE;
        x->size += r.end - r.from + (token != ABR_JSON_OPEN && token != ABR_JSON_CLOSE);
        if (whole || (token == ABR_JSON_OPEN && depth == 2)) {
            x->elements[x->count] = (abr_json_element){.from = (uint32_t)r.from, .line = lines & INT32_MAX};
            has_line = false;
        }
        if (token == ABR_JSON_KEY && depth == 2)
            is_line = r.end - r.from == shape->line.key_n &&
                      memcmp(p + r.from, shape->line.key, shape->line.key_n) == 0;
        if (token == ABR_JSON_STRING && !has_line && (in_records ? depth == 2 && is_line : whole)) {
            add_line(x, p + r.from, r.end - r.from, &lines);
            has_line = true;
        }
        if (!whole && (token != ABR_JSON_CLOSE || depth != 1))
            continue;
        x->count++;
        is_line = false;
    }
}

bool abr_json_are_lines(const char *p, size_t n, abr_json_feed *feed)
{
    array_shape shape;
    *feed = (abr_json_feed){.key_n = 0};
    if (!find_shape(p, n, &shape) || !is_list_of_lines(&shape) || shape.line.key_n > sizeof feed->key)
        return false;
    feed->key_n = are_in_records(&shape) ? shape.line.key_n : 0;
    if (feed->key_n > 0)
        memcpy(feed->key, shape.line.key, feed->key_n);
    return true;
}

bool abr_json_join(const char *p, size_t n, const abr_alloc *alloc, abr_json_line_list *x)
{
    array_shape shape;
    *x = (abr_json_line_list){.alloc = alloc, .n = n};
    if (n > INT32_MAX || !find_shape(p, n, &shape) || !is_list_of_lines(&shape))
        return false;
    const size_t count = shape.strings + shape.records + shape.others;
    x->elements = alloc->malloc(alloc->ctx, count * sizeof *x->elements);
    x->text = alloc->malloc(alloc->ctx, joined_most(&shape));
    x->failed = !x->elements || !x->text;
    if (x->failed)
        return false;
    read_element_lines(x, p, n, &shape);
    return true;
}

size_t abr_json_element_end(const abr_json_line_list *x, const char *p, size_t i)
{
    const bool last = i + 1 == x->count;
    size_t end = last ? x->n : x->elements[i + 1].from;
    while (abr_json_is_blank(p[end - 1]) || (p[end - 1] == ',' && !last))
        end--;
    return end;
}

void abr_json_joined_free(abr_json_line_list *x)
{
    abr_release(x->alloc, x->elements);
    abr_release(x->alloc, x->text);
}
