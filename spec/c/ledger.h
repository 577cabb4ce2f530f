/* An allocator that counts its blocks and fails at one of its calls. */
#ifndef LEDGER_H
#define LEDGER_H

#include "check.h"

typedef struct {
    size_t calls;
    size_t fail_at; /* 0: never */
    size_t live;    /* blocks not yet freed */
} ledger;

/* Each block carries its size in front, so that old_size can be checked. */
enum { FRONT = 16 };

static inline void *ledger_malloc(void *ctx, size_t size)
{
    ledger *l = ctx;
    if (++l->calls == l->fail_at)
        return NULL;
    char *block = malloc(FRONT + size);
    if (!block)
        exit(2);
    memcpy(block, &size, sizeof size);
    l->live++;
    return block + FRONT;
}

static inline void ledger_free(void *ctx, void *ptr)
{
    ledger *l = ctx;
    CHECK(ptr != NULL);
    l->live--;
    free((char *)ptr - FRONT);
}

static inline void *ledger_realloc(void *ctx, void *ptr, size_t old_size, size_t size)
{
    size_t held;
    memcpy(&held, (char *)ptr - FRONT, sizeof held);
    CHECK_COUNT(held, old_size);
    void *grown = ledger_malloc(ctx, size);
    if (!grown)
        return NULL;
    memcpy(grown, ptr, old_size < size ? old_size : size);
    ledger_free(ctx, ptr);
    return grown;
}

#endif
