/* Lines whose words of trouble tell of none, or of less, by what else the line says. */
#ifndef ABR_LINE_EXCUSED_H
#define ABR_LINE_EXCUSED_H

#include "base/private.h"
#include "line/evidence.h"

ABR_PRIVATE_BEGIN

/* Was the trouble meant to be, "error as expected", "simulated outage", or is it the label of a metric? */
bool abr_is_no_trouble(const abr_evidence *l);

/* Does the form of the line say that it is advice: one of pylint's conventions, refactorings and warnings, a
 * warning of Kotlin, what CMake looked for in vain? */
bool abr_advises_by_form(const abr_evidence *l);

/* Is it a verdict between asterisks, "[info] - adds the tax *** FAILED ***"? It counts at any level. */
bool abr_has_starred_verdict(const abr_evidence *l);

ABR_PRIVATE_END

#endif
