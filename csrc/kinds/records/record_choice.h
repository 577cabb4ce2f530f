/* Which records a cut shows. */
#ifndef ABR_KINDS_RECORDS_RECORD_CHOICE_H
#define ABR_KINDS_RECORDS_RECORD_CHOICE_H

#include "abridge.h"
#include "base/private.h"
#include "kinds/content.h"
#include "kinds/reader.h"
#include "kinds/records/record_part.h"

ABR_PRIVATE_BEGIN

/* What room is left by the trouble goes to the two ends in these parts; and bytes of a marker, at most. */
enum { ABR_RECORDS_FRONT = 2, ABR_RECORDS_BACK = 3, ABR_RECORDS_MARKER = 64 };

/* A record that may be shown, or a run of them that is, whole. */
typedef struct {
    abr_record_bytes bytes;
    uint64_t number; /* records before it */
    uint64_t run;    /* records of a run; 0: it is one */
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
    uint64_t header_size;    /* with its newline */
    abr_record_bytes names;  /* its line that names the columns, without the newline */
    abr_record_bytes footer; /* what follows the last row of a table, if it is at hand */
    bool table;              /* its records are rows, else JSON */
    const abr_alloc *alloc;
} abr_record_list;

/* A record's part of `most` bytes, where there are `total`, rows of a table or JSON; a larger one is shown in part. */
uint64_t abr_record_share(uint64_t most, uint64_t total, bool table);

/* Put into `out` header and footer, and the best of the records in q->bytes. No memory: false, or out->failed. */
bool abr_choose_records(abr_record_list *list, const abr_kind_request *q, abr_content *out);

ABR_PRIVATE_END

#endif
