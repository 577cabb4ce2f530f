/* Room in the buffer of a screen. */
#ifndef ABR_CLEAN_SCREEN_BUFFER_H
#define ABR_CLEAN_SCREEN_BUFFER_H

#include "abridge.h"
#include "base/private.h"
#include "clean/screen_rows.h"

ABR_PRIVATE_BEGIN

/* Give (p, n) to the sink. */
void abr_emit(abr_screen *s, const char *p, size_t n);

/* Give it all the final text. */
void abr_hand_over(abr_screen *s);

/* Make room for n more bytes; places in the buffer may change. */
void abr_make_room(abr_screen *s, size_t n);

ABR_PRIVATE_END

#endif
