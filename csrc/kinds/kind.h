/* What a text is, and the register of what it may be. */
#ifndef ABR_KINDS_KIND_H
#define ABR_KINDS_KIND_H

#include "abridge.h"
#include "base/private.h"
#include "base/tiny.h"
#include "kinds/reader.h"
#include "kinds/telling.h"

ABR_PRIVATE_BEGIN

enum { ABR_TOLD_BY = ABR_OR_TINY(ABR_KIND_BYTES, 512) }; /* bytes of a text that tell its kind */

/* Tell what (p, n) is by its first ABR_TOLD_BY, in time linear in these; the same however the text
 * came. `whole`: it ends with these n bytes, and a log may start later in what was written. Nothing is allocated; 32 KiB of stack are used. */
abr_telling abr_tell_kind(const char *p, size_t n, bool whole);

/* The same of a text that its caller says is of `kind`; ABR_KIND_TEXT where it is not. */
abr_telling abr_tell_as(abr_kind kind, const char *p, size_t n, bool whole);

/* What reads a kind that is cut part by part; NULL for the others. */
const abr_reader_methods *abr_methods_of(abr_kind kind);

/* Does a screen with little room show the end of such an output, rather than its start? */
bool abr_shows_end(abr_kind kind);

ABR_PRIVATE_END

#endif
