/* A text that is cut by its kind, read as it goes by. */
#ifndef ABR_KINDS_BY_KIND_H
#define ABR_KINDS_BY_KIND_H

#include "base/private.h"
#include "budget/view.h"

ABR_PRIVATE_BEGIN

/* Tells the kind of a text by its start, which it holds until then, and has the rest read as that kind. In a
 * written text a log may start later, so two blocks of it are held. */
typedef struct abr_by_kind abr_by_kind;

/* Open one for a text that arrives in chunks. */
abr_code abr_by_kind_open(const abr_opts *opts, size_t keep, abr_by_kind **out);

/* The patterns that it was opened with, copied. */
const abr_hit *abr_by_kind_hits(const abr_by_kind *k);

/* Where a text stands. A text inside another leaves it some memory. */
typedef enum {
    ABR_TEXT_ALONE = 0,
    ABR_TEXT_PART,  /* a part of an output, whose kind is opts.kind */
    ABR_TEXT_STRING /* a string of a document */
} abr_text_place;

/* Open one for a text that is all at hand, and read it. */
abr_code abr_by_kind_read(const abr_opts *opts, size_t keep, abr_text_place where, const char *p, size_t n,
                          abr_by_kind **out);

/* Get memory for a chunk. False: out of memory, with no visible change. */
bool abr_by_kind_reserve(abr_by_kind *k, const char *p, size_t n);

/* Read a chunk for which memory was reserved. */
void abr_by_kind_write(abr_by_kind *k, const char *p, size_t n);

/* Count (p, n) as if it came next, until the next call of this; it must be taken back, with n 0, before more
 * is written. False: out of memory, and nothing changes. */
bool abr_by_kind_preview(abr_by_kind *k, const char *p, size_t n);

/* Is the kind still undecided? Then *p gets the text so far: *n bytes, followed by those of a preview. */
bool abr_by_kind_is_open(const abr_by_kind *k, const char **p, size_t *n);

/* Give a view the text's kind, as if it ended here, and its reader. ABR_OK or ABR_ENOMEM. */
abr_code abr_by_kind_view(abr_by_kind *k, abr_view *view);

/* NULL is fine. */
void abr_by_kind_close(abr_by_kind *k);

ABR_PRIVATE_END

#endif
