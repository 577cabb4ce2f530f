/*
 * Retains lines of a text for a priority cut as it goes by; each line is read once.
 *
 * A line waits until the next few are known, since lines before a hit belong to it; then its retain weight is
 * final, and it becomes a candidate or is forgotten. The result depends on the bytes alone, not on the chunks
 * they come in: a line is read once it is whole, a long one in segments at fixed places, which overlap so
 * that no word is split.
 *
 * The weight only decides what to retain. keep_value.c and keep.c decide what to keep, once everything is
 * known.
 */
#include <string.h>

#include "priority/retain.h"
#include "abridge.h"
#include "base/log2.h"
#include "base/memory.h"
#include "base/private.h"
#include "base/tiny.h"
#include "base/word.h"
#include "priority/candidates.h"
#include "line/escape.h"
#include "priority/failure.h"
#include "line/hits.h"
#include "line/lexicon.h"
#include "line/line_score.h"
#include "line/line_window.h"
#include "priority/rarity.h"
#include "line/recall.h"
#include "priority/passed.h"
#include "priority/runs.h"
#include "line/score.h"
#include "priority/shape.h"
#include "priority/sort.h"
#include "line/words.h"
#include "text/scan.h"

enum {
    OVERLAP = 64,                                      /* of two segments; with a caller's patterns, */
    MATCH_OVERLAP = ABR_OR_TINY(ABR_HIT_MOST + 2, 66), /* room for a match and a byte on either side */
    START_MOST = ABR_OR_TINY(1280, 40),                /* bytes retained of a line's start */
    WINDOW_BEFORE = ABR_OR_TINY(160, 8),               /* bytes of a window before the sign */
    WINDOW_MOST = ABR_OR_TINY(640, 24),
    WAITING = ABR_LINES_BEFORE_HIT,     /* waiting lines */
    LATEST = ABR_OR_TINY(16, 4),        /* last lines of failures, retained whatever they weigh */
    LATEST_SIZE = ABR_OR_TINY(512, 24), /* of each, at most; longer ones go by their weight */
    RETAINED_AFTER_HIT = 120,           /* lines retained with it */
    /* a larger budget retains no more: it is filled with the lines in between */
    KEEP_MOST = ABR_OR_TINY(256 * 1024, 4096),
    FOUND_MARKS = ABR_OR_TINY(128, 16) /* places with counts of the hits before them */
};

_Static_assert((size_t)MATCH_OVERLAP < ABR_SEGMENT && OVERLAP < MATCH_OVERLAP, "each segment adds bytes");
_Static_assert(WINDOW_BEFORE < START_MOST && (size_t)START_MOST <= ABR_SEGMENT, "a start fits a segment");

/* of a hit's weight, for the line before it; less by a step for each further line */
static const float share_before = 0.45F;
static const float share_after = 0.6F;
static const float step_before = 0.8F;
static const float step_after = 0.985F;
static const float early_bonus = 0.5F; /* for the first hits */
static const float novel = 0.08F;      /* weight of a line by the rarity of its shape so far */
static const float novel_blank = 0.1F; /* part of that for a blank line */

/* The open line, as far as it was read. */
typedef struct {
    char segment[ABR_SEGMENT + ABR_PADDING];
    size_t n;        /* bytes of the segment */
    uint64_t before; /* bytes of the line before the segment */
    uint64_t chars_before;
    bool later;          /* the segment is not the line's first */
    abr_reading reading; /* of the segments before */
    char start[START_MOST];
    size_t start_n;
    char window[WINDOW_MOST];
    size_t window_n;
    uint64_t window_at;
    uint64_t window_chars;
    uint64_t sign;
} open_line;

/* The state that the weight of the next line depends on, besides its own score. */
typedef struct {
    float carried;     /* the rest of the weight of the hit that the following lines belong to */
    unsigned distance; /* lines since it */
    abr_failure failure;
    bool tracing; /* a traceback is open; its message ends it */
    size_t trace_indent;
    bool went_well; /* the line is in a section of what went well */
} retain_state;

/* Hits and failures before a line. */
typedef struct {
    uint32_t hits;
    abr_failure_counts failures;
    uint32_t number; /* of the last failure */
} found_mark;

/* A line of a failure. */
typedef struct {
    uint64_t line;
    uint32_t failure;
} failed_line;

struct abr_retainer {
    abr_retainer_opts opts;
    const abr_alloc *alloc;
    abr_patterns own_patterns;
    const abr_patterns *patterns;
    const abr_lexicon *lexicon;
    abr_shapes shapes; /* its sets follow this, */
    abr_word_counts counts;
    abr_candidates retained;
    abr_candidate queue[WAITING];            /* a ring of the waiting lines */
    char (*texts)[START_MOST + WINDOW_MOST]; /* their bytes; NULL: the text stays where it is */
    size_t queued;
    size_t oldest;
    abr_candidate latest[LATEST];      /* a ring of the last lines of failures that no longer wait; */
    char (*latest_texts)[LATEST_SIZE]; /* as `texts` */
    uint64_t latest_count;             /* such lines so far */
    open_line open;
    uint64_t bytes; /* before the open line */
    uint64_t line;  /* its number */
    uint64_t chars;
    abr_found found;
    found_mark marks[FOUND_MARKS]; /* before every step-th line */
    size_t mark_count;
    uint64_t step;
    abr_runs runs;
    retain_state state;
    failed_line failed[ABR_FAILED_LAST]; /* each in the place of its number */

    /* For abr_retainer_lines(): copies of the waiting lines and of the open one, and its reading. */
    abr_candidate looked[WAITING + 1];
    abr_run last_run;
    open_line last;

    char *judged; /* the decoded line, with ABR_PADDING after it; NULL unless lines are decoded */

    abr_line_window window;
    abr_passed passed;
    abr_recall recall; /* its lines follow the sets, then the own lexicon, `judged` and `texts` */
};

/* The chars of (p, n), or the bytes counted in their place; 0 if neither is wanted. */
static inline uint64_t count_in_line(const abr_retainer *q, const char *p, size_t n)
{
    if (q->opts.count)
        return q->opts.count(p, n);
    return q->opts.chars ? abr_count_chars(p, n, NULL) : 0;
}

/* ---- decoded lines ---- */

const char *abr_retainer_judged(const abr_retainer *q, const char *p, size_t *n)
{
    if (!q->opts.decode)
        return p;
    *n = q->opts.decode(p, *n < ABR_SEGMENT ? *n : ABR_SEGMENT, q->judged);
    memset(q->judged + *n, 0, ABR_PADDING);
    return q->judged;
}

/* The byte of (p, n) that the byte at `place` of the decoded line comes from. */
static size_t place_of_judged(const abr_retainer *q, const char *p, size_t n, size_t place)
{
    size_t from = 0;
    if (!q->opts.decode)
        return place;
    for (size_t end = n < ABR_SEGMENT ? n : ABR_SEGMENT; from < end;) {
        const size_t middle = from + (end - from) / 2;
        if (q->opts.decode(p, middle + 1, q->judged) > place)
            end = middle;
        else
            from = middle + 1;
    }
    return from;
}

/* ---- retain weights ---- */

/* The line that ends a traceback is its message. */
static inline void follow_trace(abr_retainer *q, abr_reading *r)
{
    q->state.went_well = abr_follow_section(q->state.went_well, r);
    if (q->state.went_well)
        q->state.failure.open = q->state.tracing = false;
    if (q->state.tracing && r->kind != ABR_LINE_BLANK && r->kind != ABR_LINE_FRAME &&
        r->indent <= q->state.trace_indent && r->kind != ABR_LINE_EXCERPT) {
        q->state.tracing = false;
        if (r->line_score < ABR_SCORE_CLEAR)
            r->line_score = ABR_SCORE_CLEAR;
        r->hit = true;
    }
    if (r->kind == ABR_LINE_TRACE) {
        q->state.tracing = true;
        q->state.trace_indent = r->indent;
    }
}

static float own_weight(const abr_candidate *c)
{
    if (c->line_score <= 0)
        return 0;
    float weight = c->line_score / abr_repeat_discount(c);
    return c->hit ? weight * abr_early_hit_factor(c, early_bonus) : weight;
}

/* The waiting lines belong to the hit that has come, the nearest the most; `end`, unless NULL, is the end of
 * a copy of them. */
static void raise_before(abr_retainer *q, float weight, abr_candidate *end)
{
    abr_candidate *c = end ? end : &q->queue[(q->oldest + q->queued) % WAITING];
    weight *= share_before;
    for (size_t left = q->queued; left > 0; left--) {
        c = c == q->queue ? c + WAITING - 1 : c - 1;
        if (c->retain_weight < weight)
            c->retain_weight = weight;
        weight *= step_before;
        if (c->kind == ABR_LINE_PASS || c->kind == ABR_LINE_STEP)
            return;
    }
}

/* The rarity of its shape so far. */
static float novelty_of(const abr_candidate *c)
{
    float novelty = novel * abr_log2((float)(c->line + 1) / (float)(c->nth + 1) + 1);
    return c->kind == ABR_LINE_BLANK ? novelty * novel_blank : novelty;
}

/* May a line be retained for the rarity of its shape? Most are ruled out without a division: log2(a / b + 1)
 * is over x only if a + b is over b * 2 ** floor(x). */
static inline bool may_be_novel(const abr_retainer *q, const abr_candidate *c)
{
    enum { STEPS_MOST = 31 };
    static const float rounding = 0.01F; /* more than all rounding errors together */
    const float steps =
        q->retained.excluded_weight * (c->kind == ABR_LINE_BLANK ? 1 / novel / novel_blank : 1 / novel) -
        rounding;
    if (!q->retained.excludes || steps < 1)
        return true;
    const uint64_t times = (uint64_t)c->nth + 1;
    return c->line + 1 + times > times << (steps < STEPS_MOST ? (unsigned)steps : (unsigned)STEPS_MOST);
}

/* Give a line its weight by its own score and the hit before it. A hit carries on to the lines after it, and
 * the waiting lines belong to it; `end` is as for raise_before(). */
static inline void set_weight(abr_retainer *q, abr_candidate *c, abr_candidate *end)
{
    const float own = own_weight(c);
    c->retain_weight = own;
    float novelty = may_be_novel(q, c) ? novelty_of(c) : 0;
    if (c->retain_weight < novelty)
        c->retain_weight = novelty;
    if (q->state.carried > 0 && q->state.distance < RETAINED_AFTER_HIT) {
        if (c->kind != ABR_LINE_FRAME || q->state.distance < RETAINED_AFTER_HIT / 2) {
            q->state.distance++;
            q->state.carried *= q->state.distance == 1 ? share_after : step_after;
        }
        if (c->retain_weight < q->state.carried)
            c->retain_weight = q->state.carried;
    }
    if (c->line_score >= ABR_SCORE_HIT) {
        raise_before(q, own, end);
        float next = q->state.carried * (q->state.distance == 0 ? share_after : step_after);
        if (own >= next || q->state.distance >= RETAINED_AFTER_HIT) {
            q->state.carried = own;
            q->state.distance = 0;
        }
    }
}

/* ---- failures ---- */

/* Count a line's hit, and find the failure it is part of. */
static inline void count_line(abr_retainer *q, const abr_reading *r, abr_candidate *c, abr_found *found)
{
    abr_failure *f = &q->state.failure;
    size_t n = c->start_n;
    c->failure = 0;
    if ((f->open || r->hit) && abr_failure_takes(f, r, c->nth, abr_retainer_judged(q, c->start, &n), n))
        c->failure = (uint32_t)(f->found < UINT32_MAX ? f->found : UINT32_MAX);
    if (c->failure > 0)
        q->failed[c->line % ABR_FAILED_LAST] = (failed_line){c->line, c->failure};
    c->tells = (uint8_t)(r->hit ? f->told : ABR_TELLS_NOTHING);
    c->count = f->count;
    f->again = f->again && (c->failure > 0 || (r->kind != ABR_LINE_PASS && r->kind != ABR_LINE_STEP));
    c->placed = r->placed;
    found->hits += c->hit;
    found->failures = f->counts;
}

uint32_t abr_retainer_failure_at(const abr_retainer *q, uint64_t line)
{
    const failed_line *f = &q->failed[line % ABR_FAILED_LAST];
    return f->line == line && !abr_passed_has(&q->passed, line) ? f->failure : 0;
}

const abr_passed_lines *abr_retainer_passed(const abr_retainer *q, size_t *count)
{
    *count = q->passed.count;
    return q->passed.list;
}

/* Note the hits and failures before the next line. */
static void mark_line(abr_retainer *q)
{
    while (q->mark_count * q->step <= q->line) {
        if (q->mark_count == FOUND_MARKS) {
            for (size_t i = 0; i < FOUND_MARKS / 2; i++)
                q->marks[i] = q->marks[2 * i];
            q->mark_count = FOUND_MARKS / 2;
            q->step *= 2;
            continue;
        }
        const abr_failure *f = &q->state.failure;
        q->marks[q->mark_count++] = (found_mark){(uint32_t)q->found.hits, f->counts, (uint32_t)f->found};
    }
}

ABR_WRAPS void abr_retainer_found_within(const abr_retainer *q, uint64_t from, uint64_t end,
                                         abr_found_within *out)
{
    const uint64_t first = from / q->step + (from % q->step > 0);
    const uint64_t last = end / q->step < q->mark_count ? end / q->step : q->mark_count - 1;
    *out = (abr_found_within){.from = from, .end = from};
    if (q->mark_count == 0 || first >= last)
        return;
    const found_mark *a = &q->marks[first];
    const found_mark *b = &q->marks[last];
    *out = (abr_found_within){.from = first * q->step,
                              .end = last * q->step,
                              .found = {.hits = b->hits - a->hits, .failures = b->failures},
                              .number = b->number};
    abr_add_counts(&out->found.failures, &a->failures, true);
}

/* Forget the hits and failures of a test that this line says has passed. */
static inline void follow_test(abr_retainer *q, const char *p, size_t n, const abr_reading *r)
{
    const size_t at = r->lead + r->indent;
    const abr_text_line own = {p + at, n - at - (n > at && p[n - 1] == '\r')};
    if (!abr_passed_may_take(&q->passed, own, r) ||
        !abr_passed_takes(&q->passed, own, r, q->line, q->lexicon->without, &q->found))
        return;
    q->state.failure.counts = q->found.failures;
    q->state.failure.open = q->state.tracing = false;
    q->state.carried = 0;
    for (size_t i = q->mark_count; i > 0 && (i - 1) * q->step > q->passed.from; i--) {
        q->marks[i - 1].hits = (uint32_t)q->found.hits;
        q->marks[i - 1].failures = q->found.failures;
    }
}

/* ---- lines ---- */

/* Note a line of a failure: of many that are alike each weighs less, and the last one counts nonetheless. */
static void note_latest(abr_retainer *q, const abr_candidate *c)
{
    const size_t place = (size_t)(q->latest_count++ % LATEST);
    q->latest[place] = *c;
    if (q->retained.copies)
        abr_candidate_copy(&q->latest[place], q->latest_texts[place]);
}

/* Make the line that waited longest a candidate, or forget it. */
static void end_wait(abr_retainer *q)
{
    const abr_candidate *c = &q->queue[q->oldest];
    if (c->failure > 0 && c->size <= LATEST_SIZE)
        note_latest(q, c);
    if (c->retain_weight > 0 && !abr_candidates_excluded(&q->retained, c))
        abr_candidates_add(&q->retained, c);
    q->oldest = (q->oldest + 1) % WAITING;
    q->queued--;
}

/* Set a line's bytes at hand: its start, and a window around the sign if that is further on. */
static void set_text(const abr_retainer *q, const char *p, size_t n, const abr_reading *r, abr_candidate *c)
{
    c->start = p;
    c->start_n = (uint32_t)(n < START_MOST ? n : abr_char_start(p, n, START_MOST));
    c->window = p;
    if (n <= START_MOST || r->at < START_MOST - WINDOW_BEFORE)
        return;
    size_t from = abr_char_start(p, n, r->at > WINDOW_BEFORE ? r->at - WINDOW_BEFORE : 0);
    if (from < c->start_n)
        from = c->start_n;
    size_t end = n - from > WINDOW_MOST ? abr_char_start(p, n, from + WINDOW_MOST) : n;
    c->window = p + from;
    c->window_at = from;
    c->window_n = (uint32_t)(end - from);
    c->window_chars = count_in_line(q, p, from);
}

/* Make a candidate of a line, without its text. Field by field, since zeroing it first takes longer. */
static void make_candidate(abr_retainer *q, const abr_reading *r, uint64_t size, bool counts,
                           abr_candidate *c)
{
    c->line = q->line;
    c->at = q->bytes;
    c->size = size;
    c->chars = q->chars;
    c->window_at = c->window_chars = 0;
    c->sign = r->at;
    c->start = c->window = NULL;
    c->start_n = c->window_n = 0;
    c->line_score = r->line_score;
    c->retain_weight = 0;
    c->shape = r->shape;
    c->nth = counts ? abr_shapes_add(&q->shapes, r->shape, 1) : abr_shapes_seen(&q->shapes, r->shape);
    c->hits_before = (uint32_t)(q->found.hits < UINT32_MAX ? q->found.hits : UINT32_MAX);
    c->indent = (uint16_t)(r->indent < UINT16_MAX ? r->indent : UINT16_MAX);
    c->kind = (uint8_t)r->kind;
    c->command = (uint8_t)r->command;
    c->hit = r->hit;
}

/* The place after the waiting lines. */
static abr_candidate *next_place(abr_retainer *q)
{
    if (q->queued == WAITING)
        end_wait(q);
    return &q->queue[(q->oldest + q->queued) % WAITING];
}

/* Let the line at next_place() wait; its text stays where it is until keep_texts(). */
static inline void queue_line(abr_retainer *q, const abr_reading *r, abr_candidate *c)
{
    mark_line(q);
    set_weight(q, c, NULL);
    q->queued++;
    count_line(q, r, c, &q->found);
}

/* Copy the texts of the last `lines` waiting lines, which are about to go. */
static void keep_texts(abr_retainer *q, size_t lines)
{
    for (size_t i = q->queued > lines ? q->queued - lines : 0; i < q->queued && q->retained.copies; i++) {
        const size_t place = (q->oldest + i) % WAITING;
        abr_candidate_copy(&q->queue[place], q->texts[place]);
    }
}

static inline abr_run_line run_line(const abr_reading *r)
{
    uint32_t said;
    memcpy(&said, &r->line_score, sizeof said);
    said ^= (uint32_t)r->kind * 2 + r->hit + 1;
    return (abr_run_line){(uint64_t)r->indent << 32 | said, r->tokens, r->outline, true};
}

static void next_line(abr_retainer *q, uint64_t size, uint64_t chars)
{
    q->line++;
    q->bytes += size + 1;
    q->chars += chars + 1;
}

/* Read a whole line, with ABR_PADDING readable bytes after it and escape sequences only if `escapes`;
 * `folded` is as for abr_recall_line(). Its text will be found at `stays`. */
static void read_whole_line(abr_retainer *q, const char *p, const char *folded, size_t n, bool escapes,
                            const char *stays, abr_reading *r)
{
    size_t judged_n = n;
    const char *judged = abr_retainer_judged(q, p, &judged_n);
    if (q->judged)
        folded = abr_fold_line(&q->window, judged, judged_n);
    abr_recall_line(&q->recall, q->lexicon, q->patterns, judged, folded, judged_n, escapes || q->judged, r);
    if (n > START_MOST)
        r->at = (uint32_t)place_of_judged(q, p, n, r->at);
    abr_count_words(&q->counts, r->plain, r->plain_count);
    follow_trace(q, r);
    follow_test(q, judged, judged_n, r);
    abr_candidate *c = next_place(q);
    const abr_run_line alike = run_line(r);
    abr_runs_add(&q->runs, &alike, q->line);
    make_candidate(q, r, n, true, c);
    set_text(q, stays, n, r, c);
    queue_line(q, r, c);
    next_line(q, n, count_in_line(q, p, n));
}

/* ---- the open line ---- */

/* Read the segment, beyond which the line may go on. A later one counts only if it is a hit with a higher
 * score. */
static void read_segment(const abr_retainer *q, open_line *o, bool goes_on)
{
    const size_t split = goes_on ? abr_open_sequence(o->segment, o->n) : 0; /* bytes of a split char */
    const size_t whole = o->n - split;
    abr_reading r;
    size_t n = o->n;
    memset(o->segment + n, 0, ABR_PADDING);
    const char *judged = abr_retainer_judged(q, o->segment, &n);
    abr_read_line(q->lexicon, q->patterns, judged, n, &r);
    if (o->later && (!r.hit || r.line_score <= o->reading.line_score || o->reading.kind == ABR_LINE_PASS))
        return;
    r.at = (uint32_t)place_of_judged(q, o->segment, o->n, r.at);
    if (!o->later) {
        o->reading = r;
        o->start_n = o->n < START_MOST ? o->n : abr_char_start(o->segment, o->n, START_MOST);
        memcpy(o->start, o->segment, o->start_n);
    }
    o->reading.line_score = r.line_score;
    o->reading.hit = r.hit;
    size_t from = r.at > WINDOW_BEFORE ? abr_char_start(o->segment, o->n, r.at - WINDOW_BEFORE) : 0;
    if (o->before + from < o->start_n)
        from = o->start_n - (size_t)o->before;
    if (!o->later && r.at < START_MOST - WINDOW_BEFORE)
        return;
    from = from < whole ? from : whole;
    size_t end = whole - from > WINDOW_MOST ? abr_char_start(o->segment, o->n, from + WINDOW_MOST) : whole;
    o->window_n = end - from;
    o->window_at = o->before + from;
    o->sign = o->before + r.at;
    memcpy(o->window, o->segment + from, o->window_n);
    o->window_chars = o->chars_before + count_in_line(q, o->segment, from);
}

/* Make room in a full segment: its end stays as the start of the next one. */
static void slide_segment(const abr_retainer *q, open_line *o)
{
    read_segment(q, o, true);
    size_t overlap = q->patterns->count > 0 ? MATCH_OVERLAP : OVERLAP;
    size_t gone = abr_char_start(o->segment, o->n, o->n - overlap);
    o->chars_before += count_in_line(q, o->segment, gone);
    memmove(o->segment, o->segment + gone, o->n - gone);
    o->n -= gone;
    o->before += gone;
    o->later = true;
}

static void add_to_open(abr_retainer *q, const char *p, size_t n)
{
    open_line *o = &q->open;
    while (n > 0) {
        if (o->n == ABR_SEGMENT)
            slide_segment(q, o);
        size_t part = n < ABR_SEGMENT - o->n ? n : ABR_SEGMENT - o->n;
        memcpy(o->segment + o->n, p, part);
        o->n += part;
        p += part;
        n -= part;
    }
}

/* Make a candidate of the open line; all of it has been read. */
static void make_open_candidate(abr_retainer *q, open_line *o, bool counts, abr_candidate *c)
{
    make_candidate(q, &o->reading, o->before + o->n, counts, c);
    if (q->opts.text) {
        c->start = q->opts.text + q->bytes;
        c->window = c->start + o->window_at;
    } else {
        c->start = o->start;
        c->window = o->window;
    }
    c->start_n = (uint32_t)o->start_n;
    c->window_n = (uint32_t)o->window_n;
    c->window_at = o->window_at;
    if (o->window_n > 0)
        c->sign = o->sign;
    c->window_chars = o->window_chars;
}

static void end_open(abr_retainer *q)
{
    open_line *o = &q->open;
    if (!o->later) {
        abr_reading r;
        memset(o->segment + o->n, 0, ABR_PADDING);
        read_whole_line(q, o->segment, abr_fold_line(&q->window, o->segment, o->n), o->n, true,
                        q->opts.text ? q->opts.text + q->bytes : o->segment, &r);
    } else {
        read_segment(q, o, false);
        abr_count_words(&q->counts, o->reading.plain, o->reading.plain_count);
        follow_trace(q, &o->reading);
        abr_candidate *c = next_place(q);
        abr_runs_add(&q->runs, &(abr_run_line){.whole = false}, q->line);
        make_open_candidate(q, o, true, c);
        queue_line(q, &o->reading, c);
        next_line(q, o->before + o->n, o->chars_before + count_in_line(q, o->segment, o->n));
    }
    keep_texts(q, 1);
    o->n = 0;
    o->before = o->chars_before = o->window_at = o->window_chars = 0;
    o->start_n = o->window_n = 0;
    o->later = false;
}

/* ---- floods ---- */

/* How many of the next `most` lines, all equal to the last one, only change counts and are forgotten at
 * once? */
static size_t count_forgotten(const abr_retainer *q, const abr_candidate *last, size_t most)
{
    const bool follows = q->state.carried > 0 && q->state.distance < RETAINED_AFTER_HIT;
    abr_candidate c = *last;
    if (c.hit || c.line_score >= ABR_SCORE_HIT || c.nth > UINT32_MAX / 2 || follows ||
        q->state.failure.open || !q->retained.excludes)
        return 0;
    for (size_t i = 0; i < most; i++) {
        c.line++;
        c.nth++;
        const float own = own_weight(&c);
        const float novelty = novelty_of(&c);
        c.retain_weight = own > novelty ? own : novelty;
        if (!abr_candidates_excluded(&q->retained, &c))
            return i;
    }
    return most;
}

/* A line that comes again and again. */
typedef struct {
    size_t size; /* of the previous line, with its newline; 0 before the first */
    size_t end;  /* up to here, bytes equal the ones `size` before them */
} flood;

/* The line read last, of `size` bytes, ends at p + at. If it is equal to the one before, skip further ones
 * that are forgotten at once, except for the last few, which wait. Returns their bytes. */
static size_t pass_flood(abr_retainer *q, const abr_reading *r, const char *p, size_t at, size_t n,
                         size_t size, flood *f)
{
    const bool known = at + size <= f->end;
    if (f->size == 0 || f->size != size || (!known && memcmp(p + at - size, p + at - 2 * size, size) != 0)) {
        *f = (flood){size, 0};
        return 0;
    }
    if (!known)
        f->end = at + abr_same_bytes(p + at, p + at - size, n - at);
    const abr_candidate *c = &q->queue[(q->oldest + q->queued - 1) % WAITING];
    const size_t same = (f->end - at) / size;
    const size_t lines = same > WAITING ? count_forgotten(q, c, same - WAITING) : 0;
    if (lines == 0)
        return 0;
    for (unsigned i = 0; i < r->plain_count; i++)
        abr_count_word(&q->counts, r->plain[i], lines);
    abr_shapes_add(&q->shapes, c->shape, (uint32_t)lines);
    q->runs.open.count += lines;
    q->line += lines;
    q->bytes += lines * size;
    q->chars += lines * (count_in_line(q, p + at - size, size - 1) + 1);
    return lines * size;
}

/* Read the whole lines of a chunk that can be read in place. Returns their bytes. */
static size_t read_whole_lines(abr_retainer *q, const char *p, size_t n)
{
    size_t at = 0;
    size_t lines = 0;
    const char *escape = abr_find_escape(p, n);
    flood same = {0, 0};
    abr_reading r;
    size_t end;
    abr_window_open(&q->window, p, n);
    while (abr_window_next(&q->window, at, &end) && n - end >= ABR_PADDING) {
        const size_t size = end - at;
        const bool escapes = escape && escape < p + end;
        read_whole_line(q, p + at, abr_window_folded(&q->window, at), size, escapes, p + at, &r);
        at = end + 1;
        const size_t passed = pass_flood(q, &r, p, at, n, size + 1, &same);
        if (passed > 0)
            abr_window_pass(&q->window, at += passed);
        lines++;
        if (escapes)
            escape = abr_find_escape(p + at, n - at);
    }
    keep_texts(q, lines);
    return at;
}

void abr_retainer_write(abr_retainer *q, const char *p, size_t n)
{
    while (n > 0) {
        size_t taken = q->open.n > 0 || q->open.later ? 0 : read_whole_lines(q, p, n);
        p += taken;
        n -= taken;
        const char *newline = n > 0 ? memchr(p, '\n', n) : NULL;
        size_t part = newline ? (size_t)(newline - p) : n;
        add_to_open(q, p, part);
        if (!newline)
            return;
        end_open(q);
        p += part + 1;
        n -= part + 1;
    }
}

/* ---- retained lines ---- */

void abr_retainer_read_line(abr_retainer *q, const char *p, size_t n, abr_reading *out)
{
    open_line *o = &q->last;
    n = n < ABR_SEGMENT ? n : ABR_SEGMENT;
    p = abr_retainer_judged(q, p, &n);
    memcpy(o->segment, p, n);
    memset(o->segment + n, 0, ABR_PADDING);
    abr_read_line(q->lexicon, q->patterns, o->segment, n, out);
}

float abr_retainer_rarity(const abr_retainer *q, const char *p, size_t n)
{
    return abr_rarity(&q->counts, q->lexicon, p, n, q->line);
}

static size_t allowance_for(size_t keep, bool inside)
{
    const size_t least = inside ? ABR_RETAIN_LEAST / 4 : ABR_RETAIN_LEAST;
    const size_t per_byte = inside ? ABR_RETAIN_PER_BYTE / 2 : ABR_RETAIN_PER_BYTE;
    return least + (keep < KEEP_MOST ? keep : (size_t)KEEP_MOST) * per_byte;
}

size_t abr_retainer_most_lines(abr_retainer *q)
{
    abr_candidates_trim(&q->retained);
    return q->retained.count + q->queued + 1 + LATEST + WAITING + 1;
}

static void list_retained_line(const abr_retainer *q, abr_candidate *c, uint32_t more, abr_retained *out)
{
    if (abr_passed_has(&q->passed, c->line))
        abr_excuse(c);
    out->keys[out->count++].index = (uint32_t)out->used;
    out->lines[out->used++] = (abr_retained_line){c, abr_shapes_seen(&q->shapes, c->shape) + more};
}

static void add_retained(const abr_retainer *q, abr_candidate *c, uint32_t more, abr_retained *out)
{
    if (c->retain_weight > 0 && !abr_candidates_excluded(&q->retained, c))
        list_retained_line(q, c, more, out);
}

/* Add a line of a failure, unless it is there. */
static void list_latest_line(const abr_retainer *q, abr_candidate *c, uint32_t more, abr_retained *out)
{
    for (size_t i = 0; i < out->count; i++)
        if (out->lines[out->keys[i].index].c->line == c->line)
            return;
    list_retained_line(q, c, more, out);
}

/* Copy the waiting lines, and the open line after them as if it ended here, which may raise them; its other
 * changes are undone. Returns the number of copies. */
static size_t look_at_waiting(abr_retainer *q, abr_found *found)
{
    *found = q->found;
    q->last_run = q->runs.open;
    for (size_t i = 0; i < q->queued; i++)
        q->looked[i] = q->queue[(q->oldest + i) % WAITING];
    if (q->open.n == 0 && !q->open.later)
        return q->queued;
    const retain_state before = q->state;
    q->last = q->open;
    read_segment(q, &q->last, false);
    follow_trace(q, &q->last.reading);
    const abr_run_line line = run_line(&q->last.reading);
    if (!q->open.later && abr_runs_take(&q->runs, &line))
        q->last_run.count++;
    abr_candidate *c = &q->looked[q->queued];
    make_open_candidate(q, &q->last, false, c);
    set_weight(q, c, c);
    const failed_line over = q->failed[c->line % ABR_FAILED_LAST];
    count_line(q, &q->last.reading, c, found);
    q->failed[c->line % ABR_FAILED_LAST] = over;
    q->state = before;
    return q->queued + 1;
}

abr_found abr_retainer_found(abr_retainer *q)
{
    abr_found found;
    look_at_waiting(q, &found);
    return found;
}

bool abr_retainer_alike(const abr_retainer *q, uint64_t first, uint64_t last)
{
    return abr_run_has(&q->last_run, first, last) || abr_runs_have(&q->runs, first, last);
}

void abr_sort_retained(abr_retained *r)
{
    for (size_t i = 0; i < r->count; i++)
        r->keys[i].key = r->lines[r->keys[i].index].c->line;
    abr_sort_keys(r->keys, r->count, r->keys + r->count);
}

/* Leave only the heaviest lines that together cost no more than the allowance. */
static void leave_heaviest(size_t allowance, abr_retained *out)
{
    const size_t n = out->count;
    size_t cost = 0;
    for (size_t i = 0; i < n; i++)
        cost += abr_candidate_cost(out->lines[i].c);
    if (cost <= allowance)
        return;
    abr_sort_retained(out); /* of equals, the earlier one stays */
    for (size_t i = 0; i < n; i++)
        out->keys[i].key = ~abr_float_key(out->lines[out->keys[i].index].c->retain_weight);
    abr_sort_keys(out->keys, n, out->keys + n);
    cost = 0;
    for (out->count = 0; out->count < n; out->count++) {
        cost += abr_candidate_cost(out->lines[out->keys[out->count].index].c);
        if (cost > allowance)
            return;
    }
}

void abr_retainer_lines(abr_retainer *q, size_t keep, abr_retained *out)
{
    out->used = out->count = 0;
    const size_t looked = look_at_waiting(q, &out->found);
    for (size_t i = 0; i < q->retained.count; i++)
        add_retained(q, &q->retained.slots[q->retained.list[i].slot], 0, out);
    for (size_t i = 0; i < looked; i++)
        add_retained(q, &q->looked[i], i == q->queued, out);
    leave_heaviest(allowance_for(keep, q->opts.inside), out);
    for (size_t i = 0; i < LATEST && i < q->latest_count; i++)
        list_latest_line(q, &q->latest[i], 0, out);
    for (size_t i = 0; i < looked; i++)
        if (q->looked[i].failure > 0)
            list_latest_line(q, &q->looked[i], i == q->queued, out);
}

/* ---- the object ---- */

/* Set the tables of a new retainer, which follow it in memory, unless q is NULL. Returns the bytes of all. */
static size_t lay_tables(const abr_retainer_opts *opts, abr_retainer *q)
{
    const uint32_t sets = opts->inside ? ABR_SHAPE_SETS_FEW : ABR_SHAPE_SETS;
    const unsigned recalled = opts->inside ? ABR_RECALLED_FEW : ABR_RECALLED;
    const size_t lexicon = opts->lexicon ? 0 : sizeof(abr_lexicon);
    const size_t judged = opts->decode ? ABR_SEGMENT + ABR_PADDING : 0;
    const size_t texts = opts->text ? 0 : WAITING * sizeof *q->texts + LATEST * sizeof *q->latest_texts;
    const size_t words = opts->inside ? ABR_WORD_COUNTS_FEW : ABR_WORD_COUNTS;
    const size_t words_size = words * sizeof(uint16_t);
    const size_t sets_size = sets * sizeof(abr_shape_set);
    const size_t lines_size = recalled * sizeof(abr_recalled);
    if (q) {
        char *at = (char *)(q + 1);
        memset(at, 0, words_size + sets_size);
        q->counts = (abr_word_counts){.seen = (uint16_t *)(void *)at, .count = words};
        at += words_size;
        q->shapes = (abr_shapes){.sets = (abr_shape_set *)(void *)at, .count = sets};
        q->recall.lines = (abr_recalled *)(void *)(at += sets_size);
        q->recall.count = recalled;
        at += lines_size;
        if (!opts->lexicon)
            abr_lexicon_open((abr_lexicon *)(void *)at, opts->quiet_groups);
        q->lexicon = opts->lexicon ? opts->lexicon : (abr_lexicon *)(void *)at;
        q->judged = opts->decode ? at + lexicon : NULL;
        q->texts = opts->text ? NULL : (void *)(at + lexicon + judged);
        q->latest_texts = opts->text ? NULL : (void *)(q->texts + WAITING);
    }
    return sizeof *q + words_size + sets_size + lines_size + lexicon + judged + texts;
}

_Static_assert(sizeof(abr_shape_set) % _Alignof(abr_recalled) == 0 &&
                   sizeof(abr_retainer) % _Alignof(abr_shape_set) == 0 &&
                   sizeof(abr_recalled) % _Alignof(abr_lexicon) == 0,
               "one follows the other");

abr_code abr_retainer_open(const abr_retainer_opts *opts, abr_retainer **out)
{
    const abr_alloc *alloc = abr_allocator(opts->alloc);
    abr_retainer *q = alloc->malloc(alloc->ctx, lay_tables(opts, NULL));
    *out = q;
    if (!q)
        return ABR_ENOMEM;
    memset(q, 0, sizeof *q);
    lay_tables(opts, q);
    q->opts = *opts;
    q->alloc = alloc;
    q->step = 1;
    q->bytes = opts->bytes_before;
    q->line = opts->lines_before;
    q->chars = opts->chars_before;
    q->retained.alloc = alloc;
    q->retained.copies = opts->text == NULL;
    q->retained.allowance = allowance_for(opts->keep, opts->inside);
    q->patterns = opts->patterns ? opts->patterns : &q->own_patterns;
    if (opts->patterns || abr_patterns_open(&q->own_patterns, opts->hits, opts->hit_count, alloc) == ABR_OK)
        return ABR_OK;
    abr_retainer_close(q);
    *out = NULL;
    return ABR_ENOMEM;
}

bool abr_retainer_reserve(abr_retainer *q, uint64_t newlines, size_t n)
{
    size_t more = newlines < SIZE_MAX - WAITING ? (size_t)newlines + 1 : SIZE_MAX - WAITING;
    size_t waits = (size_t)WAITING * (START_MOST + WINDOW_MOST);
    return abr_candidates_reserve(&q->retained, more, n < SIZE_MAX - waits ? n + waits : SIZE_MAX);
}

void abr_retainer_close(abr_retainer *q)
{
    if (!q)
        return;
    abr_candidates_free(&q->retained);
    abr_patterns_close(&q->own_patterns, q->alloc);
    q->alloc->free(q->alloc->ctx, q);
}
