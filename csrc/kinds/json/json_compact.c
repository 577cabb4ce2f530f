/*
 * A document without the blanks between its tokens, kept while it is short enough to be shown whole. Others
 * check that it is a document at all.
 */
#include "kinds/json/json_compact.h"
#include "abridge.h"
#include "base/memory.h"

bool abr_json_compact_reserve(abr_json_compact *c, size_t n, const abr_alloc *alloc)
{
    return c->over || abr_grow(alloc, &c->p, &c->size, c->n + n, c->most, 1);
}

static void put_byte(abr_json_compact *c, char byte)
{
    c->over = c->n == c->most;
    if (!c->over)
        c->p[c->n++] = byte;
}

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
        put_byte(&c, p[i]);
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
