/* Streams: chunks of a pipe, chunks of a byte, snapshots, and the full output on disk. */
#include "workload.h"

static void prepare(void)
{
    log_lines(4 * MB);
}

static void prepare_small(void)
{
    log_lines(100 * KB);
}

static abr_stream *opened(abr_strategy strategy, const char *dir)
{
    abr_opts opts = ABR_OPTS_INIT;
    abr_stream *stream = NULL;
    opts.strategy = strategy;
    opts.max.lines = 2000;
    opts.max.bytes = 30 * KB;
    WANTS(abr_stream_open(&opts, dir, dir ? "full" : NULL, &stream, NULL) == ABR_OK);
    return stream;
}

static void write_all(abr_stream *stream, size_t chunk)
{
    for (size_t at = 0; at < text_size; at += chunk) {
        size_t n = text_size - at < chunk ? text_size - at : chunk;
        WANTS(abr_stream_write(stream, text + at, n) == ABR_OK);
    }
}

static void finish(abr_stream *stream)
{
    abr_cut cut;
    WANTS(abr_stream_finish(stream, NULL, &cut, NULL) == ABR_OK && cut.total_bytes == text_size);
    abr_cut_free(&cut);
    abr_stream_close(stream);
}

static void in_chunks(abr_strategy strategy, size_t chunk)
{
    abr_stream *stream = opened(strategy, NULL);
    write_all(stream, chunk);
    finish(stream);
}

static void tail(void)
{
    in_chunks(ABR_TAIL, 64 * KB);
}

static void head(void)
{
    in_chunks(ABR_HEAD, 64 * KB);
}

static void head_tail(void)
{
    in_chunks(ABR_HEAD_TAIL, 4 * KB);
}

static void bytes(void)
{
    in_chunks(ABR_TAIL, 1);
}

static void snapshots(void)
{
    abr_stream *stream = opened(ABR_TAIL, NULL);
    write_all(stream, 64 * KB);
    for (int i = 0; i < 100; i++) {
        abr_cut cut;
        WANTS(abr_stream_snapshot(stream, NULL, &cut, NULL) == ABR_OK);
        abr_cut_free(&cut);
    }
    finish(stream);
}

/* As a display does that follows a command: the ring is turned each time. */
static void snapshots_between_writes(void)
{
    abr_stream *stream = opened(ABR_TAIL, NULL);
    size_t at = 0;
    for (size_t n = 5000; at < text_size; at += n) {
        abr_cut cut;
        n = text_size - at < n ? text_size - at : n;
        WANTS(abr_stream_write(stream, text + at, n) == ABR_OK);
        WANTS(abr_stream_snapshot(stream, NULL, &cut, NULL) == ABR_OK);
        abr_cut_free(&cut);
    }
    finish(stream);
}

static void spilled(void)
{
    abr_stream *stream = opened(ABR_TAIL, "spilled");
    write_all(stream, 64 * KB);
    WANTS(abr_stream_full_output(stream).bytes == text_size);
    finish(stream);
}

static const workload_entry entries[] = {
    {"tail stream, 4MB in 64KB", prepare, tail},
    {"head stream, 4MB in 64KB", prepare, head},
    {"head_tail stream, 4MB in 4KB", prepare, head_tail},
    {"tail stream, 100KB in single bytes", prepare_small, bytes},
    {"tail stream, 100 snapshots", prepare, snapshots},
    {"tail stream, 4MB in 5KB, a snapshot each", prepare, snapshots_between_writes},
    {"tail stream, full output on disk", prepare, spilled},
};

WORKLOADS(entries)
