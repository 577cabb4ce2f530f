/* Cuts of pages of JSON. */
#ifndef ABR_PAGE_ELEMENT_CUT_H
#define ABR_PAGE_ELEMENT_CUT_H

#include "abridge.h"
#include "base/private.h"

ABR_PRIVATE_BEGIN

/* Options for the cut of an element that alone is over budget. */
void abr_cut_as_json(abr_opts *opts);

/* abr_page_cut() of a page of JSON. */
abr_code abr_cut_elements(abr_page *page, const abr_narrow *narrow, abr_cut *cut, abr_page_lines *lines,
                          abr_error *error);

ABR_PRIVATE_END

#endif
