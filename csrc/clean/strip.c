/*
 * A text without the bytes that cleaning drops, movements left in: the text that redaction sees first.
 *
 * A mark replaces each run of bytes dropped: these may have parted two words, which must not be joined before
 * each has been looked at. The bytes held do not depend on how the text was split into chunks.
 */
#include <stdio.h>

#include "clean/strip.h"
#include "abridge.h"

void abr_strip_start(abr_strip *s, abr_sink_fn sink, void *sink_ctx, bool has_controls)
{
    *s = (abr_strip){.sink = sink, .sink_ctx = sink_ctx, .has_controls = has_controls};
}

static void strip_put(abr_strip *s, const char *p, size_t n)
{
    s->written += n;
    if (!s->sink(s->sink_ctx, p, n))
        s->failed = true;
}

/* ESC CAN: cleaning drops it, whatever kinds it keeps. */
static const char canceled[2] = {0x1B, 0x18};

/* Hand on the bytes held. */
static void strip_settle(abr_strip *s, bool at_newline)
{
    if (s->returned && !at_newline)
        strip_put(s, "\r", 1);
    if (s->gap && s->has_controls)
        strip_put(s, canceled, sizeof canceled);
    else if (s->gap)
        strip_put(s, "", 1);
    s->returned = s->gap = false;
}

void abr_strip_text(abr_strip *s, const char *p, size_t n)
{
    strip_settle(s, *p == '\n');
    strip_put(s, p, n);
}

void abr_strip_return(abr_strip *s)
{
    if (!s->returned)
        strip_settle(s, false);
    s->returned = true;
}

void abr_strip_escape(abr_strip *s, char final)
{
    const char sequence[2] = {0x1B, final};
    abr_strip_text(s, sequence, sizeof sequence);
}

void abr_strip_control(abr_strip *s, size_t first, size_t second, char final)
{
    char sequence[64];
    const int n = second > 0 ? snprintf(sequence, sizeof sequence, "\33[%zu;%zu%c", first, second, final)
                             : snprintf(sequence, sizeof sequence, "\33[%zu%c", first, final);
    abr_strip_text(s, sequence, (size_t)n);
}
