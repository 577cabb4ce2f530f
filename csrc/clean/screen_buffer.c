/* The buffer of a screen: handing over final text makes room in it. */
#include <string.h>

#include "clean/screen_buffer.h"
#include "abridge.h"
#include "clean/screen_rows.h"

void abr_emit(abr_screen *s, const char *p, size_t n)
{
    if (n > 0 && !s->sink(s->sink_ctx, p, n))
        s->failed = true;
}

void abr_hand_over(abr_screen *s)
{
    size_t final = abr_row_start(s, s->top);
    abr_emit(s, s->buffer, final);
    s->n -= final;
    s->at -= final;
    s->written += final;
    memmove(s->buffer, s->buffer + final, s->n);
}

void abr_make_room(abr_screen *s, size_t n)
{
    if (n > sizeof s->buffer - s->n)
        abr_hand_over(s);
}
