/* Which values of a document are shown. */
#ifndef ABR_KINDS_JSON_PICK_H
#define ABR_KINDS_JSON_PICK_H

#include "abridge.h"
#include "base/private.h"
#include "kinds/json_cost.h"

ABR_PRIVATE_BEGIN

/* Values to look at, the one with the lowest key first. */
typedef struct {
    uint64_t key;
    uint32_t value;
} abr_json_due;

typedef struct {
    abr_json_due *due;
    uint32_t count;
} abr_json_queue;

void abr_json_queue_put(abr_json_queue *q, uint64_t key, uint32_t value);
uint32_t abr_json_queue_take(abr_json_queue *q, uint64_t *key);

/* Show each key path once, within `limit` bytes. Both queues have room for every value. */
void abr_json_pick_shape(abr_json_costs *x, uint64_t limit, abr_json_queue *near, abr_json_queue *far);

/* Show what tells of trouble, and what is unlike the others. */
void abr_json_pick_trouble(abr_json_costs *x, uint64_t limit, abr_json_queue *q);

/* Show both ends of what holds values, and more of strings. */
void abr_json_pick_ends(abr_json_costs *x, abr_json_queue *q);
void abr_json_pick_text(abr_json_costs *x, abr_json_queue *q);

ABR_PRIVATE_END

#endif
