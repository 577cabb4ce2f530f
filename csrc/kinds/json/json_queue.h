/* A queue of values, by a key. */
#ifndef ABR_KINDS_JSON_JSON_QUEUE_H
#define ABR_KINDS_JSON_JSON_QUEUE_H

#include "abridge.h"
#include "base/private.h"

ABR_PRIVATE_BEGIN

/* A value to examine; the one with the lowest key comes first. */
typedef struct {
    uint64_t key;
    uint32_t value;
} abr_json_due;

typedef struct {
    abr_json_due *due; /* the first place */
    uint32_t count;
    bool backwards; /* the others are before it */
} abr_json_queue;

/* Put in a value; there must be room. */
void abr_json_queue_put(abr_json_queue *q, uint64_t key, uint32_t value);

/* Take out the first one and its key; there must be one. */
uint32_t abr_json_queue_take(abr_json_queue *q, uint64_t *key);

ABR_PRIVATE_END

#endif
