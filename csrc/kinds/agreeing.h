/* A line of trouble that another line bears out. */
#ifndef ABR_KINDS_AGREEING_H
#define ABR_KINDS_AGREEING_H

#include "base/private.h"
#include "line/form.h"
#include "line/lines.h"

ABR_PRIVATE_BEGIN

/* A line of trouble in the text (p, n). The following line starts at `next`. */
typedef struct {
    const char *p;
    size_t n;
    abr_text_line line; /* not blank */
    size_t next;
    abr_form_told told; /* its form */
} abr_trouble_line;

/* Do the lines around it agree that a program reports a failure: the name of a test above a message, a place
 * that two lines name? Looks at a few lines on either side. */
bool abr_lines_agree(const abr_trouble_line *t);

/* The line that ends at `end`, the start of the next one; empty at the start of the text. */
abr_text_line abr_line_before(const char *p, size_t end);

ABR_PRIVATE_END

#endif
