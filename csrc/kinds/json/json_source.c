/* The bytes of a document that are at hand: the chunk, and the few before it that are still needed. */
#include <string.h>

#include "kinds/json/json_source.h"
#include "abridge.h"
#include "text/flow.h"
#include "text/scan.h"

const char *abr_json_joined(abr_json_source *s, uint64_t at, size_t n, size_t after)
{
    const char *p = abr_flow_piece(&s->flow, at, n + after);
    if (p)
        return p;
    if (n + after > sizeof s->joined || !abr_flow_copy(&s->flow, at, n, s->joined))
        return NULL;
    memset(s->joined + n, 0, after);
    return s->joined;
}

size_t abr_json_push(char *tail, size_t have, size_t edge, const char *p, size_t n)
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

uint64_t abr_json_lines(abr_json_source *s, uint64_t to)
{
    size_t n;
    const char *p;
    while (s->lines_to < to && (p = abr_flow_at(&s->flow, s->lines_to, &n)) != NULL) {
        n = n < to - s->lines_to ? n : (size_t)(to - s->lines_to);
        s->lines += abr_count_newlines(p, n);
        s->lines_to += n;
    }
    return s->lines;
}

void abr_json_carry(abr_json_source *s, uint64_t from)
{
    const uint64_t end = s->flow.last.at + s->flow.last.n;
    if (from < s->flow.first.at) /* it was dropped with bytes that cannot be shown */
        from = s->flow.first.at;
    abr_json_lines(s, from);
    const size_t n = end - from <= sizeof s->carry ? (size_t)(end - from) : 0;
    const bool kept = abr_flow_copy(&s->flow, from, n, s->carry);
    s->flow.first = (abr_flow_part){s->carry, kept ? n : 0, end - (kept ? n : 0)};
    s->flow.last = (abr_flow_part){NULL, 0, end};
}
