/* The odd line: what is unlike all the rest of its text. */
#ifndef ABR_PRIORITY_ODD_H
#define ABR_PRIORITY_ODD_H

#include "base/private.h"
#include "priority/chooser.h"

ABR_PRIVATE_BEGIN

/* Raise the keep value of lines that are rare in the text, the fewer of them there are the more. Does one
 * stand out? */
bool abr_raise_odd_lines(abr_chooser *x);

ABR_PRIVATE_END

#endif
