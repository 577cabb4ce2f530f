/*
 * Reads a JSON document as it goes by: its tokens open and close levels, and its values are judged.
 *
 * The retained parts do not depend on the chunks: levels are examined at the ends of tokens, and work done
 * early, at the end of a chunk, is the same as would be done later.
 */
#include <string.h>

#include "kinds/json/json_reader.h"
#include "base/memory.h"
#include "base/tiny.h"
#include "kinds/json/json_cut.h"
#include "kinds/json/json_held.h"
#include "kinds/json/json_joined.h"
#include "kinds/json/json_levels.h"
#include "kinds/json/json_parts.h"
#include "kinds/json/json_source.h"
#include "kinds/json/json_string.h"
#include "kinds/json/json_text.h"
#include "kinds/json/json_values.h"
#include "line/words.h"
#include "text/flow.h"
#include "text/scan.h"

enum {
    DEPTH_MOST = ABR_OR_TINY(1 << 20, 256) /* deeper documents are cut as text */
};

_Static_assert(ABR_JSON_PREFIX_MOST >= ABR_JSON_SMALL, "held tokens are keys or small values");
_Static_assert(ABR_JSON_READ + ABR_JSON_QUOTES <= ABR_JSON_SMALL,
               "a long string keeps all bytes that are read");

/* Needed while the document goes by. */
typedef struct {
    abr_json_keys keys;
    abr_json_source source;
    abr_json_levels levels;
} json_state;

typedef struct {
    abr_reader reader;
    const abr_alloc *alloc;
    abr_json_scan scan;
    size_t skipped; /* bytes of a BOM */
    bool broken;
    uint64_t broken_at;    /* the byte that broke it */
    bool has_key;          /* the next value has a key */
    bool tells;            /* its key is new, and says that its words tell what its object is about */
    abr_role role;         /* of its key, if that is new */
    uint64_t path;         /* path of the next value */
    abr_json_known *known; /* its key; NULL: it is looked up */
    size_t half;           /* bytes retained of either end of a long string */
    abr_json_long string;  /* if it continues from an earlier chunk */
    abr_json_held held;
    abr_json_compact compact; /* the whole document, while it may fit */
    abr_json_parts parts;
    abr_json_values *values;
    json_state *now; /* NULL once the document has ended */
} json_reader;

/* ---- judging values ---- */

static inline abr_json_path *path_of_next(json_reader *r, bool *first)
{
    abr_json_level *in = r->now->levels.innermost;
    *first = false;
    if (r->has_key && r->known && r->known->noted) {
        abr_json_path *known = r->known->noted;
        known->count++;
        return known;
    }
    if (r->has_key) {
        abr_json_path *path = abr_json_note_path(r->values, r->path, first);
        if (r->known)
            r->known->noted = path;
        if (*first && path && r->known) {
            path->tells = r->tells || in->tells;
            path->role = (uint8_t)r->role;
        }
        return path;
    }
    if (in->elements) {
        in->elements->count += abr_json_counts_values(in->elements);
        return in->elements;
    }
    in->elements = abr_json_note_path(r->values, in->any, first);
    if (*first && in->elements && in->role == ABR_ROLE_BAD)
        in->elements->role = ABR_ROLE_BAD;
    return in->elements;
}

/* The first n bytes of a string that has ended, from its quote on, up to ABR_JSON_READ after it, with so many
 * readable bytes behind them. Those of a long string have been kept. NULL: not at hand. */
static inline const char *start_of_string(json_reader *r, uint64_t start, size_t n, size_t padding)
{
    if (r->string.begun)
        return r->string.bytes + (start - r->string.at);
    return abr_json_bytes(&r->now->source, start, n, padding);
}

/* Judge a string with n bytes of content. */
static inline abr_json_saying say_string(json_reader *r, abr_json_path *path, uint64_t start, uint64_t n)
{
    const size_t read = n < ABR_JSON_READ ? (size_t)n : ABR_JSON_READ;
    const char *p = start_of_string(r, start, 1 + read, ABR_PADDING);
    return p ? abr_json_read_string(r->values, path, p + 1, read) : (abr_json_saying){0};
}

/* Judge a number or a literal; in an array it has no meaning of its own, as in set_score() of json_tree.c. */
static inline abr_json_saying say_scalar(json_reader *r, abr_json_path *path, uint64_t at, uint64_t n)
{
    const bool counts = abr_json_counts_values(path);
    const bool meant = r->has_key && path && path->role != ABR_ROLE_NONE;
    if (!(counts || meant) || n > ABR_JSON_SHORT_NUMBER)
        return (abr_json_saying){0};
    const char *p = abr_json_bytes(&r->now->source, at, (size_t)n, 0);
    return p ? (abr_json_saying){meant ? abr_json_scalar_trouble(r->values, path, p, (size_t)n) : 0,
                                 counts && abr_json_is_odd(r->values, path, abr_json_hash(p, (size_t)n))}
             : (abr_json_saying){0};
}

static inline void judge_value(json_reader *r, abr_json_token token, abr_json_path *path, abr_json_entry *e)
{
    const abr_json_saying says = token == ABR_JSON_STRING
                                     ? say_string(r, path, e->start, e->end - e->start - ABR_JSON_QUOTES)
                                     : say_scalar(r, path, e->start, e->end - e->start);
    e->score = says.score;
    e->says |= (says.odd ? ABR_JSON_ODD : 0) | (says.score > 0 ? ABR_JSON_TROUBLE : 0);
}

/* ---- long strings ---- */

/* Take the bytes up to `end` of a long string, whose content starts after the quote at `start`. */
static void keep_long(json_reader *r, uint64_t start, uint64_t end, bool whole)
{
    abr_json_long *s = &r->string;
    abr_json_source *source = &r->now->source;
    if (!s->begun) {
        abr_json_long_begins(&r->now->levels, end);
        *s = (abr_json_long){
            .begun = true, .at = r->now->levels.innermost->from, .bytes = s->bytes, .counted = start};
        if (start - s->at > ABR_JSON_PREFIX_MOST)
            s->at = start;
        s->line = abr_json_lines(source, s->at);
        abr_json_held_begin(&r->held, source, start + 1);
        s->head_n = (size_t)(start - s->at);
        if (!abr_flow_copy(&source->flow, s->at, s->head_n, s->bytes))
            memset(s->bytes, 0, s->head_n);
    }
    size_t n;
    const char *p;
    while (s->counted < end && (p = abr_flow_at(&source->flow, s->counted, &n)) != NULL) {
        n = n < end - s->counted ? n : (size_t)(end - s->counted);
        const size_t quotes = (size_t)(s->counted == start) + (size_t)(whole && s->counted + n == end);
        abr_json_count_chars(&s->chars, p + (s->counted == start), n - quotes);
        abr_json_held_take(&r->held, p + (s->counted == start), n - quotes);
        const size_t room = (size_t)(start - s->at) + r->half - s->head_n;
        const size_t head = n < room ? n : room;
        memcpy(s->bytes + s->head_n, p, head);
        s->head_n += head;
        char *tail = s->bytes + ABR_JSON_PREFIX_MOST + r->half;
        s->tail_n = abr_tail_add(tail, s->tail_n, r->half, p + head, n - head);
        s->counted += n;
    }
}

static void end_long(json_reader *r, abr_json_entry *e)
{
    abr_json_long *s = &r->string;
    keep_long(r, e->start, e->end, true);
    abr_json_held_end(&r->held);
    const size_t tail_n = s->tail_n < r->half ? s->tail_n : r->half;
    s->tail = s->bytes + ABR_JSON_PREFIX_MOST + r->half + (s->tail_n - tail_n);
    s->tail_n = tail_n;
    s->begun = false;
    abr_json_long_ends(&r->now->levels, e, s);
}

/* ---- tokens ---- */

ABR_WRAPS static inline void note_key(json_reader *r, abr_json_known *known, uint64_t path)
{
    abr_json_level *in = r->now->levels.innermost;
    const bool is_map = in->count >= ABR_JSON_MAP;
    r->path = is_map ? in->any : path;
    r->known = is_map ? NULL : known;
    r->has_key = true;
    r->scan.guess = abr_json_next_guess(&r->now->keys);
}

static void take_key(json_reader *r, uint64_t start, uint64_t end)
{
    abr_json_level *in = r->now->levels.innermost;
    const uint64_t size = end - start - ABR_JSON_QUOTES;
    abr_json_known *known = NULL;
    const char *p = NULL;
    if (size <= ABR_JSON_PREFIX_MOST)
        p = abr_json_bytes(&r->now->source, start, (size_t)size + ABR_JSON_QUOTES, 0);
    const uint64_t path = abr_json_key_path(in->path, p ? abr_json_hash(p + 1, (size_t)size) : 0);
    if (p && (p[1] == '.' || p[1] == '\\'))
        in->dots |= abr_json_dots(p);
    else if (p)
        known = abr_json_learn(&r->now->keys, p + 1, (size_t)size, in->path, path);
    const bool is_new = known && !known->noted && !abr_json_find_path(r->values, path);
    const abr_json_role shows_as =
        is_new ? abr_json_role_of(p, (size_t)size + ABR_JSON_QUOTES) : ABR_JSON_OTHER;
    r->tells = shows_as <= ABR_JSON_NAMES;
    r->role = is_new ? abr_role_of(p + 1, (size_t)size) : ABR_ROLE_NONE;
    if (shows_as == ABR_JSON_NAME || shows_as == ABR_JSON_NAMES)
        r->role = ABR_ROLE_NAME;
    note_key(r, known, path);
}

static inline void take_guessed_key(json_reader *r, uint64_t start, uint64_t end)
{
    const abr_json_level *in = r->now->levels.innermost;
    abr_json_known *known = abr_json_guessed(&r->now->keys, in->path);
    if (known && (known->noted || in->count >= ABR_JSON_MAP))
        note_key(r, known, known->name);
    else
        take_key(r, start, end);
}

/* A value has ended: are there enough elements to tell whether they are lines? */
static inline void note_elements(json_reader *r, uint64_t end)
{
    const abr_json_level *in = r->now->levels.innermost;
    if (in->count == ABR_JSON_LINES_LEAST && !in->object && r->now->levels.depth > 0)
        abr_json_held_elements(&r->held, &r->now->source, r->now->levels.depth, end);
}

/* Is a string made of words, or the path of a file, by its start? */
static bool is_telling(json_reader *r, uint64_t start, uint64_t end)
{
    enum { READ = 64 };
    const size_t n = end - start < READ ? (size_t)(end - start) : READ;
    const char *p = start_of_string(r, start, n, 0);
    const char *slash = p ? memchr(p, '/', n) : NULL;
    return p && (memchr(p, ' ', n) || (slash && slash + 1 < p + n && slash[1] != '/'));
}

static void take_scalar(json_reader *r, abr_json_token token, uint64_t start, uint64_t end)
{
    bool first;
    if (r->now->levels.depth == ABR_JSON_SHOWN_DEPTH) {
        r->now->levels.innermost->count++;
        r->now->levels.innermost->from = end;
        r->has_key = false;
        return;
    }
    abr_json_path *path = path_of_next(r, &first);
    const bool is_long = token == ABR_JSON_STRING && end - start > ABR_JSON_SMALL;
    abr_json_entry e = {.start = start, .end = end, .values = 1, .says = first ? ABR_JSON_FRESH : 0};
    judge_value(r, token, path, &e);
    if (path && path->tells && path->count <= ABR_JSON_TELLING && token == ABR_JSON_STRING &&
        (path->role == ABR_ROLE_NAME || is_telling(r, start, end))) {
        e.tells = (uint16_t)(ABR_JSON_TELLING + 1 - path->count);
        e.says |= ABR_JSON_TELLS;
    }
    if (path && path->role == ABR_ROLE_NAME && token == ABR_JSON_STRING &&
        r->now->levels.innermost->name_at == 0)
        r->now->levels.innermost->name_at = start;
    r->has_key = false;
    if (is_long)
        end_long(r, &e);
    else
        abr_json_value_ends(&r->now->levels, &e);
    note_elements(r, end);
}

static void take_open(json_reader *r, uint64_t start, uint64_t end, bool object)
{
    bool first;
    abr_json_level *in = r->now->levels.innermost;
    if (r->now->levels.depth == ABR_JSON_SHOWN_DEPTH)
        return;
    const abr_json_path *path = path_of_next(r, &first);
    const uint64_t own = r->has_key ? r->path : in->any;
    abr_json_level *level = abr_json_level_opens(&r->now->levels, start);
    if (level->path != own) { /* of the level that was open there before */
        level->path = own;
        level->any = abr_json_any_path(own);
        level->elements = NULL;
    }
    level->entry.says = first ? ABR_JSON_FRESH : 0;
    level->tells = object && path && path->tells;
    level->role = path && !object ? (abr_role)path->role : ABR_ROLE_NONE;
    level->object = object;
    level->from = end;
    r->has_key = false;
    if (!object)
        abr_json_held_array(&r->held, &r->now->source, r->now->levels.depth, start);
}

/* The level at `depth` ends. */
static void take_close(json_reader *r, size_t depth, uint64_t end)
{
    abr_json_level *in = r->now->levels.innermost;
    if (depth > ABR_JSON_SHOWN_DEPTH) {
        if (depth == ABR_JSON_SHOWN_DEPTH + 1) {
            in->count++;
            in->from = end;
        }
        return;
    }
    if (!in->object)
        abr_json_held_array_ends(&r->held, &r->now->source, r->now->levels.depth, end);
    abr_json_level_closes(&r->now->levels, end);
    note_elements(r, end);
}

static void take_json_token(json_reader *r, abr_json_token token, uint64_t start, uint64_t end)
{
    const size_t depth = r->scan.depth;
    if (depth > ABR_JSON_SHOWN_DEPTH && token != ABR_JSON_CLOSE)
        return;
    if (token == ABR_JSON_CLOSE)
        take_close(r, depth + 1, end);
    else if (token == ABR_JSON_OPEN)
        take_open(r, start, end, r->scan.in_object);
    else if (token == ABR_JSON_GUESSED_KEY)
        take_guessed_key(r, start, end);
    else if (token == ABR_JSON_KEY)
        take_key(r, start, end);
    else
        take_scalar(r, token, start, end);
}

/* ---- chunks ---- */

/* Levels take a bit each, and few chunks open many; brackets count even inside strings. */
static bool reserve_levels(json_reader *r, const char *p, size_t n)
{
    enum { SHORT = ABR_OR_TINY(256 * 1024, 64) };
    size_t room = r->scan.room;
    const uint64_t opening = n > SHORT ? abr_count_bytes(p, n, '{') + abr_count_bytes(p, n, '[') : n;
    size_t wanted = opening < DEPTH_MOST - r->scan.depth ? r->scan.depth + (size_t)opening : DEPTH_MOST;
    if (wanted <= room)
        return true;
    while (room < wanted)
        room = room == 0 ? ABR_JSON_LEVELS : room * 2;
    void *levels = abr_resize(r->alloc, r->scan.levels, r->scan.room / 8, room / 8);
    if (!levels)
        return false;
    r->scan.levels = levels;
    r->scan.room = room;
    return true;
}

static bool reserve_string(json_reader *r, size_t n)
{
    const size_t size = ABR_JSON_PREFIX_MOST + 3 * r->half;
    if (r->string.bytes || r->now->source.flow.last.at + n <= ABR_JSON_SMALL)
        return true;
    r->string.bytes = r->alloc->malloc(r->alloc->ctx, size);
    return r->string.bytes != NULL;
}

/* Bytes of an unfinished string that are held back count too. */
static bool reserve_held(json_reader *r, const char *p, size_t n)
{
    const size_t more = abr_json_in_string(&r->scan) ? ABR_JSON_CARRY + ABR_JSON_SMALL : 0;
    return abr_json_held_reserve(&r->held, p, n, more);
}

static bool reserve_json(abr_reader *reader, const char *p, size_t n)
{
    json_reader *r = (json_reader *)(void *)reader;
    abr_json_compact *c = &r->compact;
    return r->broken ||
           (reserve_levels(r, p, n) && reserve_string(r, n) && reserve_held(r, p, n) &&
            (c->over || abr_grow(r->alloc, &c->p, &c->size, c->n + n, c->most, 1)) &&
            abr_json_parts_reserve(&r->parts, n, ABR_JSON_CARRY + ABR_JSON_PREFIX_MOST + 2 * r->half));
}

/* Is a long string under way at the end of a chunk? */
static bool is_in_long(const json_reader *r, uint64_t start, uint64_t end)
{
    if (r->string.begun)
        return true;
    return abr_json_in_string(&r->scan) && end - start > ABR_JSON_SMALL &&
           r->now->levels.depth < ABR_JSON_SHOWN_DEPTH && r->scan.depth <= ABR_JSON_SHOWN_DEPTH;
}

/* The start of the bytes that may still be needed once the document has been read up to `end`. */
static uint64_t needed_from(json_reader *r, uint64_t start, uint64_t end)
{
    const uint64_t need = r->string.begun ? end : abr_json_levels_need(&r->now->levels, end);
    if (need > end || end - need <= ABR_JSON_CARRY)
        return need < end ? need : end;
    /* a value after so many blanks cannot be shown, but an unfinished short token is still read */
    return r->scan.inside != 0 && end - start <= ABR_JSON_SMALL + ABR_JSON_PREFIX_MOST ? start : end;
}

static void write_json(abr_reader *reader, const char *p, size_t n)
{
    json_reader *r = (json_reader *)(void *)reader;
    const uint64_t at = r->now->source.flow.last.at;
    const uint64_t end = at + n;
    size_t i = 0;
    if (at == 0 && n > 0 && (unsigned char)*p == 0xEF)
        r->skipped = r->now->levels.open[0].from = 3;
    r->now->source.flow.last = (abr_flow_part){p, n, at};
    if (at < r->skipped)
        i = r->skipped - (size_t)at < n ? r->skipped - (size_t)at : n;
    const char *from = p + i;
    const uint64_t from_at = at + i;
    n -= i;
    i = 0;
    if (r->broken) /* no memory was reserved */
        return;
    abr_json_compact_write(&r->compact, from, n);
    abr_json_token token;
    while ((token = abr_json_next(&r->scan, from, n, &i)) != ABR_JSON_MORE) {
        if (token == ABR_JSON_WRONG || token == ABR_JSON_DEEP) {
            r->broken = true;
            r->broken_at = from_at + i;
            return;
        }
        take_json_token(r, token, r->scan.start + r->skipped, from_at + i);
    }
    const uint64_t start = r->scan.start + r->skipped;
    if (is_in_long(r, start, end))
        keep_long(r, start, end, false);
    abr_json_held_go_on(&r->held, &r->now->source, end);
    abr_json_carry(&r->now->source, needed_from(r, start, end));
}

static bool holds_json(const abr_reader *reader)
{
    const json_reader *r = (const json_reader *)(const void *)reader;
    return !r->broken && abr_json_is_whole(&r->scan);
}

static bool lost_json(const abr_reader *reader, uint64_t *at)
{
    const json_reader *r = (const json_reader *)(const void *)reader;
    *at = r->broken_at;
    return r->broken;
}

/* Put the whole document without its blanks, if it is at hand. False: out of memory. */
static bool put_whole(const json_reader *r, const abr_kind_request *q, abr_content *out)
{
    const abr_json_compact *c = &r->compact;
    if (c->over)
        return true;
    char *line = r->alloc->malloc(r->alloc->ctx, c->n + 1);
    if (!line)
        return false;
    size_t n = 0;
    for (size_t i = 0; i < c->n; i++)
        if (!q->one_line || c->p[i] != '\n')
            line[n++] = c->p[i];
    const abr_piece piece = {.p = line,
                             .n = n,
                             .source = true,
                             .first_byte = r->skipped + 1,
                             .last_byte = q->view->bytes,
                             .first_line = 1,
                             .last_line = q->view->lines};
    if (n <= q->bytes)
        abr_content_copy(out, &piece);
    r->alloc->free(r->alloc->ctx, line);
    return true;
}

static bool choose_json(abr_reader *reader, const abr_kind_request *q, abr_content *out)
{
    json_reader *r = (json_reader *)(void *)reader;
    abr_json_held_settle(&r->held);
    if (!abr_json_parts_settle(&r->parts))
        return false;
    return q->whole ? put_whole(r, q, out) : abr_json_cut(&r->parts, r->values, &r->held, q, out);
}

/* ---- opening ---- */

static void free_state(json_reader *r)
{
    abr_release(r->alloc, r->now);
    abr_release(r->alloc, r->scan.levels);
    abr_release(r->alloc, r->string.bytes);
    r->now = NULL;
    r->scan.levels = NULL;
    r->scan.room = 0;
    r->string.bytes = NULL;
}

static bool settle_json(abr_reader *reader)
{
    json_reader *r = (json_reader *)(void *)reader;
    free_state(r);
    abr_json_held_ends(&r->held);
    return abr_json_values_settle(r->values, r->alloc);
}

static void close_json(abr_reader *reader)
{
    json_reader *r = (json_reader *)(void *)reader;
    const abr_alloc *a = r->alloc;
    if (r->values) /* else it was not opened */
        abr_json_held_close(&r->held);
    abr_json_values_close(r->values, a);
    abr_json_parts_free(&r->parts);
    free_state(r);
    abr_release(a, r->compact.p);
    a->free(a->ctx, r);
}

static abr_code open_json(const abr_reader_opts *opts, abr_reader **out)
{
    json_reader *r = opts->alloc->malloc(opts->alloc->ctx, sizeof *r);
    *out = NULL;
    if (!r)
        return ABR_ENOMEM;
    memset(r, 0, sizeof *r);
    r->reader.methods = &abr_json_methods;
    r->alloc = opts->alloc;
    r->compact = (abr_json_compact){.most = opts->keep, .over = opts->is_record};
    r->parts = (abr_json_parts){.alloc = opts->alloc,
                                .is_record = opts->is_record,
                                .coarse = abr_json_is_coarse(opts->keep, opts->is_record),
                                .allowance = abr_json_allowance(opts->keep, opts->is_record)};
    r->half = abr_json_longest_half(&r->parts);
    r->now = opts->alloc->malloc(opts->alloc->ctx, sizeof *r->now);
    if (!r->now || abr_json_values_open(opts, &r->values) != ABR_OK) {
        close_json(&r->reader);
        return ABR_ENOMEM;
    }
    memset(r->now, 0, sizeof *r->now);
    r->now->levels.parts = &r->parts;
    r->now->levels.source = &r->now->source;
    r->now->levels.innermost = r->now->levels.open;
    r->now->levels.open[0].any = r->now->levels.open[0].path = ABR_JSON_ROOT;
    abr_json_open(&r->scan, NULL, 0);
    abr_json_held_open(&r->held, opts, r->values);
    *out = &r->reader;
    return ABR_OK;
}

const abr_reader_methods abr_json_methods = {.open = open_json,
                                             .reserve = reserve_json,
                                             .write = write_json,
                                             .holds = holds_json,
                                             .choose = choose_json,
                                             .close = close_json,
                                             .settle = settle_json,
                                             .lost = lost_json};
