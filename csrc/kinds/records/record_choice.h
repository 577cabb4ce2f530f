/* Which records a cut shows. */
#ifndef ABR_KINDS_RECORDS_RECORD_CHOICE_H
#define ABR_KINDS_RECORDS_RECORD_CHOICE_H

#include "base/private.h"
#include "kinds/content.h"
#include "kinds/reader.h"
#include "kinds/records/record.h"
#include "priority/sort.h"

ABR_PRIVATE_BEGIN

/* The parts of the two ends in the room left after the trouble; and the bytes of a marker, at most. */
enum { ABR_RECORDS_FRONT = 2, ABR_RECORDS_BACK = 3, ABR_RECORDS_MARKER = 64 };

/* A record that may be shown, or a run of records that is shown whole. */
typedef struct {
    abr_record_bytes bytes;
    uint64_t number; /* records before it */
    uint64_t run;    /* records of a run; 0: a single record */
    float value;     /* its worth; 0: it says nothing */
    bool odd;        /* no more than that: it tells of no trouble, and is near none */
    bool novel;      /* it tells of trouble that no record listed before it does */
    bool kept;
    bool grows;   /* it is shown in part, and more of it might be */
    size_t limit; /* bytes of a record that is shown in part; 0: it is shown whole */
} abr_shown_record;

typedef struct {
    abr_shown_record *records; /* in their order */
    size_t count;
    uint64_t total;          /* records of the source */
    abr_record_bytes header; /* of a table, or the names of the columns alone */
    abr_record_bytes names;  /* its line that names the columns, without the newline */
    abr_record_bytes footer; /* the text after a table's last row, if at hand */
    bool table;              /* its records are rows, else JSON */
    bool ruled;              /* rows have several lines, and rulings between them */
    abr_key *keys;           /* for sorting: twice as many as the records */
} abr_record_list;

/* A record's share of `most` bytes; a larger one is shown in part. */
uint64_t abr_record_share(uint64_t most, const abr_record_list *list);

/* Put header, footer and the best records into `out`, within q->bytes. False: out of memory. */
bool abr_choose_records(abr_record_list *list, const abr_kind_request *q, abr_content *out);

ABR_PRIVATE_END

#endif
