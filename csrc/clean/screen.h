/* The last lines of a log as a terminal would show them. */
#ifndef ABR_CLEAN_SCREEN_H
#define ABR_CLEAN_SCREEN_H

#include "abridge.h"
#include "base/private.h"
#include "clean/screen_rows.h"

ABR_PRIVATE_BEGIN

/* An empty screen. `kept` has a bit 1u << kind for each kind that stays in its lines as it is. */
void abr_screen_start(abr_screen *s, abr_sink_fn sink, void *sink_ctx, unsigned kept);

/* Write text of well-formed UTF-8 whose only control bytes are '\n', '\t'. */
void abr_screen_text(abr_screen *s, const char *p, size_t n);

/* Insert a kept control sequence at the cursor; it takes no columns. */
void abr_screen_mark(abr_screen *s, const char *p, size_t n);

void abr_screen_return(abr_screen *s);
void abr_screen_back(abr_screen *s);

/* Move the cursor, as far as there are rows and columns. Rows and columns are counted from 0. */
void abr_screen_up(abr_screen *s, size_t rows);
void abr_screen_down(abr_screen *s, size_t rows);
void abr_screen_left(abr_screen *s, size_t columns);
void abr_screen_right(abr_screen *s, size_t columns);
void abr_screen_column(abr_screen *s, size_t column);
void abr_screen_row(abr_screen *s, size_t row);
void abr_screen_save(abr_screen *s);
void abr_screen_restore(abr_screen *s);

/* Hand over the final text, if there is enough of it. */
void abr_screen_flush(abr_screen *s);

/* The text not handed over yet, as if it ended now: n bytes at p, then rest_n at rest. */
typedef struct {
    const char *p;
    size_t n;
    const char *rest;
    size_t rest_n;
} abr_screen_rest;

abr_screen_rest abr_screen_left_over(const abr_screen *s);

/* Hand all of it over. */
void abr_screen_finish(abr_screen *s);

ABR_PRIVATE_END

#endif
