/* The kinds that are cut part by part: a reader reads such a text as it goes by, retains the parts that a cut
 * may keep, and chooses among them. */
#ifndef ABR_KINDS_READER_H
#define ABR_KINDS_READER_H

#include "base/private.h"
#include "base/tiny.h"
#include "budget/view.h"
#include "kinds/content.h"
#include "kinds/records/drawn.h"
#include "kinds/text/log.h"

ABR_PRIVATE_BEGIN

enum { ABR_TOLD_BY = ABR_OR_TINY(ABR_KIND_BYTES, 512) }; /* bytes of a text that tell its kind */

typedef struct {
    abr_kind kind;
    const char *media_type; /* of binary data; NULL if unknown */
    char delimiter;         /* of a table's fields; 0: its columns are aligned or drawn */
    abr_drawing drawn;      /* of a table */
    size_t header_lines;    /* of a table without delimiters: lines before its first row */
    abr_late_log late;      /* of a log after source, prose or a listing, or amid it; else zero */
} abr_telling;

typedef struct abr_reader abr_reader;

typedef struct {
    abr_telling told;
    const char *text;    /* the whole text, which stays where it is; NULL: chunks are copied */
    bool is_short;       /* it would be at hand even if it had come in chunks */
    bool is_record;      /* JSON: the text is a record of another one, all of it at hand */
    size_t keep;         /* abr_bytes_to_keep() of the budgets; memory may be a few times this */
    const abr_hit *hits; /* valid until abr_reader_methods.open() returns */
    size_t hit_count;
    unsigned quiet_groups;
    const abr_alloc *alloc; /* never NULL */
    /* abr_tell_kind(), for strings inside; or NULL */
    abr_telling (*tell)(const char *p, size_t n, bool whole);
} abr_reader_opts;

typedef struct {
    const abr_view *view; /* at most `keep` bytes of each end are at hand, and no part of a char */
    const abr_opts *opts;
    size_t keep;    /* of these budgets: parts not retained with it must not be chosen */
    uint64_t bytes; /* limit of the content: source and, unless they come on top, markers */
    uint64_t at;    /* of a record: bytes of the source before it, */
    uint64_t line;  /* and newlines */
    bool whole;     /* JSON: all of it without its blanks; nothing if that is more than `bytes` */
    bool one_line;  /* JSON: without newlines between the children of the document */
} abr_kind_request;

/* The methods of a kind. A reader starts with an abr_reader. */
typedef struct {
    abr_code (*open)(const abr_reader_opts *opts, abr_reader **out);

    /* Get memory for the next chunk. False: out of memory, with no visible change. NULL: it needs none. */
    bool (*reserve)(abr_reader *r, const char *p, size_t n);

    /* Read a chunk for which memory was reserved. The retained parts do not depend on how the text is
     * split. */
    void (*write)(abr_reader *r, const char *p, size_t n);

    /* Would the text be of this kind if it ended here? NULL: always. */
    bool (*holds)(const abr_reader *r);

    /* Put the content into `out`, within q->bytes; `out` is empty, or holds the content before a record. The
     * reader does not change; pieces may point into it. Out of memory: false, or out->failed. Called several
     * times per cut if other budgets count. */
    bool (*choose)(abr_reader *r, const abr_kind_request *q, abr_content *out);

    void (*close)(abr_reader *r);

    /* The text has ended: free what only more of it would need. False: out of memory. NULL: nothing. */
    bool (*settle)(abr_reader *r);

    /* Is it not of this kind, whatever comes? *at: the byte of the text that shows it. NULL: never. */
    bool (*lost)(const abr_reader *r, uint64_t *at);
} abr_reader_methods;

struct abr_reader {
    const abr_reader_methods *methods;
};

ABR_PRIVATE_END

#endif
