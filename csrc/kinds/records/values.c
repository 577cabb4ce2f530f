/*
 * The values of a record, each read as a member of its column: in JSON its key and the keys around it name
 * the column, in a table its place does.
 */
#include <string.h>

#include "kinds/records/values.h"
#include "base/ascii.h"
#include "base/word.h"
#include "kinds/records/delimited.h"
#include "line/line_score.h"
#include "line/lines.h"
#include "line/score.h"
#include "line/words.h"

enum {
    ELEMENTS_APART = 4, /* columns for the first elements of a record that is an array; the rest share one */
    SHAPE = ABR_COLUMNS - 1
};

static const uint64_t element_name = UINT64_C(0x51A7B3C9D5E1F301);
static const uint32_t bad_record = UINT32_C(0xBAD12EC0);

abr_code abr_values_open(abr_values *x, const abr_reader_opts *opts)
{
    x->told = opts->told;
    x->spaced = false;
    x->names = 0;
    memset(x->starts, 0, sizeof x->starts);
    abr_columns_open(&x->columns, opts->quiet_groups);
    return abr_patterns_open(&x->patterns, opts->hits, opts->hit_count, opts->alloc);
}

static void note_shape(abr_values *x, uint64_t shape, uint32_t counts, abr_worth *w)
{
    const abr_cell cell = {.p = (const char *)&shape, .n = sizeof shape, .kind = ABR_VALUE_SHAPE};
    abr_read_cell(&x->columns, abr_columns_at(&x->columns, SHAPE), &cell, counts, w);
}

/* ---- JSON ---- */

typedef struct {
    abr_values *x;
    const char *p;
    uint32_t counts;
    abr_worth *worth;
    size_t depth;
    uint64_t key; /* hash of the last key read, with the keys around it */
    const char *key_p;
    size_t key_n;
    abr_json_known *known; /* this key, if its column was noted; or NULL */
    uint64_t shape;        /* of the names at the first level */
} json_reading;

/* The name of the next value: its key, or its place. */
ABR_WRAPS static uint64_t name_value(json_reading *j, bool in_object)
{
    if (j->depth == 0 || j->depth > ABR_NAMED_LEVELS)
        return element_name;
    abr_name_level *l = &j->x->named[j->depth - 1];
    if (in_object)
        return j->key;
    const uint32_t place = j->depth == 1 && l->elements < ELEMENTS_APART ? l->elements : ELEMENTS_APART;
    l->elements++;
    return l->name ^ (element_name * (place + 1));
}

/* The role that the key gives; noted plus one. */
static abr_role role_of_key(const json_reading *j)
{
    if (j->known && j->known->role > 0)
        return (abr_role)(j->known->role - 1);
    const abr_role role = abr_role_of(j->key_p, j->key_n);
    if (j->known)
        j->known->role = (uint8_t)(role + 1);
    return role;
}

static abr_role role_in(const json_reading *j, bool in_object)
{
    const abr_role own = in_object ? role_of_key(j) : ABR_ROLE_NONE;
    if (own != ABR_ROLE_NONE || j->depth == 0 || j->depth > ABR_NAMED_LEVELS)
        return own;
    return j->x->named[j->depth - 1].role;
}

static void enter_level(json_reading *j, bool in_object)
{
    const uint64_t name = name_value(j, in_object);
    if (j->depth < ABR_NAMED_LEVELS) {
        const abr_role role = role_in(j, in_object);
        j->x->named[j->depth] =
            (abr_name_level){.name = name, .role = role == ABR_ROLE_BAD ? ABR_ROLE_BAD : ABR_ROLE_NONE};
    }
    j->depth++;
}

static abr_column *column_of(json_reading *j, bool in_object)
{
    const bool known = in_object && j->known;
    if (known && j->known->noted)
        return j->known->noted;
    abr_column *column = abr_columns_find(&j->x->columns, name_value(j, in_object) | 1, j->counts);
    if (known)
        j->known->noted = column;
    return column;
}

/* Is (p, n), the spelling of a string, a line with an indent? */
static bool is_indented_text(const char *p, size_t n)
{
    return n > 2 && (*p == ' ' || (p[0] == '\\' && p[1] == 't'));
}

static void read_member(json_reading *j, bool in_object, size_t from, size_t to, abr_value_kind kind)
{
    abr_column *column = column_of(j, in_object);
    abr_role role = column ? (abr_role)column->role : ABR_ROLE_NONE;
    if (!column || column->count == 0) {
        role = role_in(j, in_object);
        if (column)
            column->role = (uint8_t)role;
    }
    const abr_cell cell = {.p = j->p + from, .n = to - from, .at = from, .role = role, .kind = kind};
    abr_read_cell(&j->x->columns, column, &cell, j->counts, j->worth);
    j->worth->goes_on = j->worth->goes_on || is_indented_text(cell.p, cell.n);
}

/* Returns a guess at the next key. */
ABR_WRAPS static const abr_json_guess *read_member_name(json_reading *j, size_t from, size_t to, bool guessed)
{
    abr_json_keys *keys = &j->x->keys;
    const uint64_t in = j->depth <= ABR_NAMED_LEVELS ? j->x->named[j->depth - 1].name : 0;
    j->key_p = j->p + from;
    j->key_n = to - from;
    j->known = guessed ? abr_json_guessed(keys, in) : NULL;
    if (j->known) {
        j->key = j->known->name;
    } else {
        j->key = abr_hash_bytes(j->key_p, j->key_n, in);
        j->known = abr_json_learn(keys, j->key_p, j->key_n, in, j->key);
    }
    if (j->depth == 1)
        j->shape = j->shape * 31 + j->key;
    return abr_json_next_guess(keys);
}

/* Read the values of (p, n). Is it an object or array, as far as it goes? */
static bool read_json(abr_values *x, const char *p, size_t n, bool whole, uint32_t counts, abr_worth *w)
{
    json_reading j = {.x = x, .p = p, .counts = counts, .worth = w, .key_p = p};
    abr_json_scan scan;
    size_t i = 0;
    if (n >= 3 && memcmp(p, "\xEF\xBB\xBF", 3) == 0)
        i = 3;
    while (i < n && (p[i] == ' ' || p[i] == '\t'))
        i++;
    if (i == n || (p[i] != '{' && p[i] != '['))
        return false;
    abr_json_open(&scan, x->levels, ABR_VALUES_LEVELS);
    scan.guess = abr_json_next_guess(&x->keys);
    for (;;) {
        const bool in_object = scan.depth > 0 && scan.in_object;
        const abr_json_token token = abr_json_next(&scan, p, n, &i);
        const size_t start = (size_t)scan.start;
        if (token == ABR_JSON_MORE)
            break;
        if (token == ABR_JSON_DEEP)
            return true; /* can't tell */
        if (token == ABR_JSON_WRONG)
            return false;
        if (token == ABR_JSON_OPEN)
            enter_level(&j, in_object);
        else if (token == ABR_JSON_CLOSE)
            j.depth--;
        else if (token == ABR_JSON_KEY || token == ABR_JSON_GUESSED_KEY)
            scan.guess = read_member_name(&j, start + 1, i - 1, token == ABR_JSON_GUESSED_KEY);
        else if (token == ABR_JSON_STRING)
            read_member(&j, in_object, start + 1, i - 1, ABR_VALUE_STRING);
        else
            read_member(&j, in_object, start, i,
                        token == ABR_JSON_NUMBER ? ABR_VALUE_NUMBER : ABR_VALUE_TEXT);
    }
    note_shape(x, j.shape, counts, w);
    return !whole || abr_json_is_whole(&scan);
}

/* ---- tables ---- */

static void read_place(abr_values *x, size_t place, abr_cell *cell, uint32_t counts, abr_worth *w)
{
    abr_column *column = place < SHAPE ? abr_columns_at(&x->columns, place) : NULL;
    cell->role = column ? (abr_role)column->role : ABR_ROLE_NONE;
    abr_read_cell(&x->columns, column, cell, counts, w);
}

/* The next delimiter from i on, or n. Reads on past n, since fields are short. */
ABR_WRAPS static size_t find_delimiter(const char *p, size_t n, size_t i, char delimiter)
{
    const uint64_t ones = UINT64_C(0x0101010101010101);
    const uint64_t sought = ones * (unsigned char)delimiter;
    for (; i < n; i += 8) {
        const uint64_t word = abr_load_word(p + i) ^ sought;
        const uint64_t found = (word - ones) & ~word & ones << 7;
        if (found != 0) {
            i += (size_t)__builtin_ctzll(found) / 8;
            break;
        }
    }
    return i < n ? i : n;
}

/* The next field of (p, n) from *at on, without its quotes; *at is then after its delimiter, n + 1 after
 * the last one. */
static abr_text_line next_field(const char *p, size_t n, size_t *at, char delimiter)
{
    const bool quoted = *at < n && p[*at] == '"';
    const size_t from = *at + quoted;
    const size_t end = quoted ? abr_closing_quote(p, n, from) : find_delimiter(p, n, from, delimiter);
    *at = (quoted ? find_delimiter(p, n, end, delimiter) : end) + 1;
    return (abr_text_line){p + from, end - from};
}

static bool is_space(char c)
{
    return c == ' ' || c == '\t';
}

/* Does the name of a column start above byte `at` of a row? */
static bool is_below_name(const abr_values *x, size_t at)
{
    return at < ABR_NAME_STARTS && x->starts[at / 64] >> at % 64 & 1;
}

/* The next word of (p, n) from *at on; empty at the end. If columns are `spaced`, words that follow after
 * single blanks belong to it, up to where the next column starts. */
static abr_text_line next_word(const abr_values *x, const char *p, size_t n, size_t *at, bool spaced)
{
    size_t i = *at;
    while (i < n && is_space(p[i]))
        i++;
    const size_t from = i;
    while (i < n && (!is_space(p[i]) ||
                     (spaced && i + 1 < n && p[i] == ' ' && !is_space(p[i + 1]) && !is_below_name(x, i + 1))))
        i++;
    *at = i;
    return (abr_text_line){p + from, i - from};
}

/* The cell at this place of (p, n), a row or a line of one, from *at on; false at the end. */
static bool next_cell(const abr_values *x, const char *p, size_t n, size_t *at, size_t place,
                      abr_text_line *cell)
{
    if (x->told.drawn.bar)
        return abr_next_cell(&x->told.drawn, (abr_text_line){p, n}, at, cell);
    if (x->told.delimiter) {
        if (*at > n)
            return false;
        *cell = next_field(p, n, at, x->told.delimiter);
        return true;
    }
    *cell = next_word(x, p, n, at, x->spaced);
    if (cell->n > 0 && place + 1 == x->names) { /* the last column has the rest */
        cell->n = (size_t)(p + n - cell->p);
        *at = n;
    }
    return cell->n > 0;
}

/* Read the cells of (p, n), which starts `from` bytes into the row; empty ones only if `all`. Returns their
 * number. */
static size_t read_cells(abr_values *x, const char *p, size_t n, size_t from, bool all, uint32_t counts,
                         abr_worth *w)
{
    size_t place = 0;
    abr_text_line text;
    for (size_t i = 0; next_cell(x, p, n, &i, place, &text); place++) {
        abr_cell cell = {.p = text.p, .n = text.n, .at = from + (size_t)(text.p - p)};
        if (all || text.n > 0)
            read_place(x, place, &cell, counts, w);
    }
    return place;
}

/* The name and value of a line of an expanded row. */
static void read_named_cell(abr_values *x, const char *p, abr_text_line line, uint32_t counts, abr_worth *w)
{
    size_t at = 0;
    abr_text_line name;
    abr_text_line value;
    if (!abr_next_cell(&x->told.drawn, line, &at, &name) || !abr_next_cell(&x->told.drawn, line, &at, &value))
        return;
    abr_column *column = abr_columns_find(&x->columns, abr_hash_bytes(name.p, name.n, 0), counts);
    const abr_role role = abr_role_of(name.p, name.n);
    if (column)
        column->role = (uint8_t)role;
    const abr_cell cell = {.p = value.p, .n = value.n, .at = (size_t)(value.p - p), .role = role};
    abr_read_cell(&x->columns, column, &cell, counts, w);
}

/* Read the lines of a drawn row; after the first one, most cells are empty. Returns the number of cells in
 * the last. */
static size_t read_lines(abr_values *x, const char *p, size_t n, uint32_t counts, abr_worth *w)
{
    size_t i = 0;
    size_t places = 0;
    abr_text_line line;
    for (bool first = true; abr_next_line(p, n, &i, &line); first = false)
        if (x->told.drawn.rows == ABR_ROWS_EXPANDED)
            read_named_cell(x, p, line, counts, w);
        else if (first || abr_is_row_line(line))
            places = read_cells(x, line.p, line.n, (size_t)(line.p - p), first, counts, w);
    return places;
}

static void read_row_values(abr_values *x, const char *p, size_t n, uint32_t counts, abr_worth *w)
{
    const size_t places =
        x->told.drawn.bar ? read_lines(x, p, n, counts, w) : read_cells(x, p, n, 0, true, counts, w);
    note_shape(x, places, counts, w);
}

/* ---- the names of columns ---- */

static size_t count_words(const abr_values *x, const char *p, size_t n, bool spaced)
{
    size_t words = 0;
    for (size_t i = 0; next_word(x, p, n, &i, spaced).n > 0;)
        words++;
    return words;
}

/* Decide whether names above columns may contain single blanks. */
static void space_names(abr_values *x, const char *p, size_t n)
{
    memset(x->starts, 0, sizeof x->starts);
    const size_t spaced = count_words(x, p, n, true);
    const size_t words = count_words(x, p, n, false);
    x->spaced = spaced > 1 && spaced * 4 >= words * 3; /* few names have a blank inside */
    x->names = x->spaced ? spaced : words;
    abr_text_line name;
    for (size_t i = 0; x->spaced && (name = next_word(x, p, n, &i, true)).n > 0;) {
        const size_t start = (size_t)(name.p - p);
        if (start < ABR_NAME_STARTS)
            x->starts[start / 64] |= UINT64_C(1) << start % 64;
    }
}

static bool has_letters(const char *p, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (abr_is_letter(p[i]) || (p[i] & 0x80))
            return true;
    return false;
}

bool abr_values_name(abr_values *x, const char *p, size_t n)
{
    const bool fields = x->told.delimiter != 0;
    if (n == 0 || (!fields && !has_letters(p, n)) ||
        (x->told.drawn.bar && !abr_is_row_line((abr_text_line){p, n})))
        return false;
    if (!fields && !x->told.drawn.bar)
        space_names(x, p, n);
    size_t place = 0;
    abr_text_line name;
    for (size_t i = 0; next_cell(x, p, n, &i, place, &name); place++)
        if (place < SHAPE)
            abr_columns_at(&x->columns, place)->role = (uint8_t)abr_role_of(name.p, name.n);
    return place > 0;
}

/* ---- a record ---- */

/* A caller's pattern makes trouble by its weight; with weight 0 the record says nothing. */
static void apply_patterns(const abr_values *x, const char *p, size_t n, abr_worth *w)
{
    for (size_t i = 0; i < x->patterns.count; i++) {
        const abr_hit *hit = &x->patterns.patterns[i];
        size_t at = 0;
        if (!abr_hit_matches(hit, p, n, &at))
            continue;
        const float score = (float)hit->weight * ABR_SCORE_CLEAR;
        if (hit->weight <= 0) {
            w->trouble = w->odd = 0;
        } else if (score > w->trouble) {
            w->trouble = score;
            w->at = at;
        }
        w->sign ^= (uint32_t)(i + 1) << 8;
    }
}

/* A line among JSON records that is none, perhaps of a log that begins there: all such are in trouble, those
 * whose words say so the most. */
static void read_bad_record(const abr_values *x, const char *p, size_t n, abr_worth *w)
{
    static const abr_patterns none;
    abr_reading r;
    abr_read_line(&x->columns.lexicon, &none, p, n < ABR_SEGMENT ? n : ABR_SEGMENT, &r);
    const float trouble = ABR_SCORE_CLEAR + (r.hit ? r.line_score : 0);
    if (trouble > w->trouble) {
        w->trouble = trouble;
        w->at = r.at;
    }
    w->sign = r.shape ^ bad_record;
    w->tells = w->tells || r.hit;
}

void abr_values_read(abr_values *x, const char *p, size_t n, bool whole, uint32_t counts, abr_worth *w)
{
    *w = (abr_worth){.trouble = 0};
    if (x->told.kind == ABR_KIND_JSON_LINES) {
        w->bad = !read_json(x, p, n, whole, counts, w);
        if (w->bad)
            read_bad_record(x, p, n, w);
    } else {
        read_row_values(x, p, n, counts, w);
        w->tells = w->traces = false;
    }
    if (w->trouble < ABR_SCORE_HIT)
        w->sign = w->trouble > w->odd ? w->weak_sign : w->odd_sign;
    apply_patterns(x, p, n, w);
}
