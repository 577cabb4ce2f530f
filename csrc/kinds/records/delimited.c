/*
 * Records of CSV and TSV, by RFC 4180. A text is a table if its records agree on their number of fields, two
 * or more, and the first one looks like names. Without names, it takes more columns and records.
 */
#include "kinds/records/delimited.h"
#include "base/ascii.h"
#include "line/char_set.h"
#include "line/lines.h"

enum {
    JUDGED = 64 * 1024, /* bytes examined, */
    MOST_RECORDS = 512, /* and records */
    MOST_COLUMNS = 256, /* whose names are examined */
    LONGEST_NAME = 64,
    MOST_WORDS = 5, /* of a name */
    PER_ODD = 20,   /* records for each one with another number of fields */
    /* Without names: */
    LEAST_BARE_FIELDS = 3,
    LEAST_BARE_RECORDS = 8,
    LONGEST_BARE = 40, /* bytes of a field, on average */
    TIME_WITHIN = 24,  /* bytes at the start, where a log has its time */
    LEAST_AMID = 8     /* records amid other output */
};

size_t abr_closing_quote(const char *p, size_t n, size_t i)
{
    while (i < n) {
        const char *quote = memchr(p + i, '"', n - i);
        const size_t at = quote ? (size_t)(quote - p) : n;
        if (at + 1 >= n || p[at + 1] != '"')
            return at;
        i = at + 2; /* a doubled one stands for itself */
    }
    return n;
}

/* The end of the field that starts at `at`; *closed is false if its quotes don't close, or close before its
 * end. */
static size_t field_end(const char *p, size_t n, size_t at, char delimiter, bool *closed)
{
    size_t i = at;
    if (i < n && p[i] == '"') {
        const size_t quote = abr_closing_quote(p, n, i + 1);
        i = quote < n ? quote + 1 : n;
        *closed = *closed && quote < n && (i == n || p[i] == delimiter || p[i] == '\n' || p[i] == '\r');
    }
    while (i < n && p[i] != delimiter && p[i] != '\n')
        i++;
    return i;
}

void abr_read_record(const char *p, size_t n, size_t at, char delimiter, abr_record *out)
{
    *out = (abr_record){.closed = true};
    for (size_t i = at;; i++) {
        i = field_end(p, n, i, delimiter, &out->closed);
        out->fields++;
        if (i < n && p[i] == delimiter)
            continue;
        out->end = i > at && p[i - 1] == '\r' ? i - 1 : i;
        out->after = i < n ? i + 1 : n;
        return;
    }
}

/* ---- names of columns ---- */

/* The field between `from` and `to` without blanks and quotes around it. */
static abr_text_line bare(const char *p, size_t from, size_t to)
{
    abr_text_line field = abr_trimmed((abr_text_line){p + from, to - from});
    if (field.n >= 2 && *field.p == '"' && field.p[field.n - 1] == '"')
        field = (abr_text_line){field.p + 1, field.n - 2};
    return field;
}

typedef enum { NO_NAME, NUMERIC_NAME, PROPER_NAME } heading_kind;

/* Is it a name, of a few words, or a number, such as a year? Its brackets close: `price (EUR)` is one, `f(a`
 * and `INSERT INTO t(id` are not. */
static heading_kind read_name(abr_text_line field)
{
    if (field.n == 0 || field.n > LONGEST_NAME)
        return NO_NAME;
    size_t words = 1;
    size_t digits = 0;
    size_t open = 0;
    bool letters = false;
    for (size_t i = 0; i < field.n; i++) {
        if (ABR_HAS("{}<>;=\"\\`", field.p[i]) || (field.p[i] == ')' && open == 0))
            return NO_NAME;
        open += field.p[i] == '(';
        open -= field.p[i] == ')';
        words += field.p[i] == ' ';
        if (field.p[i] == ':' && i + 1 < field.n && field.p[i + 1] == ' ')
            return NO_NAME;
        digits += abr_is_digit(field.p[i]);
        letters = letters || abr_is_letter(field.p[i]) || (field.p[i] & 0x80);
    }
    char last = field.p[field.n - 1];
    if (open > 0 || words > MOST_WORDS || last == '.' || last == ':' || last == ',')
        return NO_NAME;
    if (digits == field.n)
        return field.n <= 4 ? NUMERIC_NAME : NO_NAME;
    if (!letters || abr_is_digit(*field.p))
        return NO_NAME;
    return digits * 2 <= field.n ? PROPER_NAME : NUMERIC_NAME;
}

/* Does the record up to `end` name columns, most of them by words? The first may be unnamed, like that of an
 * index. */
static bool names_columns(const char *p, size_t end, char delimiter)
{
    abr_text_line names[MOST_COLUMNS] = {{NULL, 0}};
    size_t count = 0;
    size_t numbers = 0;
    bool closed = true;
    for (size_t i = 0; i <= end && count < MOST_COLUMNS; i++) {
        size_t from = i;
        i = field_end(p, end, i, delimiter, &closed);
        abr_text_line field = bare(p, from, i);
        heading_kind is = read_name(field);
        if (is == NUMERIC_NAME && count == 0)
            return false;
        bool index = count == 0 && field.n == 0 && delimiter != ';';
        if (is == NO_NAME && !index)
            return false;
        numbers += is == NUMERIC_NAME;
        names[count++] = field;
    }
    if (count > 2)
        return numbers * 3 <= count * 2;
    bool paths = count > 1 && (memchr(names[0].p, '/', names[0].n) || memchr(names[1].p, '/', names[1].n));
    return numbers == 0 && names[0].n > 1 && !paths;
}

/* ---- a text ---- */

/* Some writers leave out empty fields at the end of a record. */
static bool is_shorter(const abr_record *record, const abr_record *first)
{
    return first->fields > 3 && record->fields < first->fields && record->fields * 2 >= first->fields;
}

/* Are there blanks after its commas and between its words? */
static bool holds_sentence(const char *p, size_t n)
{
    bool after_comma = false;
    size_t blanks = 0;
    for (size_t i = 1; i < n; i++) {
        blanks += p[i] == ' ';
        after_comma = after_comma || (p[i] == ' ' && p[i - 1] == ',');
    }
    return after_comma && blanks > 1;
}

/* Does a line start with the same name and bar as the first one? Then they name the service that printed it,
 * as in docker compose, and no column. */
static bool has_name_of(const char *first, const char *p, size_t n)
{
    size_t i = 0;
    while (i < n && p[i] == first[i] && p[i] != '|')
        i++;
    return i > 0 && i < n && p[i] == '|' && first[i] == '|';
}

static bool is_table(const char *p, size_t n, bool whole, char delimiter)
{
    abr_record first;
    abr_record record;
    abr_read_record(p, n, 0, delimiter, &first);
    if (first.fields < 2 || !first.closed)
        return false;
    bool named = names_columns(p, first.end, delimiter);
    if (!named && memchr(p, ':', first.end < TIME_WITHIN ? first.end : TIME_WITHIN))
        return false; /* a log with a comma in its times */
    bool spaced = delimiter == ',' && holds_sentence(p, first.end);
    size_t same = 0;
    size_t odd = 0;
    size_t empty = 0;
    size_t at = first.after;
    for (; at < n && same + odd < MOST_RECORDS; at = record.after) {
        abr_read_record(p, n, at, delimiter, &record);
        if (!whole && record.after == n)
            break;
        if (record.end == at)
            continue;
        bool fits =
            record.closed && (record.fields == first.fields || (named && is_shorter(&record, &first)));
        if (delimiter == '|' && has_name_of(p, p + at, n - at))
            fits = false;
        same += fits;
        odd += !fits;
        empty += fits && p[record.end - 1] == delimiter && delimiter != '\t';
    }
    if (same == 0 || odd * PER_ODD > same)
        return false;
    if (named)
        return first.fields > 2 || !spaced;
    return !spaced && delimiter != '|' && delimiter != '\t' && first.fields >= LEAST_BARE_FIELDS &&
           same >= LEAST_BARE_RECORDS && odd == 0 && empty * 2 < same &&
           at / (same + 1) / first.fields <= LONGEST_BARE;
}

char abr_find_delimiter(const char *p, size_t n, bool whole)
{
    static const char delimiters[] = {',', '\t', ';', '|'};
    if (n > JUDGED) {
        n = JUDGED;
        whole = false;
    }
    for (size_t i = 0; i < sizeof delimiters; i++)
        if (n > 0 && is_table(p, n, whole, delimiters[i]))
            return delimiters[i];
    return 0;
}

/* The delimiter between three names or more, without signs: "order_id,customer,total (EUR)"; 0: the line has
 * none. A list of packages has slashes and brackets. */
static char delimiter_of_names(abr_text_line line)
{
    char delimiter = 0;
    size_t names = 1;
    for (size_t i = 0; i < line.n; i++) {
        const char c = line.p[i];
        if (ABR_HAS(",;\t", c) && (delimiter == 0 || c == delimiter)) {
            delimiter = c;
            names++;
        } else if (!abr_is_word(c) && !ABR_HAS(" -.()%#\"", c)) {
            return 0;
        }
    }
    const bool named = names >= LEAST_BARE_FIELDS && !holds_sentence(line.p, line.n) &&
                       names_columns(line.p, line.n, delimiter);
    return (char)(named ? delimiter : 0);
}

size_t abr_delimited_extent(const char *p, size_t n)
{
    abr_record first;
    abr_record row;
    abr_text_line line;
    size_t at = 0;
    if (!abr_next_line(p, n, &at, &line) || line.n == 0)
        return 0;
    const char delimiter = delimiter_of_names(line);
    if (delimiter == 0)
        return 0;
    abr_read_record(line.p, line.n, 0, delimiter, &first);
    if (first.fields < LEAST_BARE_FIELDS || !first.closed)
        return 0;
    size_t end = at;
    size_t rows = 0;
    for (; abr_next_line(p, n, &at, &line) && line.n > 0; end = at, rows++) {
        abr_read_record(line.p, line.n, 0, delimiter, &row);
        if (row.fields != first.fields || !row.closed)
            break;
    }
    return rows >= LEAST_AMID ? end : 0;
}
