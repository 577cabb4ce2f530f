/* A heap of values, the lowest key first; of equal keys, the lower value. */
#include "kinds/json/json_queue.h"

static bool is_before(const abr_json_due *a, const abr_json_due *b)
{
    return a->key != b->key ? a->key < b->key : a->value < b->value;
}

static inline abr_json_due *due_at(const abr_json_queue *q, uint32_t i)
{
    return q->backwards ? q->due - i : q->due + i;
}

void abr_json_queue_put(abr_json_queue *q, uint64_t key, uint32_t value)
{
    const abr_json_due new = {key, value};
    uint32_t i = q->count++;
    for (; i > 0 && is_before(&new, due_at(q, (i - 1) / 2)); i = (i - 1) / 2)
        *due_at(q, i) = *due_at(q, (i - 1) / 2);
    *due_at(q, i) = new;
}

uint32_t abr_json_queue_take(abr_json_queue *q, uint64_t *key)
{
    const abr_json_due first = *q->due;
    const abr_json_due moved = *due_at(q, --q->count);
    uint32_t i = 0;
    for (uint32_t child; (child = 2 * i + 1) < q->count; i = child) {
        if (child + 1 < q->count && is_before(due_at(q, child + 1), due_at(q, child)))
            child++;
        if (!is_before(due_at(q, child), &moved))
            break;
        *due_at(q, i) = *due_at(q, child);
    }
    *due_at(q, i) = moved;
    *key = first.key;
    return first.value;
}
