/* The window of one long line. */
#include "internal.h"

abr_window abr_line(const char *p, size_t n, uint64_t max_chars, size_t match_at, size_t match_len)
{
    abr_reach reach = {max_chars, ABR_UNLIMITED, false};
    abr_window w = {0, abr_prefix(p, n, &reach), false, false};
    w.cut_after = w.n < n;
    bool shows_already = match_at + match_len <= w.n;
    if (!w.cut_after || match_len == 0 || match_at >= n || match_len > n - match_at || shows_already)
        return w;
    const char *match = p + match_at;
    const char *behind = match + match_len;
    size_t shown = abr_prefix(match, match_len, &reach);
    uint64_t left = max_chars - abr_count_chars(match, shown, NULL);
    reach.chars = left / 2;
    size_t after = shown < match_len ? 0 : abr_prefix(behind, n - match_at - match_len, &reach);
    reach.chars = left - abr_count_chars(behind, after, NULL); /* the start gets what the end has no use for */
    size_t before = abr_suffix(p, match_at, &reach);
    w.first = match_at - before;
    w.n = before + shown + after;
    w.cut_before = w.first > 0;
    w.cut_after = w.first + w.n < n;
    return w;
}
