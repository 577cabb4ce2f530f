/* Reads a JSON document as it goes by. */
#ifndef ABR_KINDS_JSON_JSON_READER_H
#define ABR_KINDS_JSON_JSON_READER_H

#include "base/private.h"
#include "kinds/reader.h"

ABR_PRIVATE_BEGIN

extern const abr_reader_methods abr_json_methods;

ABR_PRIVATE_END

#endif
