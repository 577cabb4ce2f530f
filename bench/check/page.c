/* Pages of a file: the first, one deep in it, one whose index is warm, and all of them one after the other. */
#if !defined(_GNU_SOURCE)
#define _GNU_SOURCE /* utimensat */
#endif
#include <fcntl.h>
#include <sys/stat.h>

#include "workload.h"

static const char path[] = "paged";
static abr_index *warm;

static void prepare(void)
{
    const struct timespec long_ago[2] = {{1000000000, 0}, {1000000000, 0}}; /* or no index would keep it */
    log_lines(4 * MB);
    FILE *file = fopen(path, "wb");
    WANTS(file != NULL && fwrite(text, 1, text_size, file) == text_size && fclose(file) == 0);
    WANTS(utimensat(AT_FDCWD, path, long_ago, 0) == 0);
}

/* The line that the next page starts at; 0: none. */
static uint64_t page(uint64_t offset, abr_strategy strategy, abr_index *index)
{
    abr_page_opts opts = ABR_PAGE_OPTS_INIT;
    abr_page *opened;
    abr_page_lines lines;
    abr_cut cut;
    opts.cut.strategy = strategy;
    opts.cut.max.lines = 2000;
    opts.cut.max.bytes = 30 * KB;
    opts.offset = offset;
    opts.index = index;
    WANTS(abr_page_open(path, &opts, &opened, NULL) == ABR_OK);
    WANTS(abr_page_cut(opened, NULL, &cut, &lines, NULL) == ABR_OK && cut.total_bytes == text_size);
    abr_cut_free(&cut);
    abr_page_close(opened);
    return lines.next_offset;
}

static void prepare_warm(void)
{
    prepare();
    WANTS(abr_index_open(NULL, &warm, NULL) == ABR_OK);
    page(1, ABR_HEAD, warm);
}

static void first(void)
{
    page(1, ABR_HEAD, NULL);
}

static void deep(void)
{
    page(50000, ABR_HEAD, NULL);
}

static void all_warm(void)
{
    for (uint64_t offset = 1; offset > 0;)
        offset = page(offset, ABR_HEAD, warm);
}

static void last_warm(void)
{
    for (int i = 0; i < 100; i++)
        page(1, ABR_TAIL, warm);
}

static const workload_entry entries[] = {
    {"first page of 4MB", prepare, first},
    {"page at line 50000", prepare, deep},
    {"every page of 4MB, index warm", prepare_warm, all_warm},
    {"last page, index warm, 100 times", prepare_warm, last_warm},
};

WORKLOADS(entries)
