/* abr_clean_text, abr_cleaner_*: the same for every chunking, valid UTF-8 without controls, and nothing
 * left to clean. */
#include "input.h"

enum { TEXT_MOST = 96 * 1024, PENDING_MOST = 192 * 1024 };

/* What a sink got. */
typedef struct {
    char *p;
    size_t n;
    size_t size;
    unsigned calls;
    unsigned fails_at; /* 0: never */
} sink;

static bool collect(void *ctx, const char *p, size_t n)
{
    sink *s = ctx;
    if (++s->calls == s->fails_at)
        return false;
    if (s->n + n > s->size) {
        s->size = 2 * (s->n + n);
        s->p = need(realloc(s->p, s->size));
    }
    if (n > 0)
        memcpy(s->p + s->n, p, n);
    s->n += n;
    return true;
}

static bool same_stats(const abr_clean_stats *a, const abr_clean_stats *b)
{
    return a->raw_bytes == b->raw_bytes && a->bytes == b->bytes &&
           memcmp(a->count, b->count, sizeof a->count) == 0;
}

/* What is always so with nothing kept: no control but newline and tab, valid UTF-8. */
static void check_clean(const char *p, size_t n)
{
    for (size_t i = 0; i < n;) {
        unsigned char c = (unsigned char)p[i];
        size_t size = sequence_at(p + i, n - i);
        RULE(size > 0);
        RULE((c >= 0x20 && c != 0x7F) || c == '\n' || c == '\t');
        RULE(!(c == 0xC2 && (unsigned char)p[i + 1] < 0xA0));
        i += size;
    }
}

static void check_whole(const char *p, size_t n, const abr_clean_opts *opts, const sink *want,
                        const abr_clean_stats *stats)
{
    abr_cleaned whole;
    abr_cleaned again;
    RULE(abr_clean_text(p, n, opts, &whole, NULL) == ABR_OK);
    RULE(same_bytes(whole.p, whole.n, want->p, want->n) && same_stats(&whole.stats, stats));
    RULE(whole.changed ? whole.p != p : whole.p == p);
    RULE(whole.changed == !same_bytes(whole.p, whole.n, p, n));
    if (opts->keep == 0) {
        check_clean(whole.p, whole.n);
        RULE(abr_clean_text(whole.p, whole.n, opts, &again, NULL) == ABR_OK && !again.changed);
        abr_cleaned_free(&again);
    }
    abr_clean_opts strip = *opts; /* first, it changes nothing */
    strip.strip = true;
    abr_cleaned stripped;
    RULE(abr_clean_text(p, n, &strip, &stripped, NULL) == ABR_OK);
    RULE(abr_clean_text(stripped.p, stripped.n, opts, &again, NULL) == ABR_OK);
    RULE(same_bytes(again.p, again.n, whole.p, whole.n));
    abr_cleaned_free(&again);
    abr_cleaned_free(&stripped);
    abr_cleaned_free(&whole);
    abr_cleaned_free(&whole);
}

/* May the next chunk go on with the last char of this one? */
static bool ends_in_char(const char *p, size_t n)
{
    for (size_t back = 1; back < 4 && back <= n; back++) {
        unsigned char c = (unsigned char)p[n - back];
        if (c >= 0xC0)
            return c >= 0xF0 ? back < 4 : c >= 0xE0 ? back < 3 : back < 2;
    }
    return false;
}

/* What is pending is what a finish now would hand over: the text so far, cleaned, is what the sink has and
 * that. */
static void check_pending(const abr_cleaner *cleaner, const sink *got, const char *p, size_t n,
                          const abr_clean_opts *opts, bool compare)
{
    abr_cleaned so_far;
    size_t size = abr_cleaner_pending(cleaner, NULL);
    char *pending = need(malloc(size + 1));
    RULE(size <= PENDING_MOST && abr_cleaner_pending(cleaner, pending) == size);
    abr_clean_stats stats = abr_cleaner_stats(cleaner);
    RULE(stats.raw_bytes == n && stats.bytes == got->n + size);
    if (compare) {
        RULE(abr_clean_text(p, n, opts, &so_far, NULL) == ABR_OK);
        RULE(so_far.n >= got->n && (got->n == 0 || memcmp(so_far.p, got->p, got->n) == 0));
        RULE(same_bytes(so_far.p + got->n, so_far.n - got->n, pending, size));
        abr_cleaned_free(&so_far);
    }
    free(pending);
}

/* Write the text in chunks; false: the sink said no. */
static bool write_all(abr_cleaner *cleaner, const char *p, size_t n, input *in, const abr_clean_opts *opts,
                      const sink *got)
{
    for (size_t at = 0; at < n;) {
        unsigned kind = take_byte(in);
        size_t size = kind < 80    ? 1
                      : kind < 200 ? 1 + take_byte(in)
                      : kind < 230 ? (size_t)take_number(in, 2)
                                   : n;
        if (in->n == 0 && size < 64)
            size = n; /* the input has nothing more to choose by */
        size = size < n - at ? size : n - at;
        char *chunk = need(malloc(size + 1));
        memcpy(chunk, p + at, size);
        abr_code code = abr_cleaner_write(cleaner, chunk, size);
        free(chunk);
        at += size;
        if (code != ABR_OK) {
            RULE(code == ABR_ENOMEM && got->fails_at > 0 && got->calls >= got->fails_at);
            return false;
        }
        if (kind % 4 == 1)
            check_pending(cleaner, got, p, at, opts, n < 4096 && !ends_in_char(p, at));
    }
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    input in = {data, size};
    memory used = {.count = 0};
    abr_alloc alloc = MEMORY(&used);
    abr_clean_opts opts = {.alloc = &alloc};
    sink got = {NULL, 0, 0, 0, 0};
    abr_cleaner *cleaner;
    abr_clean_stats stats;
    abr_error error = {ABR_OK, NULL, 0};
    size_t n;
    unsigned kind = take_byte(&in);
    opts.invisible = kind % 2 == 1;
    if (kind >= 160)
        opts.keep = (unsigned)take_number(&in, 2);
    if (kind >= 250)
        got.fails_at = 1 + take_below(&in, 4);
    input chunks = {data, in.n};
    char *text = take_large_text(&in, TEXT_MOST, &n);
    abr_code code = abr_cleaner_open(&opts, collect, &got, &cleaner, &error);
    if (opts.keep >= 1u << ABR_CLEAN_KINDS) {
        RULE(code == ABR_EINVAL && error.message && !cleaner);
    } else {
        RULE(code == ABR_OK);
        if (write_all(cleaner, text, n, &chunks, &opts, &got)) {
            code = abr_cleaner_finish(cleaner, &stats);
            RULE(code == ABR_OK || (code == ABR_ENOMEM && got.fails_at > 0));
            if (code == ABR_OK)
                check_whole(text, n, &opts, &got, &stats);
        }
    }
    abr_cleaner_close(cleaner);
    abr_cleaner_close(NULL);
    RULE(used.count == 0);
    free(got.p);
    free(text);
    return 0;
}
