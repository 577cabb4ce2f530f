/* The cursor's line, rewritten. */
#ifndef ABR_CLEAN_SCREEN_LINE_H
#define ABR_CLEAN_SCREEN_LINE_H

#include "abridge.h"
#include "base/private.h"
#include "clean/screen_rows.h"

ABR_PRIVATE_BEGIN

/* The end of a row without its trailing blanks. */
size_t abr_unblanked_end(const abr_screen *s, uint64_t row);

size_t abr_cursor_column(abr_screen *s);

/* Put the cursor on a column of its row: within the line, or past its end up to the last column. */
void abr_go_to_column(abr_screen *s, size_t column);

/* Do more than n columns of its line follow the cursor? */
bool abr_line_exceeds(abr_screen *s, size_t n);

/* Resize the bytes from `from` to `to` of the cursor's line to `size`; there is room for them. */
void abr_screen_splice(abr_screen *s, size_t from, size_t to, size_t size);

/* The cursor's line is about to be rewritten. */
void abr_begin_rewrite(abr_screen *s);

/* Put n bytes (blanks if p is NULL) in place of the cells from the cursor on. The rest of a char cut in two
 * becomes blank, as do columns past the line's end. The cursor stays before the bytes. */
void abr_replace(abr_screen *s, size_t cells, const char *p, size_t n);

/* Insert bytes without cells at the cursor. */
void abr_insert_mark(abr_screen *s, const char *p, size_t n);

ABR_PRIVATE_END

#endif
