/*
 * A text that is cut as what it is. Its kind is told by its first ABR_TOLD_BY, or by all of a shorter
 * text; until these have come they are held. Then what reads that kind gets them, and the rest as it comes.
 */
#include <string.h>

#include "kinds/by_kind.h"
#include "abridge.h"
#include "base/memory.h"
#include "base/tiny.h"
#include "budget/options.h"
#include "kinds/kind.h"
#include "kinds/reader.h"
#include "priority/retain.h"
#include "text/scan.h"

struct abr_by_kind {
    abr_opts opts; /* hits point to `hits` */
    const abr_alloc *alloc;
    size_t keep;
    abr_hit *hits;    /* copies, followed by their texts; NULL where the text is at hand */
    const char *text; /* all of it, or NULL */
    bool decided;
    bool opened; /* its reader has read `start`, which counts once the next chunk is written */
    abr_telling told;
    abr_retainer *retainer;
    abr_reader *reader;
    char *start;
    size_t start_n;
    size_t start_size;
    size_t preview_n;
};

/* ---- the reader of a kind ---- */

static abr_code open_reader(abr_by_kind *k)
{
    if (k->told.kind == ABR_KIND_LOG) {
        const abr_retainer_opts own = {.text = k->text,
                                       .keep = k->keep,
                                       .chars = abr_wants_chars(&k->opts),
                                       .hits = k->opts.hits,
                                       .hit_count = k->opts.hit_count,
                                       .quiet_groups = k->opts.quiet_groups,
                                       .alloc = k->alloc};
        return abr_retainer_open(&own, &k->retainer);
    }
    const abr_reader_opts own = {.told = k->told,
                                 .text = k->text,
                                 .keep = k->keep,
                                 .hits = k->opts.hits,
                                 .hit_count = k->opts.hit_count,
                                 .quiet_groups = k->opts.quiet_groups,
                                 .alloc = k->alloc};
    const abr_reader_methods *methods = abr_methods_of(k->told.kind);
    return methods ? methods->open(&own, &k->reader) : ABR_OK;
}

static void close_reader(abr_by_kind *k)
{
    abr_retainer_close(k->retainer);
    if (k->reader)
        k->reader->methods->close(k->reader);
    k->retainer = NULL;
    k->reader = NULL;
    k->opened = false;
}

static bool reserve_chunk(abr_by_kind *k, const char *p, size_t n)
{
    if (k->retainer)
        return abr_retainer_reserve(k->retainer, abr_count_newlines(p, n), n);
    return !k->reader || k->reader->methods->reserve(k->reader, p, n);
}

static void write_chunk(abr_by_kind *k, const char *p, size_t n)
{
    if (k->retainer)
        abr_retainer_write(k->retainer, p, n);
    else if (k->reader)
        k->reader->methods->write(k->reader, p, n);
}

/* ---- the start ---- */

static bool grow_start(abr_by_kind *k, size_t wanted)
{
    const size_t most = wanted < ABR_KIND_BYTES ? ABR_KIND_BYTES : wanted; /* a preview may take more */
    void *start = k->start;
    const bool fine = abr_grow(k->alloc, &start, &k->start_size, wanted, most, 1);
    k->start = start;
    return fine;
}

static void free_start(abr_by_kind *k)
{
    if (k->start)
        k->alloc->free(k->alloc->ctx, k->start);
    k->start = NULL;
    k->start_n = k->start_size = k->preview_n = 0;
}

/* Tell the kind by the start and the chunk that comes next, and have the start read. */
static bool open_by_start(abr_by_kind *k, const char *p)
{
    if (!grow_start(k, ABR_TOLD_BY))
        return false;
    memcpy(k->start + k->start_n, p, ABR_TOLD_BY - k->start_n);
    k->told = abr_tell_as(k->opts.kind, k->start, ABR_TOLD_BY, false);
    k->opened = true;
    if (open_reader(k) == ABR_OK && reserve_chunk(k, k->start, k->start_n)) {
        write_chunk(k, k->start, k->start_n);
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

abr_code abr_by_kind_read(const abr_opts *opts, size_t keep, const char *p, size_t n, abr_by_kind **out)
{
    enum { CHUNK = ABR_OR_TINY(256 * 1024, 96) };
    abr_by_kind *k = *out = new_by_kind(opts, keep);
    if (!k)
        return ABR_ENOMEM;
    k->text = p;
    k->told = abr_tell_as(opts->kind, p, n, true);
    k->decided = true;
    abr_code code = open_reader(k);
    for (size_t at = 0; at < n && code == ABR_OK && (k->retainer || k->reader); at += CHUNK) {
        size_t part = n - at < CHUNK ? n - at : CHUNK;
        if (reserve_chunk(k, p + at, part))
            write_chunk(k, p + at, part);
        else
            code = ABR_ENOMEM;
    }
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
    if (reserve_chunk(k, p, n))
        return true;
    if (!k->decided)
        close_reader(k); /* another chunk may come, which makes the text another kind */
    return false;
}

void abr_by_kind_write(abr_by_kind *k, const char *p, size_t n)
{
    if (!k->decided && n <= ABR_TOLD_BY - k->start_n) {
        memcpy(k->start + k->start_n, p, n);
        k->start_n += n;
        return;
    }
    if (!k->decided) {
        k->decided = true;
        free_start(k);
    }
    write_chunk(k, p, n);
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

void abr_by_kind_view(const abr_by_kind *k, abr_view *view)
{
    /* what changes until it is written has not been read */
    const bool read = k->preview_n == 0;
    const bool holds = !k->reader || !k->reader->methods->holds || k->reader->methods->holds(k->reader);
    view->kind = holds || !read ? k->told.kind : ABR_KIND_TEXT;
    view->media_type = k->told.media_type;
    view->retainer = read ? k->retainer : NULL;
    view->reader = read && holds ? k->reader : NULL;
}

void abr_by_kind_close(abr_by_kind *k)
{
    if (!k)
        return;
    close_reader(k);
    free_start(k);
    if (k->hits)
        k->alloc->free(k->alloc->ctx, k->hits);
    k->alloc->free(k->alloc->ctx, k);
}
