/* The bytes of a document that are at hand: the chunk, and the few before it that are still needed. */
#include <string.h>

#include "kinds/json_source.h"
#include "abridge.h"
#include "text/scan.h"

void abr_json_copy(const abr_json_source *s, uint64_t at, size_t n, char *dst)
{
    if (s->text) {
        memcpy(dst, s->text + at, n);
        return;
    }
    if (at < s->at) {
        const size_t carried = s->at - at < n ? (size_t)(s->at - at) : n;
        memcpy(dst, s->carry + (at - s->carry_at), carried);
        dst += carried;
        at += carried;
        n -= carried;
    }
    if (n > 0)
        memcpy(dst, s->p + (at - s->at), n);
}

const char *abr_json_joined(abr_json_source *s, uint64_t at, size_t n, size_t after)
{
    if (s->text && after == 0)
        return s->text + at;
    abr_json_copy(s, at, n, s->joined);
    memset(s->joined + n, 0, after);
    return s->joined;
}

uint64_t abr_json_lines(abr_json_source *s, uint64_t to)
{
    if (to > s->lines_to && s->lines_to < s->at) {
        const uint64_t end = to < s->at ? to : s->at;
        const char *p = s->text ? s->text + s->lines_to : s->carry + (s->lines_to - s->carry_at);
        s->lines += abr_count_newlines(p, (size_t)(end - s->lines_to));
        s->lines_to = end;
    }
    if (to > s->lines_to) {
        s->lines += abr_count_newlines(s->p + (s->lines_to - s->at), (size_t)(to - s->lines_to));
        s->lines_to = to;
    }
    return s->lines;
}

void abr_json_carry(abr_json_source *s, uint64_t from)
{
    const uint64_t end = s->at + s->n;
    if (end - from > ABR_JSON_CARRY || from > end)
        from = end;
    abr_json_lines(s, from);
    if (!s->text) {
        const size_t before = from < s->at ? (size_t)(s->at - from) : 0;
        if (before > 0)
            memmove(s->carry, s->carry + (from - s->carry_at), before);
        const size_t kept = (size_t)(end - from) - before;
        if (kept > 0)
            memcpy(s->carry + before, s->p + (s->n - kept), kept);
        s->carry_at = from;
        s->carry_n = before + kept;
    }
    s->at = end;
    s->p = NULL;
    s->n = 0;
}
