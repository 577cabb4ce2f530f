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

/* What fills a line, what is done once at its end, and what over and over: each another reason to look for
 * a column. */
static const struct {
    const char *line;
    const char *then;
    const char *again;
} moves[] = {
    {"\xE4\xB8\x96", "", "\x1B[40000G\x1B[1G"},
    {"\xE4\xB8\x96", "", "\b\b\b\b\b\b\b\b\x1B[65535G"},
    {"e\xCC\x81", "", "\b"},
    {"\xE4\xB8\x96", "\r", "\x1B[C"},
    {"\xE4\xB8\x96", "", "\x1B[9999D\x1B[9999C"},
    {"\xE4\xB8\x96", "\r", "\t\t\t\t\t\t\t\t\t\t\t\t\r"},
    {"a\t", "", "\x1B[G\x1B[99999Gx"},
    {"\xCC\x81", "", "\r"},
    {"a", "\x1B[30G", "\xC3\xA9\ba\b"},
    {"a", "", "\x1B[30G\xC3\xA9\x1B[60000Gab"},
    {"a", "\x1B[50G", "\xCC\x81"},
    {"a", "\x1B[50G", "\xCC\x81\x01"},
    {"\xE4\xB8\x96", "\x1B[30G", "\x1B[@\x1B[P"},
    {"a", "\x1B[30G", "\x1B[4000@\x1B[4000P"},
    {"\xE4\xB8\x96", "\x1B[3G", "\x1B[40000X"},
    {"a", "\b\b\b", "\x1B[1K"},
    {"\xE4\xB8\x96", "", "\x1B[K\x1B[4000Gx\r"},
    {"\xE4\xB8\x96\xE4\xB8\x96\xE4\xB8\x96\xE4\xB8\x96\xE4\xB8\x96\xE4\xB8\x96\xE4\xB8\x96\xE4\xB8\x96",
     "\n\x1B[99C", "\x1B[A\x1B[B"},
    {"\xE4\xB8\x96", "\x1B[s", "\r\x1B[u"},
    {"a", "", "\x1B[2J\x1B[99Bx"},
    {"a", "", "\x1B[1J\x1B[99Bx"},
    {"\xE4\xB8\x96", "\x1B[3G", "abc"},
};

static void append(char *p, size_t *at, size_t end, const char *what)
{
    for (size_t n = strlen(what); n > 0 && *at + n <= end; *at += n)
        memcpy(p + *at, what, n);
}

static void clean_moves(size_t line)
{
    enum { MOST = 64 * KB };
    static char p[MOST];
    const size_t all_bytes = line + 4 * KB;
    const abr_clean_opts all = {.keep = 0};
    for (size_t i = 0; i < sizeof moves / sizeof *moves; i++) {
        abr_cleaned cleaned;
        size_t n = 0;
        append(p, &n, line, moves[i].line);
        append(p, &n, n + strlen(moves[i].then), moves[i].then);
        append(p, &n, all_bytes, moves[i].again);
        WANTS(abr_clean_text(p, n, &all, &cleaned, NULL) == ABR_OK);
        abr_cleaned_free(&cleaned);
    }
}

static void clean_long_moves(void)
{
    clean_moves(60 * KB);
}

static void clean_short_moves(void)
{
    clean_moves(250);
}

static void clean(void)
{
    const abr_clean_opts all = {.keep = 0};
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
    const abr_clean_opts all = {.keep = 0};
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
    {"clean, moves over 22 lines of 60KB", NULL, clean_long_moves},
    {"clean, moves over 22 lines of 250 bytes", NULL, clean_short_moves},
    {"cleaner, colors in 4KB", prepare_colors, clean_in_chunks},
    {"cells of 1MB", prepare_colors, cells},
};

WORKLOADS(entries)
