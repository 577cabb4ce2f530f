/* abr_cut_text, abr_cut_write, abr_cut_free: budgets, ledger, and that a cut is maximal. */
#include "priority_rules.h"

enum { TEXT_MOST = 4096 };

/* ---- head and tail ---- */

/* Bytes of the first (front) or last k lines; the newline between them and the rest is not theirs. */
static size_t lines_size(const char *p, size_t n, bool front, uint64_t k)
{
    size_t at = front ? 0 : n;
    for (; k > 0 && front && at < n; k--) {
        const char *newline = memchr(p + at, '\n', n - at);
        at = newline ? (size_t)(newline - p) + 1 : n;
    }
    if (front)
        return at > 0 && p[at - 1] == '\n' ? at - 1 : at;
    for (; k > 0 && at > 0; k--)
        for (at--; at > 0 && p[at - 1] != '\n';)
            at--;
    return n - at;
}

static abr_unit side_over(const abr_opts *o, const char *p, size_t n, size_t kept)
{
    return part_over(o, o->strategy == ABR_HEAD ? p : p + (n - kept), kept, true);
}

/* Where no whole line fits: nothing, or all the chars of the nearest line that do. */
static void check_no_line(const char *p, size_t n, const abr_opts *o, const abr_cut *cut)
{
    bool front = o->strategy == ABR_HEAD;
    bool omit = o->long_line == ABR_LONG_OMIT || (front && o->long_line == ABR_LONG_DEFAULT);
    size_t line = lines_size(p, n, front, 1);
    size_t kept = (size_t)cut->output_bytes;
    RULE(cut->truncated_by == side_over(o, p, n, line));
    RULE(cut->first_line_exceeds_limit == (front && omit));
    RULE(cut->line_bytes == line - (!front && line > 0 && p[n - 1] == '\n'));
    RULE(cut->output_lines == (kept > 0) && cut->last_line_partial == (kept > 0));
    if (omit) {
        RULE(kept == 0);
        return;
    }
    RULE(kept < line || line == 0); /* the reserve alone may be too much */
    size_t more = kept + char_size(p + kept, n - kept);
    if (!front)
        for (more = kept + 1; !is_start(p, n, n - more);)
            more++;
    RULE(side_over(o, p, n, more) != ABR_BY_NONE);
}

static void check_one_side(const char *p, size_t n, const abr_opts *o, const abr_cut *cut)
{
    bool front = o->strategy == ABR_HEAD;
    RULE(cut->piece_count <= 1);
    if (cut->piece_count == 1)
        RULE(front ? cut->pieces[0].first_byte == 1 : cut->pieces[0].last_byte == n - cut->final_newline);
    if (!cut->truncated)
        return;
    uint64_t lines = cut->output_lines;
    bool by_lines = lines >= o->max.lines;
    bool none = lines == 0 || (cut->last_line_partial && lines == 1);
    if (none && !(lines == 0 && by_lines)) {
        check_no_line(p, n, o, cut);
        return;
    }
    RULE(cut->output_bytes == lines_size(p, n, front, lines) && !cut->last_line_partial);
    RULE(lines < cut->total_lines);
    abr_unit next = side_over(o, p, n, lines_size(p, n, front, lines + 1));
    RULE(by_lines ? cut->truncated_by == ABR_BY_LINES : next != ABR_BY_NONE && cut->truncated_by == next);
}

/* The content never shrinks as a budget grows. */
static void check_growth(const char *p, size_t n, const options *x, unsigned which, const abr_cut *cut)
{
    options larger = *x;
    abr_cut grown;
    uint64_t *budgets[] = {&larger.o.max.bytes, &larger.o.max.lines, &larger.o.max.chars,
                           &larger.o.max.tokens};
    uint64_t *budget = budgets[which % 4];
    if (*budget == ABR_UNLIMITED || *budget > ABR_COUNT_MAX - 64)
        return;
    *budget += 1 + which / 4;
    larger.o.alloc = NULL;
    larger.fails_at = 0;
    if (larger.o.count_tokens)
        larger.o.count_ctx = &larger;
    RULE(abr_cut_text(p, n, &larger.o, &grown, NULL) == ABR_OK);
    RULE(grown.content_bytes >= cut->content_bytes);
    abr_cut_free(&grown);
}

/* ---- head_tail ---- */

static size_t count_text(char *dst, size_t size, const char *format, size_t format_n, uint64_t lines,
                         uint64_t bytes, uint64_t chars)
{
    static const char *const names[] = {"{lines}", "{bytes}", "{chars}"};
    const uint64_t values[] = {lines, bytes, chars};
    size_t n = 0;
    for (size_t i = 0; i < format_n;) {
        size_t which = 0;
        RULE(n + 24 < size);
        while (which < 3 && !(format_n - i >= 7 && memcmp(format + i, names[which], 7) == 0))
            which++;
        if (which < 3)
            n += (size_t)snprintf(dst + n, size - n, "%llu", (unsigned long long)values[which]);
        else
            dst[n++] = format[i];
        i += which < 3 ? 7 : 1;
    }
    return n;
}

/* The two sides of a cut and what stands between them. */
typedef struct {
    const abr_opts *o;
    const char *p;
    size_t n;
    uint64_t chars;     /* of the source */
    const char *format; /* of the marker, "" for none */
    size_t format_n;
    size_t head, tail; /* bytes */
    uint64_t head_lines, tail_lines;
} sides;

enum { JOINT_MOST = 256 };

/* With snap=line a marker stands on a line of its own, and without one the sides still stand on lines of
 * theirs. */
static size_t print_joint(const sides *s, uint64_t head_lines, uint64_t tail_lines, uint64_t lines,
                          uint64_t bytes, uint64_t chars, char *dst)
{
    char marker[JOINT_MOST];
    size_t n = 0;
    size_t size = count_text(marker, sizeof marker, s->format, s->format_n, lines, bytes, chars);
    bool apart = s->o->snap == ABR_SNAP_LINE;
    bool after = apart && head_lines > 0 && (s->format_n > 0 || tail_lines > 0);
    if (after)
        dst[n++] = '\n';
    memcpy(dst + n, marker, size);
    n += size;
    if (apart && s->format_n > 0 && tail_lines > 0)
        dst[n++] = '\n';
    return n;
}

/* Would other sides fit with the marker at its widest? */
static bool would_fit(const sides *s, size_t head, size_t tail, uint64_t head_lines, uint64_t tail_lines)
{
    char joint[JOINT_MOST];
    shown text = {NULL, 0, 0};
    size_t joint_n = 0;
    uint64_t total = slow_lines(s->p, s->n);
    uint64_t invalid;
    /* a line that both sides cut is weighed in both: each has its share of the lines */
    if (head_lines + tail_lines > s->o->max.lines)
        return false;
    if (s->o->marker != ABR_MARKER_OUTSIDE || s->format_n == 0)
        joint_n = print_joint(s, head_lines, tail_lines, total, s->n, s->chars, joint);
    show(&text, s->p, head, s->o->utf8_replace);
    show(&text, joint, joint_n, s->o->utf8_replace);
    show(&text, s->p + (s->n - tail), tail, s->o->utf8_replace);
    uint64_t chars = slow_chars(s->p, head, &invalid) + slow_chars(joint, joint_n, &invalid) +
                     slow_chars(s->p + (s->n - tail), tail, &invalid);
    bool fits = over(s->o, text.p, text.n, true, chars) == ABR_BY_NONE;
    free(text.p);
    return fits;
}

static void check_head_could_not_grow(const sides *s)
{
    bool by_char = s->o->snap == ABR_SNAP_CHAR;
    size_t gap_end = s->n - s->tail;
    bool partial = s->head_lines > 0 && s->head > 0 && s->head < s->n && s->p[s->head] != '\n';
    if (s->o->head_ratio <= 0 || s->head >= gap_end)
        return;
    size_t head;
    uint64_t lines;
    if (by_char || (s->head_lines == 0 && s->p[0] != '\n') || partial) {
        head = s->head + char_size(s->p + s->head, s->n - s->head);
        lines = slow_lines(s->p, head);
    } else {
        lines = s->head_lines + 1;
        head = lines_size(s->p, s->n, true, lines);
    }
    if (head > s->head && head < gap_end)
        RULE(!would_fit(s, head, s->tail, lines, s->tail_lines));
}

static void check_tail_could_not_grow(const sides *s)
{
    size_t gap_end = s->n - s->tail;
    if (s->o->head_ratio >= 1 || s->head >= gap_end)
        return;
    bool whole = s->o->snap == ABR_SNAP_LINE && s->tail > 0 && s->p[gap_end - 1] == '\n';
    size_t tail = s->tail + 1;
    if (whole)
        tail = lines_size(s->p, s->n, false, s->tail_lines + 1);
    else
        while (!is_start(s->p, s->n, s->n - tail))
            tail++;
    if (s->n - tail > s->head) { /* not all of the text, which is over budget */
        uint64_t lines = whole ? s->tail_lines + 1 : slow_lines(s->p + (s->n - tail), tail);
        RULE(!would_fit(s, s->head, tail, s->head_lines, lines));
    }
}

/* The sizes of the sides; an empty first line may be chosen and leave no byte. */
static void find_sides(sides *s, const abr_cut *cut)
{
    for (size_t i = 0; i < cut->piece_count; i++) {
        const abr_piece *piece = &cut->pieces[i];
        if (piece->source && piece->first_byte == 1) {
            s->head = piece->n;
            s->head_lines = piece->last_line;
        } else if (piece->source) {
            s->tail = piece->n;
        }
    }
    s->tail_lines = slow_lines(s->p + (s->n - s->tail), s->tail);
    if (s->head == 0 && cut->output_lines == s->tail_lines + 1)
        s->head_lines = 1;
    /* the newline that keeps two sides without a marker apart */
    if (s->format_n == 0 && s->o->snap == ABR_SNAP_LINE && s->tail > 0 && s->head > 0 &&
        s->p[s->head - 1] == '\n' && s->head_lines == slow_newlines(s->p, s->head))
        s->head--;
}

static void check_head_tail(const char *p, size_t n, const abr_opts *o, const abr_cut *cut)
{
    static const char by_line[] = "... [{lines} lines, {bytes} bytes omitted] ...";
    static const char in_line[] = "... [{bytes} bytes omitted] ...";
    static const char by_char[] = "\n\n... [{chars} characters truncated] ...\n\n";
    const char *own = o->snap == ABR_SNAP_LINE ? by_line : by_char;
    uint64_t invalid;
    char joint[JOINT_MOST];
    sides s = {.o = o, .p = p, .n = n, .format = "", .chars = slow_chars(p, n, &invalid)};
    if (o->marker != ABR_MARKER_NONE) {
        s.format = o->marker_text ? o->marker_text : own;
        s.format_n = o->marker_text ? o->marker_text_len : strlen(own);
    }
    if (o->marker == ABR_MARKER_INSIDE && (o->max.lines == 0 || !would_fit(&s, 0, 0, 0, 0)))
        s.format_n = 0;
    find_sides(&s, cut);
    bool shared = s.head > 0 && s.tail > 0 && s.head_lines + s.tail_lines > cut->total_lines;
    RULE(cut->output_lines == s.head_lines + s.tail_lines - shared);
    sides printed = s;
    if (s.format == by_line && s.format_n > 0 && cut->omitted_lines == 0) {
        printed.format = in_line;
        printed.format_n = sizeof in_line - 1;
    }
    size_t joint_n = print_joint(
        &printed, s.head_lines, s.tail_lines, cut->omitted_lines, cut->omitted_bytes,
        s.chars - slow_chars(p, s.head, &invalid) - slow_chars(p + (n - s.tail), s.tail, &invalid), joint);
    shown want = {NULL, 0, 0};
    show(&want, p, s.head, o->utf8_replace);
    show(&want, joint, joint_n, o->utf8_replace);
    show(&want, p + (n - s.tail), s.tail, o->utf8_replace);
    char *content = content_of(cut);
    RULE(same_bytes(content, cut->content_bytes, want.p, want.n));
    free(content);
    free(want.p);
    bool touch = s.format_n == 0 ? o->snap == ABR_SNAP_CHAR : o->marker == ABR_MARKER_OUTSIDE;
    if (o->max.tokens != ABR_UNLIMITED && touch)
        return; /* tokens may fall as one grows, and bisection ends early */
    check_head_could_not_grow(&s);
    check_tail_could_not_grow(&s);
}

/* ---- priority ---- */

/* Is one of the markers that of lines alike? */
static bool tells_alike(const abr_cut *cut)
{
    static const char alike[] = " lines like the one below omitted] ...";
    for (size_t i = 0; i < cut->piece_count; i++) {
        const abr_piece *x = &cut->pieces[i];
        for (size_t at = 0; !x->source && at + sizeof alike - 1 <= x->n; at++)
            if (memcmp(x->p + at, alike, sizeof alike - 1) == 0)
                return true;
    }
    return false;
}

enum { END_PIECES = 4 };

/* Take the markers of another cut, one for one; `pieces` are where they then stand. */
static void take_markers(abr_cut *cut, const abr_cut *other, abr_piece pieces[END_PIECES])
{
    RULE(cut->piece_count <= END_PIECES);
    for (size_t i = 0; i < cut->piece_count; i++) {
        abr_piece *x = &pieces[i];
        *x = cut->pieces[i];
        if (x->source || i >= other->piece_count || other->pieces[i].source)
            continue;
        cut->content_bytes = cut->content_bytes - x->n + other->pieces[i].n;
        *x = other->pieces[i];
    }
    cut->pieces = pieces;
}

/* With no hit and no odd line it is head_tail, with little room the end alone. Is it? Its own marker says lines,
 * and has room for a short one that says bytes. */
static bool is_as_ends(const char *p, size_t n, const options *x, const abr_cut *cut)
{
    static const char marker[] = "... [{bytes} bytes omitted] ...";
    static const char alike[] = "... [{lines} lines like the one below omitted] ...";
    const bool own = !x->o.marker_text;
    options both = *x;
    abr_cut want;
    abr_piece pieces[END_PIECES];
    both.o.strategy = ABR_HEAD_TAIL;
    both.o.snap = ABR_SNAP_LINE;
    both.o.alloc = NULL;
    both.fails_at = 0;
    if (cut->hits_found > 0)
        both.o.head_ratio = 0;
    if (own) {
        both.o.marker_text = tells_alike(cut) ? alike : marker;
        both.o.marker_text_len = strlen(both.o.marker_text);
    }
    if (both.o.count_tokens)
        both.o.count_ctx = &both;
    RULE(abr_cut_text(p, n, &both.o, &want, NULL) == ABR_OK);
    if (own)
        take_markers(&want, cut, pieces);
    want.strategy = ABR_PRIORITY;
    want.hits_found = cut->hits_found;
    want.hits_kept = cut->hits_kept;
    want.failures_found = cut->failures_found;
    want.failures_kept = cut->failures_kept;
    want.total_chars = cut->total_chars; /* its marker may tell chars where that of priority does not */
    want.output_chars = cut->output_chars;
    bool same = same_cut(&want, cut);
    abr_cut_free(&want);
    return same;
}

/* Is there too little room for more than the end? */
static bool is_small(const abr_opts *o)
{
    enum { ROOM = 96 };
    uint64_t invalid;
    uint64_t chars = o->reserve_len > 0 ? slow_chars(o->reserve, o->reserve_len, &invalid) : 0;
    return less(o->max.bytes, o->reserve_len) < ROOM || less(o->max.chars, chars) < ROOM ||
           o->max.lines < 2 || o->max.tokens < ROOM / 4 ||
           (o->max.tokens < ABR_COUNT_MAX &&
            less(o->max.tokens * ABR_BYTES_PER_TOKEN, o->reserve_len) < ROOM);
}

/* Of a text without long lines at least 95 % of a budget in bytes is used. */
static void check_use(const char *p, size_t n, const abr_opts *o, const abr_cut *cut)
{
    size_t longest = 0;
    for (size_t at = 0; at < n;) {
        const char *newline = memchr(p + at, '\n', n - at);
        size_t size = (newline ? (size_t)(newline - p) + 1 : n) - at;
        longest = size > longest ? size : longest;
        at += size;
    }
    bool plain = o->max.lines == ABR_UNLIMITED && o->max.chars == ABR_UNLIMITED && !o->utf8_replace &&
                 o->max.tokens == ABR_UNLIMITED && !o->reserve && !o->marker_text;
    if (plain && o->marker == ABR_MARKER_INSIDE && longest * 50 <= o->max.bytes)
        RULE(cut->content_bytes * 100 >= o->max.bytes * 95);
}

/* ---- the pipeline ---- */

/* A draft: bytes, and where each comes from in the source (SIZE_MAX: a marker). */
typedef struct {
    char *p;
    size_t *from;
    size_t n;
} draft;

static void add(draft *d, const char *p, size_t n, size_t from)
{
    for (size_t i = 0; i < n; i++) {
        d->p[d->n] = p[i];
        d->from[d->n++] = from == SIZE_MAX ? SIZE_MAX : from + i;
    }
}

static size_t slow_skip(const char *p, size_t n, uint64_t chars)
{
    size_t at = 0;
    for (; chars > 0 && at < n; chars--)
        at += char_size(p + at, n - at);
    return at;
}

static draft new_draft(size_t n)
{
    return (draft){need(malloc(n)), need(malloc(n * sizeof(size_t))), 0};
}

static draft first_stage(const char *p, size_t n, const abr_opts *o)
{
    char marker[JOINT_MOST];
    draft d = new_draft(n + JOINT_MOST);
    uint64_t invalid;
    uint64_t chars = slow_chars(p, n, &invalid);
    if (chars <= o->max.chars) {
        add(&d, p, n, 0);
        return d;
    }
    uint64_t front = (uint64_t)((double)o->max.chars * o->head_ratio);
    size_t head = slow_skip(p, n, front);
    size_t tail = slow_skip(p, n, chars - (o->max.chars - front));
    int size = snprintf(marker, sizeof marker, "\n\n... [%llu characters truncated] ...\n\n",
                        (unsigned long long)(chars - o->max.chars));
    add(&d, p, head, 0);
    add(&d, marker, (size_t)size, SIZE_MAX);
    add(&d, p + tail, n - tail, tail);
    return d;
}

static draft second_stage(const draft *d, const abr_opts *o, const abr_cut *cut)
{
    uint64_t head_lines = (uint64_t)((double)o->max.lines * o->head_ratio);
    uint64_t tail_lines = o->max.lines - head_lines;
    char marker[JOINT_MOST];
    draft out = new_draft(d->n + 3 * (size_t)JOINT_MOST);
    size_t head = lines_size(d->p, d->n, true, head_lines);
    size_t tail = lines_size(d->p, d->n, false, tail_lines);
    int size = snprintf(marker, sizeof marker, "[First %llu lines of %llu]\n", (unsigned long long)head_lines,
                        (unsigned long long)cut->total_lines);
    if (o->indicators && head_lines > 0)
        add(&out, marker, (size_t)size, SIZE_MAX);
    for (size_t i = 0; i < head; i++)
        add(&out, d->p + i, 1, d->from[i]);
    size = snprintf(marker, sizeof marker, "\n\n... [%llu lines truncated] ...\n\n",
                    (unsigned long long)cut->omitted_lines);
    add(&out, marker, (size_t)size, SIZE_MAX);
    size = snprintf(marker, sizeof marker, "[Last %llu lines of %llu]\n", (unsigned long long)tail_lines,
                    (unsigned long long)cut->total_lines);
    if (o->indicators && tail_lines > 0)
        add(&out, marker, (size_t)size, SIZE_MAX);
    for (size_t i = d->n - tail; i < d->n; i++)
        add(&out, d->p + i, 1, d->from[i]);
    return out;
}

static void free_draft(draft *d)
{
    free(d->p);
    free(d->from);
}

/* Lines of the source that have a byte in the draft. */
static uint64_t lines_kept(const char *p, size_t n, const draft *d)
{
    uint64_t lines = 0;
    size_t next = 0; /* a line that was not counted yet starts here or later */
    for (size_t i = 0; i < d->n; i++) {
        if (d->from[i] == SIZE_MAX || d->from[i] < next)
            continue;
        const char *newline = memchr(p + d->from[i], '\n', n - d->from[i]);
        next = newline ? (size_t)(newline - p) + 1 : n;
        lines++;
    }
    return lines;
}

static void check_pipeline(const char *p, size_t n, const abr_opts *o, const abr_cut *cut)
{
    draft d = first_stage(p, n, o);
    bool by_lines = slow_lines(d.p, d.n) > o->max.lines;
    if (by_lines) {
        draft second = second_stage(&d, o, cut);
        free_draft(&d);
        d = second;
    }
    char *content = content_of(cut);
    RULE(same_bytes(content, cut->content_bytes, d.p, d.n));
    RULE(cut->truncated == (cut->output_bytes < n));
    RULE(by_lines ? cut->truncated_by == ABR_BY_LINES : cut->truncated_by != ABR_BY_LINES);
    uint64_t kept = lines_kept(p, n, &d);
    RULE(cut->output_lines >= kept &&
         cut->output_lines <= kept + 2); /* empty ones at the edges leave no byte */
    free(content);
    free_draft(&d);
}

/* ---- all ---- */

static void check_rules(const char *p, size_t n, const options *x, unsigned which, const abr_cut *cut)
{
    const abr_opts *o = &x->o;
    uint64_t invalid;
    check_ledger(p, n, o, cut);
    check_budgets(p, n, o, cut);
    if (slow_chars(p, n, &invalid) > 0 && invalid == 0) {
        char *content = content_of(cut);
        bool own =
            o->marker_text && slow_chars(o->marker_text, o->marker_text_len, &invalid) > 0 && invalid > 0;
        slow_chars(content, cut->content_bytes, &invalid);
        RULE(invalid == 0 || own);
        free(content);
    }
    if (o->strategy == ABR_HEAD || o->strategy == ABR_TAIL) {
        check_one_side(p, n, o, cut);
        check_growth(p, n, x, which, cut);
    } else if (o->strategy == ABR_HEAD_TAIL && cut->truncated) {
        check_head_tail(p, n, o, cut);
    } else if (o->strategy == ABR_PRIORITY && cut->truncated) {
        if (is_small(o))
            RULE(is_as_ends(p, n, x, cut));
        else if (cut->hits_found > 0 || !is_as_ends(p, n, x, cut))
            check_parts(p, n, o, cut);
        check_use(p, n, o, cut);
    }
}

static void check_calls(const options *x, size_t n)
{
    enum { CALLS_A_STEP = 24 };
    uint64_t steps = 2;
    for (size_t size = n; size > 0; size /= 2)
        steps++;
    RULE(x->calls <= CALLS_A_STEP * steps);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    input in = {data, size};
    options x;
    abr_cut cut;
    abr_error error = {ABR_OK, NULL, 0};
    size_t n;
    take_options(&in, &x);
    unsigned which = take_byte(&in);
    char *text = take_text(&in, TEXT_MOST, &n);
    near_text(&x.o.max, &x.o, text, n);
    abr_code code = abr_cut_text(text, n, &x.o, &cut, &error);
    if (code == ABR_OK) {
        RULE(are_fine(&x.o) && (x.fails_at == 0 || x.calls < x.fails_at));
        check_calls(&x, n);
        if (x.o.strategy == ABR_PIPELINE && !x.o.utf8_replace)
            check_pipeline(text, n, &x.o, &cut);
        check_rules(text, n, &x, which, &cut);
        abr_info info;
        abr_info_from_cut(&cut, &info);
        RULE(info.truncated == cut.truncated && info.bytes_returned == cut.content_bytes);
        RULE(info.bytes_total == (cut.truncated ? n : cut.content_bytes) &&
             info.next_offset == ABR_UNLIMITED);
    } else {
        RULE(error.code == code && error.message && !cut.pieces && cut.piece_count == 0);
        RULE(are_fine(&x.o) ? code == ABR_ECOUNT && x.calls >= x.fails_at && x.fails_at > 0
                            : code == ABR_EINVAL);
    }
    abr_cut_free(&cut);
    abr_cut_free(&cut);
    RULE(x.memory.count == 0);
    free(text);
    return 0;
}
