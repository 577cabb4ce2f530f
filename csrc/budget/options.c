/*
 * Options of cuts: checks, changes for one cut of an open stream or page, and the amount of a source that any
 * cut within a budget may need.
 */
#include "budget/options.h"
#include "abridge.h"
#include "base/error.h"
#include "budget/marker.h"

void abr_opts_init(abr_opts *opts)
{
    *opts = (abr_opts)ABR_OPTS_INIT;
}

static bool is_budget(uint64_t budget)
{
    return budget <= ABR_COUNT_MAX || budget == ABR_UNLIMITED;
}

static bool are_in_range(const abr_budget *max)
{
    return is_budget(max->lines) && is_budget(max->bytes) && is_budget(max->chars) && is_budget(max->tokens);
}

static const char over_most[] = "a budget is over 2^53";

static const char *wrong_option(const abr_opts *o)
{
    if (o->strategy != ABR_HEAD && o->strategy != ABR_TAIL && o->strategy != ABR_HEAD_TAIL &&
        o->strategy != ABR_PRIORITY && o->strategy != ABR_PIPELINE && o->strategy != ABR_AUTO)
        return "strategy is none of ABR_HEAD, ABR_TAIL, ABR_HEAD_TAIL, ABR_PRIORITY, ABR_PIPELINE, ABR_AUTO";
    if ((unsigned)o->kind >= ABR_KIND_MIXED)
        return "kind is none of abr_kind";
    if (!are_in_range(&o->max))
        return over_most;
    if (!(o->head_ratio >= 0 && o->head_ratio <= 1))
        return "head_ratio is not between 0 and 1";
    if (o->hit_count > ABR_HITS_MOST)
        return "more than 256 hits";
    for (size_t i = 0; i < o->hit_count; i++) {
        if (o->hits[i].n == 0 || o->hits[i].n > ABR_HIT_MOST)
            return "a hit's text is empty or over 1024 bytes";
        if (!(o->hits[i].weight >= 0 && o->hits[i].weight <= ABR_HIT_WEIGHT_MOST))
            return "a hit's weight is not between 0 and 100";
    }
    if (!(o->token_safety > 0 && o->token_safety <= ABR_TOKEN_SAFETY_MAX))
        return "token_safety is not over 0 and at most 1000";
    return NULL;
}

abr_code abr_check_opts(const abr_opts *opts, abr_error *error)
{
    const char *wrong = wrong_option(opts);
    return wrong ? abr_fail(error, ABR_EINVAL, wrong) : ABR_OK;
}

/* ---- cuts of sources not wholly at hand ---- */

enum {
    SLACK = 8,                    /* the newline beyond the budget, and a whole char at the inner end */
    BYTES_PER_CHAR = 4,           /* at most */
    DEFAULT_BUDGET = 1024 * 1024, /* bytes if only lines are limited, chars for a pipeline */
    DEFAULT_OF_PARTS = 256 * 1024 /* the same if lines are chosen all over the text, which takes more */
};

void abr_set_default_budget(abr_strategy strategy, abr_budget *max)
{
    const bool by_chars = strategy == ABR_PIPELINE;
    const bool of_parts = strategy == ABR_AUTO || strategy == ABR_PRIORITY;
    if (max->chars != ABR_UNLIMITED)
        return;
    if (by_chars)
        max->chars = DEFAULT_BUDGET;
    else if (max->bytes == ABR_UNLIMITED && max->tokens == ABR_UNLIMITED)
        max->bytes = of_parts ? DEFAULT_OF_PARTS : DEFAULT_BUDGET;
}

size_t abr_bytes_to_keep(abr_strategy strategy, const abr_budget *max)
{
    abr_budget set = *max;
    abr_set_default_budget(strategy, &set);
    uint64_t bytes = strategy == ABR_PIPELINE ? ABR_UNLIMITED : set.bytes;
    if (bytes == ABR_UNLIMITED)
        bytes = set.chars != ABR_UNLIMITED ? set.chars * BYTES_PER_CHAR : set.tokens * ABR_BYTES_PER_TOKEN;
    return bytes < SIZE_MAX - SLACK ? (size_t)bytes + SLACK : SIZE_MAX;
}

uint64_t abr_bytes_kept_for(size_t keep)
{
    return keep > SLACK ? keep - SLACK : 0;
}

static bool lowers(uint64_t *budget, uint64_t lower)
{
    if (lower == ABR_UNLIMITED)
        return true;
    if (lower > *budget)
        return false;
    *budget = lower;
    return true;
}

abr_code abr_narrowed(const abr_opts *opts, const abr_narrow *narrow, abr_opts *out, abr_error *error)
{
    *out = *opts;
    if (!narrow)
        return ABR_OK;
    const abr_budget *lower = &narrow->max;
    abr_budget *max = &out->max;
    if (!are_in_range(lower))
        return abr_fail(error, ABR_EINVAL, over_most);
    bool fine = lowers(&max->lines, lower->lines) && lowers(&max->bytes, lower->bytes) &&
                lowers(&max->chars, lower->chars) && lowers(&max->tokens, lower->tokens);
    /* a new budget may be set if the bytes at hand are enough for it and chars were counted */
    if (!fine || abr_bytes_to_keep(opts->strategy, max) > abr_bytes_to_keep(opts->strategy, &opts->max) ||
        (max->chars != ABR_UNLIMITED && !abr_wants_chars(opts)))
        return abr_fail(error, ABR_EINVAL, "a budget may be lowered here, not raised");
    if (narrow->reserve) {
        out->reserve = narrow->reserve;
        out->reserve_len = narrow->reserve_len;
    }
    if (narrow->long_line != ABR_LONG_DEFAULT)
        out->long_line = narrow->long_line;
    if (narrow->keep_bytes)
        out->utf8_replace = false;
    return ABR_OK;
}

bool abr_wants_chars(const abr_opts *opts)
{
    /* the marker of text that ABR_AUTO may cut anywhere gives them too */
    if (opts->strategy == ABR_PIPELINE || (opts->strategy == ABR_AUTO && opts->snap == ABR_SNAP_CHAR))
        return true;
    size_t n;
    const char *format = abr_marker_format(opts, &n);
    return opts->max.chars != ABR_UNLIMITED || abr_marker_tells_chars(format, n);
}
