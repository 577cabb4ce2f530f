/* The odd line: one unlike all the rest of its text. */
#ifndef ABR_PRIORITY_ODD_H
#define ABR_PRIORITY_ODD_H

#include "base/private.h"
#include "priority/chooser.h"

ABR_PRIVATE_BEGIN

/* Raise the keep value of lines that are rare in the text, more if there are fewer of them. Does one stand
 * out? */
bool abr_raise_odd_lines(abr_chooser *x);

ABR_PRIVATE_END

#endif
