/* The rules of cuts of records, checked against a reading of the text byte by byte. */
#ifndef RECORD_RULES_H
#define RECORD_RULES_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "abridge.h"
#include "kinds/content.h"
#include "kinds/kind.h"
#include "kinds/reader.h"
#include "kinds/records/record_list.h"
#include "text/scan.h"
#include "text/utf8.h"

/* How a text is cut. */
typedef struct {
    abr_telling told;
    const abr_opts *opts; /* max.bytes alone counts */
    size_t opened;        /* the reader's `keep`, */
    size_t keep;          /* and the one it is asked with */
    size_t chunk;         /* bytes written at once */
    bool copies;          /* chunks are copied, and gone when they were read */
    bool looks;           /* a choice is made before the last chunk, too */
} record_way;

/* The two ends of a text as a stream has them. */
static inline abr_view view_of(const char *p, size_t n, size_t keep)
{
    abr_view v = {.front = {p, n, true}, .back = {p, n, true}, .bytes = n};
    if (n <= keep)
        return v;
    v.front = (abr_edge){p, keep - abr_open_sequence(p, keep), false};
    v.back = (abr_edge){p + n - keep, keep, false};
    for (int i = 0; i < 3 && v.back.n > 0 && abr_is_continuation((unsigned char)*v.back.p); i++) {
        v.back.p++;
        v.back.n--;
    }
    return v;
}

/* Write all of a text; false where there is no memory. */
static inline bool write_all(abr_reader *r, const char *p, size_t n, const record_way *way)
{
    for (size_t at = 0; at < n; at += way->chunk) {
        const size_t part = way->chunk < n - at ? way->chunk : n - at;
        char *copy = way->copies ? malloc(part) : NULL;
        if (way->copies && !copy)
            exit(2);
        if (copy)
            memcpy(copy, p + at, part);
        const bool fine = r->methods->reserve(r, copy ? copy : p + at, part);
        if (fine)
            r->methods->write(r, copy ? copy : p + at, part);
        free(copy);
        if (!fine)
            return false;
        if (way->looks && at + part < n) {
            abr_content content = {.alloc = way->opts->alloc, .keep = way->keep};
            const abr_view view = view_of(p, at + part, way->keep);
            const abr_kind_request q = {
                .view = &view, .opts = way->opts, .keep = way->keep, .bytes = way->opts->max.bytes};
            const bool chosen = r->methods->choose(r, &q, &content);
            abr_content_free(&content);
            if (!chosen)
                return false;
        }
    }
    return true;
}

/* Cut a text as records. ABR_OK or ABR_ENOMEM; *cut is to be freed either way. */
static inline abr_code cut_records(const char *p, size_t n, const record_way *way, abr_cut *cut)
{
    const abr_reader_opts opts = {.told = way->told,
                                  .text = way->copies ? NULL : p,
                                  .keep = way->opened,
                                  .hits = way->opts->hits,
                                  .hit_count = way->opts->hit_count,
                                  .quiet_groups = way->opts->quiet_groups,
                                  .alloc = way->opts->alloc};
    abr_reader *r = NULL;
    memset(cut, 0, sizeof *cut);
    cut->alloc = way->opts->alloc;
    abr_code code = abr_record_methods.open(&opts, &r);
    if (code != ABR_OK)
        return code;
    abr_content content = {.alloc = way->opts->alloc, .keep = way->keep};
    const abr_view view = view_of(p, n, way->keep);
    const abr_kind_request q = {
        .view = &view, .opts = way->opts, .keep = way->keep, .bytes = way->opts->max.bytes};
    code = write_all(r, p, n, way) && r->methods->choose(r, &q, &content) ? abr_content_end(&content, cut)
                                                                          : ABR_ENOMEM;
    for (size_t i = 0; i < cut->piece_count; i++) {
        abr_piece *x = (abr_piece *)cut->block + i;
        cut->content_bytes += x->n;
        if (x->source && code == ABR_OK) { /* the reader goes, with what it copied */
            if (memcmp(x->p, p + x->first_byte - 1, x->n) != 0)
                abort();
            if (way->copies)
                x->p = p + x->first_byte - 1;
        }
    }
    abr_content_free(&content);
    r->methods->close(r);
    return code;
}

typedef struct {
    size_t at;
    size_t size; /* with its newline */
} one_record;

typedef struct {
    one_record *records;
    size_t count;
    size_t header; /* bytes */
} all_records;

/* Where the record that starts at `at` ends, by RFC 4180; a delimiter of 0: where its line ends. */
static inline size_t naive_end(const char *p, size_t n, size_t at, char delimiter)
{
    bool quoted = false;
    bool starts = true;
    for (size_t i = at; i < n; i++) {
        const char c = p[i];
        if (quoted) {
            if (c == '"' && i + 1 < n && p[i + 1] == '"')
                i++;
            else if (c == '"')
                quoted = false;
        } else if (c == '\n') {
            return i + 1;
        } else if (delimiter && c == '"' && starts) {
            quoted = true;
            starts = false;
        } else {
            starts = c == delimiter;
        }
    }
    return n;
}

/* Where the JSON record that starts at `at` ends: with its line, or, if that is only a bracket, with the next one
 * that is not indented. */
static inline size_t naive_json_end(const char *p, size_t n, size_t at)
{
    size_t end = naive_end(p, n, at, 0);
    size_t text = end;
    while (text > at && (p[text - 1] == '\n' || p[text - 1] == '\r'))
        text--;
    bool ends = p[end - 1] == '\n' && (text != at + 1 || (p[at] != '{' && p[at] != '['));
    while (!ends && end < n) {
        const size_t line = end;
        end = naive_end(p, n, line, 0);
        ends = !strchr(" \t\r\n", p[line]) || p[line] == '\0';
    }
    return end;
}

static inline bool naive_blank(const char *p, size_t n, char delimiter)
{
    while (n > 0 &&
           (p[n - 1] == '\n' || p[n - 1] == '\r' || (!delimiter && (p[n - 1] == ' ' || p[n - 1] == '\t'))))
        n--;
    return n == 0;
}

/* Read a text; `lines` of an aligned table's header, or one record of a table with a delimiter. */
static inline all_records read_naively(const char *p, size_t n, bool table, char delimiter, size_t lines)
{
    all_records all = {.records = malloc((n + 1) * sizeof(one_record))};
    size_t left = !table ? 0 : delimiter ? 1 : lines;
    if (!all.records)
        exit(2);
    for (size_t at = 0; at < n;) {
        const size_t end = table ? naive_end(p, n, at, delimiter) : naive_json_end(p, n, at);
        const bool blank = naive_blank(p + at, end - at, delimiter);
        if (left > 0) {
            left -= !delimiter || !blank;
            all.header = end;
        } else if (!blank) {
            all.records[all.count++] = (one_record){at, end - at};
        }
        at = end;
    }
    return all;
}

/* The number in a marker of its own line, among inner ones; UINT64_MAX: it is an inner one alone. */
static inline uint64_t number_of_marker(const char *p, size_t n, bool table)
{
    static const char start[] = "... [";
    for (size_t i = 0; i + sizeof start - 1 <= n; i++) {
        if (memcmp(p + i, start, sizeof start - 1) != 0)
            continue;
        char text[64] = {0};
        const size_t left = n - i < sizeof text - 1 ? n - i : sizeof text - 1;
        memcpy(text, p + i, left);
        char *end;
        const unsigned long long number = strtoull(text + sizeof start - 1, &end, 10);
        const char *unit = table ? " rows omitted] ..." : " records omitted] ...";
        if (memcmp(end, unit, strlen(unit)) == 0)
            return number;
    }
    return UINT64_MAX;
}

/* The record of a byte; count: none. */
static inline size_t record_of(const all_records *all, uint64_t at)
{
    size_t low = 0;
    size_t high = all->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (all->records[middle].at + all->records[middle].size <= at)
            low = middle + 1;
        else
            high = middle;
    }
    return low < all->count && all->records[low].at <= at ? low : all->count;
}

/* Bytes of a record that are kept. */
static inline uint64_t kept_of(const abr_cut *cut, const one_record *r)
{
    uint64_t kept = 0;
    for (size_t i = 0; i < cut->piece_count; i++) {
        const abr_piece *x = &cut->pieces[i];
        if (!x->source)
            continue;
        const uint64_t from = x->first_byte - 1 > r->at ? x->first_byte - 1 : r->at;
        const uint64_t to = x->last_byte < r->at + r->size ? x->last_byte : r->at + r->size;
        kept += to > from ? to - from : 0;
    }
    return kept;
}

/* The rule of one budget in bytes, markers inside, that a cut of records breaks; NULL: none. */
static inline const char *broken_record_rule(const char *p, size_t n, const all_records *all, bool table,
                                             const abr_opts *o, const abr_cut *cut)
{
    const uint64_t most = o->max.bytes;
    uint64_t last = 0;
    uint64_t next = 0;   /* the record after the last one shows */
    uint64_t marked = 0; /* records that markers since then tell of */
    uint64_t shows = 0;
    bool largest_fits = all->header <= most / 50;
    bool marks = false;
    const bool must_mark = o->marker != ABR_MARKER_NONE && most >= all->header + 128;
    for (size_t i = 0; i < cut->piece_count; i++) {
        const abr_piece *x = &cut->pieces[i];
        if (!x->source) {
            const uint64_t number = number_of_marker(x->p, x->n, table);
            marked += number != UINT64_MAX ? number : 0;
            marks = marks || number != UINT64_MAX;
            continue;
        }
        if (x->first_byte <= last || x->last_byte > n || memcmp(x->p, p + x->first_byte - 1, x->n) != 0)
            return "kept bytes are those of the source, in order";
        uint64_t newlines = 0;
        for (size_t k = 0; k + 1 < x->first_byte; k++)
            newlines += p[k] == '\n';
        if (x->first_line != newlines + 1)
            return "a range starts at its line";
        last = x->last_byte;
        for (uint64_t at = x->first_byte - 1; at < x->last_byte;) {
            const size_t k = record_of(all, at);
            if (k == all->count) {
                at++;
                continue;
            }
            if (k + 1 != next) {
                if (k < next)
                    return "records are in order";
                if (marked != k - next && (marks || must_mark))
                    return "a gap is told where it is, exactly";
                shows++;
                marked = 0;
                next = k + 1;
            }
            at = all->records[k].at + all->records[k].size;
        }
    }
    if (marked != all->count - next && marks)
        return "the last gap is told exactly";
    for (size_t i = 0; i < all->count; i++) {
        largest_fits = largest_fits && all->records[i].size <= most / 50;
        const uint64_t kept = kept_of(cut, &all->records[i]);
        if (kept > 0 && kept < all->records[i].size && all->records[i].size <= most / 50)
            return "a record within its share is whole or omitted";
    }
    if (cut->item_count != 1 || cut->items[0].total != all->count || cut->items[0].kept != shows)
        return "items are exact";
    if (o->marker == ABR_MARKER_INSIDE && o->max.bytes != ABR_UNLIMITED && cut->content_bytes > most)
        return "the budget is hard";
    if (largest_fits && o->marker == ABR_MARKER_INSIDE && most >= 2048 && cut->content_bytes * 10 < most * 9)
        return "nine tenths are used";
    if (most >= all->header + 48 && all->header > 0) {
        const one_record header = {0, all->header};
        if (kept_of(cut, &header) != all->header)
            return "the header is there";
    }
    return NULL;
}

#endif
