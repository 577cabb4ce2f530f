/* Erasing, deleting and inserting cells. */
#ifndef ABR_CLEAN_SCREEN_ERASE_H
#define ABR_CLEAN_SCREEN_ERASE_H

#include "abridge.h"
#include "base/private.h"
#include "clean/screen_rows.h"

ABR_PRIVATE_BEGIN

typedef enum { ABR_ERASE_AFTER, ABR_ERASE_BEFORE, ABR_ERASE_ALL } abr_erase;

void abr_screen_erase_line(abr_screen *s, abr_erase what);
void abr_screen_erase_all(abr_screen *s, abr_erase what);

/* At the cursor: blank n cells, take n cells out, or insert n blanks. */
void abr_screen_blank(abr_screen *s, size_t n);
void abr_screen_delete(abr_screen *s, size_t n);
void abr_screen_insert(abr_screen *s, size_t n);

ABR_PRIVATE_END

#endif
