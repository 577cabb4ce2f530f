/* Bytes: newlines, chars, UTF-8 boundaries. */
#ifndef ABR_TEXT_SCAN_H
#define ABR_TEXT_SCAN_H

#include "abridge.h"
#include "base/private.h"

ABR_PRIVATE_BEGIN

#define ABR_REPLACEMENT "\xEF\xBF\xBD" /* U+FFFD, shown by utf8_replace for an invalid byte */
#define ABR_REPLACEMENT_SIZE 3

/* How many of the bytes (p, n) are c, and how many are '\n'? */
uint64_t abr_count_bytes(const char *p, size_t n, char c);
uint64_t abr_count_newlines(const char *p, size_t n);

/* The newlines of a text: their number, and the places of the first and the last two (SIZE_MAX: there are
 * fewer). */
typedef struct {
    uint64_t count;
    size_t first;
    size_t last;
    size_t before_last;
} abr_newlines;

/* Bytes of (p, n) up to and including its newline number *left, counted from 1, and 0 in *left; if it has
 * fewer newlines, n, and in *left the number missing. *left 0: nothing. */
size_t abr_nth_newline(const char *p, size_t n, uint64_t *left);

/* The same from the end: bytes before the newline number *left from the end; if there are fewer, 0. *left 0:
 * n. */
size_t abr_nth_newline_back(const char *p, size_t n, uint64_t *left);

/* Counts the chars of a text that arrives in chunks; zero it to start. */
typedef struct {
    uint64_t chars;
    uint64_t invalid; /* bytes outside well-formed sequences */
    char bytes[4];    /* the start of a sequence that the next chunk may end */
    size_t open;      /* their number, 3 at most between calls */
} abr_char_counter;

void abr_count_more_chars(abr_char_counter *counter, const char *p, size_t n);

/* Find the newlines, and count the chars unless `chars` is NULL, in one pass over memory: at most a few
 * blocks of 256 KiB are read twice, however long the lines are. */
abr_newlines abr_find_newlines(const char *p, size_t n, abr_char_counter *chars);

/* Chars of all chunks so far; *invalid gets the bytes among them that are outside sequences. */
uint64_t abr_counted_chars(const abr_char_counter *counter, uint64_t *invalid);

/* The last '\n' of (p, n), or NULL. */
const char *abr_find_last_newline(const char *p, size_t n);

/* Start of the char of the byte at `at`; n if at is n. */
size_t abr_char_start(const char *p, size_t n, size_t at);

/* How far to go: a limit on chars, and one on bytes as shown. */
typedef struct {
    uint64_t chars;
    uint64_t shown; /* an invalid byte counts ABR_REPLACEMENT_SIZE when `replace`, else 1 */
    bool replace;
} abr_limits;

/* The most bytes of (p, n), from its start or up to its end, that end between chars and stay within the
 * limits. */
size_t abr_prefix(const char *p, size_t n, const abr_limits *limits);
size_t abr_suffix(const char *p, size_t n, const abr_limits *limits);

/* Number of bytes at the end of (p, n) that may be the start of an unfinished sequence: 3 at most. */
size_t abr_open_sequence(const char *p, size_t n);

/* Length of the run at the start of (p, n) that cleaning would leave alone: printable ASCII, newlines, tabs,
 * and well-formed sequences except U+0080 to U+009F. */
size_t abr_plain_run(const char *p, size_t n);

/* Copy (p, n) to dst, each byte outside well-formed UTF-8 as U+FFFD. Returns the bytes; dst may be NULL. */
size_t abr_replace_invalid(const char *p, size_t n, char *dst);

ABR_PRIVATE_END

#endif
