/* Finds the written parts of a text that is read as a log: `cat x.c; make; cat y.c`. */
#ifndef ABR_KINDS_TEXT_STRETCHES_H
#define ABR_KINDS_TEXT_STRETCHES_H

#include "base/private.h"
#include "priority/log_parts.h"
#include "priority/retain.h"

ABR_PRIVATE_BEGIN

typedef struct abr_stretches abr_stretches;

/* Reads from the place that `opts` tell of on, with their allocator; all before it is written. `written`: but
 * for a failure, the text looks so. ABR_OK or ABR_ENOMEM. Nothing else is ever allocated, however long the
 * text. */
abr_code abr_stretches_open(const abr_retainer_opts *opts, bool written, abr_stretches **out);

/* Read a chunk. The result does not depend on how the text is split. */
void abr_stretches_write(abr_stretches *s, const char *p, size_t n);

/* The parts, if the text ended here; NULL if it is all one. Valid until the next call. */
const abr_log_parts *abr_stretches_parts(abr_stretches *s);

/* NULL is fine. */
void abr_stretches_close(abr_stretches *s);

ABR_PRIVATE_END

#endif
