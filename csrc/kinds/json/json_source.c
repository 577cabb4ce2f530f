/* The bytes of a document: those at hand while it goes by, and all of them without the blanks between. */
#include <string.h>

#include "kinds/json/json_source.h"
#include "text/scan.h"

const char *abr_json_joined(abr_json_source *s, uint64_t at, size_t n, size_t after)
{
    const char *p = abr_flow_piece(&s->flow, at, n + after);
    if (p)
        return p;
    if (n + after > sizeof s->joined || !abr_flow_copy(&s->flow, at, n, s->joined))
        return NULL;
    memset(s->joined + n, 0, after);
    return s->joined;
}

uint64_t abr_json_lines(abr_json_source *s, uint64_t to)
{
    size_t n;
    const char *p;
    while (s->lines_to < to && (p = abr_flow_at(&s->flow, s->lines_to, &n)) != NULL) {
        n = n < to - s->lines_to ? n : (size_t)(to - s->lines_to);
        s->lines += abr_count_newlines(p, n);
        s->lines_to += n;
    }
    return s->lines;
}

void abr_json_carry(abr_json_source *s, uint64_t from)
{
    const uint64_t end = s->flow.last.at + s->flow.last.n;
    if (from < s->flow.first.at) /* it was dropped with bytes that cannot be shown */
        from = s->flow.first.at;
    abr_json_lines(s, from);
    const size_t n = end - from <= sizeof s->carry ? (size_t)(end - from) : 0;
    const bool kept = abr_flow_copy(&s->flow, from, n, s->carry);
    s->flow.first = (abr_flow_part){s->carry, kept ? n : 0, end - (kept ? n : 0)};
    s->flow.last = (abr_flow_part){NULL, 0, end};
}

/* ---- the whole document without blanks; others check that it is one at all ---- */

static bool shows_byte(const abr_json_compact *c, char byte)
{
    if (c->in_string || (unsigned char)byte > ' ')
        return true;
    return byte == '\n' && c->depth == 1 && c->may_break;
}

/* Update the state by a byte outside of strings. */
static void note_token(abr_json_compact *c, char byte)
{
    const bool opens = byte == '{' || byte == '[';
    if (opens && c->depth++ == 0)
        c->is_array = byte == '[';
    if (byte == '}' || byte == ']')
        c->depth--;
    if (opens || c->depth != 1 || byte == '\n')
        return;
    if (byte == ',' || byte == ':')
        c->in_value = byte == ':';
    c->may_break = byte == ',' || (byte != ':' && (c->is_array || c->in_value));
}

void abr_json_compact_write(abr_json_compact *all, const char *p, size_t n)
{
    abr_json_compact c = *all; /* which no byte written can change, so it stays in registers */
    for (size_t i = 0; i < n && !c.over; i++) {
        if (!shows_byte(&c, p[i]))
            continue;
        c.over = c.n == c.most;
        if (!c.over)
            c.p[c.n++] = p[i];
        if (c.escaped)
            c.escaped = false;
        else if (c.in_string && p[i] == '\\')
            c.escaped = true;
        else if (p[i] == '"')
            c.in_string = !c.in_string;
        if (!c.in_string)
            note_token(&c, p[i]);
    }
    *all = c;
}
