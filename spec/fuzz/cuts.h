/* Options of cuts from an input, and the rules that every cut keeps. */
#ifndef CUTS_H
#define CUTS_H

#include "../c/ranges.h"
#include "input.h"

/* ---- options ---- */

enum { HITS = 3, COUNTERS = 4 };

/* Options with what they point to. Must stay where it is. */
typedef struct {
    abr_opts o;
    abr_hit hits[HITS];
    unsigned counter;  /* 0: the estimate */
    uint64_t calls;    /* of the counter */
    uint64_t fails_at; /* the call at which it fails; 0: never */
    memory memory;
    abr_alloc alloc;
} options;

/* Counters that never fall as a text grows. */
static inline bool count_by(void *ctx, const char *p, size_t n, uint64_t *tokens)
{
    options *x = ctx;
    *tokens = 0;
    if (++x->calls == x->fails_at)
        return false;
    if (x->counter == 1)
        *tokens = n;
    else if (x->counter == 2)
        *tokens = (n + 3) / 4;
    else
        for (size_t i = 0; i < n; i++)
            *tokens += p[i] != ' ' && (i == 0 || p[i - 1] == ' ');
    return true;
}

static inline void take_strings(input *in, abr_opts *o)
{
    static const char *const reserves[] = {NULL,          "", "[cut]", "\n\n[Showing 1 of 2]", "\xC3\xA9",
                                           "\xFF\xE2\x82"};
    static const char *const markers[] = {NULL,
                                          "",
                                          "-",
                                          "<{lines}>",
                                          "{bytes}{chars}",
                                          "\xC3\xA9{lines}\n",
                                          "\xFF",
                                          "{x}{lines",
                                          "\n\n[{chars}]\n\n"};
    o->reserve = reserves[take_below(in, sizeof reserves / sizeof *reserves)];
    o->reserve_len = o->reserve ? strlen(o->reserve) : 0;
    o->marker_text = markers[take_below(in, sizeof markers / sizeof *markers)];
    o->marker_text_len = o->marker_text ? strlen(o->marker_text) : 0;
}

static inline void take_hits(input *in, options *x)
{
    static const char *const patterns[] = {"x", "a*b", "*", "word", "\n", "error", ""};
    x->o.hit_count = take_byte(in) % (HITS + 1);
    for (size_t i = 0; i < x->o.hit_count; i++) {
        abr_hit *hit = &x->hits[i];
        hit->p = patterns[take_below(in, sizeof patterns / sizeof *patterns)];
        hit->n = strlen(hit->p);
        hit->weight = take_below(in, 4) * 0.5;
        hit->word = take_flag(in);
        hit->fold = take_flag(in);
    }
    x->o.hits = x->hits;
    x->o.quiet_groups = take_flag(in) ? take_byte(in) & ABR_GROUPS : 0;
}

static inline void take_options(input *in, options *x)
{
    memset(x, 0, sizeof *x);
    abr_opts_init(&x->o);
    x->alloc = MEMORY(&x->memory);
    x->o.alloc = &x->alloc;
    x->o.strategy = (abr_strategy)take_below(in, ABR_PRIORITY + 1);
    x->o.max.bytes = take_budget(in);
    x->o.max.lines = take_budget(in);
    unsigned wanted = take_byte(in);
    if (wanted & 1)
        x->o.max.chars = take_budget(in);
    if (wanted & 2)
        x->o.max.tokens = take_budget(in);
    if (wanted & 4)
        x->o.head_ratio = take_double(in);
    if (wanted & 8)
        x->o.token_safety = take_double(in);
    if (wanted & 16)
        take_strings(in, &x->o);
    if (wanted & 32)
        take_hits(in, x);
    x->o.indicators = (wanted & 64) != 0;
    x->o.utf8_replace = (wanted & 128) != 0;
    wanted = take_byte(in);
    x->o.long_line = (abr_long_line)(wanted % 3);
    x->o.snap = (abr_snap)(wanted / 4 % 2);
    x->o.marker = (abr_marker)(wanted / 8 % 3);
    x->counter = wanted / 32 % COUNTERS;
    if (x->counter > 0) {
        x->o.count_tokens = count_by;
        x->o.count_ctx = x;
        x->fails_at = wanted >= 252 ? take_byte(in) : 0;
    }
}

static inline bool is_budget(uint64_t budget)
{
    return budget <= ABR_COUNT_MAX || budget == ABR_UNLIMITED;
}

/* Are the options in their ranges? */
static inline bool are_fine(const abr_opts *o)
{
    bool fine = is_budget(o->max.bytes) && is_budget(o->max.lines) && is_budget(o->max.chars) &&
                is_budget(o->max.tokens) && o->head_ratio >= 0 && o->head_ratio <= 1 && o->token_safety > 0 &&
                o->token_safety <= ABR_TOKEN_SAFETY_MAX;
    for (size_t i = 0; i < o->hit_count; i++)
        fine = fine && o->hits[i].n > 0;
    return fine;
}

/* ---- budgets ---- */

static inline uint64_t less(uint64_t a, uint64_t b)
{
    return a == ABR_UNLIMITED ? a : a > b ? a - b : 0;
}

static inline uint64_t slow_tokens(const abr_opts *o, const char *p, size_t n)
{
    uint64_t tokens = 0;
    if (o->count_tokens) {
        options copy = *(const options *)o->count_ctx;
        copy.fails_at = 0;
        count_by(&copy, p, n, &tokens);
        return tokens;
    }
    return abr_weigh_tokens(p, n, o->token_safety);
}

/* Budgets near the size of a text, each in its unit. */
static inline void near_text(abr_budget *max, const abr_opts *o, const char *p, size_t n)
{
    uint64_t invalid;
    uint64_t chars = slow_chars(p, n, &invalid);
    max->bytes = near_size(max->bytes, n + (o->utf8_replace ? 2 * invalid : 0));
    max->chars = near_size(max->chars, chars);
    max->lines = near_size(max->lines, slow_lines(p, n));
    bool counts = o->token_safety > 0 && o->token_safety <= ABR_TOKEN_SAFETY_MAX;
    if (max->tokens >= NEAR_SIZE && max->tokens != ABR_UNLIMITED)
        max->tokens = near_size(max->tokens, counts ? slow_tokens(o, p, n) : n);
}

/* The first budget but lines that a shown text is over when `reserve` bytes of opts are set aside. `chars`
 * of the source where parts of it stood apart, or ABR_UNLIMITED: as counted. */
static inline abr_unit over(const abr_opts *o, const char *p, size_t n, bool with_reserve, uint64_t chars)
{
    size_t reserve = with_reserve ? o->reserve_len : 0;
    uint64_t invalid;
    if (o->max.bytes != ABR_UNLIMITED && n > less(o->max.bytes, reserve))
        return ABR_BY_BYTES;
    if (o->max.chars != ABR_UNLIMITED) {
        if (chars == ABR_UNLIMITED)
            chars = slow_chars(p, n, &invalid);
        if (chars > less(o->max.chars, reserve > 0 ? slow_chars(o->reserve, reserve, &invalid) : 0))
            return ABR_BY_CHARS;
    }
    if (o->max.tokens == ABR_UNLIMITED)
        return ABR_BY_NONE;
    if (o->max.tokens <= ABR_COUNT_MAX / ABR_BYTES_PER_TOKEN &&
        n > less(o->max.tokens * ABR_BYTES_PER_TOKEN, reserve))
        return ABR_BY_TOKENS;
    char *joined = need(malloc(n + reserve + 1));
    if (n > 0)
        memcpy(joined, p, n);
    if (reserve > 0)
        memcpy(joined + n, o->reserve, reserve);
    uint64_t tokens = slow_tokens(o, joined, n + reserve);
    free(joined);
    return tokens > o->max.tokens ? ABR_BY_TOKENS : ABR_BY_NONE;
}

/* The same for a part of a source, as shown. */
static inline abr_unit part_over(const abr_opts *o, const char *p, size_t n, bool with_reserve)
{
    shown s = {NULL, 0, 0};
    uint64_t invalid;
    show(&s, p, n, o->utf8_replace);
    abr_unit by = over(o, s.p, s.n, with_reserve, slow_chars(p, n, &invalid));
    free(s.p);
    return by;
}

/* ---- what holds for every cut ---- */

static inline char *content_of(const abr_cut *cut)
{
    char *content = need(malloc(cut->content_bytes + 1));
    content[cut->content_bytes] = '!';
    abr_cut_write(cut, content);
    RULE(content[cut->content_bytes] == '!');
    return content;
}

/* A place in a text, which only moves on. */
typedef struct {
    const char *p;
    size_t at;
    uint64_t newlines; /* before it */
} text_place;

static inline uint64_t newlines_before(text_place *x, size_t at)
{
    x->newlines += slow_newlines(x->p + x->at, at - x->at);
    x->at = at;
    return x->newlines;
}

/* A range says the truth about its place in the source. */
static inline void check_range(text_place *place, size_t n, const abr_cut *cut, const abr_piece *range,
                               uint64_t last)
{
    const char *p = place->p;
    RULE(range->first_byte > last && range->last_byte >= range->first_byte && range->last_byte <= n);
    size_t first = (size_t)range->first_byte - 1;
    RULE(shows_range(p, cut, range));
    RULE(is_start(p, n, first) && is_start(p, n, (size_t)range->last_byte));
    RULE(range->first_line == 1 + newlines_before(place, first));
    uint64_t last_line = 1 + newlines_before(place, (size_t)range->last_byte - 1);
    bool empty_behind = range->p[range->n - 1] == '\n' && range->last_byte < n;
    RULE(range->last_line == last_line || (empty_behind && range->last_line == last_line + 1));
}

/* Ledger and totals; `o` with the budgets that count. */
static inline void check_ledger(const char *p, size_t n, const abr_opts *o, const abr_cut *cut)
{
    uint64_t kept = 0;
    uint64_t last = 0;
    uint64_t chars = 0;
    uint64_t invalid;
    size_t shown_bytes = 0;
    text_place place = {p, 0, 0};
    for (size_t i = 0; i < cut->piece_count; i++) {
        const abr_piece *piece = &cut->pieces[i];
        RULE(piece->n > 0);
        uint64_t more = slow_chars(piece->p, piece->n, &invalid);
        shown_bytes += piece->n + (o->utf8_replace ? 2 * invalid : 0);
        if (!piece->source) {
            RULE(!piece->first_byte && !piece->last_byte && !piece->first_line && !piece->last_line);
            continue;
        }
        check_range(&place, n, cut, piece, last);
        const uint64_t size = piece->last_byte - piece->first_byte + 1;
        last = piece->last_byte;
        kept += size;
        chars += more + (size - piece->n); /* each blank is one */
    }
    RULE(cut->content_bytes == shown_bytes);
    RULE(cut->output_bytes == kept && cut->omitted_bytes == n - kept);
    RULE(cut->total_bytes == n && cut->total_lines == slow_lines(p, n));
    RULE(cut->output_lines + cut->omitted_lines == cut->total_lines);
    /* for these two, the limit is on lines of the content: check_shown() */
    const bool by_content = cut->kind == ABR_KIND_JSON || cut->kind == ABR_KIND_MIXED;
    RULE(cut->strategy == ABR_PIPELINE || by_content || cut->output_lines <= o->max.lines);
    RULE((cut->truncated_by != ABR_BY_NONE) == cut->truncated);
    RULE(o->max.chars == ABR_UNLIMITED || cut->total_chars == slow_chars(p, n, &invalid));
    RULE(cut->total_chars == 0 || cut->output_chars == chars);
    RULE(cut->hits_kept <= cut->hits_found && cut->hits_found <= cut->total_lines);
    RULE(cut->failures_kept <= cut->failures_found && cut->failures_found <= cut->hits_found);
    RULE(cut->failures_kept <= cut->hits_kept && (cut->hits_found > 0) == (cut->failures_found > 0));
    RULE(cut->first_line_exceeds_limit ? cut->truncated && cut->output_bytes == 0 : true);
}

/* Budgets are hard; a text that fits is whole. */
/* The text that shows is within the limits; markers come on top. */
static inline void check_shown(const abr_opts *o, const abr_cut *cut)
{
    uint64_t bytes = 0, newlines = 0;
    for (size_t i = 0; i < cut->piece_count; i++) {
        const abr_piece *piece = &cut->pieces[i];
        bytes += piece->source ? piece->n : 0;
        for (size_t k = 0; piece->source && k < piece->n; k++)
            newlines += piece->p[k] == '\n';
    }
    RULE(bytes <= o->max.bytes && newlines <= o->max.lines);
}

static inline void check_budgets(const char *p, size_t n, const abr_opts *o, const abr_cut *cut)
{
    char *content = content_of(cut);
    if (cut->compact && !cut->truncated) {
        RULE(over(o, content, cut->content_bytes, true, ABR_UNLIMITED) == ABR_BY_NONE);
    } else if (!cut->truncated) {
        size_t size = n - cut->final_newline;
        RULE(cut->output_bytes == size && cut->piece_count == (size > 0));
        RULE(cut->total_lines <= o->max.lines);
        RULE(cut->strategy == ABR_PIPELINE || part_over(o, p, size, false) == ABR_BY_NONE);
        RULE(!cut->final_newline || (p[n - 1] == '\n' && part_over(o, p, n, false) != ABR_BY_NONE));
    } else if (cut->strategy != ABR_PIPELINE) {
        bool fits = cut->total_lines <= o->max.lines &&
                    (part_over(o, p, n, false) == ABR_BY_NONE ||
                     (p[n - 1] == '\n' && part_over(o, p, n - 1, false) == ABR_BY_NONE));
        RULE(!fits);
        if (o->marker == ABR_MARKER_OUTSIDE && cut->strategy != ABR_HEAD && cut->strategy != ABR_TAIL)
            check_shown(o, cut);
        else if (cut->content_bytes > 0)
            RULE(over(o, content, cut->content_bytes, true, ABR_UNLIMITED) == ABR_BY_NONE);
    }
    free(content);
}

/* Do two cuts say the same of all but their pieces? */
static inline bool same_totals(const abr_cut *a, const abr_cut *b)
{
    return a->strategy == b->strategy && a->truncated == b->truncated && a->truncated_by == b->truncated_by &&
           a->kind == b->kind && a->total_lines == b->total_lines && a->total_bytes == b->total_bytes &&
           a->total_chars == b->total_chars && a->output_lines == b->output_lines &&
           a->output_bytes == b->output_bytes && a->output_chars == b->output_chars &&
           a->omitted_lines == b->omitted_lines && a->omitted_bytes == b->omitted_bytes &&
           a->line_bytes == b->line_bytes && a->last_line_partial == b->last_line_partial &&
           a->first_line_exceeds_limit == b->first_line_exceeds_limit && a->hits_found == b->hits_found &&
           a->hits_kept == b->hits_kept && a->failures_found == b->failures_found &&
           a->failures_kept == b->failures_kept && a->final_newline == b->final_newline &&
           memcmp(&a->max, &b->max, sizeof a->max) == 0 && a->content_bytes == b->content_bytes &&
           a->utf8_replace == b->utf8_replace;
}

/* Are two cuts the same in every field? */
static inline bool same_cut(const abr_cut *a, const abr_cut *b)
{
    bool same = same_totals(a, b) && a->piece_count == b->piece_count;
    for (size_t i = 0; same && i < a->piece_count; i++) {
        const abr_piece *x = &a->pieces[i];
        const abr_piece *y = &b->pieces[i];
        same = x->source == y->source && x->first_byte == y->first_byte && x->last_byte == y->last_byte &&
               x->first_line == y->first_line && x->last_line == y->last_line &&
               same_bytes(x->p, x->n, y->p, y->n);
    }
    return same;
}

/* The range of the source that starts at piece *i, and goes on in those after it; *i becomes the piece after
 * it. Zeroed: there is none. */
static inline abr_piece next_range(const abr_cut *cut, size_t *i)
{
    abr_piece range = {.p = NULL};
    while (*i < cut->piece_count && !cut->pieces[*i].source)
        ++*i;
    for (; *i < cut->piece_count; ++*i) {
        const abr_piece *x = &cut->pieces[*i];
        if (x->source && range.p && x->first_byte != range.last_byte + 1)
            break;
        if (!x->source)
            continue;
        if (!range.p)
            range = *x;
        range.last_byte = x->last_byte;
        range.last_line = x->last_line;
    }
    return range;
}

/* Are two cuts the same, however their content is in pieces? */
static inline bool same_shown(const abr_cut *a, const abr_cut *b)
{
    char *one = content_of(a);
    char *other = content_of(b);
    bool same = same_totals(a, b) && same_bytes(one, a->content_bytes, other, b->content_bytes);
    for (size_t i = 0, k = 0; same && (i < a->piece_count || k < b->piece_count);) {
        const abr_piece x = next_range(a, &i);
        const abr_piece y = next_range(b, &k);
        same = x.first_byte == y.first_byte && x.last_byte == y.last_byte && x.first_line == y.first_line &&
               x.last_line == y.last_line;
    }
    free(one);
    free(other);
    return same;
}

#endif
