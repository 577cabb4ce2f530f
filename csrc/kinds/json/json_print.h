/* Print the shown values with their markers. */
#ifndef ABR_KINDS_JSON_JSON_PRINT_H
#define ABR_KINDS_JSON_JSON_PRINT_H

#include "base/private.h"
#include "kinds/content.h"
#include "kinds/json/json_cost.h"
#include "kinds/reader.h"

ABR_PRIVATE_BEGIN

/* Print the shown values into `out`, and report the items, unless it is a record. */
void abr_json_print(const abr_json_costs *costs, const abr_kind_request *q, abr_content *out);

ABR_PRIVATE_END

#endif
