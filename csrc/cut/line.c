/* The window of one long line. */
#include "abridge.h"
#include "text/scan.h"
#include "text/utf8.h"

abr_window abr_line(const char *p, size_t n, uint64_t max_chars, size_t match_at, size_t match_len)
{
    abr_limits limits = {max_chars, ABR_UNLIMITED, false};
    abr_window w = {0, abr_prefix(p, n, &limits), false, false};
    w.cut_after = w.n < n;
    if (!w.cut_after || match_len == 0 || match_at >= n || match_len > n - match_at)
        return w;
    /* a match may begin or end inside a char, which then belongs to it */
    size_t start = abr_char_start(p, n, match_at);
    size_t last = abr_char_start(p, n, match_at + match_len - 1);
    size_t end = last + abr_char_size(p + last, n - last);
    if (end <= w.n)
        return w; /* it already shows */
    size_t shown = abr_prefix(p + start, end - start, &limits);
    uint64_t left = max_chars - abr_count_chars(p + start, shown, NULL);
    limits.chars = left / 2;
    size_t after = shown < end - start ? 0 : abr_prefix(p + end, n - end, &limits);
    /* the start gets the chars that the end has no use for */
    limits.chars = left - abr_count_chars(p + end, after, NULL);
    size_t before = abr_suffix(p, start, &limits);
    w.first = start - before;
    w.n = before + shown + after;
    w.cut_before = w.first > 0;
    w.cut_after = w.first + w.n < n;
    return w;
}
