#include "kinds/records/records.h"
#include "abridge.h"
#include "kinds/reader.h"
#include "kinds/records/record_list.h"
#include "kinds/records/record_reader.h"

static abr_code open_records(const abr_reader_opts *opts, abr_reader **out)
{
    return abr_open_records(opts, &abr_record_methods, out);
}

const abr_reader_methods abr_record_methods = {
    .open = open_records,
    .reserve = abr_reserve_records,
    .write = abr_write_records,
    .choose = abr_choose_listed_records,
    .close = abr_close_records,
    .settle = abr_settle_records,
};
