/* The cut of a JSON document; it still parses. */
#ifndef ABR_KINDS_JSON_JSON_CUT_H
#define ABR_KINDS_JSON_JSON_CUT_H

#include "base/private.h"
#include "kinds/content.h"
#include "kinds/json/json_held.h"
#include "kinds/json/json_parts.h"
#include "kinds/json/json_queue.h"
#include "kinds/json/json_tree.h"
#include "kinds/json/json_values.h"
#include "kinds/reader.h"

ABR_PRIVATE_BEGIN

/* Memory of a choice's values with an allowance. */
#define ABR_JSON_TREE_MEMORY(allowance)                                                                      \
    ((size_t)(allowance) / ABR_JSON_VALUE_COST * (sizeof(abr_json_value) + sizeof(abr_json_due)))

/* Put the content into `out`, within q->bytes. False: out of memory. */
bool abr_json_cut(abr_json_parts *parts, const abr_json_values *says, const abr_json_held *held,
                  const abr_kind_request *q, abr_content *out);

ABR_PRIVATE_END

#endif
