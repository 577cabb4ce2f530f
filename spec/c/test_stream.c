/* Streams: what they keep is what a cut of the whole text keeps, in bounded memory, with totals that never
 * wrap. */

/* A second copy of the streams under names of its own, for its counters. */
#define abr_stream_open own_stream_open
#define abr_stream_write own_stream_write
#define abr_stream_preview own_stream_preview
#define abr_stream_snapshot own_stream_snapshot
#define abr_stream_finish own_stream_finish
#define abr_stream_finished own_stream_finished
#define abr_stream_full_output own_stream_full_output
#define abr_stream_close own_stream_close
#include "stream/stream.c"

#include "ledger.h"

enum { KB = 1024, MB = 1024 * 1024 };

static abr_stream *open_stream(const abr_opts *o)
{
    abr_stream *s = NULL;
    abr_error error = {ABR_OK, NULL, 0};
    if (abr_stream_open(o, NULL, NULL, &s, &error) != ABR_OK) {
        fprintf(stderr, "abr_stream_open: %s\n", error.message);
        exit(2);
    }
    return s;
}

static void write_text(abr_stream *s, const char *text)
{
    CHECK(abr_stream_write(s, text, strlen(text)) == ABR_OK);
}

static abr_code finish_text(const abr_opts *o, const char *text, abr_cut *cut, char **content)
{
    abr_stream *s = open_stream(o);
    write_text(s, text);
    abr_code code = abr_stream_finish(s, NULL, cut, NULL);
    *content = code == ABR_OK ? content_of(cut) : NULL;
    abr_cut_free(cut);
    abr_stream_close(s);
    return code;
}

/* ---- the same as the cut of the whole text ---- */

static void check_piece(const abr_piece *want, const abr_piece *got)
{
    CHECK_BYTES(want->p, want->n, got->p, got->n);
    CHECK(want->source == got->source);
    CHECK_COUNT(want->first_byte, got->first_byte);
    CHECK_COUNT(want->last_byte, got->last_byte);
    CHECK_COUNT(want->first_line, got->first_line);
    CHECK_COUNT(want->last_line, got->last_line);
}

static void check_same(const abr_cut *want, const abr_cut *got)
{
    CHECK(want->strategy == got->strategy);
    CHECK(want->truncated == got->truncated);
    CHECK_COUNT(want->truncated_by, got->truncated_by);
    CHECK_COUNT(want->total_lines, got->total_lines);
    CHECK_COUNT(want->total_bytes, got->total_bytes);
    CHECK_COUNT(want->total_chars, got->total_chars);
    CHECK_COUNT(want->output_lines, got->output_lines);
    CHECK_COUNT(want->output_bytes, got->output_bytes);
    CHECK_COUNT(want->output_chars, got->output_chars);
    CHECK_COUNT(want->omitted_lines, got->omitted_lines);
    CHECK_COUNT(want->omitted_bytes, got->omitted_bytes);
    CHECK_COUNT(want->line_bytes, got->line_bytes);
    CHECK(want->last_line_partial == got->last_line_partial);
    CHECK(want->first_line_exceeds_limit == got->first_line_exceeds_limit);
    CHECK(want->final_newline == got->final_newline);
    CHECK(memcmp(&want->max, &got->max, sizeof want->max) == 0);
    CHECK_COUNT(want->content_bytes, got->content_bytes);
    CHECK_COUNT(want->piece_count, got->piece_count);
    for (size_t i = 0; i < want->piece_count && i < got->piece_count; i++)
        check_piece(&want->pieces[i], &got->pieces[i]);
}

static bool count_words(void *ctx, const char *p, size_t n, uint64_t *tokens)
{
    (void)ctx;
    *tokens = n == 0 ? 0 : 1;
    for (size_t i = 0; i < n; i++)
        *tokens += p[i] == ' ' || p[i] == '\n';
    return true;
}

static uint64_t random_budget(size_t size)
{
    static const uint64_t odd[] = {0, 1, 7, ABR_COUNT_MAX};
    return pick(8) == 0 ? odd[pick(4)] : pick(size + 2);
}

/* Options of every kind; the strings are constants. */
static abr_opts random_opts(size_t size)
{
    static const char *const markers[] = {NULL, "-", "{chars}", "", "\xC3\xA9{lines}/{bytes}", "\xFF"};
    abr_opts o = ABR_OPTS_INIT;
    o.strategy = (abr_strategy)pick(4);
    o.indicators = pick(2) == 0;
    if (pick(2) == 0)
        o.max.bytes = random_budget(size + 20);
    if (pick(3) == 0)
        o.max.lines = random_budget(12);
    if (pick(4) == 0)
        o.max.chars = random_budget(size + 20);
    if (pick(4) == 0)
        o.max.tokens = random_budget(size / 4);
    o.count_tokens = pick(2) == 0 ? count_words : NULL;
    o.reserve = pick(3) == 0 ? "\n\n[\xC3\xA9]" : NULL;
    o.reserve_len = o.reserve ? strlen(o.reserve) : 0;
    o.utf8_replace = pick(2) == 0;
    o.long_line = (abr_long_line)pick(3);
    o.head_ratio = (double)pick(5) / 4;
    o.snap = (abr_snap)pick(2);
    o.marker = (abr_marker)pick(3);
    o.marker_text = markers[pick(6)];
    o.marker_text_len = o.marker_text ? strlen(o.marker_text) : 0;
    return o;
}

/* Write (p, n) in random chunks, each in a block of its exact size. */
static void write_chunks(abr_stream *s, const char *p, size_t n, size_t largest)
{
    for (size_t at = 0; at < n;) {
        size_t size = 1 + pick(largest);
        if (size > n - at)
            size = n - at;
        char *chunk = exact(p + at, size);
        CHECK(abr_stream_write(s, chunk, size) == ABR_OK);
        free(chunk);
        at += size;
    }
}

/* Compare what a stream shows of (p, n) with the cut of it under the budgets that the stream reports. */
static void compare(abr_stream *s, const abr_opts *opts, const char *p, size_t n, bool finish)
{
    abr_opts o = *opts;
    abr_cut want;
    abr_cut got;
    abr_error error = {ABR_OK, NULL, 0};
    abr_code code =
        finish ? abr_stream_finish(s, NULL, &got, &error) : abr_stream_snapshot(s, NULL, &got, &error);
    if (!CHECK(code == ABR_OK)) {
        fprintf(stderr, "%s\n", error.message);
        return;
    }
    o.max = got.max;
    if (CHECK(abr_cut_text(p, n, &o, &want, &error) == ABR_OK)) {
        check_same(&want, &got);
        char *want_content = content_of(&want);
        char *got_content = content_of(&got);
        CHECK_BYTES(want_content, want.content_bytes, got_content, got.content_bytes);
        free(want_content);
        free(got_content);
    }
    abr_cut_free(&want);
    abr_cut_free(&got);
}

enum { TEXT_MOST = 400, CASES = 20000 };

static void any_chunking_gives_the_cut_of_the_whole(void)
{
    static const size_t largest[] = {1, 3, 40, TEXT_MOST};
    char text[TEXT_MOST];
    for (int i = 0; i < CASES && check_failures == 0; i++) {
        uint64_t seed = check_seed;
        size_t n = pick(pick(3) == 0 ? TEXT_MOST : 40);
        random_text(text, n);
        abr_opts o = random_opts(n);
        size_t first = pick(n + 1);
        char *copy = exact(text, n);
        abr_stream *s = open_stream(&o);
        write_chunks(s, copy, first, largest[pick(4)]);
        if (pick(2) == 0)
            compare(s, &o, copy, first, false);
        write_chunks(s, copy + first, n - first, largest[pick(4)]);
        compare(s, &o, copy, n, true);
        compare(s, &o, copy, n, false); /* a finished stream may still be looked at */
        abr_stream_close(s);
        free(copy);
        if (check_failures > 0)
            fprintf(stderr, "case %d of seed %" PRIu64 "\n", i, seed);
    }
}

static void a_preview_is_shown_and_forgotten(void)
{
    static const size_t largest[] = {1, 40, TEXT_MOST};
    char text[TEXT_MOST];
    for (int i = 0; i < CASES && check_failures == 0; i++) {
        uint64_t seed = check_seed;
        size_t n = pick(pick(3) == 0 ? TEXT_MOST : 40);
        random_text(text, n);
        abr_opts o = random_opts(n);
        char *copy = exact(text, n);
        abr_stream *s = open_stream(&o);
        for (size_t at = 0; at < n;) {
            size_t shown = pick(n - at + 1);
            size_t next = 1 + pick(n - at);
            CHECK(abr_stream_preview(s, "another preview", pick(15)) == ABR_OK);
            CHECK(abr_stream_preview(s, copy + at, shown) == ABR_OK);
            compare(s, &o, copy, at + shown, false);
            if (pick(2) == 0)
                compare(s, &o, copy, at + shown, false);
            write_chunks(s, copy + at, next, largest[pick(3)]);
            at += next;
        }
        CHECK(abr_stream_preview(s, "x", pick(2)) == ABR_OK);
        compare(s, &o, copy, n, true);
        abr_stream_close(s);
        free(copy);
        if (check_failures > 0)
            fprintf(stderr, "case %d of seed %" PRIu64 "\n", i, seed);
    }
}

/* Rings of every size beside what is turned in one go, begun at every kind of place. */
static void a_ring_is_turned_to_its_oldest_byte(void)
{
    enum { PART = 4096, MOST = 20 * PART };
    static const size_t near[] = {1, 2, 511, 512, 513, PART - 1, PART, PART + 1, 2 * PART, 3 * PART + 7};
    enum { NEAR = sizeof near / sizeof *near };
    char *ring = malloc(MOST);
    if (!ring)
        exit(2);
    for (size_t i = 0; i < 2000; i++) {
        size_t newer = i < NEAR * NEAR ? near[i / NEAR] : pick(MOST / 2);
        size_t older = i < NEAR * NEAR ? near[i % NEAR] : 1 + pick(MOST / 2 - 1);
        for (size_t at = 0; at < newer + older; at++) /* no period that a wrong place could hide behind */
            ring[at] = (char)((at < newer ? older + at : at - newer) * 2654435761u >> 13);
        buffer b = {ring, newer + older, MOST, newer};
        straighten(&b);
        CHECK_COUNT(0, b.first);
        size_t at = 0;
        while (at < b.n && ring[at] == (char)(at * 2654435761u >> 13))
            at++;
        CHECK_COUNT(b.n, at);
    }
    free(ring);
}

static void nothing_written_is_the_empty_text(void)
{
    for (int strategy = ABR_HEAD; strategy <= ABR_HEAD_TAIL; strategy++) {
        abr_opts o = ABR_OPTS_INIT;
        o.strategy = (abr_strategy)strategy;
        o.max.bytes = 0;
        abr_stream *s = open_stream(&o);
        compare(s, &o, "", 0, false);
        CHECK(abr_stream_write(s, NULL, 0) == ABR_OK);
        compare(s, &o, "", 0, true);
        abr_stream_close(s);
    }
}

static void a_sequence_split_between_chunks_stays_whole(void)
{
    static const char text[] = "ab\xF0\x9F\x98\x80\r\ncd\xE2\x82\xAC";
    const size_t n = sizeof text - 1;
    for (size_t at = 0; at <= n; at++) {
        for (uint64_t budget = 0; budget <= n; budget++) {
            abr_opts o = ABR_OPTS_INIT;
            o.strategy = at % 2 == 0 ? ABR_TAIL : ABR_HEAD_TAIL;
            o.snap = ABR_SNAP_CHAR;
            o.marker = ABR_MARKER_NONE;
            o.max.bytes = budget;
            abr_stream *s = open_stream(&o);
            CHECK(abr_stream_write(s, text, at) == ABR_OK);
            CHECK(abr_stream_write(s, text + at, n - at) == ABR_OK);
            compare(s, &o, text, n, true);
            abr_stream_close(s);
        }
    }
}

static void lines_alone_are_bounded_by_a_mebibyte(void)
{
    abr_opts o = ABR_OPTS_INIT;
    abr_cut cut;
    char *content;
    o.max.lines = 2;
    CHECK(finish_text(&o, "one\ntwo\nthree\n", &cut, &content) == ABR_OK);
    CHECK_COUNT(MB, cut.max.bytes);
    CHECK_COUNT(2, cut.max.lines);
    free(content);
    o.max.chars = 5;
    CHECK(finish_text(&o, "one\ntwo\nthree\n", &cut, &content) == ABR_OK);
    CHECK(cut.max.bytes == ABR_UNLIMITED);
    free(content);
}

static void options_out_of_range_are_refused(void)
{
    abr_opts o = ABR_OPTS_INIT;
    abr_stream *s = NULL;
    abr_error error = {ABR_OK, NULL, 0};
    o.max.bytes = ABR_COUNT_MAX + 1;
    CHECK(abr_stream_open(&o, NULL, NULL, &s, &error) == ABR_EINVAL);
    CHECK(s == NULL && error.code == ABR_EINVAL && error.message);
    abr_stream_close(NULL);
}

static void option_strings_are_copied(void)
{
    char marker[] = "<{lines}>";
    char reserve[] = "[cut]";
    abr_opts o = ABR_OPTS_INIT;
    o.strategy = ABR_HEAD_TAIL;
    o.max.bytes = 20;
    o.marker_text = marker;
    o.marker_text_len = sizeof marker - 1;
    o.reserve = reserve;
    o.reserve_len = sizeof reserve - 1;
    abr_stream *s = open_stream(&o);
    memset(marker, 'x', sizeof marker - 1);
    memset(reserve, 'x', sizeof reserve - 1);
    o.marker_text = "<{lines}>";
    o.reserve = "[cut]";
    static const char text[] = "one\ntwo\nthree\nfour\nfive\nsix\n";
    write_text(s, text);
    compare(s, &o, text, sizeof text - 1, true);
    abr_stream_close(s);
}

/* ---- one cut under lower budgets ---- */

static const abr_narrow as_it_is = {
    {ABR_UNLIMITED, ABR_UNLIMITED, ABR_UNLIMITED, ABR_UNLIMITED}, NULL, 0, ABR_LONG_DEFAULT, false, false};

static void budgets_may_be_lowered_for_one_cut(void)
{
    static const char text[] = "one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\n";
    for (int strategy = ABR_HEAD; strategy <= ABR_HEAD_TAIL; strategy++) {
        abr_opts o = ABR_OPTS_INIT;
        o.strategy = (abr_strategy)strategy;
        o.marker_text = "-";
        o.marker_text_len = 1;
        o.max.bytes = 30;
        o.max.chars = 29;
        for (uint64_t bytes = 0; bytes <= 30; bytes++) {
            abr_stream *s = open_stream(&o);
            abr_narrow narrow = as_it_is;
            abr_cut got;
            abr_cut want;
            abr_opts lower = o;
            narrow.max.bytes = lower.max.bytes = bytes;
            narrow.max.lines = lower.max.lines = bytes % 4 == 0 ? 3 : ABR_UNLIMITED;
            narrow.reserve = lower.reserve = "[x]";
            narrow.reserve_len = lower.reserve_len = bytes % 3;
            write_text(s, text);
            CHECK(abr_cut_text(text, sizeof text - 1, &lower, &want, NULL) == ABR_OK);
            CHECK(abr_stream_snapshot(s, &narrow, &got, NULL) == ABR_OK);
            check_same(&want, &got);
            abr_cut_free(&got);
            compare(s, &o, text, sizeof text - 1, false); /* the stream's own budgets are as they were */
            CHECK(abr_stream_finish(s, &narrow, &got, NULL) == ABR_OK);
            check_same(&want, &got);
            abr_cut_free(&got);
            abr_cut_free(&want);
            abr_stream_close(s);
        }
    }
}

static void a_lower_budget_is_in_range_too(void)
{
    abr_opts o = ABR_OPTS_INIT;
    abr_cut cut;
    abr_error error = {ABR_OK, NULL, 0};
    abr_narrow narrow = as_it_is;
    o.max.bytes = 30;
    abr_stream *s = open_stream(&o);
    narrow.max.lines = ABR_COUNT_MAX + 1;
    CHECK(abr_stream_snapshot(s, &narrow, &cut, &error) == ABR_EINVAL);
    CHECK_TEXT("a budget is over 2^53", error.message, strlen(error.message));
    abr_stream_close(s);
}

static void a_preview_of_priority_counts_no_chars_that_were_not_counted(void)
{
    abr_opts o = ABR_OPTS_INIT;
    abr_cut cut;
    o.strategy = ABR_PRIORITY;
    o.snap = ABR_SNAP_CHAR; /* of head_tail alone: its marker tells chars */
    o.max.bytes = 60;
    abr_stream *s = open_stream(&o);
    for (int i = 0; i < 20; i++)
        write_text(s, "a line of words\n");
    CHECK(abr_stream_preview(s, "50%", 3) == ABR_OK);
    CHECK(abr_stream_snapshot(s, NULL, &cut, NULL) == ABR_OK);
    char *content = content_of(&cut);
    CHECK_TEXT("a line of words\n... [19 lines, 305 bytes omitted] ...\n50%", content, cut.content_bytes);
    free(content);
    abr_cut_free(&cut);
    abr_stream_close(s);
}

static bool has(const char *p, size_t n, const char *part)
{
    size_t size = strlen(part);
    for (size_t i = 0; i + size <= n; i++)
        if (memcmp(p + i, part, size) == 0)
            return true;
    return false;
}

/* They may still change: while they are shown, both ends are, and then the hits again. */
static void a_preview_of_priority_is_not_weighed(void)
{
    abr_opts o = ABR_OPTS_INIT;
    abr_cut cut;
    o.strategy = ABR_PRIORITY;
    o.max.bytes = 200;
    abr_stream *s = open_stream(&o);
    for (int i = 0; i < 40; i++)
        write_text(s, i == 20 ? "x.c:1:1: error: no 'x'\n" : "a line of words\n");
    for (int round = 0; round < 2; round++) {
        CHECK(abr_stream_preview(s, "error: 50%", 10) == ABR_OK);
        CHECK(abr_stream_snapshot(s, NULL, &cut, NULL) == ABR_OK);
        char *content = content_of(&cut);
        CHECK_COUNT(41, cut.total_lines);
        CHECK(cut.content_bytes > 10 && memcmp(content + cut.content_bytes - 10, "error: 50%", 10) == 0);
        CHECK(!has(content, cut.content_bytes, "x.c"));
        free(content);
        abr_cut_free(&cut);
        CHECK(abr_stream_preview(s, NULL, 0) == ABR_OK);
        CHECK(abr_stream_snapshot(s, NULL, &cut, NULL) == ABR_OK);
        content = content_of(&cut);
        CHECK_COUNT(40, cut.total_lines);
        CHECK_COUNT(1, cut.hits_kept);
        CHECK(has(content, cut.content_bytes, "x.c:1:1: error: no 'x'\n"));
        free(content);
        abr_cut_free(&cut);
    }
    abr_stream_close(s);
}

static void budgets_may_not_be_raised(void)
{
    abr_opts o = ABR_OPTS_INIT;
    abr_cut cut;
    o.max.bytes = 30;
    o.max.lines = 4;
    o.max.tokens = 9;
    abr_stream *s = open_stream(&o);
    for (int which = 0; which < 4; which++) {
        abr_error error = {ABR_OK, NULL, 0};
        abr_narrow narrow = as_it_is;
        if (which == 0)
            narrow.max.bytes = 31;
        else if (which == 1)
            narrow.max.lines = 5;
        else if (which == 2)
            narrow.max.tokens = 10;
        else
            narrow.max.chars = 1; /* they were not counted */
        CHECK(abr_stream_finish(s, &narrow, &cut, &error) == ABR_EINVAL);
        CHECK(error.message && cut.piece_count == 0);
        CHECK(!abr_stream_finished(s));
    }
    abr_stream_close(s);
}

static void a_new_budget_reaches_no_further_than_what_is_kept(void)
{
    abr_opts o = ABR_OPTS_INIT;
    abr_cut cut;
    o.max.chars = 10; /* weighed 4 bytes each */
    abr_stream *s = open_stream(&o);
    write_text(s, "one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\nten\n");
    abr_narrow narrow = as_it_is;
    narrow.max.bytes = 41;
    CHECK(abr_stream_snapshot(s, &narrow, &cut, NULL) == ABR_EINVAL);
    narrow.max.bytes = 40;
    CHECK(abr_stream_snapshot(s, &narrow, &cut, NULL) == ABR_OK);
    CHECK_COUNT(40, cut.max.bytes);
    CHECK_COUNT(10, cut.max.chars);
    abr_cut_free(&cut);
    abr_stream_close(s);
}

/* ---- totals that no counter is too small for ---- */

/* As if `bytes` bytes with `lines` newlines and as many chars had gone by after what the front holds. */
static void pass_by(abr_stream *s, uint64_t bytes, uint64_t lines)
{
    s->bytes += bytes;
    s->newlines += lines;
    s->line += bytes;
    s->line_before += bytes;
    s->chars.chars += bytes;
}

static const char before[] = "first line\nsecond line\n0123456789\n0123456789\n0123456789\n0123456789\n";
static const char after[] = "more\nlines\nof \xC3\xA9 text\nthe one before the last\nthe last line of all\n";
enum { BEFORE = sizeof before - 1, LONG_AFTER = sizeof after - 1 };
static size_t after_size = LONG_AFTER; /* with the newline at its end, or without */

static void check_far_piece(const abr_piece *near, const abr_piece *far, uint64_t bytes, uint64_t lines)
{
    bool tail = near->source && near->last_byte == BEFORE + after_size;
    abr_piece want = *near;
    if (tail) {
        want.first_byte += bytes;
        want.last_byte += bytes;
        want.first_line += lines;
        want.last_line += lines;
    }
    check_piece(&want, far);
}

/* The cut of the texts above with and without `bytes` between them. */
static void check_far(const abr_opts *o, uint64_t bytes, uint64_t lines)
{
    abr_cut near;
    abr_cut far;
    abr_stream *s[2] = {open_stream(o), open_stream(o)};
    for (int i = 0; i < 2; i++) {
        write_text(s[i], before);
        if (i == 1)
            pass_by(s[i], bytes, lines);
        for (size_t at = 0; at < after_size; at += 7)
            CHECK(abr_stream_write(s[i], after + at, after_size - at < 7 ? after_size - at : 7) == ABR_OK);
        CHECK(abr_stream_finish(s[i], NULL, i == 0 ? &near : &far, NULL) == ABR_OK);
    }
    CHECK_COUNT(near.total_bytes + bytes, far.total_bytes);
    CHECK_COUNT(near.total_lines + lines, far.total_lines);
    CHECK_COUNT(near.total_chars + (near.total_chars > 0 ? bytes : 0), far.total_chars);
    CHECK_COUNT(near.omitted_bytes + bytes, far.omitted_bytes);
    CHECK_COUNT(near.omitted_lines + lines, far.omitted_lines);
    CHECK_COUNT(near.output_bytes, far.output_bytes);
    CHECK_COUNT(near.output_lines, far.output_lines);
    CHECK_COUNT(near.line_bytes, far.line_bytes);
    CHECK_COUNT(near.truncated_by, far.truncated_by);
    CHECK_COUNT(near.piece_count, far.piece_count);
    for (size_t i = 0; i < near.piece_count && i < far.piece_count; i++)
        check_far_piece(&near.pieces[i], &far.pieces[i], bytes, lines);
    for (int i = 0; i < 2; i++)
        abr_stream_close(s[i]);
    abr_cut_free(&near);
    abr_cut_free(&far);
}

static void totals_past_every_edge(void)
{
    static const uint64_t edges[] = {UINT64_C(1) << 31, UINT64_C(1) << 32, UINT64_C(1) << 33, ABR_COUNT_MAX,
                                     UINT64_C(1) << 62};
    for (size_t e = 0; e < sizeof edges / sizeof *edges; e++) {
        for (uint64_t less = 0; less <= BEFORE + LONG_AFTER; less++) {
            abr_opts o = ABR_OPTS_INIT;
            o.marker_text = "-";
            o.marker_text_len = 1;
            o.strategy = (abr_strategy)(less % 3);
            o.max.bytes = less % 2 == 0 ? 40 : 15; /* whole lines, and a last line that is split */
            o.max.lines = less % 4 == 0 ? 2 : ABR_UNLIMITED;
            o.max.chars = less % 7 == 0 ? 40 : ABR_UNLIMITED;
            o.utf8_replace = less % 3 == 0;
            after_size = LONG_AFTER - less / 5 % 2;
            check_far(&o, edges[e] - less, (edges[e] - less) / 2);
        }
    }
}

static void a_marker_tells_great_numbers(void)
{
    abr_opts o = ABR_OPTS_INIT;
    abr_cut cut;
    o.strategy = ABR_HEAD_TAIL;
    o.max.bytes = 100;
    abr_stream *s = open_stream(&o);
    write_text(s, before);
    write_text(s, before);
    pass_by(s, UINT64_C(1) << 40, UINT64_C(1) << 33);
    CHECK(abr_stream_write(s, after, LONG_AFTER - 1) == ABR_OK);
    CHECK(abr_stream_finish(s, NULL, &cut, NULL) == ABR_OK);
    char want[200];
    snprintf(want, sizeof want,
             "first line\nsecond line\n... [%" PRIu64 " lines, %" PRIu64
             " bytes omitted] ...\nthe last line of all",
             (UINT64_C(1) << 33) + 14, (UINT64_C(1) << 40) + 2 * BEFORE + LONG_AFTER - 1 - 22 - 20);
    char *content = content_of(&cut);
    CHECK_TEXT(want, content, cut.content_bytes);
    free(content);
    abr_cut_free(&cut);
    abr_stream_close(s);
}

/* A line that is open for longer than any counter of 32 bits. */
static void one_line_of_eight_gigabytes(void)
{
    abr_opts o = ABR_OPTS_INIT;
    abr_cut cut;
    char chunk[50];
    memset(chunk, 'x', sizeof chunk);
    for (int strategy = ABR_HEAD; strategy <= ABR_TAIL; strategy++) {
        o.strategy = (abr_strategy)strategy;
        o.max.bytes = 20;
        abr_stream *s = open_stream(&o);
        CHECK(abr_stream_write(s, chunk, sizeof chunk) == ABR_OK);
        s->bytes += UINT64_C(1) << 33; /* no newline among them: the line starts where it did */
        write_text(s, "xy\n");
        CHECK(abr_stream_finish(s, NULL, &cut, NULL) == ABR_OK);
        CHECK_COUNT((UINT64_C(1) << 33) + 52, cut.line_bytes);
        CHECK_COUNT((UINT64_C(1) << 33) + 53, cut.total_bytes);
        CHECK_COUNT(1, cut.total_lines);
        CHECK(cut.first_line_exceeds_limit == (strategy == ABR_HEAD));
        abr_cut_free(&cut);
        abr_stream_close(s);
    }
}

/* ---- memory ---- */

/* Write `flow` bytes of lines in chunks of up to `largest` bytes, look once on the way and once at the
 * end; the most bytes that were allocated at a time. */
static size_t peak_of(abr_opts o, uint64_t flow, size_t largest)
{
    static char block[64 * KB];
    ledger l = {0};
    const abr_alloc alloc = ledger_alloc(&l);
    abr_cut cut;
    if (block[0] == '\0')
        for (size_t i = 0; i < sizeof block; i++)
            block[i] = i % 61 == 60 ? '\n' : 'x';
    o.alloc = &alloc;
    abr_stream *s = open_stream(&o);
    bool looked = false;
    for (uint64_t left = flow; left > 0;) {
        size_t n = largest < sizeof block ? 1 + (size_t)left % largest : largest;
        if (n > left)
            n = (size_t)left;
        CHECK(abr_stream_write(s, block, n) == ABR_OK);
        left -= n;
        if (!looked && left < flow / 2) {
            looked = true;
            CHECK(abr_stream_snapshot(s, NULL, &cut, NULL) == ABR_OK);
            abr_cut_free(&cut);
        }
    }
    CHECK(abr_stream_finish(s, NULL, &cut, NULL) == ABR_OK);
    CHECK_COUNT(flow, cut.total_bytes);
    abr_cut_free(&cut);
    abr_stream_close(s);
    CHECK_COUNT(0, l.blocks);
    return l.peak;
}

static void check_peak(const abr_opts *o, size_t budget, uint64_t flow, size_t largest)
{
    size_t most = 2 * budget + 256 * KB;
    size_t peak = peak_of(*o, flow, largest);
    if (!CHECK(peak <= most))
        fprintf(stderr, "strategy %d, budget %zu, chunks of %zu: %zu bytes, %zu over\n", (int)o->strategy,
                budget, largest, peak, peak - most);
}

static void memory_stays_within_twice_the_budget(void)
{
    static const size_t budgets[] = {0, KB, 30 * KB, MB - 8, MB, MB + 1, 4 * MB, 3 * MB + 12345};
    for (size_t b = 0; b < sizeof budgets / sizeof *budgets; b++) {
        for (int strategy = ABR_HEAD; strategy <= ABR_HEAD_TAIL; strategy++) {
            abr_opts o = ABR_OPTS_INIT;
            o.strategy = (abr_strategy)strategy;
            o.max.bytes = budgets[b];
            check_peak(&o, budgets[b], 64 * MB, 64 * KB);
            check_peak(&o, budgets[b], 3 * budgets[b] + 100 * KB, 1 + budgets[b] / (256 * KB));
            check_peak(&o, budgets[b], budgets[b] + 20, 777);
        }
    }
}

static void chars_are_weighed_four_bytes_and_tokens_sixteen(void)
{
    static const uint64_t tokens[] = {16000, 16000, 65536, 262144};
    for (int strategy = ABR_HEAD; strategy <= ABR_HEAD_TAIL; strategy++) {
        abr_opts o = ABR_OPTS_INIT;
        o.strategy = (abr_strategy)strategy;
        o.max.chars = 500000;
        check_peak(&o, 4 * 500000, 20 * MB, 64 * KB);
        o.max.chars = ABR_UNLIMITED;
        o.max.lines = 100;
        check_peak(&o, MB, 20 * MB, 64 * KB);
        o.max.lines = ABR_UNLIMITED;
        for (size_t i = 0; i < sizeof tokens / sizeof *tokens; i++) {
            o.max.tokens = tokens[i];
            o.utf8_replace = i % 2 == 1;
            check_peak(&o, 16 * (size_t)o.max.tokens, 20 * MB, 64 * KB);
        }
    }
}

static void a_great_budget_costs_nothing_until_it_is_used(void)
{
    for (int strategy = ABR_HEAD; strategy <= ABR_HEAD_TAIL; strategy++) {
        for (int which = 0; which < 3; which++) {
            abr_opts o = ABR_OPTS_INIT;
            o.strategy = (abr_strategy)strategy;
            uint64_t *budgets[] = {&o.max.bytes, &o.max.chars, &o.max.tokens};
            *budgets[which] = ABR_COUNT_MAX;
            CHECK(peak_of(o, 1000, 100) < 16 * KB);
        }
    }
}

/* ---- failures ---- */

static const char lines_text[] = "one line\nanother line\na third line\n\xC3\xA9\xFF\nthe last line of all\n";

/* Write twelve times the text above in chunks of `size`; where memory runs out, the same chunk is tried
 * again. */
static void write_again_and_again(abr_stream *s, char *whole, size_t n, size_t size, size_t *failures)
{
    for (size_t at = 0; at < n; at += size) {
        size_t chunk = n - at < size ? n - at : size;
        abr_code code = abr_stream_write(s, whole + at, chunk);
        if (code == ABR_OK)
            continue;
        CHECK(code == ABR_ENOMEM);
        ++*failures;
        CHECK(abr_stream_write(s, whole + at, chunk) == ABR_OK);
    }
}

static size_t fail_at(abr_opts o, size_t which, char *whole, size_t n, size_t chunk)
{
    ledger l = {.fail_at = which};
    const abr_alloc alloc = ledger_alloc(&l);
    abr_stream *s = NULL;
    abr_error error = {ABR_OK, NULL, 0};
    size_t failures = 0;
    o.alloc = &alloc;
    if (abr_stream_open(&o, NULL, NULL, &s, &error) != ABR_OK) {
        CHECK(error.code == ABR_ENOMEM && s == NULL);
        CHECK_COUNT(0, l.blocks);
        return l.calls;
    }
    write_again_and_again(s, whole, n, chunk, &failures);
    if (abr_stream_preview(s, whole, chunk) != ABR_OK)
        failures++;
    abr_cut cut;
    for (int finish = 0; finish < 2; finish++) {
        abr_code code =
            finish ? abr_stream_finish(s, NULL, &cut, &error) : abr_stream_snapshot(s, NULL, &cut, &error);
        if (code != ABR_OK) {
            CHECK(code == ABR_ENOMEM && cut.piece_count == 0 && !abr_stream_finished(s));
            failures++;
        }
        abr_cut_free(&cut);
    }
    size_t calls = l.calls;
    CHECK_COUNT(calls >= which ? 1 : 0, failures);
    l.fail_at = 0;
    abr_opts plain = o;
    plain.alloc = NULL;
    compare(s, &plain, whole, n, true);
    abr_stream_close(s);
    CHECK_COUNT(0, l.blocks);
    return calls;
}

/* Each allocation in turn fails once: what is said is said again, and nothing is lost or doubled. */
static void every_failing_allocation_is_survived(void)
{
    enum { TIMES = 300, N = TIMES * (sizeof lines_text - 1) };
    char *whole = malloc(N);
    if (!whole)
        exit(2);
    for (size_t i = 0; i < TIMES; i++)
        memcpy(whole + i * (sizeof lines_text - 1), lines_text, sizeof lines_text - 1);
    static const size_t chunks[] = {700, 5000, N / 2, N};
    for (int strategy = ABR_HEAD; strategy <= ABR_HEAD_TAIL; strategy++) {
        for (int variant = 0; variant < 12; variant++) {
            abr_opts o = ABR_OPTS_INIT;
            o.strategy = (abr_strategy)strategy;
            o.max.bytes = variant % 3 == 0 ? 30 : variant % 3 == 1 ? 9000 : 10000;
            o.max.tokens = variant % 2 == 0 ? 800 : ABR_UNLIMITED;
            o.utf8_replace = variant % 4 == 0;
            o.reserve = "a notice";
            o.reserve_len = 8;
            for (size_t c = 0; c < sizeof chunks / sizeof *chunks; c++)
                for (size_t n = 8500; n <= N; n *= 2)
                    for (size_t which = 1; fail_at(o, which, whole, n, chunks[c]) >= which; which++)
                        CHECK(which < 100);
        }
    }
    free(whole);
}

/* The same where a log starts late in what is written: in a block that a chunk completes, and in the text's end. */
static void a_late_log_survives_failing_allocations(void)
{
    static const char source[] = "    if (x[i] == 7 && call(y, \"text\")) return z->member; /* why */\n";
    static const char work[] = "2026-11-26T10:00:00Z INFO [worker-1] request done in 12 ms\n";
    static const char error[] = "src/cart.c:12:5: error: expected ';' before 'return'\n";
    enum { SOURCE = 4200, WORK = 2000 };
    const size_t n = SOURCE * (sizeof source - 1) + WORK * (sizeof work - 1) + sizeof error - 1;
    char *whole = malloc(n);
    if (!whole)
        exit(2);
    char *p = whole;
    for (size_t i = 0; i < SOURCE; i++, p += sizeof source - 1)
        memcpy(p, source, sizeof source - 1);
    for (size_t i = 0; i < WORK; i++, p += sizeof work - 1)
        memcpy(p, work, sizeof work - 1);
    memcpy(p, error, sizeof error - 1);
    abr_opts o = ABR_OPTS_INIT;
    o.strategy = ABR_AUTO;
    o.max.bytes = 2000;
    for (size_t taken = n; taken > n - 4; taken -= 3) /* with the error, and without its end */
        for (size_t chunk = 40000; chunk < 400000; chunk *= 3)
            for (size_t which = 1; fail_at(o, which, whole, taken, chunk) >= which; which++)
                CHECK(which < 200);
    const size_t short_log = SOURCE * (sizeof source - 1);
    memcpy(whole + short_log, error, sizeof error - 1);
    for (size_t which = 1; fail_at(o, which, whole, short_log + sizeof error - 1, 90000) >= which; which++)
        CHECK(which < 200);
    free(whole);
}

/* The same of JSON with a log in it, which is cut as one: it is kept whole, or at hand anyway. */
static void a_log_in_json_survives_failing_allocations(void)
{
    static const char work[] = "2026-11-26T10:00:00Z INFO [worker-1] request done in 12 ms\\n";
    static const char error[] = "src/cart.c:12:5: error: expected ';' before 'return'\\n";
    static const char head[] = "{\"exit_code\":1,\"stdout\":\"";
    static char whole[60000];
    for (size_t lines = 20; lines < 700; lines *= 30) {
        size_t n = sizeof head - 1;
        memcpy(whole, head, n);
        for (size_t i = 0; i < lines; i++) {
            const char *line = i == lines / 2 ? error : work;
            const size_t size = strlen(line);
            memcpy(whole + n, line, size);
            n += size;
        }
        n += (size_t)sprintf(whole + n, "\",\"stderr\":\"\"}");
        abr_opts o = ABR_OPTS_INIT;
        o.strategy = ABR_AUTO;
        o.max.bytes = 900;
        for (size_t chunk = 3000; chunk < 100000; chunk *= 20)
            for (size_t which = 1; fail_at(o, which, whole, n, chunk) >= which; which++)
                CHECK(which < 300);
    }
}

/* A write that failed may be followed by another text: the stream is as if it had not been tried. */
static void a_failed_write_leaves_nothing_behind(void)
{
    static char big[20000];
    memset(big, 'b', sizeof big);
    for (int strategy = ABR_HEAD; strategy <= ABR_HEAD_TAIL; strategy++) {
        for (size_t which = 3; which < 9; which++) {
            ledger l = {.fail_at = which};
            const abr_alloc alloc = ledger_alloc(&l);
            abr_opts o = ABR_OPTS_INIT;
            o.strategy = (abr_strategy)strategy;
            o.max.bytes = 10000;
            o.max.lines = 3;
            o.alloc = &alloc;
            abr_stream *s = open_stream(&o);
            char text[400];
            size_t n = 0;
            for (size_t i = 0; i < 40; i++) {
                memset(text + n, (int)('0' + i), 9);
                text[n + 9] = '\n';
                n += 10;
            }
            char *all = malloc(n + sizeof big);
            if (!all)
                exit(2);
            memcpy(all, text, n);
            CHECK(abr_stream_write(s, text, n / 2) != ABR_OK ||
                  abr_stream_write(s, text + n / 2, n / 2) == ABR_OK);
            uint64_t had = s->bytes;
            bool failed = abr_stream_write(s, big, sizeof big) == ABR_ENOMEM;
            if (failed && had == n) {
                CHECK_COUNT(n, s->bytes);
                write_text(s, "end\n");
                memcpy(all + n, "end\n", 4);
                o.alloc = NULL;
                compare(s, &o, all, n + 4, true);
            }
            abr_stream_close(s);
            CHECK_COUNT(0, l.blocks);
            free(all);
        }
    }
}

static bool fail_n_times(void *ctx, const char *p, size_t n, uint64_t *tokens)
{
    (void)p;
    *tokens = n;
    return *(int *)ctx <= 0 || --*(int *)ctx > 0;
}

static void a_failing_counter_may_be_asked_again(void)
{
    for (int calls = 1; calls < 20; calls++) {
        ledger l = {0};
        const abr_alloc alloc = ledger_alloc(&l);
        int left = calls;
        abr_opts o = ABR_OPTS_INIT;
        o.strategy = ABR_HEAD_TAIL;
        o.max.tokens = 60;
        o.count_tokens = fail_n_times;
        o.count_ctx = &left;
        o.alloc = &alloc;
        abr_cut cut;
        abr_error error = {ABR_OK, NULL, 0};
        abr_stream *s = open_stream(&o);
        write_text(s, lines_text);
        write_text(s, lines_text);
        size_t blocks = l.blocks;
        abr_code code = abr_stream_finish(s, NULL, &cut, &error);
        if (code != ABR_OK) {
            CHECK(code == ABR_ECOUNT && !abr_stream_finished(s));
            CHECK_COUNT(blocks, l.blocks);
            CHECK(abr_stream_finish(s, NULL, &cut, &error) == ABR_OK);
        }
        CHECK(abr_stream_finished(s));
        abr_cut_free(&cut);
        abr_stream_close(s);
        CHECK_COUNT(0, l.blocks);
    }
}

static bool never_counts(void *ctx, const char *p, size_t n, uint64_t *tokens)
{
    (void)p;
    (void)n;
    (void)tokens;
    ++*(int *)ctx;
    return false;
}

static void writing_does_not_count_tokens(void)
{
    int calls = 0;
    abr_opts o = ABR_OPTS_INIT;
    o.max.tokens = 10;
    o.count_tokens = never_counts;
    o.count_ctx = &calls;
    abr_stream *s = open_stream(&o);
    for (int i = 0; i < 100; i++)
        write_text(s, lines_text);
    CHECK_COUNT(0, calls);
    abr_stream_close(s);
}

int main(void)
{
    RUN(any_chunking_gives_the_cut_of_the_whole);
    RUN(a_preview_is_shown_and_forgotten);
    RUN(a_ring_is_turned_to_its_oldest_byte);
    RUN(nothing_written_is_the_empty_text);
    RUN(a_sequence_split_between_chunks_stays_whole);
    RUN(lines_alone_are_bounded_by_a_mebibyte);
    RUN(options_out_of_range_are_refused);
    RUN(option_strings_are_copied);
    RUN(budgets_may_be_lowered_for_one_cut);
    RUN(budgets_may_not_be_raised);
    RUN(a_lower_budget_is_in_range_too);
    RUN(a_preview_of_priority_counts_no_chars_that_were_not_counted);
    RUN(a_preview_of_priority_is_not_weighed);
    RUN(a_new_budget_reaches_no_further_than_what_is_kept);
    RUN(totals_past_every_edge);
    RUN(a_marker_tells_great_numbers);
    RUN(one_line_of_eight_gigabytes);
    RUN(memory_stays_within_twice_the_budget);
    RUN(chars_are_weighed_four_bytes_and_tokens_sixteen);
    RUN(a_great_budget_costs_nothing_until_it_is_used);
    RUN(every_failing_allocation_is_survived);
    RUN(a_late_log_survives_failing_allocations);
    RUN(a_log_in_json_survives_failing_allocations);
    RUN(a_failed_write_leaves_nothing_behind);
    RUN(a_failing_counter_may_be_asked_again);
    RUN(writing_does_not_count_tokens);
    return check_end();
}
