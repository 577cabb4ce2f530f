/* Counting, the token estimate, sizes, and the block as JSON. */
#include "workload.h"

static void prepare_log(void)
{
    log_lines(4 * MB);
}

static void prepare_chars(void)
{
    repeat_line(2 * MB, "%u \xD0\xB7\xD0\xB0\xD0\xBF\xD1\x80\xD0\xBE\xD1\x81 \xE4\xBD\xA0\xE5\xA5\xBD %u\n");
}

static void prepare_small(void)
{
    log_lines(MB);
}

static void lines(void)
{
    WANTS(abr_count_lines(text, text_size) > 0);
}

static void chars(void)
{
    uint64_t invalid;
    WANTS(abr_count_chars(text, text_size, &invalid) > 0 && invalid == 0);
}

static void skip(void)
{
    WANTS(abr_skip_chars(text, text_size, MB) < text_size);
}

static void tokens(void)
{
    WANTS(abr_estimate_tokens(text, text_size) > 0);
}

static void info_json(void)
{
    static const char hint[] = "call read_file with offset 2001";
    abr_info info = {.truncated = true,
                     .bytes_returned = 30720,
                     .bytes_total = 575100,
                     .next_offset = 2001,
                     .resume_hint = hint,
                     .resume_hint_len = sizeof hint - 1,
                     .reason = ABR_LINE_CAP};
    char json[512];
    for (int i = 0; i < 10000; i++)
        WANTS(abr_info_json(&info, json, sizeof json) < sizeof json);
}

static void sizes(void)
{
    char printed[ABR_SIZE_MAX];
    uint64_t read;
    for (uint64_t n = 1; n < ABR_COUNT_MAX / 3; n += n / 100 + 1)
        WANTS(abr_parse_size(printed, abr_format_size(n, printed), &read));
}

static const workload_entry entries[] = {
    {"count_lines, 4MB", prepare_log, lines},
    {"count_chars, 4MB of ASCII", prepare_log, chars},
    {"count_chars, 2MB not ASCII", prepare_chars, chars},
    {"skip_chars, 1M of them", prepare_chars, skip},
    {"estimate_tokens, 1MB", prepare_small, tokens},
    {"estimate_tokens, 2MB not ASCII", prepare_chars, tokens},
    {"info_json, 10000 times", NULL, info_json},
    {"sizes printed and read, 3000 of them", NULL, sizes},
};

WORKLOADS(entries)
