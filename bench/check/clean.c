/* Cleaning, and the cells of a text. */
#include "workload.h"

static void prepare_plain(void)
{
    log_lines(4 * MB);
}

static void prepare_colors(void)
{
    repeat_line(MB, "\x1b[32mok\x1b[0m %u \x1b[1;31mFAILED\x1b[0m test_%u\r\n");
}

static void prepare_progress(void)
{
    repeat_line(MB, "\r\x1b[Kdownloading %u of %u\b\b\b   ");
}

static void clean(void)
{
    const abr_clean_opts all = {0, NULL};
    abr_cleaned cleaned;
    WANTS(abr_clean_text(text, text_size, &all, &cleaned, NULL) == ABR_OK && cleaned.n > 0);
    abr_cleaned_free(&cleaned);
}

static bool count_only(void *ctx, const char *p, size_t n)
{
    (void)p;
    *(size_t *)ctx += n;
    return true;
}

static void clean_in_chunks(void)
{
    const abr_clean_opts all = {0, NULL};
    abr_cleaner *cleaner;
    size_t got = 0;
    WANTS(abr_cleaner_open(&all, count_only, &got, &cleaner, NULL) == ABR_OK);
    for (size_t at = 0; at < text_size; at += 4 * KB) {
        size_t n = text_size - at < 4 * KB ? text_size - at : 4 * KB;
        WANTS(abr_cleaner_write(cleaner, text + at, n) == ABR_OK);
    }
    WANTS(abr_cleaner_finish(cleaner, NULL) == ABR_OK && got > 0);
    abr_cleaner_close(cleaner);
}

static void cells(void)
{
    WANTS(abr_cells(text, text_size) > 0);
}

static const workload_entry entries[] = {
    {"clean, 4MB without controls", prepare_plain, clean},
    {"clean, 1MB of colors", prepare_colors, clean},
    {"clean, 1MB of a progress bar", prepare_progress, clean},
    {"cleaner, colors in 4KB", prepare_colors, clean_in_chunks},
    {"cells of 1MB", prepare_colors, cells},
};

WORKLOADS(entries)
