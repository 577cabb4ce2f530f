/*
 * Arrays that hold a log line by line: ["...", "..."], [{"type":"stdout","data":"..."}]. Their elements are
 * chosen as for the log, since a failure is seldom reported by one line alone.
 */
#include <string.h>

#include "kinds/json/json_joined.h"
#include "abridge.h"
#include "base/memory.h"
#include "base/tiny.h"
#include "kinds/json/json_inner.h"
#include "kinds/json/json_string.h"
#include "kinds/json/json_text.h"
#include "text/scan.h"

enum {
    AVERAGE_LEAST = 24, /* bytes of an element */
    KEYS = 8,           /* keys of a record that are examined */
    LACKING = 10        /* one in so many records may lack its line */
};

/* ---- reading ---- */

/* A string of a record, by its key. */
typedef struct {
    const char *key; /* with its quotes */
    size_t key_n;
    uint64_t bytes;
    size_t count;
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

/* Note a string of a record. */
static void note_string(record_key keys[KEYS], const char *key, size_t key_n, size_t bytes)
{
    for (size_t i = 0; i < KEYS; i++) {
        if (keys[i].key && (keys[i].key_n != key_n || memcmp(keys[i].key, key, key_n) != 0))
            continue;
        keys[i].key = key;
        keys[i].key_n = key_n;
        keys[i].bytes += bytes;
        keys[i].count++;
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
} array_shape;

static bool find_shape(const char *p, size_t n, array_shape *out)
{
    record_key keys[KEYS] = {{NULL, 0, 0, 0}};
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
        } else if (token == ABR_JSON_STRING && depth == 2 && abr_json_in_object(&r.scan)) {
            note_string(keys, key, key_n, r.end - r.from);
        } else if (token != ABR_JSON_OPEN && token != ABR_JSON_CLOSE && depth == 1) {
            out->bytes += r.end - r.from;
            out->strings += token == ABR_JSON_STRING;
            out->others += token != ABR_JSON_STRING;
        }
    }
    for (size_t i = 0; i < KEYS; i++)
        if (keys[i].bytes > out->line.bytes)
            out->line = keys[i];
    return r.at == n && r.scan.depth == 0;
}

/* Is it a list of lines of some length? */
static bool is_list_of_lines(const array_shape *s, size_t n)
{
    const size_t count = s->strings + s->records;
    if (s->others > 0 || count < ABR_JSON_LINES_LEAST || n / count < AVERAGE_LEAST)
        return false;
    if (s->records == 0)
        return true;
    return s->strings == 0 && s->line.count >= s->records - s->records / LACKING;
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

static void read_element_lines(abr_json_line_list *x, const char *p, size_t n, size_t at,
                               const array_shape *shape)
{
    element_reader r = {.p = p, .n = n};
    abr_json_token token;
    uint32_t lines = 0;
    bool has_line = false;
    bool is_line = false; /* the value of the line's key */
    abr_json_open(&r.scan, &r.levels, ABR_JSON_LEVELS);
    while (next_token(&r, &token)) {
        const size_t depth = r.scan.depth;
        abr_json_element *e = &x->elements[x->count];
        x->size += r.end - r.from + (token != ABR_JSON_OPEN && token != ABR_JSON_CLOSE);
        if ((token == ABR_JSON_OPEN && depth == 2) || (token == ABR_JSON_STRING && depth == 1)) {
            *e = (abr_json_element){.from = (uint32_t)(at + r.from), .line = lines & INT32_MAX};
            has_line = false;
        }
        if (token == ABR_JSON_KEY && depth == 2)
            is_line = r.end - r.from == shape->line.key_n &&
                      memcmp(p + r.from, shape->line.key, shape->line.key_n) == 0;
        if (token == ABR_JSON_STRING && (depth == 1 || (depth == 2 && is_line && !has_line))) {
            add_line(x, p + r.from, r.end - r.from, &lines);
            has_line = true;
        }
        if (depth != 1 || (token != ABR_JSON_CLOSE && token != ABR_JSON_STRING))
            continue;
        e->end = (uint32_t)(at + r.end);
        x->count++;
    }
}

bool abr_json_join(const char *p, size_t n, size_t at, const abr_alloc *alloc, abr_json_line_list *x)
{
    array_shape shape;
    *x = (abr_json_line_list){.alloc = alloc};
    if (n > INT32_MAX - at || !find_shape(p, n, &shape) || !is_list_of_lines(&shape, n))
        return false;
    const size_t count = shape.strings + shape.records;
    x->elements = alloc->malloc(alloc->ctx, count * sizeof *x->elements);
    x->text = alloc->malloc(alloc->ctx, (size_t)(shape.records > 0 ? shape.line.bytes : shape.bytes));
    x->failed = !x->elements || !x->text;
    if (x->failed)
        return false;
    read_element_lines(x, p, n, at, &shape);
    return true;
}

void abr_json_joined_free(abr_json_line_list *x)
{
    if (x->elements)
        x->alloc->free(x->alloc->ctx, x->elements);
    if (x->text)
        x->alloc->free(x->alloc->ctx, x->text);
}

/* ---- choosing ---- */

/* Keep the elements of lines first..last, both counted from 0; the first `next` elements are already passed.
 * Returns the first one that is not. */
static size_t keep_elements(abr_json_line_list *x, size_t next, uint64_t first, uint64_t last)
{
    while (next + 1 < x->count && x->elements[next + 1].line <= first)
        next++;
    for (; next < x->count && x->elements[next].line <= last; next++)
        x->elements[next].kept = true;
    return next > 0 ? next - 1 : 0;
}

bool abr_json_joined_keep(abr_json_line_list *x, const abr_kind_request *q, uint64_t bytes)
{
    const abr_opts o = abr_json_inner_opts(q, bytes, false);
    abr_cut cut;
    for (size_t i = 0; i < x->count; i++)
        x->elements[i].kept = false;
    x->failed = q->view->cut_inner(x->text, x->text_n, &o, q->view->depth + 1, false, &cut) != ABR_OK;
    if (x->failed)
        return false;
    const bool is_log = cut.kind == ABR_KIND_LOG && cut.hits_found > 0;
    size_t next = 0;
    for (size_t i = 0; i < cut.piece_count && is_log; i++)
        if (cut.pieces[i].source)
            next = keep_elements(x, next, cut.pieces[i].first_line - 1, cut.pieces[i].last_line - 1);
    abr_cut_free(&cut);
    return is_log;
}
