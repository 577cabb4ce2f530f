/* A failure amid what was written. */
#ifndef ABR_KINDS_FAILING_H
#define ABR_KINDS_FAILING_H

#include "abridge.h"
#include "base/private.h"

ABR_PRIVATE_BEGIN

/* Find a failure in (p, n), however short: a diagnostic, a traceback, what a run of tests says, amid lines that were
 * printed with it. In source, prose, listings and search results a word of trouble alone is none. Returns where a line
 * of it starts, n if there is none. Nothing is allocated; 32 KiB of stack are used. */
size_t abr_find_failure(const char *p, size_t n);

ABR_PRIVATE_END

#endif
