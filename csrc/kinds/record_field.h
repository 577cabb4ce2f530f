/* A failure that a field of one of several records tells: "  phase: Failed" in a list of pods. */
#ifndef ABR_KINDS_RECORD_FIELD_H
#define ABR_KINDS_RECORD_FIELD_H

#include "abridge.h"
#include "base/private.h"
#include "kinds/agreeing.h"
#include "kinds/message.h"
#include "line/line_score.h"
#include "line/lines.h"

ABR_PRIVATE_BEGIN

/* Bytes before the value of a field that may tell of trouble, "  phase: " of "  phase: Failed"; 0: it is
 * none. */
size_t abr_troubled_field(const abr_failure_rules *rules, abr_text_line line, const abr_reading *reading);

/* Do the same fields of other records, which start with the same `key` bytes, say nothing, and most of them
 * the same? Looks at some 256 lines. */
bool abr_fails_amid_records(const abr_failure_rules *rules, const abr_trouble_line *field, size_t key,
                            const abr_reading *reading);

/* The line from `from` on that names the record which tells of the failure that was found there in a field:
 * "    name: cart" above "    phase: Failed". `failure`, if it is none, or none names it. */
size_t abr_name_of_record(const abr_failure_rules *rules, const char *p, size_t from, size_t failure,
                          size_t n);

ABR_PRIVATE_END

#endif
