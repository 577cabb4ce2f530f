/* The cut of a JSON document, which parses. */
#ifndef ABR_KINDS_JSON_CUT_H
#define ABR_KINDS_JSON_CUT_H

#include "abridge.h"
#include "base/private.h"
#include "kinds/content.h"
#include "kinds/json_parts.h"
#include "kinds/json_values.h"
#include "kinds/reader.h"

ABR_PRIVATE_BEGIN

/* Put the content within q->bytes into `out`. What is copied goes into parts->printed. False: no memory. */
bool abr_json_cut(abr_json_parts *parts, const abr_json_values *says, const abr_kind_request *q,
                  abr_content *out);

ABR_PRIVATE_END

#endif
