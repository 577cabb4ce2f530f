/* The joint between the two sides of a cut, and the cost of the whole content. */
#include <string.h>

#include "cut/joint.h"
#include "abridge.h"
#include "base/memory.h"
#include "base/tiny.h"
#include "budget/marker.h"
#include "budget/span.h"
#include "budget/token_count.h"
#include "text/scan.h"
#include "text/tokens.h"

static bool reserve_scratch(abr_cutter *j, size_t size)
{
    if (j->scratch && size <= j->scratch_size)
        return true;
    char *grown = abr_resize(j->alloc, j->scratch, j->scratch_size, size);
    if (!grown) {
        j->failure = ABR_ENOMEM;
        return false;
    }
    j->scratch = grown;
    j->scratch_size = size;
    return true;
}

/* Copy (p, n) as the model sees it. */
static size_t copy_shown(const abr_cutter *j, const char *p, size_t n, char *dst)
{
    if (j->measure.replace)
        return abr_replace_invalid(p, n, dst);
    memcpy(dst, p, n);
    return n;
}

/* Add the cost of (p, n) as the model sees it. */
static void add_shown(const abr_cutter *j, const char *p, size_t n, abr_token_sum *sum)
{
    enum { PART = ABR_OR_TINY(1024, 8) };
    char shown[PART * ABR_REPLACEMENT_SIZE];
    while (j->measure.replace && n > 0) {
        const size_t part = n > PART ? PART - abr_open_sequence(p, PART) : n;
        abr_add_token_cost(shown, abr_replace_invalid(p, part, shown), sum);
        p += part;
        n -= part;
    }
    abr_add_token_cost(p, n, sum);
}

uint64_t abr_byte_budget(const abr_budget *max)
{
    if (max->tokens > ABR_COUNT_MAX / ABR_BYTES_PER_TOKEN)
        return max->bytes;
    uint64_t bound = max->tokens * ABR_BYTES_PER_TOKEN;
    return max->bytes < bound ? max->bytes : bound;
}

abr_allowance abr_allowance_left(const abr_allowance *allowance, const abr_span *used)
{
    return (abr_allowance){.lines = abr_budget_left(allowance->lines, used->lines),
                           .chars = abr_budget_left(allowance->chars, used->chars),
                           .shown = abr_budget_left(allowance->shown, used->shown)};
}

bool abr_marker_on_own_line(const abr_cutter *j)
{
    return j->opts->strategy == ABR_HEAD_TAIL && j->opts->snap == ABR_SNAP_LINE;
}

size_t abr_print_joint(const abr_cutter *j, const abr_span *head, const abr_span *tail,
                       const abr_omitted *omitted, char *dst)
{
    bool after_head = abr_marker_on_own_line(j) && head->lines > 0;
    bool before_tail = abr_marker_on_own_line(j) && tail->lines > 0;
    if (j->format_len == 0) {
        after_head = after_head && before_tail;
        before_tail = false;
    }
    size_t format_len = j->format_len;
    const char *format = abr_marker_for(j->format, omitted, &format_len);
    size_t n = 0;
    if (after_head && dst)
        dst[n] = '\n';
    n += after_head;
    n += abr_print_marker(format, format_len, omitted, dst ? dst + n : NULL);
    if (before_tail && dst)
        dst[n] = '\n';
    return n + before_tail;
}

bool abr_joint_counts(const abr_cutter *j)
{
    return j->opts->marker != ABR_MARKER_OUTSIDE || j->format_len == 0;
}

/* Print the joint at its widest, with the source's totals for its numbers, to the scratch at `at`. */
static size_t widest_joint(abr_cutter *j, const abr_span *head, const abr_span *tail, size_t at)
{
    abr_omitted most = {
        .lines = j->view->lines, .bytes = j->view->bytes, .chars = j->view->chars, .alike = j->alike};
    abr_omitted in_line = most; /* of a gap without a whole line the marker may be another */
    in_line.lines = 0;
    size_t n = abr_print_joint(j, head, tail, &most, NULL);
    const size_t in_line_n = abr_print_joint(j, head, tail, &in_line, NULL);
    if (in_line_n > n) {
        n = in_line_n;
        most.lines = 0;
    }
    if (!reserve_scratch(j, at + n + 1))
        return 0;
    return abr_print_joint(j, head, tail, &most, j->scratch + at);
}

abr_span abr_joint_cost(abr_cutter *j, const abr_span *head, const abr_span *tail)
{
    abr_span cost = {0};
    size_t n = widest_joint(j, head, tail, 0);
    if (n > 0)
        abr_add_cost(&(abr_measure){true, j->measure.replace}, j->scratch, n, &cost);
    return cost;
}

uint64_t abr_text_tokens(abr_cutter *j, const char *p, size_t n)
{
    uint64_t tokens = 0;
    if (j->failure == ABR_OK)
        j->failure = abr_count_tokens(j->opts, p, n, &tokens);
    return tokens;
}

/* Put the content together for the caller's counter, in the scratch. */
static uint64_t tokens_of_copy(abr_cutter *j, const abr_span *head, const abr_span *tail, size_t joint,
                               size_t reserve)
{
    /* the raw joint is printed after the space for the content, as it may grow when shown */
    size_t content = (size_t)(head->shown + tail->shown) + joint * ABR_REPLACEMENT_SIZE + reserve;
    if (!reserve_scratch(j, content + joint + 1))
        return 0;
    size_t n = copy_shown(j, j->view->front.p, head->n, j->scratch);
    if (joint > 0) {
        widest_joint(j, head, tail, content);
        n += copy_shown(j, j->scratch + content, joint, j->scratch + n);
    }
    n += copy_shown(j, j->view->back.p + (j->view->back.n - tail->n), tail->n, j->scratch + n);
    if (reserve > 0)
        memcpy(j->scratch + n, j->opts->reserve, reserve);
    return abr_text_tokens(j, j->scratch, n + reserve);
}

uint64_t abr_content_tokens(abr_cutter *j, const abr_span *head, const abr_span *tail, bool full)
{
    size_t joint = full && abr_joint_counts(j) ? widest_joint(j, head, tail, 0) : 0;
    size_t reserve = full ? j->opts->reserve_len : 0;
    abr_token_sum sum = {0};
    if (j->opts->count_tokens)
        return tokens_of_copy(j, head, tail, joint, reserve);
    if (j->failure != ABR_OK)
        return 0;
    add_shown(j, j->view->front.p, head->n, &sum);
    add_shown(j, j->scratch, joint, &sum);
    add_shown(j, j->view->back.p + (j->view->back.n - tail->n), tail->n, &sum);
    abr_add_token_cost(j->opts->reserve, reserve, &sum);
    return abr_weigh_token_sum(&sum, j->opts->token_safety);
}

/* Tokens of the source kept, as the caller counts them. */
static uint64_t tokens_kept_copy(abr_cutter *j, const abr_cut *cut)
{
    size_t n = 0;
    if (!reserve_scratch(j, cut->content_bytes + 1))
        return 0;
    for (size_t i = 0; i < cut->piece_count; i++)
        if (cut->pieces[i].source)
            n += copy_shown(j, cut->pieces[i].p, cut->pieces[i].n, j->scratch + n);
    return abr_text_tokens(j, j->scratch, n);
}

uint64_t abr_kept_tokens(abr_cutter *j, const abr_cut *cut)
{
    abr_token_sum sum = {0};
    if (j->opts->count_tokens)
        return tokens_kept_copy(j, cut);
    for (size_t i = 0; i < cut->piece_count; i++)
        if (cut->pieces[i].source)
            add_shown(j, cut->pieces[i].p, cut->pieces[i].n, &sum);
    return abr_weigh_token_sum(&sum, j->opts->token_safety);
}
