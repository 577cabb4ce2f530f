/*
 * Cuts of kinds part by part. A kind chooses within a number of bytes. If chars, lines or tokens are limited,
 * that number is found by bisection, and the budgets are checked on the content as the model would see it.
 */
#include <string.h>

#include "kinds/parts.h"
#include "budget/options.h"
#include "budget/token_count.h"
#include "kinds/content.h"
#include "kinds/reader.h"
#include "text/scan.h"
#include "text/utf8.h"

typedef struct {
    const abr_opts *opts;
    const abr_allowance *allowance;
    abr_measure measure;
    abr_reader *reader;
    abr_kind_request request;
    abr_content content;
    abr_code failure;
} choice;

/* ---- the cost of a content ---- */

static void count_pieces(const choice *x, abr_cut *cut)
{
    uint64_t line = 0;
    cut->output_lines = cut->output_bytes = cut->output_chars = 0;
    for (size_t i = 0; i < cut->piece_count; i++) {
        const abr_piece *p = &cut->pieces[i];
        abr_span cost = {0};
        abr_add_cost(&x->measure, p->p, p->n, &cost);
        cut->content_bytes += (size_t)cost.shown;
        if (!p->source)
            continue;
        const uint64_t size = p->last_byte - p->first_byte + 1;
        cut->compact = cut->compact || p->n < size;
        cut->output_bytes += size;
        cut->output_chars += x->measure.chars ? cost.chars + (size - p->n) : 0; /* each blank is one */
        cut->output_lines += p->last_line - p->first_line + (p->first_line != line);
        line = p->last_line;
    }
}

/* The cost of a content for the budgets: all of it, or all but the markers if these come on top. */
static abr_span content_cost(const choice *x, const abr_cut *cut)
{
    abr_span cost = {0};
    uint64_t newlines = 0;
    bool ends_line = true;
    const bool counts_shown = cut->kind == ABR_KIND_JSON || cut->kind == ABR_KIND_MIXED;
    for (size_t i = 0; i < cut->piece_count; i++) {
        const abr_piece *p = &cut->pieces[i];
        if (!p->source && x->opts->marker == ABR_MARKER_OUTSIDE) {
            const bool ends = cut->kind == ABR_KIND_MIXED && !ends_line && memchr(p->p, '\n', p->n);
            newlines += ends; /* the marker ends a line that counts */
            ends_line = ends_line || ends;
            continue;
        }
        abr_add_cost(&x->measure, p->p, p->n, &cost);
        if (counts_shown)
            newlines += abr_count_newlines(p->p, p->n);
        ends_line = p->p[p->n - 1] == '\n';
    }
    cost.lines = counts_shown ? newlines + !ends_line : cut->output_lines;
    return cost;
}

static bool content_fits_tokens(choice *x, const abr_cut *cut)
{
    const abr_alloc *a = cut->alloc;
    const size_t reserve = x->opts->reserve_len;
    uint64_t tokens = 0;
    if (x->opts->max.tokens == ABR_UNLIMITED)
        return true;
    char *text = a->malloc(a->ctx, cut->content_bytes + reserve + 1);
    if (!text) {
        x->failure = ABR_ENOMEM;
        return false;
    }
    abr_cut counted = *cut;
    abr_cut_write(&counted, text);
    if (reserve > 0)
        memcpy(text + cut->content_bytes, x->opts->reserve, reserve);
    x->failure = abr_count_tokens(x->opts, text, cut->content_bytes + reserve, &tokens);
    a->free(a->ctx, text);
    return x->failure == ABR_OK && tokens <= x->opts->max.tokens;
}

/* ---- the choice ---- */

/* Choose within so many bytes. Does the cut stay within every budget? If not, it is empty. */
static bool choose_within(choice *x, uint64_t bytes, abr_cut *cut)
{
    abr_cut_free(cut);
    cut->content_bytes = 0;
    cut->compact = false;
    x->request.bytes = bytes;
    abr_content_clear(&x->content);
    if (!x->reader->methods->choose(x->reader, &x->request, &x->content))
        x->failure = ABR_ENOMEM;
    if (x->content.over)
        return false;
    if (x->failure == ABR_OK)
        x->failure = abr_content_end(&x->content, cut);
    if (x->failure != ABR_OK)
        return false;
    count_pieces(x, cut);
    const abr_span cost = content_cost(x, cut);
    if (cost.lines > x->allowance->lines && cut->kind == ABR_KIND_JSON && !x->request.one_line) {
        x->request.one_line = true;
        return choose_within(x, bytes, cut);
    }
    return cost.shown <= x->allowance->shown && cost.chars <= x->allowance->chars &&
           cost.lines <= x->allowance->lines && content_fits_tokens(x, cut);
}

/* Is it enough to leave out the blanks between the values of JSON? */
static bool choose_whole(choice *x, uint64_t most, abr_cut *cut)
{
    if (cut->kind != ABR_KIND_JSON)
        return false;
    x->request.whole = true;
    const bool fits = choose_within(x, most, cut) && cut->piece_count > 0;
    if (fits && cut->pieces[0].first_byte > 1) /* a BOM is dropped */
        cut->compact = true;
    x->request.whole = x->request.one_line = false;
    return fits;
}

/* Choose as much as fits. */
static void choose_most(choice *x, uint64_t most, abr_cut *cut)
{
    uint64_t least = 0;
    if (choose_within(x, most, cut))
        return;
    while (x->failure == ABR_OK && most - least > 1 + most / 512) {
        uint64_t middle = least + (most - least) / 2;
        if (choose_within(x, middle, cut))
            least = middle;
        else
            most = middle;
    }
    if (x->failure == ABR_OK && !choose_within(x, least, cut) && x->failure == ABR_OK)
        choose_within(x, 0, cut);
}

/* Narrow the two ends to the bytes that a stream with these budgets has. */
static abr_view narrow_ends(const abr_view *view, size_t keep)
{
    abr_view v = *view;
    if (v.bytes <= keep)
        return v;
    v.front.n = keep - abr_open_sequence(v.front.p, keep);
    v.back = (abr_edge){v.back.p + (v.back.n - keep), keep, false};
    const size_t rest = abr_rest_of_char(v.back.p, v.back.n);
    v.back.p += rest;
    v.back.n -= rest;
    v.front.whole = false;
    return v;
}

abr_code abr_cut_parts(const abr_view *view, const abr_opts *opts, const abr_allowance *allowance,
                       abr_cut *cut)
{
    const size_t keep = abr_bytes_to_keep(ABR_AUTO, &opts->max);
    const abr_view ends = narrow_ends(view, keep);
    choice x = {.opts = opts,
                .allowance = allowance,
                .measure = {abr_wants_chars(opts), opts->utf8_replace},
                .reader = view->reader,
                .request = {.view = &ends, .opts = opts, .keep = keep},
                .content = {.alloc = cut->alloc, .keep = keep}};
    enum { BYTES_PER_CHAR = 4 };
    uint64_t most = allowance->shown < keep ? allowance->shown : keep;
    if (allowance->chars < most / BYTES_PER_CHAR)
        most = allowance->chars * BYTES_PER_CHAR;
    cut->truncated = !choose_whole(&x, most, cut);
    if (cut->truncated && x.failure == ABR_OK)
        choose_most(&x, most, cut);
    abr_content_free(&x.content);
    cut->omitted_lines = cut->total_lines - cut->output_lines;
    cut->omitted_bytes = cut->total_bytes - cut->output_bytes;
    return x.failure;
}
