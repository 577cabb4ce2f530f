/* Finds the written parts of a text that is read as a log: `cat x.c; make; cat y.c`. */
#ifndef ABR_KINDS_TEXT_STRETCHES_H
#define ABR_KINDS_TEXT_STRETCHES_H

#include "base/private.h"
#include "priority/log_parts.h"

ABR_PRIVATE_BEGIN

typedef struct abr_stretches abr_stretches;

typedef struct {
    bool chars;   /* count chars */
    bool written; /* but for a failure, the text looks written */
    const abr_alloc *alloc;
    uint64_t bytes_before; /* bytes before the start of reading, all written; a line starts there */
    uint64_t lines_before;
    uint64_t chars_before;
} abr_stretches_opts;

/* ABR_OK or ABR_ENOMEM. Nothing else is ever allocated, however long the text. */
abr_code abr_stretches_open(const abr_stretches_opts *opts, abr_stretches **out);

/* Read a chunk. The result does not depend on how the text is split. */
void abr_stretches_write(abr_stretches *s, const char *p, size_t n);

/* The parts, if the text ended here; NULL if it is all one. Valid until the next call. */
const abr_log_parts *abr_stretches_parts(abr_stretches *s);

/* NULL is fine. */
void abr_stretches_close(abr_stretches *s);

ABR_PRIVATE_END

#endif
