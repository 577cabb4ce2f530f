/* Cuts, pages and blocks survive an allocator that fails at any of its calls, and give everything back to
 * it. */
#include <stdint.h>

#include "base/memory.h"
#include "files/line_index.h"
#include "ledger.h"

static const char text[] = "one line\nanother line\na third line\n\xC3\xA9\xFF\nthe last line of all\n";

/* Cut, failing at each allocation in turn until none is left to fail; returns the allocations of a whole
 * cut. */
static size_t fail_everywhere(abr_opts o)
{
    size_t n = sizeof text - 1;
    for (size_t fail_at = 1;; fail_at++) {
        ledger l = {.fail_at = fail_at};
        const abr_alloc alloc = ledger_alloc(&l);
        abr_cut cut;
        abr_error error = {ABR_OK, NULL, 0};
        o.alloc = &alloc;
        abr_code code = abr_cut_text(text, n, &o, &cut, &error);
        if (code == ABR_OK) {
            CHECK(l.calls < fail_at);
            CHECK_COUNT(1, l.blocks); /* the scratch is gone, the pieces are there */
            free(content_of(&cut));
            abr_cut_free(&cut);
            CHECK_COUNT(0, l.blocks);
            return l.calls;
        }
        CHECK(code == ABR_ENOMEM && error.code == ABR_ENOMEM && error.message);
        CHECK_COUNT(0, l.blocks);
        CHECK_COUNT(0, cut.piece_count);
        abr_cut_free(&cut);
    }
}

static void cuts_without_tokens_allocate_once(void)
{
    abr_opts o = ABR_OPTS_INIT;
    CHECK_COUNT(1, fail_everywhere(o));
    o.max.bytes = 30;
    CHECK_COUNT(1, fail_everywhere(o));
    o.strategy = ABR_TAIL;
    CHECK_COUNT(1, fail_everywhere(o));
}

static void every_cut_survives_every_failure(void)
{
    for (int strategy = ABR_HEAD; strategy <= ABR_HEAD_TAIL; strategy++) {
        for (int variant = 0; variant < 12; variant++) {
            abr_opts o = ABR_OPTS_INIT;
            o.strategy = (abr_strategy)strategy;
            o.max.tokens = (uint64_t)variant * 3;
            o.max.bytes = variant % 2 == 0 ? 40 : ABR_UNLIMITED;
            o.long_line = ABR_LONG_SPLIT;
            o.utf8_replace = variant % 3 == 0;
            o.snap = variant % 4 < 2 ? ABR_SNAP_LINE : ABR_SNAP_CHAR;
            o.reserve = "a notice";
            o.reserve_len = variant % 5 == 0 ? 8 : 0;
            CHECK(fail_everywhere(o) >= 1);
        }
    }
}

static bool count_few(void *ctx, const char *p, size_t n, uint64_t *tokens)
{
    (void)p;
    *tokens = n > *(const size_t *)ctx ? 1000 : 10;
    return true;
}

/* Lines that are shown in two parts where the budget is a little smaller: the search for what the tokens
 * allow then needs more memory than it did at first, when something was found to fit already. */
static void a_search_by_tokens_survives_every_failure(void)
{
    enum { LINES = 30, SIZE = 179, AT = 135, TOKENS = 100 };
    static const char says[] = " error: it broke here";
    char lines[LINES * SIZE];
    memset(lines, 'x', sizeof lines);
    for (size_t i = 0; i < LINES; i++) {
        char *line = lines + i * SIZE;
        line[0] = (char)('a' + i % 26);
        line[1] = ' ';
        memcpy(line + AT, says, sizeof says - 1);
        line[SIZE - 1] = '\n';
    }
    for (size_t tenths = 5; tenths < 10; tenths++) {
        for (size_t fail_at = 1, failed = 1; failed; fail_at++) {
            size_t fits = (size_t)TOKENS * ABR_BYTES_PER_TOKEN * tenths / 10;
            ledger l = {.fail_at = fail_at};
            const abr_alloc alloc = ledger_alloc(&l);
            abr_opts o = ABR_OPTS_INIT;
            abr_cut cut;
            o.strategy = ABR_PRIORITY;
            o.max.tokens = TOKENS;
            o.count_tokens = count_few;
            o.count_ctx = &fits;
            o.alloc = &alloc;
            abr_code code = abr_cut_text(lines, sizeof lines, &o, &cut, NULL);
            failed = code != ABR_OK;
            CHECK(!failed || code == ABR_ENOMEM);
            abr_cut_free(&cut);
            CHECK_COUNT(0, l.blocks);
        }
    }
}

static void the_pipeline_survives_too(void)
{
    ledger l = {.fail_at = 1};
    const abr_alloc alloc = ledger_alloc(&l);
    abr_opts o = ABR_OPTS_INIT;
    abr_cut cut;
    abr_error error = {ABR_OK, NULL, 0};
    o.strategy = ABR_PIPELINE;
    o.max.lines = 2;
    o.alloc = &alloc;
    CHECK(abr_cut_text(text, sizeof text - 1, &o, &cut, &error) == ABR_ENOMEM);
    CHECK(error.code == ABR_ENOMEM);
    abr_cut_free(&cut);
    CHECK(abr_cut_text(text, sizeof text - 1, &o, &cut, &error) == ABR_OK);
    CHECK_COUNT(1, l.blocks);
    abr_cut_free(&cut);
    abr_cut_free(&cut);
    CHECK_COUNT(0, l.blocks);
}

static bool count_bytes(void *ctx, const char *p, size_t n, uint64_t *tokens)
{
    (void)p;
    *tokens = n;
    return --*(int *)ctx > 0;
}

static void a_failing_counter_leaves_no_block(void)
{
    for (int calls = 1; calls < 30; calls++) {
        ledger l = {0};
        int left = calls;
        const abr_alloc alloc = ledger_alloc(&l);
        abr_opts o = ABR_OPTS_INIT;
        o.strategy = ABR_HEAD_TAIL;
        o.max.tokens = 60;
        o.count_tokens = count_bytes;
        o.count_ctx = &left;
        o.alloc = &alloc;
        abr_cut cut;
        if (abr_cut_text(text, sizeof text - 1, &o, &cut, NULL) != ABR_OK)
            CHECK_COUNT(0, l.blocks);
        abr_cut_free(&cut);
        CHECK_COUNT(0, l.blocks);
    }
}

/* Open this very file, in one go or in steps. */
static abr_code open_page(const abr_page_opts *o, bool in_steps, abr_page **page, abr_error *error)
{
    bool done = false;
    if (!in_steps)
        return abr_page_open(__FILE__, o, page, error);
    abr_code code = abr_page_begin(__FILE__, o, page, error);
    while (code == ABR_OK && !done)
        code = abr_page_step(*page, 0, &done, error);
    return code;
}

static void a_page_survives_every_failure(void)
{
    for (int variant = 0; variant < 8; variant++) {
        abr_code code = ABR_ENOMEM;
        for (size_t fail_at = 1; code == ABR_ENOMEM; fail_at++) {
            ledger l = {.fail_at = fail_at};
            const abr_alloc alloc = ledger_alloc(&l);
            abr_page_opts o = ABR_PAGE_OPTS_INIT;
            abr_page *page = NULL;
            abr_error error = {ABR_OK, NULL, 0};
            o.cut.alloc = &alloc;
            o.cut.strategy = variant & 1 ? ABR_HEAD_TAIL : ABR_HEAD;
            o.cut.max.bytes = 200;
            o.cut.max.chars = variant & 2 ? 100 : ABR_UNLIMITED;
            o.offset = 2; /* not empty */
            o.column = 2;
            code = open_page(&o, variant & 4, &page, &error);
            CHECK(code == ABR_OK ? l.blocks > 0 : error.code == ABR_ENOMEM);
            abr_page_close(page);
            CHECK_COUNT(0, l.blocks);
        }
        CHECK(code == ABR_OK);
    }
}

/* An allocator whose addresses are odd, `ctx` bytes past a multiple of 16. */
static void *odd_malloc(void *ctx, size_t size)
{
    char *p = malloc(size + *(const size_t *)ctx);
    return p ? p + *(const size_t *)ctx : NULL;
}

static void odd_free(void *ctx, void *p)
{
    free((char *)p - *(const size_t *)ctx);
}

static void a_block_starts_on_a_page_whatever_is_returned_for_it(void)
{
    static const size_t sizes[] = {0, 1, 100, ABR_ALIGNED, ABR_BLOCK, ABR_BLOCK + 1};
    for (size_t odd = 1; odd < 64; odd += 2) {
        const abr_alloc alloc = {odd_malloc, NULL, odd_free, &odd};
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
            char *block = abr_block_new(&alloc, sizes[i]);
            CHECK(block && (uintptr_t)block % ABR_ALIGNED == 0);
            memset(block, 'x', sizes[i]); /* all of it is there */
            abr_block_free(&alloc, block);
        }
    }
}

static void a_block_that_cannot_be_had_is_null(void)
{
    ledger l = {.fail_at = 1};
    const abr_alloc alloc = ledger_alloc(&l);
    CHECK(!abr_block_new(&alloc, 100));
    CHECK(!abr_block_new(&alloc, SIZE_MAX));
    CHECK(!abr_block_new(&alloc, SIZE_MAX - ABR_ALIGNED));
    CHECK_COUNT(1, l.calls); /* a size that overflows is not asked for */
    abr_block_free(&alloc, NULL);
    CHECK_COUNT(0, l.blocks);
}

int main(void)
{
    RUN(cuts_without_tokens_allocate_once);
    RUN(every_cut_survives_every_failure);
    RUN(a_search_by_tokens_survives_every_failure);
    RUN(the_pipeline_survives_too);
    RUN(a_failing_counter_leaves_no_block);
    RUN(a_page_survives_every_failure);
    RUN(a_block_starts_on_a_page_whatever_is_returned_for_it);
    RUN(a_block_that_cannot_be_had_is_null);
    return check_end();
}
