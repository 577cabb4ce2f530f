/*
 * abridge decides what a language model sees of a tool's output, within a hard budget, and says exactly
 * what was left out.
 *
 * This header is the whole public C API, a page per concept:
 *   errors and memory        streams                   counting and sizes    locations
 *   options of a cut         pages of files            terminal noise        TruncationInfo
 *   cuts                     splices                   display cells
 *                            one long line
 *
 * It needs C11, and POSIX or Windows for files. No function uses a locale, and the only global state is the
 * choice of abr_simd(). So any function may be called from any thread, as long as no two threads use the same
 * stream, page, index, cleaner or cut at once. Using a cut of a stream or page counts as using that stream or
 * page, and using a page as using its index. The library never aborts, prints or raises a signal.
 *
 * Words used throughout:
 *   text     a byte string (p, n). Any byte may occur in it, NUL included, and no NUL ends it. p may be NULL
 *            if n is 0.
 *   line     ends at '\n' or at the end of the text. A trailing '\n' ends the last line and starts no new
 *            one. A '\r' before '\n' belongs to its line. "" has 0 lines, "a" 1, "a\n" 1, "a\n\n" 2.
 *   char     a code point of well-formed UTF-8 (no surrogates, no overlong forms). Each byte outside a
 *            well-formed sequence is one char of its own.
 *   token    counted by opts.count_tokens, or if that is NULL, by abr_estimate_tokens() times
 *            opts.token_safety, rounded up.
 *   cut      to choose the parts of a text to keep. No cut falls inside a well-formed UTF-8 sequence.
 * Byte, line and char numbers in results are 1-based and inclusive. Sizes are in bytes unless said otherwise.
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
#define ABR_VERSION "0.3.0"

/* Define ABR_HIDDEN to build the library into a shared object, such as the Lua module,
 * that must not export it. */
#if !defined(__GNUC__)
#define ABR_API
#elif defined(ABR_HIDDEN)
#define ABR_API __attribute__((visibility("hidden")))
#else
#define ABR_API __attribute__((visibility("default")))
#endif

/* The version the library was built as. It differs from ABR_VERSION only if header and library do not
 * match. */
ABR_API const char *abr_version(void);

/* ================================================================ errors and memory */

typedef enum {
    ABR_OK = 0,
    ABR_ENOMEM, /* the allocator returned NULL */
    ABR_EINVAL, /* an option is out of its range; message names it */
    ABR_ECOUNT, /* opts.count_tokens failed */

    /* Failures of a file. */
    ABR_ENOENT,  /* it does not exist */
    ABR_EACCES,  /* it may not be read */
    ABR_EISDIR,  /* it is a directory */
    ABR_ENOTREG, /* it is not a regular file; message says what it is: fifo, socket, device */
    ABR_EBINARY, /* it has a NUL near its start */
    ABR_EOFFSET, /* it has fewer lines; position says how many */
    ABR_ECOLUMN, /* the line has fewer chars; position says how many */
    ABR_EIO,     /* it cannot be read */
    ABR_EJSON,   /* it is not JSON from the byte at position on; message says why */
    /* opts.pointer leads nowhere; message says why, position how many bytes of it lead somewhere */
    ABR_EPOINTER
} abr_code;

/* Filled in by a function that fails, if the caller passed one. Unchanged after success. */
typedef struct {
    abr_code code;
    const char *message; /* a constant string */
    size_t position;     /* the byte of the text that the failure is about, 0 for none; see the codes */
} abr_error;

/* A caller's allocator. `realloc` and `free` get pointers that `malloc` or `realloc` returned, never NULL;
 * old_size is the size last asked for. The allocator must outlive everything made with it. */
typedef struct {
    void *(*malloc)(void *ctx, size_t size);
    void *(*realloc)(void *ctx, void *ptr, size_t old_size, size_t size);
    void (*free)(void *ctx, void *ptr);
    void *ctx;
} abr_alloc;

/* ================================================================ options of a cut */

#define ABR_UNLIMITED UINT64_MAX          /* a budget that is not set */
#define ABR_COUNT_MAX (UINT64_C(1) << 53) /* the largest budget and count: exact in a double */
#define ABR_BYTES_PER_TOKEN 16            /* max.tokens also limits a cut to this many bytes a token */
#define ABR_TOKEN_SAFETY 1.35             /* default of opts.token_safety */
#define ABR_TOKEN_SAFETY_MAX 1000         /* the largest opts.token_safety */
#define ABR_HEAD_RATIO 0.3                /* default of opts.head_ratio */

typedef enum {
    ABR_HEAD = 0,  /* whole lines from the start */
    ABR_TAIL,      /* whole lines from the end */
    ABR_HEAD_TAIL, /* both ends, opts.head_ratio of the budget for the first */
    ABR_PIPELINE,  /* both ends in two stages, by chars and then by lines; see abr_cut_text() */
    ABR_PRIORITY,  /* both ends, and between them the lines that matter: errors, failures, summaries */
    ABR_AUTO       /* depends on the kind of text: see abr_kind */
} abr_strategy;

enum { ABR_KIND_BYTES = 256 * 1024 }; /* bytes at the start of a text that tell its kind */

/* Kinds of text, for ABR_AUTO. A log is cut as with ABR_PRIORITY, text as with ABR_HEAD_TAIL; a binary is
 * shown as one line that describes it; the other kinds are cut part by part. Call abr_tell() before you clean
 * a text: a cleaned binary looks like text. */
typedef enum {
    ABR_KIND_TOLD = 0,   /* in options: told from the text; in a cut: the strategy was not ABR_AUTO */
    ABR_KIND_LOG,        /* output of a command at work, and anything that may be that or text */
    ABR_KIND_TEXT,       /* source, prose, listings, markup */
    ABR_KIND_JSON,       /* one JSON object, array or string */
    ABR_KIND_JSON_LINES, /* one object or array per line, or many of several lines */
    ABR_KIND_TABLE,      /* CSV, TSV, and columns aligned under a header */
    ABR_KIND_DIFF,       /* unified diffs, and commits with their diffs */
    ABR_KIND_BINARY,     /* recognized by its first bytes, or not text, judging by its first 8 KiB */
    ABR_KIND_MIXED,      /* parts of several kinds; not valid in options */
    ABR_KINDS            /* number of kinds */
} abr_kind;

typedef enum { ABR_BY_NONE = 0, ABR_BY_LINES, ABR_BY_BYTES, ABR_BY_CHARS, ABR_BY_TOKENS } abr_unit;

/* How to treat a line at the cut edge that alone is over budget. */
typedef enum {
    ABR_LONG_DEFAULT = 0, /* omit for ABR_HEAD, split for the others */
    ABR_LONG_OMIT,        /* the cut is empty; only for ABR_HEAD and ABR_TAIL */
    ABR_LONG_SPLIT        /* it is split between chars */
} abr_long_line;

/* The two sides of a cut end at line ends, or between any two chars. */
typedef enum { ABR_SNAP_LINE = 0, ABR_SNAP_CHAR } abr_snap;

typedef enum {
    /* the omission marker counts toward the budget, and is left out if it alone exceeds it */
    ABR_MARKER_INSIDE = 0,
    ABR_MARKER_OUTSIDE, /* it comes on top of the budget */
    ABR_MARKER_NONE     /* no marker; with ABR_SNAP_LINE the two sides still stand on lines of their own */
} abr_marker;

/* Budgets, 0 to ABR_COUNT_MAX each, or ABR_UNLIMITED. The strictest one decides. */
typedef struct {
    uint64_t lines;
    uint64_t bytes;
    uint64_t chars;
    uint64_t tokens;
} abr_budget;

/* Puts the tokens of (p, n) into *tokens; false stops the cut with ABR_ECOUNT. The count must not fall as the
 * text grows. Called O(log n) times per cut, each time with at most the budget's bytes, markers and reserve.
 * It must not longjmp() out of the library: the cut's memory would leak. */
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

#define ABR_HIT_MOST 1024       /* bytes of a pattern */
#define ABR_HITS_MOST 256       /* patterns */
#define ABR_HIT_WEIGHT_MOST 100 /* the largest weight of a pattern */

/* A pattern that makes a line a hit for ABR_PRIORITY: plain text anywhere in the line, with `*` for any
 * bytes. In a line of over 4096 bytes, a match of more than ABR_HIT_MOST bytes may be missed. */
typedef struct {
    const char *p;
    size_t n;      /* 1 to ABR_HIT_MOST */
    double weight; /* 0 to ABR_HIT_WEIGHT_MOST; 1: as an error; 0: the line is never a hit */
    bool word;     /* whole words only, of letters, digits and '_' */
    bool fold;     /* ASCII letters match in either case */
} abr_hit;

/* Fields that a strategy does not use are ignored, but head_ratio and token_safety must always be in
 * range. */
typedef struct {
    abr_strategy strategy;
    abr_budget max;
    abr_count_fn count_tokens; /* NULL: the estimate */
    void *count_ctx;           /* handed to count_tokens */
    double token_safety; /* factor on the estimate, over 0, up to ABR_TOKEN_SAFETY_MAX; not on count_tokens */
    const char *reserve; /* text the caller will append (a notice): room is set aside if the text is cut */
    size_t reserve_len;
    bool utf8_replace; /* each byte outside a well-formed sequence shows as U+FFFD and costs 3 bytes */
    abr_long_line long_line;
    double head_ratio; /* 0 (all tail) to 1 (all head); ABR_HEAD_TAIL, ABR_PIPELINE, ABR_AUTO for text */
    abr_snap snap;     /* ABR_HEAD_TAIL, and ABR_AUTO for text */
    abr_marker marker; /* ABR_HEAD_TAIL, ABR_PRIORITY and ABR_AUTO */
    const char *marker_text; /* a format with {lines}, {bytes}, {chars}; NULL: the strategy's own */
    size_t marker_text_len;
    bool indicators;        /* headings around a cut by lines; ABR_PIPELINE only */
    const abr_hit *hits;    /* patterns of the caller, copied; ABR_PRIORITY and ABR_AUTO */
    size_t hit_count;       /* at most ABR_HITS_MOST */
    unsigned quiet_groups;  /* a set of ABR_GROUP_..., switched off; ABR_PRIORITY and ABR_AUTO */
    abr_kind kind;          /* ABR_AUTO only; a text that can't be read as this kind is cut as text */
    const abr_alloc *alloc; /* NULL: libc */
} abr_opts;

/* Options with every budget unlimited and every other field at its default:  abr_opts o = ABR_OPTS_INIT; */
#define ABR_OPTS_INIT                                                                                        \
    {                                                                                                        \
        ABR_HEAD, {ABR_UNLIMITED, ABR_UNLIMITED, ABR_UNLIMITED, ABR_UNLIMITED}, NULL, NULL,                  \
            ABR_TOKEN_SAFETY, NULL, 0, false, ABR_LONG_DEFAULT, ABR_HEAD_RATIO, ABR_SNAP_LINE,               \
            ABR_MARKER_INSIDE, NULL, 0, false, NULL, 0, 0, ABR_KIND_TOLD, NULL                               \
    }

/* Fill in the same options, for hosts that can't use the macro, such as an FFI. */
ABR_API void abr_opts_init(abr_opts *opts);

/* ================================================================ cuts */

/* A part of the content: a range of the source, or a marker. */
typedef struct {
    const char *p; /* into the source text, or into memory that the cut owns */
    /* bytes at p, before opts.utf8_replace; never 0. Fewer than in its range if blanks between JSON values
     * are left out */
    size_t n;
    bool source;         /* false: a marker, and the fields below are 0 */
    uint64_t first_byte; /* 1-based, inclusive */
    uint64_t last_byte;  /* 1-based, inclusive */
    uint64_t first_line; /* number of the first line chosen here */
    uint64_t last_line;  /* number of the last line chosen here, even an empty one at the edge */
} abr_piece;

/* The units of a cut's items. */
typedef enum {
    ABR_ITEM_ELEMENTS = 0, /* of a JSON array */
    ABR_ITEM_MEMBERS,      /* of a JSON object */
    ABR_ITEM_CHARS,        /* of a JSON string, decoded */
    ABR_ITEM_RECORDS,      /* of JSON, one per line */
    ABR_ITEM_ROWS,         /* of a table; the header doesn't count */
    ABR_ITEM_FILES,        /* of a diff; kept if all of it or one of its hunks shows */
    ABR_ITEM_HUNKS,
    ABR_ITEM_COMMITS /* of a diff with several; kept if its hash shows */
} abr_item_unit;

enum { ABR_ITEMS_MOST = 16 };

/* How many parts of something a cut keeps; a partly shown one counts. */
typedef struct {
    abr_item_unit unit;
    const char *of; /* of_len bytes: a JSON pointer (RFC 6901); NULL: of the whole text */
    size_t of_len;
    uint64_t total;
    uint64_t kept;
} abr_item;

enum { ABR_PARTS_MOST = 16 };

/* A part of an output of several commands: a run of lines of one kind. A line that a document starts or ends
 * in is one of both parts. */
typedef struct {
    abr_kind kind;
    uint64_t first_line; /* 1-based, inclusive */
    uint64_t last_line;
    uint64_t output_lines; /* lines of it that are kept at least in part */
} abr_part;

/* The wire name of a unit: "elements". NULL if there is no such unit. */
ABR_API const char *abr_item_name(abr_item_unit unit);

/* The wire name of a kind: "json_lines"; NULL for ABR_KIND_TOLD, and if there is no such kind. */
ABR_API const char *abr_kind_name(abr_kind kind);

/* The kind of (p, n), judged by its first ABR_KIND_BYTES; if these are text that people write, also by any
 * log after them. Cost: linear in these bytes, and a few lines of each 64 KiB after them; nothing is
 * allocated. */
ABR_API abr_kind abr_tell(const char *p, size_t n);

/* The kind of a text, and its parts in order, their output_lines 0; no parts if it is all of one kind. */
typedef struct {
    abr_kind kind;
    abr_part list[ABR_PARTS_MOST];
    size_t count;
} abr_parts;

/* The kind of (p, n), the same as from abr_tell(), and its parts. ABR_OK or ABR_ENOMEM; alloc NULL: libc.
 * Cost: linear, with some 60 KiB of scratch memory. */
ABR_API abr_code abr_tell_parts(const char *p, size_t n, const abr_alloc *alloc, abr_parts *out);

/* The ledger of a cut. Source pieces and the gaps between them tile the source exactly; a newline dropped at
 * a cut edge belongs to the gap. */
typedef struct {
    abr_strategy strategy;
    bool truncated;        /* more than a final newline was left out */
    abr_unit truncated_by; /* ABR_BY_NONE if not truncated, and for a binary that is within the budget */
    uint64_t total_lines;  /* of the source, exact */
    uint64_t total_bytes;
    uint64_t total_chars;   /* counted if max.chars is set or a marker gives chars, else 0 */
    uint64_t output_lines;  /* lines chosen, empty ones too; a line cut anywhere counts once */
    uint64_t output_bytes;  /* source bytes kept; markers do not count */
    uint64_t output_chars;  /* source chars kept, counted if total_chars is */
    uint64_t chars_before;  /* source chars before the first range kept, counted if total_chars is */
    uint64_t omitted_lines; /* total_lines - output_lines */
    uint64_t omitted_bytes; /* total_bytes - output_bytes: the sum of the gaps */
    uint64_t line_bytes; /* size without newline of the line at the edge that was split or omitted, else 0 */
    bool last_line_partial;        /* the kept part ends (head) or begins (tail) inside a line */
    bool first_line_exceeds_limit; /* ABR_HEAD kept nothing because line 1 alone is over budget */
    uint64_t hits_found;           /* ABR_PRIORITY: lines that say something is wrong */
    uint64_t hits_kept;            /* of these, the lines kept at least in part */
    uint64_t failures_found;       /* ABR_PRIORITY: failures, not counting headings, counts and exit lines */
    uint64_t failures_kept;        /* of these, failures with a hit kept at least in part */
    bool final_newline;            /* all but a final '\n' fitted; truncated is false */
    bool compact; /* ABR_AUTO: blanks between JSON values left out; if nothing else was, truncated is false */
    abr_budget max;        /* the budgets applied */
    abr_kind kind;         /* ABR_AUTO: the kind of text */
    const abr_item *items; /* ABR_AUTO: of JSON, those missing most bytes first; none if nothing is cut */
    size_t item_count;     /* at most ABR_ITEMS_MOST */
    abr_part parts[ABR_PARTS_MOST]; /* ABR_AUTO: if there are several, in order; none if nothing is cut */
    size_t part_count;
    const abr_piece *pieces; /* the content, in order */
    size_t piece_count;
    size_t content_bytes; /* size of the content, utf8_replace applied */
    bool utf8_replace;
    void *block; /* owned: pieces, items and their texts; see abr_cut_free() */
    const abr_alloc *alloc;
} abr_cut;

/*
 * Cut (p, n) by opts into *cut.
 *
 * Budgets are hard: kept text, markers (unless ABR_MARKER_OUTSIDE) and reserve together never exceed
 * max.bytes, max.chars and max.tokens; max.lines limits source lines. A text that fits is kept whole, as one
 * piece, and nothing is copied. A cut is maximal: no further whole line fits at any cut edge, and no further
 * char inside a split line.
 *
 * truncated_by is the budget that bound the cut: the first of lines, bytes, chars, tokens that forbids the
 * next line at the cut edge, or at the tail's edge if there are two. With more edges, or none at a line's
 * end, it is the most used of the budgets that the text exceeds; lines only if they are used up.
 *
 * ABR_PRIORITY keeps the last lines, the first one, and between them the lines that say something went wrong,
 * with the lines that belong to them. A gap is marked on a line of its own, or inside a long line by " ... ".
 * The rest of the budget goes to the end: in a text without long lines, at least 95 % of the budget is used.
 * A text without a hit is cut as with ABR_HEAD_TAIL, but for the marker. Of a line of over 1280 bytes, at
 * most its start and 640 bytes around each hit show. ABR_AUTO fills in hits and failures for logs, too; of
 * text around a log, each run gets a share of that rest, most of it for its start.
 *
 * ABR_PIPELINE is the cut of the pipeline document: first by max.chars; the result, its marker's lines
 * included, then by max.lines. Its markers come on top of the budgets, and chars are always counted. It also
 * uses head_ratio, indicators, utf8_replace and alloc, and no other option. {chars} counts the chars that the
 * first stage removed, {lines} the source lines that are gone entirely. truncated_by is ABR_BY_LINES if the
 * second stage cut, else ABR_BY_CHARS.
 *
 * *cut is filled in, whatever was in it before; opts and cut must not be NULL. The pieces point into p (with
 * ABR_PRIORITY into the cut), so keep the text until the cut has been written. To write without a copy, walk
 * the pieces; that gives the content unless utf8_replace is set. Call abr_cut_free() whatever the result.
 *
 * Cost: one pass over the text for its lines, and its chars if they are counted; then time in proportion to
 * the budget. One allocation that the cut owns, and scratch memory for markers and tokens that is freed
 * before return. With max.tokens also O(log n) token counts of text that might be kept.
 * Fails with ABR_EINVAL (an option out of range), ABR_ENOMEM, ABR_ECOUNT.
 */
ABR_API abr_code abr_cut_text(const char *p, size_t n, const abr_opts *opts, abr_cut *cut, abr_error *error);

/* Write the cut's content, content_bytes bytes and no NUL, to dst. The text that was cut
 * must still be there. */
ABR_API void abr_cut_write(const abr_cut *cut, char *dst);

/* Release the cut's memory. Safe on a zeroed cut, on one that failed, and twice. */
ABR_API void abr_cut_free(abr_cut *cut);

/* ================================================================ streams */

/* A text that arrives in chunks, to be cut in bounded memory. One thread at a time. */
typedef struct abr_stream abr_stream;

/* The file with the full output of a stream. */
typedef struct {
    const char *path;  /* NULL: no file was made; valid until the stream is closed */
    uint64_t bytes;    /* in the file; up to 32 KiB more are buffered until abr_stream_finish() */
    const char *error; /* why the file is short or missing, or NULL */
    const char *code;  /* the same in short ("ENOSPC"), or NULL */
} abr_full_output;

/*
 * Open a stream. It keeps the same text as abr_cut_text() would of all chunks together, however they are
 * split.
 *
 * Memory: at most twice the budget and 256 KiB, with ABR_AUTO and ABR_PRIORITY 64 times the budget and 1 MiB,
 * whatever is written and however much, snapshot and finish included. The budget in bytes is max.bytes, or
 * else 4 bytes a char, or else 16 a token; a stream with a budget in lines alone gets max.bytes of 1 MiB,
 * with ABR_AUTO and ABR_PRIORITY of 256 KiB. Copies of options, the memory of abr_stream_preview() and the
 * copy of the content that opts.count_tokens reads come on top.
 *
 * opts and its strings are copied; count_tokens is only called by snapshot and finish.
 *
 * dir and name, unless NULL, say where the full output goes: into a new file of mode 0600, created when the
 * first byte is about to be lost, or by abr_stream_finish() if its cut is truncated. The folder has mode 0700
 * and is created if it is missing; a link, or a folder with another owner or a wider mode, is refused. A
 * problem with the file never fails a call: the file ends at the write that failed, and
 * abr_stream_full_output() says why. Hitting a limit on file sizes gives EFBIG and no signal.
 * Fails with ABR_EINVAL, ABR_ENOMEM; *stream is then NULL.
 */
ABR_API abr_code abr_stream_open(const abr_opts *opts, const char *dir, const char *name, abr_stream **stream,
                                 abr_error *error);

/* Add a chunk. Cost: one pass over it, and a copy of the bytes retained. After ABR_ENOMEM the stream is
 * unchanged, but its full output may have the chunk. */
ABR_API abr_code abr_stream_write(abr_stream *stream, const char *p, size_t n);

/* Options of a stream or page that a single cut may change. ABR_EINVAL: a budget is over the stream's own;
 * the stream has no such budget and did not retain enough for it; or max.chars is set, but chars are not
 * counted (they are with opts.max.chars, a marker with {chars}, or ABR_PIPELINE). */
typedef struct {
    abr_budget max;      /* budgets, none over the stream's own; ABR_UNLIMITED: unchanged */
    const char *reserve; /* NULL: unchanged */
    size_t reserve_len;
    abr_long_line long_line; /* ABR_LONG_DEFAULT: unchanged */
    bool keep_output; /* in finish: keep the full output, for later snapshots that may leave out more */
    bool keep_bytes;  /* bytes outside UTF-8 show as they came, whatever utf8_replace says */
} abr_narrow;

/* Cut the text so far; the stream goes on. narrow may be NULL. The pieces of the cut are valid until the next
 * call on the stream. Cost: in proportion to the budget. Fails as abr_cut_text(). */
ABR_API abr_code abr_stream_snapshot(abr_stream *stream, const abr_narrow *narrow, abr_cut *cut,
                                     abr_error *error);

/*
 * Let snapshots show (p, n) after the text so far, until the next call of this function, of write or of
 * finish: for text that may still change, and so is not written yet. It stays out of the full output. The
 * text is copied, and the bytes it pushes out are set aside, which takes up to as many bytes on top of the
 * stream's memory.
 * Fails with ABR_ENOMEM.
 */
ABR_API abr_code abr_stream_preview(abr_stream *stream, const char *p, size_t n);

/* Cut the whole text, and end the full output; that is removed if only blanks between JSON values are left
 * out, unless narrow->keep_output is set. Nothing may be written afterwards, but further snapshots may be
 * taken. After a failure the stream is not finished, and this may be called again. */
ABR_API abr_code abr_stream_finish(abr_stream *stream, const abr_narrow *narrow, abr_cut *cut,
                                   abr_error *error);

/* Was the stream finished? */
ABR_API bool abr_stream_finished(const abr_stream *stream);

/* The full output so far. */
ABR_API abr_full_output abr_stream_full_output(const abr_stream *stream);

/* Release the stream; its file stays. NULL is fine. */
ABR_API void abr_stream_close(abr_stream *stream);

/* ================================================================ pages of files */

/* Knows where the lines of files are, for their next pages. One thread at a time. */
typedef struct abr_index abr_index;

/*
 * Make an index for the pages of any files. It knows a file by device, inode, size and time of change, keeps
 * an entry for every 64 KiB of it (fewer for large files: 1 MiB of entries at most, twice that if chars are
 * counted), and keeps the 16 files used last. A file written within the last tick of its file system's clock
 * is not kept: it might be written again and look the same. Fails with ABR_ENOMEM.
 */
ABR_API abr_code abr_index_open(const abr_alloc *alloc, abr_index **index, abr_error *error);

/* Memory of an index, in bytes. */
ABR_API uint64_t abr_index_bytes(const abr_index *index);

/* Release an index; pages that use it may not be cut afterwards. NULL is fine. */
ABR_API void abr_index_close(abr_index *index);

/* A part of a file, from a line on, to be cut. One thread at a time. */
typedef struct abr_page abr_page;

typedef struct {
    /* how much, by any strategy but ABR_PRIORITY and ABR_AUTO; its strings must outlive the page */
    abr_opts cut;
    uint64_t offset;     /* number of the first line wanted, from 1 */
    uint64_t column;     /* first char wanted of that line, which is split if it is over budget; 0: neither */
    uint64_t limit;      /* lines wanted, or ABR_UNLIMITED; the smaller of this and cut.max.lines counts */
    const char *version; /* of an earlier page, to learn whether the file changed since; or NULL */
    bool binary;         /* read the file even if there is a NUL in its first 8,000 bytes */
    abr_index *index;    /* or NULL */
    /* a JSON pointer, in place of offset, column and limit, for a page of elements; NULL: a page of lines */
    const char *pointer;
    size_t pointer_len;
} abr_page_opts;

#define ABR_PAGE_OPTS_INIT                                                                                   \
    {                                                                                                        \
        ABR_OPTS_INIT, 1, 0, ABR_UNLIMITED, NULL, false, NULL, NULL, 0                                       \
    }

typedef struct {
    uint64_t first_byte; /* start of the page in the file, 1-based */
    uint64_t first_char; /* the same in chars; 0 unless chars are counted, for max.chars */
    uint64_t total_lines;
    uint64_t total_bytes;
    uint64_t total_chars; /* counted for max.chars, else 0 */
    const char *version;  /* a short identity of the file, "" for a text; valid until the page is closed */
    bool changed;         /* the file is not the one of opts.version, or it changed while it was read */
} abr_page_info;

/* The lines that a cut of a page shows, and the start of the next page. */
typedef struct {
    uint64_t first_line; /* numbers in the file; for a page that shows nothing both are its offset */
    uint64_t last_line;
    uint64_t next_offset; /* line, or with a pointer the element, to continue at; 0: none */
    uint64_t next_column; /* char to continue at; 0: the line's start */
    uint64_t column;      /* char of its first line that the page starts at; 0: the line's start */
} abr_page_lines;

/* The elements that a cut of a page shows, counted from 0. */
typedef struct {
    bool members;       /* of an object; else of an array */
    uint64_t first;     /* the first that shows */
    uint64_t shown;     /* number shown; a single one may show in part */
    uint64_t total;     /* of the array or object */
    const char *parent; /* pointer of that array or object */
    size_t parent_len;
    const char *next; /* a pointer to continue at; NULL: none */
    size_t next_len;
    size_t next_most; /* most bytes of `next` in any cut of the page */
} abr_page_items;

/*
 * Open a page of the file at path. Links are followed; only a regular file is opened.
 *
 * The file is read at the size it had when it was opened. If it changes meanwhile it is read again, up to
 * four times; a file that keeps changing is reported as changed, or fails with ABR_EIO if it shrinks. A file
 * that does not report its size (/proc) is read whole, up to 64 MiB. An empty file has an empty first page.
 * Totals are exact.
 *
 * Memory: the budget (as for a stream), 256 KiB, and an index if opts has none.
 * Cost: one pass over the file. With an index that knows the file: a look at two strides of it, and the
 * budget. With a column also the chars before it, from the last page of that line on.
 * Fails with ABR_EINVAL, ABR_ENOMEM and the codes of a file.
 */
ABR_API abr_code abr_page_open(const char *path, const abr_page_opts *opts, abr_page **page,
                               abr_error *error);

/*
 * Open a page in steps, for callers that must not block for a whole pass: begin, then step until *done.
 *
 * Each step reads about `most` bytes of the file (at least a block of 256 KiB, or 64 MiB of a file that does
 * not report its size), and a constant amount more. The page is the same as from abr_page_open(), whatever
 * the steps; the file counts as changing until the last one. Before that only abr_page_step() and
 * abr_page_close() may be called, and after a step that failed only abr_page_shown() and abr_page_close().
 * Both fail as abr_page_open(); *page is NULL after a begin that failed.
 */
ABR_API abr_code abr_page_begin(const char *path, const abr_page_opts *opts, abr_page **page,
                                abr_error *error);
ABR_API abr_code abr_page_step(abr_page *page, uint64_t most, bool *done, abr_error *error);

/* Open a page of a text, which must outlive the page. opts.index and opts.version are not used. */
ABR_API abr_code abr_page_text(const char *p, size_t n, const abr_page_opts *opts, abr_page **page,
                               abr_error *error);

/*
 * Cut the page. Pieces and totals refer to the whole file, and the text before the page counts as omitted.
 * May be called again, with a narrow that lowers budgets.
 *
 * *lines says where to continue, for strategies that begin with the first line: after a line that was
 * omitted, at the same line and column 1, which splits it. There is no next page if nothing is left, or if
 * not even one char fitted. Following it from line 1 to the end, with ABR_LONG_SPLIT, rebuilds the file: join
 * pages with '\n' if next_column was 0, else with nothing.
 *
 * The pieces are valid until the page is closed. Cost: in proportion to the budget. Fails as abr_cut_text().
 */
ABR_API abr_code abr_page_cut(abr_page *page, const abr_narrow *narrow, abr_cut *cut, abr_page_lines *lines,
                              abr_error *error);

/*
 * Pages of JSON: with opts.pointer (RFC 6901) a page holds the elements from there to the end of their array,
 * or the members to the end of their object; "" is the first element of the whole document. opts.strategy is
 * not used.
 *
 * The content is JSON: source bytes from the first element to the last one that fits, in brackets of their
 * own if the document's are not shown. If none fits, it is the first, cut as JSON. A document that is one
 * string or number is shown as it is, or cut. A BOM is skipped.
 *
 * Following `next` from "" or any pointer on shows every element once. A member goes by its name, or by its
 * index if the name is not unique, over 256 bytes, empty or not text: /items/~#12, which has no meaning in
 * RFC 6901. If a name is repeated, a pointer means the first. In an object of over 65,536 members, all go by
 * index.
 *
 * Memory: as for other pages, and as for a stream that cuts JSON; 128 KiB for nesting, at most 2^20 levels.
 * Cost: one pass over the file, which checks that all of it is JSON. With an index that knows the array or
 * object: 64 KiB (more in large files), and the budget. An element over budget is read whole. Also fails with
 * ABR_EJSON, ABR_EPOINTER.
 */

/* The elements that the last cut of a page of JSON shows; after ABR_EPOINTER the array or object at which the
 * pointer stops, and its elements. `parent` and `next` are valid until the next cut. Zeroed for pages of
 * lines, and if the document is not an array or object. */
ABR_API abr_page_items abr_page_shown(const abr_page *page);

/* Add to a page of JSON begun without a path, which has no file. Call abr_page_step() when all is written. */
ABR_API abr_code abr_page_write(abr_page *page, const char *p, size_t n, abr_error *error);

/* Facts about the page apart from its cuts. */
ABR_API abr_page_info abr_page_about(const abr_page *page);

/* Read n bytes of the page from byte `at` (0-based) on; *got is smaller only at the end of the file. */
ABR_API abr_code abr_page_read(abr_page *page, uint64_t at, char *dst, size_t n, size_t *got,
                               abr_error *error);

/* Is the file a different one, or in a different state, than when it was opened? From then on `changed` says
 * so too. */
ABR_API bool abr_page_changed(abr_page *page);

/* Read n bytes of the file at path from byte `at` (0-based) on, to learn what it is before it is paged. *got
 * is smaller only at the end of the file; *size gets the size that the file reports. Fails as
 * abr_page_open(). */
ABR_API abr_code abr_file_read_at(const char *path, uint64_t at, char *dst, size_t n, size_t *got,
                                  uint64_t *size, abr_error *error);

/* Release the page. NULL is fine. */
ABR_API void abr_page_close(abr_page *page);

/* ================================================================ splices */

/* The type of a JSON value. */
typedef enum {
    ABR_SPLICED_NONE = 0, /* no such value */
    ABR_SPLICED_OBJECT,
    ABR_SPLICED_ARRAY,
    ABR_SPLICED_STRING,
    ABR_SPLICED_NUMBER,
    ABR_SPLICED_TRUE,
    ABR_SPLICED_FALSE,
    ABR_SPLICED_NULL
} abr_spliced_type;

/* The place of a value in a document, and of its name if it is a member. */
typedef struct {
    abr_spliced_type type;
    size_t at;      /* 0-based offset of its first byte */
    size_t n;       /* with its brackets or quotes */
    size_t name_at; /* between the quotes; (0, 0) for an element */
    size_t name_len;
} abr_spliced;

typedef enum {
    ABR_EDIT_LOOK = 0, /* find the value, and change nothing */
    ABR_EDIT_REPLACE,  /* replace the value with `json` */
    ABR_EDIT_REMOVE,   /* remove the element or member, with one comma */
    /* insert `json` before the element; as the last one if the index is one past the last, or "-". As a
     * member: in place of the value of that name, or as the last one. */
    ABR_EDIT_INSERT
} abr_edit_act;

/* Pointers follow RFC 6901 and refer to the document as it came, whatever the other edits do. */
typedef struct {
    abr_edit_act act;
    const char *pointer;
    size_t pointer_len;
    const char *json; /* one value; for ABR_EDIT_REPLACE and ABR_EDIT_INSERT */
    size_t json_len;
    abr_spliced found; /* filled in: the original value; type ABR_SPLICED_NONE if there is none */
} abr_edit;

/* A document with its edits, before it is written. */
typedef struct abr_splice abr_splice;

/*
 * Find and change values of one JSON document (p, n), all edits in one pass. Bytes that no edit refers to are
 * written as they came: numbers, blanks, escapes, the order of keys. The result is JSON.
 *
 * All of (p, n) must be JSON (RFC 8259, UTF-8, no BOM), 2^20 levels deep at most, or ABR_EJSON says where
 * it is not. A name in a pointer must not be repeated in its object, as readers differ on which of two
 * counts: ABR_EJSON. ABR_EPOINTER, with the edit's number from 1 on as position: the pointer is not valid, or
 * an edit other than ABR_EDIT_LOOK leads nowhere. ABR_EINVAL, with the same position: `json` is not one
 * value, two edits want the same value, one lies inside a value that another replaces or removes, or the
 * document itself is to be removed.
 *
 * `edits` is filled in. It is used until abr_splice_close(), as are p and the memory that the edits point to;
 * *splice is NULL after a failure. Memory: in proportion to the edits, and at most 128 KiB for levels. Cost:
 * one pass, and the edits times the logarithm of their number.
 */
ABR_API abr_code abr_splice_open(const char *p, size_t n, abr_edit *edits, size_t count,
                                 const abr_alloc *alloc, abr_splice **splice, abr_error *error);

/* The size of the edited document, and its bytes. */
ABR_API size_t abr_splice_size(const abr_splice *splice);
ABR_API void abr_splice_write(const abr_splice *splice, char *dst);
ABR_API void abr_splice_close(abr_splice *splice); /* NULL is fine */

/* List the elements or members of the document (p, n), an array or object: their number in *count, and the
 * first `most` in `list`. Other documents have none. One pass. Fails as abr_splice_open(). */
ABR_API abr_code abr_list_values(const char *p, size_t n, abr_spliced *list, size_t most,
                                 const abr_alloc *alloc, size_t *count, abr_error *error);

/* Decode the JSON string whose n bytes between its quotes are at p, from byte *at on, into at most `room`
 * bytes (12 or more), and advance *at, which is n at the end. Half of a surrogate pair becomes U+FFFD; no
 * char is split. Returns the bytes written. The result for an invalid string is unspecified, but nothing past
 * it is read. */
ABR_API size_t abr_decode_value(const char *p, size_t n, size_t *at, char *dst, size_t room);

/* ================================================================ one long line */

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
 * The part of one line to show within max_chars chars; the two texts above come on top.
 *
 * With match_len 0 it is the line's first chars. Otherwise the window is moved so that the match (match_len
 * bytes from the 0-based offset match_at) shows, with the rest of max_chars split evenly around it; of a
 * match longer than the window the start shows. The window of a line within max_chars is the whole line.
 * Cost: one pass over the line.
 */
ABR_API abr_window abr_line(const char *p, size_t n, uint64_t max_chars, size_t match_at, size_t match_len);

/* ================================================================ counting and sizes */

/* Lines of a text. Cost: one pass, near memory speed. */
ABR_API uint64_t abr_count_lines(const char *p, size_t n);

/* Chars of a text. *invalid, unless NULL, gets the number of these that are bytes outside well-formed UTF-8.
 * One pass. */
ABR_API uint64_t abr_count_chars(const char *p, size_t n, uint64_t *invalid);

/* Bytes of the first `chars` chars of a text, or n if it has fewer. One pass over them. */
ABR_API size_t abr_skip_chars(const char *p, size_t n, uint64_t chars);

/*
 * Estimate a text's tokens, before token_safety, as a tokenizer of the o200k kind counts them: within 5 % for
 * half of the samples of most kinds of text and within 17 % for 19 of 20. Bytes outside UTF-8 are estimated
 * low. The estimate never falls as a text grows at its start, at its end or before a newline; if it grows
 * elsewhere, it may fall by a token, and a cut may then lack a char that would have fitted. One pass, O(1)
 * memory, equal on every machine.
 *
 * Do not use it to count tokens that are paid for: ask the model's own counter.
 */
ABR_API uint64_t abr_estimate_tokens(const char *p, size_t n);

/* The estimate times a safety factor, rounded up, as a token budget counts without count_tokens. */
ABR_API uint64_t abr_weigh_tokens(const char *p, size_t n, double safety);

/* The instructions that texts are scanned with: "avx2", "sse2", "neon", or "scalar", which is portable C.
 * They are chosen once, at the first scan or here: those that ABRIDGE_SIMD in the environment names, or the
 * best that the processor has if it names none of them. The choice affects speed only, never results. */
ABR_API const char *abr_simd(void);

#define ABR_SIZE_MAX 16 /* enough for any printed size and its NUL */

/* Print a size as 512B, 1.5KB, 30KB, 2.3MB, 1GB, up to PB: 1024-based, with one decimal, halves
 * rounded up, a trailing .0 dropped, and 1024 of a unit as 1 of the next. n is at most ABR_COUNT_MAX.
 * Returns the length. */
ABR_API size_t abr_format_size(uint64_t n, char dst[ABR_SIZE_MAX]);

/* Read a size as printed above, rounded down to whole bytes: digits, an optional fraction, an optional unit
 * in either case ("30KB", "1.5 mb", "512"). False if (p, n) is not a size or is over ABR_COUNT_MAX. */
ABR_API bool abr_parse_size(const char *p, size_t n, uint64_t *size);

/* ================================================================ terminal noise */

/* Kinds of noise that cleaning recognizes in a text written for a terminal. */
typedef enum {
    ABR_CLEAN_RETURN = 0, /* carriage return; one before a newline is just dropped */
    ABR_CLEAN_BACKSPACE,
    ABR_CLEAN_TAB,     /* in a line that is rewritten: it becomes blanks */
    ABR_CLEAN_ERASE,   /* erase in line and in display; erase, delete, insert chars; reset */
    ABR_CLEAN_CURSOR,  /* moves of the cursor; its place saved and restored */
    ABR_CLEAN_COLOR,   /* SGR */
    ABR_CLEAN_STRING,  /* OSC (hyperlinks keep their text), DCS, APC, PM, SOS */
    ABR_CLEAN_CHARSET, /* charset designations, and all other escapes with intermediate bytes */
    ABR_CLEAN_ESCAPE,  /* all other escape sequences, and unfinished ones */
    ABR_CLEAN_CONTROL, /* all other control bytes but newline */
    ABR_CLEAN_C1,      /* U+0080 to U+009F */
    ABR_CLEAN_INVALID, /* a byte outside well-formed UTF-8: it becomes U+FFFD */
    ABR_CLEAN_KINDS
} abr_clean_kind;

typedef struct {
    unsigned keep;          /* kinds to leave in the text as they are: bits 1u << kind */
    const abr_alloc *alloc; /* NULL: libc */
    /* Also take out chars that hide text from people: tags (U+E0000 to U+E007F), chars without width, bidi
     * controls. Those needed by their neighbours stay: joiners and variation selectors in emoji, the tags of
     * a flag, joiners and marks beside letters of scripts that are written with them. Of several in a row
     * only one stays. */
    bool invisible;
    /* Drop noise but act on nothing, for callers that must see a text before parts of it are overwritten,
     * such as redaction. Left in the text are moves, erasing and resets, as '\r', '\b' and plain escape
     * sequences; one NUL in place of each run of bytes dropped (ESC CAN if control bytes are kept), since
     * they may have stood between two words; and the chars of `invisible`, which depend on the final text.
     * Cleaning the result without `strip` gives the same text as cleaning at once. */
    bool strip;
    bool decode; /* only make UTF-8 of a text in UTF-16; everything else stays as it is */
} abr_clean_opts;

/* Counts of the noise found. */
typedef struct {
    uint64_t raw_bytes;              /* of the text before cleaning */
    uint64_t bytes;                  /* of the cleaned text */
    uint64_t count[ABR_CLEAN_KINDS]; /* of each kind that was not kept */
    uint64_t invisible;              /* chars taken out because they hide text */
} abr_clean_stats;

/* Takes the next n bytes of a text; false: it cannot. */
typedef bool (*abr_sink_fn)(void *ctx, const char *p, size_t n);

/* Turns a text that arrives in chunks into the text a terminal would finally show. One thread at a time. */
typedef struct abr_cleaner abr_cleaner;

/*
 * Open a cleaner. Its output to `sink` does not depend on how the text was split into chunks.
 *
 * The terminal has 100 lines of any width, of which the last 64 KiB can be rewritten; older text is final. A
 * move to the right goes to column 4096 at most, or to the end of the line. '\n' also returns to column 1.
 * Columns are those of abr_cells(). A wide char becomes a blank when one half of it is overwritten; a char
 * without cells belongs to the char before it. A tab stays a tab in a line that is not rewritten, and becomes
 * blanks in one that is; such a line loses its trailing blanks. A sequence that does not end swallows at most
 * 4 KiB; unknown ones are dropped. The result is well-formed UTF-8, and cleaning it again changes nothing,
 * unless kinds are kept: these stay in the text as bytes that take no cells.
 *
 * A text that starts with a byte order mark of UTF-16 is decoded first, up to 32 bytes of UTF-8 in a row, or
 * to a last line of it, where another program's output goes on. The mark goes; half a surrogate pair becomes
 * U+FFFD.
 *
 * Memory: 256 KiB, allocated here. Fails with ABR_EINVAL (unknown kinds in opts->keep), ABR_ENOMEM.
 */
ABR_API abr_code abr_cleaner_open(const abr_clean_opts *opts, abr_sink_fn sink, void *sink_ctx,
                                  abr_cleaner **cleaner, abr_error *error);

/*
 * Add a chunk. ABR_ENOMEM means that the sink returned false; the bytes it was given are lost.
 *
 * Cost: one pass over the chunk, and a copy. If the cursor moves, in proportion to the chunk and to the text
 * that becomes final, however long its lines are and however far the cursor goes: a control or char costs at
 * most a look at 1,000 stretches of a line, or a move of the 64 KiB that can be rewritten.
 */
ABR_API abr_code abr_cleaner_write(abr_cleaner *cleaner, const char *p, size_t n);

/* Copy to dst the text that the sink has not got yet, as it now is: at most 192 KiB and 32 bytes. With NULL,
 * only measure. Returns the bytes. */
ABR_API size_t abr_cleaner_pending(const abr_cleaner *cleaner, char *dst);

/* Hand over the rest; nothing may be written afterwards. stats may be NULL. Fails as abr_cleaner_write(). */
ABR_API abr_code abr_cleaner_finish(abr_cleaner *cleaner, abr_clean_stats *stats);

/* The counts so far; `bytes` includes the pending text. */
ABR_API abr_clean_stats abr_cleaner_stats(const abr_cleaner *cleaner);

/* Release the cleaner. NULL is fine. */
ABR_API void abr_cleaner_close(abr_cleaner *cleaner);

/* A text after cleaning. */
typedef struct {
    const char *p; /* the text itself if nothing had to change, else memory owned by this struct */
    size_t n;
    bool changed;
    abr_clean_stats stats;
    char *block; /* owned; see abr_cleaned_free() */
    size_t block_size;
    const abr_alloc *alloc;
} abr_cleaned;

/* Clean a whole text. If nothing has to change this is one pass near memory speed, without allocation. Call
 * abr_cleaned_free() whatever the result. Fails as abr_cleaner_open(). */
ABR_API abr_code abr_clean_text(const char *p, size_t n, const abr_clean_opts *opts, abr_cleaned *cleaned,
                                abr_error *error);

/* Release its memory. Safe on a zeroed struct, after a failure, and twice. */
ABR_API void abr_cleaned_free(abr_cleaned *cleaned);

/* ================================================================ display cells */

/*
 * Cells a terminal gives to a text. A char's cells depend only on its code point, by a table of Unicode 15.1:
 *   0  controls except the tab; combining marks (Mn, Me); format chars (Cf); variation selectors; Hangul
 *      medial vowels and final consonants
 *   2  East Asian wide and fullwidth chars, and emoji presentation except regional indicators
 *   1  all others: the tab (expand tabs first), U+00AD, ambiguous widths, spacing marks (Mc), each byte
 *      outside well-formed UTF-8
 * So joined emoji count one by one, a flag counts 1 + 1, and U+FE0F widens nothing. One pass, no locale.
 */
ABR_API uint64_t abr_cells(const char *p, size_t n);

/* Bytes of the longest prefix of a text that fits `width` cells. It ends between chars, and never before a
 * combining char that belongs to its last one. */
ABR_API size_t abr_fit_cells(const char *p, size_t n, uint64_t width);

/* ================================================================ locations */

typedef enum {
    ABR_SEVERITY_NONE = 0, /* the text does not say */
    ABR_SEVERITY_ERROR,
    ABR_SEVERITY_WARNING,
    ABR_SEVERITY_NOTE
} abr_severity;

/* "error", "warning", "note"; NULL for ABR_SEVERITY_NONE. */
ABR_API const char *abr_severity_name(abr_severity severity);

enum { ABR_LOCATION_MOST = 4096 /* bytes of a file's name, and of a message */ };

/* A place, and the state of the search in the text. Zero it to start. */
typedef struct {
    uint64_t line; /* line of the place in the text; after false, the last line looked at */
    uint64_t lnum; /* line of the file, from 1 */
    uint64_t col;  /* from 1; 0: unknown */
    abr_severity severity;
    size_t file_bytes;
    size_t message_bytes;
    char file[ABR_LOCATION_MOST];    /* as written; the file need not exist */
    char message[ABR_LOCATION_MOST]; /* the message, without file, place, level and code; cut to fit */
    size_t at;                       /* bytes of the text looked at so far: whole lines */
    size_t heading; /* bytes before the end of the line that names the file of the rows after it; 0: none */
} abr_location;

/*
 * Find the next place in (p, n), and fill *location; false if there is none up to the end of the text or of
 * line `last_line`. A line gives at most one. A text searched in parts, each ended by a last_line, gives the
 * same places as one pass: of *location, only `line`, `at` and `heading` are needed to go on.
 *
 * Places are recognized by their form, not by the tool that wrote them: they lead a line, or follow an arrow,
 * "at", "in" or "from". Other lines that describe a place are found from it: a heading with the file, the
 * message before a frame or after a traceback. Names over ABR_LOCATION_MOST bytes are ignored, and so is
 * everything after the first 8 KiB of a line. Colours are not part of a name or message; clean other escape
 * sequences first.
 *
 * Cost: one pass over the text, and up to 32 short lines around each place. No memory is allocated.
 */
ABR_API bool abr_next_location(const char *p, size_t n, uint64_t last_line, abr_location *location);

/* ================================================================ TruncationInfo */

typedef enum { ABR_SIZE_CAP = 0, ABR_LINE_CAP, ABR_ROW_CAP, ABR_EXEC_BUDGET, ABR_ITEM_CAP } abr_reason;

/* The wire name of a reason ("size_cap"), or NULL if there is no such reason. */
ABR_API const char *abr_reason_name(abr_reason reason);

enum { ABR_RESUME_HINT_MOST = 1024 /* bytes of a resume_hint */ };

/* The truncation block that every reading tool attaches to its response (the reading-tool contract). */
typedef struct {
    bool truncated;
    uint64_t bytes_returned; /* bytes of content before notices, after any ceiling */
    uint64_t bytes_total;    /* of the whole source; ABR_UNLIMITED: unknown, left out */
    uint64_t next_offset;    /* ABR_UNLIMITED: the tool cannot resume; left out */
    const char *resume_hint; /* NULL: left out; only together with next_offset */
    size_t resume_hint_len;  /* should be at most ABR_RESUME_HINT_MOST, which is not checked */
    abr_reason reason;       /* always on the wire; ABR_SIZE_CAP when not truncated */
} abr_info;

/* Fill in the block of a cut, with ABR_LINE_CAP if lines bound it, else ABR_SIZE_CAP. It has no next_offset:
 * a tool that can resume sets that and resume_hint itself. */
ABR_API void abr_info_from_cut(const abr_cut *cut, abr_info *info);

/*
 * Write info to dst as compact JSON, fields in the contract's order, if it fits in cap bytes. Returns the
 * size needed (no NUL is written); call with cap 0 to measure. The JSON is valid whatever bytes are in
 * resume_hint: control characters are escaped, and bytes outside well-formed UTF-8 become U+FFFD.
 */
ABR_API size_t abr_info_json(const abr_info *info, char *dst, size_t cap);

#ifdef __cplusplus
}
#endif
#endif
