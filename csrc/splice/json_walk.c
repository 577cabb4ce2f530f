/* One JSON document read token by token, all of it. */
#include "splice/json_walk.h"
#include "abridge.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/tiny.h"

enum { LEVEL_WORDS_MOST = (1 << 20) / ABR_JSON_LEVELS, LEVEL_WORDS_FIRST = ABR_OR_TINY(16, 1) };

abr_code abr_fail_at(abr_error *error, abr_code code, const char *message, size_t position)
{
    abr_fail(error, code, message);
    if (error)
        error->position = position;
    return code;
}

abr_spliced_type abr_type_of_value(char first)
{
    switch (first) {
    case '{':
        return ABR_SPLICED_OBJECT;
    case '[':
        return ABR_SPLICED_ARRAY;
    case '"':
        return ABR_SPLICED_STRING;
    case 't':
        return ABR_SPLICED_TRUE;
    case 'f':
        return ABR_SPLICED_FALSE;
    case 'n':
        return ABR_SPLICED_NULL;
    default:
        return ABR_SPLICED_NUMBER;
    }
}

static abr_code deepen(abr_json_walk *walk, size_t at, abr_error *error)
{
    if (walk->level_words == LEVEL_WORDS_MOST)
        return abr_fail_at(error, ABR_EJSON, "nested too deep", at + 1);
    const size_t wanted = walk->level_words > 0 ? walk->level_words + 1 : LEVEL_WORDS_FIRST;
    if (!abr_grow(walk->alloc, &walk->levels, &walk->level_words, wanted, LEVEL_WORDS_MOST, sizeof(uint64_t)))
        return abr_no_memory(error);
    walk->scan.levels = walk->levels;
    walk->scan.room = walk->level_words * ABR_JSON_LEVELS;
    return ABR_OK;
}

static abr_code read_document(abr_json_walk *walk, abr_error *error)
{
    abr_code code = ABR_OK;
    size_t i = 0;
    abr_json_open(&walk->scan, NULL, 0);
    while (code == ABR_OK) {
        const abr_json_token token = abr_json_next(&walk->scan, walk->p, walk->n, &i);
        if (token == ABR_JSON_MORE)
            break;
        if (token == ABR_JSON_WRONG)
            return abr_fail_at(error, ABR_EJSON, "no JSON", i + 1);
        if (token == ABR_JSON_DEEP)
            code = deepen(walk, i, error);
        else
            code = walk->take(walk, token, (size_t)walk->scan.start, i, error);
    }
    if (code != ABR_OK)
        return code;
    if (!abr_json_is_whole(&walk->scan))
        return abr_fail_at(error, ABR_EJSON, "it breaks off", walk->n);
    /* a document that is a number ends with it */
    if (walk->scan.inside != 0)
        return walk->take(walk, ABR_JSON_NUMBER, (size_t)walk->scan.start, walk->n, error);
    return ABR_OK;
}

abr_code abr_walk_json(abr_json_walk *walk, abr_error *error)
{
    const abr_code code = read_document(walk, error);
    if (walk->levels)
        walk->alloc->free(walk->alloc->ctx, walk->levels);
    walk->levels = NULL;
    walk->level_words = 0;
    return code;
}
