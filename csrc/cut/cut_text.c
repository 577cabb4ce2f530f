/* Cuts of a text in memory. */
#include <string.h>

#include "abridge.h"
#include "base/error.h"
#include "base/private.h"
#include "base/tiny.h"
#include "budget/options.h"
#include "budget/span.h"
#include "budget/view.h"
#include "cut/cut.h"
#include "cut/cut_text.h"
#include "kinds/by_kind.h"
#include "kinds/reader.h"
#include "priority/told_line.h"
#include "priority/retain.h"
#include "text/scan.h"

/* The text goes by as in a stream, but is not copied. */
static abr_code cut_text_by_priority(abr_view *view, const abr_opts *opts, abr_cut *cut, abr_error *error)
{
    enum { CHUNK = ABR_OR_TINY(256 * 1024, 96) };
    const abr_retainer_opts own = {.text = view->front.p,
                                   .keep = abr_bytes_to_keep(ABR_PRIORITY, &opts->max),
                                   .chars = abr_wants_chars(opts),
                                   .hits = opts->hits,
                                   .hit_count = opts->hit_count,
                                   .quiet_groups = opts->quiet_groups,
                                   .alloc = opts->alloc};
    abr_code code = abr_retainer_open(&own, &view->retainer);
    for (size_t at = 0; at < view->front.n && code == ABR_OK; at += CHUNK) {
        size_t n = view->front.n - at < CHUNK ? view->front.n - at : CHUNK;
        const char *p = view->front.p + at;
        if (abr_retainer_reserve(view->retainer, abr_count_newlines(p, n), n))
            abr_retainer_write(view->retainer, p, n);
        else
            code = ABR_ENOMEM;
    }
    if (code == ABR_OK) {
        code = abr_cut_view(view, opts, cut, error);
    } else {
        memset(cut, 0, sizeof *cut);
        abr_fail(error, code, "out of memory");
    }
    abr_retainer_close(view->retainer);
    return code;
}

static abr_code cut_text_by_kind(abr_view *view, const abr_opts *opts, bool part, abr_cut *cut,
                                 abr_error *error)
{
    abr_by_kind *k;
    const abr_text_place where = part ? ABR_TEXT_PART : view->depth > 0 ? ABR_TEXT_STRING : ABR_TEXT_ALONE;
    const size_t keep = abr_bytes_to_keep(ABR_AUTO, &opts->max);
    abr_code code = abr_by_kind_read(opts, keep, where, view->front.p, view->front.n, &k);
    if (code != ABR_OK) {
        memset(cut, 0, sizeof *cut);
        return abr_fail(error, code, "out of memory");
    }
    code = abr_by_kind_view(k, view); /* needs no memory: all has been read */
    if (code == ABR_OK)
        code = abr_cut_view(view, opts, cut, error);
    abr_by_kind_close(k);
    return code;
}

/* Count a text in one pass, and measure its first and its last line if they may be long. */
ABR_WRAPS static abr_view view_of_text(const char *p, size_t n, bool with_chars)
{
    enum { SHORT = ABR_OR_TINY(64 * 1024, 32) /* cheap to read again when the size of a line matters */ };
    const abr_edge text = {p, n, true};
    abr_view view = {.front = text,
                     .back = text,
                     .bytes = n,
                     .invalid = ABR_UNLIMITED,
                     .first_line = ABR_UNLIMITED,
                     .last_line = ABR_UNLIMITED,
                     .ends_line = n > 0 && p[n - 1] == '\n'};
    if (n <= SHORT) {
        view.lines = abr_count_lines(p, n);
        view.chars = with_chars ? abr_count_chars(p, n, NULL) : 0;
        return view;
    }
    abr_char_counter chars = {0};
    uint64_t invalid;
    const abr_newlines found = abr_find_newlines(p, n, with_chars ? &chars : NULL);
    view.lines = found.count + !view.ends_line;
    view.chars = abr_counted_chars(&chars, &invalid);
    view.first_line = found.count > 0 ? found.first : n;
    /* if there is no newline before it, SIZE_MAX plus 1 is 0: the text's start */
    view.last_line = view.ends_line ? found.last - (found.before_last + 1) : n - (found.last + 1);
    return view;
}

static abr_code cut_text(const char *p, size_t n, const abr_opts *opts, const abr_view *in, bool part,
                         abr_cut *cut, abr_told_lines *told, abr_error *error)
{
    abr_code code = abr_check_opts(opts, error);
    if (code != ABR_OK) {
        memset(cut, 0, sizeof *cut);
        return code;
    }
    abr_view view = view_of_text(p ? p : "", n, abr_wants_chars(opts));
    view.told_lines = told;
    view.cut_inner = abr_cut_text_inside;
    view.cut_viewed = abr_cut_view;
    view.depth = in ? in->depth + !part : 0;
    view.held = in ? in->held + (part ? 0 : n) : n <= ABR_TOLD_BY ? n : 0; /* a stream holds no more */
    if (opts->strategy == ABR_PRIORITY)
        return cut_text_by_priority(&view, opts, cut, error);
    if (opts->strategy == ABR_AUTO)
        return cut_text_by_kind(&view, opts, part, cut, error);
    return abr_cut_view(&view, opts, cut, error);
}

abr_code abr_cut_text(const char *p, size_t n, const abr_opts *opts, abr_cut *cut, abr_error *error)
{
    return cut_text(p, n, opts, NULL, false, cut, NULL, error);
}

abr_code abr_cut_text_inside(const char *p, size_t n, const abr_opts *opts, const abr_view *in, bool part,
                             abr_cut *cut)
{
    return cut_text(p, n, opts, in, part, cut, NULL, NULL);
}

abr_code abr_explain_text(const char *p, size_t n, const abr_opts *opts, abr_cut *cut, abr_told_lines *told,
                          abr_error *error)
{
    *told = (abr_told_lines){.list = NULL};
    return cut_text(p, n, opts, NULL, false, cut, told, error);
}
