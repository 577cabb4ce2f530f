/*
 * Streams: retain the bytes that a cut may need of a text that goes by; cut.c decides which to keep.
 *
 * The text's first `keep` bytes stay in `front`, its last ones in the ring `back`, as the strategy needs;
 * `keep` is the result of abr_bytes_to_keep(). So a text within the budgets is at hand as a whole, and a cut
 * of a longer one never looks beyond the bytes at hand. Memory grows with the text, up to `keep` bytes a
 * side. Each byte is scanned once for newlines, and once for chars if they are counted.
 */
#include <string.h>

#include "abridge.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/tiny.h"
#include "budget/options.h"
#include "budget/span.h"
#include "budget/view.h"
#include "cut/cut.h"
#include "cut/cut_text.h"
#include "files/errno_text.h"
#include "files/private_file.h"
#include "kinds/by_kind.h"
#include "priority/retain.h"
#include "text/scan.h"

enum { FIRST_SIZE = ABR_OR_TINY(4096, 8) /* of a buffer */ };

typedef struct {
    char *p;
    size_t n;     /* bytes in it */
    size_t size;  /* allocated */
    size_t first; /* of a ring: index of its oldest byte */
} buffer;

struct abr_stream {
    abr_opts opts; /* strings point into `texts` */
    const abr_alloc *alloc;
    char *texts; /* copies of reserve, marker text, folder and name */
    size_t texts_size;
    const char *folder; /* NULL: no full output */
    const char *name;
    abr_file *file;
    int file_error;  /* errno: the full output could not be opened */
    bool wants_file; /* none was tried yet */
    size_t keep;
    buffer front;
    buffer back;
    uint64_t bytes;
    uint64_t newlines;
    uint64_t first_line;  /* size; ABR_UNLIMITED until the first newline comes */
    uint64_t line;        /* start of the open line, 0-based */
    uint64_t line_before; /* start of the line before it */
    abr_char_counter chars;
    bool counts_chars;
    abr_retainer *retainer; /* of ABR_PRIORITY */
    abr_by_kind *by_kind;   /* of ABR_AUTO */
    bool ends_line;
    bool finished;
    struct preview *preview; /* the preview in the buffers, and how to take it out again */
};

/* ---- buffers ---- */

static bool grow_buffer(abr_stream *s, buffer *b, size_t wanted)
{
    if (wanted <= b->size)
        return true;
    size_t size = b->size > 0 ? b->size : FIRST_SIZE;
    while (size < wanted)
        size = size > s->keep / 2 ? s->keep : size * 2;
    char *p = abr_resize(s->alloc, b->p, b->size, size);
    if (!p)
        return false;
    b->p = p;
    b->size = size;
    return true;
}

/* Add the bytes that still fit; the memory is there. */
static void append(const abr_stream *s, buffer *b, const char *p, size_t n)
{
    size_t room = s->keep - b->n;
    if (n > room)
        n = room;
    if (n > 0)
        memcpy(b->p + b->n, p, n);
    b->n += n;
}

/* Wrap a place in a full ring, under twice its size; a division would take as long as the rest of a small
 * write. */
static size_t within_ring(const abr_stream *s, size_t at)
{
    return at < s->keep ? at : at - s->keep;
}

/* Add at the end, dropping the oldest bytes of a full ring; the memory is there. */
static void push(const abr_stream *s, buffer *b, const char *p, size_t n)
{
    if (n > s->keep) {
        p += n - s->keep;
        n = s->keep;
    }
    if (n <= s->keep - b->n) {
        append(s, b, p, n);
        return;
    }
    /* the ring has its full size now; while it grew, its oldest byte was the first */
    size_t at = within_ring(s, b->first + b->n);
    size_t tail = n < s->keep - at ? n : s->keep - at;
    memcpy(b->p + at, p, tail);
    memcpy(b->p, p + tail, n - tail);
    size_t lost = b->n + n - s->keep;
    b->first = within_ring(s, b->first + lost);
    b->n = s->keep;
}

static void swap(char *a, char *b, size_t n)
{
    char part[512];
    for (size_t at = 0, size; at < n; at += size) {
        size = n - at < sizeof part ? n - at : sizeof part;
        memcpy(part, a + at, size);
        memcpy(a + at, b + at, size);
        memcpy(b + at, part, size);
    }
}

/* Turn the ring so that its oldest byte is the first: the shorter side changes places with as much of the
 * other one, which puts that much into place, and so on with the rest. */
static void straighten(buffer *b)
{
    char shorter[4096];
    char *p = b->p;
    size_t newer = b->first; /* bytes before the older ones that belong after them */
    size_t older = b->n - b->first;
    while (newer > sizeof shorter && older > sizeof shorter) {
        size_t n = newer < older ? newer : older;
        swap(p, p + newer, n);
        p += n;
        if (newer <= older)
            older -= n;
        else
            newer -= n;
    }
    if (newer <= older && newer > 0) {
        memcpy(shorter, p, newer);
        memmove(p, p + newer, older);
        memcpy(p + older, shorter, newer);
    } else if (newer > older && older > 0) {
        memcpy(shorter, p + newer, older);
        memmove(p + older, p, newer);
        memcpy(p, shorter, older);
    }
    b->first = 0;
}

static bool keeps_front(const abr_stream *s)
{
    return s->opts.strategy != ABR_TAIL;
}

/* The whole text while it is within `keep`: in front, or for a tail in the ring. */
static const buffer *whole(const abr_stream *s)
{
    return keeps_front(s) ? &s->front : &s->back;
}

/* Get memory for n more bytes of a buffer. */
static bool reserve(abr_stream *s, buffer *b, size_t n)
{
    size_t left = s->keep - b->n;
    return grow_buffer(s, b, b->n + (n < left ? n : left));
}

/* Are both ends kept? */
static bool keeps_both(const abr_stream *s)
{
    return s->opts.strategy != ABR_HEAD && s->opts.strategy != ABR_TAIL;
}

/* With both ends: is the ring needed for n more bytes? Yes, once the front no longer has the whole text. */
static bool overflows(const abr_stream *s, size_t n)
{
    return keeps_both(s) && n > s->keep - s->front.n;
}

/* Get memory for a chunk, before any byte of it is taken: a write that fails changes nothing, not
 * even the file. The front has its full size before the ring is made, so that never more than twice
 * `keep` is allocated. */
static bool reserve_both(abr_stream *s, size_t n)
{
    if (!keeps_front(s))
        return reserve(s, &s->back, n);
    return reserve(s, &s->front, n) && (!overflows(s, n) || grow_buffer(s, &s->back, s->keep));
}

static void retain(abr_stream *s, const char *p, size_t n)
{
    bool both = overflows(s, n);
    if (both && s->back.n == 0 && s->front.n > 0)
        push(s, &s->back, s->front.p, s->front.n);
    if (both || !keeps_front(s))
        push(s, &s->back, p, n);
    if (keeps_front(s))
        append(s, &s->front, p, n);
}

/* ---- the full output ---- */

/* Open the file and write the text so far, all of which is at hand. */
static void open_full_output(abr_stream *s)
{
    s->wants_file = false;
    s->file_error = abr_file_open(s->folder, s->name, ABR_FILE_NEW, s->alloc, &s->file);
    if (s->file && whole(s)->n > 0)
        abr_file_write(s->file, whole(s)->p, whole(s)->n);
}

/* Keep the bytes that are about to be lost. */
static void save(abr_stream *s, const char *p, size_t n)
{
    if (s->wants_file && n > s->keep - whole(s)->n)
        open_full_output(s);
    if (s->file)
        abr_file_write(s->file, p, n);
}

abr_full_output abr_stream_full_output(const abr_stream *s)
{
    abr_full_output out = {NULL, 0, NULL, NULL};
    int error = s->file ? abr_file_error(s->file) : s->file_error;
    if (s->file) {
        out.path = abr_file_path(s->file);
        out.bytes = abr_file_size(s->file);
    }
    if (error != 0) {
        out.error = abr_errno_text(error);
        out.code = abr_errno_name(error);
    }
    return out;
}

/* ---- counting ---- */

/* Count a chunk, given its newlines and chars. */
static void count_written(abr_stream *s, const abr_newlines *found, const abr_char_counter *chars,
                          const char *p, size_t n)
{
    if (found->count > 0) {
        if (s->newlines == 0)
            s->first_line = s->bytes + found->first;
        s->line_before = found->count == 1 ? s->line : s->bytes + found->before_last + 1;
        s->line = s->bytes + found->last + 1;
    }
    s->newlines += found->count;
    s->bytes += n;
    s->ends_line = p[n - 1] == '\n';
    if (s->counts_chars)
        s->chars = *chars;
}

/* ---- the public functions ---- */

static const char *copy_text(abr_stream *s, const char *p, size_t n, size_t *at)
{
    if (!p)
        return NULL;
    char *copy = s->texts + *at;
    memcpy(copy, p, n);
    copy[n] = '\0';
    *at += n + 1;
    return copy;
}

static abr_code copy_texts(abr_stream *s, const char *dir, const char *name)
{
    size_t dir_size = dir ? strlen(dir) : 0;
    size_t name_size = name ? strlen(name) : 0;
    size_t at = 0;
    s->texts_size = s->opts.reserve_len + s->opts.marker_text_len + dir_size + name_size + 4;
    s->texts = s->alloc->malloc(s->alloc->ctx, s->texts_size);
    if (!s->texts)
        return ABR_ENOMEM;
    s->opts.reserve = copy_text(s, s->opts.reserve, s->opts.reserve_len, &at);
    s->opts.marker_text = copy_text(s, s->opts.marker_text, s->opts.marker_text_len, &at);
    s->folder = copy_text(s, dir, dir_size, &at);
    s->name = copy_text(s, name, name_size, &at);
    s->wants_file = s->folder && s->name;
    return ABR_OK;
}

static abr_code open_retainer(abr_stream *s)
{
    const abr_retainer_opts own = {.keep = s->keep,
                                   .chars = s->counts_chars,
                                   .hits = s->opts.hits,
                                   .hit_count = s->opts.hit_count,
                                   .quiet_groups = s->opts.quiet_groups,
                                   .alloc = s->alloc};
    return abr_retainer_open(&own, &s->retainer);
}

static abr_code open_by_kind(abr_stream *s)
{
    const abr_code code = abr_by_kind_open(&s->opts, s->keep, &s->by_kind);
    if (code == ABR_OK)
        s->opts.hits = abr_by_kind_hits(s->by_kind); /* the caller's own may be gone soon */
    return code;
}

abr_code abr_stream_open(const abr_opts *opts, const char *dir, const char *name, abr_stream **out,
                         abr_error *error)
{
    *out = NULL;
    abr_code code = abr_check_opts(opts, error);
    if (code != ABR_OK)
        return code;
    const abr_alloc *alloc = abr_allocator(opts->alloc);
    abr_stream *s = alloc->malloc(alloc->ctx, sizeof *s);
    if (!s)
        return abr_no_memory(error);
    memset(s, 0, sizeof *s);
    s->opts = *opts;
    s->alloc = alloc;
    s->first_line = ABR_UNLIMITED;
    s->counts_chars = abr_wants_chars(opts);
    abr_set_default_budget(s->opts.strategy, &s->opts.max);
    s->keep = abr_bytes_to_keep(s->opts.strategy, &s->opts.max);
    code = copy_texts(s, dir, name);
    if (code == ABR_OK && s->opts.strategy == ABR_PRIORITY)
        code = open_retainer(s);
    if (code == ABR_OK && s->opts.strategy == ABR_AUTO)
        code = open_by_kind(s);
    if (code != ABR_OK) {
        abr_stream_close(s);
        return abr_fail(error, code, "out of memory");
    }
    *out = s;
    return ABR_OK;
}

/* ---- previews: text that is only shown ---- */

/* A stream as it was before its preview. */
typedef struct preview {
    abr_stream before;
    size_t lost;  /* bytes that the preview pushed out of the ring */
    char bytes[]; /* those bytes */
} preview;

static void take_preview_out(abr_stream *s)
{
    preview *old = s->preview;
    buffer front = s->front;
    buffer back = s->back;
    straighten(&back);
    if (old->lost > 0) {
        memmove(back.p + old->lost, back.p, s->keep - old->lost);
        memcpy(back.p, old->bytes, old->lost);
    }
    *s = old->before;
    if (s->by_kind)
        abr_by_kind_preview(s->by_kind, "", 0);
    front.n = s->front.n;
    back.n = s->back.n;
    s->front = front;
    s->back = back;
    s->alloc->free(s->alloc->ctx, old);
}

static void end_preview(abr_stream *s)
{
    if (s->preview)
        take_preview_out(s);
}

abr_code abr_stream_preview(abr_stream *s, const char *p, size_t n)
{
    end_preview(s);
    if (n == 0)
        return ABR_OK;
    straighten(&s->back);
    size_t pushed = n < s->keep ? n : s->keep;
    size_t lost = s->back.n > s->keep - pushed ? s->back.n - (s->keep - pushed) : 0;
    if (!overflows(s, n) && keeps_front(s))
        lost = 0;
    preview *new = s->alloc->malloc(s->alloc->ctx, sizeof *new + lost);
    if (!new)
        return ABR_ENOMEM;
    if (!reserve_both(s, n) || (s->by_kind && !abr_by_kind_preview(s->by_kind, p, n))) {
        s->alloc->free(s->alloc->ctx, new);
        return ABR_ENOMEM;
    }
    new->before = *s;
    new->lost = lost;
    if (lost > 0)
        memcpy(new->bytes, s->back.p, lost);
    abr_char_counter chars = s->chars;
    abr_newlines found = abr_find_newlines(p, n, s->counts_chars ? &chars : NULL);
    retain(s, p, n);
    count_written(s, &found, &chars, p, n);
    s->preview = new;
    return ABR_OK;
}

abr_code abr_stream_write(abr_stream *s, const char *p, size_t n)
{
    end_preview(s);
    if (n == 0)
        return ABR_OK;
    abr_char_counter chars = s->chars;
    abr_newlines found = abr_find_newlines(p, n, s->counts_chars ? &chars : NULL);
    if (!reserve_both(s, n) || (s->retainer && !abr_retainer_reserve(s->retainer, found.count, n)) ||
        (s->by_kind && !abr_by_kind_reserve(s->by_kind, p, n)))
        return ABR_ENOMEM;
    save(s, p, n);
    retain(s, p, n);
    count_written(s, &found, &chars, p, n);
    if (s->retainer)
        abr_retainer_write(s->retainer, p, n);
    if (s->by_kind)
        abr_by_kind_write(s->by_kind, p, n);
    return ABR_OK;
}

static abr_edge edge_of(const buffer *b, uint64_t bytes)
{
    return (abr_edge){b->n > 0 ? b->p : "", b->n, b->n == bytes};
}

static abr_code view_of(abr_stream *s, abr_view *view)
{
    straighten(&s->back);
    bool fits = s->bytes <= s->keep;
    const abr_edge none = {"", 0, s->bytes == 0};
    abr_view v = {.bytes = s->bytes,
                  .ends_line = s->ends_line,
                  .invalid = ABR_UNLIMITED,
                  .cut_inner = abr_cut_text_inside,
                  .cut_viewed = abr_cut_view};
    v.front = keeps_front(s) ? edge_of(&s->front, s->bytes) : fits ? edge_of(&s->back, s->bytes) : none;
    v.back = s->opts.strategy == ABR_TAIL || s->back.n > 0 ? edge_of(&s->back, s->bytes)
             : fits                                        ? v.front
                                                           : none;
    v.lines = s->newlines + (s->bytes > 0 && !s->ends_line);
    if (s->counts_chars)
        v.chars = abr_counted_chars(&s->chars, &v.invalid);
    v.retainer = s->retainer;
    const abr_code code = s->by_kind ? abr_by_kind_view(s->by_kind, &v) : ABR_OK;
    v.first_line = s->first_line == ABR_UNLIMITED ? s->bytes : s->first_line;
    v.last_line = s->ends_line ? s->line - 1 - s->line_before : s->bytes - s->line;
    *view = v;
    return code;
}

abr_code abr_stream_snapshot(abr_stream *s, const abr_narrow *narrow, abr_cut *cut, abr_error *error)
{
    abr_opts opts;
    memset(cut, 0, sizeof *cut);
    abr_code code = abr_narrowed(&s->opts, narrow, &opts, error);
    if (code != ABR_OK)
        return code;
    if (s->preview && opts.strategy == ABR_PRIORITY) { /* lines that may still change are not retained */
        opts.strategy = ABR_HEAD_TAIL;
        opts.snap = ABR_SNAP_LINE;
    }
    const char *start;
    size_t start_n;
    if (s->by_kind && abr_by_kind_is_open(s->by_kind, &start, &start_n))
        return abr_cut_text(start, start_n, &opts, cut, error);
    abr_view view;
    code = view_of(s, &view);
    if (code != ABR_OK)
        return abr_fail(error, code, "out of memory");
    return abr_cut_view(&view, &opts, cut, error);
}

abr_code abr_stream_finish(abr_stream *s, const abr_narrow *narrow, abr_cut *cut, abr_error *error)
{
    end_preview(s);
    abr_code code = abr_stream_snapshot(s, narrow, cut, error);
    if (code != ABR_OK)
        return code;
    const bool keeps_output = cut->truncated || (cut->compact && narrow && narrow->keep_output);
    if (keeps_output && s->wants_file)
        open_full_output(s);
    if (cut->compact && !keeps_output) {
        abr_file_remove(s->file);
        s->file = NULL;
        s->file_error = 0;
    }
    if (s->file)
        abr_file_finish(s->file);
    s->finished = true;
    return ABR_OK;
}

bool abr_stream_finished(const abr_stream *s)
{
    return s->finished;
}

void abr_stream_close(abr_stream *s)
{
    if (!s)
        return;
    const abr_alloc *a = s->alloc;
    end_preview(s);
    abr_file_close(s->file);
    if (s->front.p)
        a->free(a->ctx, s->front.p);
    if (s->back.p)
        a->free(a->ctx, s->back.p);
    abr_retainer_close(s->retainer);
    abr_by_kind_close(s->by_kind);
    if (s->texts)
        a->free(a->ctx, s->texts);
    a->free(a->ctx, s);
}
