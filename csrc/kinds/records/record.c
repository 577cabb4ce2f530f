/*
 * One record: where it ends, and how it shows in part. JSON is cut as JSON, any other record like a long
 * line: to its start and the place that tells the trouble, or else its end.
 */

#include "kinds/records/record.h"
#include "base/size.h"
#include "budget/marker.h"
#include "kinds/json/json_reader.h"
#include "text/scan.h"
#include "text/utf8.h"

/* ---- where it ends ---- */

/* Go on in a record of quoted fields; returns its bytes in (p, n), and whether it ends with them. A quote
 * opens a field only at its start, so looking for quotes and newlines is enough. */
static size_t skip_fields(abr_place_in_record *state, char delimiter, const char *p, size_t n, bool *ends)
{
    abr_place_in_record s = *state;
    size_t newline = 0; /* the next one, if it is not before i */
    size_t i = 0;
    *ends = false;
    while (i < n) {
        if (s == ABR_FIELD_QUOTED) {
            const char *quote = memchr(p + i, '"', n - i);
            i = quote ? (size_t)(quote - p) + 1 : n;
            s = quote ? ABR_FIELD_QUOTE : s;
            continue;
        }
        if (s != ABR_FIELD_PLAIN && p[i] == '"') {
            s = ABR_FIELD_QUOTED;
            i++;
            continue;
        }
        if (newline < i || newline == 0)
            newline = i + abr_skip_record_line(p + i, n - i, ends) - *ends;
        const char *quote = memchr(p + i, '"', newline - i);
        if (!quote) {
            *state = *ends || p[n - 1] == delimiter ? ABR_FIELD_START : ABR_FIELD_PLAIN;
            return newline + *ends;
        }
        i = (size_t)(quote - p) + 1;
        s = quote > p && quote[-1] == delimiter ? ABR_FIELD_QUOTED : ABR_FIELD_PLAIN;
    }
    *ends = false;
    *state = s;
    return n;
}

size_t abr_skip_record(const abr_telling *told, abr_record_state *state, const char *p, size_t n, bool *ends)
{
    if (told->delimiter)
        return skip_fields(&state->field, told->delimiter, p, n, ends);
    if (told->kind == ABR_KIND_JSON_LINES)
        return abr_json_record_skip(&state->document, p, n, ends);
    return told->drawn.bar ? abr_skip_row(&told->drawn, &state->row, p, n, ends)
                           : abr_skip_record_line(p, n, ends);
}

/* ---- in part ---- */

enum { LEAST_WINDOW = 32 };

/* Put `n` bytes of the record, which start at `from`, into the content; they are at hand in one piece. */
static void keep_bytes(const abr_record_bytes *r, uint64_t from, size_t n, abr_content *out)
{
    const uint64_t end_at = r->size - r->end_n;
    if (n == 0)
        return;
    if (from + n <= r->n)
        abr_content_keep(out, r->p + from, n, r->at + from, r->line + abr_count_newlines(r->p, (size_t)from));
    else if (from >= end_at) {
        /* counted from the end, since the bytes before it are not at hand */
        const size_t skipped = (size_t)(from - end_at);
        const uint64_t after = abr_count_newlines(r->end + skipped, r->end_n - skipped);
        abr_content_keep(out, r->end + skipped, n, r->at + from, r->line + r->lines - after);
    }
}

/* The start of the char at a place, if that place is at hand; otherwise the place itself. */
static uint64_t char_start(const abr_record_bytes *r, uint64_t at)
{
    const uint64_t end_at = r->size - r->end_n;
    if (at < r->n)
        return abr_char_start(r->p, r->n, (size_t)at);
    if (r->end_n > 0 && at > end_at && at < r->size)
        return end_at + abr_char_start(r->end, r->end_n, (size_t)(at - end_at));
    return at;
}

/* A stretch of the record that is shown after its start. */
typedef struct {
    uint64_t from;
    uint64_t to;
} window;

/* At most `most` bytes around the sign, or up to the record's end; they are at hand. */
static window find_window(const abr_record_bytes *r, uint64_t text, uint64_t after, size_t most)
{
    const uint64_t end_at = r->end_n > 0 ? r->size - r->end_n : r->n;
    const bool whole = r->n == r->size;
    const uint64_t hand = r->n < text ? r->n : text; /* of the first bytes */
    window w = {text > most ? text - most : 0, text};
    if (r->sign > after && r->sign < hand) {
        const uint64_t before = most / 4;
        w.from = r->sign > before ? r->sign - before : 0;
        w.to = w.from + most < hand ? w.from + most : hand;
        w.from = w.to > most ? w.to - most : 0;
    } else if (!whole && w.from < end_at) {
        w.from = end_at;
    }
    if (w.from < after)
        w.from = after;
    if (w.from > w.to)
        w.from = w.to;
    const uint64_t from = char_start(r, w.from);
    if (from < w.from) /* the next char, so that the window does not grow */
        w.from = from + abr_char_size(from < r->n ? r->p + from : r->end + (from - end_at),
                                      from < r->n ? r->n - (size_t)from : r->end_n - (size_t)(from - end_at));
    w.to = w.to < text ? char_start(r, w.to) : w.to;
    if (w.from > w.to)
        w.from = w.to;
    return w;
}

/* The end of the record's text, without its newline. */
static uint64_t text_end(const abr_record_bytes *r)
{
    return r->size - r->ends_line;
}

static void keep_newline(const abr_record_bytes *r, abr_content *out)
{
    if (r->ends_line) /* whether or not it is at hand */
        abr_content_keep(out, "\n", 1, r->at + r->size - 1, r->line + r->lines - 1);
}

/* In a record of several lines, end the start after a line, begin the window before a newline and end it
 * after one, if that takes no more than half of each and keeps the sign. */
static void snap_to_lines(const abr_record_bytes *r, size_t *start, window *w)
{
    const uint64_t skipped = w->to <= r->n ? 0 : r->size - r->end_n; /* bytes before those at p */
    const char *p = skipped > 0 ? r->end : r->p;
    const uint64_t middle = w->from + (w->to - w->from) / 2;
    const uint64_t sign = r->sign >= w->from && r->sign < w->to ? r->sign : middle;
    const uint64_t after = sign > middle ? sign : middle;
    const char *line = abr_find_last_newline(r->p + *start / 2, *start - *start / 2);
    *start = line ? (size_t)(line - r->p) + 1 : *start;
    if (w->from == w->to || w->from < skipped) /* none is at hand */
        return;
    line = w->to < text_end(r) ? abr_find_last_newline(p + (after - skipped), (size_t)(w->to - after)) : NULL;
    w->to = line ? (uint64_t)(line - p) + skipped + 1 : w->to;
    line = memchr(p + (w->from - skipped), '\n', (size_t)(abr_at_most(sign, middle) - w->from));
    w->from = line ? (uint64_t)(line - p) + skipped : w->from;
}

/* Keep whole lines of a record: its first ones, and the one with the sign. False: not even the first fits. */
static bool keep_whole_lines(const abr_record_bytes *r, size_t room, size_t *start, window *w)
{
    const size_t text = (size_t)text_end(r);
    const size_t markers = 2 * (size_t)ABR_INNER_SIZE;
    const char *first = room > markers ? memchr(r->p, '\n', abr_bytes_at_most(room - markers, text)) : NULL;
    if (!first)
        return false;
    const char *above = abr_find_last_newline(r->p, (size_t)abr_at_most(r->sign, text));
    size_t from = above ? (size_t)(above - r->p) : text;
    const char *below = from < text ? memchr(above + 1, '\n', text - from - 1) : NULL;
    size_t to = below ? (size_t)(below - r->p) + 1 : text;
    if ((size_t)(first - r->p) + 1 + (to - from) > room - markers)
        from = to = text;
    const size_t most = (size_t)abr_at_most(room - markers - (to - from), from + (from < text));
    *start = (size_t)(abr_find_last_newline(r->p, most) - r->p) + 1;
    if (*start > from) { /* no gap is left */
        *start = to;
        from = to = text;
    }
    *w = (window){from, to};
    return true;
}

static void show_line(const abr_record_bytes *r, size_t limit, abr_marker marker, abr_content *out)
{
    const uint64_t text = text_end(r);
    const size_t inner = marker == ABR_MARKER_INSIDE ? ABR_INNER_SIZE : 0;
    size_t room = limit > r->ends_line ? limit - r->ends_line : 0;
    if (room > r->n)
        room = r->n; /* at hand */
    size_t start = room;
    window w = {text, text};
    const bool whole =
        r->by_lines && r->n == r->size && marker != ABR_MARKER_NONE && keep_whole_lines(r, room, &start, &w);
    if (whole) {
        /* no line is split */
    } else if (marker != ABR_MARKER_NONE && room > 2 * (inner + LEAST_WINDOW)) {
        const bool signed_later = r->sign > room / 2;
        start = (size_t)char_start(r, signed_later ? room / 3 : room - room / 3);
        w = find_window(r, text, start, room - start - 2 * inner);
    } else if (marker != ABR_MARKER_NONE) {
        start = room > inner ? room - inner : 0;
    }
    start = (size_t)char_start(r, start);
    if (!whole && r->lines > 1 && w.from > start)
        snap_to_lines(r, &start, &w);
    keep_bytes(r, 0, start, out);
    if (w.from > start && marker != ABR_MARKER_NONE && (start > 0 || w.to > w.from))
        abr_content_mark(out, ABR_INNER_MARKER, w.to > w.from ? ABR_INNER_SIZE : ABR_INNER_SIZE - 1);
    keep_bytes(r, w.from, (size_t)(w.to - w.from), out);
    if (w.to > w.from && w.to < text)
        abr_content_mark(out, ABR_INNER_MARKER, ABR_INNER_SIZE - 1);
    if (start > 0 || w.to > w.from)
        keep_newline(r, out);
}

/* ---- JSON ---- */

/* Cut a record as JSON, or as a line if it is none; all of it is at hand. False: out of memory. */
static bool show_json(const abr_record_bytes *r, size_t limit, const abr_kind_request *q, abr_content *out)
{
    const abr_reader_methods *methods = &abr_json_methods;
    const size_t n = (size_t)text_end(r);
    const abr_reader_opts opts = {.told = {.kind = ABR_KIND_JSON},
                                  .text = r->p,
                                  .is_record = true,
                                  .keep = limit < n ? limit : n,
                                  .alloc = out->alloc};
    const abr_view view = {
        .front = {r->p, n, true}, .back = {r->p, n, true}, .bytes = n, .lines = 1, .kind = ABR_KIND_JSON};
    const abr_kind_request request = {.view = &view,
                                      .opts = q->opts,
                                      .keep = opts.keep,
                                      .bytes = limit - r->ends_line,
                                      .at = r->at,
                                      .line = r->line};
    const size_t before = out->count;
    abr_reader *reader = NULL;
    if (methods->open(&opts, &reader) != ABR_OK)
        return false;
    bool fine = methods->reserve(reader, r->p, n);
    if (fine)
        methods->write(reader, r->p, n);
    const bool holds = fine && methods->holds(reader); /* it was judged by its start */
    if (holds)
        fine = methods->choose(reader, &request, out);
    methods->close(reader);
    if (fine && !holds)
        show_line(r, limit, q->opts->marker, out);
    else if (fine && out->count > before)
        keep_newline(r, out);
    return fine;
}

void abr_show_part(const abr_record_bytes *r, size_t limit, const abr_kind_request *q, abr_content *out)
{
    if (limit <= r->ends_line)
        return;
    if (!r->json || r->n < r->size)
        show_line(r, limit, q->opts->marker, out);
    else if (!show_json(r, limit, q, out))
        out->failed = true;
}
