/* Records of CSV and TSV, by RFC 4180. */
#ifndef ABR_KINDS_RECORDS_DELIMITED_H
#define ABR_KINDS_RECORDS_DELIMITED_H

#include "abridge.h"
#include "base/private.h"

ABR_PRIVATE_BEGIN

/* One record: its fields and its end. */
typedef struct {
    size_t fields;
    size_t end;   /* of the record, without its newline and the CR before it */
    size_t after; /* start of the next record */
    bool closed;  /* no quotes are open at its end, and quotes and delimiters touch */
} abr_record;

/* The place of the quote that ends a field whose text starts at i; n if there is none. */
size_t abr_closing_quote(const char *p, size_t n, size_t i);

/* Read the record that starts at `at` < n. A field in quotes may hold delimiters, newlines and doubled
 * quotes; if its quotes don't close, it takes the rest. */
void abr_read_record(const char *p, size_t n, size_t at, char delimiter, abr_record *out);

/* The delimiter of (p, n), one of `,` `;` tab `|`, if its first record names columns and nearly all others
 * have as many fields; 0 if it is no such table. If the text is not whole, the last record may be
 * incomplete. */
char abr_find_delimiter(const char *p, size_t n, bool whole);

/* The size of the table at the start of a text with other output after it, up to the first line that is no
 * record of as many fields; 0 if its first line names no three columns, or few lines follow. */
size_t abr_delimited_extent(const char *p, size_t n);

ABR_PRIVATE_END

#endif
