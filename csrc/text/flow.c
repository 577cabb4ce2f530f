/* The bytes at hand of a source that flows by. */
#include <string.h>

#include "text/flow.h"
#include "abridge.h"

const char *abr_flow_at(const abr_flow *f, uint64_t at, size_t *n)
{
    const abr_flow_part *part = abr_flow_in(&f->last, at, 1) ? &f->last : &f->first;
    const char *p = abr_flow_in(part, at, 1);
    *n = p ? part->n - (size_t)(at - part->at) : 0;
    return p;
}

bool abr_flow_has(const abr_flow *f, uint64_t at, size_t n)
{
    size_t here;
    while (n > 0 && abr_flow_at(f, at, &here)) {
        here = here < n ? here : n;
        at += here;
        n -= here;
    }
    return n == 0;
}

bool abr_flow_copy(const abr_flow *f, uint64_t at, size_t n, char *dst)
{
    if (!abr_flow_has(f, at, n))
        return false;
    while (n > 0) {
        size_t here;
        const char *p = abr_flow_at(f, at, &here);
        here = here < n ? here : n;
        memmove(dst, p, here);
        dst += here;
        at += here;
        n -= here;
    }
    return true;
}

size_t abr_tail_add(char *tail, size_t have, size_t edge, const char *p, size_t n)
{
    if (n >= edge) {
        memcpy(tail, p + (n - edge), edge);
        return edge;
    }
    if (have + n > 2 * edge) {
        memmove(tail, tail + (have - edge), edge);
        have = edge;
    }
    memcpy(tail + have, p, n);
    return have + n;
}
