/* The key paths of a document, and its values: their roles, which report trouble, and which are unlike the
 * others. */
#ifndef ABR_KINDS_JSON_JSON_VALUES_H
#define ABR_KINDS_JSON_JSON_VALUES_H

#include "base/private.h"
#include "base/tiny.h"
#include "base/word.h"
#include "kinds/reader.h"
#include "kinds/roles.h"
#include "line/hits.h"
#include "line/lexicon.h"

ABR_PRIVATE_BEGIN

/* In the order in which an object's members are shown. */
typedef enum {
    ABR_JSON_OUTCOME = 0, /* an exit code, a status, a severity, an error, a message */
    ABR_JSON_NAME,        /* an id, a name, a title, a path, a URL, a key */
    ABR_JSON_NAMES,       /* a name of something else: `user_id`, `filePath` */
    ABR_JSON_CODE,        /* looks like an identifier, whatever its key says */
    ABR_JSON_OTHER
} abr_json_role;

/* The role of a key, with its quotes. */
abr_json_role abr_json_role_of(const char *key, size_t n);

/* Does a string of n bytes, without its quotes, look like an identifier? */
bool abr_json_is_code(const char *p, size_t n);

enum {
    ABR_JSON_PATHS = ABR_OR_TINY(4096, 8),       /* places for the key paths told apart, */
    ABR_JSON_RECORD_PATHS = ABR_OR_TINY(512, 8), /* the same for a record; both are powers of two */
    ABR_JSON_VALUES_EACH = 1, /* places for counted values, of all paths, per place for a path */
    ABR_JSON_DISTINCT = ABR_OR_TINY(48, 6), /* different values of a path, at most, for it to have few */
    ABR_JSON_READ = ABR_OR_TINY(512, 32),   /* bytes of a string read for trouble */
    ABR_JSON_SHORT_NUMBER = 12,             /* bytes of a counted number, at most */
    ABR_JSON_MAP = ABR_OR_TINY(32, 4) /* an object with more members is a map: its members count as one */
};

#define ABR_JSON_ROOT UINT64_C(0x243F6A8885A308D3)

typedef struct {
    uint64_t hash; /* of the path; 0: free */
    uint32_t count;
    uint16_t distinct; /* different values counted */
    bool tells;        /* the caller's */
    uint8_t role;      /* the caller's, an abr_role */
} abr_json_path;

typedef struct {
    uint32_t tag; /* 0: free */
    uint32_t count;
    float score;
} abr_json_value_count;

typedef struct {
    abr_lexicon lexicon;
    abr_patterns patterns;
    uint32_t path_count;
    uint32_t value_count;
    size_t path_places;
    size_t value_places;
    abr_json_path *paths;
    abr_json_value_count *values; /* after the paths, in their block */
} abr_json_values;

/* The judgement of a value. */
typedef struct {
    float score; /* of trouble, on the scale of score.h */
    bool odd;    /* unlike the others of its path */
} abr_json_saying;

ABR_WRAPS static inline uint64_t abr_json_mix(uint64_t a, uint64_t b)
{
    uint64_t h = (a ^ b) * UINT64_C(0x9E3779B97F4A7C15);
    return h ^ h >> 32;
}

/* Up to eight bytes as a number, never read byte by byte, since most keys are short. */
static inline uint64_t abr_json_load(const char *p, size_t n)
{
    if (n >= sizeof(uint32_t))
        return (uint64_t)abr_load_half(p + n - sizeof(uint32_t)) << 32 | abr_load_half(p);
    if (n == 0)
        return 0;
    return (uint64_t)(unsigned char)p[0] << 16 | (uint64_t)(unsigned char)p[n / 2] << 8 |
           (unsigned char)p[n - 1];
}

static inline uint64_t abr_json_hash(const char *p, size_t n)
{
    uint64_t h = n;
    for (; n > 8; p += 8, n -= 8)
        h = abr_json_mix(h, abr_load_word(p));
    return abr_json_mix(h, abr_json_load(p, n));
}

/* The path of an element or of a member of a map; and of a member whose key has this hash. */
static inline uint64_t abr_json_any_path(uint64_t of)
{
    return abr_json_mix(of, UINT64_C(0x13198A2E03707344)) | 1;
}

static inline uint64_t abr_json_key_path(uint64_t of, uint64_t key)
{
    return abr_json_mix(of, key + 1) | 1;
}

abr_code abr_json_values_open(const abr_reader_opts *opts, abr_json_values **out);
/* All has been read: free the places that are not in use. False: out of memory. */
bool abr_json_values_settle(abr_json_values *x, const abr_alloc *alloc);
void abr_json_values_close(abr_json_values *x, const abr_alloc *alloc);

/* Count a value of this path; *first: it is the path's first. NULL if there are too many paths. */
abr_json_path *abr_json_note_path(abr_json_values *x, uint64_t hash, bool *first);

/* Are values of this path counted? Not if there are too many different ones. */
static inline bool abr_json_counts_values(const abr_json_path *path)
{
    return path && path->distinct <= ABR_JSON_DISTINCT;
}

/* Read a string, without its quotes, as it comes; ABR_PADDING bytes after it must be readable. */
abr_json_saying abr_json_read_string(abr_json_values *x, abr_json_path *path, const char *p, size_t n);

/* Count a number or a literal, by its hash: is it unlike the others of its path? */
bool abr_json_is_odd(abr_json_values *x, abr_json_path *path, uint64_t hash);

/* The same once everything was read, without counting. `path` comes from abr_json_find_path(). */
const abr_json_path *abr_json_find_path(const abr_json_values *x, uint64_t hash);
abr_json_saying abr_json_look_up(const abr_json_values *x, const abr_json_path *path, uint64_t hash);

/* Do all objects of the path `parent` have the same string there, so that it says nothing of one of them? */
bool abr_json_is_shared(const abr_json_values *x, const abr_json_path *path, uint64_t parent);

/* The score of the trouble that a string reports, or a number or a literal, by its path or NULL. */
float abr_json_trouble(const abr_json_values *x, const abr_json_path *path, const char *p, size_t n);
float abr_json_scalar_trouble(const abr_json_values *x, const abr_json_path *path, const char *p, size_t n);

ABR_PRIVATE_END

#endif
