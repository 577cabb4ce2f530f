/*
 * The elements of JSON from a pointer on.
 *
 * The document is read token by token. On the way only the arrays and objects on the pointer's path matter:
 * their elements are counted, their keys compared, and the element pointed to is entered. In the last of
 * them, the page's own, the start of the page is kept, and the places of elements are noted. An element too
 * long to keep goes through a stream, which retains the bytes that a cut of it may need.
 *
 * A scan may begin at an element whose place is known: it is then fed the bracket that opens its array or
 * object.
 */
#include <string.h>

#include "page/element_scan.h"
#include "abridge.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/tiny.h"

enum {
    FIRST_LEVELS = ABR_OR_TINY(16, 1), /* words */
    MOST_LEVELS = 1 << 14,             /* words: 2^20 levels */
    FIRST_ROOM = ABR_OR_TINY(4096, 8), /* bytes of a page, allocated at first */
    ESCAPED = 6,                       /* most bytes of an escaped byte of a name */
    KEY_MOST = ESCAPED * ABR_NAME_MOST + ABR_JSON_QUOTES,
    BOM = 3
};

static abr_code fail_at(abr_code code, const char *message, uint64_t position, abr_error *error)
{
    abr_fail(error, code, message);
    if (error)
        error->position = (size_t)position;
    return code;
}

/* ---- beginning ---- */

abr_code abr_scan_begin(abr_element_scan *s, const char *pointer, size_t n, const abr_opts *opts, size_t keep,
                        abr_error *error)
{
    memset(s, 0, sizeof *s);
    s->opts = opts;
    s->alloc = abr_allocator(opts->alloc);
    s->keep = keep;
    s->unique = true;
    abr_code code = abr_pointer_read(pointer, n, s->alloc, &s->pointer, error);
    if (code != ABR_OK) {
        abr_scan_free(s);
        return code;
    }
    size_t longest = 0;
    for (size_t i = 0; i < s->pointer.count; i++)
        if (s->pointer.steps[i].n > longest)
            longest = s->pointer.steps[i].n;
    s->key.most =
        ESCAPED * longest + ABR_JSON_QUOTES > KEY_MOST ? ESCAPED * longest + ABR_JSON_QUOTES : KEY_MOST;
    s->key.raw = s->alloc->malloc(s->alloc->ctx, 2 * s->key.most);
    s->levels = s->alloc->malloc(s->alloc->ctx, FIRST_LEVELS * sizeof *s->levels);
    if (!s->key.raw || !s->levels) {
        abr_scan_free(s);
        return abr_no_memory(error);
    }
    s->key.name = s->key.raw + s->key.most;
    s->level_words = FIRST_LEVELS;
    abr_json_open(&s->json, s->levels, (size_t)FIRST_LEVELS * ABR_JSON_LEVELS);
    return ABR_OK;
}

void abr_scan_free(abr_element_scan *s)
{
    if (!s->alloc)
        return;
    abr_pointer_free(&s->pointer);
    abr_stream_close(s->long_one);
    abr_places_free(s->places);
    abr_unique_free(&s->names, s->alloc);
    void *const owned[] = {s->key.raw, s->levels, s->front};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++)
        if (owned[i])
            s->alloc->free(s->alloc->ctx, owned[i]);
    memset(s, 0, sizeof *s);
}

/* Steps that lead to the page's array or object. */
static size_t steps_to_parent(const abr_element_scan *s)
{
    return s->pointer.count > 0 ? s->pointer.count - 1 : 0;
}

static size_t prefix(const abr_element_scan *s, size_t steps)
{
    return steps > 0 ? s->pointer.steps[steps - 1].end : 0;
}

size_t abr_scan_parent(const abr_element_scan *s)
{
    return prefix(s, steps_to_parent(s));
}

/* The step that leads on from the scan's array or object; NULL: to its start. */
static const abr_pointer_step *next_step(const abr_element_scan *s)
{
    return s->entered < s->pointer.count ? &s->pointer.steps[s->entered] : NULL;
}

/* The nearest known place before the element that the scan looks for. */
static const abr_element_at *nearest(const abr_element_scan *s, const abr_element_places *places)
{
    const abr_pointer_step *step = next_step(s);
    const abr_element_at *named = NULL;
    if (!step)
        return &places->entries[0];
    if (!places->object || step->counted)
        return abr_places_before(places, step->index == ABR_UNLIMITED ? 0 : step->index);
    if (places->unique)
        named = abr_places_named(places, step->name, step->n);
    return named ? named : &places->entries[0];
}

abr_code abr_scan_skip(abr_element_scan *s, const abr_element_places *places, abr_error *error)
{
    while (prefix(s, s->entered) < places->pointer_n)
        s->entered++;
    s->lift = s->entered;
    const abr_element_at place = *nearest(s, places);
    s->known = true;
    s->has_total = s->entered == steps_to_parent(s);
    s->file = places->file;
    s->at = s->counted = s->base = place.at;
    s->newlines = place.newlines;
    s->chars_base = place.chars;
    if (s->has_total) {
        s->total = places->total;
        s->unique = places->unique;
    }
    if (place.index == 0)
        return ABR_OK;
    size_t i = 0;
    s->inside = true;
    s->object = places->object;
    s->index = place.index;
    s->base--;
    while (i == 0)
        if (abr_json_next(&s->json, s->object ? "{" : "[", 1, &i) == ABR_JSON_WRONG)
            return abr_fail(error, ABR_EJSON, "a bracket is none"); /* never */
    abr_json_next(&s->json, "", 1, &i);
    return ABR_OK;
}

/* ---- counting ---- */

/* Count up to byte i of the chunk, a char's start. */
static void count_to(abr_element_scan *s, const char *p, size_t i)
{
    size_t from = (size_t)(s->counted - s->at);
    if (i <= from)
        return;
    s->newlines += abr_count_newlines(p + from, i - from);
    abr_count_more_chars(&s->chars, p + from, i - from);
    s->counted = s->at + i;
}

static uint64_t chars_so_far(const abr_element_scan *s)
{
    uint64_t invalid;
    return s->chars_base + abr_counted_chars(&s->chars, &invalid);
}

/* The place of an element that begins at byte `at` of the document: in this chunk, or at a key begun in an
 * earlier one. */
static abr_element_at element_at(abr_element_scan *s, const char *p, uint64_t at)
{
    if (at < s->counted) {
        s->key.place.index = s->index;
        return s->key.place;
    }
    count_to(s, p, (size_t)(at - s->at));
    return (abr_element_at){s->index, at, s->newlines, chars_so_far(s)};
}

/* ---- keys ---- */

/* Keep the chunk's part of a token that continues in the next one, in case it is a key. */
static void keep_key(abr_element_scan *s, const char *p, size_t n)
{
    abr_member_key *key = &s->key;
    const uint64_t start = s->base + s->json.start;
    const size_t from = start > s->at ? (size_t)(start - s->at) : 0;
    if (start >= s->at)
        key->raw_n = 0;
    const size_t part = n - from < key->most - key->raw_n ? n - from : key->most - key->raw_n;
    memcpy(key->raw + key->raw_n, p + from, part);
    key->raw_n += part;
}

/* The key that ends before byte i of the chunk, decoded. */
static void decode_key(abr_element_scan *s, const char *p, size_t i)
{
    abr_member_key *key = &s->key;
    const uint64_t start = s->base + s->json.start;
    const uint64_t size = s->at + i - start;
    const char *raw = key->raw;
    if (start < s->at)
        keep_key(s, p, i);
    else
        raw = p + (start - s->at);
    key->n =
        size <= key->most ? abr_decode_string(raw + 1, (size_t)size - ABR_JSON_QUOTES, key->name) : SIZE_MAX;
}

/* Can a pointer name the member that begins here? */
static bool can_be_named(const abr_member_key *key)
{
    return key->n <= ABR_NAME_MOST;
}

/* ---- the page ---- */

static bool in_parent(const abr_element_scan *s)
{
    return s->inside && s->entered == steps_to_parent(s);
}

/* Nesting depth of the elements of the scan's array or object. */
static size_t scan_level(const abr_element_scan *s)
{
    return s->entered - s->lift + 1;
}

static abr_code start_page(abr_element_scan *s, const abr_element_at *place, bool own_bracket,
                           abr_error *error)
{
    s->found = true;
    s->first = *place;
    s->streamed = place->at;
    s->bracket = !own_bracket;
    s->room = FIRST_ROOM;
    s->front = s->alloc->malloc(s->alloc->ctx, s->room);
    if (!s->front)
        return abr_no_memory(error);
    if (!own_bracket)
        s->front[s->n++] = s->object ? '{' : '[';
    return ABR_OK;
}

/* The most bytes of the source that the front may hold: a key that begins within `keep` is whole. */
static size_t front_most(const abr_element_scan *s)
{
    return s->keep < SIZE_MAX - KEY_MOST ? s->keep + KEY_MOST : SIZE_MAX;
}

static bool add_to_front(abr_element_scan *s, const char *p, size_t n)
{
    if (n > SIZE_MAX / 2 - s->n)
        return false;
    size_t room = s->room;
    while (room < s->n + n + 1) /* and a bracket */
        room *= 2;
    if (room > s->room) {
        char *grown = abr_resize(s->alloc, s->front, s->room, room);
        if (!grown)
            return false;
        s->front = grown;
        s->room = room;
    }
    memcpy(s->front + s->n, p, n);
    s->n += n;
    return true;
}

/* Hand the stream the bytes of the first element that it lacks. */
static abr_code stream_first(abr_element_scan *s, const char *p, uint64_t until, abr_error *error)
{
    if (!s->long_one) {
        abr_code code = abr_stream_open(s->opts, NULL, NULL, &s->long_one, error);
        if (code == ABR_OK && abr_stream_write(s->long_one, s->front, s->n) != ABR_OK)
            code = abr_no_memory(error);
        if (code != ABR_OK)
            return code;
        s->streamed = s->first.at + s->n - s->bracket;
    }
    const uint64_t from = s->streamed;
    s->streamed = until;
    if (until > from && abr_stream_write(s->long_one, p + (from - s->at), (size_t)(until - from)) != ABR_OK)
        return abr_no_memory(error);
    if (until == s->first_end && until != s->end && !s->closed) {
        const char *bracket = s->object ? "}" : "]";
        s->closed = true;
        if (abr_stream_write(s->long_one, bracket, 1) != ABR_OK)
            return abr_no_memory(error);
    }
    return ABR_OK;
}

/* Keep the chunk's part of the page. */
static abr_code keep_page(abr_element_scan *s, const char *p, size_t n, abr_error *error)
{
    if (!s->found)
        return ABR_OK;
    const uint64_t chunk_end = s->at + n;
    uint64_t until = s->end > 0 && s->end < chunk_end ? s->end : chunk_end;
    uint64_t from = s->first.at + s->n - s->bracket; /* kept so far */
    const uint64_t most = s->first.at + front_most(s);
    if (until > most && most >= s->first.at)
        until = most;
    if (from >= s->at && from < until && !add_to_front(s, p + (from - s->at), (size_t)(until - from)))
        return abr_no_memory(error);
    from = s->first.at + s->n - s->bracket;
    const bool ended = s->first_end > 0 && s->first_end <= chunk_end;
    until = ended ? s->first_end : chunk_end;
    /* a number's end shows only at the byte after it, when all of it may have been streamed */
    if (until <= from || (s->streamed == until && (!ended || s->closed)))
        return ABR_OK;
    return stream_first(s, p, until, error);
}

/* ---- elements ---- */

static abr_code nowhere(abr_element_scan *s, const char *message, abr_error *error)
{
    s->total = s->index;
    return fail_at(ABR_EPOINTER, message, prefix(s, s->entered), error);
}

/* Enter an array or object, which begins at `at`. */
static abr_code enter(abr_element_scan *s, const char *p, uint64_t at, bool object, abr_error *error)
{
    s->inside = true;
    s->object = object;
    s->meant = s->in_child = false;
    s->index = 0;
    if (!in_parent(s))
        return ABR_OK;
    const abr_element_at place = element_at(s, p, at);
    if (!s->has_total) {
        s->places = abr_places_new(s->pointer.text, abr_scan_parent(s), s->alloc);
        if (!s->places || !abr_places_note(s->places, &place))
            return abr_no_memory(error);
        s->places->object = object;
    }
    return s->pointer.count == 0 ? start_page(s, &place, true, error) : ABR_OK;
}

/* An element begins, or a member with its key. */
static abr_code begin_element(abr_element_scan *s, const char *p, uint64_t at, abr_error *error)
{
    const abr_pointer_step *step = next_step(s);
    s->in_child = true;
    s->child_at = at;
    s->meant = !s->found && step && step->index == s->index && (!s->object || step->counted);
    if (!in_parent(s))
        return ABR_OK;
    const bool due = s->places && at >= s->places->due && s->index > 0;
    const bool after = s->found && s->after.index == 0 && at - s->first.at > s->keep;
    if (!due && !after && !s->meant)
        return ABR_OK;
    const abr_element_at place = element_at(s, p, at);
    if (due && !abr_places_note(s->places, &place))
        return abr_no_memory(error);
    if (after) {
        s->after = place;
        s->has_after = !s->object; /* else set once its key has ended */
    }
    return s->meant ? start_page(s, &place, false, error) : ABR_OK;
}

/* Has an element other than the first ended where no cut of the page shows all of it? Then no next page
 * begins after it. */
static bool is_past_page(const abr_element_scan *s)
{
    return s->last_end > s->first.at + s->keep && s->last_end > s->first_end;
}

/* Note the name of a member of the page's object. */
static abr_code note_name(abr_element_scan *s, abr_error *error)
{
    char escaped[2 * ABR_NAME_MOST];
    const abr_member_key *key = &s->key;
    const bool after = s->after.index > 0 && s->after.index == s->index;
    if (after) {
        s->after_n = key->n;
        s->has_after = true;
    }
    if (!can_be_named(key))
        return ABR_OK;
    if (after)
        memcpy(s->after_name, key->name, key->n);
    if (s->places && s->unique && !abr_unique_add(&s->names, s->alloc, key->name, key->n, &s->unique))
        return abr_no_memory(error);
    if (s->found && (after ? !is_past_page(s) : s->child_at - s->first.at <= s->keep)) {
        size_t size = abr_escape_name(key->name, key->n, escaped);
        s->name_most = size > s->name_most ? size : s->name_most;
    }
    return ABR_OK;
}

/* A key has ended before byte i of the chunk. */
static abr_code end_key(abr_element_scan *s, const char *p, size_t i, abr_error *error)
{
    const abr_pointer_step *step = next_step(s);
    decode_key(s, p, i);
    const bool named = !s->found && step && !step->counted && step->n == s->key.n &&
                       memcmp(step->name, s->key.name, step->n) == 0;
    s->meant = s->meant || named;
    if (!in_parent(s))
        return ABR_OK;
    if (named) {
        const abr_element_at place = element_at(s, p, s->child_at);
        abr_code code = start_page(s, &place, false, error);
        if (code != ABR_OK)
            return code;
        if (place.at < s->at && !add_to_front(s, s->key.raw, (size_t)(s->at - place.at)))
            return abr_no_memory(error);
    }
    return note_name(s, error);
}

/* An element has ended before `at`. */
static void end_element(abr_element_scan *s, uint64_t at)
{
    s->in_child = s->meant = false;
    s->index++;
    if (!in_parent(s))
        return;
    s->last_end = at;
    if (s->found && s->first_end == 0)
        s->first_end = at;
}

/* The scan's array or object has ended before `at`. */
static abr_code leave(abr_element_scan *s, uint64_t at, abr_error *error)
{
    if (!s->found)
        return nowhere(s, s->object ? "no such member" : "no such element", error);
    s->inside = false;
    s->has_total = true;
    s->total = s->index;
    s->end = at;
    if (s->first_end == 0)
        s->first_end = at; /* it is empty */
    if (s->places) {
        s->places->total = s->total;
        s->places->unique = s->unique;
        abr_unique_free(&s->names, s->alloc);
    }
    return ABR_OK;
}

/* ---- tokens ---- */

/* The document is a string, a number or a literal. */
static abr_code begin_scalar(abr_element_scan *s, const char *p, uint64_t at, abr_error *error)
{
    if (s->pointer.count > 0)
        return nowhere(s, "no array or object", error);
    s->scalar = s->has_total = true;
    const abr_element_at place = element_at(s, p, at);
    return start_page(s, &place, true, error);
}

/* A token of the value that the scan began with. */
static abr_code take_root(abr_element_scan *s, const char *p, abr_json_token token, size_t i,
                          abr_error *error)
{
    const uint64_t at = s->base + s->json.start;
    if (token == ABR_JSON_OPEN)
        return enter(s, p, at, p[i - 1] == '{', error);
    abr_code code = s->found ? ABR_OK : begin_scalar(s, p, at, error);
    s->end = s->first_end = s->at + i;
    return code;
}

/* The value of an element begins, or has ended if it is not an array or object. */
static abr_code take_value(abr_element_scan *s, const char *p, abr_json_token token, size_t i,
                           abr_error *error)
{
    const uint64_t at = s->base + s->json.start;
    abr_code code = s->in_child ? ABR_OK : begin_element(s, p, at, error);
    if (code == ABR_OK && s->meant && !in_parent(s)) {
        s->entered++;
        s->index = 0;
        return token == ABR_JSON_OPEN ? enter(s, p, at, p[i - 1] == '{', error)
                                      : nowhere(s, "no array or object", error);
    }
    if (token != ABR_JSON_OPEN)
        end_element(s, s->at + i);
    return code;
}

static abr_code take_token(abr_element_scan *s, const char *p, abr_json_token token, size_t i,
                           abr_error *error)
{
    const size_t depth = s->json.depth;
    if (!s->inside)
        return s->end > 0 ? ABR_OK : take_root(s, p, token, i, error);
    if (token == ABR_JSON_CLOSE) {
        if (depth + 1 == scan_level(s))
            return leave(s, s->at + i, error);
        if (depth == scan_level(s))
            end_element(s, s->at + i);
        return ABR_OK;
    }
    if (depth != scan_level(s) + (token == ABR_JSON_OPEN))
        return ABR_OK;
    if (token != ABR_JSON_KEY)
        return take_value(s, p, token, i, error);
    abr_code code = s->in_child ? ABR_OK : begin_element(s, p, s->base + s->json.start, error);
    return code == ABR_OK ? end_key(s, p, i, error) : code;
}

/* The chunk ends inside a token: an element that begins with it begins now. */
static abr_code break_off(abr_element_scan *s, const char *p, size_t n, abr_error *error)
{
    const uint64_t at = s->base + s->json.start;
    abr_code code = ABR_OK;
    if (s->json.inside == 0 || s->end > 0)
        return ABR_OK;
    /* a pointer that leads nowhere fails at the token's end, once that is known to be JSON */
    if (!s->inside)
        return s->found || s->pointer.count > 0 ? ABR_OK : begin_scalar(s, p, at, error);
    if (s->json.depth != scan_level(s))
        return ABR_OK;
    if (s->object) {
        if (!s->in_child)
            s->key.place = element_at(s, p, at);
        keep_key(s, p, n);
    }
    if (!s->in_child)
        code = begin_element(s, p, at, error);
    return code;
}

static bool make_levels(abr_element_scan *s)
{
    size_t words = 2 * s->level_words;
    uint64_t *grown = abr_resize(s->alloc, s->levels, s->level_words * sizeof *grown, words * sizeof *grown);
    if (!grown)
        return false;
    s->levels = s->json.levels = grown;
    s->level_words = words;
    s->json.room = words * ABR_JSON_LEVELS;
    return true;
}

/* Is everything at hand that a cut may need? The next page begins at the first element that does not fit: its
 * start was seen if some element was seen to end more than `keep` bytes after the page's start. The first
 * element is shown even if it does not fit, so the one after it is needed too. */
static bool has_enough(const abr_element_scan *s)
{
    if (!s->known || !s->has_total || !s->found)
        return false;
    if (s->end > 0)
        return true;
    const uint64_t edge = s->first.at + s->keep;
    return s->first_end > 0 && s->at - s->first.at >= front_most(s) &&
           (s->has_after || (s->in_child && s->child_at <= edge) || is_past_page(s));
}

/* Read the tokens of a chunk. */
static abr_code read_tokens(abr_element_scan *s, const char *p, size_t n, abr_error *error)
{
    size_t i = 0;
    for (;;) {
        abr_json_token token = abr_json_next(&s->json, p, n, &i);
        if (token == ABR_JSON_MORE)
            break;
        if (token == ABR_JSON_WRONG)
            return fail_at(ABR_EJSON, "no JSON", s->at + i + 1, error);
        if (token == ABR_JSON_DEEP) {
            if (s->level_words == MOST_LEVELS)
                return fail_at(ABR_EJSON, "nested too deep", s->at + i + 1, error);
            if (!make_levels(s))
                return abr_no_memory(error);
            continue;
        }
        abr_code code = take_token(s, p, token, i, error);
        if (code != ABR_OK)
            return code;
        if (s->known && s->end > 0)
            return ABR_OK;
    }
    return break_off(s, p, n, error);
}

/* A BOM at the document's start is not part of it. */
static size_t skip_bom(abr_element_scan *s, const char *p, size_t n)
{
    static const char bom[] = "\xEF\xBB\xBF";
    size_t i = 0;
    while (s->base == s->at + i && s->base < BOM && i < n && p[i] == bom[s->base]) {
        i++;
        s->base++;
    }
    return i;
}

abr_code abr_scan_take(abr_element_scan *s, const char *p, size_t n, bool *enough, abr_error *error)
{
    size_t skipped = s->at < BOM && !s->known ? skip_bom(s, p, n) : 0;
    *enough = false;
    if (skipped < n && s->base == s->at + skipped && s->base % BOM != 0 && !s->known)
        return fail_at(ABR_EJSON, "no JSON", s->base, error);
    count_to(s, p, skipped);
    s->at += skipped;
    p += skipped;
    n -= skipped;
    abr_code code = n > 0 ? read_tokens(s, p, n, error) : ABR_OK;
    if (code == ABR_OK)
        code = keep_page(s, p, n, error);
    if (code != ABR_OK)
        return code;
    count_to(s, p, n);
    s->ends_line = n > 0 ? p[n - 1] == '\n' : s->ends_line;
    s->at += n;
    *enough = has_enough(s);
    return ABR_OK;
}

abr_code abr_scan_end(abr_element_scan *s, abr_error *error)
{
    if (s->known)
        return ABR_OK;
    if (!abr_json_is_whole(&s->json))
        return fail_at(ABR_EJSON, "it ends early", s->at, error);
    if (!s->found && s->end == 0 && s->pointer.count > 0)
        return nowhere(s, "no array or object", error); /* a number */
    if (s->end == 0)
        s->end = s->first_end = s->at; /* a number */
    s->file.total_bytes = s->at;
    s->file.total_lines = s->newlines + (s->at > 0 && !s->ends_line);
    s->file.total_chars = chars_so_far(s);
    s->known = true;
    return ABR_OK;
}
