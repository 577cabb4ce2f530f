/* A long string that is a log, as it goes by: the lines that it spells are read as those of any log. */
#ifndef ABR_KINDS_JSON_JSON_LOG_H
#define ABR_KINDS_JSON_JSON_LOG_H

#include "abridge.h"
#include "base/private.h"
#include "base/tiny.h"
#include "budget/view.h"
#include "line/hits.h"
#include "line/lexicon.h"
#include "priority/retain.h"

ABR_PRIVATE_BEGIN

enum {
    ABR_JSON_LOG_TOLD_BY = ABR_OR_TINY(16 * 1024, 512), /* bytes of a string that tell whether it is a log */
    ABR_JSON_BREAK = 1                                  /* no string has it as it is */
};

/* The content of a string, as long as it is spelled, its lines broken: of each escape \n the backslash is
 * ABR_JSON_BREAK and the n a newline. */
typedef struct {
    abr_retainer *retainer;
    char *front; /* its first bytes, */
    char *back;  /* and its last ones, with room for twice as many */
    size_t edge; /* bytes of either */
    size_t back_n;
    char *scratch; /* of ABR_JSON_LOG_TOLD_BY */
    bool escaped;  /* a backslash has come that begins an escape, and counts with the next byte */
    bool ends_line;
    uint64_t bytes;
    uint64_t newlines;
    uint64_t first_line;  /* size */
    uint64_t line;        /* where the line that is open starts, */
    uint64_t line_before; /* and the one before it */
} abr_json_log;

typedef struct {
    size_t keep;
    const abr_lexicon *lexicon; /* valid as long as the log is read */
    const abr_patterns *patterns;
    const abr_alloc *alloc;
} abr_json_log_opts;

/* `text`: all of the string, its lines broken, or NULL. False: no memory. */
bool abr_json_log_open(abr_json_log *x, const abr_json_log_opts *opts, const char *text);

/* Get memory for (p, n), and `more` bytes before these. */
bool abr_json_log_reserve(abr_json_log *x, const char *p, size_t n, size_t more);

/* Read the string's first n bytes at p, which are the log's to change from now on; n is more than `edge` three times. */
void abr_json_log_start(abr_json_log *x, char *p, size_t n, size_t edge);

/* The first three edges of these bytes, all that is needed now, are at p. */
void abr_json_log_moved(abr_json_log *x, char *p);

/* Read the next n bytes. */
void abr_json_log_write(abr_json_log *x, const char *p, size_t n);

/* Read all of a string at once, its lines broken. */
void abr_json_log_write_all(abr_json_log *x, char *p, size_t n);

/* The string as a cut sees it. */
abr_view abr_json_log_view(const abr_json_log *x);

void abr_json_log_close(abr_json_log *x);

/* Break the lines of (p, n), which starts between chars. Returns n, or n - 1 if the last byte begins an escape. */
size_t abr_json_break_lines(char *p, size_t n);

/* Spell what can be shown of a piece in dst, as large as n: it neither starts nor ends inside an escape. `sure`: it
 * starts between chars. Returns its bytes, and those before it that cannot be shown in *skipped. */
size_t abr_json_spell_piece(const char *p, size_t n, bool sure, size_t *skipped, char *dst);

ABR_PRIVATE_END

#endif
