/* Which records a cut shows. */
#ifndef ABR_KINDS_RECORD_CHOICE_H
#define ABR_KINDS_RECORD_CHOICE_H

#include "abridge.h"
#include "base/private.h"
#include "kinds/content.h"
#include "kinds/reader.h"
#include "kinds/record_part.h"

ABR_PRIVATE_BEGIN

/* A record that may be shown. */
typedef struct {
    abr_record_bytes bytes;
    uint64_t number; /* records before it */
    float value;     /* what it says; 0: nothing */
    bool kept;
    bool grows;   /* it is shown in part, and more of it might be */
    size_t limit; /* of a record that is shown in part: its bytes then; 0: it is shown whole */
} abr_shown_record;

typedef struct {
    abr_shown_record *records; /* in their order */
    size_t count;
    uint64_t total;     /* records of the source */
    const char *header; /* what is at hand of it */
    size_t header_n;
    uint64_t header_size; /* with its newline */
    bool table;           /* its records are rows, else JSON */
    const abr_alloc *alloc;
} abr_record_list;

/* Put into `out` the header, and the best of the records in q->bytes. No memory: false, or out->failed. */
bool abr_choose_records(abr_record_list *list, const abr_kind_request *q, abr_content *out);

ABR_PRIVATE_END

#endif
