/* Cuts of texts: each strategy, each budget, large texts and small ones. */
#include "workload.h"

static void prepare_4mb(void)
{
    log_lines(4 * MB);
}

static void prepare_10kb(void)
{
    log_lines(10 * KB);
}

static void prepare_chars(void)
{
    repeat_line(2 * MB, "%u \xD0\xB7\xD0\xB0\xD0\xBF\xD1\x80\xD0\xBE\xD1\x81 \xE4\xBD\xA0\xE5\xA5\xBD %u\n");
}

static void prepare_one_line(void)
{
    log_lines(4 * MB);
    for (size_t i = 0; i < text_size; i++)
        if (text[i] == '\n')
            text[i] = ' ';
}

static abr_opts budget(abr_strategy strategy)
{
    abr_opts opts = ABR_OPTS_INIT;
    opts.strategy = strategy;
    opts.max.lines = 2000;
    opts.max.bytes = 30 * KB;
    return opts;
}

/* Cut, and write what is kept, as every host does. */
static void cut(const abr_opts *opts)
{
    static char shown[MB];
    abr_cut result;
    WANTS(abr_cut_text(text, text_size, opts, &result, NULL) == ABR_OK);
    WANTS(result.content_bytes <= sizeof shown && result.total_bytes == text_size);
    abr_cut_write(&result, shown);
    abr_cut_free(&result);
}

static void cut_times(const abr_opts *opts, int times)
{
    for (int i = 0; i < times; i++)
        cut(opts);
}

static void head(void)
{
    abr_opts opts = budget(ABR_HEAD);
    cut(&opts);
}

static void tail(void)
{
    abr_opts opts = budget(ABR_TAIL);
    cut(&opts);
}

static void head_tail(void)
{
    abr_opts opts = budget(ABR_HEAD_TAIL);
    cut(&opts);
}

static void tail_chars(void)
{
    abr_opts opts = budget(ABR_TAIL);
    opts.max.chars = 20000;
    cut(&opts);
}

static void tail_chars_alone(void)
{
    abr_opts opts = budget(ABR_TAIL);
    opts.max.bytes = ABR_UNLIMITED;
    opts.max.chars = 20000;
    cut(&opts);
}

static void head_tail_tokens(void)
{
    abr_opts opts = budget(ABR_HEAD_TAIL);
    opts.max.tokens = 4000;
    cut_times(&opts, 10);
}

static void head_utf8_replace(void)
{
    abr_opts opts = budget(ABR_HEAD);
    opts.utf8_replace = true;
    opts.max.bytes = MB;
    opts.max.lines = ABR_UNLIMITED;
    cut(&opts);
}

static void fits(void)
{
    abr_opts opts = budget(ABR_TAIL);
    cut_times(&opts, 1000);
}

static void small(void)
{
    abr_opts opts = budget(ABR_HEAD_TAIL);
    opts.max.bytes = 2 * KB;
    cut_times(&opts, 1000);
}

static void pipeline(void)
{
    abr_opts opts = budget(ABR_PIPELINE);
    abr_cut result;
    opts.max.chars = 20000;
    opts.max.lines = 200;
    WANTS(abr_cut_text(text, text_size, &opts, &result, NULL) == ABR_OK);
    abr_cut_free(&result);
}

static void lines_of_search(void)
{
    uint64_t shown = 0;
    for (size_t at = 0; at + 1000 <= text_size; at += 1000)
        shown += abr_line(text + at, 1000, 250, 500, 20).n;
    WANTS(shown > 0);
}

static const workload_entry entries[] = {
    {"head, 4MB", prepare_4mb, head},
    {"tail, 4MB", prepare_4mb, tail},
    {"tail, one line of 4MB", prepare_one_line, tail},
    {"head_tail, 4MB", prepare_4mb, head_tail},
    {"tail by chars, 2MB not ASCII", prepare_chars, tail_chars},
    {"tail by chars, one line of 4MB", prepare_one_line, tail_chars_alone},
    {"head_tail, one line of 4MB", prepare_one_line, head_tail},
    {"head_tail by tokens, 4MB, 10 times", prepare_4mb, head_tail_tokens},
    {"head of 1MB, utf8_replace", prepare_chars, head_utf8_replace},
    {"pipeline, 4MB", prepare_4mb, pipeline},
    {"10KB that fits, 1000 times", prepare_10kb, fits},
    {"10KB cut to 2KB, 1000 times", prepare_10kb, small},
    {"line, 4000 windows", prepare_one_line, lines_of_search},
};

WORKLOADS(entries)
