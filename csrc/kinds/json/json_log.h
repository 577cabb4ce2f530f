/* A long string that is a log, or an array of its lines, as it goes by: the lines it spells are read like
 * those of any log. */
#ifndef ABR_KINDS_JSON_JSON_LOG_H
#define ABR_KINDS_JSON_JSON_LOG_H

#include "base/private.h"
#include "base/tiny.h"
#include "budget/view.h"
#include "kinds/json/json_joined.h"
#include "line/hits.h"
#include "line/lexicon.h"
#include "priority/retain.h"

ABR_PRIVATE_BEGIN

enum {
    ABR_JSON_LOG_TOLD_BY = ABR_OR_TINY(16 * 1024, 512), /* bytes of a string that tell whether it is a log */
    ABR_JSON_BREAK = 1                                  /* no string contains it unescaped */
};

/* The content of a string, as long as its spelling, with its lines broken: in each escape \n, the backslash
 * becomes ABR_JSON_BREAK and the n a newline. Or an array, as abr_json_feed has it. */
typedef struct {
    abr_retainer *retainer;
    bool is_array;
    abr_json_feed feed; /* of an array */
    char *front;        /* its first bytes */
    char *back;         /* its last ones, with room for twice as many */
    size_t edge;        /* bytes of either */
    size_t back_n;
    char *scratch; /* ABR_JSON_LOG_TOLD_BY bytes */
    bool escaped;  /* a backslash has begun an escape; it counts with the next byte */
    bool ends_line;
    uint64_t bytes;
    uint64_t newlines;
    uint64_t blank_newlines; /* of an array: between its tokens */
    uint64_t first_line;     /* size */
    uint64_t line;           /* start of the open line */
    uint64_t line_before;    /* start of the one before it */
} abr_json_log;

typedef struct {
    size_t keep;
    const abr_lexicon *lexicon; /* valid while the log is read */
    const abr_patterns *patterns;
    const abr_alloc *alloc;
} abr_json_log_opts;

/* `text`: all of the string or array, its lines broken, or NULL. False: out of memory. */
bool abr_json_log_open(abr_json_log *x, const abr_json_log_opts *opts, const char *text);

/* Get memory for (p, n) of a string or an array, and `more` bytes before these. */
bool abr_json_log_reserve(abr_json_log *x, const char *p, size_t n, size_t more);

/* Read the first n bytes at p, which the log may change from now on; n is at least three times `edge`.
 * `feed`: of an array, which starts here; NULL: it is a string. */
void abr_json_log_start(abr_json_log *x, const abr_json_feed *feed, char *p, size_t n, size_t edge);

/* The first three edges of these bytes, the only ones needed now, are at p. */
void abr_json_log_moved(abr_json_log *x, char *p);

/* Read the next n bytes. */
void abr_json_log_write(abr_json_log *x, const char *p, size_t n);

/* Open it, with `keep` in place of opts->keep, and read all of a string, or of an array if x->is_array and
 * x->feed are set. *text gets the copy that it reads, for the caller to free after it is closed. False: out
 * of memory. */
bool abr_json_log_read(abr_json_log *x, const abr_json_log_opts *opts, size_t keep, const char *p, size_t n,
                       char **text);

/* The view of it for a cut. */
abr_view abr_json_log_view(const abr_json_log *x);

void abr_json_log_close(abr_json_log *x);

/* Spell the part of a piece that can be shown into dst, as large as n: it neither starts nor ends inside an
 * escape. `sure`: the piece starts between chars. Returns the bytes spelled; *skipped gets the bytes before
 * them that cannot be shown. */
size_t abr_json_spell_piece(const char *p, size_t n, bool sure, size_t *skipped, char *dst);

ABR_PRIVATE_END

#endif
