/* An allocator that counts its blocks and their bytes, and fails at one of its calls. */
#ifndef LEDGER_H
#define LEDGER_H

#include "check.h"

typedef struct {
    size_t calls;
    size_t fail_at; /* 0: never */
    size_t blocks;  /* not yet freed */
    size_t bytes;   /* in them */
    size_t peak;    /* the most bytes there were; a block that moves counts twice while it does */
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
    l->blocks++;
    l->bytes += size;
    if (l->bytes > l->peak)
        l->peak = l->bytes;
    return block + FRONT;
}

static inline void ledger_free(void *ctx, void *ptr)
{
    ledger *l = ctx;
    size_t size;
    if (!CHECK(ptr != NULL))
        return;
    memcpy(&size, (char *)ptr - FRONT, sizeof size);
    l->blocks--;
    l->bytes -= size;
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

static inline abr_alloc ledger_alloc(ledger *l)
{
    return (abr_alloc){ledger_malloc, ledger_realloc, ledger_free, l};
}

#endif
