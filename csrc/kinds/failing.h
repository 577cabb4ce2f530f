/* A failure amid a written text. */
#ifndef ABR_KINDS_FAILING_H
#define ABR_KINDS_FAILING_H

#include "base/private.h"
#include "kinds/message.h"

ABR_PRIVATE_BEGIN

/* The line from `from` on that names the record which tells of the failure that was found there in a field:
 * "    name: cart" above "    phase: Failed". `failure`, if it is none, or none names it. */
size_t abr_name_of_record(const abr_failure_rules *rules, const char *p, size_t from, size_t failure,
                          size_t n);

/* Find a failure in (p, n) from the line at `from` on, however short: a diagnostic, a traceback, a report of
 * tests, amid lines printed with it. In source, prose, listings and search results a single word of trouble
 * is not enough. Returns the start of one of its lines, n if there is none. Allocates nothing. */
size_t abr_find_failure_by(const abr_failure_rules *rules, const char *p, size_t from, size_t n);

/* The same for all of (p, n), with its own rules, on the stack. */
size_t abr_find_failure(const char *p, size_t n);

ABR_PRIVATE_END

#endif
