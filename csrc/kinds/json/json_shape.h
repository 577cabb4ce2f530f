/* The shape of a document: its key paths. */
#ifndef ABR_KINDS_JSON_JSON_SHAPE_H
#define ABR_KINDS_JSON_JSON_SHAPE_H

#include "abridge.h"
#include "base/private.h"
#include "kinds/json/json_cost.h"
#include "kinds/json/json_queue.h"

ABR_PRIVATE_BEGIN

/* Show each key path once, within `limit` bytes. Both queues have room for every value. */
void abr_json_pick_shape(abr_json_costs *x, uint64_t limit, abr_json_queue *near, abr_json_queue *far);

ABR_PRIVATE_END

#endif
