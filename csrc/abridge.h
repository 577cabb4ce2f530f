/*
 * abridge: decide what a language model sees of a tool's output, within a hard budget, and say exactly what
 * was left out.
 *
 * This header is the whole public C API. It needs C11, and POSIX where a stream keeps its full output in a file; no
 * function here touches a locale or a global variable, so every function may be called from any thread on separate
 * data.
 *
 * Words used throughout:
 *   text     a byte string (p, n); every byte value is allowed, NUL too; never NUL-terminated. p may be NULL when n is 0.
 *   line     ends at '\n' or at the end of the text; a trailing '\n' ends the last line and starts no new one.
 *            A '\r' before '\n' belongs to its line. "" has 0 lines, "a" 1, "a\n" 1, "a\n\n" 2.
 *   char     a code point of well-formed UTF-8 (no surrogates, no overlong forms); each byte outside a
 *            well-formed sequence is one char of its own.
 *   token    what opts.count_tokens says, else abr_estimate_tokens() times opts.token_safety, rounded up.
 *   cut      to choose what is kept of a text. No cut falls inside a well-formed UTF-8 sequence.
 * Byte, line and char numbers in results are 1-based and inclusive. Sizes are in bytes unless named otherwise.
 */
#ifndef ABRIDGE_H
#define ABRIDGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The version of the library: of the header, the shared object, the Lua module and the rock. */
#define ABR_VERSION "0.1.0"

/* ABR_HIDDEN is for a shared object that has the core in it and shows none of it, as the Lua module. */
#if !defined(__GNUC__)
#define ABR_API
#elif defined(ABR_HIDDEN)
#define ABR_API __attribute__((visibility("hidden")))
#else
#define ABR_API __attribute__((visibility("default")))
#endif

/* The version the library was built as; equal to ABR_VERSION unless header and library were mixed. */
ABR_API const char *abr_version(void);

/* ---------------------------------------------------------------- errors and memory */

typedef enum {
    ABR_OK = 0,
    ABR_ENOMEM, /* the allocator returned NULL */
    ABR_EINVAL, /* an option is out of its range; message names it */
    ABR_ECOUNT, /* opts.count_tokens reported a failure */
    ABR_ENOENT, /* of a file, here and below: it is not there */
    ABR_EACCES,
    ABR_EISDIR,
    ABR_ENOTREG, /* it is no regular file; message says what it is: fifo, socket, device */
    ABR_EBINARY, /* it has a NUL near its start */
    ABR_EOFFSET, /* it has fewer lines; position says how many */
    ABR_ECOLUMN, /* the line has fewer chars; position says how many */
    ABR_EIO      /* it cannot be read */
} abr_code;

/* Filled when a function fails and the caller passed one; message is a constant string, position the byte of
 * the text the failure is about (0 when it is about none). */
typedef struct {
    abr_code code;
    const char *message;
    size_t position;
} abr_error;

/* A caller's allocator. realloc and free get what malloc returned; old_size is the size asked for before. */
typedef struct {
    void *(*malloc)(void *ctx, size_t size);
    void *(*realloc)(void *ctx, void *ptr, size_t old_size, size_t size);
    void (*free)(void *ctx, void *ptr);
    void *ctx;
} abr_alloc;

/* ---------------------------------------------------------------- options of a cut */

#define ABR_UNLIMITED UINT64_MAX          /* a budget that is not set */
#define ABR_COUNT_MAX (UINT64_C(1) << 53) /* the largest budget and count: exact in a double */
#define ABR_BYTES_PER_TOKEN 16            /* max.tokens bounds every cut to this many bytes a token */
#define ABR_TOKEN_SAFETY 1.35             /* default of opts.token_safety */
#define ABR_TOKEN_SAFETY_MAX 1000         /* the largest opts.token_safety */
#define ABR_HEAD_RATIO 0.3                /* default of opts.head_ratio */

typedef enum {
    ABR_HEAD = 0,  /* whole lines from the start */
    ABR_TAIL,      /* whole lines from the end */
    ABR_HEAD_TAIL, /* both ends, opts.head_ratio of the budget for the first */
    ABR_PIPELINE,  /* both ends in two stages, first by chars, then by lines; see abr_cut_text() */
    ABR_PRIORITY /* both ends, and between them the lines that matter: errors, failures, summaries */
} abr_strategy;

typedef enum { ABR_BY_NONE = 0, ABR_BY_LINES, ABR_BY_BYTES, ABR_BY_CHARS, ABR_BY_TOKENS } abr_unit;

typedef enum {
    ABR_LONG_DEFAULT = 0, /* omit for ABR_HEAD, split for the others */
    ABR_LONG_OMIT, /* a nearest line that alone is over budget gives an empty cut; only of ABR_HEAD and ABR_TAIL */
    ABR_LONG_SPLIT /* it is cut between chars */
} abr_long_line;

typedef enum { ABR_SNAP_LINE = 0, ABR_SNAP_CHAR } abr_snap;

typedef enum {
    ABR_MARKER_INSIDE = 0, /* the omission marker counts in the budget; left out when it alone is over it */
    ABR_MARKER_OUTSIDE,    /* it comes on top */
    ABR_MARKER_NONE        /* no marker; with ABR_SNAP_LINE the two sides still stand on lines of their own */
} abr_marker;

/* Budgets, 0 to ABR_COUNT_MAX each, or ABR_UNLIMITED; whichever forbids more decides. */
typedef struct {
    uint64_t lines;
    uint64_t bytes;
    uint64_t chars;
    uint64_t tokens;
} abr_budget;

/* Counts the tokens of (p, n) into *tokens; false stops the cut with ABR_ECOUNT. The count must not fall as the
 * text grows. Called O(log n) times a cut, each time with at most the budget's bytes, markers and reserve. */
typedef bool (*abr_count_fn)(void *ctx, const char *p, size_t n, uint64_t *tokens);

/* Groups of words that ABR_PRIORITY looks for; opts.quiet_groups switches some off. */
enum {
    ABR_GROUP_ERRORS = 1,        /* error, exception, the names of error types */
    ABR_GROUP_FAILURES = 2,      /* failed, failure, not ok */
    ABR_GROUP_FATAL = 4,         /* panic, traceback, signals, sanitizers */
    ABR_GROUP_PROBLEMS = 8,      /* cannot, undefined, denied, no such file */
    ABR_GROUP_WARNINGS = 16,     /* warning, deprecated */
    ABR_GROUP_EXPECTATIONS = 32, /* expected, actual, caused by */
    ABR_GROUP_SUMMARIES = 64,    /* counts of tests, exit codes */
    ABR_GROUPS = 127
};

/* A pattern that makes a line a hit of ABR_PRIORITY: a plain text that stands anywhere in it, `*` for any bytes. What
 * matches is at most ABR_HIT_MOST bytes long in a line of over 4096. */
typedef struct {
    const char *p;
    size_t n;      /* 1 to ABR_HIT_MOST */
    double weight; /* 1: as an error; 0: a line with it is no hit, whatever else it says; at most 100 */
    bool word;     /* not amid letters, digits and '_' */
    bool fold;     /* letters of ASCII match in either case */
} abr_hit;

#define ABR_HIT_MOST 1024
#define ABR_HITS_MOST 256
#define ABR_HIT_WEIGHT_MOST 100

typedef struct {
    abr_strategy strategy;
    abr_budget max;
    abr_count_fn count_tokens; /* NULL: the estimate */
    void *count_ctx;           /* handed to count_tokens */
    double
        token_safety; /* factor on the estimate, over 0, to ABR_TOKEN_SAFETY_MAX; count_tokens is taken at its word */
    const char *reserve; /* text the caller will append (a notice): set aside when the text is cut */
    size_t reserve_len;
    bool utf8_replace; /* each byte outside a well-formed sequence shows as U+FFFD and costs 3 bytes */
    abr_long_line long_line;
    double head_ratio;       /* 0 (all tail) to 1 (all head); ABR_HEAD_TAIL only */
    abr_snap snap;           /* ABR_HEAD_TAIL only */
    abr_marker marker;       /* ABR_HEAD_TAIL and ABR_PRIORITY */
    const char *marker_text; /* a format with {lines}, {bytes}, {chars}; NULL: the strategy's own */
    size_t marker_text_len;
    bool indicators;        /* headings around a cut by lines; ABR_PIPELINE only */
    const abr_hit *hits;    /* patterns of the caller; ABR_PRIORITY only */
    size_t hit_count;       /* at most ABR_HITS_MOST */
    unsigned quiet_groups;  /* a set of ABR_GROUP_..., switched off; ABR_PRIORITY only */
    const abr_alloc *alloc; /* NULL: libc */
} abr_opts;

/* Options with every budget unlimited and every other field at its default:  abr_opts o = ABR_OPTS_INIT; */
#define ABR_OPTS_INIT                                                                                        \
    {                                                                                                        \
        .max = {ABR_UNLIMITED, ABR_UNLIMITED, ABR_UNLIMITED, ABR_UNLIMITED},                                 \
        .token_safety = ABR_TOKEN_SAFETY, .head_ratio = ABR_HEAD_RATIO                                       \
    }

/* ---------------------------------------------------------------- cuts */

/* A part of the content, in order: a range of the source, or a marker. */
typedef struct {
    const char *p;       /* into the source text, or into memory that the cut owns */
    size_t n;            /* bytes at p, before opts.utf8_replace; never 0 */
    bool source;         /* false: a marker, and the fields below are 0 */
    uint64_t first_byte; /* 1-based, inclusive */
    uint64_t last_byte;  /* 1-based, inclusive */
    uint64_t first_line; /* number of the first line chosen here */
    uint64_t last_line;  /* number of the last line chosen here, an empty one at the edge too */
} abr_piece;

/* The ledger of a cut. Source pieces and the gaps between them tile the source exactly; a newline dropped at a
 * cut edge belongs to the gap. */
typedef struct {
    abr_strategy strategy;
    bool truncated;
    abr_unit truncated_by; /* ABR_BY_NONE when not truncated */
    uint64_t total_lines;  /* of the source, exact */
    uint64_t total_bytes;
    uint64_t total_chars;  /* counted when max.chars is set or a marker tells chars, else 0 */
    uint64_t output_lines; /* lines chosen, empty ones too; a line cut anywhere counts once */
    uint64_t output_bytes; /* source bytes kept; markers do not count */
    uint64_t output_chars; /* source chars kept, counted when total_chars is */
    uint64_t chars_before; /* source chars before the first range kept, counted when total_chars is; else 0 */
    uint64_t omitted_lines; /* total_lines - output_lines */
    uint64_t omitted_bytes; /* sum of the gaps */
    uint64_t line_bytes;    /* of the line at the edge that was split or omitted, without its newline */
    bool last_line_partial; /* the kept part ends (head) or begins (tail) inside a line */
    bool first_line_exceeds_limit; /* ABR_HEAD kept nothing because line 1 alone is over budget */
    uint64_t hits_found;           /* ABR_PRIORITY: lines that tell of something wrong */
    uint64_t hits_kept;            /* of these, lines of which something is kept */
    bool final_newline;            /* all but a final '\n' fitted; truncated is false */
    abr_budget max;                /* the budgets applied */
    const abr_piece *pieces;       /* what the content is made of, in order */
    size_t piece_count;
    size_t content_bytes; /* size of the content, utf8_replace applied */
    bool utf8_replace;
    void *block; /* owned: pieces and marker texts; see abr_cut_free() */
    const abr_alloc *alloc;
} abr_cut;

/*
 * Cut (p, n) by opts into *cut.
 *
 * Budgets are hard: kept text, marker (unless ABR_MARKER_OUTSIDE) and reserve together never exceed max.bytes,
 * max.chars and max.tokens; max.lines bounds source lines. A text that fits is kept whole: one piece (p, n), and
 * nothing is copied. A cut is maximal: no further whole line fits at any cut edge, and inside a split line no
 * further char. `truncated_by` is the budget that bound: the first of lines, bytes, chars, tokens that forbids the next
 * line at the cut edge, that of the tail where there are two. With more edges, or none at a line's end, it is the one
 * used most of those that the text exceeds; lines only where they are used up.
 *
 * ABR_PRIORITY keeps the last lines, the first one, and between them the lines that say that something went wrong, with
 * the lines that belong to them; a gap is marked on a line of its own, one inside a long line by " ... ". What is left
 * goes to the end: of a text without long lines at least 95 % of the budget is used. Where there is no hit it is
 * ABR_HEAD_TAIL.
 *
 * ABR_PIPELINE is the cut of the pipeline document: first by max.chars, then the result, its marker's lines too, by
 * max.lines; of the other options it knows head_ratio, indicators, utf8_replace and alloc. Its markers come on top of
 * the budgets, and chars are always counted. {chars} is what the first stage removed, {lines} the source lines of which
 * nothing is kept; truncated_by is ABR_BY_LINES where the second stage cut, else ABR_BY_CHARS.
 *
 * The pieces point into p (or, of ABR_PRIORITY, into the cut): keep the text until the cut has been written. Release with abr_cut_free() whatever
 * the result. Cost: one pass over the text for its lines, and its chars when these are wanted, and time
 * in proportion to the budget; one allocation that the cut owns, and scratch for markers and tokens that is freed
 * before return; with max.tokens also O(log n) counts of candidates.
 * Fails with ABR_EINVAL (ratio, safety, strategy or a budget out of range), ABR_ENOMEM, ABR_ECOUNT.
 */
ABR_API abr_code abr_cut_text(const char *p, size_t n, const abr_opts *opts, abr_cut *cut, abr_error *error);

/* Write the cut's content, content_bytes bytes, to dst. The text that was cut must still be there. */
ABR_API void abr_cut_write(const abr_cut *cut, char *dst);

/* Release what the cut owns; safe on a zeroed cut, on one that failed, and twice. */
ABR_API void abr_cut_free(abr_cut *cut);

/* ---------------------------------------------------------------- streams */

/* A text that comes in chunks, of which the cut of opts is wanted. One thread at a time. */
typedef struct abr_stream abr_stream;

/* Where the full output of a stream is. */
typedef struct {
    const char *path;  /* NULL: no file was made; valid until the stream is closed */
    uint64_t bytes;    /* in the file */
    const char *error; /* why the file is short or missing, or NULL */
    const char *code;  /* the same in short ("ENOSPC"), or NULL */
} abr_full_output;

/*
 * Open a stream. What is kept is what abr_cut_text() would keep of all chunks together, for every chunking.
 *
 * Memory: at most twice the budget and 256 KiB, of ABR_PRIORITY 64 times the budget and 1 MiB, whatever flows through. The budget in bytes is max.bytes, or else 4
 * bytes a char, or else 16 a token; a stream limited in lines alone gets max.bytes of 1 MiB. opts and its strings are
 * copied; count_tokens runs in snapshot and finish only.
 * dir and name, unless NULL, say where the full output goes: into a file of mode 0600 that is made when the first byte
 * is about to be lost, in a folder of mode 0700 (made where missing; one with another owner or wider mode is refused).
 * Trouble with it never fails a call: see abr_stream_full_output().
 * Fails with ABR_EINVAL, ABR_ENOMEM.
 */
ABR_API abr_code abr_stream_open(const abr_opts *opts, const char *dir, const char *name, abr_stream **stream,
                                 abr_error *error);

/* Add a chunk. Cost: one pass over it. ABR_ENOMEM: the stream is as before. */
ABR_API abr_code abr_stream_write(abr_stream *stream, const char *p, size_t n);

/* What one cut of a stream may change of its options: budgets under its own (ABR_UNLIMITED: as they are), the
 * text to set aside (NULL: as it is), and what becomes of a long line (ABR_LONG_DEFAULT: as it is). */
typedef struct {
    abr_budget max;
    const char *reserve;
    size_t reserve_len;
    abr_long_line long_line;
} abr_narrow;

/* The cut of what has come so far; the stream goes on. narrow may be NULL. The cut's pieces are valid until the next call on the stream.
 * Cost: in proportion to the budget. */
ABR_API abr_code abr_stream_snapshot(abr_stream *stream, const abr_narrow *narrow, abr_cut *cut,
                                     abr_error *error);

/*
 * Let the snapshots show (p, n) behind what has come, until the next call of this, of write or finish: text that may
 * still change, and is therefore not written yet. It stays out of the full output. The text is copied, and
 * what it pushes out is set aside: as many bytes at most, beside the memory of the stream. ABR_ENOMEM.
 */
ABR_API abr_code abr_stream_preview(abr_stream *stream, const char *p, size_t n);

/* The cut of all that came, and the full output brought to its end; nothing may be written afterwards, but further
 * snapshots may be taken. Where it fails the stream is not finished, and it may be called again. */
ABR_API abr_code abr_stream_finish(abr_stream *stream, const abr_narrow *narrow, abr_cut *cut,
                                   abr_error *error);

/* Was the stream finished? */
ABR_API bool abr_stream_finished(const abr_stream *stream);

/* The full output so far. */
ABR_API abr_full_output abr_stream_full_output(const abr_stream *stream);

/* Release the stream; its file stays. NULL is fine. */
ABR_API void abr_stream_close(abr_stream *stream);

/* ---------------------------------------------------------------- pages of files */

/* Where the lines of files are, kept for their next pages. One thread at a time. */
typedef struct abr_index abr_index;

/*
 * An index for the pages of any files. It knows a file by device, inode, size and time of change, keeps an entry for
 * every 64 KiB of it (fewer of large files: 1 MiB of entries at most, as much again where chars are counted), and
 * keeps the 16 files that were used last. A file that was written within the clock tick of its file system is not
 * kept: it might be written again and look the same. Fails with ABR_ENOMEM.
 */
ABR_API abr_code abr_index_open(const abr_alloc *alloc, abr_index **index, abr_error *error);

/* Memory of an index, in bytes. */
ABR_API uint64_t abr_index_bytes(const abr_index *index);

/* Release an index; no page that uses it may be cut afterwards. NULL is fine. */
ABR_API void abr_index_close(abr_index *index);

/* A part of a file from a line on, of which cuts are wanted. One thread at a time. */
typedef struct abr_page abr_page;

typedef struct {
    abr_opts cut;        /* how much; its strings must live as long as the page */
    uint64_t offset;     /* number of the first line wanted, from 1 */
    uint64_t column;     /* first char wanted of that line, and a line over budget is split; 0: neither */
    uint64_t limit;      /* lines wanted, or ABR_UNLIMITED: the smaller of it and cut.max.lines counts */
    const char *version; /* of the page before, to learn whether the file changed since; or NULL */
    bool binary;         /* read it although a NUL stands in its first 8,000 bytes */
    abr_index *index;    /* or NULL */
} abr_page_opts;

#define ABR_PAGE_OPTS_INIT                                                                                   \
    {                                                                                                        \
        .cut = ABR_OPTS_INIT, .offset = 1, .limit = ABR_UNLIMITED                                            \
    }

/* What is known of a page beside its cuts. */
typedef struct {
    uint64_t first_byte; /* 1-based, of the file: where the page starts */
    uint64_t first_char; /* the same in chars; 0 unless chars are counted, for max.chars */
    uint64_t total_lines;
    uint64_t total_bytes;
    uint64_t total_chars; /* counted for max.chars, else 0 */
    const char *version;  /* the file's identity in short; "" for a text; valid until the page is closed */
    bool changed; /* the file is not the one of opts.version, or it did not stay the same while it was read */
} abr_page_info;

/* The lines that a cut of a page shows, and where the page after it starts. */
typedef struct {
    uint64_t first_line; /* numbers in the file; of a page that shows nothing both are its offset */
    uint64_t last_line;
    uint64_t next_offset; /* line to go on at; 0: there is none */
    uint64_t next_column; /* char to go on at; 0: the line's start */
} abr_page_lines;

/*
 * Open a page of the file at path, a regular file: nothing else is opened. Links are followed.
 *
 * What is read is the file at the size it had when it was opened. If it changes meanwhile it is read anew, a few
 * times; a file that never stays the same is told as changed, or fails with ABR_EIO where it shrinks.
 * Totals are exact. A file that does not tell its size (/proc) is read whole, up to 64 MiB. An empty file has an empty
 * first page.
 * Memory: the budget (as of a stream), 256 KiB, and an index where opts has none. Cost: one pass over the file, or with
 * an index that knows the file a look at two strides of it and the budget; with a column also the chars before it from
 * the last page of that line on.
 * Fails with ABR_EINVAL, ABR_ENOMEM and the codes of a file.
 */
ABR_API abr_code abr_page_open(const char *path, const abr_page_opts *opts, abr_page **page,
                               abr_error *error);

/*
 * Open a page in steps, for who may not wait for a whole pass: begin, then step until *done. Each step reads about `most`
 * bytes of the file (at least a block of 256 KiB, or 64 MiB of a file that does not tell its size), and a constant more.
 * What comes of it is what abr_page_open() gives, whatever the steps; the file counts as changing until the last one.
 * Until then nothing but abr_page_step() and abr_page_close() may be called, and after a step that failed nothing but
 * abr_page_close(). Fail as abr_page_open(); *page is NULL after a failed begin.
 */
ABR_API abr_code abr_page_begin(const char *path, const abr_page_opts *opts, abr_page **page,
                                abr_error *error);
ABR_API abr_code abr_page_step(abr_page *page, uint64_t most, bool *done, abr_error *error);

/* A page of a text, which must live as long as the page; opts.index and opts.version are not used. */
ABR_API abr_code abr_page_text(const char *p, size_t n, const abr_page_opts *opts, abr_page **page,
                               abr_error *error);

/*
 * Cut the page, whose pieces and totals are told in places of the whole file. May be called again, with other budgets
 * under its own. lines->next_offset is told for the strategies that begin with the first line; for
 * a line that was omitted the same line and column 1, which splits it. There is none when nothing is left, or when not
 * one char fitted. Following it from line 1 to the end, with ABR_LONG_SPLIT, rebuilds the file: join pages by '\n'
 * where next_column was 0, else by nothing.
 * The pieces are valid until the page is closed. Cost: in proportion to the budget. Errors as abr_cut_text().
 */
ABR_API abr_code abr_page_cut(abr_page *page, const abr_narrow *narrow, abr_cut *cut, abr_page_lines *lines,
                              abr_error *error);

ABR_API abr_page_info abr_page_about(const abr_page *page);

/* Read n bytes behind the first `at` of the page, fewer only at the end of the file. */
ABR_API abr_code abr_page_read(abr_page *page, uint64_t at, char *dst, size_t n, size_t *got,
                               abr_error *error);

/* Is the file another one, or in another state, than when it was opened? Also told as `changed` from then on. */
ABR_API bool abr_page_changed(abr_page *page);

/* Read n bytes behind the first `at` of the file at path, fewer only at its end, to learn what it is before it is paged;
 * *size gets what it tells as its size. Errors as abr_page_open(). */
ABR_API abr_code abr_file_read_at(const char *path, uint64_t at, char *dst, size_t n, size_t *got,
                                  uint64_t *size, abr_error *error);

/* Release the page. NULL is fine. */
ABR_API void abr_page_close(abr_page *page);

/* ---------------------------------------------------------------- lines */

/* The window of a long line that abr_line() shows. */
typedef struct {
    size_t first;    /* 0-based byte offset of the window */
    size_t n;        /* its bytes */
    bool cut_before; /* text is missing before it: show ABR_LINE_BEFORE first */
    bool cut_after;  /* text is missing after it: show ABR_LINE_AFTER last */
} abr_window;

#define ABR_LINE_BEFORE "[truncated] ..."
#define ABR_LINE_AFTER "... [truncated]"

/*
 * The part of one line to show within max_chars chars (the two texts above come on top). match_len = 0: its
 * first chars. Otherwise the window is moved so that the match (match_at a 0-based byte offset, match_len bytes)
 * shows, with the room left over split evenly around it; of a match longer than the window its start shows.
 * A line within max_chars is the window whole. Cost: one pass over the line.
 */
ABR_API abr_window abr_line(const char *p, size_t n, uint64_t max_chars, size_t match_at, size_t match_len);

/* ---------------------------------------------------------------- counting and sizes */

/* Lines of a text, as defined at the top. Cost: one pass, near memory speed. */
ABR_API uint64_t abr_count_lines(const char *p, size_t n);

/* Chars of a text; *invalid, unless NULL, gets how many of them are bytes outside well-formed UTF-8. One pass. */
ABR_API uint64_t abr_count_chars(const char *p, size_t n, uint64_t *invalid);

/* Bytes of the first `chars` chars of a text, or n when it has fewer. One pass over them. */
ABR_API size_t abr_skip_chars(const char *p, size_t n, uint64_t chars);

/* Tokens of a text by our estimate, before token_safety: what a tokenizer of the o200k kind would count, give or take
 * 5 % for most texts and 17 % for 19 of 20; bytes outside UTF-8 are weighed low. Never falls as a text grows at its start
 * or end. One pass, O(1) memory, equal on every machine. Not for counts that are paid for: ask the model's own counter. */
ABR_API uint64_t abr_estimate_tokens(const char *p, size_t n);

/* The estimate times a safety factor, rounded up: what a token budget weighs where no counter is given. */
ABR_API uint64_t abr_weigh_tokens(const char *p, size_t n, double safety);

/* Which instructions texts are scanned with: "avx2", "sse2", "neon", or "scalar", which is portable C. Chosen once, when
 * something is first scanned, or here: what ABRIDGE_SIMD in the environment names, or the best of this processor where
 * that is not set or names none that it has. Speed alone depends on it, no result. */
ABR_API const char *abr_simd(void);

#define ABR_SIZE_MAX 16 /* room for any printed size and its NUL */

/* Print a size as 512B, 1.5KB, 30KB, 2.3MB, 1GB: 1024-based, one decimal, halves up, a trailing .0 dropped,
 * 1024 of a unit as 1 of the next, up to PB. n is at most ABR_COUNT_MAX. Returns the length. */
ABR_API size_t abr_format_size(uint64_t n, char dst[ABR_SIZE_MAX]);

/* Read a size as printed above, rounded down to whole bytes: digits, an optional fraction, an optional unit in
 * either case ("30KB", "1.5 mb", "512"). False when (p, n) is no size or over ABR_COUNT_MAX. */
ABR_API bool abr_parse_size(const char *p, size_t n, uint64_t *size);

/* ---------------------------------------------------------------- terminal noise */

/* What cleaning knows in a text that was written for a terminal. */
typedef enum {
    ABR_CLEAN_RETURN = 0, /* carriage return; one before a newline just goes */
    ABR_CLEAN_BACKSPACE,
    ABR_CLEAN_TAB,     /* in a line that is rewritten: it becomes blanks */
    ABR_CLEAN_ERASE,   /* erase in line and in display; erase, delete, insert chars; reset */
    ABR_CLEAN_CURSOR,  /* moves of the cursor; its place saved and restored */
    ABR_CLEAN_COLOR,   /* SGR */
    ABR_CLEAN_STRING,  /* OSC (hyperlinks keep their text), DCS, APC, PM, SOS */
    ABR_CLEAN_CHARSET, /* charset designations, and all other escapes with intermediate bytes */
    ABR_CLEAN_ESCAPE,  /* every other escape sequence, and what never ended */
    ABR_CLEAN_CONTROL, /* control bytes that are none of the above, nor newline */
    ABR_CLEAN_C1,      /* U+0080 to U+009F */
    ABR_CLEAN_INVALID, /* a byte outside well-formed UTF-8: it becomes U+FFFD */
    ABR_CLEAN_KINDS
} abr_clean_kind;

typedef struct {
    unsigned keep;          /* kinds to leave in the text as they are: bits 1u << kind */
    const abr_alloc *alloc; /* NULL: libc */
    /* Also take out what hides text from people: tags (U+E0000 to U+E007F), chars without width, bidi controls. Those
     * stay that their neighbours need: joiners and variation selectors in emoji, the tags of a flag, joiners and marks
     * beside letters of the scripts that are written with them; of several in a row one. */
    bool invisible;
} abr_clean_opts;

/* What was found. */
typedef struct {
    uint64_t raw_bytes;              /* that came */
    uint64_t bytes;                  /* of the cleaned text */
    uint64_t count[ABR_CLEAN_KINDS]; /* of each kind that was not kept */
    uint64_t invisible;              /* chars taken out that hide text */
} abr_clean_stats;

/* Takes the next n bytes of a text; false: it cannot. */
typedef bool (*abr_sink_fn)(void *ctx, const char *p, size_t n);

/* A text that comes in chunks and is turned into what a terminal would finally show of it. One thread at a time. */
typedef struct abr_cleaner abr_cleaner;

/*
 * Open a cleaner. What it hands to `sink` does not depend on how the text was split into chunks.
 *
 * The terminal has lines of any width and 100 of them; of these the last 64 KiB can be rewritten (a move to the right
 * goes to column 4096 at most, or to the end of the line). Older text is final. '\n' also returns to column 1. Columns
 * are those of abr_cells(). A wide char of which one half is overwritten becomes a blank; a char without cells belongs
 * to the char before it. A tab stays a tab in a line that is not rewritten, and becomes blanks in one that is; such a
 * line ends in no blanks. Sequences swallow at most 4 KiB when they do not end; what is not known is dropped. The
 * result is well-formed UTF-8, and cleaning it again changes nothing, unless kinds are kept: these stay in the text as
 * bytes that take no cells.
 *
 * Memory: 256 KiB, all of it from the start. Fails with ABR_EINVAL (unknown kinds in opts->keep), ABR_ENOMEM.
 */
ABR_API abr_code abr_cleaner_open(const abr_clean_opts *opts, abr_sink_fn sink, void *sink_ctx,
                                  abr_cleaner **cleaner, abr_error *error);

/* Add a chunk. Cost: one pass over it, and a copy; where the cursor moves, in proportion to the chunk and what becomes
 * final, however long its lines are and wherever it goes: a control or char costs at most a look at 1,000 stretches of a
 * line, or a move of the 64 KiB that can be rewritten. ABR_ENOMEM: the sink said no, and what it was given is lost. */
ABR_API abr_code abr_cleaner_write(abr_cleaner *cleaner, const char *p, size_t n);

/* Copy to dst the text that the sink has not got yet, as it stands: 192 KiB at most (and 32 bytes, of chars that
 * may be taken out). NULL measures. Returns the bytes. */
ABR_API size_t abr_cleaner_pending(const abr_cleaner *cleaner, char *dst);

/* Hand over the rest; nothing may be written afterwards. stats may be NULL. Errors as abr_cleaner_write(). */
ABR_API abr_code abr_cleaner_finish(abr_cleaner *cleaner, abr_clean_stats *stats);

/* What was found so far; the pending text counts in `bytes`. */
ABR_API abr_clean_stats abr_cleaner_stats(const abr_cleaner *cleaner);

/* Release the cleaner. NULL is fine. */
ABR_API void abr_cleaner_close(abr_cleaner *cleaner);

/* A text after cleaning. */
typedef struct {
    const char *p; /* the text itself where nothing had to change, else memory that this owns */
    size_t n;
    bool changed;
    abr_clean_stats stats;
    char *block; /* owned; see abr_cleaned_free() */
    size_t block_size;
    const abr_alloc *alloc;
} abr_cleaned;

/* Clean a whole text. Where nothing has to change this is one pass near memory speed, without allocation. Release the
 * result with abr_cleaned_free() whatever the outcome. Errors as abr_cleaner_open(). */
ABR_API abr_code abr_clean_text(const char *p, size_t n, const abr_clean_opts *opts, abr_cleaned *cleaned,
                                abr_error *error);

/* Release what it owns; safe on a zeroed one, on one that failed, and twice. */
ABR_API void abr_cleaned_free(abr_cleaned *cleaned);

/* ---------------------------------------------------------------- display cells */

/* Cells a terminal gives to a text: 0 for controls and combining chars, 2 for wide and fullwidth chars and emoji
 * presentation, 1 for others and for each byte outside well-formed UTF-8. One pass, no locale. */
ABR_API uint64_t abr_cells(const char *p, size_t n);

/* Bytes of the longest prefix of a text that fits `width` cells; it ends between chars, and never before a combining
 * char that belongs to the last one. */
ABR_API size_t abr_fit_cells(const char *p, size_t n, uint64_t width);

/* ---------------------------------------------------------------- TruncationInfo */

typedef enum { ABR_SIZE_CAP = 0, ABR_LINE_CAP, ABR_ROW_CAP, ABR_EXEC_BUDGET, ABR_ITEM_CAP } abr_reason;

/* The wire name of a reason ("size_cap"), or NULL when it is none. */
ABR_API const char *abr_reason_name(abr_reason reason);

enum { ABR_RESUME_HINT_MOST = 1024 /* bytes of a resume_hint */ };

/* The truncation block every reading tool attaches to its response (the reading-tool contract). */
typedef struct {
    bool truncated;
    uint64_t bytes_returned; /* bytes of content before notices, after any ceiling */
    uint64_t bytes_total;    /* of the whole source; ABR_UNLIMITED: unknown, left out */
    uint64_t next_offset;    /* ABR_UNLIMITED: the tool cannot resume; left out */
    const char *resume_hint; /* NULL: left out; only together with next_offset */
    size_t resume_hint_len;  /* at most ABR_RESUME_HINT_MOST, which is the caller's to see to */
    abr_reason reason;       /* always on the wire; ABR_SIZE_CAP when not truncated */
} abr_info;

/*
 * Serialize info as compact JSON, fields in the contract's order, into dst when the result fits in cap bytes.
 * Returns the size needed (no NUL is written); call with cap 0 to measure. Valid JSON for any bytes in
 * resume_hint: control characters are escaped, bytes outside well-formed UTF-8 become U+FFFD.
 */
ABR_API size_t abr_info_json(const abr_info *info, char *dst, size_t cap);

#ifdef __cplusplus
}
#endif
#endif
