/* The kind of a text, and the register of kinds. */
#ifndef ABR_KINDS_KIND_H
#define ABR_KINDS_KIND_H

#include "abridge.h"
#include "base/private.h"
#include "kinds/reader.h"
#include "kinds/telling.h"

ABR_PRIVATE_BEGIN

/* Tell the kind of (p, n) by its first ABR_TOLD_BY bytes, in time linear in these; the answer does not depend
 * on how the text arrived. `whole`: it ends with these n bytes, so a log that starts later in a written text
 * is found too. Allocates nothing; uses 32 KiB of stack. */
abr_telling abr_tell_kind(const char *p, size_t n, bool whole);

/* The same for a text that the caller says is of `kind`; ABR_KIND_TEXT if it isn't. */
abr_telling abr_tell_as(abr_kind kind, const char *p, size_t n, bool whole);

/* The reader of a kind that is cut part by part; NULL for the others. */
const abr_reader_methods *abr_methods_of(abr_kind kind);

/* Does a screen with little room show the end of such an output, rather than its start? */
bool abr_shows_end(abr_kind kind);

ABR_PRIVATE_END

#endif
