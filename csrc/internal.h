/* What the files of the core share and a host does not see. */
#ifndef ABR_INTERNAL_H
#define ABR_INTERNAL_H

#include <string.h>

#include "abridge.h"

/* What is declared between these two is not seen outside of a shared object, whatever flags it is built with. */
#ifdef __GNUC__
#define ABR_PRIVATE_BEGIN _Pragma("GCC visibility push(hidden)")
#define ABR_PRIVATE_END _Pragma("GCC visibility pop")
#else
#define ABR_PRIVATE_BEGIN
#define ABR_PRIVATE_END
#endif

ABR_PRIVATE_BEGIN

/* ---- scan.c: bytes ---- */

#define ABR_REPLACEMENT "\xEF\xBF\xBD" /* U+FFFD, what utf8_replace shows for an invalid byte */
#define ABR_REPLACEMENT_SIZE 3

/* Eight bytes, the first one lowest. */
static inline uint64_t abr_load_word(const char *p)
{
    uint64_t word;
    memcpy(&word, p, sizeof word);
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    return word;
}

/* Number of '\n' in (p, n). */
uint64_t abr_count_newlines(const char *p, size_t n);

/* Newlines of a text: how many, and the places of the first and the last two (SIZE_MAX where there are fewer). */
typedef struct {
    uint64_t count;
    size_t first;
    size_t last;
    size_t before_last;
} abr_newlines;

/* Bytes of (p, n) up to and with its newline number *left, counted from 1, and 0 in *left; with fewer newlines n, and
 * how many are missing. *left 0: nothing. */
size_t abr_nth_newline(const char *p, size_t n, uint64_t *left);

/* The same from the end: bytes before the newline number *left from the end; with fewer, 0. *left 0: n. */
size_t abr_nth_newline_back(const char *p, size_t n, uint64_t *left);

/* Chars of a text that comes in chunks; zeroed to start with. */
typedef struct {
    uint64_t chars;
    uint64_t invalid; /* bytes outside well-formed sequences */
    char bytes[4];    /* the start of a sequence that the next chunk may end */
    size_t open;      /* how many of them, 3 at most between calls */
} abr_char_counter;

void abr_count_more_chars(abr_char_counter *counter, const char *p, size_t n);

/* Find the newlines, and count the chars unless `chars` is NULL, in one pass over memory: however long the lines are, no
 * more is read twice than a few blocks of 256 KiB. */
abr_newlines abr_find_newlines(const char *p, size_t n, abr_char_counter *chars);

/* Chars of all chunks so far; *invalid gets the bytes among them that are outside sequences. */
uint64_t abr_counted_chars(const abr_char_counter *counter, uint64_t *invalid);

/* The last '\n' of (p, n), or NULL. */
const char *abr_find_last_newline(const char *p, size_t n);

/* Bytes of the char that starts at p: 2 to 4 for a well-formed sequence that ends by p + n, else 1. n > 0. */
size_t abr_char_size(const char *p, size_t n);

/* Where the char starts that the byte at `at` belongs to; n where at is n. */
size_t abr_char_start(const char *p, size_t n, size_t at);

/* How far to go: a limit on chars, and one on bytes as they would be shown. */
typedef struct {
    uint64_t chars;
    uint64_t shown; /* an invalid byte counts ABR_REPLACEMENT_SIZE when `replace`, else 1 */
    bool replace;
} abr_reach;

/* The most bytes of (p, n), from its start or up to its end, that end between chars and stay within reach. */
size_t abr_prefix(const char *p, size_t n, const abr_reach *reach);
size_t abr_suffix(const char *p, size_t n, const abr_reach *reach);

/* How many bytes at the end of (p, n) may be the start of a sequence that goes on: 3 at most. */
size_t abr_open_sequence(const char *p, size_t n);

/* Length of the run at the start of (p, n) that cleaning would leave as it is: printable ASCII, newlines, tabs, and
 * well-formed sequences but those of U+0080 to U+009F. */
size_t abr_plain_run(const char *p, size_t n);

/* Copy (p, n) to dst, each byte outside well-formed UTF-8 as U+FFFD; dst NULL measures. Returns the bytes. */
size_t abr_replace_invalid(const char *p, size_t n, char *dst);

/* ---- width.c: cells ---- */

/* Cells of the char of `size` bytes at p, as abr_char_size() gives them. */
uint32_t abr_char_cells(const char *p, size_t size);

/* ---- marker.c: what stands in a gap ---- */

/* The numbers a marker may tell. */
typedef struct {
    uint64_t lines;
    uint64_t bytes;
    uint64_t chars;
} abr_omitted;

/* Print a marker format, {lines}, {bytes} and {chars} replaced, to dst (NULL measures). Returns the bytes. */
size_t abr_print_marker(const char *format, size_t n, const abr_omitted *omitted, char *dst);

/* Does the format tell chars, so that they have to be counted? */
bool abr_marker_tells_chars(const char *format, size_t n);

/* The head's part of a count: rounded down, as the pipeline document's int(limit * head_ratio). */
uint64_t abr_head_share(uint64_t count, double head_ratio);

/* ---- span.c: what is kept on one side ---- */

typedef enum { ABR_FRONT, ABR_BACK } abr_side;

/* One side of the source: bytes that start where the source starts, or end where it ends. */
typedef struct {
    const char *p;
    size_t n;
    bool whole; /* they reach the source's other end too */
} abr_edge;

/* What costs are needed beside bytes: chars, and the growth of invalid bytes shown as U+FFFD. */
typedef struct {
    bool chars;
    bool replace;
} abr_scale;

typedef struct {
    size_t n;       /* bytes of the source */
    uint64_t lines; /* lines chosen; a line cut anywhere counts */
    uint64_t chars; /* counted on a scale with chars */
    uint64_t shown; /* bytes as shown */
    bool partial;   /* the span's inner end lies inside a line */
} abr_span;

/* How much a span may take; ABR_UNLIMITED where nothing forbids. */
typedef struct {
    uint64_t lines;
    uint64_t chars;
    uint64_t shown;
} abr_room;

/* `from` less `taken`, at least 0; ABR_UNLIMITED stays. */
uint64_t abr_less(uint64_t from, uint64_t taken);

/* Add the cost of (p, n) to the span. */
void abr_weigh(const abr_scale *scale, const char *p, size_t n, abr_span *span);

/* Add whole lines to a span of whole lines for as long as they stay within the room. The newline after the last
 * line of a front span is not part of it; a final newline is part of a back span. */
void abr_grow_lines(const abr_edge *edge, abr_side side, const abr_scale *scale, const abr_room *room,
                    abr_span *span);

/* The most chars of a side within the room. */
abr_span abr_take_chars(const abr_edge *edge, abr_side side, const abr_scale *scale, const abr_room *room);

/* Size, without its newline, of the first or the last line of an edge. */
uint64_t abr_line_size(const abr_edge *edge, abr_side side);

/* What is retained for a priority cut, see priority.h. */
struct abr_priority;

/* ---- options.c: how much is asked for ---- */

/* ABR_EINVAL and its message when an option is out of its range. */
abr_code abr_check_opts(const abr_opts *opts, abr_error *error);

/* The bytes that the first budget set comes to, 4 a char and 16 a token, and a little more; budgets in lines alone get
 * max->bytes of 1 MiB, those of a pipeline as many max->chars. As much of an edge lets any cut within these budgets be
 * made. */
size_t abr_keep(abr_strategy strategy, abr_budget *max);

/* `opts` with the budgets and the reserve of `narrow`, which may be NULL; ABR_EINVAL where it raises a budget. */
abr_code abr_narrowed(const abr_opts *opts, const abr_narrow *narrow, abr_opts *out, abr_error *error);

/* ---- cut.c: the one place where it is decided what is kept ---- */

/* A source as a cut sees it: what is at hand of its two ends, and the counts of all of it. */
typedef struct {
    abr_edge front; /* from the start on; whole where the source is over no budget */
    abr_edge back;  /* up to the end */
    uint64_t bytes;
    uint64_t lines;
    uint64_t chars;                /* counted where abr_wants_chars() */
    uint64_t invalid;              /* bytes outside well-formed UTF-8; ABR_UNLIMITED: look when it matters */
    uint64_t first_line;           /* size without the newline; ABR_UNLIMITED: look */
    uint64_t last_line;            /* the same of the last line */
    bool ends_line;                /* the last byte is a newline */
    struct abr_priority *priority; /* of ABR_PRIORITY, else NULL */
} abr_view;

/* Do these options need the source's chars counted? */
bool abr_wants_chars(const abr_opts *opts);

/* Size of the source's first or last line, without its newline. */
uint64_t abr_view_line_size(const abr_view *view, abr_side side);

/* The cut of a pipeline, into a cut whose options and totals are filled in. ABR_OK or ABR_ENOMEM. */
abr_code abr_pipeline_view(const abr_view *view, const abr_opts *opts, abr_cut *cut);

/* Tokens of (p, n) as budgets weigh them: the caller's count, or the estimate times its safety factor. */
abr_code abr_count_tokens(const abr_opts *opts, const char *p, size_t n, uint64_t *tokens);

/* ---- choice.c ---- */

/* The cut of ABR_PRIORITY of a source that is over a budget and has a hit; `room` is that of
 * content and markers, format_len 0 where no marker is wanted. */
abr_code abr_priority_view(const abr_view *view, const abr_opts *opts, const abr_room *room,
                           const char *format, size_t format_len, abr_cut *cut);

/* abr_cut_text() of a source of which a view is at hand. An edge that is not whole must hold more bytes than the first
 * budget set of max.bytes, 4 * max.chars and 16 * max.tokens. */
abr_code abr_cut_view(const abr_view *view, const abr_opts *opts, abr_cut *cut, abr_error *error);

/* ---- index.c: where the lines of a source are ---- */

enum {
    ABR_BLOCK = 256 * 1024, /* bytes read at once */
    ABR_PLACES = 8,         /* places in long lines that are kept in mind */
    ABR_ENDED_EARLY = -1    /* in place of an errno: the source is shorter than it was said to be */
};

/* What is read: an open file, or a text. */
typedef struct {
    int fd; /* -1: the text */
    const char *text;
    uint64_t size; /* bytes; nothing is read beyond them */
} abr_reader;

/* Read n bytes behind the first `at`, fewer only at the end. 0, an errno or ABR_ENDED_EARLY. */
int abr_read_at(const abr_reader *r, uint64_t at, char *dst, size_t n, size_t *got);

/* Which file this is, in which state. */
typedef struct {
    uint64_t device;
    uint64_t inode;
    uint64_t size;
    int64_t seconds; /* of its last change */
    long nanoseconds;
} abr_identity;

bool abr_same_identity(const abr_identity *a, const abr_identity *b);

typedef struct {
    uint64_t line; /* 0: none */
    uint64_t column;
    uint64_t at; /* bytes before it */
} abr_place_at;

/* The line index of one source. */
typedef struct {
    abr_identity of;
    const abr_alloc *alloc;
    uint64_t stride;    /* bytes between entries */
    uint64_t *newlines; /* before each multiple of stride */
    uint64_t *chars;    /* the same of chars and open bytes, or NULL */
    size_t count;       /* entries */
    size_t room;
    uint64_t size; /* totals of the source */
    uint64_t total_newlines;
    uint64_t total_lines;
    uint64_t total_chars; /* counted with has_chars */
    bool has_chars;
    bool ends_line;
    bool is_text;  /* it was looked at: no binary file */
    uint64_t used; /* when last, in uses of any */
    abr_place_at places[ABR_PLACES];
    size_t next_place;
} abr_lines;

/* The functions below take a block of ABR_BLOCK bytes for scratch, and return 0, an errno or ABR_ENDED_EARLY. */

/* An index that is made while its source is read. */
typedef struct {
    abr_lines *lines; /* whole once all is read; NULL: none is made */
    uint64_t at;      /* bytes read */
    bool with_chars;
    abr_char_counter chars;
} abr_lines_maker;

int abr_lines_begin(abr_lines_maker *maker, bool with_chars, const abr_alloc *alloc);
/* Read on: blocks until *most bytes are read, which it takes off, at least one; *whole: all is read. */
int abr_lines_read(abr_lines_maker *maker, const abr_reader *r, char *block, uint64_t *most, bool *whole);
void abr_lines_free(abr_lines *x); /* NULL is fine */

/* Where a line starts, and where it ends, before its newline. The source has the line. */
int abr_line_start(const abr_lines *x, const abr_reader *r, char *block, uint64_t line, uint64_t *at);
int abr_line_end(const abr_lines *x, const abr_reader *r, char *block, uint64_t line, uint64_t *at);

/* Chars before the place `at`, which lies between chars; has_chars. */
int abr_chars_before(const abr_lines *x, const abr_reader *r, char *block, uint64_t at, uint64_t *chars);

/* The way to a char of a line. */
typedef struct {
    uint64_t at;   /* where it is by now */
    uint64_t end;  /* of the line, before its newline */
    uint64_t left; /* chars to go; those that the line has too few, once at its end */
} abr_walk;

/* The way to char `column` of the line that starts at `at`, from the known place that is nearest before it. */
int abr_walk_begin(abr_walk *walk, const abr_lines *x, const abr_reader *r, char *block, uint64_t line,
                   uint64_t column, uint64_t at);
/* Walk on: blocks until *most bytes are read, which it takes off, at least one; *there: at the char or the end. */
int abr_walk_on(abr_walk *walk, const abr_reader *r, char *block, uint64_t *most, bool *there);

/* The index of a file in this state, or NULL; valid until the next abr_index_put(). */
abr_lines *abr_index_find(abr_index *index, const abr_identity *of);

/* Take over an index, in place of that of an older state of the file or of the file used longest ago. */
void abr_index_put(abr_index *index, abr_lines *lines);

/* Keep a place of a file in mind, where its index is there. */
void abr_index_place(abr_index *index, const abr_identity *of, const abr_place_at *place);

/* ---- spill.c: private files ---- */

enum { ABR_PATH_MOST = 4096 }; /* bytes of any path here, its NUL too */

typedef struct abr_file abr_file;

/* Short name ("ENOSPC") and sentence of an errno, the same in every locale. */
const char *abr_errno_name(int number);
const char *abr_errno_text(int number);

/* Make a folder of mode 0700, and those on the way to it. 0 or an errno: EPERM where it has another owner or a wider
 * mode, or is a link. */
int abr_private_folder(const char *dir);

/* Open dir/name, 0600. A new file; with `append` a log, which one process may hold at a time (EBUSY), its torn last
 * line cut off. 0 or an errno. */
int abr_file_open(const char *dir, const char *name, bool append, const abr_alloc *alloc, abr_file **out);

/* Write, buffered. 0 or the errno that ended the writing: what was written before it stays. */
int abr_file_write(abr_file *file, const char *p, size_t n);
int abr_file_flush(abr_file *file);

/* Flush and close the descriptor; what was written can still be asked for. 0 or the errno that ended the writing. */
int abr_file_finish(abr_file *file);

/* Add a record to a log at once: whole, or not at all; half a record that cannot be taken back becomes a line of its
 * own. 0 or an errno, later records are tried again; ENOENT: the log was deleted meanwhile. */
int abr_file_append(abr_file *file, const char *p, size_t n);

int abr_file_error(const abr_file *file);     /* errno of the write that failed, or 0 */
uint64_t abr_file_size(const abr_file *file); /* bytes in the file, without those in the buffer */
const char *abr_file_path(const abr_file *file);
int abr_file_close(abr_file *file); /* flushes; NULL is fine. 0 or an errno */

/* ---- pipe.c: descriptors that others write to ---- */

/* Read what there is into a block, until it is full; *ended: nothing came and nothing will. 0, or an errno when nothing
 * came; EAGAIN: there is nothing now. A descriptor that is not non-blocking is waited for until the block is full. */
int abr_read_some(int fd, char *block, size_t size, size_t *got, bool *ended);

/* Make a pipe hold 1 MiB, so that who writes to it waits less often; false where the system does not. */
bool abr_widen_pipe(int fd);

/* Is there something in a pipe or file that nobody has read? Nothing is read, and nothing waits. */
bool abr_has_unread(int fd);

/* ---- tokens.c: the token estimate ---- */

#define ABR_TOKEN_UNITS 64 /* units of cost that make a token */

/* What abr_estimate_tokens() rounds up to tokens. */
uint64_t abr_token_cost(const char *p, size_t n);

/* ---- support.c: memory, errors, numbers ---- */

/* Fill *error (unless NULL) and return code. */
abr_code abr_fail(abr_error *error, abr_code code, const char *message);

#define ABR_COUNT_DIGITS 20 /* digits of any uint64_t */

/* Print a number in decimal, without a NUL; returns its digits. */
size_t abr_print_count(uint64_t value, char dst[ABR_COUNT_DIGITS]);

/* The allocator to use where a caller gave `alloc`, or NULL for libc. */
const abr_alloc *abr_allocator(const abr_alloc *alloc);

/* Where descriptors are read into starts on a page. The kernel copies from pages, and some processors copy several times
 * slower to a place a few bytes further into its page, which is where large blocks of malloc() start. */
enum { ABR_ALIGNED = 4096 };

/* Bytes from p to the next page, 0 where it starts one. */
size_t abr_to_page(const char *p);

/* Memory of `size` bytes to read into, on a page whatever the allocator returns; NULL where there is none. It takes up
 * to a page more, is released by abr_block_free() alone, and cannot be reallocated. */
char *abr_block_new(const abr_alloc *alloc, size_t size);
void abr_block_free(const abr_alloc *alloc, char *block); /* NULL is fine */

ABR_PRIVATE_END

#endif
