/* Texts made of records: a JSON document per line, CSV, rows under a header. */
#ifndef ABR_KINDS_RECORDS_RECORD_LIST_H
#define ABR_KINDS_RECORDS_RECORD_LIST_H

#include "base/private.h"
#include "kinds/reader.h"

ABR_PRIVATE_BEGIN

/* For ABR_KIND_JSON_LINES and ABR_KIND_TABLE. */
extern const abr_reader_methods abr_record_methods;

ABR_PRIVATE_END

#endif
