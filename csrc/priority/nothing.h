/* A word of trouble that reports none. */
#ifndef ABR_PRIORITY_NOTHING_H
#define ABR_PRIORITY_NOTHING_H

#include "abridge.h"
#include "base/private.h"
#include "priority/evidence.h"

ABR_PRIVATE_BEGIN

/* Is the word a name whose value is empty, zero, false or null ("error": null, errors=[], failed: false,
 * ERRORS (0)), or a measure (relative error: 3e-12)? */
bool abr_says_nothing(const abr_evidence *l, const abr_sign *s);

/* Is the line written rather than reported: source code, an option's help, a commit's subject? */
bool abr_is_quoted_source(const abr_evidence *l);

/* Is the word part of a condition: "an error if the file is missing"? */
bool abr_is_condition(const abr_evidence *l, const abr_sign *s);

ABR_PRIVATE_END

#endif
