/*
 * Judge the values of a document. The last word of a key, alone or after others, tells a value's role. If a
 * path has few different values, they are counted, so that an odd one stands out and each is read once;
 * values of other paths are read one by one.
 */
#include <string.h>

#include "kinds/json/json_values.h"
#include "base/ascii.h"
#include "base/memory.h"
#include "kinds/json/json_string.h"
#include "line/line_score.h"
#include "line/score.h"
#include "line/words.h"

enum { WORD_MOST = 9 /* bytes of the longest word below, in the plural */ };

typedef struct {
    const char *text;
    uint8_t n;
    uint8_t role; /* of a key that is this word */
} role_word;

static const role_word role_words[] = {
    {"id", 2, ABR_JSON_NAME},        {"url", 3, ABR_JSON_NAME},        {"key", 3, ABR_JSON_NAME},
    {"name", 4, ABR_JSON_NAME},      {"path", 4, ABR_JSON_NAME},       {"title", 5, ABR_JSON_NAME},
    {"code", 4, ABR_JSON_OUTCOME},   {"error", 5, ABR_JSON_OUTCOME},   {"state", 5, ABR_JSON_OUTCOME},
    {"status", 6, ABR_JSON_OUTCOME}, {"message", 7, ABR_JSON_OUTCOME}, {"severity", 8, ABR_JSON_OUTCOME},
};

/* The role of a word, which may be the plural of one above. */
static abr_json_role role_of_word(const char *word, size_t n)
{
    for (size_t i = 0; i < sizeof role_words / sizeof *role_words; i++) {
        const role_word *w = &role_words[i];
        if ((n == w->n || (n == w->n + 1U && word[n - 1] == 's')) && memcmp(word, w->text, w->n) == 0)
            return (abr_json_role)w->role;
    }
    return ABR_JSON_OTHER;
}

abr_json_role abr_json_role_of(const char *key, size_t n)
{
    char word[WORD_MOST];
    size_t used = 0;
    size_t i = n - 1;
    while (i > 1 && used < WORD_MOST && abr_is_letter(key[i - 1])) {
        i--;
        word[WORD_MOST - ++used] = (char)(key[i] | ' ');
        if (abr_is_upper(key[i]) && !abr_is_upper(key[i - 1]))
            break;
    }
    const char *start = word + WORD_MOST - used;
    const bool alone = i == 1;
    if (i > 1 && abr_is_letter(key[i - 1]) && !abr_is_upper(key[i]))
        return ABR_JSON_OTHER; /* only the end of a longer word */
    const abr_json_role role = role_of_word(start, used);
    return role == ABR_JSON_NAME && !alone ? ABR_JSON_NAMES : role;
}

/* Bytes of the digits at p, of which at most `most` are looked at. */
static size_t digits_at(const char *p, size_t n, size_t most)
{
    size_t i = 0;
    while (i < n && i < most && abr_is_digit(p[i]))
        i++;
    return i;
}

/* Does it start with a date or a time of day: "2026-11-28", "28/11/2026", "10:03", "10:03:07"? */
static bool is_time(const char *p, size_t n)
{
    enum { YEAR = 4, PART = 2 };
    const size_t first = digits_at(p, n, YEAR);
    if (first == 0 || first == YEAR - 1 || first == n || !memchr("-/:", p[first], 3))
        return false;
    const size_t second = digits_at(p + first + 1, n - first - 1, PART);
    const size_t end = first + 1 + second;
    if (second == 0 || (end == n && p[first] != ':'))
        return false;
    return end == n || (p[end] == p[first] && digits_at(p + end + 1, n - end - 1, PART) > 0);
}

bool abr_json_is_code(const char *p, size_t n)
{
    enum { LEAST = 3, MOST = 80 };
    bool digit = false;
    if (n < LEAST || n > MOST || is_time(p, n))
        return false;
    for (size_t i = 0; i < n; i++) {
        if (p[i] == ' ' || p[i] == '\\')
            return false;
        digit = digit || abr_is_digit(p[i]);
    }
    return digit;
}

/* ---- counted values ---- */

enum {
    COUNTED_MOST = 48,    /* bytes of a counted value, at most */
    COUNTS_TO_JUDGE = 12, /* values of a path before one can be odd */
    ODD_PART = 10,        /* a value is odd up to this part of them, */
    ODD_OF_MEAN = 2       /* and up to this part of how often each comes on average: of twelve months none */
};

/* The most of so many places that may be taken. */
static size_t most_of_places(size_t places)
{
    return places / 4 * 3;
}

static bool make_places(abr_json_values *x, size_t paths, size_t values, const abr_alloc *alloc)
{
    const size_t size = paths * sizeof *x->paths + values * sizeof *x->values;
    x->paths = alloc->malloc(alloc->ctx, size);
    if (!x->paths)
        return false;
    memset(x->paths, 0, size);
    x->path_places = paths;
    x->value_places = values;
    x->values = (abr_json_value_count *)(void *)(x->paths + paths);
    return true;
}

abr_code abr_json_values_open(const abr_reader_opts *opts, abr_json_values **out)
{
    const size_t paths = opts->is_record ? ABR_JSON_RECORD_PATHS : ABR_JSON_PATHS;
    abr_json_values *x = *out = opts->alloc->malloc(opts->alloc->ctx, sizeof *x);
    if (!x)
        return ABR_ENOMEM;
    memset(x, 0, sizeof *x);
    abr_lexicon_open(&x->lexicon, opts->quiet_groups);
    if (!make_places(x, paths, paths * ABR_JSON_VALUES_EACH, opts->alloc))
        return ABR_ENOMEM;
    return abr_patterns_open(&x->patterns, opts->hits, opts->hit_count, opts->alloc);
}

void abr_json_values_close(abr_json_values *x, const abr_alloc *alloc)
{
    if (!x)
        return;
    abr_patterns_close(&x->patterns, alloc);
    abr_release(alloc, x->paths);
    alloc->free(alloc->ctx, x);
}

/* ---- paths ---- */

static size_t slot_of_path(const abr_json_values *x, uint64_t hash)
{
    const size_t mask = x->path_places - 1;
    size_t i = (size_t)(hash >> 20) & mask;
    while (x->paths[i].hash != 0 && x->paths[i].hash != hash)
        i = (i + 1) & mask;
    return i;
}

abr_json_path *abr_json_note_path(abr_json_values *x, uint64_t hash, bool *first)
{
    abr_json_path *path = &x->paths[slot_of_path(x, hash)];
    *first = path->hash == 0;
    if (*first) {
        if (x->path_count == most_of_places(x->path_places))
            return NULL;
        x->path_count++;
        path->hash = hash;
    }
    path->count++;
    return path;
}

const abr_json_path *abr_json_find_path(const abr_json_values *x, uint64_t hash)
{
    const abr_json_path *path = &x->paths[slot_of_path(x, hash)];
    return path->hash != 0 ? path : NULL;
}

/* ---- trouble ---- */

static abr_role role_at(const abr_json_path *path)
{
    return path ? (abr_role)path->role : ABR_ROLE_NONE;
}

float abr_json_scalar_trouble(const abr_json_values *x, const abr_json_path *path, const char *p, size_t n)
{
    const abr_role role = role_at(path);
    if (role == ABR_ROLE_NONE || role == ABR_ROLE_NAME)
        return 0;
    return abr_is_letter(*p) ? abr_text_trouble(&x->lexicon, role, p, n, 0)
                             : abr_number_trouble(&x->lexicon, role, p, n);
}

float abr_json_trouble(const abr_json_values *x, const abr_json_path *path, const char *p, size_t n)
{
    char line[ABR_JSON_READ + ABR_PADDING];
    const abr_role role = role_at(path);
    abr_reading reading;
    if (role == ABR_ROLE_NAME)
        return 0;
    if (n > ABR_JSON_READ)
        n = ABR_JSON_READ;
    if (memchr(p, '\\', n)) {
        n = abr_json_decode_line(p, n, line);
        p = line;
    }
    if (n == 0)
        return 0;
    if (abr_is_whole_number(p, n))
        return abr_number_trouble(&x->lexicon, role, p, n);
    abr_read_if_scored(&x->lexicon, &x->patterns, p, n, &reading);
    const bool scores = reading.hit || reading.line_score >= ABR_SCORE_WARNED;
    return abr_text_trouble(&x->lexicon, role, p, n, scores ? reading.line_score : 0);
}

/* ---- values ---- */

static inline uint32_t value_tag(uint64_t hash)
{
    return (uint32_t)(hash >> 32) | 1;
}

static inline size_t slot_of_value(const abr_json_values *x, uint32_t tag)
{
    const size_t mask = x->value_places - 1;
    size_t i = (size_t)(tag >> 1) & mask;
    while (x->values[i].tag != 0 && x->values[i].tag != tag)
        i = (i + 1) & mask;
    return i;
}

static bool is_odd_value(const abr_json_path *path, const abr_json_value_count *value)
{
    return path->count >= COUNTS_TO_JUDGE && path->distinct <= ABR_JSON_DISTINCT &&
           path->distinct <= 1 + path->count / ODD_PART && value->count <= path->count / ODD_PART &&
           (uint64_t)value->count * path->distinct * ODD_OF_MEAN <= path->count;
}

/* The count of a value, created if new; NULL if the path's values are not counted. */
static inline abr_json_value_count *count_value(abr_json_values *x, abr_json_path *path, uint64_t hash,
                                                bool *first)
{
    if (!abr_json_counts_values(path))
        return NULL;
    const uint64_t key = abr_json_mix(path->hash, hash);
    abr_json_value_count *value = &x->values[slot_of_value(x, value_tag(key))];
    *first = value->tag == 0;
    if (*first) {
        path->distinct++;
        if (x->value_count == most_of_places(x->value_places))
            return NULL;
        x->value_count++;
        value->tag = value_tag(key);
    }
    value->count++;
    return value;
}

abr_json_saying abr_json_read_string(abr_json_values *x, abr_json_path *path, const char *p, size_t n)
{
    bool first = false;
    if (n == 0)
        return (abr_json_saying){0};
    abr_json_value_count *value =
        n <= COUNTED_MOST ? count_value(x, path, abr_json_hash(p, n), &first) : NULL;
    if (!value) {
        if (path && n > COUNTED_MOST)
            path->distinct = ABR_JSON_DISTINCT + 1;
        return (abr_json_saying){.score = abr_json_trouble(x, path, p, n)};
    }
    if (first)
        value->score = abr_json_trouble(x, path, p, n);
    return (abr_json_saying){value->score, is_odd_value(path, value)};
}

bool abr_json_is_odd(abr_json_values *x, abr_json_path *path, uint64_t hash)
{
    bool first;
    abr_json_value_count *value = count_value(x, path, hash, &first);
    return value && is_odd_value(path, value);
}

bool abr_json_is_shared(const abr_json_values *x, const abr_json_path *path, uint64_t parent)
{
    const abr_json_path *in = abr_json_find_path(x, parent);
    return path && path->distinct == 1 && path->count >= COUNTS_TO_JUDGE && in && path->count >= in->count;
}

abr_json_saying abr_json_look_up(const abr_json_values *x, const abr_json_path *path, uint64_t hash)
{
    if (!abr_json_counts_values(path))
        return (abr_json_saying){0};
    const abr_json_value_count *value =
        &x->values[slot_of_value(x, value_tag(abr_json_mix(path->hash, hash)))];
    if (value->tag == 0)
        return (abr_json_saying){0};
    return (abr_json_saying){value->score, is_odd_value(path, value)};
}

/* ---- the end ---- */

static size_t places_for(size_t count)
{
    size_t places = 4;
    while (most_of_places(places) < count)
        places *= 2;
    return places;
}

bool abr_json_values_settle(abr_json_values *x, const abr_alloc *alloc)
{
    const abr_json_values from = *x;
    const size_t paths = places_for(x->path_count);
    const size_t values = places_for(x->value_count);
    if (paths + values > (x->path_places + x->value_places) / 2)
        return true;
    if (!make_places(x, paths, values, alloc)) {
        x->paths = from.paths;
        return false;
    }
    for (size_t i = 0; i < from.path_places; i++)
        if (from.paths[i].hash != 0)
            x->paths[slot_of_path(x, from.paths[i].hash)] = from.paths[i];
    for (size_t i = 0; i < from.value_places; i++)
        if (from.values[i].tag != 0)
            x->values[slot_of_value(x, from.values[i].tag)] = from.values[i];
    alloc->free(alloc->ctx, from.paths);
    return true;
}
