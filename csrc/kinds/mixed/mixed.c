/*
 * Outputs of several kinds. Every part gets a share of the budget and is cut like any text. The rest of a
 * part's share goes to the parts after it, and logs come last, since they can use any room.
 *
 * Invariant: the shares of the parts still to be cut, plus the bytes the others took, are within the budget.
 */
#include <string.h>

#include "kinds/mixed/mixed.h"
#include "kinds/content.h"
#include "kinds/mixed/output_parts.h"
#include "text/scan.h"

enum {
    LEAST_SHARE = 96, /* bytes of a part; with less, everything is cut as a log */
    /* Logs with failures are sure of so many sixteenths of the budget: three quarters of what the end of the
     * output and a line of each part leave, which is three quarters (SPEC 14). */
    TROUBLE_SIXTEENTHS = 9,
    HITS_MOST = 16, /* hits of a log that raise its share of that: a flood must not take all */
    LINE_BREAK = 1  /* a byte for the newline between two parts */
};

typedef struct {
    abr_reader base;
    const abr_alloc *alloc;
    const char *text;
    size_t n;
    bool found; /* the parts have been found */
    bool weighed;
    abr_output_parts parts;
    uint64_t line[ABR_PARTS_MOST]; /* newlines before each part */
    uint64_t hits[ABR_PARTS_MOST]; /* of a log, at most HITS_MOST; known once `weighed` is set */
} mixed;

/* A choice being made. */
typedef struct {
    mixed *m;
    const abr_kind_request *q;
    uint64_t share[ABR_PARTS_MOST];
    abr_cut cuts[ABR_PARTS_MOST]; /* of parts that are not shown whole */
    bool whole[ABR_PARTS_MOST];
    uint64_t taken; /* bytes taken by the parts so far */
} part_shares;

bool abr_is_mixed(const char *p, size_t n, bool whole)
{
    abr_output_parts parts;
    return whole && abr_find_parts(p, n, &parts);
}

static uint64_t part_bytes(const mixed *m, size_t i)
{
    return m->parts.list[i].end - m->parts.list[i].from;
}

/* ---- shares ---- */

/* The bytes all parts take if each gets `level`, or `sure` for each hit if that is more, but no more than its
 * size. What no reader of a page sees gets more than the least once the others may have `all`. */
static uint64_t sum_at(const mixed *m, uint64_t level, uint64_t all, uint64_t sure, uint64_t *share)
{
    const uint64_t unseen = LEAST_SHARE + (level > all ? level - all : 0);
    uint64_t sum = 0;
    for (size_t i = 0; i < m->parts.count; i++) {
        const uint64_t floor = sure * m->hits[i];
        uint64_t most = floor > level ? floor : level;
        if (m->parts.list[i].unseen && most > unseen)
            most = unseen;
        share[i] = part_bytes(m, i) + LINE_BREAK < most ? part_bytes(m, i) + LINE_BREAK : most;
        sum += share[i];
    }
    return sum;
}

static void share_out(part_shares *x)
{
    uint64_t hits = 0;
    for (size_t i = 0; i < x->m->parts.count; i++)
        hits += x->m->hits[i];
    const uint64_t sure = hits > 0 ? x->q->bytes * TROUBLE_SIXTEENTHS / 16 / hits : 0;
    uint64_t least = 0; /* the highest level whose sum is within the budget is between these */
    uint64_t most = 2 * x->q->bytes + 1;
    while (most - least > 1) {
        const uint64_t middle = least + (most - least) / 2;
        if (sum_at(x->m, middle, x->q->bytes, sure, x->share) <= x->q->bytes)
            least = middle;
        else
            most = middle;
    }
    sum_at(x->m, least, x->q->bytes, sure, x->share);
}

/* ---- one part ---- */

static abr_code cut_part(const part_shares *x, size_t i, uint64_t bytes, abr_cut *cut)
{
    const abr_output_part *part = &x->m->parts.list[i];
    abr_opts o = *x->q->opts;
    o.strategy = ABR_AUTO;
    o.kind = part->kind;
    o.max =
        (abr_budget){.bytes = bytes, .chars = ABR_UNLIMITED, .lines = ABR_UNLIMITED, .tokens = ABR_UNLIMITED};
    o.reserve_len = 0;
    return x->q->view->cut_inner(x->m->text + part->from, part->end - part->from, &o, x->q->view, true, cut);
}

/* Count the hits of the logs. A single log shares that room with none, so its hits are not counted. */
static bool weigh_logs(part_shares *x)
{
    mixed *m = x->m;
    size_t logs = 0;
    for (size_t i = 0; i < m->parts.count; i++)
        logs += m->parts.list[i].kind == ABR_KIND_LOG;
    for (size_t i = 0; i < m->parts.count; i++) {
        abr_cut cut;
        m->hits[i] = m->parts.list[i].kind == ABR_KIND_LOG;
        if (m->hits[i] == 0 || logs == 1)
            continue;
        if (cut_part(x, i, LEAST_SHARE, &cut) != ABR_OK)
            return false;
        m->hits[i] = cut.hits_found < HITS_MOST ? cut.hits_found : HITS_MOST;
        abr_cut_free(&cut);
    }
    m->weighed = true;
    return true;
}

/* Cut a part within its share and the room left by the parts before it. */
static bool take_part(part_shares *x, size_t i, uint64_t later)
{
    const uint64_t room = x->q->bytes - x->taken - later;
    x->whole[i] = part_bytes(x->m, i) + LINE_BREAK <= room;
    const abr_cut *cut = &x->cuts[i];
    if (!x->whole[i] && cut_part(x, i, room - LINE_BREAK, &x->cuts[i]) != ABR_OK)
        return false;
    x->taken += LINE_BREAK + (x->whole[i] ? part_bytes(x->m, i)
                                          : abr_counted_bytes(cut->pieces, cut->piece_count,
                                                              x->q->opts->marker != ABR_MARKER_OUTSIDE));
    return true;
}

/* Take all parts, logs after the others. */
static bool take_parts(part_shares *x)
{
    uint64_t later = 0;
    for (size_t i = 0; i < x->m->parts.count; i++)
        later += x->share[i];
    for (int log = 0; log <= 1; log++)
        for (size_t i = 0; i < x->m->parts.count; i++) {
            if ((x->m->parts.list[i].kind == ABR_KIND_LOG) != log)
                continue;
            later -= x->share[i];
            if (!take_part(x, i, later))
                return false;
        }
    return true;
}

/* ---- the content ---- */

/* Put a piece of a part into the content. */
static void put_piece(const mixed *m, size_t i, const abr_piece *piece, abr_content *out)
{
    const size_t from = m->parts.list[i].from;
    abr_piece own = *piece;
    if (!piece->source) {
        abr_content_mark(out, piece->p, piece->n);
        return;
    }
    own.first_byte += from;
    own.last_byte += from;
    own.first_line += m->line[i];
    own.last_line += m->line[i];
    if (own.p == m->text + (own.first_byte - 1) && own.n == own.last_byte - own.first_byte + 1)
        abr_content_keep(out, own.p, own.n, own.first_byte - 1, own.first_line - 1);
    else
        abr_content_copy(out, &own);
}

/* End the part's last line, if its content does not. */
static void end_part_line(const part_shares *x, size_t i, abr_content *out)
{
    const abr_cut *cut = &x->cuts[i];
    const abr_output_part *part = &x->m->parts.list[i];
    const abr_piece *last = cut->piece_count > 0 ? &cut->pieces[cut->piece_count - 1] : NULL;
    if (!last || last->p[last->n - 1] == '\n' || i + 1 == x->m->parts.count)
        return;
    const size_t newline = part->end - 1;
    if (last->source && last->last_byte + part->from == newline && x->m->text[newline] == '\n')
        abr_content_keep(out, x->m->text + newline, 1, newline, x->m->line[i] + last->last_line - 1);
    else
        abr_content_mark(out, "\n", 1);
}

/* Report a part and its kind, or for a log the parts inside it. */
static void tell_part(const mixed *m, size_t i, const abr_cut *cut, abr_content *out)
{
    const abr_output_part *part = &m->parts.list[i];
    for (size_t k = 0; cut && k < cut->part_count; k++) {
        abr_part own = cut->parts[k];
        own.first_line += m->line[i];
        own.last_line += m->line[i];
        abr_content_tell_part(out, &own);
    }
    if (!cut || cut->part_count == 0)
        abr_content_tell_part(out, &(abr_part){.kind = part->kind,
                                               .first_line = m->line[i] + 1,
                                               .last_line = m->line[i] + abr_count_lines(m->text + part->from,
                                                                                         part_bytes(m, i))});
}

static void put_part(const part_shares *x, size_t i, abr_content *out)
{
    const mixed *m = x->m;
    const abr_cut *cut = &x->cuts[i];
    const abr_output_part *part = &m->parts.list[i];
    if (x->whole[i])
        abr_content_keep(out, m->text + part->from, part->end - part->from, part->from, m->line[i]);
    for (size_t k = 0; k < cut->piece_count; k++)
        put_piece(m, i, &cut->pieces[k], out);
    if (!x->whole[i])
        end_part_line(x, i, out);
    out->hits_found += cut->hits_found;
    out->hits_kept += cut->hits_kept;
    out->failures_found += cut->failures_found;
    out->failures_kept += cut->failures_kept;
}

/* If the budget is too small for parts, all is cut as a log. */
static bool choose_as_log(const mixed *m, const abr_kind_request *q, abr_content *out)
{
    mixed alone = *m;
    alone.parts.count = 1;
    alone.parts.list[0] = (abr_output_part){.kind = ABR_KIND_LOG, .end = m->n};
    part_shares x = {.m = &alone, .q = q, .taken = 0};
    const bool fine = cut_part(&x, 0, q->bytes, &x.cuts[0]) == ABR_OK;
    if (fine)
        put_part(&x, 0, out);
    for (size_t i = 0; i < m->parts.count; i++)
        tell_part(m, i, NULL, out);
    abr_cut_free(&x.cuts[0]);
    return fine;
}

/* ---- the reader ---- */

static void find_own_parts(mixed *m)
{
    uint64_t line = 0;
    abr_find_parts(m->text, m->n, &m->parts);
    for (size_t i = 0; i < m->parts.count; i++) {
        const abr_output_part *part = &m->parts.list[i];
        m->line[i] = line;
        line += abr_count_newlines(m->text + part->from, part->end - part->from);
    }
    m->found = true;
}

static bool choose_parts(abr_reader *base, const abr_kind_request *q, abr_content *out)
{
    mixed *m = (mixed *)base;
    if (!m->found)
        find_own_parts(m);
    if (q->bytes / m->parts.count < LEAST_SHARE)
        return choose_as_log(m, q, out);
    part_shares x = {.m = m, .q = q, .taken = 0};
    bool fine = m->weighed || weigh_logs(&x);
    if (fine) {
        share_out(&x);
        fine = take_parts(&x);
    }
    for (size_t i = 0; fine && i < m->parts.count; i++) {
        put_part(&x, i, out);
        tell_part(m, i, &x.cuts[i], out);
    }
    for (size_t i = 0; i < m->parts.count; i++)
        abr_cut_free(&x.cuts[i]);
    return fine;
}

static void count_chunk(abr_reader *base, const char *p, size_t n)
{
    (void)p;
    ((mixed *)base)->n += n;
}

static void close_mixed(abr_reader *base)
{
    mixed *m = (mixed *)base;
    m->alloc->free(m->alloc->ctx, m);
}

static abr_code open_mixed(const abr_reader_opts *opts, abr_reader **out)
{
    mixed *m = opts->alloc->malloc(opts->alloc->ctx, sizeof *m);
    if (!m)
        return ABR_ENOMEM;
    memset(m, 0, sizeof *m);
    m->base.methods = &abr_mixed_methods;
    m->alloc = opts->alloc;
    m->text = opts->text;
    *out = &m->base;
    return ABR_OK;
}

const abr_reader_methods abr_mixed_methods = {
    .open = open_mixed,
    .write = count_chunk,
    .choose = choose_parts,
    .close = close_mixed,
};
