/*
 * Patterns of the caller: plain text anywhere in a line, with `*` for any bytes between its parts.
 *
 * The parts of a pattern are looked for one after the other, each at the first place after the one before; if
 * that fails, no other places would do. For whole words, only the pattern's two ends must be at the edge of a
 * word.
 */
#include <string.h>

#include "line/hits.h"
#include "abridge.h"
#include "base/ascii.h"

static bool same(const char *a, const char *b, size_t n, bool folded)
{
    if (!folded)
        return memcmp(a, b, n) == 0;
    for (size_t i = 0; i < n; i++)
        if (abr_to_lower(a[i]) != abr_to_lower(b[i]))
            return false;
    return true;
}

/* A part of a pattern to look for in a line. */
typedef struct {
    const char *p;
    size_t n;
    bool folded;
    bool starts_word; /* it must start at the edge of a word */
    bool ends_word;
} pattern_part;

/* The first place of a part, which is not empty, in (p, n) from `from` on, or n. */
static size_t find_part(const pattern_part *x, const char *p, size_t n, size_t from)
{
    for (size_t at = from; at + x->n <= n; at++) {
        if (!x->folded) {
            const char *first = memchr(p + at, x->p[0], n - at - x->n + 1);
            if (!first)
                return n;
            at = (size_t)(first - p);
        }
        if (!same(p + at, x->p, x->n, x->folded))
            continue;
        bool starts = !x->starts_word || at == 0 || !abr_is_word(p[at - 1]) || !abr_is_word(x->p[0]);
        size_t end = at + x->n;
        bool ends = !x->ends_word || end == n || !abr_is_word(p[end]) || !abr_is_word(x->p[x->n - 1]);
        if (starts && ends)
            return at;
    }
    return n;
}

bool abr_hit_matches(const abr_hit *hit, const char *p, size_t n, size_t *at)
{
    size_t from = 0;
    size_t next = 0;
    bool first = true;
    while (next <= hit->n) {
        const char *star = memchr(hit->p + next, '*', hit->n - next);
        size_t end = star ? (size_t)(star - hit->p) : hit->n;
        pattern_part x = {.p = hit->p + next,
                          .n = end - next,
                          .folded = hit->fold,
                          .starts_word = hit->word && next == 0,
                          .ends_word = hit->word && !star};
        next = end + 1;
        if (x.n == 0)
            continue;
        size_t place = find_part(&x, p, n, from);
        if (place + x.n > n)
            return false;
        if (first)
            *at = place;
        first = false;
        from = place + x.n;
    }
    return !first || n > 0; /* stars alone match every line that isn't empty */
}

abr_code abr_patterns_open(abr_patterns *out, const abr_hit *hits, size_t count, const abr_alloc *alloc)
{
    memset(out, 0, sizeof *out);
    if (count == 0)
        return ABR_OK;
    size_t bytes = count * sizeof(abr_hit);
    for (size_t i = 0; i < count; i++)
        bytes += hits[i].n;
    out->memory = alloc->malloc(alloc->ctx, bytes);
    if (!out->memory)
        return ABR_ENOMEM;
    abr_hit *copies = out->memory;
    char *text = (char *)(copies + count);
    for (size_t i = 0; i < count; i++) {
        copies[i] = hits[i];
        copies[i].p = text;
        memcpy(text, hits[i].p, hits[i].n);
        text += hits[i].n;
    }
    out->patterns = copies;
    out->count = count;
    return ABR_OK;
}

void abr_patterns_close(abr_patterns *x, const abr_alloc *alloc)
{
    if (x->memory)
        alloc->free(alloc->ctx, x->memory);
    memset(x, 0, sizeof *x);
}
