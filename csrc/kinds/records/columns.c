/*
 * The worth of records' values.
 *
 * A value is judged by its words, as a line of a log is, and by its column's name if that tells what to
 * expect. A name alone says nothing, and neither does a value that is empty, zero or null.
 *
 * In a column of few values a rare one makes its record odd. While records are counted, a value is rare if it
 * is new after many records; in the end, if few records have it or any other value as rare. So a column of
 * names that occur once each makes no record odd.
 *
 * If a column reports trouble more often than can be retained, its values are read only now and then, so that
 * only a part of them count as trouble: a flood is read as fast as other records, and the records after it
 * are read in full again.
 */
#include <string.h>

#include "kinds/records/columns.h"
#include "base/ascii.h"
#include "base/tiny.h"
#include "base/word.h"
#include "kinds/json/json_string.h"
#include "line/line_score.h"
#include "line/lines.h"
#include "line/nothing.h"
#include "line/score.h"
#include "line/words.h"

enum {
    SEGMENT = ABR_OR_TINY(1024, 96),      /* bytes of a value that are read at once */
    VALUE_MOST = ABR_OR_TINY(16384, 160), /* bytes of a value that are read */
    VALUE_OVERLAP = 64,                   /* of two segments */
    LEAST_COUNT = 8,                      /* values of a column before one is rare */
    RARE_PART = 16,                       /* all values as rare as this one make up at most this part */
    /* if more than this part of the values mention trouble, it's prose */
    COMMON_PART = 4,
    COMMON_LEAST = 16,
    TROUBLED_MOST = ABR_OR_TINY(8192, 32), /* troubled values of a column, more than can be retained: */
    READ_PART = 8,                         /* from then on one value in so many is read */
    NAMED = ABR_COLUMNS - 1,
    PROBES = 8,
    LEAST_WORD = 4
};

_Static_assert(VALUE_OVERLAP < SEGMENT && (size_t)SEGMENT <= ABR_SEGMENT, "segments can be read on");

/* On the scale of line/score.h. Odd values come after all trouble, below ABR_SCORE_HIT; numbers of an odd
 * size come after other odd values, above ABR_SCORE_WARNED. */
static const float odd_most = 3.9F;
static const float odd_size = 2.5F;

/* Words in prose are no trouble: the factor brings ABR_SCORE_CLEAR below ABR_SCORE_HIT. */
static const float common_factor = 0.3F;

/* The part that each further troubled value adds: it ranks records whose worst values are equal. */
static const float more_trouble = 0.1F;

/* The first two of a kind count most, as with abr_repeat_discount() for lines. A value that is barely rare
 * enough is half as odd as one that occurs once. */
static const float seen_before = 0.35F;
static const float as_rare_half = 0.5F;

void abr_columns_open(abr_record_columns *c, unsigned quiet_groups)
{
    memset(c, 0, sizeof *c);
    abr_lexicon_open(&c->lexicon, quiet_groups);
}

/* ---- columns ---- */

ABR_WRAPS uint64_t abr_hash_bytes(const char *p, size_t n, uint64_t seed)
{
    const uint64_t factor = UINT64_C(0x9E3779B97F4A7C15);
    uint64_t hash = seed ^ n * factor;
    for (; n >= 8; p += 8, n -= 8) {
        hash = (hash ^ abr_load_word(p)) * factor;
        hash ^= hash >> 32;
    }
    if (n > 0)
        hash = (hash ^ (abr_load_word(p) & ((UINT64_C(1) << 8 * n) - 1))) * factor;
    hash ^= hash >> 29;
    return hash | 1;
}

abr_column *abr_columns_find(abr_record_columns *c, uint64_t name, bool counts)
{
    size_t slot = (size_t)(name >> 7) % NAMED;
    for (unsigned i = 0; i < PROBES; i++, slot = (slot + 1) % NAMED) {
        abr_column *x = &c->columns[slot];
        if (x->name == name)
            return x;
        if (x->name != 0)
            continue;
        if (!counts)
            return NULL;
        x->name = name;
        return x;
    }
    return NULL;
}

/* The slot of the value with this hash; it may be free. */
static abr_column_value *find_value(abr_column *x, uint32_t hash)
{
    size_t slot = hash % ABR_COLUMN_VALUES;
    while (x->values[slot].count > 0 && x->values[slot].hash != hash)
        slot = (slot + 1) % ABR_COLUMN_VALUES;
    return &x->values[slot];
}

/* ---- one value ---- */

static bool has_escape(const abr_cell *v)
{
    return v->kind == ABR_VALUE_STRING && memchr(v->p, '\\', v->n) != NULL;
}

/* What else the words of a value say. */
typedef struct {
    uint32_t shape;
    size_t at; /* bytes before those that tell the trouble */
    bool traces;
} value_words;

/* Judge a value by its words; a long one is read in overlapping segments. */
static float judge_words(const abr_record_columns *c, const abr_cell *v, value_words *words)
{
    static const abr_patterns none;
    const size_t n = v->n < VALUE_MOST ? v->n : VALUE_MOST;
    float best = 0;
    for (size_t from = 0;; from += SEGMENT - VALUE_OVERLAP) {
        abr_reading r;
        const size_t left = n - from;
        abr_read_if_scored(&c->lexicon, &none, v->p + from, left < SEGMENT ? left : SEGMENT, &r);
        const float score = r.hit || r.line_score < ABR_SCORE_WARNED ? r.line_score : ABR_SCORE_WARNED;
        if (from == 0 || score > best) {
            best = score;
            *words = (value_words){r.shape, from + r.at, r.kind == ABR_LINE_TRACE};
        }
        if (left <= SEGMENT)
            return best;
    }
}

static float judge_meaning(const abr_record_columns *c, const abr_cell *v, value_words *words)
{
    if (v->kind == ABR_VALUE_NUMBER || abr_is_whole_number(v->p, v->n))
        return abr_number_trouble(&c->lexicon, v->role, v->p, v->n);
    if (v->role == ABR_ROLE_NAME)
        return 0;
    return abr_text_trouble(&c->lexicon, v->role, v->p, v->n, judge_words(c, v, words));
}

/* The shape of a value whose words alone do not score. */
static uint32_t shape_of(const abr_record_columns *c, const abr_cell *v)
{
    static const abr_patterns none;
    abr_reading r;
    abr_read_line(&c->lexicon, &none, v->p, v->n < SEGMENT ? v->n : SEGMENT, &r);
    return r.shape;
}

static float judge_text(const abr_record_columns *c, const abr_cell *v, value_words *words)
{
    const float score = judge_meaning(c, v, words);
    if (score > 0 && words->shape == 0 && v->kind != ABR_VALUE_NUMBER)
        words->shape = shape_of(c, v);
    return score;
}

/* Judge a string by the text it spells. */
static float judge_spelled(const abr_record_columns *c, const abr_cell *v, value_words *words)
{
    char text[VALUE_MOST + ABR_PADDING];
    const size_t n = v->n < VALUE_MOST ? v->n : VALUE_MOST;
    abr_cell decoded = *v;
    decoded.p = text;
    decoded.n = abr_json_decode_line(v->p, n, text);
    const float score = judge_text(c, &decoded, words);
    words->at = abr_json_place_of(v->p, n, words->at);
    return score;
}

static float judge(const abr_record_columns *c, const abr_cell *v, value_words *words)
{
    *words = (value_words){0};
    if (v->kind == ABR_VALUE_SHAPE)
        return 0;
    return has_escape(v) ? judge_spelled(c, v, words) : judge_text(c, v, words);
}

/* ---- a value among the others ---- */

ABR_WRAPS static void add_trouble(abr_worth *w, float trouble, uint32_t sign, size_t at)
{
    if (trouble >= ABR_SCORE_HIT)
        w->sign = (w->sign ^ sign) * UINT32_C(0x9E3779B1);
    else if (trouble > w->trouble)
        w->weak_sign = sign;
    if (trouble > w->trouble) {
        w->trouble = trouble + w->trouble * more_trouble;
        w->at = at;
    } else {
        w->trouble += trouble * more_trouble;
    }
}

static void add_odd(abr_worth *w, float odd, uint32_t sign, size_t at)
{
    if (odd <= w->odd)
        return;
    w->odd = odd;
    w->odd_sign = sign;
    if (w->trouble <= 0)
        w->at = at;
}

/* How odd a value is that `seen` of the `count` records before it had, in a column with so many different
 * ones. */
static float novelty(uint64_t seen, uint64_t count, unsigned different)
{
    if (count < LEAST_COUNT || seen * RARE_PART > count)
        return 0;
    const float part = (float)count / (RARE_PART * (float)(different + 1));
    return odd_most * (part < 1 ? part : 1) / (1 + seen_before * (float)seen);
}

/* May it be a unit: "m", "GiB", "%"? */
static bool is_unit(const char *p, size_t n)
{
    enum { LONGEST_UNIT = 3 };
    return n <= LONGEST_UNIT && (abr_is_letter(*p) || *p == '%');
}

/* The size of a number, which may have a unit: its digits before the point; 0 if it isn't one: "2.28.1". */
static unsigned size_of_number(const abr_cell *v)
{
    enum { NEGATIVE = ABR_COLUMN_VALUES / 2 };
    unsigned digits = 0;
    size_t i = v->n > 0 && v->p[0] == '-';
    const unsigned sign = i == 1 ? NEGATIVE : 0;
    for (; i < v->n && abr_is_digit(v->p[i]); i++)
        digits++;
    i += i < v->n && v->p[i] == '.';
    while (i < v->n && abr_is_digit(v->p[i]))
        i++;
    if (digits == 0 || digits >= NEGATIVE || (i < v->n && !is_unit(v->p + i, v->n - i)))
        return 0;
    return sign + digits;
}

/* May its words mean something? Those of names and numbers, which fill most columns of many values, don't. */
static bool may_have_words(const abr_cell *v)
{
    if (v->kind == ABR_VALUE_NUMBER || v->kind == ABR_VALUE_SHAPE || v->n < LEAST_WORD)
        return false;
    for (size_t i = 0; i < v->n; i++)
        if (!abr_is_letter(v->p[i]))
            return memchr(v->p + i, ' ', v->n - i) != NULL || has_escape(v);
    return true;
}

/* A value of a column that has many. */
static void read_one_of_many(abr_record_columns *c, abr_column *x, const abr_cell *v, uint32_t counts,
                             abr_worth *w)
{
    const unsigned size = size_of_number(v);
    if (counts)
        add_odd(w, novelty(x->sizes[size], x->count, 2) * odd_size / odd_most, size ^ (uint32_t)x->name,
                v->at);
    else
        add_odd(w, x->odd_sizes[size], size ^ (uint32_t)x->name, v->at);
    x->sizes[size] += counts;
    x->count += counts;
    if (size > 0 ? v->role == ABR_ROLE_NONE : v->role == ABR_ROLE_NONE && !may_have_words(v))
        return;
    if (counts && x->troubled >= TROUBLED_MOST && x->troubled * READ_PART > x->count) {
        x->unread += counts;
        return;
    }
    value_words words;
    float trouble = judge(c, v, &words);
    if (trouble <= 0)
        return;
    const uint64_t read = x->count - x->unread;
    if (counts)
        x->troubled += trouble >= ABR_SCORE_HIT ? counts : 0;
    else if (x->role == ABR_ROLE_NONE && read >= COMMON_LEAST && x->troubled * COMMON_PART > read)
        trouble *= common_factor;
    w->tells = w->tells || (v->role == ABR_ROLE_NONE && trouble >= ABR_SCORE_HIT);
    w->traces = w->traces || words.traces;
    add_trouble(w, trouble, words.shape ^ (uint32_t)x->name, v->at + words.at);
}

void abr_read_cell(abr_record_columns *c, abr_column *x, const abr_cell *v, uint32_t counts, abr_worth *w)
{
    value_words words;
    if (!x) {
        const float trouble = judge(c, v, &words);
        add_trouble(w, trouble, words.shape, v->at + words.at);
        return;
    }
    c->settled = c->settled && !counts;
    if (x->many) {
        read_one_of_many(c, x, v, counts, w);
        return;
    }
    const uint32_t hash = (uint32_t)(abr_hash_bytes(v->p, v->n, 0) >> 32);
    abr_column_value *found = find_value(x, hash);
    if (found->count > 0) {
        add_trouble(w, found->trouble, found->sign, v->at + found->at);
        add_odd(w, counts ? novelty(found->count, x->count, x->used) : found->odd, hash, v->at);
        found->count += counts < UINT32_MAX - found->count ? counts : UINT32_MAX - found->count;
        x->count += counts;
        return;
    }
    if (counts && x->used == ABR_COLUMN_VALUES_MOST) {
        x->many = true;
        x->sizes[size_of_number(v)] = 0;
        read_one_of_many(c, x, v, counts, w);
        return;
    }
    const float trouble = judge(c, v, &words);
    const uint32_t sign = words.shape ^ (uint32_t)x->name ^ (uint32_t)(trouble * 8);
    add_trouble(w, trouble, sign, v->at + words.at);
    add_odd(w, novelty(0, x->count, x->used), hash, v->at);
    if (counts) {
        x->used++;
        *found = (abr_column_value){
            .hash = hash, .count = counts, .sign = sign, .at = (uint32_t)words.at, .trouble = trouble};
        x->count += counts;
    }
}

/* ---- in the end ---- */

/* How odd a value is if `as_rare` of the column's `count` values are as rare. */
static float oddity(uint64_t as_rare, uint64_t count)
{
    if (count < LEAST_COUNT || as_rare * RARE_PART > count)
        return 0;
    return odd_most * (1 - as_rare_half * (float)(as_rare * RARE_PART) / (float)count);
}

static void settle_values(abr_column *x)
{
    for (unsigned i = 0; i < ABR_COLUMN_VALUES; i++) {
        uint64_t as_rare = 0;
        for (unsigned k = 0; k < ABR_COLUMN_VALUES; k++)
            as_rare += x->values[k].count <= x->values[i].count ? x->values[k].count : 0;
        x->values[i].odd = oddity(as_rare, x->count);
    }
}

static void settle_sizes(abr_column *x)
{
    unsigned common = 0;
    for (unsigned i = 1; i < ABR_COLUMN_VALUES; i++)
        common = x->sizes[i] > x->sizes[common] ? i : common;
    for (unsigned i = 0; i < ABR_COLUMN_VALUES; i++) {
        uint64_t as_rare = 0;
        for (unsigned k = 0; k < ABR_COLUMN_VALUES; k++)
            as_rare += x->sizes[k] <= x->sizes[i] ? x->sizes[k] : 0;
        /* numbers smaller than most say nothing, nor do any among values that mostly are none */
        const bool says = common > 0 && (i > common || i == 0);
        x->odd_sizes[i] = says ? oddity(as_rare, x->count) * odd_size / odd_most : 0;
    }
}

void abr_columns_settle(abr_record_columns *c)
{
    if (c->settled)
        return;
    for (size_t i = 0; i < ABR_COLUMNS; i++) {
        abr_column *x = &c->columns[i];
        if (x->name == 0)
            continue;
        settle_values(x);
        if (x->many)
            settle_sizes(x);
    }
    c->settled = true;
}
