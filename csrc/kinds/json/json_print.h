/* The values that are shown, printed with their markers. */
#ifndef ABR_KINDS_JSON_JSON_PRINT_H
#define ABR_KINDS_JSON_JSON_PRINT_H

#include "abridge.h"
#include "base/private.h"
#include "kinds/content.h"
#include "kinds/json/json_cost.h"

ABR_PRIVATE_BEGIN

/* Print into `out`, and tell its items. `copy` has room for the content where source is copied. */
void abr_json_print(const abr_json_costs *costs, char *copy, abr_content *out);

/* Tell that nothing of a document is shown. */
void abr_json_tell_empty(const abr_json_value *root, abr_content *out);

ABR_PRIVATE_END

#endif
