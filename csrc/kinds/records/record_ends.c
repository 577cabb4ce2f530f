
#include "kinds/records/record_ends.h"

/* Go on in a record of quoted fields; returns its bytes in (p, n), and whether it ends with them. A quote
 * opens a field only at its start, so looking for quotes and newlines is enough.
 */
static size_t skip_fields(abr_place_in_record *state, char delimiter, const char *p, size_t n, bool *ends)
{
    abr_place_in_record s = *state;
    size_t newline = 0; /* the next one, if it is not before i */
    size_t i = 0;
    *ends = false;
    while (i < n) {
        if (s == ABR_FIELD_QUOTED) {
            const char *quote = memchr(p + i, '"', n - i);
            i = quote ? (size_t)(quote - p) + 1 : n;
            s = quote ? ABR_FIELD_QUOTE : s;
            continue;
        }
        if (s != ABR_FIELD_PLAIN && p[i] == '"') {
            s = ABR_FIELD_QUOTED;
            i++;
            continue;
        }
        if (newline < i || newline == 0)
            newline = i + abr_skip_record_line(p + i, n - i, ends) - *ends;
        const char *quote = memchr(p + i, '"', newline - i);
        if (!quote) {
            *state = *ends || p[n - 1] == delimiter ? ABR_FIELD_START : ABR_FIELD_PLAIN;
            return newline + *ends;
        }
        i = (size_t)(quote - p) + 1;
        s = quote > p && quote[-1] == delimiter ? ABR_FIELD_QUOTED : ABR_FIELD_PLAIN;
    }
    *ends = false;
    *state = s;
    return n;
}

size_t abr_skip_record(const abr_telling *told, abr_record_state *state, const char *p, size_t n, bool *ends)
{
    if (told->delimiter)
        return skip_fields(&state->field, told->delimiter, p, n, ends);
    if (told->kind == ABR_KIND_JSON_LINES)
        return abr_json_record_skip(&state->document, p, n, ends);
    return told->drawn.bar ? abr_skip_row(&told->drawn, &state->row, p, n, ends)
                           : abr_skip_record_line(p, n, ends);
}
