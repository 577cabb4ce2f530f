/*
 * A text that is cut by its kind, told by its first ABR_TOLD_BY bytes, or by all of a shorter text. These
 * bytes are held until then; the kind's reader gets them, and the rest as it comes.
 *
 * Source, prose and listings have no reader, but a log may start later. So the last whole block of such a
 * text is held with the bytes after it, and a log is read from the block it starts in. A document that breaks
 * after its first ABR_TOLD_BY bytes, or that other text follows, is such a text from there on, and so is a
 * diff with a log below it.
 */
#include <string.h>

#include "kinds/by_kind.h"
#include "base/memory.h"
#include "base/tiny.h"
#include "budget/options.h"
#include "kinds/kind.h"
#include "kinds/reader.h"
#include "kinds/text/log.h"
#include "kinds/text/stretches.h"
#include "priority/retain.h"
#include "text/scan.h"

/* a text of at most so many bytes is all at hand, however it came */
enum { SHORT_TEXT = ABR_OR_TINY(128 * 1024, 256) };

_Static_assert((size_t)SHORT_TEXT <= ABR_TOLD_BY, "a stream holds all of a short text");

/* Counts before a place of the text. */
typedef struct {
    uint64_t bytes;
    uint64_t lines;
    abr_char_counter chars; /* if they are counted */
} text_place;

/* The readers of a log. */
typedef struct {
    abr_retainer *retainer;   /* NULL: there is none */
    abr_stretches *stretches; /* NULL if the caller says it's a log, and inside other texts */
} log_reader;

struct abr_by_kind {
    abr_opts opts; /* hits point to `hits` */
    const abr_alloc *alloc;
    size_t keep;
    abr_hit *hits;    /* copies, followed by their texts; NULL if the text is at hand */
    const char *text; /* all of it, or NULL */
    bool is_short;    /* it is no longer than SHORT_TEXT */
    abr_text_place where;
    bool decided;
    bool opened; /* its reader has read `start`; final once the next chunk is written */
    abr_telling told;
    log_reader log;
    abr_reader *reader;
    char *start; /* the bytes held, while the kind is undecided or the text is written */
    size_t start_n;
    size_t start_size;
    size_t preview_n;
    bool watches;    /* the text is written, and a log may start in it */
    text_place held; /* counts before the bytes held; before the next chunk, if the reader may be lost */
    uint64_t first;  /* bytes before those that are watched */
    uint64_t log_at; /* start of a late log, in the bytes held and the chunk after them */
    log_reader last; /* of a log in the bytes held, for a text that ends there */
};

/* ---- the reader of a kind ---- */

static void count_held(const abr_by_kind *k, text_place *at, const char *p, size_t n)
{
    at->bytes += n;
    if (n > 0)
        at->lines += abr_find_newlines(p, n, abr_wants_chars(&k->opts) ? &at->chars : NULL).count;
}

static void close_log(log_reader *log)
{
    abr_retainer_close(log->retainer);
    abr_stretches_close(log->stretches);
    *log = (log_reader){NULL, NULL};
}

static abr_code open_log(const abr_by_kind *k, const text_place *before, log_reader *out)
{
    uint64_t invalid;
    *out = (log_reader){NULL, NULL};
    const abr_retainer_opts own = {.text = k->text,
                                   .keep = k->keep,
                                   .chars = abr_wants_chars(&k->opts),
                                   .inside = k->where != ABR_TEXT_ALONE,
                                   .hits = k->opts.hits,
                                   .hit_count = k->opts.hit_count,
                                   .quiet_groups = k->opts.quiet_groups,
                                   .alloc = k->alloc,
                                   .bytes_before = before->bytes,
                                   .lines_before = before->lines,
                                   .chars_before = abr_counted_chars(&before->chars, &invalid)};
    abr_code code = abr_retainer_open(&own, &out->retainer);
    const bool may_be_several =
        k->opts.kind == ABR_KIND_TOLD ? k->where == ABR_TEXT_ALONE : k->where == ABR_TEXT_PART;
    if (code == ABR_OK && may_be_several)
        code = abr_stretches_open(&own, abr_fails_amid(&k->told.late), &out->stretches);
    if (code != ABR_OK)
        close_log(out);
    return code;
}

static void write_log(const log_reader *log, const char *p, size_t n)
{
    abr_retainer_write(log->retainer, p, n);
    if (log->stretches)
        abr_stretches_write(log->stretches, p, n);
}

static abr_code open_reader(abr_by_kind *k)
{
    if (k->told.kind == ABR_KIND_LOG)
        return open_log(k, &k->held, &k->log);
    const abr_reader_opts own = {.told = k->told,
                                 .text = k->text,
                                 .is_short = k->is_short,
                                 .keep = k->keep,
                                 .hits = k->opts.hits,
                                 .hit_count = k->opts.hit_count,
                                 .quiet_groups = k->opts.quiet_groups,
                                 .alloc = k->alloc,
                                 .tell = abr_tell_kind};
    const abr_reader_methods *methods = abr_methods_of(k->told.kind);
    return methods ? methods->open(&own, &k->reader) : ABR_OK;
}

static void close_reader(abr_by_kind *k)
{
    close_log(&k->log);
    if (k->reader)
        k->reader->methods->close(k->reader);
    k->reader = NULL;
    k->opened = k->watches = false;
}

static bool reserve_chunk(abr_by_kind *k, const char *p, size_t n)
{
    if (k->log.retainer)
        return abr_retainer_reserve(k->log.retainer, abr_count_newlines(p, n), n);
    return !k->reader || !k->reader->methods->reserve || k->reader->methods->reserve(k->reader, p, n);
}

/* Is the text not of its kind, as the chunk after k->held shows? *at: the byte of the chunk that shows it. */
static bool is_lost(const abr_by_kind *k, size_t n, size_t *at)
{
    uint64_t place;
    const abr_reader *r = k->reader;
    if (!r || !r->methods->lost || k->opts.kind != ABR_KIND_TOLD || !r->methods->lost(r, &place) ||
        place < ABR_TOLD_BY || place < k->held.bytes || place - k->held.bytes > n)
        return false;
    *at = (size_t)(place - k->held.bytes);
    return true;
}

/* Read a chunk. False: *at bytes of it show that the text is of no kind but text. */
static bool write_chunk(abr_by_kind *k, const char *p, size_t n, size_t *at)
{
    if (k->log.retainer) {
        write_log(&k->log, p, n);
        return true;
    }
    if (!k->reader)
        return true;
    k->reader->methods->write(k->reader, p, n);
    const bool lost = is_lost(k, n, at);
    if (k->reader->methods->lost)
        count_held(k, &k->held, p, lost ? *at : n);
    return !lost;
}

/* ---- the bytes held ---- */

static bool grow_start(abr_by_kind *k, size_t wanted)
{
    enum { STEP = ABR_OR_TINY(32 * 1024, 64) }; /* unused bytes, at most */
    const size_t most = wanted + (STEP - 1 - (wanted - 1) % STEP);
    return abr_grow(k->alloc, &k->start, &k->start_size, wanted, most, 1);
}

static void free_start(abr_by_kind *k)
{
    abr_release(k->alloc, k->start);
    k->start = NULL;
    k->start_n = k->start_size = k->preview_n = 0;
}

/* ---- a text that is written ---- */

/* Bytes held; during the chunk that decides the kind, those that decide it. */
static size_t bytes_held(const abr_by_kind *k)
{
    return k->decided ? k->start_n : ABR_TOLD_BY;
}

/* Does a log start in a block that the chunk completes? If so, k->log_at is set. The first of these blocks is
 * completed after the held bytes, as a copy that does not count. */
static bool find_in_chunk(abr_by_kind *k, const char *p, size_t n)
{
    abr_late_log found;
    const size_t open = bytes_held(k) % ABR_TEXT_BLOCK;
    const size_t done = ABR_TEXT_BLOCK - open;
    if (n < done)
        return false;
    memcpy(k->start + bytes_held(k), p, done);
    size_t at;
    uint64_t before = bytes_held(k) - open;
    bool is_log = abr_log_in_blocks(k->start + before, ABR_TEXT_BLOCK, &at, &found);
    if (!is_log) {
        before = bytes_held(k) + done;
        is_log = abr_log_in_blocks(p + done, n - done, &at, &found);
        before += at;
    }
    k->log_at = before + found.from;
    return is_log;
}

/* Open the readers of the log at k->log_at, with memory for it up to the end of the chunk. */
static bool open_late(const abr_by_kind *k, const char *p, size_t n, log_reader *out)
{
    const size_t held = k->log_at < bytes_held(k) ? (size_t)k->log_at : bytes_held(k);
    const size_t passed = (size_t)(k->log_at - held);
    text_place at = k->held;
    count_held(k, &at, k->start, held);
    count_held(k, &at, p, passed);
    const size_t left = bytes_held(k) - held;
    const uint64_t newlines =
        abr_count_newlines(k->start + held, left) + abr_count_newlines(p + passed, n - passed);
    if (open_log(k, &at, out) == ABR_OK && abr_retainer_reserve(out->retainer, newlines, left + n - passed))
        return true;
    close_log(out);
    return false;
}

static void write_late(const abr_by_kind *k, const char *p, size_t n, const log_reader *out)
{
    const size_t held = k->log_at < k->start_n ? (size_t)k->log_at : k->start_n;
    const size_t passed = (size_t)(k->log_at - held);
    write_log(out, k->start + held, k->start_n - held);
    write_log(out, p + passed, n - passed);
}

static bool reserve_written(abr_by_kind *k, const char *p, size_t n)
{
    close_log(&k->last);
    return !find_in_chunk(k, p, n) || open_late(k, p, n, &k->log);
}

/* Hold the last whole block and the bytes after it. */
static void hold_end(abr_by_kind *k, const char *p, size_t n)
{
    const uint64_t all = (uint64_t)k->start_n + n;
    const uint64_t gone = all < ABR_TEXT_BLOCK ? 0 : all - all % ABR_TEXT_BLOCK - ABR_TEXT_BLOCK;
    const size_t held = gone < k->start_n ? (size_t)gone : k->start_n;
    const size_t passed = (size_t)(gone - held);
    count_held(k, &k->held, k->start, held);
    count_held(k, &k->held, p, passed);
    k->start_n -= held;
    memmove(k->start, k->start + held, k->start_n);
    memcpy(k->start + k->start_n, p + passed, n - passed);
    k->start_n += n - passed;
}

static void write_written(abr_by_kind *k, const char *p, size_t n)
{
    if (!k->log.retainer) {
        hold_end(k, p, n);
        return;
    }
    write_late(k, p, n, &k->log);
    k->watches = false;
    k->told.kind = ABR_KIND_LOG;
    free_start(k);
}

/* Read the log in the bytes held, if there is one when the text ends here. */
static abr_code read_last(abr_by_kind *k)
{
    abr_late_log found;
    if (k->last.retainer || !k->watches ||
        !abr_log_in_end(k->held.bytes == k->first, k->start, k->start_n, &found))
        return ABR_OK;
    k->log_at = found.from;
    if (!open_late(k, "", 0, &k->last))
        return ABR_ENOMEM;
    write_late(k, "", 0, &k->last);
    return ABR_OK;
}

/* The reader is lost before (p, n): watch that for a log. Without memory to do so, the text is cut as one
 * that has none: the chunk is written, so an error now could not be mended by another call. */
static void go_on_as_text(abr_by_kind *k, const char *p, size_t n)
{
    close_reader(k);
    k->told = (abr_telling){.kind = ABR_KIND_TEXT};
    k->first = k->held.bytes;
    k->watches = grow_start(k, 2 * (size_t)ABR_TEXT_BLOCK) && reserve_written(k, p, n);
    if (k->watches)
        write_written(k, p, n);
    else
        free_start(k);
}

/* ---- the start ---- */

/* Tell the kind by the start and the next chunk, and have the start read. */
static bool open_by_start(abr_by_kind *k, const char *p)
{
    if (!grow_start(k, ABR_TOLD_BY))
        return false;
    memcpy(k->start + k->start_n, p, ABR_TOLD_BY - k->start_n);
    k->told = abr_tell_as(k->opts.kind, k->start, ABR_TOLD_BY, false);
    k->opened = true;
    k->watches = k->told.kind == ABR_KIND_TEXT && k->opts.kind == ABR_KIND_TOLD;
    if (k->watches && grow_start(k, ABR_TOLD_BY + (size_t)ABR_TEXT_BLOCK))
        return true;
    size_t at;
    if (!k->watches && open_reader(k) == ABR_OK && reserve_chunk(k, k->start, k->start_n)) {
        write_chunk(k, k->start, k->start_n, &at); /* too short to be lost */
        return true;
    }
    close_reader(k);
    return false;
}

/* ---- opening ---- */

static abr_code copy_hits(abr_by_kind *k)
{
    size_t size = k->opts.hit_count * sizeof *k->hits;
    for (size_t i = 0; i < k->opts.hit_count; i++)
        size += k->opts.hits[i].n;
    if (size == 0)
        return ABR_OK;
    k->hits = k->alloc->malloc(k->alloc->ctx, size);
    if (!k->hits)
        return ABR_ENOMEM;
    char *text = (char *)(k->hits + k->opts.hit_count);
    for (size_t i = 0; i < k->opts.hit_count; i++) {
        k->hits[i] = k->opts.hits[i];
        k->hits[i].p = memcpy(text, k->opts.hits[i].p, k->hits[i].n);
        text += k->hits[i].n;
    }
    k->opts.hits = k->hits;
    return ABR_OK;
}

static abr_by_kind *new_by_kind(const abr_opts *opts, size_t keep)
{
    const abr_alloc *alloc = abr_allocator(opts->alloc);
    abr_by_kind *k = alloc->malloc(alloc->ctx, sizeof *k);
    if (k)
        *k = (abr_by_kind){.opts = *opts, .alloc = alloc, .keep = keep};
    return k;
}

abr_code abr_by_kind_open(const abr_opts *opts, size_t keep, abr_by_kind **out)
{
    abr_by_kind *k = *out = new_by_kind(opts, keep);
    abr_code code = k ? copy_hits(k) : ABR_ENOMEM;
    if (code == ABR_OK)
        return ABR_OK;
    abr_by_kind_close(k);
    *out = NULL;
    return code;
}

/* Read a text that is all at hand, from `at` on. False in *held: byte *at shows that it is text. */
static abr_code read_from(abr_by_kind *k, const char *p, size_t n, size_t *at, bool *held)
{
    enum { CHUNK = ABR_OR_TINY(256 * 1024, 96), CHUNK_INSIDE = ABR_OR_TINY(32 * 1024, 96) };
    const size_t most = k->where == ABR_TEXT_STRING ? CHUNK_INSIDE : CHUNK;
    count_held(k, &k->held, p, *at);
    abr_code code = open_reader(k);
    *held = true;
    while (*at < n && code == ABR_OK && *held && (k->log.retainer || k->reader)) {
        size_t part = n - *at < most ? n - *at : most;
        if (!reserve_chunk(k, p + *at, part))
            code = ABR_ENOMEM;
        else if (write_chunk(k, p + *at, part, &part))
            *at += part;
        else
            *held = false;
    }
    *at = *held ? *at : (size_t)k->held.bytes;
    return code;
}

abr_code abr_by_kind_read(const abr_opts *opts, size_t keep, abr_text_place where, const char *p, size_t n,
                          abr_by_kind **out)
{
    abr_by_kind *k = *out = new_by_kind(opts, keep);
    bool held;
    if (!k)
        return ABR_ENOMEM;
    k->text = p;
    k->is_short = n <= SHORT_TEXT;
    k->where = where;
    k->told = abr_tell_as(opts->kind, p, n, true);
    k->decided = true;
    size_t at = (size_t)k->told.late.from;
    abr_code code = read_from(k, p, n, &at, &held);
    if (!held) {
        close_reader(k);
        k->told = (abr_telling){.kind = ABR_KIND_TEXT};
        if (abr_find_late_log(p + at, n - at, 0, &k->told.late)) {
            k->told.kind = ABR_KIND_LOG;
            k->held = (text_place){.bytes = 0};
            at += (size_t)k->told.late.from;
            code = read_from(k, p, n, &at, &held);
        }
    }
    if (code == ABR_OK && k->reader && k->reader->methods->settle && !k->reader->methods->settle(k->reader))
        code = ABR_ENOMEM;
    if (code == ABR_OK)
        return ABR_OK;
    abr_by_kind_close(k);
    *out = NULL;
    return code;
}

const abr_hit *abr_by_kind_hits(const abr_by_kind *k)
{
    return k->opts.hits;
}

/* ---- chunks ---- */

bool abr_by_kind_reserve(abr_by_kind *k, const char *p, size_t n)
{
    if (!k->decided && n <= ABR_TOLD_BY - k->start_n)
        return grow_start(k, k->start_n + n);
    if (!k->decided && !k->opened && !open_by_start(k, p))
        return false;
    const size_t told = k->decided ? 0 : ABR_TOLD_BY - k->start_n;
    if (k->watches ? reserve_written(k, p + told, n - told) : reserve_chunk(k, p, n))
        return true;
    if (!k->decided)
        close_reader(k); /* a different chunk may come next and make it another kind */
    return false;
}

void abr_by_kind_write(abr_by_kind *k, const char *p, size_t n)
{
    if (!k->decided && n <= ABR_TOLD_BY - k->start_n) {
        memcpy(k->start + k->start_n, p, n);
        k->start_n += n;
        return;
    }
    const size_t told = k->decided ? 0 : ABR_TOLD_BY - k->start_n;
    k->decided = true;
    if (k->watches) {
        k->start_n += told;
        write_written(k, p + told, n - told);
        return;
    }
    free_start(k);
    size_t at;
    if (!write_chunk(k, p, n, &at))
        go_on_as_text(k, p + at, n - at);
}

bool abr_by_kind_preview(abr_by_kind *k, const char *p, size_t n)
{
    if (!k->decided && n > 0) {
        if (!grow_start(k, k->start_n + n))
            return false;
        memcpy(k->start + k->start_n, p, n);
    }
    k->preview_n = n;
    return true;
}

bool abr_by_kind_is_open(const abr_by_kind *k, const char **p, size_t *n)
{
    *p = k->start ? k->start : "";
    *n = k->start_n + k->preview_n;
    return !k->decided;
}

abr_code abr_by_kind_view(abr_by_kind *k, abr_view *view)
{
    /* a preview has not been read: it may change until it is written */
    const bool read = k->preview_n == 0;
    const bool holds = !k->reader || !k->reader->methods->holds || k->reader->methods->holds(k->reader);
    const abr_code code = read ? read_last(k) : ABR_OK;
    const log_reader *log = k->last.retainer ? &k->last : &k->log;
    view->kind = !holds && read ? ABR_KIND_TEXT : k->last.retainer && read ? ABR_KIND_LOG : k->told.kind;
    view->media_type = k->told.media_type;
    view->retainer = read ? log->retainer : NULL;
    view->log_parts = read && log->stretches ? abr_stretches_parts(log->stretches) : NULL;
    view->reader = read && holds ? k->reader : NULL;
    return code;
}

void abr_by_kind_close(abr_by_kind *k)
{
    if (!k)
        return;
    close_reader(k);
    close_log(&k->last);
    free_start(k);
    abr_release(k->alloc, k->hits);
    abr_release(k->alloc, k);
}
