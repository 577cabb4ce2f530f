/* Records of CSV and TSV, by RFC 4180. */
#ifndef ABR_KINDS_RECORDS_DELIMITED_H
#define ABR_KINDS_RECORDS_DELIMITED_H

#include "abridge.h"
#include "base/private.h"

ABR_PRIVATE_BEGIN

/* One record: its fields, and where it ends. */
typedef struct {
    size_t fields;
    size_t end;   /* of the record, without its newline and the CR before it */
    size_t after; /* where the next one starts */
    bool closed;  /* no quotes are open at its end, and nothing stands between quotes and delimiters */
} abr_record;

/* Read the record that starts at `at` < n. A field in quotes may hold delimiters, newlines and doubled
 * quotes; one whose quotes do not close takes all that is left. */
void abr_read_record(const char *p, size_t n, size_t at, char delimiter, abr_record *out);

/* The delimiter of (p, n), one of `,` `;` tab `|`, where its first record names columns and nearly all of the
 * others have as many; 0 where it is no such table. Where the text is not whole, the last record may be in
 * parts. */
char abr_find_delimiter(const char *p, size_t n, bool whole);

ABR_PRIVATE_END

#endif
