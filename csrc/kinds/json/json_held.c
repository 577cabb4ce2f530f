/* Long strings that may be documents, and arrays of lines, held while the JSON around them goes by. */
#include <string.h>

#include "kinds/json/json_held.h"
#include "base/memory.h"
#include "kinds/json/json_string.h"

enum {
    HELD_NEWLINES = 4, /* that make a string one of several lines */
    EDGES = 3,         /* edges of a log that are held, if it is longer than the bound */
    ANOTHER = 4        /* another string is held if those before it take at most this part of the bound */
};

_Static_assert((size_t)ABR_JSON_HELD_PER_BYTE *(ANOTHER - 1) / ANOTHER > EDGES &&
                   (size_t)ABR_JSON_HELD_LEAST < ABR_JSON_LOG_TOLD_BY &&
                   (size_t)ABR_JSON_LOG_TOLD_BY <= ABR_JSON_HELD_MOST,
               "a log has its edges where it was held, and is known before");
_Static_assert((size_t)ABR_JSON_ARRAY_TOLD_BY < ABR_JSON_HELD_MOST - ABR_JSON_HELD_MOST / ANOTHER &&
                   (size_t)ABR_JSON_ARRAY_TOLD_BY <= ABR_JSON_LOG_TOLD_BY,
               "so is one in an array");

static size_t held_most(size_t keep)
{
    const size_t most = (SIZE_MAX / 4 - ABR_JSON_HELD_MOST) / ABR_JSON_HELD_PER_BYTE;
    return ABR_JSON_HELD_MOST + (keep < most ? keep : most) * ABR_JSON_HELD_PER_BYTE;
}

void abr_json_held_open(abr_json_held *x, const abr_reader_opts *opts, const abr_json_values *says)
{
    *x = (abr_json_held){.opts = {.keep = opts->keep,
                                  .lexicon = &says->lexicon,
                                  .patterns = &says->patterns,
                                  .alloc = opts->alloc},
                         .tell = opts->tell};
    x->text = opts->text;
    x->document = opts->is_short && !opts->is_record ? opts->text : NULL;
    x->most = opts->is_record ? 0 : held_most(opts->keep);
}

void abr_json_held_close(abr_json_held *x)
{
    const abr_alloc *alloc = x->opts.alloc;
    abr_release(alloc, x->p);
    abr_release(alloc, x->scratch);
    abr_json_log_close(&x->log);
}

abr_json_holding abr_json_held_as(const abr_json_held *x, size_t i, size_t keep)
{
    const size_t most = held_most(keep);
    size_t before = 0;
    for (size_t k = 0; k < i; k++)
        before += x->strings[k].n;
    if (before > most / ANOTHER)
        return ABR_JSON_UNHELD;
    if (x->strings[i].n <= most - before)
        return ABR_JSON_AT_HAND;
    return x->strings[i].is_log ? ABR_JSON_AS_LOG : ABR_JSON_UNHELD;
}

abr_json_holdings abr_json_held_at_all(const abr_json_held *x, size_t keep)
{
    abr_json_holdings all = ABR_JSON_HOLDS_NONE;
    for (size_t i = 0; i < x->count; i++) {
        if (!x->document && abr_json_held_as(x, i, keep) == ABR_JSON_UNHELD)
            continue;
        if (!x->strings[i].is_text)
            return ABR_JSON_HOLDS_DOCUMENTS;
        all = ABR_JSON_HOLDS_TEXT;
    }
    return all;
}

/* ---- memory ---- */

/* May the string or the array be longer than `most` after n more bytes at p, and `more` bytes of a string
 * that are held back? One that begins in those n bytes has a quote there. */
static bool may_pass(const abr_json_held *x, size_t most, const char *p, size_t n, size_t more)
{
    const bool held = x->open || x->array_count > 0;
    return (held ? x->strings[x->count].n : 0) + n + more > most && (held || more > 0 || memchr(p, '"', n));
}

void abr_json_held_settle(abr_json_held *x)
{
    if (!x->flows)
        abr_json_log_close(&x->log);
    if (x->count > 0 || x->open || x->array_count > 0 || !x->p)
        return;
    x->opts.alloc->free(x->opts.alloc->ctx, x->p);
    x->p = NULL;
    x->size = 0;
}

void abr_json_held_ends(abr_json_held *x)
{
    abr_json_held_settle(x);
    if (!x->text || x->flows)
        return;
    abr_release(x->opts.alloc, x->p);
    abr_release(x->opts.alloc, x->scratch);
    x->p = x->scratch = NULL;
    x->size = 0;
}

const char *abr_json_held_bytes(const abr_json_held *x, const abr_json_held_string *s)
{
    return x->p ? x->p + s->from : x->text + s->at;
}

bool abr_json_held_log(const abr_json_held *x, const abr_json_held_string *s, size_t keep, abr_json_log *log,
                       char **text)
{
    *text = NULL;
    if (x->flows && s == &x->strings[x->count - 1]) {
        *log = x->log;
        return true;
    }
    const char *p = abr_json_held_bytes(x, s);
    log->is_array = s->lead > 0 && abr_json_are_lines(p, s->lead, &log->feed);
    return abr_json_log_read(log, &x->opts, keep, p, s->n, text);
}

bool abr_json_held_reserve(abr_json_held *x, const char *p, size_t n, size_t more)
{
    const abr_alloc *alloc = x->opts.alloc;
    if (x->ended || x->most == 0)
        return true;
    if (x->flows)
        return abr_json_log_reserve(&x->log, p, n, more);
    if (!x->scratch) {
        x->scratch = alloc->malloc(alloc->ctx, ABR_JSON_LOG_TOLD_BY);
        if (!x->scratch)
            return false;
    }
    if (x->document)
        return true;
    const size_t of_array = x->array_count > 0 ? x->strings[x->count].n : 0;
    const size_t has = x->used + (x->open ? x->strings[x->count].n : 0);
    const size_t left = x->most - has;
    const size_t before = of_array > more ? of_array : more; /* a string lets go of an array */
    const size_t comes = n < left ? n + before : left;
    if (!abr_grow(alloc, &x->p, &x->size, has + (comes < left ? comes : left), x->most, 1))
        return false;
    if (!may_pass(x, x->most - x->used, p, n, more)) {
        abr_json_log_close(&x->log);
        return true;
    }
    if (!x->log.retainer && !abr_json_log_open(&x->log, &x->opts, NULL))
        return false;
    x->log.scratch = x->scratch;
    return abr_json_log_reserve(&x->log, p, n, before + has);
}

/* ---- the string ---- */

/* No array that is open holds lines. */
static void drop_arrays(abr_json_held *x)
{
    x->array_count = 0;
    x->lines = x->told = false;
}

void abr_json_held_begin(abr_json_held *x, abr_json_source *source, uint64_t at)
{
    abr_json_held_go_on(x, source, at); /* perhaps those taken for lines are none */
    if (x->lines)
        return;
    drop_arrays(x);
    x->open = x->most > 0 && !x->ended && x->count < ABR_JSON_HELD_STRINGS && x->used <= x->most / ANOTHER;
    x->is_lines = false;
    if (x->open)
        x->strings[x->count] = (abr_json_held_string){.at = at, .from = x->used};
}

static bool has_lines(const char *p, size_t n)
{
    size_t count = 0;
    for (size_t i = 0; i + 1 < n; i++) {
        if (p[i] != '\\')
            continue;
        count += p[i + 1] == 'n';
        i++;
    }
    return count >= HELD_NEWLINES;
}

/* May it be JSON or several lines, by its first bytes? */
static bool may_be_lines(const char *p)
{
    return *p == '{' || *p == '[' || has_lines(p, ABR_JSON_HELD_LEAST);
}

/* Is a string a log by its first ABR_JSON_LOG_TOLD_BY bytes? */
static bool tells_log(const abr_json_held *x, const char *p)
{
    if (!x->scratch || !x->tell)
        return false;
    const size_t n = abr_json_decode(p, ABR_JSON_LOG_TOLD_BY, x->scratch);
    return x->tell(x->scratch, n, false).kind == ABR_KIND_LOG;
}

/* No more of the string can be held: pass (p, n) on to a log's reader, if it is a log. */
static void pass_on(abr_json_held *x, const char *p, size_t n)
{
    abr_json_held_string *s = &x->strings[x->count];
    const size_t edge = s->n / EDGES < x->opts.keep ? s->n / EDGES : x->opts.keep;
    if (!x->lines)
        s->is_log = x->open = tells_log(x, x->p + s->from);
    x->flows = s->is_log;
    x->ended = !x->flows;
    if (x->ended)
        return;
    abr_json_log_start(&x->log, x->lines ? &x->feed : NULL, x->p + s->from, s->n, edge);
    const size_t size = s->from + EDGES * edge;
    void *smaller = abr_resize(x->opts.alloc, x->p, x->size, size);
    if (smaller) {
        x->p = smaller;
        x->size = size;
        abr_json_log_moved(&x->log, x->p + s->from);
    }
    abr_json_log_write(&x->log, p, n);
}

/* Hold as many of the next n bytes as there is room for. Returns how many. */
static size_t hold_part(abr_json_held *x, const char *p, size_t n, size_t room)
{
    abr_json_held_string *s = &x->strings[x->count];
    const size_t part = n < room ? n : room;
    if (part > 0)
        memcpy(x->p + s->from + s->n, p, part);
    s->n += part;
    return part;
}

void abr_json_held_take(abr_json_held *x, const char *p, size_t n)
{
    abr_json_held_string *s = &x->strings[x->count];
    if (!x->open)
        return;
    if (x->document || x->flows) {
        s->n += n;
        if (x->flows)
            abr_json_log_write(&x->log, p, n);
        return;
    }
    const size_t part = hold_part(x, p, n, x->most - x->used - s->n);
    if (!x->is_lines && s->n >= ABR_JSON_HELD_LEAST)
        x->open = x->is_lines = may_be_lines(x->p + s->from);
    if (x->open && part < n) {
        pass_on(x, p + part, n - part);
        s->n += n - part;
    }
}

/* Is a string text? A longer one may go by in some chunkings, and is not judged. */
static bool is_held_text(const abr_json_held *x, const char *p, size_t n)
{
    if (n > ABR_JSON_LOG_TOLD_BY || !x->scratch || !x->tell)
        return false;
    return x->tell(x->scratch, abr_json_decode(p, n, x->scratch), true).kind == ABR_KIND_TEXT;
}

/* The string is whole, and may be a document. If the source is all at hand, the first one is noted, and
 * whether all are text. */
static void note_held(abr_json_held *x)
{
    abr_json_held_string *s = &x->strings[x->count];
    s->is_text = !x->flows && is_held_text(x, x->document ? x->document + s->at : x->p + s->from, s->n);
    if (x->document) {
        x->strings[0].is_text = s->is_text;
        x->count = 1;
        x->ended = !s->is_text;
        return;
    }
    if (!x->flows && s->n > ABR_JSON_LOG_TOLD_BY)
        s->is_log = tells_log(x, x->p + s->from);
    x->used += s->n;
    x->count++;
    x->ended = x->flows;
}

void abr_json_held_end(abr_json_held *x)
{
    const abr_json_held_string *s = &x->strings[x->count];
    if (x->open && x->document && s->n >= ABR_JSON_HELD_LEAST)
        x->is_lines = may_be_lines(x->document + s->at);
    if (x->open && x->is_lines)
        note_held(x);
    x->open = false;
}

/* ---- arrays ---- */

/* The first open array that may be lines isn't, or one in it is: let go of the bytes before the next. */
static void drop_outermost(abr_json_held *x)
{
    abr_json_held_string *s = &x->strings[x->count];
    x->array_count--;
    if (x->array_count == 0)
        return;
    memmove(x->arrays, x->arrays + 1, x->array_count * sizeof *x->arrays);
    const uint64_t gone = x->arrays[0].at - s->at;
    s->at += gone;
    s->n = gone < s->n ? s->n - (size_t)gone : 0;
    if (s->n > 0)
        memmove(x->p + s->from, x->p + s->from + gone, s->n);
    else
        x->taken_to = s->at; /* its bytes may not have been taken yet */
}

/* Is it a log by the first n bytes of the array? */
static bool tells_array(const abr_json_held *x, size_t n, bool whole)
{
    const abr_json_held_string *s = &x->strings[x->count];
    abr_json_feed feed = x->feed;
    size_t used = 0;
    if (!x->tell)
        return false;
    memcpy(x->scratch, x->p + s->from, n);
    abr_json_feed_lines(&feed, x->scratch, n);
    for (size_t at = 0; at < n;) {
        const char *newline = memchr(x->scratch + at, '\n', n - at);
        const size_t size = (newline ? (size_t)(newline - x->scratch) : n) - at;
        if (newline || whole) {
            /* decoded in place: no line becomes longer, and its quotes leave room for a newline */
            memmove(x->scratch + used, x->scratch + at, size);
            used += abr_json_feed_decode(x->scratch + used, size, x->scratch + used);
            x->scratch[used++] = '\n';
        }
        at += size + 1;
    }
    return x->tell(x->scratch, used, whole).kind == ABR_KIND_LOG;
}

/* The array's elements are lines, and enough of them are held to tell whether it is a log. */
static void tell_array(abr_json_held *x, size_t n, bool whole)
{
    x->told = true;
    x->strings[x->count].is_log = tells_array(x, n, whole);
    if (!x->strings[x->count].is_log)
        drop_arrays(x);
}

/* Take some of the next n bytes of the open arrays. */
static void take_some(abr_json_held *x, const char *p, size_t n)
{
    abr_json_held_string *s = &x->strings[x->count];
    const size_t part =
        hold_part(x, p, n, x->told ? x->most - x->used - s->n : ABR_JSON_ARRAY_TOLD_BY - s->n);
    x->taken_to += part;
    if (part == n)
        return;
    if (x->told)
        pass_on(x, p + part, n - part);
    else if (x->lines)
        tell_array(x, ABR_JSON_ARRAY_TOLD_BY, false);
    else
        drop_outermost(x);
    if (x->flows) {
        s->n += n - part;
        x->taken_to += n - part;
    }
}

void abr_json_held_go_on(abr_json_held *x, abr_json_source *source, uint64_t end)
{
    size_t n;
    const char *p;
    while (x->array_count > 0 && x->taken_to < end &&
           (p = abr_flow_at(&source->flow, x->taken_to, &n)) != NULL) {
        n = n < end - x->taken_to ? n : (size_t)(end - x->taken_to);
        if (x->flows) {
            x->strings[x->count].n += n;
            abr_json_log_write(&x->log, p, n);
            x->taken_to += n;
        } else {
            take_some(x, p, n);
        }
    }
}

void abr_json_held_array(abr_json_held *x, abr_json_source *source, size_t depth, uint64_t at)
{
    abr_json_held_string *s = &x->strings[x->count];
    if (x->lines) /* perhaps they are none; else the bytes are taken later, many at once */
        abr_json_held_go_on(x, source, at);
    if (x->document || x->most == 0 || x->lines || x->ended || x->count == ABR_JSON_HELD_STRINGS ||
        x->used > x->most / ANOTHER)
        return;
    if (x->array_count == ABR_JSON_OPEN_ARRAYS)
        drop_outermost(x);
    if (x->array_count == 0) {
        *s = (abr_json_held_string){.at = at, .from = x->used};
        x->taken_to = at;
    }
    x->arrays[x->array_count++] = (abr_json_open_array){depth, at};
}

void abr_json_held_elements(abr_json_held *x, abr_json_source *source, size_t depth, uint64_t end)
{
    abr_json_held_string *s = &x->strings[x->count];
    abr_json_held_go_on(x, source, end);
    if (x->lines || x->array_count == 0 || x->arrays[x->array_count - 1].depth != depth)
        return;
    const uint64_t at = x->arrays[x->array_count - 1].at;
    const size_t before = (size_t)(at - s->at);
    if (!abr_json_are_lines(x->p + s->from + before, s->n - before, &x->feed)) {
        x->array_count--;
        return;
    }
    while (x->array_count > 1)
        drop_outermost(x);
    x->lines = true;
    s->lead = s->n;
}

void abr_json_held_array_ends(abr_json_held *x, abr_json_source *source, size_t depth, uint64_t end)
{
    abr_json_held_string *s = &x->strings[x->count];
    if (x->array_count == 0 || x->arrays[x->array_count - 1].depth != depth)
        return;
    if (!x->lines) {
        x->array_count--;
        return;
    }
    abr_json_held_go_on(x, source, end - 1);
    if (x->lines && !x->told)
        tell_array(x, s->n, true);
    if (x->lines && x->told) {
        x->used += s->n;
        x->count++;
        x->ended = x->flows;
        drop_arrays(x);
    }
}
