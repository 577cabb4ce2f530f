/* Objects under an allocator that fails at any one of its calls: streams, pages, indexes, cleaners. What
 * failed can be tried again and then gives what it would have given; in the end neither a block nor a
 * descriptor is held. */
#define _XOPEN_SOURCE 700 /* mkdtemp, utimensat */
#include "ledger.h"
#include "temporary.h"

enum { DESCRIPTORS = 64, CALLS_MOST = 100000 };

static char folder[4096];
static char path[sizeof folder + 32];

#ifdef _WIN32
enum { KEEPS_FILES = false };

static unsigned open_descriptors(void)
{
    DWORD count = 0;
    CHECK(GetProcessHandleCount(GetCurrentProcess(), &count));
    return count;
}
#else
enum { KEEPS_FILES = true };

static unsigned open_descriptors(void)
{
    unsigned count = 0;
    for (int fd = 0; fd < DESCRIPTORS; fd++)
        count += fcntl(fd, F_GETFD) != -1;
    return count;
}
#endif

/* Runs its case with this allocator, to the end. */
typedef void (*case_fn)(const abr_alloc *alloc, const void *arg);

/* Is the call to be made again? Only for want of memory, and only once: no other call fails. */
static bool again(abr_code code)
{
    CHECK(code == ABR_OK || code == ABR_ENOMEM);
    return code == ABR_ENOMEM;
}

#define TRY(call)                                                                                            \
    do {                                                                                                     \
        if (again(call))                                                                                     \
            CHECK((call) == ABR_OK);                                                                         \
    } while (0)

/* Run a case, failing at each allocation in turn until none is left to fail. */
static void fail_everywhere(case_fn run, const void *arg)
{
    for (size_t fail_at = 1; fail_at < CALLS_MOST; fail_at++) {
        ledger l = {.fail_at = fail_at};
        const abr_alloc alloc = ledger_alloc(&l);
        unsigned before = open_descriptors();
        run(&alloc, arg);
        CHECK_COUNT(0, l.blocks);
        CHECK_COUNT(before, open_descriptors());
        if (l.calls < fail_at)
            return;
    }
    CHECK(CALLS_MOST == 0); /* a case that never ends */
}

/* ---- texts ---- */

enum { TEXT = 6000, CHUNK = 700 };

static char text[TEXT];

/* Log lines with an error among them, long lines, colours, chars of all lengths and bytes that are none. */
static void make_text(void)
{
    static const char *const parts[] = {
        "[12/90] cc -O2 -c src/unit.c\n",
        "src/unit.c:8:12: error: no 'x'\n    8 | return x;\n      |        ^\n",
        "\x1b[31mred\x1b[0m\r",
        "\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80\xFF\n",
        "one long line that goes on ",
        "FAILED: 3 of 8 tests\n"};
    for (size_t i = 0; i < TEXT;) {
        const char *part = parts[pick(sizeof parts / sizeof *parts)];
        size_t n = strlen(part) < TEXT - i ? strlen(part) : TEXT - i;
        memcpy(text + i, part, n);
        i += n;
    }
}

/* Is the whole text in the file that was kept of a stream? */
static bool is_whole(const char *kept)
{
    FILE *file = kept ? fopen(kept, "rb") : NULL;
    const bool whole = file && fseek(file, 0, SEEK_END) == 0 && ftell(file) == TEXT;
    if (file)
        fclose(file);
    return whole;
}

static void same_content(const abr_cut *cut, const char *want, size_t want_n)
{
    char *content = content_of(cut);
    CHECK_BYTES(want, want_n, content, cut->content_bytes);
    free(content);
}

/* ---- streams ---- */

typedef struct {
    abr_opts opts;
    bool keeps_file;
    char *want; /* the content when nothing fails */
    size_t want_n;
} stream_case;

static void run_stream(const abr_alloc *alloc, const void *arg)
{
    const stream_case *c = arg;
    abr_opts o = c->opts;
    abr_stream *stream = NULL;
    abr_cut cut;
    o.alloc = alloc;
    remove(path);
    TRY(abr_stream_open(&o, c->keeps_file ? folder : NULL, c->keeps_file ? "full.log" : NULL, &stream, NULL));
    for (size_t i = 0; i < TEXT; i += CHUNK) {
        size_t n = TEXT - i < CHUNK ? TEXT - i : CHUNK;
        TRY(abr_stream_write(stream, text + i, n));
        TRY(abr_stream_preview(stream, "more", 4));
        if (again(abr_stream_snapshot(stream, NULL, &cut, NULL))) {
            abr_cut_free(&cut);
            CHECK(abr_stream_snapshot(stream, NULL, &cut, NULL) == ABR_OK);
        }
        abr_cut_free(&cut);
    }
    if (again(abr_stream_finish(stream, NULL, &cut, NULL))) {
        abr_cut_free(&cut);
        CHECK(abr_stream_finish(stream, NULL, &cut, NULL) == ABR_OK);
    }
    CHECK_COUNT(TEXT, cut.total_bytes);
    same_content(&cut, c->want, c->want_n);
    bool truncated = cut.truncated;
    abr_cut_free(&cut);
    abr_full_output full = abr_stream_full_output(stream);
    if (c->keeps_file && truncated) {
        CHECK(full.error ? strcmp(full.code, KEEPS_FILES ? "ENOMEM" : "ENOTSUP") == 0
                         : KEEPS_FILES && is_whole(full.path));
    } else {
        CHECK(!full.path && !full.error);
    }
    abr_stream_close(stream);
}

static void streams_survive(void)
{
    for (int strategy = ABR_HEAD; strategy <= ABR_PRIORITY; strategy++) {
        for (unsigned variant = 0; variant < 8; variant++) {
            if (strategy == ABR_PIPELINE && variant < 4)
                continue; /* it knows chars and lines alone */
            stream_case c = {.opts = ABR_OPTS_INIT, .keeps_file = variant % 2 == 1};
            abr_opts *o = &c.opts;
            o->strategy = (abr_strategy)strategy;
            if (variant < 4)
                o->max.bytes = variant < 2 ? 300 : 3000;
            else
                o->max.chars = variant < 6 ? 200 : 5000;
            if (variant >= 2 && variant < 4)
                o->max.tokens = 500;
            o->utf8_replace = variant % 3 == 0;
            abr_cut cut;
            CHECK(abr_cut_text(text, TEXT, o, &cut, NULL) == ABR_OK);
            c.want = content_of(&cut);
            c.want_n = cut.content_bytes;
            abr_cut_free(&cut);
            fail_everywhere(run_stream, &c);
            free(c.want);
        }
    }
}

/* ---- pages ---- */

static void page_of(const abr_alloc *alloc, abr_index *index, const abr_page_opts *opts)
{
    abr_page_opts o = *opts;
    abr_page *page = NULL;
    abr_cut cut;
    abr_page_lines lines;
    char start[16];
    size_t got = 0;
    o.cut.alloc = alloc;
    o.index = index;
    if (again(index ? abr_page_open(path, &o, &page, NULL) : abr_page_text(text, TEXT, &o, &page, NULL)))
        CHECK((index ? abr_page_open(path, &o, &page, NULL) : abr_page_text(text, TEXT, &o, &page, NULL)) ==
              ABR_OK);
    if (again(abr_page_cut(page, NULL, &cut, &lines, NULL))) {
        abr_cut_free(&cut);
        CHECK(abr_page_cut(page, NULL, &cut, &lines, NULL) == ABR_OK);
    }
    CHECK_COUNT(TEXT, cut.total_bytes);
    CHECK(cut.content_bytes > 0);
    abr_cut_free(&cut);
    TRY(abr_page_read(page, 0, start, sizeof start, &got, NULL));
    CHECK_COUNT(sizeof start, got);
    CHECK(!abr_page_changed(page));
    abr_page_close(page);
}

static void run_pages(const abr_alloc *alloc, const void *arg)
{
    abr_page_opts o = *(const abr_page_opts *)arg;
    abr_index *index = NULL;
    TRY(abr_index_open(alloc, &index, NULL));
    page_of(alloc, index, &o);
    o.offset = 20;
    page_of(alloc, index, &o);
    page_of(alloc, NULL, &o);
    abr_index_close(index);
}

static void pages_survive(void)
{
    FILE *file = fopen(path, "wb");
    CHECK(file && fwrite(text, 1, TEXT, file) == TEXT && fclose(file) == 0);
    CHECK(set_changed(path, 1000000000, 0)); /* long ago, so that the index keeps it */
    for (int strategy = ABR_HEAD; strategy <= ABR_PIPELINE; strategy++) {
        abr_page_opts o = ABR_PAGE_OPTS_INIT;
        o.cut.strategy = (abr_strategy)strategy;
        o.cut.max.chars = 500;
        o.cut.max.lines = 10;
        fail_everywhere(run_pages, &o);
    }
    CHECK(remove(path) == 0);
}

/* ---- cleaners ---- */

static bool count_sink(void *ctx, const char *p, size_t n)
{
    (void)p;
    *(size_t *)ctx += n;
    return true;
}

static void run_cleaner(const abr_alloc *alloc, const void *arg)
{
    size_t want = *(const size_t *)arg;
    const abr_clean_opts o = {.alloc = alloc};
    abr_cleaner *cleaner = NULL;
    abr_cleaned cleaned;
    size_t got = 0;
    bool lost = false;
    TRY(abr_cleaner_open(&o, count_sink, &got, &cleaner, NULL));
    for (size_t i = 0; i < TEXT; i += CHUNK)
        lost |= again(abr_cleaner_write(cleaner, text + i, TEXT - i < CHUNK ? TEXT - i : CHUNK));
    lost |= again(abr_cleaner_finish(cleaner, NULL));
    CHECK(lost || got == want);
    abr_cleaner_close(cleaner);

    if (again(abr_clean_text(text, TEXT, &o, &cleaned, NULL))) {
        abr_cleaned_free(&cleaned);
        CHECK(abr_clean_text(text, TEXT, &o, &cleaned, NULL) == ABR_OK);
    }
    CHECK_COUNT(want, cleaned.n);
    abr_cleaned_free(&cleaned);
}

static void cleaners_survive(void)
{
    const abr_clean_opts o = {0};
    abr_cleaned cleaned;
    CHECK(abr_clean_text(text, TEXT, &o, &cleaned, NULL) == ABR_OK);
    size_t want = cleaned.n;
    CHECK(cleaned.changed && want > 0);
    abr_cleaned_free(&cleaned);
    fail_everywhere(run_cleaner, &want);
}

int main(void)
{
    if (!make_folder(folder, sizeof folder, "memory"))
        return 2;
    snprintf(path, sizeof path, "%s/full.log", folder);
    make_text();
    RUN(streams_survive);
    RUN(pages_survive);
    RUN(cleaners_survive);
    remove(path);
    remove_folder(folder);
    return check_end();
}
