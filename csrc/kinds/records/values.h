/* The values of a record: of JSON, of CSV, of aligned columns. */
#ifndef ABR_KINDS_RECORDS_VALUES_H
#define ABR_KINDS_RECORDS_VALUES_H

#include "base/private.h"
#include "base/tiny.h"
#include "kinds/json/json_text.h"
#include "kinds/reader.h"
#include "kinds/records/columns.h"
#include "line/hits.h"

ABR_PRIVATE_BEGIN

enum {
    ABR_VALUES_LEVELS = ABR_OR_TINY(16384, 64), /* levels of a JSON record that are read */
    ABR_NAMED_LEVELS = 32,                      /* levels of one whose keys count */
    ABR_NAME_STARTS = ABR_OR_TINY(256, 64)      /* bytes of a row in which a name's start is known */
};

/* An object or array of JSON that is open. */
typedef struct {
    uint64_t name;
    uint32_t elements;
    uint8_t role;
} abr_name_level;

typedef struct {
    abr_telling told;
    abr_patterns patterns;
    bool spaced;                           /* aligned columns are at least two blanks apart */
    size_t names;                          /* names of columns, if they are aligned, */
    uint64_t starts[ABR_NAME_STARTS / 64]; /* and a bit for each byte at which one starts */
    uint64_t levels[ABR_VALUES_LEVELS / 64];
    abr_name_level named[ABR_NAMED_LEVELS]; /* the open ones of the record being read */
    abr_json_keys keys;
    abr_record_columns columns;
} abr_values;

/* The caller closes x->patterns, whatever comes. */
abr_code abr_values_open(abr_values *x, const abr_reader_opts *opts);

/* Read a line or record of a table's header. Does it name columns? */
bool abr_values_name(abr_values *x, const char *p, size_t n);

/* Read a record, after which ABR_PADDING bytes are readable; `whole`: these are all of its bytes. `counts`:
 * it is counted so many times; 0: abr_columns_settle() was called. */
void abr_values_read(abr_values *x, const char *p, size_t n, bool whole, uint32_t counts, abr_worth *worth);

ABR_PRIVATE_END

#endif
