/*
 * Is it JSON: one document, or one per line? JSON records with an odd line now and then are still records; a
 * log with some JSON inside isn't.
 */
#include "kinds/json/json_lines.h"
#include "kinds/json/json_text.h"
#include "line/char_set.h"

enum {
    LEAST_RECORDS = 2,
    RECORDS_A_BAD_LINE = 6,        /* one bad line per so many records is fine */
    RECORDS_FOR_ONE = 3,           /* but the first one needs only so many */
    MOST_LINES = 8192,             /* lines examined */
    LINES_BYTES_READ = 128 * 1024, /* bytes examined */
    LONG_RECORD = 32 * 1024        /* bytes at the start of a longer one, examined with its last byte */
};

/* Read (p, n) up to the end, the byte that is wrong or too deep, or the document's own closing bracket if
 * `stops`; *i gets the bytes read. */
static abr_json_token scan_document(abr_json_scan *scan, const char *p, size_t n, bool stops, size_t *i)
{
    abr_json_token token;
    *i = 0;
    do
        token = abr_json_next(scan, p, n, i);
    while (token != ABR_JSON_MORE && token != ABR_JSON_WRONG && token != ABR_JSON_DEEP &&
           !(stops && token == ABR_JSON_CLOSE && scan->depth == 0));
    return token;
}

/* Is (p, n) a document, or, if it is not `whole`, the start of one? */
static bool is_document(const char *p, size_t n, bool whole)
{
    uint64_t levels[ABR_JSON_JUDGED / ABR_JSON_LEVELS];
    abr_json_scan scan;
    size_t read;
    abr_json_open(&scan, levels, ABR_JSON_JUDGED);
    return scan_document(&scan, p, n, false, &read) == ABR_JSON_MORE && (!whole || abr_json_is_whole(&scan));
}

bool abr_is_json(const char *p, size_t n, bool whole)
{
    static const char bom[] = "\xEF\xBB\xBF";
    size_t i = n >= 3 && memcmp(p, bom, 3) == 0 ? 3 : 0;
    while (i < n && abr_json_is_blank(p[i]))
        i++;
    bool may_be = i < n && (p[i] == '{' || p[i] == '[' || p[i] == '"');
    return may_be && is_document(p + i, n - i, whole);
}

size_t abr_json_document_size(const char *p, size_t n, size_t *read)
{
    enum { DEEPEST = ABR_OR_TINY(1024, 64) };
    uint64_t levels[DEEPEST / ABR_JSON_LEVELS];
    abr_json_scan scan;
    abr_json_open(&scan, levels, DEEPEST);
    return scan_document(&scan, p, n, true, read) == ABR_JSON_CLOSE ? *read : 0;
}

/* Is the line an object or an array? */
static bool is_record(abr_text_line line)
{
    if (*line.p != '{' && *line.p != '[')
        return false;
    if (line.n <= LONG_RECORD)
        return is_document(line.p, line.n, true);
    return line.p[line.n - 1] == (*line.p == '{' ? '}' : ']') && is_document(line.p, LONG_RECORD, false);
}

/* Go on in a line of the record. Does the record end with it, if the line does? */
static bool may_end_record(abr_json_record *state, const char *p, size_t n)
{
    size_t i = 0;
    if (state->first == 0 && n > 0) {
        state->first = p[i++];
        state->alone = !state->goes_on && ABR_HAS("{[", state->first);
    }
    while (state->alone && i < n)
        state->alone = p[i++] == '\r';
    return state->goes_on ? state->first != 0 && !ABR_HAS(" \t\r", state->first) : !state->alone;
}

size_t abr_json_record_skip(abr_json_record *state, const char *p, size_t n, bool *ends)
{
    size_t at = 0;
    for (*ends = false; at < n && !*ends;) {
        const char *newline = memchr(p + at, '\n', n - at);
        const size_t end = newline ? (size_t)(newline - p) : n;
        const bool last = may_end_record(state, p + at, end - at);
        at = end + (newline != NULL);
        *ends = last && newline;
        if (newline)
            *state = (abr_json_record){.goes_on = !last};
    }
    return at;
}

bool abr_is_json_lines(const char *p, size_t n, bool whole)
{
    size_t records = 0;
    size_t bad = 0;
    size_t read = 0;
    size_t least = LEAST_RECORDS;
    for (size_t at = 0, lines = 0; lines < MOST_LINES && at < n; lines++) {
        bool ends;
        abr_json_record state = {.goes_on = false};
        const size_t size = abr_json_record_skip(&state, p + at, n - at, &ends);
        const abr_text_line line = abr_trimmed(abr_without_newline(p + at, size));
        if (!whole && !ends)
            break;
        at += size;
        if (line.n == 0)
            continue;
        if (memchr(line.p, '\n', line.n))
            least = ABR_PARTS_MOST + 1;
        if (is_record(line))
            records++;
        else if (++bad > RECORDS_FOR_ONE + records / RECORDS_A_BAD_LINE)
            return false;
        read += line.n < LONG_RECORD ? line.n : LONG_RECORD;
        if (read > LINES_BYTES_READ)
            break;
    }
    size_t most_bad = records / RECORDS_A_BAD_LINE;
    if (most_bad == 0 && records >= RECORDS_FOR_ONE)
        most_bad = 1;
    return records >= least && bad <= most_bad;
}
