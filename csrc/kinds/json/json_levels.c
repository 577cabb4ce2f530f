/*
 * The open levels, and the parts retained of them.
 *
 * A value of at most ABR_JSON_SMALL bytes is retained or forgotten as a whole. Whether a value is small is
 * known when it ends or has grown too large; until then the entries of its children wait. A large one becomes
 * a node, and its children become units: small ones next to each other form a run.
 */
#include <string.h>

#include "kinds/json/json_levels.h"
#include "line/score.h"
#include "text/flow.h"

enum {
    RUN_BYTES = ABR_OR_TINY(256, 24), /* bytes of a run; a larger value forms its own */
    /* a run is not the last if neither a value nor its level's end follows in so many bytes */
    RUN_WAITS = ABR_OR_TINY(8192, 128),
    FRONT = 3, /* values at the start of each object or array */
    UNIT = 256 /* bytes that a unit counts besides its own when room is shared */
};

_Static_assert((size_t)ABR_JSON_CARRY >= RUN_WAITS &&
                   (size_t)RUN_WAITS >= ABR_JSON_SMALL + ABR_JSON_PREFIX_MOST,
               "a run that waits is at hand, and so is a value that is not large yet, with its key");
_Static_assert((size_t)RUN_BYTES <= ABR_JSON_SMALL, "a run is small");

/* Why a unit is retained. */
typedef enum { FRESH, CLEAR, HIT, WARNED, ODD, AT_START, AT_END, ANY, REASONS } reason;

/* The shares of the reasons in the allowance. If much was spent on a reason, further units weigh little, so
 * at any limit each reason has had its share, and the first units come first. Those of trouble and of words
 * are fitted on 30 reports of linters, scanners and test runners. */
static const float shares[REASONS] = {6, 12, 8, 1, 4, 3, 3, 4};

/* Of each path for its words, such as the names of elements. */
static const float share_of_path = 3;

/* ---- units ---- */

static float weigh(abr_json_levels *x, reason why, uint64_t cost)
{
    const double weight = shares[why] / (shares[why] * 4096 + x->spent[why]);
    x->spent[why] += (double)cost;
    return (float)weight;
}

static float heavier(float a, float b)
{
    return a > b ? a : b;
}

/* The weight of the n-th unit of a path for its words: each path has a share of its own. */
static float weight_of_nth(uint64_t cost, uint32_t n)
{
    return share_of_path / (share_of_path * 4096 + (float)cost * (float)n);
}

static float weight_of(abr_json_levels *x, const abr_json_entry *e, bool last)
{
    const uint64_t bytes = e->end - e->at;
    const uint64_t cost = UNIT + (bytes < ABR_JSON_SMALL ? bytes : ABR_JSON_SMALL);
    const reason trouble = e->score >= ABR_SCORE_CLEAR ? CLEAR : e->score >= ABR_SCORE_HIT ? HIT : WARNED;
    bool is[REASONS] = {[FRESH] = (e->says & ABR_JSON_FRESH) != 0,
                        [ODD] = (e->says & ABR_JSON_ODD) != 0,
                        [AT_START] = e->ordinal < FRONT,
                        [AT_END] = last,
                        [ANY] = true};
    is[trouble] = e->score > 0;
    float weight = e->tells > 0 ? weight_of_nth(cost, ABR_JSON_TELLING + 1 - e->tells) : 0;
    for (reason why = 0; why < REASONS; why++)
        if (is[why])
            weight = heavier(weight, weigh(x, why, cost));
    return weight;
}

/* Is nothing of the innermost large level ever shown? Small ones in it may be deeper. */
static bool is_ghost(const abr_json_levels *x)
{
    const abr_json_parts *parts = x->parts;
    return x->large >= ABR_JSON_SHOWN_DEPTH ||
           (parts->depth > 0 && parts->nodes[parts->open[parts->depth - 1]].ghost);
}

static void flush(abr_json_levels *x, bool last)
{
    const abr_json_entry *e = &x->run;
    const abr_json_level *level = &x->open[x->large];
    const size_t n = (size_t)(e->end - e->at);
    if (e->values == 0)
        return;
    x->parts->met_units = true;
    const float weight = weight_of(x, e, last);
    if (!is_ghost(x) && abr_flow_has(&x->source->flow, e->at, n)) {
        abr_json_unit *u = abr_json_parts_add(x->parts, e->values, n);
        u->at = e->at;
        u->end = e->end;
        u->line = abr_json_lines(x->source, e->at);
        u->ordinal = e->ordinal;
        u->n = n;
        u->weight = weight;
        abr_flow_copy(&x->source->flow, e->at, n, abr_json_text(x->parts, u->place));
        if (e->says == 0)
            abr_json_parts_say_nothing(x->parts, e->siblings);
        if (level->name_at >= e->at && level->name_at < e->end)
            abr_json_parts_name(x->parts);
        if (e->score >= ABR_SCORE_HIT || e->tells > 0)
            abr_json_parts_raise(x->parts, e->score < ABR_SCORE_HIT);
    }
    x->run.values = 0;
}

/* Most values have nothing to say. */
static inline void join(abr_json_entry *run, const abr_json_entry *e)
{
    run->end = e->end;
    run->values += e->values;
    if (e->says == 0)
        return;
    run->score = heavier(run->score, e->score);
    run->says |= e->says;
    run->tells = run->tells > e->tells ? run->tells : e->tells;
}

static inline void join_next(abr_json_entry *run, const abr_json_entry *next)
{
    join(run, next);
    run->siblings = (uint16_t)(run->siblings + next->siblings);
}

/* Retain a child of the innermost large level. */
static void retain_child(abr_json_levels *x, const abr_json_entry *e)
{
    if (x->run.values > 0 && e->end - x->run.at > RUN_BYTES)
        flush(x, false);
    if (e->start - e->at > ABR_JSON_PREFIX_MOST || e->end - e->start > ABR_JSON_SMALL) {
        flush(x, false);
        return; /* it cannot be shown */
    }
    if (x->run.values == 0)
        x->run = *e;
    else
        join_next(&x->run, e);
}

/* Turn the outermost small level into a large one. */
static void enlarge(abr_json_levels *x)
{
    const size_t depth = x->depth;
    const uint32_t first = x->open[x->large + 1].waiting;
    flush(x, false);
    abr_json_level *level = &x->open[++x->large];
    const uint32_t end = x->large < depth ? x->open[x->large + 1].waiting : x->waiting_count;
    const size_t text_n = (size_t)(level->entry.start + 1 - level->entry.at);
    const bool ghost =
        text_n > ABR_JSON_PREFIX_MOST + 1 || !abr_flow_has(&x->source->flow, level->entry.at, text_n);
    abr_json_node *node = abr_json_parts_open(x->parts, ghost ? 0 : text_n);
    node->at = level->entry.at;
    node->line = abr_json_lines(x->source, node->at);
    node->start = level->entry.start;
    node->ordinal = level->entry.ordinal;
    node->object = level->object;
    node->ghost = node->ghost || ghost;
    if (!node->ghost)
        abr_flow_copy(&x->source->flow, node->at, text_n, abr_json_text(x->parts, node->place));
    x->depth = x->large; /* for the children retained now */
    for (uint32_t i = first; i < end; i++)
        retain_child(x, &x->waiting[i]);
    x->depth = depth;
    memmove(x->waiting + first, x->waiting + end, (x->waiting_count - end) * sizeof *x->waiting);
    x->waiting_count -= end - first;
    for (size_t i = x->large + 1; i <= depth; i++)
        x->open[i].waiting -= end - first;
}

/* The document has been read up to `end`: levels may be large now. */
static inline void grow_levels(abr_json_levels *x, uint64_t end)
{
    while (x->large < x->depth && end - x->open[x->large + 1].entry.start > ABR_JSON_SMALL)
        enlarge(x);
}

/* Copied field by field: the fields have just been written, and are not yet there to be read together. */
static void put_waiting(abr_json_levels *x, const abr_json_entry *e)
{
    abr_json_entry *to = &x->waiting[x->waiting_count++];
    to->at = e->at;
    to->start = e->start;
    to->end = e->end;
    to->ordinal = e->ordinal;
    to->values = e->values;
    to->score = e->score;
    to->siblings = e->siblings;
    to->tells = e->tells;
    to->says = e->says;
}

/* A value of the innermost level is complete; levels that are large now have been enlarged. */
static void add_child(abr_json_levels *x, abr_json_entry *e)
{
    abr_json_level *in = x->innermost;
    e->at = in->from;
    e->ordinal = in->count++;
    e->siblings = 1;
    in->from = e->end;
    if (x->large == x->depth) {
        retain_child(x, e);
        if (x->depth == 0) /* the document */
            flush(x, true);
        return;
    }
    join(&in->entry, e);
    abr_json_entry *last = x->waiting + x->waiting_count - 1;
    if (x->waiting_count > in->waiting && e->end - last->at <= RUN_BYTES)
        join_next(last, e);
    else
        put_waiting(x, e);
}

void abr_json_value_ends(abr_json_levels *x, abr_json_entry *e)
{
    grow_levels(x, e->end);
    add_child(x, e);
}

void abr_json_long_begins(abr_json_levels *x, uint64_t end)
{
    grow_levels(x, end);
    flush(x, false);
}

void abr_json_long_ends(abr_json_levels *x, abr_json_entry *e, const abr_json_long *text)
{
    abr_json_level *in = x->innermost;
    e->at = in->from;
    e->ordinal = in->count++;
    in->from = e->end;
    x->parts->met_units = true;
    const float weight = weight_of(x, e, false);
    const uint64_t lead = e->start - e->at;
    if (lead > ABR_JSON_PREFIX_MOST)
        return;
    /* little of data is shown */
    if (!abr_json_is_data(text->bytes + lead + 1, text->head_n - (size_t)lead - 1))
        abr_json_parts_rank(x->parts, e->at, e->end - e->start, weight);
    if (is_ghost(x))
        return;
    const bool whole = text->head_n + text->tail_n == e->end - e->at;
    abr_json_unit *u = abr_json_parts_add(x->parts, 1, text->head_n + text->tail_n);
    u->at = e->at;
    u->end = e->end;
    u->line = text->line;
    u->ordinal = e->ordinal;
    u->chars = text->chars.chars;
    u->n = text->head_n + (whole ? text->tail_n : 0);
    u->tail_n = whole ? 0 : text->tail_n;
    u->lead = (uint32_t)lead;
    u->weight = weight;
    u->tail = u->place + text->head_n;
    memcpy(abr_json_text(x->parts, u->place), text->bytes, text->head_n);
    if (text->tail_n > 0)
        memcpy(abr_json_text(x->parts, u->tail), text->tail, text->tail_n);
    if (e->score >= ABR_SCORE_HIT || e->tells > 0)
        abr_json_parts_raise(x->parts, e->score < ABR_SCORE_HIT);
}

/* ---- levels ---- */

abr_json_level *abr_json_level_opens(abr_json_levels *x, uint64_t start)
{
    const abr_json_level *in = x->innermost;
    abr_json_level *new = ++x->innermost;
    x->depth++;
    /* set field by field: one is opened for every small object */
    new->entry = (abr_json_entry){.at = in->from, .start = start, .ordinal = in->count};
    new->count = new->dots = new->name_at = 0;
    new->waiting = x->waiting_count;
    return new;
}

static void close_node(abr_json_levels *x, const abr_json_level *level, uint64_t end)
{
    flush(x, end - x->run.at <= RUN_WAITS);
    abr_json_node *node = abr_json_parts_close(x->parts);
    const uint64_t line = abr_json_lines(x->source, level->from);
    node->end = end;
    node->count = level->count;
    node->dots = level->dots;
    node->close_line = abr_json_lines(x->source, end - 1);
    if (end - 1 - level->from < ABR_JSON_CLOSE_MOST)
        node->close_lines = (uint8_t)(node->close_line - line);
}

void abr_json_level_closes(abr_json_levels *x, uint64_t end)
{
    grow_levels(x, end);
    abr_json_level *level = x->innermost;
    if (x->large < x->depth) {
        abr_json_entry *e = &level->entry;
        e->end = end;
        e->values++;
        x->waiting_count = level->waiting;
        x->depth--;
        x->innermost--;
        if (level->object && x->innermost->object && x->innermost->name_at == 0)
            x->innermost->name_at = level->name_at;
        add_child(x, e);
        return;
    }
    close_node(x, level, end);
    x->large = --x->depth;
    x->innermost--;
    x->innermost->from = end;
    x->innermost->count++;
}

uint64_t abr_json_levels_need(abr_json_levels *x, uint64_t end)
{
    grow_levels(x, end);
    if (x->run.values > 0 && end - x->run.at > RUN_WAITS)
        flush(x, false);
    if (x->run.values > 0)
        return x->run.at;
    return x->large < x->depth ? x->open[x->large + 1].entry.at : x->innermost->from;
}
