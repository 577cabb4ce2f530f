/* abr_stream_*: for every chunking what the one-shot cut gives, in bounded memory, whatever is looked at
 * in between; and the full output is the source. */
#if !defined(_GNU_SOURCE)
#define _GNU_SOURCE /* mkdtemp */
#endif
#include <sys/stat.h>
#include <unistd.h>

#include "cuts.h"

enum { TEXT_MOST = 12 * 1024, PREVIEW_MOST = 64 };

static char folder[256]; /* for full outputs */

static void remove_folder(void)
{
    char path[sizeof folder + 8];
    snprintf(path, sizeof path, "%s/full", folder);
    unlink(path);
    rmdir(folder);
}

/* A folder of our own, made once. */
static const char *full_folder(void)
{
    if (folder[0])
        return folder;
    const char *tmp = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%s/abridge-fuzz-XXXXXX", tmp ? tmp : "/tmp");
    if (!mkdtemp(folder) || atexit(remove_folder) != 0)
        exit(2);
    return folder;
}

typedef struct {
    options x; /* of the stream */
    abr_stream *stream;
    const char *p;
    size_t n;
    size_t at; /* bytes written */
    bool with_file;
} run;

/* The options that a narrowed cut has, but its budgets. */
static options narrowed(const run *r, const abr_narrow *narrow)
{
    options x = r->x;
    x.o.alloc = NULL;
    if (x.o.count_tokens)
        x.o.count_ctx = &x;
    if (narrow && narrow->reserve) {
        x.o.reserve = narrow->reserve;
        x.o.reserve_len = narrow->reserve_len;
    }
    return x;
}

/* The cut of a stream is the one-shot cut of (p, n) under the budgets it reports. */
static void check_same(const run *r, const char *p, size_t n, const abr_narrow *narrow, bool preview,
                       const abr_cut *cut)
{
    options x = narrowed(r, narrow);
    abr_cut want;
    x.fails_at = 0;
    if (x.o.count_tokens)
        x.o.count_ctx = &x;
    x.o.max = cut->max;
    if (preview && x.o.strategy == ABR_PRIORITY) {
        x.o.strategy = ABR_HEAD_TAIL;
        x.o.snap = ABR_SNAP_LINE;
    }
    RULE(abr_cut_text(p, n, &x.o, &want, NULL) == ABR_OK);
    if (preview && r->x.o.strategy ==
                       ABR_PRIORITY) { /* what came for good may have hits, which a preview does not weigh */
        want.hits_found = cut->hits_found;
        want.hits_kept = cut->hits_kept;
        want.failures_found = cut->failures_found;
        want.failures_kept = cut->failures_kept;
    }
    RULE(same_cut(cut, &want));
    abr_cut_free(&want);
}

static bool lowers(uint64_t own, uint64_t lower)
{
    return lower == ABR_UNLIMITED || (own != ABR_UNLIMITED && lower <= own);
}

static bool raises(uint64_t own, uint64_t lower)
{
    return lower != ABR_UNLIMITED && own != ABR_UNLIMITED && lower > own;
}

/* A look at the stream; a preview may be given, text that shows after what has come. */
static void look(run *r, const abr_narrow *narrow, bool finish, const char *preview, size_t preview_n)
{
    abr_cut cut;
    abr_error error = {ABR_OK, NULL, 0};
    const abr_budget *own = &r->x.o.max;
    abr_code code = finish ? abr_stream_finish(r->stream, narrow, &cut, &error)
                           : abr_stream_snapshot(r->stream, narrow, &cut, &error);
    if (code == ABR_OK) {
        const abr_budget *max = narrow ? &narrow->max : NULL;
        RULE(!max || !(raises(own->bytes, max->bytes) || raises(own->lines, max->lines) ||
                       raises(own->chars, max->chars) || raises(own->tokens, max->tokens)));
        char *joined = need(malloc(r->at + preview_n + 1));
        memcpy(joined, r->p, r->at);
        if (preview_n > 0)
            memcpy(joined + r->at, preview, preview_n);
        check_same(r, joined, r->at + preview_n, narrow, preview_n > 0, &cut);
        free(joined);
    } else if (code == ABR_EINVAL) {
        RULE(narrow && error.message);
        const abr_budget *max = &narrow->max;
        RULE(!(lowers(own->bytes, max->bytes) && lowers(own->lines, max->lines) &&
               lowers(own->chars, max->chars) && lowers(own->tokens, max->tokens)));
    } else {
        RULE(code == ABR_ECOUNT && r->x.fails_at > 0);
    }
    abr_cut_free(&cut);
}

static abr_narrow take_narrow(const run *r, input *in)
{
    static const char *const reserves[] = {NULL, "", "[less]", "\xC3\xA9\xFF"};
    abr_narrow narrow = {{take_budget(in), ABR_UNLIMITED, ABR_UNLIMITED, ABR_UNLIMITED},
                         NULL,
                         0,
                         ABR_LONG_DEFAULT,
                         false,
                         false};
    unsigned wanted = take_byte(in);
    if (wanted & 1)
        narrow.max.lines = take_budget(in);
    if (wanted & 2)
        narrow.max.chars = take_budget(in);
    if (wanted & 4)
        narrow.max.tokens = take_budget(in);
    narrow.max.bytes = narrow.max.bytes == ABR_UNLIMITED ? take_budget(in) : narrow.max.bytes;
    near_text(&narrow.max, &r->x.o, r->p, r->n);
    narrow.reserve = reserves[wanted / 8 % 4];
    narrow.reserve_len = narrow.reserve ? strlen(narrow.reserve) : 0;
    return narrow;
}

/* Show text after what has come, twice, so that the second takes the first one's place. */
static void preview(run *r, input *in)
{
    char text[PREVIEW_MOST];
    size_t n = 0;
    for (int i = 0; i < 2; i++) {
        n = take_below(in, PREVIEW_MOST);
        for (size_t j = 0; j < n; j++)
            text[j] = (char)take_byte(in);
        char *exact = need(malloc(n + 1));
        memcpy(exact, text, n);
        RULE(abr_stream_preview(r->stream, exact, n) == ABR_OK);
        free(exact);
    }
    look(r, NULL, false, text, n);
    look(r, NULL, false, text, n);
}

/* The next chunk, and at times a look. The text is taken first, so what the input has left are bytes to
 * choose by. */
static void step(run *r, input *in)
{
    unsigned kind = take_byte(in);
    size_t left = r->n - r->at;
    size_t n = kind < 64    ? 1
               : kind < 160 ? 1 + take_byte(in)
               : kind < 200 ? 1 + (size_t)take_number(in, 2)
                            : left;
    n = n < left ? n : left;
    char *chunk = need(malloc(n + 1));
    memcpy(chunk, r->p + r->at, n);
    RULE(abr_stream_write(r->stream, chunk, n) == ABR_OK);
    free(chunk);
    r->at += n;
    RULE(!abr_stream_finished(r->stream));
    if (kind % 8 == 1) {
        look(r, NULL, false, NULL, 0);
    } else if (kind % 8 == 2) {
        abr_narrow narrow = take_narrow(r, in);
        look(r, &narrow, false, NULL, 0);
    } else if (kind % 8 == 3) {
        preview(r, in);
    }
}

/* The file holds the source and is private; it is removed. */
static void check_file(const run *r, bool truncated)
{
    abr_full_output full = abr_stream_full_output(r->stream);
    struct stat st;
    RULE(!full.error && !full.code);
    RULE(r->with_file ? full.path || !truncated : !full.path);
    if (!full.path)
        return;
    FILE *file = fopen(full.path, "rb");
    char *got = need(malloc(r->n + 1));
    RULE(file && fstat(fileno(file), &st) == 0 && (st.st_mode & 0777) == 0600);
    RULE(full.bytes == r->n && fread(got, 1, r->n + 1, file) == r->n && memcmp(got, r->p, r->n) == 0);
    fclose(file);
    unlink(full.path);
    free(got);
}

/* Bytes that may be held at one time, cuts and their scratch aside. */
static uint64_t memory_bound(const options *x)
{
    enum { KB = 1024, MB = 1024 * 1024, CUTS = 3 };
    const abr_budget *max = &x->o.max;
    uint64_t budget = max->bytes != ABR_UNLIMITED && x->o.strategy != ABR_PIPELINE ? max->bytes
                      : max->chars != ABR_UNLIMITED                                ? max->chars * 4
                      : max->tokens != ABR_UNLIMITED && x->o.strategy != ABR_PIPELINE
                          ? max->tokens * ABR_BYTES_PER_TOKEN
                          : MB;
    if (budget > MB)
        budget = MB;
    return x->o.strategy == ABR_PRIORITY ? 64 * budget + MB : 2 * budget + 256 * KB;
}

static void finish(run *r, input *in)
{
    abr_cut cut;
    abr_narrow narrow = take_narrow(r, in);
    look(r, take_flag(in) ? &narrow : NULL, true, NULL, 0);
    if (!abr_stream_finished(r->stream)) /* the budgets were not lower ones, or the counter failed */
        look(r, NULL, true, NULL, 0);
    if (!abr_stream_finished(r->stream))
        return;
    look(r, NULL, false, NULL, 0);
    if (r->x.fails_at == 0) {
        RULE(abr_stream_snapshot(r->stream, NULL, &cut, NULL) == ABR_OK);
        bool truncated = cut.truncated;
        abr_cut_free(&cut);
        check_file(r, truncated);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    input in = {data, size};
    run r;
    memset(&r, 0, sizeof r);
    take_options(&in, &r.x);
    r.with_file = take_below(&in, 8) == 1;
    input steps = {data, in.n}; /* read where the text is, from its end */
    char *text = take_text(&in, TEXT_MOST, &r.n);
    r.p = text;
    near_text(&r.x.o.max, &r.x.o, text, r.n);
    abr_error error = {ABR_OK, NULL, 0};
    abr_code code = abr_stream_open(&r.x.o, r.with_file ? full_folder() : NULL, r.with_file ? "full" : NULL,
                                    &r.stream, &error);
    RULE(code == (are_fine(&r.x.o) ? ABR_OK : ABR_EINVAL) &&
         (code == ABR_OK || (error.message && !r.stream)));
    if (code == ABR_OK) {
        while (r.at < r.n)
            step(&r, &steps);
        finish(&r, &steps);
        RULE(r.x.memory.most <= memory_bound(&r.x));
    }
    abr_full_output full = {NULL, 0, NULL, NULL};
    if (r.stream)
        full = abr_stream_full_output(r.stream);
    if (full.path)
        unlink(full.path);
    abr_stream_close(r.stream);
    RULE(r.x.memory.count == 0);
    abr_stream_close(NULL);
    free(text);
    return 0;
}
