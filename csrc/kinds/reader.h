/* The kinds that are cut part by part: what reads such a text as it goes by, retains what a cut may keep
 * of it, and chooses. */
#ifndef ABR_KINDS_READER_H
#define ABR_KINDS_READER_H

#include "abridge.h"
#include "base/private.h"
#include "budget/view.h"
#include "kinds/content.h"
#include "kinds/telling.h"

ABR_PRIVATE_BEGIN

typedef struct abr_reader abr_reader;

typedef struct {
    abr_telling told;
    const char *text;    /* the whole text, which stays where it is; NULL: chunks are copied */
    bool is_short;       /* it would be at hand, too, if it had come in chunks */
    bool is_record;      /* JSON: the text is a record of another one, all of it at hand */
    size_t keep;         /* abr_bytes_to_keep() of the budgets; memory may be some times this */
    const abr_hit *hits; /* valid until abr_reader_methods.open() returns */
    size_t hit_count;
    unsigned quiet_groups;
    const abr_alloc *alloc; /* never NULL */
    abr_telling (*tell)(const char *p, size_t n,
                        bool whole); /* abr_tell_kind(), for strings inside; or NULL */
} abr_reader_opts;

typedef struct {
    const abr_view *view; /* at most `keep` bytes of each end are at hand, and no part of a char */
    const abr_opts *opts;
    size_t keep;    /* of these budgets: what would not have been retained with it may not be chosen */
    uint64_t bytes; /* the content's most: of source and, unless these come on top, of markers */
    uint64_t at;    /* of a record: bytes of the source before it, */
    uint64_t line;  /* and newlines */
    bool whole;     /* JSON: all of it without its blanks; nothing if that is more than `bytes` */
    bool one_line;  /* JSON: without newlines between the children of the document */
} abr_kind_request;

/* What a kind does. A reader starts with an abr_reader. */
typedef struct {
    abr_code (*open)(const abr_reader_opts *opts, abr_reader **out);

    /* Get memory for a chunk, which comes next; false changes nothing that counts. */
    bool (*reserve)(abr_reader *r, const char *p, size_t n);

    /* Read a chunk for which memory was reserved. What is retained does not depend on how the text is
     * split. */
    void (*write)(abr_reader *r, const char *p, size_t n);

    /* Would what came be of this kind if it ended here? NULL: always. */
    bool (*holds)(const abr_reader *r);

    /* Put into `out`, which is empty but for what stands before a record, the content within q->bytes. The reader is as before; pieces may
     * point into it. No memory: false, or out->failed. Called several times a cut where other budgets
     * count. */
    bool (*choose)(abr_reader *r, const abr_kind_request *q, abr_content *out);

    void (*close)(abr_reader *r);
} abr_reader_methods;

struct abr_reader {
    const abr_reader_methods *methods;
};

ABR_PRIVATE_END

#endif
