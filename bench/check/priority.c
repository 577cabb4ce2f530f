/* The lines that matter: of a build, and under a flood of errors. */
#include "workload.h"

static void prepare_build(void)
{
    static const char error[] = "src/unit.c:3: error: use of undeclared identifier 'x'\n";
    repeat_line(2 * MB, "[%u] cc -O2 -Wall -Iinclude -c src/unit_%u.c\n");
    for (size_t i = 1; i < 20; i++) {
        const char *newline = memchr(text + i * text_size / 20, '\n', KB);
        WANTS(newline != NULL);
        memcpy(text + (newline + 1 - text), error, sizeof error - 1);
    }
}

static void prepare_flood(void)
{
    repeat_line(2 * MB, "src/unit_%u.c:3: error: use of undeclared identifier 'x%u'\n");
}

static void cut(size_t max_bytes)
{
    abr_opts opts = ABR_OPTS_INIT;
    abr_cut result;
    opts.strategy = ABR_PRIORITY;
    opts.max.bytes = max_bytes;
    WANTS(abr_cut_text(text, text_size, &opts, &result, NULL) == ABR_OK && result.hits_found > 0);
    abr_cut_free(&result);
}

static void priority(void)
{
    cut(30 * KB);
}

static void priority_small(void)
{
    cut(2 * KB);
}

static void priority_stream(void)
{
    abr_opts opts = ABR_OPTS_INIT;
    abr_stream *stream;
    abr_cut result;
    opts.strategy = ABR_PRIORITY;
    opts.max.bytes = 30 * KB;
    WANTS(abr_stream_open(&opts, NULL, NULL, &stream, NULL) == ABR_OK);
    for (size_t at = 0; at < text_size; at += 64 * KB)
        WANTS(abr_stream_write(stream, text + at, text_size - at < 64 * KB ? text_size - at : 64 * KB) ==
              ABR_OK);
    WANTS(abr_stream_finish(stream, NULL, &result, NULL) == ABR_OK);
    abr_cut_free(&result);
    abr_stream_close(stream);
}

static const workload_entry entries[] = {
    {"priority, 2MB of a build", prepare_build, priority},
    {"priority, 2MB of a build to 2KB", prepare_build, priority_small},
    {"priority stream, 2MB of a build", prepare_build, priority_stream},
    {"priority, 2MB of errors", prepare_flood, priority},
};

WORKLOADS(entries)
