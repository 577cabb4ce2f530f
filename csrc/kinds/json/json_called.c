/*
 * The names of values, and of elements of lists. An id tells elements apart; their words tell what they
 * are about. So an element has a name, for which an id will do, and perhaps a label: a title or a message.
 */
#include <string.h>

#include "kinds/json/json_called.h"
#include "base/ascii.h"
#include "kinds/json/json_text.h"
#include "kinds/json/json_values.h"

enum {
    NAME_WITHIN = 8,   /* members among which a name is looked for */
    LABEL_SHORT = 200, /* bytes of a label that no title or message is */
    WORDS_WITHIN = 64  /* bytes of a string in which it shows that it has words */
};

abr_text_line abr_json_key(const abr_json_value *v)
{
    const char *key = v->p + v->lead;
    const char *end = v->head > v->lead && *key == '"' ? memchr(key + 1, '"', v->head - v->lead - 1) : NULL;
    return (abr_text_line){key + 1, end ? (size_t)(end - key) - 1 : 0};
}

bool abr_json_has_code_for_key(const abr_json_value *v)
{
    const abr_text_line key = abr_json_key(v);
    return abr_json_holds_values(v) && key.n > 0 && abr_json_is_code(key.p, key.n);
}

bool abr_json_is_called(const abr_json_value *v)
{
    if (abr_json_holds_values(v))
        return abr_json_has_code_for_key(v);
    return v->role > ABR_JSON_OUTCOME && v->role < ABR_JSON_OTHER;
}

/* Is it a string of several words? */
static bool has_words(const abr_json_value *v)
{
    const uint64_t size = abr_json_own_size(v) - ABR_JSON_QUOTES;
    const char *p = v->p + v->head + 1;
    const char *end = p + (size < WORDS_WITHIN ? size : WORDS_WITHIN);
    for (const char *blank = p; (blank = memchr(blank, ' ', (size_t)(end - blank))) != NULL; blank++)
        if (blank > p && abr_is_letter(blank[-1]))
            return true;
    return false;
}

bool abr_json_identifies(const abr_json_value *v)
{
    const char *p = v->p + v->head;
    const bool number = *p == '-' || (*p >= '0' && *p <= '9');
    return number || abr_json_holds_values(v) || v->role == ABR_JSON_CODE ||
           (*p == '"' && abr_json_is_code(p + 1, (size_t)abr_json_own_size(v) - ABR_JSON_QUOTES));
}

/* The plain value that says what an object is called, among its first members; 0: none. */
static uint32_t name_in(const abr_json_value *values, uint32_t in)
{
    uint32_t c = values[in].type == ABR_JSON_OBJECT ? abr_json_first(values, in) : 0;
    for (unsigned i = 0; c && i < NAME_WITHIN; i++, c = abr_json_after(values, c))
        if (!abr_json_holds_values(&values[c]) && abr_json_is_called(&values[c]))
            return c;
    return 0;
}

/* How well a value labels its object. Words do best, and those of a title or a message. */
enum { LABEL_VARIES = 1, LABEL_NAMED = 2, LABEL_WORDS = 4, LABEL_BEST = 7 };

/* The rank of a label if it is above `least`, or 0. */
static unsigned label_rank(const abr_json_value *values, const abr_json_value *v, unsigned least)
{
    const bool named = v->role <= ABR_JSON_NAME;
    const unsigned rest = (named ? LABEL_NAMED : 0U) + (values[v->path].varies ? LABEL_VARIES : 0U);
    if (v->type != ABR_JSON_TEXT || LABEL_WORDS + rest <= least)
        return 0;
    if (has_words(v) && (named || abr_json_own_size(v) <= LABEL_SHORT))
        return LABEL_WORDS + rest;
    return rest > least && abr_json_is_called(v) && !abr_json_identifies(v) ? rest : 0;
}

/* The best label among an object's members, or the one `found` before if none ranks above *rank. */
static uint32_t label_among(const abr_json_value *values, uint32_t in, unsigned *rank, uint32_t found)
{
    uint32_t c = values[in].type == ABR_JSON_OBJECT ? abr_json_first(values, in) : 0;
    for (unsigned i = 0; c && i < ABR_JSON_MAP && *rank < LABEL_BEST; i++, c = abr_json_after(values, c)) {
        const unsigned now = label_rank(values, &values[c], *rank);
        if (now > 0) {
            *rank = now;
            found = c;
        }
    }
    return found;
}

/* The label of an object: a member of it, or words in an object of its or in the first one of a list. */
static uint32_t label_of(const abr_json_value *values, uint32_t in)
{
    unsigned rank = 0;
    uint32_t found = label_among(values, in, &rank, 0);
    uint32_t c = rank < LABEL_NAMED + LABEL_WORDS ? abr_json_first(values, in) : 0;
    if (rank < LABEL_WORDS)
        rank = LABEL_WORDS - 1;
    for (unsigned i = 0; c && i < ABR_JSON_MAP; i++, c = abr_json_after(values, c))
        found = label_among(values, values[c].type == ABR_JSON_ARRAY ? values[c].child : c, &rank, found);
    return found;
}

abr_json_calling abr_json_called(const abr_json_value *values, uint32_t element)
{
    abr_json_calling by = {name_in(values, element), label_of(values, element)};
    /* an object in it that names it comes before others, such as the metadata of a cluster's objects */
    uint32_t c = by.name || by.label ? 0 : values[element].child;
    for (unsigned k = 0; c && !by.name && k < NAME_WITHIN; k++, c = values[c].next)
        by.name = name_in(values, c);
    return by;
}
