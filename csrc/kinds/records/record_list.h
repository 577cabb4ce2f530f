/* The list of records that a cut is chosen from. */
#ifndef ABR_KINDS_RECORDS_RECORD_LIST_H
#define ABR_KINDS_RECORDS_RECORD_LIST_H

#include "base/private.h"
#include "kinds/content.h"
#include "kinds/reader.h"

ABR_PRIVATE_BEGIN

/* The method `choose` of a reader of records. */
bool abr_choose_listed_records(abr_reader *base, const abr_kind_request *q, abr_content *out);

ABR_PRIVATE_END

#endif
